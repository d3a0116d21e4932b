//! What waits to be told to a team, and what others have told: two machines' tables and a third that both tell.

use std::path::Path;

use model::{Memory, MemoryId, MemoryKind, SessionId, WorkspaceKey};
use store::shared::{Author, Change, Shared, SharedClaim, SharedMemory, SharedProject, SharedSession};
use store::{ClaimSign, Filing, MemoryFilter, SessionTouch, Tables, Tidings};

const NOON: u64 = 1_800_000_000_000;
const COMMIT: &str = "c0ffee";

fn project() -> SharedProject {
    SharedProject(COMMIT.into())
}

fn author(user: &str) -> Author {
    Author { user: user.into(), machine: format!("{user}s-laptop") }
}

fn filing(seq: u64) -> Filing {
    Filing { seq, tokens: 1, fingerprint: 0 }
}

fn note(number: u64, title: &str) -> Memory {
    Memory {
        project: Some("shop".into()),
        project_key: Some("key-of-shop".into()),
        workspace: Some(WorkspaceKey::from_hex("w".into())),
        files_modified: vec!["/srv/ana/shop/src/cart.rs".into()],
        ..Memory::new(MemoryId::from_u64(number), MemoryKind::Note, NOON + number, title.into(), title.into())
    }
}

/// Tables of a machine on which a repository was worked in.
fn machine(path: &Path, root: &str) -> Tables {
    let mut tables = Tables::open(path).unwrap();
    tables
        .write(|batch| {
            let workspace = WorkspaceKey::from_hex("w".into());
            batch.upsert_workspace(&workspace, root, Some("shop"), NOON)?;
            batch.upsert_project("key-of-shop", "shop", Some(COMMIT))?;
            batch.place_workspace(&workspace, "key-of-shop")
        })
        .unwrap();
    tables
}

fn start(tables: &mut Tables, session: &str, at: u64) {
    tables
        .write(|batch| {
            batch.touch_session(&SessionTouch {
                workspace: Some(WorkspaceKey::from_hex("w".into())),
                branch: Some("main".into()),
                ..SessionTouch::new(SessionId::new(session), "claude-code", at)
            })
        })
        .unwrap();
}

fn waiting(tables: &Tables) -> Vec<String> {
    let said = |what: Tidings| match what {
        Tidings::Memory(own) => format!("memory {}", own.row.memory.title),
        Tidings::Forgotten(id) => format!("forgotten {}", id.as_u64()),
        Tidings::Session(session) => format!("session {} {:?}", session.id.as_str(), session.ended_at),
        Tidings::Claim(claim) => format!("claim {} {}", claim.session.as_str(), claim.path),
        Tidings::Released { session, path } => format!("released {} {path}", session.as_str()),
        Tidings::Message(message) => format!("message {} from {:?}", message.text, message.from),
        Tidings::Pattern(pattern) => format!("pattern {} {}", pattern.id, pattern.state),
        Tidings::Nothing => "nothing".into(),
    };
    tables.outbox(1000, NOON).unwrap().into_iter().map(|waiting| said(waiting.what)).collect()
}

/// What leaves here is everything: what may leave is another room's question.
fn change(tables: &Tables, limit: usize) -> (Vec<(u64, Change)>, u64) {
    let waiting = tables.outbox(limit, NOON).unwrap();
    let last = waiting.last().map_or(0, |waiting| waiting.position);
    let told = waiting.into_iter().filter_map(|waiting| {
        let project = waiting.project.clone();
        let change = match waiting.what {
            Tidings::Memory(own) => Change::Memory(Box::new(SharedMemory {
                project,
                memory: own.row.memory,
                changed_at: waiting.at,
                hits: own.row.hits,
                prevented: own.row.prevented,
                last_applied_at: own.row.last_applied_at,
                superseded_by: own.row.superseded_by,
                vectors: None,
            })),
            Tidings::Forgotten(id) => Change::Forgotten { project, id },
            Tidings::Session(session) => Change::Session(session),
            Tidings::Claim(claim) => Change::Claim(claim),
            Tidings::Released { session, path } => Change::Released { project, session, path: Some(path) },
            Tidings::Message(message) => Change::Message(message),
            Tidings::Pattern(pattern) => Change::Pattern(pattern),
            Tidings::Nothing => return None,
        };
        Some((waiting.position, change))
    });
    (told.collect(), last)
}

