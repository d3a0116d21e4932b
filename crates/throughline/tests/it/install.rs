//! Attaching and detaching: the edit is shown, nothing but ours moves, and what was there comes back to the
//! byte. Then what doctor says of it, and of everything else that can be wrong.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::house::{House, THROUGHLINE, eventually};

/// Other people's hooks in our events, an event we do not register, odd indentation, no newline at the end.
const LIVED_IN: &str = r#"{
   "model"  : "opus",
     "hooks": {
        "PostToolUse": [
          {"matcher":"Edit|Write", "hooks":[ {"type":"command","command":"prettier --write \"$FILE\""} ]}
        ],
	"Stop": [ { "hooks": [ { "type": "command", "command": "say done" , "timeout":3 } ] } ],
        "SessionStart": []
     },
   "permissions": { "allow": [ "Bash(npm test:*)", "Read" ], "deny":[] },
   "statusLine": {"type": "command", "command": "é ü 漢字 \u00e9"}
}"#;

/// What must be there to the byte while we are installed.
const FOREIGN: [&str; 4] = [
    r#"{"matcher":"Edit|Write", "hooks":[ {"type":"command","command":"prettier --write \"$FILE\""} ]}"#,
    r#"{ "hooks": [ { "type": "command", "command": "say done" , "timeout":3 } ] }"#,
    r#""permissions": { "allow": [ "Bash(npm test:*)", "Read" ], "deny":[] }"#,
    r#""statusLine": {"type": "command", "command": "é ü 漢字 \u00e9"}"#,
];

fn settings(house: &House) -> PathBuf {
    house.home().join(".claude/settings.json")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn hooks(text: &str) -> Value {
    serde_json::from_str::<Value>(text).unwrap()["hooks"].clone()
}

/// The handlers of ours, as (event, command) pairs.
fn ours(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (event, groups) in hooks(text).as_object().into_iter().flatten() {
        for handler in groups.as_array().unwrap().iter().flat_map(|group| group["hooks"].as_array().unwrap())
        {
            if handler.get("throughline").is_some() {
                found.push((event.clone(), handler["command"].as_str().unwrap().to_owned()));
            }
        }
    }
    found
}

#[test]
fn where_there_is_no_file_one_is_made_and_taken_away_again() {
    let house = House::new();
    let said = house.ok(&["install", "--yes"]);
    assert!(said.contains('+') && said.contains("settings.json") && said.contains("attached"), "{said}");
    let text = read(&settings(&house));
    let ours = ours(&text);
    assert!(ours.len() >= 20, "{ours:?}");
    assert!(ours.iter().all(|(_, command)| Path::new(command).is_absolute() && Path::new(command).is_file()));
    assert_eq!(fs::metadata(settings(&house)).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(house.status()["running"], true, "the first session need not wait for a daemon");

    let again = house.ok(&["install", "--yes"]);
    assert!(again.contains("is as it should be"), "{again}");
    assert_eq!(read(&settings(&house)), text);

    house.ok(&["uninstall", "--yes"]);
    assert!(!settings(&house).exists(), "we made it, it goes");
    assert_eq!(house.status()["running"], false);
    assert!(house.ok(&["uninstall", "--yes"]).contains("nothing to remove"));
}

#[test]
fn the_server_is_named_beside_others_and_goes_with_the_hooks() {
    let house = House::new();
    let servers = house.home().join(".claude.json");
    let before = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {}\n}\n";
    write(&servers, before);
    house.ok(&["install", "--yes", "--hooks-only"]);
    assert_eq!(read(&servers), before);
    house.ok(&["install", "--yes"]);
    let server = serde_json::from_str::<Value>(&read(&servers)).unwrap()["mcpServers"]["throughline"].clone();
    assert_eq!(server["args"], json!(["mcp"]));
    assert_eq!(server["command"], THROUGHLINE);
    let doctor = house.ok(&["doctor"]);
    assert!(doctor.contains("names our MCP server"), "{doctor}");
    house.ok(&["uninstall", "--yes"]);
    assert_eq!(read(&servers), before, "the empty list was there before us");
    assert!(!servers.with_extension("json.throughline-backup").exists());
}

#[test]
fn other_peoples_settings_stay_and_come_back_to_the_byte() {
    let crlf = LIVED_IN.replace('\n', "\r\n");
    let files = [
        LIVED_IN,
        &crlf,
        "{}",
        "{}\n",
        "{\"hooks\":{}}",
        "\u{feff}{\n}\n",
        "{\"hooks\":{\"Stop\":[]},\"a\":1}\n\n",
    ];
    let house = House::new();
    let path = settings(&house);
    for before in files {
        write(&path, before);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        house.ok(&["install", "--yes"]);
        let text = read(&path);
        for foreign in FOREIGN.iter().filter(|foreign| before.contains(**foreign)) {
            assert!(text.contains(foreign), "{foreign} is not as it was in {text}");
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640, "its mode stays");
        assert_eq!(text.matches("\r\n").count() > 0, before.contains("\r\n"), "its line ends stay");
        house.ok(&["install", "--yes"]);
        assert_eq!(read(&path), text, "a second time changes nothing");
        house.ok(&["uninstall", "--yes"]);
        assert_eq!(read(&path), before);
    }
}

#[test]
fn after_somebody_elses_edit_only_ours_goes() {
    let house = House::new();
    let path = settings(&house);
    write(&path, LIVED_IN);
    house.ok(&["install", "--yes"]);
    let edited = read(&path).replace("\"opus\"", "\"sonnet\"").replace("say done", "say finished");
    write(&path, &edited);
    house.ok(&["uninstall", "--yes"]);
    let expected = LIVED_IN.replace("\"opus\"", "\"sonnet\"").replace("say done", "say finished");
    assert_eq!(read(&path), expected);

    // The same after the client has rewritten the whole file in its own form.
    write(&path, LIVED_IN);
    house.ok(&["install", "--yes"]);
    let rewritten: Value = serde_json::from_str(&read(&path)).unwrap();
    write(&path, &serde_json::to_string_pretty(&rewritten).unwrap());
    house.ok(&["uninstall", "--yes"]);
    let original: Value = serde_json::from_str(LIVED_IN).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&read(&path)).unwrap(), original);
}

