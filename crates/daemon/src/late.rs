//! Notes that were ready when their event had been answered. Each waits for the next event of its conversation that can
//! carry it, and is dropped, with all that it noted as said, when it is not true any more: another prompt, another content
//! of its file, a compaction, an end.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::{Late, Part, late_heading};
use model::{Author, Detail, Event, EventKind, SessionId, StartSource};

/// Of all conversations together.
const MAX_WAITING: usize = 64;
/// Of one conversation: more at once would be a flood, and the oldest are the least true.
const MAX_OF_ONE: usize = 4;
/// Nobody remembers by then what it was about.
const KEPT: Duration = Duration::from_mins(10);
/// A larger file is not compared; what is said of it is never late.
const MAX_FILE: u64 = 4 << 20;

#[derive(Debug, Default)]
pub(crate) struct LateNotes {
    waiting: Mutex<VecDeque<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    session: SessionId,
    subagent: Option<String>,
    since: Instant,
    part: Part,
    truth: Truth,
}

/// What must be so for a note to be true still, as it was before the behavior was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Truth {
    Never,
    Turn,
    Conversation,
    /// The file has this content.
    Content(PathBuf, u64),
}

impl Truth {
    /// Looks at the file: to be called before the behavior does.
    pub(crate) fn of(late: Late) -> Self {
        match late {
            Late::Never => Self::Never,
            Late::Turn => Self::Turn,
            Late::Conversation => Self::Conversation,
            Late::Unchanged(path) => {
                content(&path).map_or(Self::Never, |content| Self::Content(path, content))
            }
        }
    }
}

impl LateNotes {
    /// Keeps what came too late for its event. Only what is said to the model may be late: a decision is over.
    pub(crate) fn keep(&self, event: &Event, truth: Truth, mut part: Part) {
        if truth == Truth::Never || part.advice.notes.is_empty() || part.advice.hold.is_some() {
            return;
        }
        part.advice.verdict = None;
        part.advice.by = None;
        part.advice.tells.clear();
        let heading = late_heading(event);
        for note in &mut part.advice.notes {
            note.text = format!("{heading}\n{}", note.text);
        }
        let (session, subagent) = conversation(event);
        let mut waiting = self.waiting();
        let of_one = |one: &Waiting| one.session == session && one.subagent == subagent;
        if waiting.iter().filter(|one| of_one(one)).count() >= MAX_OF_ONE
            && let Some(oldest) = waiting.iter().position(of_one)
        {
            waiting.remove(oldest);
        }
        if waiting.len() >= MAX_WAITING {
            waiting.pop_front();
        }
        waiting.push_back(Waiting { session, subagent, since: Instant::now(), part, truth });
    }

    /// What waits for this conversation and is still true, oldest first. What is not is gone.
    pub(crate) fn take(&self, event: &Event) -> Vec<Part> {
        let (session, subagent) = conversation(event);
        let mut due = Vec::new();
        {
            let mut waiting = self.waiting();
            let (ours, rest) = std::mem::take(&mut *waiting)
                .into_iter()
                .partition::<VecDeque<_>, _>(|one| one.session == session && one.subagent == subagent);
            *waiting = rest;
            due.extend(ours);
        }
        // Files are read without the lock.
        due.retain(|one| one.since.elapsed() < KEPT && is_true(&one.truth));
        due.into_iter().map(|one| one.part).collect()
    }

    /// What an event makes untrue of what waits: to be told of every event, before [`take`](Self::take).
    pub(crate) fn hear(&self, event: &Event) {
        let is_over = match (&event.kind, &event.detail) {
            (EventKind::SessionEnd, _) => true,
            (_, Detail::Start { source, .. }) => *source != StartSource::Resume,
            _ => false,
        };
        let is_new_turn = matches!(event.detail, Detail::Prompt { author: Author::Person, .. });
        if !is_over && !is_new_turn {
            return;
        }
        self.waiting().retain(|one| {
            one.session != event.session || !(is_over || is_new_turn && one.truth == Truth::Turn)
        });
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn conversation(event: &Event) -> (SessionId, Option<String>) {
    (event.session.clone(), event.subagent.as_ref().map(|agent| agent.id.clone()))
}

fn is_true(truth: &Truth) -> bool {
    match truth {
        Truth::Never => false,
        Truth::Turn | Truth::Conversation => true,
        Truth::Content(path, was) => content(path) == Some(*was),
    }
}

fn content(path: &Path) -> Option<u64> {
    let about = std::fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= MAX_FILE)?;
    let mut hasher = DefaultHasher::new();
    (about.len(), std::fs::read(path).ok()?).hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests;
