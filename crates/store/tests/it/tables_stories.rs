//! What the derived tables answer; every engine that may follow has to answer the same.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use model::{EventId, Memory, MemoryId, MemoryKind, Provenance, SessionId, Urgency, WorkspaceKey};
use store::{
    EventFilter, EventRow, Filing, Location, MemoryFilter, Order, Put, SessionFilter, SessionTouch,
    StoreError, Tables, move_aside,
};

use crate::world::{DAY, NOON, World, id};

fn open(world: &World) -> Tables {
    Tables::open(&world.path().join("derived.db")).unwrap()
}

fn session(name: &str) -> SessionId {
    SessionId::new(name)
}

fn workspace(name: &str) -> WorkspaceKey {
    WorkspaceKey::from_hex(name.to_owned())
}

fn event(seq: u64, name: &str, kind: &str, tool: Option<&str>) -> EventRow {
    EventRow {
        seq,
        id: id(seq),
        at: NOON + seq,
        agent: "claude-code".to_owned(),
        session: session(name),
        kind: kind.to_owned(),
        tool: tool.map(str::to_owned),
        subagent: None,
        bytes: 100,
        location: Location { segment: 1, offset: seq * 200 },
    }
}

fn touch(name: &str, at: u64) -> SessionTouch {
    SessionTouch::new(session(name), "claude-code", at)
}

#[test]
fn a_session_remembers_what_it_was_told_once() {
    let world = World::new();
    let mut tables = open(&world);
    let mut first = touch("a", NOON);
    first.workspace = Some(workspace("w"));
    first.branch = Some("main".to_owned());
    first.source = Some("startup".to_owned());
    first.model = Some("m-1".to_owned());
    first.attended = Some(true);
    first.pid = Some(42);
    let mut later = touch("a", NOON + 10);
    later.branch = Some("topic".to_owned());
    tables
        .write(|batch| {
            batch.touch_session(&first)?;
            batch.touch_session(&later)?;
            batch.touch_session(&touch("a", NOON - 5))
        })
        .unwrap();
    let row = tables.session("a").unwrap().unwrap();
    assert_eq!(row.branch.as_deref(), Some("topic"));
    assert_eq!((row.model.as_deref(), row.attended, row.pid), (Some("m-1"), Some(true), Some(42)));
    assert_eq!((row.started_at, row.last_seen_at, row.ended_at), (NOON - 5, NOON + 10, None));
    let json = serde_json::to_value(&row).unwrap();
    assert_eq!((json["id"].as_str(), json["workspace"].as_str()), (Some("a"), Some("w")));
}

#[test]
fn an_ended_session_lives_again_by_a_start_and_not_by_a_straggler() {
    let world = World::new();
    let mut tables = open(&world);
    let ended = |tables: &Tables| tables.session("a").unwrap().unwrap().ended_at;
    tables
        .write(|batch| {
            assert!(!batch.end_session(&session("a"), NOON, "exit")?, "unknown");
            batch.touch_session(&touch("a", NOON))?;
            assert!(batch.end_session(&session("a"), NOON + 5, "exit")?);
            batch.touch_session(&touch("a", NOON + 6))
        })
        .unwrap();
    assert_eq!(ended(&tables), Some(NOON + 5));
    let mut resume = touch("a", NOON + 100);
    resume.source = Some("resume".to_owned());
    tables.write(|batch| batch.touch_session(&resume)).unwrap();
    assert_eq!(ended(&tables), None);
}

#[test]
fn prompts_are_numbered_within_their_session_and_a_repetition_changes_nothing() {
    let world = World::new();
    let mut tables = open(&world);
    for _ in 0..2 {
        tables
            .write(|batch| {
                batch.touch_session(&touch("a", NOON))?;
                batch.touch_session(&touch("b", NOON))?;
                assert_eq!(batch.insert_prompt(id(1), &session("a"), NOON, "one")?, 1);
                assert_eq!(batch.insert_prompt(id(2), &session("b"), NOON, "other")?, 1);
                assert_eq!(batch.insert_prompt(id(3), &session("a"), NOON, "two")?, 2);
                Ok(())
            })
            .unwrap();
    }
    let texts: Vec<String> =
        tables.prompts(&session("a")).unwrap().into_iter().map(|prompt| prompt.text).collect();
    assert_eq!(texts, ["one", "two"]);
    assert_eq!(tables.session("a").unwrap().unwrap().prompts, 2);
}

