//! Keeps agents to the folders a person has given them. Decides, and does nothing else: it knows files by their names
//! alone, works without a daemon, and never says that something is allowed.

use std::path::Path;

use guard::scope::{self, From, Judgment};
use model::{Detail, Event, EventKind, Verdict};

use crate::behavior::{Behavior, Deciding};
use crate::page::one_line;

/// The tools that change one file, and where they name it.
const EDITORS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];
const FIELDS: &[&str] = &["file_path", "notebook_path"];
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
         understood makes every write a question to you; with `strict`, a refusal. Without a scope file nothing is \
         denied. `throughline scope init` begins one, `scope check PATH` asks it. It works without a daemon, and no \
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
        let cwd = event.cwd.as_deref().map(Path::new);
        let project =
            event.context.get("CLAUDE_PROJECT_DIR").map(Path::new).filter(|path| path.is_absolute());
        let from = From {
            cwd,
            at: None,
            project,
            data: by.data,
            home: by.home,
            strict: by.config.mode(self.name()) == "strict",
        };
        let text = |field: &str| call.input.get(field).and_then(serde_json::Value::as_str);
        let (judgment, named) = if EDITORS.contains(&call.name.as_str()) {
            // A call that names two files may write either.
            let named = FIELDS.iter().filter_map(|field| text(field)).map(Path::new);
            let judged = named.map(|path| (scope::judge(&from, path), Some(path)));
            judged.rev().max_by_key(|(judgment, _)| judgment.verdict)?
        } else {
            let command = text("command").filter(|_| call.name == "Bash")?;
            (scope::judge_command(&from, command)?, None)
        };
        let reason = reason(&judgment, named);
        match judgment.verdict {
            scope::Verdict::Allow => None,
            scope::Verdict::Ask => Some(Verdict::Ask { reason }),
            scope::Verdict::Deny => Some(Verdict::Deny { reason }),
        }
    }
}

/// The rule, the file it stands in, and what would be allowed. `named`: the path of a file tool; a command names many.
fn reason(judgment: &Judgment, named: Option<&Path>) -> String {
    let shown = |path: &Path| one_line(&path.to_string_lossy(), PATH_CHARS);
    let what = if named.is_none() { "This command would change" } else { "This would change" };
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
        match GuardScope.decide(&Deciding { config, data: None, home: None }, &event) {
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
