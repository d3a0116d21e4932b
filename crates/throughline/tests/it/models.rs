//! A model improves on what was distilled without one: asked in the background, within a budget, and never twice.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use model::SessionId;
use rustix::process::Signal;
use serde_json::{Value, json};
use store::{MemoryRow, Tables};

use crate::house::{House, eventually, signal};

/// What the server does with a request.
#[derive(Clone)]
enum Reply {
    /// Observations, as a model words them.
    Says(Value),
    Text(&'static str),
    Status(u16, &'static str),
    Refuses,
    /// Says nothing while the other side waits.
    Silence,
}

/// Speaks as an OpenAI-compatible server does, as the test tells it, and remembers what it was asked.
struct Server {
    url: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn answering(mut script: impl FnMut(&str) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let hears = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(prompt) = listen(&stream) else { continue };
                let reply = script(&prompt);
                hears.lock().unwrap().push(prompt);
                thread::spawn(move || speak(stream, &reply));
            }
        });
        Self { url, heard }
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    fn heard_of(&self, word: &str) -> usize {
        self.heard().iter().filter(|prompt| prompt.contains(word)).count()
    }
}

fn listen(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    Some(body["messages"][1]["content"].as_str()?.to_owned())
}

fn speak(mut stream: TcpStream, reply: &Reply) {
    let usage = json!({ "prompt_tokens": 2000, "completion_tokens": 200 });
    let choice = |message: Value| json!({ "choices": [{ "message": message }], "usage": usage });
    let (status, body) = match reply {
        Reply::Says(said) => (200, choice(json!({ "content": said.to_string() })).to_string()),
        Reply::Text(text) => (200, choice(json!({ "content": text })).to_string()),
        Reply::Refuses => (200, choice(json!({ "refusal": "I would rather not." })).to_string()),
        Reply::Status(status, text) => (*status, json!({ "error": { "message": text } }).to_string()),
        Reply::Silence => {
            let _ = stream.read_to_end(&mut Vec::new());
            return;
        }
    };
    let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// One observation that cites the first step.
fn account(title: &str) -> Reply {
    Reply::Says(json!({ "observations": [{
        "kind": "bugfix", "title": title, "subtitle": "", "narrative": "The model's own words.",
        "facts": [], "concepts": ["tokens"], "files_read": [], "files_modified": ["src/token.rs"], "steps": [0],
    }]}))
}

fn configure(house: &House, server: &Server, more: &str) {
    fs::create_dir_all(house.data()).unwrap();
    let text = format!(
        "[distill]\nprovider = \"openai\"\nmodel = \"small\"\nbase-url = \"{}\"\n{more}\n",
        server.url
    );
    fs::write(house.place().config_file(), text).unwrap();
}

/// A turn with enough in it to be worth a question: an edit, some commands, an end.
fn work(house: &House, session: &str) {
    house.send(&house.prompt(session, &format!("repair the refresh of tokens in {session}")));
    let mut edit = house.tool(session, "Edit", "");
    edit["tool_input"] = json!({
        "file_path": "src/token.rs",
        "old_string": format!("let expires = now; // {session}"),
        "new_string": format!("let expires = now + lifetime; // {session}"),
    });
    edit["tool_response"] = json!({ "filePath": "src/token.rs", "userModified": false });
    house.send(&edit);
    for round in 0..6 {
        let line = format!("{session} round {round}: test refresh ... ok, the token is valid for 3600 s\n");
        house.send(&house.tool(session, "Bash", &line.repeat(30)));
    }
    let mut stop = house.envelope(session, "Stop");
    stop["last_assistant_message"] = json!("The token is refreshed before it expires. All tests pass.");
    house.send(&stop);
}

fn distill(house: &House) -> Value {
    house.status()["distill"].clone()
}

fn wait_for(house: &House, key: &str, value: impl Into<Value>) {
    let value = value.into();
    let mut last = Value::Null;
    let until = Instant::now() + Duration::from_secs(40);
    while last[key] != value {
        assert!(Instant::now() < until, "{key} never became {value}: {last}");
        thread::sleep(Duration::from_millis(20));
        last = distill(house);
    }
}

fn memories(house: &House, session: &str) -> Vec<MemoryRow> {
    let tables = Tables::open_read_only(&house.place().database()).unwrap();
    tables.memories_of_session(&SessionId::new(session), 1000).unwrap()
}

fn by_the_model(rows: &[MemoryRow]) -> Vec<&MemoryRow> {
    rows.iter().filter(|row| row.memory.provenance.by == "openai:small").collect()
}

#[test]
fn a_turn_gets_the_models_account_and_what_was_extracted_stays_behind_it() {
    let house = House::new();
    let server = Server::answering(|_| account("Tokens are refreshed in time"));
    configure(&house, &server, "");
    house.start();
    work(&house, "one");
    wait_for(&house, "turns_done", 1);

    let rows = memories(&house, "one");
    let better = by_the_model(&rows);
    assert_eq!(better.len(), 1, "{rows:?}");
    assert_eq!(better[0].memory.title, "Tokens are refreshed in time");
    assert_eq!(better[0].memory.files_modified, ["src/token.rs"]);
    assert_eq!(better[0].memory.provenance.events.len(), 1, "it brings its evidence");
    assert_eq!(better[0].memory.project.as_deref(), Some("work"));
    let behind: Vec<_> = rows.iter().filter(|row| row.superseded_by == Some(better[0].memory.id)).collect();
    assert!(!behind.is_empty(), "what spoke of the same edit stands behind it: {rows:?}");
    let asked = &server.heard()[0];
    assert!(
        !asked.contains("The token is refreshed before it expires"),
        "words are not sent unless a person says so"
    );
    assert!(asked.contains("repair the refresh of tokens in one") && asked.contains("let expires = now"));

    let shown = distill(&house);
    assert_eq!((&shown["state"], &shown["model"]), (&json!("idle"), &json!("openai:small")));
    assert_eq!((&shown["tokens_today"], &shown["calls"]), (&json!(2200), &json!(1)));
    // Deriving everything again asks nobody, and knows the account and its cost.
    house.ok(&["rebuild"]);
    wait_for(&house, "state", "idle");
    assert_eq!(by_the_model(&memories(&house, "one")).len(), 1);
    assert_eq!(distill(&house)["tokens_today"], 2200);
    assert_eq!(server.heard().len(), 1);
}

#[test]
fn the_conversation_is_sent_once_a_person_has_agreed_and_the_session_is_over() {
    let house = House::new();
    let server = Server::answering(|_| account("The clock was read before the skew was known"));
    configure(&house, &server, "send = \"words\"");
    house.start();
    for _ in 0..2 {
        work(&house, "told");
    }
    house.ok(&["events"]);
    assert!(server.heard().is_empty(), "the session may take back what it said");
    let mut end = house.envelope("told", "SessionEnd");
    end["reason"] = json!("exit");
    house.send(&end);
    wait_for(&house, "turns_done", 2);
    let heard = server.heard();
    assert_eq!(heard.len(), 1, "once: {heard:?}");
    for words in ["person-said\nrepair the refresh", "agent-said\nThe token is refreshed before it expires."]
    {
        assert!(heard[0].contains(words), "{words}: {}", heard[0]);
    }
    let rows = memories(&house, "told");
    assert!(
        by_the_model(&rows).iter().all(|row| !row.memory.tools.iter().any(|tool| tool.ends_with("-said")))
    );
}

#[test]
fn nobody_is_asked_until_a_person_names_a_provider_and_then_at_once() {
    let house = House::new();
    let server = Server::answering(|_| account("Asked later"));
    house.start();
    work(&house, "early");
    house.ok(&["events"]);
    assert_eq!(distill(&house)["state"], "off");
    configure(&house, &server, "");
    let reload = br#"{"ask":"reload"}"#;
    client::ask(&house.place(), reload, Instant::now() + Duration::from_secs(5)).unwrap();
    wait_for(&house, "turns_done", 1);
    assert_eq!(server.heard().len(), 1, "a turn from before waits for it");
}

#[test]
fn a_little_turn_waits_for_more_of_its_session_and_is_asked_about_with_it() {
    let house = House::new();
    let server = Server::answering(|_| account("Both turns"));
    configure(&house, &server, "");
    house.start();
    for word in ["firstlittle", "secondlittle"] {
        house.send(&house.prompt("s", &format!("look at {word}")));
        let mut edit = house.tool("s", "Edit", "");
        edit["tool_input"] =
            json!({ "file_path": "src/token.rs", "old_string": "a", "new_string": format!("{word}()") });
        house.send(&edit);
        let mut stop = house.envelope("s", "Stop");
        stop["last_assistant_message"] = json!("It is done.");
        house.send(&stop);
    }
    wait_for(&house, "turns_waiting", 2);
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(server.heard().len(), 0, "the constant part of a question would weigh more than its matter");
    house.send(&house.envelope("s", "SessionEnd"));
    wait_for(&house, "turns_done", 2);
    assert_eq!(server.heard().len(), 1, "one question for both");
    assert!(server.heard_of("firstlittle") == 1 && server.heard_of("secondlittle") == 1);
}

#[test]
fn a_busy_or_confused_provider_costs_time_and_a_refusal_one_turn() {
    let house = House::new();
    let mut busy = vec![Reply::Text("I looked at it and it is fine."), Reply::Status(429, "slow down")];
    let server = Server::answering(move |prompt| match prompt {
        prompt if prompt.contains("badturn") => Reply::Refuses,
        _ => busy.pop().unwrap_or_else(|| account("After some trouble")),
    });
    configure(&house, &server, "");
    house.start();
    work(&house, "goodturn");
    wait_for(&house, "turns_done", 1);
    let shown = distill(&house);
    assert_eq!((&shown["calls"], &shown["failures"]), (&json!(3), &json!(2)));
    work(&house, "badturn");
    wait_for(&house, "turns_given_up", 1);
    assert_eq!(server.heard_of("badturn"), 1, "what was refused is not asked again");
    assert!(by_the_model(&memories(&house, "badturn")).is_empty());
    assert!(!memories(&house, "badturn").is_empty(), "what was extracted stays");
}

#[test]
fn a_wrong_key_is_told_once_and_nothing_more_is_asked() {
    let house = House::new();
    let server = Server::answering(|_| Reply::Status(401, "no such key"));
    configure(&house, &server, "");
    house.start();
    work(&house, "one");
    wait_for(&house, "state", "stopped");
    assert!(distill(&house)["reason"].as_str().unwrap().contains("no such key"));
    work(&house, "two");
    house.ok(&["events"]);
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(server.heard().len(), 1);
    let log = fs::read_to_string(house.place().logs().join("daemon.log")).unwrap();
    assert_eq!(log.matches("no model is asked any more").count(), 1, "{log}");
}

#[test]
fn the_days_budget_ends_the_asking_and_more_of_it_goes_on() {
    let house = House::new();
    let server = Server::answering(|_| account("Within the budget"));
    configure(&house, &server, "tokens-per-day = 7000");
    house.start();
    work(&house, "one");
    wait_for(&house, "turns_done", 1);
    work(&house, "two");
    wait_for(&house, "state", "budget-spent");
    assert_eq!(server.heard().len(), 1);
    house.ok(&["config", "set", "distill.tokens-per-day", "1000000"]);
    wait_for(&house, "turns_done", 2);
    assert_eq!(distill(&house)["tokens_per_day"], 1_000_000);
}

#[test]
fn a_daemon_killed_in_the_middle_asks_again_only_what_was_not_answered() {
    let house = House::new();
    let silent = Arc::new(Mutex::new(true));
    let still = Arc::clone(&silent);
    let server = Server::answering(move |prompt| {
        if prompt.contains("lateturn") && *still.lock().unwrap() {
            return Reply::Silence;
        }
        account(if prompt.contains("lateturn") { "The late one" } else { "The early one" })
    });
    configure(&house, &server, "");
    house.start();
    work(&house, "earlyturn");
    wait_for(&house, "turns_done", 1);
    work(&house, "lateturn");
    eventually("the second turn is asked about", || server.heard_of("lateturn") == 1);
    signal(house.pid(), Signal::KILL);
    *silent.lock().unwrap() = false;
    house.start();
    wait_for(&house, "turns_done", 1);
    assert_eq!((server.heard_of("earlyturn"), server.heard_of("lateturn")), (1, 2));
    for session in ["earlyturn", "lateturn"] {
        assert_eq!(by_the_model(&memories(&house, session)).len(), 1, "{session}");
    }
    assert_eq!(distill(&house)["turns_waiting"], 0);
}

#[test]
fn a_silent_provider_holds_up_neither_hooks_nor_the_daemons_end() {
    let house = House::new();
    let server = Server::answering(|_| Reply::Silence);
    configure(&house, &server, "");
    house.start();
    work(&house, "one");
    eventually("it is asked", || server.heard().len() == 1);
    assert_eq!(distill(&house)["state"], "asking");
    let began = Instant::now();
    for round in 0..20 {
        house.send(&house.tool("two", "Bash", &format!("round {round}")));
    }
    let each = began.elapsed() / 20;
    // A hook that waited for the model would take the minute that the model is given.
    assert!(each < Duration::from_secs(5), "{each:?} for one hook, process and all");
    assert_eq!(house.events().len(), 9 + 20, "and each was kept");
    let began = Instant::now();
    house.ok(&["daemon", "stop"]);
    assert!(began.elapsed() < Duration::from_secs(50), "{:?}", began.elapsed());
}

/// A client that says who it is and then thinks for a long time.
const SLOW_CLIENT: &str = "#!/bin/sh\necho $$ > \"$HOME/client.pid\"\ncat > /dev/null\nexec sleep 300\n";

#[test]
fn a_client_that_is_a_process_is_ended_with_the_daemon() {
    let house = House::new();
    let programs = house.home().join("programs");
    fs::create_dir(&programs).unwrap();
    let client = programs.join("claude");
    fs::write(&client, SLOW_CLIENT).unwrap();
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(house.data()).unwrap();
    fs::write(house.place().config_file(), "[distill]\nprovider = \"claude-cli\"\n").unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let started = house.command(&["daemon", "start"]).env("PATH", path).output().unwrap();
    assert!(started.status.success(), "{started:?}");
    work(&house, "one");
    let pid_file = house.home().join("client.pid");
    let pid = || fs::read_to_string(&pid_file).ok()?.trim().parse::<u32>().ok();
    eventually("the client runs", || pid().is_some());
    let pid = pid().unwrap();
    assert_eq!(distill(&house)["model"], "claude-cli:haiku");
    let began = Instant::now();
    house.ok(&["daemon", "stop"]);
    assert!(began.elapsed() < Duration::from_secs(50), "{:?}", began.elapsed());
    eventually("the client is gone", || {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    });
}

#[test]
fn one_observation_of_an_account_can_be_forgotten_and_the_others_stay() {
    let house = House::new();
    let server = Server::answering(|_| {
        let one = |title: &str, step: usize| json!({ "kind": "discovery", "title": title, "narrative": format!("All about {title}."), "steps": [step] });
        Reply::Says(json!({ "observations": [one("xerusfact", 0), one("okapifact", 1)] }))
    });
    configure(&house, &server, "");
    house.start();
    work(&house, "one");
    wait_for(&house, "turns_done", 1);
    let rows = memories(&house, "one");
    let xerus =
        by_the_model(&rows).into_iter().find(|row| row.memory.title == "xerusfact").unwrap().memory.id;
    house.ok(&["forget", &xerus.to_string(), "--yes"]);
    let files = || house.files_with("xerusfact");
    eventually("the word is in no file", || files().is_empty());
    for _ in 0..2 {
        let rows = memories(&house, "one");
        let titles: Vec<_> = by_the_model(&rows).iter().map(|row| row.memory.title.as_str()).collect();
        assert_eq!(titles, ["okapifact"]);
        house.ok(&["rebuild"]);
    }
    assert_eq!(server.heard().len(), 1, "nobody is asked again");
    house.ok(&["forget", "--session", "one", "--yes"]);
    eventually("the account went with its session", || house.files_with("okapifact").is_empty());
    house.ok(&["rebuild"]);
    assert_eq!(house.files_with("okapifact"), Vec::<std::path::PathBuf>::new());
}

/// `THROUGHLINE_SESSIONS=DIR cargo nextest run -p throughline --run-ignored only -E 'test(what_the_words_of_real_sessions_cost)' --no-capture`
/// prints what a model would read of the Claude Code transcripts in a folder, for each call of a tool in them.
#[test]
#[ignore = "wants a folder of real sessions"]
fn what_the_words_of_real_sessions_cost() {
    let Some(folder) = std::env::var_os("THROUGHLINE_SESSIONS") else {
        panic!("THROUGHLINE_SESSIONS names no folder")
    };
    let house = House::new();
    let server = Server::answering(|_| Reply::Says(json!({ "observations": [] })));
    configure(&house, &server, "send = \"words\"\ntokens-per-day = 1000000000");
    let project = house.home().join(".claude/projects/-srv-shop");
    fs::create_dir_all(&project).unwrap();
    for file in fs::read_dir(folder).unwrap().flatten() {
        if file.path().extension().is_some_and(|end| end == "jsonl") {
            fs::copy(file.path(), project.join(file.file_name())).unwrap();
        }
    }
    house.ok(&["backfill"]);
    let until = Instant::now() + Duration::from_mins(20);
    while distill(&house)["turns_waiting"] != 0 || distill(&house)["state"] != "idle" {
        assert!(Instant::now() < until, "{}", distill(&house));
        thread::sleep(Duration::from_secs(1));
    }
    let tables = Tables::open_read_only(&house.place().database()).unwrap();
    let stats = tables.stats().unwrap();
    let of_calls = |name: &str| name.starts_with("PostToolUse");
    let calls: u64 = stats.by_kind.iter().filter(|kind| of_calls(&kind.name)).map(|kind| kind.count).sum();
    let (sessions, asked) = (stats.sessions, server.heard().len() as u64);
    // What stands around the material is about 500 tokens; of the material four characters are one.
    let tokens = server.heard().iter().map(|prompt| prompt.chars().count() as u64 / 4 + 500).sum::<u64>();
    println!(
        "{sessions} sessions, {calls} calls, {asked} requests, {tokens} tokens, {} a call",
        tokens / calls.max(1)
    );
    assert!(tokens <= 500 * calls);
}
