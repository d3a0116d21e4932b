//! How much of an envelope can be read, for whoever has to decide about all of it. An adapter takes what it finds and leaves
//! the rest; a guard that has seen a part of a call has not seen the call.

use serde::de::IgnoredAny;

use crate::json::{self, Member};

/// Whether the bytes are one JSON object with nothing behind it, and every member of it is read as it was sent: in UTF-8, and
/// no deeper and no larger than is followed.
pub fn is_whole(envelope: &[u8]) -> bool {
    let is_read = |member: &Member| {
        json::string(envelope, &member.key).is_some() && json::value(envelope, &member.value).is_some()
    };
    std::str::from_utf8(envelope).is_ok()
        && serde_json::from_slice::<IgnoredAny>(envelope).is_ok()
        && json::members(envelope, &(json::skip_space(envelope, 0)..envelope.len()))
            .is_some_and(|members| members.iter().all(is_read))
}

/// The event's name at the top level of an envelope, also of one that is cut behind it. Of a name sent twice the last
/// counts, as in the agents.
pub fn event_name(envelope: &[u8]) -> Option<String> {
    let mut found = None;
    let span = json::skip_space(envelope, 0)..envelope.len();
    // Where the envelope is cut the walk ends, and what was found until then counts.
    let _ = json::walk(envelope, &span, |member| {
        if json::string(envelope, &member.key).as_deref() == Some("hook_event_name") {
            found = json::string(envelope, &member.value);
        }
    });
    found.filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = r#" {"cwd":"/é","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo \"}\"; rm -rf / \ud83d"},"n":[1,{}]} "#;

    #[test]
    fn a_call_is_whole_and_no_beginning_of_it_is() {
        assert!(is_whole(CALL.as_bytes()));
        let end = CALL.trim_end().len();
        for cut in (0..end).filter(|cut| CALL.is_char_boundary(*cut)) {
            assert!(!is_whole(&CALL.as_bytes()[..cut]), "{}", &CALL[..cut]);
        }
        assert!(is_whole(&CALL.as_bytes()[..end]));
    }

    #[test]
    fn what_would_be_read_in_part_is_not_whole() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
        for text in
            ["[]", "7", "null", "\"{}\"", "{}{}", "{} x", "{\"a\":1,}", "{\"a\":1e999}", "\u{feff}{}", &deep]
        {
            assert!(!is_whole(text.as_bytes()), "{text}");
        }
        assert!(!is_whole(b"{\"tool_input\":{\"command\":\"rm -rf / \xff\"}}"));
        assert!(is_whole(b"{}") && is_whole(b"\n{\"a\":[[[1]]]}\r\n"));
    }

    #[test]
    fn a_name_is_that_of_the_top_level_and_needs_no_end() {
        for (text, name) in [
            (
                r#"{"tool_input":{"hook_event_name":"Stop"},"hook_event_name":"PreToolUse","tool_"#,
                Some("PreToolUse"),
            ),
            (r#"{"hook_event_name":"Stop","text":"un"#, Some("Stop")),
            (r#"{"hook_event_name":"St\u006fp"}"#, Some("Stop")),
            (r#"{"hook_event_name":"Stop","hook_event_name":"PreToolUse"}"#, Some("PreToolUse")),
            (r#"{"tool_input":{"hook_event_name":"Stop""#, None),
            (r#"{"hook_event_name":"Sto"#, None),
            (r#"{"hook_event_name":7}"#, None),
            (r#"["hook_event_name","Stop"]"#, None),
            ("", None),
        ] {
            assert_eq!(event_name(text.as_bytes()).as_deref(), name, "{text}");
        }
    }
}
