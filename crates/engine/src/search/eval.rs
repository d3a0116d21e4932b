//! How good search is, measured by its own path on a store that is thrown away: documents in, questions asked, the
//! ranks of the right answers counted. Judges nothing; numbers go to whoever asked.

mod partly;
mod prompts;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use model::{Memory, MemoryId, MemoryKind, Provenance, SessionId, Urgency};
use serde::{Deserialize, Serialize};
use store::{Filing, Tables};

use super::{Ask, Legs, Model, Search};
use crate::Result;

pub use partly::{Order, Partly};
pub use prompts::{Prompt, PromptReport, measure_prompts};

/// One line of a file of documents.
#[derive(Debug, Clone, Deserialize)]
pub struct Document {
    pub id: String,
    pub text: String,
    /// Unix seconds, or milliseconds.
    #[serde(default)]
    pub ts: Option<f64>,
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default)]
    pub project: Option<String>,
    #[serde(default)]
    pub kind: Option<String>,
    /// Its first line, if there is none.
    #[serde(default)]
    pub title: Option<String>,
    /// What it is about, as paths.
    #[serde(default)]
    pub files: Vec<String>,
}

/// One line of a file of questions.
#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    pub query: String,
    pub relevant: Vec<String>,
    #[serde(default)]
    pub split: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    #[serde(rename = "hit@1")]
    pub hit_1: f64,
    #[serde(rename = "hit@5")]
    pub hit_5: f64,
    /// The share of the right answers among the first ten.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    #[serde(rename = "recall@20")]
    pub recall_20: f64,
    pub mrr: f64,
    pub queries: usize,
    pub p50_ms: f64,
    pub p95_ms: f64,
}

/// Ranks below this count for nothing.
const DEPTH: usize = 100;
/// Memories filed in one transaction.
const BATCH: usize = 500;
/// Seconds beyond this year 2286 are milliseconds.
const LAST_SECOND: f64 = 1e10;

/// A store of documents at `path`, filed and embedded as far as there is a model.
pub fn build(path: &Path, documents: &[Document], model: Option<Model>) -> Result<Search> {
    let mut tables = Tables::open(path)?;
    for (batch_at, batch) in documents.chunks(BATCH).enumerate() {
        tables.write(|writer| {
            for (at, document) in batch.iter().enumerate() {
                writer.put_memory(&memory(document, batch_at * BATCH + at), FILING)?;
            }
            Ok(())
        })?;
    }
    let search = Search::open(path)?;
    while search.index_due(&mut tables, BATCH)? > 0 {}
    if let Some(model) = model {
        search.use_model(&mut tables, model)?;
        while search.embed_due(&mut tables, BATCH)? > 0 {}
    }
    Ok(search)
}

/// Asks every question that has an answer.
pub fn measure(search: &Search, questions: &[Question], legs: Legs, now: u64) -> Result<Report> {
    let mut report = Report::default();
    let mut times = Vec::new();
    for question in questions.iter().filter(|question| !question.relevant.is_empty()) {
        let ask = Ask { text: question.query.clone(), limit: DEPTH, now, legs, ..Ask::default() };
        let start = Instant::now();
        let hits = search.run(&ask)?;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
        let found: Vec<&str> = hits.iter().filter_map(|hit| hit.external_id.as_deref()).collect();
        report.count(&found, &question.relevant);
    }
    report.finish(&mut times);
    Ok(report)
}

impl Report {
    fn count(&mut self, found: &[&str], relevant: &[String]) {
        let relevant: HashSet<&str> = relevant.iter().map(String::as_str).collect();
        let ranks: HashMap<&str, usize> =
            found.iter().enumerate().rev().map(|(rank, id)| (*id, rank)).collect();
        let ranks: Vec<usize> = relevant.iter().filter_map(|id| ranks.get(id).copied()).collect();
        let within =
            |depth| ranks.iter().filter(|rank| **rank < depth).count() as f64 / relevant.len() as f64;
        let first = ranks.iter().min().copied();
        self.queries += 1;
        self.hit_1 += f64::from(first == Some(0));
        self.hit_5 += f64::from(first.is_some_and(|rank| rank < 5));
        self.recall_10 += within(10);
        self.recall_20 += within(20);
        self.mrr += first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
    }

    fn finish(&mut self, times: &mut [f64]) {
        let count = (self.queries as f64).max(1.0);
        for sum in [&mut self.hit_1, &mut self.hit_5, &mut self.recall_10, &mut self.recall_20, &mut self.mrr]
        {
            *sum /= count;
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(0.0);
        (self.p50_ms, self.p95_ms) = (at(0.5), at(0.95));
    }
}

/// Never the same as another: a set may hold one text twice, under two ids.
const FILING: Filing = Filing { seq: 0, tokens: 0, fingerprint: 0 };

fn memory(document: &Document, at: usize) -> Memory {
    let seconds = document.ts.unwrap_or(0.0);
    let millis = if seconds > LAST_SECOND { seconds } else { seconds * 1000.0 };
    let first = document.title.as_deref().unwrap_or(&document.text).trim().lines().next().unwrap_or_default();
    Memory {
        id: MemoryId::from_u64(at as u64 + 1),
        kind: document.kind.as_deref().and_then(MemoryKind::from_name).unwrap_or(MemoryKind::Document),
        at: millis.max(0.0) as u64,
        title: first.chars().take(120).collect(),
        subtitle: None,
        text: document.text.clone(),
        facts: Vec::new(),
        concepts: Vec::new(),
        files_read: Vec::new(),
        files_modified: document.files.clone(),
        tools: Vec::new(),
        session: document.session.as_deref().map(SessionId::new),
        workspace: None,
        project: document.project.clone(),
        project_key: None,
        branch: None,
        external_id: Some(document.id.clone()),
        urgency: Urgency::Normal,
        critical: false,
        pinned: false,
        provenance: Provenance { by: "import".to_owned(), ..Provenance::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_counted_as_the_names_say() {
        let mut report = Report::default();
        let relevant = ["b".to_owned(), "z".to_owned()];
        report.count(&["a", "b", "c"], &relevant);
        report.count(&[], &relevant);
        report.finish(&mut [1.0, 3.0]);
        assert_eq!((report.hit_1, report.hit_5, report.recall_10, report.mrr), (0.0, 0.5, 0.25, 0.25));
        assert_eq!(report.queries, 2);
    }
}
