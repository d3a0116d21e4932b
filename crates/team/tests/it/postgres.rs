//! The stories on a real server, and what only it has to show: vectors, writers at the same time, other versions.

use std::sync::atomic::{AtomicBool, Ordering};

use model::MemoryId;
use store::shared::{Change, Shared, SharedAsk, SharedError, SharedMemory, SharedVectors};
use team::Team;
use team::admin::{self, Init};

use crate::stories::{Story, author, hear, memory, project, told};
use crate::world::{World, client};

fn check(story: Story) {
    story(&mut World::new());
}

crate::stories!(
    #[ignore = "needs a server: cargo xtask team-test"]
    check
);

fn with_vectors(id: u64, text: &str, parts: Vec<Vec<f32>>) -> SharedMemory {
    SharedMemory { vectors: Some(SharedVectors { model: "tiny/1".to_owned(), parts }), ..memory(id, text, 1) }
}

fn change(memory: SharedMemory) -> Change {
    Change::Memory(Box::new(memory))
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn vectors_come_back_with_the_news_and_stay_while_the_text_does() {
    let mut world = World::new();
    let (mut ann, mut bob) = (world.member("ann"), world.member("bob"));
    let whole = with_vectors(1, "retry", vec![vec![1.0, 0.0, -0.5], vec![0.0, 0.25, 0.5]]);
    ann.apply(&author("ann"), "box", &[(1, change(whole.clone()))]).unwrap();
    let heard = hear(&mut bob, "bobs-laptop", &mut String::new());
    assert_eq!(heard, [(author("ann"), change(whole.clone()))]);
    // A telling without vectors, of the same text and of another.
    bob.apply(&author("bob"), "box", &[(1, told(1, "retry", 5))]).unwrap();
    let kept = ann.memory(MemoryId::from_u64(1)).unwrap().unwrap();
    assert_eq!((kept.changed_at, kept.vectors), (5, whole.vectors));
    bob.apply(&author("bob"), "box", &[(2, told(1, "retry less", 6))]).unwrap();
    assert_eq!(ann.memory(MemoryId::from_u64(1)).unwrap().unwrap().vectors, None);
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn a_memory_is_found_by_nearness_where_the_server_has_vectors_and_by_words_where_not() {
    let mut world = World::new();
    let (mut ann, mut bob) = (world.member("ann"), world.member("bob"));
    let batch = [
        (1, change(with_vectors(1, "cart", vec![vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 0.0]]))),
        (2, change(with_vectors(2, "till", vec![vec![0.0, 1.0, 0.1]]))),
        (3, change(with_vectors(3, "ink", vec![vec![0.0, 0.0, 1.0]]))),
        (4, told(4, "cart without a vector", 1)),
    ];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    let mut ask = |words: &[&str], vector: Vec<f32>, model: &str| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let vector = Some((model.to_owned(), vector));
        let hits = bob.search(&SharedAsk { words, vector, projects: Some(vec![project("shop")]), limit: 3 });
        hits.unwrap().iter().map(|hit| hit.memory.memory.id.as_u64()).collect::<Vec<_>>()
    };
    let near = ask(&[], vec![0.9, 0.1, 0.0], "tiny/1");
    let both = ask(&["cart"], vec![0.0, 0.0, 1.0], "tiny/1");
    // Of another model nothing is near, and what is no vector of this one is not compared.
    assert_eq!(ask(&["till"], vec![0.0, 0.0, 1.0], "other/1"), [2]);
    assert_eq!(ask(&["till"], vec![1.0], "tiny/1"), [2]);
    if world.has_vectors() {
        assert_eq!(near[0], 1, "the nearest of its vectors counts");
        assert_eq!(both.len(), 3);
        assert!(both.contains(&3) && both.contains(&1));
        ann.apply(
            &author("ann"),
            "box",
            &[(5, Change::Forgotten { project: project("shop"), id: MemoryId::from_u64(1) })],
        )
        .unwrap();
        let left: i64 = client(&world.admin)
            .query_one("SELECT count(*) FROM throughline.vectors_1 WHERE id = 1", &[])
            .unwrap()
            .get(0);
        assert_eq!(left, 0);
    } else {
        assert!(near.is_empty());
        let mut both = both;
        both.sort_unstable();
        assert_eq!(both, [1, 4]);
    }
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn among_many_memories_the_graph_is_asked_and_says_the_same_as_comparing_all() {
    let mut world = World::new();
    if !world.has_vectors() {
        return;
    }
    let mut ann = world.member("ann");
    let near = |id: u64| vec![vec![(id as f32 / 40.0).cos(), (id as f32 / 40.0).sin(), 0.1]];
    let mut batch: Vec<(u64, Change)> =
        (1..=100).map(|id| (id, change(with_vectors(id, "cart", near(id))))).collect();
    // As near as anything, and of a project that is not asked.
    for id in 101..=200 {
        let elsewhere = SharedMemory { project: project("till"), ..with_vectors(id, "cart", near(id - 100)) };
        batch.push((id, change(elsewhere)));
    }
    ann.apply(&author("ann"), "box", &batch).unwrap();
    let ask = |team: &mut dyn Shared, at: u64| {
        let vector = Some(("tiny/1".to_owned(), near(at).remove(0)));
        let ask = SharedAsk { words: Vec::new(), vector, projects: Some(vec![project("shop")]), limit: 5 };
        team.search(&ask).unwrap().iter().map(|hit| hit.memory.memory.id.as_u64()).collect::<Vec<_>>()
    };
    let compared: Vec<Vec<u64>> = (10..90).step_by(10).map(|at| ask(&mut ann, at)).collect();
    assert!(compared.iter().zip((10..90).step_by(10)).all(|(found, at)| found[0] == at), "{compared:?}");
    // So many are there now, as far as the samples say; and a table this small is not read from end to end.
    let mut admin = client(&world.admin);
    admin
        .batch_execute(
            "INSERT INTO throughline.term_samples SELECT id, '', 100000 FROM throughline.projects
             ON CONFLICT (project, term) DO UPDATE SET docs = EXCLUDED.docs;
             DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database()); END $$",
        )
        .unwrap();
    let mut bob = world.member("bob");
    let asked: Vec<Vec<u64>> = (10..90).step_by(10).map(|at| ask(&mut bob, at)).collect();
    assert_eq!(asked, compared);
    // A server counts what a connection did when that ends.
    drop(bob);
    let graphs = "SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_indexes
         WHERE indexrelname LIKE 'vectors%embedding_idx'";
    let used = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        admin.query_one(graphs, &[]).unwrap().get::<_, i64>(0) > 0
    });
    assert!(used, "the graph was not asked");
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn what_began_earlier_and_commits_later_is_not_passed_over() {
    let mut world = World::new();
    let (mut ann, mut bob, mut carl) = (world.member("ann"), world.member("bob"), world.member("carl"));
    let mut hasty = Team::connect(&world.options("carl")).unwrap();
    ann.apply(&author("ann"), "box", &[(1, told(1, "before", 1))]).unwrap();
    // Ann, a second time, slowly: her transaction has its number and is not through.
    let mut slow = world.raw("ann");
    let mut begun = slow.transaction().unwrap();
    begun
        .batch_execute(
            "INSERT INTO throughline.memories (project, id, author, changed_at, hits, prevented, words, digest, body, terms)
             SELECT project, 2, author, 1, 0, 0, 1, digest, replace(body, 'before', 'slow'), terms
             FROM throughline.memories WHERE id = 1",
        )
        .unwrap();
    bob.apply(&author("bob"), "box", &[(1, told(3, "fast", 1))]).unwrap();
    let mut cursor = String::new();
    let ids = |heard: Vec<(store::shared::Author, Change)>| {
        let id = |change: Change| match change {
            Change::Memory(told) => told.memory.id.as_u64(),
            other => panic!("{other:?}"),
        };
        heard.into_iter().map(|(_, change)| id(change)).collect::<Vec<_>>()
    };
    let mut heard = ids(hear(&mut hasty, "carls-laptop", &mut cursor));
    assert!(!heard.contains(&2));
    begun.commit().unwrap();
    heard.extend(ids(hear(&mut carl, "carls-laptop", &mut cursor)));
    heard.sort_unstable();
    assert_eq!(heard, [1, 2, 3]);
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn news_miss_nothing_while_four_write_at_once() {
    const EACH: u64 = 300;
    let mut world = World::new();
    let writers = ["ann", "bob", "carl", "dora"].map(|user| (user, world.member(user)));
    let mut reader = Team::connect(&world.options("eve")).unwrap();
    let mut patient = world.member("eve");
    let done = AtomicBool::new(false);
    let heard = std::thread::scope(|scope| {
        let following = scope.spawn(|| {
            let (mut cursor, mut ids) = (String::new(), Vec::new());
            loop {
                let last = done.load(Ordering::Acquire);
                let reader: &mut dyn Shared = if last { &mut patient } else { &mut reader };
                for (_, change) in hear(reader, "eves-laptop", &mut cursor) {
                    match change {
                        Change::Memory(told) => ids.push(told.memory.id.as_u64()),
                        other => panic!("{other:?}"),
                    }
                }
                if last {
                    return ids;
                }
            }
        });
        let writing = writers.map(|(user, mut team)| {
            scope.spawn(move || {
                let base = u64::from(user.as_bytes()[0]) * 1000;
                for n in 1..=EACH / 3 {
                    let batch: Vec<(u64, Change)> =
                        (0..3).map(|k| (3 * n + k, told(base + 3 * n + k, "note", 1))).collect();
                    assert_eq!(team.apply(&author(user), "box", &batch).unwrap(), 3);
                }
            })
        });
        for writer in writing {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Release);
        following.join().unwrap()
    });
    let mut distinct = heard.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len() as u64, 4 * EACH);
    assert_eq!(heard.len(), distinct.len(), "and nothing twice");
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn init_may_be_repeated_and_by_two_at_once() {
    let mut world = World::new();
    let ready = admin::init(&world.admin, &Init::new(&world.team)).unwrap();
    assert_eq!(ready.was, ready.is);
    let admin = &world.admin;
    std::thread::scope(|scope| {
        let both = ["one", "two"].map(|team| scope.spawn(move || admin::init(admin, &Init::new(team))));
        for one in both {
            one.join().unwrap().unwrap();
        }
    });
    let mut ann = world.member("ann");
    ann.apply(&author("ann"), "box", &[(1, told(1, "x", 1))]).unwrap();
    let status = admin::status(&mut ann).unwrap();
    assert_eq!((status.team.as_str(), status.user.as_str()), (world.team.as_str(), "ann"));
    assert_eq!(status.projects.len(), 1);
    assert_eq!(status.projects[0].memories, 1);
    assert!(status.told_at.is_some());
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn an_older_or_newer_schema_is_named_and_left_alone() {
    let mut world = World::new();
    let options = world.options("ann");
    for (version, hint) in [("version + 1", "update throughline"), ("version - 2", "team init")] {
        client(&world.admin)
            .batch_execute(&format!("UPDATE throughline.house SET version = {version}"))
            .unwrap();
        match Team::connect(&options) {
            Err(error @ SharedError::Version { .. }) => assert!(error.to_string().contains(hint), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}

/// A dump that is read into another server brings rows whose transactions never were there.
#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn what_came_back_from_a_dump_is_told_anew() {
    let mut world = World::new();
    let (mut ann, mut bob) = (world.member("ann"), world.member("bob"));
    ann.apply(&author("ann"), "box", &[(1, told(1, "x", 1))]).unwrap();
    let mut cursor = String::new();
    assert_eq!(hear(&mut bob, "bobs-laptop", &mut cursor).len(), 1);
    client(&world.admin)
        .batch_execute(
            "ALTER TABLE throughline.memories DISABLE TRIGGER USER;
             UPDATE throughline.memories SET xid = '999999999999'::xid8;
             ALTER TABLE throughline.memories ENABLE TRIGGER USER",
        )
        .unwrap();
    assert!(hear(&mut bob, "bobs-laptop", &mut String::new()).is_empty());
    admin::init(&world.admin, &Init::new(&world.team)).unwrap();
    assert_eq!(hear(&mut bob, "bobs-laptop", &mut cursor).len(), 1, "the old cursor is the beginning again");
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn what_no_row_holds_is_unfit_whole_batches_with_it_and_what_is_behind_it_is_taken() {
    let mut world = World::new();
    let mut ann = world.member("ann");
    let long = project(&"x".repeat(500));
    let unfit = change(SharedMemory { project: long, ..memory(2, "of no project anybody has", 1) });
    let batch = [(1, told(1, "one", 1)), (2, unfit.clone()), (3, told(3, "three", 1))];
    for changes in [&batch[..], &batch[1..2]] {
        match ann.apply(&author("ann"), "box", changes) {
            Err(SharedError::Unfit(says)) => assert!(!says.contains("xxx"), "{says}"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(ann.applied(&author("ann"), "box").unwrap(), 0, "all or none of them");
    assert_eq!(ann.apply(&author("ann"), "box", &batch[..1]).unwrap(), 1);
    assert_eq!(ann.apply(&author("ann"), "box", &batch[2..]).unwrap(), 1);
    assert_eq!(ann.applied(&author("ann"), "box").unwrap(), 3);
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn nobody_takes_out_what_is_younger_than_two_weeks_or_of_a_project_they_do_not_see() {
    const LONG_AGO: u64 = 1_000_000_000_000;
    let mut world = World::with(false);
    let mut ann = world.member("ann");
    let batch = [
        (1, Change::Session(crate::stories::session("old", LONG_AGO))),
        (2, Change::Session(crate::stories::session("new", crate::stories::NOON))),
    ];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    let count = |world: &World| -> i64 {
        client(&world.admin).query_one("SELECT count(*) FROM throughline.sessions", &[]).unwrap().get(0)
    };
    world.raw("bob").execute("DELETE FROM throughline.sessions", &[]).unwrap();
    assert_eq!(world.member("bob").prune(u64::MAX).unwrap(), 0);
    assert_eq!(count(&world), 2, "it is not bob's project");
    world.raw("ann").execute("DELETE FROM throughline.sessions", &[]).unwrap();
    assert_eq!(count(&world), 1);
    assert_eq!(ann.sessions(&project("shop"), 0).unwrap().len(), 1);
}
