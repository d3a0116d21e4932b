//! The schema and how it grows: numbered files, each run once, in one transaction, by one administrator at a time.

use postgres::error::SqlState;
use postgres::{Client, Transaction};
use store::shared::SharedError;

use crate::error::sort;
use crate::options::refused;

/// Added to, never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001-tables.sql"),
    include_str!("migrations/0002-rights.sql"),
    include_str!("migrations/0003-search.sql"),
    include_str!("migrations/0004-old-rows.sql"),
];
/// What this build knows.
pub(crate) const VERSION: u32 = MIGRATIONS.len() as u32;
/// Among the advisory locks of a database that others use, too. Random.
const LOCK: i64 = 7_498_001;
/// Transaction numbers that can be asked for came with 13; what is tested begins with 14.
const OLDEST_SERVER: i32 = 140_000;

/// The roles that are the same for every team: who owns the tables, and what every member is. Neither can log in.
pub(crate) const OWNER: &str = "throughline_owner";
pub(crate) const MEMBER: &str = "throughline_member";

pub(crate) struct Migrated {
    pub(crate) was: u32,
    pub(crate) vectors: Option<String>,
    pub(crate) server: String,
}

/// Brings the schema to what this build knows. May be repeated, and by several at once.
pub(crate) fn migrate(client: &mut Client, partitions: u32) -> Result<Migrated, SharedError> {
    let (number, server) = server(client)?;
    if number < OLDEST_SERVER {
        return Err(refused(
            &format!("PostgreSQL {server} is too old"),
            "14 or later is needed: update the server",
        ));
    }
    let migrated = run(client, partitions).map_err(|error| sort(&error))??;
    Ok(Migrated { server, ..migrated })
}

pub(crate) fn server(client: &mut Client) -> Result<(i32, String), SharedError> {
    let row = client
        .query_one(
            "SELECT current_setting('server_version_num')::integer, current_setting('server_version')",
            &[],
        )
        .map_err(|error| sort(&error))?;
    Ok((row.get(0), row.get(1)))
}

type Refusable<T> = Result<Result<T, SharedError>, postgres::Error>;

fn run(client: &mut Client, partitions: u32) -> Refusable<Migrated> {
    let mut work = client.transaction()?;
    // Indexes over what is there already take longer than any question.
    work.batch_execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")?;
    work.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    roles(&mut work)?;
    let vectors = vectors(&mut work)?;
    work.batch_execute(&format!("CREATE SCHEMA IF NOT EXISTS throughline AUTHORIZATION {OWNER}"))?;
    work.batch_execute(&format!("SET LOCAL ROLE {OWNER}"))?;
    let was = version(&mut work)?;
    if was > VERSION {
        return Ok(Err(too_new(was)));
    }
    for migration in &MIGRATIONS[was as usize..] {
        work.batch_execute(&migration.replace("{partitions}", &partitions.to_string()))?;
    }
    work.execute(
        "INSERT INTO throughline.house (version, epoch, partitions) VALUES ($1, md5(random()::text || clock_timestamp()), $2)
         ON CONFLICT (single) DO UPDATE SET version = EXCLUDED.version",
        &[&(VERSION as i32), &(partitions as i32)],
    )?;
    begin_anew(&mut work)?;
    // pgvector may have come after the vectors did; their tables are made now, and filled by whoever tells them again.
    work.execute("SELECT throughline.index_model(id) FROM throughline.models WHERE NOT indexed", &[])?;
    work.commit()?;
    Ok(Ok(Migrated { was, vectors, server: String::new() }))
}

pub(crate) fn too_new(found: u32) -> SharedError {
    SharedError::Version { found, known: VERSION, hint: "update throughline on this machine" }
}

/// Rows that came back from a dump bear another server's transaction numbers: they are told anew, in a new epoch.
fn begin_anew(work: &mut Transaction<'_>) -> Result<(), postgres::Error> {
    const TABLES: [&str; 6] = ["memories", "forgotten", "sessions", "claims", "messages", "patterns"];
    let mut foreign = false;
    for table in TABLES {
        let sql = format!("SELECT EXISTS (SELECT FROM throughline.{table} WHERE xid > pg_current_xact_id())");
        foreign |= work.query_one(&sql, &[])?.get::<_, bool>(0);
    }
    if foreign {
        for table in TABLES {
            // The trigger stamps it.
            work.batch_execute(&format!("UPDATE throughline.{table} SET turn = turn"))?;
        }
        work.batch_execute("UPDATE throughline.house SET epoch = md5(random()::text || clock_timestamp())")?;
    }
    Ok(())
}

fn version(work: &mut Transaction<'_>) -> Result<u32, postgres::Error> {
    let there: bool = work.query_one("SELECT to_regclass('throughline.house') IS NOT NULL", &[])?.get(0);
    if !there {
        return Ok(0);
    }
    let row = work.query_opt("SELECT version FROM throughline.house", &[])?;
    Ok(row.map_or(0, |row| row.get::<_, i32>(0) as u32))
}

fn roles(work: &mut Transaction<'_>) -> Result<(), postgres::Error> {
    for role in [OWNER, MEMBER] {
        let there = work.query_opt("SELECT FROM pg_roles WHERE rolname = $1", &[&role])?.is_some();
        if !there {
            let mut attempt = work.transaction()?;
            // Roles are the server's, and the lock is this database's: another may have made it meanwhile.
            match attempt.batch_execute(&format!("CREATE ROLE {role} NOLOGIN NOINHERIT")) {
                Ok(()) => attempt.commit()?,
                Err(error) if is_there_already(&error) => attempt.rollback()?,
                Err(error) => return Err(error),
            }
        }
    }
    // Whoever administers without being a superuser must be able to act as the owner.
    let may: bool =
        work.query_one("SELECT pg_has_role(current_user, $1::text::name, 'MEMBER')", &[&OWNER])?.get(0);
    if !may {
        work.batch_execute(&format!("GRANT {OWNER} TO CURRENT_USER"))?;
    }
    Ok(())
}

fn is_there_already(error: &postgres::Error) -> bool {
    error.code().is_some_and(|code| [SqlState::DUPLICATE_OBJECT, SqlState::UNIQUE_VIOLATION].contains(code))
}

/// pgvector's version, after it was asked for. Where it is not installed, or may not be, search goes by words.
fn vectors(work: &mut Transaction<'_>) -> Result<Option<String>, postgres::Error> {
    let offered = work.query_opt("SELECT FROM pg_available_extensions WHERE name = 'vector'", &[])?.is_some();
    if offered {
        let mut attempt = work.transaction()?;
        // Not into a schema of ours: others in this database may want it.
        let made = attempt.batch_execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public");
        match made {
            Ok(()) => attempt.commit()?,
            Err(_) => attempt.rollback()?,
        }
    }
    let row = work.query_opt("SELECT extversion FROM pg_extension WHERE extname = 'vector'", &[])?;
    Ok(row.map(|row| row.get(0)))
}
