//! How good search is on a set: words alone, nearness alone, and both. For `docs/reference/search.md`.
//!
//! `cargo run --profile fast -p throughline-engine --example search_quality -- DOCUMENTS.jsonl QUERIES.jsonl [STORE]`
//!
//! With STORE the store is kept there, and asked again the next time.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use embed::{EmbedError, Embedder, Identity, MiniLm};
use engine::search::eval::{Document, Question, build, measure};
use engine::search::{Legs, Search};
use store::Tables;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (documents, questions, store) = match &arguments[..] {
        [documents, questions] => (documents, questions, None),
        [documents, questions, store] => (documents, questions, Some(Path::new(store))),
        _ => return Err("DOCUMENTS.jsonl QUERIES.jsonl [STORE]".into()),
    };
    let documents: Vec<Document> = lines(documents)?;
    let questions: Vec<Question> = lines(questions)?;
    let folder = tempfile::tempdir()?;
    let path = store.map_or_else(|| folder.path().join("memory.db"), Path::to_owned);
    let model = Arc::new(Builtin);
    let search = if path.exists() {
        let search = Search::open(&path)?;
        search.use_model(&mut Tables::open(&path)?, model)?;
        search
    } else {
        build(&path, &documents, Some(model))?
    };
    let now = documents.iter().filter_map(|document| document.ts).fold(0.0, f64::max) as u64 * 1000;
    println!("            hit@1  hit@5  recall@10  recall@20  mrr    p50 ms  p95 ms");
    for (name, legs) in [("words", Legs::Words), ("nearness", Legs::Nearness), ("both", Legs::Both)] {
        let report = measure(&search, &questions, legs, now)?;
        println!(
            "{name:<10}  {:.3}  {:.3}  {:.3}      {:.3}      {:.3}  {:.2}    {:.2}",
            report.hit_1,
            report.hit_5,
            report.recall_10,
            report.recall_20,
            report.mrr,
            report.p50_ms,
            report.p95_ms
        );
    }
    Ok(())
}

fn lines<T: serde::de::DeserializeOwned>(path: &str) -> Result<Vec<T>, Box<dyn std::error::Error>> {
    let text = fs::read_to_string(path)?;
    text.lines().map(|line| serde_json::from_str(line).map_err(Into::into)).collect()
}

/// The model in the binary, as something that can be shared.
struct Builtin;

impl Embedder for Builtin {
    fn identity(&self) -> &Identity {
        MiniLm::builtin().identity()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        MiniLm::builtin().embed(texts)
    }
}
