//! Full text: terms that were analyzed elsewhere, found by BM25. Knows no language and no question: it takes terms
//! between spaces, and gives the best rows for some of them.

use std::collections::{BTreeSet, BinaryHeap};

use model::MemoryId;
use rusqlite::{OptionalExtension, params};

use super::batch::number;
use super::read::unsigned;
use super::{Batch, Tables, sort};
use crate::StoreError;

/// One memory's terms, each field between spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    pub title: String,
    pub body: String,
    pub names: String,
    pub keys: String,
    pub context: String,
}

/// What a field counts for; a term in a title is worth two in the body. Neighbors count a little: enough to find a
/// turn that speaks of what the one before it named, not enough to put it ahead of that one.
const WEIGHTS: &str = "3.0, 1.0, 1.0, 0.7, 0.2";

/// Every so many memories one is counted into `term_samples`.
const SAMPLE: u64 = 16;

/// A row and how well it fits; higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    pub n: u64,
    pub score: f32,
}

/// What the terms of a memory are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbor {
    pub n: u64,
    pub text: String,
}

/// What a ranking shows and weighs, without the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    pub n: u64,
    pub id: MemoryId,
    pub external_id: Option<String>,
    pub kind: String,
    pub title: String,
    pub at: u64,
    pub session: Option<String>,
    pub project: Option<String>,
    pub project_key: Option<String>,
    pub branch: Option<String>,
    pub urgent: bool,
    pub critical: bool,
    pub pinned: bool,
    pub hits: u64,
    pub prevented: u64,
    pub superseded_by: Option<MemoryId>,
    pub written_by: String,
    pub tools: Vec<String>,
    /// What reading it costs.
    pub tokens: u32,
    /// The text up to the length that was asked for.
    pub beginning: String,
}

impl Batch<'_> {
    /// Files a memory under its terms, in place of what it was filed under.
    pub fn put_terms(&mut self, n: u64, terms: &Terms) -> Result<(), StoreError> {
        self.drop_terms(n)?;
        self.run(
            "INSERT INTO terms (rowid, title, body, names, keys, context) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![number(n), terms.title, terms.body, terms.names, terms.keys, terms.context],
        )?;
        if n.is_multiple_of(SAMPLE) {
            let all = [&terms.title, &terms.body, &terms.names, &terms.keys];
            let distinct: BTreeSet<&str> = all.iter().flat_map(|field| field.split(' ')).collect();
            for term in distinct.into_iter().filter(|term| !term.is_empty()) {
                self.run(
                    "INSERT INTO term_samples (term, docs) VALUES (?1, 1)
                     ON CONFLICT (term) DO UPDATE SET docs = docs + 1",
                    [term],
                )?;
            }
        }
        Ok(())
    }

    pub fn drop_terms(&mut self, n: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM terms WHERE rowid = ?1", [number(n)])?;
        Ok(())
    }

    /// Every memory is to be filed again, by its terms and by its vectors.
    pub fn file_anew(&mut self) -> Result<(), StoreError> {
        self.run("INSERT OR IGNORE INTO terms_due (n) SELECT n FROM memories", [])?;
        self.run("INSERT OR IGNORE INTO vectors_due (n) SELECT n FROM memories", [])?;
        Ok(())
    }

    /// Memories whose terms are due, oldest first.
    pub fn terms_due(&self, limit: usize) -> Result<Vec<u64>, StoreError> {
        self.rows("SELECT n FROM terms_due ORDER BY n LIMIT ?1", [limit as i64], |row| unsigned(row, 0))
    }

    pub fn terms_done(&mut self, n: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM terms_due WHERE n = ?1", [number(n)])?;
        Ok(())
    }

    /// The memories of the same kind directly before and after this one in its session.
    pub fn neighbors(&self, n: u64) -> Result<[Option<Neighbor>; 2], StoreError> {
        let side = |compare: &str, order: &str| {
            let sql = format!(
                "SELECT other.n, other.text FROM memories AS mine JOIN memories AS other
                     ON other.session = mine.session AND other.kind = mine.kind
                     AND (other.at, other.n) {compare} (mine.at, mine.n)
                 WHERE mine.n = ?1 ORDER BY other.at {order}, other.n {order} LIMIT 1"
            );
            let read = |row: &rusqlite::Row<'_>| Ok(Neighbor { n: unsigned(row, 0)?, text: row.get(1)? });
            Ok::<_, StoreError>(self.rows(&sql, [number(n)], read)?.pop())
        };
        Ok([side("<", "DESC")?, side(">", "ASC")?])
    }
}