#[test]
fn an_installation_somewhere_else_is_updated_and_undone_to_the_first_original() {
    let house = House::new();
    let path = settings(&house);
    write(&path, LIVED_IN);
    house.ok(&["install", "--yes"]);
    let elsewhere = house.home().join("moved");
    fs::copy(THROUGHLINE, &elsewhere).unwrap();
    let mut install = house.program(&elsewhere, &["install", "--yes"]);
    let done = crate::house::output(&mut install);
    assert!(done.status.success(), "{done:?}");
    let commands: Vec<_> = ours(&read(&path)).into_iter().map(|(_, command)| command).collect();
    assert!(commands.iter().all(|command| Path::new(command) == elsewhere), "{commands:?}");
    house.ok(&["uninstall", "--yes"]);
    assert_eq!(read(&path), LIVED_IN);
}

#[test]
fn a_file_that_makes_no_sense_is_refused_with_its_place_and_left_alone() {
    let house = House::new();
    let path = settings(&house);
    let wrong = [
        ("{\n  \"hooks\": {\n    \"Stop\": [,]\n  }\n}", "line 3, column 14"),
        ("{\n  // a comment\n}", "line 2, column 3"),
        ("{\"a\": 1", "line 1, column 8"),
        ("", "line 1, column 1"),
        ("[]", "line 1, column 1"),
        ("{\n \"hooks\": []\n}", "line 2, column 11"),
        ("{\"hooks\": {\"Stop\": {}}}", "line 1, column 20"),
    ];
    for (text, place) in wrong {
        write(&path, text);
        for command in ["install", "uninstall"] {
            let output = house.run(&[command, "--yes"]);
            let error = String::from_utf8(output.stderr).unwrap();
            // Nothing of ours can be in a well-formed file of another shape.
            if command == "uninstall" && output.status.success() {
                continue;
            }
            assert_eq!(output.status.code(), Some(1), "{command} {text:?}: {error}");
            assert!(error.contains(place) && error.contains("hint: "), "{text:?}: {error}");
        }
        assert_eq!(read(&path), text);
    }
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    let output = house.run(&["install", "--yes"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("UTF-8"));
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\": \"\xff\"}");
    assert!(fs::read_dir(path.parent().unwrap()).unwrap().count() == 1, "no half-written file beside it");
}

#[test]
fn without_a_yes_or_with_dry_run_nothing_changes() {
    let house = House::new();
    let path = settings(&house);
    write(&path, LIVED_IN);
    let shown = house.ok(&["install", "--dry-run"]);
    assert!(shown.contains("PreCompact") && shown.ends_with("nothing was changed\n"), "{shown}");
    let output = house.run(&["install"]);
    assert_eq!(output.status.code(), Some(1), "there is no terminal to ask on");
    assert!(String::from_utf8(output.stderr).unwrap().contains("--yes"));
    assert_eq!(read(&path), LIVED_IN);
    house.ok(&["install", "--yes"]);
    let installed = read(&path);
    house.ok(&["uninstall", "--dry-run"]);
    assert_eq!(read(&path), installed);
}