fn pull(here: &mut Tables, team: &mut Tables, me: &Author) {
    loop {
        let cursor = here.news_cursor().unwrap();
        let news = team.news(&me.machine, &[project()], &cursor, 7).unwrap();
        here.write(|batch| {
            for (by, change) in &news.changes {
                batch.take_in(by, change, filing(0))?;
            }
            batch.set_news_cursor(&news.cursor)
        })
        .unwrap();
        if !news.more {
            return;
        }
    }
}

fn sign<'a>(path: &'a str, session: &'a SessionId, at: u64) -> ClaimSign<'a> {
    ClaimSign { path, session, at, note: None, place: None, is_edit: true, renews_since: 0 }
}

#[test]
fn what_is_not_shared_waits_nowhere_and_what_is_shared_later_waits_from_the_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = machine(&folder.path().join("t.db"), "/srv/ana/shop");
    tables
        .write(|batch| {
            batch.put_memory(&note(1, "one"), filing(1))?;
            batch.put_memory(&Memory { kind: MemoryKind::Chunk, ..note(2, "said") }, filing(2))?;
            batch.put_memory(&Memory { project_key: Some("elsewhere".into()), ..note(3, "other") }, filing(3))
        })
        .unwrap();
    start(&mut tables, "s1", NOON);
    assert!(waiting(&tables).is_empty());
    tables.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
    assert_eq!(waiting(&tables), ["memory one", "session s1 None"]);
    tables.write(|batch| batch.share_projects("ana", &[])).unwrap();
    assert!(waiting(&tables).is_empty());
    tables.write(|batch| batch.put_memory(&note(4, "four"), filing(4))).unwrap();
    assert!(waiting(&tables).is_empty());
}

#[test]
fn what_changes_again_before_it_is_told_moves_to_the_end_and_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = machine(&folder.path().join("t.db"), "/srv/ana/shop");
    tables.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
    tables.write(|batch| batch.put_memory(&note(1, "one"), filing(1))).unwrap();
    tables.write(|batch| batch.put_memory(&note(2, "two"), filing(2))).unwrap();
    start(&mut tables, "s1", NOON);
    for at in 0..5 {
        let path = "/srv/ana/shop/src/cart.rs";
        tables.write(|batch| batch.claim(&sign(path, &SessionId::new("s1"), NOON + at))).unwrap();
    }
    tables.write(|batch| batch.claim(&sign("/srv/ana/elsewhere.rs", &SessionId::new("s1"), NOON))).unwrap();
    tables.write(|batch| batch.put_memory(&note(1, "one, better"), filing(1))).unwrap();
    assert_eq!(
        waiting(&tables),
        ["memory two", "session s1 None", "claim s1 src/cart.rs", "memory one, better"]
    );
    tables.write(|batch| batch.release(Some(&SessionId::new("s1")), None)).unwrap();
    tables.write(|batch| batch.end_session(&SessionId::new("s1"), NOON + 9, "other")).unwrap();
    tables.write(|batch| batch.forget_memory(MemoryId::from_u64(1))).unwrap();
    tables.write(|batch| batch.drop_memory(MemoryId::from_u64(2))).unwrap();
    assert_eq!(
        waiting(&tables),
        [
            "nothing".to_owned(),
            "released s1 src/cart.rs".into(),
            format!("session s1 {:?}", Some(NOON + 9)),
            "forgotten 1".into()
        ]
    );
}