#[test]
fn events_are_counted_once_and_found_by_filter() {
    let world = World::new();
    let mut tables = open(&world);
    for first_time in [true, false] {
        tables
            .write(|batch| {
                batch.touch_session(&touch("a", NOON))?;
                batch.touch_session(&touch("b", NOON))?;
                for seq in 1..=10 {
                    let name = if seq % 2 == 0 { "a" } else { "b" };
                    let tool = (seq % 4 == 0).then_some("Bash");
                    let kind = if tool.is_some() { "PostToolUse" } else { "Stop" };
                    assert_eq!(batch.insert_event(&event(seq, name, kind, tool))?, first_time);
                }
                // The same id under another number: a second copy in the journal.
                assert!(!batch.insert_event(&EventRow { seq: 99, ..event(4, "a", "PostToolUse", None) })?);
                batch.set_cursor(10)
            })
            .unwrap();
    }
    assert_eq!(tables.cursor().unwrap(), 10);
    let row = tables.session("a").unwrap().unwrap();
    assert_eq!((row.events, row.tools), (5, 2));
    let seqs = |filter: EventFilter| -> Vec<u64> {
        tables.events(&filter).unwrap().iter().map(|event| event.seq).collect()
    };
    let a = EventFilter { session: Some(session("a")), ..EventFilter::default() };
    assert_eq!(seqs(a.clone()), [10, 8, 6, 4, 2]);
    assert_eq!(seqs(EventFilter { limit: 2, ..a.clone() }), [10, 8]);
    assert_eq!(seqs(EventFilter { order: Order::OldestFirst, after: Some(4), ..a.clone() }), [6, 8, 10]);
    assert_eq!(seqs(EventFilter { kind: Some("PostToolUse".into()), ..a }), [8, 4]);
    assert_eq!(seqs(EventFilter { tool: Some("Bash".into()), ..EventFilter::default() }), [8, 4]);
    assert_eq!(tables.event(id(7)).unwrap(), Some(event(7, "b", "Stop", None)));
    let json = serde_json::to_value(event(7, "b", "Stop", None)).unwrap();
    assert_eq!((json["offset"].as_u64(), json["id"].as_str()), (Some(1400), Some(&*id(7).to_string())));

    assert_eq!(tables.write(|batch| batch.prune_events_below(9)).unwrap(), 8);
    assert_eq!(tables.events(&EventFilter::default()).unwrap().len(), 2);
    assert_eq!(tables.session("a").unwrap().unwrap().events, 5, "what happened, happened");
}

#[test]
fn a_session_is_found_by_the_beginning_of_its_id() {
    let world = World::new();
    let mut tables = open(&world);
    let names = ["abc-1", "abc-2", "b%_", "b\0x", "ü", "'; DROP TABLE sessions; --"];
    tables.write(|batch| names.iter().try_for_each(|name| batch.touch_session(&touch(name, NOON)))).unwrap();
    let found = |text: &str| tables.session(text).map(|row| row.map(|row| row.id.as_str().to_owned()));
    for name in names {
        assert_eq!(found(name).unwrap().as_deref(), Some(name));
    }
    assert_eq!(
        found("abc-").unwrap_err().to_string(),
        "`abc-` fits more than one session; give more of the id"
    );
    assert_eq!(found("b\0").unwrap().as_deref(), Some("b\0x"));
    assert_eq!(found("b%").unwrap().as_deref(), Some("b%_"));
    assert_eq!(found("%").unwrap(), None);
    assert_eq!(found("").unwrap(), None);
    assert!(matches!(found("b"), Err(StoreError::Ambiguous(_))));
}

#[test]
fn peers_are_the_others_at_work_in_the_same_place() {
    let world = World::new();
    let mut tables = open(&world);
    tables
        .write(|batch| {
            for (name, place, at) in
                [("me", "w", 100), ("peer", "w", 90), ("stale", "w", 10), ("gone", "w", 95), ("far", "x", 99)]
            {
                let touch = SessionTouch {
                    workspace: Some(workspace(place)),
                    project_key: Some(format!("{place}-project")),
                    ..touch(name, NOON + at)
                };
                batch.touch_session(&touch)?;
            }
            batch.upsert_workspace(&workspace("w"), "/src/w", None, NOON)?;
            batch.upsert_workspace(&workspace("w"), "/src/w", Some("w"), NOON + 9)?;
            batch.upsert_workspace(&workspace("w"), "/src/w", None, NOON + 3)?;
            batch.end_session(&session("gone"), NOON + 96, "exit")
        })
        .unwrap();
    let peers = tables.live_sessions(Some("w-project"), NOON + 50).unwrap();
    assert_eq!(peers.iter().map(|row| row.session.id.as_str()).collect::<Vec<_>>(), ["me", "peer"]);
    assert_eq!(peers[0].root.as_deref(), Some("/src/w"));
    let live = SessionFilter { workspace: Some(workspace("w")), live: true, ..SessionFilter::default() };
    assert_eq!(tables.sessions(&live).unwrap().len(), 3);
    assert_eq!(tables.sessions(&SessionFilter { limit: 1, ..live }).unwrap()[0].id, session("me"));
    let places = tables.workspaces().unwrap();
    assert_eq!((places[0].project.as_deref(), places[0].last_seen_at), (Some("w"), NOON + 9));
}

