//! The bytes of one spooled envelope. All numbers are little-endian.
//!
//! ```text
//! 0..4   magic "TLSP"           4      version
//! 5      length of the agent    6      length of the event named on the command line
//! 7      flags: 1 private prompt
//! 8..12  length of the context  12..16 length of the body
//! 16..24 time, Unix ms          24..40 event id
//! 40..44 CRC-32 of bytes 0..40 and of everything behind the header
//! then: agent, event, context (as on the wire), body (redacted JSON)
//! ```

use model::{Envelope, EventId};

const MAGIC: [u8; 4] = *b"TLSP";
/// Changes when a file of the old layout would be misread. Older versions stay readable.
const VERSION: u8 = 1;
const HEADER: usize = 44;
const PRIVATE_PROMPT: u8 = 1;

/// Redaction may lengthen: a short secret becomes a longer mask.
const MAX_BODY: usize = 2 * wire::MAX_BODY;
pub(super) const MAX_LEN: usize = HEADER + 2 * wire::MAX_NAME + wire::MAX_CONTEXT + MAX_BODY;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    #[error("not a spooled envelope")]
    NotOurs,
    #[error("written by another release (spool format {0})")]
    OtherVersion(u8),
    #[error("cut off or grown")]
    Length,
    #[error("the checksum does not match")]
    Checksum,
}

pub(super) fn encode(envelope: &Envelope, private_prompt: bool) -> Vec<u8> {
    let agent = name(&envelope.agent);
    let hint = name(envelope.hint.as_deref().unwrap_or_default());
    let context = crate::context::encode(&envelope.context);
    let mut bytes =
        Vec::with_capacity(HEADER + agent.len() + hint.len() + context.len() + envelope.body.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.push(VERSION);
    bytes.push(agent.len() as u8);
    bytes.push(hint.len() as u8);
    bytes.push(if private_prompt { PRIVATE_PROMPT } else { 0 });
    bytes.extend_from_slice(&(context.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(envelope.body.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&envelope.at.to_le_bytes());
    bytes.extend_from_slice(envelope.id.as_bytes());
    let checksum_at = bytes.len();
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(agent);
    bytes.extend_from_slice(hint);
    bytes.extend_from_slice(&context);
    bytes.extend_from_slice(&envelope.body);
    let sum = checksum(&bytes);
    bytes[checksum_at..HEADER].copy_from_slice(&sum.to_le_bytes());
    bytes
}

pub(super) fn decode(mut bytes: Vec<u8>) -> Result<(Envelope, bool), Damage> {
    let Some(header) = bytes.first_chunk::<HEADER>() else { return Err(Damage::Length) };
    if header[..4] != MAGIC {
        return Err(Damage::NotOurs);
    }
    if header[4] != VERSION {
        return Err(Damage::OtherVersion(header[4]));
    }
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let private_prompt = header[7] & PRIVATE_PROMPT != 0;
    let agent_end = HEADER + usize::from(header[5]);
    let hint_end = agent_end + usize::from(header[6]);
    let context_end = hint_end + number(8) as usize;
    let body_len = number(12) as usize;
    if bytes.len() != context_end + body_len {
        return Err(Damage::Length);
    }
    if checksum(&bytes) != number(40) {
        return Err(Damage::Checksum);
    }
    let at = u64::from(number(16)) | u64::from(number(20)) << 32;
    let mut id = [0; 16];
    id.copy_from_slice(&header[24..40]);
    let text = |range| String::from_utf8_lossy(&bytes[range]).into_owned();
    let (agent, hint) = (text(HEADER..agent_end), text(agent_end..hint_end));
    let context = crate::context::decode(&bytes[hint_end..context_end]);
    bytes.drain(..context_end);
    let hint = Some(hint).filter(|hint| !hint.is_empty());
    Ok((Envelope { id: EventId::from_bytes(id), at, agent, hint, context, body: bytes }, private_prompt))
}

fn name(text: &str) -> &[u8] {
    if text.len() > wire::MAX_NAME { b"" } else { text.as_bytes() }
}

/// Over everything but the checksum itself.
fn checksum(bytes: &[u8]) -> u32 {
    let (header, rest) = bytes.split_at(HEADER.min(bytes.len()));
    let mut sum = crc32fast::Hasher::new();
    sum.update(&header[..40.min(header.len())]);
    sum.update(rest);
    sum.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope() -> Envelope {
        Envelope {
            id: EventId::mint(1_763_244_000_123, [7; 10]),
            at: 1_763_244_000_123,
            agent: "claude-code".to_owned(),
            hint: Some("Stop".to_owned()),
            context: [("CLAUDE_PID".to_owned(), "42".to_owned())].into(),
            body: br#"{"hook_event_name":"Stop"}"#.to_vec(),
        }
    }

    #[test]
    fn an_envelope_survives_the_trip() {
        for private_prompt in [false, true] {
            let bytes = encode(&envelope(), private_prompt);
            assert_eq!(decode(bytes), Ok((envelope(), private_prompt)));
        }
        let bare = Envelope { hint: None, context: model::Context::new(), body: Vec::new(), ..envelope() };
        assert_eq!(decode(encode(&bare, false)), Ok((bare, false)));
    }

    #[test]
    fn no_flipped_bit_and_no_cut_goes_unseen() {
        let whole = encode(&envelope(), false);
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                assert!(decode(bytes).is_err(), "bit {bit} of byte {at}");
            }
            assert!(decode(whole[..at].to_vec()).is_err(), "cut at {at}");
        }
    }
}
