//! Removes what must not be kept at all: `<private>` text, notes we injected, reminders of the host.
//! A scanner, not an expression: nesting is counted, an open block reaches to the end, and time is linear.

use crate::NOTE_TAG;
use crate::hit::{Hit, Rule};
use crate::text;

/// Attributes longer than this are not attributes.
const LONGEST_TAG: usize = 1024;

pub(crate) static RULES: &[Rule] = &[
    Rule {
        name: "private-block",
        kind: "private",
        password: false,
        catches: "before <private>mine</private> after",
        spares: "pub(private) fn a<T>() {}",
    },
    Rule {
        name: "own-note",
        kind: "note",
        password: false,
        catches: "a <throughline-note id=\"1\">recalled</throughline-note> b",
        spares: "the throughline-note tag",
    },
    Rule {
        name: "system-reminder",
        kind: "reminder",
        password: false,
        catches: "a <system-reminder>be kind</system-reminder> b",
        spares: "a system-reminder arrives",
    },
    // Gemini CLI puts what hooks said into it, with our own tags made harmless, and in front of the first prompt.
    Rule {
        name: "hook-context",
        kind: "note",
        password: false,
        catches: "<hook_context>&lt;throughline-note&gt;recalled</hook_context> b",
        spares: "the hook_context of a hook",
    },
];

const NAMES: [&str; 4] = ["private", NOTE_TAG, "system-reminder", "hook_context"];

#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub hits: Vec<Hit>,
    /// A `<private>` was never closed: what follows the field is private too.
    pub open_private: bool,
}

/// Where the text goes on that follows an open private block: behind the tag that closes it. `None` while it is open.
pub(crate) fn closing(text: &[u8]) -> Option<usize> {
    let mut depth = 1;
    for start in memchr::memchr_iter(b'<', text) {
        let Some(tag) = read(text, start).filter(|tag| tag.name == 0 && !tag.empty) else { continue };
        if !tag.closing {
            depth += 1;
            continue;
        }
        depth -= 1;
        if depth == 0 {
            return Some(tag.end);
        }
    }
    None
}

struct Tag {
    name: usize,
    closing: bool,
    empty: bool,
    end: usize,
}

pub(crate) fn find(text: &[u8]) -> Blocks {
    let mut blocks = Blocks::default();
    let mut last_close = None;
    let mut open: Option<(usize, usize, usize)> = None; // name, start, depth
    for start in memchr::memchr_iter(b'<', text) {
        let Some(tag) = read(text, start) else { continue };
        // `Options<Private>` is a type, unless somebody closes it.
        if !tag.closing
            && is_type_argument(text, start)
            && *last_close.get_or_insert_with(|| last_closing(text)) < start
        {
            continue;
        }
        match &mut open {
            None if tag.closing => {}
            None if tag.empty => blocks.hits.push(Hit::removal(start, tag.end, &RULES[tag.name])),
            None => open = Some((tag.name, start, 1)),
            Some((name, ..)) if *name != tag.name || tag.empty => {}
            Some((_, _, depth)) if !tag.closing => *depth += 1,
            Some((name, opened, depth)) => {
                *depth -= 1;
                if *depth == 0 {
                    blocks.hits.push(Hit::removal(*opened, tag.end, &RULES[*name]));
                    open = None;
                }
            }
        }
    }
    if let Some((name, start, _)) = open {
        blocks.hits.push(Hit::removal(start, text.len(), &RULES[name]));
        blocks.open_private = name == 0;
    }
    blocks
}

fn read(text: &[u8], start: usize) -> Option<Tag> {
    // Most angle brackets are comparisons, types and markup of others.
    if !matches!(
        text::at(text, start + 1),
        b'p' | b'P' | b's' | b'S' | b't' | b'T' | b'h' | b'H' | b'/' | b' ' | b'\t' | b'\n' | b'\r'
    ) {
        return None;
    }
    let mut at = skip_space(text, start + 1);
    let closing = text::at(text, at) == b'/';
    if closing {
        at = skip_space(text, at + 1);
    }
    if !matches!(text::at(text, at) | 0x20, b'p' | b't' | b's' | b'h') {
        return None;
    }
    let name = NAMES.iter().position(|name| text::starts_with_folded(text, at, name.as_bytes()))?;
    at += NAMES[name].len();
    let next = text::at(text, at);
    if !(next == b'>' || next == b'/' || next.is_ascii_whitespace()) {
        return None;
    }
    let window = &text[at..text.len().min(at + LONGEST_TAG)];
    let end = at + memchr::memchr2(b'>', b'<', window)?;
    if text[end] == b'<' {
        return None;
    }
    Some(Tag { name, closing, empty: !closing && text[end - 1] == b'/', end: end + 1 })
}

fn is_type_argument(text: &[u8], start: usize) -> bool {
    text::is(text::before(text, start), text::ALNUM) && text::starts_with(text, start, b"<Private>")
}

/// Where the last closing tag of private text begins; 0 when there is none.
fn last_closing(text: &[u8]) -> usize {
    memchr::memrchr_iter(b'<', text)
        .find(|&at| read(text, at).is_some_and(|tag| tag.closing && tag.name == 0))
        .unwrap_or(0)
}

fn skip_space(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < text.len() && at < from + 64 && text[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}

/// Removing a block must not join its neighbors into a new tag: `<pri<private></private>vate>`.
pub(crate) fn joins_into_a_tag(left: &[u8]) -> bool {
    let tail = &left[left.len().saturating_sub(LONGEST_TAG)..];
    memchr::memrchr2(b'<', b'>', tail).is_some_and(|at| tail[at] == b'<')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        let mut left = String::new();
        let mut from = 0;
        for hit in find(input.as_bytes()).hits {
            left.push_str(&input[from..hit.start]);
            from = hit.end;
        }
        left.push_str(&input[from..]);
        assert_eq!(left, expected, "{input}");
    }

    #[test]
    fn private_text_is_found_in_every_spelling() {
        check("a<private>b</private>c", "ac");
        check("a<private>b<private>c</private>d</private>e", "ae");
        check("a<PRIVATE>b</Private>c", "ac");
        check("a< private >b< / private >c", "ac");
        check("a<private reason=\"x\">b</private>c", "ac");
        check("a<private>b", "a");
        check("a<private>b<private>c</private>d", "a");
        check("a</private>b", "a</private>b");
        check("a<privateer>b", "a<privateer>b");
        check("fn f<T: Options<Private>>(x: Set<Private>)", "fn f<T: Options<Private>>(x: Set<Private>)");
        check("a<Private>b</Private>c", "ac");
    }

    #[test]
    fn an_open_private_block_is_told() {
        assert!(find(b"x <private> y").open_private);
        assert!(!find(b"x <private> y </private>").open_private);
        assert!(!find(b"x <system-reminder> y").open_private);
    }
}
