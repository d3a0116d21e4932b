//! The seam every behavior is written against, and the list of all of them.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{Advice, Event, EventKind, Millis, Verdict, WorkspaceKey};
use store::{Batch, Tables};

use crate::Result;
use crate::Surroundings;
use crate::behaviors::{
    ArchiveTranscript, AutoCheckpoint, BriefSubagent, Capture, CheckCode, CheckImports, ClaimFiles,
    CollectSubagent, CompleteSession, CreditMemories, DeliverMessages, Distill, ExtractLearnings,
    FlagDebugPrints, GuardCommands, GuardScope, HandOff, IndexSymbols, JudgeStop, MapReads, PinIncident,
    RecallOnCompact, RecallOnPrompt, RecallOnRead, RecallOnStart, RecordPrompt, RegisterSession,
    RemindBacklog, RouteSearches, RunRules, ShowSignatures, SuggestPremortem, SuggestSkills, Summarize,
    WarnContextLimit, Welcome,
};
use crate::config::Config;
use crate::merge;

/// Heard in this order; notes are said in this order, too. Who is at work comes before what was done; a turn is
/// distilled before its summary is kept, and that before the session's learnings.
pub const ALL: &[&dyn Behavior] = &[
    &GuardScope,
    &GuardCommands,
    &RegisterSession,
    &DeliverMessages,
    &IndexSymbols,
    &RecallOnStart,
    &Welcome,
    &RecordPrompt,
    &WarnContextLimit,
    &RecallOnPrompt,
    &SuggestSkills,
    &SuggestPremortem,
    &RecallOnRead,
    &MapReads,
    &RouteSearches,
    &RecallOnCompact,
    &ClaimFiles,
    &BriefSubagent,
    &CollectSubagent,
    &ShowSignatures,
    &CheckImports,
    &FlagDebugPrints,
    &CheckCode,
    &AutoCheckpoint,
    &RunRules,
    &JudgeStop,
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

    /// What it can be set to; the first is what it is when nobody says.
    fn modes(&self) -> &'static [&'static str] {
        &["on", "off"]
    }

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

    /// Whether it decides about calls. A guard is switched off by a person alone: no repository's file does it.
    fn is_guard(&self) -> bool {
        false
    }

    /// Whether it may refuse a call on the person's behalf: a guard, or what runs rules of their own. A repository's file
    /// does not switch it off.
    fn may_refuse(&self) -> bool {
        self.is_guard()
    }

    /// How long it may take on this event, where that is more than an agent waits by itself. The agent is then asked to
    /// wait: only for something slow that the person has switched on, or that is worth it and mostly there at once.
    fn longer(&self, _kind: EventKind) -> Option<Duration> {
        None
    }

    /// Decides about a call before anything else is done with it: in the daemon's answering thread, and in the hook's own
    /// process where there is no daemon. The event is as the agent sent it, not redacted: nothing of it may be kept.
    /// Must be quick; may look at files, may change none.
    fn decide(&self, _by: &Deciding<'_>, _event: &Event) -> Option<Verdict> {
        None
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

/// All a decision may rest on: it is the same with and without a daemon.
#[derive(Debug, Clone, Copy)]
pub struct Deciding<'a> {
    pub config: &'a Config,
    /// The folder of our namespace, with the files people may put there. `None`: there is none to be found.
    pub data: Option<&'a Path>,
    /// The person's home folder.
    pub home: Option<&'a Path>,
    /// The folder the session began in, where it is known.
    pub began: Option<&'a Path>,
}

/// What all guards say about a call. A guard that panics has not seen what it should: the person is asked.
pub fn decide(by: &Deciding<'_>, event: &Event) -> Advice {
    let guards = hearers(by.config, event.kind).filter(|behavior| behavior.is_guard());
    merge(guards.map(|guard| {
        let verdict = catch_unwind(AssertUnwindSafe(|| guard.decide(by, event))).unwrap_or_else(|_| {
            let name = guard.name();
            Some(Verdict::Ask {
                reason: format!("throughline's {name} failed to judge this call; please look at it."),
            })
        });
        Advice { by: verdict.as_ref().map(|_| guard.name()), verdict, ..Advice::default() }
    }))
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
