//! Sessions over HTTP, from the hooks of an agent to the page that shows them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{House, eventually};

/// Somebody who has the token.
pub(crate) struct Api {
    port: u64,
    token: String,
}

impl Api {
    /// A daemon that runs, and a way to ask it.
    pub(crate) fn of(house: &House) -> Self {
        house.start();
        let token = fs::read_to_string(house.data().join("run/token")).unwrap().trim().to_owned();
        Self { port: house.status()["port"].as_u64().unwrap(), token }
    }

    /// The status and the body.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let port = u16::try_from(self.port).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let text = body.map(Value::to_string).unwrap_or_default();
        let kind = if body.is_some() { "Content-Type: application/json\r\n" } else { "" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {}\r\n{kind}\
             Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
            self.token,
            text.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut said = Vec::new();
        stream.read_to_end(&mut said).unwrap();
        let said = String::from_utf8(said).unwrap();
        let status = said.split(' ').nth(1).unwrap().parse().unwrap();
        let body = said.split_once("\r\n\r\n").unwrap().1;
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, said) = self.send("GET", path, None);
        assert_eq!(status, 200, "{path}: {said}");
        said
    }

    pub(crate) fn refused(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let (status, said) = self.send(method, path, body);
        assert!((400..500).contains(&status), "{method} {path}: {status} {said}");
        assert_eq!(said["status"], status, "{path}: a problem says itself: {said}");
        (status, said)
    }

    /// Every item of a list, page after page.
    pub(crate) fn walk(&self, path: &str) -> Vec<Value> {
        let (mut items, mut cursor) = (Vec::new(), None::<String>);
        let mark = if path.contains('?') { '&' } else { '?' };
        for _ in 0..1000 {
            let at = cursor.as_ref().map(|at| format!("{mark}cursor={}", escaped(at))).unwrap_or_default();
            let page = self.get(&format!("{path}{at}"));
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            match page["next"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => return items,
            }
        }
        panic!("{path} has no end");
    }
}

/// Safe in a path and in a query.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fn call(house: &House, event: &str, id: &str, tool: &str, input: &Value) -> Value {
    let mut envelope = house.envelope("s1", event);
    envelope["tool_name"] = json!(tool);
    envelope["tool_input"] = input.clone();
    envelope["tool_use_id"] = json!(id);
    if event == "PostToolUse" {
        envelope["tool_response"] = json!({ "stdout": "", "stderr": "" });
    }
    envelope
}

/// A session with calls that end out of order, one that never ends, and a subagent.
fn work(house: &House) {
    house.send(&house.envelope("s1", "SessionStart"));
    house.send(&house.prompt("s1", "make the lexer faster"));
    let edit =
        json!({ "file_path": house.work().join("src/lexer.rs"), "old_string": "a", "new_string": "b" });
    let test = json!({ "command": "cargo test" });
    house.send(&call(house, "PreToolUse", "t1", "Bash", &test));
    house.send(&call(house, "PreToolUse", "t2", "Edit", &edit));
    house.send(&call(house, "PreToolUse", "t3", "Bash", &json!({ "command": "cargo bench" })));
    house.send(&call(house, "PostToolUse", "t3", "Bash", &json!({ "command": "cargo bench" })));
    house.send(&call(house, "PostToolUse", "t2", "Edit", &edit));
    let mut failed = call(house, "PostToolUseFailure", "t1", "Bash", &test);
    failed["error"] = json!("2 tests failed");
    house.send(&failed);
    house.send(&call(house, "PreToolUse", "t4", "Bash", &json!({ "command": "sleep 1000" })));
    let mut subagent = house.envelope("s1", "SubagentStart");
    subagent["agent_id"] = json!("a1");
    subagent["agent_type"] = json!("explore");
    house.send(&subagent);
    house.send(&house.envelope("s1", "Stop"));
    house.ok(&["daemon", "status"]);
    house.events();
}

