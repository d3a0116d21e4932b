//! Forgotten is gone from every file, and what only the old tables knew outlives them.

use std::fs;
use std::time::{Duration, Instant};

use model::{Memory, MemoryId, MemoryKind, Provenance, SessionId, Urgency};
use store::{EventRow, Filing, Location, Put, SessionTouch, Tables, Terms, move_aside, session_mark};

use crate::world::{NOON, World, id};

fn open(world: &World) -> Tables {
    Tables::open(&world.path().join("derived.db")).unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn memory(number: u64, text: &str) -> Memory {
    Memory {
        id: MemoryId::from_u64(number),
        kind: MemoryKind::Note,
        at: NOON + number,
        title: text.to_owned(),
        subtitle: None,
        text: text.to_owned(),
        facts: Vec::new(),
        concepts: Vec::new(),
        files_read: vec![format!("src/{number}.rs")],
        files_modified: Vec::new(),
        tools: Vec::new(),
        session: Some(SessionId::new("s")),
        workspace: None,
        project: Some("shop".to_owned()),
        project_key: None,
        branch: None,
        external_id: None,
        urgency: Urgency::Normal,
        critical: false,
        pinned: false,
        provenance: Provenance::default(),
    }
}

fn filing(seq: u64) -> Filing {
    Filing { seq, tokens: 1, fingerprint: 0 }
}

fn files_with(world: &World, word: &str) -> Vec<String> {
    fs::read_dir(world.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            fs::read(path)
                .is_ok_and(|bytes| bytes.windows(word.len()).any(|window| window == word.as_bytes()))
        })
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect()
}

