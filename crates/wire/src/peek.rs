//! Finds one string member of an envelope by a bounded byte search. Not a JSON parser: what it finds
//! chooses a deadline or a marker's name, never what is kept.

/// Where to look. Agents send the members we ask for first, before anything a stranger wrote.
pub const PEEK: usize = 4 << 10;

/// The text behind the opening quote of the member `key`, to the end of the envelope; `key` comes with
/// its quotes. A member that is no string is not found.
pub fn member_start<'a>(body: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut rest = body;
    for _ in 0..PEEK {
        if let Some(after) = rest.strip_prefix(key)
            && let Some(value) = after_colon_and_quote(after)
        {
            return Some(value);
        }
        (_, rest) = rest.split_first()?;
    }
    None
}

/// The whole value of the member `key`, if it is at most `limit` bytes and needs no unescaping.
pub fn string_member<'a>(body: &'a [u8], key: &[u8], limit: usize) -> Option<&'a [u8]> {
    let start = member_start(body, key)?;
    let end = start.iter().take(limit.saturating_add(1)).position(|byte| matches!(byte, b'"' | b'\\'))?;
    match start.get(end) {
        Some(b'"') => start.get(..end),
        _ => None,
    }
}

/// The event's name as the envelope itself says it; empty if it does not.
pub fn event_name(body: &[u8]) -> &[u8] {
    string_member(body, b"\"hook_event_name\"", crate::MAX_NAME).unwrap_or_default()
}

fn after_colon_and_quote(text: &[u8]) -> Option<&[u8]> {
    text.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_found_however_it_is_spaced() {
        assert_eq!(event_name(br#"{"a":1,"hook_event_name":"Stop"}"#), b"Stop");
        assert_eq!(event_name(b"{\"hook_event_name\" :\n \"Stop\"}"), b"Stop");
    }

    #[test]
    fn what_is_no_plain_string_member_is_not_found() {
        for body in [
            &b""[..],
            b"\"hook_event_name\"",
            b"\"hook_event_name\":",
            b"\"hook_event_name\":\"Sto",
            b"\"hook_event_name\":7",
            br#"{"hook_event_name":"St\u006fp"}"#,
        ] {
            assert_eq!(event_name(body), b"");
        }
        let mut far = [b' '; PEEK + 40];
        for (slot, byte) in far.iter_mut().skip(PEEK).zip(br#""hook_event_name":"Stop""#) {
            *slot = *byte;
        }
        assert_eq!(event_name(&far), b"");
    }

    #[test]
    fn the_word_as_a_value_is_not_mistaken_for_the_member() {
        assert_eq!(event_name(br#"{"x":"hook_event_name","hook_event_name":"Stop"}"#), b"Stop");
    }
}
