//! What we keep: one noun for everything that can be found again, and the parts a distiller gives.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{EventId, Millis, SessionId, WorkspaceKey};

/// Names a memory for people, agents and scripts: twelve letters and digits, of which a beginning that fits
/// only one will do. Made from what the memory comes from, so that deriving it again gives the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(u64);

impl MemoryId {
    /// Sixty bits: a million memories collide once in two million stores.
    const BITS: u32 = 60;
    pub const CHARS: usize = 12;
    /// Crockford's alphabet: nothing in it is mistaken for something else in it.
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

    pub const fn from_u64(bits: u64) -> Self {
        Self(bits & ((1 << Self::BITS) - 1))
    }

    /// From what it comes from: an event and a position, a source and its own id. A real hash, so that nobody can
    /// write a text that takes another memory's place.
    pub fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        Self::from_u64(u64::from_le_bytes(first))
    }

    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The ids that begin with these characters, first and last. `None`: no id begins so.
    pub fn range(prefix: &str) -> Option<(Self, Self)> {
        if prefix.is_empty() || prefix.len() > Self::CHARS {
            return None;
        }
        let mut bits = 0;
        for byte in prefix.bytes() {
            bits = bits << 5 | digit(byte)?;
        }
        let open = 5 * (Self::CHARS - prefix.len());
        Some((Self(bits << open), Self(bits << open | ((1 << open) - 1))))
    }
}

fn digit(byte: u8) -> Option<u64> {
    let byte = match byte.to_ascii_lowercase() {
        b'o' => b'0',
        b'i' | b'l' => b'1',
        byte => byte,
    };
    MemoryId::ALPHABET.iter().position(|known| *known == byte).map(|at| at as u64)
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for at in (0..Self::CHARS).rev() {
            let letter = Self::ALPHABET[(self.0 >> (5 * at)) as usize & 31];
            write!(f, "{}", letter as char)?;
        }
        Ok(())
    }
}

impl FromStr for MemoryId {
    type Err = crate::ids::NotAnId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Self::range(text) {
            Some((first, last)) if first == last => Ok(first),
            _ => Err(crate::ids::NotAnId),
        }
    }
}

impl Serialize for MemoryId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MemoryId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| serde::de::Error::custom("not the id of a memory"))
    }
}

macro_rules! memory_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum MemoryKind {
            $($(#[$doc])* #[serde(rename = $name)] $kind,)+
        }

        impl MemoryKind {
            pub const ALL: &[MemoryKind] = &[$(MemoryKind::$kind),+];

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$kind),)+
                    _ => None,
                }
            }

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }
        }
    };
}

memory_kinds! {
    Bugfix = "bugfix",
    Feature = "feature",
    Refactor = "refactor",
    Change = "change",
    Discovery = "discovery",
    Decision = "decision",
    Failure = "failure",
    Security = "security",
    /// What a turn was about: request, investigated, learned, completed, next steps.
    Summary = "summary",
    /// What a session teaches: worked, failed, decided, pattern.
    Learning = "learning",
    /// What a person asked for, in their words.
    Prompt = "prompt",
    /// Told to us: "remember this".
    Note = "note",
    /// An agent had to call a person.
    Incident = "incident",
    /// A piece of a conversation, verbatim.
    Chunk = "chunk",
    /// Brought in from elsewhere.
    Document = "document",
}

impl MemoryKind {
    /// The kinds a distiller gives.
    pub const OBSERVATIONS: &[MemoryKind] = &[
        Self::Bugfix,
        Self::Feature,
        Self::Refactor,
        Self::Change,
        Self::Discovery,
        Self::Decision,
        Self::Failure,
        Self::Security,
    ];

    pub fn is_observation(self) -> bool {
        Self::OBSERVATIONS.contains(&self)
    }
}

/// One thing that can be found again. Verbatim text stays verbatim: facts and concepts are keys beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pub id: MemoryId,
    pub kind: MemoryKind,
    /// When it happened, not when it was written down.
    pub at: Millis,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtitle: Option<String>,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concepts: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_read: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_modified: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceKey>,
    /// The project's name as people say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The same for every worktree of one repository; clones are joined where they are looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The id it had where it was brought in from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    #[serde(default)]
    pub urgency: Urgency,
    #[serde(default)]
    pub critical: bool,
    #[serde(default)]
    pub pinned: bool,
    pub provenance: Provenance,
}

