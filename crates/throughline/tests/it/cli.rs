//! The command line as people and scripts meet it: exit codes, texts that end with the next step, filters that
//! change nothing they should not, settings that remember where they came from.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::house::{House, feed, output};

/// Every command, in the order of the help text. A new one is a line here and a file in `commands/`.
const COMMANDS: &[&str] = &[
    "install",
    "uninstall",
    "pause",
    "resume",
    "doctor",
    "daemon",
    "hook",
    "mcp",
    "view",
    "search",
    "timeline",
    "show",
    "remember",
    "edit",
    "forget",
    "context",
    "code",
    "handoff",
    "checkpoint",
    "scope",
    "guard",
    "checks",
    "skills",
    "claims",
    "message",
    "team",
    "pattern",
    "agents",
    "sessions",
    "session",
    "outcome",
    "events",
    "stats",
    "top",
    "tui",
    "backfill",
    "watch",
    "import",
    "export",
    "gc",
    "eval",
    "model",
    "replay",
    "redact",
    "behaviors",
    "config",
    "rebuild",
    "completions",
    "man",
];

/// What costs something a person must want: a model's time, objects in a repository.
const OFF_BY_DEFAULT: &[&str] = &["auto-checkpoint", "judge-stop"];

/// Looks like a token to a scanner only when the test runs.
fn token() -> String {
    format!("gh{}_{}", "p", "R4nd0mC4n4ryF0rTh3R3d4ct10nT3sts1234")
}

