//! Keeps work trees while agents edit them, where the person has switched that on: counts edits, and makes a checkpoint in
//! a thread of its own when one is due. No hook waits for it. When it is due is decided in `engine`, how files are kept
//! in `checkpoint`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;

use checkpoint::{AUTOMATIC, CheckpointError, KEEP, Limits, New, Repository, Snapshot};
use engine::{Edited, Pace};
use model::{Deed, SessionId};
use store::Tables;

use crate::deeds;
use crate::intake::Intake;
use crate::workspace;

/// Sessions whose edits are counted; the ones longest ago begin anew.
const MAX_SESSIONS: usize = 256;
/// Checkpoints being made at once, over all workspaces: git compresses, and the machine is the person's.
const MAX_AT_ONCE: usize = 2;
/// Random digits of an id, as for those made by hand.
const ID_DIGITS: usize = 10;
/// Paths in a record. The files themselves are all kept; a longer list tells nobody more.
const MAX_PATHS: usize = 500;
/// What is kept of the prompt: enough to know it again.
const MAX_PROMPT: usize = 300;
/// Its first words, for a list.
const MAX_WORDS: usize = 60;

pub(crate) struct Checkpoints {
    /// Not ours to keep: it has the journal, which must be closed when the daemon leaves.
    intake: Weak<Intake>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    paces: HashMap<SessionId, Pace>,
    /// Oldest first.
    known: VecDeque<SessionId>,
    /// Folders a checkpoint is being made of.
    busy: HashSet<String>,
    /// The last edit of a folder that was due while no checkpoint could be begun: it is made when one can.
    waiting: HashMap<String, Edited>,
}

impl Checkpoints {
    pub(crate) fn new(intake: &Arc<Intake>) -> Arc<Self> {
        Arc::new(Self { intake: Arc::downgrade(intake), state: Mutex::default() })
    }

    /// Counts, and begins what is due. Takes no time of whoever calls.
    pub(crate) fn edited(self: &Arc<Self>, edit: &Edited) {
        {
            let mut state = self.state();
            if !state.pace(&edit.session).edit(edit.at, edit.every) {
                return;
            }
            // One at a time; several that are due meanwhile become one.
            if state.busy.len() >= MAX_AT_ONCE || state.busy.contains(&edit.root) {
                if state.waiting.len() < MAX_SESSIONS || state.waiting.contains_key(&edit.root) {
                    state.waiting.insert(edit.root.clone(), edit.clone());
                }
                return;
            }
            state.busy.insert(edit.root.clone());
        }
        let (ours, mut due) = (Arc::clone(self), edit.clone());
        let spawned = thread::Builder::new().name("checkpoint".into()).spawn(move || {
            loop {
                // Its panic must not leave the folder busy.
                let made = catch_unwind(AssertUnwindSafe(|| ours.make(&due)));
                if let (Ok(Err(error)), Some(intake)) = (made, ours.intake.upgrade()) {
                    intake.log.warn(format_args!("no automatic checkpoint of {}: {error}", due.root));
                }
                match ours.state().next(&due.root) {
                    Some(next) => due = next,
                    None => return,
                }
            }
        });
        if spawned.is_err() {
            self.state().busy.remove(&edit.root);
        }
    }

    fn make(&self, edit: &Edited) -> Result<(), CheckpointError> {
        let repository = match checkpoint::find(Path::new(&edit.root)) {
            Ok(checkpoint::Place::WorkTree(repository)) => repository,
            // Nothing to keep files in, and nothing is wrong.
            Ok(_) | Err(CheckpointError::NoGit) => return Ok(()),
            Err(error) => return Err(error),
        };
        let minted = client::mint().to_string();
        let id = format!("{AUTOMATIC}{}", &minted[minted.len() - ID_DIGITS..]);
        // The prompt is not in the commit: a session that is forgotten is forgotten there, too.
        let new = New { id: &id, message: "made by itself", at: edit.at, limits: Limits::AUTOMATIC };
        let snapshot = repository.create(&new)?;
        let dropped = repository.retain(KEEP, &id)?;
        self.record(edit, &repository, &snapshot, dropped);
        Ok(())
    }

