//! What happens, told while it happens: a real daemon, real hooks, and a page that listens.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::house::House;
use crate::http_door::{get, port, token};

/// What is to come comes at once; a daemon that tells nothing fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, PartialEq)]
struct Message {
    id: Option<String>,
    name: String,
    data: Value,
}

struct Page(BufReader<TcpStream>);

impl Page {
    /// Listens from now on; the greeting is heard.
    fn open(house: &House, query: &str, last: Option<&str>) -> Self {
        let (port, token) = (port(house), token(house));
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let last = last.map_or_else(String::new, |last| format!("Last-Event-ID: {last}\r\n"));
        let head = format!(
            "GET /api/v1/stream{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n{last}\r\n"
        );
        (&stream).write_all(head.as_bytes()).unwrap();
        let mut page = Self(BufReader::new(stream));
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(page.0.read_line(&mut head).unwrap(), 0, "{head}");
        }
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream"), "{head}");
        page
    }

    fn hello(mut self) -> Self {
        let hello = self.next();
        assert_eq!(hello.name, "hello");
        assert!(hello.data["version"].is_string() && hello.data["head"].is_u64(), "{hello:?}");
        self
    }

    /// The next message; lines between pieces of the body are not its own.
    fn next(&mut self) -> Message {
        let mut message = Message { id: None, name: String::new(), data: Value::Null };
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the stream has ended");
            let line = line.trim_end();
            if let Some(id) = line.strip_prefix("id: ") {
                message.id = Some(id.to_owned());
            } else if let Some(name) = line.strip_prefix("event: ") {
                name.clone_into(&mut message.name);
            } else if let Some(data) = line.strip_prefix("data: ") {
                message.data = serde_json::from_str(data).unwrap();
                return message;
            }
        }
    }

    fn find(&mut self, name: &str, is_it: impl Fn(&Value) -> bool) -> Message {
        loop {
            let message = self.next();
            if message.name == name && is_it(&message.data) {
                return message;
            }
        }
    }

    fn is_over(&mut self) -> bool {
        self.0.read_to_end(&mut Vec::new()).is_ok()
    }
}

fn is_of(session: &str) -> impl Fn(&Value) -> bool {
    let session = session.to_owned();
    move |data| data["session"] == session.as_str() || data["id"] == session.as_str()
}

#[test]
fn what_an_agent_does_is_told_at_once_and_what_is_learned_of_it_after() {
    let house = House::new();
    house.start();
    let mut page = Page::open(&house, "", None).hello();
    house.send(&house.prompt("s", "Why is the lexer slow?"));
    let event = page.find("event", is_of("s"));
    assert_eq!(event.data["kind"], "UserPromptSubmit");
    assert_eq!(event.data["title"], "Why is the lexer slow?");
    assert_eq!(event.data["agent"], "claude-code");
    assert_eq!(event.data["cwd"], json!(house.work()));
    let session = page.find("session", is_of("s"));
    assert_eq!((&session.data["prompts"], &session.data["live"]), (&json!(1), &json!(true)));
    house.send(&house.tool("s", "Bash", "it works"));
    let event = page.find("event", |data| data["tool"] == "Bash");
    assert_eq!(
        event.data["seq"].as_u64().unwrap().to_string(),
        event.id.as_deref().unwrap().split('-').next().unwrap()
    );
    assert_eq!(event.data["ok"], true);
    house.ok(&["remember", "The lexer allocates for every token."]);
    assert_eq!(page.find("change", |_| true).data["deed"], "remember");
    let memory =
        page.find("memory", |data| data["text"].as_str().is_some_and(|text| text.contains("allocates")));
    let id = memory.data["id"].as_str().unwrap();
    house.ok(&["edit", id, "--pin"]);
    assert_eq!(page.find("change", |_| true).data, json!({ "deed": "pin", "ids": [id] }));
    house.ok(&["forget", id, "--yes"]);
    assert_eq!(page.find("change", |data| data["deed"] == "forget").data["ids"], json!([id]));
}

