//! What hooks cost is kept by the hour, added up, and never for ever.

use store::{LatencyRow, Tables};

use crate::world::World;

const HOUR: u64 = 490_000;

fn row(hour: u64, name: &str, count: u64, micros_total: u64, buckets: &[u64]) -> LatencyRow {
    LatencyRow { hour, name: name.to_owned(), count, micros_total, buckets: buckets.to_vec() }
}

fn add(tables: &mut Tables, rows: &[LatencyRow]) {
    tables
        .write(|batch| {
            rows.iter().try_for_each(|row| {
                batch.add_latency(row.hour, &row.name, row.count, row.micros_total, &row.buckets)
            })
        })
        .unwrap();
}

#[test]
fn what_is_counted_twice_in_an_hour_is_one_row_with_the_sum() {
    let world = World::new();
    let mut tables = Tables::open(&world.path().join("t.db")).unwrap();
    add(&mut tables, &[row(HOUR, "hook.Stop", 3, 900, &[0, 1, 2])]);
    add(&mut tables, &[row(HOUR, "hook.Stop", 2, 100, &[1, 0, 0, 1]), row(HOUR, "hook.Stop", 0, 5, &[9])]);
    let found = tables.latencies(HOUR, HOUR, "").unwrap();
    assert_eq!(found, [row(HOUR, "hook.Stop", 5, 1000, &[1, 1, 2, 1])]);
}

#[test]
fn of_the_hours_asked_for_whatever_begins_with_the_name_is_found_oldest_first() {
    let world = World::new();
    let mut tables = Tables::open(&world.path().join("t.db")).unwrap();
    for hour in [HOUR + 9, HOUR, HOUR + 1, HOUR + 5] {
        let of = |name| row(hour, name, 1, 1, &[1]);
        add(&mut tables, &[of("learn.capture"), of("advise.recall-on-start"), of("advise.recall-on-prompt")]);
    }
    let names = |since, until, prefix: &str| -> Vec<(u64, String)> {
        let rows = tables.latencies(since, until, prefix).unwrap();
        rows.into_iter().map(|row| (row.hour - HOUR, row.name)).collect()
    };
    assert_eq!(
        names(HOUR + 1, HOUR + 5, "advise.recall-on-p"),
        [(1, "advise.recall-on-prompt".to_owned()), (5, "advise.recall-on-prompt".to_owned())]
    );
    assert_eq!(names(0, u64::MAX, "advise.").len(), 8);
    assert_eq!(names(0, u64::MAX, "").len(), 12);
    assert_eq!(names(HOUR + 2, HOUR + 4, ""), []);
    assert_eq!(names(0, u64::MAX, "nobody"), []);
}

#[test]
fn an_hour_that_no_chart_shows_any_more_goes() {
    let world = World::new();
    let mut tables = Tables::open(&world.path().join("t.db")).unwrap();
    add(&mut tables, &[row(HOUR, "hook.Stop", 1, 1, &[1]), row(HOUR + 1, "hook.Stop", 1, 1, &[1])]);
    tables.write(|batch| batch.prune_latencies(HOUR + 1 + 400 * 24)).unwrap();
    assert_eq!(tables.latencies(0, u64::MAX, "").unwrap(), [row(HOUR + 1, "hook.Stop", 1, 1, &[1])]);
}

#[test]
fn what_hooks_cost_is_carried_over_when_the_tables_are_made_anew() {
    let world = World::new();
    let (old, new) = (world.path().join("old.db"), world.path().join("new.db"));
    let kept = row(HOUR, "advise.recall-on-prompt", 4, 4000, &[0, 0, 4]);
    add(&mut Tables::open(&old).unwrap(), std::slice::from_ref(&kept));
    let mut tables = Tables::open(&new).unwrap();
    assert_eq!(tables.carry_over(&old, 1).unwrap().unreadable, 0);
    assert_eq!(tables.latencies(0, u64::MAX, "").unwrap(), [kept]);
}

#[test]
fn names_and_lists_that_are_not_ours_are_left_and_a_list_that_cannot_be_read_is_empty() {
    let world = World::new();
    let path = world.path().join("t.db");
    let mut tables = Tables::open(&path).unwrap();
    add(&mut tables, &[row(HOUR, &"x".repeat(129), 1, 1, &[1]), row(HOUR, "long", 1, 1, &[1; 65])]);
    assert_eq!(tables.latencies(0, u64::MAX, "").unwrap(), []);
    let damage = "INSERT INTO latencies VALUES (1, 'hook.Stop', 2, 3, 'nonsense')";
    rusqlite::Connection::open(&path).unwrap().execute(damage, []).unwrap();
    assert_eq!(tables.latencies(0, u64::MAX, "").unwrap(), [row(1, "hook.Stop", 2, 3, &[])]);
}
