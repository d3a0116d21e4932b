//! Patterns over paths, as the scope file writes them. Characters, not bytes; time linear in pattern times path, whatever
//! is written. Knows no folder: it is given a path with slashes, relative to where the pattern stands.

mod braces;
mod glob;

use std::sync::OnceLock;

use unicode_normalization::{UnicodeNormalization, is_nfc_quick};

use glob::Glob;

/// What is wrong with a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("it is empty")]
    Empty,
    #[error("a \"[\" is not closed; write \"\\[\" for the character")]
    OpenClass,
    #[error("the range {0}-{1} runs backwards")]
    Backwards(char, char),
    #[error("a \"{{\" is not closed; write \"\\{{\" for the character")]
    OpenBrace,
    #[error("its braces have more than {} alternatives", braces::MAX_ALTERNATIVES)]
    TooMany,
    #[error("it ends in a backslash that escapes nothing")]
    OpenEscape,
    #[error("it is longer than {MAX_LENGTH} characters")]
    TooLong,
    #[error("it has a \"{0}\" between slashes, which no path that is matched has; leave it out")]
    Dots(&'static str),
}

/// No path is longer.
const MAX_LENGTH: usize = 4096;

#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    negated: bool,
    anchored: bool,
    /// Made when a path begins as it does: of ten thousand, few are ever needed.
    globs: OnceLock<Vec<Glob>>,
}

/// A path to hold against patterns.
#[derive(Debug, Clone)]
pub struct Subject {
    /// From the folder the patterns stand in; `None`: it is not below it.
    whole: Option<Vec<char>>,
    name: Vec<char>,
    /// Where it lies, `A` and `a` are the same.
    folds: bool,
}

impl Subject {
    pub fn new(relative: Option<&str>, name: &str, folds: bool) -> Self {
        let characters = |text: &str| -> Vec<char> {
            let text = composed(text);
            if folds { text.chars().flat_map(char::to_lowercase).collect() } else { text.chars().collect() }
        };
        Self { whole: relative.map(characters), name: characters(name), folds }
    }
}

impl Subject {
    /// Below the folder the patterns stand in.
    pub const fn is_inside(&self) -> bool {
        self.whole.is_some()
    }
}

impl Pattern {
    pub fn read(text: &str) -> Result<Self, PatternError> {
        let (negated, body) = match text.strip_prefix('!') {
            Some(body) => (true, body),
            None => (false, text),
        };
        if body.trim_matches('/').is_empty() {
            return Err(PatternError::Empty);
        }
        if body.len() > MAX_LENGTH && body.chars().nth(MAX_LENGTH).is_some() {
            return Err(PatternError::TooLong);
        }
        let pattern =
            Self { text: text.to_owned(), negated, anchored: body.contains('/'), globs: OnceLock::new() };
        // What may be wrong is found now, not when it is needed.
        if !is_plain(pattern.body()) || may_have_dots(pattern.body()) {
            let _ = pattern.globs.set(pattern.written_out()?);
        }
        Ok(pattern)
    }

    /// Without what is said before it.
    fn body(&self) -> &str {
        let body = self.text.strip_prefix('!').unwrap_or(&self.text);
        body.strip_prefix('/').unwrap_or(body)
    }

