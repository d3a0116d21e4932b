//! A memory from the moment somebody says it to the moment it is gone: remembered, shown, edited, forgotten.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use model::MemoryKind;
use serde_json::{Value, json};
use store::{MemoryFilter, Tables};

use crate::house::{House, eventually};

/// Looks like a token to a scanner only when the test runs.
fn token() -> String {
    format!("gh{}_{}", "p", "R4nd0mC4n4ryF0rTh3R3d4ct10nT3sts1234")
}

fn remember(house: &House, args: &[&str]) -> String {
    let id = house.ok(&[&["remember"], args].concat()).trim().to_owned();
    assert_eq!(id.len(), 12, "{id}");
    id
}

fn shown(house: &House, id: &str) -> Value {
    serde_json::from_str(&house.ok(&["show", id, "--json"])).unwrap()
}

#[track_caller]
fn fails(house: &House, args: &[&str], says: &[&str]) {
    let output = house.run(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
    for part in says.iter().chain(&["error: ", "hint: "]) {
        assert!(error.contains(part), "{args:?}: {part:?} is not in {error:?}");
    }
}

#[test]
fn what_is_remembered_is_shown_edited_forgotten_and_gone() {
    let house = House::new();
    let text = "The quokkabase is read-only on Fridays. Ask Ana before a migration.";
    let id = remember(&house, &[text, "--file", "db/schema.sql", "--critical"]);
    let memory = shown(&house, &id);
    assert_eq!(memory["text"], text);
    assert_eq!(memory["title"], "The quokkabase is read-only on Fridays.");
    assert_eq!((&memory["kind"], &memory["project"]), (&"note".into(), &"work".into()));
    assert_eq!((&memory["critical"], &memory["pinned"]), (&true.into(), &false.into()));
    assert_eq!(memory["files_read"][0], "db/schema.sql");
    assert_eq!(memory["provenance"]["by"], "person");
    assert_eq!(shown(&house, &id[..7])["id"], id.as_str(), "a beginning of the id suffices");

    let page = house.ok(&["show", &id]);
    for part in [text, &id, "project   work", "critical", "db/schema.sql", "person"] {
        assert!(page.contains(part), "{part:?} is not in {page}");
    }

    assert_eq!(
        house.ok(&["edit", &id, "--text", "The wombatbase is read-only.", "--pin"]),
        format!("{id} is changed\n")
    );
    assert_eq!(house.ok(&["edit", &id, "--pin"]), "nothing was changed\n");
    house.ok(&["edit", &id, "--title", "When not to migrate", "--critical", "false"]);
    let memory = shown(&house, &id);
    assert_eq!((&memory["title"], &memory["pinned"]), (&"When not to migrate".into(), &true.into()));
    assert_eq!(
        (&memory["text"], &memory["critical"]),
        (&"The wombatbase is read-only.".into(), &false.into())
    );

    fails(&house, &["forget", &id], &["no terminal", "--yes"]);
    assert_eq!(shown(&house, &id)["id"], id.as_str(), "nothing goes without a yes");
    assert_eq!(house.ok(&["forget", &id, "--yes"]), "1 memory forgotten\n");
    fails(&house, &["show", &id], &["no memory", &id]);
    fails(&house, &["forget", &id, "--yes"], &["no memory"]);
    house.ok(&["rebuild"]);
    fails(&house, &["show", &id], &["no memory"]);
    for word in ["quokkabase", "wombatbase"] {
        assert_eq!(house.files_with(word), Vec::<PathBuf>::new(), "no file of ours says {word} any more");
    }
}

#[test]
fn on_a_terminal_the_person_is_asked_and_may_say_no() {
    if !std::path::Path::new("/usr/bin/script").exists() {
        crate::house::skipped("no `script` to make a terminal with");
        return;
    }
    let house = House::new();
    let id = remember(&house, &["the pelican is on call this week"]);
    let answered = |word: &str| {
        let line = format!("'{}' forget {id}", crate::house::THROUGHLINE);
        let script = house.program("/usr/bin/script".as_ref(), &["-qec", &line, "/dev/null"]);
        String::from_utf8(crate::house::feed(script, format!("{word}\n").as_bytes()).stdout).unwrap()
    };
    let said = answered("");
    assert!(said.contains("the pelican is on call") && said.contains("[y/N]"), "{said}");
    assert!(said.contains("nothing was forgotten"), "{said}");
    shown(&house, &id);
    assert!(answered("y").contains("1 memory forgotten"));
    fails(&house, &["show", &id], &["no memory"]);
}

#[test]
fn all_or_nothing_is_forgotten() {
    let house = House::new();
    let ids: Vec<String> =
        (0..3).map(|at| remember(&house, &[&format!("fact number {at} of many")])).collect();
    fails(&house, &["forget", &ids[0], "zzzzzzzzzzzz", "--yes"], &["no memory"]);
    shown(&house, &ids[0]);
    let gone = house.ok(&["forget", &ids[0], &ids[1], &ids[0], "--yes", "--json"]);
    let gone: Value = serde_json::from_str(&gone).unwrap();
    assert_eq!(gone["forgotten"].as_array().unwrap().len(), 2);
    shown(&house, &ids[2]);
    let id = remember(&house, &["fact number 0 of many"]);
    assert_ne!(id, ids[0], "what was forgotten can be said again");
    assert_eq!(shown(&house, &id)["text"], "fact number 0 of many");
}

#[test]
fn a_session_is_forgotten_with_all_that_was_kept_of_it() {
    let house = House::new();
    for session in ["first", "second"] {
        house.send(&house.envelope(session, "SessionStart"));
        house.send(&house.prompt(session, &format!("why is the {session}axolotl build red on Mondays")));
        house.send(&house.envelope(session, "Stop"));
    }
    let kept = |house: &House, session: &str| -> usize {
        let lines = house.ok(&["export", "--memories"]);
        let rows = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.filter(|row| row["session"] == session).count()
    };
    assert!(kept(&house, "first") > 0 && kept(&house, "second") > 0);
    house.ok(&["forget", "--session", "first", "--yes"]);
    assert_eq!(kept(&house, "first"), 0);
    assert!(kept(&house, "second") > 0, "another session stays");
    assert_eq!(house.files_with("firstaxolotl"), Vec::<PathBuf>::new(), "not in the journal, not anywhere");
    assert_ne!(house.files_with("secondaxolotl"), Vec::<PathBuf>::new());
    fails(&house, &["forget", "--session", "nobody", "--yes"], &["no session begins"]);
}

#[test]
fn a_secret_in_what_is_remembered_is_never_written() {
    let house = House::new();
    let token = token();
    let output = house.run(&["remember", &format!("deploy with GITHUB_TOKEN={token} on Fridays")]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "1 secret was masked\n");
    let id = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    assert!(shown(&house, &id)["text"].as_str().unwrap().contains("[REDACTED:"));
    house.ok(&["edit", &id, "--text", &format!("or with {token}")]);
    house.ok(&["edit", &id, "--title", &format!("the token {token}")]);
    remember(&house, &["a title may tell", "--title", &token]);
    let piped = house.pipe(&["remember", "-"], format!("from a pipe: {token}").as_bytes());
    assert!(piped.status.success(), "{piped:?}");
    house.ok(&["daemon", "stop"]);
    assert_eq!(house.files_with(&token), Vec::<PathBuf>::new());
    fails(&house, &["remember", "<private>nobody's business</private>"], &["private"]);
}

#[test]
fn the_same_words_are_one_memory() {
    let house = House::new();
    let id = remember(&house, &["Use uv for everything, always"]);
    assert_eq!(remember(&house, &["use UV for everything: always."]), id);
    let known: Value =
        serde_json::from_str(&house.ok(&["remember", "use uv for everything always", "--json"])).unwrap();
    assert_eq!((&known["id"], &known["known"]), (&id.as_str().into(), &true.into()));
    assert_ne!(
        remember(&house, &["Use uv for everything, always", "--global"]),
        id,
        "another place, another memory"
    );
    assert_eq!(shown(&house, &id)["repeats"], 2);
}

#[test]
fn a_memory_belongs_to_the_project_it_was_said_in_to_a_named_one_or_to_none() {
    let house = House::new();
    let project = |args: &[&str]| shown(&house, &remember(&house, args))["project"].clone();
    assert_eq!(project(&["said here"]), "work");
    assert_eq!(project(&["said of another", "--project", "website"]), "website");
    assert_eq!(project(&["said of all", "--global"]), Value::Null);
    let kind = |args: &[&str]| shown(&house, &remember(&house, args))["kind"].clone();
    assert_eq!(kind(&["we take Postgres", "--kind", "Decision"]), "decision");
    let refused = house.run(&["remember", "x", "--kind", "thought"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("known kinds: bugfix"));
}

#[test]
fn an_editor_changes_title_and_text_and_its_file_is_private_and_gone() {
    if !std::path::Path::new("/usr/bin/script").exists() {
        crate::house::skipped("no `script` to make a terminal with");
        return;
    }
    let house = House::new();
    let id = remember(&house, &["first line\nsecond line", "--title", "old title"]);
    let script = house.home().join("editor.sh");
    let seen = house.home().join("seen");
    let body = format!(
        "#!/bin/sh\nstat -c %a \"$2\" > '{seen}'\ncat \"$2\" >> '{seen}'\nprintf '# %s\\n\\nthird line\\n' \"$1\" > \"$2\"\n",
        seen = seen.display()
    );
    fs::write(&script, body).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let edit = |editor: &str| {
        let line = format!("'{}' edit {id}", crate::house::THROUGHLINE);
        let mut on_terminal = house.program("/usr/bin/script".as_ref(), &["-qec", &line, "/dev/null"]);
        on_terminal.env("EDITOR", editor);
        crate::house::feed(on_terminal, b"")
    };
    let output = edit(&format!("'{}' changed", script.display()));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_to_string(&seen).unwrap(), "600\n# old title\n\nfirst line\nsecond line\n");
    let memory = shown(&house, &id);
    assert_eq!((&memory["title"], &memory["text"]), (&"changed".into(), &"third line".into()));
    let drafts = fs::read_dir(house.data().join("run")).unwrap().flatten();
    assert!(!drafts.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("edit-")));

    assert_eq!(edit("false").status.code(), Some(1));
    assert_eq!(shown(&house, &id)["text"], "third line");
}

