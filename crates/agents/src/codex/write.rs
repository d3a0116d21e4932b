//! Advice to Codex's answer.

use model::{Advice, Detail, Event, Reply, Verdict};

use super::powers::powers;
use crate::answer::answer;
use crate::clip;

/// Codex counts a token for every four bytes, and puts what is over 2,500 of them into a file. Measured: 10,000
/// bytes pass, and letters outside of ASCII count as the bytes they are.
const MAX_VALUE_BYTES: usize = 10_000;
/// A refusal without a reason is no refusal there.
const NO_REASON: &str = "refused by a rule";

pub(super) fn write(event: &Event, advice: &Advice) -> Reply {
    let mut powers = powers(event.kind);
    // Nothing else ends it: Codex goes on as often as it is told to.
    powers.hold &= !matches!(event.detail, Detail::Stop { again: true, .. });
    let reply = |advice| answer(event, advice, powers, |parts| clip::join_bytes(parts, MAX_VALUE_BYTES));
    match &advice.verdict {
        Some(Verdict::Deny { reason }) if reason.trim().is_empty() => {
            let verdict = Some(Verdict::Deny { reason: NO_REASON.to_owned() });
            reply(&Advice { verdict, ..advice.clone() })
        }
        _ => reply(advice),
    }
}
