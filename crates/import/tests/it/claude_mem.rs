//! Databases with claude-mem's real tables: at rest, in use, old, damaged and hostile.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use import::{Effect, MAX_TEXT_BYTES, Problem, Record, Source};
use model::{Memory, MemoryKind};
use rusqlite::Connection;

use crate::world::{World, halves, ids, options};

const SCHEMA: &str = include_str!("../fixtures/claude-mem-35.sql");
const ROWS: &str = include_str!("../fixtures/claude-mem-rows.sql");
const OLD: &str = include_str!("../fixtures/claude-mem-old.sql");

fn database(world: &World, sql: &[&str]) -> (PathBuf, Connection) {
    let path = world.path().join("claude-mem.db");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    // Off, as in its own connections: rows of sessions that are gone exist.
    connection.pragma_update(None, "foreign_keys", "OFF").unwrap();
    for sql in sql {
        connection.execute_batch(sql).unwrap();
    }
    (path, connection)
}

fn read(path: &Path) -> (Vec<Record>, Vec<Problem>) {
    halves(Source::ClaudeMem.read(path, &options()))
}

fn memories(records: &[Record]) -> Vec<&Memory> {
    records.iter().filter(|r| matches!(r, Record::Memory(_))).filter_map(Record::memory).collect()
}

/// Every file of a folder and what is in it. The shared memory is left out: locks are kept in it.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| !entry.file_name().to_string_lossy().ends_with("-shm"))
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn sessions_prompts_observations_and_summaries_are_taken_over() {
    let world = World::new();
    let (path, connection) = database(&world, &[SCHEMA, ROWS]);
    drop(connection);
    let before = contents(world.path());
    assert_eq!(before.len(), 1, "at rest there is one file");

    let reader = Source::ClaudeMem.read(&path, &options());
    assert_eq!(reader.estimate(), 9);
    let (records, problems) = halves(reader);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!((problems[0].effect, problems[0].what.as_str()), (Effect::LeftOut, "says nothing"));

    let Record::Session(session) = &records[0] else { panic!("{records:?}") };
    assert_eq!((session.id.as_str(), session.agent.as_str()), ("0a1b-agent", "claude-code"));
    assert_eq!((session.started_at, session.ended_at), (Some(1_785_578_400_000), Some(1_785_582_000_000)));
    assert_eq!((session.project.as_deref(), session.title.as_deref()), (Some("shop"), Some("Login")));
    let Record::Prompt(prompt) = &records[3] else { panic!("{records:?}") };
    assert_eq!((prompt.number, prompt.memory.text.as_str()), (Some(2), "and test it"));
    assert_eq!(prompt.memory.project.as_deref(), Some("shop"), "a prompt is of its session's project");
    assert_eq!((prompt.memory.kind, prompt.memory.at), (MemoryKind::Prompt, 1_785_578_700_000));

    let found = memories(&records);
    let [bug, alert, case, summary] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((bug.kind, bug.title.as_str()), (MemoryKind::Bugfix, "Token refresh raced"));
    assert_eq!(bug.text, "Both tabs refreshed at once and the later answer won.");
    assert_eq!(bug.subtitle.as_deref(), Some("Two tabs"));
    assert_eq!(bug.facts, ["a lock was missing", "the retry hid it"]);
    assert_eq!(bug.concepts, ["problem-solution", "gotcha"]);
    assert_eq!((bug.files_read.len(), bug.files_modified.len(), bug.provenance.tokens), (1, 2, 4321));
    assert_eq!(bug.session.as_ref().unwrap().as_str(), "0a1b-agent");
    assert_eq!(bug.external_id.as_deref(), Some("claude-mem/observations/1"));

    assert_eq!((alert.kind, alert.project.as_deref()), (MemoryKind::Security, Some("shop")));
    assert_eq!(alert.concepts, ["security_alert"]);
    assert_eq!((case.kind, case.at), (MemoryKind::Document, 1_785_578_640_000));
    assert_eq!(
        (case.concepts.as_slice(), case.session.as_ref().unwrap().as_str()),
        (&["precedent".to_owned()][..], "mem-9")
    );
    assert_eq!((summary.kind, summary.title.as_str()), (MemoryKind::Summary, "Fix the login"));
    assert!(summary.text.contains("Learned: Refresh needs a lock\nCompleted: Added one"), "{}", summary.text);
    assert_eq!(summary.files_modified, ["src/lock.ts"]);

    assert_eq!(ids(&records), ids(&read(&path).0), "a second time gives the same ids");
    assert_eq!(contents(world.path()), before, "nothing was touched");
}

