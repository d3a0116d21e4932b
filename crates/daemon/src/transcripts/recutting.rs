//! Cuts the talk of old sessions again: earlier releases left holes in long answers, and cut conversations that are one document not at all.

use std::collections::HashSet;

use agents::transcript::Growth;
use model::{MemoryKind, SessionId};
use serde_json::json;
use store::{SessionFilter, StoreError, Tables};

use super::Transcripts;
use super::cutting::{CHUNKED, Cutting};

/// Pieces of one session that are compared with those of today.
const MAX_PIECES: usize = 20_000;
/// Sessions looked up at once.
const MAX_SESSIONS: usize = 100_000;

/// Sessions whose pieces an earlier release has cut, or none. The newest first.
pub(crate) fn cut_by_others(tables: &Tables) -> Result<Vec<SessionId>, StoreError> {
    // Pieces that a person has forgotten would come back under other names.
    if tables.has_forgotten()? {
        return Ok(Vec::new());
    }
    let states = tables.states(CHUNKED, MAX_SESSIONS)?;
    let mut found: Vec<(u64, SessionId)> = Vec::new();
    for (session, state, at) in &states {
        if !state.contains(' ') {
            found.push((*at, session.clone()));
        }
    }
    let cut: HashSet<&SessionId> = states.iter().map(|(session, _, _)| session).collect();
    let filter = SessionFilter { limit: MAX_SESSIONS, ..SessionFilter::default() };
    for row in tables.sessions(&filter)? {
        let conversations = agents::by_name(&row.agent).and_then(agents::Adapter::conversations);
        let path = row.transcript.as_deref().unwrap_or_default();
        let is_whole = conversations.is_some_and(|kept| kept.growth(path) != Growth::Lines);
        if is_whole && !path.is_empty() && !cut.contains(&row.id) {
            found.push((row.last_seen_at, row.id));
        }
    }
    found.sort_unstable_by(|one, other| other.cmp(one));
    Ok(found.into_iter().map(|(_, session)| session).collect())
}

impl Transcripts {
    /// Cuts one of them from its beginning, as far as the archive or the agent still has it. Pieces that are not cut like this any more go, unless
    /// somebody holds on to them.
    pub(crate) fn cut_again(&self, tables: &mut Tables, session: &SessionId) -> Result<(), StoreError> {
        let Some(row) = tables.session(session.as_str())? else { return Ok(()) };
        let Some(conversations) = agents::by_name(&row.agent).and_then(agents::Adapter::conversations) else {
            return Ok(());
        };
        let path = row.transcript.clone().unwrap_or_default();
        let wish = json!({
            "agent": row.agent,
            "path": path,
            "workspace": row.workspace.as_ref().map(model::WorkspaceKey::as_str),
            "project": row.project,
            "project-key": row.project_key,
            "branch": row.branch,
        });
        let by_lines = conversations.growth(&path) == Growth::Lines;
        // What its agent has dropped is in the archive; asking for it again would be told as a trouble.
        let source = if by_lines && !std::path::Path::new(&path).is_file() { "" } else { &path };
        let mut cutting = Cutting::of(tables, session, &wish, false)?;
        self.cut(tables, conversations, source, &mut cutting)?;
        let kept: HashSet<_> = cutting.kept.iter().copied().collect();
        let whole = !by_lines || self.holds_all(&row.agent, session)?;
        tables.write(|batch| {
            if kept.is_empty() {
                // Nothing is left to cut it from. It stays as it is and is not looked at again.
                let state = batch.state(session, CHUNKED)?.unwrap_or_default();
                let state = if state.contains(' ') { state } else { format!("{state} {state}") };
                return batch.set_state(session, CHUNKED, &state, crate::intake::now());
            }
            Ok(())
        })?;
        if kept.is_empty() || !whole {
            return Ok(());
        }
        let before = tables.memories_of_session(session, MAX_PIECES)?;
        tables.write(|batch| {
            for row in before {
                let is_piece =
                    row.memory.kind == MemoryKind::Chunk && row.memory.provenance.by == "transcript";
                let is_used = row.hits > 0 || row.memory.pinned || row.memory.critical;
                if is_piece && !is_used && !kept.contains(&row.memory.id) {
                    engine::memory::drop_for_room(batch, row.memory.id)?;
                }
            }
            Ok(())
        })
    }
}
