//! Patterns of agents: who has which part, who hands over to whom, what came of it. Looked at here, declared elsewhere.

use engine::coordination::{self, Picture};
use model::{Millis, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::PatternFilter;

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::page::{Limit, Page};
use super::reading::read;
use super::session::now;
use super::words::{Id, Words};
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![get("/api/v1/patterns", "Patterns of agents, newest first", list)]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Of this session.
    session: Option<Id>,
    /// The one with this id.
    id: Option<Words<400>>,
    /// Only those that go on.
    #[serde(default)]
    live: bool,
    #[serde(default)]
    limit: Limit,
}

/// A pattern as it stands.
#[derive(Debug, Serialize, JsonSchema)]
struct Pattern {
    id: String,
    session: String,
    /// Whose, where it is on another machine of a team.
    by: Option<String>,
    kind: String,
    name: String,
    at: Millis,
    ended_at: Option<Millis>,
    /// `running`, or one word for what came of it.
    state: String,
    /// Whether that is what was hoped for; null while it goes on.
    ok: Option<bool>,
    headline: String,
    nodes: Vec<PatternPart>,
    edges: Vec<HandOver>,
    /// What came of it, by whom.
    lines: Vec<PatternLine>,
    /// Tags of the parts that may be started now.
    due: Vec<String>,
}

/// A part, and the agent that has it.
#[derive(Debug, Serialize, JsonSchema)]
struct PatternPart {
    key: String,
    label: String,
    role: String,
    /// `planned`, `due`, `called`, `out`, `done`, `unreadable` or `failed`.
    state: String,
    agent: Option<String>,
    started_at: Option<Millis>,
    ended_at: Option<Millis>,
    /// How often it was begun.
    tries: u32,
    /// One line of its answer; votes are not shown before all are in.
    says: Option<String>,
}

/// Whose answer is given to whom, by their keys.
#[derive(Debug, Serialize, JsonSchema)]
struct HandOver {
    from: String,
    to: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PatternLine {
    title: String,
    text: String,
}

fn list(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Page<Pattern>>, Problem> {
    let Wanted { session, id, live, limit } = asked.query;
    let (session, now) = (session.map(|id| SessionId::new(id.as_str())), now());
    let told = if session.is_none() {
        read(house, |tables| tables.patterns_elsewhere(limit.rows()))?
    } else {
        vec![]
    };
    let elsewhere = told.into_iter().filter_map(|(by, told)| {
        let seen = coordination::picture(&coordination::row_elsewhere(&told)?, now)?;
        Some(Pattern { by: Some(by.user), ..Pattern::from(seen) })
    });
    let elsewhere = elsewhere.filter(|seen| match &id {
        Some(id) => seen.id == id.as_str(),
        None => !live || seen.ended_at.is_none(),
    });
    let rows = if let Some(id) = &id {
        read(house, |tables| tables.pattern(id.as_str()))?.into_iter().collect()
    } else {
        let filter = PatternFilter {
            session: session.as_ref(),
            // Whatever has ended has ended before the end of time.
            since: live.then_some(Millis::MAX),
            limit: limit.rows(),
            ..PatternFilter::default()
        };
        read(house, |tables| tables.patterns(&filter))?
    };
    let here = rows.iter().filter_map(|row| coordination::picture(row, now)).map(Pattern::from);
    let mut items: Vec<Pattern> = here.chain(elsewhere).collect();
    // Time may have ended it since its row was written.
    items.retain(|seen| !live || id.is_some() || seen.ended_at.is_none());
    items.sort_by_key(|seen| std::cmp::Reverse(seen.at));
    items.truncate(limit.rows());
    Ok(Page { items, next: None, total: None }.into())
}

impl From<Picture> for Pattern {
    fn from(seen: Picture) -> Self {
        let Picture { id, session, kind, name, at, ended_at, state, ok, headline, nodes, edges, lines, due } =
            seen;
        let node = |node: coordination::Node| {
            let coordination::Node { key, label, role, state, agent, started_at, ended_at, tries, says } =
                node;
            PatternPart {
                key,
                label,
                role,
                state: state.to_owned(),
                agent,
                started_at,
                ended_at,
                tries,
                says,
            }
        };
        Self {
            id,
            session: session.as_str().to_owned(),
            by: None,
            kind,
            name,
            at,
            ended_at,
            state,
            ok,
            headline,
            nodes: nodes.into_iter().map(node).collect(),
            edges: edges.into_iter().map(|edge| HandOver { from: edge.from, to: edge.to }).collect(),
            lines: lines.into_iter().map(|line| PatternLine { title: line.title, text: line.text }).collect(),
            due,
        }
    }
}
