//! Commands that change what watches over an agent or decide in a person's place: throughline's own settings and switches,
//! its process, agents' own switches for hooks, and where git looks for hooks. Reading them is nobody's question.

use super::Verdict;
use super::look::Look;
use super::shipped::{Finding, Shipped, asks_for_help};
use crate::foreign;
use crate::shell::{self, Part, Word};

pub(super) const SWITCH_GUARDS: Shipped = Shipped {
    name: "switch-guards",
    verdict: Verdict::Ask,
    why: "It changes what guards, rules or hooks do, or decides in the user's place, and that is the user's.",
    instead: "Tell the user what should be decided or changed, and why.",
};

const OURS: &str = "throughline";
const HOOK: &str = "throughline-hook";

/// First words whose every use decides something.
const DECIDES: &str = "pause uninstall install forget edit restore";
/// First words with verbs that only look; every other verb decides, also one that is not known yet.
const LOOKS: &[(&str, &str)] = &[
    ("config", "get list path show explain"),
    ("behaviors", "list explain show"),
    ("scope", "check explain list show"),
    ("hook", "test list"),
    ("rules", "list show test explain"),
    ("orders", "list show propose explain status"),
    ("review", "list show status next"),
    ("checks", "list status show explain run"),
    ("team", "status list show members projects help"),
    ("watch", "list status show"),
    ("daemon", "status logs unit openapi start run"),
    ("checkpoint", "create list show make diff"),
    ("dream", "list show propose status run"),
];
/// Verbs that decide, behind a first word that is in no list.
const VERBS: &str =
    "accept refuse reject approve decline apply trust untrust share unshare disable enable restore undo mode";
/// First words behind which anybody's text or name stands.
const TEXTS: &str = "search remember status doctor context sessions session claims handoff message timeline show events stats \
    top tui code guard skills pattern agents outcome export mcp view help completions man eval replay backfill resume gc \
    rebuild model redact import import-memory";
/// Options that decide, behind whatever word.
const OPTIONS: &[(&str, &str)] = &[("import", "--undo"), ("redact", "--allow"), DOOR[0], DOOR[1], DOOR[2]];
/// Options that say what opens our door.
const DOOR: [(&str, &str); 3] = [("view", "--print"), ("view", "--no-open"), ("mcp", "--show-token")];
/// Settings a process is started with that weaken it: of guards, of redaction, of what may run and who may come in.
const VARIABLES: &[&str] = &[
    "THROUGHLINE_BEHAVIORS_GUARD_",
    "THROUGHLINE_BEHAVIORS_RUN_RULES",
    "THROUGHLINE_REDACT_",
    "THROUGHLINE_CHECKS_",
    "THROUGHLINE_HTTP_",
];
/// Events by which a hook says where a session begins and that it ends: an agent that sends them itself moves its fence.
const SESSION: &str = "sessionstart sessionend";
/// Agents' own switches: program, first word, verbs.
const AGENTS: &[(&str, &str, &str)] = &[
    ("claude", "plugin plugins", "disable uninstall remove rm"),
    ("claude", "config", "set add remove rm"),
    ("gemini", "extensions extension hooks", "disable uninstall remove enable install link"),
    ("codex", "hooks plugin plugins config", "disable uninstall remove set"),
    ("copilot", "plugin plugins hooks", "disable uninstall remove"),
    ("opencode", "plugin plugins", "disable uninstall remove"),
];
/// Services, by whom they are kept: programs and the words that end one.
const SERVICES: &[(&str, &str)] = &[
    ("systemctl", "stop disable mask kill restart reload-or-restart try-restart"),
    ("launchctl", "unload bootout remove stop disable kill kickstart"),
    ("service", "stop restart"),
    ("sv", "stop down exit kill"),
    ("brew", "stop uninstall remove"),
];
const KILLERS: &str = "kill pkill killall skill fuser xkill killall5 taskkill";
/// Settings of git that run programs nobody sees, in small letters as git reads them.
const KEYS: &[&str] = &["core.hookspath", "core.fsmonitor", "include.path"];
/// Texts within texts, and how many of one text are read as commands.
const MAX_DEPTH: usize = 3;
const MAX_INNER: usize = 64;

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    find_at(look, all, 0);
}

