//! Sessions and prompts in pages, newest first, each session with what a list shows of it. A page looks at no more
//! rows than its bound says, so one that finds little in much comes back short, with the place to go on from.

use model::{Millis, SessionId, SessionOutcome, WorkspaceKey};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

use super::batch::number;
use super::read::{Query, SESSION_COLUMNS, read_prompt, read_session, unsigned};
use super::{PromptRow, SessionRow, Tables, sort};
use crate::StoreError;

/// Sessions, and prompts, that one page looks at for words in them: a few milliseconds.
const MAX_SESSIONS_LOOKED_AT: usize = 500;
const MAX_PROMPTS_LOOKED_AT: usize = 2000;
/// Of the first thing a session was asked, and of what came of it.
const SHOWN_CHARS: usize = 400;

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCard {
    pub row: SessionRow,
    pub first_prompt: Option<String>,
    pub outcome: Option<SessionOutcome>,
    /// Of its last summary: what was done, else what was asked.
    pub summary: Option<String>,
    /// What was put in front of it.
    pub injected_tokens: u64,
}

/// Which sessions, and from where on.
#[derive(Debug, Clone, Default)]
pub struct SessionPage {
    pub project: Option<String>,
    pub agent: Option<String>,
    pub workspace: Option<WorkspaceKey>,
    /// Not ended, and seen at or after this time.
    pub live_since: Option<Millis>,
    pub since: Option<Millis>,
    /// In its first prompt, summary, project, branch or id; case does not matter.
    pub words: Option<String>,
    /// Behind this one: when it was last seen, and its id.
    pub after: Option<(Millis, String)>,
    pub offset: usize,
    pub limit: usize,
}

/// Which prompts, and from where on.
#[derive(Debug, Clone, Default)]
pub struct PromptPage {
    pub session: Option<SessionId>,
    pub project: Option<String>,
    pub since: Option<Millis>,
    /// In its text; case does not matter.
    pub words: Option<String>,
    /// Behind this one: when it was asked, and its row.
    pub after: Option<(Millis, i64)>,
    pub offset: usize,
    pub limit: usize,
}

/// Rows that were found and the place of the last one that was looked at, if there may be more behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T, P> {
    pub rows: Vec<T>,
    pub next: Option<P>,
}

impl Tables {
    /// Last seen first. Grows with the page, and with what has to be looked at for `words`.
    pub fn session_page(
        &self,
        page: &SessionPage,
    ) -> Result<Found<SessionCard, (Millis, String)>, StoreError> {
        let mut query = Query::new(format!("SELECT {} FROM sessions", card_columns()));
        page.narrow(&mut query);
        if let Some((seen, id)) = &page.after {
            query.and_all(
                "(last_seen_at, id) < (?, ?)",
                [Value::Integer(number(*seen)), Value::Text(id.clone())],
            );
        }
        let bound = looked_at(page.words.as_ref(), page.limit, MAX_SESSIONS_LOOKED_AT);
        query.tail("ORDER BY last_seen_at DESC, id DESC", bound);
        skip(&mut query, page.offset);
        let words = page.words.as_deref().map(str::to_lowercase);
        let holds = |card: &SessionCard| words.as_deref().is_none_or(|words| card.says(words));
        let place = |card: &SessionCard| (card.row.last_seen_at, card.row.id.as_str().to_owned());
        self.found(&query, (page.limit, bound), read_card, holds, place)
    }

    /// How many there are. Words are not looked for.
    pub fn total_sessions(&self, page: &SessionPage) -> Result<u64, StoreError> {
        let mut query = Query::new("SELECT COUNT(*) FROM sessions".to_owned());
        page.narrow(&mut query);
        Ok(self.rows(query, |row| unsigned(row, 0))?.pop().unwrap_or(0))
    }

    /// The session with exactly this id.
    pub fn session_card(&self, id: &SessionId) -> Result<Option<SessionCard>, StoreError> {
        let mut query = Query::new(format!("SELECT {} FROM sessions", card_columns()));
        query.and("id = ?", id.as_str().to_owned());
        Ok(self.rows(query, read_card)?.pop())
    }

    /// Newest first.
    pub fn prompt_page(&self, page: &PromptPage) -> Result<Found<PromptRow, (Millis, i64)>, StoreError> {
        let mut query = Query::new("SELECT id, session, number, at, text, rowid FROM prompts".to_owned());
        page.narrow(&mut query);
        if let Some((at, row)) = page.after {
            query.and_all("(at, rowid) < (?, ?)", [Value::Integer(number(at)), Value::Integer(row)]);
        }
        let bound = looked_at(page.words.as_ref(), page.limit, MAX_PROMPTS_LOOKED_AT);
        query.tail("ORDER BY at DESC, rowid DESC", bound);
        skip(&mut query, page.offset);
        let words = page.words.as_deref().map(str::to_lowercase);
        let holds = |(prompt, _): &(PromptRow, i64)| {
            words.as_deref().is_none_or(|words| prompt.text.to_lowercase().contains(words))
        };
        let read = |row: &Row<'_>| Ok((read_prompt(row)?, row.get::<_, i64>(5)?));
        let found =
            self.found(&query, (page.limit, bound), read, holds, |(prompt, row)| (prompt.at, *row))?;
        Ok(Found { rows: found.rows.into_iter().map(|(prompt, _)| prompt).collect(), next: found.next })
    }

