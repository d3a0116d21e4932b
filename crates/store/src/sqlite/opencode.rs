//! Gathers one session of OpenCode to the document that `opencode export` prints, from the rows of its database or from the files that
//! its earlier releases wrote. It says where things lie and nothing of what they mean.
//!
//! Both are a stranger's and may be in use: nothing is written there, and nothing of it is written elsewhere.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OpenFlags, OptionalExtension};
use serde_json::{Map, Value, json};

use super::{BUSY_TIMEOUT, file_uri, with_suffix};

/// What one session may take; the longest have a few megabytes.
const MAX_SESSION_BYTES: usize = 64 << 20;
/// A session has hundreds of messages and parts.
const MAX_PARTS: usize = 200_000;
/// A subagent of a subagent is rare.
const MAX_PARENTS: usize = 8;
const MAX_SESSIONS: usize = 200_000;

/// A session in a database, named by a path of its own: its id behind the database's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCodeSession {
    pub path: PathBuf,
    pub bytes: u64,
    pub modified: SystemTime,
}

/// The sessions of a database.
pub fn opencode_sessions(database: &Path) -> io::Result<Vec<OpenCodeSession>> {
    let connection = open(database)?;
    let find = || {
        let mut statement = connection.prepare(
            "SELECT s.id, s.time_updated, (SELECT ifnull(sum(octet_length(data)), 0) FROM part WHERE session_id = s.id)
             FROM session s ORDER BY s.time_updated LIMIT ?1",
        )?;
        let rows = statement.query_map([MAX_SESSIONS as i64], |row| {
            let (id, updated, bytes): (String, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(OpenCodeSession {
                path: database.join(id),
                bytes: bytes.unsigned_abs(),
                modified: SystemTime::UNIX_EPOCH + Duration::from_millis(updated.unsigned_abs()),
            })
        })?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    };
    find().map_err(io::Error::other)
}

/// The session at a path, and when something in it changed last: a file below `storage/session`, or an id behind a database's path.
pub fn opencode_document(path: &Path) -> io::Result<(Vec<u8>, Option<SystemTime>)> {
    let (found, modified) = match (path.parent(), path.file_name().and_then(|name| name.to_str())) {
        (Some(database), Some(id)) if database.extension().is_some_and(|end| end == "db") => {
            from_rows(database, id)?
        }
        _ => from_files(path)?,
    };
    Ok((found.to_string().into_bytes(), modified))
}

fn from_rows(database: &Path, id: &str) -> io::Result<(Value, Option<SystemTime>)> {
    let connection = open(database)?;
    let gather = || -> rusqlite::Result<Option<(Value, Option<SystemTime>)>> {
        // One state of the database for all questions.
        let connection = connection.unchecked_transaction()?;
        let row = connection
            .query_row("SELECT parent_id, directory, time_updated FROM session WHERE id = ?1", [id], |row| {
                Ok((
                    row.get::<_, Option<String>>(0)?,
                    row.get::<_, Option<String>>(1)?,
                    row.get::<_, i64>(2)?,
                ))
            })
            .optional()?;
        let Some((parent, directory, updated)) = row else { return Ok(None) };
        let mut root = id.to_owned();
        let mut above = parent.clone();
        for _ in 0..MAX_PARENTS {
            let Some(next) = above.take() else { break };
            above = connection
                .query_row("SELECT parent_id FROM session WHERE id = ?1", [&next], |row| row.get(0))
                .optional()?
                .flatten();
            root = next;
        }
        let mut room = MAX_SESSION_BYTES;
        let mut messages: Vec<(String, Value, Vec<Value>)> = Vec::new();
        let mut statement =
            connection.prepare("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY id LIMIT ?2")?;
        let mut rows = statement.query(rusqlite::params![id, MAX_PARTS as i64])?;
        while let Some(row) = rows.next()? {
            let message: String = row.get(0)?;
            let info = named(row.get_ref(1)?.as_bytes().unwrap_or_default(), &message, &mut room);
            messages.push((message, info, Vec::new()));
        }
        let mut statement = connection.prepare(
            "SELECT id, message_id, data FROM part WHERE session_id = ?1 ORDER BY message_id, id LIMIT ?2",
        )?;
        let mut rows = statement.query(rusqlite::params![id, MAX_PARTS as i64])?;
        while let Some(row) = rows.next()? {
            let (part, message): (String, String) = (row.get(0)?, row.get(1)?);
            if let Ok(at) = messages.binary_search_by(|known| known.0.as_str().cmp(&message)) {
                messages[at].2.push(named(row.get_ref(2)?.as_bytes().unwrap_or_default(), &part, &mut room));
            }
        }
        let info = json!({ "id": id, "parentID": parent, "directory": directory });
        let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(updated.unsigned_abs());
        Ok(Some((document(&info, &root, messages), Some(modified))))
    };
    gather().map_err(io::Error::other)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
}

fn from_files(path: &Path) -> io::Result<(Value, Option<SystemTime>)> {
    let id = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let mut room = MAX_SESSION_BYTES;
    let info = named(&fs::read(path)?, &id, &mut room);
    let sessions = path.parent().unwrap_or(path);
    let storage = sessions.parent().and_then(Path::parent).unwrap_or(sessions);
    let mut root = id.clone();
    let mut above = info["parentID"].as_str().map(str::to_owned);
    for _ in 0..MAX_PARENTS {
        let Some(next) = above.take() else { break };
        let file = fs::read(sessions.join(&next).with_extension("json")).unwrap_or_default();
        let read: Value = serde_json::from_slice(&file).unwrap_or_default();
        above = read["parentID"].as_str().map(str::to_owned);
        root = next;
    }
    let mut modified = fs::metadata(path)?.modified().ok();
    let mut messages = Vec::new();
    for (message, file) in named_files(&storage.join("message").join(&id)) {
        modified = modified.max(fs::metadata(&file).and_then(|file| file.modified()).ok());
        let info = named(&fs::read(&file).unwrap_or_default(), &message, &mut room);
        let parts = named_files(&storage.join("part").join(&message));
        let read = |(part, file): (String, PathBuf)| {
            let bytes = fs::read(&file).unwrap_or_default();
            named(&bytes, &part, &mut room)
        };
        messages.push((message, info, parts.into_iter().map(read).collect()));
    }
    Ok((document(&info, &root, messages), modified))
}

/// The JSON files of a folder in the order of their names, which is the order they were written in. No link is followed.
fn named_files(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(MAX_PARTS)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let path = entry.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            path.extension().is_some_and(|end| end == "json").then_some((name, path))
        })
        .collect();
    found.sort();
    found
}

