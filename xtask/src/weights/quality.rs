//! How often the document a question asks for is among the first five by vectors alone, on sets of the format that
//! `throughline eval` reads: `NAME.documents.jsonl.gz` and `NAME.queries.jsonl.gz` in one folder. Also how much the
//! flat scan loses against f32 on the same vectors.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use embed::Embedder;
use embed::flat::Flat;
use serde_json::Value;

const DOCUMENTS: &str = ".documents.jsonl.gz";
/// Documents embedded at once.
const BATCH: usize = 256;

pub(super) fn report(folder: &Path, models: &[&dyn Embedder]) -> Result<()> {
    let mut names: Vec<String> = std::fs::read_dir(folder)?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(DOCUMENTS).map(str::to_owned))
        .collect();
    names.sort_unstable();
    for name in names {
        let documents = lines(&folder.join(format!("{name}{DOCUMENTS}")))?;
        let queries = lines(&folder.join(format!("{name}.queries.jsonl.gz")))?;
        for model in models {
            measure(&name, *model, &documents, &queries)?;
        }
    }
    Ok(())
}

fn measure(name: &str, model: &dyn Embedder, documents: &[Value], queries: &[Value]) -> Result<()> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let vectors = embed(model, &documents.iter().map(|document| text(document, "text")).collect::<Vec<_>>())?;
    let asked = embed(model, &queries.iter().map(|query| text(query, "query")).collect::<Vec<_>>())?;
    let mut flat = Flat::new(model.identity().dims);
    for vector in &vectors {
        flat.push(vector)?;
    }
    let (mut hits, mut reciprocal, mut recalled) = (0, 0.0, 0);
    for (query, vector) in queries.iter().zip(&asked) {
        let found = flat.search(vector, 10, None)?;
        let relevant = |row: u32| {
            let id = &documents[row as usize]["id"];
            query["relevant"].as_array().is_some_and(|relevant| relevant.contains(id))
        };
        let rank = found.iter().position(|hit| relevant(hit.row));
        hits += usize::from(rank.is_some_and(|rank| rank < 5));
        reciprocal += rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
        let exact = exact(&vectors, vector);
        recalled += found.iter().filter(|hit| exact.contains(&hit.row)).count();
    }
    let share = |count: usize, of: usize| 100.0 * count as f64 / of as f64;
    println!(
        "{name}, {}: hit@5 {:.1}, MRR@10 {:.3}; recall@10 of the scan against f32 {:.2}",
        model.identity().name,
        share(hits, queries.len()),
        reciprocal / queries.len() as f64,
        share(recalled, queries.len() * 10),
    );
    Ok(())
}

fn embed(model: &dyn Embedder, texts: &[String]) -> Result<Vec<Vec<f32>>> {
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        vectors.extend(model.embed(&batch.iter().map(String::as_str).collect::<Vec<_>>())?);
    }
    Ok(vectors)
}

fn exact(vectors: &[Vec<f32>], query: &[f32]) -> Vec<u32> {
    let score = |vector: &Vec<f32>| vector.iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
    let mut scored: Vec<(f32, u32)> =
        vectors.iter().zip(0..).map(|(vector, row)| (score(vector), row)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(10).map(|(_, row)| row).collect()
}

/// The JSON values of a gzip file, one per line.
fn lines(path: &Path) -> Result<Vec<Value>> {
    /// Sets are a few megabytes.
    const MAX: usize = 256 << 20;
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    ensure!(bytes.len() > 18 && bytes[..3] == [0x1f, 0x8b, 8] && bytes[3] & !8 == 0, "not a plain gzip file");
    let name = if bytes[3] & 8 == 0 {
        0
    } else {
        bytes[10..].iter().position(|&byte| byte == 0).context("name")? + 1
    };
    let text = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes[10 + name..], MAX)
        .map_err(|trouble| anyhow::anyhow!("{} does not unpack: {trouble:?}", path.display()))?;
    String::from_utf8(text)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}
