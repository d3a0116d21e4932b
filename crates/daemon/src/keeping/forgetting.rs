//! Forgetting, to the last byte we hold: after the deed is learned, the entries of the journal that said it are
//! erased, the database's files are purged of its words, and copies of damage that might hold it are removed. What
//! is due is a row in the tables, so a crash anywhere only means that the next look goes on.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use model::{Deed, MemoryId, OURSELVES, Observation, SessionId};
use serde_json::{Value, json};
use store::{Batch, StoreError, Tables, session_mark};

use super::Keeping;
use crate::deeds;

/// Entries erased with two syncs.
const ERASED_AT_ONCE: usize = 1000;
/// Ids in one deed: a line of the journal stays readable.
const PER_DEED: usize = 500;
/// A purge of a large database takes minutes; who wants to leave waits for one of these.
const SLICE: Duration = Duration::from_millis(500);
/// Between two looks at what waits to be filed by its words.
const PAUSE: Duration = Duration::from_millis(10);

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Swept {
    /// Entries of the journal.
    pub(crate) erased: u64,
    /// Nothing in our files says it any more.
    pub(crate) gone: bool,
}

/// Notes where in the journal a deed's texts stand, before it is learned.
pub(crate) fn note(batch: &mut Batch<'_>, seq: u64, deed: &Deed) -> Result<(), StoreError> {
    match deed {
        Deed::Remember { memory } | Deed::Import { memory, .. } => batch.note_deed(memory.id, seq)?,
        Deed::Edit { id, title, text, .. } if title.is_some() || text.is_some() => {
            batch.note_deed(*id, seq)?;
        }
        Deed::Distilled { session, turn, observations, .. } => {
            for at in 0..observations.len() {
                batch.note_deed(engine::deeds::model_memory(session, *turn, at), seq)?;
            }
        }
        Deed::Forget { ids } => batch.prepare_to_forget(ids)?,
        // Whoever forgets a memory forgets what was said of it, too.
        Deed::Injected { injection } => {
            for item in injection.notes.iter().flat_map(|note| &note.items) {
                // And whoever forgets a session forgets its words in another.
                if let Some(id) = item.memory.or_else(|| item.session().as_ref().map(session_mark)) {
                    batch.note_deed(id, seq)?;
                }
            }
        }
        // They go with whoever said them, too.
        Deed::Message { from, .. } => batch.note_deed(session_mark(&SessionId::new(from)), seq)?,
        Deed::Session { .. }
        | Deed::Verdict { .. }
        | Deed::HandOff { .. }
        | Deed::Outcome { .. }
        | Deed::Checkpoint { .. }
        | Deed::DropCheckpoints { .. }
        | Deed::Claim { .. }
        | Deed::Release { .. }
        | Deed::Place { .. }
        | Deed::StartPattern { .. }
        | Deed::StopPattern { .. }
        | Deed::Withdraw { .. }
        | Deed::Edit { .. }
        | Deed::Supersede { .. } => {}
    }
    if let Some(session) = deed.session() {
        batch.note_deed(session_mark(session), seq)?;
    }
    Ok(())
}

impl Keeping {
    /// What is forgotten is forgotten under every id it was said under.
    pub(crate) fn widen(&self, deeds: &mut [Deed]) -> Result<(), StoreError> {
        let forgets = |deed: &Deed| matches!(deed, Deed::Forget { .. });
        if !deeds.iter().any(forgets) {
            return Ok(());
        }
        let tables = self.tables()?;
        for deed in deeds {
            if let Deed::Forget { ids } = deed {
                for id in ids.clone() {
                    ids.extend(tables.merged_with(id)?);
                }
            }
        }
        Ok(())
    }

    /// Forgets all that is kept of a session: its memories, events, prompts and archive. Later events of it are
    /// recorded; its past is not brought in again.
    pub(crate) fn forget_session(&self, name: &str, until: Instant) -> Value {
        if !self.learner.wait_until(self.intake.journal.head(), until) {
            return json!({ "error": "the tables are still being derived" });
        }
        match self.forget_all_of(name, until) {
            Ok(Some(said)) => said,
            Ok(None) => json!({ "error": format!("no session {name}") }),
            Err(error) => json!({ "error": error.to_string() }),
        }
    }

