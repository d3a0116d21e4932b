//! Memories and summaries in pages, filtered and counted. A page walks the index of the filter that leaves the fewest
//! and asks the rest of each row it meets, so it grows with that filter and not with the store. Ranks nothing: what
//! says something is search's business.

mod history;
mod left;
mod narrow;

use model::{MemoryId, MemoryKind, Millis, SessionId};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params_from_iter};

use super::batch::number;
use super::memory_read::{SummaryRow, read_summary};
use super::memory_rows::{MEMORY_COLUMNS, MemoryRow, read_memory};
use super::read::unsigned;
use super::{Found, MemoryFilter, Tables, sort};
use crate::StoreError;

pub use history::{MemoryUse, UsePage};
pub use left::{CheckpointPage, HandOffPage};
pub(super) use narrow::{HOME, of_file};
use narrow::{Narrow, Numbers, SMALL, all_of};

/// Which memories, and from where on.
#[derive(Debug, Clone, Default)]
pub struct MemoryPage {
    /// Its limit does not count.
    pub only: MemoryFilter,
    pub pinned: Option<bool>,
    pub critical: Option<bool>,
    pub written_by: Option<String>,
    pub order: MemoryOrder,
    /// Behind the row of this place.
    pub after: Option<MemoryPlace>,
    pub offset: usize,
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemoryOrder {
    #[default]
    Newest,
    Oldest,
    /// Those that were of use, the most used first.
    Used,
}

/// A row in the order of its list: its time, or how often it was of use, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPlace {
    pub key: u64,
    pub n: u64,
}

/// Which summaries, and from where on.
#[derive(Debug, Clone, Default)]
pub struct SummaryPage {
    pub session: Option<SessionId>,
    pub project: Option<String>,
    pub since: Option<Millis>,
    pub until: Option<Millis>,
    pub after: Option<MemoryPlace>,
    pub limit: usize,
}

/// A summary, and the project it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryCard {
    pub row: SummaryRow,
    pub project: Option<String>,
}

const USES: &str = "hits + prevented";

impl Tables {
    pub fn memory_page(&self, page: &MemoryPage) -> Result<Found<MemoryRow, MemoryPlace>, StoreError> {
        let found = self.places(page, "")?;
        let mut rows = Vec::with_capacity(found.rows.len());
        for place in found.rows {
            // Gone between two statements: another one wrote.
            rows.extend(self.memory_at(place.n)?);
        }
        Ok(Found { rows, next: found.next })
    }

    /// How many rows all pages have together. Grows with the filter that leaves the fewest; with two that leave many,
    /// with both.
    pub fn count_memory_page(&self, page: &MemoryPage) -> Result<u64, StoreError> {
        self.count_places(page, "")
    }