#[test]
fn without_a_terminal_no_editor_is_started() {
    let house = House::new();
    let id = remember(&house, &["as it was said"]);
    let trace = house.home().join("started");
    let mut command = house.command(&["edit", &id]);
    command.env("EDITOR", format!("touch '{}'; true", trace.display()));
    let output = crate::house::output(&mut command);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("no terminal") && error.contains("--text -"), "{error}");
    assert!(!trace.exists());
    let piped = house.pipe(&["edit", &id, "--text", "-"], b"as it is said now");
    assert!(piped.status.success(), "{piped:?}");
    assert_eq!(shown(&house, &id)["text"], "as it is said now");
}

#[test]
fn ids_that_name_nothing_end_with_the_next_step() {
    let house = House::new();
    fails(&house, &["show", "nothing"], &["nothing is recorded yet"]);
    remember(&house, &["something to begin with"]);
    let long = "x".repeat(10_000);
    for id in ["nobody", "", "0", "\u{1b}[31m", "🦀", long.as_str(), "'; DROP TABLE memories; --"] {
        fails(&house, &["show", id], &["no memory"]);
        fails(&house, &["edit", id, "--pin"], &["no memory"]);
        fails(&house, &["forget", id, "--yes"], &["no memory"]);
    }
    let error = house.run(&["show", "\u{1b}[31m"]).stderr;
    assert!(!error.contains(&0x1b), "what a stranger typed does not steer the terminal");
}

