//! Text inside other text: a literal with escaped line breaks, an HTML page, a highlighted listing, a form in
//! a URL, typographic quotes. Such a line is read once more with that undone, and what is found is marked
//! where it stands. Undone one layer at a time, and not deeper than a person would read.

use crate::hit::Hit;
use crate::scan;
use crate::text::{self, HEX};

/// Longer lines are bundles.
const LONGEST_LINE: usize = 64 * 1024;
/// As far as the two halves of a pair stand apart, and a few times that.
const LONGEST_PARAGRAPH: usize = 2 * 1024;
/// Beyond this depth the text is somebody's data.
const DEEPEST: u8 = 2;

/// What wakes the second reading of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    Breaks,
    Entities,
    Tags,
    Percents,
    Quotes,
}

const LAYERS: &[(&[u8], Layer)] = &[
    (b"\\n", Layer::Breaks),
    (b"&quot;", Layer::Entities),
    (b"&#39;", Layer::Entities),
    (b"&#x27;", Layer::Entities),
    (b"&#34;", Layer::Entities),
    (b"&lt;/", Layer::Entities),
    (b"</span>", Layer::Tags),
    (b"<code>", Layer::Tags),
    (b"%20", Layer::Percents),
    (b"%22", Layer::Percents),
    (b"%3D", Layer::Percents),
    (b"%3A", Layer::Percents),
    ("“".as_bytes(), Layer::Quotes),
];

pub(crate) fn scan(text: &[u8], depth: u8, hits: &mut Vec<Hit>) {
    if depth >= DEEPEST {
        return;
    }
    for &(sign, layer) in LAYERS {
        let mut from = 0;
        while let Some(found) = memchr::memmem::find(&text[from..], sign) {
            let at = from + found;
            let floor = at.saturating_sub(LONGEST_LINE);
            let start = memchr::memrchr(b'\n', &text[floor..at]).map_or(floor, |found| floor + found + 1);
            let ceiling = text.len().min(at + LONGEST_LINE);
            let line_end = memchr::memchr(b'\n', &text[at..ceiling]).map_or(ceiling, |found| at + found);
            // A page has its lines as they are; what belongs together may stand on several.
            let end = if layer == Layer::Breaks || layer == Layer::Percents {
                line_end
            } else {
                let near = text.len().min(line_end + LONGEST_PARAGRAPH);
                memchr::memmem::find(&text[line_end..near], b"\n\n").map_or(near, |found| line_end + found)
            };
            from = end;
            let line = &text[start..end];
            if line.len() <= LONGEST_LINE + LONGEST_PARAGRAPH && is_worth_it(line, layer) {
                read(line, start, depth, layer, hits);
            }
        }
    }
}

/// A break at the end of a string, or one escape in a URL, hides nothing.
fn is_worth_it(line: &[u8], layer: Layer) -> bool {
    match layer {
        Layer::Breaks => memchr::memmem::find_iter(line, b"\\n").any(|at| {
            let next = text::at(line, text::run_end_of(line, at + 2, b'\\', 4));
            next > b' ' && !matches!(next, b'"' | b'\'' | b'`' | b'\\') || text::at(line, at + 2) == b' '
        }),
        Layer::Percents => memchr::memchr_iter(b'%', line).take(2).count() == 2,
        Layer::Entities | Layer::Tags | Layer::Quotes => true,
    }
}

fn read(line: &[u8], start: usize, depth: u8, layer: Layer, hits: &mut Vec<Hit>) {
    let mut plain = Vec::with_capacity(line.len());
    // Where each byte of the plain text stands in the line.
    let mut places = Vec::with_capacity(line.len() + 1);
    let mut at = 0;
    while at < line.len() {
        let (length, byte) = undo(line, at, layer);
        if let Some(byte) = byte {
            plain.push(byte);
            places.push(at);
        }
        at += length;
    }
    places.push(line.len());
    if plain.len() == line.len() && layer != Layer::Quotes {
        return;
    }
    for mut hit in scan::scan(&plain, depth + 1) {
        if hit.whole.is_some() || hit.end <= hit.start || hit.end >= places.len() {
            continue;
        }
        let from = places[hit.start];
        // The end is behind the last byte, not before what was left out after it.
        let last = places[hit.end - 1];
        let to = last + undo(line, last, layer).0;
        // What spans a break is a block, and those are found as they stand.
        if plain[hit.start..hit.end].contains(&b'\n') {
            continue;
        }
        hit.start = start + from;
        hit.end = start + to;
        hits.push(hit);
    }
}

