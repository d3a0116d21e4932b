//! Hearing: what others told beyond a place, in the order of transactions. A transaction that is still running may commit
//! behind ones that began later, so nothing at or beyond the oldest running one is read: it is news next time.

use std::collections::BTreeMap;

use postgres::Row;
use serde::{Deserialize, Serialize};
use store::shared::{Change, News, SharedError, SharedProject};

use crate::Team;
use crate::error::sort;
use crate::read::MEMORY_COLUMNS;
use crate::rows::{clean, read_author, read_memory, read_message, signed, unsigned};

/// In one answer; each may carry a text and its vectors.
const MOST: usize = 2000;

/// Where a project was read to: a transaction, and a turn within it.
type Place = (u64, i64);

/// A cursor: in which life of the data, and per place the projects that were read to it. Usually one place.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cursor {
    epoch: String,
    at: Vec<(Place, Vec<i64>)>,
}

impl Cursor {
    /// What is no cursor of ours, or of another epoch, is the beginning: what is heard twice leaves the same behind.
    fn read(text: &str, epoch: &str, newest: u64) -> BTreeMap<i64, Place> {
        let cursor: Cursor = serde_json::from_str(text).unwrap_or_default();
        // A place beyond the newest transaction was in a database that has since been set back to a backup.
        let is_ours = cursor.epoch == epoch && cursor.at.iter().all(|((xid, _), _)| *xid < newest);
        let at = if is_ours { cursor.at } else { Vec::new() };
        at.into_iter().flat_map(|(place, projects)| projects.into_iter().map(move |of| (of, place))).collect()
    }

    fn write(epoch: &str, places: &BTreeMap<i64, Place>) -> String {
        let mut at: BTreeMap<Place, Vec<i64>> = BTreeMap::new();
        for (project, place) in places {
            at.entry(*place).or_default().push(*project);
        }
        let cursor = Self { epoch: epoch.to_owned(), at: at.into_iter().collect() };
        serde_json::to_string(&cursor).unwrap_or_default()
    }
}

/// One kind of thing: its table, and its columns in the places where all kinds have theirs.
struct Kind {
    name: &'static str,
    table: &'static str,
    /// `body, a, b, c, d, id, bytes, model, session, path`
    columns: &'static str,
}

const KINDS: &[Kind] = &[
    Kind {
        name: "memory",
        table: "memories",
        columns: "m.body, m.hits, m.prevented, m.last_applied_at, m.changed_at, m.id, m.vectors, m.model, \
                  NULL::text, NULL::text",
    },
    Kind {
        name: "forgotten",
        table: "forgotten",
        columns: "NULL::text, 0::bigint, 0::bigint, 0::bigint, 0::bigint, m.id, NULL::bytea, NULL::integer, \
                  NULL::text, NULL::text",
    },
    Kind {
        name: "session",
        table: "sessions",
        columns: "m.body, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, NULL::bytea, NULL::integer, \
                  NULL::text, NULL::text",
    },
    Kind {
        name: "claim",
        table: "claims",
        columns: "m.body, m.released::integer::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, NULL::bytea, \
                  NULL::integer, m.session, m.path",
    },
    Kind {
        name: "message",
        table: "messages",
        columns: "m.body, m.delivered_at, 0::bigint, 0::bigint, 0::bigint, 0::bigint, NULL::bytea, NULL::integer, \
                  NULL::text, NULL::text",
    },
    Kind {
        name: "pattern",
        table: "patterns",
        columns: "m.body, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, NULL::bytea, NULL::integer, \
                  NULL::text, NULL::text",
    },
];

/// $1 projects, $2 and $3 their places, $4 the oldest transaction that runs, $5 our own numbers, $6 how many.
fn sql() -> String {
    let branch = |kind: &Kind| {
        let Kind { name, table, columns } = kind;
        // Per project, in the order of an index: a project with a million memories is read a page at a time.
        format!(
            "SELECT '{name}' AS kind, n.* FROM places c CROSS JOIN LATERAL (
                 SELECT m.xid, m.turn, m.author, m.project, {columns} FROM throughline.{table} m
                 WHERE m.project = c.project AND (m.xid, m.turn) > (c.xid, c.turn) AND m.xid < $4::text::xid8
                     AND m.author <> ALL ($5::integer[])
                 ORDER BY m.project, m.xid, m.turn LIMIT $6) n"
        )
    };
    let branches = KINDS.iter().map(branch).collect::<Vec<_>>().join(" UNION ALL ");
    let columns = MEMORY_COLUMNS;
    format!(
        "WITH places AS (SELECT * FROM unnest($1::bigint[], $2::text[]::xid8[], $3::bigint[]) AS c(project, xid, turn))
         SELECT {columns}, u.name, a.machine, m.kind, m.xid::text, m.turn, m.session, m.path
         FROM ({branches}) AS m(kind, xid, turn, author, project, body, hits, prevented, last_applied_at, changed_at, id,
             vectors, model, session, path)
         JOIN throughline.projects p ON p.id = m.project
         JOIN throughline.authors a ON a.id = m.author JOIN throughline.members u ON u.id = a.member
         LEFT JOIN throughline.models o ON o.id = m.model
         ORDER BY m.xid, m.turn LIMIT $6"
    )
}

