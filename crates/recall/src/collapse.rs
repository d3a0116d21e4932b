//! One answer said twice is one answer: of hits that are nearly the same, the first stays. And what was superseded
//! stands behind its successor. Changes the order and what is shown, never a score.

use std::collections::{HashMap, HashSet};

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
    /// Terms of the text, in any order.
    pub terms: Vec<String>,
    pub superseded_by: Option<u64>,
}

/// Which entries stay, by position, in their new order; and with each, those it stands for.
pub fn collapse(entries: &[Entry]) -> Vec<(usize, Vec<usize>)> {
    let sets: Vec<HashSet<&str>> =
        entries.iter().take(COMPARED).map(|entry| entry.terms.iter().map(String::as_str).collect()).collect();
    let mut kept: Vec<(usize, Vec<usize>)> = Vec::new();
    for at in 0..entries.len() {
        let twin = sets.get(at).and_then(|set| kept.iter().position(|(first, _)| same(&sets[*first], set)));
        match twin {
            Some(twin) => kept[twin].1.push(at),
            None => kept.push((at, Vec::new())),
        }
    }
    behind_successors(entries, &mut kept);
    kept
}

fn same(a: &HashSet<&str>, b: &HashSet<&str>) -> bool {
    let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
    // The larger alone rules most pairs out.
    if small.len() < MIN_WORDS || (small.len() as f64) < SAME * large.len() as f64 {
        return false;
    }
    let both = small.intersection(large).count();
    both as f64 >= SAME * (a.len() + b.len() - both) as f64
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
        Entry { id, terms: text.split(' ').map(str::to_owned).collect(), superseded_by }
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