#[track_caller]
fn fails(house: &House, code: i32, args: &[&str], says: &[&str]) {
    let output = house.run(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    assert_eq!(output.stdout, b"", "{args:?}: errors go to stderr");
    for part in says {
        assert!(error.contains(part), "{args:?}: {part:?} is not in {error:?}");
    }
}

#[test]
fn the_help_lists_every_command_once() {
    let house = House::new();
    let help = house.ok(&["--help"]);
    let listed: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert_eq!(listed, COMMANDS, "{help}");
    for command in COMMANDS.iter().filter(|command| **command != "hook") {
        let help = house.ok(&[command, "--help"]);
        assert!(help.contains(&format!("Usage: throughline {command}")), "{help}");
    }
    assert_eq!(house.ok(&["--version"]), format!("throughline {}\n", env!("CARGO_PKG_VERSION")));
    assert!(!house.data().exists(), "asking for help makes nothing");
}

#[test]
fn exit_codes_tell_whose_turn_it_is() {
    let house = House::new();
    fails(&house, 2, &["unheard-of"], &["unrecognized subcommand", "Usage: "]);
    fails(&house, 2, &["events", "--limit", "many"], &["invalid value"]);
    fails(&house, 2, &["daemon", "unit", "upstart"], &["systemd", "launchd"]);
    fails(&house, 2, &[], &["Usage: "]);
    fails(&house, 1, &["sessions"], &["error: nothing is recorded yet", "hint: run `throughline install`"]);
    fails(&house, 1, &["events", "--json"], &["hint: "]);
    fails(&house, 1, &["export"], &["hint: "]);
    house.send(&house.tool("known", "Bash", "x"));
    fails(&house, 1, &["show", "nobody"], &["no session begins with \"nobody\"", "`throughline sessions`"]);
    house.send(&house.tool("known-too", "Bash", "x"));
    fails(&house, 1, &["show", "kno"], &["more than one session"]);
    assert!(house.ok(&["show", "known"]).contains("session   known\n"), "the whole id is never ambiguous");
    assert_eq!(house.ok(&["daemon", "stop"]), "stopped\n");
    assert_eq!(house.ok(&["daemon", "stop"]), "was not running\n");
    assert_eq!(house.ok(&["daemon", "start"]), "started\n");
    assert_eq!(house.ok(&["daemon", "start"]), "running already\n");
}

#[test]
fn redact_changes_secrets_and_not_one_other_byte() {
    let house = House::new();
    let mut plain = b"line\r\nno newline at the end \xff\xfe\x00 caf\xe9 ".to_vec();
    plain.extend((0..=255_u8).cycle().take(5000));
    assert_eq!(house.pipe(&["redact"], &plain).stdout, plain);
    assert_eq!(house.pipe(&["redact"], b"").stdout, b"");

    let token = token();
    let text = format!("\u{1}before\r\n\texport GITHUB_TOKEN={token} \u{e9}after");
    let redacted = house.pipe(&["redact"], text.as_bytes());
    assert_eq!(redacted.status.code(), Some(0));
    let redacted = String::from_utf8(redacted.stdout).unwrap();
    assert!(redacted.starts_with("\u{1}before\r\n\texport GITHUB_TOKEN=[REDACTED:"), "{redacted:?}");
    assert!(redacted.ends_with(" \u{e9}after"), "{redacted:?}");
    let again = house.pipe(&["redact"], redacted.as_bytes()).stdout;
    assert_eq!(String::from_utf8(again).unwrap(), redacted, "inert to a second pass");

    let listed = house.pipe(&["redact", "--json"], text.as_bytes());
    let finding: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let (start, end) =
        (finding["start"].as_u64().unwrap() as usize, finding["end"].as_u64().unwrap() as usize);
    assert_eq!(&text[start..end], token);
    assert!(
        !String::from_utf8(listed.stdout).unwrap().contains(&token),
        "a list of findings tells no secret"
    );

    let envelope = house.tool("s", "Bash", &token).to_string();
    let redacted = house.pipe(&["redact", "--envelope"], envelope.as_bytes()).stdout;
    let parsed: Value = serde_json::from_slice(&redacted).unwrap();
    assert!(parsed["tool_response"]["stdout"].as_str().unwrap().starts_with("[REDACTED:"));
    let listed = house.pipe(&["redact", "--envelope", "--json"], envelope.as_bytes()).stdout;
    assert_eq!(serde_json::from_slice::<Value>(&listed).unwrap()["path"], "tool_response.stdout");
}

#[test]
fn rules_of_the_persons_own_hold_in_the_filter_and_in_the_journal() {
    let house = House::new();
    house.ok(&["config", "set", "redact.patterns", "ticket=TCK-[0-9]{6}"]);
    house.ok(&["config", "set", "redact.literals", "Project Bluebird"]);
    let text = "see TCK-123456 of Project Bluebird";
    let filtered = String::from_utf8(house.pipe(&["redact"], text.as_bytes()).stdout).unwrap();
    assert!(filtered.starts_with("see [REDACTED:ticket") && !filtered.contains("Bluebird"), "{filtered}");
    house.send(&house.prompt("s", text));
    house.events();
    assert_eq!(house.files_with("TCK-123456"), Vec::<std::path::PathBuf>::new());
    let config = house.place().config_file();
    assert_eq!(house.files_with("Project Bluebird"), [config], "the rule itself is all that names it");
}

#[test]
fn settings_are_read_changed_and_remember_where_they_came_from() {
    let house = House::new();
    let file = house.place().config_file();
    assert_eq!(house.ok(&["config", "path"]), format!("{}\n", file.display()));
    assert_eq!(house.ok(&["config", "get", "journal.keep-days"]), "365\n");
    house.place().ensure().unwrap();
    let written = "# mine\n[journal]\nkeep-days = 30 # a month\n\n# more\n[redact]\nemail = true\n";
    fs::write(&file, written).unwrap();
    assert_eq!(house.ok(&["config", "get", "journal.keep-days"]), "30\n");

    house.ok(&["config", "set", "journal.durability", "process"]);
    house.ok(&["config", "set", "capture.skip-tools", "Read, WebFetch"]);
    let text = fs::read_to_string(&file).unwrap();
    for kept in ["# mine\n", "keep-days = 30 # a month\n", "\n# more\n[redact]\nemail = true\n"] {
        assert!(text.contains(kept), "{kept:?} is gone from {text}");
    }
    assert_eq!(house.ok(&["config", "get", "capture.skip-tools", "--json"]), "[\"Read\",\"WebFetch\"]\n");
    house.ok(&["config", "unset", "journal.durability"]);
    house.ok(&["config", "unset", "capture.skip-tools"]);
    assert_eq!(house.ok(&["config", "get", "journal.durability"]), "power\n");
    assert!(
        fs::read_to_string(&file).unwrap().starts_with(written),
        "what was set and unset leaves no trace"
    );
    house.assert_private();

    // The environment wins over the file, and says so.
    let with = |args: &[&str]| {
        let mut command = house.command(args);
        let output = output(command.env("THROUGHLINE_JOURNAL_KEEP_DAYS", "7"));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(with(&["config", "get", "journal.keep-days"]), "7\n");
    let listed = with(&["config", "list", "--origin"]);
    let line = |key: &str| listed.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    assert!(line("journal.keep-days").ends_with("environment (THROUGHLINE_JOURNAL_KEEP_DAYS)"), "{listed}");
    assert!(line("redact.email").ends_with(&format!("user ({})", file.display())), "{listed}");
    assert!(line("redact.phone").ends_with("default"), "{listed}");
    let rows: Vec<Value> =
        with(&["config", "list", "--json"]).lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let row = rows.iter().find(|row| row["key"] == "journal.keep-days").unwrap();
    assert_eq!((&row["value"], &row["origin"]), (&json!(7), &json!("environment")));
}

#[test]
fn wrong_settings_are_named_with_what_would_be_right() {
    let house = House::new();
    fails(
        &house,
        1,
        &["config", "get", "journal.keepdays"],
        &["no key is called", "`throughline config list`"],
    );
    fails(&house, 1, &["config", "set", "journal.keepdays", "3"], &["did you mean journal.keep-days?"]);
    fails(&house, 1, &["config", "set", "journal.keep-days", "0"], &["a whole number of at least 1"]);
    fails(&house, 1, &["config", "set", "journal.durability", "hope"], &["one of power, process"]);
    fails(&house, 1, &["config", "set", "redact.email", "perhaps"], &["true or false"]);
    fails(&house, 1, &["config", "unset", "nothing"], &["no key is called"]);
    assert!(!house.place().config_file().exists(), "a wrong value is not written");

    house.place().ensure().unwrap();
    fs::write(house.place().config_file(), "[journal\nkeep-days = 3\n").unwrap();
    fails(
        &house,
        1,
        &["config", "set", "journal.keep-days", "3"],
        &["is not valid TOML and was not changed", "hint: "],
    );
    assert_eq!(fs::read_to_string(house.place().config_file()).unwrap(), "[journal\nkeep-days = 3\n");
    // One wrong key is told and costs nothing but itself.
    fs::write(house.place().config_file(), "[journal]\nkeep-days = 3\nkeep-ways = 4\n").unwrap();
    let output = house.run(&["config", "get", "journal.keep-days"]);
    assert_eq!(output.stdout, b"3\n");
    assert!(String::from_utf8(output.stderr).unwrap().contains("journal.keep-ways"));
}

#[test]
fn behaviors_are_listed_explained_and_switched() {
    let house = House::new();
    let names: Vec<String> = house
        .ok(&["behaviors", "list", "--json"])
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).unwrap())
        .inspect(|row| {
            let on = !OFF_BY_DEFAULT.iter().any(|name| row["name"] == *name);
            assert_eq!((&row["on"], &row["origin"]), (&json!(on), &json!("default")), "{row}");
        })
        .map(|row| row["name"].as_str().unwrap().to_owned())
        .collect();
    for name in ["register-session", "record-prompt", "capture", "pin-incident", "complete-session"] {
        assert!(names.iter().any(|one| one == name), "{name}");
        let page = house.ok(&["behaviors", "explain", name]);
        assert!(page.starts_with(name) && page.contains("hears: "), "{page}");
    }
    assert_eq!(house.ok(&["behaviors", "disable", "capture"]), "capture is off\n");
    let row = house.ok(&["behaviors"]);
    let row = row.lines().find(|line| line.starts_with("capture ")).unwrap();
    assert_eq!(row.split_whitespace().nth(1), Some("off"));
    house.start();
    house.send(&house.tool("s", "Bash", "x"));
    house.send(&house.prompt("s", "heard"));
    assert_eq!(house.heard(), [("s".to_owned(), "UserPromptSubmit".to_owned())]);
    house.ok(&["behaviors", "enable", "capture"]);
    house.send(&house.tool("s", "Bash", "x"));
    assert_eq!(house.heard().len(), 2);
    fails(&house, 1, &["behaviors", "disable", "captures"], &["no behavior is called", "known: ", "capture"]);
}

