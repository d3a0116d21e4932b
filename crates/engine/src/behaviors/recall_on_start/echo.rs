//! What one note has said so far, so that it does not say it twice in other words. Compares words and understands
//! nothing: a number or a denial that was not said keeps a line.

use std::collections::HashSet;

/// Of a line's words, in percent, that one line above must hold.
const SAID: usize = 80;
/// Shorter words carry no meaning of their own, unless they count or deny.
const LEAST_WORD: usize = 3;
/// Words of a line that are compared; a note's lines are shorter.
const MAX_WORDS: usize = 120;
/// Lines that are remembered; a note has fewer.
const MAX_LINES: usize = 200;
const DENIALS: &[&str] = &["no", "not", "never", "none", "without", "don", "cannot"];
const FILLERS: &[&str] = &["the", "and", "that", "this", "was", "were", "are", "has", "have", "with", "for"];

#[derive(Debug, Default)]
pub(super) struct Said {
    lines: Vec<HashSet<String>>,
}

impl Said {
    pub(super) fn add(&mut self, text: &str) {
        let words = words(text);
        if !words.is_empty() && self.lines.len() < MAX_LINES {
            self.lines.push(words);
        }
    }

    /// Whether one line above says it. What has no words says nothing new.
    pub(super) fn has(&self, text: &str) -> bool {
        let words = words(text);
        words.is_empty() || self.lines.iter().any(|line| holds(line, &words))
    }
}

/// Whether a text says nothing that the other does not.
pub(super) fn is_said_by(text: &str, other: &str) -> bool {
    holds(&words(other), &words(text))
}

fn holds(line: &HashSet<String>, words: &HashSet<String>) -> bool {
    let said = words.iter().filter(|word| line.contains(*word)).count();
    said * 100 >= words.len() * SAID && words.iter().all(|word| !is_decisive(word) || line.contains(word))
}

fn is_decisive(word: &str) -> bool {
    DENIALS.contains(&word) || word.bytes().any(|byte| byte.is_ascii_digit())
}

fn words(text: &str) -> HashSet<String> {
    text.split(|sign: char| !sign.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| is_decisive(word) || word.chars().count() >= LEAST_WORD)
        .filter(|word| !FILLERS.contains(&word.as_str()))
        .take(MAX_WORDS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_other_order_is_said_and_one_that_denies_or_counts_is_not() {
        let mut said = Said::default();
        said.add("Sessions are kept in Postgres, port 5432, because Redis lost them on restart.");
        assert!(said.has("Because Redis lost them on restart, sessions are kept in Postgres"));
        assert!(said.has("…"));
        assert!(!said.has("Sessions are not kept in Postgres"));
        assert!(!said.has("Sessions are kept in Postgres, port 5433"));
        assert!(!said.has("Postgres is backed up every night"));
    }
}
