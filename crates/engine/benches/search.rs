//! How long a search takes at a size, beside its bare parts in the same run: one full-text query of the same words,
//! one scan of the same vectors, the model on the question. Memories are made up: words as frequent as words are,
//! vectors in clusters.
//!
//! `cargo bench -p throughline-engine --bench search -- 10000`: a line for each thing that was measured, its name
//! and its times in nanoseconds. `cargo xtask bench search` reads it and judges.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use embed::flat::{Flat, encode};
use embed::{EmbedError, Embedder, Identity, MiniLm};
use engine::search::{Ask, Legs, Search};
use model::{Memory, MemoryId, MemoryKind, Provenance, SessionId, Urgency};
use rusqlite::{Connection, OpenFlags};
use store::{Filing, Tables};

const DEFAULT_SIZE: usize = 10_000;
const QUESTIONS: usize = 300;
const WORDS: usize = 40_000;
const CLUSTERS: usize = 256;
const BATCH: usize = 1000;
const NOW: u64 = 1_790_000_000_000;
/// What everybody writes who has FTS5 and a question.
const BARE: &str = "SELECT rowid FROM terms WHERE terms MATCH ?1 ORDER BY rank LIMIT 10";

fn main() -> Result<(), Box<dyn Error>> {
    let size = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(DEFAULT_SIZE);
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
    tell("memories and vectors written", &[start.elapsed().as_nanos()]);
    let search = Search::open(&path)?;
    let start = Instant::now();
    while search.index_due(&mut tables, BATCH)? > 0 {}
    tell("words filed", &[start.elapsed().as_nanos()]);
    drop(search);
    let start = Instant::now();
    let search = Search::open(&path)?;
    search.use_model(&mut tables, Arc::new(Builtin))?;
    tell("opened, vectors read", &[start.elapsed().as_nanos()]);
    let told = Search::open(&path)?;
    told.use_model(&mut tables, Arc::new(Told::default()))?;
    compare(&Sides { search, told, flat, path: &path }, &questions)
}

struct Sides<'a> {
    search: Search,
    /// The same search, by a model that knows the answer: what is left is our own.
    told: Search,
    flat: Flat,
    path: &'a Path,
}

/// Every question through each, in turn, so that what disturbs one disturbs all; once before it counts, so that
/// each finds the same pages in memory.
fn compare(sides: &Sides<'_>, questions: &[String]) -> Result<(), Box<dyn Error>> {
    let bare = Connection::open_with_flags(sides.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut bare = bare.prepare(BARE)?;
    let names = ["model", "full text", "scan", "search", "search, model aside", "search, words only"];
    let mut times: [Vec<u128>; 6] = Default::default();
    for counts in [false, true] {
        for text in questions {
            let query = recall::Query::read(text, NOW);
            let expression = store::any_of(query.words.iter().chain(&query.names).map(String::as_str));
            let ask = Ask { text: text.clone(), limit: 10, now: NOW, ..Ask::default() };
            let words = Ask { legs: Legs::Words, ..ask.clone() };
            let start = Instant::now();
            let vector = MiniLm::builtin().embed(&[text])?.remove(0);
            let mut took = vec![start.elapsed()];
            let start = Instant::now();
            let found = bare.query_map([&expression], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
            took.push(start.elapsed());
            assert!(!found.is_empty(), "a question is made of words that are there");
            let start = Instant::now();
            drop(sides.flat.search(&vector, 10, None));
            took.push(start.elapsed());
            for (search, ask) in [(&sides.search, &ask), (&sides.told, &ask), (&sides.search, &words)] {
                let start = Instant::now();
                drop(search.run(ask)?);
                took.push(start.elapsed());
            }
            if counts {
                times.iter_mut().zip(took).for_each(|(times, took)| times.push(took.as_nanos()));
            }
        }
    }
    for (name, times) in names.iter().zip(&times) {
        tell(name, times);
    }
    Ok(())
}

fn tell(name: &str, nanoseconds: &[u128]) {
    let times: Vec<String> = nanoseconds.iter().map(u128::to_string).collect();
    println!("{name}\t{}", times.join(" "));
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

/// The same model, asked once for each text.
#[derive(Default)]
struct Told(Mutex<HashMap<String, Vec<f32>>>);

impl Embedder for Told {
    fn identity(&self) -> &Identity {
        MiniLm::builtin().identity()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts
            .iter()
            .map(|text| {
                if !known.contains_key(*text) {
                    known.insert((*text).to_owned(), MiniLm::builtin().embed(&[text])?.remove(0));
                }
                Ok(known[*text].clone())
            })
            .collect()
    }
}