#[test]
fn a_first_commit_that_is_known_later_brings_what_was_kept_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = Tables::open(&folder.path().join("t.db")).unwrap();
    tables
        .write(|batch| {
            batch.share_projects("ana", &[project()])?;
            batch.upsert_project("key-of-shop", "shop", None)?;
            batch.put_memory(&note(1, "one"), filing(1))
        })
        .unwrap();
    assert!(waiting(&tables).is_empty());
    tables.write(|batch| batch.upsert_project("key-of-shop", "shop", Some(COMMIT))).unwrap();
    assert_eq!(waiting(&tables), ["memory one"]);
}

#[test]
fn in_whatever_order_a_project_becomes_known_everything_of_it_waits() {
    let workspace = WorkspaceKey::from_hex("w".into());
    type Step = fn(&mut Tables, &WorkspaceKey);
    let steps: [Step; 4] = [
        |tables, _| {
            tables.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
        },
        |tables, _| {
            tables.write(|batch| batch.upsert_project("key-of-shop", "shop", Some(COMMIT))).unwrap();
        },
        |tables, workspace| {
            tables.write(|batch| batch.place_workspace(workspace, "key-of-shop")).unwrap();
        },
        |tables, _| {
            start(tables, "s1", NOON);
            tables
                .write(|batch| {
                    batch.claim(&sign("/srv/ana/shop/src/cart.rs", &SessionId::new("s1"), NOON))?;
                    batch.put_memory(&note(1, "one"), filing(1))
                })
                .unwrap();
        },
    ];
    let mut orders = vec![];
    for one in 0..4 {
        for two in 0..4 {
            for three in 0..4 {
                let order = [one, two, three, 6_usize.wrapping_sub(one + two + three)];
                if (0..4).all(|step| order.contains(&step)) {
                    orders.push(order);
                }
            }
        }
    }
    assert_eq!(orders.len(), 24);
    for order in orders {
        for known_before in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let mut tables = Tables::open(&folder.path().join("t.db")).unwrap();
            tables
                .write(|batch| batch.upsert_workspace(&workspace, "/srv/ana/shop", Some("shop"), NOON))
                .unwrap();
            if known_before {
                tables.write(|batch| batch.upsert_project("key-of-shop", "shop", None)).unwrap();
            }
            for step in order {
                steps[step](&mut tables, &workspace);
            }
            let mut waiting = waiting(&tables);
            waiting.sort();
            assert_eq!(
                waiting,
                ["claim s1 src/cart.rs", "memory one", "session s1 None"],
                "{order:?}, known before: {known_before}"
            );
        }
    }
}

#[test]
fn a_project_without_a_first_commit_is_named_with_a_folder_to_ask_in() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = machine(&folder.path().join("t.db"), "/srv/ana/shop");
    assert!(tables.nameless_projects().unwrap().is_empty());
    tables
        .write(|batch| {
            for (number, root) in ["/srv/ana/old", "/srv/ana/new"].into_iter().enumerate() {
                let workspace = WorkspaceKey::from_hex(format!("w{number}"));
                batch.upsert_workspace(&workspace, root, None, NOON + number as u64)?;
                batch.upsert_project("another", "till", None)?;
                batch.place_workspace(&workspace, "another")?;
            }
            Ok(())
        })
        .unwrap();
    let found = tables.nameless_projects().unwrap();
    let named: Vec<(&str, &str)> = found.iter().map(|one| (one.key.as_str(), one.root.as_str())).collect();
    assert_eq!(named, [("another", "/srv/ana/new")]);
}

