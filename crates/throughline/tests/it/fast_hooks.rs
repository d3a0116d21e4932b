//! Attaching with hooks that go through the MCP server: only where the agent can do it, undone like everything else,
//! and looked after by doctor. The agent is a script that says a release; the real one is in `tests-client/`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::house::House;

/// Puts an agent on the PATH that answers `--version` with this.
fn agent_says(house: &House, script: &str) -> String {
    let folder = house.home().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("claude");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", folder.display())
}

fn install(house: &House, path: &str, args: &[&str]) -> Output {
    let args = [&["install"], args].concat();
    house.command(&args).env("PATH", path).output().unwrap()
}

fn files(house: &House) -> [PathBuf; 2] {
    [house.home().join(".claude/settings.json"), house.home().join(".claude.json")]
}

fn texts(house: &House) -> [String; 2] {
    files(house).map(|path| fs::read_to_string(path).unwrap())
}

#[test]
fn fast_and_plain_replace_each_other_and_leave_nothing() {
    let house = House::new();
    let [settings, servers] = files(&house);
    let before = ["{\n  \"model\": \"opus\"\n}\n", "{\n  \"numStartups\": 3\n}\n"];
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, before[0]).unwrap();
    fs::write(&servers, before[1]).unwrap();
    let path = agent_says(&house, "echo '2.1.118 (Claude Code)'");
    house.ok(&["install", "--yes"]);
    let plain = texts(&house);

    let done = install(&house, &path, &["--fast", "--yes"]);
    assert!(done.status.success(), "{done:?}");
    let fast = texts(&house);
    let [hooks, server]: [Value; 2] = [0, 1].map(|at: usize| serde_json::from_str(&fast[at]).unwrap());
    let word = &hooks["hooks"]["PreToolUse"][0]["hooks"][0]["input"]["word"];
    assert_eq!(&server["mcpServers"]["throughline"]["args"][2], word);
    assert!(word.as_str().unwrap().len() >= 32, "{word}");
    assert!(house.ok(&["doctor"]).contains("4 of them through the MCP server"));
    install(&house, &path, &["--fast", "--yes"]);
    assert_eq!(texts(&house), fast, "a second time changes nothing");

    house.ok(&["install", "--yes"]);
    assert_eq!(texts(&house), plain);
    install(&house, &path, &["--fast", "--yes"]);
    house.ok(&["uninstall", "--yes"]);
    assert_eq!(texts(&house), before);
}

#[test]
fn an_agent_that_is_too_old_or_unknown_is_left_alone() {
    let house = House::new();
    let refused = |path: &str, args: &[&str], why: &str| {
        let done = install(&house, path, args);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success() && said.contains(why), "{why}: {done:?}");
        assert!(files(&house).iter().all(|file| !file.exists()));
    };
    let old = agent_says(&house, "echo '2.1.117 (Claude Code)'");
    refused(&old, &["--fast", "--yes"], "version 2.1.117");
    let mute = agent_says(&house, "exit 3");
    refused(&mute, &["--fast", "--dry-run"], "`claude --version` says no version");
    refused("/nowhere", &["--fast", "--dry-run"], "not on the PATH");
    refused(&mute, &["--fast", "--project", "--yes"], "cannot be used with");
    refused(&mute, &["--fast", "--hooks-only", "--yes"], "cannot be used with");
    let sure = install(&house, "/nowhere", &["--fast", "--yes"]);
    assert!(sure.status.success(), "who says --yes knows: {sure:?}");
}

#[test]
fn doctor_misses_the_server_that_fast_hooks_call() {
    let house = House::new();
    let path = agent_says(&house, "echo '2.1.325 (Claude Code)'");
    install(&house, &path, &["--fast", "--yes"]);
    let [_, servers] = files(&house);
    let named = fs::read_to_string(&servers).unwrap();
    for without in ["{}\n".to_owned(), named.replace("--hooks", "--cwd")] {
        fs::write(&servers, without).unwrap();
        let said = house.run(&["doctor"]);
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(!said.status.success() && text.contains("not registered"), "{text}");
        assert!(text.contains("throughline install --fast"), "{text}");
    }
    install(&house, &path, &["--fast", "--yes"]);
    assert_eq!(fs::read_to_string(&servers).unwrap(), named, "the word the hooks know is found again");
    assert!(!house.ok(&["doctor"]).contains("not registered"));
}
