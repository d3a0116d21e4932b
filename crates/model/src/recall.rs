//! What is put in front of an agent and what is left for the next one: notes and their parts, hand-offs, outcomes,
//! checkpoints, the tail of a conversation.

use serde::{Deserialize, Serialize};

use crate::{Context, MemoryId, Millis, SessionId, WorkspaceKey};

/// One part of a note: what it is, what it cost, why it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The memory it shows; none for hand-offs, files of the person and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
    /// Where in the note it stands: `critical`, `weighted`, `summary`, `index`, `hit`, …
    pub part: String,
    /// What a person reads in a list of what was said.
    pub title: String,
    pub tokens: u32,
    pub why: String,
}

impl Item {
    /// The part of an item whose title is the id of a session whose words it shows: what was said of it goes when that
    /// session is forgotten.
    pub const SESSION: &str = "session";

    pub fn of_session(session: &SessionId, why: &str) -> Self {
        let (part, title) = (Self::SESSION.to_owned(), session.as_str().to_owned());
        Self { memory: None, part, title, tokens: 0, why: why.to_owned() }
    }

    /// The session whose words it shows.
    pub fn session(&self) -> Option<SessionId> {
        (self.part == Self::SESSION).then(|| SessionId::new(&self.title))
    }
}

/// A note as it was delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The behavior.
    pub from: String,
    /// Whole, with its fence.
    pub text: String,
    pub tokens: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
}

/// Everything that one answer put in front of a model or a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    pub session: SessionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The event that was answered, as its agent names it.
    pub event: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Told>,
    /// What is said once and never again, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    Person,
    Agent,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub by: Speaker,
    pub text: String,
}

impl Said {
    /// The key in the context of the event that ends a turn: what was said in that turn before its last words, by the
    /// agent between two calls and by the person who refused one. Hooks do not tell it. Whoever takes the event in reads it
    /// from the agent's transcript, so that the journal has it when the transcript is gone.
    pub const IN_TURN: &str = "said-in-turn";

    /// Oldest first; empty where nobody noted any.
    pub fn in_turn(context: &Context) -> Vec<Self> {
        context.get(Self::IN_TURN).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }

    pub fn note_in_turn(context: &mut Context, said: &[Self]) {
        if let (false, Ok(json)) = (said.is_empty(), serde_json::to_string(said)) {
            context.insert(Self::IN_TURN.to_owned(), json);
        }
    }
}

/// What a conversation said last, read from the agent's own file. Not redacted: never write it as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    /// Oldest first.
    pub said: Vec<Said>,
    pub usage: Option<Fill>,
}

/// How full the model's window was at its last answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fill {
    pub model: Option<String>,
    pub tokens: u64,
}

/// What the next one who sits down here must know. The first part may be written by the agent or a person; the
/// rest is kept up from events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HandOff {
    /// In the words of whoever wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_at: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_files: Vec<String>,
    /// Where the open files were changed or read, each behind its path and a colon.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Commands that were run, with their folder and how they ended last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// What fails as far as it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
    /// Causes, findings and numbers of the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// The last things said, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<Said>,
}

/// How a session ended, for whoever asks later what worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SessionOutcome {
    #[serde(rename = "succeeded")]
    Succeeded,
    #[serde(rename = "partial+")]
    PartialPlus,
    #[serde(rename = "partial-")]
    PartialMinus,
    #[serde(rename = "failed")]
    Failed,
}

impl SessionOutcome {
    pub const ALL: &[Self] = &[Self::Succeeded, Self::PartialPlus, Self::PartialMinus, Self::Failed];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::PartialPlus => "partial+",
            Self::PartialMinus => "partial-",
            Self::Failed => "failed",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|outcome| outcome.name() == name)
    }
}

/// A place to come back to. The files lie in the repository, under `reference`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub id: String,
    pub at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The folder the snapshot was taken of.
    pub root: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What the session was asked for at that moment, where nobody asked for the checkpoint itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The ref that holds the files; none where there is no repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dirty: Vec<String>,
    /// Files that were too large to keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// The session's hand-off at that moment, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand_off: Option<String>,
}
