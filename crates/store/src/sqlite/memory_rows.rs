//! Memories as rows: kept, changed, forgotten. What a memory is worth is decided elsewhere.

use model::{
    EventId, Memory, MemoryId, MemoryKind, Millis, Provenance, SessionId, Summary, Urgency, WorkspaceKey,
};
use rusqlite::{Row, params};
use serde::Serialize;

use super::batch::{Batch, number};
use super::read::{optional, unsigned};
use crate::StoreError;
use crate::shared::Author;

/// A memory and what has become of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryRow {
    /// Dense and growing: what full text and vectors are filed under.
    #[serde(skip)]
    pub n: u64,
    #[serde(flatten)]
    pub memory: Memory,
    /// What reading it costs a model.
    pub tokens: u32,
    #[serde(skip)]
    pub seq: u64,
    /// How often the same was said again.
    pub repeats: u64,
    pub hits: u64,
    pub prevented: u64,
    pub last_applied_at: Option<Millis>,
    pub superseded_by: Option<MemoryId>,
    /// Who told it, on another machine; none for what is this one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
}

impl MemoryRow {
    /// One that is not in the tables yet.
    pub fn of(memory: Memory) -> Self {
        Self {
            n: 0,
            memory,
            tokens: 0,
            seq: 0,
            repeats: 0,
            hits: 0,
            prevented: 0,
            last_applied_at: None,
            superseded_by: None,
            author: None,
        }
    }
}

/// What came of a memory that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    New(u64),
    /// The same id with another text: whoever files it by its words does so again.
    Changed(u64),
    Same(u64),
    /// Another memory says it in the same words; that one is now as young as this.
    Repeated(u64),
    /// A person wanted it gone.
    Forgotten,
}

/// What the store needs beside the memory itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filing {
    pub seq: u64,
    pub tokens: u32,
    /// 0: never the same as another.
    pub fingerprint: u64,
}

pub(super) const MEMORY_COLUMNS: &str = "n, id, kind, at, title, subtitle, text, facts, concepts, files_read, \
    files_modified, tools, session, workspace, project, project_key, branch, external_id, urgency, critical, pinned, written_by, \
    evidence, place, raw_tokens, tokens, seq, repeats, hits, prevented, last_applied_at, superseded_by, author, machine";

