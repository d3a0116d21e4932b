//! The index: which memories fit, what each would cost to read. The daemon ranks.

use std::time::Duration;

use model::{MemoryKind, Millis};
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, find_session, said, within};
use crate::answer::{Answer, Room, TITLE_CHARS, line, when};
use crate::keeper::{End, Keeper, Refusal};

/// Milliseconds as a rule; the first question after a start may find the model still asleep.
const PATIENCE: Duration = Duration::from_secs(10);
const LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;
/// A question, not a document.
const MAX_QUERY: usize = 4_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// What to look for, as you would ask a colleague
    query: String,
    /// Rows, 1 to 50 (10)
    limit: Option<u32>,
    /// Rows to skip: next_offset of the page before
    offset: Option<u32>,
    /// Only this project by name, or "here" for the current one; without it all are searched, the current one first
    project: Option<String>,
    /// Only these kinds, comma-separated: decision, failure, bugfix, feature, refactor, change, discovery, security,
    /// summary, learning, prompt, note, incident, chunk, document
    kind: Option<String>,
    /// Only what read or changed this file: its path or the end of it
    file: Option<String>,
    /// Only what came of this tool, such as Bash
    tool: Option<String>,
    /// Only this session
    session: Option<String>,
    /// Only this branch
    branch: Option<String>,
    /// Only since: "3 weeks", "yesterday", "2026-01-31"
    since: Option<String>,
    /// Only until; a day that is named still counts
    until: Option<String>,
}

/// As the daemon answers.
#[derive(Debug, Deserialize)]
pub(super) struct Hit {
    pub(super) id: String,
    kind: String,
    title: String,
    at: Millis,
    project: Option<String>,
    score: f64,
    /// Whose words it holds, where that is said.
    #[serde(default)]
    origin: Option<String>,
    #[serde(default)]
    tokens: u32,
    /// Memories of the same turn, or in the same words, that this one stands for.
    #[serde(default)]
    same: Vec<String>,
}

/// Of those; the best stand first.
const MAX_SAME: usize = 3;

impl Call for Search {
    const NAME: &'static str = "mem_search";
    const TITLE: &'static str = "Search memory";
    const DESCRIPTION: &'static str = "Search what earlier sessions did, decided, learned and broke. Returns an \
        index: id, when, kind, title, tokens. Then mem_get the few ids that matter.";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let limit = within("limit", self.limit, LIMIT, 1..=MAX_LIMIT)?;
        let offset = within("offset", self.offset, 0, 0..=engine::search::MAX_LIMIT - 1)?;
        // One more tells whether there is a next page.
        let reach = (offset + limit + 1).min(engine::search::MAX_LIMIT);
        let mut question = self.question(keeper)?;
        question["limit"] = json!(reach);
        let hits = find(keeper, &question)?;
        let more = hits.len() > offset + limit;
        let mut room = Room::new();
        let (mut rows, mut text) = (Vec::new(), String::new());
        for hit in hits.iter().skip(offset).take(limit) {
            let row = hit.line();
            if !room.fits(&row) {
                break;
            }
            text.push_str(&row);
            rows.push(hit.to_json());
        }
        let next =
            (more || rows.len() < hits.len().saturating_sub(offset).min(limit)).then(|| offset + rows.len());
        let advice = if rows.is_empty() && offset == 0 {
            "nothing fits; try other words or fewer filters".to_owned()
        } else {
            let page = next.map(|next| format!("; offset {next} for more")).unwrap_or_default();
            format!("mem_get reads ids in full, mem_timeline shows what surrounds one{page}")
        };
        text.push_str(&format!("({advice})"));
        Ok(Answer {
            text,
            data: json!({ "hits": rows, "offset": offset, "next_offset": next, "next": advice }),
        })
    }
}

