//! The seam every behavior is written against, and the list of all of them.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{Advice, Detail, Event, EventKind, Millis, Verdict, WorkspaceKey};
use store::{Batch, Tables};

use crate::Result;
use crate::Surroundings;
use crate::behaviors::{
    ArchiveTranscript, AutoCheckpoint, BriefSubagent, Capture, CheckCode, CheckImports, ClaimFiles,
    CollectSubagent, CompleteSession, CreditMemories, DeliverMessages, Distill, ExtractLearnings,
    FlagDebugPrints, GuardCommands, GuardScope, HandOff, IndexSymbols, JudgeStop, MapReads, PinIncident,
    RecallOnCompact, RecallOnFailure, RecallOnPrompt, RecallOnRead, RecallOnStart, RecordPrompt,
    RegisterSession, RemindBacklog, RouteSearches, RunRules, ShowSignatures, SuggestLesson, SuggestPremortem,
    SuggestSkills, Summarize, WarnContextLimit, Welcome,
};
use crate::config::Config;
use crate::merge;
use crate::page::one_line;

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
    &SuggestLesson,
    &RecallOnRead,
    &RecallOnFailure,
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

    /// What the tables must know before it is asked about this event: it is waited for, within the event's deadline. For
    /// answers that hang on what happened a moment ago; frequent events should not ask for it.
    fn waits_for(&self, _event: &Event) -> Learned {
        Learned::Nothing
    }

    /// Whether what it says too late for its event may go with the conversation's next one, and for how long it stays true.
    fn late(&self, _cx: &Context, _event: &Event) -> Late {
        Late::Never
    }

    /// Whether it learns also while it is off: what it keeps are facts that other behaviors rest on, and switching one
    /// behavior off costs that behavior alone.
    fn learns_always(&self) -> bool {
        false
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

/// How far the tables must be for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learned {
    /// As far as they are.
    Nothing,
    /// All that was kept before this moment.
    Before,
    /// And this event, too.
    This,
}

/// How long something stays true that is said after its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Late {
    /// It was about that moment alone.
    Never,
    /// Until the person says something else.
    Turn,
    /// As long as the conversation goes on and is not compacted.
    Conversation,
    /// As long as this file is as it was when the event came.
    Unchanged(PathBuf),
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

/// Of the time that is left, the part that is kept for the answer while the tables are waited for.
const ANSWERS_SHARE: u32 = 4;
/// And never less than this.
const ANSWERS_TIME: Duration = Duration::from_millis(15);

/// Asks a behavior, when the tables know what it waits for. Where they do not in time, it answers from what they know.
pub fn advise(behavior: &dyn Behavior, cx: &Context, event: &Event) -> Result<Advice> {
    let of = match behavior.waits_for(event) {
        Learned::Nothing => return behavior.advise(cx, event),
        Learned::Before => None,
        Learned::This => Some(event.id),
    };
    let now = Instant::now();
    let answering = (cx.until.saturating_duration_since(now) / ANSWERS_SHARE).max(ANSWERS_TIME);
    cx.around.caught_up(of, cx.until.checked_sub(answering).unwrap_or(now));
    behavior.advise(cx, event)
}

/// What stands above a note that is said after its event: which one it is about.
pub fn late_heading(event: &Event) -> String {
    let name = event.kind.name();
    let Detail::Tool(call) = &event.detail else { return format!("Of a moment ago ({name}):") };
    let file = ["file_path", "path", "absolute_path", "notebook_path"]
        .iter()
        .find_map(|key| call.input.get(*key)?.as_str())
        .map(|file| format!(" of {}", one_line(file, 200)));
    format!("Of a moment ago ({name}, {}{}):", one_line(&call.name, 60), file.unwrap_or_default())
}

pub fn by_name(name: &str) -> Option<&'static dyn Behavior> {
    ALL.iter().copied().find(|behavior| behavior.name() == name)
}

/// The behaviors that are switched on and hear this kind of event, in order.
pub fn hearers(config: &Config, kind: EventKind) -> impl Iterator<Item = &'static dyn Behavior> + '_ {
    ALL.iter().copied().filter(move |behavior| behavior.on().contains(&kind) && config.is_on(behavior.name()))
}

/// Those that learn from this kind of event: the ones that are on, and the ones whose facts others rest on.
pub fn learners(config: &Config, kind: EventKind) -> impl Iterator<Item = &'static dyn Behavior> + '_ {
    ALL.iter().copied().filter(move |behavior| {
        behavior.on().contains(&kind) && (config.is_on(behavior.name()) || behavior.learns_always())
    })
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
