//! Whether a title says enough to be put in front of an agent. For memories that earlier rules have made and nothing can derive anew.

/// How an announcement, a receipt or a question begins, where something that was learned should stand.
const EMPTY_OPENINGS: &[&str] = &[
    "now i ",
    "now let",
    "let me",
    "let's ",
    "perfect",
    "great",
    "excellent",
    "good,",
    "good!",
    "okay",
    "ok,",
    "i see",
    "i have",
    "i'll",
    "i will",
    "i need to",
    "i now",
    "here is",
    "here's",
    "looking at",
    "asked:",
    "do you want",
    "would you like",
    "should i",
    "can you",
    "could you",
    "install lint",
    "install fmt",
    "install test",
    "plan agreed: #",
];

/// Fewer letters name a thing and say nothing of it.
const MIN_LETTERS: usize = 8;

/// False for a title that is a preamble, a question, a bare line of code or too short to mean anything.
pub fn is_worth_saying(title: &str) -> bool {
    let title = title.trim();
    let lower = title.to_lowercase();
    let letters = title.chars().filter(|letter| letter.is_alphabetic()).count();
    // Chinese, Japanese and Korean say a sentence in as many letters as English needs for a word.
    let is_terse = title.chars().any(|letter| {
        ('\u{2E80}'..='\u{9FFF}').contains(&letter) || ('\u{AC00}'..='\u{D7AF}').contains(&letter)
    });
    let is_long_enough = letters >= if is_terse { MIN_LETTERS / 2 } else { MIN_LETTERS };
    let is_code = title.starts_with('`') && title.ends_with('`') || title.ends_with([';', '{', '(']);
    is_long_enough
        && !is_code
        && !title.ends_with(['?', '？', ':'])
        && !EMPTY_OPENINGS.iter().any(|opening| lower.starts_with(opening))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_says_nothing_is_told_from_one_that_does() {
        for poor in [
            "Now I have a comprehensive understanding of the parser",
            "Let me check the tests",
            "Perfect! All tests pass",
            "Do you want me to update the plan",
            "Why does the exporter skip a row?",
            "`return sum`",
            "if (ready) {",
            "main.rs",
            "Install lint: `mise run lint`",
        ] {
            assert!(!is_worth_saying(poor), "{poor}");
        }
        for good in [
            "The exporter skipped the last row of every page",
            "Use 32 MiB segments instead of 8 MiB",
            "Ошибка была в чтении заголовка",
            "缓存没有过期时间",
            "Nowhere is the limit checked",
        ] {
            assert!(is_worth_saying(good), "{good}");
        }
    }
}
