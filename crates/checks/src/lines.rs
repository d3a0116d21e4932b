//! Which lines of a file are not as they were: enough to tell whose a finding is where no run was made before the edit.
//! Keeps a number for each line and none of the text.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A file with more lines is written by a machine.
const MAX_LINES: usize = 100_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines(Vec<u64>);

impl Lines {
    pub fn of(text: &str) -> Self {
        let number = |line: &str| {
            let mut hasher = DefaultHasher::new();
            line.trim_end().hash(&mut hasher);
            hasher.finish()
        };
        Self(text.lines().take(MAX_LINES).map(number).collect())
    }

    /// For every line whether it was written since. A line that was moved was not.
    pub(crate) fn changed_since(&self, before: &Self) -> Vec<bool> {
        let (now, was) = (&self.0, &before.0);
        let first = now.iter().zip(was).take_while(|(now, was)| now == was).count();
        let (now_rest, was_rest) = (&now[first..], &was[first..]);
        let last =
            now_rest.iter().rev().zip(was_rest.iter().rev()).take_while(|(now, was)| now == was).count();
        let mut spare: HashMap<u64, usize> = HashMap::new();
        for line in &was_rest[..was_rest.len() - last] {
            *spare.entry(*line).or_default() += 1;
        }
        let mut changed = vec![false; now.len()];
        for (at, line) in now_rest[..now_rest.len() - last].iter().enumerate() {
            let known = spare.get_mut(line).filter(|left| **left > 0);
            match known {
                Some(left) => *left -= 1,
                None => changed[first + at] = true,
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_were_written_are_told_from_those_that_moved() {
        let before = Lines::of("a\nb\nc\nd\n");
        let changed = |text: &str| Lines::of(text).changed_since(&before);
        assert_eq!(changed("a\nb\nc\nd\n"), [false; 4]);
        assert_eq!(changed("a\nnew\nb\nc\nd\n"), [false, true, false, false, false]);
        assert_eq!(changed("b\na\nx\nd\n"), [false, false, true, false]);
        assert_eq!(changed("a\nd\n"), [false, false]);
        assert_eq!(Lines::of("x\ny\n").changed_since(&Lines::default()), [true, true]);
    }
}