impl Tables {
    /// The best rows for an FTS5 expression (see [`any_of`]), best first. What `wanted` refuses is passed over, not
    /// counted: a filter leaves fewer rows only if there are no more.
    pub fn lexical(
        &self,
        expression: &str,
        limit: usize,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<Scored>, StoreError> {
        if expression.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT rowid, -bm25(terms, {WEIGHTS}) FROM terms WHERE terms MATCH ?1");
        let mut best = Best { limit, heap: BinaryHeap::with_capacity(limit + 1) };
        let mut fill = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query([expression])?;
            // Unsorted, because sorting every match costs more than keeping the best of them.
            while let Some(row) = rows.next()? {
                let n = unsigned(row, 0)?;
                let score: f64 = row.get(1)?;
                best.offer(n, score as f32, wanted);
            }
            Ok(())
        };
        fill().map_err(|e| sort(&self.path, e))?;
        Ok(best.sorted())
    }

    /// In how many memories each term occurs, about. Terms that are not frequent are left out.
    pub fn frequent_terms(&self, at_least: u64) -> Result<Vec<(String, u64)>, StoreError> {
        self.connection
            .prepare_cached("SELECT term, docs FROM term_samples WHERE docs >= ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([number((at_least / SAMPLE).max(1))], |row| {
                        Ok((row.get(0)?, unsigned(row, 1)? * SAMPLE))
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// In about how many memories a term occurs; 0 if in few.
    pub fn holding(&self, term: &str) -> Result<u64, StoreError> {
        self.connection
            .prepare_cached("SELECT docs FROM term_samples WHERE term = ?1")
            .and_then(|mut statement| statement.query_row([term], |row| unsigned(row, 0)).optional())
            .map(|docs| docs.unwrap_or(0) * SAMPLE)
            .map_err(|e| sort(&self.path, e))
    }

    /// In how many memories a term occurs, counted no further than `most`.
    pub fn count_holding(&self, term: &str, most: usize) -> Result<u64, StoreError> {
        self.connection
            .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM terms WHERE terms MATCH ?1 LIMIT ?2)")
            .and_then(|mut statement| {
                statement.query_row(params![any_of([term]), most as i64], |row| unsigned(row, 0))
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Whether any memory holds the term.
    pub fn is_term(&self, term: &str) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached("SELECT 1 FROM terms WHERE terms MATCH ?1 LIMIT 1")
            .and_then(|mut statement| statement.exists([any_of([term])]))
            .map_err(|e| sort(&self.path, e))
    }

    /// How many memories wait for their terms.
    pub fn count_terms_due(&self) -> Result<u64, StoreError> {
        self.connection
            .prepare_cached("SELECT count(*) FROM terms_due")
            .and_then(|mut statement| statement.query_row([], |row| unsigned(row, 0)))
            .map_err(|e| sort(&self.path, e))
    }

    /// What a ranking needs of a memory, and the first `chars` of its text. `None`: it is gone.
    pub fn card(&self, n: u64, chars: usize) -> Result<Option<Card>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT n, id, external_id, kind, title, at, session, project, project_key, branch, urgency, critical,
                     pinned, hits, prevented, superseded_by, substr(text, 1, ?2), tokens, written_by, tools
                 FROM memories WHERE n = ?1",
            )
            .and_then(|mut statement| {
                let read = |row: &rusqlite::Row<'_>| {
                    Ok(Card {
                        n: unsigned(row, 0)?,
                        id: MemoryId::from_u64(unsigned(row, 1)?),
                        external_id: row.get(2)?,
                        kind: row.get(3)?,
                        title: row.get(4)?,
                        at: unsigned(row, 5)?,
                        session: row.get(6)?,
                        project: row.get(7)?,
                        project_key: row.get(8)?,
                        branch: row.get(9)?,
                        urgent: row.get(10)?,
                        critical: row.get(11)?,
                        pinned: row.get(12)?,
                        hits: unsigned(row, 13)?,
                        prevented: unsigned(row, 14)?,
                        superseded_by: row
                            .get::<_, Option<i64>>(15)?
                            .map(|id| MemoryId::from_u64(id.cast_unsigned())),
                        beginning: row.get(16)?,
                        tokens: u32::try_from(unsigned(row, 17)?).unwrap_or(u32::MAX),
                        written_by: row.get(18)?,
                        tools: super::memory_rows::read_list(row, 19)?,
                    })
                };
                statement.query_row(params![number(n), chars as i64], read).optional()
            })
            .map_err(|e| sort(&self.path, e))
    }
}

