//! What people and we ourselves do to memories. Deeds are journaled like events, because nothing else could bring
//! them back when the tables are derived anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Checkpoint, Injection, Memory, MemoryId, Millis, Observation, SessionId, SessionOutcome, Summary,
    WorkspaceKey,
};

/// The name deeds are journaled under, where an agent's name stands.
pub const OURSELVES: &str = "throughline";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "deed", rename_all = "kebab-case")]
pub enum Deed {
    /// A person or an agent told us to.
    Remember {
        memory: Box<Memory>,
    },
    /// Brought in from elsewhere, with the use it has been there.
    Import {
        memory: Box<Memory>,
        #[serde(default)]
        hits: u64,
        #[serde(default)]
        prevented: u64,
        #[serde(default)]
        last_applied_at: Option<Millis>,
    },
    /// A session that ran elsewhere, so that it is listed with the memories it left.
    Session {
        id: SessionId,
        agent: String,
        #[serde(default)]
        project: Option<String>,
        started_at: Millis,
        ended_at: Millis,
    },
    /// What was put in front of a model, so that a person can see it and nothing is said twice.
    Injected {
        injection: Box<Injection>,
    },
    /// What a guard decided, as its agent was told it.
    Verdict {
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subagent: Option<String>,
        /// The event that was answered, as its agent names it.
        event: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        behavior: String,
        verdict: Ruling,
        reason: String,
    },
    /// What whoever leaves wrote for whoever comes. An empty text takes it back.
    HandOff {
        session: SessionId,
        text: String,
    },
    /// How a session ended, as a person says it.
    Outcome {
        session: SessionId,
        outcome: SessionOutcome,
        #[serde(default)]
        note: Option<String>,
    },
    Checkpoint {
        checkpoint: Box<Checkpoint>,
    },
    DropCheckpoints {
        ids: Vec<String>,
    },
    /// A session says what it works on. A claim is a lease and expires.
    Claim {
        session: SessionId,
        files: Vec<String>,
        #[serde(default)]
        note: Option<String>,
    },
    /// Claims given back: of a session or of all, on files or on all. Neither is nothing.
    Release {
        #[serde(default)]
        session: Option<SessionId>,
        #[serde(default)]
        files: Vec<String>,
    },
    /// A folder something was said in, and the project it is of: no event may ever come from there.
    Place {
        workspace: WorkspaceKey,
        root: String,
        project: String,
        project_key: String,
    },
    /// A pattern of agents, declared before the first of them is started.
    StartPattern {
        session: SessionId,
        kind: String,
        id: String,
        #[serde(default)]
        options: BTreeMap<String, String>,
    },
    /// Nobody waits for it any more.
    StopPattern {
        session: SessionId,
        /// As the tables name it.
        pattern: String,
        #[serde(default)]
        why: Option<String>,
    },
    /// Words for a session, said with its next event. Its name is the id it is journaled under.
    Message {
        to: SessionId,
        /// A session's id, or a person's name.
        from: String,
        text: String,
    },
    /// Out of the tables, because the file that said them is gone. They may come back.
    Withdraw {
        ids: Vec<MemoryId>,
    },
    /// Gone for good, with what was derived from them.
    Forget {
        ids: Vec<MemoryId>,
    },
    /// `None` leaves a part as it is.
    Edit {
        id: MemoryId,
        #[serde(default)]
        title: Option<String>,
        #[serde(default)]
        text: Option<String>,
        #[serde(default)]
        critical: Option<bool>,
        #[serde(default)]
        pinned: Option<bool>,
    },
    /// The newer one holds instead of the older.
    Supersede {
        older: MemoryId,
        newer: MemoryId,
    },
    /// A model's account of turns that had been distilled without one.
    Distilled {
        by: String,
        session: SessionId,
        /// The turn's last position in the journal.
        turn: u64,
        observations: Vec<Observation>,
        #[serde(default)]
        summary: Option<Summary>,
        input_tokens: u64,
        output_tokens: u64,
    },
}

/// What a guard may decide about a call, or about the end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    Deny,
    Ask,
    Allow,
    /// The turn goes on.
    Hold,
}

impl Ruling {
    pub const ALL: &[Self] = &[Self::Deny, Self::Ask, Self::Allow, Self::Hold];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::Hold => "hold",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|ruling| ruling.name() == name)
    }
}

impl Deed {
    /// The name it is journaled under, where an event's name stands.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Remember { .. } => "Remember",
            Self::Import { .. } => "Import",
            Self::Session { .. } => "Session",
            Self::Injected { .. } => "Injected",
            Self::Verdict { .. } => "Verdict",
            Self::HandOff { .. } => "HandOff",
            Self::Outcome { .. } => "Outcome",
            Self::Checkpoint { .. } => "Checkpoint",
            Self::DropCheckpoints { .. } => "DropCheckpoints",
            Self::Claim { .. } => "Claim",
            Self::Release { .. } => "Release",
            Self::Place { .. } => "Place",
            Self::StartPattern { .. } => "StartPattern",
            Self::StopPattern { .. } => "StopPattern",
            Self::Message { .. } => "Message",
            Self::Withdraw { .. } => "Withdraw",
            Self::Forget { .. } => "Forget",
            Self::Edit { .. } => "Edit",
            Self::Supersede { .. } => "Supersede",
            Self::Distilled { .. } => "Distilled",
        }
    }

    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Remember { memory } | Self::Import { memory, .. } => memory.session.as_ref(),
            Self::Session { id: session, .. }
            | Self::Distilled { session, .. }
            | Self::HandOff { session, .. }
            | Self::Verdict { session, .. }
            | Self::Claim { session, .. }
            | Self::StartPattern { session, .. }
            | Self::StopPattern { session, .. }
            | Self::Message { to: session, .. }
            | Self::Outcome { session, .. } => Some(session),
            Self::Release { session, .. } => session.as_ref(),
            Self::Injected { injection } => Some(&injection.session),
            Self::Checkpoint { checkpoint } => checkpoint.session.as_ref(),
            Self::DropCheckpoints { .. }
            | Self::Place { .. }
            | Self::Withdraw { .. }
            | Self::Forget { .. }
            | Self::Edit { .. }
            | Self::Supersede { .. } => None,
        }
    }
}
