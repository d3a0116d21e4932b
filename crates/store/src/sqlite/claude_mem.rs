//! Reads the SQLite file of claude-mem, row by row, for whoever takes its memories over. It says what the
//! columns hold and nothing of what they mean.
//!
//! The file is a stranger's and may be in use. It is never written and never copied, for a copy would put text
//! that nobody redacted on the disk: a database at rest is opened as immutable, and one with a write-ahead log
//! through SQLite's own locks with its shared memory mapped read-only. Only where a log lies without its index
//! (a backup of two files) SQLite puts an index beside it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::{BUSY_TIMEOUT, file_uri, with_suffix};

/// A prompt may hold a pasted file. What is larger is no memory, and is not even loaded.
const MAX_FIELD_BYTES: usize = 16 << 20;

#[derive(Debug, thiserror::Error)]
pub enum ClaudeMemError {
    #[error("{} cannot be opened: {source}; give the path of claude-mem.db, usually in ~/.claude-mem", path.display())]
    Missing { path: PathBuf, source: io::Error },
    /// Try again later.
    #[error("{} is locked; stop claude-mem or import again in a moment", .0.display())]
    Locked(PathBuf),
    #[error("{} is damaged or is no SQLite file; import a backup, or what `sqlite3 FILE .recover` saves", .0.display())]
    Damaged(PathBuf),
    #[error("{} has no table of claude-mem with rows to take over; give the path of claude-mem.db", .0.display())]
    NotClaudeMem(PathBuf),
    #[error("{} has a write-ahead log that cannot be read where it lies; copy both files to a folder you can write", .0.display())]
    LogOutOfReach(PathBuf),
    /// The others can be read.
    #[error("{what}")]
    Row { id: i64, what: String },
    #[error("{}: {source}", path.display())]
    Sql { path: PathBuf, source: rusqlite::Error },
}

/// In the order in which they explain each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaudeMemTable {
    Sessions,
    Prompts,
    Observations,
    Summaries,
}

impl ClaudeMemTable {
    pub const ALL: &[Self] = &[Self::Sessions, Self::Prompts, Self::Observations, Self::Summaries];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sdk_sessions",
            Self::Prompts => "user_prompts",
            Self::Observations => "observations",
            Self::Summaries => "session_summaries",
        }
    }

    /// The columns of its newest schema that mean something to others. An older file lacks some.
    const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Sessions => &[
                "content_session_id",
                "memory_session_id",
                "project",
                "platform_source",
                "user_prompt",
                "started_at",
                "started_at_epoch",
                "completed_at_epoch",
                "custom_title",
            ],
            Self::Prompts => {
                &["content_session_id", "prompt_number", "prompt_text", "created_at", "created_at_epoch"]
            }
            Self::Observations => &[
                "memory_session_id",
                "project",
                "merged_into_project",
                "type",
                "title",
                "subtitle",
                "text",
                "narrative",
                "facts",
                "concepts",
                "files_read",
                "files_modified",
                "discovery_tokens",
                "created_at",
                "created_at_epoch",
            ],
            Self::Summaries => &[
                "memory_session_id",
                "project",
                "merged_into_project",
                "request",
                "investigated",
                "learned",
                "completed",
                "next_steps",
                "notes",
                "files_read",
                "files_edited",
                "discovery_tokens",
                "created_at",
                "created_at_epoch",
            ],
        }
    }
}

/// What a column was called before it was renamed.
fn former_name(column: &str) -> Option<&'static str> {
    match column {
        "content_session_id" => Some("claude_session_id"),
        "memory_session_id" => Some("sdk_session_id"),
        _ => None,
    }
}

/// One row, its values as text whatever type they were stored with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeMemRow {
    pub id: i64,
    table: ClaudeMemTable,
    values: Vec<Option<String>>,
}

impl ClaudeMemRow {
    /// `None`: no such column in this file, no value, or only white space.
    pub fn text(&self, column: &str) -> Option<&str> {
        let at = self.table.columns().iter().position(|known| *known == column)?;
        self.values.get(at)?.as_deref().filter(|text| !text.trim().is_empty())
    }

    pub fn integer(&self, column: &str) -> Option<i64> {
        let text = self.text(column)?.trim();
        text.parse().ok().or_else(|| text.parse::<f64>().ok().map(|number| number as i64))
    }
}

#[derive(Debug)]
pub struct ClaudeMem {
    connection: Connection,
    path: PathBuf,
    tables: Vec<Table>,
    /// How the file looked when it was opened without locks.
    at_rest: Option<State>,
}

#[derive(Debug)]
struct Table {
    which: ClaudeMemTable,
    select: String,
}

type State = (u64, Option<SystemTime>, u64);

impl ClaudeMem {
    pub fn open(path: &Path) -> Result<Self, ClaudeMemError> {
        let missing = |source| ClaudeMemError::Missing { path: path.to_owned(), source };
        // The log lies beside the file itself, not beside a link to it.
        let path = fs::canonicalize(path).map_err(missing)?;
        if !fs::metadata(&path).map_err(missing)?.is_file() {
            return Err(missing(io::Error::other("it is not a file")));
        }
        let (options, at_rest) = match (size(&with_suffix(&path, "-wal")), size(&with_suffix(&path, "-shm")))
        {
            (Some(0) | None, None) if size(&with_suffix(&path, "-journal")).is_none() => {
                ("?immutable=1", Some(state(&path)))
            }
            (_, Some(_)) => ("?mode=ro&readonly_shm=1", None),
            _ => ("?mode=ro", None),
        };
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(PathBuf::from(file_uri(&path, options)), flags)
            .map_err(|error| sort(&path, error))?;
        let tables = prepare(&connection).map_err(|error| sort(&path, error))?;
        if tables.is_empty() {
            return Err(ClaudeMemError::NotClaudeMem(path));
        }
        Ok(Self { connection, path, tables, at_rest })
    }