#[test]
fn what_others_have_told_is_found_as_theirs_and_never_told_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut here = machine(&folder.path().join("t.db"), "/srv/shop");
    here.write(|batch| batch.share_projects("ben", &[project()])).unwrap();
    let told = SharedMemory {
        project: project(),
        memory: Memory {
            files_modified: vec!["src/cart.rs".into()],
            pinned: true,
            ..note(1, "carts expire")
        },
        changed_at: 5,
        hits: 2,
        prevented: 0,
        last_applied_at: None,
        superseded_by: None,
        vectors: None,
    };
    let by = author("ana");
    let take = |here: &mut Tables, change: Change| {
        here.write(|batch| batch.take_in(&by, &change, filing(0))).unwrap();
    };
    take(&mut here, Change::Memory(Box::new(told.clone())));
    let found = here.memory_of(MemoryId::from_u64(1)).unwrap().unwrap();
    assert_eq!(found.memory.title, "ana: carts expire");
    assert_eq!(found.memory.files_modified, ["/srv/shop/src/cart.rs"]);
    assert_eq!((found.memory.project_key.as_deref(), found.hits), (Some("key-of-shop"), 2));
    assert_eq!(found.author, Some(by.clone()));
    assert!(waiting(&here).is_empty());
    assert!(here.files_due(10).unwrap().is_empty(), "it is no file of ours");

    // An older telling changes counters alone.
    let mut older = told.clone();
    (older.memory.title, older.changed_at, older.hits) = ("old".into(), 4, 9);
    take(&mut here, Change::Memory(Box::new(older)));
    let found = here.memory_of(MemoryId::from_u64(1)).unwrap().unwrap();
    assert_eq!((found.memory.title.as_str(), found.hits), ("ana: carts expire", 9));

    // Ours under the same id stays ours; only we forget it.
    here.write(|batch| batch.put_memory(&note(2, "mine"), filing(2))).unwrap();
    let mut same = told.clone();
    same.memory.id = MemoryId::from_u64(2);
    take(&mut here, Change::Memory(Box::new(same)));
    for id in [1, 2] {
        take(&mut here, Change::Forgotten { project: project(), id: MemoryId::from_u64(id) });
    }
    take(&mut here, Change::Memory(Box::new(told)));
    let titles: Vec<String> =
        here.memories(&MemoryFilter::default()).unwrap().into_iter().map(|row| row.memory.title).collect();
    assert_eq!(titles, ["mine"], "what is forgotten does not come back");
    assert_eq!(waiting(&here), ["memory mine"], "what is told to us is not told on");
}

#[test]
fn others_sessions_and_claims_are_known_until_they_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut here = machine(&folder.path().join("t.db"), "/srv/shop");
    here.write(|batch| batch.share_projects("ben", &[project()])).unwrap();
    let by = author("ana");
    let session = SharedSession {
        project: project(),
        id: SessionId::new("anas-session"),
        agent: "claude-code".into(),
        branch: Some("x".into()),
        goal: None,
        started_at: NOON,
        seen_at: NOON,
        ended_at: None,
    };
    let claim = SharedClaim {
        project: project(),
        session: session.id.clone(),
        path: "src/cart.rs".into(),
        branch: Some("x".into()),
        since_at: NOON,
        last_at: NOON,
        lines: Some((3, 9)),
        goal: Some("expire carts".into()),
    };
    let take = |here: &mut Tables, change: Change| {
        here.write(|batch| batch.take_in(&by, &change, filing(0))).unwrap();
    };
    take(&mut here, Change::Session(session.clone()));
    take(&mut here, Change::Claim(claim.clone()));
    assert_eq!(here.team_sessions(&project(), NOON).unwrap(), [(by.clone(), session.clone())]);
    assert_eq!(
        here.team_claims(&project(), Some("src/cart.rs"), NOON).unwrap(),
        [(by.clone(), claim.clone())]
    );
    assert!(here.team_claims(&project(), Some("src/tax.rs"), NOON).unwrap().is_empty());
    assert_eq!(here.team_session("anas-").unwrap().unwrap().1.id, session.id);
    take(&mut here, Change::Session(SharedSession { ended_at: Some(NOON + 1), ..session.clone() }));
    assert!(here.team_claims(&project(), None, NOON).unwrap().is_empty());
    take(&mut here, Change::Session(session.clone()));
    take(&mut here, Change::Released { project: project(), session: session.id.clone(), path: None });
    assert!(here.team_claims(&project(), None, NOON).unwrap().is_empty());
}