impl Batch<'_> {
    pub fn put_memory(&mut self, memory: &Memory, filing: Filing) -> Result<Put, StoreError> {
        self.put_memory_of(memory, filing, None)
    }

    /// With whose it is, if it is not our own.
    pub(super) fn put_memory_of(
        &mut self,
        memory: &Memory,
        filing: Filing,
        author: Option<&Author>,
    ) -> Result<Put, StoreError> {
        let id = number(self.kept_id(memory.id)?.as_u64());
        if self.one("SELECT 1 FROM forgotten WHERE id = ?1", [id])?.is_some() {
            return Ok(Put::Forgotten);
        }
        if let Some(n) = self.one("SELECT n FROM memories WHERE id = ?1", [id])? {
            return self.replace_memory(n, memory, filing);
        }
        if filing.fingerprint != 0
            && let Some(n) = self.one(
                "SELECT n FROM memories WHERE fingerprint = ?1 AND kind = ?2 AND project IS ?3
                 AND superseded_by IS NULL",
                params![signed(filing.fingerprint), memory.kind.name(), memory.project],
            )?
        {
            self.run(
                "UPDATE memories SET at = MAX(at, ?2), repeats = repeats + (seq < ?3), seq = MAX(seq, ?3) WHERE n = ?1",
                params![n, number(memory.at), number(filing.seq)],
            )?;
            self.note_merged(memory.id, n)?;
            return Ok(Put::Repeated(n as u64));
        }
        self.run(
            "INSERT INTO memories (id, kind, at, title, subtitle, text, facts, concepts, files_read, files_modified,
                tools, session, workspace, project, project_key, branch, external_id, urgency, critical, pinned, written_by,
                evidence, place, raw_tokens, tokens, seq, fingerprint, author, machine)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
                ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)",
            params![
                id,
                memory.kind.name(),
                number(memory.at),
                memory.title,
                memory.subtitle,
                memory.text,
                list(&memory.facts),
                list(&memory.concepts),
                list(&memory.files_read),
                list(&memory.files_modified),
                list(&memory.tools),
                memory.session.as_ref().map(SessionId::as_str),
                memory.workspace.as_ref().map(WorkspaceKey::as_str),
                memory.project,
                memory.project_key,
                memory.branch,
                memory.external_id,
                i64::from(memory.urgency == Urgency::High),
                memory.critical,
                memory.pinned,
                memory.provenance.by,
                events(&memory.provenance.events),
                memory.provenance.place,
                memory.provenance.tokens,
                filing.tokens,
                number(filing.seq),
                signed(filing.fingerprint),
                author.map(|author| &author.user),
                author.map(|author| &author.machine),
            ],
        )?;
        let n = self.last_row();
        self.put_files(n, memory)?;
        Ok(Put::New(n as u64))
    }

    fn replace_memory(&mut self, n: i64, memory: &Memory, filing: Filing) -> Result<Put, StoreError> {
        let changed = self.run(
            "UPDATE memories SET kind = ?2, title = ?3, subtitle = ?4, text = ?5, facts = ?6, concepts = ?7,
                files_read = ?8, files_modified = ?9, tools = ?10, written_by = ?11, tokens = ?12, fingerprint = ?13,
                at = MAX(at, ?14)
             WHERE n = ?1 AND (kind, title, subtitle, text, facts, concepts, files_read, files_modified, tools)
                IS NOT (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                n,
                memory.kind.name(),
                memory.title,
                memory.subtitle,
                memory.text,
                list(&memory.facts),
                list(&memory.concepts),
                list(&memory.files_read),
                list(&memory.files_modified),
                list(&memory.tools),
                memory.provenance.by,
                filing.tokens,
                signed(filing.fingerprint),
                number(memory.at),
            ],
        )?;
        if changed == 0 {
            return Ok(Put::Same(n as u64));
        }
        self.run("DELETE FROM memory_files WHERE n = ?1", [n])?;
        self.put_files(n, memory)?;
        Ok(Put::Changed(n as u64))
    }

    fn put_files(&mut self, n: i64, memory: &Memory) -> Result<(), StoreError> {
        for (paths, modified) in [(&memory.files_modified, true), (&memory.files_read, false)] {
            for path in paths {
                self.run(
                    "INSERT INTO memory_files (path, n, modified) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                    params![path, n, modified],
                )?;
            }
        }
        Ok(())
    }

    /// The row, also within the transaction that wrote it.
    pub fn memory(&self, id: MemoryId) -> Result<Option<MemoryRow>, StoreError> {
        let sql = format!("SELECT {MEMORY_COLUMNS} FROM memories WHERE id = ?1");
        Ok(self.rows(&sql, [number(id.as_u64())], read_memory)?.pop())
    }

    pub fn memory_at(&self, n: u64) -> Result<Option<MemoryRow>, StoreError> {
        let sql = format!("SELECT {MEMORY_COLUMNS} FROM memories WHERE n = ?1");
        Ok(self.rows(&sql, [number(n)], read_memory)?.pop())
    }

    /// The observations of a session, oldest first.
    pub fn observations(&self, session: &SessionId, limit: usize) -> Result<Vec<MemoryRow>, StoreError> {
        let kinds: Vec<String> =
            MemoryKind::OBSERVATIONS.iter().map(|kind| format!("'{}'", kind.name())).collect();
        let sql = format!(
            "SELECT {MEMORY_COLUMNS} FROM memories WHERE session = ?1 AND kind IN ({}) ORDER BY at, n LIMIT ?2",
            kinds.join(", ")
        );
        self.rows(&sql, params![session.as_str(), limit as i64], read_memory)
    }

    /// Takes a memory away for good. Its number, so that whoever filed it by its words takes it away there, too.
    pub fn forget_memory(&mut self, id: MemoryId) -> Result<Option<u64>, StoreError> {
        let id = number(id.as_u64());
        self.run("INSERT INTO forgotten (id) VALUES (?1) ON CONFLICT DO NOTHING", [id])?;
        self.drop_memory_row(id)
    }

    /// Takes a memory away because there is no room for it; deriving it again may bring it back.
    pub fn drop_memory(&mut self, id: MemoryId) -> Result<Option<u64>, StoreError> {
        self.drop_memory_row(number(id.as_u64()))
    }

    fn drop_memory_row(&mut self, id: i64) -> Result<Option<u64>, StoreError> {
        let Some(n) = self.one("SELECT n FROM memories WHERE id = ?1", [id])? else { return Ok(None) };
        self.run("DELETE FROM memory_files WHERE n = ?1", [n])?;
        self.run("DELETE FROM memories WHERE n = ?1", [n])?;
        self.run("DELETE FROM summaries WHERE id = ?1", [id])?;
        self.run("UPDATE memories SET superseded_by = NULL WHERE superseded_by = ?1", [id])?;
        Ok(Some(n as u64))
    }

    /// The newer one stands before the older from now on. Not the reverse at once: a ring would hide both.
    pub fn supersede(&mut self, older: MemoryId, newer: MemoryId) -> Result<bool, StoreError> {
        let (older, newer) = (number(older.as_u64()), number(newer.as_u64()));
        let changed = self.run(
            "UPDATE memories SET superseded_by = ?2 WHERE id = ?1 AND id <> ?2 AND NOT EXISTS (
                SELECT 1 FROM memories AS newer WHERE newer.id = ?2 AND newer.superseded_by = ?1)",
            [older, newer],
        )?;
        Ok(changed > 0)
    }

    pub fn set_pinned(&mut self, id: MemoryId, pinned: bool) -> Result<bool, StoreError> {
        let changed =
            self.run("UPDATE memories SET pinned = ?2 WHERE id = ?1", params![number(id.as_u64()), pinned])?;
        Ok(changed > 0)
    }

    pub fn set_critical(&mut self, id: MemoryId, critical: bool) -> Result<bool, StoreError> {
        let changed = self
            .run("UPDATE memories SET critical = ?2 WHERE id = ?1", params![number(id.as_u64()), critical])?;
        Ok(changed > 0)
    }

    /// What was derived when this turn ended.
    pub fn memories_of_turn(&self, session: &SessionId, last_seq: u64) -> Result<Vec<MemoryRow>, StoreError> {
        let sql = format!("SELECT {MEMORY_COLUMNS} FROM memories WHERE session = ?1 AND seq = ?2 ORDER BY n");
        self.rows(&sql, params![session.as_str(), number(last_seq)], read_memory)
    }

    /// Older memories of the same project that hold and in which these words stand, newest first.
    pub fn statements(
        &self,
        kinds: &[MemoryKind],
        than: &Memory,
        words: &str,
        limit: usize,
    ) -> Result<Vec<MemoryRow>, StoreError> {
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("'{}'", kind.name())).collect();
        let sql = format!(
            "SELECT {MEMORY_COLUMNS} FROM memories
             WHERE project IS ?1 AND at <= ?2 AND id <> ?3 AND superseded_by IS NULL AND kind IN ({})
                AND (instr(lower(title), ?4) > 0 OR instr(lower(text), ?4) > 0)
             ORDER BY at DESC LIMIT ?5",
            kinds.join(", ")
        );
        let place = params![than.project, number(than.at), number(than.id.as_u64()), words, limit as i64];
        self.rows(&sql, place, read_memory)
    }

    /// A memory was of use.
    pub fn credit_memory(&mut self, id: MemoryId, at: Millis, prevented: bool) -> Result<bool, StoreError> {
        let changed = self.run(
            "UPDATE memories SET hits = hits + 1, prevented = prevented + ?3,
                last_applied_at = MAX(COALESCE(last_applied_at, 0), ?2) WHERE id = ?1",
            params![number(id.as_u64()), number(at), i64::from(prevented)],
        )?;
        Ok(changed > 0)
    }

    /// Counters a memory had where it came from.
    pub fn set_life(
        &mut self,
        id: MemoryId,
        hits: u64,
        prevented: u64,
        last_applied_at: Option<Millis>,
    ) -> Result<(), StoreError> {
        self.run(
            "UPDATE memories SET hits = MAX(hits, ?2), prevented = MAX(prevented, ?3),
                last_applied_at = COALESCE(MAX(COALESCE(last_applied_at, 0), ?4), last_applied_at) WHERE id = ?1",
            params![number(id.as_u64()), number(hits), number(prevented), last_applied_at.map(number)],
        )?;
        Ok(())
    }

    pub fn put_summary(
        &mut self,
        id: MemoryId,
        session: &SessionId,
        at: Millis,
        summary: &Summary,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO summaries (id, session, at, request, investigated, learned, completed, next_steps)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (id) DO UPDATE SET request = excluded.request, investigated = excluded.investigated,
                learned = excluded.learned, completed = excluded.completed, next_steps = excluded.next_steps",
            params![
                number(id.as_u64()),
                session.as_str(),
                number(at),
                summary.request,
                list(&summary.investigated),
                list(&summary.learned),
                list(&summary.completed),
                list(&summary.next_steps),
            ],
        )?;
        Ok(())
    }
}

