//! A question and its answer as they are sent between two processes of ours. Errors keep what whoever asked can do
//! about them: the nearest names, the choices.

use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::error::AtlasError;
use crate::question::Question;

/// The control question for the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Always [`Asked::WORD`].
    pub ask: String,
    /// The folder of the workspace, absolute.
    pub root: String,
    pub code: Question,
    /// Sooner than whoever asks would give up: for those who ask again and again how far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
}

impl Asked {
    pub const WORD: &'static str = "code";

    pub fn new(root: &str, code: Question) -> Self {
        Self { ask: Self::WORD.to_owned(), root: root.to_owned(), code, within_ms: None }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    Code(Answer),
    Refused(Refused),
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{what}")]
pub struct Refused {
    pub what: String,
    pub reason: Reason,
    /// The nearest names, or the choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// By what can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Ask again in a moment.
    NotYet,
    /// Ask for another name.
    Unknown,
    /// Say which one.
    Ambiguous,
    /// Ask for another file.
    NotMapped,
    /// Not to be had here.
    Unable,
    /// The disk or the store: look what is wrong with it.
    Broken,
}

impl From<AtlasError> for Refused {
    fn from(error: AtlasError) -> Self {
        let whole = error.to_string();
        match error {
            AtlasError::Unknown { wanted, nearest } => Self {
                what: format!("nothing here is called \"{wanted}\""),
                reason: Reason::Unknown,
                names: nearest,
            },
            AtlasError::Ambiguous { wanted, choices } => Self {
                what: format!("\"{wanted}\" may be any of {}", choices.len()),
                reason: Reason::Ambiguous,
                names: choices,
            },
            AtlasError::NotYet => Self { what: whole, reason: Reason::NotYet, names: Vec::new() },
            AtlasError::NotMapped { .. } => {
                Self { what: whole, reason: Reason::NotMapped, names: Vec::new() }
            }
            AtlasError::Unable(_) => Self { what: whole, reason: Reason::Unable, names: Vec::new() },
            AtlasError::Store(_) | AtlasError::Disk { .. } => {
                Self { what: whole, reason: Reason::Broken, names: Vec::new() }
            }
        }
    }
}

impl From<Result<Answer, AtlasError>> for Said {
    fn from(result: Result<Answer, AtlasError>) -> Self {
        match result {
            Ok(answer) => Self::Code(answer),
            Err(error) => Self::Refused(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_sent_comes_back_as_it_was() {
        let asked = Asked::new("/work", Question::Callers { symbol: "Store.save".to_owned(), limit: None });
        let sent = json!(asked);
        assert_eq!(sent["ask"], "code");
        assert_eq!(sent["code"]["ask"], "callers");
        assert_eq!(serde_json::from_value::<Asked>(sent).unwrap(), asked);
        for said in [
            Said::Code(Answer::Items { items: Vec::new(), total: 7 }),
            Said::from(Err(AtlasError::Unknown { wanted: "a".to_owned(), nearest: vec!["b".to_owned()] })),
            Said::from(Err(AtlasError::NotYet)),
            Said::from(Err(AtlasError::NotMapped { file: "a".to_owned(), why: "it is too large" })),
        ] {
            assert_eq!(serde_json::from_value::<Said>(json!(said)).unwrap(), said);
        }
    }
}
