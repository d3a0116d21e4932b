//! Keeps agents to the folders a person has given them. Decides, and does nothing else: it knows files by their names
//! alone, works without a daemon, and never says that something is allowed.

mod named;

use std::path::{Path, PathBuf};

use guard::scope::{self, From, Judgment};
use model::{Detail, Event, EventKind, ToolCall, Verdict};

use crate::behavior::{Behavior, Deciding};
use crate::page::one_line;
use named::{Named, named};

const PATH_CHARS: usize = 300;

#[derive(Debug)]
pub(crate) struct GuardScope;

impl Behavior for GuardScope {
    fn name(&self) -> &'static str {
        "guard-scope"
    }

    fn manual(&self) -> &'static str {
        "Denies writes where `.throughline/scope.json` does not let agents write: the project's, searched upward to the git \
         root, and your own in the data folder. `{\"allow\": [\"src/**\"], \"deny\": [\"*.pem\"]}`: what `deny` names is \
         denied; where `allow` is given, so is everything it does not name. Real paths are matched, behind links and `..`. \
         Holds for the file tools and for what a shell command writes as far as its text shows. A file that cannot be \
         understood makes every write a question to you; with `strict`, a refusal. The scope of the folder a session began \
         in holds until it ends. With a scope file or without one, what guards rest on is a question: the data folder, \
         `.throughline`, agents' hook settings, and reading our token. `throughline scope init` begins one, `scope check PATH` asks it. It works without a daemon, and no \
         repository can switch it off."
    }

    fn modes(&self) -> &'static [&'static str] {
        &["on", "strict", "off"]
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse]
    }

    fn is_guard(&self) -> bool {
        true
    }

    fn decide(&self, by: &Deciding<'_>, event: &Event) -> Option<Verdict> {
        let Detail::Tool(call) = &event.detail else { return None };
        if let Some(reason) = confirmed(call) {
            return Some(Verdict::Ask { reason });
        }
        let cwd = event.cwd.as_deref().map(Path::new);
        let project =
            event.context.get("CLAUDE_PROJECT_DIR").map(Path::new).filter(|path| path.is_absolute());
        let agent = event.transcript.as_deref().and_then(agent_folder);
        let from = From {
            cwd,
            project,
            began: by.began,
            agent: agent.as_deref(),
            data: by.data,
            home: by.home,
            strict: by.config.mode(self.name()) == "strict",
            ..From::default()
        };
        let named = named(call);
        // A call that names several files may write any of them.
        let judged = named.iter().filter_map(|named| match named {
            Named::Written(path) => Some((scope::judge(&from, path), Some(path.as_path()))),
            Named::Read(path) => Some((scope::judge_read(&from, path)?, Some(path.as_path()))),
            Named::Command(command) => Some((scope::judge_command(&from, command)?, None)),
        });
        let judged: Vec<_> = judged.collect();
        let (judgment, named) = judged.into_iter().rev().max_by_key(|(judgment, _)| judgment.verdict)?;
        let reason = reason(&judgment, named);
        match judgment.verdict {
            scope::Verdict::Allow => None,
            scope::Verdict::Ask => Some(Verdict::Ask { reason }),
            scope::Verdict::Deny => Some(Verdict::Deny { reason }),
        }
    }
}

/// Where an agent keeps its own settings, by where it keeps its conversations.
fn agent_folder(transcript: &str) -> Option<PathBuf> {
    const ROOMS: &[&str] =
        &["projects", "sessions", "chats", "tmp", "session-state", "history-session-state"];
    let path = Path::new(transcript);
    let room = path
        .ancestors()
        .skip(1)
        .find(|folder| folder.file_name().is_some_and(|name| ROOMS.iter().any(|room| name == *room)))?;
    room.parent().filter(|folder| folder.is_absolute() && folder.components().count() > 2).map(Path::to_owned)
}

/// A tool of ours that would decide in the person's place: proposing is the agent's, confirming is not.
fn confirmed(call: &ToolCall) -> Option<String> {
    let tool = named::our_tool(&call.name)?;
    let is =
        |field: &str, value: &str| call.input.get(field).and_then(serde_json::Value::as_str) == Some(value);
    let says_so = |field: &str| {
        call.input
            .get(field)
            .is_some_and(|value| value != &serde_json::Value::Bool(false) && !value.is_null())
    };
    let what = match tool {
        "mem_forget" if says_so("confirm") => "forgets memories for good",
        "checkpoint" if is("action", "restore") && says_so("confirm") => {
            "overwrites files with those of a checkpoint"
        }
        _ => return None,
    };
    Some(format!("This {what}, and that is for the user to decide: please say whether it is meant."))
}