fn find_at(look: &Look<'_>, all: &mut Vec<Finding>, depth: usize) {
    let aliases = aliases(look);
    for (at, command) in look.commands().filter(|(_, command)| !command.is_elsewhere) {
        let words = look.plain.get(at).map(Vec::as_slice).unwrap_or_default();
        let program = look.program(at).unwrap_or_default();
        let sets = || command.assignments.iter().any(|(name, _)| is_weakening(name));
        let changes = match program.as_str() {
            OURS => sets() || changes_ours(&words[1..]),
            HOOK => sets() || begins_session(&words[1..]),
            "git" => changes_hooks(words),
            "cargo" => cargo_run(words).is_some_and(|words| sets() || changes_ours(words)),
            "export" | "declare" => words.iter().skip(1).any(|word| is_weakening(word)),
            "curl" | "wget" | "http" | "xh" => false,
            _ if KILLERS.split(' ').any(|killer| killer == program) => ends_ours(look, at),
            _ if is_ours_by(look, at, &aliases) => sets() || changes_ours(&words[1..]),
            _ => changes_service(&program, words) || changes_agent(&program, words),
        };
        let inner = || depth < MAX_DEPTH && runs_inside(look, at, depth);
        if (changes && !command.words.is_empty() && !asks_for_help(words)) || inner() {
            all.push(Finding { rule: &SWITCH_GUARDS, verdict: SWITCH_GUARDS.verdict, commands: vec![at] });
        }
    }
}

/// Whether a variable's name, or a word that sets it, is one of those that weaken.
fn is_weakening(name: &str) -> bool {
    VARIABLES.iter().any(|variable| name.starts_with(variable))
}

fn changes_ours(words: &[String]) -> bool {
    let has =
        |option: &str| words.iter().any(|word| word == option || word.starts_with(&format!("{option}=")));
    let plain: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let Some(first) = plain.first() else { return false };
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    // A word that only the shell knows may be any of them.
    if first.contains('*') {
        return *first == "*" || plain.len() > 1;
    }
    if is_in(DECIDES, first) {
        return true;
    }
    if OPTIONS.iter().any(|(word, option)| word == first && has(option)) {
        return true;
    }
    if *first == "hook" && begins_session(&words[1..]) {
        return true;
    }
    let second = plain.get(1);
    match LOOKS.iter().find(|(word, _)| word == first) {
        // An event's name stands there, too: what agents run.
        Some(("hook", _)) => second.is_some_and(|verb| is_in("new remove", verb) || verb.contains('*')),
        Some((_, looks)) => second.is_some_and(|verb| !is_in(looks, verb)),
        None if is_in(TEXTS, first) => *first == "redact" && second.is_some_and(|verb| is_in("allow", verb)),
        None => second.is_some_and(|verb| is_in(VERBS, verb)),
    }
}

/// `hook SessionEnd`, or a hook whose envelope says itself what it is.
fn begins_session(words: &[String]) -> bool {
    let plain: Vec<String> =
        words.iter().filter(|word| !word.starts_with('-')).map(|word| word.to_ascii_lowercase()).collect();
    plain.first().is_some_and(|event| SESSION.split(' ').any(|known| known == event))
}

/// The words behind `cargo run -p throughline --`.
fn cargo_run(words: &[String]) -> Option<&[String]> {
    let end = words.iter().position(|word| word == "--")?;
    let before = &words[1..end];
    let runs = before.iter().any(|word| matches!(word.as_str(), "run" | "r"));
    let is_ours = before.iter().any(|word| {
        let word = word.strip_prefix("-p").or_else(|| word.strip_prefix("--package=")).unwrap_or(word);
        word.strip_prefix("--bin=").unwrap_or(word) == OURS
    });
    (runs && is_ours).then(|| &words[end + 1..])
}

/// Names under which the text itself puts our program: `ln -s $(which throughline) t`.
fn aliases(look: &Look<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for (_, command) in look.commands() {
        let copies = matches!(command.program().as_deref(), Some("ln" | "cp" | "install" | "mv"));
        let [.., source, target] = command.arguments() else { continue };
        if copies && is_ours_word(look, source, 0) {
            let name = target.shape();
            names.push(name.rsplit('/').next().unwrap_or(&name).to_owned());
        }
    }
    names
}

/// A program that is ours by another name, or by what a substitution says.
fn is_ours_by(look: &Look<'_>, at: usize, aliases: &[String]) -> bool {
    let Some(word) = look.script.commands[at].words.first() else { return false };
    let shape = word.shape();
    let name = shape.rsplit('/').next().unwrap_or(&shape);
    (!name.is_empty() && aliases.iter().any(|alias| alias == name)) || is_ours_word(look, word, 0)
}

