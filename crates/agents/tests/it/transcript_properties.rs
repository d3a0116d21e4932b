//! Whatever stands in a transcript: no panic, no piece too large, nothing of a tool's result in a piece.

use std::collections::BTreeMap;

use agents::ClaudeCode;
use agents::transcript::{Ending, LEAST_ARGUMENTS, Line, MAX_CHUNK_CHARS, Replay, What, chunks, events_of};
use proptest::prelude::*;
use serde_json::{Value, json};

/// In everything a tool gave, and in nothing else.
const GIVEN: &str = "TOOL-GAVE-THIS";

pub(crate) fn records() -> impl Strategy<Value = Vec<Value>> {
    let text = prop_oneof![
        "\\PC{0,40}",
        "[a-zü \n]{0,3000}",
        "<[a-z-]{0,20}>\\PC{0,20}</[a-z-]{0,20}>",
        Just("<system-reminder>x</system-reminder>".to_owned()),
        Just("[Request interrupted by user]".to_owned()),
        Just("<command-name>/x</command-name>".to_owned()),
        "<command-name>/x</command-name><command-args>[a-z ]{0,60}</command-args>",
    ];
    let record = (0..9_u8, text, 0..4_u8, any::<bool>()).prop_map(|(kind, text, number, flag)| {
        let id = format!("t{number}");
        let mut record = match kind {
            0 => json!({"type": "user", "message": {"content": text}}),
            1 => json!({"type": "user", "message": {"content": [{"type": "text", "text": text}]}, "isMeta": flag}),
            2 => json!({"type": "assistant", "message": {"id": id, "content": [{"type": "text", "text": text}]}}),
            3 => json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": id, "name": "Read",
                "input": {"file_path": text}}]}}),
            4 => json!({"type": "user", "toolUseResult": GIVEN, "message": {"content": [{"type": "tool_result",
                "tool_use_id": id, "content": GIVEN, "is_error": flag}]}}),
            5 => json!({"type": "system", "subtype": "compact_boundary"}),
            6 => json!({"type": "user", "isCompactSummary": true, "message": {"content": text}}),
            7 => json!({"type": "attachment", "attachment": {"hookEvent": "SessionStart", "hookName": text}}),
            _ => json!({"type": text, "message": [text]}),
        };
        record["sessionId"] = json!("s");
        record["isSidechain"] = json!(flag && kind < 5);
        record
    });
    prop::collection::vec(record, 0..40)
}

fn lines_of(records: &[Value]) -> Vec<Line> {
    let numbered = records.iter().enumerate();
    numbered
        .flat_map(|(number, record)| ClaudeCode.lines(number as u64, record.to_string().as_bytes()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_read_without_harm(raw in prop::collection::vec(any::<u8>(), 0..400), number: u64) {
        let lines = ClaudeCode.lines(number, &raw);
        let _ = chunks(&lines);
        let _ = events_of(lines, Replay::new(&ClaudeCode, "x"), Ending::Over).count();
    }

    #[test]
    fn pieces_are_bounded_ordered_and_free_of_what_tools_gave(records in records()) {
        let lines = lines_of(&records);
        let found = chunks(&lines);
        let mut end = 0;
        for chunk in &found {
            prop_assert!(chunk.text.chars().count() <= MAX_CHUNK_CHARS);
            prop_assert!(!chunk.text.trim().is_empty());
            prop_assert!(!chunk.text.contains(GIVEN));
            prop_assert!(chunk.first_line <= chunk.last_line && end <= chunk.first_line);
            end = chunk.last_line;
        }
        // Every word of the conversation is in a piece, also where pieces are kept by their place.
        let kept: BTreeMap<_, _> =
            found.iter().map(|chunk| ((chunk.first_line, chunk.part), chunk.text.as_str())).collect();
        for line in &lines {
            let said = match &line.what {
                What::Person { text } | What::Agent { text, .. } => text,
                What::Command { arguments, .. }
                    if arguments.split_whitespace().count() >= LEAST_ARGUMENTS => arguments,
                _ => continue,
            };
            for word in said.split_whitespace().filter(|word| word.chars().count() < 200) {
                prop_assert!(kept.values().any(|text| text.contains(word)), "{word:?}");
            }
        }
    }

    #[test]
    fn events_are_the_same_each_time_and_readable(records in records()) {
        let replayed = || -> Vec<_> {
            events_of(lines_of(&records), Replay::new(&ClaudeCode, "x"), Ending::Over).collect()
        };
        let events = replayed();
        for event in &events {
            let body: Value = serde_json::from_slice(&event.body).expect("JSON");
            prop_assert_eq!(&body["session_id"], "s");
            prop_assert_eq!(&body["hook_event_name"], event.kind.name());
        }
        prop_assert_eq!(events, replayed());
    }

    /// A truncated record never becomes another one.
    #[test]
    fn a_torn_record_is_nothing(records in records(), cut in any::<prop::sample::Index>()) {
        for record in &records {
            let text = record.to_string();
            let end = cut.index(text.len());
            prop_assert_eq!(ClaudeCode.lines(0, &text.as_bytes()[..end]), Vec::new());
        }
    }
}
