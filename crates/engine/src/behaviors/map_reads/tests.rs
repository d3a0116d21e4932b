//! Stories of reads, on a real map of a real folder.

use model::{EventKind, Verdict, estimate_tokens};
use serde_json::json;

use super::*;
use crate::behaviors::RouteSearches;
use crate::behaviors::on_code::world::World;

/// A class with so many methods of ten lines each.
fn large(methods: usize) -> String {
    let mut text = "class Store:\n    \"\"\"Keeps orders.\"\"\"\n".to_owned();
    for at in 0..methods {
        text.push_str(&format!("\n    def method_{at}(self, order):\n        \"\"\"Does {at}.\"\"\"\n"));
        text.push_str(&"        order.step()  # one of several things that are done\n".repeat(7));
    }
    text
}

#[test]
fn a_large_file_comes_with_its_outline_once_and_again_when_it_has_changed() {
    let world = World::new(&[("src/store.py", &large(36))]);
    let note = world.read(&MapReads, "src/store.py").unwrap();
    assert!(note.contains("Outline of src/store.py") && note.contains("class Store"), "{note}");
    assert!(note.contains("method_0") && note.contains("4-12"), "{note}");
    assert!(estimate_tokens(&note) <= TOKENS, "{}", estimate_tokens(&note));
    assert_eq!(world.read(&MapReads, "src/store.py"), None, "it was denied, so it was not read");
    let input = json!({ "file_path": world.path("src/store.py") });
    assert!(world.after(&MapReads, "Read", input, json!({})).is_silent());
    let again = world.read(&MapReads, "src/store.py").unwrap();
    assert!(again.contains("did not change") && !again.contains("method_0"), "{again}");
    world.write("src/store.py", &large(37));
    assert!(world.read(&MapReads, "src/store.py").unwrap().contains("Outline of"), "it is another file now");
}

#[test]
fn small_files_settings_tests_and_ranges_are_left_alone() {
    let rows = (0..600).map(|at| format!("  \"key_{at}\": {at}")).collect::<Vec<_>>().join(",\n");
    let tests = (0..80)
        .map(|at| format!("def test_{at}():\n    assert {at} == {at}\n\n\n"))
        .collect::<Vec<_>>()
        .concat();
    let world = World::new(&[
        ("src/small.py", &large(5)),
        ("settings.json", &format!("{{\n{rows}\n}}\n")),
        ("tests/test_store.py", &(tests + &large(30))),
        ("src/store.py", &large(60)),
        ("notes.txt", &"words\n".repeat(2000)),
    ]);
    for path in ["src/small.py", "settings.json", "tests/test_store.py", "notes.txt"] {
        assert_eq!(world.read(&MapReads, path), None, "{path}");
    }
    let part = json!({ "file_path": world.path("src/store.py"), "offset": 10, "limit": 40 });
    assert_eq!(world.before(&MapReads, "Read", part.clone()), None, "who reads a part knows what they want");
    assert_eq!(world.before(&MapReads, "Read", part.clone()), None, "it may have been denied");
    world.after(&MapReads, "Read", part.clone(), json!({}));
    let again = world.before(&MapReads, "Read", part).unwrap();
    assert!(again.contains("lines 10-49 of src/store.py did not change"), "{again}");
    let elsewhere = json!({ "file_path": "/etc/hostname" });
    assert_eq!(world.before(&MapReads, "Read", elsewhere), None, "not of this workspace");
}

#[test]
fn a_file_that_is_being_edited_is_not_mapped_over() {
    let mut world = World::new(&[("src/store.py", &large(60))]);
    let edit = json!({ "file_path": world.path("src/store.py"), "old_string": "a", "new_string": "b" });
    assert_eq!(world.before(&MapReads, "Edit", edit.clone()), None);
    world.after(&MapReads, "Edit", edit, json!({}));
    assert_eq!(world.read(&MapReads, "src/store.py"), None);
    world.session = "s2";
    assert!(world.read(&MapReads, "src/store.py").is_some(), "another session is not editing it");
}

#[test]
fn strict_refuses_once_per_content_with_every_definition_and_lets_the_same_call_through() {
    let mut world = World::new(&[("src/store.py", &large(60))]);
    world.config.set(crate::config::Layer::User, "test", "behaviors.map-reads", "strict").unwrap();
    let read = json!({ "file_path": world.path("src/store.py") });
    let advice = world.ask(&MapReads, EventKind::PreToolUse, "Read", read.clone());
    let Some(Verdict::Deny { reason }) = advice.verdict else { panic!("{advice:?}") };
    for at in 0..60 {
        assert!(reason.contains(&format!("method_{at}(")), "every definition is there: {at}\n{reason}");
    }
    assert!(reason.contains("same call again") && reason.chars().count() < 10_000, "{reason}");
    let second = world.ask(&MapReads, EventKind::PreToolUse, "Read", read.clone());
    assert_eq!(second.verdict, None, "the same call passes");
    world.write("src/store.py", &large(62));
    assert!(world.ask(&MapReads, EventKind::PreToolUse, "Read", read).verdict.is_some(), "another content");
    let part = json!({ "file_path": world.path("src/store.py"), "limit": 50 });
    assert_eq!(
        world.ask(&MapReads, EventKind::PreToolUse, "Read", part).verdict,
        None,
        "a part is never refused"
    );
}

#[test]
fn what_was_searched_for_comes_first_in_the_outline() {
    let world = World::new(&[
        ("src/store.py", &large(60)),
        ("src/app.py", "from store import Store\n\ndef run(order):\n    Store().method_42(order)\n"),
    ]);
    let found = world.before(&RouteSearches, "Bash", json!({ "command": "grep -rn method_42 src" })).unwrap();
    assert!(found.contains("method_42"), "{found}");
    let note = world.read(&MapReads, "src/store.py").unwrap();
    let (sought, outline) =
        (note.find("searched for just before").unwrap(), note.find("class Store").unwrap());
    assert!(sought < outline && note.contains("called from src/app.py:4 in run"), "{note}");
}

#[test]
fn a_subagent_has_a_desk_of_its_own() {
    let mut world = World::new(&[("src/store.py", &large(60))]);
    assert!(world.read(&MapReads, "src/store.py").unwrap().contains("Outline"));
    world.subagent = Some("a1");
    assert!(world.read(&MapReads, "src/store.py").unwrap().contains("Outline"), "it has not seen it");
}

#[test]
fn what_is_left_of_the_budget_goes_to_the_largest() {
    let mut text = String::new();
    for at in 0..14 {
        text.push_str(&format!("class Convertor{at}:\n"));
        for method in 0..4 {
            text.push_str(&format!(
                "    def convert_something_{method}(self, value: str) -> str:\n        return value\n\n"
            ));
        }
    }
    text.push_str("class Router:\n");
    for method in 0..24 {
        text.push_str(&format!("    def route_request_{method}(self, scope, receive, send):\n"));
        text.push_str(&"        scope.step()  # one of several things that are done\n".repeat(8));
    }
    let world = World::new(&[("src/routing.py", &text)]);
    let note = world.read(&MapReads, "src/routing.py").unwrap();
    assert!(note.contains("class Router: route_request_0"), "{note}");
    assert!((500..=TOKENS).contains(&estimate_tokens(&note)), "{}\n{note}", estimate_tokens(&note));
}
