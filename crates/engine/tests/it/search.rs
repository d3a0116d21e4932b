//! Search on a real store, with the static model: fast, in the binary, and near enough to show that both sides speak.

use std::sync::Arc;

use embed::{EmbedError, Embedder, Identity, StaticModel};
use engine::search::{Ask, Legs, Search};
use engine::{EngineError, Workspace};
use model::{Memory, MemoryId, MemoryKind, SessionId, WorkspaceKey};
use store::{Filing, MemoryFilter};

use crate::house::{DAY, House, NOW, Static, memory, put, some, titles};

/// A model that is not there when it is asked.
struct Unreachable;

impl Embedder for Unreachable {
    fn identity(&self) -> &Identity {
        Static("one").identity();
        StaticModel::builtin().identity()
    }

    fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Err(EmbedError::Unreachable("nobody answers".to_owned()))
    }
}

#[test]
fn natural_questions_names_and_codes_find_their_memory() {
    for house in [House::new(&some()), House::with_vectors(&some())] {
        for (question, title) in [
            ("why did refreshing tokens fail?", "token refresh"),
            ("what does noColor do", "color flags"),
            ("parse.rs", "color flags"),
            ("E0382", "borrow error"),
            ("\"moved value\" AND (NOT", "borrow error"),
            ("what is the name of my cat?", "cats"),
        ] {
            assert_eq!(house.find(question).first().map(String::as_str), Some(title), "{question}");
        }
    }
}

#[test]
fn nothing_a_person_types_breaks_a_search() {
    let house = House::with_vectors(&some());
    let long = "wörd ".repeat(10_000);
    for text in [
        "",
        "?",
        "\"",
        "NEAR(a b)",
        "a* -b ^c",
        "'; DROP TABLE terms; --",
        "{x}:y",
        "\0",
        "東京",
        "🦀",
        &long,
    ] {
        house.find(text);
    }
    assert!(house.ask(Ask { text: "cat".to_owned(), limit: usize::MAX, ..Ask::default() }).len() <= 4);
}

#[test]
fn nearness_finds_what_no_word_finds() {
    let house = House::with_vectors(&some());
    let ask = |legs| house.ask(Ask { text: "kitten".to_owned(), legs, ..Ask::default() });
    assert!(ask(Legs::Words).is_empty());
    assert_eq!(ask(Legs::Both)[0].title, "cats");
}

#[test]
fn words_answer_where_vectors_are_missing_half_there_or_of_another_model() {
    let mut house = House::with_vectors(&some());
    put(&mut house.tables, &[memory(5, "late", "A refresh token that came late has no vector yet.")]);
    house.search.index_due(&mut house.tables, 10).unwrap();
    assert!(house.find("refresh token").contains(&"late".to_owned()));

    let due = house.search.use_model(&mut house.tables, Arc::new(Static("two"))).unwrap();
    assert_eq!(due, 5);
    assert_eq!(house.find("why did refreshing tokens fail?")[0], "token refresh");
    house.file();
    assert_eq!(house.find("kitten")[0], "cats");

    house.search.use_model(&mut house.tables, Arc::new(Unreachable)).unwrap();
    assert_eq!(house.find("E0382")[0], "borrow error");
    let refused = house.search.embed_due(&mut house.tables, 10);
    assert!(matches!(refused, Err(EngineError::Embed(EmbedError::Unreachable(_)))));
}

#[test]
fn a_reopened_search_knows_what_was_filed() {
    let mut house = House::with_vectors(&some());
    house.search = Search::open(&house.path).unwrap();
    assert_eq!(house.find("E0382")[0], "borrow error");
    assert_eq!(house.search.use_model(&mut house.tables, Arc::new(Static("one"))).unwrap(), 0);
    assert_eq!(house.find("kitten")[0], "cats");
}

#[test]
fn what_is_changed_or_forgotten_is_found_so() {
    let mut house = House::with_vectors(&some());
    let mut changed = some().remove(3);
    changed.text = "My dog is called Rex.".to_owned();
    put(&mut house.tables, &[changed]);
    house.tables.write(|batch| batch.forget_memory(MemoryId::from_u64(3)).map(|_| ())).unwrap();
    house.file();
    assert_eq!(house.find("what is my dog called")[0], "cats");
    assert!(!house.find("E0382 borrow of moved value").contains(&"borrow error".to_owned()));
    assert!(!house.find("Minka fish").iter().any(|title| title == "borrow error"));
}

