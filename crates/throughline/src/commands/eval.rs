//! How good search is on a set of documents and questions: the same code, on a store that is thrown away. What is
//! recorded here is neither read nor changed.

use std::io::BufRead;
use std::sync::Arc;

use clap::Args;
use embed::{EmbedError, Embedder, Identity, MiniLm};
use engine::search::Legs;
use engine::search::eval::{
    Document, Prompt, PromptReport, Question, Report, build, measure, measure_prompts,
};
use serde::de::DeserializeOwned;

use super::lines;
use crate::report::{Failure, hint, person};
use crate::{print, progress, when};

#[derive(Debug, Args)]
#[command(
    after_help = "Documents are lines {id, text, ts, session, project, kind, title, files}, questions are lines {query, relevant: [id, ...]},
prompts are lines {id, prompt, project, relevant: [id, ...], split}, of which one that needs nothing has no id; plain or .gz.
Examples:
  throughline eval --documents set.documents.jsonl --queries set.queries.jsonl --json
  throughline eval --documents eval/recall/memories.jsonl --prompts eval/recall/prompts.jsonl --split test"
)]
pub(crate) struct Eval {
    /// What is to be found
    #[arg(long, value_name = "FILE")]
    documents: String,
    /// What is asked, and which documents answer it
    #[arg(long, value_name = "FILE", required_unless_present = "prompts")]
    queries: Option<String>,
    /// What is said to an agent, and which documents should then be in front of it: measures recall-on-prompt
    #[arg(long, value_name = "FILE", conflicts_with_all = ["queries", "legs"])]
    prompts: Option<String>,
    /// Of the prompts, only those of this part
    #[arg(long, value_name = "NAME", requires = "prompts")]
    split: Option<String>,
    /// One JSON object per memory that was considered, with what spoke for it, instead of the figures
    #[arg(long, requires = "prompts", conflicts_with = "json")]
    candidates: bool,
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
        if let Some(file) = &self.prompts {
            return self.prompts(file, &documents);
        }
        let file = self.queries.as_deref().unwrap_or_default();
        let questions: Vec<Question> = read(file, r#"{"query": "...", "relevant": ["1"]}"#)?;
        if !questions.iter().any(|question| !question.relevant.is_empty()) {
            let what = format!("{file} asks nothing that has an answer");
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

    fn prompts(&self, file: &str, documents: &[Document]) -> anyhow::Result<()> {
        let mut prompts: Vec<Prompt> =
            read(file, r#"{"id": "1", "prompt": "...", "relevant": ["1"], "split": "dev"}"#)?;
        if let Some(split) = &self.split {
            prompts.retain(|prompt| prompt.split.as_deref() == Some(split));
        }
        if prompts.is_empty() {
            let what = format!("{file} has no such prompts");
            return Err(hint(Failure::Person, what, "leave out --split, or name one that is in the file"));
        }
        let folder = tempfile::tempdir()?;
        let bar = progress::items("reading documents", 0);
        let path = folder.path().join("eval.db");
        let search = build(&path, documents, Some(Arc::new(BuiltIn))).map_err(person)?;
        bar.set_message("asking");
        let (report, candidates) = measure_prompts(&search, &path, &prompts, when::now()).map_err(person)?;
        bar.finish_and_clear();
        if self.candidates {
            let lines: Vec<String> = candidates.iter().map(|one| one.to_string() + "\n").collect();
            return print::text(&lines.concat());
        }
        if self.json {
            return print::json(&report);
        }
        print::text(&of_prompts(&report, documents.len()))
    }
}

fn of_prompts(report: &PromptReport, documents: usize) -> String {
    let mut text = format!(
        "{} of {}\n\n",
        print::count((report.related + report.unrelated) as u64, "prompt", "prompts"),
        print::count(documents as u64, "document", "documents")
    );
    for (name, share) in [
        ("of what was said, right", report.precision),
        ("unrelated prompts, silence", report.silence),
        ("related prompts, a right one in the first three", report.right_3),
        ("related prompts, anything said", report.spoken),
    ] {
        text.push_str(&format!("{name:<48} {:.1} %\n", share * 100.0));
    }
    let said = report.items as f64 / (report.spoke as f64).max(1.0);
    text.push_str(&format!("{:<48} {said:.2}\n", "memories said, where any"));
    text.push_str(&format!("{:<48} {:.0}\n", "tokens said, where any", report.tokens));
    for (name, time) in [("p50", report.p50_ms), ("p95", report.p95_ms)] {
        text.push_str(&format!("{name:<48} {time:.2} ms\n"));
    }
    text
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