/// The rule, the file it stands in, and what would be allowed. `named`: the path of a file tool; a command names many.
fn reason(judgment: &Judgment, named: Option<&Path>) -> String {
    let shown = |path: &Path| one_line(&path.to_string_lossy(), PATH_CHARS);
    let what = match (named.is_none(), judgment.is_read) {
        (true, false) => "This command would change",
        (false, false) => "This would change",
        (true, true) => "This command would read",
        (false, true) => "This would read",
    };
    let mut text = format!("{what} {}", shown(&judgment.real_path));
    if let Some(named) = named.filter(|named| judgment.real_path != **named) {
        text.push_str(&format!(" (where {} leads)", shown(named)));
    }
    text.push_str(&format!(": {}", one_line(&judgment.why, PATH_CHARS * 2)));
    if let Some(file) =
        judgment.file.as_deref().filter(|file| !judgment.why.contains(&*file.to_string_lossy()))
    {
        let line = judgment.line.map(|line| format!(", line {line}")).unwrap_or_default();
        text.push_str(&format!(" ({}{line})", shown(file)));
    }
    text.push('.');
    if !judgment.allowed.is_empty() {
        text.push_str(&format!(" Allowed there: {}.", one_line(&judgment.allowed.join(", "), PATH_CHARS)));
    }
    if let Some(file) = judgment.file.as_deref().filter(|_| judgment.is_broken) {
        text.push_str(&format!(
            " The user repairs {}; `throughline scope explain` shows its place.",
            shown(file)
        ));
    } else if judgment.verdict == scope::Verdict::Deny {
        text.push_str(" Write where it is allowed, or tell the user what has to be changed there and why.");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use model::{Outcome, ToolCall};
    use serde_json::{Value, json};

    use super::*;
    use crate::behaviors::tests::event;
    use crate::config::Config;

    /// What is decided about a call in a project with this scope.
    fn decided(scope: &str, config: &Config, name: &str, input: Value) -> (&'static str, String) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in [".git", ".throughline", "secret"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        fs::write(top.join(".throughline/scope.json"), scope).unwrap();
        let call = ToolCall { name: name.into(), use_id: None, input, outcome: Outcome::Pending };
        let cwd = Some(top.to_string_lossy().into_owned());
        let event = Event { cwd, ..event(EventKind::PreToolUse, Detail::Tool(call)) };
        match GuardScope.decide(&Deciding { config, data: None, home: None, began: None }, &event) {
            None | Some(Verdict::Allow { .. }) => ("-", String::new()),
            Some(Verdict::Ask { reason }) => ("ask", reason),
            Some(Verdict::Deny { reason }) => ("deny", reason),
        }
    }

    #[test]
    fn every_tool_that_writes_is_judged_by_each_file_it_names() {
        let scope = r#"{"deny": ["secret/**"]}"#;
        for (expected, name, input) in [
            ("deny", "Write", json!({"file_path": "secret/a"})),
            ("-", "Write", json!({"file_path": "ok/a"})),
            ("deny", "NotebookEdit", json!({"notebook_path": "secret/a.ipynb"})),
            ("deny", "NotebookEdit", json!({"file_path": "ok", "notebook_path": "secret/a.ipynb"})),
            ("deny", "NotebookEdit", json!({"file_path": "secret/a", "notebook_path": "ok.ipynb"})),
            ("-", "NotebookEdit", json!({"file_path": "ok", "notebook_path": "ok.ipynb"})),
            ("deny", "Bash", json!({"command": "rm -rf secre?; touch [s]ecret/a"})),
            ("-", "Bash", json!({"command": "cat secret/a > ok"})),
            ("-", "Read", json!({"file_path": "secret/a"})),
        ] {
            let said = decided(scope, &Config::default(), name, input.clone()).0;
            assert_eq!(said, expected, "{name} {input}");
        }
    }

    #[test]
    fn a_broken_file_is_said_with_the_way_out() {
        let broken = r#"{"deny": ["src/[a"]}"#;
        let input = json!({"file_path": "ok/a"});
        let (said, reason) = decided(broken, &Config::default(), "Write", input.clone());
        assert_eq!(said, "ask");
        assert!(reason.contains("scope explain") && reason.contains("repairs"), "{reason}");
        assert!(!reason.contains("Write where it is allowed"), "{reason}");
    }
}
