//! What the code map knew of workspaces, between two processes. Keeps bytes and gives them back; what they mean, and
//! whether they are still true, is for whoever reads the files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};

use crate::StoreError;
use crate::sqlite::{check_version, create_private, sort};

/// The position of the schema; a database of another one is made anew.
const SCHEMA: u32 = 1;
/// A question waits at most so long for another process that writes; what was not written is written the next time.
const BUSY_TIMEOUT: Duration = Duration::from_millis(100);
/// After a cold index the write-ahead log is cut back to this.
const WAL_LIMIT_BYTES: u32 = 8 << 20;
/// Negative is KiB to SQLite: bodies are read once each, and the system keeps their pages, too.
const CACHE_KIB: i32 = -4096;
/// Pages that are given back to the disk in one go, after something was dropped.
const VACUUM_PAGES: u32 = 16_384;

/// The database of the code map. Several processes may have it open, each with a connection of its own.
#[derive(Debug)]
pub struct CodeShelf {
    connection: Connection,
    path: PathBuf,
}

/// The name of a text's facts.
pub type CodeKey = [u8; 16];

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    /// Relative to its workspace.
    pub path: String,
    pub mtime_ns: i64,
    pub ctime_ns: i64,
    pub size: u64,
    pub inode: u64,
    /// Whether a later change would have shown in these numbers.
    pub sure: bool,
    pub language: Option<String>,
    /// `None`: it is left out.
    pub key: Option<CodeKey>,
    pub skipped: Option<String>,
}

/// Facts of a text, packed.
#[derive(Debug, Clone, Copy)]
pub struct CodeFacts<'a> {
    pub key: CodeKey,
    pub head: &'a [u8],
    pub body: &'a [u8],
}

/// A workspace that was mapped once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeWorkspace {
    pub id: i64,
    pub root: String,
    pub version: String,
    /// Unix milliseconds.
    pub seen_at: i64,
}