const FILING: Filing = Filing { seq: 1, tokens: 10, fingerprint: 0 };

fn memory(number: u64, title: &str) -> Memory {
    Memory {
        id: MemoryId::from_u64(number),
        kind: MemoryKind::Decision,
        at: NOON + number,
        title: title.to_owned(),
        subtitle: None,
        text: "the text".to_owned(),
        facts: vec!["a fact".to_owned()],
        concepts: Vec::new(),
        files_read: vec!["src/lib.rs".to_owned()],
        files_modified: vec!["src/main.rs".to_owned()],
        tools: vec!["Bash".to_owned()],
        session: Some(session("a")),
        workspace: Some(workspace("w")),
        project: Some("shop".to_owned()),
        project_key: Some("k".to_owned()),
        branch: Some("main".to_owned()),
        external_id: Some(format!("outside-{number}")),
        urgency: Urgency::High,
        critical: false,
        pinned: false,
        provenance: Provenance { by: "test".to_owned(), events: vec![id(number)], place: None, tokens: 7 },
    }
}

#[test]
fn a_memory_reads_back_whole_and_every_filter_finds_it() {
    let world = World::new();
    let mut tables = open(&world);
    let kept = memory(0xabc_def0_1234_5678, "kept");
    tables.write(|batch| batch.put_memory(&kept, FILING)).unwrap();
    let text = kept.id.to_string();
    for name in [text.as_str(), &text[..6], kept.external_id.as_deref().unwrap()] {
        assert_eq!(tables.memory(name).unwrap().unwrap().memory, kept);
    }
    assert_eq!(tables.memory("no such id").unwrap(), None);
    let all = MemoryFilter::default;
    let some = |text: &str| Some(text.to_owned());
    let finds = |filter: MemoryFilter| tables.memories(&filter).unwrap().len();
    assert_eq!(finds(MemoryFilter { project: some("shop"), ..all() }), 1);
    assert_eq!(finds(MemoryFilter { project: some("k"), ..all() }), 1);
    assert_eq!(finds(MemoryFilter { file: some("src/lib.rs"), ..all() }), 1);
    assert_eq!(finds(MemoryFilter { file: some("./main.rs"), ..all() }), 1);
    assert_eq!(finds(MemoryFilter { file: some("ain.rs"), ..all() }), 0);
    assert_eq!(finds(MemoryFilter { tool: some("Bash"), kinds: vec![MemoryKind::Decision], ..all() }), 1);
    assert_eq!(finds(MemoryFilter { kinds: vec![MemoryKind::Note], ..all() }), 0);
    assert_eq!(finds(MemoryFilter { branch: some("main"), session: Some(session("a")), ..all() }), 1);
    assert_eq!(finds(MemoryFilter { until: Some(kept.at), ..all() }), 0);
    assert_eq!(tables.numbers(&MemoryFilter { since: Some(0), ..all() }).unwrap(), Some(vec![1]));
    assert_eq!(tables.numbers(&all()).unwrap(), None);
}

#[test]
fn what_says_the_same_is_kept_once_and_what_was_forgotten_stays_away() {
    let world = World::new();
    let mut tables = open(&world);
    tables
        .write(|batch| {
            let alike = |seq| Filing { seq, tokens: 1, fingerprint: u64::MAX };
            assert_eq!(batch.put_memory(&memory(1, "use uv"), alike(1))?, Put::New(1));
            assert_eq!(batch.put_memory(&memory(2, "use uv"), alike(2))?, Put::Repeated(1));
            assert_eq!(batch.put_memory(&memory(2, "use uv"), alike(2))?, Put::Repeated(1));
            let row = batch.memory(MemoryId::from_u64(1))?.expect("it was kept");
            assert_eq!((row.repeats, row.memory.at), (1, NOON + 2));
            assert_eq!(batch.forget_memory(MemoryId::from_u64(1))?, Some(1));
            assert_eq!(batch.forget_memory(MemoryId::from_u64(1))?, None);
            assert_eq!(batch.put_memory(&memory(1, "use uv"), alike(3))?, Put::Forgotten);
            Ok(())
        })
        .unwrap();
    assert_eq!(tables.count_memories().unwrap(), 0);
}