/// Length of what stands at `at`, and the byte it means; `None` for what means nothing.
fn undo(line: &[u8], at: usize, layer: Layer) -> (usize, Option<u8>) {
    let byte = line[at];
    match layer {
        Layer::Breaks if byte == b'\\' => match text::at(line, at + 1) {
            b'n' => (2, Some(b'\n')),
            b't' => (2, Some(b'\t')),
            b'r' => (2, Some(b'\r')),
            quote @ (b'"' | b'\'' | b'\\' | b'/') => (2, Some(quote)),
            _ => (1, Some(byte)),
        },
        Layer::Entities if byte == b'&' => {
            const ENTITIES: &[(&[u8], u8)] = &[
                (b"&quot;", b'"'),
                (b"&#34;", b'"'),
                (b"&#39;", b'\''),
                (b"&#x27;", b'\''),
                (b"&apos;", b'\''),
                (b"&lt;", b'<'),
                (b"&gt;", b'>'),
                (b"&amp;", b'&'),
                (b"&nbsp;", b' '),
                (b"&#61;", b'='),
            ];
            match ENTITIES.iter().find(|(entity, _)| text::starts_with(line, at, entity)) {
                Some(&(entity, byte)) => (entity.len(), Some(byte)),
                None => (1, Some(byte)),
            }
        }
        Layer::Tags if byte == b'<' => {
            let next = text::at(line, at + 1);
            let close = memchr::memchr(b'>', &line[at..line.len().min(at + 200)]);
            match close {
                Some(close) if next == b'/' || text::is(next, text::LOWER) => (close + 1, None),
                _ => (1, Some(byte)),
            }
        }
        Layer::Percents
            if byte == b'%'
                && text::is(text::at(line, at + 1), HEX)
                && text::is(text::at(line, at + 2), HEX) =>
        {
            (3, Some(nibble(line[at + 1]) << 4 | nibble(line[at + 2])))
        }
        Layer::Quotes
            if byte == 0xe2
                && (text::starts_with(line, at, "“".as_bytes())
                    || text::starts_with(line, at, "”".as_bytes())) =>
        {
            (3, Some(b'"'))
        }
        _ => (1, Some(byte)),
    }
}

fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit.wrapping_sub(b'A').wrapping_add(10) & 15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut hits = Vec::new();
        scan(text.as_bytes(), 0, &mut hits);
        hits.iter().map(|hit| &text[hit.start..hit.end]).collect()
    }

    #[test]
    fn what_is_found_stands_where_it_stood() {
        assert_eq!(found("{'out': 'user,password\\nme,s3cr3tPw9\\n'}"), ["s3cr3tPw9"]);
        assert_eq!(found("password = &quot;s3cr3t&amp;Pw9&quot;;"), ["s3cr3t&amp;Pw9"]);
        assert_eq!(found("password = <span class=\"s\">\"s3cr3tPw9\"</span>;"), ["s3cr3tPw9"]);
        assert_eq!(found("body=user%3Dme%26password%3Ds3cr3tPw9%26x%3D1"), ["s3cr3tPw9"]);
        assert_eq!(found("{“password”: “s3cr3tPw9”}"), ["s3cr3tPw9"]);
    }

    #[test]
    fn a_break_that_ends_a_string_wakes_nobody() {
        assert!(!is_worth_it(b"printf(\"password: %s\\n\", value);", Layer::Breaks));
    }
}