    /// Newest first.
    pub fn summary_page(&self, page: &SummaryPage) -> Result<Found<SummaryCard, MemoryPlace>, StoreError> {
        let found = self.places(&page.as_memories(), SUMMARIZED)?;
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT summaries.id, summaries.session, summaries.at, request, investigated, learned, completed,
                     next_steps, project
                 FROM memories JOIN summaries USING (id) WHERE n = ?1",
            )
            .map_err(|e| sort(&self.path, e))?;
        let mut rows = Vec::with_capacity(found.rows.len());
        for place in found.rows {
            let row = statement.query_row([number(place.n)], read_card).optional();
            rows.extend(row.map_err(|e| sort(&self.path, e))?);
        }
        Ok(Found { rows, next: found.next })
    }

    pub fn count_summary_page(&self, page: &SummaryPage) -> Result<u64, StoreError> {
        self.count_places(&page.as_memories(), SUMMARIZED)
    }

    /// Where the rows of a page are. `besides` is asked of each, too.
    fn places(
        &self,
        page: &MemoryPage,
        besides: &str,
    ) -> Result<Found<MemoryPlace, MemoryPlace>, StoreError> {
        let (key, compare, direction) = match page.order {
            MemoryOrder::Newest => ("at", "<", "DESC"),
            MemoryOrder::Oldest => ("at", ">", "ASC"),
            MemoryOrder::Used => (USES, "<", "DESC"),
        };
        let Led { legs: lead, rest, .. } = self.led(page, self.narrows(page)?)?;
        let mut values = Vec::new();
        let mut legs = Vec::new();
        for leg in lead {
            let mut conditions = vec![leg.0];
            values.extend(leg.1);
            for narrow in &rest {
                conditions.push(narrow.check.0.clone());
                values.extend(narrow.check.1.iter().cloned());
            }
            if let Some(place) = page.after {
                conditions.push(format!("({key}, n) {compare} (?, ?)"));
                values.extend([place.key, place.n].map(|part| Value::Integer(number(part))));
            }
            let conditions = all_of(conditions.iter().map(String::as_str).chain([besides]));
            legs.push(format!("SELECT n, {key} AS key FROM memories{conditions}"));
        }
        // One more than asked for: whether there is a next page is known without another look.
        let sql =
            format!("{} ORDER BY key {direction}, n {direction} LIMIT ? OFFSET ?", legs.join(" UNION ALL "));
        values.extend([page.limit + 1, page.offset].map(|part| Value::Integer(number(part as u64))));
        let mut rows: Vec<MemoryPlace> = self
            .connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                let read = |row: &Row<'_>| Ok(MemoryPlace { n: unsigned(row, 0)?, key: unsigned(row, 1)? });
                statement.query_map(params_from_iter(values), read)?.collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        let has_more = rows.len() > page.limit;
        rows.truncate(page.limit);
        let next = rows.last().copied().filter(|_| has_more);
        Ok(Found { rows, next })
    }

    fn count_places(&self, page: &MemoryPage, besides: &str) -> Result<u64, StoreError> {
        let narrows = self.narrows(page)?;
        let Led { legs: lead, rest, is_small } = self.led(page, narrows.clone())?;
        let is_one_index = rest.is_empty() && besides.is_empty();
        if is_one_index || page.order == MemoryOrder::Used || is_small {
            let checks: Vec<&str> =
                rest.iter().map(|narrow| narrow.check.0.as_str()).chain([besides]).collect();
            let mut total = 0;
            for (leg, mut values) in lead {
                let conditions = all_of([leg.as_str()].into_iter().chain(checks.iter().copied()));
                values.extend(rest.iter().flat_map(|narrow| narrow.check.1.iter().cloned()));
                total += self.one(&format!("SELECT COUNT(*) FROM memories{conditions}"), values)?;
            }
            return Ok(total);
        }
        let mut left: Option<Numbers> = None;
        if !besides.is_empty() {
            let mut found = Numbers::default();
            self.add_leg(&(besides.to_owned(), Vec::new()), &mut found)?;
            left = Some(found);
        }
        if left.is_none() && narrows.iter().all(|narrow| narrow.except) {
            let mut found = Numbers::default();
            self.add_leg(&page.range(), &mut found)?;
            left = Some(found);
        }
        for narrow in narrows
            .iter()
            .filter(|narrow| !narrow.except)
            .chain(narrows.iter().filter(|narrow| narrow.except))
        {
            let found = self.numbers_of(narrow)?;
            match &mut left {
                Some(left) => left.keep(&found, narrow.except),
                None => left = Some(found),
            }
        }
        Ok(left.map_or(0, |left| left.count()))
    }

    /// Which filter leads. Without one it is the order's own index.
    fn led(&self, page: &MemoryPage, mut narrows: Vec<Narrow>) -> Result<Led, StoreError> {
        let (range, values) = page.range();
        if page.order == MemoryOrder::Used {
            let used = format!("{USES} > 0");
            let used =
                if range.is_empty() { used } else { format!("{used} AND {}", range.replace("at ", "+at ")) };
            return Ok(Led { legs: vec![(used, values)], rest: narrows, is_small: false });
        }
        let mut best: Option<(usize, usize)> = None;
        for (at, narrow) in narrows.iter().enumerate().filter(|(_, narrow)| !narrow.except) {
            let size = self.size(narrow)?;
            if (narrow.in_order || size < SMALL) && best.is_none_or(|(_, least)| size < least) {
                best = Some((at, size));
            }
        }
        Ok(match best {
            Some((at, size)) => Led { legs: narrows.remove(at).legs, rest: narrows, is_small: size < SMALL },
            None => Led { legs: vec![(range, values)], rest: narrows, is_small: false },
        })
    }

    fn one(&self, sql: &str, values: Vec<Value>) -> Result<u64, StoreError> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(params_from_iter(values), |row| unsigned(row, 0)))
            .map_err(|e| sort(&self.path, e))
    }

    /// Memories by their ids, in the order they are asked for; those that are not there are left out.
    pub fn memories_by_id(&self, ids: &[MemoryId]) -> Result<Vec<MemoryRow>, StoreError> {
        let sql = format!("SELECT {MEMORY_COLUMNS} FROM memories WHERE id = ?1");
        let mut statement = self.connection.prepare_cached(&sql).map_err(|e| sort(&self.path, e))?;
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            let row = statement.query_row([number(id.as_u64())], read_memory).optional();
            rows.extend(row.map_err(|e| sort(&self.path, e))?);
        }
        Ok(rows)
    }
}

/// What a row must be to be in the list, served by an index, and its values.
type Leg = (String, Vec<Value>);

/// The filter that leads, as legs that share no row, and the others.
struct Led {
    legs: Vec<Leg>,
    rest: Vec<Narrow>,
    /// The legs find few.
    is_small: bool,
}

/// A summary that was brought in is a memory and has no five answers.
const SUMMARIZED: &str = "EXISTS (SELECT 1 FROM summaries WHERE summaries.id = memories.id)";

impl SummaryPage {
    fn as_memories(&self) -> MemoryPage {
        MemoryPage {
            only: MemoryFilter {
                project: self.project.clone(),
                session: self.session.clone(),
                kinds: vec![MemoryKind::Summary],
                since: self.since,
                until: self.until,
                ..MemoryFilter::default()
            },
            after: self.after,
            limit: self.limit,
            ..MemoryPage::default()
        }
    }
}

fn read_card(row: &Row<'_>) -> rusqlite::Result<SummaryCard> {
    Ok(SummaryCard { row: read_summary(row)?, project: row.get(8)? })
}
