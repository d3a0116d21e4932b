//! Values over several lines: YAML's block scalars, here-documents, triple quotes. Each line of one is marked where
//! it stands, so that the text keeps its lines.

use crate::holes;
use crate::judge;
use crate::lexicon::{Announced, Strength};
use crate::lines;
use crate::text::{self, ALNUM, BLANK, NAME};

/// Longer blocks are documents.
const MOST_LINES: usize = 64;
const LONGEST_LINE: usize = 4096;

/// How a block ends.
enum Until<'t> {
    /// At a line that is not deeper than this.
    Indent(usize),
    /// At a line that is this word.
    Word(&'t [u8]),
    /// At a line with these quotes.
    Quotes(&'t [u8]),
}

/// The secret lines of the block that begins at `value_at`, behind a name on its line; `None` when there is none.
pub(crate) fn lines_of(
    text: &[u8],
    name_start: usize,
    value_at: usize,
    said: Announced,
) -> Option<Vec<(usize, usize)>> {
    if said.strength == Strength::Faint || !said.last {
        return None;
    }
    let line_end = text::line_end(text, value_at, 64);
    let head = text[value_at..line_end].trim_ascii_end();
    let until = opening(text, name_start, head)?;
    if line_end >= text.len() || !matches!(text[line_end], b'\n' | b'\r') {
        return None;
    }
    let mut found = Vec::new();
    let mut count = 0;
    let mut single = true;
    let mut at = next_line(text, line_end);
    while at < text.len() && count < MOST_LINES {
        let end = text::line_end(text, at, LONGEST_LINE);
        let content =
            text::run_end(text, at + lines::prefix(&text[at..end]).min(end - at), BLANK, 64).min(end);
        let body = text[content..end].trim_ascii_end();
        if !body.is_empty() {
            let ends = match until {
                Until::Indent(base) => content - text::run_start(text, content, BLANK, 64).max(at) <= base,
                Until::Word(word) => body == word,
                Until::Quotes(quotes) => memchr::memmem::find(body, quotes).is_some(),
            };
            if ends {
                break;
            }
            single &= found.is_empty();
            if is_secret_line(body, said) {
                found.push((content, content + body.len()));
            }
        }
        count += 1;
        at = next_line(text, end);
    }
    // Of a longer text under a name that is no password, what is a word by itself may be anything.
    if said.strength == Strength::Opaque && !single {
        found.retain(|&(start, end)| judge::is_opaque_cell(&text[start..end]));
    }
    Some(found)
}

fn opening<'t>(text: &'t [u8], name_start: usize, head: &'t [u8]) -> Option<Until<'t>> {
    match head {
        [b'|' | b'>', rest @ ..] => {
            let plain = rest.split(|&b| b == b' ').next().unwrap_or_default();
            if plain.len() > 2 || !plain.iter().all(|&b| matches!(b, b'+' | b'-' | b'1'..=b'9')) {
                return None;
            }
            let line = text::line_start(text, name_start);
            let content =
                text::run_end(text, line + lines::prefix(&text[line..name_start]), BLANK, 64).min(name_start);
            Some(Until::Indent(content - text::run_start(text, content, BLANK, 64).max(line)))
        }
        [b'<', b'<', rest @ ..] => {
            let word = rest.strip_prefix(b"-").or_else(|| rest.strip_prefix(b"~")).unwrap_or(rest);
            let word = word.trim_ascii();
            let word = word.strip_prefix(b"'").and_then(|word| word.strip_suffix(b"'")).unwrap_or(word);
            (!word.is_empty() && word.len() <= 24 && word.iter().all(|&b| text::is(b, ALNUM) || b == b'_'))
                .then_some(Until::Word(word))
        }
        b"\"\"\"" | b"'''" => Some(Until::Quotes(head)),
        _ => None,
    }
}

fn next_line(text: &[u8], end: usize) -> usize {
    end + 1 + usize::from(text::at(text, end) == b'\r')
}

fn is_secret_line(line: &[u8], said: Announced) -> bool {
    if line.len() < 4 || holes::is_placeholder(line) || line.starts_with(b"-----") || line.starts_with(b"#") {
        return false;
    }
    // NAME=value in a file of secrets is read as what it is.
    let sign = memchr::memchr2(b'=', b':', line).unwrap_or(0);
    let pair = sign > 0
        && sign + 1 < line.len()
        && line[..sign].iter().all(|&b| text::is(b, NAME))
        && !judge::is_disorderly(line);
    let words = text::count(line, b' ');
    match said.strength {
        Strength::Password => !pair && words <= 6,
        _ => !pair && words == 0 && line.len() >= 8,
    }
}