#[test]
fn an_export_is_the_journal_and_filters_find_their_events() {
    let house = House::new();
    house.start();
    for at in 0..12 {
        house.send(&house.tool(&format!("s{}", at % 2), if at % 3 == 0 { "Bash" } else { "Read" }, "x"));
    }
    let export = house.ok(&["export"]);
    assert_eq!(export, house.ok(&["events", "--json"]));
    let rows: Vec<Value> = export.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), 12);
    for row in &rows {
        let keys: Vec<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["agent", "at", "envelope", "event", "id", "seq", "session", "tool"]);
    }
    let after = rows[8]["seq"].to_string();
    assert_eq!(house.ok(&["export", "--after", &after]).lines().count(), 3);
    let count = |args: &[&str]| house.ok(args).lines().count();
    assert_eq!(count(&["events", "--json", "--tool", "Bash"]), 4);
    assert_eq!(count(&["events", "--json", "--session", "s1"]), 6);
    assert_eq!(count(&["events", "--json", "--event", "Stop"]), 0);
    assert_eq!(count(&["events", "--json", "--limit", "5"]), 5);
    let newest: Value = serde_json::from_str(house.ok(&["events", "--json", "--limit", "1"]).trim()).unwrap();
    assert_eq!(newest["seq"], rows[11]["seq"]);
    assert_eq!(count(&["sessions", "--json", "--live"]), 2);
    assert_eq!(count(&["sessions", "--json", "--project", "nothing"]), 0);
}

