//! How good search is on a set of documents and questions: the same code, on a store that is thrown away. What is
//! recorded here is neither read nor changed.

use std::io::BufRead;
use std::sync::Arc;

use clap::Args;
use embed::{EmbedError, Embedder, Identity, MiniLm};
use engine::search::Legs;
use engine::search::eval::{Document, Question, Report, build, measure};
use serde::de::DeserializeOwned;

use super::lines;
use crate::report::{Failure, hint, person};
use crate::{print, progress, when};

#[derive(Debug, Args)]
#[command(
    after_help = "Documents are lines {id, text, ts, session, project, kind}, questions are lines {query, relevant: [id, ...]};
plain or .gz.
Example: throughline eval --documents set.documents.jsonl --queries set.queries.jsonl --json"
)]
pub(crate) struct Eval {
    /// What is to be found
    #[arg(long, value_name = "FILE")]
    documents: String,
    /// What is asked, and which documents answer it
    #[arg(long, value_name = "FILE")]
    queries: String,
    /// Words or vectors alone, to see what each is worth
    #[arg(long, value_parser = ["both", "words", "vectors"], default_value = "both")]
    legs: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Eval {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let documents: Vec<Document> = read(&self.documents, r#"{"id": "1", "text": "..."}"#)?;
        let questions: Vec<Question> = read(&self.queries, r#"{"query": "...", "relevant": ["1"]}"#)?;
        if !questions.iter().any(|question| !question.relevant.is_empty()) {
            let what = format!("{} asks nothing that has an answer", self.queries);
            return Err(hint(
                Failure::Person,
                what,
                r#"give lines like {"query": "...", "relevant": ["1"]}"#,
            ));
        }
        let legs = match self.legs.as_str() {
            "words" => Legs::Words,
            "vectors" => Legs::Nearness,
            _ => Legs::Both,
        };
        let model = (legs != Legs::Words).then(|| Arc::new(BuiltIn) as engine::search::Model);
        let folder = tempfile::tempdir()?;
        let bar = progress::items("reading documents", 0);
        let search = build(&folder.path().join("eval.db"), &documents, model).map_err(person)?;
        bar.set_message("asking");
        let report = measure(&search, &questions, legs, when::now()).map_err(person)?;
        bar.finish_and_clear();
        if self.json {
            return print::json(&report);
        }
        print::text(&said(&report, documents.len()))
    }
}

fn said(report: &Report, documents: usize) -> String {
    let mut text = format!(
        "{} of {}\n\n",
        print::count(report.queries as u64, "question", "questions"),
        print::count(documents as u64, "document", "documents")
    );
    for (name, share) in [
        ("hit@1", report.hit_1),
        ("hit@5", report.hit_5),
        ("recall@10", report.recall_10),
        ("recall@20", report.recall_20),
        ("mrr", report.mrr),
    ] {
        text.push_str(&format!("{name:<10} {share:.4}\n"));
    }
    for (name, time) in [("p50", report.p50_ms), ("p95", report.p95_ms)] {
        text.push_str(&format!("{name:<10} {time:.2} ms\n"));
    }
    text
}

fn read<T: DeserializeOwned>(file: &str, shape: &str) -> anyhow::Result<Vec<T>> {
    let mut items = Vec::new();
    for (at, line) in lines::open(file)?.lines().enumerate() {
        let line = line.map_err(|error| lines::unreadable(file, &error))?;
        if line.trim().is_empty() {
            continue;
        }
        let item = serde_json::from_str(&line).map_err(|error| {
            let what = format!("{file}:{}: {error}", at + 1);
            hint(Failure::Person, what, format!("a line is like {shape}"))
        })?;
        items.push(item);
    }
    Ok(items)
}

/// The model in the binary, as something to share.
struct BuiltIn;

impl Embedder for BuiltIn {
    fn identity(&self) -> &Identity {
        MiniLm::builtin().identity()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        MiniLm::builtin().embed(texts)
    }
}