    fn written_out(&self) -> Result<Vec<Glob>, PatternError> {
        let body = composed(self.body());
        // A folder stands for what is in it.
        let body = if body.ends_with('/') { body + "**" } else { body };
        let read = |one: &str| match dots(one) {
            Some(dots) => Err(PatternError::Dots(dots)),
            None => Glob::read(one),
        };
        if body.contains('{') {
            braces::expand(&body)?.iter().map(|one| read(one)).collect()
        } else {
            Ok(vec![read(&body)?])
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub const fn is_negated(&self) -> bool {
        self.negated
    }

    /// Whether the path is one it names, negated or not.
    pub fn names(&self, subject: &Subject) -> bool {
        let path = if self.anchored { subject.whole.as_deref() } else { Some(subject.name.as_slice()) };
        path.is_some_and(|path| {
            (self.globs.get().is_some() || self.begins(path, subject.folds))
                && self.globs().iter().any(|glob| glob.matches(path, subject.folds))
        })
    }

    fn globs(&self) -> &[Glob] {
        self.globs.get_or_init(|| self.written_out().expect("nothing can be wrong with a plain pattern"))
    }

    /// Whether a path begins as a plain pattern does, up to what is not a character.
    fn begins(&self, path: &[char], folds: bool) -> bool {
        let head = self.body().bytes().map(char::from).take_while(|one| !matches!(one, '*' | '?' | '{'));
        let mut ahead = path.iter();
        let mut head = head.map(|one| if folds { one.to_ascii_lowercase() } else { one });
        head.all(|one| ahead.next() == Some(&one))
    }
}

/// Where reading can find nothing wrong: no class, nothing escaped, braces that are few, closed and not nested.
fn is_plain(body: &str) -> bool {
    let mut alternatives: usize = 1;
    let mut inside: Option<usize> = None;
    for byte in body.bytes() {
        match (byte, inside) {
            (b'\\' | b'[' | 0x80.., _) | (b'{', Some(_)) => return false,
            (b'{', None) => inside = Some(1),
            (b',', Some(choices)) => inside = Some(choices + 1),
            (b'}', Some(choices)) => (alternatives, inside) = (alternatives.saturating_mul(choices), None),
            _ => {}
        }
    }
    inside.is_none() && alternatives <= braces::MAX_ALTERNATIVES
}

/// A part that is `.` or `..`: real paths have none, so the pattern would name nothing.
fn dots(body: &str) -> Option<&'static str> {
    body.split('/').find_map(|part| match part.replace('\\', "").as_str() {
        "." => Some("."),
        ".." => Some(".."),
        _ => None,
    })
}

/// Whether it is worth a closer look.
fn may_have_dots(body: &str) -> bool {
    body.ends_with('.') || ["./", ".}", ".,", ".{"].iter().any(|end| body.contains(end))
}

/// The one that decides: the last of a list that names the path.
pub(super) fn last<'a, P>(list: &'a [P], subject: &Subject, of: impl Fn(&P) -> &Pattern) -> Option<&'a P> {
    list.iter().rev().find(|item| of(item).names(subject))
}