/// An object with its name in it: rows and files are named outside of what they hold. What is beyond the room is left out.
fn named(bytes: &[u8], id: &str, room: &mut usize) -> Value {
    let mut fields = Map::new();
    if bytes.len() <= *room
        && let Ok(Value::Object(read)) = serde_json::from_slice(bytes)
    {
        *room -= bytes.len();
        fields = read;
    }
    fields.insert("id".to_owned(), id.into());
    Value::Object(fields)
}

fn document(info: &Value, root: &str, messages: Vec<(String, Value, Vec<Value>)>) -> Value {
    let messages: Vec<Value> =
        messages.into_iter().map(|(_, info, parts)| json!({ "info": info, "parts": parts })).collect();
    json!({ "info": info, "root": root, "messages": messages })
}

/// Reads along with OpenCode, by SQLite's own locks; a database at rest is not even given a lock file.
fn open(path: &Path) -> io::Result<Connection> {
    let path = fs::canonicalize(path)?;
    if !fs::metadata(&path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let there = |suffix: &str| fs::metadata(with_suffix(&path, suffix)).is_ok_and(|file| file.len() > 0);
    let options = match (there("-wal"), there("-shm")) {
        (false, false) if !there("-journal") => "?immutable=1",
        (_, true) => "?mode=ro&readonly_shm=1",
        _ => "?mode=ro",
    };
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(PathBuf::from(file_uri(&path, options)), flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // Functions and virtual tables named in a stranger's schema are not run.
        connection.pragma_update(None, "trusted_schema", "OFF")?;
        connection.pragma_update(None, "cell_size_check", "ON")?;
        Ok(connection)
    };
    open().map_err(io::Error::other)
}
