//! The rules that are shipped: few, each for a command that cannot be taken back or that gives away what a person keeps.
//! What everybody does every day is not among them (`rm -rf node_modules`, `git clean -fdx`, a force-push to a branch of
//! one's own).

use super::look::Look;
use super::own::{self, SWITCH_GUARDS};
use super::{Pattern, Verdict, credentials, deletes, disks, downloads, pushes};

#[derive(Debug, PartialEq, Eq)]
pub struct Shipped {
    pub name: &'static str,
    pub verdict: Verdict,
    pub why: &'static str,
    pub instead: &'static str,
}

/// A shipped rule that speaks about a command.
pub(super) struct Finding {
    pub(super) rule: &'static Shipped,
    pub(super) verdict: Verdict,
    /// The command it is about comes first; others take part in it.
    pub(super) commands: Vec<usize>,
}

pub const ALL: &[&Shipped] = &[
    &DELETE_ROOT,
    &DELETE_OUTSIDE,
    &FORCE_PUSH,
    &FORCE_PUSH_UNCLEAR,
    &DELETE_BRANCH,
    &RUN_DOWNLOAD,
    &DISKS,
    &FORK_BOMB,
    &CREDENTIALS,
    &REWRITE_HISTORY,
    &OPEN_ROOT,
    &RIGHTS_OUTSIDE,
    &POWER,
    &SWITCH_GUARDS,
    &UNREAD,
];

pub(super) const DELETE_ROOT: Shipped = Shipped {
    name: "delete-root",
    verdict: Verdict::Deny,
    why: "It deletes the whole system or a whole home folder, and nothing brings that back.",
    instead: "Name the folder you mean, within the workspace.",
};

pub(super) const DELETE_OUTSIDE: Shipped = Shipped {
    name: "delete-outside",
    verdict: Verdict::Ask,
    why: "It deletes a folder outside of the workspace and of the folders for temporary files, or the workspace itself.",
    instead: "Delete within the workspace, or let the user delete it.",
};

pub(super) const FORCE_PUSH: Shipped = Shipped {
    name: "force-push",
    verdict: Verdict::Deny,
    why: "It overwrites a protected branch for everybody, with commits of others that may not be here.",
    instead: "Push a branch of your own and open a pull request, or let the user push.",
};

pub(super) const FORCE_PUSH_UNCLEAR: Shipped = Shipped {
    name: "force-push-unclear",
    verdict: Verdict::Ask,
    why: "It overwrites a branch that may be a protected one, or a protected one after looking for commits of others.",
    instead: "Name the branch: git push --force-with-lease origin BRANCH.",
};

pub(super) const DELETE_BRANCH: Shipped = Shipped {
    name: "delete-branch",
    verdict: Verdict::Deny,
    why: "It deletes a protected branch for everybody.",
    instead: "Let the user delete it.",
};

pub(super) const RUN_DOWNLOAD: Shipped = Shipped {
    name: "run-download",
    verdict: Verdict::Ask,
    why: "It runs what the network or an encoded text gives, and nobody has read that.",
    instead: "Download it into a file, read it, then run the file; or install it with a package manager.",
};

pub(super) const DISKS: Shipped = Shipped {
    name: "disks",
    verdict: Verdict::Deny,
    why: "It writes over a disk below its file system, and nothing brings that back.",
    instead: "Work on an image in a file, or let the user do it.",
};

pub(super) const FORK_BOMB: Shipped = Shipped {
    name: "fork-bomb",
    verdict: Verdict::Deny,
    why: "A function that starts itself in the background takes every process the machine has.",
    instead: "Call it in the foreground, with an end.",
};

pub(super) const CREDENTIALS: Shipped = Shipped {
    name: "credentials",
    verdict: Verdict::Ask,
    why: "It reads a password, a key or a token, which then stands in the conversation.",
    instead: "Use the program that holds it (ssh, gh, aws) without printing it.",
};

pub(super) const REWRITE_HISTORY: Shipped = Shipped {
    name: "rewrite-history",
    verdict: Verdict::Ask,
    why: "It rewrites or deletes the commits of a whole repository, or drops the log that would bring them back.",
    instead: "Make a checkpoint or a clone first; revert single commits with git revert.",
};

pub(super) const OPEN_ROOT: Shipped = Shipped {
    name: "rights-of-root",
    verdict: Verdict::Deny,
    why: "It changes rights or owner of the whole system, which then no longer starts.",
    instead: "Name the folder you mean, within the workspace.",
};

pub(super) const RIGHTS_OUTSIDE: Shipped = Shipped {
    name: "rights-outside",
    verdict: Verdict::Ask,
    why: "It changes rights or owner of a whole folder outside of the workspace.",
    instead: "Change the files you need, or let the user do it.",
};

