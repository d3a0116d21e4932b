//! Patterns of agents: which go on, and how one stands. Looked at here; tags declare them, and people stop them.

use std::time::{SystemTime, UNIX_EPOCH};

use engine::coordination::{Picture, picture};
use model::Millis;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{PatternFilter, Tables};

use super::{Call, find_session, missing, said, stored, within};
use crate::answer::{Answer, Room, clean, line, rows_text, when};
use crate::keeper::{Keeper, Refusal};

const LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;
const CELL_CHARS: usize = 300;
/// Patterns that are looked at; what is older is found by its session.
const MAX_PATTERNS: usize = 1000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Patterns {
    /// list patterns, newest first, or show one
    action: Action,
    /// For show: its name, or its id from list
    id: Option<String>,
    /// Only of this session: its id or the beginning of it
    session: Option<String>,
    /// For list: also those that are over
    #[serde(default)]
    all: bool,
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

impl Call for Patterns {
    const NAME: &'static str = "patterns";
    const TITLE: &'static str = "Patterns of agents";
    const DESCRIPTION: &'static str = "Patterns of agents: who is out, what is due.";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let limit = within("limit", self.limit, LIMIT, 1..=MAX_LIMIT)?;
        let offset = within("offset", self.offset, 0, 0..=MAX_PATTERNS)?;
        let tables = keeper.tables()?;
        let mut seen = pictures(&tables, self.session.as_deref().and_then(said))?;
        match self.action {
            Action::List => {
                seen.retain(|one| self.all || one.ended_at.is_none());
                Ok(list(&seen, offset, limit))
            }
            Action::Show => {
                let id = self.id.as_deref().and_then(said);
                let id = id.ok_or_else(|| missing("id", "patterns with action \"list\" says the names"))?;
                seen.retain(|one| one.id == id || one.name == id);
                show(seen, id)
            }
        }
    }
}

fn pictures(tables: &Tables, session: Option<&str>) -> Result<Vec<Picture>, Refusal> {
    let session = session.map(|id| find_session(tables, id)).transpose()?.map(|row| row.id);
    let filter = PatternFilter { session: session.as_ref(), limit: MAX_PATTERNS, ..PatternFilter::default() };
    let rows = tables.patterns(&filter).map_err(stored)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = Millis::try_from(now).unwrap_or(Millis::MAX);
    Ok(rows.iter().filter_map(|row| picture(row, now)).collect())
}

fn list(seen: &[Picture], offset: usize, limit: usize) -> Answer {
    let mut room = Room::new();
    let page = seen.iter().skip(offset).take(limit).map(head);
    let rows: Vec<Value> = page.take_while(|row| room.fits(&row.to_string())).collect();
    let next = (seen.len() > offset + rows.len() && !rows.is_empty()).then(|| offset + rows.len());
    let text = rows_text(&rows, "no pattern of agents goes on", next);
    Answer { text, data: json!({ "patterns": rows, "next_offset": next }) }
}

/// The one that goes on, else the newest; of several sessions none.
fn show(mut seen: Vec<Picture>, id: &str) -> Result<Answer, Refusal> {
    if seen.iter().any(|one| one.ended_at.is_none()) {
        seen.retain(|one| one.ended_at.is_none());
    }
    let Some(first) = seen.first() else {
        return Err(Refusal::new(
            format!("there is no pattern \"{}\"", line(id, 60)),
            "patterns with action \"list\" and all says the names",
        ));
    };
    if let Some(other) = seen.iter().find(|one| (&one.session, &one.kind) != (&first.session, &first.kind)) {
        let whose = |one: &Picture| format!("{} ({})", line(&one.id, 200), line(&one.state, 40));
        return Err(Refusal::new(
            format!(
                "more than one pattern is called \"{}\": {}, {}",
                line(id, 60),
                whose(first),
                whose(other)
            ),
            "give one of these ids",
        ));
    }
    let mut room = Room::new();
    let mut row = head(first);
    let parts = first.nodes.iter().map(|node| {
        let part = json!({ "part": node.label, "state": node.state, "agent": node.agent, "says": node.says });
        clean(part, CELL_CHARS)
    });
    row["parts"] = parts.take_while(|part| room.fits(&part.to_string())).collect();
    row["due"] = clean(json!(first.due), CELL_CHARS);
    let lines =
        first.lines.iter().map(|said| clean(json!({ "by": said.title, "said": said.text }), CELL_CHARS));
    row["lines"] = lines.take_while(|said| room.fits(&said.to_string())).collect();
    Ok(Answer { text: row.to_string(), data: row })
}

fn head(seen: &Picture) -> Value {
    let row = json!({
        "id": seen.id,
        "name": seen.name,
        "kind": seen.kind,
        "session": seen.session,
        "state": seen.state,
        "since": when(seen.at),
        "ended": seen.ended_at.map(when),
        "standing": seen.headline,
    });
    clean(row, CELL_CHARS)
}
