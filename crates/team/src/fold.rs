//! A batch of changes as what is left of it: each change says the whole, so of several about one thing the last will do.
//! That makes a batch a handful of statements, however long it is. Positions and rights are decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use model::SessionId;
use store::shared::{Change, SharedClaim, SharedMessage, SharedPattern, SharedProject, SharedSession};

use crate::rows::{MemoryRow, clean, signed};

/// A project's number, a session, a path.
type ClaimKey = (i64, String, String);

#[derive(Default)]
pub(crate) struct Folded {
    pub(crate) memories: BTreeMap<(i64, i64), MemoryRow>,
    pub(crate) forgotten: BTreeSet<(i64, i64)>,
    pub(crate) sessions: BTreeMap<(i64, String), SharedSession>,
    /// Sessions that gave up everything they held before what is in `claims`.
    pub(crate) emptied: BTreeSet<(i64, String)>,
    /// `None`: released.
    pub(crate) claims: BTreeMap<ClaimKey, Option<SharedClaim>>,
    pub(crate) messages: BTreeMap<(i64, String), SharedMessage>,
    pub(crate) patterns: BTreeMap<(i64, String), SharedPattern>,
}

pub(crate) fn project_of(change: &Change) -> &SharedProject {
    match change {
        Change::Memory(told) => &told.project,
        Change::Forgotten { project, .. } | Change::Released { project, .. } => project,
        Change::Session(told) => &told.project,
        Change::Claim(told) => &told.project,
        Change::Message(told) => &told.project,
        Change::Pattern(told) => &told.project,
    }
}

impl Folded {
    pub(crate) fn add(&mut self, project: i64, change: &Change) {
        match change {
            Change::Memory(told) => {
                let row = MemoryRow::new(project, told);
                let key = (project, row.id);
                if let Some(earlier) = self.memories.get_mut(&key) {
                    earlier.merge(row);
                } else {
                    self.memories.insert(key, row);
                }
            }
            Change::Forgotten { id, .. } => {
                let key = (project, signed(id.as_u64()));
                self.forgotten.insert(key);
            }
            Change::Session(told) => {
                let key = (project, name(&told.id));
                let is_older = self.sessions.get(&key).is_some_and(|known| known.seen_at > told.seen_at);
                if !is_older {
                    self.sessions.insert(key, told.clone());
                }
            }
            Change::Claim(told) => {
                let key = (project, name(&told.session), clean(&told.path));
                self.claims.insert(key, Some(told.clone()));
            }
            Change::Released { session, path: Some(path), .. } => {
                self.claims.insert((project, name(session), clean(path)), None);
            }
            Change::Released { session, path: None, .. } => {
                let session = name(session);
                for ((of, holder, _), claim) in &mut self.claims {
                    if *of == project && *holder == session {
                        *claim = None;
                    }
                }
                self.emptied.insert((project, session));
            }
            Change::Message(told) => {
                let kept = self
                    .messages
                    .entry((project, clean(&told.id)))
                    .or_insert_with(|| SharedMessage { delivered_at: None, ..told.clone() });
                kept.delivered_at = kept.delivered_at.or(told.delivered_at);
            }
            Change::Pattern(told) => {
                self.patterns.insert((project, clean(&told.id)), told.clone());
            }
        }
    }

    /// Projects in which something is forgotten.
    pub(crate) fn forgets_in(&self) -> BTreeSet<i64> {
        self.forgotten.iter().map(|(project, _)| *project).collect()
    }
}

fn name(session: &SessionId) -> String {
    clean(session.as_str())
}
