//! The derived database: rows that answer questions quickly and can be rebuilt from the journal at
//! any time. It decides nothing about events; whoever calls `write` does.

mod batch;
mod carry;
mod claim_rows;
mod claude_mem;
mod credit_rows;
mod event_pages;
mod file_read;
mod fix_rows;
mod forget_rows;
mod gist_rows;
mod latency_rows;
mod lexical;
mod map_read;
mod memory_pages;
mod memory_read;
mod memory_rows;
mod message_rows;
mod news_read;
mod opencode;
mod outbox;
mod pattern_rows;
mod read;
mod recall_read;
mod recall_rows;
mod renew_rows;
mod rows;
mod series_read;
mod session_pages;
mod shared;
mod standing_read;
mod stats;
mod team_rows;
mod tidings;
mod timeline_read;
mod turn_rows;
mod vectors;
mod verdict_rows;
mod worker_read;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::StoreError;

pub use batch::Batch;
pub use carry::Carried;
pub use claim_rows::{ChangeRow, ClaimFilter, ClaimPlace, ClaimRow, ClaimSign, Span as LineSpan};
pub use claude_mem::{ClaudeMem, ClaudeMemError, ClaudeMemRow, ClaudeMemTable};
pub use credit_rows::ShownRow;
pub use event_pages::{EventPage, InjectionPage, PlacedInjection};
pub use fix_rows::FixRow;
pub use forget_rows::session_mark;
pub use latency_rows::LatencyRow;
pub use lexical::{Card, Neighbor, Scored, Terms, any_of};
pub use map_read::{HeardAgent, ProjectCard, Touch, WorkspaceCard};
pub use memory_pages::{
    CheckpointPage, HandOffPage, MemoryOrder, MemoryPage, MemoryPlace, MemoryUse, SummaryCard, SummaryPage,
    UsePage,
};
pub use memory_read::SummaryRow;
pub use memory_rows::{Filing, MemoryRow, Put};
pub use message_rows::{MessageFilter, MessageRow, PeerRow, Sender};
pub use opencode::{OpenCodeSession, opencode_document, opencode_sessions};
pub use outbox::{Aside, Nameless, OUTBOX_CAP, OwnMemory, Tidings, Waiting};
pub use pattern_rows::{CallRow, PatternFilter, PatternRow, SubagentRow};
pub use recall_read::{HandOffRow, InjectionRow, InjectionStats, OutcomeRow};
pub use rows::{
    Count, DayCount, EventFilter, EventRow, MemoryFilter, Order, PromptRow, SessionFilter, SessionRow,
    SessionTouch, Stats, WorkspaceRow,
};
pub use series_read::{Series, SeriesPoint, Span, Totals};
pub use session_pages::{Found, PromptPage, SessionCard, SessionPage};
pub use standing_read::StandingRow;
pub use timeline_read::{EventCount, KeptMemory, Moment, MomentCounts, MomentKey, Moments};
pub use turn_rows::{ARCHIVE_DUE, EventPlace, StepRow, TurnRow};
pub use vectors::Unembedded;
pub use verdict_rows::{VerdictPage, VerdictRow};
pub use worker_read::WorkerCounts;

/// 3.7.0 to 3.51.2 can lose committed pages when two connections reset the write-ahead log at once.
const SQLITE_NEEDED: (i32, &str) = (3_051_003, "3.51.3");

/// Readers and the one writer meet for milliseconds; past this something is wrong.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// After a burst the write-ahead log is cut back to this, so that it cannot stay large for ever.
const WAL_LIMIT_BYTES: u32 = 8 << 20;

/// Negative is KiB to SQLite: the lists of a question's words at 100,000 memories; the usual two megabytes are read
/// again and again.
const READER_CACHE_KIB: i32 = -8192;

/// Damaged databases kept for a closer look; more would fill the disk for nobody.
const ASIDE_KEPT: usize = 2;