#[test]
fn a_filter_never_empties_what_it_does_not_forbid() {
    let mut memories: Vec<Memory> =
        (0..500).map(|n| memory(n + 10, "elsewhere", &format!("deploy deploy deploy number {n}"))).collect();
    let mut wanted =
        memory(1, "wanted", "A deploy somewhere in a much longer text about many other things as well.");
    wanted.project = Some("mine".to_owned());
    wanted.kind = MemoryKind::Decision;
    wanted.files_modified = vec!["src/deploy.rs".to_owned()];
    memories.push(wanted);
    let house = House::with_vectors(&memories);
    let filters = [
        MemoryFilter { project: Some("mine".to_owned()), ..MemoryFilter::default() },
        MemoryFilter { kinds: vec![MemoryKind::Decision], ..MemoryFilter::default() },
        MemoryFilter { file: Some("deploy.rs".to_owned()), ..MemoryFilter::default() },
    ];
    for filter in filters {
        let hits = house.ask(Ask { text: "deploy".to_owned(), filter, ..Ask::default() });
        assert_eq!(titles(&hits), ["wanted"]);
    }
    assert_eq!(house.find("deploy kind:decision"), ["wanted"]);
    let nothing = MemoryFilter { project: Some("no such".to_owned()), ..MemoryFilter::default() };
    assert!(house.ask(Ask { text: "deploy".to_owned(), filter: nothing, ..Ask::default() }).is_empty());
}

#[test]
fn ones_own_project_and_the_time_asked_for_come_first_and_hide_nothing() {
    let mut mine = memory(1, "mine", "The build cache was moved to another disk.");
    let mut other = memory(2, "other", "The build cache was moved to another host.");
    (mine.project, other.project) = (Some("a".to_owned()), Some("b".to_owned()));
    other.at = NOW - DAY;
    mine.at = NOW - 400 * DAY;
    let house = House::new(&[mine, other]);
    let here = Workspace {
        key: WorkspaceKey::from_hex("00".repeat(32)),
        root: "/a".to_owned(),
        project: "a".to_owned(),
        project_key: "key".to_owned(),
        branch: None,
    };
    let hits =
        house.ask(Ask { text: "build cache".to_owned(), here: Some(here), explain: true, ..Ask::default() });
    assert_eq!(titles(&hits), ["mine", "other"]);
    let why = hits[0].why.as_ref().unwrap();
    assert!(why.iter().any(|reason| reason.name == "project" && reason.value > 1.0));
    assert_eq!(house.find("where was the build cache moved yesterday"), ["other", "mine"]);
}

#[test]
fn one_answer_said_twice_is_one_and_the_superseded_stands_behind() {
    let text = "We keep sessions in Redis because the old store lost them on every restart of a node.";
    let house_of = |memories: &[Memory]| House::new(memories);
    let mut house = house_of(&[
        memory(1, "Sessions", text),
        memory(2, "Sessions", &text.replace("the old store", "old store").to_uppercase()),
        memory(3, "newer", "We keep sessions in Postgres now."),
    ]);
    let hits = house.ask(Ask { text: "where do we keep sessions".to_owned(), ..Ask::default() });
    assert_eq!(hits.len(), 2);
    assert_eq!(hits.iter().map(|hit| hit.same.len()).sum::<usize>(), 1);
    house
        .tables
        .write(|batch| {
            batch.supersede(MemoryId::from_u64(1), MemoryId::from_u64(3))?;
            batch.supersede(MemoryId::from_u64(2), MemoryId::from_u64(3))
        })
        .unwrap();
    assert_eq!(house.find("where do we keep sessions in Redis")[0], "newer");
}

