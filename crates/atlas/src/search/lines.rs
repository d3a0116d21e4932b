//! Lines that hold a text as it is written. Files are read as they are on disk; which ones, their heads say.

use std::time::Instant;

use memchr::memmem;

use crate::atlas::Atlas;
use crate::library::{Def, FileId};
use crate::pack;

/// Files that are read for one question.
const MAX_FILES: usize = 400;
/// Lines of one file: the next file says more than the next line.
const MAX_IN_FILE: usize = 5;
/// Nobody means all the places of so short a text.
const MIN_TEXT: usize = 3;

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) file: FileId,
    pub(super) number: u32,
    pub(super) text: String,
    /// The definition around it.
    pub(super) def: Option<Def>,
}

/// The first `limit` lines with `text`, in files that `is_wanted`. Small letters stand for capitals, too.
pub(super) fn find(
    atlas: &Atlas,
    text: &str,
    is_wanted: &dyn Fn(FileId) -> bool,
    limit: usize,
    until: Instant,
) -> Vec<Line> {
    let text = text.trim();
    if text.len() < MIN_TEXT {
        return Vec::new();
    }
    let folded = !text.chars().any(char::is_uppercase);
    let words = inner_words(text);
    let mut found = Vec::new();
    let mut read = 0;
    for (file, leaf) in atlas.library().leaves() {
        if !words.iter().all(|word| leaf.head().may_have(*word)) || !is_wanted(file) {
            continue;
        }
        if found.len() >= limit || read >= MAX_FILES || Instant::now() > until {
            break;
        }
        read += 1;
        let Some(whole) = atlas.text(file) else { continue };
        let searched = if folded { whole.to_ascii_lowercase() } else { whole.clone() };
        let mut from = 0;
        let places = memmem::find_iter(searched.as_bytes(), text.as_bytes());
        let mut in_file = 0;
        for at in places {
            if at < from || in_file >= MAX_IN_FILE {
                continue;
            }
            let begin = searched[..at].rfind('\n').map_or(0, |before| before + 1);
            let end = searched[at..].find('\n').map_or(searched.len(), |after| at + after);
            from = end;
            in_file += 1;
            let number = memchr::memchr_iter(b'\n', &searched.as_bytes()[..begin]).count() as u32 + 1;
            found.push(Line {
                file,
                number,
                text: whole[begin..end].trim().to_owned(),
                def: around(atlas, file, number),
            });
        }
    }
    // Files are numbered as they were read; the same question has the same answer.
    let path = |line: &Line| atlas.library().path(line.file);
    found.sort_by(|a, b| path(a).cmp(path(b)).then(a.number.cmp(&b.number)));
    found.truncate(limit);
    found
}

/// Words that a text with this in it must have as a whole. The first and the last may be parts of longer ones, unless
/// there is nothing else to go by: then a whole word is meant.
fn inner_words(text: &str) -> Vec<u32> {
    let all: Vec<u32> = pack::words(text).collect();
    if all.len() > 2 { all[1..all.len() - 1].to_vec() } else { all }
}

fn around(atlas: &Atlas, file: FileId, line: u32) -> Option<Def> {
    let facts = atlas.library().facts(file)?;
    let spans = facts.symbols.iter().map(|symbol| (symbol.span.line, symbol.span.end_line));
    let mut inside = spans.enumerate().rev().filter(|(_, (from, to))| (*from..=*to).contains(&line));
    // What contains another comes before it.
    inside.next().map(|(at, _)| Def { file, symbol: code::SymbolId(at as u32) })
}