#[test]
fn clones_of_one_repository_are_one_project() {
    let world = World::new();
    let mut tables = open(&world);
    tables
        .write(|batch| {
            batch.put_memory(&memory(1, "in the first clone"), FILING)?;
            batch.upsert_project("k", "shop", None)?;
            batch.upsert_project("k2", "shop-copy", Some("c0ffee"))?;
            batch.upsert_project("k3", "other", Some("beef"))
        })
        .unwrap();
    let finds = |tables: &Tables, project: &str| {
        let filter = MemoryFilter { project: Some(project.to_owned()), ..MemoryFilter::default() };
        tables.memories(&filter).unwrap().len()
    };
    assert_eq!((finds(&tables, "k2"), finds(&tables, "shop")), (0, 1));
    // The first commit is found out a moment later.
    tables.write(|batch| batch.upsert_project("k", "shop", Some("c0ffee"))).unwrap();
    assert_eq!((finds(&tables, "k2"), finds(&tables, "shop-copy"), finds(&tables, "k3")), (1, 1, 0));
}

#[test]
fn a_newer_memory_stands_before_an_older_and_never_in_a_ring() {
    let world = World::new();
    let mut tables = open(&world);
    let (one, two) = (MemoryId::from_u64(1), MemoryId::from_u64(2));
    tables
        .write(|batch| {
            batch.put_memory(&memory(1, "npm"), FILING)?;
            batch.put_memory(&memory(2, "pnpm"), FILING)?;
            assert!(batch.supersede(one, two)?);
            assert!(!batch.supersede(two, one)?);
            assert!(!batch.supersede(two, two)?);
            Ok(())
        })
        .unwrap();
    assert_eq!(tables.memory(&one.to_string()).unwrap().unwrap().superseded_by, Some(two));
    tables.write(|batch| batch.drop_memory(two)).unwrap();
    assert_eq!(tables.memory(&one.to_string()).unwrap().unwrap().superseded_by, None);
}

