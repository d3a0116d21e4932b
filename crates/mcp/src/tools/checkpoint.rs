//! Places to come back to: the files as they are, the hand-off as it is.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, Effect, missing, said, within};
use crate::answer::{Answer, MAX_TOKENS, Room, clean, rows_text, when};
use crate::keeper::{Checkpointing, Keeper, Refusal};

const LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;
/// Paths listed of one checkpoint; all of them are in `throughline checkpoint show`.
const MAX_PATHS: usize = 100;
const PATH_CHARS: usize = 200;
/// Of a hand-off or a message.
const TEXT_CHARS: usize = 4_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    /// create one, list them, show one, or restore its files
    action: Action,
    /// For create: why, or what comes next
    message: Option<String>,
    /// For show and restore: the checkpoint's id
    id: Option<String>,
    /// For restore: only files that had uncommitted changes then
    #[serde(default)]
    only_changed: bool,
    /// For restore: true to really do it; without it you see what would change
    #[serde(default)]
    confirm: bool,
    /// For list: of all folders, not only this one
    #[serde(default)]
    all: bool,
    /// For list: rows, 1 to 50 (10)
    limit: Option<u32>,
    /// For list: rows to skip
    offset: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Create,
    List,
    Show,
    Restore,
}

impl Call for Checkpoint {
    const NAME: &'static str = "checkpoint";
    const TITLE: &'static str = "Checkpoint";
    const DESCRIPTION: &'static str = "Keep all files of the repository and the hand-off as they are, list or show \
        what was kept, or bring the files back (restore needs confirm: true; how it is now is kept first).";
    // A restore overwrites files.
    const EFFECT: Effect = Effect::AddsOrReplaces;
    const WAITING: &'static str = "git is at work, and what was said is archived";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let id = || {
            let id = self.id.as_deref().and_then(said).map(str::to_owned);
            id.ok_or_else(|| missing("id", "checkpoint with action \"list\" says the ids"))
        };
        let wish = match self.action {
            Action::List => return self.list(keeper),
            Action::Create => {
                let message = self.message.as_deref().and_then(said).map(str::to_owned);
                Checkpointing::Create { message }
            }
            Action::Show => Checkpointing::Show { id: id()? },
            Action::Restore => {
                Checkpointing::Restore { id: id()?, only_changed: self.only_changed, confirm: self.confirm }
            }
        };
        let mut value = keeper.checkpoint(wish)?;
        if self.action == Action::Restore && !self.confirm {
            value["next"] = json!("nothing was changed; call again with confirm: true to restore");
        }
        let data = bounded(value);
        Ok(Answer { text: data.to_string(), data })
    }
}

impl Checkpoint {
    fn list(&self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let limit = within("limit", self.limit, LIMIT, 1..=MAX_LIMIT)?;
        let offset = within("offset", self.offset, 0, 0..=100_000)?;
        let all = keeper.checkpoint(Checkpointing::List { all: self.all })?;
        let all = all.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut room = Room::new();
        let page = all.iter().skip(offset).take(limit).map(row);
        let rows: Vec<Value> = page.take_while(|row| room.fits(&row.to_string())).collect();
        let next = (all.len() > offset + rows.len() && !rows.is_empty()).then(|| offset + rows.len());
        let text = rows_text(&rows, "no checkpoint here; action \"create\" makes one", next);
        Ok(Answer { text, data: json!({ "checkpoints": rows, "next_offset": next }) })
    }
}

fn row(record: &Value) -> Value {
    let row = json!({
        "id": record["id"],
        "when": when(record["at"].as_u64().unwrap_or_default()),
        "message": record["message"],
        "branch": record["branch"],
        "changes": record["dirty"].as_array().map_or(0, Vec::len),
        "files_kept": record["files_kept"],
    });
    clean(row, PATH_CHARS)
}

/// Lists of paths are cut, with a word about it; times are for people.
fn bounded(mut value: Value) -> Value {
    if let Some(at) = value["at"].as_u64() {
        value["when"] = json!(when(at));
    }
    let mut cut = Vec::new();
    if let Value::Object(fields) = &mut value {
        for noise in ["at", "workspace"] {
            fields.remove(noise);
        }
        for (name, field) in fields.iter_mut() {
            if let Value::Array(items) = field
                && items.len() > MAX_PATHS
            {
                cut.push(format!("{} of {} {name}", MAX_PATHS, items.len()));
                items.truncate(MAX_PATHS);
            }
        }
        fields.retain(|_, field| !field.is_null());
    }
    let mut value = clean(value, TEXT_CHARS);
    // Long paths may still be too much; what is left is the record.
    if model::estimate_tokens(&value.to_string()) > MAX_TOKENS
        && let Value::Object(fields) = &mut value
    {
        fields.retain(|_, field| !field.is_array());
        cut.push("no lists".to_owned());
    }
    if !cut.is_empty() {
        value["cut"] = json!(format!("{}; `throughline checkpoint show` has all", cut.join(", ")));
    }
    value
}
