//! What was kept just before and after one memory.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{MemoryRow, Tables};

use super::{Call, find_memory, missing, said, search, stored, within};
use crate::answer::{Answer, Room, TITLE_CHARS, line, when};
use crate::keeper::{Keeper, Refusal};

/// Further away nothing explains anything.
const MAX_AROUND: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Timeline {
    /// The memory in the middle
    id: Option<String>,
    /// Or words that find it
    query: Option<String>,
    /// How many before it, up to 50 (5)
    before: Option<u32>,
    /// How many after it, up to 50 (5)
    after: Option<u32>,
}

impl Call for Timeline {
    const NAME: &'static str = "mem_timeline";
    const TITLE: &'static str = "Memories around one";
    const DESCRIPTION: &'static str =
        "What happened just before and after a memory, oldest first: ids, titles, tokens.";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let before = within("before", self.before, 5, 0..=MAX_AROUND)?;
        let after = within("after", self.after, 5, 0..=MAX_AROUND)?;
        let wanted = self.wanted()?;
        let tables = keeper.tables()?;
        let center = wanted.find(keeper, &tables)?;
        let rows = tables.around(&center, before, after).map_err(stored)?;
        let at = rows.iter().position(|row| row.n == center.n).unwrap_or_default();
        // Nearest first, so that what does not fit is what is farthest.
        let mut nearest: Vec<usize> = (0..rows.len()).collect();
        nearest.sort_by_key(|row| row.abs_diff(at));
        let mut room = Room::new();
        let mut shown: Vec<usize> =
            nearest.into_iter().take_while(|row| room.fits(&row_line(&rows[*row], false))).collect();
        shown.sort_unstable();
        let text: String = shown.iter().map(|row| row_line(&rows[*row], *row == at)).collect();
        let data: Vec<Value> = shown.iter().map(|row| to_json(&rows[*row], *row == at)).collect();
        let advice = "mem_get reads ids in full";
        let data = json!({ "center": center.memory.id, "memories": data, "next": advice });
        Ok(Answer { text: format!("{text}({advice})"), data })
    }
}

enum Wanted<'a> {
    Id(&'a str),
    Words(&'a str),
}

impl Timeline {
    fn wanted(&self) -> Result<Wanted<'_>, Refusal> {
        let id = self.id.as_deref().and_then(said).map(Wanted::Id);
        let words = || self.query.as_deref().and_then(said).map(Wanted::Words);
        id.or_else(words).ok_or_else(|| missing("id", "give the id of a memory, or a query that finds one"))
    }
}

impl Wanted<'_> {
    fn find(&self, keeper: &dyn Keeper, tables: &Tables) -> Result<MemoryRow, Refusal> {
        let words = match self {
            Self::Id(id) => return find_memory(tables, id),
            Self::Words(words) => words,
        };
        let hit = search::best(keeper, words)?.ok_or_else(|| {
            let what = format!("no memory says \"{}\"", line(words, 60));
            Refusal::new(what, "try other words, or an id from mem_search")
        })?;
        find_memory(tables, &hit.id)
    }
}

fn row_line(row: &MemoryRow, is_center: bool) -> String {
    let memory = &row.memory;
    let mark = if is_center { ">" } else { " " };
    let (kind, title) = (memory.kind.name(), line(&memory.title, TITLE_CHARS));
    format!("{mark} {}  {}  {kind}  {} tokens  {title}\n", memory.id, when(memory.at), row.tokens)
}

fn to_json(row: &MemoryRow, is_center: bool) -> Value {
    let mut value = index_row(row);
    if is_center {
        value["center"] = json!(true);
    }
    value
}

/// A row of an index, as all tools say it.
pub(super) fn index_row(row: &MemoryRow) -> Value {
    json!({
        "id": row.memory.id,
        "when": when(row.memory.at),
        "kind": row.memory.kind,
        "title": line(&row.memory.title, TITLE_CHARS),
        "tokens": row.tokens,
    })
}
