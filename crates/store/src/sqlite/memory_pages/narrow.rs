//! One filter of a list of memories in two forms: as the index that finds its rows, and as a question to a row that was
//! found otherwise.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::super::batch::number;
use super::super::read::unsigned;
use super::super::{Tables, sort};
use super::{Leg, MemoryPage};
use crate::StoreError;

/// Rows that may be looked at one by one, or put in order, for one page: two milliseconds.
pub(super) const SMALL: usize = 1000;
/// Clones and worktrees of one project; each is a leg of its own.
const MAX_FAMILY: usize = 64;
/// The project a memory is filed under: its key, else its name.
pub(in super::super) const HOME: &str = "COALESCE(project_key, project)";
/// What stands behind the last slash of a path, exactly as its index has it.
const FILE_NAME: &str = "substr(path, length(rtrim(path, replace(path, '/', ''))) + 1)";

/// The distillers that need no model, one for each number of their rules.
const EXTRACTIVE: [&str; 3] = ["extractive/1", "extractive/2", "extractive/3"];

/// The path itself, or everything behind a slash of it: a range would need the beginning.
const ENDS: &str = "(path = ? OR substr(path, -length(?) - 1) = '/' || ?)";

#[derive(Debug, Clone)]
pub(super) struct Narrow {
    pub(super) legs: Vec<Leg>,
    /// A sign before a column keeps its index out of it.
    pub(super) check: Leg,
    /// The legs' index has the order of the list.
    pub(super) in_order: bool,
    /// The legs find what is not wanted.
    pub(super) except: bool,
    /// Where the numbers are without the memories, and without times.
    numbers: Option<Leg>,
    is_within: bool,
}

impl Narrow {
    fn new(legs: Vec<Leg>, check: &str, values: Vec<Value>) -> Self {
        Self {
            legs,
            check: (check.to_owned(), values),
            in_order: true,
            except: false,
            numbers: None,
            is_within: false,
        }
    }

    fn equal(column: &str, value: String) -> Self {
        let value = vec![Value::Text(value)];
        Self::new(vec![(format!("{column} = ?"), value.clone())], &format!("+{column} = ?"), value)
    }

    /// A mark has an index of those that bear it.
    fn marked(column: &str, is: bool) -> Self {
        let legs = vec![(format!("{column} = 1"), Vec::new())];
        Self { except: !is, ..Self::new(legs, &format!("+{column} = {}", u8::from(is)), Vec::new()) }
    }

    fn one_of(column: &str, values: Vec<String>) -> Self {
        let list = Value::Text(serde_json::json!(values).to_string());
        let legs =
            values.into_iter().map(|value| (format!("{column} = ?"), vec![Value::Text(value)])).collect();
        Self::new(legs, &format!("+{column} IN (SELECT value FROM json_each(?))"), vec![list])
    }

    /// By a table of its own, which has no times: it may lead while it finds few.
    fn beside(numbers: Leg, check: &str, values: Vec<Value>) -> Self {
        let legs = vec![(format!("n IN ({})", numbers.0), numbers.1.clone())];
        Self { in_order: false, numbers: Some(numbers), ..Self::new(legs, check, values) }
    }

    /// Between two times, which every index of a leg knows.
    fn within(mut self, range: &Leg) -> Self {
        if !range.0.is_empty() {
            self.is_within = true;
            for (sql, values) in &mut self.legs {
                *sql = format!("{sql} AND {}", range.0);
                values.extend(range.1.iter().cloned());
            }
        }
        self
    }
}

impl Tables {
    pub(super) fn narrows(&self, page: &MemoryPage) -> Result<Vec<Narrow>, StoreError> {
        let only = &page.only;
        let mut narrows = Vec::new();
        if let Some(session) = &only.session {
            narrows.push(Narrow::equal("session", session.as_str().to_owned()));
        }
        if let Some(project) = &only.project {
            narrows.push(Narrow::one_of(HOME, self.homes(project)?));
        }
        if !only.kinds.is_empty() {
            let mut kinds: Vec<String> = only.kinds.iter().map(|kind| kind.name().to_owned()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            narrows.push(Narrow::one_of("kind", kinds));
        }
        if let Some(branch) = &only.branch {
            narrows.push(Narrow::equal("branch", branch.clone()));
        }
        if let Some(by) = &page.written_by {
            // Whatever the number of its rules was.
            let narrow = if by == "extractive" {
                Narrow::one_of("written_by", EXTRACTIVE.iter().map(ToString::to_string).collect())
            } else {
                Narrow::equal("written_by", by.clone())
            };
            narrows.push(narrow);
        }
        for (column, wanted) in [("pinned", page.pinned), ("critical", page.critical)] {
            narrows.extend(wanted.map(|is| Narrow::marked(column, is)));
        }
        if let Some(tool) = &only.tool {
            let tool = vec![Value::Text(tool.clone())];
            let numbers = ("SELECT n FROM memory_tools WHERE tool = ?".to_owned(), tool.clone());
            let check = "EXISTS (SELECT 1 FROM memory_tools AS of WHERE of.tool = ? AND of.n = memories.n)";
            narrows.push(Narrow::beside(numbers, check, tool));
        }
        if let Some(file) = &only.file {
            let (numbers, ends) = (of_file(file), vec![Value::Text(wanted(file).to_owned()); 3]);
            let check =
                format!("EXISTS (SELECT 1 FROM memory_files AS of WHERE of.n = memories.n AND {ENDS})");
            narrows.push(Narrow::beside(numbers, &check, ends));
        }
        let range = page.range();
        Ok(narrows.into_iter().map(|narrow| narrow.within(&range)).collect())
    }

    /// The names and keys under which a project's memories are filed: its own, those of its clones and worktrees, and
    /// keys that only memories know.
    pub(in super::super) fn homes(&self, project: &str) -> Result<Vec<String>, StoreError> {
        let mut homes = self.project_family(project)?;
        // One step a key, however many memories have it.
        let keys: Vec<String> = self
            .connection
            .prepare_cached(
                "WITH RECURSIVE keys (key) AS (
                     SELECT MIN(project_key) FROM memories WHERE project = ?1
                     UNION ALL
                     SELECT (SELECT MIN(project_key) FROM memories WHERE project = ?1 AND project_key > key)
                     FROM keys WHERE key IS NOT NULL
                 ) SELECT key FROM keys WHERE key IS NOT NULL LIMIT ?2",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(rusqlite::params![project, MAX_FAMILY as i64], |row| row.get(0))?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        for key in keys {
            if !homes.contains(&key) {
                homes.push(key);
            }
        }
        homes.truncate(MAX_FAMILY);
        Ok(homes)
    }

