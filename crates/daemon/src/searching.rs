//! What our own command line asks of search, and how it is answered. Finding and ranking are the engine's.

use std::path::Path;

use engine::EngineError;
use engine::search::{Ask, Hit};
use model::{MemoryKind, SessionId};
use serde::Deserialize;
use serde_json::{Value, json};
use store::MemoryFilter;

use crate::embedding::Embedding;
use crate::intake::{Intake, now};

/// Questions in one batch: more would keep a thread of the door too long.
const MAX_QUESTIONS: usize = 256;
const DEFAULT_LIMIT: usize = 10;

#[derive(Debug, Deserialize)]
struct Question {
    query: String,
    limit: Option<usize>,
    cwd: Option<String>,
    #[serde(default)]
    explain: bool,
    project: Option<String>,
    #[serde(default)]
    kinds: Vec<String>,
    file: Option<String>,
    tool: Option<String>,
    session: Option<String>,
    branch: Option<String>,
    since: Option<u64>,
    until: Option<u64>,
}

pub(crate) fn search(intake: &Intake, embedding: &Embedding, question: &Value) -> Value {
    let question = match Question::deserialize(question) {
        Ok(question) => question,
        Err(error) => return json!({ "error": format!("the question cannot be read: {error}") }),
    };
    let mut kinds = Vec::with_capacity(question.kinds.len());
    for name in &question.kinds {
        match MemoryKind::from_name(name) {
            Some(kind) => kinds.push(kind),
            None => {
                return json!({ "error": format!("\"{name}\" is no kind of memory"), "known": known_kinds() });
            }
        }
    }
    let ask = Ask {
        limit: question.limit.unwrap_or(DEFAULT_LIMIT),
        filter: MemoryFilter {
            project: question.project,
            kinds,
            file: question.file,
            tool: question.tool,
            session: question.session.as_deref().map(SessionId::new),
            branch: question.branch,
            since: question.since,
            until: question.until,
            limit: 0,
        },
        now: now(),
        here: question.cwd.as_deref().and_then(|cwd| intake.workspace(Path::new(cwd))),
        explain: question.explain,
        text: question.query,
        ..Ask::default()
    };
    answer(
        embedding.ready().and_then(|search| search.run(&ask)),
        |hits| json!({ "hits": hits, "embedder": embedding.model() }),
    )
}

#[derive(Debug, Deserialize)]
struct Batch {
    queries: Vec<Numbered>,
    limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct Numbered {
    qid: Value,
    query: String,
}

/// Many questions at once; an answer is a list of ids, each the one its memory had elsewhere, if it had one.
pub(crate) fn batch(embedding: &Embedding, question: &Value) -> Value {
    let Ok(batch) = Batch::deserialize(question) else { return json!({ "error": "these are no questions" }) };
    if batch.queries.len() > MAX_QUESTIONS {
        return json!({ "error": format!("at most {MAX_QUESTIONS} questions at once") });
    }
    let limit = batch.limit.unwrap_or(DEFAULT_LIMIT);
    let found = embedding.ready().and_then(|search| {
        let each = batch.queries.into_iter().map(|Numbered { qid, query }| {
            let hits = search.run(&Ask { text: query, limit, now: now(), ..Ask::default() })?;
            let ids: Vec<String> = hits.into_iter().map(outside_id).collect();
            Ok(json!({ "qid": qid, "ids": ids }))
        });
        each.collect::<Result<Vec<Value>, EngineError>>()
    });
    answer(found, |answers| json!({ "answers": answers }))
}

fn outside_id(hit: Hit) -> String {
    hit.external_id.unwrap_or_else(|| hit.id.to_string())
}

fn answer<T>(found: Result<T, EngineError>, say: impl FnOnce(T) -> Value) -> Value {
    match found {
        Ok(found) => say(found),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

fn known_kinds() -> Vec<&'static str> {
    MemoryKind::ALL.iter().map(|kind| kind.name()).collect()
}
