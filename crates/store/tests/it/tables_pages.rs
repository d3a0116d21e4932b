//! Lists of memories in pages: whatever index leads, the rows are those that a look at every row would find.

use model::{Memory, MemoryId, MemoryKind, SessionId, Summary};
use store::{
    Filing, MemoryFilter, MemoryOrder, MemoryPage, MemoryPlace, MemoryRow, SummaryPage, Tables, UsePage,
};

use crate::world::{NOON, World};

/// More than what a page may look at one by one, so that every way of counting is taken.
const MANY: u64 = 2600;
const KINDS: [MemoryKind; 4] =
    [MemoryKind::Change, MemoryKind::Change, MemoryKind::Decision, MemoryKind::Summary];

fn memory(number: u64) -> Memory {
    let mut memory = Memory::new(
        MemoryId::of(&["page", &number.to_string()]),
        KINDS[(number % 4) as usize],
        // Three of each moment.
        NOON + number / 3,
        format!("title {number}"),
        format!("text {number}"),
    );
    memory.project = Some(["one", "two", "three"][(number % 3) as usize].to_owned());
    // Some were brought in and know no key; of one project only memories know the key.
    memory.project_key = (!number.is_multiple_of(5)).then(|| format!("key-of-{}", number % 3));
    memory.session = Some(SessionId::new(if number % 100 == 7 { "rare" } else { "usual" }));
    memory.branch = number.is_multiple_of(2).then(|| "main".to_owned());
    memory.tools =
        if number % 50 == 1 { vec!["Grep".to_owned()] } else { vec!["Bash".to_owned(), "Edit".to_owned()] };
    memory.files_modified = vec![format!("/home/user/src/m{}/mod.rs", number % 7)];
    memory.pinned = number % 400 == 3;
    memory.critical = number.is_multiple_of(13);
    if number.is_multiple_of(90) { "person" } else { "extractive/1" }.clone_into(&mut memory.provenance.by);
    memory
}

fn filled(world: &World) -> Tables {
    let mut tables = Tables::open(&world.path().join("tables.db")).unwrap();
    tables
        .write(|batch| {
            for number in 0..MANY {
                let memory = memory(number);
                batch.put_memory(&memory, Filing { seq: number, tokens: 1, fingerprint: 0 })?;
                if number % 5 == 0 {
                    batch.credit_memory(memory.id, NOON, number % 10 == 0)?;
                }
                if memory.kind == MemoryKind::Summary && number % 8 == 3 {
                    let summary = Summary { request: memory.title.clone(), ..Summary::default() };
                    batch.put_summary(memory.id, memory.session.as_ref().unwrap(), memory.at, &summary)?;
                }
            }
            Ok(())
        })
        .unwrap();
    tables
}

fn walk(tables: &Tables, page: &MemoryPage) -> Vec<u64> {
    let mut page = page.clone();
    let mut walked = Vec::new();
    loop {
        let found = tables.memory_page(&page).unwrap();
        assert!(found.rows.len() <= page.limit);
        walked.extend(found.rows.iter().map(|row| row.n));
        page.after = found.next;
        if page.after.is_none() {
            return walked;
        }
    }
}

/// What a list holds, found by a look at every row.
fn expected(rows: &[MemoryRow], page: &MemoryPage) -> Vec<u64> {
    let only = &page.only;
    let fits = |row: &&MemoryRow| {
        let memory = &row.memory;
        let is = |wanted: &Option<String>, is: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == is)
        };
        let ends = |wanted: &str| {
            let paths = memory.files_read.iter().chain(&memory.files_modified);
            paths.into_iter().any(|path| path == wanted || path.ends_with(&format!("/{wanted}")))
        };
        is(&only.project, memory.project.as_deref())
            && (only.kinds.is_empty() || only.kinds.contains(&memory.kind))
            && is(&only.branch, memory.branch.as_deref())
            && is(&page.written_by, Some(&memory.provenance.by))
            && only.session.as_ref().is_none_or(|wanted| Some(wanted) == memory.session.as_ref())
            && only.tool.as_ref().is_none_or(|wanted| memory.tools.contains(wanted))
            && only.file.as_deref().is_none_or(ends)
            && page.pinned.is_none_or(|wanted| wanted == memory.pinned)
            && page.critical.is_none_or(|wanted| wanted == memory.critical)
            && only.since.is_none_or(|since| memory.at >= since)
            && only.until.is_none_or(|until| memory.at < until)
            && (page.order != MemoryOrder::Used || row.hits + row.prevented > 0)
    };
    let mut rows: Vec<&MemoryRow> = rows.iter().filter(fits).collect();
    rows.sort_by_key(|row| (row.memory.at, row.n));
    match page.order {
        MemoryOrder::Newest => rows.reverse(),
        MemoryOrder::Oldest => {}
        MemoryOrder::Used => rows.sort_by_key(|row| std::cmp::Reverse((row.hits + row.prevented, row.n))),
    }
    rows.iter().map(|row| row.n).collect()
}

