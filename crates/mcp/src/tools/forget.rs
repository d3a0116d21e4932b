//! Takes memories away for good, in two steps: which they are, then that it is meant.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::timeline::index_row;
use super::{Call, Effect, find_memory, missing};
use crate::answer::{Answer, TITLE_CHARS, line};
use crate::keeper::{Keeper, Refusal};

const MAX_IDS: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Forget {
    /// Ids of the memories
    ids: Vec<String>,
    /// true to really do it; without it you see what would go
    #[serde(default)]
    confirm: bool,
}

impl Call for Forget {
    const NAME: &'static str = "mem_forget";
    const TITLE: &'static str = "Forget memories";
    const DESCRIPTION: &'static str = "Delete memories for good, when the person asks for it or they are wrong. \
        Needs confirm: true.";
    const EFFECT: Effect = Effect::Replaces;
    const WAITING: &'static str = "overwriting what said it";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        if self.ids.is_empty() {
            return Err(missing("ids", "give the ids of the memories to forget"));
        }
        if self.ids.len() > MAX_IDS {
            let what = format!("{} ids are too many", self.ids.len());
            return Err(Refusal::new(what, format!("forget at most {MAX_IDS} at once")));
        }
        // All or none: an id that names nothing is a mistake to hear of first.
        let tables = keeper.tables()?;
        let rows = self.ids.iter().map(|id| find_memory(&tables, id)).collect::<Result<Vec<_>, _>>()?;
        drop(tables);
        let ids: Vec<String> = rows.iter().map(|row| row.memory.id.to_string()).collect();
        if !self.confirm {
            let lines = rows
                .iter()
                .map(|row| format!("{}  {}\n", row.memory.id, line(&row.memory.title, TITLE_CHARS)));
            let next = "nothing was forgotten; call again with confirm: true to delete these for good";
            let would: Vec<Value> = rows.iter().map(index_row).collect();
            return Ok(Answer {
                text: format!("{}({next})", lines.collect::<String>()),
                data: json!({ "forgotten": [], "would_forget": would, "next": next }),
            });
        }
        let gone = keeper.forget(&ids)?;
        let rest = if gone { "" } else { "; the last of their words leave the files in the background" };
        Ok(Answer {
            text: format!("forgotten: {}{rest}", ids.join(", ")),
            data: json!({ "forgotten": ids, "gone": gone }),
        })
    }
}
