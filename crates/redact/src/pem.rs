//! Private keys in armor: whole, cut off at either end, indented, escaped, numbered, in a diff.
//! The line of the armor stays, the body goes, and so many lines as there were remain.

use std::ops::Range;

use crate::hit::{Hit, Rule, Stead};
use crate::scan::Scan;
use crate::text::{self, ALNUM};

/// A key of 16,384 bits is 13 KB of base64; a PGP block with subkeys somewhat more.
const LONGEST_KEY: usize = 32 * 1024;
/// As many lines of 64 characters as the longest key has.
const MOST_PUTTY_LINES: usize = LONGEST_KEY / 64;

pub(crate) static RULES: &[Rule] = &[
    Rule {
        name: "private-key-block",
        kind: "private-key",
        password: false,
        catches: "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx9Zk1T\nq0c8aH5v\n-----END RSA PRIVATE KEY-----",
        spares: "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----",
    },
    Rule {
        name: "private-key-tail",
        kind: "private-key",
        password: false,
        catches: "q0c8aH5vZk1TMIIEowIBAAKCAQEAx9Zk1Tq0c8aH5v\nkR2mW8sLd0PqYf3u\n-----END PRIVATE KEY-----",
        spares: "kR2mW8sLd0PqYf3u\n-----END CERTIFICATE-----",
    },
];

/// `at` is at `BEGIN ` or `END `.
pub(crate) fn scan(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let dashes = at - text::run_start_of(text, at, b'-', 5);
    if dashes < 4 {
        return at + 3;
    }
    let begins = text[at] == b'B';
    let label_start = at + if begins { 6 } else { 4 };
    let Some(label_end) = label(text, label_start) else { return at + 3 };
    let name = &text[label_start..label_end];
    if memchr::memmem::find(name, b"PRIVATE").is_none() {
        return label_end;
    }
    let armor_end = text::run_end_of(text, label_end, b'-', 5);
    if begins {
        let body = body_after(text, armor_end);
        mark(scan, body.clone(), &RULES[0]);
        return body.end.max(armor_end);
    }
    let armor_start = at - dashes;
    // Everything up to here that a BEGIN has covered is done already.
    let floor = scan.hits.last().map_or(0, |hit| hit.end);
    let body = body_before(text, armor_start, floor);
    mark(scan, body, &RULES[1]);
    armor_end
}

