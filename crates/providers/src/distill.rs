//! Asks a model to distill a batch of steps, and believes only what the steps show. Stateless: a batch carries all
//! that is asked about and nothing of the one before. Pure: which model answers, and when, is not known here.

mod material;
mod parse;
mod prompt;

use model::MemoryKind;

use crate::tokens;

pub use parse::parse;
pub use prompt::distill_prompt;

/// More steps than this are not rendered: small models lose count, and an answer for them would not fit.
pub const MAX_STEPS: usize = 40;

/// Below this much raw material the constant part of a prompt weighs more than half of it; it is better to wait
/// for more steps. At twenty steps a batch, a request from here on has at most 1.5 tokens per token of material.
pub const LEAST_RAW_TOKENS: u64 = 2_000;

/// The name of a step that is no call but words: of the person, and of the agent.
pub const PERSON_SAID: &str = "person-said";
pub const AGENT_SAID: &str = "agent-said";

/// One tool call as it was recorded (and redacted): the payloads are what the agent sent and got, JSON or text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawStep {
    pub tool: String,
    pub at: model::Millis,
    pub input: String,
    pub output: String,
    pub ok: bool,
}

impl RawStep {
    /// Whether only something was looked at, and it was there: beside words, that says nothing.
    pub fn only_looks(&self) -> bool {
        self.ok && Role::of(&self.tool) == Role::Reads
    }
}

/// What is distilled at once: steps of one turn, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// What the person asked for in this turn.
    pub request: Option<String>,
    pub steps: Vec<RawStep>,
}

impl Batch {
    pub fn raw_tokens(&self) -> u64 {
        let request = self.request.as_deref().map_or(0, tokens::estimate);
        let payloads = self.steps.iter().flat_map(|step| [&step.input, &step.output]);
        payloads.map(|payload| tokens::estimate(payload)).fold(request, u64::saturating_add)
    }

    /// Whether the conversation itself is asked about, beside the calls.
    pub(crate) fn has_words(&self) -> bool {
        self.steps.iter().any(|step| Role::of(&step.tool) == Role::Says)
    }

    /// Whether there is enough to ask about; the end of a session may ask about less.
    pub fn is_worth_asking(&self) -> bool {
        self.raw_tokens() >= LEAST_RAW_TOKENS
    }
}

/// An observation as a model worded it, with the steps that prove it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// One of [`MemoryKind::OBSERVATIONS`].
    pub kind: MemoryKind,
    pub title: String,
    pub subtitle: String,
    pub narrative: String,
    pub facts: Vec<String>,
    pub concepts: Vec<String>,
    /// Only paths that occur in the steps below.
    pub files_read: Vec<String>,
    /// Only paths that occur in a step below that succeeded and can change files.
    pub files_modified: Vec<String>,
    /// Positions in [`Batch::steps`], rising, at least one.
    pub steps: Vec<usize>,
}

/// What a tool does to files, as far as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Reads,
    Edits,
    /// Words of the conversation.
    Says,
    Other,
}

impl Role {
    fn of(tool: &str) -> Role {
        match tool {
            "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" | "ToolSearch" | "WebFetch" | "WebSearch" => {
                Role::Reads
            }
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => Role::Edits,
            PERSON_SAID | AGENT_SAID => Role::Says,
            _ => Role::Other,
        }
    }
}
