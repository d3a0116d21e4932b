//! The rules that are shipped: few, each for a command that cannot be taken back or that gives away what a person keeps.
//! What everybody does every day is not among them (`rm -rf node_modules`, `git clean -fdx`, a force-push to a branch of
//! one's own).

use super::far::{self, Far};
use super::look::Look;
use super::own::{self, SWITCH_GUARDS};
use super::table::table;
use super::{
    Pattern, Verdict, credentials, deletes, disks, downloads, files, foreign, pushes, sends, shells, sql,
};

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
    &REVERSE_SHELL,
    &SEND_SECRETS,
    &KEYS,
    &STARTUP,
    &SYSTEM_FILES,
    &ACCOUNTS,
    &DEFENSES,
    &END_PROCESSES,
    &WHOLE_MACHINE,
    &INFRASTRUCTURE,
    &DATABASES,
    &STORED_DATA,
    &PUBLISHED,
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

/// A rule that asks.
const fn ask(name: &'static str, why: &'static str, instead: &'static str) -> Shipped {
    Shipped { name, verdict: Verdict::Ask, why, instead }
}

pub(super) const REVERSE_SHELL: Shipped = ask(
    "reverse-shell",
    "It gives somebody at the other end of a connection a shell on this machine.",
    "Use ssh, or let the user open the door.",
);

pub(super) const SEND_SECRETS: Shipped = ask(
    "send-secrets",
    "It sends the environment or a file of keys and passwords to another machine, and what is sent cannot be called back.",
    "Send what is needed without its secrets; let the user hand over keys.",
);

pub(super) const KEYS: Shipped = ask(
    "keys",
    "It deletes or writes over a key, or shreds a file so that nothing brings it back.",
    "Move it away instead, or let the user delete it.",
);

pub(super) const STARTUP: Shipped = ask(
    "startup",
    "It changes what runs or who may come in from now on: a shell's start, a schedule, a service, a login without password.",
    "Set it for this command alone, or tell the user which line to add.",
);

pub(super) const SYSTEM_FILES: Shipped = ask(
    "system-files",
    "It changes files of the system, which every program here relies on.",
    "Work in the workspace, in a container or in a temporary folder.",
);

pub(super) const ACCOUNTS: Shipped = ask(
    "accounts",
    "It changes who may do what: accounts, passwords, groups, roles or rights that programs keep.",
    "Tell the user which account needs which right.",
);

pub(super) const DEFENSES: Shipped = ask(
    "defenses",
    "It switches off what protects this machine, cuts its network, or wipes what tells afterwards what was done.",
    "Name the one rule or service that is in the way, and let the user change it.",
);

pub(super) const END_PROCESSES: Shipped = ask(
    "end-processes",
    "It ends every process of this machine or of a person, this session too.",
    "End the one process you mean by its number.",
);

pub(super) const WHOLE_MACHINE: Shipped = ask(
    "whole-machine",
    "It gives a container the whole machine: what runs in there may change every file of it.",
    "Mount the folder that is needed, read-only where that is enough (`:ro`).",
);

pub(super) const INFRASTRUCTURE: Shipped = ask(
    "infrastructure",
    "It deletes infrastructure that others may rely on, with the data in it.",
    "Show what would be deleted (plan, --dry-run, get), and let the user delete it.",
);

pub(super) const DATABASES: Shipped = ask(
    "databases",
    "It drops, empties or changes a whole database or table.",
    "Make a dump first, narrow it with WHERE, or use a database for tests (a name with \"test\" is not asked about).",
);

pub(super) const STORED_DATA: Shipped = ask(
    "stored-data",
    "It deletes volumes, with all that containers keep in them.",
    "Delete containers and images without their volumes, or name the one volume to the user.",
);

pub(super) const PUBLISHED: Shipped = ask(
    "published",
    "It takes back or opens for everybody what is published: a repository, a release, a package others build on.",
    "Let the user do it, or publish a new version instead.",
);

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
    plain(look, &mut all);
    foreign::find(look, &mut all);
    for finding in &mut all {
        if let Some(set) = look.rules.setting(finding.rule.name) {
            finding.verdict = set.over(finding.verdict);
        }
    }
    all.retain(|finding| finding.verdict != Verdict::Allow);
    all.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    all
}

