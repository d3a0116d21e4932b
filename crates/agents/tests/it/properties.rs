//! What holds for any input: reading and writing cannot panic, answers are valid, edits can be undone.

use agents::{Adapter, ClaudeCode, Ours, Program, diff};
use model::{Advice, EventKind, Note, Verdict};
use proptest::prelude::*;
use serde_json::Value;

use crate::read;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_envelope_is_read(json in envelope(), hint in proptest::option::of("[A-Za-z]{0,12}")) {
        let event = read(json.as_bytes(), hint.as_deref());
        let sent: Option<Value> = serde_json::from_str(&json).ok();
        if let Some(Value::String(name)) = sent.as_ref().and_then(|sent| sent.get("hook_event_name")) && !name.is_empty() {
            prop_assert_eq!(&event.name, name);
        }
        if let Some(Value::String(session)) = sent.as_ref().and_then(|sent| sent.get("session_id")) && !session.is_empty() {
            prop_assert_eq!(event.session.as_str(), session);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), proptest::sample::select(br#"{}[]":,\u "#.to_vec())], 0..80)) {
        let event = read(&bytes, Some("Stop"));
        prop_assert!(!event.name.is_empty());
    }

    #[test]
    fn any_advice_is_answered_in_a_shape_the_client_takes(kind in kind(), advice in advice()) {
        let event = read(format!(r#"{{"hook_event_name":"{}"}}"#, kind.name()).as_bytes(), None);
        let reply = ClaudeCode.write(&event, &advice);
        prop_assert_eq!((reply.exit, reply.stderr.len()), (0, 0));
        let stdout = String::from_utf8(reply.stdout).unwrap();
        if stdout.is_empty() {
            return Ok(());
        }
        if !stdout.starts_with('{') {
            prop_assert_eq!(kind, EventKind::PreCompact);
            prop_assert!(fits(&stdout));
            return Ok(());
        }
        let answer: Value = serde_json::from_str(&stdout).unwrap();
        prop_assert!(strings(&answer).iter().all(|text| fits(text)));
        for key in answer.as_object().unwrap().keys() {
            prop_assert!(["decision", "reason", "systemMessage", "hookSpecificOutput"].contains(&key.as_str()));
        }
        if let Some(specific) = answer.get("hookSpecificOutput") {
            prop_assert_eq!(&specific["hookEventName"], kind.name());
            let allows = specific["permissionDecision"] == "allow" || specific["decision"]["behavior"] == "allow";
            let asked_to = matches!(advice.verdict, Some(Verdict::Allow { .. }));
            prop_assert!(!allows || asked_to);
        }
        prop_assert_eq!(answer.get("decision").is_some(), answer.get("reason").is_some());
    }

    #[test]
    fn an_edit_is_undone_to_the_byte_and_done_only_once(text in settings()) {
        let hook = Program { program: "/opt/bin/throughline-hook".into(), args: Vec::new() };
        let (settings, hook) = (ClaudeCode.files()[0], Ours { hook, server: None, fast: false });
        let before: Value = serde_json::from_str(&text).unwrap();
        let Ok(edit) = settings.add(Some(&text), &hook) else {
            // Refused: then there was no place for us.
            let hooks = &before["hooks"];
            prop_assert!(!hooks.is_object() || hooks.as_object().unwrap().values().any(|list| !list.is_array()));
            return Ok(());
        };
        let again = settings.add(Some(&edit.after), &hook).unwrap();
        prop_assert_eq!(&again.after, &edit.after);
        prop_assert!(again.summary.is_empty());
        let mut after: Value = serde_json::from_str(&edit.after).unwrap();
        let found = settings.installed(&edit.after).unwrap();
        prop_assert!(found.missing.is_empty() && !found.stale);
        let undone = settings.remove(&edit.after).unwrap();
        prop_assert_eq!(&undone.after, &text);
        // Outside of the hooks nothing moved, and inside of them others keep their order.
        let mut rest = before.clone();
        for settings in [&mut rest, &mut after] {
            settings.as_object_mut().unwrap().remove("hooks");
        }
        prop_assert_eq!(rest, after);
    }

    #[test]
    fn a_diff_can_be_applied(before in lines(), after in lines()) {
        prop_assert_eq!(apply(&before, &diff(&before, &after)), after);
    }
}

/// A second or two without optimization; `PROPTEST_CASES` for more.
fn config() -> ProptestConfig {
    let standard = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        standard
    } else {
        ProptestConfig { cases: 64, ..standard }
    }
}

fn fits(text: &str) -> bool {
    text.encode_utf16().count() <= 10_000
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

fn kind() -> impl Strategy<Value = EventKind> {
    proptest::sample::select(EventKind::ALL)
}

/// Text with everything that could break out of a string, a limit or a line, and now and then too much of it.
fn text() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "",
        " ",
        "\n",
        "a",
        "\"",
        "\\",
        "{",
        "}",
        "é",
        "😀",
        "\u{0}",
        "\u{1b}[2J",
        "\u{2028}",
        "</note>",
        "line of text\n",
    ]);
    (proptest::collection::vec(piece, 0..12), prop_oneof![4 => Just(1), 1 => 500..4_000_usize])
        .prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