#[test]
fn what_was_injected_is_told_with_its_reasons() {
    let house = House::new();
    house.start();
    house.ok(&["remember", "--critical", "Never push to the release branch."]);
    let mut page = Page::open(&house, "?kinds=injection", None).hello();
    let mut start = house.envelope("s", "SessionStart");
    start["source"] = json!("startup");
    assert!(house.send(&start).contains("release branch"));
    let injection = page.next();
    assert_eq!((injection.name.as_str(), &injection.data["session"]), ("injection", &json!("s")));
    assert!(injection.data["text"].as_str().unwrap().chars().count() <= 400);
    assert!(injection.data["items"][0]["why"].is_string(), "{injection:?}");
}

#[test]
fn what_a_guard_decided_is_told_with_its_reason() {
    let house = House::new();
    house.start();
    let mut page = Page::open(&house, "?kinds=verdict", None).hello();
    // As the daemon journals it once the agent was answered.
    let verdict = json!({
        "deed": "verdict", "session": "s", "event": "PreToolUse", "tool": "Bash", "behavior": "run-rules",
        "verdict": "deny", "reason": "We do not rewrite history here.",
    });
    let question = json!({ "ask": "deeds", "deeds": [verdict] }).to_string();
    client::ask(&house.place(), question.as_bytes(), Instant::now() + PATIENCE).unwrap();
    let told = page.next();
    assert_eq!((told.name.as_str(), &told.data["verdict"]), ("verdict", &json!("deny")));
    assert_eq!(told.data["reason"], "We do not rewrite history here.");
    assert_eq!((&told.data["session"], &told.data["tool"]), (&json!("s"), &json!("Bash")));
}

#[test]
fn who_comes_back_is_told_what_was_missed_and_nothing_twice() {
    let house = House::new();
    house.start();
    let mut page = Page::open(&house, "", None).hello();
    house.send(&house.prompt("s", "first"));
    let last = page.find("event", is_of("s")).id.unwrap();
    drop(page);
    for text in ["second", "third"] {
        house.send(&house.prompt("s", text));
    }
    house.ok(&["remember", "Kept while nobody listened."]);
    let told = |page: &mut Page| {
        let titles: Vec<Value> =
            (0..2).map(|_| page.find("event", is_of("s")).data["title"].clone()).collect();
        let memory = page.find("memory", |data| data["text"] == "Kept while nobody listened.");
        (titles, memory.id.unwrap())
    };
    let mut page = Page::open(&house, "", Some(&last)).hello();
    let (titles, reached) = told(&mut page);
    assert_eq!(titles, [json!("second"), json!("third")]);
    // A daemon that has restarted meanwhile tells the same.
    house.ok(&["daemon", "restart"]);
    assert!(page.is_over());
    assert_eq!(told(&mut Page::open(&house, &format!("?last={last}"), None).hello()).0, titles);
    let mut page = Page::open(&house, "", Some(&reached)).hello();
    house.send(&house.prompt("s", "fourth"));
    let next = page.next();
    assert_eq!((next.name.as_str(), &next.data["title"]), ("event", &json!("fourth")), "nothing before it");
}

#[test]
fn what_was_forgotten_is_told_to_nobody_who_comes_back() {
    let house = House::new();
    house.start();
    let mut page = Page::open(&house, "", None).hello();
    house.send(&house.prompt("s", "first"));
    let last = page.find("event", is_of("s")).id.unwrap();
    house.ok(&["remember", "The vault's word is xylophone.", "--critical"]);
    let mut start = house.envelope("t", "SessionStart");
    start["source"] = json!("startup");
    assert!(house.send(&start).contains("xylophone"));
    let holds = |data: &Value| data.to_string().contains("xylophone");
    let memory = page.find("memory", holds).data["id"].as_str().unwrap().to_owned();
    let mut again = Page::open(&house, "", Some(&last)).hello();
    again.find("injection", holds);
    house.ok(&["forget", &memory, "--yes"]);
    house.send(&house.prompt("s", "last"));
    let mut page = Page::open(&house, "", Some(&last)).hello();
    loop {
        let told = page.next();
        assert!(!holds(&told.data), "{told:?}");
        if told.data["title"] == "last" {
            break;
        }
    }
}

