//! Notes that come late, with events made by hand.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::Once;
use model::{Advice, Context, EventId, Outcome, Subagent, ToolCall};
use serde_json::json;

use super::*;

fn event(session: &str, kind: EventKind, detail: Detail) -> Event {
    Event {
        id: EventId::mint(1, [0; 10]),
        at: 1,
        agent: "claude-code",
        session: SessionId::new(session),
        kind,
        name: kind.name().into(),
        cwd: None,
        transcript: None,
        prompt_id: None,
        permission_mode: None,
        subagent: None,
        context: Context::new(),
        detail,
    }
}

fn edit(session: &str) -> Event {
    let call = ToolCall {
        name: "Edit".into(),
        use_id: None,
        input: json!({ "file_path": "/w/a.py\nb" }),
        outcome: Outcome::Pending,
    };
    event(session, EventKind::PostToolUse, Detail::Tool(call))
}

fn prompt(session: &str) -> Event {
    let detail = Detail::Prompt { text: "go on".into(), author: Author::Person };
    event(session, EventKind::UserPromptSubmit, detail)
}

/// A note that counts when it is taken back.
fn part(taken_back: &Arc<AtomicUsize>) -> Part {
    let counter = Arc::clone(taken_back);
    Part {
        advice: Advice::say("check-imports", "there is no module os2".into()),
        once: Once::new(move || {
            counter.fetch_add(1, Ordering::SeqCst);
        }),
    }
}

fn texts(parts: Vec<Part>) -> Vec<String> {
    let texts = parts.iter().flat_map(|part| &part.advice.notes).map(|note| note.text.clone()).collect();
    for part in parts {
        part.once.heard();
    }
    texts
}

#[test]
fn a_late_note_is_heard_once_at_the_next_event_of_its_conversation_and_says_what_it_is_about() {
    let (late, back) = (LateNotes::default(), Arc::default());
    late.keep(&edit("s"), Truth::Turn, part(&back));
    assert!(late.take(&edit("another")).is_empty());
    let subagents = Event { subagent: Some(Subagent { id: "a".into(), kind: "k".into() }), ..edit("s") };
    assert!(late.take(&subagents).is_empty());
    let said = texts(late.take(&edit("s")));
    assert_eq!(said, ["Of a moment ago (PostToolUse, Edit of /w/a.py b):\nthere is no module os2"]);
    assert!(late.take(&edit("s")).is_empty());
    assert_eq!(back.load(Ordering::SeqCst), 0);
}

#[test]
fn what_is_not_true_any_more_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.py");
    let (late, back) = (LateNotes::default(), Arc::default());
    let while_unchanged = || {
        fs::write(&path, "import os2\n").unwrap();
        Truth::of(Late::Unchanged(path.clone()))
    };
    late.keep(&edit("s"), while_unchanged(), part(&back));
    late.hear(&prompt("s"));
    assert_eq!(texts(late.take(&prompt("s"))).len(), 1, "the file is what it was");
    late.keep(&edit("s"), while_unchanged(), part(&back));
    // As long as before, and in the same moment.
    fs::write(&path, "import os3\n").unwrap();
    assert!(late.take(&edit("s")).is_empty());
    late.keep(&edit("s"), while_unchanged(), part(&back));
    fs::remove_file(&path).unwrap();
    assert!(late.take(&edit("s")).is_empty());
    late.keep(&edit("s"), Truth::of(Late::Unchanged(path.clone())), part(&back));
    assert!(late.take(&edit("s")).is_empty(), "there was no file");
    assert_eq!(back.load(Ordering::SeqCst), 3);

    late.keep(&prompt("s"), Truth::Turn, part(&back));
    late.keep(&prompt("s"), Truth::Conversation, part(&back));
    late.hear(&prompt("another"));
    late.hear(&prompt("s"));
    assert_eq!(texts(late.take(&prompt("s"))).len(), 1, "another turn has begun, in the same conversation");
    late.keep(&prompt("s"), Truth::Conversation, part(&back));
    late.hear(&event("s", EventKind::SessionEnd, Detail::Plain));
    let compact = Detail::Start { source: StartSource::Compact, model: None };
    late.keep(&prompt("s"), Truth::Conversation, part(&back));
    late.hear(&event("s", EventKind::SessionStart, compact));
    assert!(late.take(&prompt("s")).is_empty());
    assert_eq!(back.load(Ordering::SeqCst), 6);
}

#[test]
fn only_notes_are_late_and_so_many() {
    let (late, back) = (LateNotes::default(), Arc::default());
    let held = Part { advice: Advice { hold: Some("wait".into()), ..part(&back).advice }, ..Part::default() };
    late.keep(&edit("s"), Truth::Turn, held);
    late.keep(&edit("s"), Truth::Turn, Advice::tell("for the person".into()).into());
    late.keep(&edit("s"), Truth::Never, part(&back));
    assert!(late.take(&edit("s")).is_empty());
    for _ in 0..MAX_OF_ONE * 2 {
        late.keep(&edit("s"), Truth::Turn, part(&back));
    }
    assert_eq!(texts(late.take(&edit("s"))).len(), MAX_OF_ONE);
    for n in 0..MAX_WAITING * 2 {
        late.keep(&edit(&n.to_string()), Truth::Turn, part(&back));
    }
    assert_eq!(late.waiting().len(), MAX_WAITING);
}
