//! What a session leaves for the next one.

use model::HandOff as Left;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};
use store::HandOffRow;

use super::{Call, Effect, find_session, missing, said, stored, within};
use crate::answer::{Answer, MAX_TOKENS, Room, line, part, quoted, rows_text, when};
use crate::keeper::{Keeper, Refusal};

const LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;
const MAX_OFFSET: usize = 10_000;
const GOAL_CHARS: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Handoff {
    /// show the last hand-off here (or of a session), write one, or list them
    action: Action,
    /// For write: goal, what is done, what comes next, what must not be forgotten
    text: Option<String>,
    /// A session's id or its beginning (default: for show the last one here, for write the current one)
    session: Option<String>,
    /// For list: rows, 1 to 50 (10)
    limit: Option<u32>,
    /// For list: rows to skip
    offset: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Show,
    Write,
    List,
}

impl Call for Handoff {
    const NAME: &'static str = "handoff";
    const TITLE: &'static str = "Hand-off";
    const DESCRIPTION: &'static str = "The note that carries work over a compaction or to the next session: show, \
        write, list. Writing replaces what this session wrote before.";
    // A text that is written takes the place of the one before.
    const EFFECT: Effect = Effect::Replaces;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        match self.action {
            Action::Show => self.show(keeper),
            Action::Write => self.write(keeper),
            Action::List => self.list(keeper),
        }
    }
}

impl Handoff {
    fn show(&self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let tables = keeper.tables()?;
        let found = if let Some(id) = self.session.as_deref().and_then(said) {
            tables.hand_off(&find_session(&tables, id)?.id).map_err(stored)?
        } else {
            let here = keeper.workspace().key;
            let rows = tables.hand_offs(Some(&here), MAX_LIMIT).map_err(stored)?;
            rows.into_iter().find(is_something)
        };
        let row = found.filter(is_something).ok_or_else(|| {
            Refusal::new(
                "nothing was handed over",
                "handoff with action \"list\" says who has handed something over",
            )
        })?;
        let page = engine::hand_off_text(&row);
        let (words, cut) = part(&page, 0, MAX_TOKENS - 100);
        let quote = quoted("handoff", words);
        let data = json!({
            "session": line(row.session.as_str(), 120),
            "when": when(row.at),
            "text": quote,
            "cut": cut.is_some(),
        });
        Ok(Answer { text: quote, data })
    }

    fn write(&self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let text = self.text.as_deref().and_then(said).ok_or_else(|| {
            missing("text", "write what the next session must know: goal, done, next, decisions")
        })?;
        let session = keeper.hand_over(self.session.as_deref().and_then(said), text)?;
        let session = line(session.as_str(), 120);
        Ok(Answer { text: format!("handed over for session {session}"), data: json!({ "session": session }) })
    }

    fn list(&self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let limit = within("limit", self.limit, LIMIT, 1..=MAX_LIMIT)?;
        let offset = within("offset", self.offset, 0, 0..=MAX_OFFSET)?;
        let mut rows = keeper.tables()?.hand_offs(None, offset + limit + 1).map_err(stored)?;
        let next = (rows.len() > offset + limit).then_some(offset + limit);
        rows.truncate(offset + limit);
        let mut room = Room::new();
        let shown = rows.iter().skip(offset).filter(|row| is_something(row)).map(to_json);
        let shown: Vec<Value> = shown.take_while(|row| room.fits(&row.to_string())).collect();
        let text = rows_text(&shown, "no hand-off", next);
        Ok(Answer { text, data: json!({ "hand_offs": shown, "next_offset": next }) })
    }
}

fn is_something(row: &HandOffRow) -> bool {
    row.hand_off != Left::default()
}

fn to_json(row: &HandOffRow) -> Value {
    json!({
        "session": line(row.session.as_str(), 120),
        "when": when(row.at),
        "project": row.project.as_deref().map(|name| line(name, 40)),
        "goal": row.hand_off.goal.as_deref().map(|goal| line(goal, GOAL_CHARS)),
        "written": row.hand_off.written.is_some(),
    })
}
