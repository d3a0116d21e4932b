//! What a person typed, cut into paragraphs of sentences. People end a thought with a line as often as with a stop, and begin
//! the next one with a small letter.

use crate::sentences::stops;

/// A line as long as this was broken to fit a window, not to end a thought.
const WRAPPED_CHARS: usize = 60;

/// Lines without an empty one between them.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) sentences: Vec<OrderSaying>,
    /// Some lines are items of a list.
    pub(super) listed: bool,
}

/// One sentence of a person.
#[derive(Debug)]
pub(super) struct OrderSaying {
    /// Verbatim but for white space and the marks of lists.
    pub(super) text: String,
    /// It is an item of a list, or begins one.
    pub(super) point: bool,
}

pub(super) fn paragraphs(said: &str) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = vec![Paragraph::default()];
    let mut thought = String::new();
    let (mut goes_on, mut point) = (false, false);
    for line in said.lines().map(str::trim) {
        let (bullet, rest) = without_mark(line);
        if !(goes_on && !bullet && rest.starts_with(char::is_lowercase)) {
            close(&mut found, &mut thought, point);
            point = bullet;
        }
        if line.is_empty() {
            found.push(Paragraph::default());
        }
        if let Some(paragraph) = found.last_mut() {
            paragraph.listed |= bullet;
        }
        if !thought.is_empty() {
            thought.push(' ');
        }
        thought.push_str(rest);
        goes_on = line.chars().count() >= WRAPPED_CHARS && !line.ends_with(['.', '!', '?', ':', '。']);
    }
    close(&mut found, &mut thought, point);
    found.retain(|paragraph| !paragraph.sentences.is_empty());
    found
}

fn close(found: &mut [Paragraph], thought: &mut String, point: bool) {
    if let Some(paragraph) = found.last_mut() {
        let plain = thought.replace("**", "");
        let saying = |part: &str| OrderSaying { text: crate::text::one_line(part, 1200), point };
        paragraph.sentences.extend(split(&plain).into_iter().map(saying));
    }
    thought.clear();
}

/// Without the sign of a list or a number before it.
fn without_mark(line: &str) -> (bool, &str) {
    for mark in ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "– ", "> "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return (true, rest.trim_start());
        }
    }
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let numbered = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    match numbered.filter(|_| (1..=2).contains(&(line.len() - rest.len()))) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, line),
    }
}

/// A sentence ends with a stop and white space after a whole word; stops of Chinese and Japanese need no space.
fn split(text: &str) -> Vec<&str> {
    const ABBREVIATED: &[&str] = &[
        "e.g.",
        "i.e.",
        "etc.",
        "vs.",
        "cf.",
        "approx.",
        "z.b.",
        "bzw.",
        "ca.",
        "d.h.",
        "p. ex.",
        "ej.",
        "т.е.",
        "т.д.",
        "напр.",
    ];
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, end) in stops(text, &['.', '!', '?', ';'], &['。', '！', '？', '；']) {
        let before = text[start..end].to_lowercase();
        let abbreviated = ABBREVIATED.iter().any(|word| before.ends_with(word));
        let number = before.trim_end_matches('.').ends_with(|last: char| last.is_ascii_digit())
            && text[start..at].trim().chars().all(|char| char.is_ascii_digit());
        if abbreviated || number {
            continue;
        }
        parts.push(text[start..end].trim());
        start = end;
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}