impl CodeShelf {
    /// Opens or makes the database. `StoreError::Damaged` asks the caller to move it aside.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        check_version(rusqlite::version_number(), rusqlite::version())?;
        create_private(path).map_err(|source| StoreError::io(path, source))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|e| sort(path, e))?;
        let mut shelf = Self { connection, path: path.to_owned() };
        shelf.prepare().map_err(|e| sort(path, e))?;
        shelf.make_tables()?;
        Ok(shelf)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The id of a workspace, which is seen now.
    pub fn workspace(&mut self, root: &str, version: &str, now_ms: i64) -> Result<i64, StoreError> {
        self.connection
            .query_row(
                "INSERT INTO workspaces (root, version, seen_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (root, version) DO UPDATE SET seen_at = excluded.seen_at RETURNING id",
                params![root, version, now_ms],
                |row| row.get(0),
            )
            .map_err(|e| sort(&self.path, e))
    }

    /// Every file of a workspace, with the head of its facts where it has some.
    pub fn files(
        &self,
        workspace: i64,
        take: &mut dyn FnMut(CodeFile, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.read_files(workspace, take).map_err(|e| sort(&self.path, e))
    }

    fn read_files(
        &self,
        workspace: i64,
        take: &mut dyn FnMut(CodeFile, Option<&[u8]>),
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT path, mtime_ns, ctime_ns, size, inode, sure, language, skipped, key, head
             FROM files LEFT JOIN facts ON facts.id = files.facts WHERE workspace = ?1",
        )?;
        let mut rows = statement.query([workspace])?;
        while let Some(row) = rows.next()? {
            let key: Option<Vec<u8>> = row.get(8)?;
            let file = CodeFile {
                path: row.get(0)?,
                mtime_ns: row.get(1)?,
                ctime_ns: row.get(2)?,
                size: row.get::<_, i64>(3)?.cast_unsigned(),
                inode: row.get::<_, i64>(4)?.cast_unsigned(),
                sure: row.get(5)?,
                language: row.get(6)?,
                skipped: row.get(7)?,
                key: key.and_then(|key| key.try_into().ok()),
            };
            take(file, row.get_ref(9)?.as_blob_or_null()?);
        }
        Ok(())
    }

    pub fn is_empty(&self) -> Result<bool, StoreError> {
        self.connection
            .query_row("SELECT NOT EXISTS (SELECT 1 FROM facts)", [], |row| row.get(0))
            .map_err(|e| sort(&self.path, e))
    }

    /// The head of a text's facts, where both head and body are kept.
    pub fn head(&self, key: CodeKey) -> Result<Option<Vec<u8>>, StoreError> {
        self.bytes("SELECT head FROM facts WHERE key = ?1 AND id IN (SELECT id FROM bodies)", key)
    }

    pub fn body(&self, key: CodeKey) -> Result<Option<Vec<u8>>, StoreError> {
        self.bytes("SELECT body FROM bodies JOIN facts USING (id) WHERE key = ?1", key)
    }

    fn bytes(&self, sql: &str, key: CodeKey) -> Result<Option<Vec<u8>>, StoreError> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row([&key[..]], |row| row.get(0)).optional())
            .map_err(|e| sort(&self.path, e))
    }

    /// One transaction: facts that were made, files that were read, and those that are gone. Facts that another process
    /// made meanwhile are the same facts; the last writer's stay.
    pub fn keep(
        &mut self,
        workspace: i64,
        made: &mut dyn Iterator<Item = CodeFacts<'_>>,
        files: &mut dyn Iterator<Item = CodeFile>,
        gone: &mut dyn Iterator<Item = &str>,
    ) -> Result<(), StoreError> {
        let path = self.path.clone();
        let write = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let mut head = transaction.prepare_cached(
                    "INSERT INTO facts (key, head) VALUES (?1, ?2)
                     ON CONFLICT (key) DO UPDATE SET head = excluded.head",
                )?;
                let mut body = transaction.prepare_cached(
                    "INSERT OR REPLACE INTO bodies (id, body) SELECT id, ?2 FROM facts WHERE key = ?1",
                )?;
                for facts in made {
                    head.execute(params![&facts.key[..], facts.head])?;
                    body.execute(params![&facts.key[..], facts.body])?;
                }
                // Files of facts that somebody dropped meanwhile are not kept: they are read again.
                let mut row = transaction.prepare_cached(
                    "INSERT OR REPLACE INTO files
                       (workspace, path, mtime_ns, ctime_ns, size, inode, sure, language, skipped, facts)
                     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, (SELECT id FROM facts WHERE key = ?10)
                     WHERE ?9 IS NOT NULL OR EXISTS (SELECT 1 FROM facts WHERE key = ?10)",
                )?;
                for file in files {
                    row.execute(params![
                        workspace,
                        file.path,
                        file.mtime_ns,
                        file.ctime_ns,
                        file.size.cast_signed(),
                        file.inode.cast_signed(),
                        file.sure,
                        file.language,
                        file.skipped,
                        file.key.as_ref().map(|key| &key[..]),
                    ])?;
                }
                let mut drop =
                    transaction.prepare_cached("DELETE FROM files WHERE workspace = ?1 AND path = ?2")?;
                for path in gone {
                    drop.execute(params![workspace, path])?;
                }
            }
            transaction.commit()
        };
        write().map_err(|e| sort(&path, e))
    }

    /// Vectors of a workspace's texts by this model, each with the name of its facts.
    pub fn meanings(
        &self,
        workspace: i64,
        model: &str,
        take: &mut dyn FnMut(CodeKey, &[u8]),
    ) -> Result<(), StoreError> {
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare_cached(
                "SELECT DISTINCT key, vectors FROM files JOIN facts ON facts.id = files.facts
                 JOIN meanings ON meanings.id = facts.id WHERE workspace = ?1 AND model = ?2",
            )?;
            let mut rows = statement.query(params![workspace, model])?;
            while let Some(row) = rows.next()? {
                if let Ok(key) = row.get_ref(0)?.as_blob()?.try_into() {
                    take(key, row.get_ref(1)?.as_blob()?);
                }
            }
            Ok(())
        };
        read().map_err(|e| sort(&self.path, e))
    }

    pub fn keep_meanings(
        &mut self,
        model: &str,
        made: &mut dyn Iterator<Item = (CodeKey, &[u8])>,
    ) -> Result<(), StoreError> {
        let path = self.path.clone();
        let write = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let mut row = transaction.prepare_cached(
                    "INSERT OR REPLACE INTO meanings (id, model, vectors)
                     SELECT id, ?2, ?3 FROM facts WHERE key = ?1",
                )?;
                for (key, vectors) in made {
                    row.execute(params![&key[..], model, vectors])?;
                }
            }
            transaction.commit()
        };
        write().map_err(|e| sort(&path, e))
    }

    /// All that was ever mapped and not dropped, the one seen longest ago first.
    pub fn workspaces(&self) -> Result<Vec<CodeWorkspace>, StoreError> {
        self.connection
            .prepare_cached("SELECT id, root, version, seen_at FROM workspaces ORDER BY seen_at")
            .and_then(|mut statement| {
                let rows = statement.query_map([], |row| {
                    Ok(CodeWorkspace {
                        id: row.get(0)?,
                        root: row.get(1)?,
                        version: row.get(2)?,
                        seen_at: row.get(3)?,
                    })
                })?;
                rows.collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Forgets a workspace; its facts go with [`CodeShelf::sweep`] unless another one has them.
    pub fn drop_workspace(&mut self, id: i64) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM workspaces WHERE id = ?1", [id])
            .map(|_| ())
            .map_err(|e| sort(&self.path, e))
    }

    /// Drops facts that no file has, and gives their room back to the disk.
    pub fn sweep(&mut self) -> Result<(), StoreError> {
        self.connection
            .execute(
                "DELETE FROM facts WHERE id NOT IN (SELECT facts FROM files WHERE facts IS NOT NULL)",
                [],
            )
            .and_then(|_| {
                let mut statement =
                    self.connection.prepare(&format!("PRAGMA incremental_vacuum({VACUUM_PAGES})"))?;
                let mut rows = statement.query([])?;
                while rows.next()?.is_some() {}
                Ok(())
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// What the database takes, free pages not counted.
    pub fn bytes_used(&self) -> Result<u64, StoreError> {
        let number = |pragma: &str| -> rusqlite::Result<i64> {
            self.connection.query_row(pragma, [], |row| row.get(0))
        };
        let used = || -> rusqlite::Result<i64> {
            let pages = number("PRAGMA page_count")? - number("PRAGMA freelist_count")?;
            Ok(pages * number("PRAGMA page_size")?)
        };
        used().map(i64::cast_unsigned).map_err(|e| sort(&self.path, e))
    }

    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.connection
            .query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0))
            .optional()
            .map_err(|e| sort(&self.path, e))
    }

    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.connection
            .execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", [key, value])
            .map(|_| ())
            .map_err(|e| sort(&self.path, e))
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        // Has to be said before the first table.
        self.connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        // A power cut may take the last transactions; they are derived again.
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        // A mapped page that fails to load kills the process; a read that fails is an error.
        self.connection.pragma_update(None, "mmap_size", 0)?;
        self.connection.pragma_update(None, "foreign_keys", "ON")?;
        self.connection.pragma_update(None, "journal_size_limit", WAL_LIMIT_BYTES)?;
        self.connection.pragma_update(None, "temp_store", "MEMORY")?;
        self.connection.pragma_update(None, "cache_size", CACHE_KIB)?;
        self.connection.set_prepared_statement_cache_capacity(32);
        Ok(())
    }

    /// Two processes may come at once; the second finds the tables.
    fn make_tables(&mut self) -> Result<(), StoreError> {
        let path = self.path.clone();
        let version = |connection: &Connection| -> rusqlite::Result<u32> {
            connection.query_row("PRAGMA user_version", [], |row| row.get(0))
        };
        if version(&self.connection).map_err(|e| sort(&path, e))? == SCHEMA {
            return Ok(());
        }
        let mut make = || -> rusqlite::Result<u32> {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
            let found = version(&transaction)?;
            if found == 0 {
                transaction.execute_batch(include_str!("code/schema.sql"))?;
                transaction.pragma_update(None, "user_version", SCHEMA)?;
                transaction.commit()?;
                return Ok(SCHEMA);
            }
            Ok(found)
        };
        match make().map_err(|e| sort(&path, e))? {
            SCHEMA => Ok(()),
            // Of an earlier release: derived, so whoever opens it may put it aside.
            found if found < SCHEMA => Err(StoreError::Damaged(path)),
            found => Err(StoreError::TooNew { path, found, known: SCHEMA }),
        }
    }
}