impl Team {
    pub(crate) fn hear(
        &mut self,
        machine: &str,
        projects: &[SharedProject],
        cursor: &str,
        limit: usize,
    ) -> Result<News, SharedError> {
        self.page(machine, projects, cursor, limit.clamp(1, MOST)).map_err(|error| sort(&error))
    }

    fn page(
        &mut self,
        machine: &str,
        projects: &[SharedProject],
        cursor: &str,
        limit: usize,
    ) -> Result<News, postgres::Error> {
        let rows = self.query(
            "SELECT epoch, pg_snapshot_xmin(pg_current_snapshot())::text, pg_snapshot_xmax(pg_current_snapshot())::text
             FROM throughline.house",
            &[],
        )?;
        let Some(row) = rows.first() else {
            return Ok(News { changes: Vec::new(), cursor: cursor.to_owned(), more: false });
        };
        let epoch: String = row.get(0);
        let running = number(row.get(1));
        let mut places = Cursor::read(cursor, &epoch, number(row.get(2)));
        let keys: Vec<String> = projects.iter().map(|project| clean(&project.0)).collect();
        let rows = self.query("SELECT id FROM throughline.projects WHERE key = ANY ($1)", &[&keys])?;
        let asked: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        let own = self.query("SELECT id FROM throughline.authors WHERE machine = $1", &[&clean(machine)])?;
        let own: Vec<i32> = own.iter().map(|row| row.get(0)).collect();
        let from: Vec<Place> =
            asked.iter().map(|project| places.get(project).copied().unwrap_or((0, 0))).collect();
        let xids: Vec<String> = from.iter().map(|(xid, _)| xid.to_string()).collect();
        let turns: Vec<i64> = from.iter().map(|(_, turn)| *turn).collect();
        let rows = self
            .query(&sql(), &[&asked, &xids, &turns, &running.to_string(), &own, &signed(limit as u64 + 1)])?;
        let more = rows.len() > limit;
        let rows = &rows[..rows.len().min(limit)];
        // Everything up to the last row was read, in every project; if there is no more, everything that is finished.
        let read_to = match rows.last() {
            Some(last) if more => (number(last.get(12)), last.get(13)),
            _ => (running.saturating_sub(1), i64::MAX),
        };
        for project in asked {
            let place = places.entry(project).or_insert(read_to);
            *place = (*place).max(read_to);
        }
        let changes = rows.iter().filter_map(|row| Some((read_author(row, 9), change(row)?))).collect();
        Ok(News { changes, cursor: Cursor::write(&epoch, &places), more })
    }
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

/// `None`: a later throughline told it, in a form this one does not know.
fn change(row: &Row) -> Option<Change> {
    let project = || SharedProject(row.get(8));
    let body = || row.get::<_, &str>(0);
    Some(match row.get(11) {
        "memory" => Change::Memory(Box::new(read_memory(row, 0)?)),
        "forgotten" => {
            Change::Forgotten { project: project(), id: model::MemoryId::from_u64(unsigned(row.get(5))) }
        }
        "session" => {
            let mut told: store::shared::SharedSession = serde_json::from_str(body()).ok()?;
            told.project = project();
            Change::Session(told)
        }
        "claim" if row.get::<_, i64>(1) != 0 => Change::Released {
            project: project(),
            session: model::SessionId::new(row.get(14)),
            path: Some(row.get(15)),
        },
        "claim" => {
            let mut told: store::shared::SharedClaim = serde_json::from_str(body()).ok()?;
            told.project = project();
            Change::Claim(told)
        }
        "message" => Change::Message(read_message(body(), row.get(1), row.get(8))?),
        "pattern" => {
            let mut told: store::shared::SharedPattern = serde_json::from_str(body()).ok()?;
            told.project = project();
            Change::Pattern(told)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_one_of_another_life_is_the_beginning() {
        let places = BTreeMap::from([(1, (70, 3)), (2, (70, 3)), (9, (5, 1))]);
        let text = Cursor::write("e", &places);
        assert_eq!(Cursor::read(&text, "e", 71), places);
        assert!(Cursor::read(&text, "other", 71).is_empty());
        assert!(Cursor::read(&text, "e", 70).is_empty());
        assert!(Cursor::read("", "e", 71).is_empty());
        assert!(Cursor::read("nonsense", "e", 71).is_empty());
    }
}
