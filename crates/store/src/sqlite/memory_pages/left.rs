//! Hand-offs and checkpoints in pages: what was left for the next one, newest first.

use model::{Checkpoint, Millis, WorkspaceKey};
use rusqlite::types::Value;

use super::super::batch::number;
use super::super::read::{Query, unsigned};
use super::super::recall_read::{HAND_OFF_COLUMNS, read_hand_off};
use super::super::{Found, HandOffRow, Tables};
use crate::StoreError;

/// Which hand-offs, and from where on.
#[derive(Debug, Clone, Default)]
pub struct HandOffPage {
    pub workspace: Option<WorkspaceKey>,
    /// The project's name, or its key.
    pub project: Option<String>,
    /// Behind this one: when it was kept up, and its session.
    pub after: Option<(Millis, String)>,
    pub limit: usize,
}

/// Which checkpoints, and from where on.
#[derive(Debug, Clone, Default)]
pub struct CheckpointPage {
    /// The folder they were taken of.
    pub root: Option<String>,
    /// Behind this one: when it was taken, and its id.
    pub after: Option<(Millis, String)>,
    pub limit: usize,
}

/// From which everything was forgotten.
const EMPTY: &str = "{}";

impl Tables {
    /// Grows with the page; with a project, with the hand-offs that are younger than its last.
    pub fn hand_off_page(
        &self,
        page: &HandOffPage,
    ) -> Result<Found<HandOffRow, (Millis, String)>, StoreError> {
        let mut query = narrowed(format!("SELECT {HAND_OFF_COLUMNS} FROM hand_offs"), page);
        go_on(&mut query, "session", page.after.as_ref());
        query.tail("ORDER BY at DESC, session DESC", page.limit + 1);
        let mut rows = self.rows(query, read_hand_off)?;
        let has_more = rows.len() > page.limit;
        rows.truncate(page.limit);
        let next = rows.last().map(|row| (row.at, row.session.as_str().to_owned())).filter(|_| has_more);
        Ok(Found { rows, next })
    }

    pub fn count_hand_off_page(&self, page: &HandOffPage) -> Result<u64, StoreError> {
        let query = narrowed("SELECT COUNT(*) FROM hand_offs".to_owned(), page);
        Ok(self.rows(query, |row| unsigned(row, 0))?.pop().unwrap_or_default())
    }

    pub fn checkpoint_page(
        &self,
        page: &CheckpointPage,
    ) -> Result<Found<Checkpoint, (Millis, String)>, StoreError> {
        let mut query = Query::new("SELECT checkpoint, at, id FROM checkpoints".to_owned());
        if let Some(root) = &page.root {
            query.and("root = ?", root.clone());
        }
        go_on(&mut query, "id", page.after.as_ref());
        query.tail("ORDER BY at DESC, id DESC", page.limit + 1);
        let mut rows = self.rows(query, |row| {
            Ok((row.get::<_, String>(0)?, (unsigned(row, 1)?, row.get::<_, String>(2)?)))
        })?;
        let has_more = rows.len() > page.limit;
        rows.truncate(page.limit);
        let next = rows.last().map(|(_, place)| place.clone()).filter(|_| has_more);
        let rows = rows.iter().filter_map(|(text, _)| serde_json::from_str(text).ok()).collect();
        Ok(Found { rows, next })
    }

    pub fn count_checkpoint_page(&self, page: &CheckpointPage) -> Result<u64, StoreError> {
        let mut query = Query::new("SELECT COUNT(*) FROM checkpoints".to_owned());
        if let Some(root) = &page.root {
            query.and("root = ?", root.clone());
        }
        Ok(self.rows(query, |row| unsigned(row, 0))?.pop().unwrap_or_default())
    }
}

fn narrowed(select: String, page: &HandOffPage) -> Query {
    let mut query = Query::new(select);
    query.and("hand_off <> ?", EMPTY.to_owned());
    if let Some(workspace) = &page.workspace {
        query.and("workspace = ?", workspace.as_str().to_owned());
    }
    if let Some(project) = &page.project {
        query.and_all("? IN (project, project_key)", [Value::Text(project.clone())]);
    }
    query
}

fn go_on(query: &mut Query, name: &str, after: Option<&(Millis, String)>) {
    if let Some((at, id)) = after {
        let place = [Value::Integer(number(*at)), Value::Text(id.clone())];
        query.and_all(&format!("(at, {name}) < (?, ?)"), place);
    }
}
