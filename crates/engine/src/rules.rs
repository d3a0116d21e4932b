//! A person's own rules: what their files mean, which event concerns them, and what their answers are. Pure: texts
//! in, decisions out. Folders are walked, programs are run and models are asked by whoever lends
//! [`Surroundings::rules`](crate::Surroundings::rules).

mod answer;
mod envelope;
mod glob;
mod matching;
mod prompt;
mod read;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::EventKind;

pub use answer::{AnswerError, Judgment, Said, judgment};
pub use envelope::envelope;
pub use matching::Match;
pub(crate) use prompt::data;
pub use prompt::{FIELDS, SYSTEM, Template, schema};

/// The folder of rules in the data folder, and the files of each.
pub const FOLDER: &str = "rules";
pub const RULE_FILE: &str = "rule.toml";
pub const PROGRAM: &str = "run";
pub const PROMPT_FILE: &str = "prompt.md";

/// A name is a folder's, a word on a command line and a word to an agent.
pub const MAX_NAME: usize = 48;

/// The events a rule may hear, and for how long one may run there: what is left of the agent's patience
/// (`wire::deadline_ms`) after the client's own share and the way back. On every other event it is 20 ms, which is no
/// time to start a program.
pub const EVENTS: &[(EventKind, Duration)] = &[
    (EventKind::SessionStart, LONG),
    (EventKind::Setup, LONG),
    (EventKind::PreCompact, LONG),
    (EventKind::UserPromptSubmit, MIDDLE),
    (EventKind::UserPromptExpansion, MIDDLE),
    (EventKind::Stop, MIDDLE),
    (EventKind::SubagentStart, MIDDLE),
    (EventKind::SubagentStop, MIDDLE),
    (EventKind::PreToolUse, SHORT),
    (EventKind::PermissionRequest, SHORT),
    (EventKind::PostToolUse, SHORT),
    (EventKind::PostToolUseFailure, SHORT),
];
const LONG: Duration = Duration::from_millis(930);
const MIDDLE: Duration = Duration::from_millis(330);
const SHORT: Duration = Duration::from_millis(80);

/// Where a model may be asked: a person is used to waiting there, and something can be done about the answer.
pub const PROMPT_EVENTS: &[EventKind] =
    &[EventKind::PreToolUse, EventKind::UserPromptSubmit, EventKind::Stop];

/// One rule, as its `rule.toml` says.
#[derive(Debug, Clone)]
pub struct Rule {
    pub name: String,
    pub kind: Kind,
    /// Never empty.
    pub on: Vec<EventKind>,
    pub matching: Match,
    /// What the person allows it; the event may allow less.
    pub budget: Option<Duration>,
    pub enabled: bool,
    /// It may say `allow`, which skips a question to the person.
    pub may_allow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The program `run` beside it.
    Command,
    /// The question in `prompt.md` beside it; what a yes means.
    Prompt(Then),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    Say,
    Tell,
    Ask,
    Deny,
    Hold,
}

/// What is wrong with a rule's file, in words for whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub String);

/// What became of one rule that an event concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruled {
    pub rule: String,
    pub took: Duration,
    pub outcome: Outcome,
}

impl Ruled {
    /// Whether it answers an event of a moment ago: nothing was run for it now, so it took no time at all.
    pub fn is_late(&self) -> bool {
        self.took.is_zero()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Silent,
    Said(Box<Said>),
    /// It failed; told to the log, silence to the agent.
    Trouble(String),
    /// It was not run, and that is no fault of its own.
    NotRun(String),
}

impl Rule {
    /// How long it may run on this event.
    pub fn time(&self, kind: EventKind) -> Duration {
        let most = most(kind).unwrap_or_default();
        self.budget.map_or(most, |budget| budget.min(most))
    }

    /// Whether the event is one it wants to hear of.
    pub fn concerns(&self, event: &model::Event) -> bool {
        self.enabled && self.on.contains(&event.kind) && self.matching.covers(event)
    }
}

impl Then {
    pub const ALL: &[Then] = &[Then::Say, Then::Tell, Then::Ask, Then::Deny, Then::Hold];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Say => "say",
            Self::Tell => "tell",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Hold => "hold",
        }
    }

    /// Whether an agent can be answered so on this event.
    const fn fits(self, kind: EventKind) -> bool {
        match self {
            Self::Tell => true,
            Self::Say => !matches!(kind, EventKind::Stop),
            Self::Ask | Self::Deny => matches!(kind, EventKind::PreToolUse),
            Self::Hold => matches!(kind, EventKind::Stop),
        }
    }
}

/// The longest a rule may run on this event; `None`: it cannot hear it.
pub fn most(kind: EventKind) -> Option<Duration> {
    EVENTS.iter().find(|(of, _)| *of == kind).map(|(_, most)| *most)
}

/// `no-force-push`: small letters, digits and single dashes. No path can be spelled with them.
pub fn is_name(name: &str) -> bool {
    let word =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= MAX_NAME && name.split('-').all(word)
}

/// The events that rules are there for, a bit each. A behavior has no state and is asked whether it speaks before
/// anything is lent to it; one process serves one folder of rules. Most people have no rule, and then a tool's result
/// is not even decoded for them.
static HEARD: AtomicU64 = AtomicU64::new(0);

/// Whoever reads the rules says which events they hear.
pub fn hear(kinds: impl IntoIterator<Item = EventKind>) {
    HEARD.store(kinds.into_iter().fold(0, |bits, kind| bits | 1 << kind as u32), Ordering::Relaxed);
}

pub(crate) fn is_heard(kind: EventKind) -> bool {
    HEARD.load(Ordering::Relaxed) & (1 << kind as u32) != 0
}
