//! What an edit broke is told by the project's own tool: cargo, which whoever builds this has, through real hooks.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::checkpoints::{git, write};
use crate::house::{House, eventually, output};

const SOUND: &str = "pub fn one() -> u32 {\n    1\n}\n\npub fn two() -> u32 {\n    2\n}\n";
const BROKEN: &str = "pub fn one() -> u32 {\n    1\n}\n\npub fn two() -> u32 {\n    \"two\"\n}\n";
const PLACE: &str = "src/lib.rs:6:5";

/// The person's toolchain, which does not lie in the home of a test.
fn toolchain() -> Vec<(&'static str, OsString)> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folder = |name: &'static str, folder: &str| {
        (name, std::env::var_os(name).unwrap_or_else(|| home.join(folder).into_os_string()))
    };
    vec![
        ("PATH", std::env::var_os("PATH").unwrap_or_default()),
        folder("RUSTUP_HOME", ".rustup"),
        folder("CARGO_HOME", ".cargo"),
    ]
}

/// A crate in a repository, as it was cloned.
fn cloned() -> House {
    let house = House::new();
    git(&house, &["init", "-q", "-b", "main"]);
    write(&house, "Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    write(&house, "Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n");
    write(&house, ".gitignore", "target\n");
    fs::create_dir_all(house.work().join("src")).unwrap();
    write(&house, "src/lib.rs", SOUND);
    let started = output(house.command(&["daemon", "start"]).envs(toolchain()));
    assert!(started.status.success(), "{started:?}");
    house
}

/// An agent's edit, as its hooks tell it; what it hears after it.
fn edit(house: &House, text: &str) -> String {
    let envelope = |event: &str| {
        let mut envelope = house.envelope("s1", event);
        envelope["tool_name"] = json!("Write");
        envelope["tool_use_id"] = json!("toolu_edit");
        envelope["tool_input"] = json!({ "file_path": house.work().join("src/lib.rs"), "content": text });
        envelope["tool_response"] = json!({ "type": "update", "structuredPatch": [] });
        envelope
    };
    house.send(&envelope("PreToolUse"));
    write(house, "src/lib.rs", text);
    house.send(&envelope("PostToolUse"))
}

fn stop(house: &House, again: bool) -> String {
    let mut envelope = house.envelope("s1", "Stop");
    envelope["stop_hook_active"] = json!(again);
    envelope["last_assistant_message"] = json!("Done.");
    house.send(&envelope)
}

#[test]
fn an_edit_that_breaks_the_build_is_told_once_and_holds_the_turn_once() {
    let house = cloned();
    fs::create_dir(house.work().join("target")).unwrap();
    let mut said = edit(&house, BROKEN);
    // A late result comes with the next event.
    eventually("the error is told", || {
        if !said.contains(PLACE) {
            said = house.send(&house.tool("s1", "Bash", ""));
        }
        said.contains(PLACE)
    });
    assert!(said.contains("mismatched types") && said.contains("(cargo E0308)"), "{said}");
    for _ in 0..3 {
        let again = house.send(&house.tool("s1", "Bash", ""));
        assert!(!again.contains(PLACE), "it is said once: {again}");
    }
    let held = stop(&house, false);
    assert!(held.contains("\"block\"") && held.contains(PLACE), "{held}");
    assert_eq!(stop(&house, true), "", "the turn is held once");
    edit(&house, SOUND);
    assert_eq!(stop(&house, false), "", "what is mended holds nobody");
}

#[test]
fn a_repository_that_was_never_built_here_has_no_code_of_its_run() {
    let house = cloned();
    write(&house, "build.rs", "fn main() {\n    std::fs::write(\"ran\", \"\").unwrap();\n}\n");
    edit(&house, BROKEN);
    assert_eq!(stop(&house, false), "");
    assert!(!house.work().join("ran").exists());
    let report = output(house.command(&["doctor"]).envs(toolchain()));
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(
        report.contains("check-code does not use cargo") && report.contains("checks.project-code"),
        "{report}"
    );
}

#[test]
fn doctor_names_a_tool_that_is_missing_and_how_to_get_it() {
    let house = House::new();
    write(&house, "ruff.toml", "");
    write(&house, "a.py", "x = 1\n");
    let report = output(house.command(&["doctor"]).env("PATH", "/nowhere"));
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("check-code would use ruff, and it is not installed"), "{report}");
    assert!(report.contains("pip install ruff"), "{report}");
}