    /// How many rows a filter finds; not many more than is small, whatever there is.
    pub(super) fn size(&self, narrow: &Narrow) -> Result<usize, StoreError> {
        if let Some((numbers, values)) = &narrow.numbers {
            return self.size_of(numbers, values);
        }
        let mut size = 0;
        for (leg, values) in &narrow.legs {
            size += self.size_of(&format!("SELECT 1 FROM memories{}", all_of([leg.as_str()])), values)?;
        }
        Ok(size)
    }

    fn size_of(&self, select: &str, values: &[Value]) -> Result<usize, StoreError> {
        let size = self.one(&format!("SELECT COUNT(*) FROM ({select} LIMIT {SMALL})"), values.to_vec())?;
        Ok(size as usize)
    }

    pub(super) fn numbers_of(&self, narrow: &Narrow) -> Result<Numbers, StoreError> {
        let mut numbers = Numbers::default();
        match &narrow.numbers {
            Some((sql, values)) if !narrow.is_within => self.add_numbers(sql, values, &mut numbers)?,
            _ => {
                for leg in &narrow.legs {
                    self.add_leg(leg, &mut numbers)?;
                }
            }
        }
        Ok(numbers)
    }

    pub(super) fn add_leg(&self, leg: &Leg, numbers: &mut Numbers) -> Result<(), StoreError> {
        let conditions = all_of([leg.0.as_str()]);
        self.add_numbers(&format!("SELECT n FROM memories{conditions}"), &leg.1, numbers)
    }

    fn add_numbers(&self, sql: &str, values: &[Value], numbers: &mut Numbers) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| {
                let mut rows = statement.query(params_from_iter(values))?;
                while let Some(row) = rows.next()? {
                    numbers.add(unsigned(row, 0)?);
                }
                Ok(())
            })
            .map_err(|e| sort(&self.path, e))
    }
}

/// Memories of a file: its whole path, or everything behind a slash of it.
pub(in super::super) fn of_file(file: &str) -> Leg {
    let wanted = wanted(file);
    let name = wanted.rsplit('/').next().unwrap_or_default();
    let sql = format!("SELECT n FROM memory_files WHERE {FILE_NAME} = ? AND {ENDS}");
    let values = [name, wanted, wanted, wanted].map(|text| Value::Text(text.to_owned()));
    (sql, values.to_vec())
}

fn wanted(file: &str) -> &str {
    file.trim_start_matches("./")
}

impl MemoryPage {
    /// Between which times.
    pub(super) fn range(&self) -> Leg {
        let parts = [("at >= ?", self.only.since), ("at < ?", self.only.until)];
        let given: Vec<(&str, u64)> = parts.into_iter().filter_map(|(sql, at)| Some((sql, at?))).collect();
        let sql: Vec<&str> = given.iter().map(|(sql, _)| *sql).collect();
        let values = given.iter().map(|(_, at)| Value::Integer(number(*at))).collect();
        (sql.join(" AND "), values)
    }
}

/// ` WHERE …`, or nothing.
pub(super) fn all_of<'a>(conditions: impl IntoIterator<Item = &'a str>) -> String {
    let given: Vec<&str> = conditions.into_iter().filter(|condition| !condition.is_empty()).collect();
    if given.is_empty() { String::new() } else { format!(" WHERE {}", given.join(" AND ")) }
}

/// A set of memory numbers, which are dense: a bit each.
#[derive(Debug, Default)]
pub(super) struct Numbers(Vec<u64>);

impl Numbers {
    fn add(&mut self, n: u64) {
        let at = n as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (n % 64);
    }

    /// What is in the other, too; or what is not.
    pub(super) fn keep(&mut self, other: &Self, except: bool) {
        for (at, bits) in self.0.iter_mut().enumerate() {
            let others = other.0.get(at).copied().unwrap_or(0);
            *bits &= if except { !others } else { others };
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|bits| u64::from(bits.count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_numbers_are_met_and_left() {
        let of = |numbers: &[u64]| {
            let mut set = Numbers::default();
            for n in numbers {
                set.add(*n);
            }
            set
        };
        let mut set = of(&[1, 63, 64, 200]);
        set.keep(&of(&[1, 64, 500]), false);
        assert_eq!(set.count(), 2);
        set.keep(&of(&[1]), true);
        assert_eq!(set.count(), 1);
    }
}