impl Memory {
    /// With what every memory has; whoever makes it adds what they know.
    pub fn new(id: MemoryId, kind: MemoryKind, at: Millis, title: String, text: String) -> Self {
        Self {
            id,
            kind,
            at,
            title,
            subtitle: None,
            text,
            facts: Vec::new(),
            concepts: Vec::new(),
            files_read: Vec::new(),
            files_modified: Vec::new(),
            tools: Vec::new(),
            session: None,
            workspace: None,
            project: None,
            project_key: None,
            branch: None,
            external_id: None,
            urgency: Urgency::Normal,
            critical: false,
            pinned: false,
            provenance: Provenance::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Urgency {
    #[default]
    Normal,
    High,
}

/// Where a memory comes from, so that a person can go and look.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// Who wrote it: `extractive/3`, `person`, `import`, `transcript`, a model's name, …
    pub by: String,
    /// The events that show it, oldest first, at most [`Provenance::MAX_EVENTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventId>,
    /// A file and a place in it: a transcript and its line, a note and its heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Tokens of the raw material it stands for.
    #[serde(default)]
    pub tokens: u32,
}

impl Provenance {
    /// Enough to check a claim; a long piece of work keeps its first and last.
    pub const MAX_EVENTS: usize = 24;
}

/// What a distiller says of one piece of work. Nothing in it may be without an event that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// One of [`MemoryKind::OBSERVATIONS`].
    pub kind: MemoryKind,
    pub at: Millis,
    pub title: String,
    pub subtitle: Option<String>,
    pub narrative: String,
    pub facts: Vec<String>,
    pub concepts: Vec<String>,
    pub files_read: Vec<String>,
    pub files_modified: Vec<String>,
    pub tools: Vec<String>,
    /// Never empty.
    pub events: Vec<EventId>,
    /// Tokens of the raw material.
    pub tokens: u32,
}

/// A turn in five answers. An empty one was not answered by anything that happened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Summary {
    pub request: String,
    pub investigated: Vec<String>,
    pub learned: Vec<String>,
    pub completed: Vec<String>,
    pub next_steps: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearningKind {
    Worked,
    Failed,
    Decided,
    Pattern,
}

/// What the next session should know of this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learning {
    pub kind: LearningKind,
    pub at: Millis,
    pub title: String,
    pub text: String,
    pub files: Vec<String>,
    /// Never empty.
    pub events: Vec<EventId>,
}

/// About how many tokens a text costs a model: 4.2 bytes for prose, 3.2 where it looks like code.
pub fn estimate_tokens(text: &str) -> u32 {
    let signs = text.bytes().filter(|byte| b"{}()[];=<>_/\\\"'`|&$#".contains(byte)).count();
    let per_token = if signs * 14 > text.len() { 3.2 } else { 4.2 };
    (text.len() as f64 / per_token).ceil() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_also_from_a_beginning_and_with_letters_people_mistake() {
        let id = MemoryId::from_u64(0x0123_4567_89ab_cdef);
        let text = id.to_string();
        assert_eq!(text.len(), MemoryId::CHARS);
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(text.to_uppercase().replace('0', "O").replace('1', "I").parse(), Ok(id));
        let (first, last) = MemoryId::range(&text[..5]).unwrap();
        assert!(first <= id && id <= last);
        assert_ne!(MemoryId::of(&["ab", "c"]), MemoryId::of(&["a", "bc"]));
        assert_eq!(MemoryId::range("u"), None);
        assert_eq!(MemoryId::range(""), None);
        assert_eq!(text[..5].parse::<MemoryId>(), Err(crate::ids::NotAnId));
    }

    #[test]
    fn every_kind_reads_back_from_its_name() {
        for kind in MemoryKind::ALL {
            assert_eq!(MemoryKind::from_name(kind.name()), Some(*kind));
            assert_eq!(serde_json::to_string(kind).unwrap(), format!("\"{}\"", kind.name()));
        }
        assert_eq!(MemoryKind::from_name("thing"), None);
    }
}
