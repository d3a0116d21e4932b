//! The code map of a workspace agents work in: its modules as a drawing, outlines, uses, search. A workspace is named by
//! its key, so no folder is read that nobody works in; what is asked is answered by the daemon's own map.

mod drawn;
mod rows;

use std::time::Duration;

use atlas::exchange::{self, Reason, Said};
use atlas::{Answer, Question};
use model::WorkspaceKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::endpoint::{Asked, Endpoint, Given, get};
use super::page::Limit;
use super::reading::read;
use super::words::{Name, Words};
use crate::House;
use crate::problem::{self, Problem};
use drawn::Drawn;
use rows::{CodeHit, CodeUse, Definition};

/// A page that waits longer looks broken; what is not read by then is read in the background.
const PATIENCE: Duration = Duration::from_secs(10);
/// Names a problem offers instead.
const MAX_NAMES: usize = 5;

/// Where nobody says how deep: folders that are read at a glance, and so few that they say nothing.
const COMFORTABLE: usize = 32;
const TELLING: usize = 4;

/// A path or a symbol with its path.
type Place = Words<1000>;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/workspaces/{key}/code/modules", "Which folder or file uses which, drawn", modules),
        get("/api/v1/workspaces/{key}/code/outline", "Every definition of a file", outline),
        get("/api/v1/workspaces/{key}/code/uses", "Who calls or uses a symbol", uses),
        get("/api/v1/workspaces/{key}/code/search", "Code by name, text and meaning", search),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    key: Name,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct View {
    /// Only below this folder, from the root of the workspace on.
    under: Option<Place>,
    /// Files instead of folders.
    #[serde(default)]
    files: bool,
    /// Folders in folders that are told apart; two where that is not too many for a glance, else one.
    #[schemars(range(min = 1, max = 12))]
    depth: Option<u8>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    /// From the root of the workspace on.
    file: Place,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FileOutline {
    file: String,
    language: String,
    lines: u32,
    /// What a model pays for the whole file.
    tokens: u64,
    /// Whether a part of it could not be parsed.
    broken: bool,
    items: Vec<Definition>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the name is the answer's, and part of the API")]
struct Symbol {
    /// `name`, `Owner.name`, `FILE:name` or `FILE:LINE`.
    symbol: Place,
    /// Types, values and imports, too, not only calls.
    #[serde(default)]
    all: bool,
    #[serde(default)]
    limit: Limit,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CodeUses {
    /// What is used; several where one name has several definitions.
    symbols: Vec<Definition>,
    items: Vec<CodeUse>,
    /// Of which these are the first.
    total: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sought {
    /// A name, a piece of text, or what the code does.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    q: Words<400>,
    /// Only below this folder.
    under: Option<Place>,
    #[serde(default)]
    limit: Limit<100>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CodeHits {
    items: Vec<CodeHit>,
}

fn modules(house: &dyn House, asked: Asked<Which, View>) -> Result<Given<Drawn>, Problem> {
    let View { under, files, depth } = asked.query;
    if depth.is_some_and(|depth| !(1..=12).contains(&depth)) {
        return Err(Problem::refused("this depth is not shown", "depth is 1 to 12"));
    }
    let under = under.map(Place::into_text).filter(|under| !under.is_empty());
    let graph = |depth: Option<usize>| {
        let question = Question::Deps { under: under.clone(), files, depth };
        match ask(house, &asked.path, question)? {
            Answer::Deps { modules, edges } => Ok((modules, edges)),
            _ => Err(problem::OUT_OF_ORDER),
        }
    };
    let (mut modules, mut edges) = graph(depth.map(usize::from))?;
    if depth.is_none() && !files && modules.len() > COMFORTABLE {
        let coarse = graph(Some(1))?;
        if coarse.0.len() >= TELLING {
            (modules, edges) = coarse;
        }
    }
    Ok(Drawn::of(&modules, &edges).into())
}

fn outline(house: &dyn House, asked: Asked<Which, File>) -> Result<Given<FileOutline>, Problem> {
    match ask(house, &asked.path, Question::Outline { file: asked.query.file.into_text() })? {
        Answer::Outline { file, language, lines, tokens, items, broken } => {
            let items = items.into_iter().map(Definition::from).collect();
            Ok(FileOutline { file, language, lines, tokens: tokens as u64, broken, items }.into())
        }
        _ => Err(problem::OUT_OF_ORDER),
    }
}

fn uses(house: &dyn House, asked: Asked<Which, Symbol>) -> Result<Given<CodeUses>, Problem> {
    let Symbol { symbol, all, limit } = asked.query;
    let (symbol, limit) = (symbol.into_text(), Some(limit.rows()));
    let question = if all { Question::Refs { symbol, limit } } else { Question::Callers { symbol, limit } };
    match ask(house, &asked.path, question)? {
        Answer::Sites { symbol, others, sites, total, .. } => {
            let symbols = [symbol].into_iter().chain(others).map(Definition::from).collect();
            let items = sites.into_iter().map(CodeUse::from).collect();
            Ok(CodeUses { symbols, items, total: total as u64 }.into())
        }
        _ => Err(problem::OUT_OF_ORDER),
    }
}

fn search(house: &dyn House, asked: Asked<Which, Sought>) -> Result<Given<CodeHits>, Problem> {
    let Sought { q, under, limit } = asked.query;
    let query = q.into_text();
    if query.trim().is_empty() {
        return Err(Problem::refused("nothing is looked for", "send what to look for as q"));
    }
    let under = under.map(Place::into_text).filter(|under| !under.is_empty());
    match ask(house, &asked.path, Question::Search { query, under, limit: Some(limit.rows()) })? {
        Answer::Search { hits } => {
            Ok(CodeHits { items: hits.into_iter().map(CodeHit::from).collect() }.into())
        }
        _ => Err(problem::OUT_OF_ORDER),
    }
}

/// The map of a workspace that is known, and of no other folder.
fn ask(house: &dyn House, which: &Which, question: Question) -> Result<Answer, Problem> {
    let key = WorkspaceKey::from_hex(which.key.as_str().to_owned());
    let workspace = read(house, |tables| tables.workspace(&key))?;
    let workspace = workspace
        .ok_or(Problem::not_found("no workspace has this key", "GET /api/v1/workspaces lists them"))?;
    let asked = json!(exchange::Asked::new(&workspace.root, question));
    match serde_json::from_value::<Said>(house.ask(&asked, PATIENCE)) {
        Ok(Said::Code(answer)) => Ok(answer),
        Ok(Said::Refused(refused)) => Err(refuse(refused)),
        Err(_) => Err(problem::OUT_OF_ORDER),
    }
}

fn refuse(refused: exchange::Refused) -> Problem {
    let exchange::Refused { what, reason, names } = refused;
    let names = names.into_iter().take(MAX_NAMES).collect::<Vec<_>>().join(", ");
    match reason {
        Reason::NotYet => problem::NO_MAP_YET,
        Reason::Unknown if names.is_empty() => Problem::not_found("nothing is called this", what),
        Reason::Unknown => Problem::not_found("nothing is called this", format!("near it: {names}")),
        Reason::Ambiguous => Problem::conflict("several are called this", format!("say which: {names}")),
        Reason::NotMapped => Problem::not_found("the file is not on the map", what),
        Reason::Unable => Problem::conflict("this cannot be told", what),
        Reason::Broken => Problem::not_found("the workspace cannot be read", what),
    }
}
