//! Claims, looks, changes and messages as rows: what is learned twice is there once.

use model::SessionId;
use store::{ClaimFilter, ClaimPlace, ClaimSign, MessageFilter, SessionTouch, Tables};

use crate::world::World;

const AT: u64 = 1_000_000;

fn tables(world: &World) -> Tables {
    let mut tables = Tables::open(&world.path().join("derived.db")).unwrap();
    tables
        .write(|batch| {
            for name in ["one", "two"] {
                batch.touch_session(&SessionTouch::new(SessionId::new(name), "claude-code", AT))?;
            }
            batch.insert_prompt(
                model::EventId::mint(1, [1; 10]),
                &SessionId::new("one"),
                AT,
                "Port the parser to it",
            )?;
            batch.insert_prompt(model::EventId::mint(2, [2; 10]), &SessionId::new("one"), AT, "yes")?;
            Ok(())
        })
        .unwrap();
    tables
}

#[test]
fn a_claim_has_lines_and_a_place_and_a_new_lease_begins_without_them() {
    let world = World::new();
    let mut tables = tables(&world);
    let one = SessionId::new("one");
    let place = ClaimPlace { root: "/w", project_key: "p", relative: "a.rs" };
    let sign = |at: u64| ClaimSign {
        path: "/w/a.rs",
        session: &one,
        at,
        note: None,
        place: Some(place),
        is_edit: true,
        renews_since: at.saturating_sub(100),
    };
    tables
        .write(|batch| {
            batch.claim(&sign(AT))?;
            batch.set_claimed_lines("/w/a.rs", &one, &[(3, 5), (9, 9)])?;
            batch.claim(&sign(AT + 50))
        })
        .unwrap();
    let filter = ClaimFilter { of_project: Some(("p", "a.rs")), ..ClaimFilter::default() };
    let row = tables.claims(&filter).unwrap().remove(0);
    assert_eq!((row.since_at, row.last_at, row.edits), (AT, AT + 50, 1));
    assert_eq!((row.lines.as_slice(), row.span()), (&[(3, 5), (9, 9)][..], Some((3, 9))));
    assert_eq!(row.goal.as_deref(), Some("Port the parser to it"), "a word is no goal");
    let future = ClaimFilter { until: AT + 49, ..ClaimFilter::default() };
    assert!(tables.claims(&future).unwrap().is_empty());
    tables.write(|batch| batch.claim(&sign(AT + 500))).unwrap();
    let row = tables.claims(&filter).unwrap().remove(0);
    assert_eq!((row.since_at, row.lines.len()), (AT + 500, 0));
}

#[test]
fn what_others_changed_since_a_look_is_summed_and_one_that_was_not_counted_says_so() {
    let world = World::new();
    let mut tables = tables(&world);
    let (one, two) = (SessionId::new("one"), SessionId::new("two"));
    tables
        .write(|batch| {
            batch.set_position(10);
            batch.note_change("/w/a.rs", &two, AT, Some((9, 9)))?;
            batch.set_position(11);
            batch.note_look("/w/a.rs", &one, AT)?;
            for seq in [12, 13] {
                batch.set_position(seq);
                assert!(batch.note_change("/w/a.rs", &two, AT, Some((6, 1)))?);
                assert!(!batch.note_change("/w/a.rs", &two, AT, Some((6, 1)))?, "learned twice");
            }
            Ok(())
        })
        .unwrap();
    let changed = tables.changed_under(&one, "/w/a.rs").unwrap();
    assert_eq!(changed.len(), 1);
    assert_eq!((changed[0].seq, changed[0].counts), (13, Some((12, 2))));
    assert!(tables.changed_under(&two, "/w/a.rs").unwrap().is_empty(), "it has never looked");
    tables
        .write(|batch| {
            batch.set_position(14);
            batch.note_change("/w/a.rs", &two, AT, None)
        })
        .unwrap();
    assert_eq!(tables.changed_under(&one, "/w/a.rs").unwrap()[0].counts, None);
}

#[test]
fn a_message_waits_is_delivered_once_and_goes_with_either_session() {
    let world = World::new();
    let mut tables = tables(&world);
    let two = SessionId::new("two");
    tables
        .write(|batch| {
            batch.put_message("m1", &two, "one", AT, "wait for me")?;
            batch.put_message("m1", &two, "one", AT, "wait for me")?;
            batch.put_message("m2", &two, "mika", AT + 1, "lunch")
        })
        .unwrap();
    let waiting = MessageFilter { to: Some(&two), waiting: true, oldest_first: true, limit: 0 };
    let rows = tables.messages(&waiting).unwrap();
    assert_eq!(rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["m1", "m2"]);
    assert_eq!(rows[0].sender.as_ref().map(|sender| sender.agent.as_str()), Some("claude-code"));
    assert_eq!(rows[1].sender, None, "a person");
    tables
        .write(|batch| {
            batch.deliver_message("m1", AT + 5)?;
            batch.deliver_message("m1", AT + 9)
        })
        .unwrap();
    assert_eq!(tables.messages(&waiting).unwrap().len(), 1);
    let all = tables.messages(&MessageFilter::default()).unwrap();
    assert_eq!(all[1].delivered_at, Some(AT + 5));
    tables.write(|batch| batch.drop_session(&SessionId::new("one"))).unwrap();
    assert_eq!(tables.messages(&MessageFilter::default()).unwrap().len(), 1);
}