impl Search {
    fn question(&self, keeper: &dyn Keeper) -> Result<Value, Refusal> {
        let query = said(&self.query).ok_or_else(|| {
            Refusal::new("the query is empty", "say what you look for, such as \"why did the login fail\"")
        })?;
        if query.len() > MAX_QUERY {
            let what = format!("the query has {} bytes", query.len());
            return Err(Refusal::new(what, format!("ask in at most {MAX_QUERY}; a sentence is enough")));
        }
        let project = match self.project.as_deref().and_then(said) {
            Some("here") => Some(keeper.workspace().project_key),
            named => named.map(str::to_owned),
        };
        let session = match self.session.as_deref().and_then(said) {
            Some(id) => {
                let found = find_session(&keeper.tables()?, id);
                // A session of another tool is known by its memories alone.
                Some(found.map_or_else(|_| id.to_owned(), |row| row.id.to_string()))
            }
            None => None,
        };
        let moment = |text: &Option<String>, end| {
            text.as_deref().and_then(said).map(|text| keeper.moment(text, end)).transpose()
        };
        Ok(json!({
            "ask": "search",
            "query": query,
            "cwd": keeper.folder(),
            "project": project,
            "kinds": kinds(self.kind.as_deref())?,
            "file": self.file.as_deref().and_then(said),
            "tool": self.tool.as_deref().and_then(said),
            "session": session,
            "branch": self.branch.as_deref().and_then(said),
            "since": moment(&self.since, End::Since)?,
            "until": moment(&self.until, End::Until)?,
        }))
    }
}

/// The best memory for these words.
pub(super) fn best(keeper: &dyn Keeper, query: &str) -> Result<Option<Hit>, Refusal> {
    let question = json!({ "ask": "search", "query": query, "limit": 1, "cwd": keeper.folder() });
    Ok(find(keeper, &question)?.into_iter().next())
}

fn find(keeper: &dyn Keeper, question: &Value) -> Result<Vec<Hit>, Refusal> {
    let mut answer = keeper.ask(question, PATIENCE)?;
    serde_json::from_value(answer["hits"].take()).map_err(|error| {
        Refusal::new(
            format!("the daemon's answer cannot be read: {error}"),
            "run `throughline daemon restart`",
        )
    })
}

fn kinds(text: Option<&str>) -> Result<Vec<&'static str>, Refusal> {
    let names = text.unwrap_or_default().split(',').filter_map(said);
    names.map(|name| kind(name).map(MemoryKind::name)).collect()
}

pub(super) fn kind(name: &str) -> Result<MemoryKind, Refusal> {
    MemoryKind::from_name(&name.to_lowercase()).ok_or_else(|| {
        let known: Vec<&str> = MemoryKind::ALL.iter().map(|kind| kind.name()).collect();
        let what = format!("\"{}\" is no kind of memory", line(name, 40));
        Refusal::new(what, format!("the kinds are {}", known.join(", ")))
    })
}

impl Hit {
    fn is_from_outside(&self) -> bool {
        self.origin.as_deref() == Some("outside")
    }

    fn line(&self) -> String {
        let Self { id, kind, tokens, score, .. } = self;
        let title = line(&self.title, TITLE_CHARS);
        let mut about =
            self.project.as_deref().map(|name| format!(" [{}]", line(name, 40))).unwrap_or_default();
        if self.is_from_outside() {
            about.push_str(" [from outside]");
        }
        if !self.same.is_empty() {
            about.push_str(&format!(" [also {}]", self.also().join(" ")));
        }
        format!("{id}  {}  {kind}  {tokens} tokens  {score:.2}  {title}{about}\n", when(self.at))
    }

    fn to_json(&self) -> Value {
        let mut row = json!({
            "id": self.id,
            "when": when(self.at),
            "kind": self.kind,
            "title": line(&self.title, TITLE_CHARS),
            "tokens": self.tokens,
            "score": (self.score * 1000.0).round() / 1000.0,
            "project": self.project.as_deref().map(|name| line(name, 40)),
        });
        if self.is_from_outside() {
            row["origin"] = json!("outside");
        }
        if !self.same.is_empty() {
            row["also"] = json!(self.also());
        }
        row
    }

    fn also(&self) -> Vec<String> {
        self.same.iter().take(MAX_SAME).map(|id| line(id, 12)).collect()
    }
}
