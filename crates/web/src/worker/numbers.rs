//! Their ids are integers that JavaScript holds exactly, so at most 53 bits; each of ours is made of what it names and
//! is the same tomorrow. A memory has its number in the tables already.

use model::{EventId, MemoryId, SessionId};

/// 52 bits of a hash: ten thousand sessions meet once in a hundred thousand houses.
pub(super) fn of_session(id: &str) -> u64 {
    MemoryId::of(&["session", id]).as_u64() >> 8
}

/// The first 52 bits of the event's id: the millisecond in which it was minted, and the version.
pub(super) fn of_prompt(id: EventId) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&id.as_bytes()[..8]);
    u64::from_be_bytes(first) >> 12
}

/// The ids that have this number, first and last.
pub(super) fn prompts_of(number: u64) -> Option<(EventId, EventId)> {
    if number >= 1 << 52 {
        return None;
    }
    let from = |rest: u64, filled: u8| {
        let mut bytes = [filled; 16];
        bytes[..8].copy_from_slice(&(number << 12 | rest).to_be_bytes());
        EventId::from_bytes(bytes)
    };
    Some((from(0, 0), from(0xfff, 0xff)))
}

/// What a client calls a session that it numbered itself, in a database of its own.
pub(super) fn foreign(number: u64) -> SessionId {
    SessionId::new(&format!("claude-mem-{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_into_javascript_and_lead_back() {
        let id = EventId::mint(1_700_000_000_123, [0xab; 10]);
        let number = of_prompt(id);
        assert!(number < 1 << 53 && of_session("s") < 1 << 53);
        let (first, last) = prompts_of(number).expect("it is one");
        assert!(first <= id && id <= last);
        let next = EventId::mint(1_700_000_000_124, [0; 10]);
        assert!(next > last, "the next millisecond is another number");
        assert_eq!(prompts_of(u64::MAX), None);
        assert_ne!(of_session("a"), of_session("b"));
    }
}
