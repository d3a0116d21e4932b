//! A pattern over a command's words: each of its words is a glob over one word, and a `*` at the end is any rest. Words
//! are what a shell makes of the text, so quotes and blanks change nothing.

use serde::{Deserialize, Deserializer, de};

/// Longer ones are scripts.
const MAX_CHARS: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    written: String,
    words: Vec<String>,
    /// It ends with `*`.
    is_open: bool,
}

impl Pattern {
    pub fn parse(written: &str) -> Result<Self, String> {
        if written.chars().count() > MAX_CHARS {
            return Err(format!("a pattern has at most {MAX_CHARS} characters"));
        }
        let mut words = split(written)?;
        let is_open = words.len() > 1 && words.last().is_some_and(|word| word == "*");
        if is_open {
            words.pop();
        }
        match words.first() {
            None => Err("a pattern needs at least the name of a program".to_owned()),
            Some(first) if first.trim_matches('*').is_empty() => {
                Err(format!("\"{written}\" would match every command; a pattern begins with a program"))
            }
            Some(_) => Ok(Self { written: written.to_owned(), words, is_open }),
        }
    }

    pub fn written(&self) -> &str {
        &self.written
    }

    pub(super) fn matches(&self, words: &[String]) -> bool {
        let fits =
            if self.is_open { words.len() >= self.words.len() } else { words.len() == self.words.len() };
        fits && self.words.iter().zip(words).all(|(pattern, word)| glob(pattern, word))
    }

    /// One of its words says this place: a folder stands before its first `*`.
    pub(super) fn names(&self, path: &str) -> bool {
        let has_folder =
            |word: &&String| word.split(['*', '?']).next().is_some_and(|known| known.contains('/'));
        self.words.iter().skip(1).filter(has_folder).any(|word| glob(word, path))
    }

    /// The same words, none of them a glob.
    pub(super) fn is_exactly(&self, words: &[String]) -> bool {
        !self.is_open && self.words == words && !self.words.iter().any(|word| word.contains(['*', '?']))
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(de::Error::custom)
    }
}

/// At blanks; quotes keep a word together.
fn split(written: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in written.chars() {
        match (quote, letter) {
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), letter) if open == letter => quote = None,
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(format!("a quote is not closed in {written}"));
    }
    words.extend(word);
    Ok(words)
}

/// `*` is any letters, `?` is one. Goes back to the last `*` alone, so it takes no more than pattern times text.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return pattern == text;
    }
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut back) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                back = Some((p, t));
                p += 1;
            }
            Some(letter) if *letter == '?' || *letter == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, command: &str, expected: bool) {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        assert_eq!(Pattern::parse(pattern).unwrap().matches(&words), expected, "{pattern} on {command}");
    }

    #[test]
    fn each_word_is_a_glob_and_the_last_star_any_rest() {
        check("cargo test *", "cargo test", true);
        check("cargo test *", "cargo test -p x", true);
        check("cargo test *", "cargo testx", false);
        check("cargo t*", "cargo test", true);
        check("cargo t*", "cargo test x", false);
        check("git * --force *", "git push --force origin", true);
        check("git * --force *", "git push origin --force", false);
        check("git status", "git status -s", false);
        check("npm run build:*", "npm run build:web", true);
        check("ls ?", "ls é", true);
    }

    #[test]
    fn what_is_no_pattern_is_said() {
        for pattern in ["", "  ", "*", "* x", "** *", "echo 'a"] {
            assert!(Pattern::parse(pattern).is_err(), "{pattern}");
        }
        assert_eq!(Pattern::parse("git commit -m 'a b'").unwrap().words, ["git", "commit", "-m", "a b"]);
    }
}
