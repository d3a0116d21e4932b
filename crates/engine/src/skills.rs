//! Which skills a prompt calls for: by rules somebody wrote (`skill-rules.json`), and by what skills say of themselves.
//! Reads files that others have written: bounded, never run, never said but as one short line. Silent where in doubt.

mod found;
mod judge;
mod prompt;
mod rules;
#[cfg(test)]
mod tests;
mod theirs;

use std::path::PathBuf;

pub use found::{Places, shelf};
pub use judge::{Hit, hits};
pub use prompt::Prompt;
pub use rules::{RULES_FILE, Rule};

/// How much a rule matters to whoever wrote it; the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    Critical,
    High,
    Medium,
    Low,
}

impl Priority {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforcement {
    Suggest,
    /// The person reads it, too.
    Warn,
    /// The prompt is held once.
    Block,
}

impl Enforcement {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Suggest => "suggest",
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }
}

/// A skill that is there, with what it says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    pub name: String,
    pub description: String,
    pub file: PathBuf,
    vector: Vec<f32>,
    words: Vec<String>,
}

/// What is known in one place: rules, skills, and what is wrong with them.
#[derive(Debug, Default)]
pub struct Shelf {
    /// The person's, then those of the repository.
    pub rules: Vec<Rule>,
    /// The person's file of rules.
    pub file: Option<PathBuf>,
    /// The repository's.
    pub their_file: Option<PathBuf>,
    pub skills: Vec<Skill>,
    /// In words, for whoever asks.
    pub faults: Vec<String>,
}

/// A name that a model can type and that says nothing else.
fn is_name(name: &str) -> bool {
    /// Longer ones are sentences.
    const MAX_CHARS: usize = 64;
    !name.is_empty()
        && name.chars().count() <= MAX_CHARS
        && name.chars().all(|letter| letter.is_alphanumeric() || "-_.:/".contains(letter))
}
