//! What follows: for an agent, what it is told at its start; for whoever coordinates, what is to be said.

use serde::{Deserialize, Serialize};

use crate::pattern::Slot;

/// Text of somebody else's, under a title of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub title: String,
    pub text: String,
}

impl Line {
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { title: title.into(), text: text.into() }
    }
}

/// What an agent is given to work with.
pub type Input = Line;

/// Everything an agent is told about its part. `inputs` are other people's words; the rest is ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    pub who: String,
    pub rules: String,
    pub inputs: Vec<Input>,
    /// The line its answer ends with.
    pub contract: String,
}

/// What came of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// One word: approved, rejected, tie, done, failed, stopped, …
    pub verdict: String,
    pub ok: bool,
    /// Ours.
    pub headline: String,
    /// What the agents said, as far as it matters.
    #[serde(default)]
    pub lines: Vec<Line>,
}

impl Outcome {
    pub fn new(verdict: &str, ok: bool, headline: String) -> Self {
        Self { verdict: verdict.to_owned(), ok, headline, lines: Vec::new() }
    }

    #[must_use]
    pub fn with(mut self, lines: Vec<Line>) -> Self {
        self.lines = lines;
        self
    }
}

/// Where a pattern stands: parts that may be started now, or what came of it. Neither: agents are out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    pub due: Vec<Slot>,
    pub outcome: Option<Outcome>,
}

impl Standing {
    pub fn due(due: Vec<Slot>) -> Self {
        Self { due, outcome: None }
    }

    pub fn wait() -> Self {
        Self::default()
    }

    pub fn over(outcome: Outcome) -> Self {
        Self { due: Vec::new(), outcome: Some(outcome) }
    }
}

/// What is to be said to whoever coordinates, once for each key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub key: String,
    /// Ours.
    pub headline: String,
    pub lines: Vec<Line>,
    /// Tags to begin prompts with.
    pub tags: Vec<String>,
    pub is_over: bool,
}
