//! Many queries at once, for scripts that measure or compare: lines `{qid, query}` in, lines `{qid, ids}` out.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{lines, reader};
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{print, progress};

/// Queries in one question; the daemon takes no more.
const MAX_QUERIES: usize = 256;
/// Ids in one answer, which is at most a megabyte.
const MAX_IDS: usize = 8192;
/// Queries that are each as slow as they may be.
const PATIENCE: Duration = Duration::from_mins(1);
/// As many as anybody asks in one go; more are several files.
const MAX_LINES: usize = 1_000_000;
/// Lines that are told one by one; a file in which every line is wrong says nothing new after so many.
const SHOWN: usize = 20;
const LIKE_THIS: &str = r#"a line is like {"qid": "1", "query": "why did the login fail"}"#;

#[derive(Debug, Deserialize)]
struct Line {
    /// Comes back as it is.
    qid: Value,
    query: String,
}

/// A line that is not understood is told on stderr with its number; the others are answered.
pub(super) fn run(world: &World, file: &str, limit: usize) -> anyhow::Result<()> {
    let queries = read(file)?;
    let bar = progress::items("searching", queries.len() as u64);
    for some in queries.chunks((MAX_IDS / limit).clamp(1, MAX_QUERIES)) {
        // By their position, so that ids of any shape come back as they were.
        let asked: Vec<Value> = some
            .iter()
            .enumerate()
            .map(|(at, line)| json!({ "qid": at.to_string(), "query": line.query }))
            .collect();
        let question = json!({ "ask": "search-batch", "queries": asked, "limit": limit });
        let answer = reader::answer(world, &question, PATIENCE)?;
        for (at, line) in some.iter().enumerate() {
            let position = at.to_string();
            let found = answer["answers"].as_array().into_iter().flatten();
            let found = found.into_iter().find(|found| found["qid"] == position.as_str());
            let ids = found.map_or_else(|| json!([]), |found| found["ids"].clone());
            bar.suspend(|| print::json(&json!({ "qid": line.qid, "ids": ids })))?;
        }
        bar.inc(some.len() as u64);
    }
    bar.finish_and_clear();
    Ok(())
}

fn read(file: &str) -> anyhow::Result<Vec<Line>> {
    let mut queries = Vec::new();
    let mut bad = Vec::new();
    for (at, line) in lines::open(file)?.lines().enumerate() {
        let line = line.map_err(|error| lines::unreadable(file, &error))?;
        if line.trim().is_empty() {
            continue;
        }
        if queries.len() == MAX_LINES {
            let what = format!("{file}:{}: more than {MAX_LINES} queries", at + 1);
            return Err(hint(Failure::Person, what, "ask them in several files"));
        }
        match serde_json::from_str::<Line>(&line) {
            Ok(line) => queries.push(line),
            Err(error) => bad.push((at + 1, error.to_string())),
        }
    }
    tell(file, &bad)?;
    if queries.is_empty() && !bad.is_empty() {
        return Err(hint(Failure::Person, format!("{file}: no line can be read"), LIKE_THIS));
    }
    Ok(queries)
}

fn tell(file: &str, bad: &[(usize, String)]) -> anyhow::Result<()> {
    let mut out = io::stderr().lock();
    for (line, what) in bad.iter().take(SHOWN) {
        writeln!(out, "{file}:{line}: left out: {}", print::one_line(what, 200))?;
    }
    if bad.len() > SHOWN {
        writeln!(out, "and {} more lines left out", bad.len() - SHOWN)?;
    }
    if !bad.is_empty() {
        writeln!(out, "hint: {LIKE_THIS}")?;
    }
    Ok(())
}