#[test]
fn memories_and_counts_add_up() {
    let world = World::new();
    let mut tables = open(&world);
    tables
        .write(|batch| {
            batch.touch_session(&touch("a", NOON))?;
            for seq in 1..=5 {
                let mut row = event(seq, "a", "PostToolUse", Some("Bash"));
                row.at = NOON + DAY * (seq / 4);
                batch.insert_event(&row)?;
            }
            let put = |batch: &mut store::Batch<'_>, memory| batch.put_memory(&memory, FILING);
            assert_eq!(put(batch, memory(1, "first"))?, Put::New(1));
            assert_eq!(put(batch, memory(2, "second"))?, Put::New(2));
            assert_eq!(put(batch, memory(1, "first"))?, Put::Same(1));
            assert_eq!(put(batch, memory(1, "first, corrected"))?, Put::Changed(1));
            batch.count_redactions(NOON, "aws-key", 2)?;
            batch.count_redactions(NOON, "aws-key", 3)?;
            batch.count_redactions(NOON + DAY, "jwt", 1)
        })
        .unwrap();
    let titles: Vec<String> =
        tables.memories(&MemoryFilter::default()).unwrap().into_iter().map(|row| row.memory.title).collect();
    assert_eq!(titles, ["second", "first, corrected"]);
    let stats = tables.stats().unwrap();
    assert_eq!((stats.sessions, stats.events, stats.memories, stats.bytes), (1, 5, 2, 500));
    assert_eq!((stats.first_at, stats.last_at), (Some(NOON), Some(NOON + DAY)));
    assert_eq!((stats.by_tool[0].name.as_str(), stats.by_tool[0].count), ("Bash", 5));
    assert_eq!(stats.by_day.iter().map(|day| day.count).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(stats.redactions.iter().map(|kind| kind.count).collect::<Vec<_>>(), [5, 1]);
}

#[test]
fn a_failed_batch_leaves_nothing_behind() {
    let world = World::new();
    let mut tables = open(&world);
    let failed: Result<(), _> = tables.write(|batch| {
        batch.touch_session(&touch("a", NOON))?;
        batch.set_cursor(7)?;
        Err(StoreError::Ambiguous("stop".to_owned()))
    });
    assert!(failed.is_err());
    assert_eq!((tables.cursor().unwrap(), tables.session("a").unwrap()), (0, None));
}

#[test]
fn hostile_text_goes_in_and_comes_out() {
    let world = World::new();
    let mut tables = open(&world);
    for (number, text) in (1..).zip(["\0\0", "a\nb", &"é".repeat(1 << 20), "\u{10ffff}\u{10ffff}"]) {
        let row = EventRow { seq: number, tool: Some(text.to_owned()), ..event(number, text, text, None) };
        tables
            .write(|batch| {
                batch.touch_session(&SessionTouch { cwd: Some(text.to_owned()), ..touch(text, NOON) })?;
                batch.insert_event(&row)?;
                batch.insert_prompt(EventId::mint(number, [9; 10]), &session(text), u64::MAX, text)
            })
            .unwrap();
        let found = tables.session(session(text).as_str()).unwrap().unwrap();
        assert_eq!(found.cwd.as_deref(), Some(text));
        assert_eq!(tables.event(row.id).unwrap(), Some(row));
        assert_eq!(tables.prompts(&session(text)).unwrap()[0].text, text);
    }
}

#[test]
fn the_files_are_private_while_the_database_is_open() {
    let world = World::new();
    let path = world.path().join("derived.db");
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let mut tables = open(&world);
    tables.write(|batch| batch.set_cursor(1)).unwrap();
    for name in ["derived.db", "derived.db-wal", "derived.db-shm"] {
        let mode = fs::metadata(world.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}");
    }
}

#[test]
fn a_reader_sees_what_was_committed_and_cannot_write() {
    let world = World::new();
    let path = world.path().join("derived.db");
    assert!(Tables::open_read_only(&path).is_err());
    assert!(!path.exists());
    let mut tables = open(&world);
    tables.write(|batch| batch.set_cursor(3)).unwrap();
    let mut reader = Tables::open_read_only(&path).unwrap();
    assert_eq!(reader.cursor().unwrap(), 3);
    tables.write(|batch| batch.set_cursor(4)).unwrap();
    assert_eq!(reader.cursor().unwrap(), 4);
    assert!(matches!(reader.write(|batch| batch.set_cursor(9)), Err(StoreError::ReadOnly(_))));
    drop(tables);
    assert_eq!(Tables::open_read_only(&path).unwrap().cursor().unwrap(), 4, "also when nobody has it open");
}

#[test]
fn a_damaged_database_is_told_moved_aside_and_made_anew() {
    let world = World::new();
    let path = world.path().join("derived.db");
    for round in 1..=4 {
        fs::write(&path, "this was never a database, whatever its name says".repeat(100)).unwrap();
        assert!(matches!(Tables::open(&path), Err(StoreError::Damaged(damaged)) if damaged == path));
        let aside = move_aside(&path).unwrap();
        assert_eq!(aside.file_name().unwrap().to_str(), Some(&*format!("derived.db.damaged-{round}")));
        open(&world).write(|batch| batch.set_cursor(1)).unwrap();
        fs::remove_file(world.path().join("derived.db")).unwrap();
    }
    let kept = fs::read_dir(world.path()).unwrap().count();
    assert_eq!(kept, 2, "the last two");
}

#[test]
fn a_flipped_page_is_found_by_the_check() {
    let world = World::new();
    let path = world.path().join("derived.db");
    let mut tables = open(&world);
    tables
        .write(|batch| {
            (1..=500).try_for_each(|seq| batch.insert_event(&event(seq, "a", "Stop", None)).map(|_| ()))
        })
        .unwrap();
    assert!(tables.check().is_ok());
    drop(tables);
    let mut bytes = fs::read(&path).unwrap();
    for page in bytes.chunks_mut(4096).skip(6) {
        page[..64].fill(0xaa);
    }
    fs::write(&path, bytes).unwrap();
    let outcome = Tables::open(&path).and_then(|tables| tables.check());
    assert!(matches!(outcome, Err(StoreError::Damaged(_))), "{outcome:?}");
}

#[test]
fn a_database_of_a_later_release_is_left_alone() {
    let world = World::new();
    let path = world.path().join("derived.db");
    drop(open(&world));
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    drop(connection);
    assert!(matches!(Tables::open(&path), Err(StoreError::TooNew { found: 999, .. })));
    assert!(matches!(Tables::open_read_only(&path), Err(StoreError::TooNew { .. })));
}
