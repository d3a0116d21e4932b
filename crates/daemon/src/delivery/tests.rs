//! Whatever parts there are, whichever agent hears them: what counts as said is in the reply, and what is not is free.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use agents::Incoming;
use checks::{Finding, Kind, Ledger, Lines, Scope};
use engine::{Desk, Once};
use model::{Context, EventId, EventKind, Note};
use proptest::prelude::*;

use super::*;

const KINDS: &[EventKind] = &[
    EventKind::SessionStart,
    EventKind::UserPromptSubmit,
    EventKind::PreToolUse,
    EventKind::PostToolUse,
    EventKind::PostToolUseFailure,
    EventKind::Stop,
    EventKind::SubagentStop,
    EventKind::PreCompact,
    EventKind::SessionEnd,
];

fn event(adapter: &dyn Adapter, kind: EventKind) -> Event {
    let context = Context::new();
    let json = format!(
        r#"{{"hook_event_name":"{}","session_id":"s","tool_name":"Bash","tool_input":{{}},"prompt":"p"}}"#,
        kind.name()
    );
    adapter.read(&Incoming {
        id: EventId::from_bytes([7; 16]),
        at: 1,
        hint: Some(kind.name()),
        context: &context,
        json: json.as_bytes(),
    })
}

fn redactor() -> Redactor {
    Redactor::new(redact::Settings::default()).unwrap()
}

/// What one behavior says, in words that nobody else uses.
#[derive(Debug, Clone)]
struct Spoken {
    notes: Vec<usize>,
    tells: usize,
    hold: Option<usize>,
    verdict: Option<u8>,
    instructions: bool,
    marks: bool,
}

fn spoken() -> impl Strategy<Value = Spoken> {
    let length = prop_oneof![4 => 1_usize..40, 2 => 40_usize..400, 1 => 400_usize..1300];
    (
        prop::collection::vec(length.clone(), 0..3),
        0_usize..3,
        prop::option::of(length),
        prop::option::of(0_u8..3),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.8),
    )
        .prop_map(|(notes, tells, hold, verdict, instructions, marks)| Spoken {
            notes,
            tells,
            hold,
            verdict,
            instructions,
            marks,
        })
}

/// Lines that no other text has.
fn words(of: &str, lines: usize) -> String {
    (0..lines).map(|line| format!("{of} line {line} <&\"\\")).collect::<Vec<_>>().join("\n")
}

fn advice(at: usize, spoken: &Spoken) -> Advice {
    let reason = words(&format!("verdict {at}"), 1);
    Advice {
        notes: (spoken.notes.iter().enumerate())
            .map(|(n, lines)| Note {
                from: "check-imports",
                text: words(&format!("note {at}.{n}"), *lines),
                items: Vec::new(),
            })
            .collect(),
        tells: (0..spoken.tells).map(|n| words(&format!("tell {at}.{n}"), 1)).collect(),
        hold: spoken.hold.map(|lines| words(&format!("hold {at}"), lines)),
        verdict: spoken.verdict.map(|strength| match strength {
            0 => Verdict::Allow { reason },
            1 => Verdict::Ask { reason },
            _ => Verdict::Deny { reason },
        }),
        instructions: spoken.instructions.then(|| words(&format!("instructions {at}"), 2)),
        by: None,
        marks: if spoken.marks { vec![format!("mark {at}")] } else { Vec::new() },
    }
}

/// The words that the marks of an advice stand for.
fn meant(advice: &Advice) -> Vec<String> {
    if let Some(hold) = &advice.hold {
        vec![hold.clone()]
    } else if !advice.notes.is_empty() {
        advice.notes.iter().map(|note| note.text.clone()).collect()
    } else if !advice.tells.is_empty() {
        advice.tells.clone()
    } else if let Some(instructions) = &advice.instructions {
        vec![instructions.clone()]
    } else {
        match &advice.verdict {
            Some(Verdict::Allow { reason } | Verdict::Ask { reason } | Verdict::Deny { reason }) => {
                vec![reason.clone()]
            }
            None => Vec::new(),
        }
    }
}