/// `at` is at `Private-Lines: N`: the N lines after it are the key.
pub(crate) fn putty(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let count = text::skip_blank(text, at + "private-lines:".len(), 4);
    let digits = text::run_end(text, count, text::DIGIT, 4);
    let lines = text[count..digits].iter().fold(0usize, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    let start = text::line_end(text, digits, 64) + 1;
    let mut end = start;
    for _ in 0..lines.min(MOST_PUTTY_LINES) {
        if end >= text.len() {
            break;
        }
        end = text::line_end(text, end, 512) + 1;
    }
    let end = end.min(text.len() + 1).saturating_sub(1);
    if lines == 0 || start >= end {
        return digits;
    }
    mark(scan, start..end, &RULES[0]);
    end
}

fn label(text: &[u8], from: usize) -> Option<usize> {
    let end = text::run_end(text, from, ALNUM | text::BLANK, 64);
    (text::at(text, end) == b'-' && text::at(text, end + 1) == b'-').then_some(end)
}

fn body_after(text: &[u8], from: usize) -> Range<usize> {
    let mut window = &text[from..text.len().min(from + LONGEST_KEY)];
    // The next armor line closes the key, or belongs to another: then ours was cut off. Looking for the
    // nearest dashes rather than for an END keeps a million BEGINs linear.
    if let Some(found) = memchr::memmem::find(window, b"-----") {
        if window[found + 5..].starts_with(b"END") {
            return if is_armored(&window[..found]) { from..from + found } else { from..from };
        }
        window = &window[..found];
    }
    let mut end = from;
    let mut lines = 0;
    let mut line = from;
    while line < from + window.len() {
        let stop = text::line_end(text, line, 512).min(from + window.len());
        if !is_body(&text[line..stop], lines == 0) {
            // The key may end inside the line, before a closing quote.
            let inside = armored_prefix(text, line, stop);
            end = end.max(inside);
            break;
        }
        end = stop;
        lines += 1;
        let next = if text::at(text, stop) == b'\r' { stop + 2 } else { stop + 1 };
        if next <= line {
            break;
        }
        line = next;
    }
    from..end.min(text.len())
}

/// Between the lines of an armor stands a key, not the program that writes one.
fn is_armored(body: &[u8]) -> bool {
    let letters = body.iter().filter(|&&b| text::is(b, ALNUM | text::BASE64)).count();
    let longest = body.split(|&b| !text::is(b, ALNUM | text::BASE64)).map(<[u8]>::len).max().unwrap_or(0);
    longest >= 16 || letters >= 12 && letters * 10 >= body.len() * 9
}

fn armored_prefix(text: &[u8], from: usize, stop: usize) -> usize {
    let mut at = from;
    while at < stop {
        let byte = text[at];
        let escaped = byte == b'\\' && matches!(text::at(text, at + 1), b'n' | b'r' | b'\\');
        if text::is(byte, ALNUM | text::BASE64) {
            at += 1;
        } else if escaped {
            at += 2;
        } else {
            break;
        }
    }
    if at - from >= 16 { at.min(stop) } else { from }
}

fn body_before(text: &[u8], until: usize, floor: usize) -> Range<usize> {
    let lowest = floor.max(until.saturating_sub(LONGEST_KEY)).min(until);
    // On the line of the END itself, escaped: …\\nkR2m\\n-----END
    let mut at = until;
    while at > lowest && (text::is(text[at - 1], ALNUM | text::BASE64) || text[at - 1] == b'\\') {
        at -= 1;
    }
    if until - at >= 16 {
        return at..until;
    }
    // Before the END on its own line stand an indent, a number, a sign, and no more.
    let near = until.saturating_sub(48).max(lowest);
    let Some(first_line) = memchr::memrchr(b'\n', &text[near..until]).map(|found| near + found + 1) else {
        return until..until;
    };
    let mut start = first_line;
    let mut line_end = first_line;
    while line_end > lowest {
        let end = line_end - 1;
        let line = memchr::memrchr(b'\n', &text[lowest..end]).map_or(lowest, |found| lowest + found + 1);
        let content = content(text, line, end);
        if content.len() < 4 || !content.iter().all(|&b| text::is(b, ALNUM | text::BASE64)) {
            break;
        }
        start = line;
        line_end = line;
    }
    start..first_line.max(start)
}

/// The part of a line that is key, without indentation, numbers, diff signs, quotes and continuations.
fn content_range(text: &[u8], start: usize, end: usize) -> Range<usize> {
    let mut from = start;
    let mut to = end;
    // Colors around the line, a container's name before it.
    while from < to && text::color_len(text, from) > 0 {
        from = (from + text::color_len(text, from)).min(to);
    }
    if let Some(escape) = memchr::memrchr(0x1b, &text[from..to])
        && from + escape + text::color_len(text, from + escape) == to
    {
        to = from + escape;
    }
    let name = text::run_end(text, from, text::NAME, 40).min(to);
    let bar = text::skip_blank(text, name, 16).min(to);
    if name > from && name < bar && text[bar..to].starts_with(b"| ") {
        from = bar + 2;
    }
    // A stamp and a level: `2026-11-15T04:25:50Z ##[debug]`.
    if let Some(close) = memchr::memmem::find(&text[from..to], b"] ")
        .or_else(|| memchr::memmem::find(&text[from..to], b"##[debug]").map(|at| at + 7))
        && text::is(text::at(text, from), text::DIGIT)
    {
        from += close + 2;
    }
    while from < to && matches!(text[from], b' ' | b'\t' | b'>' | b'|' | b'#' | b'*') {
        from += 1;
    }
    // `12→`, `12->`, `12:`, `12\t`, `12-`
    let digits = text::run_end(text, from, text::DIGIT, 7).min(to);
    if digits > from {
        let mut after = text::skip_blank(text, digits, 4).min(to);
        let arrow = ["→".as_bytes(), b"->", b":", b"|", b"-"]
            .into_iter()
            .find(|arrow| text[after..to].starts_with(arrow));
        if let Some(arrow) = arrow {
            after += arrow.len();
            from = after;
        } else if after > digits {
            from = after;
        }
    }
    while from < to && matches!(text[from], b' ' | b'\t' | b'"' | b'\'' | b'-') {
        from += 1;
    }
    // A diff's plus sign: a full line of base64 has a length divisible by four without it.
    if from < to && text[from] == b'+' && (to - from) % 4 == 1 {
        from += 1;
    }
    while to > from && matches!(text[to - 1], b' ' | b'\t' | b'\r' | b'"' | b'\'' | b',' | b';' | b'\\') {
        to -= 1;
    }
    if text[from..to].ends_with(b"\\n") {
        to -= 2;
    }
    if text[from..to].ends_with(b"\" +") {
        to -= 3;
    }
    from..to.max(from)
}

fn content(text: &[u8], start: usize, end: usize) -> &[u8] {
    &text[content_range(text, start, end)]
}

fn is_body(line: &[u8], first: bool) -> bool {
    let content = content(line, 0, line.len());
    if content.is_empty() {
        return first || line.iter().all(|&b| b <= b' ');
    }
    let header = [&b"Proc-Type"[..], b"DEK-Info", b"Comment", b"Version", b"Hash", b"Subject", b"X-"]
        .iter()
        .any(|word| content.starts_with(word));
    header
        || content.iter().all(|&b| text::is(b, ALNUM | text::BASE64))
            && (content.len() >= 20 || content.contains(&b'='))
}

/// Marks the first line of the body and empties the others, so that the count of lines stays.
fn mark(scan: &mut Scan<'_>, body: Range<usize>, rule: &'static Rule) {
    let text = scan.text;
    let mut line = body.start;
    let mut told = false;
    // A sign before every line is a diff's, whatever the lengths say.
    let signed = text[body.clone()]
        .split(|&b| b == b'\n')
        .skip(1)
        .all(|line| matches!(line.first(), Some(b'+' | b' ')));
    while line < body.end {
        let stop = memchr::memchr(b'\n', &text[line..body.end]).map_or(body.end, |found| line + found);
        let mut range = content_range(text, line, stop);
        if signed && line > body.start && text[line] == b'+' {
            range.start = range.start.max(line + 1).min(range.end);
        }
        // Escaped breaks around a one-line body are armor, not key.
        while text[range.clone()].starts_with(b"\\n") || text[range.clone()].starts_with(b"\\r") {
            range.start += 2;
        }
        if range.len() >= 2 && text[range.clone()].iter().any(|&b| text::is(b, ALNUM)) {
            let mut hit = Hit::new(range.start, range.end, rule);
            if told {
                hit.stead = Stead::Nothing;
                hit.silent = true;
            } else {
                hit.whole = Some(body.clone());
                told = true;
            }
            scan.hits.push(hit);
        }
        line = stop + 1;
    }
}
