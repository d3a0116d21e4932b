//! What a person or an agent said, cut into sentences: marks of lists and headings taken off, code left out.

use crate::text::{clip, one_line, room};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub text: String,
    /// The heading it stands under, in small letters.
    pub heading: String,
    pub bullet: bool,
    /// Said before the last words of its turn, between two calls.
    pub early: bool,
}

/// A longer message is a document; its beginning and its end say what it is about.
const MAX_TEXT_BYTES: usize = 16 * 1024;
const MAX_SENTENCES: usize = 160;
const MAX_SENTENCE_BYTES: usize = 280;

pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    let mut found = Vec::new();
    let mut heading = String::new();
    let mut paragraph = String::new();
    let mut fenced = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        let fence = fenced || line.starts_with("```") || line.starts_with("~~~");
        let (bullet, rest) = without_mark(line);
        let title = line.starts_with('#') || is_title(rest);
        if fence || line.is_empty() || line.starts_with(['|', '<']) || bullet || title {
            close(&mut found, &mut paragraph, &heading, false);
        }
        if fence || line.is_empty() || line.starts_with(['|', '<']) {
            continue;
        }
        if title {
            heading = unmarked(line.trim_start_matches('#')).trim_end_matches(':').trim().to_lowercase();
        } else if bullet {
            // A bullet is one thought, whatever stops it holds.
            let mut thought = unmarked(rest);
            close(&mut found, &mut thought, &heading, true);
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(&unmarked(rest));
        }
        if found.len() >= MAX_SENTENCES {
            break;
        }
    }
    close(&mut found, &mut paragraph, &heading, false);
    found.truncate(MAX_SENTENCES);
    found
}

/// A line that announces what follows: `**Next steps**`, `Remaining:`.
fn is_title(line: &str) -> bool {
    let bold = line.starts_with("**")
        && line.trim_end_matches(':').ends_with("**")
        && line.matches("**").count() == 2;
    line.len() < 60 && (bold || (line.ends_with(':') && !line.contains('`')))
}

/// Without the sign of a list.
fn without_mark(line: &str) -> (bool, &str) {
    for mark in ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "– "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return (true, rest.trim_start());
        }
    }
    let digits = line.len() - line.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    if (1..=2).contains(&digits)
        && let Some(rest) = line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "))
    {
        return (true, rest.trim_start());
    }
    (false, line.trim_start_matches("> "))
}

/// Without marks of print: bold type, ticks of approval, and the address behind the words of a link.
fn unmarked(text: &str) -> String {
    const SIGNS: &[char] = &['✅', '❌', '✓', '✗', '⚠', '\u{fe0f}', '🎉', '🔴', '🟡', '🟢', '→', ' '];
    let text = text.replace("**", "").replace("__", "");
    let text = text.trim_matches(|char| SIGNS.contains(&char));
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let (words, address) = (&rest[..middle], &rest[middle + 2..]);
        // Names of files hold brackets, too: `[id]/page.tsx` in `app/(shop)`.
        let open = bracket(words.char_indices().rev(), ']', '[').filter(|open| middle - open < 200);
        let end = bracket(address.char_indices(), '(', ')');
        if let (Some(open), Some(end)) = (open, end) {
            plain.push_str(&words[..open]);
            plain.push_str(&words[open + 1..]);
            rest = &address[end + 1..];
        } else {
            plain.push_str(&rest[..middle + 2]);
            rest = address;
        }
    }
    plain.push_str(rest);
    plain.trim().to_owned()
}