#[test]
fn a_turn_is_found_by_what_the_turn_before_it_named() {
    let turn = |number: u64, title: &str, text: &str, session: &str| {
        let mut memory = memory(number, title, text);
        memory.session = Some(SessionId::new(session));
        memory.at += number;
        memory
    };
    let mut house = House::new(&[turn(1, "question", "Shall we use the Kubernetes operator?", "s")]);
    put(&mut house.tables, &[turn(2, "answer", "No, plain manifests are enough for us.", "s")]);
    put(&mut house.tables, &[turn(3, "stranger", "Nothing of the kind here.", "t")]);
    house.file();
    assert_eq!(house.find("kubernetes"), ["question", "answer"]);
    // What comes later is known to what came before.
    assert_eq!(house.find("manifests"), ["answer", "question"]);
}

#[test]
fn the_beginning_of_a_word_finds_the_word() {
    let house = House::with_vectors(&[
        memory(1, "Login", "The authentication middleware rejects expired sessions."),
        memory(2, "Colors", "The palette was changed to blue."),
        memory(3, "Settings", "Configuration is read once at the start."),
    ]);
    assert_eq!(house.find("auth*")[0], "Login");
    // No memory has the word as it stands.
    assert_eq!(house.find("where is config read")[0], "Settings");
    assert_eq!(house.find("pale*")[0], "Colors");
    assert!(house.find("*").is_empty());
}

#[test]
fn codes_versions_and_paths_are_found_whole_and_by_part() {
    let house = House::with_vectors(&[
        memory(1, "Borrow", "The compiler said E0382 because the value was moved."),
        memory(2, "Types", "The checker said TS2345 for the argument."),
        memory(3, "Old", "Fixed in version 1.2.3 of the parser."),
        memory(4, "New", "Fixed in version 3.2.1 of the parser."),
        memory(5, "Path", "The bug was in crates/ignore/src/pathutil.rs all along."),
    ]);
    for (question, title) in [
        ("E0382", "Borrow"),
        ("what was TS2345 about", "Types"),
        ("parser 1.2.3", "Old"),
        ("parser 3.2.1", "New"),
        ("crates/ignore/src/pathutil.rs", "Path"),
        ("pathutil.rs", "Path"),
        ("pathutil", "Path"),
    ] {
        assert_eq!(house.find(question)[0], title, "{question}");
    }
}

#[test]
fn before_the_release_is_before_the_latest_memory_of_one() {
    let at = |days: u64, number, title: &str, text: &str| Memory {
        at: NOW - days * DAY,
        ..memory(number, title, text)
    };
    let house = House::with_vectors(&[
        at(50, 1, "Earlier", "The cache returned stale entries for tenants."),
        at(40, 2, "Release 2.0", "Tagged and published."),
        at(10, 3, "Later", "The cache returned stale entries for tenants again."),
        at(200, 4, "Release 1.0", "Tagged and published."),
    ]);
    assert_eq!(house.find("stale cache entries before the release")[0], "Earlier");
    assert_eq!(house.find("stale cache entries since the last release")[0], "Later");
}

#[test]
fn a_hit_tells_what_reading_it_costs_and_what_a_second_look_added() {
    let mut house = House::new(&[]);
    let filing = Filing { seq: 0, tokens: 42, fingerprint: 0 };
    let kept = memory(1, "Cache", "The cached tokens were stale.");
    house.tables.write(|batch| batch.put_memory(&kept, filing).map(|_| ())).unwrap();
    house.file();
    let hits = house.ask(Ask { text: "cached tokens".to_owned(), explain: true, ..Ask::default() });
    assert_eq!(hits[0].tokens, 42);
    let why = hits[0].why.as_ref().unwrap();
    assert!(why.iter().any(|reason| reason.name == "reading" && reason.value > 0.0));
}

#[test]
fn what_was_filed_in_an_older_way_is_filed_anew_once() {
    let mut house = House::with_vectors(&some());
    assert!(!Search::check_way(&mut house.tables).unwrap(), "a new store is filed in the way of today");
    house.tables.write(|batch| batch.set_meta("search-filing", "an older one")).unwrap();
    assert!(Search::check_way(&mut house.tables).unwrap());
    let all = house.tables.count_memories().unwrap();
    assert_eq!(house.tables.count_terms_due().unwrap(), all);
    assert_eq!(house.tables.count_unembedded().unwrap(), all);
    house.file();
    assert_eq!(house.tables.count_unembedded().unwrap(), 0);
    assert!(!Search::check_way(&mut house.tables).unwrap());
}
