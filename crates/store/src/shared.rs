//! What the machines of one team tell each other, and the seam that both engines stand behind: a change is applied to
//! PostgreSQL by whoever made it and to every other machine's own tables by whoever hears of it. Two engines, one meaning:
//! the stories in `crates/team/tests/it/stories.rs` say which. Nothing here connects, waits or decides what may leave a machine.

use model::{Memory, MemoryId, Millis, SessionId};
use serde::{Deserialize, Serialize};

/// Who tells: a person, on one machine. A machine is a random name that its data folder keeps.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Author {
    pub user: String,
    pub machine: String,
}

/// A project as every clone of it on every machine knows it: its repository's first commit. Where a folder lies is nobody
/// else's business, and what has no repository is nobody else's project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SharedProject(pub String);

/// One thing that became different. Each says the whole of what it is about, so that a change that is applied twice, or
/// whose predecessors were skipped, leaves the same behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Change {
    Memory(Box<SharedMemory>),
    /// For everybody, for good: whoever has it takes it out, and it does not come back.
    Forgotten {
        project: SharedProject,
        id: MemoryId,
    },
    Session(SharedSession),
    Claim(SharedClaim),
    /// One file, or all that the session holds.
    Released {
        project: SharedProject,
        session: SessionId,
        path: Option<String>,
    },
    Message(SharedMessage),
    Pattern(SharedPattern),
}

/// A memory and what has become of it. Paths in it are relative to the repository.
///
/// Of two tellings of one memory the later counts, by (`changed_at`, machine), in every engine and in whatever order they
/// come; the counters keep the greater of both, and vectors stay where the later telling has none and the same text. What
/// was forgotten stays forgotten, however late it is told again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedMemory {
    pub project: SharedProject,
    pub memory: Memory,
    /// When its author last made it different; `memory.at` is when it happened.
    #[serde(default)]
    pub changed_at: Millis,
    #[serde(default)]
    pub hits: u64,
    #[serde(default)]
    pub prevented: u64,
    #[serde(default)]
    pub last_applied_at: Option<Millis>,
    #[serde(default)]
    pub superseded_by: Option<MemoryId>,
    /// Of one text several vectors, by the model that made them; none where they are not made yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<SharedVectors>,
}

/// Kept to half precision (11 bits of each number), which is finer than any search here compares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedVectors {
    /// The model's identity: vectors of different ones are not compared.
    pub model: String,
    pub parts: Vec<Vec<f32>>,
}

/// Who is at work, as far as others need to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedSession {
    pub project: SharedProject,
    pub id: SessionId,
    pub agent: String,
    pub branch: Option<String>,
    pub goal: Option<String>,
    pub started_at: Millis,
    pub seen_at: Millis,
    pub ended_at: Option<Millis>,
}

/// A file somebody works on. On another machine it is another file of the same name, and a merge that is to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedClaim {
    pub project: SharedProject,
    pub session: SessionId,
    /// Relative to the repository, with `/` between its parts.
    pub path: String,
    pub branch: Option<String>,
    pub since_at: Millis,
    pub last_at: Millis,
    /// First and last line of what was edited, where that is known.
    pub lines: Option<(u32, u32)>,
    pub goal: Option<String>,
}

/// Words for one session, said with its next event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedMessage {
    /// Random; a message is delivered once.
    pub id: String,
    pub project: SharedProject,
    pub to: SessionId,
    /// A session's id, or a person's name.
    pub from: String,
    pub at: Millis,
    pub text: String,
    /// When it was said to the session; until then it waits.
    pub delivered_at: Option<Millis>,
}

/// A pattern of agents as it stands; what it means is decided elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedPattern {
    pub id: String,
    pub project: SharedProject,
    pub session: SessionId,
    pub kind: String,
    pub at: Millis,
    pub ended_at: Option<Millis>,
    pub state: serde_json::Value,
}

/// What others have told, oldest first, and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct News {
    pub changes: Vec<(Author, Change)>,
    /// Opaque; goes into the next question.
    pub cursor: String,
    /// There is more already.
    pub more: bool,
}

/// A question to everything a team has kept.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedAsk {
    /// Terms as search analyzes them; any of them will do.
    pub words: Vec<String>,
    /// The question as the model of this identity reads it.
    pub vector: Option<(String, Vec<f32>)>,
    /// None: of every project the person may see.
    pub projects: Option<Vec<SharedProject>>,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SharedHit {
    pub memory: SharedMemory,
    pub by: Author,
    /// Both legs blended, 0 to 1; comparable within one answer alone.
    pub score: f64,
}

/// One variant per reaction.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    /// Try again later; nothing is lost, everything waits.
    #[error("the team's database cannot be reached: {0}")]
    Unreachable(String),
    /// A person must change something: an address, a password, a certificate, a right. What it is, and what to do.
    #[error("{says}")]
    Refused { says: String, next: &'static str },
    /// What was told is not taken, now or later, and everything else is: bad or too much of it.
    #[error("the team's database does not take it: {0}")]
    Unfit(String),
    /// One side is older than the other.
    #[error("the team's database has format {found}, this throughline knows {known}; {hint}")]
    Version { found: u32, known: u32, hint: &'static str },
    #[error(transparent)]
    Store(#[from] crate::StoreError),
}

/// What a team shares. Blocking: whoever asks is not an agent that waits.
pub trait Shared {
    /// The last position of this outbox that was applied; 0 when none was. An outbox that was made anew has a new name.
    fn applied(&mut self, by: &Author, outbox: &str) -> Result<u64, SharedError>;

    /// Applies changes in the order of their positions, all or none of them, and each position once: what this outbox has
    /// told before is passed over. How many were new.
    fn apply(&mut self, by: &Author, outbox: &str, changes: &[(u64, Change)]) -> Result<usize, SharedError>;

    /// What everybody but this machine has told since, of these projects. An empty cursor is the beginning. Never passes
    /// over a change that was begun earlier and committed later.
    fn news(
        &mut self,
        machine: &str,
        projects: &[SharedProject],
        cursor: &str,
        limit: usize,
    ) -> Result<News, SharedError>;

    /// By words and by nearness, best first.
    fn search(&mut self, ask: &SharedAsk) -> Result<Vec<SharedHit>, SharedError>;

    fn memory(&mut self, id: MemoryId) -> Result<Option<SharedMemory>, SharedError>;

    /// Not ended, and heard of since.
    fn sessions(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedSession)>, SharedError>;

    /// Of sessions that have not ended, used since; last used first.
    fn claims(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedClaim)>, SharedError>;

    /// That wait for this session, oldest first.
    fn messages(&mut self, to: &SessionId) -> Result<Vec<SharedMessage>, SharedError>;

    /// Takes out sessions, claims, messages and patterns that nobody has touched since, a bounded number at a time: they
    /// are over, and everybody has let go of them. How many went. Memories never go.
    fn prune(&mut self, before: Millis) -> Result<u64, SharedError>;

    /// Newest first.
    fn patterns(&mut self, project: &SharedProject, limit: usize) -> Result<Vec<SharedPattern>, SharedError>;
}