#[test]
fn whatever_is_said_is_kept_as_it_was_said() {
    let house = House::new();
    let long = "word ".repeat(2000);
    for text in ["\"quoted\" 'twice' \\ `and` $HOME", "🦀 Ünïcödé 中文 \u{202e}abc", "a\u{1b}b", long.trim()]
    {
        let output = house.pipe(&["remember", "-"], text.as_bytes());
        assert!(output.status.success(), "{text:?}: {output:?}");
        let id = String::from_utf8(output.stdout).unwrap();
        assert_eq!(shown(&house, id.trim())["text"], text);
        let page = house.run(&["show", id.trim()]).stdout;
        let page = String::from_utf8(page).unwrap();
        assert!(!page.contains(['\u{202e}', '\u{0}', '\u{1b}']), "{page:?}");
    }
    // A memory may become a file, and one with a NUL in it is no text to anybody.
    let id = String::from_utf8(house.pipe(&["remember", "-"], b"a\0c").stdout).unwrap();
    assert_eq!(shown(&house, id.trim())["text"], "ac");
    for nothing in ["", "   ", "\n", "\0"] {
        let output = house.pipe(&["remember", "-"], nothing.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{nothing:?}");
    }
    let output = house.pipe(&["remember", "-"], "x".repeat(100 << 10).as_bytes());
    assert!(String::from_utf8(output.stderr).unwrap().contains("more than one memory holds"));
}

#[test]
fn a_deed_is_kept_by_a_daemon_that_is_killed_right_after() {
    let house = House::new();
    house.start();
    let id = remember(&house, &["the answer came before the kill"]);
    let pid = house.pid();
    crate::house::signal(pid, rustix::process::Signal::KILL);
    eventually("the daemon is gone", || house.holder() != Some(pid));
    assert_eq!(shown(&house, &id)["text"], "the answer came before the kill");
}

/// A failed test, an edit and a passed test, all of one agent.
fn mending(house: &House, session: &str, agent: &str) -> Vec<Value> {
    let of_agent = |event: &str| {
        let mut envelope = house.envelope(session, event);
        envelope["agent_id"] = json!(agent);
        envelope["agent_type"] = json!("general-purpose");
        envelope
    };
    let call = |event: &str, name: &str, input: Value| {
        let mut envelope = of_agent(event);
        envelope["tool_name"] = json!(name);
        envelope["tool_input"] = input;
        envelope
    };
    let command = json!({ "command": "pytest tests/test_journal.py" });
    let mut failed = call("PostToolUseFailure", "Bash", command.clone());
    failed["error"] = json!("Exit code 1\nModuleNotFoundError: No module named 'quokkalog'");
    let mut install = call("PostToolUse", "Bash", json!({ "command": "pip install quokkalog" }));
    install["tool_response"] =
        json!({ "stdout": "Successfully installed quokkalog-2.1", "stderr": "", "interrupted": false });
    let mut passed = call("PostToolUse", "Bash", command);
    passed["tool_response"] = json!({ "stdout": "12 passed in 0.31s", "stderr": "", "interrupted": false });
    let mut stop = of_agent("SubagentStop");
    stop["last_assistant_message"] =
        json!("The tests of the journal needed quokkalog; they pass once it is installed.");
    vec![failed, install, passed, stop]
}

#[test]
fn what_a_subagent_learned_is_kept_when_it_ends_as_another_agents_words() {
    let house = House::new();
    house.start();
    house.send(&house.prompt("lesson", "let somebody mend the journal"));
    for event in mending(&house, "lesson", "a44b10ed607470b03") {
        house.send(&event);
    }
    let tables = Tables::open_read_only(&house.place().database()).unwrap();
    let lesson = || {
        let all = tables.memories(&MemoryFilter::default()).unwrap();
        all.into_iter().find(|row| row.memory.kind == MemoryKind::Learning)
    };
    // The session itself has not ended.
    eventually("the lesson is kept", || lesson().is_some());
    let lesson = shown(&house, &lesson().unwrap().memory.id.to_string());
    assert!(lesson["title"].as_str().unwrap().contains("pip install quokkalog"), "{lesson}");
    assert_eq!(lesson["origin"], "outside", "nobody has said that it is so but another agent: {lesson}");
    assert!(!lesson["provenance"]["events"].as_array().unwrap().is_empty());
}

#[test]
fn what_a_subagent_said_last_is_in_its_transcript_where_the_client_does_not_tell() {
    let house = House::new();
    house.start();
    let agent = "a44b10ed607470b03";
    let folder = house.home().join("subagents");
    fs::create_dir_all(&folder).unwrap();
    let says = |agent: &str, text: &str| {
        json!({ "type": "assistant", "sessionId": "untold", "isSidechain": true, "agentId": agent,
            "message": { "id": "m", "model": "m", "stop_reason": "end_turn", "content": [{ "type": "text", "text": text }] } })
    };
    let words = format!("The quokkabase answers on port 5433; its key is {}.", token());
    let file = folder.join(format!("agent-{agent}.jsonl"));
    fs::write(&file, format!("{}\n{}\n", says("another", "Not mine."), says(agent, &words))).unwrap();
    let elsewhere = folder.join("agent-other.jsonl");
    fs::copy(&file, &elsewhere).unwrap();
    let agents = || house.ok(&["agents", "--json"]);
    let of_agent = |event: &str| {
        let mut envelope = house.envelope("untold", event);
        envelope["agent_id"] = json!(agent);
        envelope["agent_type"] = json!("general-purpose");
        envelope
    };
    house.send(&house.prompt("untold", "where does the quokka live?"));
    house.send(&of_agent("SubagentStart"));
    for path in [&elsewhere, &file] {
        let mut stop = of_agent("SubagentStop");
        stop["agent_transcript_path"] = json!(path);
        house.send(&stop);
        eventually("it has ended", || agents().contains("\"ended_at\":1"));
        assert!(
            path == &file || !agents().contains("quokkabase"),
            "another's file is not read: {}",
            agents()
        );
    }
    eventually("its last words are its answer", || agents().contains("port 5433"));
    assert!(!agents().contains(&token()), "{}", agents());
}
