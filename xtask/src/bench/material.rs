//! What is taken in when taking in and searching are measured: documents, questions and a transcript, put together
//! from pieces of this repository's own text, so that words are as frequent as words are. The same in every run over
//! the same sources.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::run;

/// A document is so many pieces of so many words: about as long as a memory, and no two are near duplicates.
const PIECES: usize = 4;
const PIECE: usize = 9;
/// More text than this adds no new words worth having.
const MOST_WORDS: usize = 400_000;
const BEGINNING: u64 = 1_760_000_000_000;

#[derive(Debug)]
pub(crate) struct Material {
    words: Vec<String>,
    files: Vec<String>,
}

impl Material {
    pub(crate) fn gather() -> Result<Self> {
        let mut files = Vec::new();
        for folder in ["docs", "crates"] {
            collect(&run::root().join(folder), &mut files)?;
        }
        let words: Vec<String> = files
            .iter()
            .flat_map(|text| text.split(|char: char| !char.is_alphanumeric() && char != '_'))
            .filter(|word| word.len() > 2)
            .take(MOST_WORDS)
            .map(str::to_owned)
            .collect();
        ensure!(words.len() > 10_000, "the repository has too little text to make documents of");
        Ok(Self { words, files })
    }

    fn piece(&self, number: usize, words: usize) -> String {
        // Knuth's multiplier: places that do not repeat, the same in every run.
        let place = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16;
        let at = place as usize % (self.words.len() - words);
        self.words[at..at + words].join(" ")
    }

    /// Lines as `import --jsonl` takes them.
    pub(crate) fn documents(&self, path: &Path, many: usize) -> Result<u64> {
        let mut out = BufWriter::new(fs::File::create(path)?);
        for number in 0..many {
            let pieces: Vec<String> = (0..PIECES).map(|at| self.piece(number * PIECES + at, PIECE)).collect();
            let line = json!({"id": format!("document-{number}"), "text": pieces.join(". "),
                "ts": BEGINNING + number as u64 * 60_000, "project": format!("project-{}", number % 7),
                "files": [Self::file(number)]});
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        Ok(fs::metadata(path)?.len())
    }

    /// A file a document is about: about ten of each project share one.
    pub(crate) fn file(number: usize) -> String {
        format!("src/part_{}.rs", number / 70)
    }

    /// What a person remembers of one of `many` documents: some words of two of its pieces.
    pub(crate) fn question(&self, number: usize, many: usize) -> String {
        let document = number * 7919 % many;
        let some = |piece: usize, words: usize| {
            let piece = self.piece(document * PIECES + piece, PIECE);
            piece.split(' ').take(words).collect::<Vec<_>>().join(" ")
        };
        format!("why did the {} fail with {}", some(0, 3), some(2, 2))
    }

    /// A transcript of at least `bytes`: prompts, reads and answers. Most of it is what tools gave, twice, as in the
    /// files of the client.
    pub(crate) fn transcript(&self, path: &Path, bytes: u64) -> Result<u64> {
        let mut out = BufWriter::new(fs::File::create(path)?);
        let mut written = 0;
        for number in 0_usize.. {
            if written >= bytes {
                break;
            }
            for record in self.exchange(number) {
                let line = record.to_string();
                written += line.len() as u64 + 1;
                writeln!(out, "{line}")?;
            }
        }
        out.flush()?;
        Ok(written)
    }

    /// One call of a tool, every eighth with the prompt before it and the answer behind.
    fn exchange(&self, number: usize) -> Vec<Value> {
        let text = &self.files[number % self.files.len()];
        let id = format!("toolu_{number}");
        let record = |kind: &str, message: Value| {
            json!({"type": kind, "sessionId": "bench-backfill", "uuid": format!("{kind}-{number}"), "cwd": "/project",
                "gitBranch": "main", "timestamp": "2026-10-15T19:33:08.845Z", "isSidechain": false, "message": message})
        };
        let mut records = Vec::new();
        if number.is_multiple_of(8) {
            let asked = format!("Why does {} fail?", self.piece(number, 5));
            records.push(record("user", json!({"role": "user", "content": asked})));
        }
        records.push(record(
            "assistant",
            json!({"id": id, "role": "assistant", "stop_reason": "tool_use", "content": [
                {"type": "text", "text": format!("I read file {number}.")},
                {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": format!("/project/{number}.rs")}}]}),
        ));
        let mut given = record(
            "user",
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}),
        );
        given["toolUseResult"] = json!({"type": "text", "file": {"filePath": format!("/project/{number}.rs"),
            "content": text, "numLines": 10, "startLine": 1, "totalLines": 10}});
        records.push(given);
        if number % 8 == 7 {
            let said = format!(
                "The cause was {}. I changed {}.",
                self.piece(number, 30),
                self.piece(number + 1, 30)
            );
            records.push(record(
                "assistant",
                json!({"id": format!("end-{number}"), "role": "assistant", "stop_reason": "end_turn",
                    "content": [{"type": "text", "text": said}]}),
            ));
        }
        records
    }
}

fn collect(folder: &Path, into: &mut Vec<String>) -> Result<()> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            into.push(fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_made_of_words_of_its_document() {
        let material = Material::gather().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("documents.jsonl");
        material.documents(&path, 20).unwrap();
        let question = material.question(3, 20);
        let asked = question.strip_prefix("why did the ").unwrap().split_once(" fail with ").unwrap().0;
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 20);
        assert!(text.lines().nth(3 * 7919 % 20).unwrap().contains(asked), "{asked}");
    }

    #[test]
    fn a_transcript_is_lines_of_json_and_as_long_as_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("transcript.jsonl");
        let bytes = Material::gather().unwrap().transcript(&path, 200_000).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(bytes >= 200_000 && bytes == text.len() as u64);
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
}
