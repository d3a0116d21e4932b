//! The end of a conversation: what was said last and how full the window was. A subagent's talk is not part of it.

use model::{Fill, Said, Speaker, Tail};

use super::{Reader, What};

/// Of the last whole lines of a file that grows by lines.
pub fn tail(reader: &mut dyn Reader, lines: &[u8]) -> Tail {
    let mut tail = Tail::default();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        for read in reader.push(0, line).into_iter().filter(|read| read.subagent.is_none()) {
            match read.what {
                What::Person { text } => tail.said.push(Said { by: Speaker::Person, text }),
                What::Command { name, arguments } => {
                    let text = format!("{name} {arguments}").trim_end().to_owned();
                    tail.said.push(Said { by: Speaker::Person, text });
                }
                What::Agent { text, .. } => tail.said.push(Said { by: Speaker::Agent, text }),
                What::Usage { usage, model, .. } => {
                    tail.usage = Some(Fill { model, tokens: usage.context() });
                }
                // What the window held before is no longer in it.
                What::Boundary { .. } => tail.usage = None,
                _ => {}
            }
        }
    }
    tail
}

/// What a subagent said last, in the last whole lines of its own file: the pieces of one reply together.
pub fn last_words(reader: &mut dyn Reader, agent: &str, lines: &[u8]) -> Option<String> {
    let mut last: Option<(Option<String>, String)> = None;
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let of_agent = reader.push(0, line).into_iter();
        for read in of_agent.filter(|read| read.subagent.as_ref().is_some_and(|of| of.id == agent)) {
            let What::Agent { text, message, .. } = read.what else { continue };
            match &mut last {
                Some((of, said)) if of.is_some() && *of == message => {
                    said.push('\n');
                    said.push_str(&text);
                }
                _ => last = Some((message, text)),
            }
        }
    }
    last.map(|(_, said)| said).filter(|said| !said.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adapter, ClaudeCode};

    fn tail(lines: &[u8]) -> Tail {
        ClaudeCode.tail(lines)
    }

    #[test]
    fn the_last_words_of_a_subagent_are_its_last_reply_whole_and_nobody_elses() {
        let says = |agent: &str, message: &str, text: &str| {
            serde_json::json!({"type": "assistant", "sessionId": "s", "isSidechain": true, "agentId": agent,
                "message": {"id": message, "model": "m", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": text}]}})
            .to_string()
        };
        let lines = [
            says("a", "1", "first"),
            says("a", "2", "second"),
            says("a", "2", "and third"),
            says("b", "3", "b's"),
        ];
        let lines = lines.join("\n");
        assert_eq!(ClaudeCode.last_words("a", lines.as_bytes()).as_deref(), Some("second\nand third"));
        assert_eq!(ClaudeCode.last_words("c", lines.as_bytes()), None);
        assert_eq!(ClaudeCode.last_words("a", b"{torn\n\xff\xfe"), None);
    }

    #[test]
    fn the_last_usage_of_the_main_thread_counts_and_a_compaction_empties_the_window() {
        let answer = |model: &str, tokens: u64, sidechain: bool| {
            let agent = sidechain.then_some("a");
            serde_json::json!({"type": "assistant", "sessionId": "s", "isSidechain": sidechain, "agentId": agent,
                "message": {"id": "m", "model": model, "stop_reason": "end_turn",
                "content": [{"type": "text", "text": "done"}],
                "usage": {"input_tokens": 10, "cache_read_input_tokens": tokens}}})
            .to_string()
        };
        let lines = [answer("claude-x", 500, false), answer("claude-y", 900, true)].join("\n");
        let found = tail(lines.as_bytes());
        assert_eq!(found.usage, Some(Fill { model: Some("claude-x".into()), tokens: 510 }));
        assert_eq!(found.said.len(), 1);
        let boundary = r#"{"type":"system","subtype":"compact_boundary","sessionId":"s","compactMetadata":{"trigger":"auto"}}"#;
        assert_eq!(tail(format!("{lines}\n{boundary}\n").as_bytes()).usage, None);
        assert_eq!(tail(b"{torn\n\xff\xfe"), Tail::default());
    }
}
