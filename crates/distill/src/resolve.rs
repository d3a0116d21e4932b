//! Judgements on failures: whether a run shows that one is gone, whether an edit has to do with one, and whether one
//! is too small to be told. Pure questions; `work` asks them.

use crate::command::{Command, Purpose};
use crate::complaint::Complaint;
use crate::fault::Fault;
use crate::patch::{Area, Edit};
use crate::state::OpenFailure;
use crate::step::Run;
use crate::text::{file_name, has_word, identifiers, is_coined, stem};
use crate::verdict::{MAX_FAILING, Verdict};

/// Whether a run that went well shows that a failure is gone.
pub(crate) fn resolves(run: &Run, open: &OpenFailure, edited: bool) -> bool {
    let command = &run.command;
    if open.key == command.key() {
        return true;
    }
    if open.variant != command.variant {
        return false;
    }
    // A run of everything holds each part; a run of a part holds what it names.
    let holds = (command.targets.is_empty()
        || command.targets.iter().all(|target| has_word(&open.key, target)))
        && (command.folder.is_empty() || open.key.contains(&command.folder));
    // What compiles for one command of a tool compiles for the others. Runners of JavaScript do not look at types.
    let same_tool = tool(&open.family) == tool(&command.family);
    let compiles = match command.purpose {
        Purpose::Build => true,
        Purpose::Test | Purpose::Lint => tool(&command.family) != "node" && !command.family.ends_with("fmt"),
        _ => false,
    };
    if open.fault.compile && same_tool && compiles && (holds || edited) {
        return true;
    }
    let named = |name: &String| {
        command.targets.iter().any(|target| name.contains(target.as_str()) || target.contains(name.as_str()))
    };
    open.family == command.family && (holds || (!open.failing.is_empty() && open.failing.iter().all(named)))
}

/// Whether a run that failed shows that another failure is gone all the same.
pub(crate) fn comes_further(run: &Run, verdict: &Verdict, fault: &Fault, open: &OpenFailure) -> bool {
    let command = &run.command;
    let same_way = open.fault.signature() == fault.signature()
        || open.failing.iter().any(|name| verdict.failing.contains(name));
    if same_way {
        return false;
    }
    // It compiles now: a compile error of the same tool is overcome even where tests fail.
    let compiles = !fault.compile
        && open.fault.compile
        && tool(&open.family) == tool(&command.family)
        && open.variant == command.variant;
    // A panic ends the run and a list of names that is full was cut: who is not named may not have run at all.
    let complete = (verdict.passed > 0 || fault.code.as_deref() != Some("panic"))
        && !verdict.failing.is_empty()
        && verdict.failing.len() < MAX_FAILING;
    // Other tests fail now: the ones that failed before are mended.
    let mended = open.key == command.key() && !open.failing.is_empty() && complete;
    compiles || mended
}

/// The tool of a family: `cargo` of `cargo test`.
pub(crate) fn tool(family: &str) -> &str {
    let tool = family.split(' ').next().unwrap_or(family);
    match tool {
        "npm" | "pnpm" | "yarn" | "bun" | "tsc" | "vitest" | "jest" | "vite" | "next" | "vue-tsc" => "node",
        "gradlew" => "gradle",
        "mvnw" => "mvn",
        tool => tool,
    }
}

/// Whether an edit has to do with a failure: its file is named, or a name in it is.
pub(crate) fn concerns(edit: &Edit, failure: &OpenFailure) -> bool {
    let file = file_name(&edit.file);
    let named = failure.fault.file().is_some_and(|place| file_name(place) == file)
        || failure.failing.iter().any(|name| name.contains(file) || has_word(name, stem(&edit.file)))
        || has_word(&failure.fault.message, stem(&edit.file));
    named
        || edit.defines.iter().chain(&edit.inside).any(|name| {
            has_word(&failure.fault.message, name)
                || failure.failing.iter().any(|test| test.contains(name.as_str()))
        })
}

