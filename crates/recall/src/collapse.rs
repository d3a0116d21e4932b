//! One answer said twice is one answer: of hits that say the same, one stays. And what was superseded stands behind
//! its successor. Changes the order and what is shown, never a score. Two texts that differ in a number, a name, a
//! sign or any word that says something are two answers, however much else they share: they may contradict.

use std::collections::HashMap;

use crate::analyze::is_emoji;
use crate::fold;

/// Texts of fewer words that say something are too short to be called the same: what they answer is elsewhere.
const MIN_WORDS: usize = 3;
/// Hits that are compared with each other: beyond them nobody looks.
const COMPARED: usize = 64;

/// Words that change nothing of what is said. Fewer than the stop words of a question: "before", "off", "not" and
/// "only" are among those.
const SILENT: &[&str] = &[
    "a", "also", "am", "an", "and", "are", "be", "been", "being", "had", "has", "have", "is", "just", "m",
    "re", "s", "that", "the", "then", "there", "this", "ve", "very", "was", "were",
];

/// A hit as far as this concerns it.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    pub id: u64,
    /// What it says; see [`said`]. `None`: too little to be compared.
    pub said: Option<u64>,
    pub superseded_by: Option<u64>,
    /// Of those that say the same it is the one to show: it happened in the time asked for.
    pub wanted: bool,
}

/// What texts say, as one number: their words in order, without case, marks, punctuation and the words that change
/// nothing.
pub fn said(texts: &[&str]) -> Option<u64> {
    let mut words = 0;
    let mut number = FNV_START;
    for text in texts {
        let mut before = ' ';
        let mut letters = text.chars().peekable();
        let mut word = String::new();
        while let Some(letter) = letters.next() {
            if letter.is_alphanumeric() {
                fold::push(letter, &mut word);
                if letters.peek().is_some_and(|next| next.is_alphanumeric()) {
                    continue;
                }
                if SILENT.binary_search(&word.as_str()).is_err() {
                    words += 1;
                    add(&mut number, &word);
                }
                word.clear();
            } else if is_telling(before, letter, letters.peek().copied().unwrap_or(' ')) {
                add(&mut number, letter.encode_utf8(&mut [0; 4]));
            }
            before = letter;
        }
    }
    (words >= MIN_WORDS).then_some(number)
}

/// Whether a sign is more than punctuation: `<` is not `>`, `-5` is not `5`, `!ready` is not `ready`.
fn is_telling(before: char, sign: char, next: char) -> bool {
    match sign {
        '<' | '>' | '%' | '$' | '=' | '*' | '^' | '~' => true,
        '-' | '+' => !before.is_alphanumeric() && next.is_ascii_digit(),
        '.' | ',' | ':' | '/' => before.is_ascii_digit() && next.is_ascii_digit(),
        '!' => next == '=' || next.is_alphanumeric(),
        _ => is_emoji(sign),
    }
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, with an end to every word.
fn add(number: &mut u64, word: &str) {
    for byte in word.bytes().chain([0xff]) {
        *number = (*number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

/// Which entries stay, by position, in their new order; and with each, those it stands for.
pub fn collapse(entries: &[Entry]) -> Vec<(usize, Vec<usize>)> {
    let mut kept: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let said = entry.said.filter(|_| at < COMPARED);
        if let Some(place) = said.and_then(|said| places.get(&said).copied()) {
            let (first, others) = &mut kept[place];
            others.push(at);
            if entry.wanted && !entries[*first].wanted {
                let last = others.len() - 1;
                others[last] = std::mem::replace(first, at);
            }
            continue;
        }
        if let Some(said) = said {
            places.insert(said, kept.len());
        }
        kept.push((at, Vec::new()));
    }
    behind_successors(entries, &mut kept);
    kept
}

fn behind_successors(entries: &[Entry], kept: &mut [(usize, Vec<usize>)]) {
    let mut places: HashMap<u64, usize> =
        kept.iter().enumerate().map(|(place, (at, _))| (entries[*at].id, place)).collect();
    for place in 0..kept.len() {
        let Some(successor) = entries[kept[place].0].superseded_by.and_then(|id| places.get(&id).copied())
        else {
            continue;
        };
        if successor > place {
            kept[place..=successor].rotate_left(1);
            // Places moved by one; a chain of successors is put right by the next round through the list.
            for (moved, (at, _)) in kept.iter().enumerate().take(successor + 1).skip(place) {
                places.insert(entries[*at].id, moved);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u64, text: &str, superseded_by: Option<u64>) -> Entry {
        Entry { id, said: said(&[text]), superseded_by, wanted: false }
    }

    fn order(entries: &[Entry]) -> Vec<u64> {
        collapse(entries).into_iter().map(|(at, _)| entries[at].id).collect()
    }

    #[test]
    fn the_first_of_the_same_stays_and_knows_the_others() {
        let text = "one two three four five six seven eight nine";
        let entries = [
            entry(1, text, None),
            entry(2, "other words", None),
            entry(3, text, None),
            entry(4, "other words", None),
        ];
        assert_eq!(collapse(&entries), [(0, vec![2]), (1, vec![]), (3, vec![])]);
    }

    #[test]
    fn texts_that_may_contradict_are_two() {
        let same = |a: &str, b: &str| said(&[a]).is_some() && said(&[a]) == said(&[b]);
        let text =
            "The backup of the production database runs every night at 3:00 on port 5432 (v1.2, -5 %).";
        assert!(same(text, text));
        assert!(same(
            text,
            "the backup of production database runs, every night at 3:00, on PORT 5432 v1.2 -5 %"
        ));
        for other in [
            text.replace("production", "staging"),
            text.replace("5432", "5433"),
            text.replace("every night", "never"),
            text.replace("runs", "does not run"),
            text.replace("at 3", "before 3"),
            text.replace("v1.2", "v12"),
            text.replace("-5", "5"),
            text.replace("night", "day"),
        ] {
            assert!(!same(text, &other), "{other}");
        }
        assert!(!same("tests can pass here", "tests can't pass here"));
        assert!(!same("assert that x < y holds", "assert that x > y holds"));
        assert!(!same("build of main branch ✅", "build of main branch ❌"));
        assert!(!same("alpha replaced beta entirely", "beta replaced alpha entirely"));
        assert_ne!(said(&["keys", "rotate every night"]), said(&["key", "rotate every night"]));
        assert!(SILENT.is_sorted());
    }

    #[test]
    fn of_the_same_the_one_from_the_time_asked_for_stays() {
        let text = "one two three four";
        let mut entries = [entry(1, text, None), entry(2, text, None), entry(3, text, None)];
        entries[1].wanted = true;
        assert_eq!(collapse(&entries), [(1, vec![0, 2])]);
    }

    #[test]
    fn superseded_stands_behind_its_successor() {
        let entries =
            [entry(1, "a", Some(3)), entry(2, "b", None), entry(3, "c", None), entry(4, "d", Some(9))];
        assert_eq!(order(&entries), [2, 3, 1, 4]);
    }

    #[test]
    fn a_circle_of_successors_ends() {
        let entries = [entry(1, "a", Some(2)), entry(2, "b", Some(1)), entry(3, "c", Some(3))];
        assert_eq!(order(&entries).len(), 3);
    }
}