    /// Without a record git alone has it, and lists it.
    fn record(&self, edit: &Edited, repository: &Repository, snapshot: &Snapshot, dropped: Vec<String>) {
        let Some(intake) = self.intake.upgrade() else { return };
        let tables = Tables::open_read_only(&intake.place.database()).ok();
        let prompt = tables
            .as_ref()
            .and_then(|tables| tables.last_prompt(&edit.session).ok()?)
            .map(|prompt| words(&prompt.text, MAX_PROMPT));
        let place = workspace::resolve(repository.top());
        let title = prompt.as_deref().map(|prompt| format!(": {}", words(prompt, MAX_WORDS)));
        let record = model::Checkpoint {
            at: edit.at,
            session: Some(edit.session.clone()),
            workspace: Some(place.key),
            project: Some(place.project),
            root: place.root.clone(),
            message: Some(format!("automatic{}", title.unwrap_or_default())),
            prompt,
            ..record_of(&snapshot.id, Some(snapshot))
        };
        let here = tables.and_then(|tables| tables.checkpoints(Some(&place.root), 0).ok());
        let records = here.into_iter().flatten().filter(|record| record.id.starts_with(AUTOMATIC));
        let mut gone = dropped;
        gone.extend(records.skip(KEEP).map(|record| record.id));
        gone.sort();
        gone.dedup();
        let mut done = vec![Deed::Checkpoint { checkpoint: Box::new(record) }];
        if !gone.is_empty() {
            done.push(Deed::DropCheckpoints { ids: gone });
        }
        if let Err(error) = deeds::journal(&intake, done) {
            intake.log.warn(format_args!("checkpoint {} is in git alone: {error}", snapshot.id));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A folder is done with; one that waits is begun instead.
    fn next(&mut self, done: &str) -> Option<Edited> {
        self.busy.remove(done);
        let root = self.waiting.keys().find(|root| !self.busy.contains(*root))?.clone();
        self.busy.insert(root.clone());
        self.waiting.remove(&root)
    }

    fn pace(&mut self, session: &SessionId) -> &mut Pace {
        if !self.paces.contains_key(session) {
            if self.known.len() >= MAX_SESSIONS
                && let Some(oldest) = self.known.pop_front()
            {
                self.paces.remove(&oldest);
            }
            self.known.push_back(session.clone());
        }
        self.paces.entry(session.clone()).or_default()
    }
}

/// The part of a record that git knows.
pub fn record_of(id: &str, snapshot: Option<&Snapshot>) -> model::Checkpoint {
    let lossy = |path: &Path| path.to_string_lossy().into_owned();
    let dirty = snapshot.map(|snapshot| snapshot.dirty.as_slice()).unwrap_or_default();
    let skipped = snapshot.map(|snapshot| snapshot.skipped.as_slice()).unwrap_or_default();
    model::Checkpoint {
        id: id.to_owned(),
        at: 0,
        session: None,
        workspace: None,
        project: None,
        root: String::new(),
        message: None,
        prompt: None,
        head: snapshot.and_then(|snapshot| snapshot.head.clone()),
        branch: snapshot.and_then(|snapshot| snapshot.branch.clone()),
        reference: snapshot.map(|snapshot| snapshot.reference.clone()),
        dirty: dirty.iter().take(MAX_PATHS).map(|file| lossy(&file.path)).collect(),
        skipped: skipped.iter().take(MAX_PATHS).map(|file| lossy(&file.path)).collect(),
        hand_off: None,
    }
}

/// The first of them, on one line.
fn words(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.chars().count() + word.chars().count() >= most {
            let word: String = word.chars().take(most.saturating_sub(line.chars().count())).collect();
            // A word is cut only where there is no other.
            return if line.is_empty() { format!("{word}…") } else { format!("{line}…") };
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_are_one_line_and_whole() {
        assert_eq!(words("fix  the\nlogin", 60), "fix the login");
        assert_eq!(words("one two three four", 12), "one two…");
        assert_eq!(words(&"x".repeat(100), 10), format!("{}…", "x".repeat(10)));
    }
}
