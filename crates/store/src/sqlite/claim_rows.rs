//! Who works on which file: leases of sessions on paths, renewed by use; and what sessions did to files that others have
//! before them.

use model::{Millis, SessionId};
use rusqlite::{Row, params};
use serde::Serialize;

use super::batch::number;
use super::read::{Query, unsigned};
use super::{Batch, Tables};
use crate::StoreError;

/// First and last line of a place in a file, from 1.
pub type Span = (u32, u32);

/// A file a session works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimRow {
    /// Absolute.
    pub path: String,
    pub session: SessionId,
    pub agent: String,
    pub project: Option<String>,
    pub branch: Option<String>,
    /// The session's process, where its agent says it.
    #[serde(skip)]
    pub pid: Option<u32>,
    #[serde(skip)]
    pub pid_began: Option<String>,
    pub since_at: Millis,
    pub last_at: Millis,
    /// When the session was last heard of.
    pub seen_at: Millis,
    /// What the session says it is doing with it, or else what it was asked.
    pub goal: Option<String>,
    /// Where it was edited, in order; empty where that is not known.
    pub lines: Vec<Span>,
    /// How often it was edited since then. 0: it is wanted and not edited yet.
    pub edits: u64,
    /// The work tree it lies in.
    pub root: Option<String>,
    /// Its name in its repository.
    pub relative: Option<String>,
}

impl ClaimRow {
    /// From the first line to the last.
    pub fn span(&self) -> Option<Span> {
        span(&self.lines)
    }
}

pub(super) fn span(lines: &[Span]) -> Option<Span> {
    Some((lines.first()?.0, lines.iter().map(|lines| lines.1).max()?))
}

/// Which claims are wanted.
#[derive(Debug, Clone, Default)]
pub struct ClaimFilter<'a> {
    pub path: Option<&'a str>,
    pub session: Option<&'a SessionId>,
    /// Of everybody but this one.
    pub not: Option<&'a SessionId>,
    /// In this folder or below it.
    pub below: Option<&'a str>,
    /// The repository's key and a file's name in it, in whichever worktree.
    pub of_project: Option<(&'a str, &'a str)>,
    /// Used at this moment or later.
    pub since: Millis,
    /// Not later than this: a sign from the future is of a clock that was wrong. 0 for whenever.
    pub until: Millis,
    /// 0 for all.
    pub limit: usize,
}

/// Where a file lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimPlace<'a> {
    pub root: &'a str,
    pub project_key: &'a str,
    pub relative: &'a str,
}

/// A sign that a session works on a file.
#[derive(Debug, Clone, Copy)]
pub struct ClaimSign<'a> {
    pub path: &'a str,
    pub session: &'a SessionId,
    pub at: Millis,
    pub note: Option<&'a str>,
    pub place: Option<ClaimPlace<'a>>,
    /// The file was changed, not only wanted.
    pub is_edit: bool,
    /// An older claim than this ran out before: this is a new one.
    pub renews_since: Millis,
}

/// What another session did to a file since this one looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    pub session: SessionId,
    pub at: Millis,
    /// The last of them.
    pub seq: u64,
    /// Lines; `None` where one of the changes was not counted.
    pub counts: Option<(u64, u64)>,
}

/// What a session was asked last, rather a sentence than a word: "go on" tells nobody anything.
macro_rules! asked {
    ($session:literal) => {
        concat!(
            "(SELECT text FROM (SELECT text, number FROM prompts WHERE prompts.session = ",
            $session,
            " ORDER BY number DESC LIMIT 5) ORDER BY length(text) >= 16 DESC, number DESC LIMIT 1)"
        )
    };
}
pub(super) use asked;

