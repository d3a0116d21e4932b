//! Asking for what is there now, under the member's own rights: what the database does not show is not there.

use model::{MemoryId, Millis, SessionId};
use serde::de::DeserializeOwned;
use store::shared::{
    Author, SharedClaim, SharedMemory, SharedMessage, SharedPattern, SharedProject, SharedSession,
};

use crate::Team;
use crate::rows::{clean, read_author, read_memory, read_message, signed};

/// Of `m`, its model `o` and its project `p`, as [`read_memory`] takes them.
pub(crate) const MEMORY_COLUMNS: &str =
    "m.body, m.hits, m.prevented, m.last_applied_at, m.changed_at, m.id, m.vectors, o.name, p.key";
/// More sessions, claims and messages than this are nobody's to read.
const MOST: i64 = 10_000;

impl Team {
    pub(crate) fn one_memory(&mut self, id: MemoryId) -> Result<Option<SharedMemory>, postgres::Error> {
        let sql = format!(
            "SELECT {MEMORY_COLUMNS} FROM throughline.memories m JOIN throughline.projects p ON p.id = m.project
             LEFT JOIN throughline.models o ON o.id = m.model
             WHERE m.id = $1 AND m.project = ANY ((SELECT throughline.my_projects())::bigint[])
             ORDER BY m.changed_at DESC LIMIT 1"
        );
        let rows = self.query(&sql, &[&signed(id.as_u64())])?;
        Ok(rows.first().and_then(|row| read_memory(row, 0)))
    }

    pub(crate) fn live_sessions(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedSession)>, postgres::Error> {
        let rows = self.query(
            "SELECT s.body, u.name, a.machine FROM throughline.sessions s
             JOIN throughline.projects p ON p.id = s.project
             JOIN throughline.authors a ON a.id = s.author JOIN throughline.members u ON u.id = a.member
             WHERE p.key = $1 AND s.ended_at IS NULL AND s.seen_at >= $2 ORDER BY s.seen_at DESC, s.id LIMIT $3",
            &[&clean(&project.0), &signed(since), &MOST],
        )?;
        Ok(rows.iter().filter_map(|row| Some((read_author(row, 1), whole(row.get(0))?))).collect())
    }

    pub(crate) fn held_claims(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedClaim)>, postgres::Error> {
        let rows = self.query(
            "SELECT c.body, u.name, a.machine FROM throughline.claims c
             JOIN throughline.projects p ON p.id = c.project
             JOIN throughline.authors a ON a.id = c.author JOIN throughline.members u ON u.id = a.member
             WHERE p.key = $1 AND NOT c.released AND c.last_at >= $2 AND NOT EXISTS (
                 SELECT FROM throughline.sessions s WHERE s.project = c.project AND s.author = c.author
                     AND s.id = c.session AND s.ended_at IS NOT NULL)
             ORDER BY c.last_at DESC, c.path LIMIT $3",
            &[&clean(&project.0), &signed(since), &MOST],
        )?;
        Ok(rows.iter().filter_map(|row| Some((read_author(row, 1), whole(row.get(0))?))).collect())
    }

    pub(crate) fn waiting_messages(&mut self, to: &SessionId) -> Result<Vec<SharedMessage>, postgres::Error> {
        let rows = self.query(
            "SELECT m.body, m.delivered_at, p.key FROM throughline.messages m
             JOIN throughline.projects p ON p.id = m.project
             WHERE m.to_session = $1 AND m.delivered_at IS NULL ORDER BY m.at, m.id LIMIT $2",
            &[&clean(to.as_str()), &MOST],
        )?;
        Ok(rows.iter().filter_map(|row| read_message(row.get(0), row.get(1), row.get(2))).collect())
    }

    pub(crate) fn newest_patterns(
        &mut self,
        project: &SharedProject,
        limit: usize,
    ) -> Result<Vec<SharedPattern>, postgres::Error> {
        let rows = self.query(
            "SELECT t.body FROM throughline.patterns t JOIN throughline.projects p ON p.id = t.project
             WHERE p.key = $1 ORDER BY t.at DESC, t.id LIMIT $2",
            &[&clean(&project.0), &signed(limit as u64).min(MOST)],
        )?;
        Ok(rows.iter().filter_map(|row| whole(row.get(0))).collect())
    }
}

/// `None`: a later throughline wrote it, in a form this one does not know.
fn whole<T: DeserializeOwned>(body: &str) -> Option<T> {
    serde_json::from_str(body).ok()
}