/// `é` may be written as one character or as two; a file system that tells them apart does not help a person who cannot.
fn composed(text: &str) -> String {
    if text.is_ascii() || is_nfc_quick(text.chars()) == unicode_normalization::IsNormalized::Yes {
        text.to_owned()
    } else {
        text.nfc().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pattern: &str, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        Pattern::read(pattern).unwrap().names(&Subject::new(Some(path), name, false))
    }

    #[test]
    fn patterns_name_what_their_rules_say() {
        for (pattern, path, expected) in [
            ("*.ts", "a.ts", true),
            ("*.ts", "src/deep/a.ts", true),
            ("a.ts", "src/a.ts", true),
            ("src", "src/a.ts", false),
            ("/a.ts", "src/a.ts", false),
            ("/a.ts", "a.ts", true),
            ("src/*", "src/a.ts", true),
            ("src/*", "src/deep/a.ts", false),
            ("src/*", "src", false),
            ("src/**", "src/deep/a.ts", true),
            ("src/**", "src", false),
            ("src/", "src/deep/a.ts", true),
            ("src/**/a.ts", "src/a.ts", true),
            ("src/**/a.ts", "src/x/y/a.ts", true),
            ("src/**/a.ts", "srcx/a.ts", false),
            ("**/a.ts", "a.ts", true),
            ("**/a.ts", "x/y/a.ts", true),
            ("**/a.ts", "x/ya.ts", false),
            ("**", "x/y", true),
            ("src/?.ts", "src/é.ts", true),
            ("src/?.ts", "src/e\u{301}.ts", true),
            ("src/?.ts", "src/ab.ts", false),
            ("src/a?b", "src/a/b", false),
            ("src/{a,b}.ts", "src/b.ts", true),
            ("src/{,sub/}a.ts", "src/a.ts", true),
            ("src/{,sub/}a.ts", "src/sub/a.ts", true),
            ("{,sub/}a.ts", "x/a.ts", false),
            ("src/{a,{b,c}d}.ts", "src/cd.ts", true),
            ("src/{b/**,a}/c", "src/b/c", true),
            ("src/[a-c].ts", "src/b.ts", true),
            ("src/[!a-c].ts", "src/b.ts", false),
            ("src/[^a-c].ts", "src/d.ts", true),
            ("src/[]x].ts", "src/].ts", true),
            ("src[/]a.ts", "src/a.ts", false),
            ("src/[[:digit:]].ts", "src/7.ts", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("\\!a", "!a", true),
            ("\\{a,b}", "{a,b}", true),
            ("a**b", "axxb", true),
            ("x/a**b", "x/a/b", false),
            ("src/**/**/a", "src/a", true),
            ("src/.*", "src/.env", true),
            ("src/*", "src/.env", true),
            ("caf\u{e9}", "cafe\u{301}", true),
        ] {
            assert_eq!(names(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        for (pattern, error) in [
            ("", PatternError::Empty),
            ("!", PatternError::Empty),
            ("/", PatternError::Empty),
            ("src/[a", PatternError::OpenClass),
            ("src/[z-a]", PatternError::Backwards('z', 'a')),
            ("src/{a,b", PatternError::OpenBrace),
            ("a\\", PatternError::OpenEscape),
            ("./src/**", PatternError::Dots(".")),
            ("a/../b", PatternError::Dots("..")),
            ("..", PatternError::Dots("..")),
            ("{src,.}/a", PatternError::Dots(".")),
            ("!./src", PatternError::Dots(".")),
        ] {
            assert_eq!(Pattern::read(pattern).unwrap_err(), error, "{pattern}");
        }
        for pattern in ["a./b", "...", ".x/.y", "a.", "{a.,b}/c", "..a/b"] {
            assert!(Pattern::read(pattern).is_ok(), "{pattern}");
        }
        assert_eq!(Pattern::read(&"{a,b}".repeat(40)).unwrap_err(), PatternError::TooMany);
        assert_eq!(Pattern::read(&"a".repeat(5000)).unwrap_err(), PatternError::TooLong);
    }

    #[test]
    fn where_case_does_not_count_it_does_not_count() {
        let subject = Subject::new(Some("SRC/Secret.TXT"), "Secret.TXT", true);
        for pattern in ["src/secret.txt", "Src/*.TXT", "secret.t[w-x]t", "SECRET.*"] {
            assert!(Pattern::read(pattern).unwrap().names(&subject), "{pattern}");
        }
    }

    #[test]
    fn stars_upon_stars_do_not_take_forever() {
        let path = "a".repeat(2000);
        assert!(!names(&("*a".repeat(200) + "b"), &path));
        assert!(!names(&("**/".repeat(200) + "b"), &"a/".repeat(900)));
    }

    proptest::proptest! {
        #[test]
        fn a_pattern_that_is_written_out_late_names_what_it_would_have_named(
            text in "[!/]{0,2}[abA*?{},/.]{1,12}",
            path in "[abA/.,}]{1,12}",
            folds: bool,
        ) {
            if let Ok(late) = Pattern::read(&text) {
                let early = late.clone();
                // A plain pattern is always read; any other was read above.
                let _ = early.globs.set(early.written_out().unwrap());
                let subject = Subject::new(Some(&path), path.rsplit('/').next().unwrap(), folds);
                proptest::prop_assert_eq!(late.names(&subject), early.names(&subject));
            }
        }
    }
}