#[test]
fn who_was_away_too_long_or_says_nonsense_reads_anew() {
    let house = House::new();
    house.start();
    house.send(&house.prompt("s", "first"));
    for last in ["nonsense", "1", "99999999-0", "0-99999999"] {
        let mut page = Page::open(&house, "", Some(last)).hello();
        let reset = page.next();
        assert_eq!(reset.name, "reset", "{last}");
        house.send(&house.prompt("s", last));
        assert_eq!(page.find("event", is_of("s")).data["title"], last, "and hears what comes then");
    }
}

#[test]
fn who_asks_for_one_session_or_kind_hears_of_no_other() {
    let house = House::new();
    house.start();
    let mut of_one = Page::open(&house, "?session=one&kinds=event", None).hello();
    let mut sessions = Page::open(&house, "?kinds=session,memory", None).hello();
    for session in ["other", "one", "other"] {
        house.send(&house.prompt(session, session));
    }
    house.send(&house.prompt("one", "again"));
    assert_eq!(of_one.next().data["title"], "one");
    assert_eq!(of_one.next().data["title"], "again");
    assert!((0..3).all(|_| ["session", "memory"].contains(&sessions.next().name.as_str())));
    let (port, token) = (port(&house), token(&house));
    for wrong in ["?kinds=everything", "?all=true"] {
        assert!(get(port, &format!("/api/v1/stream{wrong}"), &token).starts_with("HTTP/1.1 400"), "{wrong}");
    }
}

#[test]
fn a_daemon_that_leaves_sends_everybody_home_at_once() {
    let house = House::new();
    house.start();
    let mut pages: Vec<Page> = (0..20).map(|_| Page::open(&house, "", None).hello()).collect();
    let began = Instant::now();
    house.ok(&["daemon", "stop"]);
    assert!(pages.iter_mut().all(Page::is_over));
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

fn resident_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_thousand_pages_that_listen_cost_little_and_keep_nobody_out() {
    const PAGES: usize = 1000;
    const MOST_KIB: u64 = 50 << 10;
    let limit = getrlimit(Resource::Nofile);
    let needed = Some(2 * PAGES as u64);
    if limit.current < needed {
        setrlimit(Resource::Nofile, Rlimit { current: needed, maximum: limit.maximum }).unwrap();
    }
    let house = House::new();
    house.start();
    let pid = house.pid();
    house.send(&house.prompt("s", "warm"));
    drop(Page::open(&house, "", None).hello());
    let before = resident_kib(pid);
    let mut pages: Vec<Page> = (0..PAGES).map(|_| Page::open(&house, "", None).hello()).collect();
    let (port, token) = (port(&house), token(&house));
    assert!(
        get(port, "/api/v1/status", &token).starts_with("HTTP/1.1 200"),
        "requests have places of their own"
    );
    house.send(&house.prompt("s", "to everybody"));
    for page in &mut pages {
        assert_eq!(page.find("event", is_of("s")).data["title"], "to everybody");
    }
    let more = resident_kib(pid).saturating_sub(before);
    assert!(more <= MOST_KIB, "{more} KiB more");
    // Those who come when all places are taken hear so, and the others listen on.
    let late: Vec<String> = (0..50).map(|_| get_head(port, &token)).collect();
    assert!(late.iter().any(|head| head.starts_with("HTTP/1.1 503")), "{late:?}");
    drop(pages.pop());
    house.send(&house.prompt("s", "again"));
    assert_eq!(pages[0].find("event", is_of("s")).data["title"], "again");
}

/// The first line of what is answered; the connection is left open behind it.
fn get_head(port: u16, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).unwrap();
    // It must stay a listener until the test is over, or there would be a place again.
    std::mem::forget(stream);
    line
}