#[test]
fn the_lines_of_a_claim_are_told_as_they_grow() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = machine(&folder.path().join("t.db"), "/srv/ana/shop");
    tables.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
    start(&mut tables, "s1", NOON);
    let (path, session) = ("/srv/ana/shop/src/cart.rs", SessionId::new("s1"));
    tables.write(|batch| batch.claim(&sign(path, &session, NOON))).unwrap();
    for (lines, told) in [(vec![(3, 9)], (3, 9)), (vec![(3, 9), (20, 21)], (3, 21))] {
        let (_, last) = change(&tables, 100);
        tables.write(|batch| batch.outbox_done(last)).unwrap();
        tables.write(|batch| batch.set_claimed_lines(path, &session, &lines)).unwrap();
        let waiting = tables.outbox(10, NOON).unwrap();
        assert!(
            matches!(&waiting[..], [one] if matches!(&one.what, Tidings::Claim(claim) if claim.lines == Some(told))),
            "{waiting:?}"
        );
        tables.write(|batch| batch.set_claimed_lines(path, &session, &lines)).unwrap();
    }
    let (_, last) = change(&tables, 100);
    tables.write(|batch| batch.outbox_done(last)).unwrap();
    tables.write(|batch| batch.claim(&sign(path, &session, NOON + 1))).unwrap();
    assert!(waiting(&tables).is_empty(), "the same lines a moment later are no news");
}

#[test]
fn a_message_goes_to_the_machine_of_its_session_and_that_it_was_said_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut team = Tables::open(&folder.path().join("team.db")).unwrap();
    let mut ana = machine(&folder.path().join("ana.db"), "/srv/ana/shop");
    let mut ben = machine(&folder.path().join("ben.db"), "/srv/shop");
    let mut third = machine(&folder.path().join("third.db"), "/srv/shop");
    for (tables, user) in [(&mut ana, "ana"), (&mut ben, "ben"), (&mut third, "carl")] {
        tables.write(|batch| batch.share_projects(user, &[project()])).unwrap();
    }
    let ship = |tables: &mut Tables, team: &mut Tables, user: &str| {
        let (changes, last) = change(tables, 100);
        team.apply(&author(user), &tables.outbox_name().unwrap(), &changes).unwrap();
        tables.write(|batch| batch.outbox_done(last)).unwrap();
    };
    start(&mut ana, "anas", NOON);
    start(&mut ben, "bens", NOON);
    ship(&mut ana, &mut team, "ana");
    ship(&mut ben, &mut team, "ben");
    pull(&mut ana, &mut team, &author("ana"));
    let (anas, bens) = (SessionId::new("anas"), SessionId::new("bens"));
    ana.write(|batch| {
        batch.put_message("m1", &bens, "anas", NOON + 1, "are you in cart.rs?")?;
        batch.put_message("m2", &bens, "ana-at-home", NOON + 2, "lunch")?;
        batch.put_message("m3", &anas, "ana-at-home", NOON + 3, "to myself")
    })
    .unwrap();
    assert_eq!(
        waiting(&ana),
        ["message are you in cart.rs? from \"anas\"", "message lunch from \"\""],
        "a person's name here stays here, and so do words for a session here"
    );
    ship(&mut ana, &mut team, "ana");
    for (tables, user) in [(&mut ben, "ben"), (&mut third, "carl")] {
        pull(tables, &mut team, &author(user));
    }
    let all = store::MessageFilter { oldest_first: true, ..store::MessageFilter::default() };
    let heard = ben.messages(&all).unwrap();
    let said: Vec<(&str, Option<&str>)> =
        heard.iter().map(|row| (row.from.as_str(), row.author.as_deref())).collect();
    assert_eq!(said, [("anas", Some("ana")), ("ana", Some("ana"))]);
    assert_eq!(heard[0].sender.as_ref().map(|sender| sender.agent.as_str()), Some("claude-code"));
    assert!(third.messages(&all).unwrap().is_empty());
    assert!(waiting(&ben).is_empty(), "what is told to us is not told on");

    ben.write(|batch| batch.deliver_message("m1", NOON + 9)).unwrap();
    assert_eq!(waiting(&ben).len(), 1);
    ship(&mut ben, &mut team, "ben");
    pull(&mut ana, &mut team, &author("ana"));
    pull(&mut ben, &mut team, &author("ben"));
    let delivered: Vec<Option<u64>> =
        ana.messages(&all).unwrap().into_iter().map(|row| row.delivered_at).collect();
    assert_eq!(delivered, [Some(NOON + 9), None, None]);
    assert!(waiting(&ana).is_empty() && waiting(&ben).is_empty(), "and that is the end of it");
}

