//! A memory as a line of JSON, written by `export --memories` and read by `import --jsonl`. It has the fields of
//! the documented format, so that other tools read it, and all the others, so that nothing is lost on the way back.

use std::io::BufRead;

use import::{Effect, Imported, Problem, Record};
use model::{Memory, MemoryId, Millis};
use serde::{Deserialize, Serialize};
use store::MemoryRow;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Exported {
    /// The moment under the name the documented format has for it.
    ts: Millis,
    #[serde(flatten)]
    memory: Memory,
    #[serde(default)]
    hits: u64,
    #[serde(default)]
    prevented: u64,
    #[serde(default)]
    last_applied_at: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    superseded_by: Option<MemoryId>,
}

/// A record on its way in, and which memory stands before it.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) record: Record,
    pub(super) superseded_by: Option<MemoryId>,
}

impl From<Record> for Incoming {
    fn from(record: Record) -> Self {
        Self { record, superseded_by: None }
    }
}

impl From<MemoryRow> for Exported {
    fn from(row: MemoryRow) -> Self {
        let MemoryRow { memory, hits, prevented, last_applied_at, superseded_by, .. } = row;
        Self { ts: memory.at, memory, hits, prevented, last_applied_at, superseded_by }
    }
}

impl From<Exported> for Incoming {
    fn from(line: Exported) -> Self {
        let Exported { memory, hits, prevented, last_applied_at, superseded_by, .. } = line;
        let record = Record::Memory(Box::new(Imported { memory, hits, prevented, last_applied_at }));
        Self { record, superseded_by }
    }
}

/// Whether a file begins like one of ours. A document of somebody else's has no provenance.
pub(super) fn is_ours(first_line: &[u8]) -> bool {
    serde_json::from_slice::<Exported>(first_line).is_ok()
}

/// The records of a file of ours. A line that somebody has broken costs itself.
pub(super) fn read(
    lines: Box<dyn BufRead + Send>,
    place: String,
) -> impl Iterator<Item = Result<Incoming, Problem>> + Send {
    let problem =
        move |at: usize, effect, what: String| Problem { place: format!("{place}:{}", at + 1), what, effect };
    lines.lines().enumerate().filter_map(move |(at, line)| match line {
        Err(error) => Some(Err(problem(at, Effect::Lost, format!("cannot be read: {error}")))),
        Ok(line) if line.trim().is_empty() => None,
        Ok(line) => Some(match serde_json::from_str::<Exported>(&line) {
            Ok(line) => Ok(line.into()),
            Err(error) => Err(problem(at, Effect::Lost, format!("is no exported memory: {error}"))),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_of_somebody_elses_is_not_taken_for_ours() {
        let ours = r#"{"ts":1,"id":"00000000000a","kind":"note","at":1,"title":"t","text":"x","provenance":{"by":"person"}}"#;
        assert!(is_ours(ours.as_bytes()));
        for line in ["", "{}", r#"{"id":"00000000000a","text":"x","ts":1,"kind":"note","title":"t"}"#] {
            assert!(!is_ours(line.as_bytes()), "{line}");
        }
    }
}