/// Where a bracket closes that was open before the first of some signs.
fn bracket(signs: impl Iterator<Item = (usize, char)>, opens: char, closes: char) -> Option<usize> {
    /// No address is longer.
    const MAX_SIGNS: usize = 400;
    let mut depth = 0_usize;
    for (at, sign) in signs.take(MAX_SIGNS) {
        if sign == opens {
            depth += 1;
        } else if sign == closes {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

fn close(found: &mut Vec<Sentence>, paragraph: &mut String, heading: &str, whole: bool) {
    let text = std::mem::take(paragraph);
    let parts = if whole { vec![text.as_str()] } else { split(&text) };
    for part in parts {
        let part = one_line(part, room(part, MAX_SENTENCE_BYTES));
        if part.len() > 2 {
            found.push(Sentence { text: part, heading: clip(heading, 60), bullet: whole, early: false });
        }
    }
}

/// Where signs stand that may end a sentence, and where they end: before white space, or full ones anywhere. Code in ticks is
/// not looked into.
pub(crate) fn stops(text: &str, spaced: &[char], full: &[char]) -> Vec<(usize, usize)> {
    let mut ticks = false;
    let mut found = Vec::new();
    for (at, char) in text.char_indices() {
        ticks ^= char == '`';
        let end = at + char.len_utf8();
        let stops =
            full.contains(&char) || spaced.contains(&char) && text[end..].starts_with(char::is_whitespace);
        if stops && !ticks {
            found.push((at, end));
        }
    }
    found
}

/// Ends of sentences: a stop, then space, then no small letter, unless small letters are how it is typed.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (_, end) in stops(text, &['.', '!', '?'], &['。', '！', '？']) {
        let before = &text[start..end];
        let abbreviated =
            ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "No.", "resp.", "incl.", "max.", "min."]
                .iter()
                .any(|word| before.ends_with(word));
        let next = text[end..].trim_start().chars().next();
        // A name begins small and begins a sentence: `compact.rs never checks`.
        let word = text[end..].split_whitespace().next().unwrap_or("");
        let name = word.trim_end_matches(['.', ',', ':']).contains(['.', '_', '/', '(']);
        let small = next.is_some_and(char::is_lowercase) && !name;
        if abbreviated || (small && !begins_small(before, word)) {
            continue;
        }
        parts.push(before.trim());
        start = end;
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether a word in small letters begins a sentence: after a whole word and a stop, one that orders or points.
fn begins_small(before: &str, word: &str) -> bool {
    const BEGIN: &[&str] = &[
        "always",
        "now",
        "never",
        "don't",
        "don’t",
        "do",
        "use",
        "please",
        "prefer",
        "avoid",
        "let's",
        "lets",
        "we",
        "i",
        "it",
        "this",
        "that",
        "the",
        "then",
        "also",
        "and",
        "but",
        "so",
        "no",
        "yes",
        "ok",
        "you",
        "from",
        "stick",
        "keep",
        "go",
        "make",
        "run",
        "add",
        "fix",
        "why",
        "what",
        "how",
        "can",
        "there",
        "decision:",
    ];
    let last = before.trim_end_matches(['.', '!', '?']).rsplit(char::is_whitespace).next().unwrap_or("");
    let whole = last.len() > 1 && last.chars().all(char::is_alphanumeric);
    whole && BEGIN.contains(&word.trim_end_matches([',', '.', '!', '?']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_its_words_whatever_brackets_a_path_holds() {
        for (text, plain) in [
            ("See [cart.ts:12](/home/user/shop/cart.ts) first", "See cart.ts:12 first"),
            ("See [[id]/page.tsx](/home/user/app/(shop)/[id]/page.tsx) first", "See [id]/page.tsx first"),
            ("an [open](link", "an [open](link"),
        ] {
            assert_eq!(unmarked(text), plain);
        }
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        let text = "Fixed it. The cause was `a.b. C` in v1.2.3, e.g. here.\n\n## Next steps\n- Add docs. Then ship.\n```\ncode. Here\n```\nBye";
        let found: Vec<_> =
            sentences(text).into_iter().map(|sentence| (sentence.text, sentence.heading)).collect();
        let expected = [
            ("Fixed it.", ""),
            ("The cause was `a.b. C` in v1.2.3, e.g. here.", ""),
            ("Add docs. Then ship.", "next steps"),
            ("Bye", "next steps"),
        ];
        assert_eq!(found, expected.map(|(text, heading)| (text.to_owned(), heading.to_owned())));
    }
}
