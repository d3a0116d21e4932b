//! The sessions of all agents: which there were, and what one of them was about.

use model::MemoryKind;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{SessionFilter, SessionRow, Tables};

use super::{Call, find_session, missing, said, stored, within};
use crate::answer::{Answer, Room, TITLE_CHARS, clean, line, rows_text, when};
use crate::keeper::{Keeper, Refusal};

const LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;
/// Files of one session in a list.
const SHOWN_FILES: usize = 10;
const CELL_CHARS: usize = 200;
const MAX_OFFSET: usize = 100_000;
/// Of one session; it has some dozens beside its pieces of conversation.
const MAX_MEMORIES: usize = 1_000;
const PROMPT_CHARS: usize = 400;
const SUMMARY_CHARS: usize = 300;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sessions {
    /// list sessions, last seen first, or show what one was about
    action: Action,
    /// For show: its id or the beginning of it
    id: Option<String>,
    /// For list: only this project by name
    project: Option<String>,
    /// For list: only those in the current folder
    #[serde(default)]
    here: bool,
    /// For list: only those at work now, with what they were asked and which files they hold
    #[serde(default)]
    live: bool,
    /// Rows, 1 to 50 (10)
    limit: Option<u32>,
    /// Rows to skip: next_offset of the page before
    offset: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    List,
    Show,
}

impl Call for Sessions {
    const NAME: &'static str = "sessions";
    const TITLE: &'static str = "Sessions";
    const DESCRIPTION: &'static str =
        "Past and present sessions: list them, or show what one was about: prompts, results, memories.";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let limit = within("limit", self.limit, LIMIT, 1..=MAX_LIMIT)?;
        let offset = within("offset", self.offset, 0, 0..=MAX_OFFSET)?;
        let tables = keeper.tables()?;
        match self.action {
            Action::List if self.live => {
                let project = self.project.as_deref().and_then(said);
                let mut found = keeper.live_sessions(self.here)?;
                found.retain(|row| project.is_none_or(|project| row["project"] == project));
                Ok(live(&found, offset, limit))
            }
            Action::List => {
                let filter = SessionFilter {
                    project: self.project.as_deref().and_then(said).map(str::to_owned),
                    workspace: self.here.then(|| keeper.workspace().key),
                    limit: offset + limit + 1,
                    ..SessionFilter::default()
                };
                list(&tables, &filter, offset, limit)
            }
            Action::Show => {
                let id = self.id.as_deref().and_then(said);
                let id = id.ok_or_else(|| missing("id", "sessions with action \"list\" says the ids"))?;
                story(&tables, &find_session(&tables, id)?, offset)
            }
        }
    }
}

fn list(tables: &Tables, filter: &SessionFilter, offset: usize, limit: usize) -> Result<Answer, Refusal> {
    let found = tables.sessions(filter).map_err(stored)?;
    let mut room = Room::new();
    let mut rows = Vec::new();
    for session in found.iter().skip(offset).take(limit) {
        let outcome = tables.outcome(&session.id).map_err(stored)?;
        let mut row = head(session);
        row["outcome"] = json!(outcome.map(|row| row.outcome));
        if !room.fits(&row.to_string()) {
            break;
        }
        rows.push(row);
    }
    let next = (found.len() > offset + rows.len() && !rows.is_empty()).then(|| offset + rows.len());
    let text = rows_text(&rows, "no session", next);
    Ok(Answer { text, data: json!({ "sessions": rows, "next_offset": next }) })
}

fn live(found: &[Value], offset: usize, limit: usize) -> Answer {
    let mut room = Room::new();
    let page = found.iter().skip(offset).take(limit).map(|row| {
        let at = |name: &str| when(row[name].as_u64().unwrap_or_default());
        let shown = json!({
            "id": row["id"],
            "agent": row["agent"],
            "project": row["project"],
            "branch": row["branch"],
            "folder": row["root"],
            "started": at("started_at"),
            "last_seen": at("last_seen_at"),
            "for": row["goal"],
            "files": row["files"].as_array().into_iter().flatten().take(SHOWN_FILES)
                .map(|file| json!({ "file": file["path"], "lines": file["lines"] })).collect::<Vec<_>>(),
        });
        clean(shown, CELL_CHARS)
    });
    let rows: Vec<Value> = page.take_while(|row| room.fits(&row.to_string())).collect();
    let next = (found.len() > offset + rows.len() && !rows.is_empty()).then(|| offset + rows.len());
    let text = rows_text(&rows, "no session is at work", next);
    Answer { text, data: json!({ "sessions": rows, "next_offset": next }) }
}

fn head(session: &SessionRow) -> Value {
    let word = |text: &Option<String>| text.as_deref().map(|text| line(text, 60));
    json!({
        "id": line(session.id.as_str(), 120),
        "agent": line(&session.agent, 40),
        "project": word(&session.project),
        "branch": word(&session.branch),
        "started": when(session.started_at),
        "last_seen": when(session.last_seen_at),
        "ended": session.ended_at.is_some(),
        "prompts": session.prompts,
        "tool_calls": session.tools,
    })
}

/// What it was asked, what came of it, and which memories it left, in the order it happened.
pub(crate) fn story(tables: &Tables, session: &SessionRow, offset: usize) -> Result<Answer, Refusal> {
    let mut events: Vec<(u64, Value)> = Vec::new();
    for prompt in tables.prompts(&session.id).map_err(stored)? {
        events.push((prompt.at, json!({ "prompt": line(&prompt.text, PROMPT_CHARS) })));
    }
    for summary in tables.summaries(Some(&session.id), 0).map_err(stored)? {
        let list = |items: &[String]| line(&items.join("; "), SUMMARY_CHARS);
        let said = &summary.summary;
        let value = json!({ "completed": list(&said.completed), "learned": list(&said.learned),
            "next_steps": list(&said.next_steps) });
        events.push((summary.at, value));
    }
    for row in tables.memories_of_session(&session.id, MAX_MEMORIES).map_err(stored)? {
        // Prompts and summaries are here already, pieces of conversation tell nothing by their titles.
        if !matches!(row.memory.kind, MemoryKind::Chunk | MemoryKind::Prompt | MemoryKind::Summary) {
            let title = line(&row.memory.title, TITLE_CHARS);
            let value = json!({ "memory": row.memory.id, "kind": row.memory.kind, "title": title,
                "tokens": row.tokens });
            events.push((row.memory.at, value));
        }
    }
    events.sort_by_key(|(at, _)| *at);
    let mut data = head(session);
    data["outcome"] = json!(tables.outcome(&session.id).map_err(stored)?.map(|row| row.outcome));
    let mut text = format!("{data}\n");
    let mut room = Room::new();
    room.fits(&text);
    let mut told = Vec::new();
    for (at, event) in events.iter().skip(offset) {
        let mut event = event.clone();
        event["when"] = json!(when(*at));
        let row = format!("{event}\n");
        if !room.fits(&row) {
            break;
        }
        text.push_str(&row);
        told.push(event);
    }
    let next = (events.len() > offset + told.len()).then(|| offset + told.len());
    if let Some(next) = next {
        text.push_str(&format!("(offset {next} for more)\n"));
    }
    data["story"] = Value::Array(told);
    data["next_offset"] = json!(next);
    Ok(Answer { text, data })
}