#[test]
fn a_session_is_one_timeline_in_which_every_call_stands_once() {
    let house = House::new();
    let api = Api::of(&house);
    work(&house);
    let whole = api.get("/api/v1/sessions/s1/timeline?limit=500&count=true");
    let items = whole["items"].as_array().unwrap();
    let done = |kind: &str| -> Vec<(String, Value)> {
        let of = items.iter().filter(|item| item["type"] == kind);
        of.map(|item| (item["title"].as_str().unwrap().to_owned(), item["ok"].clone())).collect()
    };
    assert_eq!(done("prompt"), [("make the lexer faster".to_owned(), Value::Null)]);
    assert_eq!(
        done("tool"),
        [
            ("cargo bench".to_owned(), json!(true)),
            ("Edit src/lexer.rs".to_owned(), json!(true)),
            ("cargo test".to_owned(), json!(false)),
            ("sleep 1000".to_owned(), Value::Null),
        ]
    );
    assert_eq!(done("subagent"), [("Subagent starts: explore".to_owned(), Value::Null)]);
    let failed = items.iter().find(|item| item["title"] == "cargo test").unwrap();
    assert_eq!(failed["detail"], "2 tests failed");
    assert!(failed["duration_ms"].is_u64(), "{failed}");
    assert_eq!(whole["total"], items.len(), "{whole:#}");
    assert!(whole["first_at"].as_u64() <= whole["last_at"].as_u64());
}

#[test]
fn paging_walks_every_moment_once_in_both_directions_and_jumps_to_any() {
    let house = House::new();
    let api = Api::of(&house);
    work(&house);
    for number in 0..40 {
        house.send(&house.prompt("s1", &format!("and then? {number}")));
    }
    house.events();
    let path = "/api/v1/sessions/s1/timeline";
    let whole = api.get(&format!("{path}?limit=500"))["items"].as_array().unwrap().clone();
    for limit in [1, 3, 7, 500] {
        assert_eq!(api.walk(&format!("{path}?limit={limit}")), whole, "limit {limit}");
        let mut back = api.walk(&format!("{path}?limit={limit}&order=newest"));
        back.reverse();
        assert_eq!(back, whole, "limit {limit}, backwards");
    }
    let prompts = api.walk(&format!("{path}?limit=5&kinds=prompt"));
    assert_eq!(prompts.len(), 41);
    let middle = &whole[whole.len() / 2];
    let jumped = api.get(&format!("{path}?limit=1&at={}", middle["at"]));
    assert!(jumped["items"][0]["at"].as_u64() >= middle["at"].as_u64());
    assert!(jumped["items"][0]["seq"].as_u64() <= middle["seq"].as_u64(), "the first of that moment");
    let previous = jumped["previous"].as_str().unwrap();
    let before = api.get(&format!("{path}?limit=1&order=newest&cursor={}", escaped(previous)));
    assert!(before["items"][0]["seq"].as_u64() < jumped["items"][0]["seq"].as_u64());
}

#[test]
fn lists_of_sessions_prompts_and_events_are_walked_once_and_counted() {
    let house = House::new();
    let api = Api::of(&house);
    for number in 0..12 {
        let session = format!("session {number}/%2e%2e \u{202e}é'\"<b>");
        house.send(&house.envelope(&session, "SessionStart"));
        house.send(&house.prompt(&session, &format!("question {number}")));
    }
    house.events();
    for (path, total) in [("/api/v1/sessions", 12), ("/api/v1/prompts", 12), ("/api/v1/events", 24)] {
        let whole = api.get(&format!("{path}?limit=500&count=true"));
        assert_eq!(whole["total"], total, "{path}");
        let items = whole["items"].as_array().unwrap();
        let ids: BTreeSet<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), total, "{path}");
        for limit in [1, 5] {
            assert_eq!(&api.walk(&format!("{path}?limit={limit}")), items, "{path} by {limit}");
        }
        let skipped = api.get(&format!("{path}?limit=2&offset=3"));
        assert_eq!(skipped["items"][0], items[3], "{path}");
    }
    let found = api.walk("/api/v1/sessions?q=QUESTION%207");
    assert_eq!(found.len(), 1);
    let one = api.get(&format!("/api/v1/sessions/{}", escaped(found[0]["id"].as_str().unwrap())));
    assert_eq!((&one["first_prompt"], &one["live"]), (&json!("question 7"), &json!(true)));
    assert_eq!(api.walk("/api/v1/events?kind=UserPromptSubmit&limit=5").len(), 12);
    let event = &api.walk("/api/v1/events?kind=UserPromptSubmit&limit=5")[0];
    let whole = api.get(&format!("/api/v1/events/{}", event["id"].as_str().unwrap()));
    assert_eq!(whole["envelope"]["prompt"], "question 11");
    assert_eq!(whole["title"], "question 11");
    let prompt = api.get(&format!("/api/v1/prompts/{}", event["id"].as_str().unwrap()));
    assert_eq!(prompt["text"], "question 11");
}