    fn forget_all_of(&self, name: &str, until: Instant) -> Result<Option<Value>, StoreError> {
        let mut tables = self.tables()?;
        let Some(row) = tables.session(name)? else { return Ok(None) };
        let session = row.id;
        let memories = tables.ids_of_session(&session)?;
        let mut ids = vec![session_mark(&session)];
        ids.extend(&memories);
        let mut forget: Vec<Deed> =
            ids.chunks(PER_DEED).map(|some| Deed::Forget { ids: some.to_vec() }).collect();
        self.widen(&mut forget)?;
        let (last, _) = deeds::journal(&self.intake, forget)?;
        self.learner.wait_until(last, until);
        tables.write(|batch| batch.drop_session(&session))?;
        let archive_bytes = self.transcripts.archive()?.remove(&row.agent, &session)?;
        let swept = self.sweep_now(until)?;
        Ok(Some(json!({
            "session": session,
            "memories": memories.len(),
            "events": row.events,
            "prompts": row.prompts,
            "erased": swept.erased,
            "archive_bytes": archive_bytes,
            "gone": swept.gone,
        })))
    }

    /// Sweeps while somebody waits; what is left then is done in the background, from now on.
    pub(crate) fn sweep_now(&self, until: Instant) -> Result<Swept, StoreError> {
        let left = self.files.settle(until);
        let swept = self.sweep(until).map(|swept| Swept { gone: swept.gone && left, ..swept });
        if !swept.as_ref().is_ok_and(|swept| swept.gone) {
            self.bell.ring();
        }
        swept
    }

    /// Does what is due. May be called as often as one likes.
    pub(super) fn sweep(&self, until: Instant) -> Result<Swept, StoreError> {
        let _alone = self.sweeping.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tables = self.tables()?;
        let mut swept = Swept { erased: 0, gone: true };
        loop {
            let seqs = tables.erasures_due(ERASED_AT_ONCE)?;
            if seqs.is_empty() {
                break;
            }
            for seq in &seqs {
                self.save_the_rest(&tables, *seq)?;
            }
            swept.erased += self.intake.journal.erase(&seqs)?.entries;
            tables.write(|batch| batch.erasures_done(&seqs))?;
        }
        if tables.is_purge_due()? {
            self.drop_asides();
            // Neighbors quote each other; they are filed again by whoever does that.
            while tables.count_terms_due()? > 0 && Instant::now() < until && !self.bell.is_closed() {
                std::thread::sleep(PAUSE);
            }
            loop {
                swept.gone = tables.purge((Instant::now() + SLICE).min(until))?;
                if swept.gone || self.bell.is_closed() || Instant::now() >= until {
                    break;
                }
                std::thread::sleep(PAUSE);
            }
        }
        if swept.erased > 0 {
            self.intake.log.info(format_args!("forgotten: {} entries of the journal erased", swept.erased));
        }
        Ok(swept)
    }

    /// A model's account speaks of several memories. If only some are to go, it is journaled again without them
    /// before it is erased; their places stay, so that the others keep their ids.
    fn save_the_rest(&self, tables: &Tables, seq: u64) -> Result<(), StoreError> {
        let Some(Ok(stored)) = self.intake.journal.read_from(seq).next() else { return Ok(()) };
        if stored.seq != seq || stored.entry.agent != OURSELVES {
            return Ok(());
        }
        let Ok(mut deed) = serde_json::from_slice::<Deed>(&stored.entry.envelope) else { return Ok(()) };
        let Deed::Distilled { session, turn, observations, .. } = &mut deed else { return Ok(()) };
        if tables.is_forgotten(session_mark(session))? {
            return Ok(());
        }
        let mut left = 0;
        for (at, seen) in observations.iter_mut().enumerate() {
            let id: MemoryId = engine::deeds::model_memory(session, *turn, at);
            if tables.is_forgotten(id)? {
                blank(seen);
            } else {
                left += 1;
            }
        }
        if left > 0 {
            deeds::journal(&self.intake, vec![deed])?;
        }
        Ok(())
    }

    /// Databases that were put aside hold what they held then.
    fn drop_asides(&self) {
        let database = self.intake.place.database();
        let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else { return };
        let prefix = format!("{}.damaged-", name.to_string_lossy());
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Nothing of it is left but its place.
fn blank(seen: &mut Observation) {
    *seen = Observation {
        kind: seen.kind,
        at: seen.at,
        title: String::new(),
        subtitle: None,
        narrative: String::new(),
        facts: Vec::new(),
        concepts: Vec::new(),
        files_read: Vec::new(),
        files_modified: Vec::new(),
        tools: Vec::new(),
        events: seen.events.clone(),
        tokens: seen.tokens,
    };
}

/// Whether a session's past is not wanted.
pub(crate) fn is_forgotten(tables: &Tables, session: &SessionId) -> Result<bool, StoreError> {
    tables.is_forgotten(session_mark(session))
}
