//! One pattern without braces, as a row of steps. All places it could be at are walked at once, so nothing is tried twice.

use super::PatternError;
use super::braces::class_end;

#[derive(Debug, Clone)]
enum Step {
    One(char),
    /// Any character but a slash.
    Any,
    /// Behind a pointer: few steps are one, and ten thousand patterns have many steps.
    Class(Box<Class>),
    /// Any number of characters but slashes.
    Star,
    /// `**/`: any number of whole folders.
    Folders,
    /// `**` at the end: at least one character of any kind.
    Rest,
}

#[derive(Debug, Clone)]
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
    named: Vec<fn(char) -> bool>,
}

#[derive(Debug, Clone)]
pub(super) struct Glob {
    /// How it begins, before anything that is not a character: most patterns of a long list part from a path here.
    head: Box<str>,
    steps: Vec<Step>,
}

impl Glob {
    pub(super) fn read(text: &str) -> Result<Self, PatternError> {
        let (head, rest) = text.split_at(text.find(['\\', '?', '[', '*']).unwrap_or(text.len()));
        let characters: Vec<char> = rest.chars().collect();
        let mut steps = Vec::new();
        let mut at = 0;
        while let Some(&character) = characters.get(at) {
            let before = if at == 0 { head.chars().next_back() } else { Some(characters[at - 1]) };
            let begins = before.is_none_or(|before| before == '/');
            match character {
                '\\' => {
                    at += 1;
                    steps.push(Step::One(*characters.get(at).ok_or(PatternError::OpenEscape)?));
                }
                '?' => steps.push(Step::Any),
                '[' => {
                    let end = class_end(&characters, at).ok_or(PatternError::OpenClass)?;
                    steps.push(Step::Class(Box::new(class(&characters[at + 1..end - 1])?)));
                    at = end - 1;
                }
                '*' => {
                    let length = characters[at..].iter().take_while(|star| **star == '*').count();
                    at += length - 1;
                    let next = characters.get(at + 1);
                    match next {
                        None if begins && length == 2 => steps.push(Step::Rest),
                        Some('/') if begins && length == 2 => {
                            // Folders upon folders are folders.
                            if !matches!(steps.last(), Some(Step::Folders)) {
                                steps.push(Step::Folders);
                            }
                            at += 1;
                        }
                        _ => steps.push(Step::Star),
                    }
                }
                _ => steps.push(Step::One(character)),
            }
            at += 1;
        }
        Ok(Self { head: head.into(), steps })
    }

    /// With `folds`, `path` is in small letters.
    pub(super) fn matches(&self, path: &[char], folds: bool) -> bool {
        let same = |a: char, b: char| a == b || folds && a.to_lowercase().eq(std::iter::once(b));
        let mut ahead = path.iter();
        if !self.head.chars().all(|one| ahead.next().is_some_and(|other| same(one, *other))) {
            return false;
        }
        let path = ahead.as_slice();
        if self.steps.is_empty() {
            return path.is_empty();
        }
        // Two places a step: at it, and inside of it (within a folder's name, behind the rest's first character).
        let end = self.steps.len() * 2;
        let mut here = vec![false; end + 1];
        let mut next = vec![false; end + 1];
        here[0] = true;
        for &character in path {
            self.skip(&mut here);
            next.fill(false);
            for (index, step) in self.steps.iter().enumerate() {
                let (at, inside) = (index * 2, index * 2 + 1);
                match step {
                    Step::One(one) => next[at + 2] |= here[at] && same(*one, character),
                    Step::Any => next[at + 2] |= here[at] && character != '/',
                    Step::Class(class) => next[at + 2] |= here[at] && class.has(character, folds),
                    Step::Star => next[at] |= here[at] && character != '/',
                    Step::Folders if character == '/' => next[at] |= here[inside],
                    Step::Folders | Step::Rest => next[inside] |= here[at] || here[inside],
                }
            }
            std::mem::swap(&mut here, &mut next);
            if !here.contains(&true) {
                return false;
            }
        }
        self.skip(&mut here);
        here[end] || matches!(self.steps.last(), Some(Step::Rest)) && here[end - 1]
    }

    /// Steps that may be nothing are passed over.
    fn skip(&self, here: &mut [bool]) {
        for (index, step) in self.steps.iter().enumerate() {
            if matches!(step, Step::Star | Step::Folders) && here[index * 2] {
                here[index * 2 + 2] = true;
            }
        }
    }
}

impl Class {
    fn has(&self, character: char, folds: bool) -> bool {
        let is_in = |c: char| {
            self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&c))
                || self.named.iter().any(|is| is(c))
        };
        let found = is_in(character) || folds && character.to_uppercase().any(is_in);
        character != '/' && found != self.negated
    }
}

fn class(inner: &[char]) -> Result<Class, PatternError> {
    let negated = matches!(inner.first(), Some('!' | '^'));
    let inner = &inner[usize::from(negated)..];
    let mut class = Class { negated, ranges: Vec::new(), named: Vec::new() };
    let mut at = 0;
    while at < inner.len() {
        if inner[at..].starts_with(&['[', ':'])
            && let Some(length) = inner[at + 2..].windows(2).position(|pair| pair == [':', ']'])
            && let Some(is) = named(&inner[at + 2..at + 2 + length])
        {
            class.named.push(is);
            at += length + 4;
            continue;
        }
        let low = member(inner, &mut at)?;
        // A dash at the end is one.
        if inner.get(at) == Some(&'-') && at + 1 < inner.len() {
            at += 1;
            let high = member(inner, &mut at)?;
            if low > high {
                return Err(PatternError::Backwards(low, high));
            }
            class.ranges.push((low, high));
        } else {
            class.ranges.push((low, low));
        }
    }
    Ok(class)
}

fn member(inner: &[char], at: &mut usize) -> Result<char, PatternError> {
    if inner.get(*at) == Some(&'\\') {
        *at += 1;
    }
    let character = *inner.get(*at).ok_or(PatternError::OpenEscape)?;
    *at += 1;
    Ok(character)
}

fn named(name: &[char]) -> Option<fn(char) -> bool> {
    let name: String = name.iter().collect();
    Some(match name.as_str() {
        "alpha" => char::is_alphabetic,
        "digit" => |c| c.is_ascii_digit(),
        "alnum" => char::is_alphanumeric,
        "upper" => char::is_uppercase,
        "lower" => char::is_lowercase,
        "space" => char::is_whitespace,
        "punct" => |c| c.is_ascii_punctuation(),
        "xdigit" => |c| c.is_ascii_hexdigit(),
        _ => return None,
    })
}