#[test]
fn a_pattern_of_a_shared_session_is_told_as_it_stands_and_seen_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut team = Tables::open(&folder.path().join("team.db")).unwrap();
    let mut ana = machine(&folder.path().join("ana.db"), "/srv/ana/shop");
    let mut ben = machine(&folder.path().join("ben.db"), "/srv/shop");
    ben.write(|batch| batch.share_projects("ben", &[project()])).unwrap();
    start(&mut ana, "anas", NOON);
    let mut row = store::PatternRow {
        id: "anas/jury/review".into(),
        session: SessionId::new("anas"),
        kind: "jury".into(),
        name: "review".into(),
        at: NOON,
        ended_at: None,
        state: "{\"in\":1}".into(),
    };
    ana.write(|batch| batch.put_pattern(&row)).unwrap();
    ana.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
    assert_eq!(waiting(&ana), ["session anas None", "pattern anas/jury/review {\"in\":1}"]);
    (row.state, row.ended_at) = ("{\"in\":3}".into(), Some(NOON + 5));
    ana.write(|batch| batch.put_pattern(&row)).unwrap();
    ana.write(|batch| batch.put_pattern(&row)).unwrap();
    let (changes, _) = change(&ana, 100);
    team.apply(&author("ana"), "box", &changes).unwrap();
    pull(&mut ben, &mut team, &author("ben"));
    let seen = ben.patterns_elsewhere(10).unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!((&seen[0].0, seen[0].1.ended_at), (&author("ana"), Some(NOON + 5)));
    assert_eq!(seen[0].1.state, serde_json::json!({ "in": 3 }));
    assert!(waiting(&ben).is_empty());
}

#[test]
fn what_is_set_aside_is_kept_and_waits_again_when_it_changes_or_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = machine(&folder.path().join("t.db"), "/srv/ana/shop");
    tables.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
    for number in 1..=3 {
        tables
            .write(|batch| batch.put_memory(&note(number, &format!("note {number}")), filing(number)))
            .unwrap();
    }
    let position = tables.outbox(10, NOON).unwrap()[1].position;
    tables.write(|batch| batch.set_aside(position, "too large", NOON)).unwrap();
    assert_eq!(waiting(&tables), ["memory note 1", "memory note 3"]);
    let (count, last) = tables.outbox_aside().unwrap();
    assert_eq!((count, last.unwrap().why.as_str()), (1, "too large"));
    tables.write(|batch| batch.retry_aside(10)).unwrap();
    assert_eq!(waiting(&tables), ["memory note 1", "memory note 3", "memory note 2"]);
    let (_, last) = change(&tables, 10);
    tables.write(|batch| batch.outbox_done(last)).unwrap();
    assert_eq!(tables.outbox_aside().unwrap(), (0, None), "it was taken");
}

