//! One meaning, two engines: every story is told to each. Whoever changes what one does changes it here, and then in both.

use model::{Memory, MemoryId, MemoryKind, SessionId};
use store::shared::{
    Author, Change, News, Shared, SharedAsk, SharedClaim, SharedMemory, SharedMessage, SharedPattern,
    SharedProject, SharedSession,
};

/// A place where people tell and hear. Everybody has a connection of their own.
pub(crate) trait Stage {
    fn enter(&mut self, user: &str) -> Box<dyn Shared>;
}

pub(crate) type Story = fn(&mut dyn Stage);

/// Lists every story for an engine: `stories!(check)` makes a test of each that calls `check(story)`.
#[macro_export]
macro_rules! stories {
    ($(#[$mark:meta])* $check:path) => {
        $crate::stories!(@each [$(#[$mark])*] $check,
            a_batch_is_applied_once_however_often_it_is_sent,
            an_outbox_that_was_made_anew_begins_anew,
            of_two_tellings_the_later_counts_in_whatever_order_they_come,
            counters_keep_the_greater,
            what_was_forgotten_stays_forgotten_however_late_it_is_told,
            a_claim_is_held_until_it_is_released_or_left_alone_or_its_session_ends,
            a_message_waits_until_it_is_delivered_and_is_delivered_once,
            patterns_stand_as_they_were_told_last,
            what_is_over_goes_after_a_while_and_memories_stay,
            news_are_what_others_told_page_by_page,
            news_of_another_project_are_not_mixed_in,
            whatever_is_in_a_text_comes_back,
            a_memory_is_found_by_its_words);
    };
    (@each $marks:tt $check:path, $($story:ident),+) => {
        $($crate::stories!(@one $marks $check, $story);)+
    };
    (@one [$($mark:tt)*] $check:path, $story:ident) => {
        #[test]
        $($mark)*
        fn $story() {
            $check($crate::stories::$story);
        }
    };
}

pub(crate) const NOON: u64 = 1_800_000_000_000;

pub(crate) fn project(name: &str) -> SharedProject {
    SharedProject(format!("commit-of-{name}"))
}

pub(crate) fn author(user: &str) -> Author {
    Author { user: user.to_owned(), machine: format!("{user}s-laptop") }
}

pub(crate) fn memory(id: u64, text: &str, changed_at: u64) -> SharedMemory {
    let id = MemoryId::from_u64(id);
    SharedMemory {
        project: project("shop"),
        memory: Memory::new(id, MemoryKind::Note, NOON, text.to_owned(), format!("{text}.")),
        changed_at,
        hits: 0,
        prevented: 0,
        last_applied_at: None,
        superseded_by: None,
        vectors: None,
    }
}

pub(crate) fn told(id: u64, text: &str, changed_at: u64) -> Change {
    Change::Memory(Box::new(memory(id, text, changed_at)))
}

pub(crate) fn session(id: &str, seen_at: u64) -> SharedSession {
    SharedSession {
        project: project("shop"),
        id: SessionId::new(id),
        agent: "claude-code".to_owned(),
        branch: Some("main".to_owned()),
        goal: Some("carts that survive".to_owned()),
        started_at: NOON,
        seen_at,
        ended_at: None,
    }
}

pub(crate) fn claim(session: &str, path: &str, last_at: u64) -> SharedClaim {
    SharedClaim {
        project: project("shop"),
        session: SessionId::new(session),
        path: path.to_owned(),
        branch: Some("main".to_owned()),
        since_at: NOON,
        last_at,
        lines: Some((3, 9)),
        goal: None,
    }
}

fn released(session: &str, path: Option<&str>) -> Change {
    let path = path.map(str::to_owned);
    Change::Released { project: project("shop"), session: SessionId::new(session), path }
}

/// Everything there is from a cursor on.
pub(crate) fn hear(engine: &mut dyn Shared, machine: &str, cursor: &mut String) -> Vec<(Author, Change)> {
    let mut all = Vec::new();
    loop {
        let News { changes, cursor: next, more } =
            engine.news(machine, &[project("shop")], cursor, 100).unwrap();
        all.extend(changes);
        *cursor = next;
        if !more {
            return all;
        }
    }
}

fn heard_ids(heard: &[(Author, Change)]) -> Vec<u64> {
    let id = |change: &Change| match change {
        Change::Memory(told) => Some(told.memory.id.as_u64()),
        _ => None,
    };
    heard.iter().filter_map(|(_, change)| id(change)).collect()
}

fn title(engine: &mut dyn Shared, id: u64) -> Option<String> {
    engine.memory(MemoryId::from_u64(id)).unwrap().map(|told| told.memory.title)
}

pub(crate) fn a_batch_is_applied_once_however_often_it_is_sent(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let by = author("ann");
    assert_eq!(ann.applied(&by, "box").unwrap(), 0);
    let batch: Vec<(u64, Change)> = (1..=3).map(|n| (n, told(n, &format!("note {n}"), n))).collect();
    assert_eq!(ann.apply(&by, "box", &batch).unwrap(), 3);
    assert_eq!(ann.apply(&by, "box", &batch).unwrap(), 0);
    assert_eq!(ann.applied(&by, "box").unwrap(), 3);
    // An answer that was lost on its way: the next batch begins too early. A gap is nothing to wait for.
    let more: Vec<(u64, Change)> = [2, 3, 4, 9].map(|n| (n, told(n, &format!("again {n}"), 50))).into();
    assert_eq!(ann.apply(&by, "box", &more).unwrap(), 2);
    assert_eq!(ann.apply(&by, "box", &[(7, told(7, "too late", 50))]).unwrap(), 0);
    assert_eq!(ann.apply(&by, "box", &[]).unwrap(), 0);
    assert_eq!(ann.applied(&by, "box").unwrap(), 9);
    let mut ids = heard_ids(&hear(&mut *bob, "bobs-laptop", &mut String::new()));
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4, 9]);
    assert_eq!(title(&mut *bob, 2).as_deref(), Some("note 2"));
}

pub(crate) fn an_outbox_that_was_made_anew_begins_anew(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    ann.apply(&author("ann"), "first", &[(5, told(1, "one", 1))]).unwrap();
    assert_eq!(ann.applied(&author("ann"), "second").unwrap(), 0);
    assert_eq!(ann.apply(&author("ann"), "second", &[(1, told(2, "two", 1))]).unwrap(), 1);
    // Of another machine the same name is another outbox.
    assert_eq!(bob.applied(&author("bob"), "first").unwrap(), 0);
    assert_eq!(bob.apply(&author("bob"), "first", &[(1, told(3, "three", 1))]).unwrap(), 1);
    assert_eq!(ann.applied(&author("ann"), "first").unwrap(), 5);
}

pub(crate) fn of_two_tellings_the_later_counts_in_whatever_order_they_come(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    ann.apply(&author("ann"), "box", &[(1, told(1, "early", 10)), (2, told(2, "late", 20))]).unwrap();
    bob.apply(&author("bob"), "box", &[(1, told(1, "late", 20)), (2, told(2, "early", 10))]).unwrap();
    assert_eq!(title(&mut *ann, 1).as_deref(), Some("late"));
    assert_eq!(title(&mut *ann, 2).as_deref(), Some("late"));
    // At the same moment the machine's name decides, whoever comes first.
    ann.apply(&author("ann"), "box", &[(3, told(3, "ann's", 30))]).unwrap();
    bob.apply(&author("bob"), "box", &[(3, told(3, "bob's", 30)), (4, told(4, "bob's", 30))]).unwrap();
    ann.apply(&author("ann"), "box", &[(4, told(4, "ann's", 30))]).unwrap();
    assert_eq!(title(&mut *bob, 3).as_deref(), Some("bob's"));
    assert_eq!(title(&mut *bob, 4).as_deref(), Some("bob's"));
    // And one machine's own last word is its last word.
    bob.apply(&author("bob"), "box", &[(5, told(4, "first", 40)), (6, told(4, "second", 40))]).unwrap();
    assert_eq!(title(&mut *ann, 4).as_deref(), Some("second"));
}

pub(crate) fn counters_keep_the_greater(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let many = SharedMemory { hits: 9, prevented: 1, last_applied_at: Some(NOON), ..memory(1, "early", 10) };
    let few = SharedMemory { hits: 2, prevented: 4, ..memory(1, "late", 20) };
    ann.apply(&author("ann"), "box", &[(1, Change::Memory(Box::new(many)))]).unwrap();
    bob.apply(&author("bob"), "box", &[(1, Change::Memory(Box::new(few)))]).unwrap();
    let kept = ann.memory(MemoryId::from_u64(1)).unwrap().unwrap();
    assert_eq!((kept.memory.title.as_str(), kept.hits, kept.prevented), ("late", 9, 4));
    assert_eq!(kept.last_applied_at, Some(NOON));
}

pub(crate) fn what_was_forgotten_stays_forgotten_however_late_it_is_told(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let mut carl = stage.enter("carl");
    let forgotten = |id| Change::Forgotten { project: project("shop"), id: MemoryId::from_u64(id) };
    ann.apply(&author("ann"), "box", &[(1, told(1, "a secret", 10)), (2, told(2, "kept", 10))]).unwrap();
    bob.apply(&author("bob"), "box", &[(1, forgotten(1)), (2, forgotten(3))]).unwrap();
    assert_eq!(title(&mut *ann, 1), None);
    // Told again by whoever has not heard, and one whose forgetting came first; also in one batch with its forgetting.
    let again = [
        (3, told(1, "a secret", 99)),
        (4, told(3, "never here", 99)),
        (5, told(4, "x", 1)),
        (6, forgotten(4)),
    ];
    assert_eq!(ann.apply(&author("ann"), "box", &again).unwrap(), 4);
    for id in [1, 3, 4] {
        assert_eq!(title(&mut *ann, id), None, "{id}");
    }
    let heard = hear(&mut *carl, "carls-laptop", &mut String::new());
    let gone = |id| heard.iter().any(|(_, change)| *change == forgotten(id));
    assert!(gone(1) && gone(3) && gone(4), "{heard:?}");
    // Whoever applies in order is left without them.
    let mut kept = std::collections::BTreeSet::new();
    for (_, change) in &heard {
        match change {
            Change::Memory(told) => drop(kept.insert(told.memory.id.as_u64())),
            Change::Forgotten { id, .. } => drop(kept.remove(&id.as_u64())),
            _ => {}
        }
    }
    assert_eq!(kept.into_iter().collect::<Vec<_>>(), [2]);
}

pub(crate) fn a_claim_is_held_until_it_is_released_or_left_alone_or_its_session_ends(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let batch = [
        (1, Change::Session(session("s1", NOON))),
        (2, Change::Claim(claim("s1", "src/cart.rs", NOON + 1))),
        (3, Change::Claim(claim("s1", "src/till.rs", NOON + 2))),
        (4, Change::Claim(claim("s1", "README.md", NOON + 3))),
    ];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    let paths = |engine: &mut dyn Shared, since: u64| {
        let claims = engine.claims(&project("shop"), since).unwrap();
        claims.into_iter().map(|(by, claim)| format!("{}:{}", by.user, claim.path)).collect::<Vec<_>>()
    };
    assert_eq!(paths(&mut *bob, NOON), ["ann:README.md", "ann:src/till.rs", "ann:src/cart.rs"]);
    assert_eq!(paths(&mut *bob, NOON + 3), ["ann:README.md"]);
    let claims = bob.claims(&project("shop"), NOON).unwrap();
    assert_eq!(claims[2].1, claim("s1", "src/cart.rs", NOON + 1));
    let sessions = bob.sessions(&project("shop"), NOON).unwrap();
    assert_eq!(sessions, [(author("ann"), session("s1", NOON))]);
    assert!(bob.sessions(&project("shop"), NOON + 1).unwrap().is_empty());
    // One is given up, and taken again; then all; then one more.
    let batch = [
        (5, released("s1", Some("src/cart.rs"))),
        (6, released("s1", Some("README.md"))),
        (7, Change::Claim(claim("s1", "src/cart.rs", NOON + 7))),
    ];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    assert_eq!(paths(&mut *bob, NOON), ["ann:src/cart.rs", "ann:src/till.rs"]);
    let batch = [(8, released("s1", None)), (9, Change::Claim(claim("s1", "src/new.rs", NOON + 9)))];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    assert_eq!(paths(&mut *bob, NOON), ["ann:src/new.rs"]);
    let ended = SharedSession { ended_at: Some(NOON + 10), ..session("s1", NOON + 10) };
    ann.apply(&author("ann"), "box", &[(10, Change::Session(ended))]).unwrap();
    assert!(paths(&mut *bob, NOON).is_empty());
    assert!(bob.sessions(&project("shop"), NOON).unwrap().is_empty());
    // Whoever follows the news is left with nothing held.
    let mut held = std::collections::BTreeSet::new();
    for (_, change) in hear(&mut *bob, "bobs-laptop", &mut String::new()) {
        match change {
            Change::Claim(claim) => drop(held.insert(claim.path)),
            Change::Released { path: Some(path), .. } => drop(held.remove(&path)),
            Change::Released { path: None, .. } => held.clear(),
            Change::Session(session) if session.ended_at.is_some() => held.clear(),
            _ => {}
        }
    }
    // In whichever order the end and the last claim come, the session has ended.
    held.remove("src/new.rs");
    assert!(held.is_empty(), "{held:?}");
}

pub(crate) fn a_message_waits_until_it_is_delivered_and_is_delivered_once(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let message = |id: &str, at: u64| SharedMessage {
        id: id.to_owned(),
        project: project("shop"),
        to: SessionId::new("bobs"),
        from: "ann".to_owned(),
        at,
        text: "are you in cart.rs?".to_owned(),
        delivered_at: None,
    };
    bob.apply(&author("bob"), "box", &[(1, Change::Session(session("bobs", NOON)))]).unwrap();
    let batch =
        [(1, Change::Message(message("m2", NOON + 2))), (2, Change::Message(message("m1", NOON + 1)))];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    let mut cursor = String::new();
    hear(&mut *ann, "anns-laptop", &mut cursor);
    let to = SessionId::new("bobs");
    assert_eq!(bob.messages(&to).unwrap(), [message("m1", NOON + 1), message("m2", NOON + 2)]);
    assert!(bob.messages(&SessionId::new("anns")).unwrap().is_empty());
    let delivered = SharedMessage { delivered_at: Some(NOON + 5), ..message("m1", NOON + 1) };
    bob.apply(&author("bob"), "box", &[(2, Change::Message(delivered.clone()))]).unwrap();
    assert_eq!(bob.messages(&to).unwrap(), [message("m2", NOON + 2)]);
    // Told again by its sender, who had not heard: it stays delivered.
    ann.apply(&author("ann"), "box", &[(3, Change::Message(message("m1", NOON + 1)))]).unwrap();
    assert_eq!(bob.messages(&to).unwrap(), [message("m2", NOON + 2)]);
    let heard = hear(&mut *ann, "anns-laptop", &mut cursor);
    assert!(heard.contains(&(author("bob"), Change::Message(delivered))), "{heard:?}");
}

pub(crate) fn patterns_stand_as_they_were_told_last(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let pattern = |id: &str, at: u64, votes: u64| SharedPattern {
        id: id.to_owned(),
        project: project("shop"),
        session: SessionId::new("s1"),
        kind: "jury".to_owned(),
        at,
        ended_at: None,
        state: serde_json::json!({ "votes": votes }),
    };
    let batch = [
        (1, Change::Pattern(pattern("p1", NOON, 1))),
        (2, Change::Pattern(pattern("p2", NOON + 5, 1))),
        (3, Change::Pattern(pattern("p1", NOON, 3))),
    ];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    let newest = bob.patterns(&project("shop"), 10).unwrap();
    assert_eq!(newest, [pattern("p2", NOON + 5, 1), pattern("p1", NOON, 3)]);
    assert_eq!(bob.patterns(&project("shop"), 1).unwrap(), [pattern("p2", NOON + 5, 1)]);
    assert!(bob.patterns(&project("other"), 9).unwrap().is_empty());
}

pub(crate) fn what_is_over_goes_after_a_while_and_memories_stay(stage: &mut dyn Stage) {
    /// Long before any two weeks ago.
    const LONG_AGO: u64 = 1_000_000_000_000;
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let message = |id: &str, at: u64| {
        Change::Message(SharedMessage {
            id: id.to_owned(),
            project: project("shop"),
            to: SessionId::new("new"),
            from: String::new(),
            at,
            text: "hello".to_owned(),
            delivered_at: None,
        })
    };
    let pattern = |id: &str, at: u64| SharedPattern {
        id: id.to_owned(),
        project: project("shop"),
        session: SessionId::new(id),
        kind: "jury".to_owned(),
        at,
        ended_at: None,
        state: serde_json::json!({}),
    };
    let mut old = memory(1, "kept for good", LONG_AGO);
    old.memory.at = LONG_AGO;
    let batch = [
        (1, Change::Session(session("old", LONG_AGO))),
        (2, Change::Session(session("new", NOON))),
        (3, Change::Claim(claim("old", "src/old.rs", LONG_AGO))),
        (4, Change::Claim(claim("new", "src/new.rs", NOON))),
        (5, Change::Claim(claim("old", "src/given-back.rs", LONG_AGO))),
        (6, released("old", Some("src/given-back.rs"))),
        (7, message("old", LONG_AGO)),
        (8, message("new", NOON)),
        (9, Change::Pattern(pattern("old", LONG_AGO))),
        (10, Change::Pattern(pattern("new", NOON))),
        (11, Change::Memory(Box::new(old))),
    ];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    // Whoever comes by tidies up, in whatever project they see.
    assert!(bob.prune(NOON).unwrap() >= 4);
    assert_eq!(bob.prune(NOON).unwrap(), 0);
    let sessions = bob.sessions(&project("shop"), 0).unwrap();
    assert_eq!(sessions, [(author("ann"), session("new", NOON))]);
    let claims = bob.claims(&project("shop"), 0).unwrap();
    assert_eq!(claims, [(author("ann"), claim("new", "src/new.rs", NOON))]);
    assert_eq!(bob.messages(&SessionId::new("new")).unwrap().len(), 1);
    assert_eq!(bob.patterns(&project("shop"), 9).unwrap(), [pattern("new", NOON)]);
    assert_eq!(title(&mut *bob, 1).as_deref(), Some("kept for good"));
    let heard = hear(&mut *bob, "bobs-laptop", &mut String::new());
    assert_eq!(heard.len(), 5, "{heard:?}");
}

pub(crate) fn news_are_what_others_told_page_by_page(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let batch: Vec<(u64, Change)> = (1..=7).map(|n| (n, told(n, "note", 1))).collect();
    ann.apply(&author("ann"), "box", &batch).unwrap();
    bob.apply(&author("bob"), "box", &[(1, told(70, "bob's own", 1))]).unwrap();
    let projects = [project("shop")];
    let (mut cursor, mut ids, mut pages) = (String::new(), Vec::new(), 0);
    loop {
        let news = bob.news("bobs-laptop", &projects, &cursor, 3).unwrap();
        assert!(news.changes.len() <= 3);
        assert!(news.changes.iter().all(|(by, _)| *by == author("ann")));
        ids.extend(heard_ids(&news.changes));
        (cursor, pages) = (news.cursor, pages + 1);
        if !news.more {
            break;
        }
    }
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(pages, 3);
    let nothing = bob.news("bobs-laptop", &projects, &cursor, 3).unwrap();
    assert!(nothing.changes.is_empty() && !nothing.more);
    ann.apply(&author("ann"), "box", &[(8, told(3, "changed", 2))]).unwrap();
    let news = bob.news("bobs-laptop", &projects, &nothing.cursor, 3).unwrap();
    assert_eq!(heard_ids(&news.changes), [3]);
    let all = ann.news("anns-laptop", &projects, "", 10).unwrap();
    assert_eq!(heard_ids(&all.changes), [70]);
}

pub(crate) fn news_of_another_project_are_not_mixed_in(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let elsewhere = SharedMemory { project: project("other"), ..memory(2, "elsewhere", 1) };
    let batch = [(1, told(1, "here", 1)), (2, Change::Memory(Box::new(elsewhere)))];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    let here = bob.news("bobs-laptop", &[project("shop")], "", 10).unwrap();
    assert_eq!(heard_ids(&here.changes), [1]);
    let nowhere = bob.news("bobs-laptop", &[project("unheard-of")], "", 10).unwrap();
    assert!(nowhere.changes.is_empty() && !nowhere.more);
    let both = bob.news("bobs-laptop", &[project("shop"), project("other")], "", 10).unwrap();
    assert_eq!(heard_ids(&both.changes), [1, 2]);
}

/// Signs that mean something to a query, a bracket that does not close, what no terminal shows, and nothing at all.
pub(crate) fn whatever_is_in_a_text_comes_back(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let texts =
        ["'; DROP TABLE memories; --", "\u{0}\u{1b}[31m\u{202e}", "a\\'b\\\\ :* & ! | <->", "🦀 ünïcödé", ""];
    for (at, text) in texts.iter().enumerate() {
        let n = at as u64 + 1;
        let mut hostile = memory(n, text, 1);
        hostile.memory.facts = vec![(*text).to_owned()];
        let batch = [
            (3 * n, Change::Memory(Box::new(hostile.clone()))),
            (3 * n + 1, Change::Claim(claim(&format!("s{text}"), &format!("src/{text}.rs"), NOON))),
            (
                3 * n + 2,
                Change::Session(SharedSession { goal: Some((*text).to_owned()), ..session("s", NOON + n) }),
            ),
        ];
        assert_eq!(ann.apply(&author("ann"), "box", &batch).unwrap(), 3, "{text:?}");
        let back = bob.memory(MemoryId::from_u64(n)).unwrap().unwrap();
        assert_eq!(back.memory.title, hostile.memory.title);
        assert_eq!(back.memory.text, hostile.memory.text);
        assert_eq!(back.memory.facts, hostile.memory.facts);
        let ask = SharedAsk { words: vec![(*text).to_owned()], vector: None, projects: None, limit: 5 };
        bob.search(&ask).unwrap();
    }
    assert_eq!(bob.claims(&project("shop"), NOON).unwrap().len(), texts.len());
}

pub(crate) fn a_memory_is_found_by_its_words(stage: &mut dyn Stage) {
    let (mut ann, mut bob) = (stage.enter("ann"), stage.enter("bob"));
    let elsewhere = SharedMemory { project: project("other"), ..memory(4, "cart elsewhere", 1) };
    let batch = [
        (1, told(1, "cart budget", 1)),
        (2, told(2, "cart", 1)),
        (3, told(3, "colors", 1)),
        (4, Change::Memory(Box::new(elsewhere))),
    ];
    ann.apply(&author("ann"), "box", &batch).unwrap();
    let mut ask = |words: &[&str], projects: Option<Vec<SharedProject>>, limit: usize| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let hits = bob.search(&SharedAsk { words, vector: None, projects, limit }).unwrap();
        assert!(hits.iter().all(|hit| hit.by == author("ann") && (0.0..=1.0).contains(&hit.score)));
        assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
        hits.iter().map(|hit| hit.memory.memory.id.as_u64()).collect::<Vec<_>>()
    };
    let shop = || Some(vec![project("shop")]);
    assert_eq!(ask(&["cart", "budget"], shop(), 10), [1, 2]);
    assert_eq!(ask(&["cart", "budget"], shop(), 1), [1]);
    let mut everywhere = ask(&["cart"], None, 10);
    everywhere.sort_unstable();
    assert_eq!(everywhere, [1, 2, 4]);
    assert!(ask(&["absent"], None, 10).is_empty());
    assert!(ask(&[], None, 10).is_empty());
    assert!(ask(&["cart"], Some(vec![project("unheard-of")]), 10).is_empty());
}