/// Whether what a command does can have made another one work: it brings what was missing, starts what did not answer,
/// migrates what had no table, changes what was named. That it was run in between is no reason.
pub(crate) fn helps(command: &Command, failure: &OpenFailure) -> bool {
    let said = failure.fault.short(400).to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let missing = [
        "not found",
        "no module",
        "cannot find",
        "can't find",
        "could not find",
        "missing",
        "not installed",
        "unresolved",
        "no such file",
        "does not exist",
        "enoent",
        "not recognized",
        "no package",
        "requires",
        "version",
        "eresolve",
        "integrity",
        "lockfile",
        "lock file",
    ];
    let missed =
        says(&missing) || said.contains("notfound") || said.contains("no ") && said.contains(" found");
    let barred =
        says(&["unauthorized", "authenticat", "denied", "credential", "401", "403", "forbidden", "login"]);
    if barred && ["login", "auth", "signin"].iter().any(|word| has_word(&command.shown, word)) {
        return true;
    }
    let names_target = command
        .targets
        .iter()
        .map(|target| file_name(target).split(['@', '=']).next().unwrap_or(target))
        .any(|target| {
            let file = failure.fault.file().is_some_and(|file| stem(file) == stem(target));
            target.len() > 2 && (has_word(&failure.fault.message, target) || file)
        })
        || identifiers(&failure.fault.message).any(|name| is_coined(name) && has_word(&command.shown, name));
    match command.purpose {
        Purpose::Package => names_target || missed || failure.family.ends_with("audit"),
        Purpose::Operate | Purpose::Serve => {
            let silent =
                ["refused", "connect", "unreachable", "not running", "timed out", "timeout", "unavailable"];
            names_target || says(&silent)
        }
        Purpose::Migrate => {
            says(&["table", "relation", "column", "schema", "migration", "does not exist", "no such"])
        }
        Purpose::Merge | Purpose::Push | Purpose::Commit => tool(&failure.family) == "git",
        Purpose::Build => names_target || says(&["not found", "no such file", "cannot find", "missing"]),
        Purpose::Other if command.family.starts_with("git ") => tool(&failure.family) == "git",
        _ => names_target,
    }
}

/// Complaints of a linter with the edit that settled each: the one on its line. An edit of the same run that answers
/// another complaint says nothing of this one.
pub(crate) fn settled<'a>(complaints: &[Complaint], edits: impl Iterator<Item = &'a Edit>) -> Vec<String> {
    /// An edit beside the line may be about it; further away it is about something else.
    const NEAR: u32 = 2;
    /// A larger edit does more than to settle a complaint; one line of it does not say how.
    const MAX_LINES: u32 = 8;
    let edits: Vec<&Edit> = edits.collect();
    let mut found = Vec::new();
    for complaint in complaints {
        // What earlier edits brought above the line moved it.
        let mut line = i64::from(complaint.line);
        for edit in edits
            .iter()
            .filter(|edit| edit.file.ends_with(&complaint.file) || complaint.file.ends_with(&edit.file))
        {
            let near = |(first, last): &(u32, u32)| {
                line >= i64::from(first.saturating_sub(NEAR)) && line <= i64::from(last + NEAR)
            };
            if edit.spans.iter().any(near) {
                if edit.added + edit.removed <= MAX_LINES
                    && let Some(after) = &edit.after
                {
                    found.push(format!(
                        "{} ({}) settled by `{after}`",
                        complaint.said,
                        file_name(&edit.file)
                    ));
                }
                break;
            }
            if edit.spans.iter().all(|(_, last)| i64::from(*last) < line) {
                line += i64::from(edit.added) - i64::from(edit.removed);
            }
        }
    }
    found.dedup();
    found.truncate(3);
    found
}

/// Set right in passing: a name not imported yet, formatting, a lint.
pub(crate) fn is_small(failure: &OpenFailure) -> bool {
    const IN_PASSING: &[&str] =
        &["E0432", "E0433", "E0425", "E0412", "TS2304", "TS2307", "TS6133", "F401", "F841", "E501", "I001"];
    let code = failure.fault.code.as_deref().unwrap_or("");
    let lint = Command::read(&failure.shown).purpose == Purpose::Lint && !failure.fault.compile;
    failure.attempts == 1 && (IN_PASSING.contains(&code) || lint)
}

/// An edit that brings in names and does nothing else.
pub(crate) fn only_imports(edit: &Edit) -> bool {
    const IMPORTS: &[&str] = &["use ", "import ", "from ", "#include", "require", "const {"];
    let imports = |line: &Option<String>| {
        line.as_ref().is_none_or(|line| IMPORTS.iter().any(|start| line.starts_with(start)))
    };
    edit.added + edit.removed <= 4 && !edit.created && imports(&edit.before) && imports(&edit.after)
}

/// An edit that changes what is expected and not what is done.
pub(crate) fn only_tests(edit: &Edit, failure: &OpenFailure) -> bool {
    edit.area() == Area::Test
        || (!failure.failing.is_empty()
            && edit
                .inside
                .iter()
                .chain(&edit.drops)
                .any(|name| failure.failing.iter().any(|test| names_test(test, name))))
}

pub(crate) fn names_test(failing: &str, defined: &str) -> bool {
    let sentence = defined.strip_prefix("test \"").map(|rest| rest.trim_end_matches('"'));
    failing.ends_with(sentence.unwrap_or(defined)) || failing.rsplit("::").next() == Some(defined)
}

/// A check that failed and said nothing.
pub(crate) fn silent(run: &Run) -> Fault {
    let message = match run.exit {
        Some(code) => format!("exit code {code}"),
        None => run.verdict.as_ref().map_or_else(|| "failed".to_owned(), crate::verdict::Verdict::words),
    };
    Fault { message, ..Fault::default() }
}
