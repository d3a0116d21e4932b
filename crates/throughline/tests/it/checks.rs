//! What an edit broke is told by the project's own tool: cargo, which whoever builds this has, through real hooks. And
//! nothing of a stranger's is run: each of the strangers here writes a canary that must not be there.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::checkpoints::git;
use crate::house::{House, eventually, feed, output};

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

const CRATE: &str = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const LOCK: &str = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n";

/// Whoever is run by a check leaves this in the home.
const CANARY: &str = "canary";

fn put(house: &House, path: &str, text: &str) {
    let path = house.work().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A tool that says nothing, and leaves the canary.
fn bird(house: &House, path: &str) {
    put(house, path, &format!("#!/bin/sh\necho {path} >> '{}'\n", canary(house).display()));
    fs::set_permissions(house.work().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn canary(house: &House) -> PathBuf {
    house.home().join(CANARY)
}

/// A crate in a repository, as it was cloned; nobody trusts it yet.
fn cloned() -> House {
    let house = House::new();
    git(&house, &["init", "-q", "-b", "main"]);
    put(&house, "Cargo.toml", CRATE);
    put(&house, "Cargo.lock", LOCK);
    put(&house, ".gitignore", "target\nnode_modules\n/scratch/\n");
    put(&house, "src/lib.rs", SOUND);
    let started = output(house.command(&["daemon", "start"]).envs(toolchain()));
    assert!(started.status.success(), "{started:?}");
    house
}

/// The person has built it, and trusts it.
fn trusted() -> House {
    let house = cloned();
    fs::create_dir(house.work().join("target")).unwrap();
    house.ok(&["checks", "trust"]);
    house
}

/// One hook call of a session in this workspace, with the person's own path.
fn send(house: &House, envelope: &Value) -> String {
    let mut command = house.command(&["hook"]);
    // On a busy machine a call is not given up: what stood in a file before an edit is read while the agent waits.
    command.envs(toolchain()).env("CLAUDE_PROJECT_DIR", house.work());
    let output = feed(command, envelope.to_string().as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn call(house: &House, event: &str, tool: &str, file: &str, text: &str) -> Value {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    // What is before and after a call has one name.
    let number = CALLS.fetch_add(u32::from(event == "PreToolUse"), Ordering::Relaxed)
        + u32::from(event == "PreToolUse");
    let mut envelope = house.envelope("s1", event);
    envelope["tool_name"] = json!(tool);
    envelope["tool_use_id"] = json!(format!("toolu_{number}"));
    envelope["tool_input"] = json!({ "file_path": house.work().join(file), "content": text });
    envelope["tool_response"] = json!({ "type": "update", "structuredPatch": [] });
    envelope
}

/// An agent's edit, as its hooks tell it; what it hears after it.
fn edit(house: &House, file: &str, text: &str) -> String {
    send(house, &call(house, "PreToolUse", "Write", file, text));
    put(house, file, text);
    send(house, &call(house, "PostToolUse", "Write", file, text))
}

fn stop(house: &House, again: bool) -> String {
    let mut envelope = house.envelope("s1", "Stop");
    envelope["stop_hook_active"] = json!(again);
    envelope["last_assistant_message"] = json!("Done.");
    send(house, &envelope)
}

/// Reads and edits a file, and ends the turn: all that may begin a run.
fn work_on(house: &House, file: &str) {
    let text = fs::read_to_string(house.work().join(file)).unwrap();
    send(house, &call(house, "PreToolUse", "Read", file, ""));
    send(house, &call(house, "PostToolUse", "Read", file, ""));
    edit(house, file, &format!("{text}\n"));
    stop(house, false);
    send(house, &house.tool("s1", "Bash", ""));
    stop(house, true);
}

/// A late result comes with the next event.
fn told(house: &House, mut said: String, place: &str) -> String {
    eventually("the error is told", || {
        if !said.contains(place) {
            said = send(house, &house.tool("s1", "Bash", ""));
        }
        said.contains(place)
    });
    said
}

/// What was due before has run by the time that this is told.
fn own_errors_are_told(house: &House) {
    static NEXT: AtomicU8 = AtomicU8::new(0);
    // Each time another error: the same one is said once.
    let at = NEXT.fetch_add(1, Ordering::Relaxed);
    let word = format!("W{}{}", char::from(b'a' + at / 26), char::from(b'a' + at % 26));
    let broken = format!("pub struct {word};\n\npub fn two() -> u32 {{\n    {word}\n}}\n");
    let said = edit(house, "src/lib.rs", &broken);
    told(house, said, &format!("found `{word}`"));
    edit(house, "src/lib.rs", SOUND);
    stop(house, false);
}

/// Works on a stranger's file and then on the person's own.
fn nothing_runs(house: &House, file: &str) {
    work_on(house, file);
    own_errors_are_told(house);
    let ran = fs::read_to_string(canary(house)).unwrap_or_default();
    assert!(!canary(house).exists(), "{file} was read, and this has run: {ran}");
}

/// A package that brings its own compiler.
fn package(house: &House, folder: &str) {
    put(house, &format!("{folder}/package.json"), "{}");
    put(house, &format!("{folder}/tsconfig.json"), "{}");
    put(house, &format!("{folder}/a.ts"), "export const a = 1;\n");
    bird(house, &format!("{folder}/node_modules/.bin/tsc"));
}

/// A crate whose build leaves the canary.
fn crate_with_script(house: &House, folder: &str, manifest: &str) {
    let script = format!(
        "fn main() {{\n    std::fs::write(\"{}\", \"build.rs\").unwrap();\n}}\n",
        canary(house).display()
    );
    put(house, &format!("{folder}/build.rs"), &script);
    put(house, &format!("{folder}/Cargo.toml"), manifest);
    put(house, &format!("{folder}/src/lib.rs"), SOUND);
}

#[test]
fn an_edit_that_breaks_the_build_is_told_once_and_holds_the_turn_once() {
    let house = trusted();
    let said = edit(&house, "src/lib.rs", BROKEN);
    let said = told(&house, said, PLACE);
    assert!(said.contains("mismatched types") && said.contains("(cargo E0308)"), "{said}");
    for _ in 0..3 {
        let again = send(&house, &house.tool("s1", "Bash", ""));
        assert!(!again.contains(PLACE), "it is said once: {again}");
    }
    let held = stop(&house, false);
    assert!(held.contains("\"block\"") && held.contains(PLACE), "{held}");
    assert_eq!(stop(&house, true), "", "the turn is held once");
    edit(&house, "src/lib.rs", SOUND);
    assert_eq!(stop(&house, false), "", "what is mended holds nobody");
}

#[test]
fn a_repository_that_was_never_built_here_has_no_code_of_its_run() {
    let house = cloned();
    house.ok(&["checks", "trust"]);
    crate_with_script(&house, ".", CRATE);
    edit(&house, "src/lib.rs", BROKEN);
    assert_eq!(stop(&house, false), "");
    assert!(!canary(&house).exists());
    let report = output(house.command(&["doctor"]).envs(toolchain()));
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(
        report.contains("check-code does not use cargo") && report.contains("checks.project-code"),
        "{report}"
    );
}

#[test]
fn in_a_workspace_that_is_not_trusted_nothing_is_run_and_the_person_is_told_once() {
    let house = cloned();
    fs::create_dir(house.work().join("target")).unwrap();
    crate_with_script(&house, ".", CRATE);
    package(&house, ".");
    let sound = fs::read_to_string(house.work().join("src/lib.rs")).unwrap();
    let read = || send(&house, &call(&house, "PreToolUse", "Read", "src/lib.rs", ""));
    let mut first = String::new();
    // An answer that comes late is not heard, and the line is told another time.
    eventually("the person is told", || {
        first = read();
        first.contains("checks trust")
    });
    let said: Value = serde_json::from_str(&first).unwrap();
    assert!(said["systemMessage"].as_str().unwrap().contains("throughline checks trust"), "{first}");
    assert_eq!(first.matches("checks trust").count(), 1, "and the model is not: {first}");
    house.ok(&["sessions"]);
    for file in ["src/lib.rs", "a.ts"] {
        work_on(&house, file);
    }
    let again = read();
    assert!(!again.contains("checks trust"), "{again}");
    let report = String::from_utf8(output(house.command(&["doctor"]).envs(toolchain())).stdout).unwrap();
    assert!(
        report.contains("check-code runs nothing here")
            && report.contains("repair: throughline checks trust")
    );
    // The parent's trust, and that of a folder inside, is not its own.
    let around = format!(
        r#"{{"projects":{{"{}":{{"hasTrustDialogAccepted":true}},"{}":{{"hasTrustDialogAccepted":true}}}}}}"#,
        house.home().display(),
        house.work().join("src").display()
    );
    fs::write(house.home().join(".claude.json"), around).unwrap();
    edit(&house, "src/lib.rs", BROKEN);
    assert_eq!(stop(&house, false), "");
    assert!(!canary(&house).exists(), "something has run");
    // What was broken before anything was looked at is nobody's new error.
    put(&house, "src/lib.rs", &sound);
    house.ok(&["checks", "trust"]);
    let said = edit(&house, "src/lib.rs", BROKEN);
    told(&house, said, PLACE);
    assert!(canary(&house).exists(), "with trust its build script is run, as the person's own build does");
}

#[test]
fn the_trust_that_was_given_to_claude_code_counts() {
    let house = cloned();
    fs::create_dir(house.work().join("target")).unwrap();
    let root = house.work().canonicalize().unwrap();
    let said = format!(r#"{{"projects":{{"{}":{{"hasTrustDialogAccepted":true}}}}}}"#, root.display());
    fs::write(house.home().join(".claude.json"), said).unwrap();
    let listed = house.ok(&["checks", "list"]);
    assert!(listed.contains("as you told Claude Code"), "{listed}");
    own_errors_are_told(&house);
}

#[test]
fn trust_that_is_taken_back_ends_all_runs() {
    let house = trusted();
    own_errors_are_told(&house);
    house.ok(&["checks", "untrust"]);
    edit(&house, "src/lib.rs", BROKEN);
    assert_eq!(stop(&house, false), "");
    let listed = house.ok(&["checks", "list", "--json"]);
    assert_eq!(listed, "");
}

#[test]
fn a_repository_that_was_cloned_into_an_ignored_folder_runs_nothing() {
    let house = trusted();
    package(&house, "scratch/evil");
    git(&house, &["init", "-q", "scratch/evil"]);
    nothing_runs(&house, "scratch/evil/a.ts");
    // Without a repository of its own it is ignored all the same.
    fs::remove_dir_all(house.work().join("scratch/evil/.git")).unwrap();
    nothing_runs(&house, "scratch/evil/a.ts");
    // And a link to it leads there.
    std::os::unix::fs::symlink("scratch/evil", house.work().join("link")).unwrap();
    nothing_runs(&house, "link/a.ts");
}

#[test]
fn a_submodule_with_tracked_packages_runs_nothing() {
    let house = trusted();
    package(&house, "module");
    put(&house, "module/.git", "gitdir: ../.git/modules/module\n");
    put(&house, ".gitmodules", "[submodule \"module\"]\n\tpath = module\n\turl = ../module\n");
    nothing_runs(&house, "module/a.ts");
    fs::remove_file(house.work().join("module/.git")).unwrap();
    nothing_runs(&house, "module/a.ts");
}

#[test]
fn an_unpacked_archive_with_its_own_repository_runs_nothing() {
    let house = trusted();
    package(&house, "unpacked");
    crate_with_script(&house, "unpacked", CRATE);
    put(&house, "unpacked/Cargo.lock", LOCK);
    git(&house, &["init", "-q", "unpacked"]);
    nothing_runs(&house, "unpacked/a.ts");
    nothing_runs(&house, "unpacked/src/lib.rs");
    // Nor one without, which nobody has taken into the repository.
    fs::remove_dir_all(house.work().join("unpacked/.git")).unwrap();
    nothing_runs(&house, "unpacked/a.ts");
    nothing_runs(&house, "unpacked/src/lib.rs");
}

#[test]
fn a_crate_that_is_no_member_of_a_built_workspace_is_not_built() {
    let house = trusted();
    crate_with_script(&house, "third/evil", &format!("{CRATE}\n[workspace]\n"));
    put(&house, "third/evil/Cargo.lock", LOCK);
    git(&house, &["add", "-A"]);
    nothing_runs(&house, "third/evil/src/lib.rs");
    nothing_runs(&house, "third/evil/build.rs");
}

/// Runs its configuration, as the real one does, and finds one error.
fn eslint(house: &House) {
    let tool = "#!/bin/sh\n. ./eslint.config.js\nfor file; do :; done\n\
        echo '[{\"filePath\":\"'\"$file\"'\",\"messages\":[{\"ruleId\":\"no-a\",\"severity\":2,\"message\":\"is wrong\",\
        \"line\":1,\"column\":1}]}]'\nexit 1\n";
    put(house, "node_modules/.bin/eslint", tool);
    let path = house.work().join("node_modules/.bin/eslint");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    put(house, "package.json", r#"{"workspaces":["packages/*"]}"#);
}

#[test]
fn a_foreign_configuration_below_a_project_with_packages_is_not_run() {
    let house = trusted();
    eslint(&house);
    let program = format!("echo vendor >> '{}'\n", canary(&house).display());
    put(&house, "eslint.config.js", ":\n");
    for folder in ["vendor", "lib/evil"] {
        put(&house, &format!("{folder}/eslint.config.js"), &program);
        put(&house, &format!("{folder}/a.js"), "a();\n");
    }
    put(&house, "lib/evil/package.json", "{}");
    git(&house, &["add", "-A"]);
    nothing_runs(&house, "vendor/a.js");
    nothing_runs(&house, "lib/evil/a.js");
    let said = edit(&house, "b.js", "b();\n");
    told(&house, said, "b.js:1:1");
}

#[test]
fn members_of_a_workspace_are_checked() {
    let house = trusted();
    put(&house, "Cargo.toml", &format!("{CRATE}\n[workspace]\nmembers = [\"crates/*\"]\n"));
    put(&house, "Cargo.lock", &format!("{LOCK}\n[[package]]\nname = \"m\"\nversion = \"0.1.0\"\n"));
    put(&house, "crates/m/Cargo.toml", &CRATE.replace("\"a\"", "\"m\""));
    put(&house, "crates/m/src/lib.rs", SOUND);
    let said = edit(&house, "crates/m/src/lib.rs", BROKEN);
    told(&house, said, "crates/m/src/lib.rs:6:5");
    eslint(&house);
    put(&house, "packages/one/package.json", "{}");
    put(&house, "packages/one/eslint.config.js", ":\n");
    let said = edit(&house, "packages/one/a.js", "a();\n");
    told(&house, said, "packages/one/a.js:1:1");
}

#[test]
fn a_session_is_checked_in_its_own_workspace_wherever_it_goes() {
    let house = trusted();
    // The other one is trusted, too, and not this session's.
    let other = house.home().join("other");
    fs::create_dir_all(&other).unwrap();
    git(&house, &["init", "-q", other.to_str().unwrap()]);
    fs::write(other.join("tsconfig.json"), "{}").unwrap();
    fs::write(other.join("a.ts"), "").unwrap();
    bird(&house, "../other/node_modules/.bin/tsc");
    house.ok(&["checks", "trust", other.to_str().unwrap()]);
    let mut read = call(&house, "PreToolUse", "Read", "../other/a.ts", "");
    read["cwd"] = json!(other);
    send(&house, &read);
    own_errors_are_told(&house);
    assert!(!canary(&house).exists());
}

#[test]
fn a_tool_is_found_on_the_path_of_the_session() {
    let house = House::new();
    git(&house, &["init", "-q", "-b", "main"]);
    put(&house, "ruff.toml", "");
    put(&house, "a.py", "x = 1\n");
    house.ok(&["checks", "trust"]);
    // The daemon was started by somebody who has no such tool.
    house.start();
    let folder = house.home().join(".pyenv/shims");
    fs::create_dir_all(house.home().join(".pyenv/.git")).unwrap();
    let says = "#!/bin/sh\nfor file; do :; done\necho '[{\"code\":\"F632\",\"filename\":\"'\"$file\"'\",\
        \"location\":{\"row\":1,\"column\":1},\"message\":\"is wrong\",\"fix\":null}]'\nexit 1\n";
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("ruff"), says).unwrap();
    fs::set_permissions(folder.join("ruff"), fs::Permissions::from_mode(0o755)).unwrap();
    let with_path = |envelope: &Value| {
        let mut said = Vec::new();
        for mut hook in house.hooks() {
            hook.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display()));
            let output = feed(hook, envelope.to_string().as_bytes());
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            said.push(String::from_utf8(output.stdout).unwrap());
        }
        said.concat()
    };
    with_path(&call(&house, "PreToolUse", "Write", "a.py", ""));
    put(&house, "a.py", "x = 2\n");
    let mut said = with_path(&call(&house, "PostToolUse", "Write", "a.py", ""));
    eventually("the error is told", || {
        if !said.contains("a.py:1:1") {
            said = with_path(&house.tool("s1", "Bash", ""));
        }
        said.contains("a.py:1:1")
    });
    let kept = house.ok(&["export"]);
    assert!(!kept.contains(".pyenv/shims"), "the path of a session is used and not kept");
}

#[test]
fn doctor_names_a_tool_that_is_missing_and_the_path_it_looked_at() {
    let house = House::new();
    git(&house, &["init", "-q", "-b", "main"]);
    put(&house, "ruff.toml", "");
    put(&house, "a.py", "x = 1\n");
    house.ok(&["checks", "trust"]);
    let report = output(house.command(&["doctor"]).env("PATH", "/usr/bin:bin"));
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("check-code would use ruff, and it is not installed"), "{report}");
    assert!(report.contains("pip install ruff"), "{report}");
    assert!(
        report.contains("the PATH of this command: /usr/bin; not at bin, because it is relative"),
        "{report}"
    );
}

#[test]
fn trust_is_of_one_workspace_and_never_of_the_home() {
    let house = House::new();
    let root = house.work().canonicalize().unwrap();
    let home = house.home().to_str().unwrap().to_owned();
    assert!(!house.run(&["checks", "trust", &home]).status.success());
    assert!(!house.run(&["checks", "trust", "/"]).status.success());
    assert!(!house.run(&["checks", "trust", "none"]).status.success());
    assert!(house.ok(&["checks", "trust"]).contains("is trusted"));
    assert!(house.ok(&["checks", "trust"]).contains("already"));
    let row: Value = serde_json::from_str(&house.ok(&["checks", "list", "--json"])).unwrap();
    assert_eq!(row["root"], json!(root));
    house.assert_private();
    assert!(house.ok(&["checks", "untrust"]).contains("not trusted any more"));
    assert!(house.ok(&["checks", "list"]).contains("is not trusted"));
}

/// The folders of a path that somebody else may fill are no place to look.
#[test]
fn a_folder_of_a_strangers_repository_on_the_path_is_passed_over() {
    let house = trusted();
    put(&house, "ruff.toml", "");
    put(&house, "a.py", "x = 1\n");
    let other = house.home().join("other");
    fs::create_dir_all(other.join(".git")).unwrap();
    bird(&house, "../other/bin/ruff");
    bird(&house, "scratch/bin/ruff");
    git(&house, &["init", "-q", "scratch"]);
    let before = [other.join("bin"), house.work().join("scratch/bin"), PathBuf::from("scratch/bin")];
    let path = std::env::join_paths(
        before.iter().map(PathBuf::as_path).chain([Path::new("/usr/bin"), Path::new("/bin")]),
    );
    let mut hook = house.command(&["hook"]);
    hook.env("PATH", path.unwrap());
    feed(hook, call(&house, "PreToolUse", "Read", "a.py", "").to_string().as_bytes());
    own_errors_are_told(&house);
    assert!(!canary(&house).exists());
}
