//! Which terms are in too many memories to be worth reading their lists. Knows counts, not meanings: a frequent word
//! is looked up only where a question has nothing rarer.

use std::collections::HashMap;

use recall::Query;
use store::{Tables, any_of};

use crate::Result;

/// A term in more than this share of the memories tells little and costs most.
const FREQUENT: f64 = 0.05;
/// Below this many memories every list is short.
const SMALL: u64 = 20_000;
/// Rows that all terms of a question together may bring, and one more for so many memories; the rarest come first.
/// A row costs a look at its length, which is most of a search; whatever else the question says is read in the
/// second look at the best of them.
const ROWS: u64 = 6_000;
const MEMORIES_PER_ROW: u64 = 100;
/// A term is frequent enough to be counted from one in so many memories.
const COUNTED: u64 = 200;
/// Terms looked up at most.
const TERMS: usize = 24;
/// Terms that are looked up however frequent they are, if there is nothing rarer.
const AT_LEAST: usize = 2;

#[derive(Debug, Default)]
pub(super) struct Lexicon {
    memories: u64,
    /// About how many memories hold the term; the frequent ones only.
    frequent: HashMap<String, u64>,
}

impl Lexicon {
    pub(super) fn load(tables: &Tables) -> Result<Self> {
        let memories = tables.count_memories()?;
        if memories < SMALL {
            return Ok(Self { memories, frequent: HashMap::new() });
        }
        let frequent = tables.frequent_terms(memories / COUNTED)?.into_iter().collect();
        Ok(Self { memories, frequent })
    }

    /// How many memories there were when it was loaded.
    pub(super) fn memories(&self) -> u64 {
        self.memories
    }

    /// The question for the index.
    pub(super) fn expression(&self, query: &Query) -> String {
        let phrases: Vec<String> = query.phrases.iter().map(|words| words.join(" ")).collect();
        let terms = query.names.iter().chain(&query.words).map(String::as_str);
        let chosen = self.choose(terms.collect());
        // Where every word is frequent, what holds both comes before what holds one of them.
        if let [one, other] = chosen[..]
            && phrases.is_empty()
            && self.rows(one).min(self.rows(other)) > self.room()
        {
            return format!("{} AND {}", any_of([one]), any_of([other]));
        }
        any_of(phrases.iter().map(String::as_str).chain(chosen))
    }

    fn rows(&self, term: &str) -> u64 {
        self.frequent.get(term).copied().unwrap_or(self.memories / (2 * COUNTED))
    }

    fn room(&self) -> u64 {
        ROWS + self.memories / MEMORIES_PER_ROW
    }

    fn choose<'a>(&self, mut terms: Vec<&'a str>) -> Vec<&'a str> {
        if self.frequent.is_empty() {
            terms.truncate(2 * TERMS);
            return terms;
        }
        terms.sort_by_key(|term| self.rows(term));
        let bar = (self.memories as f64 * FREQUENT) as u64;
        let mut total = 0;
        let kept = terms
            .iter()
            .take(TERMS)
            .enumerate()
            .take_while(|(at, term)| {
                total += self.rows(term);
                *at < AT_LEAST || (self.rows(term) <= bar && total <= self.room())
            })
            .count();
        terms.truncate(kept);
        terms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon(frequent: &[(&str, u64)]) -> Lexicon {
        let frequent = frequent.iter().map(|(term, rows)| ((*term).to_owned(), *rows)).collect();
        Lexicon { memories: 1_000_000, frequent }
    }

    #[test]
    fn frequent_terms_are_left_out_where_there_are_rarer_ones() {
        let lexicon = lexicon(&[("error", 400_000), ("test", 300_000), ("token", 30_000)]);
        assert_eq!(lexicon.choose(vec!["error", "token", "refresh", "test"]), ["refresh", "token"]);
        let ask = |text| lexicon.expression(&Query::read(text, 0));
        assert_eq!(ask("error test"), "\"test\" AND \"error\"");
        assert_eq!(ask("refresh test"), "\"refresh\" OR \"test\"");
        assert_eq!(lexicon.choose(vec!["error", "test"]), ["test", "error"]);
    }

    #[test]
    fn a_small_store_reads_every_term() {
        assert_eq!(Lexicon::default().choose(vec!["b", "a"]), ["b", "a"]);
    }
}
