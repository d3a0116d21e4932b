//! What a behavior answers to an event, before any agent's dialect.

use crate::Item;

/// Text for the model. `from` names the behavior, so that a person can see who said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub from: &'static str,
    pub text: String,
    /// What it is made of, for whoever asks what was said and why.
    pub items: Vec<Item>,
}

/// A decision about a tool call, weakest first: the strongest of several wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Allow { reason: String },
    Ask { reason: String },
    Deny { reason: String },
}

/// Silence is the default. An agent that cannot take a part of it gets the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// Says: context the model sees.
    pub notes: Vec<Note>,
    /// Tells: lines the person sees.
    pub tells: Vec<String>,
    pub verdict: Option<Verdict>,
    /// Reason to go on with the turn instead of stopping (Stop, SubagentStop), or to hold a prompt back (UserPromptSubmit).
    pub hold: Option<String>,
    /// Additional instructions for a compaction's summary (PreCompact).
    pub instructions: Option<String>,
    /// The behavior that decided or holds; whoever asks the behaviors writes it down.
    pub by: Option<&'static str>,
    /// Names of what is said once and never again. They count when the words beside them are delivered: a reason to hold
    /// before notes, notes before lines for the person. Without any words they are facts.
    pub marks: Vec<String>,
}

impl Advice {
    pub fn silent() -> Self {
        Self::default()
    }

    pub fn say(from: &'static str, text: String) -> Self {
        Self { notes: vec![Note { from, text, items: Vec::new() }], ..Self::default() }
    }

    pub fn tell(line: String) -> Self {
        Self { tells: vec![line], ..Self::default() }
    }

    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }
}

impl Verdict {
    /// Of several verdicts the strongest decides.
    pub const fn strength(&self) -> u8 {
        match self {
            Self::Allow { .. } => 0,
            Self::Ask { .. } => 1,
            Self::Deny { .. } => 2,
        }
    }
}
