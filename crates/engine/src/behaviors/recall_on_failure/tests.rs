//! What got past a failure is said beside the next one of its kind, and nothing else is.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use model::{Author, SessionId};
use serde_json::{Value, json};
use store::Tables;

use super::*;
use crate::behaviors::tests::{Around, context_in, event, learn_in};

/// A workspace with files, tables, and conversations that happened in it.
struct TestProject {
    folder: tempfile::TempDir,
    tables: Tables,
    around: Arc<Around>,
}

impl TestProject {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("derived.db");
        let tables = Tables::open(&database).unwrap();
        fs::create_dir(folder.path().join("w")).unwrap();
        Self { tables, around: Arc::new(Around::new(&database)), folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("w")
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn happened(&self, session: &str, kind: EventKind, detail: Detail) -> Event {
        let mut event = Event { session: SessionId::new(session), ..event(kind, detail) };
        event.cwd = Some(self.root().to_str().unwrap().to_owned());
        event.context.insert("project-key".to_owned(), "p1".to_owned());
        event.context.insert("root".to_owned(), self.root().to_str().unwrap().to_owned());
        event
    }

    fn call(&self, session: &str, name: &str, input: Value, outcome: Outcome) -> Event {
        let kind = match outcome {
            Outcome::Failed { .. } => EventKind::PostToolUseFailure,
            _ => EventKind::PostToolUse,
        };
        let call = ToolCall { name: name.to_owned(), use_id: None, input, outcome };
        self.happened(session, kind, Detail::Tool(call))
    }

    fn run(&self, session: &str, command: &str, output: &str, fails: bool) -> Event {
        let outcome = if fails {
            failed(&format!("Exit code 1\n{output}"))
        } else {
            passed(json!({ "stdout": output }))
        };
        self.call(session, "Bash", json!({ "command": command }), outcome)
    }

    fn edit(&self, session: &str, file: &str, old: &str, new: &str) -> Event {
        let path = self.root().join(file);
        let input = json!({ "file_path": path, "old_string": old, "new_string": new });
        self.call(session, "Edit", input, passed(json!({ "filePath": path })))
    }

    fn learn(&mut self, events: &[Event]) {
        for event in events {
            learn_in(&mut self.tables, &RecallOnFailure, event);
        }
    }

    fn say(&self, event: &Event) -> Option<String> {
        let mut cx = context_in(Arc::clone(&self.around) as Arc<dyn crate::Surroundings>);
        cx.workspace.as_mut().unwrap().root = self.root().to_str().unwrap().to_owned();
        let advice = RecallOnFailure.advise(&cx, event).unwrap();
        advice.notes.into_iter().next().map(|note| note.text)
    }
}

fn failed(error: &str) -> Outcome {
    Outcome::Failed { error: error.to_owned(), interrupted: false, duration_ms: None }
}

fn passed(response: Value) -> Outcome {
    Outcome::Succeeded { response, duration_ms: None }
}

const UNDEFINED: &str = "cmd/post.go:41:9: undefined: parseAmount";

#[test]
fn the_same_error_is_answered_with_what_got_past_it_once() {
    let mut project = TestProject::new();
    let fix = [
        project.run("first", "go build ./...", UNDEFINED, true),
        project.edit("first", "cmd/post.go", "parseAmount(text)", "money.ParseAmount(text)"),
        project.run("first", "go build ./...", "", false),
    ];
    assert_eq!(project.say(&fix[0]), None, "nothing is known yet");
    project.learn(&fix);
    let again = project.run("second", "go build ./... 2>&1", &UNDEFINED.replace("41:9", "77:2"), true);
    let words = project.say(&again).unwrap();
    assert!(words.contains("post.go") && words.contains("money.ParseAmount"), "{words}");
    assert!(words.contains("session first"), "{words}");
    assert!(model::estimate_tokens(&words) <= 80, "{words}");
    assert_eq!(project.say(&again), None, "it has been said in this conversation");
    let other = project.run("third", "go build ./...", "cmd/post.go:9:1: missing return", true);
    assert_eq!(project.say(&other), None, "another error");
}

#[test]
fn another_project_does_not_answer() {
    let mut project = TestProject::new();
    let mut fix = [
        project.run("first", "gh issue list --open", "unknown flag: --open", true),
        project.run("first", "gh issue list --state open", "3 open", false),
    ];
    for event in &mut fix {
        event.context.insert("project-key".to_owned(), "elsewhere".to_owned());
    }
    project.learn(&fix);
    assert_eq!(
        project.say(&project.run("second", "gh issue list --open", "unknown flag: --open", true)),
        None
    );
}

#[test]
fn a_command_that_was_called_wrongly_is_answered_with_the_form_that_works() {
    let mut project = TestProject::new();
    project.learn(&[
        project.run("first", "gh issue list --open", "unknown flag: --open", true),
        project.run("first", "gh issue list --state open", "3 open", false),
    ]);
    let words =
        project.say(&project.run("second", "gh issue list --open", "unknown flag: --open", true)).unwrap();
    assert!(words.contains("`gh issue list --state open`"), "{words}");
}

#[test]
fn a_broken_rule_is_answered_with_how_it_was_settled_elsewhere() {
    let mut project = TestProject::new();
    let lint = |file: &str| format!("{file}:10:3: error is not nil but it returns nil (nilerr)");
    for (session, file) in [("first", "a.go"), ("second", "b.go")] {
        project.learn(&[
            project.run(session, "golangci-lint run", &lint(file), true),
            project.edit(session, file, "return nil", "return nil //nolint:nilerr // best effort"),
            project.run(session, "golangci-lint run", "", false),
        ]);
    }
    let words = project.say(&project.run("third", "golangci-lint run", &lint("c.go"), true)).unwrap();
    assert!(
        words.contains("`nilerr` came up here 2 times before") && words.contains("best effort"),
        "{words}"
    );
}

#[test]
fn a_path_that_is_not_there_is_answered_with_the_one_that_is() {
    let project = TestProject::new();
    project.file("src/deep/ledger.rs", "fn main() {}");
    let wrong = project.root().join("src/ledger.rs");
    let read = |path: &std::path::Path| {
        project.call("one", "Read", json!({ "file_path": path }), failed("File does not exist."))
    };
    let words = project.say(&read(&wrong)).unwrap();
    assert!(words.contains("`src/deep/ledger.rs`"), "{words}");
    project.file("other/ledger.rs", "");
    project.file("third/ledger.rs", "");
    assert_eq!(
        project.say(&read(&project.root().join("ledger.rs"))),
        None,
        "which of them was meant is not known"
    );
    assert_eq!(project.say(&read(&project.root().join("nothing_like_it.py"))), None);
    let named = project.call(
        "two",
        "Read",
        json!({ "file_path": wrong }),
        failed("File does not exist. Did you mean src/deep/ledger.rs?"),
    );
    assert_eq!(project.say(&named), None, "the client has named it");
}

#[test]
fn an_edit_whose_text_is_not_there_is_answered_with_the_lines_as_they_are() {
    let project = TestProject::new();
    let path = project.file("a.rs", "fn a() {\n    let amount = parse(text)?;\n    post(amount, today)\n}\n");
    let batch = |old: &str, error: &str| {
        let input = json!({ "file_path": path, "old_string": old, "new_string": "x" });
        let call = ToolCall { name: "Edit".into(), use_id: None, input, outcome: failed(error) };
        project.happened("one", EventKind::PostToolBatch, Detail::Batch { failed: vec![call] })
    };
    let old = "    let amount = parse(text)?;\n    post(amount)\n}";
    let words = project.say(&batch(old, "String to replace not found in file.")).unwrap();
    assert!(words.contains("    post(amount, today)") && !words.contains("parse(text)"), "{words}");
    assert_eq!(project.say(&batch("nothing of the kind", "String to replace not found in file.")), None);
    let path = project.file("b.rs", "fn first() {\n    done();\n}\nfn second() {\n    done();\n}\n");
    let input = json!({ "file_path": path, "old_string": "    done();", "new_string": "x" });
    let outcome = failed("Found 2 matches of the string to replace, but replace_all is false.");
    let call = ToolCall { name: "Edit".into(), use_id: None, input, outcome };
    let twice = project.happened("one", EventKind::PostToolBatch, Detail::Batch { failed: vec![call] });
    let words = project.say(&twice).unwrap();
    for place in ["line 2: below line 1: fn first() {", "line 5: below line 4: fn second() {"] {
        assert!(words.contains(place), "{words}");
    }
}

#[test]
fn a_session_that_is_forgotten_answers_nothing() {
    let mut project = TestProject::new();
    project.learn(&[
        project.happened(
            "first",
            EventKind::UserPromptSubmit,
            Detail::Prompt { text: "go".into(), author: Author::Person },
        ),
        project.run("first", "gh issue list --open", "unknown flag: --open", true),
        project.run("first", "gh issue list --state open", "3 open", false),
    ]);
    project.tables.write(|batch| batch.drop_session(&SessionId::new("first"))).unwrap();
    assert_eq!(
        project.say(&project.run("second", "gh issue list --open", "unknown flag: --open", true)),
        None
    );
}