/// Every text of the reply, read once more and in another way: as whatever prints it would.
fn reply_text(reply: &Reply) -> String {
    match serde_json::from_slice::<Value>(&reply.stdout) {
        Ok(value) => {
            let mut all = String::new();
            let mut left = vec![&value];
            while let Some(value) = left.pop() {
                match value {
                    Value::String(text) => all.push_str(&format!("{text}\u{0}")),
                    Value::Array(values) => left.extend(values),
                    Value::Object(fields) => left.extend(fields.values()),
                    _ => {}
                }
            }
            all
        }
        Err(_) => String::from_utf8(reply.stdout.clone()).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_counts_as_said_is_in_the_reply_and_what_is_not_is_free(
        agent in 0..agents::ALL.len(),
        kind in prop::sample::select(KINDS),
        all in prop::collection::vec(spoken(), 1..9),
    ) {
        let adapter = agents::ALL[agent];
        let event = event(adapter, kind);
        let taken_back: Arc<Mutex<HashSet<usize>>> = Arc::default();
        let mut told = Desk::default();
        for at in 0..all.len() {
            told.tell(format!("before {at}"), 0);
        }
        let desk = Arc::new(Mutex::new(told));
        let parts: Vec<Part> = all
            .iter()
            .enumerate()
            .map(|(at, spoken)| {
                let said = desk.lock().unwrap().watched(&mut |desk| {
                    desk.tell(format!("line {at}"), 1);
                });
                let (taken_back, desk) = (Arc::clone(&taken_back), Arc::clone(&desk));
                let once = Once::new(move || {
                    taken_back.lock().unwrap().insert(at);
                    desk.lock().unwrap().take_back(&said);
                });
                Part { advice: advice(at, spoken), once: if spoken.marks { once } else { forget(once) } }
            })
            .collect();
        let Delivered { reply, advice: heard, holds } = deliver(adapter, &event, parts, &redactor(), 7);
        let text = reply_text(&reply);
        let taken_back = taken_back.lock().unwrap();
        for (at, spoken) in all.iter().enumerate().filter(|(_, spoken)| spoken.marks) {
            let advice = advice(at, spoken);
            let is_marked = heard.marks.contains(&format!("mark {at}"));
            let is_there = meant(&advice).iter().all(|words| text.contains(words.as_str()));
            prop_assert_eq!(is_marked, is_there, "part {} of {:?} at {}", at, all, kind.name());
            prop_assert_eq!(is_marked, !taken_back.contains(&at));
            prop_assert_eq!(is_marked, desk.lock().unwrap().told(&format!("line {at}")).is_some());
        }
        // What is written down as said was sent, at least its beginning.
        for (_, hold) in &holds {
            prop_assert!(text.contains(hold.lines().next().unwrap()));
        }
        for note in &heard.notes {
            prop_assert!(text.contains(note.text.lines().next().unwrap()), "{}", note.text);
        }
        // No room is no reason to forget a decision.
        let strongest = all.iter().filter_map(|spoken| spoken.verdict).max();
        let kept = heard.verdict.as_ref().map(Verdict::strength);
        prop_assert_eq!(kept, strongest);
    }
}

/// It noted nothing.
fn forget(once: Once) -> Once {
    once.heard();
    Once::default()
}

fn held(by: &'static str, text: &str) -> Advice {
    Advice { hold: Some(text.into()), by: Some(by), marks: vec![by.into()], ..Advice::default() }
}

#[test]
fn of_two_that_hold_one_turn_both_are_delivered_and_noted() {
    let adapter = agents::ALL[0];
    let parts = vec![held("collect-subagent", "a juror is out").into(), held("check-code", "1 error").into()];
    let event = event(adapter, EventKind::Stop);
    let Delivered { reply, advice, holds } = deliver(adapter, &event, parts, &redactor(), 7);
    let said: Value = serde_json::from_slice(&reply.stdout).unwrap();
    assert_eq!(said["reason"], "a juror is out\n\n1 error");
    assert_eq!(advice.marks, ["collect-subagent", "check-code"]);
    assert_eq!(
        holds.iter().filter_map(|(by, _)| *by).collect::<Vec<_>>(),
        ["collect-subagent", "check-code"]
    );
}

#[test]
fn a_reason_to_hold_that_has_no_room_holds_the_next_turn() {
    let adapter = agents::ALL[0];
    let event = event(adapter, EventKind::Stop);
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let read = |_: &str| Some(Lines::of("new\n"));
    let wrong = Finding {
        tool: "tsc",
        file: "a.ts".into(),
        line: 1,
        column: 1,
        code: String::new(),
        message: "wrong".into(),
        fix: None,
        kind: Kind::Plain,
    };
    ledger.lock().unwrap().touch("a.ts", None, Some(Lines::of("old\n")));
    ledger.lock().unwrap().note_now("tsc", Scope::Project, &[], std::slice::from_ref(&wrong), &read);
    let stop = |others: &str| {
        let stopping = ledger.lock().unwrap().stop(None, false, &|_| true, &|_| false);
        let mut parts = vec![Part::from(held("collect-subagent", others))];
        if stopping.hold {
            let noted = ledger.lock().unwrap().note_held(&stopping.findings).unwrap();
            let ledger = Arc::clone(&ledger);
            let once = Once::new(move || ledger.lock().unwrap().take_back(noted));
            parts.push(Part { advice: held("check-code", "a.ts:1:1 wrong"), once });
        }
        reply_text(&deliver(adapter, &event, parts, &redactor(), 7).reply)
    };
    // Ten thousand characters are all that the client takes.
    assert!(!stop(&"x".repeat(9_990)).contains("wrong"));
    assert!(stop("a juror is out").contains("wrong"), "the first time nobody heard it");
    assert!(!stop("a juror is out").contains("wrong"), "it was held for once");
}
