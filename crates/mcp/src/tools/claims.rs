//! Who works on which file, so that several agents do not undo each other's work.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, Effect, missing, said, within};
use crate::answer::{Answer, Room, clean, rows_text, when};
use crate::keeper::{Claiming, Keeper, Refusal};

const LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;
const CELL_CHARS: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Claims {
    /// list what sessions at work hold, take files for yours, or release them
    action: Action,
    /// For take and release: paths, absolute or from the project's folder
    #[serde(default)]
    files: Vec<String>,
    /// For take: what you do with them, in a sentence
    note: Option<String>,
    /// For take and release: a session's id or the beginning of it (yours); release without files gives back all of it
    session: Option<String>,
    /// For list: of all folders, not only this one
    #[serde(default)]
    all: bool,
    /// For list: rows, 1 to 100 (20)
    limit: Option<u32>,
    /// For list: rows to skip
    offset: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    List,
    Take,
    Release,
}

impl Call for Claims {
    const NAME: &'static str = "claims";
    const TITLE: &'static str = "Claims";
    const DESCRIPTION: &'static str = "Which files other sessions work on now, on which lines, since when and for what. \
        Editing a file claims it by itself; take files ahead of a large change, release them when it is done. A claim \
        ends with its session or 30 minutes after its last edit.";
    const EFFECT: Effect = Effect::Replaces;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let session = self.session.as_deref().and_then(said).map(str::to_owned);
        let files = self.files;
        let wish = match self.action {
            Action::List => {
                let limit = within("limit", self.limit, LIMIT, 1..=MAX_LIMIT)?;
                let offset = within("offset", self.offset, 0, 0..=100_000)?;
                return list(keeper, self.all, offset, limit);
            }
            Action::Take if files.is_empty() => {
                return Err(missing("files", "name the files you are going to edit"));
            }
            Action::Release if files.is_empty() && session.is_none() => {
                return Err(missing("files", "name files, or a session to give back all it holds"));
            }
            Action::Take => {
                let note = self.note.as_deref().and_then(said).map(str::to_owned);
                Claiming::Take { session, files, note }
            }
            Action::Release => Claiming::Release { session, files },
        };
        let data = clean(keeper.claims(wish)?, CELL_CHARS);
        Ok(Answer { text: data.to_string(), data })
    }
}

fn list(keeper: &dyn Keeper, all: bool, offset: usize, limit: usize) -> Result<Answer, Refusal> {
    let held = keeper.claims(Claiming::List { all })?;
    let held = held.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut room = Room::new();
    let page = held.iter().skip(offset).take(limit).map(row);
    let rows: Vec<Value> = page.take_while(|row| room.fits(&row.to_string())).collect();
    let next = (held.len() > offset + rows.len() && !rows.is_empty()).then(|| offset + rows.len());
    let text = rows_text(&rows, "no session at work holds a file here", next);
    Ok(Answer { text, data: json!({ "claims": rows, "next_offset": next }) })
}

fn row(claim: &Value) -> Value {
    let at = |name: &str| when(claim[name].as_u64().unwrap_or_default());
    let mut row = json!({
        "file": claim["path"],
        "session": claim["session"],
        "agent": claim["agent"],
        "branch": claim["branch"],
        "since": at("since_at"),
        "last_edit": at("last_at"),
        "lines": claim["lines"],
        "for": claim["goal"],
    });
    // On another machine of the team; its file is named as the repository does.
    if claim["author"].is_string() {
        row["whose"] = claim["author"].clone();
    }
    clean(row, CELL_CHARS)
}
