//! What was put in front of agents, word for word and why; and what guards said to them.

use model::{Item, Millis, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{InjectionPage, PlacedInjection, VerdictPage, VerdictRow};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::page::{Cursor, Limit, Page};
use super::reading::read;
use super::words::{Id, Name};
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/injections", "Every word that was injected, newest first", list),
        get("/api/v1/verdicts", "What guards said, newest first", verdicts),
    ]
}

/// A note as it was delivered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Injection {
    /// The journal's position.
    pub(crate) seq: u64,
    /// Which of the notes of one answer.
    pub(crate) number: u64,
    pub(crate) at: Millis,
    pub(crate) session: String,
    pub(crate) subagent: Option<String>,
    /// The event that was answered.
    pub(crate) event: String,
    pub(crate) behavior: String,
    pub(crate) text: String,
    pub(crate) tokens: u32,
    pub(crate) items: Vec<InjectedItem>,
}

/// One part of a note: what it is, what it cost, why it is there.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InjectedItem {
    pub(crate) memory: Option<String>,
    pub(crate) part: String,
    pub(crate) title: String,
    pub(crate) tokens: u32,
    pub(crate) why: String,
}

/// A guard spoke.
#[expect(clippy::struct_field_names, reason = "a verdict is what it says, and the word it says it with")]
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verdict {
    /// The journal's position.
    pub(crate) seq: u64,
    pub(crate) at: Millis,
    pub(crate) session: String,
    pub(crate) subagent: Option<String>,
    pub(crate) event: String,
    pub(crate) tool: Option<String>,
    pub(crate) behavior: String,
    /// `deny`, `ask`, `allow` or `hold`.
    pub(crate) verdict: &'static str,
    pub(crate) reason: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    session: Option<Id>,
    /// A page may come back short and still have a next one.
    behavior: Option<Name>,
    /// That showed this memory.
    memory: Option<Name>,
    /// At or after this time, in Unix milliseconds.
    since: Option<Millis>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Id>,
    /// Say how many there are.
    #[serde(default)]
    count: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WantedVerdicts {
    session: Option<Id>,
    /// At or after this time, in Unix milliseconds.
    since: Option<Millis>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Id>,
    #[serde(default)]
    offset: u32,
    /// Say how many there are.
    #[serde(default)]
    count: bool,
}

fn list(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Page<Injection>>, Problem> {
    let Wanted { session, behavior, memory, since, limit, cursor, count } = asked.query;
    let before = cursor.map(|cursor| Cursor::read(cursor.as_str())).transpose()?;
    let before = before.map(|cursor| Ok((cursor.number, cursor.second()?))).transpose()?;
    let memory = memory.map(|id| id.as_str().parse()).transpose();
    let memory =
        memory.map_err(|_| Problem::refused("this is no id of a memory", "send all twelve characters"))?;
    let page = InjectionPage {
        session: session.map(|id| SessionId::new(id.as_str())),
        behavior: behavior.map(Name::into_text),
        memory,
        since,
        before,
        limit: limit.rows(),
    };
    let (found, total) = read(house, |tables| {
        let total = if count { Some(tables.total_injections(&page)?) } else { None };
        Ok((tables.injection_page(&page)?, total))
    })?;
    let next = found.next.map(|(seq, number)| Cursor::new(seq, number).to_string());
    Ok(Page { items: found.rows.into_iter().map(Injection::from).collect(), next, total }.into())
}

fn verdicts(
    house: &dyn House,
    asked: Asked<Nothing, WantedVerdicts>,
) -> Result<Given<Page<Verdict>>, Problem> {
    let WantedVerdicts { session, since, limit, cursor, offset, count } = asked.query;
    let page = VerdictPage {
        session: session.map(|id| SessionId::new(id.as_str())),
        since,
        before: cursor.map(|cursor| Cursor::read(cursor.as_str())).transpose()?.map(|cursor| cursor.number),
        offset: offset as usize,
        limit: limit.rows(),
    };
    let (found, total) = read(house, |tables| {
        let total = if count { Some(tables.total_verdicts(&page)?) } else { None };
        Ok((tables.verdict_page(&page)?, total))
    })?;
    let next = found.next.map(|seq| Cursor::new(seq, "").to_string());
    Ok(Page { items: found.rows.into_iter().map(Verdict::from).collect(), next, total }.into())
}

impl From<PlacedInjection> for Injection {
    fn from(placed: PlacedInjection) -> Self {
        let PlacedInjection { seq, number, row } = placed;
        Self {
            seq,
            number,
            at: row.at,
            session: row.session.as_str().to_owned(),
            subagent: row.subagent,
            event: row.event,
            behavior: row.behavior,
            text: row.text,
            tokens: row.tokens,
            items: row.items.into_iter().map(InjectedItem::from).collect(),
        }
    }
}

impl From<Item> for InjectedItem {
    fn from(item: Item) -> Self {
        let Item { memory, part, title, tokens, why } = item;
        Self { memory: memory.map(|id| id.to_string()), part, title, tokens, why }
    }
}

impl From<VerdictRow> for Verdict {
    fn from(row: VerdictRow) -> Self {
        Self {
            seq: row.seq,
            at: row.at,
            session: row.session.as_str().to_owned(),
            subagent: row.subagent,
            event: row.event,
            tool: row.tool,
            behavior: row.behavior,
            verdict: row.verdict.name(),
            reason: row.reason,
        }
    }
}