fn filters() -> Vec<MemoryPage> {
    let text = |text: &str| Some(text.to_owned());
    let only = |only: MemoryFilter| MemoryPage { only, ..MemoryPage::default() };
    let of = MemoryFilter::default;
    let project = MemoryFilter { project: text("two"), ..of() };
    let rare = MemoryFilter { session: Some(SessionId::new("rare")), ..of() };
    vec![
        MemoryPage::default(),
        only(project.clone()),
        only(MemoryFilter { project: text("nowhere"), ..of() }),
        only(MemoryFilter { kinds: vec![MemoryKind::Change], ..of() }),
        only(MemoryFilter {
            kinds: vec![MemoryKind::Change, MemoryKind::Decision, MemoryKind::Change],
            ..project.clone()
        }),
        only(MemoryFilter { branch: text("main"), ..project.clone() }),
        only(rare.clone()),
        only(MemoryFilter { kinds: vec![MemoryKind::Decision], tool: text("Bash"), ..rare }),
        only(MemoryFilter { tool: text("Grep"), ..of() }),
        only(MemoryFilter { tool: text("Bash"), ..of() }),
        only(MemoryFilter { tool: text("Bash"), branch: text("main"), ..of() }),
        only(MemoryFilter { file: text("m3/mod.rs"), ..of() }),
        only(MemoryFilter { file: text("./mod.rs"), ..of() }),
        only(MemoryFilter { file: text("od.rs"), ..of() }),
        only(MemoryFilter { file: text("mod.rs"), tool: text("Edit"), ..project.clone() }),
        only(MemoryFilter { since: Some(NOON + 100), until: Some(NOON + 700), ..of() }),
        only(MemoryFilter { since: Some(NOON + 100), tool: text("Bash"), ..project.clone() }),
        MemoryPage { pinned: Some(true), ..only(of()) },
        MemoryPage { pinned: Some(false), critical: Some(false), ..only(of()) },
        MemoryPage {
            pinned: Some(false),
            ..only(MemoryFilter { until: Some(NOON + 800), ..project.clone() })
        },
        MemoryPage { critical: Some(true), ..only(project.clone()) },
        MemoryPage { written_by: text("person"), ..only(of()) },
        MemoryPage { written_by: text("extractive/1"), ..only(project) },
    ]
}

#[test]
fn every_list_is_walked_and_counted_as_a_look_at_every_row_would() {
    let world = World::new();
    let tables = filled(&world);
    let all = tables.memories(&MemoryFilter::default()).unwrap();
    for filter in filters() {
        for order in [MemoryOrder::Newest, MemoryOrder::Oldest, MemoryOrder::Used] {
            let page = MemoryPage { order, limit: 97, ..filter.clone() };
            // A file's ending without a folder is no file.
            let mut oracle = page.clone();
            oracle.only.file = page.only.file.as_ref().map(|file| file.trim_start_matches("./").to_owned());
            let expected = expected(&all, &oracle);
            assert_eq!(walk(&tables, &page), expected, "{page:?}");
            assert_eq!(tables.count_memory_page(&page).unwrap(), expected.len() as u64, "{page:?}");
            let some = MemoryPage { offset: 40, limit: 5, ..page.clone() };
            let found: Vec<u64> = tables.memory_page(&some).unwrap().rows.iter().map(|row| row.n).collect();
            let skipped: Vec<u64> = expected.into_iter().skip(40).take(5).collect();
            assert_eq!(found, skipped, "{some:?}");
        }
    }
}

