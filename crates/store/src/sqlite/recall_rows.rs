//! Writes of what agents were shown and what was left for the next one.

use model::{Checkpoint, HandOff, Injection, MemoryId, Millis, SessionId, SessionOutcome};
use rusqlite::params;

use super::Batch;
use super::batch::number;
use super::recall_read::HandOffRow;
use crate::StoreError;

impl Batch<'_> {
    /// An injection as the entry at `seq` says it. Repeating it changes nothing.
    pub fn put_injection(&mut self, seq: u64, at: Millis, injection: &Injection) -> Result<(), StoreError> {
        let Injection { session, subagent, event, notes, marks } = injection;
        for (at_number, note) in notes.iter().enumerate() {
            let items = (!note.items.is_empty()).then(|| json(&note.items));
            self.run(
                "INSERT INTO injections (seq, number, session, subagent, at, event, behavior, text, tokens, items)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING",
                params![
                    number(seq),
                    number(at_number as u64),
                    session.as_str(),
                    subagent,
                    number(at),
                    event,
                    note.from,
                    note.text,
                    note.tokens,
                    items
                ],
            )?;
            for memory in note.items.iter().filter_map(|item| item.memory) {
                self.run(
                    "INSERT INTO injected (session, subagent, memory, seq, at) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT DO UPDATE SET seq = excluded.seq, at = excluded.at, gone = 0
                         WHERE excluded.seq > seq",
                    params![
                        session.as_str(),
                        subagent.as_deref().unwrap_or_default(),
                        number(memory.as_u64()),
                        number(seq),
                        number(at)
                    ],
                )?;
            }
        }
        for mark in marks {
            self.run(
                "INSERT INTO marks (name, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                params![mark, number(at)],
            )?;
        }
        Ok(())
    }

    /// What a session was shown before this moment is no longer in front of its agent.
    pub fn forget_injected(&mut self, session: &SessionId, before: Millis) -> Result<(), StoreError> {
        self.run(
            "UPDATE injected SET gone = 1 WHERE session = ?1 AND at < ?2",
            params![session.as_str(), number(before)],
        )?;
        Ok(())
    }

    /// The agent named a memory in its own words. True if that is news: once per session it counts. That it prevented
    /// a mistake may be said later than its name, and counts once as well.
    pub fn cite(
        &mut self,
        session: &SessionId,
        memory: MemoryId,
        at: Millis,
        prevented: bool,
    ) -> Result<bool, StoreError> {
        let id = number(memory.as_u64());
        let is_new = self.run(
            "INSERT INTO citations (session, memory, at, prevented) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            params![session.as_str(), id, number(at), prevented],
        )? > 0;
        let is_said_now = !is_new
            && prevented
            && self.run(
                "UPDATE citations SET prevented = 1 WHERE session = ?1 AND memory = ?2 AND prevented = 0",
                params![session.as_str(), id],
            )? > 0;
        if is_new || is_said_now {
            self.run(
                "UPDATE memories SET hits = hits + ?2, prevented = prevented + ?3,
                     last_applied_at = MAX(COALESCE(last_applied_at, 0), ?4) WHERE id = ?1",
                params![id, is_new, prevented, number(at)],
            )?;
        }
        Ok(is_new)
    }

    pub fn put_hand_off(&mut self, row: &HandOffRow) -> Result<(), StoreError> {
        let HandOffRow { session, at, workspace, project, project_key, branch, hand_off } = row;
        self.run(
            "INSERT INTO hand_offs (session, at, workspace, project, project_key, branch, hand_off)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (session) DO UPDATE SET at = excluded.at,
                 workspace = COALESCE(excluded.workspace, workspace),
                 project = COALESCE(excluded.project, project),
                 project_key = COALESCE(excluded.project_key, project_key),
                 branch = COALESCE(excluded.branch, branch), hand_off = excluded.hand_off",
            params![
                session.as_str(),
                number(*at),
                workspace.as_ref().map(model::WorkspaceKey::as_str),
                project,
                project_key,
                branch,
                json(hand_off)
            ],
        )?;
        Ok(())
    }

    pub fn hand_off(&self, session: &SessionId) -> Result<Option<HandOff>, StoreError> {
        let found =
            self.rows("SELECT hand_off FROM hand_offs WHERE session = ?1", [session.as_str()], |row| {
                row.get::<_, String>(0)
            })?;
        Ok(found.first().and_then(|text| serde_json::from_str(text).ok()))
    }

    /// What a person says stands; what was inferred gives way.
    pub fn put_outcome(
        &mut self,
        session: &SessionId,
        outcome: SessionOutcome,
        said_by: &str,
        why: &str,
        at: Millis,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO outcomes (session, outcome, said_by, why, at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (session) DO UPDATE SET outcome = excluded.outcome, said_by = excluded.said_by,
                 why = excluded.why, at = excluded.at
                 WHERE said_by <> 'person' OR excluded.said_by = 'person'",
            params![session.as_str(), outcome.name(), said_by, why, number(at)],
        )?;
        Ok(())
    }

    pub fn put_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO checkpoints (id, at, session, root, checkpoint) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET checkpoint = excluded.checkpoint",
            params![
                checkpoint.id,
                number(checkpoint.at),
                checkpoint.session.as_ref().map(SessionId::as_str),
                checkpoint.root,
                json(checkpoint)
            ],
        )?;
        Ok(())
    }

    /// Asks for a session's transcript to be kept now, as if its turn were over.
    pub fn ask_for_archive(&mut self, session: &SessionId, at: Millis) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO session_states (session, name, state, at)
             SELECT id, ?2, json_object('agent', agent, 'path', transcript, 'workspace', workspace,
                 'project', project, 'branch', branch, 'project-key',
                 (SELECT project_key FROM memories WHERE session = ?1 AND project_key IS NOT NULL LIMIT 1)), ?3
             FROM sessions WHERE id = ?1 AND transcript IS NOT NULL
             ON CONFLICT (session, name) DO UPDATE SET state = excluded.state, at = excluded.at",
            params![session.as_str(), super::ARCHIVE_DUE, number(at)],
        )?;
        Ok(())
    }

    pub fn drop_checkpoint(&mut self, id: &str) -> Result<(), StoreError> {
        self.run("DELETE FROM checkpoints WHERE id = ?1", [id])?;
        Ok(())
    }

    /// What was said by entries that retention has dropped.
    pub fn prune_injections_below(&mut self, seq: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM injections WHERE seq < ?1", [number(seq)])?;
        self.run("DELETE FROM verdicts WHERE seq < ?1", [number(seq)])?;
        self.run("DELETE FROM distillations WHERE seq < ?1", [number(seq)])?;
        self.run("DELETE FROM injected WHERE seq < ?1", [number(seq)])?;
        Ok(())
    }

    /// What was said of memories that a person wants gone, before it is erased from the journal.
    pub(super) fn drop_injections_of(&mut self, id: i64) -> Result<(), StoreError> {
        self.run("DELETE FROM injections WHERE seq IN (SELECT seq FROM deed_places WHERE id = ?1)", [id])?;
        self.run("DELETE FROM injected WHERE memory = ?1", [id])?;
        self.run("DELETE FROM citations WHERE memory = ?1", [id])?;
        Ok(())
    }

    pub(super) fn drop_recall_of(&mut self, session: &SessionId) -> Result<(), StoreError> {
        for table in [
            "injections",
            "injected",
            "citations",
            "verdicts",
            "hand_offs",
            "outcomes",
            "checkpoints",
            "claims",
            "file_looks",
            "file_changes",
        ] {
            self.run(&format!("DELETE FROM {table} WHERE session = ?1"), [session.as_str()])?;
        }
        self.run("DELETE FROM messages WHERE recipient = ?1 OR sender = ?1", [session.as_str()])?;
        Ok(())
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data is JSON")
}
