//! Removes private text and secrets in memory, before anything is written.
//!
//! Pure: no file, no clock, no environment, no other crate of ours. It never calls a vendor to verify a
//! secret, because that would send it out; precision comes from context instead.
//!
//! The path of a text: `tags` removes private blocks, `filter` finds in one pass where something may begin,
//! `scan` wakes the scanner for it, `hit::settle` joins what was found, `engine` turns it into edits and
//! repeats until nothing more is found, so that a second pass over the result never changes it. Envelopes are
//! walked by `json`, string by string, with the name of each value as context.
//!
//! A name and its value: `assign` reads the name, `operators` finds the value, `placement` and `lines` say what
//! the place is, `judge` and `words` whether such a value there is a secret. `prose`, `program`, `tables`,
//! `blocks`, `shell` and `commands` know the places where the two stand apart; `printing` knows the commands whose
//! output is secret; `holes` and `expression` say what is no secret because all of it is a hole or code; `unescaped`
//! reads what is written inside other text.

mod assign;
mod bigram;
mod blocks;
mod commands;
mod encoded;
mod engine;
mod escapes;
mod expression;
mod filter;
mod headers;
mod hit;
mod holes;
mod json;
mod judge;
mod lexicon;
mod likeness;
mod lines;
mod mask;
mod operators;
mod pem;
mod personal;
mod placement;
mod printing;
mod program;
mod prose;
mod scan;
mod shell;
mod structures;
mod tables;
mod tags;
mod text;
mod unescaped;
mod urls;
mod value;
mod vendors;
mod words;

use std::borrow::Cow;

pub use engine::Redactor;
pub use hit::RuleInfo;

/// Text we inject is fenced in this tag, so that it is recognized and not captured again.
pub const NOTE_TAG: &str = "throughline-note";

/// What a person may decide about redaction. The default redacts secrets and private text, and nothing else.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Key of the marks; per installation, kept outside what is redacted.
    pub key: [u8; 32],
    /// Texts always redacted.
    pub literals: Vec<String>,
    /// Kind and expression (linear engine) of the person's own rules.
    pub patterns: Vec<(String, String)>,
    /// Values to leave alone: the SHA-256 of a value in hexadecimal, or the six digits of its mark. Never the value.
    pub allow: Vec<String>,
    /// Also redact e-mail addresses.
    pub email: bool,
    /// Also redact telephone numbers.
    pub phone: bool,
}

/// A person's rule that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleError {
    /// The expression does not compile.
    Pattern { kind: String, pattern: String, reason: String },
    /// The expression matches the empty text, which would redact everything.
    MatchesNothing { kind: String, pattern: String },
    /// An allowed value must be given by hash.
    Allow { entry: String },
}

impl std::fmt::Display for RuleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RuleError::Pattern { kind, pattern, reason } => {
                write!(
                    f,
                    "redaction pattern \"{kind}\" does not compile: {pattern}: {reason}; correct or remove it (look-around and back-references are not available)"
                )
            }
            RuleError::MatchesNothing { kind, pattern } => {
                write!(
                    f,
                    "redaction pattern \"{kind}\" matches the empty text: {pattern}; make at least one character required"
                )
            }
            RuleError::Allow { entry } => {
                write!(
                    f,
                    "allowed value \"{entry}\" is no hash; give the SHA-256 of the value (64 hexadecimal digits) or the six digits of its mark, never the value"
                )
            }
        }
    }
}

impl std::error::Error for RuleError {}

/// Plain text after redaction.
#[derive(Debug, Clone, Default)]
pub struct Redacted {
    pub bytes: Vec<u8>,
    pub findings: Vec<Finding>,
}

/// An envelope after redaction: always one valid JSON value.
#[derive(Debug, Clone, Default)]
pub struct RedactedEnvelope {
    pub json: Vec<u8>,
    pub findings: Vec<Finding>,
    /// The input was JSON. If not, `json` is `{"unreadable": "<the text, redacted>"}`, with the session's id and
    /// the event's name before it where the text begins as envelopes do.
    pub parsed: bool,
    /// The prompt held private text and nothing else.
    pub private_prompt: bool,
}

/// What was found and where; never the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub kind: Cow<'static, str>,
    pub rule: Cow<'static, str>,
    /// Byte offsets in the input.
    pub start: usize,
    pub end: usize,
    /// First 24 bits of the keyed hash of the value, as in the mark.
    pub mark: Option<String>,
    /// Names leading to the value in an envelope: `tool_input.env.DB_PASSWORD`.
    pub path: Option<String>,
}

/// Every rule with its proof: a text it catches and a text it spares.
pub fn catalogue() -> impl Iterator<Item = RuleInfo> {
    let written = [
        tags::RULES,
        assign::RULES,
        urls::RULES,
        pem::RULES,
        headers::RULES,
        encoded::RULES,
        commands::RULES,
        structures::RULES,
        personal::RULES,
        prose::RULES,
        tables::RULES,
    ];
    written
        .into_iter()
        .flatten()
        .map(|rule| RuleInfo {
            name: rule.name.into(),
            kind: rule.kind.into(),
            catches: rule.catches.into(),
            spares: rule.spares.into(),
        })
        .chain(vendors::catalogue())
}