    /// How many there are. Words are not looked for.
    pub fn total_prompts(&self, page: &PromptPage) -> Result<u64, StoreError> {
        let mut query = Query::new("SELECT COUNT(*) FROM prompts".to_owned());
        page.narrow(&mut query);
        Ok(self.rows(query, |row| unsigned(row, 0))?.pop().unwrap_or(0))
    }

    pub fn prompt(&self, id: model::EventId) -> Result<Option<PromptRow>, StoreError> {
        let mut query = Query::new("SELECT id, session, number, at, text FROM prompts".to_owned());
        query.and("id = ?", id.as_bytes().to_vec());
        Ok(self.rows(query, read_prompt)?.pop())
    }

    /// Reads rows until the page is full or the statement has no more. One row more than the page says that there
    /// are more; as many as the statement's bound say that there may be.
    pub(super) fn found<T, P>(
        &self,
        query: &Query,
        (limit, bound): (usize, usize),
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
        holds: impl Fn(&T) -> bool,
        place: impl Fn(&T) -> P,
    ) -> Result<Found<T, P>, StoreError> {
        let mut gather = || -> rusqlite::Result<Found<T, P>> {
            let mut statement = self.connection.prepare_cached(&query.sql)?;
            let mut found = statement.query(params_from_iter(&query.values))?;
            let (mut rows, mut last, mut seen) = (Vec::new(), None, 0);
            while let Some(row) = found.next()? {
                if rows.len() == limit {
                    return Ok(Found { rows, next: last });
                }
                let row = read(row)?;
                seen += 1;
                last = Some(place(&row));
                if holds(&row) {
                    rows.push(row);
                }
            }
            let next = last.filter(|_| seen == bound);
            Ok(Found { rows, next })
        };
        gather().map_err(|e| sort(&self.path, e))
    }
}

impl SessionPage {
    fn narrow(&self, query: &mut Query) {
        if let Some(project) = &self.project {
            query.and("project = ?", project.clone());
        }
        if let Some(agent) = &self.agent {
            query.and("agent = ?", agent.clone());
        }
        if let Some(workspace) = &self.workspace {
            query.and("workspace = ?", workspace.as_str().to_owned());
        }
        if let Some(since) = self.since {
            query.and("last_seen_at >= ?", number(since));
        }
        if let Some(since) = self.live_since {
            query.and("ended_at IS NULL AND last_seen_at >= ?", number(since));
        }
    }
}

impl PromptPage {
    fn narrow(&self, query: &mut Query) {
        if let Some(session) = &self.session {
            query.and("session = ?", session.as_str().to_owned());
        }
        if let Some(project) = &self.project {
            query.and("session IN (SELECT id FROM sessions WHERE project = ?)", project.clone());
        }
        if let Some(since) = self.since {
            query.and("at >= ?", number(since));
        }
    }
}

impl SessionCard {
    fn says(&self, words: &str) -> bool {
        let SessionCard { row, first_prompt, summary, .. } = self;
        let texts = [first_prompt, summary, &row.project, &row.branch];
        texts.into_iter().flatten().any(|text| text.to_lowercase().contains(words))
            || row.id.as_str().to_lowercase().contains(words)
    }
}

/// One more than a page where every row fits; otherwise as many as may be looked at.
fn looked_at(words: Option<&String>, limit: usize, most: usize) -> usize {
    if words.is_some() { most.max(limit) } else { limit + 1 }
}

pub(super) fn skip(query: &mut Query, rows: usize) {
    if rows > 0 {
        query.sql.push_str(" OFFSET ?");
        query.values.push(Value::Integer(number(rows as u64)));
    }
}

/// The columns of a card: every subquery is one step in an index, the last a few rows of one session.
fn card_columns() -> String {
    format!(
        "{SESSION_COLUMNS},
        (SELECT substr(text, 1, {SHOWN_CHARS}) FROM prompts WHERE session = sessions.id ORDER BY number LIMIT 1),
        (SELECT outcome FROM outcomes WHERE session = sessions.id),
        (SELECT substr(COALESCE((SELECT group_concat(value, '; ') FROM json_each(completed)), request),
                1, {SHOWN_CHARS}) FROM summaries
            WHERE session = sessions.id ORDER BY at DESC LIMIT 1),
        (SELECT COALESCE(SUM(tokens), 0) FROM injections WHERE session = sessions.id)"
    )
}

fn read_card(row: &Row<'_>) -> rusqlite::Result<SessionCard> {
    Ok(SessionCard {
        row: read_session(row)?,
        first_prompt: row.get(20)?,
        outcome: row.get::<_, Option<String>>(21)?.as_deref().and_then(SessionOutcome::from_name),
        summary: row.get(22)?,
        injected_tokens: unsigned(row, 23)?,
    })
}