#[test]
fn nothing_is_lost_or_doubled_over_fifty_cuts_and_a_rebuild() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ana.db");
    let mut team = Tables::open(&folder.path().join("team.db")).unwrap();
    let mut ben = machine(&folder.path().join("ben.db"), "/srv/shop");
    ben.write(|batch| batch.share_projects("ben", &[project()])).unwrap();
    let mut ana = machine(&path, "/srv/ana/shop");
    ana.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
    let (by, me) = (author("ana"), author("ben"));
    let mut made = 0;
    let mut new = 0;
    for cut in 0..50_u64 {
        for _ in 0..5 {
            made += 1;
            ana.write(|batch| batch.put_memory(&note(made, &format!("note {made}")), filing(made))).unwrap();
        }
        // One that was told before says something else by now.
        let again = made / 2 + 1;
        ana.write(|batch| {
            batch.put_memory(&note(again, &format!("note {again} after {cut}")), filing(again))
        })
        .unwrap();
        let outbox = ana.outbox_name().unwrap();
        let (changes, last) = change(&ana, 4 + (cut as usize % 5));
        match cut % 4 {
            // The line is cut before anything arrives.
            0 => {}
            // It arrives, and we are killed before we note it.
            1 | 2 => new += team.apply(&by, &outbox, &changes).unwrap(),
            _ => {
                new += team.apply(&by, &outbox, &changes).unwrap();
                ana.write(|batch| batch.outbox_done(last)).unwrap();
            }
        }
        if cut == 25 {
            // The tables are made anew: another outbox, and everything in it once more.
            drop(ana);
            let aside = store::move_aside(&path).unwrap();
            ana = machine(&path, "/srv/ana/shop");
            ana.carry_over(&aside, 1).unwrap();
            assert_ne!(ana.outbox_name().unwrap(), outbox);
            for number in 1..=made {
                ana.write(|batch| batch.put_memory(&note(number, &format!("note {number}")), filing(number)))
                    .unwrap();
            }
        }
        pull(&mut ben, &mut team, &me);
    }
    assert!(new > 0);
    let outbox = ana.outbox_name().unwrap();
    loop {
        let (changes, last) = change(&ana, 64);
        if last == 0 {
            break;
        }
        // Told twice on purpose: the second time nothing is new.
        team.apply(&by, &outbox, &changes).unwrap();
        assert_eq!(team.apply(&by, &outbox, &changes).unwrap(), 0);
        ana.write(|batch| batch.outbox_done(last)).unwrap();
    }
    pull(&mut ben, &mut team, &me);
    let titles = |tables: &Tables| {
        let mut titles: Vec<String> = tables
            .memories(&MemoryFilter::default())
            .unwrap()
            .into_iter()
            .map(|row| row.memory.title.trim_start_matches("ana: ").to_owned())
            .collect();
        titles.sort();
        titles
    };
    assert_eq!(titles(&ana).len(), made as usize);
    assert_eq!(titles(&ben), titles(&ana));
}

#[test]
fn an_outbox_that_is_too_long_loses_leases_and_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = machine(&folder.path().join("t.db"), "/srv/ana/shop");
    tables.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
    start(&mut tables, "s1", NOON);
    start(&mut tables, "s2", NOON);
    tables.write(|batch| batch.put_memory(&note(1, "one"), filing(1))).unwrap();
    tables.write(|batch| batch.put_memory(&note(2, "two"), filing(2))).unwrap();
    assert_eq!(tables.write(|batch| batch.trim_outbox(3)).unwrap(), 1);
    assert_eq!(waiting(&tables), ["session s2 None", "memory one", "memory two"]);
    assert_eq!(tables.write(|batch| batch.trim_outbox(0)).unwrap(), 1);
    assert_eq!(waiting(&tables), ["memory one", "memory two"]);
}

#[test]
fn what_was_to_be_forgotten_by_everybody_outlives_a_rebuild() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    let mut tables = machine(&path, "/srv/ana/shop");
    tables.write(|batch| batch.share_projects("ana", &[project()])).unwrap();
    tables.write(|batch| batch.put_memory(&note(1, "one"), filing(1))).unwrap();
    tables.write(|batch| batch.forget_memory(MemoryId::from_u64(1))).unwrap();
    drop(tables);
    let aside = store::move_aside(&path).unwrap();
    let mut tables = machine(&path, "/srv/ana/shop");
    tables.carry_over(&aside, 1).unwrap();
    assert_eq!(waiting(&tables), ["forgotten 1"]);
}