#[test]
fn every_kind_of_code_work_is_one_of_ours() {
    for kind in ["bugfix", "feature", "refactor", "change", "discovery", "decision"] {
        let world = World::new();
        let row = format!(
            "INSERT INTO observations (memory_session_id, project, type, title, created_at, created_at_epoch)
             VALUES ('m', 'p', '{kind}', 't', '', 1785578400)"
        );
        let (path, _connection) = database(&world, &[SCHEMA, &row]);
        let (records, _) = read(&path);
        let memory = memories(&records)[0];
        assert_eq!((memory.kind.name(), memory.at), (kind, 1_785_578_400_000));
        assert!(memory.concepts.is_empty());
    }
}

#[test]
fn a_database_in_use_is_read_as_it_stands_and_its_owner_goes_on() {
    let world = World::new();
    let (path, connection) = database(&world, &["PRAGMA wal_autocheckpoint = 0", SCHEMA, ROWS]);
    let before = contents(world.path());
    assert!(before["claude-mem.db-wal"].len() > 1000, "what was written is only in the log");
    let mut reader = Source::ClaudeMem.read(&path, &options());
    assert!(matches!(reader.next(), Some(Ok(Record::Session(_)))));
    assert_eq!(contents(world.path()), before);

    // The owner writes and tidies up in the middle of it.
    connection
        .execute_batch(
            "INSERT INTO observations (memory_session_id, project, type, title, created_at, created_at_epoch)
             VALUES ('mem-1', 'shop', 'feature', 'Later', '', 1785578999000);
             PRAGMA wal_checkpoint(TRUNCATE);",
        )
        .unwrap();
    let (records, problems) = halves(reader);
    assert!(problems.iter().all(|problem| problem.effect == Effect::LeftOut), "{problems:?}");
    assert!(memories(&records).iter().any(|memory| memory.title == "Later"));
}

#[test]
fn an_owner_that_begins_to_write_while_it_is_read_at_rest_is_noticed() {
    let world = World::new();
    let (path, connection) = database(&world, &[SCHEMA, ROWS]);
    drop(connection);
    let mut reader = Source::ClaudeMem.read(&path, &options());
    assert!(reader.next().is_some());
    let owner = Connection::open(&path).unwrap();
    owner.execute_batch("UPDATE sdk_sessions SET status = 'completed'").unwrap();
    let (records, problems) = halves(reader);
    assert_eq!(memories(&records).len(), 4);
    let last = problems.last().unwrap();
    assert!(last.effect == Effect::Stopped && last.what.contains("import again"), "{last}");
}

#[test]
fn what_a_crash_or_a_backup_leaves_is_read_with_its_log() {
    let world = World::new();
    let (path, _connection) = database(&world, &["PRAGMA wal_autocheckpoint = 0", SCHEMA, ROWS]);
    for endings in [&["", "-wal", "-shm"][..], &["", "-wal"]] {
        let copy = World::new();
        for ending in endings {
            let name = format!("claude-mem.db{ending}");
            fs::copy(path.with_file_name(&name), copy.path().join(&name)).unwrap();
        }
        let before = contents(copy.path());
        let (records, problems) = read(&copy.path().join("claude-mem.db"));
        assert_eq!(memories(&records).len(), 4, "{endings:?} {problems:?}");
        assert_eq!(contents(copy.path()), before, "{endings:?}");
    }
}

#[test]
fn an_old_schema_is_read_with_what_it_has() {
    let world = World::new();
    let (path, _connection) = database(&world, &[OLD]);
    let (records, problems) = read(&path);
    assert_eq!(problems, []);
    let Record::Prompt(prompt) = &records[1] else { panic!("{records:?}") };
    assert_eq!((prompt.memory.text.as_str(), prompt.memory.at), ("begin", 1_759_276_800_000));
    let found = memories(&records)[0];
    assert_eq!((found.kind, found.at), (MemoryKind::Decision, 1_759_276_805_000));
    assert_eq!(found.title, "Chose SQLite. It is one file.");
    assert_eq!(found.session.as_ref().unwrap().as_str(), "old-agent");
}

