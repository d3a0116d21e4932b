//! What became of one memory: in which conversations it was shown, why, and whether they named it.

use model::{Item, MemoryId, Millis, SessionId};
use rusqlite::params;

use super::super::batch::number;
use super::super::read::{optional, unsigned};
use super::super::{Found, Tables, sort};
use crate::StoreError;

/// The last time one conversation was shown a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryUse {
    /// The journal's entry that says it.
    pub seq: u64,
    pub at: Millis,
    pub session: SessionId,
    pub subagent: Option<String>,
    /// It is no longer in front of the agent: the conversation was compacted since.
    pub gone: bool,
    /// None of these: retention has dropped the note itself.
    pub behavior: Option<String>,
    pub event: Option<String>,
    pub item: Option<Item>,
    /// When the agent named it in its own words.
    pub cited_at: Option<Millis>,
    pub prevented: bool,
}

/// Of which memory, and from where on.
#[derive(Debug, Clone)]
pub struct UsePage {
    pub memory: MemoryId,
    /// Behind this one: when it was shown, and by which entry.
    pub after: Option<(Millis, u64)>,
    pub limit: usize,
}

impl Tables {
    /// Newest first. Grows with the page.
    pub fn use_page(&self, page: &UsePage) -> Result<Found<MemoryUse, (Millis, u64)>, StoreError> {
        let (at, seq) = page.after.unwrap_or((u64::MAX, u64::MAX));
        let memory = number(page.memory.as_u64());
        let place = params![memory, number(at), number(seq), number(page.limit as u64 + 1)];
        let mut rows: Vec<MemoryUse> = self
            .connection
            .prepare_cached(
                "SELECT shown.seq, shown.at, shown.session, shown.subagent, shown.gone, cited.at, cited.prevented
                 FROM injected AS shown
                     LEFT JOIN citations AS cited ON cited.session = shown.session AND cited.memory = shown.memory
                 WHERE shown.memory = ?1 AND (shown.at, shown.seq) < (?2, ?3)
                 ORDER BY shown.at DESC, shown.seq DESC LIMIT ?4",
            )
            .and_then(|mut statement| {
                let read = |row: &rusqlite::Row<'_>| {
                    Ok(MemoryUse {
                        seq: unsigned(row, 0)?,
                        at: unsigned(row, 1)?,
                        session: SessionId::new(&row.get::<_, String>(2)?),
                        subagent: Some(row.get::<_, String>(3)?).filter(|name| !name.is_empty()),
                        gone: row.get(4)?,
                        behavior: None,
                        event: None,
                        item: None,
                        cited_at: optional(row, 5)?,
                        prevented: row.get::<_, Option<bool>>(6)?.unwrap_or_default(),
                    })
                };
                statement.query_map(place, read)?.collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        let has_more = rows.len() > page.limit;
        rows.truncate(page.limit);
        for row in &mut rows {
            self.explain_use(page.memory, row)?;
        }
        let next = rows.last().map(|row| (row.at, row.seq)).filter(|_| has_more);
        Ok(Found { rows, next })
    }

    /// In how many conversations a memory was shown, and in how many of them the agent named it.
    pub fn count_uses(&self, memory: MemoryId) -> Result<(u64, u64), StoreError> {
        self.connection
            .prepare_cached(
                "SELECT (SELECT COUNT(*) FROM injected WHERE memory = ?1),
                        (SELECT COUNT(*) FROM citations WHERE memory = ?1)",
            )
            .and_then(|mut statement| {
                let both = |row: &rusqlite::Row<'_>| Ok((unsigned(row, 0)?, unsigned(row, 1)?));
                statement.query_row([number(memory.as_u64())], both)
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// One entry has a few notes, one of which has the memory among its parts.
    fn explain_use(&self, memory: MemoryId, shown: &mut MemoryUse) -> Result<(), StoreError> {
        let notes: Vec<(String, String, Option<String>)> = self
            .connection
            .prepare_cached("SELECT behavior, event, items FROM injections WHERE seq = ?1 ORDER BY number")
            .and_then(|mut statement| {
                let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
                statement.query_map([number(shown.seq)], read)?.collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        for (behavior, event, items) in notes {
            let items: Vec<Item> =
                items.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
            if let Some(item) = items.into_iter().find(|item| item.memory == Some(memory)) {
                (shown.behavior, shown.event, shown.item) = (Some(behavior), Some(event), Some(item));
                return Ok(());
            }
        }
        Ok(())
    }
}
