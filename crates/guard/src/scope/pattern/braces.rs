//! `{a,b}` written out: `x{a,b}` is `xa` and `xb`, as a shell does it.

use super::PatternError;

/// More is no pattern that somebody reads.
pub(super) const MAX_ALTERNATIVES: usize = 1024;

pub(super) fn expand(text: &str) -> Result<Vec<String>, PatternError> {
    let mut reader = Reader { characters: text.chars().collect(), at: 0 };
    reader.sequence(false)
}

struct Reader {
    characters: Vec<char>,
    at: usize,
}

impl Reader {
    /// Up to the end, or inside of braces up to `,` or `}`.
    fn sequence(&mut self, inside: bool) -> Result<Vec<String>, PatternError> {
        let mut all = vec![String::new()];
        while let Some(&character) = self.characters.get(self.at) {
            match character {
                '\\' => {
                    push(&mut all, character);
                    self.at += 1;
                    let Some(&escaped) = self.characters.get(self.at) else { break };
                    push(&mut all, escaped);
                }
                // Braces in a class are characters.
                '[' => {
                    let end = class_end(&self.characters, self.at).ok_or(PatternError::OpenClass)?;
                    for at in self.at..end {
                        push(&mut all, self.characters[at]);
                    }
                    self.at = end - 1;
                }
                '{' => {
                    self.at += 1;
                    let choices = self.choices()?;
                    if all.len() * choices.len() > MAX_ALTERNATIVES {
                        return Err(PatternError::TooMany);
                    }
                    all = all
                        .iter()
                        .flat_map(|head| choices.iter().map(move |choice| format!("{head}{choice}")))
                        .collect();
                    continue;
                }
                ',' | '}' if inside => break,
                _ => push(&mut all, character),
            }
            self.at += 1;
        }
        Ok(all)
    }

    fn choices(&mut self) -> Result<Vec<String>, PatternError> {
        let mut choices = Vec::new();
        loop {
            choices.extend(self.sequence(true)?);
            if choices.len() > MAX_ALTERNATIVES {
                return Err(PatternError::TooMany);
            }
            match self.characters.get(self.at) {
                Some(',') => self.at += 1,
                Some('}') => {
                    self.at += 1;
                    return Ok(choices);
                }
                _ => return Err(PatternError::OpenBrace),
            }
        }
    }
}

fn push(all: &mut [String], character: char) {
    for one in all {
        one.push(character);
    }
}

/// Behind the `]` of a class that begins here. A `]` that is its first member is one.
pub(super) fn class_end(characters: &[char], open: usize) -> Option<usize> {
    let mut at = open + 1;
    if matches!(characters.get(at), Some('!' | '^')) {
        at += 1;
    }
    if characters.get(at) == Some(&']') {
        at += 1;
    }
    loop {
        match characters.get(at)? {
            ']' => return Some(at + 1),
            '\\' => at += 2,
            '[' if characters.get(at + 1) == Some(&':') => {
                let rest = &characters[at + 2..];
                match rest.windows(2).position(|pair| pair == [':', ']']) {
                    Some(length) => at += length + 4,
                    None => at += 1,
                }
            }
            _ => at += 1,
        }
    }
}