#[test]
fn what_is_not_there_or_nonsense_is_refused_and_nothing_breaks() {
    let house = House::new();
    let api = Api::of(&house);
    house.send(&house.prompt("s1", "hello"));
    house.events();
    for path in [
        "/api/v1/sessions/s",
        "/api/v1/sessions/%00",
        "/api/v1/sessions/..%2f..%2fetc",
        "/api/v1/sessions/nobody/timeline",
        "/api/v1/prompts/x",
        "/api/v1/events/00000000-0000-0000-0000-000000000000",
        "/api/v1/workspaces/nowhere/map",
    ] {
        assert_eq!(api.refused("GET", path, None).0, 404, "{path}");
    }
    for path in [
        "/api/v1/sessions?limit=0",
        "/api/v1/sessions?limit=501",
        "/api/v1/sessions?what=1",
        "/api/v1/sessions?cursor=x",
        "/api/v1/sessions?q=a&offset=1",
        "/api/v1/sessions/s1/timeline?cursor=1-2",
        "/api/v1/sessions/s1/timeline?kinds=everything",
        "/api/v1/events?kind=Stop&offset=1",
        "/api/v1/injections?memory=zz",
        "/api/v1/logs?lines=2001",
        "/api/v1/stats/series?names=nothing",
        "/api/v1/stats/series?step=hour&since=0",
        "/api/v1/stats/series?step=hour&names=redactions",
    ] {
        assert_eq!(api.refused("GET", path, None).0, 400, "{path}");
    }
    assert_eq!(api.refused("DELETE", "/api/v1/sessions/s", None).0, 404, "a beginning is not the whole");
    assert_eq!(api.get("/api/v1/sessions/s1")["prompts"], 1);
}

#[test]
fn a_verdict_is_kept_and_goes_with_its_session() {
    let house = House::new();
    house.ok(&["hook", "new", "no-force", "--on", "PreToolUse"]);
    let program = house.data().join("rules/no-force/run");
    let aside = program.with_extension("part");
    fs::write(
        &aside,
        "#!/bin/sh\ncase $(cat) in *--force*) echo '{\"deny\":\"hunter2-marker: not here\"}';; esac\n",
    )
    .unwrap();
    fs::set_permissions(&aside, fs::Permissions::from_mode(0o700)).unwrap();
    fs::rename(aside, program).unwrap();
    let api = Api::of(&house);
    house.send(&house.prompt("s1", "push it"));
    let push = call(&house, "PreToolUse", "t1", "Bash", &json!({ "command": "git push --force" }));
    // A busy machine may take a rule's time away.
    eventually("a verdict", || {
        house.send(&push);
        !api.walk("/api/v1/verdicts").is_empty()
    });
    let verdict = &api.walk("/api/v1/verdicts?session=s1")[0];
    assert_eq!((&verdict["verdict"], &verdict["tool"]), (&json!("deny"), &json!("Bash")));
    assert!(verdict["reason"].as_str().unwrap().contains("not here"), "{verdict}");
    assert_eq!(api.walk("/api/v1/sessions/s1/timeline?kinds=verdict")[0]["kind"], "deny");
    // The last of several may be learned between two questions.
    eventually("all verdicts are counted", || {
        let shown = api.walk("/api/v1/sessions/s1/timeline?kinds=verdict").len();
        api.get("/api/v1/sessions/s1")["counts"]["verdicts"] == shown
    });
    let (status, gone) = api.send("DELETE", "/api/v1/sessions/s1", None);
    assert_eq!((status, &gone["session"]), (200, &json!("s1")), "{gone}");
    assert!(api.walk("/api/v1/verdicts").is_empty());
    assert_eq!(api.refused("GET", "/api/v1/sessions/s1", None).0, 404);
    eventually("nothing says it any more", || {
        let said = house.files_with("hunter2-marker: not here");
        said.iter().all(|path| path.starts_with(house.data().join("rules")))
    });
}
