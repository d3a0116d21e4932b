//! Advice to the client's answer, under the client's limit.

use model::{Advice, Event, Reply};

use super::powers::powers;
use crate::answer::{self, answer};
use crate::clip;

/// The client replaces a longer value by a path to a file. Measured: 10,000 passes, 10,001 does not.
const MAX_VALUE: usize = 10_000;

pub(super) fn write(event: &Event, advice: &Advice) -> Reply {
    let powers = powers(event.kind);
    if powers.instruct
        && let Some(instructions) = answer::text(&[advice.instructions.as_deref().unwrap_or_default()], join)
    {
        // The one answer that is plain text, so there is no room for anything beside it.
        return Reply { stdout: plain(instructions).into_bytes(), ..Reply::silent() };
    }
    answer(event, advice, powers, join)
}

fn join(parts: &[&str]) -> String {
    clip::join(parts, MAX_VALUE)
}

/// Text that opens with a brace would be read as JSON.
fn plain(instructions: String) -> String {
    if instructions.trim_start().starts_with('{') {
        return join(&[&format!("Instructions: {instructions}")]);
    }
    instructions
}