#[test]
fn one_row_number_in_two_databases_is_two_memories() {
    let (one, two) = (World::new(), World::new());
    let (first, _a) = database(&one, &[SCHEMA, ROWS]);
    let (second, _b) = database(&two, &[SCHEMA, &ROWS.replace("mem-1", "mem-2").replace("0a1b", "0a2b")]);
    let (first, second) = (ids(&read(&first).0), ids(&read(&second).0));
    let shared = first.iter().filter(|id| second.contains(id)).count();
    assert_eq!(shared, 1, "only the row both have, of a session that is in neither, is the same");
}

#[test]
fn hostile_values_cost_their_row_at_most() {
    let world = World::new();
    let (path, connection) = database(&world, &[SCHEMA]);
    let insert =
        "INSERT INTO observations (memory_session_id, project, type, title, narrative, facts, created_at,
                  created_at_epoch) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let add =
        |title: &dyn rusqlite::ToSql, text: &dyn rusqlite::ToSql, facts: &str, at: &dyn rusqlite::ToSql| {
            connection
                .execute(insert, rusqlite::params!["m", 5, "change", title, text, facts, "soon", at])
                .unwrap();
        };
    add(&b"\xff\xfe".to_vec(), &1.5, "{\"not\":\"a list\"}", &"text");
    add(&"giant", &vec![b'x'; 17 << 20], "", &1);
    add(&"large", &format!("y{}", "é".repeat(1 << 20)), "[[[[", &-5_i64);
    add(&"last\x1b]0;owned\x07", &"ok", "[\"f\"]", &9e30);
    let (records, problems) = read(&path);
    let found = memories(&records);
    assert_eq!(found.len(), 3);
    assert_eq!((found[0].text.as_str(), found[0].at, found[0].project.as_deref()), ("1.5", 0, Some("5")));
    assert_eq!(found[1].text.len(), MAX_TEXT_BYTES - 1, "cut between two letters");
    assert_eq!(found[2].title, "last ]0;owned");
    let told: Vec<_> = problems.iter().map(|p| (p.effect, p.place.rsplit(' ').next().unwrap())).collect();
    let expected = [
        (Effect::Undated, "1"),
        (Effect::Lost, "2"),
        (Effect::Shortened, "3"),
        (Effect::Undated, "3"),
        (Effect::Undated, "4"),
    ];
    assert_eq!(told, expected, "{problems:?}");
}

#[test]
fn what_is_not_claude_mems_is_refused_with_a_reason() {
    let world = World::new();
    let (path, connection) = database(&world, &[SCHEMA, ROWS]);
    drop(connection);
    let mut cut = fs::read(&path).unwrap();
    cut.truncate(5000);
    let views = world.path().join("views.db");
    Connection::open(&views)
        .unwrap()
        .execute_batch(
            "CREATE VIEW observations AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
             SELECT x AS id, 'm' AS memory_session_id FROM n;
             CREATE VIRTUAL TABLE user_prompts USING fts5 (prompt_text);",
        )
        .unwrap();
    for (path, says) in [
        (world.file("garbage.db", "this is not a database ".repeat(500)), "no SQLite file"),
        (world.file("cut.db", cut), "damaged"),
        (world.file("empty.db", ""), "no table of claude-mem"),
        (views, "no table of claude-mem"),
        (world.path().to_owned(), "not a file"),
        (world.path().join("missing.db"), "cannot be opened"),
    ] {
        let (records, problems) = read(&path);
        assert!(records.is_empty(), "{}", path.display());
        let stop = problems.last().unwrap();
        assert_eq!(stop.effect, Effect::Stopped);
        assert!(stop.what.contains(says), "{}: {stop}", path.display());
    }
}

#[test]
fn a_locked_database_says_so() {
    let world = World::new();
    let (path, connection) = database(&world, &[SCHEMA, ROWS]);
    // An owner that keeps everybody out holds the log without an index beside it.
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(connection);
    let owner = Connection::open(&path).unwrap();
    owner
        .execute_batch(
            "PRAGMA foreign_keys = OFF; PRAGMA locking_mode = EXCLUSIVE; INSERT INTO user_prompts VALUES (9, 'a', 1, 'x', '', 1);",
        )
        .unwrap();
    assert!(!path.with_file_name("claude-mem.db-shm").exists());
    let (records, problems) = read(&path);
    assert!(records.is_empty());
    assert_eq!(problems[0].effect, Effect::Stopped);
    assert!(problems[0].what.contains("is locked; stop claude-mem"), "{}", problems[0]);
}