pub(super) fn read_memory(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    let kind: String = row.get(2)?;
    Ok(MemoryRow {
        n: unsigned(row, 0)?,
        memory: Memory {
            id: MemoryId::from_u64(unsigned(row, 1)?),
            // A kind of a later version is still a text that was kept.
            kind: MemoryKind::from_name(&kind).unwrap_or(MemoryKind::Document),
            at: unsigned(row, 3)?,
            title: row.get(4)?,
            subtitle: row.get(5)?,
            text: row.get(6)?,
            facts: read_list(row, 7)?,
            concepts: read_list(row, 8)?,
            files_read: read_list(row, 9)?,
            files_modified: read_list(row, 10)?,
            tools: read_list(row, 11)?,
            session: row.get::<_, Option<String>>(12)?.map(|id| SessionId::new(&id)),
            workspace: row.get::<_, Option<String>>(13)?.map(WorkspaceKey::from_hex),
            project: row.get(14)?,
            project_key: row.get(15)?,
            branch: row.get(16)?,
            external_id: row.get(17)?,
            urgency: if unsigned(row, 18)? == 0 { Urgency::Normal } else { Urgency::High },
            critical: row.get(19)?,
            pinned: row.get(20)?,
            provenance: Provenance {
                by: row.get(21)?,
                events: read_events(row, 22)?,
                place: row.get(23)?,
                tokens: row.get(24)?,
            },
        },
        tokens: row.get(25)?,
        seq: unsigned(row, 26)?,
        repeats: unsigned(row, 27)?,
        hits: unsigned(row, 28)?,
        prevented: unsigned(row, 29)?,
        last_applied_at: optional(row, 30)?,
        superseded_by: optional(row, 31)?.map(MemoryId::from_u64),
        author: row
            .get::<_, Option<String>>(32)?
            .zip(row.get(33)?)
            .map(|(user, machine)| Author { user, machine }),
    })
}

fn list(items: &[String]) -> Option<String> {
    (!items.is_empty()).then(|| serde_json::to_string(items).expect("strings serialize"))
}

pub(super) fn read_list(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

fn events(ids: &[EventId]) -> Option<String> {
    (!ids.is_empty()).then(|| serde_json::to_string(ids).expect("ids serialize"))
}

fn read_events(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<EventId>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// A fingerprint is all of its bits, whatever SQLite thinks of the first.
fn signed(fingerprint: u64) -> i64 {
    fingerprint.cast_signed()
}