    pub fn has(&self, table: ClaudeMemTable) -> bool {
        self.tables.iter().any(|known| known.which == table)
    }

    /// How many rows there are in all tables.
    pub fn count(&self) -> Result<u64, ClaudeMemError> {
        self.tables.iter().try_fold(0, |sum, table| {
            let sql = format!("SELECT count(*) FROM {}", table.which.name());
            let rows: i64 = self
                .connection
                .query_row(&sql, [], |row| row.get(0))
                .map_err(|error| sort(&self.path, error))?;
            Ok(sum + rows.unsigned_abs())
        })
    }

    /// The first row of a table whose id is larger. Each answer is a transaction of its own, so that a running
    /// claude-mem is never held up. After `ClaudeMemError::Row` the next one can be asked for.
    pub fn next(&self, table: ClaudeMemTable, after: i64) -> Result<Option<ClaudeMemRow>, ClaudeMemError> {
        let Some(known) = self.tables.iter().find(|known| known.which == table) else { return Ok(None) };
        let next = format!("SELECT min(rowid) FROM {} WHERE rowid > ?1", table.name());
        let id: Option<i64> = self
            .connection
            .prepare_cached(&next)
            .and_then(|mut statement| statement.query_row([after], |row| row.get(0)))
            .map_err(|error| sort(&self.path, error))?;
        let Some(id) = id else { return Ok(None) };
        // The id was read alone, so that a row that cannot be read costs itself only.
        let lost = |what: String| ClaudeMemError::Row { id, what };
        let row = self
            .connection
            .prepare_cached(&known.select)
            .and_then(|mut statement| statement.query_row([id], |row| Ok(values(row))).optional())
            .map_err(|error| lost(error.to_string()))?;
        match row {
            Some(Ok(values)) => Ok(Some(ClaudeMemRow { id, table, values })),
            Some(Err(bytes)) => Err(lost(format!("a field of {bytes} bytes is no memory"))),
            // Deleted between the two questions.
            None => self.next(table, id),
        }
    }

    /// Whether claude-mem began to write while it was read at rest: what was read may be incomplete.
    pub fn has_changed(&self) -> bool {
        self.at_rest.is_some_and(|then| state(&self.path) != then)
    }
}

fn prepare(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Functions and virtual tables named in a stranger's schema are not run.
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    connection.pragma_update(None, "cell_size_check", "ON")?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    let mut tables = Vec::new();
    for &which in ClaudeMemTable::ALL {
        // A view or a virtual table of this name is not claude-mem's.
        let sql: Option<String> = connection
            .query_row(
                "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
                [which.name()],
                |row| row.get(0),
            )
            .optional()?;
        if sql.is_none_or(|sql| sql.trim_start().to_ascii_uppercase().starts_with("CREATE VIRTUAL")) {
            continue;
        }
        let found: HashSet<String> = connection
            .prepare(&format!("PRAGMA table_info({})", which.name()))?
            .query_map([], |row| row.get(1))?
            .collect::<rusqlite::Result<_>>()?;
        tables.push(Table { which, select: select(which, &found) });
    }
    Ok(tables)
}

/// First the largest size, then the columns; what is too large or not there is NULL.
fn select(which: ClaudeMemTable, found: &HashSet<String>) -> String {
    let (mut sizes, mut columns) = (String::new(), String::new());
    for &column in which.columns() {
        let name =
            [Some(column), former_name(column)].into_iter().flatten().find(|name| found.contains(*name));
        match name {
            Some(name) => {
                sizes.push_str(&format!(", ifnull(octet_length({name}), 0)"));
                columns.push_str(&format!(
                    ", CASE WHEN octet_length({name}) > {MAX_FIELD_BYTES} THEN NULL ELSE {name} END"
                ));
            }
            None => columns.push_str(", NULL"),
        }
    }
    format!("SELECT max(0, 0{sizes}){columns} FROM {} WHERE rowid = ?1", which.name())
}

/// The values, or the size of one that is too large.
fn values(row: &rusqlite::Row<'_>) -> Result<Vec<Option<String>>, i64> {
    let largest: i64 = row.get(0).unwrap_or(0);
    if largest > MAX_FIELD_BYTES as i64 {
        return Err(largest);
    }
    let count = row.as_ref().column_count();
    Ok((1..count).map(|at| row.get_ref(at).ok().and_then(as_text)).collect())
}

fn as_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|file| file.len())
}

fn state(path: &Path) -> State {
    let file = fs::metadata(path).ok();
    let modified = file.as_ref().and_then(|file| file.modified().ok());
    let log = size(&with_suffix(path, "-wal")).unwrap_or(0);
    (file.map_or(0, |file| file.len()), modified, log)
}

fn sort(path: &Path, source: rusqlite::Error) -> ClaudeMemError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => ClaudeMemError::Damaged(path),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ClaudeMemError::Locked(path),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => ClaudeMemError::LogOutOfReach(path),
        _ => ClaudeMemError::Sql { path, source },
    }
}
