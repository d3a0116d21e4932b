//! How good search is on a set of documents and questions, and what is kept of sessions: the same code, on a store that
//! is thrown away. What is recorded here is neither read nor changed.

mod labels;
mod measures;
mod sessions;
mod titles;
mod words;

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use embed::{EmbedError, Embedder, Identity, MiniLm};
use engine::search::eval::{
    Document, Order, Partly, Prompt, PromptReport, Question, Report, build, measure, measure_prompts,
};
use engine::search::{Legs, Search};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::lines;
use crate::report::{Failure, hint, person};
use crate::{print, progress, when};

#[derive(Debug, Args)]
#[command(
    after_help = "Documents are lines {id, text, ts, session, project, kind, title, files}, questions are lines {query, relevant: [id, ...]},
prompts are lines {id, prompt, project, relevant: [id, ...], split}, of which one that needs nothing has no id; plain or .gz.
Sessions are conversations of Claude Code, Codex or Gemini CLI below a folder; docs/reference/session-labels.md tells how to label them.
Examples:
  throughline eval --documents set.documents.jsonl --queries set.queries.jsonl --json
  throughline eval --documents eval/recall/memories.jsonl --prompts eval/recall/prompts.jsonl --split test
  throughline eval --documents eval/recall/memories.jsonl --prompts eval/recall/prompts.jsonl --vectors 0,50,100
  throughline eval --sessions ~/.claude/projects --labels labels.json"
)]
pub(crate) struct Eval {
    /// What is to be found
    #[arg(long, value_name = "FILE", required_unless_present = "sessions")]
    documents: Option<String>,
    /// What is asked, and which documents answer it
    #[arg(long, value_name = "FILE", required_unless_present_any = ["prompts", "sessions"])]
    queries: Option<String>,
    /// What is said to an agent, and which documents should then be in front of it: measures recall-on-prompt
    #[arg(long, value_name = "FILE", conflicts_with_all = ["queries", "legs"])]
    prompts: Option<String>,
    /// Only those of this part; questions that name none are dealt to "dev" and "test" in turn
    #[arg(long, value_name = "NAME")]
    split: Option<String>,
    /// Measure with only so many percent of the vectors, as it is while they are being made; several at once
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=100),
        conflicts_with_all = ["candidates", "legs"])]
    vectors: Vec<u8>,
    /// With --vectors: which memories have theirs
    #[arg(long, value_parser = ["made", "random"], default_value = "made", requires = "vectors")]
    order: String,
    /// One JSON object per memory that was considered, with what spoke for it, instead of the figures
    #[arg(long, requires = "prompts", conflicts_with = "json")]
    candidates: bool,
    /// Words or vectors alone, to see what each is worth
    #[arg(long, value_parser = ["both", "words", "vectors"], default_value = "both")]
    legs: String,
    /// Conversations below this folder: measures what is kept of them
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["documents", "queries", "prompts", "split", "vectors"])]
    sessions: Option<String>,
    /// With --sessions: what should be kept of them, and what must not be said
    #[arg(long, value_name = "FILE", requires = "sessions")]
    labels: Option<String>,
    /// With --sessions: one JSON object per verdict instead of the figures
    #[arg(long, requires = "sessions", conflicts_with = "json")]
    details: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Eval {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if let Some(folder) = &self.sessions {
            return self.sessions(folder);
        }
        let documents: Vec<Document> =
            read(self.documents.as_deref().unwrap_or_default(), r#"{"id": "1", "text": "..."}"#)?;
        if let Some(file) = &self.prompts {
            return self.prompts(file, &documents);
        }
        let file = self.queries.as_deref().unwrap_or_default();
        let mut questions: Vec<Question> = read(file, r#"{"query": "...", "relevant": ["1"]}"#)?;
        if let Some(split) = &self.split {
            let mut dealt = ["dev", "test"].into_iter().cycle();
            questions.retain(|question| {
                let dealt = dealt.next();
                question.split.as_deref().or(dealt) == Some(split)
            });
        }
        if !questions.iter().any(|question| !question.relevant.is_empty()) {
            let what = format!("{file} asks nothing that has an answer");
            return Err(hint(
                Failure::Person,
                what,
                r#"give lines like {"query": "...", "relevant": ["1"]}"#,
            ));
        }
        if !self.vectors.is_empty() {
            return self.partly(&documents, |search, _| {
                let report = measure(search, &questions, Legs::Both, when::now())?;
                let line = format!("{:>7.4} {:>7.4} {:>7.4}", report.hit_1, report.hit_5, report.mrr);
                Ok((serde_json::json!(report), line))
            });
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

    fn sessions(&self, folder: &str) -> anyhow::Result<()> {
        let labels = self.labels.as_deref().map(labels::read).transpose()?;
        let bar = progress::items("taking sessions in", 1);
        let began = Instant::now();
        let taken = sessions::take_in(folder, &bar)?;
        bar.finish_and_clear();
        let seconds = began.elapsed().as_secs_f64();
        let figures = measures::measure(&taken, labels.as_ref());
        if self.details {
            let lines: Vec<String> = figures.details().iter().map(|one| one.to_string() + "\n").collect();
            return print::text(&lines.concat());
        }
        if self.json {
            return print::json(&figures);
        }
        let megabytes = taken.bytes as f64 / 1e6;
        print::text(&figures.table())?;
        print::line(&format!("taken in: {megabytes:.1} MB in {seconds:.1} s"))
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
        if !self.vectors.is_empty() {
            return self.partly(documents, |search, path| {
                let (report, _) = measure_prompts(search, path, &prompts, when::now())?;
                let PromptReport { right, items, right_3, silence, .. } = report;
                let line = format!("{right:>5} {items:>5} {right_3:>7.4} {silence:>8.4}");
                Ok((serde_json::json!(report), line))
            });
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

impl Eval {
    /// One measurement for each share of the vectors, from all of them down to the fewest.
    fn partly(
        &self,
        documents: &[Document],
        measure: impl Fn(&Search, &Path) -> engine::Result<(Value, String)>,
    ) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("eval.db");
        let order = if self.order == "random" { Order::Random } else { Order::AsMade };
        let mut shares = self.vectors.clone();
        shares.sort_unstable_by(|a, b| b.cmp(a));
        let bar = progress::items("reading documents", 0);
        let mut partly = Partly::build(&path, documents, Arc::new(BuiltIn), order).map_err(person)?;
        let mut measured = Vec::new();
        for share in shares {
            bar.set_message(format!("asking with {share} % of the vectors"));
            let search = partly.with(usize::from(share)).map_err(person)?;
            let (mut report, line) = measure(&search, &path).map_err(person)?;
            report["vectors"] = share.into();
            measured.push((report, format!("{share:>7} {line}\n")));
        }
        bar.finish_and_clear();
        measured.reverse();
        if self.json {
            return print::json(&measured.into_iter().map(|(report, _)| report).collect::<Vec<_>>());
        }
        let names =
            if self.prompts.is_some() { "right  said right@3  silence" } else { "  hit@1   hit@5     mrr" };
        let lines: Vec<String> = measured.into_iter().map(|(_, line)| line).collect();
        print::text(&format!("vectors {names}\n{}", lines.concat()))
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
