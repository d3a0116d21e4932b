//! What is told of a call, and how an error reads. No tool is run.

use serde_json::{Value, json};

use super::*;
use crate::behaviors::on_code::world::World;
use crate::behaviors::tests::{context_in, event};
use crate::config::{Config, Layer};

fn wrong(line: u32) -> Wrong {
    Wrong {
        tool: "tsc",
        file: "src/a.ts".into(),
        line,
        column: 7,
        code: "TS2322".into(),
        message: "Type 'string' is not\nassignable to type 'number'.".into(),
        fix: None,
    }
}

fn finds(world: &World, wrong: Vec<Wrong>, hold: bool) {
    *world.around.checked.lock().unwrap() = Checked { wrong, hold, untrusted: None };
}

fn steps(world: &World) -> Vec<Act> {
    world.around.steps.lock().unwrap().drain(..).map(|step| step.act).collect()
}

fn stop(world: &World, again: bool) -> Advice {
    let mut cx = context_in(std::sync::Arc::clone(&world.around) as _);
    cx.config = std::sync::Arc::new(world.config.clone());
    let stop = event(EventKind::Stop, Detail::Stop { again, last_message: None });
    CheckCode.advise(&cx, &stop).unwrap()
}

fn edit(world: &World, answer: Value) -> Advice {
    let input = json!({ "file_path": world.path("src/a.ts"), "old_string": "1", "new_string": "2" });
    world.after(&CheckCode, "Edit", input, answer)
}

#[test]
fn a_call_is_told_for_what_it_does() {
    let world = World::new(&[("src/a.ts", "1\n")]);
    let input = || json!({ "file_path": world.path("src/a.ts") });
    let file = || world.path("src/a.ts");
    for tool in ["Read", "Edit", "Bash", "Grep"] {
        world.ask(&CheckCode, EventKind::PreToolUse, tool, input());
    }
    assert_eq!(steps(&world), [Act::Look { file: file() }, Act::Begin { file: file() }, Act::Command]);
    edit(&world, json!({ "originalFile": "0\n" }));
    edit(&world, json!({ "type": "create", "originalFile": null }));
    edit(&world, json!({}));
    world.ask(&CheckCode, EventKind::PostToolUse, "Read", input());
    assert_eq!(
        steps(&world),
        [
            Act::Edit { file: file(), before: Some("0\n".into()) },
            Act::Edit { file: file(), before: Some(String::new()) },
            Act::Edit { file: file(), before: None },
            Act::Pass,
        ]
    );
}

#[test]
fn an_error_is_said_as_one_line_with_its_place_and_its_fix() {
    let world = World::new(&[("src/a.ts", "1\n")]);
    let fixed = Wrong { fix: Some("Remove it".into()), code: String::new(), column: 0, ..wrong(9) };
    finds(&world, vec![wrong(3), fixed], false);
    let said = edit(&world, json!({})).notes.remove(0);
    assert!(
        said.text
            .contains("\n- src/a.ts:3:7 Type 'string' is not assignable to type 'number'. (tsc TS2322)\n")
    );
    assert!(said.text.contains("\n- src/a.ts:9 Type"), "{}", said.text);
    assert!(said.text.contains("(tsc); fix: Remove it"), "{}", said.text);
    assert_eq!(said.items.len(), 2);
}

#[test]
fn at_most_ten_are_said_and_the_rest_counted() {
    let world = World::new(&[("src/a.ts", "1\n")]);
    finds(&world, (1..=14).map(wrong).collect(), true);
    let said = edit(&world, json!({})).notes.remove(0).text;
    assert_eq!(said.matches("src/a.ts:").count(), MAX_SAID);
    assert!(said.contains("and 4 more"), "{said}");
    let held = stop(&world, false).hold.unwrap();
    assert_eq!(held.matches("src/a.ts:").count(), MAX_SAID);
    assert!(held.ends_with("and 4 more"), "{held}");
}

#[test]
fn a_turn_is_held_only_where_it_may_be() {
    let mut world = World::new(&[]);
    finds(&world, vec![wrong(1)], true);
    assert!(stop(&world, false).hold.unwrap().contains("\n- src/a.ts:1:7 Type"));
    finds(&world, vec![wrong(1)], false);
    assert!(stop(&world, true).is_silent());
    assert_eq!(steps(&world), [Act::Stop { again: false }, Act::Stop { again: true }]);
    finds(&world, vec![wrong(1)], true);
    let mut config = Config::default();
    config.set(Layer::User, "u", "behaviors.check-code", "quiet").unwrap();
    world.config = config;
    assert!(stop(&world, false).is_silent());
    assert!(steps(&world).is_empty());
}

#[test]
fn a_workspace_that_nobody_trusts_is_told_of_once_and_to_the_person() {
    let world = World::new(&[("src/a.ts", "1\n")]);
    // What was told before stands in the tables.
    drop(store::Tables::open(&world.path("../derived.db")).unwrap());
    *world.around.checked.lock().unwrap() =
        Checked { untrusted: Some("/w/shop".into()), ..Checked::default() };
    let said = edit(&world, json!({}));
    assert!(said.notes.is_empty() && said.hold.is_none(), "the model hears nothing of it");
    assert!(said.tells[0].contains("throughline checks trust '/w/shop'"), "{:?}", said.tells);
    assert_eq!(said.marks, ["checks-trust:/w/shop"]);
}

#[test]
fn the_folder_a_session_began_in_goes_along() {
    let world = World::new(&[("src/a.ts", "1\n")]);
    let mut event = world.call(EventKind::PreToolUse, "Read", json!({ "file_path": "src/a.ts" }));
    event.context.insert("CLAUDE_PROJECT_DIR".to_owned(), "/began".to_owned());
    let cx = context_in(std::sync::Arc::clone(&world.around) as _);
    CheckCode.advise(&cx, &event).unwrap();
    let step = world.around.steps.lock().unwrap().pop().unwrap();
    assert_eq!(step.project, Some("/began".into()));
    assert_eq!(step.act, Act::Look { file: world.path("src/a.ts") });
}