fn advice() -> impl Strategy<Value = Advice> {
    let verdict = (0..3, text()).prop_map(|(strength, reason)| match strength {
        0 => Verdict::Allow { reason },
        1 => Verdict::Ask { reason },
        _ => Verdict::Deny { reason },
    });
    let note = text().prop_map(|text| Note { from: "test", text, items: Vec::new() });
    (
        proptest::collection::vec(note, 0..3),
        proptest::collection::vec(text(), 0..3),
        proptest::option::of(verdict),
        proptest::option::of(text()),
        proptest::option::of(text()),
    )
        .prop_map(|(notes, tells, verdict, hold, instructions)| Advice {
            notes,
            tells,
            verdict,
            hold,
            instructions,
            marks: Vec::new(),
            by: None,
        })
}

/// White space as editors, other systems and people leave it.
fn space() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["", "", "", " ", "\n", "\n  ", "\r\n\t", "\t", "\n\n    ", "\r"])
}

fn key() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "hooks",
        "Stop",
        "PreToolUse",
        "MessageDisplay",
        "matcher",
        "a",
        "",
        "é",
        "\\\"",
    ])
    .prop_map(|key| Value::from(key).to_string())
}

/// JSON text of any shape and form.
fn json() -> BoxedStrategy<String> {
    let scalar = proptest::sample::select(vec![
        "null",
        "true",
        "-0.5E+3",
        "10",
        "\"\"",
        "\"x\"",
        "\"]}\"",
        "\"\\u00e9\\\\\"",
        "{}",
        "[]",
        "{ }",
        "[\n]",
    ]);
    scalar
        .prop_map(str::to_owned)
        .boxed()
        .prop_recursive(4, 40, 4, |inner| prop_oneof![list(inner.clone()), object(key(), inner)])
        .boxed()
}

fn list(item: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    (proptest::collection::vec((space(), item, space()), 0..4), space())
        .prop_map(|(items, empty)| {
            let items: Vec<String> =
                items.iter().map(|(before, item, after)| format!("{before}{item}{after}")).collect();
            if items.is_empty() { format!("[{empty}]") } else { format!("[{}]", items.join(",")) }
        })
        .boxed()
}

fn object(
    key: impl Strategy<Value = String> + 'static,
    value: impl Strategy<Value = String> + 'static,
) -> BoxedStrategy<String> {
    let member = (space(), key, space(), space(), value, space());
    (proptest::collection::vec(member, 0..4), space())
        .prop_map(|(members, empty)| {
            let members: Vec<String> = members
                .iter()
                .map(|(before, key, colon, value_space, value, after)| {
                    format!("{before}{key}{colon}:{value_space}{value}{after}")
                })
                .collect();
            if members.is_empty() { format!("{{{empty}}}") } else { format!("{{{}}}", members.join(",")) }
        })
        .boxed()
}

/// Settings whose hooks have mostly the right shape.
fn settings() -> BoxedStrategy<String> {
    let handler = object(key(), json());
    let group = prop_oneof![object(Just("\"hooks\"".to_owned()), list(handler)), json()];
    let event = proptest::sample::select(vec!["\"Stop\"", "\"PreToolUse\"", "\"SessionEnd\"", "\"Other\""]);
    let hooks = object(event.prop_map(str::to_owned), list(group));
    let with_hooks =
        (json(), hooks, json(), space(), space(), space()).prop_map(|(first, hooks, last, a, b, c)| {
            format!("{{{a}\"first\":{b}{first},{c}\"hooks\"{b}:{hooks}{a},\"last\":{last}{c}}}")
        });
    (space(), prop_oneof![with_hooks, object(key(), json())], space())
        .prop_map(|(before, settings, after)| format!("{before}{settings}{after}"))
        .boxed()
}

/// Envelopes: the right names with any values, or anything at all.
fn envelope() -> BoxedStrategy<String> {
    let field = proptest::sample::select(vec![
        "session_id",
        "hook_event_name",
        "cwd",
        "tool_name",
        "tool_input",
        "tool_response",
        "prompt",
        "agent_id",
        "agent_type",
        "stop_hook_active",
        "duration_ms",
        "message",
        "source",
        "file_path",
    ]);
    let value = prop_oneof![
        kind().prop_map(|kind| format!("\"{}\"", kind.name())),
        "[ -~é😀]{0,20}".prop_map(|text| Value::from(text).to_string()),
        json(),
    ];
    let member = (field, value).prop_map(|(name, value)| format!("\"{name}\":{value}"));
    let object =
        proptest::collection::vec(member, 0..12).prop_map(|members| format!("{{{}}}", members.join(",")));
    prop_oneof![4 => object, 1 => json(), 1 => ".{0,40}"].boxed()
}

fn lines() -> impl Strategy<Value = String> {
    let line = proptest::sample::select(vec!["a", "b", "c", ""]);
    (proptest::collection::vec(line, 0..14), any::<bool>())
        .prop_map(|(lines, ended)| lines.join("\n") + if ended { "\n" } else { "" })
}

/// What `patch` does.
fn apply(before: &str, patch: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut at = 0;
    let mut lines = patch.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if let Some(hunk) = line.strip_prefix("@@ -") {
            let (start, rest) = hunk.split_once(',').expect("a hunk");
            let count: usize = rest.split_once(' ').expect("a hunk").0.parse().expect("a count");
            let start: usize = start.parse::<usize>().expect("a line") - usize::from(count > 0);
            new.extend(old[at..start].iter().copied());
            at = start;
            continue;
        }
        let unended = lines.next_if(|next| next.starts_with('\\')).is_some();
        let content = if unended { line[1..].trim_end_matches('\n') } else { &line[1..] };
        if line.starts_with([' ', '-']) {
            assert_eq!(old[at], content);
            at += 1;
        }
        if line.starts_with([' ', '+']) {
            new.push_str(content);
        }
    }
    new.extend(old[at..].iter().copied());
    new
}
