//! Wraps stored text so that it is data to the model: it can neither close its own fence nor pose as ours, nor as
//! the structure of a conversation. It does not judge what a text says: words lie, and a filter of words is passed.
//! Whose words may be said at all is decided in `origin`.

mod letters;

use letters::{Sign, alike, is_invisible, sign};
use redact::NOTE_TAG;

/// Fences one note. The nonce is random per injection, so that stored text cannot know how to end the fence;
/// the tag itself is broken wherever it occurs inside, so that it cannot even try.
pub fn fence(from: &str, nonce: u64, text: &str) -> String {
    let text = sanitize(text);
    format!(
        "<{NOTE_TAG} from=\"{from}\" id=\"{nonce:016x}\">\n{text}\n</{NOTE_TAG} id=\"{nonce:016x}\">",
        text = text.trim_end()
    )
}

/// Where something is broken: seen by a person, and no part of any name.
const BREAK: char = '·';
/// White space inside of a disguised tag; beyond that nobody reads a tag any more.
const MAX_GAP: usize = 8;
/// `<|a name of this many signs at most|>`.
const MAX_TOKEN: usize = 48;

/// Names that are broken wherever they stand: the fence's own, and the one clients speak in.
const NAMES: &[&str] = &[NOTE_TAG, "system-reminder"];
/// Names that are broken where they are tags: what clients and models take for structure. `_` and `-` are one.
const TAGS: &[&str] = &[
    NOTE_TAG,
    "system-reminder",
    "system",
    "system-prompt",
    "sys",
    "function-calls",
    "function-call",
    "function-results",
    "function-result",
    "functions",
    "invoke",
    "tool-use",
    "tool-call",
    "tool-calls",
    "tool-result",
    "tool-results",
    "tool-response",
    "tool-output",
    "human",
    "user",
    "assistant",
    "developer",
    "instructions",
    "thinking",
    "task-notification",
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "ide-selection",
    "ide-opened-file",
    "user-prompt-submit-hook",
    "session-start-hook",
    "persisted-output",
];
/// What may stand before such a name and a colon.
const PREFIX: &str = "antml";
/// Who speaks, at the beginning of a line.
const SPEAKERS: &[&str] = &["human", "assistant", "system"];

/// Removes what nobody sees, and puts a dot into whatever could be taken for structure: `<t·hroughline-note`. What
/// comes out comes out the same again; the time is proportional to the length.
pub fn sanitize(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 16);
    let (mut copied, mut at) = (0, 0);
    let mut line_start = true;
    while at < text.len() {
        let byte = text.as_bytes()[at];
        // Most signs begin nothing that matters.
        if byte.is_ascii()
            && !matches!(byte, b'<' | b'[' | b'&' | b't' | b'T' | b's' | b'S' | b'5' | b'$')
            && !line_start
        {
            line_start = byte == b'\n';
            at += 1;
            continue;
        }
        if let Some(cut) = structure(&text, at, line_start) {
            out.push_str(&text[copied..cut]);
            out.push(BREAK);
            copied = cut;
            at = cut;
            line_start = false;
            continue;
        }
        let read = sign(&text, at);
        // Quotation, emphasis and headings do not hide who speaks.
        line_start =
            byte == b'\n' || line_start && (read.gap || matches!(read.plain, b'>' | b'*' | b'#' | b'-'));
        at = read.next;
    }
    out.push_str(&text[copied..]);
    out
}

