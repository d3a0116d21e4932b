//! Text of strangers on its way to a terminal. What a session or a memory says may hold anything, also what moves a
//! cursor, renames a window or turns a line around: a pane can only be given text that went through here.

use engine::sanitize;

/// Text of a whole page; nobody scrolls further.
const MAX_PAGE: usize = 256 << 10;

/// Cannot move a cursor, and reads in the order it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Clean(String);

impl Clean {
    /// One line of at most so many characters.
    pub(crate) fn line(text: &str, most: usize) -> Self {
        // Escape sequences come in all lengths; of a giant no more is read than could be shown.
        let end = text.char_indices().nth(most.saturating_mul(8)).map_or(text.len(), |(end, _)| end);
        let text = sanitize(&without_sequences(&text[..end]));
        let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = words.char_indices().nth(most) {
            words.truncate(end);
            words.push('…');
        }
        Self(words)
    }

    /// Every line of a text.
    pub(crate) fn lines(text: &str) -> Vec<Self> {
        let end = (0..=text.len().min(MAX_PAGE)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let clean = sanitize(&without_sequences(&text[..end]));
        clean.lines().map(|line| Self(line.replace('\t', "    ").trim_end().to_owned())).collect()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Sequences that a terminal obeys are not even shown as text. What is left of a broken one is only letters.
fn without_sequences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let kind = match c {
            '\u{1b}' => rest.next(),
            // The same in one character.
            '\u{9b}' => Some('['),
            '\u{90}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => Some(']'),
            _ => {
                out.push(c);
                continue;
            }
        };
        match kind {
            // Up to a final letter; a sign that cannot be in one ends it.
            Some('[') => {
                while rest.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
                rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
            // A name for the window, a link, a picture: up to its end, on its line.
            Some(']' | 'P' | '_' | '^' | 'X') => {
                while rest.next_if(|c| !matches!(c, '\n' | '\u{7}' | '\u{1b}' | '\u{9c}')).is_some() {}
                match rest.peek() {
                    Some('\u{7}' | '\u{9c}') => drop(rest.next()),
                    Some('\u{1b}') => {
                        rest.next();
                        rest.next_if_eq(&'\\');
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a stranger may have stored, and what of it a person reads.
    const CORPUS: &[(&str, &str)] = &[
        ("plain", "plain"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}[2J\u{1b}[Hgone", "gone"),
        ("\u{9b}31mred", "red"),
        ("\u{1b}]0;owned\u{7}title", "title"),
        ("\u{1b}]0;owned\u{1b}\\title", "title"),
        ("\u{1b}]8;;http://e.example\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
        ("\u{1b}]52;c;ZXZpbA==\u{7}copied", "copied"),
        ("\u{9d}0;owned\u{9c}title", "title"),
        ("\u{1b}Pq#0;2;0;0;0\u{1b}\\picture", "picture"),
        ("\u{1b}c reset", "reset"),
        ("\u{1b}(0lines", "0lines"),
        ("a\rb\u{8}c\u{7}", "abc"),
        ("a\nb\tc", "a b c"),
        ("abc\u{202e}cba\u{202c}", "abccba"),
        ("\u{2066}iso\u{2069}", "iso"),
        ("ze\u{200b}ro\u{feff}\u{2060}", "zero"),
        ("unfinished\u{1b}[31", "unfinished"),
        ("unfinished\u{1b}", "unfinished"),
        ("\u{1b}[\u{1b}[31mtwice", "twice"),
        ("\u{1b}]no end", ""),
        ("\u{0}nul\u{7f}del\u{85}nel", "nuldelnel"),
        ("tag\u{e0041}\u{e007f}s", "tags"),
    ];

    #[test]
    fn whatever_is_stored_no_sequence_and_no_invisible_sign_gets_through() {
        for (text, shown) in CORPUS {
            assert_eq!(Clean::line(text, 100).as_str(), *shown, "{text:?}");
            for line in Clean::lines(text) {
                let is_harmless = |c: char| !c.is_control() && !('\u{200b}'..='\u{206f}').contains(&c);
                assert!(line.as_str().chars().all(is_harmless), "{text:?} became {line:?}");
            }
        }
    }

    #[test]
    fn a_line_is_cut_by_characters_and_a_page_at_its_bound() {
        assert_eq!(Clean::line("schöne Grüße", 4).as_str(), "schö…");
        assert_eq!(Clean::line("四四", 2).as_str(), "四四");
        assert_eq!(Clean::line("", 2).as_str(), "");
        let page = Clean::lines(&"ä\n".repeat(MAX_PAGE));
        assert!(page.len() <= MAX_PAGE / 3 + 1, "{}", page.len());
        assert_eq!(Clean::line(&"\u{1b}[31mx".repeat(1 << 20), 10).as_str().chars().count(), 11);
    }
}