/// Added, never edited: the position is the schema version.
const MIGRATIONS: &[&str] = &[
    include_str!("sqlite/migrations/0001_spine.sql"),
    include_str!("sqlite/migrations/0002_memory.sql"),
    include_str!("sqlite/migrations/0003_search.sql"),
    include_str!("sqlite/migrations/0004_forget.sql"),
    include_str!("sqlite/migrations/0005_recall.sql"),
    include_str!("sqlite/migrations/0006_standing.sql"),
    include_str!("sqlite/migrations/0007_files.sql"),
    include_str!("sqlite/migrations/0008_said.sql"),
    include_str!("sqlite/migrations/0009_claims.sql"),
    include_str!("sqlite/migrations/0010_seen.sql"),
    include_str!("sqlite/migrations/0011_messages.sql"),
    include_str!("sqlite/migrations/0012_patterns.sql"),
    include_str!("sqlite/migrations/0013_sharing.sql"),
    include_str!("sqlite/migrations/0014_renewed.sql"),
    include_str!("sqlite/migrations/0015_fixes.sql"),
];

#[derive(Debug)]
pub struct Tables {
    connection: Connection,
    path: PathBuf,
}

impl Tables {
    /// Opens or makes the database. One writer per file: the daemon.
    /// `StoreError::Damaged` asks the caller to `move_aside` and rebuild.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        check_version(rusqlite::version_number(), rusqlite::version())?;
        create_private(path).map_err(|source| StoreError::io(path, source))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|e| sort(path, e))?;
        let mut tables = Self { connection, path: path.to_owned() };
        tables.prepare().map_err(|e| sort(path, e))?;
        tables.migrate()?;
        Ok(tables)
    }

    /// For readers beside the daemon. Sees what was committed, changes nothing.
    pub fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        check_version(rusqlite::version_number(), rusqlite::version())?;
        if let Err(source) = fs::metadata(path) {
            return Err(StoreError::io(path, source));
        }
        match Self::read_with(path, path) {
            // A write-ahead log needs a file beside it, which cannot be made here (a backup, a disk mounted
            // read-only). Nobody else can change the database either, and SQLite may be told so.
            Err(StoreError::ReadOnly(_)) => Self::read_with(path, Path::new(&file_uri(path, "?immutable=1"))),
            // The database was derived anew between the opening of its files: whoever opens them again has those that
            // belong together.
            Err(StoreError::Busy(_)) => Self::read_with(path, path),
            opened => opened,
        }
    }

    fn read_with(path: &Path, name: &Path) -> Result<Self, StoreError> {
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(name, flags).map_err(|e| sort(path, e))?;
        let tables = Self { connection, path: path.to_owned() };
        tables.connection.busy_timeout(BUSY_TIMEOUT).map_err(|e| sort(path, e))?;
        tables.connection.pragma_update(None, "mmap_size", 0).map_err(|e| sort(path, e))?;
        tables.connection.pragma_update(None, "cache_size", READER_CACHE_KIB).map_err(|e| sort(path, e))?;
        tables.known_schema()?;
        Ok(tables)
    }

    /// The last sequence number whose rows are in the tables; 0 when none are.
    pub fn cursor(&self) -> Result<u64, StoreError> {
        self.meta("cursor").map(|value| value.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        use rusqlite::OptionalExtension;
        self.connection
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([key], |row| row.get(0)).optional())
            .map_err(|e| sort(&self.path, e))
    }

    /// One transaction: all of the work or, when it answers with an error, none of it.
    pub fn write<T>(
        &mut self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let path = &self.path;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|e| sort(path, e))?;
        let mut batch = Batch::new(&transaction, path);
        let answer = work(&mut batch)?;
        transaction.commit().map_err(|e| sort(path, e))?;
        Ok(answer)
    }

    /// Reads every page. Slow on a large database: for `doctor`, not for every start.
    pub fn check(&self) -> Result<(), StoreError> {
        let answer: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(|e| sort(&self.path, e))?;
        if answer == "ok" { Ok(()) } else { Err(StoreError::Damaged(self.path.clone())) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        // The first statement that reads the file: a stranger's bytes are told apart here.
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        // A power cut may take the last transactions; the cursor goes with them and the journal has the rest.
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        // What was deleted must not linger in free pages.
        self.connection.pragma_update(None, "secure_delete", "ON")?;
        // A mapped page that fails to load kills the process; a read that fails is an error.
        self.connection.pragma_update(None, "mmap_size", 0)?;
        self.connection.pragma_update(None, "foreign_keys", "ON")?;
        self.connection.pragma_update(None, "journal_size_limit", WAL_LIMIT_BYTES)?;
        // Sorts of strangers' text stay in memory: a temporary file would lie outside our folder.
        self.connection.pragma_update(None, "temp_store", "MEMORY")?;
        self.connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        if self.known_schema()? == MIGRATIONS.len() {
            return Ok(());
        }
        let path = &self.path;
        let mut steps = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another thread may have been here first; and nobody sees a schema that is half of two.
            let done: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
            for sql in MIGRATIONS.iter().skip(done as usize) {
                transaction.execute_batch(sql)?;
            }
            transaction.pragma_update(None, "user_version", MIGRATIONS.len() as u32)?;
            transaction.commit()
        };
        steps().map_err(|e| sort(path, e))
    }

    /// How many migrations the file has seen.
    fn known_schema(&self) -> Result<usize, StoreError> {
        let found: u32 = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(|e| sort(&self.path, e))?;
        if found as usize > MIGRATIONS.len() {
            return Err(StoreError::TooNew {
                path: self.path.clone(),
                found,
                known: MIGRATIONS.len() as u32,
            });
        }
        Ok(found as usize)
    }
}