fn is_ours_word(look: &Look<'_>, word: &Word, depth: usize) -> bool {
    let shape = word.shape();
    if shape.rsplit('/').next() == Some(OURS) {
        return true;
    }
    let said = word.parts().iter().filter_map(|part| match part {
        Part::Output(range) if depth < MAX_DEPTH => Some(range.clone()),
        _ => None,
    });
    // `$(which throughline)`, `$(command -v throughline)`, `$(find target -name throughline)`.
    let mut commands = said.flatten().filter_map(|at| look.script.commands.get(at));
    commands.any(|command| command.arguments().iter().any(|word| is_ours_word(look, word, depth + 1)))
}

/// Whether what is ended is our daemon, by its name or by the file that has its number.
fn ends_ours(look: &Look<'_>, at: usize) -> bool {
    let command = &look.script.commands[at];
    let is_named = |word: &Word| {
        let plain: String = word.shape().chars().filter(|letter| !"[]^$".contains(*letter)).collect();
        let words = plain.split(|letter: char| letter.is_whitespace() || "'\"|()".contains(letter));
        words.into_iter().any(|word| {
            let name = word.rsplit('/').next().unwrap_or(word);
            name == OURS || name == HOOK || name == "daemon.pid" || name == "daemon.sock"
        })
    };
    let outputs = command.words.iter().flat_map(Word::parts).filter_map(|part| match part {
        Part::Output(range) | Part::Process(range) => Some(range.clone()),
        _ => None,
    });
    let mut sources: Vec<usize> = outputs.flatten().collect();
    sources.extend(look.script.upstream(at));
    // `… | xargs kill`: what feeds whoever starts it.
    if let Some(outer) = command.within {
        sources.extend(look.script.upstream(outer));
    }
    // Behind a loop or a variable nobody knows what is ended: then what the text says of us counts.
    if command.words.iter().skip(1).any(Word::is_unknown) {
        sources.extend(0..at);
    }
    let said = sources.into_iter().filter_map(|at| look.script.commands.get(at));
    let said = said.flat_map(|command| {
        command.arguments().iter().chain(command.redirects.iter().map(|redirect| &redirect.target))
    });
    command.arguments().iter().chain(said).any(is_named)
}

fn changes_service(program: &str, words: &[String]) -> bool {
    let Some((_, verbs)) = SERVICES.iter().find(|(known, _)| *known == program) else { return false };
    let ends = words.iter().any(|word| verbs.split(' ').any(|verb| verb == word));
    let is_ours = |word: &String| {
        let name = word.rsplit(['/', '.']).find(|part| !matches!(*part, "service" | "plist" | "socket"));
        name == Some(OURS) || word.contains("throughline.")
    };
    ends && words.iter().skip(1).any(is_ours)
}

fn changes_agent(program: &str, words: &[String]) -> bool {
    let plain: Vec<&str> =
        words.iter().skip(1).map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let [first, verb, ..] = plain.as_slice() else { return false };
    let is_in = |list: &str, word: &str| list.split(' ').any(|known| known == word);
    AGENTS
        .iter()
        .any(|(known, firsts, verbs)| *known == program && is_in(firsts, first) && is_in(verbs, verb))
}

/// A text of another language that starts one of these.
fn runs_inside(look: &Look<'_>, at: usize, depth: usize) -> bool {
    let Some(texts) = foreign::texts(look.script, at) else { return false };
    let is_about = |text: &&String| [OURS, "hooksPath", "daemon.pid"].iter().any(|name| text.contains(name));
    texts.iter().filter(is_about).filter(|text| foreign::runs(text)).any(|text| {
        let inner = foreign::commands(text).into_iter().take(MAX_INNER);
        inner.filter(|line| line.contains(' ')).any(|line| {
            let script = shell::read(&line);
            let mut found = Vec::new();
            find_at(&Look::new(look.rules, look.place, &script), &mut found, depth + 1);
            !found.is_empty()
        })
    })
}

fn changes_hooks(words: &[String]) -> bool {
    if words.get(1).map(String::as_str) != Some("config") {
        return false;
    }
    let reads = |word: &String| {
        matches!(word.as_str(), "get" | "list" | "-l") || word.starts_with("--get") || word == "--list"
    };
    let Some(at) = words.iter().position(|word| {
        let key = word.to_ascii_lowercase();
        KEYS.contains(&key.as_str()) || key.starts_with("includeif.")
    }) else {
        return false;
    };
    let before = &words[2..at];
    let removes = before.iter().any(|word| word.starts_with("--unset") || word == "unset");
    !before.iter().any(reads) && (removes || words.len() > at + 1)
}
