//! Tables of sentences: orders and wishes in ten languages, and what is none of them.

use super::*;

/// What is kept of a text, and how firmly.
fn kept(said: &str) -> Vec<(Force, String)> {
    orders(said, Hearing::default()).into_iter().map(|order| (order.force, order.title)).collect()
}

#[test]
fn a_long_description_of_a_task_holds_no_wishes() {
    let task = format!(
        "Build the importer.\n\n{}",
        "The importer should be fast and we want to keep it small.\n".repeat(40)
    );
    assert_eq!(kept(&task), []);
    let order = format!("{task}\nNever write to the production bucket.");
    assert_eq!(kept(&order), [(Force::Order, "Never write to the production bucket".to_owned())]);
}

#[test]
fn a_list_of_rules_is_heard_item_by_item() {
    let list = "rules for the tests:\n- never sleep in a test\n- use the fake clock instead of the real one\n- each test must clean up after itself";
    let titles: Vec<String> = kept(list).into_iter().map(|(_, title)| title).collect();
    assert_eq!(
        titles,
        [
            "Never sleep in a test",
            "Use the fake clock instead of the real one",
            "Each test must clean up after itself"
        ]
    );
}

#[test]
fn whatever_is_said_stays_bounded() {
    for text in [
        "never ".repeat(50_000),
        "a. ".repeat(50_000),
        "不要".repeat(50_000),
        "((".repeat(50_000),
        "… ^* [".repeat(9000),
    ] {
        for order in orders(&text, Hearing::default()) {
            assert!(order.title.len() <= MAX_TITLE_BYTES && order.text.len() <= MAX_TEXT_BYTES + 1200);
        }
    }
}
