//! A memory as a line of JSON, written by `export --memories` and read by `import --jsonl`. It has the fields of
//! the documented format, so that other tools read it, and all the others, so that nothing is lost on the way back.

use std::io::BufRead;

use import::{Effect, Imported, Problem, Record};
use model::{Memory, Millis};
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
}

impl From<MemoryRow> for Exported {
    fn from(row: MemoryRow) -> Self {
        let MemoryRow { memory, hits, prevented, last_applied_at, .. } = row;
        Self { ts: memory.at, memory, hits, prevented, last_applied_at }
    }
}

impl From<Exported> for Record {
    fn from(line: Exported) -> Self {
        let Exported { memory, hits, prevented, last_applied_at, .. } = line;
        Self::Memory(Box::new(Imported { memory, hits, prevented, last_applied_at }))
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
) -> impl Iterator<Item = Result<Record, Problem>> + Send {
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