pub(super) const POWER: Shipped = Shipped {
    name: "power",
    verdict: Verdict::Ask,
    why: "It ends everything that runs on this machine, this session too.",
    instead: "Restart the one service you mean.",
};

pub(super) const UNREAD: Shipped = Shipped {
    name: "unread",
    verdict: Verdict::Ask,
    why: "The command is too long, nested too deeply or becomes too many words to be read whole.",
    instead: "Put it into a file and run that, or split it.",
};

/// Rules that are words alone.
const WORDS: &[(&Shipped, &[&str])] = &[
    (
        &POWER,
        &[
            "shutdown *",
            "reboot *",
            "poweroff *",
            "halt *",
            "init 0",
            "init 6",
            "telinit *",
            "systemctl poweroff *",
            "systemctl reboot *",
            "systemctl halt *",
            "systemctl kexec *",
        ],
    ),
    (
        &REWRITE_HISTORY,
        &[
            "git filter-branch *",
            "git filter-repo *",
            "git-filter-repo *",
            "git reflog expire *",
            "git reflog delete *",
            "git update-ref -d *",
            "git update-ref --delete *",
            "bfg *",
        ],
    ),
    (&CREDENTIALS, credentials::PROGRAMS),
];

/// What the shipped rules find, strongest first.
pub(super) fn findings(look: &Look<'_>) -> Vec<Finding> {
    let mut all = Vec::new();
    deletes::find(look, &mut all);
    pushes::find(look, &mut all);
    downloads::find(look, &mut all);
    disks::find(look, &mut all);
    credentials::find(look, &mut all);
    own::find(look, &mut all);
    fork_bombs(look, &mut all);
    words(look, &mut all);
    all.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    all
}

fn words(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (rule, patterns) in WORDS {
        for (at, _) in look.commands().filter(|(_, command)| !command.is_elsewhere) {
            let Some(program) = look.program(at) else { continue };
            // Most patterns are about other programs; those are not even read.
            let about = patterns.iter().filter(|pattern| pattern.split(' ').next() == Some(&program));
            let mut words = look.plain[at].clone();
            words[0].clone_from(&program);
            let bare = without_options(&program, &words);
            let is_it = |pattern: &&str| {
                Pattern::parse(pattern).is_ok_and(|pattern| pattern.matches(&words) || pattern.matches(&bare))
            };
            if about.into_iter().any(is_it) && !asks_for_help(&words) {
                all.push(Finding { rule, verdict: rule.verdict, commands: vec![at] });
            }
        }
    }
}

/// Options that may stand before a program's verb and take the next word.
const WITH_WORD: &[(&str, &str)] = &[
    (
        "aws",
        "--profile --region --endpoint-url --output --query --ca-bundle --color --cli-read-timeout \
        --cli-connect-timeout",
    ),
    ("gcloud", "--project --account --configuration --format --verbosity --impersonate-service-account"),
    ("az", "--subscription --output -o --query"),
    ("gh", "-R --repo --hostname -h"),
    ("op", "--account --vault --config --session --format"),
    ("vault", "-address -namespace -format -field -ca-cert"),
    ("doppler", "--project --config --token -p -c -t"),
    ("heroku", "-a --app -r --remote"),
    ("systemctl", "-H --host -M --machine -t --type -p --property -n -o -s --signal"),
    ("security", "-q"),
];

/// A command without its options: they may stand before its verb or behind it.
fn without_options(program: &str, words: &[String]) -> Vec<String> {
    let with_word = WITH_WORD.iter().find(|(name, _)| *name == program).map_or("", |(_, options)| options);
    let (mut bare, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at) {
        at += 1;
        if at > 1 && word.starts_with('-') {
            at += usize::from(with_word.split_whitespace().any(|option| option == word));
        } else {
            bare.push(word.clone());
        }
    }
    bare
}

pub(super) fn asks_for_help(words: &[String]) -> bool {
    let is_short = matches!(words, [git, _, help] if git == "git" && help == "-h");
    is_short || words.iter().skip(1).any(|word| matches!(word.as_str(), "--help" | "--version"))
}

/// A function that pipes itself into itself, or leaves itself in the background.
fn fork_bombs(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        let calls = |at: usize| {
            let command = &look.script.commands[at];
            let name = command.words.first().and_then(crate::shell::Word::text);
            name.is_some() && name.as_deref() == command.function.as_deref()
        };
        if !calls(at) {
            continue;
        }
        let feeds_itself = command.piped_from.is_some() && look.script.upstream(at).into_iter().any(calls);
        if feeds_itself || command.is_background {
            all.push(Finding { rule: &FORK_BOMB, verdict: Verdict::Deny, commands: vec![at] });
        }
    }
}
