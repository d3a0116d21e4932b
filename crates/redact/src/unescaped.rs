//! Lines inside a line: `print(repr(text))`, a JavaScript literal, a log that escapes its line breaks.
//! Tables, pairs and documents are read by lines, so such a line is read once more with its breaks undone.

use crate::escapes::{Offsets, decode};
use crate::hit::Hit;
use crate::scan;

/// A line with fewer breaks holds a string of a program, which is read well enough as it stands.
const FEWEST_BREAKS: usize = 2;
/// Longer lines are bundles.
const LONGEST_LINE: usize = 64 * 1024;
/// Beyond this depth the breaks are somebody's data.
const DEEPEST: u8 = 2;

pub(crate) fn scan(text: &[u8], depth: u8, hits: &mut Vec<Hit>) {
    if depth >= DEEPEST {
        return;
    }
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&text[from..], b"\\n") {
        let at = from + found;
        let floor = at.saturating_sub(LONGEST_LINE);
        let start = memchr::memrchr(b'\n', &text[floor..at]).map_or(floor, |found| floor + found + 1);
        let ceiling = text.len().min(at + LONGEST_LINE);
        let end = memchr::memchr(b'\n', &text[at..ceiling]).map_or(ceiling, |found| at + found);
        from = end;
        let line = &text[start..end];
        if line.len() > LONGEST_LINE
            || memchr::memmem::find_iter(line, b"\\n").take(FEWEST_BREAKS).count() < FEWEST_BREAKS
        {
            continue;
        }
        read(line, start, depth, hits);
    }
}

fn read(line: &[u8], start: usize, depth: u8, hits: &mut Vec<Hit>) {
    let mut plain = Vec::new();
    decode(line, &mut plain);
    if plain.len() == line.len() {
        return;
    }
    let mut found = scan::scan(&plain, depth + 1);
    found.sort_by_key(|hit| (hit.start, hit.end));
    let mut offsets = Offsets::new(line, true);
    let mut done = 0;
    for mut hit in found {
        // The way back is walked once, so each place only after the one before.
        if hit.start < done {
            continue;
        }
        done = hit.end;
        let (from, to) = offsets.raw(hit.start, hit.end);
        // What spans a break is a block, and those are found as they stand.
        if hit.whole.is_some() || memchr::memmem::find(&line[from..to], b"\\n").is_some() {
            continue;
        }
        hit.start = start + from;
        hit.end = start + to;
        hits.push(hit);
    }
}