/// As the filing by words does it.
fn file(tables: &mut Tables) {
    tables
        .write(|batch| {
            for n in batch.terms_due(1000)? {
                match batch.memory_at(n)? {
                    Some(row) => {
                        batch.put_terms(n, &Terms { body: row.memory.text, ..Terms::default() })?;
                    }
                    None => batch.drop_terms(n)?,
                }
                batch.terms_done(n)?;
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn words_of_what_was_forgotten_are_in_no_file_of_the_database() {
    let world = World::new();
    let mut tables = open(&world);
    for number in 1..=2000 {
        let word = if number % 500 == 0 { format!("canary{number}") } else { "plain".to_owned() };
        let text = format!("{word} text{number} {}", "some more words to fill pages ".repeat(5));
        tables.write(|batch| batch.put_memory(&memory(number, &text), filing(number))).unwrap();
        if number % 90 == 0 {
            file(&mut tables);
        }
    }
    file(&mut tables);
    assert!(
        !tables.is_purge_due().unwrap() && tables.purge(soon()).unwrap(),
        "nothing to do is done at once"
    );
    // Again and again: what was merged once must be merged anew.
    for number in [500, 1000, 1500, 2000] {
        let word = format!("canary{number}");
        assert!(!files_with(&world, &word).is_empty(), "the test would see it");
        tables
            .write(|batch| {
                batch.prepare_to_forget(&[MemoryId::from_u64(number)])?;
                batch.forget_memory(MemoryId::from_u64(number))
            })
            .unwrap();
        assert!(tables.is_purge_due().unwrap());
        assert!(!tables.purge(soon()).unwrap(), "neighbors quote it until they are filed again");
        file(&mut tables);
        assert!(tables.purge(soon()).unwrap());
        assert_eq!(files_with(&world, &word), Vec::<String>::new());
        assert!(!tables.is_purge_due().unwrap());
    }
    assert_eq!(
        tables.lexical("\"plain\"", 5000, &|_| true).unwrap().len(),
        1996,
        "the others are still found"
    );
}

#[test]
fn full_text_that_is_one_tree_already_is_made_anew_without_the_words() {
    let world = World::new();
    let mut tables = open(&world);
    // No two begin alike: a page keeps of a term only what the one before it does not have.
    let words = ["axolotlwort", "hedgehogwort", "zebrawort"];
    for number in 1..=3000 {
        let word = if number <= 3 { words[number as usize - 1] } else { "plain" };
        let mut memory = memory(number, &format!("{word} text{number}"));
        memory.session = None;
        tables.write(|batch| batch.put_memory(&memory, filing(number))).unwrap();
    }
    file(&mut tables);
    file(&mut tables);
    file(&mut tables);
    for (number, word) in (1..).zip(words) {
        assert!(!files_with(&world, word).is_empty(), "the test would see it");
        tables
            .write(|batch| {
                batch.prepare_to_forget(&[MemoryId::from_u64(number)])?;
                batch.forget_memory(MemoryId::from_u64(number))
            })
            .unwrap();
        assert!(tables.purge(soon()).unwrap());
        assert_eq!(files_with(&world, word), Vec::<String>::new());
    }
}

#[test]
fn who_reads_meanwhile_delays_the_purge_and_does_not_lose_it() {
    let world = World::new();
    let mut tables = open(&world);
    tables.write(|batch| batch.put_memory(&memory(1, "canaryword"), filing(1))).unwrap();
    file(&mut tables);
    let reader = rusqlite::Connection::open(world.path().join("derived.db")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM memories;").unwrap();
    tables
        .write(|batch| {
            batch.prepare_to_forget(&[MemoryId::from_u64(1)])?;
            batch.forget_memory(MemoryId::from_u64(1))
        })
        .unwrap();
    assert!(!tables.purge(Instant::now()).unwrap());
    assert!(tables.is_purge_due().unwrap());
    drop(reader);
    assert!(tables.purge(soon()).unwrap());
    assert_eq!(files_with(&world, "canaryword"), Vec::<String>::new());
}

#[test]
fn entries_that_say_the_same_under_another_id_are_erased_with_it() {
    let world = World::new();
    let mut tables = open(&world);
    let (one, two, other) = (MemoryId::from_u64(1), MemoryId::from_u64(2), MemoryId::from_u64(9));
    tables
        .write(|batch| {
            let alike = |seq| Filing { seq, tokens: 1, fingerprint: 7 };
            assert_eq!(batch.put_memory(&memory(1, "use uv"), alike(11))?, Put::New(1));
            assert_eq!(batch.put_memory(&memory(2, "use uv"), alike(12))?, Put::Repeated(1));
            for (id, seq) in [(one, 11), (two, 12), (one, 15), (other, 13)] {
                batch.note_deed(id, seq)?;
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(tables.merged_with(one).unwrap(), [two]);
    tables
        .write(|batch| {
            batch.prepare_to_forget(&[one])?;
            batch.forget_memory(one)
        })
        .unwrap();
    assert_eq!(tables.erasures_due(10).unwrap(), [11, 12, 15]);
    assert!(tables.is_forgotten(two).unwrap() && !tables.is_forgotten(other).unwrap());
    tables.write(|batch| batch.erasures_done(&[11, 12])).unwrap();
    assert_eq!(tables.erasures_due(10).unwrap(), [15]);
    tables.write(|batch| batch.prune_deeds_below(16)).unwrap();
    assert_eq!(tables.erasures_due(10).unwrap(), Vec::<u64>::new());
}

#[test]
fn a_session_goes_with_everything_kept_of_it_and_no_other_does() {
    let world = World::new();
    let mut tables = open(&world);
    tables
        .write(|batch| {
            for (number, name) in [(1, "s"), (2, "t"), (3, "s")] {
                let session = SessionId::new(name);
                batch.touch_session(&SessionTouch::new(session.clone(), "claude-code", NOON))?;
                batch.insert_prompt(id(number), &session, NOON, "canaryword")?;
                batch.push_step(number, &session, None, NOON, "{}")?;
                batch.set_state(&session, "turn", "{}", NOON)?;
                let location = Location { segment: 1, offset: 0 };
                batch.insert_event(&EventRow {
                    seq: number,
                    id: id(number),
                    at: NOON,
                    agent: "claude-code".to_owned(),
                    session,
                    kind: "Stop".to_owned(),
                    tool: None,
                    subagent: None,
                    bytes: 1,
                    location,
                })?;
            }
            Ok(())
        })
        .unwrap();
    tables.write(|batch| batch.drop_session(&SessionId::new("s"))).unwrap();
    assert_eq!(tables.prompts(&SessionId::new("s")).unwrap(), []);
    assert_eq!(tables.erasures_due(10).unwrap(), [1, 3]);
    assert_eq!(tables.session("s").unwrap(), None);
    assert_eq!(tables.prompts(&SessionId::new("t")).unwrap().len(), 1);
    assert_eq!(tables.state(&SessionId::new("s"), "turn").unwrap(), None);
    assert_ne!(session_mark(&SessionId::new("s")), session_mark(&SessionId::new("t")));
}

#[test]
fn what_the_journal_no_longer_has_is_carried_over_and_the_rest_is_derived_again() {
    let world = World::new();
    let mut tables = open(&world);
    let ids = |numbers: &[u64]| numbers.iter().map(|n| MemoryId::from_u64(*n)).collect::<Vec<_>>();
    tables
        .write(|batch| {
            for (number, seq) in [(1, 0), (2, 5), (3, 50), (4, 60), (5, 6)] {
                batch.put_memory(&memory(number, &format!("text {number}")), filing(seq))?;
            }
            batch.set_life(MemoryId::from_u64(2), 3, 1, Some(NOON))?;
            batch.set_life(MemoryId::from_u64(3), 7, 0, Some(NOON + 1))?;
            batch.supersede(MemoryId::from_u64(1), MemoryId::from_u64(2))?;
            batch.forget_memory(MemoryId::from_u64(5))?;
            batch.touch_session(&SessionTouch::new(SessionId::new("s"), "claude-code", NOON))?;
            batch.set_meta("distill-spend", "{}")?;
            batch.set_cursor(60)
        })
        .unwrap();
    drop(tables);
    let path = world.path().join("derived.db");
    let aside = move_aside(&path).unwrap();
    let mut tables = open(&world);
    let carried = tables.carry_over(&aside, 10).unwrap();
    assert_eq!((carried.memories, carried.forgotten, carried.sessions, carried.unreadable), (2, 1, 1, 0));
    assert_eq!((tables.cursor().unwrap(), tables.meta("distill-spend").unwrap()), (0, Some("{}".to_owned())));
    let row = |tables: &Tables, number| tables.memory(&MemoryId::from_u64(number).to_string()).unwrap();
    let two = row(&tables, 2).unwrap();
    assert_eq!((two.hits, two.prevented, two.last_applied_at), (3, 1, Some(NOON)));
    assert_eq!(two.memory.files_read, ["src/2.rs"]);
    assert_eq!(row(&tables, 1).unwrap().superseded_by, Some(MemoryId::from_u64(2)));
    assert_eq!(row(&tables, 3), None, "the journal has it");
    assert_eq!(tables.count_terms_due().unwrap(), 2, "they are filed by their words again");
    // Derived again, it has the use it had; forgotten it stays.
    tables
        .write(|batch| {
            batch.put_memory(&memory(3, "text 3"), filing(50))?;
            assert_eq!(batch.put_memory(&memory(5, "text 5"), filing(70))?, Put::Forgotten);
            Ok(())
        })
        .unwrap();
    assert_eq!(
        (row(&tables, 3).unwrap().hits, row(&tables, 3).unwrap().last_applied_at),
        (7, Some(NOON + 1))
    );
    assert_eq!(tables.ids_of_session(&SessionId::new("s")).unwrap(), ids(&[1, 2, 3]));
}

#[test]
fn a_damaged_database_gives_what_can_be_read_of_it() {
    let world = World::new();
    let mut tables = open(&world);
    tables
        .write(|batch| {
            for number in 1..=3000 {
                batch
                    .put_memory(&memory(number, &format!("text {number} {}", "x".repeat(400))), filing(1))?;
            }
            Ok(())
        })
        .unwrap();
    assert!(tables.empty_log(soon()).unwrap());
    drop(tables);
    let path = world.path().join("derived.db");
    let mut bytes = fs::read(&path).unwrap();
    // A page of the memories themselves: one that holds a text from the middle.
    let at = bytes.windows(10).position(|window| window == b"text 1500 ").unwrap() / 4096 * 4096;
    bytes[at..at + 4096].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let aside = move_aside(&path).unwrap();
    let mut tables = open(&world);
    let carried = tables.carry_over(&aside, u64::MAX).unwrap();
    assert!(carried.unreadable >= 1, "{carried:?}");
    assert!((2000..3000).contains(&carried.memories), "{carried:?}");
    tables.check().unwrap();
}