/// Without what nobody sees; lines end in one way only.
pub(crate) fn visible(text: &str) -> String {
    let seen = text.chars().filter(|c| !is_invisible(*c));
    seen.map(|c| if matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect()
}

/// Where to break what begins here, if it is structure.
fn structure(text: &str, at: usize, line_start: bool) -> Option<usize> {
    let first = sign(text, at);
    match first.plain {
        // `<invoke|>` is both, as `i` looks like a bar: broken right behind the sign it is neither.
        b'<' => token(text, first).or_else(|| tag(text, at, first)),
        b'[' => instruction(text, first),
        b't' | b's' if NAMES.iter().any(|name| reads(text, at, name, 0).is_some()) => Some(first.next),
        _ if line_start && first.capital => speaker(text, at, first),
        _ => None,
    }
}

/// `<name`, `</name`, `< / n a m e`, also with a prefix and disguised. Broken behind the first letter of the name.
fn tag(text: &str, at: usize, open: Sign) -> Option<usize> {
    let mut from = skip_gap(text, open.next);
    let mut closes = false;
    // `<<SYS>>` and `<//name` are tags to somebody.
    while let Some(read) = peek(text, from).filter(|read| matches!(read.plain, b'<' | b'/' | b'\\')) {
        if from > at + MAX_GAP {
            return None;
        }
        closes |= read.plain != b'<';
        from = skip_gap(text, read.next);
    }
    if let Some(end) = reads(text, from, PREFIX, MAX_GAP)
        && peek(text, end).is_some_and(|read| read.plain == b':')
    {
        return Some(peek(text, from)?.next);
    }
    let first = peek(text, from)?;
    let ends = |end: usize| {
        let after = peek(text, end);
        let whole = after.is_none_or(|read| match read.plain {
            // `<sys/types.h>` is a file.
            b'/' => peek(text, skip_gap(text, read.next)).is_none_or(|read| read.plain == b'>'),
            sign => !(sign.is_ascii_alphanumeric() || sign == b'-'),
        });
        // `a < system` compares; `< system >` does not.
        let compares = from > open.next
            && !closes
            && peek(text, skip_gap(text, end)).is_none_or(|read| read.plain != b'>');
        whole && !compares
    };
    let named = TAGS.iter().any(|name| reads(text, from, name, MAX_GAP).is_some_and(ends));
    // `Vec<System>` is a type: a name with a capital in small letters, right behind another name.
    let is_type = || {
        let before =
            text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
        let second = peek(text, first.next).is_some_and(|read| !read.capital);
        before && !closes && open.honest && first.honest && first.capital && second && from == open.next
    };
    (named && !is_type()).then_some(first.next)
}

/// `<|im_start|>`: no white space, or it is an operator.
fn token(text: &str, open: Sign) -> Option<usize> {
    const BAR: u8 = alike(b'|');
    let bar = peek(text, open.next).filter(|read| read.plain == BAR)?;
    let mut at = bar.next;
    let mut before = 0;
    for _ in 0..MAX_TOKEN {
        let read = peek(text, at).filter(|read| !read.gap)?;
        if read.plain == b'>' {
            return (before == BAR).then_some(open.next);
        }
        before = read.plain;
        at = read.next;
    }
    None
}

/// `[INST]`, `[/INST]`.
fn instruction(text: &str, open: Sign) -> Option<usize> {
    let slash = peek(text, open.next).filter(|read| read.plain == b'/');
    let from = slash.map_or(open.next, |read| read.next);
    let end = reads(text, from, "inst", MAX_GAP)?;
    peek(text, end).filter(|read| read.plain == b']').map(|_| open.next)
}

/// `Human:` at the beginning of a line.
fn speaker(text: &str, at: usize, first: Sign) -> Option<usize> {
    let end = SPEAKERS.iter().find_map(|name| reads(text, at, name, 0))?;
    // `**Human**:` speaks, too.
    let mut colon = end;
    while let Some(read) = peek(text, colon).filter(|read| read.plain == b'*' && colon < end + 2) {
        colon = read.next;
    }
    peek(text, colon).filter(|read| read.plain == b':').map(|_| first.next)
}

/// Where a name ends that is read here, with at most so much white space before each of its letters.
fn reads(text: &str, at: usize, name: &str, gap: usize) -> Option<usize> {
    let mut at = at;
    for (place, letter) in name.bytes().enumerate() {
        let mut read = peek(text, at)?;
        let mut skipped = 0;
        while read.gap && place > 0 && skipped < gap {
            skipped += 1;
            read = peek(text, read.next)?;
        }
        if read.plain != alike(letter) {
            return None;
        }
        at = read.next;
    }
    Some(at)
}

fn skip_gap(text: &str, at: usize) -> usize {
    let mut at = at;
    for _ in 0..MAX_GAP {
        match peek(text, at).filter(|read| read.gap) {
            Some(read) => at = read.next,
            None => break,
        }
    }
    at
}

fn peek(text: &str, at: usize) -> Option<Sign> {
    (at < text.len()).then(|| sign(text, at))
}

#[cfg(test)]
mod tests;
