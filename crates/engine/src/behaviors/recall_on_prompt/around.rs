//! What the conversation is about just now: the files that are open in it and the words of its last turn. Puts what
//! belongs there first among what the prompt itself has called for, and calls for nothing: measured, a lower floor
//! for memories of open files found one related prompt in a hundred more and broke the silence of as many.

use std::collections::HashSet;

use model::{Event, Memory};

use super::select::Judged;
use crate::Result;
use crate::behavior::Context;

/// Of the end of a conversation; the last turn is in there, or it is too long to be read now.
const TAIL_BYTES: u64 = 64 << 10;
/// The last things said, and the characters of each.
const SAID: usize = 2;
const SAID_CHARS: usize = 2_000;
/// A title of which the last turn has said so much is what it was about.
const SAID_OF_TITLE: f32 = 0.5;

/// The same memories, those of what is at hand first.
pub(crate) fn at_hand_first(cx: &Context, event: &Event, mut chosen: Vec<Judged>) -> Result<Vec<Judged>> {
    if chosen.len() < 2 {
        return Ok(chosen);
    }
    let files = cx.read(|tables| {
        let row = tables.hand_off(&event.session)?;
        Ok(row.map(|row| row.hand_off.open_files).unwrap_or_default())
    })?;
    // There may be no conversation yet.
    let said = cx.around.tail(event, TAIL_BYTES).map(|tail| tail.said).unwrap_or_default();
    let mut words = HashSet::new();
    for one in said.iter().rev().take(SAID) {
        let text: String = one.text.chars().take(SAID_CHARS).collect();
        words.extend(recall::Query::read(&text, 0).words);
    }
    // Stable: of those that are alike, the likelier stays first.
    chosen.sort_by_key(|one| !is_at_hand(&one.row.memory, &files, &words));
    Ok(chosen)
}

fn is_at_hand(memory: &Memory, files: &[String], words: &HashSet<String>) -> bool {
    let mut touched = memory.files_modified.iter().chain(&memory.files_read);
    if touched.any(|file| files.contains(file)) {
        return true;
    }
    let title = recall::Query::read(&memory.title, 0).words;
    let held = title.iter().filter(|word| words.contains(*word)).count();
    !title.is_empty() && held as f32 >= title.len() as f32 * SAID_OF_TITLE
}
