//! How long a search takes at a size, beside its bare parts in the same run: one full-text query of the same words,
//! one scan of the same vectors. Memories are made up: words as frequent as words are, vectors in clusters.
//!
//! `cargo run --profile fast -p throughline-engine --example search_speed -- 10000 100000`

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use embed::flat::{Flat, encode};
use embed::{EmbedError, Embedder, Identity, MiniLm};
use engine::search::{Ask, Legs, Search};
use model::{Memory, MemoryId, MemoryKind, Provenance, SessionId, Urgency};
use store::{Filing, Tables};

const QUESTIONS: usize = 300;
const WORDS: usize = 40_000;
const CLUSTERS: usize = 256;
const BATCH: usize = 1000;
const NOW: u64 = 1_790_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    for size in std::env::args().skip(1) {
        measure(size.parse()?)?;
    }
    Ok(())
}

fn measure(size: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let mut tables = Tables::open(&path)?;
    let mut random = Random(7);
    let vocabulary = vocabulary(&mut random);
    let centers: Vec<Vec<f32>> = (0..CLUSTERS).map(|_| unit(&mut random, None)).collect();
    let identity = MiniLm::builtin().identity().to_string();
    let mut flat = Flat::new(MiniLm::builtin().identity().dims);
    let mut questions = Vec::new();
    let start = Instant::now();
    for first in (0..size).step_by(BATCH) {
        tables.write(|batch| {
            for at in first..(first + BATCH).min(size) {
                let text = text(&mut random, &vocabulary);
                if at % (size / QUESTIONS).max(1) == 0 {
                    questions.push(question(&mut random, &text));
                }
                batch.put_memory(&memory(at, text), Filing { seq: 0, tokens: 0, fingerprint: 0 })?;
                let vector = encode(&unit(&mut random, Some(&centers)));
                flat.push_encoded(&vector).expect("a vector of this model");
                batch.put_vectors(at as u64 + 1, &identity, &[vector])?;
            }
            Ok(())
        })?;
    }
    let written = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let search = Search::open(&path)?;
    while search.index_due(&mut tables, BATCH)? > 0 {}
    let indexed = start.elapsed().as_secs_f64();
    let start = Instant::now();
    drop(search);
    let search = Search::open(&path)?;
    search.use_model(&mut tables, Arc::new(Builtin))?;
    println!(
        "{size} memories: written in {written:.1} s, terms filed in {indexed:.1} s, opened in {:.0} ms; load {}",
        start.elapsed().as_secs_f64() * 1000.0,
        load()
    );
    compare(&search, &tables, &flat, &questions);
    Ok(())
}

/// Every question through each, in turn, so that what disturbs one disturbs all.
fn compare(search: &Search, tables: &Tables, flat: &Flat, questions: &[String]) {
    let mut times: [Vec<f64>; 5] = Default::default();
    for text in questions {
        let query = recall::Query::read(text, NOW);
        let terms = query.words.iter().chain(&query.names).map(String::as_str);
        let expression = store::any_of(terms);
        let mut vector = Vec::new();
        time(&mut times[0], || {
            vector = MiniLm::builtin().embed(&[text]).expect("the model in the binary answers").remove(0);
        });
        time(&mut times[1], || _ = tables.lexical(&expression, 10, &|_| true));
        time(&mut times[2], || _ = flat.search(&vector, 10, None));
        let ask = Ask { text: text.clone(), limit: 10, now: NOW, ..Ask::default() };
        time(&mut times[3], || _ = search.run(&ask));
        let words = Ask { legs: Legs::Words, ..ask };
        time(&mut times[4], || _ = search.run(&words));
    }
    let mut p95 = Vec::new();
    for (name, times) in ["model", "full text", "scan", "search", "words only"].iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[(times.len() as f64 * share) as usize];
        println!("  {name:<10} p50 {:>8.3} ms   p95 {:>8.3} ms", at(0.5), at(0.95));
        p95.push((at(0.5), at(0.95)));
    }
    println!(
        "  search to full text + scan: p50 {:.2}, p95 {:.2}; with the model: p50 {:.2}, p95 {:.2}",
        p95[3].0 / (p95[1].0 + p95[2].0),
        p95[3].1 / (p95[1].1 + p95[2].1),
        p95[3].0 / (p95[0].0 + p95[1].0 + p95[2].0),
        p95[3].1 / (p95[0].1 + p95[1].1 + p95[2].1),
    );
}

fn time(times: &mut Vec<f64>, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    times.push(start.elapsed().as_secs_f64() * 1000.0);
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Splitmix: the same memories on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn share(&mut self) -> f64 {
        self.next() as f64 / u64::MAX as f64
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

fn vocabulary(random: &mut Random) -> Vec<String> {
    const PIECES: &[&str] = &[
        "ta", "re", "lo", "mi", "en", "cor", "ver", "sa", "tu", "pol", "ge", "ne", "fi", "ba", "dri", "shu",
        "mel", "ko",
    ];
    (0..WORDS).map(|at| (0..2 + at % 3).map(|_| PIECES[random.below(PIECES.len())]).collect()).collect()
}

/// As frequent as words are that say something: the most frequent are in one of twenty memories.
fn word<'a>(random: &mut Random, vocabulary: &'a [String]) -> &'a str {
    const FLAT: f64 = 200.0;
    let rank = FLAT * ((vocabulary.len() as f64 / FLAT + 1.0).powf(random.share()) - 1.0);
    &vocabulary[(rank as usize).min(vocabulary.len() - 1)]
}

fn text(random: &mut Random, vocabulary: &[String]) -> String {
    let mut text = String::new();
    for at in 0..30 + random.below(60) {
        let sign = if at == 8 { ".\n" } else { " " };
        match random.below(12) {
            0 => _ = write!(text, "{}_{}{sign}", word(random, vocabulary), word(random, vocabulary)),
            1 => _ = write!(text, "the{sign}"),
            _ => _ = write!(text, "{}{sign}", word(random, vocabulary)),
        }
    }
    text
}

/// What a person remembers of a text: some of its words, in a sentence.
fn question(random: &mut Random, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let picked: Vec<&str> = (0..5).map(|_| words[random.below(words.len())]).collect();
    format!("why did the {} fail with {}", picked[..2].join(" "), picked[2..].join(" "))
}

fn unit(random: &mut Random, centers: Option<&[Vec<f32>]>) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..384).map(|_| (random.share() - 0.5) as f32).collect();
    if let Some(centers) = centers {
        let center = &centers[random.below(centers.len())];
        vector.iter_mut().zip(center).for_each(|(value, center)| *value = *value * 0.1 + center);
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    for value in &mut vector {
        *value /= length;
    }
    vector
}

fn memory(at: usize, text: String) -> Memory {
    Memory {
        id: MemoryId::from_u64(at as u64 + 1),
        kind: MemoryKind::OBSERVATIONS[at % MemoryKind::OBSERVATIONS.len()],
        at: NOW - at as u64 * 60_000,
        title: text.lines().next().unwrap_or_default().to_owned(),
        subtitle: None,
        text,
        facts: Vec::new(),
        concepts: Vec::new(),
        files_read: Vec::new(),
        files_modified: Vec::new(),
        tools: Vec::new(),
        session: Some(SessionId::new(&format!("session-{}", at / 40))),
        workspace: None,
        project: Some(format!("project-{}", at % 7)),
        project_key: None,
        branch: None,
        external_id: None,
        urgency: Urgency::Normal,
        critical: false,
        pinned: false,
        provenance: Provenance::default(),
    }
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
