//! Memories by what they say, best first, with the reasons where somebody asks for them. The daemon ranks; here the
//! question is put together, and of each hit the part is shown that answers it.

mod snippet;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use model::{MemoryId, Millis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::memory::{Kind, Origin};
use super::page::Limit;
use super::reading::read;
use crate::House;
use crate::problem::{self, Problem};
use snippet::Words;

/// Milliseconds as a rule; the first question after a start may find the model still asleep.
const PATIENCE: Duration = Duration::from_secs(10);
/// Characters of a question: what search reads of it.
const MAX_QUESTION: usize = 10_000;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![get("/api/v1/search", "Memories by what they say, best first", search).has_no_version()]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// What to look for, as you would ask it.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    q: String,
    /// Of this project: its name or its key.
    project: Option<String>,
    /// Of these kinds; may be given several times.
    #[serde(default)]
    kind: Vec<Kind>,
    /// That read or changed this file: its path, or the end of it.
    file: Option<String>,
    /// That came of this tool, such as `Bash`.
    tool: Option<String>,
    /// Of the session with this id.
    session: Option<String>,
    /// Of this branch.
    branch: Option<String>,
    /// From this moment on.
    since: Option<Millis>,
    /// Before this moment.
    until: Option<Millis>,
    /// Where it is asked: memories of that folder's project come first.
    cwd: Option<String>,
    #[serde(default)]
    limit: Limit<100>,
    /// Whether each hit says why it is where it is.
    #[serde(default)]
    explain: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    items: Vec<Hit>,
    /// How long search took, in microseconds.
    took_us: u64,
    /// What compares meanings; none where words alone are compared.
    embedder: Option<String>,
}

/// A memory that answers.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Hit {
    pub(super) id: String,
    /// The id it had where it was brought in from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    kind: Kind,
    title: String,
    at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Compares the answers to one question alone.
    score: f32,
    origin: Origin,
    /// What reading it costs.
    tokens: u32,
    /// Memories that say nearly the same and are not shown.
    #[serde(default)]
    same: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<Vec<Reason>>,
    /// What in it answers, as plain text, at most 240 characters.
    #[serde(default)]
    snippet: String,
}

/// One figure of a score.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Reason {
    name: String,
    value: f32,
}

fn search(house: &dyn House, asked: Asked<Nothing, Question>) -> Result<Given<Found>, Problem> {
    let began = Instant::now();
    let (mut items, embedder) = hits(house, &asked.query)?;
    let took_us = began.elapsed().as_micros() as u64;
    let ids: Vec<MemoryId> = items.iter().filter_map(|hit| hit.id.parse().ok()).collect();
    let rows = read(house, |tables| tables.memories_by_id(&ids))?;
    let texts: HashMap<String, String> =
        rows.into_iter().map(|row| (row.memory.id.to_string(), row.memory.text)).collect();
    let words = Words::of(&asked.query.q);
    for hit in &mut items {
        // Gone since it was found: what is left of it is the title.
        hit.snippet = words.snippet(texts.get(&hit.id).unwrap_or(&hit.title));
    }
    Ok(Found { items, took_us, embedder }.into())
}

/// The best hits, best first, and what compared meanings.
pub(super) fn hits(house: &dyn House, asked: &Question) -> Result<(Vec<Hit>, Option<String>), Problem> {
    if asked.q.trim().is_empty() || asked.q.chars().count() > MAX_QUESTION {
        let next = "say in `q` what you look for, in at most 10,000 characters";
        return Err(Problem::refused("this is no question", next));
    }
    let kinds: Vec<&str> = asked.kind.iter().map(|kind| kind.0.name()).collect();
    let question = json!({
        "ask": "search",
        "query": asked.q,
        "limit": asked.limit.rows(),
        "explain": asked.explain,
        "cwd": asked.cwd,
        "project": asked.project,
        "kinds": kinds,
        "file": asked.file,
        "tool": asked.tool,
        "session": asked.session,
        "branch": asked.branch,
        "since": asked.since,
        "until": asked.until,
    });
    let mut said = house.ask(&question, PATIENCE);
    let embedder = said["embedder"].as_str().map(str::to_owned);
    let hits = serde_json::from_value(said["hits"].take()).map_err(|_| problem::OUT_OF_ORDER)?;
    Ok((hits, embedder))
}

impl Question {
    /// For one answer, wherever it is.
    pub(super) fn of(q: String) -> Result<Self, Problem> {
        let limit = Limit::try_from(1).map_err(|_| problem::OUT_OF_ORDER)?;
        let nothing = Value::Null;
        let mut question: Self = serde_json::from_value(json!({ "q": q, "project": nothing }))
            .map_err(|_| problem::OUT_OF_ORDER)?;
        question.limit = limit;
        Ok(question)
    }
}