#[test]
fn project_local_and_moved_settings_are_found() {
    let house = House::new();
    fs::create_dir_all(house.work().join(".git")).unwrap();
    fs::create_dir_all(house.work().join("deep/down")).unwrap();
    let run = |args: &[&str]| {
        let mut command = house.command(args);
        command.current_dir(house.work().join("deep/down"));
        let output = crate::house::output(&mut command);
        assert!(output.status.success(), "{output:?}");
    };
    for (flag, name) in [("--project", "settings.json"), ("--local", "settings.local.json")] {
        let path = house.work().join(".claude").join(name);
        run(&["install", "--yes", flag]);
        assert!(!ours(&read(&path)).is_empty());
        assert!(!settings(&house).exists());
        run(&["uninstall", "--yes", flag]);
        assert!(!path.exists());
    }
    assert_eq!(house.run(&["install", "--project", "--local"]).status.code(), Some(2));

    let elsewhere = house.home().join("config folder");
    let mut command = house.command(&["install", "--yes"]);
    let output = crate::house::output(command.env("CLAUDE_CONFIG_DIR", &elsewhere));
    assert!(output.status.success(), "{output:?}");
    assert!(!ours(&read(&elsewhere.join("settings.json"))).is_empty());
    assert!(!settings(&house).exists());

    let unknown = house.run(&["install", "--client", "emacs"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("known: claude-code"));
}

#[test]
fn a_linked_settings_file_stays_a_link_and_its_backup_is_for_us_alone() {
    let house = House::new();
    let real = house.home().join("dotfiles/claude.json");
    write(&real, LIVED_IN);
    fs::create_dir_all(settings(&house).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("../dotfiles/claude.json", settings(&house)).unwrap();
    house.ok(&["install", "--yes"]);
    assert!(fs::symlink_metadata(settings(&house)).unwrap().is_symlink());
    assert!(!ours(&read(&real)).is_empty());
    // Beside the settings: what is in them is the person's, and our own folder stays free of it.
    let kept = house.home().join("dotfiles/claude.json.throughline-backup");
    assert_eq!(read(&kept), LIVED_IN);
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    house.ok(&["install", "--yes"]);
    assert_eq!(read(&kept), LIVED_IN, "the original stays the original");
    house.assert_private();
    house.ok(&["uninstall", "--yes"]);
    assert!(fs::symlink_metadata(settings(&house)).unwrap().is_symlink());
    assert_eq!(read(&real), LIVED_IN);
    assert!(!kept.exists());
}

#[test]
fn uninstall_keeps_what_was_recorded_unless_told_otherwise() {
    let house = House::new();
    house.ok(&["install", "--yes"]);
    house.send(&house.tool("s", "Bash", "x"));
    let said = house.ok(&["uninstall", "--yes"]);
    assert!(said.contains("what was recorded stays"), "{said}");
    assert_eq!(house.events().len(), 1);
    house.ok(&["uninstall", "--yes", "--purge"]);
    assert!(!house.data().exists());
}

#[test]
fn who_only_looks_at_an_uninstall_keeps_the_daemon_and_what_was_recorded() {
    let house = House::new();
    house.ok(&["install", "--yes"]);
    house.send(&house.tool("s", "Bash", "x"));
    let running = house.ok(&["daemon", "status", "--json"]);
    house.ok(&["uninstall", "--dry-run", "--purge"]);
    house.ok(&["uninstall", "--client", "codex", "--dry-run", "--purge"]);
    let asked = house.run(&["uninstall", "--purge"]);
    assert_eq!(asked.status.code(), Some(1), "there is no terminal to ask on");
    let pid = |status: &str| serde_json::from_str::<Value>(status).unwrap()["pid"].clone();
    assert!(pid(&running).is_number(), "{running}");
    assert_eq!(pid(&house.ok(&["daemon", "status", "--json"])), pid(&running));
    assert_eq!(house.events().len(), 1);
}

#[test]
fn a_settings_file_keeps_its_mode_there_and_back() {
    let house = House::new();
    // An empty list cannot be told from one we made: this comes back from the copy.
    let path = house.home().join(".cursor/mcp.json");
    write(&path, r#"{"mcpServers":{}}"#);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    house.ok(&["install", "--client", "cursor", "--yes"]);
    assert_eq!(mode(), 0o664);
    house.ok(&["uninstall", "--client", "cursor", "--yes"]);
    assert_eq!((read(&path).as_str(), mode()), (r#"{"mcpServers":{}}"#, 0o664));
    assert!(!path.with_file_name("mcp.json.throughline-backup").exists());
}

/// The finding of one check, after `doctor --json` ended as its state says.
#[track_caller]
fn finding(house: &House, check: &str) -> Value {
    let output = house.run(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let failed = report["state"] == "fail";
    assert_eq!(output.status.code(), Some(i32::from(failed)), "{report}");
    let findings = report["findings"].as_array().unwrap();
    for one in findings {
        assert_eq!(
            one["state"] == "ok",
            one["repair"].is_null(),
            "every trouble ends with its repair: {one}"
        );
    }
    // Of several of the same check the worst counts.
    let rank = |one: &&Value| ["ok", "warn", "fail"].iter().position(|state| one["state"] == *state);
    findings.iter().filter(|one| one["check"] == check).max_by_key(rank).cloned().unwrap_or_default()
}

#[track_caller]
fn assert_finding(house: &House, check: &str, state: &str, repair: &str) {
    let found = finding(house, check);
    assert_eq!(found["state"], state, "{found}");
    let named = found["repair"].as_str().unwrap_or_default();
    assert!(named.contains(repair), "{found}");
}

#[test]
fn doctor_is_content_after_an_installation() {
    let house = House::new();
    house.ok(&["install", "--yes"]);
    house.send(&house.tool("s", "Bash", "x"));
    house.ok(&["sessions"]);
    let output = house.run(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}");
    for one in report["findings"].as_array().unwrap() {
        // The tiny executable may not be built, the disk may be nearly full, the machine may be slow.
        let lenient = ["binary", "disk", "latency"].contains(&one["check"].as_str().unwrap());
        assert!(one["state"] == "ok" || (lenient && one["state"] == "warn"), "{one}");
    }
    let text = house.ok(&["doctor"]);
    assert!(text.contains("ok    settings") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn doctor_leaves_the_modes_of_what_people_write_alone_while_the_door_is_closed() {
    let house = House::new();
    house.send(&house.tool("s", "Bash", "x"));
    house.ok(&["sessions"]);
    let memories = house.place().memories();
    fs::create_dir_all(memories.join(".git/objects")).unwrap();
    let written =
        ["IDENTITY.md", "USER.md", "LOG.md", "project_hints.toml", "memories/a.md", "memories/.git/x"];
    for name in written {
        fs::write(house.data().join(name), "").unwrap();
        fs::set_permissions(house.data().join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
    fs::set_permissions(memories.join(".git"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_finding(&house, "permissions", "ok", "");

    fs::set_permissions(house.place().key_file(), fs::Permissions::from_mode(0o644)).unwrap();
    let found = finding(&house, "permissions");
    let what = found["what"].as_str().unwrap();
    assert!(what.starts_with("1 file is open to others: "), "ours is tight in any case: {found}");

    fs::set_permissions(house.data(), fs::Permissions::from_mode(0o755)).unwrap();
    let found = finding(&house, "permissions");
    let what = found["what"].as_str().unwrap();
    assert!(what.contains("and ") && what.contains(" more"), "now all of it is open: {found}");
    assert_eq!(what.matches(&format!("{},", house.data().display())).count(), 1, "{found}");
}

#[test]
fn doctor_names_the_repair_and_the_repair_repairs() {
    let house = House::new();
    assert_finding(&house, "settings", "warn", "throughline install");
    house.ok(&["install", "--yes"]);
    assert_finding(&house, "settings", "ok", "");

    let path = settings(&house);
    let installed = read(&path);
    let program = ours(&installed)[0].1.clone();
    fs::write(&path, installed.replace(&program, "/gone/throughline-hook")).unwrap();
    assert_finding(&house, "settings", "fail", "throughline install");
    assert!(finding(&house, "settings")["what"].as_str().unwrap().contains("/gone/throughline-hook"));
    house.ok(&["install", "--yes"]);
    assert_finding(&house, "settings", "ok", "");

    let mut disabled: Value = serde_json::from_str(&read(&path)).unwrap();
    disabled["disableAllHooks"] = json!(true);
    fs::write(&path, disabled.to_string()).unwrap();
    assert_finding(&house, "settings", "fail", "disableAllHooks");
    fs::write(&path, "{ not JSON").unwrap();
    assert_finding(&house, "settings", "fail", "correct ");
    fs::write(&path, installed).unwrap();

    house.send(&house.tool("s", "Bash", "x"));
    house.ok(&["sessions"]);
    fs::set_permissions(house.place().journal(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_finding(&house, "permissions", "fail", "chmod -R go-rwx");
    let repair = finding(&house, "permissions")["repair"].as_str().unwrap().to_owned();
    let done = crate::house::output(house.program("/bin/sh".as_ref(), &["-c"]).arg(repair));
    assert!(done.status.success(), "{done:?}");
    assert_finding(&house, "permissions", "ok", "");

    house.ok(&["pause"]);
    assert_finding(&house, "recording", "warn", "throughline resume");
    house.ok(&["resume"]);
    assert_finding(&house, "recording", "ok", "");

    fs::write(house.place().config_file(), "[journal]\nkeep-days = \"many\"\n").unwrap();
    assert_finding(&house, "config", "fail", "config.toml");
    fs::write(house.place().config_file(), "[redact]\npatterns = [\"(unclosed\"]\n").unwrap();
    assert_finding(&house, "config", "fail", "config.toml");
    house.ok(&["config", "unset", "redact.patterns"]);
    assert_finding(&house, "config", "ok", "");

    house.ok(&["daemon", "stop"]);
    fs::write(house.place().database(), "x".repeat(9000)).unwrap();
    assert_finding(&house, "database", "fail", "throughline rebuild");
    house.ok(&["rebuild"]);
    assert_finding(&house, "database", "ok", "");
    assert_eq!(house.events().len(), 1);

    house.ok(&["daemon", "stop"]);
    fs::create_dir(house.place().socket()).unwrap();
    house.send(&house.tool("s", "Bash", "y"));
    assert_finding(&house, "spool", "warn", "throughline daemon restart");
    fs::remove_dir(house.place().socket()).unwrap();
    house.ok(&["daemon", "restart"]);
    eventually("the spool is taken in", || finding(&house, "spool")["state"] == "ok");
}

#[test]
fn doctor_tells_deleted_and_doubled_hooks_from_another_releases() {
    let house = House::new();
    house.ok(&["install", "--yes"]);
    let path = settings(&house);
    let whole: Value = serde_json::from_str(&read(&path)).unwrap();
    let says = |settings: &Value, words: &str| {
        fs::write(&path, settings.to_string()).unwrap();
        assert_finding(&house, "settings", "warn", "throughline install");
        let found = finding(&house, "settings");
        assert!(found["what"].as_str().unwrap().contains(words), "{words}: {found}");
    };
    let mut deleted = whole.clone();
    deleted["hooks"].as_object_mut().unwrap().remove("Stop");
    says(&deleted, "deleted");
    let mut doubled = whole.clone();
    let stop = doubled["hooks"]["Stop"][0].clone();
    doubled["hooks"]["Stop"].as_array_mut().unwrap().push(stop);
    says(&doubled, "twice on Stop");
    let mut older = whole.clone();
    older["hooks"]["Stop"][0]["hooks"][0]["timeout"] = json!(60);
    says(&older, "another release");
    house.ok(&["install", "--yes"]);
    assert_finding(&house, "settings", "ok", "");
}

#[test]
fn doctor_never_calls_a_folder_ours_alone_that_others_own_or_may_write() {
    let house = House::new();
    house.send(&house.tool("s", "Bash", "x"));
    house.ok(&["sessions"]);
    assert_finding(&house, "permissions", "ok", "");
    let around = house.throughline_home();
    fs::set_permissions(&around, fs::Permissions::from_mode(0o777)).unwrap();
    assert_finding(&house, "permissions", "warn", "chmod go-w");
    fs::set_permissions(&around, fs::Permissions::from_mode(0o700)).unwrap();
    assert_finding(&house, "permissions", "ok", "");
    const NOBODY: u32 = 65_534;
    if std::os::unix::fs::chown(house.place().key_file(), Some(NOBODY), None).is_err() {
        crate::house::skipped("giving a file away needs root");
        return;
    }
    assert_finding(&house, "permissions", "fail", "chown");
    std::os::unix::fs::chown(house.place().key_file(), Some(0), None).unwrap();
    std::os::unix::fs::chown(&around, Some(NOBODY), None).unwrap();
    assert_finding(&house, "permissions", "warn", "THROUGHLINE_HOME");
    std::os::unix::fs::chown(&around, Some(0), None).unwrap();
}