/// All but what other languages say.
pub(super) fn plain(look: &Look<'_>, all: &mut Vec<Finding>) {
    deletes::find(look, all);
    pushes::find(look, all);
    downloads::find(look, all);
    disks::find(look, all);
    credentials::find(look, all);
    own::find(look, all);
    fork_bombs(look, all);
    words(look, all);
    shells::find(look, all);
    sends::find(look, all);
    far::find(look, all);
    files::find(look, all);
    sql::find(look, all);
    listed(look, all);
}

/// What stands in the table.
fn listed(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        let Some(program) = look.program(at) else { continue };
        let mut words = look.plain[at].clone();
        words[0].clone_from(&program);
        let bare = without_options(&program, &words);
        let Some(row) = table().rows(&program, &words, &bare).next() else { continue };
        // Accounts and defenses of a container are its own, and go with it.
        let stays = matches!(far::far(look, at), Far::Container(_))
            && [&ACCOUNTS, &DEFENSES, &STARTUP, &SYSTEM_FILES].iter().any(|rule| **rule == *row.rule);
        let for_tests = || {
            let is_set = |(_, value): &(String, crate::shell::Word)| sql::is_for_tests(&value.shape());
            command.assignments.iter().any(is_set) || words.iter().skip(1).any(|word| sql::is_for_tests(word))
        };
        let is_throwaway = (*row.rule == DATABASES || *row.rule == STORED_DATA) && for_tests();
        if !stays && !is_throwaway && !only_shows(&words) {
            all.push(Finding { rule: row.rule, verdict: row.rule.verdict, commands: vec![at] });
        }
    }
}

/// It says what it would do.
fn only_shows(words: &[String]) -> bool {
    let is_help = |word: &String| {
        matches!(
            word.as_str(),
            "--dryrun"
                | "--what-if"
                | "--whatif"
                | "-whatif"
                | "-WhatIf"
                | "--simulate"
                | "--noop"
                | "-help"
                | "--check"
                | "--generate-cli-skeleton"
                | "--pretend"
                | "--plan"
                | "--preview-only"
        ) || word.strip_prefix("--dry-run").is_some_and(|rest| !matches!(rest, "=none" | "=false"))
    };
    asks_for_help(words)
        || words.iter().skip(1).any(is_help)
        || words.get(1).is_some_and(|word| word == "help")
        || matches!(words, [_, .., last] if last == "-h" || last == "help")
}

fn words(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (rule, patterns) in WORDS {
        for (at, _) in look.commands() {
            // A container has no power of its own; another machine has.
            let is_away = match far::far(look, at) {
                Far::Here => false,
                Far::Machine => **rule != POWER,
                Far::Container(_) => true,
            };
            let Some(program) = look.program(at).filter(|_| !is_away) else { continue };
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
    ("kubectl", KUBECTL),
    ("oc", KUBECTL),
    ("helm", "-n --namespace --kube-context --kubeconfig --kube-apiserver"),
    ("docker", "-H --host -c --context --config -l --log-level"),
    ("pulumi", "-C --cwd -s --stack --color"),
    ("fly", "-a --app -c --config -o --org -t --access-token"),
    ("flyctl", "-a --app -c --config -o --org -t --access-token"),
    ("vercel", "-S --scope -t --token -A --local-config --cwd -T --team"),
    ("wrangler", "-c --config -e --env"),
    ("firebase", "-P --project --token --config"),
    ("terragrunt", "--terragrunt-working-dir --working-dir --config"),
    ("prisma", "--schema --config"),
    ("bq", "--project_id --location --dataset_id"),
    ("gsutil", "-o -u -h"),
    ("mysqladmin", "-u -h -P -S --user --host --port --socket"),
    ("npm", "--registry --prefix -C -w --workspace --otp"),
    ("cargo", "--config --manifest-path"),
    ("iptables", "-t --table"),
    ("ip6tables", "-t --table"),
    ("zfs", "-o"),
    ("nomad", "-address -namespace -region -token"),
    ("supabase", "--workdir --profile"),
];

const KUBECTL: &str = "-n --namespace --context --cluster --kubeconfig -s --server --user --token --as --request-timeout -v \
    --cache-dir --certificate-authority";

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
