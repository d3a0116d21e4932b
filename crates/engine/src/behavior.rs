//! The seam every behavior is written against, and the list of all of them.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use model::{Advice, Event, EventKind, Millis, WorkspaceKey};
use store::{Batch, Tables};

use crate::Result;
use crate::Surroundings;
use crate::behaviors::{
    ArchiveTranscript, Capture, ClaimFiles, CompleteSession, CreditMemories, Distill, ExtractLearnings,
    HandOff, PinIncident, RecallOnCompact, RecallOnPrompt, RecallOnRead, RecallOnStart, RecordPrompt,
    RegisterSession, RemindBacklog, RunRules, Summarize, WarnContextLimit, Welcome,
};
use crate::config::Config;

/// Heard in this order; notes are said in this order, too. Who is at work comes before what was done; a turn is
/// distilled before its summary is kept, and that before the session's learnings.
pub const ALL: &[&dyn Behavior] = &[
    &RegisterSession,
    &RecallOnStart,
    &Welcome,
    &RecordPrompt,
    &WarnContextLimit,
    &RecallOnPrompt,
    &RecallOnRead,
    &RecallOnCompact,
    &ClaimFiles,
    &RunRules,
    &Capture,
    &PinIncident,
    &Distill,
    &Summarize,
    &ExtractLearnings,
    &HandOff,
    &CreditMemories,
    &RemindBacklog,
    &ArchiveTranscript,
    &CompleteSession,
];

/// One thing throughline does. A behavior is a file, a config key, a docs page and a metric, all of one name.
///
/// It never asks which agent it serves: an adapter weakens what its agent cannot take. Its panic or
/// its delay costs that behavior alone.
pub trait Behavior: Send + Sync {
    /// Config key, docs page, metric, viewer row.
    fn name(&self) -> &'static str;

    /// One paragraph; the reference page is made from it.
    fn manual(&self) -> &'static str;

    /// The events it hears, for `keep`, `advise` and `learn` alike.
    fn on(&self) -> &'static [EventKind];

    /// Whether the event may be kept at all. Asked before the journal; must be quick and touch nothing.
    fn keep(&self, _config: &Config, _event: &Event) -> Keep {
        Keep::Yes
    }

    /// Whether it may speak on this event. A kind nobody speaks on costs no thread.
    fn speaks_on(&self, _kind: EventKind) -> bool {
        false
    }

    /// Runs before the reply, within the event's deadline, and may speak.
    fn advise(&self, _cx: &Context, _event: &Event) -> Result<Advice> {
        Ok(Advice::silent())
    }

    /// Runs after the commit, in the order of the journal. May be repeated, so it must be idempotent.
    fn learn(&self, _batch: &mut Batch<'_>, _event: &Event) -> Result<()> {
        Ok(())
    }
}

impl fmt::Debug for dyn Behavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Yes,
    /// Not journaled, for this reason.
    No(&'static str),
}

/// All a behavior may use while the agent waits.
#[derive(Clone)]
pub struct Context {
    pub config: Arc<Config>,
    pub now: Millis,
    /// After this moment nobody listens.
    pub until: Instant,
    pub workspace: Option<Workspace>,
    pub around: Arc<dyn Surroundings>,
}

impl Context {
    /// Asks the derived tables.
    pub fn read<T>(&self, ask: impl FnOnce(&Tables) -> Result<T>) -> Result<T> {
        let (mut ask, mut answer) = (Some(ask), None);
        self.around.read(&mut |tables| {
            let ask = ask.take().expect("tables are lent once");
            answer = Some(ask(tables)?);
            Ok(())
        })?;
        Ok(answer.expect("who lends the tables asks"))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("now", &self.now)
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}

/// Where an event happened. Worktrees of one repository are different workspaces of the same project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub key: WorkspaceKey,
    pub root: String,
    pub project: String,
    /// The same for all worktrees of one repository from the first moment. Clones are joined where they are
    /// looked for, by the first commit their projects share.
    pub project_key: String,
    pub branch: Option<String>,
}

pub fn by_name(name: &str) -> Option<&'static dyn Behavior> {
    ALL.iter().copied().find(|behavior| behavior.name() == name)
}

/// The behaviors that are switched on and hear this kind of event, in order.
pub fn hearers(config: &Config, kind: EventKind) -> impl Iterator<Item = &'static dyn Behavior> + '_ {
    ALL.iter().copied().filter(move |behavior| behavior.on().contains(&kind) && config.is_on(behavior.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_manuals_are_written() {
        for (at, behavior) in ALL.iter().enumerate() {
            assert!(behavior.manual().len() > 80, "{} needs a manual", behavior.name());
            assert!(ALL[at + 1..].iter().all(|other| other.name() != behavior.name()));
            assert!(!behavior.on().is_empty());
        }
    }
}
