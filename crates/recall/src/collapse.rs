//! One answer said twice is one answer: of hits that are nearly the same, the first stays. And what was superseded
//! stands behind its successor. Changes the order and what is shown, never a score.

use std::collections::HashMap;

/// Texts with fewer distinct words are too short to be called the same.
const MIN_WORDS: usize = 8;
/// Of the distinct words of two texts together, the share that is in both.
const SAME: f64 = 0.92;
/// Hits that are compared with each other: beyond them nobody looks, and the work grows with the square.
const COMPARED: usize = 64;

/// A hit as far as this concerns it.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    pub id: u64,
    /// Of its text; see [`signature`].
    pub words: Vec<u32>,
    pub superseded_by: Option<u64>,
}

/// The distinct words of a text as numbers, in order. Two words may share one; two texts do not by chance.
pub fn signature(text: &str) -> Vec<u32> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut numbers: Vec<u32> = words.map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// FNV-1a over the letters in lower case.
fn number(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
    })
}

/// Which entries stay, by position, in their new order; and with each, those it stands for.
pub fn collapse(entries: &[Entry]) -> Vec<(usize, Vec<usize>)> {
    let mut kept: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let twin =
            kept.iter().position(|(first, _)| at < COMPARED && same(&entries[*first].words, &entry.words));
        match twin {
            Some(twin) => kept[twin].1.push(at),
            None => kept.push((at, Vec::new())),
        }
    }
    behind_successors(entries, &mut kept);
    kept
}

fn same(a: &[u32], b: &[u32]) -> bool {
    let (few, many) = (a.len().min(b.len()), a.len().max(b.len()));
    // The lengths alone rule most pairs out.
    if few < MIN_WORDS || (few as f64) < SAME * many as f64 {
        return false;
    }
    let both = shared(a, b);
    both as f64 >= SAME * (a.len() + b.len() - both) as f64
}

fn shared(a: &[u32], b: &[u32]) -> usize {
    let (mut at, mut other, mut both) = (0, 0, 0);
    while at < a.len() && other < b.len() {
        match a[at].cmp(&b[other]) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => (at, other, both) = (at + 1, other + 1, both + 1),
        }
    }
    both
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
        Entry { id, words: signature(text), superseded_by }
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
