//! What a hook's environment says and the daemon cannot know, as a map and as bytes on the wire. The list of
//! variables is `wire::CONTEXT_KEYS`; nothing else leaves the environment.

use std::ffi::OsString;

use model::Context;

pub fn from_env(get: &dyn Fn(&str) -> Option<OsString>) -> Context {
    let mut context = Context::new();
    let mut room = wire::MAX_CONTEXT;
    for key in wire::CONTEXT_KEYS {
        let Some(value) = get(key) else { continue };
        let value = value.to_string_lossy();
        let pair = key.len() + value.len() + 2;
        if let Some(left) = room.checked_sub(pair).filter(|_| pair <= wire::MAX_PAIR) {
            room = left;
            context.insert(key.to_owned(), value.into_owned());
        }
    }
    context
}

/// `KEY=VALUE` pairs, each ended by a NUL byte. A pair that does not fit is left out.
pub fn encode(context: &Context) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in context {
        if bytes.len() + key.len() + value.len() + 2 <= wire::MAX_CONTEXT {
            bytes.extend_from_slice(key.as_bytes());
            bytes.push(b'=');
            bytes.extend_from_slice(value.as_bytes());
            bytes.push(0);
        }
    }
    bytes
}

/// Reads what a client sent: unknown variables are dropped, broken UTF-8 is mended.
pub fn decode(bytes: &[u8]) -> Context {
    let mut context = Context::new();
    for pair in bytes.split(|byte| *byte == 0) {
        let pair = String::from_utf8_lossy(pair);
        if let Some((key, value)) = pair.split_once('=')
            && wire::CONTEXT_KEYS.contains(&key)
        {
            context.insert(key.to_owned(), value.to_owned());
        }
    }
    context
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_survives_the_trip_and_strangers_do_not() {
        let context = from_env(&|key| match key {
            "CLAUDE_PID" => Some("42".into()),
            "CLAUDE_PROJECT_DIR" => Some("/a=b".into()),
            _ => None,
        });
        assert_eq!(context.len(), 2);
        let mut bytes = encode(&context);
        bytes.extend_from_slice(b"CLAUDE_CODE_MESSAGING_TOKEN=secret\0no pair\0\0");
        assert_eq!(decode(&bytes), context);
    }

    #[test]
    fn a_variable_too_long_is_left_out_alone() {
        let context = from_env(&|key| match key {
            "PATH" => Some("x".repeat(wire::MAX_PAIR).into()),
            "CLAUDE_PID" => Some("42".into()),
            _ => None,
        });
        assert_eq!(context.into_keys().collect::<Vec<_>>(), ["CLAUDE_PID"]);
    }
}