/// Terms and phrases as an expression that any of them satisfies. Each is quoted: nothing in it is an operator.
pub fn any_of<'a>(terms: impl IntoIterator<Item = &'a str>) -> String {
    let mut expression = String::new();
    for term in terms {
        if !expression.is_empty() {
            expression.push_str(" OR ");
        }
        expression.push('"');
        expression.push_str(&term.replace('"', "\"\""));
        expression.push('"');
    }
    expression
}

struct Best {
    limit: usize,
    /// The worst of the best on top.
    heap: BinaryHeap<std::cmp::Reverse<Ranked>>,
}

/// Ordered by score, then by age: of equals the younger is better.
#[derive(PartialEq)]
struct Ranked(f32, u64);

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl Best {
    fn offer(&mut self, n: u64, score: f32, wanted: &dyn Fn(u64) -> bool) {
        let full = self.heap.len() == self.limit;
        if full && self.heap.peek().is_some_and(|worst| score <= worst.0.0) || !wanted(n) {
            return;
        }
        self.heap.push(std::cmp::Reverse(Ranked(score, n)));
        if full {
            self.heap.pop();
        }
    }

    fn sorted(self) -> Vec<Scored> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .map(|ranked| Scored { n: ranked.0.1, score: ranked.0.0 })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house() -> (tempfile::TempDir, Tables) {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::open(&folder.path().join("t.db")).unwrap();
        (folder, tables)
    }

    fn numbers(tables: &Tables, expression: &str, limit: usize, wanted: &dyn Fn(u64) -> bool) -> Vec<u64> {
        tables.lexical(expression, limit, wanted).unwrap().iter().map(|found| found.n).collect()
    }

    #[test]
    fn a_title_counts_more_than_a_body_and_a_neighbor_least() {
        let (_folder, mut tables) = house();
        let other = Terms { body: "b c d e".to_owned(), ..Terms::default() };
        tables
            .write(|batch| {
                batch.put_terms(1, &Terms { body: "token x".to_owned(), ..Terms::default() })?;
                batch.put_terms(
                    2,
                    &Terms { title: "token".to_owned(), body: "x".to_owned(), ..Terms::default() },
                )?;
                batch.put_terms(
                    3,
                    &Terms { context: "token".to_owned(), body: "x".to_owned(), ..Terms::default() },
                )?;
                (4..20).try_for_each(|n| batch.put_terms(n, &other))
            })
            .unwrap();
        assert_eq!(numbers(&tables, &any_of(["token"]), 10, &|_| true), [2, 1, 3]);
        assert_eq!(numbers(&tables, &any_of(["token"]), 1, &|n| n != 2), [1]);
        assert!(numbers(&tables, "", 10, &|_| true).is_empty());
        assert!(tables.is_term("token").unwrap() && !tables.is_term("tok").unwrap());
    }

    #[test]
    fn terms_are_replaced_and_dropped_without_a_trace() {
        let (_folder, mut tables) = house();
        for body in ["first", "second"] {
            let terms = Terms { body: body.to_owned(), ..Terms::default() };
            tables.write(|batch| batch.put_terms(16, &terms)).unwrap();
        }
        assert!(numbers(&tables, &any_of(["first"]), 10, &|_| true).is_empty());
        assert_eq!(numbers(&tables, &any_of(["second"]), 10, &|_| true), [16]);
        assert_eq!(tables.frequent_terms(16).unwrap().len(), 2);
        assert_eq!((tables.holding("second").unwrap(), tables.holding("third").unwrap()), (16, 0));
        tables.write(|batch| batch.drop_terms(16)).unwrap();
        assert!(numbers(&tables, &any_of(["second"]), 10, &|_| true).is_empty());
    }

    #[test]
    fn an_expression_holds_no_operator() {
        assert_eq!(any_of(["a", "b c", "d\"e"]), r#""a" OR "b c" OR "d""e""#);
        assert_eq!(any_of([]), "");
    }
}