#[test]
fn a_walk_meets_every_row_once_while_others_are_added_and_taken_away() {
    let world = World::new();
    let mut tables = filled(&world);
    let mut page = MemoryPage { limit: 500, ..MemoryPage::default() };
    let mut walked = Vec::new();
    let mut number = MANY;
    loop {
        let found = tables.memory_page(&page).unwrap();
        walked.extend(found.rows.iter().map(|row| row.memory.id));
        page.after = found.next;
        if page.after.is_none() {
            break;
        }
        let behind = found.rows[3].memory.id;
        tables
            .write(|batch| {
                number += 1;
                batch.forget_memory(behind)?;
                let memory = Memory { at: NOON + 100_000, ..memory(number) };
                batch.put_memory(&memory, Filing { seq: number, tokens: 1, fingerprint: 0 }).map(drop)
            })
            .unwrap();
    }
    let mut expected: Vec<MemoryId> = (0..MANY).map(|number| memory(number).id).collect();
    expected.sort_unstable();
    walked.sort_unstable();
    assert_eq!(walked, expected);
}

#[test]
fn a_place_that_nobody_gave_is_a_place_like_any_other() {
    let world = World::new();
    let tables = filled(&world);
    for (key, n) in [(0, 0), (u64::MAX, u64::MAX), (NOON, u64::MAX)] {
        let after = Some(MemoryPlace { key, n });
        tables.memory_page(&MemoryPage { after, limit: 3, ..MemoryPage::default() }).unwrap();
    }
}

#[test]
fn summaries_come_in_pages_with_their_project() {
    let world = World::new();
    let tables = filled(&world);
    let mut page = SummaryPage { limit: 100, ..SummaryPage::default() };
    let mut walked = 0;
    loop {
        let found = tables.summary_page(&page).unwrap();
        walked += found.rows.len() as u64;
        assert!(found.rows.iter().all(|card| card.project.is_some()));
        page.after = found.next;
        if page.after.is_none() {
            break;
        }
    }
    assert_eq!(walked, MANY / 8);
    assert_eq!(tables.count_summary_page(&page).unwrap(), walked);
    let one = SummaryPage { project: Some("one".to_owned()), limit: 500, ..SummaryPage::default() };
    let of_one = tables.summary_page(&one).unwrap();
    assert!(!of_one.rows.is_empty());
    assert!(of_one.rows.iter().all(|card| card.project.as_deref() == Some("one")));
    assert_eq!(tables.count_summary_page(&one).unwrap(), of_one.rows.len() as u64);
}

#[test]
fn what_was_never_shown_has_no_history() {
    let world = World::new();
    let tables = filled(&world);
    let page = UsePage { memory: memory(1).id, after: None, limit: 10 };
    assert!(tables.use_page(&page).unwrap().rows.is_empty());
    assert_eq!(tables.count_uses(memory(1).id).unwrap(), (0, 0));
}

/// Nothing is counted when it is asked for, so what is kept must never drift from what is there.
#[test]
fn the_tallies_are_what_counting_every_memory_would_say() {
    let world = World::new();
    let mut tables = filled(&world);
    tables
        .write(|batch| {
            for number in (0..MANY).step_by(7) {
                batch.drop_memory(memory(number).id)?;
            }
            for number in (1..MANY).step_by(11) {
                let moved = Memory { project: None, kind: MemoryKind::Note, ..memory(number) };
                batch.put_memory(&moved, Filing { seq: MANY + number, tokens: 9, fingerprint: 0 })?;
            }
            Ok(())
        })
        .unwrap();
    let rows = tables.memories(&MemoryFilter::default()).unwrap();
    let totals = tables.totals().unwrap();
    assert_eq!(totals.memories, rows.len() as u64);
    assert_eq!(totals.memory_tokens, rows.iter().map(|row| u64::from(row.tokens)).sum::<u64>());
    for kind in &totals.memories_by_kind {
        let there = rows.iter().filter(|row| row.memory.kind.name() == kind.name).count();
        assert_eq!(kind.count, there as u64, "{}", kind.name);
    }
    let cards = tables.project_cards().unwrap();
    assert_eq!(cards.len(), 3);
    for card in cards {
        let there = rows.iter().filter(|row| row.memory.project.as_deref() == Some(&card.name)).count();
        assert_eq!(card.memories, there as u64, "{}", card.name);
    }
}