/// Renames a damaged database with its log to `<name>.damaged-<n>` and keeps the last two.
/// Answers where it went; the caller opens a new one and rebuilds.
pub fn move_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new("."));
    let prefix = format!("{name}.damaged-");
    let mut numbers: Vec<u64> = fs::read_dir(folder)
        .map_err(|source| StoreError::io(folder, source))?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_prefix(&prefix)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let next = numbers.last().map_or(1, |last| last + 1);
    let aside = folder.join(format!("{prefix}{next}"));
    // The log first: a log without its database is ignored, a database without its log is another one.
    for suffix in ["-shm", "-wal", ""] {
        let from = with_suffix(path, suffix);
        match fs::rename(&from, with_suffix(&aside, suffix)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::io(&from, source));
            }
            _ => {}
        }
    }
    numbers.push(next);
    for old in numbers.iter().rev().skip(ASIDE_KEPT) {
        for suffix in ["-shm", "-wal", ""] {
            // What cannot be removed now is removed the next time.
            let _ = fs::remove_file(with_suffix(&folder.join(format!("{prefix}{old}")), suffix));
        }
    }
    Ok(aside)
}

/// The path as a URI: what could be taken for its grammar is escaped.
fn file_uri(path: &Path, options: &str) -> OsString {
    let mut uri = b"file:".to_vec();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.extend_from_slice(format!("%{byte:02x}").as_bytes()),
            _ => uri.push(byte),
        }
    }
    uri.extend_from_slice(options.as_bytes());
    OsString::from_vec(uri)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// SQLite gives its log and shared memory the mode of the database file.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    let file = fs::OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    let mode = file.metadata()?.permissions().mode();
    if mode & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

pub(crate) fn check_version(number: i32, found: &str) -> Result<(), StoreError> {
    if number < SQLITE_NEEDED.0 {
        return Err(StoreError::TooOld { found: found.to_owned(), needed: SQLITE_NEEDED.1 });
    }
    Ok(())
}

/// Sorts SQLite's errors by what the caller can do about them.
pub(crate) fn sort(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged(path.to_owned()),
        Some(ErrorCode::DiskFull) => StoreError::Full(path.to_owned()),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            StoreError::ReadOnly(path.to_owned())
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            StoreError::Busy(path.to_owned())
        }
        _ => StoreError::Sql(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_sqlite_is_refused_by_both_names() {
        let error = check_version(3_051_002, "3.51.2").unwrap_err().to_string();
        assert!(error.contains("3.51.2") && error.contains("3.51.3"), "{error}");
        assert!(check_version(rusqlite::version_number(), rusqlite::version()).is_ok());
    }
}