#[test]
fn completions_and_the_manual_are_understood_by_their_readers() {
    let house = House::new();
    let script = house.ok(&["completions", "bash"]);
    let parsed = feed(house.program("/bin/bash".as_ref(), &["-n"]), script.as_bytes());
    assert!(parsed.status.success() && parsed.stderr.is_empty(), "{parsed:?}");
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(house.ok(&["completions", shell]).contains("throughline"), "{shell}");
    }
    fails(&house, 2, &["completions", "csh"], &["possible values: bash"]);

    let page = house.ok(&["man"]);
    assert!(page.contains(".TH throughline 1"), "{page}");
    if Path::new("/usr/bin/groff").exists() {
        let shown = feed(
            house.program("/usr/bin/groff".as_ref(), &["-man", "-Tutf8", "-ww", "-P-cbou"]),
            page.as_bytes(),
        );
        assert!(shown.status.success() && shown.stderr.is_empty(), "{shown:?}");
        let text = String::from_utf8(shown.stdout).unwrap();
        for command in COMMANDS {
            let heading = format!("THROUGHLINE {}", command.to_uppercase());
            assert!(text.lines().any(|line| line == heading), "{heading}");
        }
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_trouble() {
    let house = House::new();
    house.start();
    let page = "y".repeat(4000);
    for _ in 0..60 {
        house.send(&house.tool("s", "Bash", &page));
    }
    for command in [
        "events --json",
        "export",
        "events --limit 0",
        "man",
        "completions bash",
        "sessions",
        "stats",
        "config list",
    ] {
        let line = format!("\"$0\" {command} | head -1; echo ${{PIPESTATUS[0]}}");
        let mut shell = house.program("/bin/bash".as_ref(), &["-c", &line, crate::house::THROUGHLINE]);
        let done = output(&mut shell);
        let (shown, error) =
            (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
        assert_eq!(error, "", "{command}");
        assert_eq!(shown.lines().last(), Some("0"), "{command}: {shown}");
    }
    // A full disk behind stdout is told, and is no panic.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let done =
        house.command(&["events", "--json"]).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).spawn();
    let done = done.unwrap().wait_with_output().unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    assert!(!done.status.success() && error.starts_with("error: ") && !error.contains("panic"), "{error}");
}

#[test]
fn colors_are_for_terminals() {
    let house = House::new();
    house.send(&house.tool("s", "Bash", "x"));
    for command in [
        &["sessions"][..],
        &["events"],
        &["stats"],
        &["show", "s"],
        &["doctor"],
        &["config", "list"],
        &["behaviors"],
        &["--help"],
        &["daemon", "status"],
        &["daemon", "logs"],
    ] {
        let done = house.run(command);
        let shown = [done.stdout, done.stderr].concat();
        assert!(!shown.contains(&0x1b), "{command:?}: {}", String::from_utf8_lossy(&shown));
    }
    if !Path::new("/usr/bin/script").exists() {
        crate::house::skipped("no `script` to make a terminal with");
        return;
    }
    let on_terminal = |colors: bool| {
        let line = format!("'{}' sessions", crate::house::THROUGHLINE);
        let mut script = house.program("/usr/bin/script".as_ref(), &["-qec", &line, "/dev/null"]);
        if !colors {
            script.env("NO_COLOR", "1");
        }
        output(&mut script).stdout
    };
    assert!(on_terminal(true).contains(&0x1b));
    assert!(!on_terminal(false).contains(&0x1b));
}

#[test]
fn the_service_definitions_name_this_binary_and_this_home() {
    let house = House::new();
    for (manager, word) in [("systemd", "ExecStart="), ("launchd", "<key>ProgramArguments</key>")] {
        let unit = house.ok(&["daemon", "unit", manager]);
        assert!(unit.contains(word) && unit.contains(crate::house::THROUGHLINE), "{unit}");
        assert!(
            unit.contains(&house.throughline_home().display().to_string()) && !unit.contains("{{"),
            "{unit}"
        );
    }
    assert!(!house.data().exists());
}

#[test]
fn namespaces_and_homes_keep_apart() {
    let house = House::new();
    house.send(&house.tool("ours", "Bash", "x"));
    let work = |args: &[&str]| {
        let mut command = house.command(args);
        command.env("THROUGHLINE_NAMESPACE", "work");
        command
    };
    let done = feed(work(&["hook"]), house.tool("theirs", "Bash", "x").to_string().as_bytes());
    assert_eq!(done.status.code(), Some(0));
    let listed = String::from_utf8(output(&mut work(&["events", "--json"])).stdout).unwrap();
    assert!(listed.contains("theirs") && !listed.contains("ours\""), "{listed}");
    let status: Value =
        serde_json::from_slice(&output(&mut work(&["daemon", "status", "--json"])).stdout).unwrap();
    assert_eq!(status["namespace"], "work");
    assert_ne!(status["pid"], house.status()["pid"]);
    output(&mut work(&["daemon", "stop"]));
    assert_eq!(house.heard(), [("ours".to_owned(), "PostToolUse".to_owned())]);
}
