//! What was kept just before and just after one memory: the story around it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::memory::MemoryCard;
use super::named;
use super::reading::read;
use super::search::{self, Question};
use crate::House;
use crate::problem::Problem;

/// Further away nothing explains anything.
const MAX_AROUND: u16 = 250;
const USUAL: u16 = 10;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![get("/api/v1/timeline", "What was kept around one memory, oldest first", timeline)]
}

/// Either a memory, or words that find one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Around {
    /// The memory in the middle: its id, or a beginning of it that fits only one.
    anchor: Option<String>,
    /// Instead of it: words; the best answer to them is in the middle.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    q: Option<String>,
    /// So many before it.
    #[serde(default = "usual")]
    #[schemars(range(max = 250))]
    before: u16,
    /// So many after it.
    #[serde(default = "usual")]
    #[schemars(range(max = 250))]
    after: u16,
}

fn usual() -> u16 {
    USUAL
}

#[derive(Debug, Serialize, JsonSchema)]
struct Timeline {
    /// The id of the memory in the middle.
    anchor: String,
    items: Vec<MemoryCard>,
}

fn timeline(house: &dyn House, asked: Asked<Nothing, Around>) -> Result<Given<Timeline>, Problem> {
    let Around { anchor, q, before, after } = asked.query;
    if before > MAX_AROUND || after > MAX_AROUND {
        return Err(Problem::refused("this is too far away", "ask for at most 250 before and after"));
    }
    let id = match (anchor, q) {
        (Some(anchor), None) => anchor,
        (None, Some(q)) => {
            let (hits, _) = search::hits(house, &Question::of(q)?)?;
            let best = hits.into_iter().next().map(|hit| hit.id);
            best.ok_or(Problem::not_found("nothing says this", "try other words, or name an `anchor`"))?
        }
        _ => {
            let next = "send either `anchor`, a memory's id, or `q`, words that find one";
            return Err(Problem::refused("it is not said around what", next));
        }
    };
    let center = named::memory(house, &id)?;
    let rows = read(house, |tables| tables.around(&center, before.into(), after.into()))?;
    let anchor = center.memory.id.to_string();
    Ok(Timeline { anchor, items: rows.into_iter().map(Into::into).collect() }.into())
}