const CLAIMS: &str = concat!(
    "SELECT claims.path, claims.session, sessions.agent, sessions.project, sessions.branch, sessions.pid,
        claims.since_at, claims.last_at, sessions.last_seen_at, COALESCE(claims.note, ",
    asked!("claims.session"),
    "), sessions.pid_began, claims.lines, claims.edits, claims.work_tree, claims.relative
    FROM claims JOIN sessions ON sessions.id = claims.session AND sessions.ended_at IS NULL"
);

/// As a claim that is not learned yet would read.
const WANTED: &str = concat!(
    "SELECT '', id, agent, project, branch, pid, last_seen_at, last_seen_at, last_seen_at, ",
    asked!("sessions.id"),
    ", pid_began, NULL, 0, NULL, NULL FROM sessions"
);

impl Tables {
    /// The claims of sessions that have not ended, last used first.
    pub fn claims(&self, filter: &ClaimFilter<'_>) -> Result<Vec<ClaimRow>, StoreError> {
        let mut query = Query::new(CLAIMS.to_owned());
        query.and("claims.last_at >= ?", number(filter.since));
        if filter.until > 0 {
            query.and("claims.last_at <= ?", number(filter.until));
        }
        if let Some(path) = filter.path {
            query.and("claims.path = ?", path.to_owned());
        }
        if let Some(session) = filter.session {
            query.and("claims.session = ?", session.as_str().to_owned());
        }
        if let Some(not) = filter.not {
            query.and("claims.session <> ?", not.as_str().to_owned());
        }
        if let Some((project, relative)) = filter.of_project {
            query.and("claims.project_key = ?", project.to_owned());
            query.and("claims.relative = ?", relative.to_owned());
        }
        if let Some(folder) = filter.below {
            // '0' is the character behind '/'.
            let folder = folder.trim_end_matches('/');
            query.and("claims.path > ?", format!("{folder}/"));
            query.and("claims.path < ?", format!("{folder}0"));
        }
        query.tail("ORDER BY claims.last_at DESC, claims.path", filter.limit);
        self.rows(query, read)
    }

    /// A session that wants a file, as a claim; `None` if it is not known or has ended.
    pub fn wanted_by(&self, session: &SessionId, path: &str) -> Result<Option<ClaimRow>, StoreError> {
        let mut query = Query::new(WANTED.to_owned());
        query.and("ended_at IS NULL AND id = ?", session.as_str().to_owned());
        let found = self.rows(query, read)?.pop();
        Ok(found.map(|row| ClaimRow { path: path.to_owned(), ..row }))
    }

    /// What others did to a file since this session last had its content before it, by session, last first. Nothing if
    /// it never had.
    pub fn changed_under(&self, session: &SessionId, path: &str) -> Result<Vec<ChangeRow>, StoreError> {
        let mut query = Query::new(
            "SELECT file_changes.session, MAX(file_changes.at), MAX(file_changes.seq), SUM(added), SUM(removed),
                 COUNT(*) = COUNT(added)
             FROM file_changes JOIN file_looks USING (path)"
                .to_owned(),
        );
        query.and("file_changes.path = ?", path.to_owned());
        query
            .and("file_changes.seq > file_looks.seq AND file_looks.session = ?", session.as_str().to_owned());
        query.and("file_changes.session <> ?", session.as_str().to_owned());
        query.tail("GROUP BY file_changes.session ORDER BY 3 DESC", 0);
        self.rows(query, |row| {
            let counts = if row.get(5)? { Some((unsigned(row, 3)?, unsigned(row, 4)?)) } else { None };
            let session = SessionId::new(&row.get::<_, String>(0)?);
            Ok(ChangeRow { session, at: unsigned(row, 1)?, seq: unsigned(row, 2)?, counts })
        })
    }
}

impl Batch<'_> {
    /// A session works on a file. An older sign than one we have changes nothing; a note stays until a newer one.
    pub fn claim(&mut self, sign: &ClaimSign<'_>) -> Result<(), StoreError> {
        let ClaimSign { path, session, at, note, place, is_edit, renews_since } = *sign;
        self.run(
            "INSERT INTO claims (path, session, since_at, last_at, note, edits, work_tree, project_key, relative)
             VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT DO UPDATE SET
                 since_at = CASE WHEN last_at < ?9 THEN excluded.since_at ELSE since_at END,
                 lines = CASE WHEN last_at < ?9 THEN NULL ELSE lines END,
                 edits = CASE WHEN last_at < ?9 THEN excluded.edits ELSE MAX(edits, excluded.edits) END,
                 last_at = MAX(last_at, excluded.last_at),
                 note = COALESCE(excluded.note, note),
                 work_tree = COALESCE(excluded.work_tree, work_tree),
                 project_key = COALESCE(excluded.project_key, project_key),
                 relative = COALESCE(excluded.relative, relative)",
            params![
                path,
                session.as_str(),
                number(at),
                note,
                i64::from(is_edit),
                place.map(|place| place.root),
                place.map(|place| place.project_key),
                place.map(|place| place.relative),
                number(renews_since),
            ],
        )?;
        Ok(())
    }

    /// Whether somebody else holds a file and has used it since then.
    pub fn is_held(&self, path: &str, not: &SessionId, since: Millis) -> Result<bool, StoreError> {
        let held = self.one(
            "SELECT 1 FROM claims JOIN sessions ON sessions.id = claims.session AND sessions.ended_at IS NULL
             WHERE claims.path = ?1 AND claims.session <> ?2 AND claims.last_at >= ?3 LIMIT 1",
            params![path, not.as_str(), number(since)],
        )?;
        Ok(held.is_some())
    }

    /// Whether this session holds a file, wanted or edited, since.
    pub fn holds(&self, session: &SessionId, path: &str, since: Millis) -> Result<bool, StoreError> {
        let held = self.one(
            "SELECT 1 FROM claims WHERE path = ?1 AND session = ?2 AND last_at >= ?3",
            params![path, session.as_str(), number(since)],
        )?;
        Ok(held.is_some())
    }

    /// Gives claims back: of one session or of all, on one path or on all.
    pub fn release(&mut self, session: Option<&SessionId>, path: Option<&str>) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM claims WHERE (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR path = ?2)",
            params![session.map(SessionId::as_str), path],
        )?;
        Ok(())
    }

    /// Gives back what sessions of this process hold, but for this one.
    pub fn release_of_process(
        &mut self,
        pid: u32,
        began: Option<&str>,
        not: &SessionId,
    ) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM claims WHERE session <> ?3 AND EXISTS (
                 SELECT 1 FROM sessions WHERE sessions.id = claims.session AND pid = ?1 AND pid_began IS ?2)",
            params![pid, began, not.as_str()],
        )?;
        Ok(())
    }

    /// Counts what was done to a file since it is held.
    pub fn count_edits(&mut self, path: &str, session: &SessionId) -> Result<(), StoreError> {
        self.run(
            "UPDATE claims SET edits = MAX(1, (
                 SELECT COUNT(*) FROM file_changes
                 WHERE file_changes.path = claims.path AND file_changes.session = claims.session
                     AND file_changes.at >= claims.since_at))
             WHERE path = ?1 AND session = ?2",
            params![path, session.as_str()],
        )?;
        Ok(())
    }

    /// Gives a file back that was wanted and not edited, unless it was taken with a word.
    pub fn release_unused(&mut self, session: &SessionId, path: &str) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM claims WHERE session = ?1 AND path = ?2 AND edits = 0 AND note IS NULL",
            params![session.as_str(), path],
        )?;
        Ok(())
    }

    /// Takes away what nobody has renewed since: leases, looks and changes.
    pub fn expire_claims(&mut self, before: Millis) -> Result<(), StoreError> {
        let before = [number(before)];
        self.run("DELETE FROM claims WHERE last_at < ?1", before)?;
        self.run("DELETE FROM file_looks WHERE at < ?1", before)?;
        self.run("DELETE FROM file_changes WHERE at < ?1", before)?;
        Ok(())
    }

    /// The root and project of the session's work tree, as far as they are known.
    pub fn place_of(&self, session: &SessionId) -> Result<Option<(String, String)>, StoreError> {
        let found = self.rows(
            "SELECT workspaces.root, sessions.project_key FROM sessions
             JOIN workspaces ON workspaces.key = sessions.workspace
             WHERE sessions.id = ?1 AND sessions.project_key IS NOT NULL",
            [session.as_str()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(found.into_iter().next())
    }

    /// Where a file was edited, by everybody who holds it.
    pub fn claimed_lines(&self, path: &str) -> Result<Vec<(SessionId, Vec<Span>)>, StoreError> {
        self.rows("SELECT session, lines FROM claims WHERE path = ?1", [path], |row| {
            Ok((SessionId::new(&row.get::<_, String>(0)?), spans(row, 1)?))
        })
    }

    pub fn set_claimed_lines(
        &mut self,
        path: &str,
        session: &SessionId,
        lines: &[Span],
    ) -> Result<(), StoreError> {
        let text = (!lines.is_empty()).then(|| serde_json::to_string(lines).expect("numbers are JSON"));
        self.run(
            "UPDATE claims SET lines = ?3 WHERE path = ?1 AND session = ?2",
            params![path, session.as_str(), text],
        )?;
        Ok(())
    }

    /// A session has the content of a file before it.
    pub fn note_look(&mut self, path: &str, session: &SessionId, at: Millis) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO file_looks (path, session, seq, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET seq = MAX(seq, excluded.seq), at = MAX(at, excluded.at)",
            params![path, session.as_str(), number(self.position()), number(at)],
        )?;
        Ok(())
    }

    /// A session has changed a file, by so many lines where that is known. False: this was noted before.
    pub fn note_change(
        &mut self,
        path: &str,
        session: &SessionId,
        at: Millis,
        counts: Option<(u64, u64)>,
    ) -> Result<bool, StoreError> {
        let changed = self.run(
            "INSERT INTO file_changes (path, seq, session, at, added, removed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO NOTHING",
            params![
                path,
                number(self.position()),
                session.as_str(),
                number(at),
                counts.map(|counts| number(counts.0)),
                counts.map(|counts| number(counts.1)),
            ],
        )?;
        Ok(changed > 0)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<ClaimRow> {
    Ok(ClaimRow {
        path: row.get(0)?,
        session: SessionId::new(&row.get::<_, String>(1)?),
        agent: row.get(2)?,
        project: row.get(3)?,
        branch: row.get(4)?,
        pid: row.get(5)?,
        since_at: unsigned(row, 6)?,
        last_at: unsigned(row, 7)?,
        seen_at: unsigned(row, 8)?,
        goal: row.get(9)?,
        pid_began: row.get(10)?,
        lines: spans(row, 11)?,
        edits: unsigned(row, 12)?,
        root: row.get(13)?,
        relative: row.get(14)?,
    })
}

pub(super) fn spans(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<Span>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}
