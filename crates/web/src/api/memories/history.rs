//! What became of one memory: who was shown it, by which behavior and why, and what was merged into it.

use model::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{MemoryUse, UsePage};

use super::super::endpoint::{Asked, Given};
use super::super::named::{self, MemoryPath};
use super::super::page::{Cursor, Limit};
use super::super::reading::read;
use crate::House;
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Paging {
    limit: Limit,
    /// Where to go on: `next` of the page before.
    cursor: Option<String>,
}

/// What became of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct History {
    items: Vec<Telling>,
    /// What to send as `cursor` for the next page; none after the last one.
    next: Option<String>,
    /// In how many conversations it was shown.
    total: u64,
    /// Ids under which the same was said; they are one with it.
    merged: Vec<String>,
}

/// The last time one conversation was shown it.
#[derive(Debug, Serialize, JsonSchema)]
struct Telling {
    seq: u64,
    at: Millis,
    session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagent: Option<String>,
    /// The conversation was compacted since.
    gone: bool,
    /// Not known any more when the note itself was dropped for its age; so the next four.
    #[serde(skip_serializing_if = "Option::is_none")]
    behavior: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// When the agent named it in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    cited_at: Option<Millis>,
    /// It kept the agent from a mistake.
    prevented: bool,
}

pub(super) fn history(
    house: &dyn House,
    asked: Asked<MemoryPath, Paging>,
) -> Result<Given<History>, Problem> {
    let memory = named::memory(house, &asked.path.id)?.memory.id;
    let place = |cursor: &str| {
        let cursor = Cursor::read(cursor)?;
        Ok((cursor.number, cursor.second()?))
    };
    let after = asked.query.cursor.as_deref().map(place).transpose()?;
    let page = UsePage { memory, after, limit: asked.query.limit.rows() };
    let (found, merged, (total, _)) = read(house, |tables| {
        Ok((tables.use_page(&page)?, tables.merged_with(memory)?, tables.count_uses(memory)?))
    })?;
    let history = History {
        items: found.rows.into_iter().map(Into::into).collect(),
        next: found.next.map(|(at, seq)| Cursor::new(at, seq).to_string()),
        total,
        merged: merged.iter().map(ToString::to_string).collect(),
    };
    Ok(history.into())
}

impl From<MemoryUse> for Telling {
    fn from(used: MemoryUse) -> Self {
        let (part, tokens, why) = used
            .item
            .map(|item| (item.part, item.tokens, item.why))
            .map_or((None, None, None), |(part, tokens, why)| (Some(part), Some(tokens), Some(why)));
        Self {
            seq: used.seq,
            at: used.at,
            session: used.session.as_str().to_owned(),
            subagent: used.subagent,
            gone: used.gone,
            behavior: used.behavior,
            event: used.event,
            part,
            tokens,
            why,
            cited_at: used.cited_at,
            prevented: used.prevented,
        }
    }
}
