//! Lists of memories, by filter. By what they say, search finds them.

use model::{MemoryKind, Millis, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{MemoryFilter, MemoryOrder, MemoryPage, MemoryPlace};

use super::super::endpoint::{Asked, Given, Nothing};
use super::super::memory::{Kind, MemoryCard};
use super::super::page::{Cursor, Limit, Page};
use super::super::reading::read;
use crate::House;
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Listing {
    /// Of this project: its name or its key; clones and worktrees of it are the same.
    project: Option<String>,
    /// Of these kinds; may be given several times.
    kind: Vec<Kind>,
    /// That read or changed this file: its path, or the end of it.
    file: Option<String>,
    /// That came of this tool, such as `Bash`.
    tool: Option<String>,
    /// Of the session with this id.
    session: Option<String>,
    /// Of this branch.
    branch: Option<String>,
    /// From this moment on.
    since: Option<Millis>,
    /// Before this moment.
    until: Option<Millis>,
    /// That are never dropped to make room, or those that may be.
    pinned: Option<bool>,
    /// That every session should know, or the others.
    critical: Option<bool>,
    /// By `person`, `agent`, `import`, `extractive` (throughline without a model) or a model's name.
    written_by: Option<String>,
    /// `newest` or `oldest` first; `used`: those that were of use, the most used first.
    order: Order,
    limit: Limit,
    /// Where to go on: `next` of the page before.
    cursor: Option<String>,
    /// So many rows are passed over.
    offset: u32,
    /// Whether to say how many there are in all.
    count: bool,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    #[default]
    Newest,
    Oldest,
    Used,
}

type Cards = Result<Given<Page<MemoryCard>>, Problem>;

pub(super) fn memories(house: &dyn House, asked: Asked<Nothing, Listing>) -> Cards {
    let kinds = asked.query.kind.iter().map(|kind| kind.0).collect();
    cards(house, asked.query, kinds)
}

/// Asked for a kind that is no observation, there is none.
pub(super) fn observations(house: &dyn House, asked: Asked<Nothing, Listing>) -> Cards {
    let wanted: Vec<MemoryKind> = asked.query.kind.iter().map(|kind| kind.0).collect();
    let is_wanted = |kind: &MemoryKind| wanted.is_empty() || wanted.contains(kind);
    let kinds: Vec<MemoryKind> = MemoryKind::OBSERVATIONS.iter().copied().filter(is_wanted).collect();
    if kinds.is_empty() {
        let total = asked.query.count.then_some(0);
        return Ok(Page { items: Vec::new(), next: None, total }.into());
    }
    cards(house, asked.query, kinds)
}

fn cards(house: &dyn House, listing: Listing, kinds: Vec<MemoryKind>) -> Cards {
    let count = listing.count;
    let page = listing.page(kinds)?;
    let (found, total) = read(house, |tables| {
        let total = if count { Some(tables.count_memory_page(&page)?) } else { None };
        Ok((tables.memory_page(&page)?, total))
    })?;
    let next = found.next.map(|place| Cursor::new(place.key, place.n).to_string());
    Ok(Page { items: found.rows.into_iter().map(Into::into).collect(), next, total }.into())
}

impl Listing {
    fn page(self, kinds: Vec<MemoryKind>) -> Result<MemoryPage, Problem> {
        let place = |cursor: &str| {
            let cursor = Cursor::read(cursor)?;
            Ok(MemoryPlace { key: cursor.number, n: cursor.second()? })
        };
        Ok(MemoryPage {
            after: self.cursor.as_deref().map(place).transpose()?,
            only: MemoryFilter {
                project: self.project,
                kinds,
                file: self.file,
                tool: self.tool,
                session: self.session.as_deref().map(SessionId::new),
                branch: self.branch,
                since: self.since,
                until: self.until,
                limit: 0,
            },
            pinned: self.pinned,
            critical: self.critical,
            written_by: self.written_by,
            order: match self.order {
                Order::Newest => MemoryOrder::Newest,
                Order::Oldest => MemoryOrder::Oldest,
                Order::Used => MemoryOrder::Used,
            },
            offset: self.offset as usize,
            limit: self.limit.rows(),
        })
    }
}
