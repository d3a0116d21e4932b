//! The memory half of `/api/v1` with the real daemon behind it: what is written is there, what is forgotten is gone,
//! and what a page says is what a terminal says.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{House, eventually};

/// A door that is alive answers at once; one that hangs fails the test.
const PATIENCE: Duration = Duration::from_mins(1);
/// Looks like a key of AWS and opens nothing.
const SECRET: &str = "AKIAQWERTYUIOPASDFGH";

/// Somebody with the token.
struct Caller {
    port: u16,
    token: String,
}

struct Said {
    status: u16,
    head: String,
    body: String,
}

impl Said {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {} {}", self.head, self.body))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// It went well.
    fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.head, self.body);
        self.json()
    }

    /// It is refused like this, in words.
    fn refused(self, status: u16) -> String {
        assert_eq!(self.status, status, "{} {}", self.head, self.body);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{problem}");
        format!("{}: {}", problem["title"].as_str().unwrap(), problem["detail"].as_str().unwrap())
    }
}

impl Caller {
    fn of(house: &House) -> Self {
        house.start();
        Self {
            port: u16::try_from(house.status()["port"].as_u64().expect("a port")).unwrap(),
            token: fs::read_to_string(house.data().join("run/token")).unwrap().trim().to_owned(),
        }
    }

    fn call(&self, method: &str, path: &str, headers: &str, body: Option<&[u8]>) -> Said {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = body.map_or(String::new(), |body| {
            format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len())
        });
        let head = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
             Connection: close\r\n{length}{headers}\r\n",
            self.port, self.token
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.unwrap_or_default()).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        let (head, body) = said.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{method} {path}: {said}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Said { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Said {
        self.call("GET", path, "", None)
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Said {
        self.call(method, path, "", Some(body.to_string().as_bytes()))
    }

    fn save(&self, body: &Value) -> String {
        let said = self.send("POST", "/memories", body);
        assert_eq!(said.status, 201, "{}", said.body);
        let id = said.json()["id"].as_str().unwrap().to_owned();
        assert_eq!(said.header("location"), Some(format!("/api/v1/memories/{id}").as_str()));
        id
    }
}

fn ids(page: &Value) -> Vec<String> {
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_memory_is_written_read_changed_and_forgotten() {
    let house = House::new();
    let api = Caller::of(&house);
    assert_eq!(api.get("/memories?count=true").ok(), json!({ "items": [], "next": null, "total": 0 }));
    let body = json!({ "text": "Deploys go out on Tuesdays. Ask Ada first.", "files": ["deploy.sh"], "critical": true });
    let id = api.save(&body);
    let path = format!("/memories/{id}");
    let read = api.get(&path);
    let tag = read.header("etag").unwrap().to_owned();
    let memory = read.ok();
    assert_eq!(memory["title"], "Deploys go out on Tuesdays.");
    assert_eq!((&memory["written_by"], &memory["origin"]), (&json!("person"), &json!("person")));
    assert_eq!(
        (&memory["critical"], &memory["injected"], &memory["cited"]),
        (&json!(true), &json!(0), &json!(0))
    );
    assert_eq!(api.get(&format!("/memories/{}", &id[..6])).ok()["id"], id.as_str());
    let unchanged = api.call("GET", &path, &format!("If-None-Match: {tag}\r\n"), None);
    assert_eq!((unchanged.status, unchanged.body.as_str()), (304, ""));

    // The same words are kept once.
    let again = api.send("POST", "/memories", &body);
    assert_eq!((again.status, again.header("location")), (200, None));
    assert_eq!(again.json()["id"], id.as_str());
    // It was said again, so it is another version.
    let tag = api.get(&path).header("etag").filter(|now| *now != tag).expect("a new version").to_owned();

    let change = json!({ "text": "Deploys go out on Mondays.", "pinned": true }).to_string();
    let changed = api.call("PATCH", &path, &format!("If-Match: {tag}\r\n"), Some(change.as_bytes()));
    assert_eq!(changed.status, 200, "{}", changed.body);
    let new_tag = changed.header("etag").unwrap().to_owned();
    assert_eq!(changed.ok()["text"], "Deploys go out on Mondays.");
    let late = api.call("PATCH", &path, &format!("If-Match: {tag}\r\n"), Some(br#"{"critical":false}"#));
    assert!(late.refused(412).contains("GET it again"));
    assert_eq!(api.get(&path).header("etag"), Some(new_tag.as_str()), "what PATCH gave is what GET gives");
    let late = api.call("DELETE", &path, &format!("If-Match: {tag}\r\n"), None);
    late.refused(412);

    assert_eq!(api.send("POST", &format!("{path}/pin"), &json!({ "pinned": false })).ok()["pinned"], false);
    let newer = api.save(&json!({ "text": "Deploys go out whenever they are ready.", "global": true }));
    let over = api.send("POST", &format!("{path}/supersede"), &json!({ "by": newer })).ok();
    assert_eq!(over["superseded_by"], newer.as_str());
    let ring = api.send("POST", &format!("/memories/{newer}/supersede"), &json!({ "by": id }));
    ring.refused(409);
    api.send("POST", &format!("{path}/supersede"), &json!({ "by": id })).refused(409);

    let gone = api.call("DELETE", &path, "", None).ok();
    assert!(gone["forgotten"].as_array().unwrap().contains(&json!(id)), "{gone}");
    api.get(&path).refused(404);
    assert_eq!(ids(&api.get("/memories").ok()), std::slice::from_ref(&newer));
    assert!(house.files_with("on Mondays").is_empty() || gone["erased"] == false);

    let other = api.save(&json!({ "text": "Something else entirely." }));
    let unknown = json!({ "ids": [newer, "zzzzzzzzzzzz"] });
    api.send("POST", "/memories/forget", &unknown).refused(404);
    assert_eq!(api.get("/memories?count=true").ok()["total"], 2, "all or none");
    let gone = api.send("POST", "/memories/forget", &json!({ "ids": [newer, other, other] })).ok();
    assert_eq!(gone["forgotten"].as_array().unwrap().len(), 2, "{gone}");
    assert_eq!(api.get("/memories?count=true").ok()["total"], 0);
}

#[test]
fn what_must_not_be_kept_is_masked_before_it_is_written_anywhere() {
    let house = House::new();
    let api = Caller::of(&house);
    let saying = json!({
        "text": format!("The bucket is opened with {SECRET} and a\0 prayer."),
        "title": format!("Key {SECRET}"),
    });
    let id = api.save(&saying);
    let again = api.send("POST", "/memories", &saying);
    assert_eq!(again.status, 200, "the same words are known when they are masked, too: {}", again.body);
    assert_eq!(again.json()["id"], id.as_str());
    let memory = api.get(&format!("/memories/{id}")).ok();
    assert!(!memory.to_string().contains(SECRET), "{memory}");
    assert!(memory["text"].as_str().unwrap().contains("and a prayer"), "{memory}");
    let change = json!({ "text": format!("Now it is {SECRET}, too."), "title": format!("Again {SECRET}") });
    let changed = api.send("PATCH", &format!("/memories/{id}"), &change).ok();
    assert!(!changed.to_string().contains(SECRET), "{changed}");
    house.send(&house.prompt("s", "hello"));
    let hand_off = json!({ "text": format!("Next: rotate {SECRET}.") });
    let written = api.send("PUT", "/hand-offs/s", &hand_off).ok();
    assert!(!written.to_string().contains(SECRET), "{written}");
    assert!(written["text"].as_str().unwrap().contains("rotate"), "{written}");
    assert_eq!(house.files_with(SECRET), Vec::<std::path::PathBuf>::new());
    for body in [json!({ "text": "<private>all of it</private>" }), json!({ "text": " \n " })] {
        api.send("POST", "/memories", &body).refused(400);
        api.send("PATCH", &format!("/memories/{id}"), &body).refused(400);
    }
}

#[test]
fn of_those_who_change_the_same_version_at_once_one_succeeds() {
    let house = House::new();
    let api = Caller::of(&house);
    let path = format!("/memories/{}", api.save(&json!({ "text": "It was thus." })));
    let tag = api.get(&path).header("etag").unwrap().to_owned();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let change = |number: usize| {
            let (api, path, tag) = (&api, &path, &tag);
            let body = json!({ "text": format!("It was thus, says number {number}.") }).to_string();
            scope.spawn(move || {
                api.call("PATCH", path, &format!("If-Match: {tag}\r\n"), Some(body.as_bytes())).status
            })
        };
        let all: Vec<_> = (0..6).map(change).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let mut sorted = statuses.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [200, 412, 412, 412, 412, 412]);
}

/// Notes of three projects, brought in as a person would.
fn fill(house: &House, many: usize) {
    let line = |number: usize| {
        let kind = ["decision", "bugfix", "note"][number % 3];
        let project = ["one", "two"][number % 2];
        json!({
            "id": format!("old-{number}"), "kind": kind, "title": format!("Fact {number}"),
            "text": format!("Fact number {number} is about the parser and the lexer."),
            "project": project, "ts": 1_700_000_000_000_u64 + number as u64 / 2,
            "files": [format!("src/part{}/mod.rs", number % 5)],
        })
        .to_string()
    };
    let lines: Vec<String> = (0..many).map(line).collect();
    let file = house.home().join("notes.jsonl");
    fs::write(&file, lines.join("\n")).unwrap();
    house.ok(&["import", "--jsonl", file.to_str().unwrap()]);
}

#[test]
fn pages_are_walked_to_the_end_while_memories_are_added() {
    let house = House::new();
    let api = Caller::of(&house);
    fill(&house, 230);
    assert_eq!(api.get("/memories?count=true&limit=1").ok()["total"], 230);
    for order in ["newest", "oldest"] {
        let mut walked = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = api.get(&format!("/memories?limit=40&order={order}{cursor}")).ok();
            walked.extend(page["items"].as_array().unwrap().iter().filter_map(|item| {
                item["external_id"].as_str().filter(|id| id.starts_with("old-")).map(str::to_owned)
            }));
            let Some(next) = page["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
            api.save(&json!({ "text": format!("Said while somebody reads, before {order} {next}.") }));
        }
        let once: BTreeSet<&String> = walked.iter().collect();
        assert_eq!((walked.len(), once.len()), (230, 230), "{order}");
    }
    let first = ids(&api.get("/memories?limit=5&order=oldest&offset=100").ok());
    let all = ids(&api.get("/memories?limit=500&order=oldest").ok());
    assert_eq!(first, all[100..105]);
}

#[test]
fn filters_narrow_a_list_and_nonsense_is_refused_with_the_next_step() {
    let house = House::new();
    let api = Caller::of(&house);
    fill(&house, 60);
    let total =
        |query: &str| api.get(&format!("/memories?count=true&{query}")).ok()["total"].as_u64().unwrap();
    assert_eq!(total("project=one"), 30);
    assert_eq!(total("project=nowhere"), 0);
    assert_eq!(total("kind=decision"), 20);
    assert_eq!(total("kind=decision&kind=bugfix"), 40);
    assert_eq!(total("kind=decision&project=one"), 10);
    assert_eq!(total("file=part3/mod.rs"), 12);
    assert_eq!(total("file=mod.rs&project=two&kind=note"), 10);
    assert_eq!(total("since=1700000000010&until=1700000000020"), 20);
    assert_eq!(total("written_by=import"), 60);
    assert_eq!(total("pinned=false"), 60);
    assert_eq!(total("critical=true"), 0);
    assert_eq!(total("order=used"), 0);
    assert_eq!(api.get("/observations?count=true").ok()["total"], 40);
    assert_eq!(api.get("/observations?count=true&kind=note").ok()["total"], 0);
    for (path, word) in [
        ("/memories?limit=0", "limit"),
        ("/memories?limit=501", "limit"),
        ("/memories?limit=x", "`limit`"),
        ("/memories?limit=5&limit=6", "`limit`"),
        ("/memories?kind=note&since=yesterday", "`since`"),
        ("/stats/series?since=9&until=3", "before `until`"),
        ("/memories?kind=thing", "query"),
        ("/memories?colour=red", "unknown field"),
        ("/memories?cursor=nonsense", "cursor"),
        ("/memories?cursor=12-x", "cursor"),
        ("/memories?offset=-1", "query"),
        ("/search", "query"),
        ("/search?q=%20", "question"),
        ("/search?q=x&limit=101", "limit"),
        ("/timeline", "anchor"),
        ("/timeline?anchor=x&q=y", "anchor"),
        ("/timeline?q=parser&before=251", "250"),
    ] {
        let said = api.get(path).refused(400);
        assert!(said.contains(word), "{path}: {said}");
    }
    for id in
        ["zzzz", "zzzzzzzzzzzz", "a%00b", "..%2f..", "%F0%9F%92%A9", &"x".repeat(9000), "%25", "'%20OR%201"]
    {
        api.get(&format!("/memories/{id}")).refused(404);
    }
    api.get("/memories/%ff%fe").refused(400);
    let first = ids(&api.get("/memories?limit=1").ok()).remove(0);
    for (method, path, body, status) in [
        ("PATCH", format!("/memories/{first}"), json!({ "colour": 1 }), 400),
        ("PATCH", format!("/memories/{first}"), json!({ "title": "x".repeat(201) }), 400),
        ("PATCH", format!("/memories/{first}"), json!([]), 400),
        ("POST", "/memories".to_owned(), json!({ "text": "x", "global": true, "project": "y" }), 400),
        ("POST", "/memories".to_owned(), json!({ "text": "y ".repeat(40_000) }), 400),
        ("POST", "/memories".to_owned(), json!({ "text": "z".repeat(2 << 20) }), 413),
        ("POST", "/memories/forget".to_owned(), json!({ "ids": [] }), 400),
        ("POST", "/context".to_owned(), json!({ "event": "Nothing" }), 400),
        ("PUT", "/hand-offs/nobody".to_owned(), json!({ "text": "x" }), 404),
        ("PUT", "/memories".to_owned(), json!({}), 405),
    ] {
        api.send(method, &path, &body).refused(status);
    }
    assert_eq!(api.call("OPTIONS", "/memories", "", None).status, 405);
    let head = api.call("HEAD", "/memories", "", None);
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert!(head.header("etag").is_some());
}

#[test]
fn search_finds_explains_and_shows_the_place() {
    let house = House::new();
    let api = Caller::of(&house);
    fill(&house, 30);
    let long = format!(
        "{} The staging database is read-only on Fridays. {}",
        "Nothing of interest stands here. ".repeat(30),
        "Nor does it here. ".repeat(30)
    );
    let id = api.save(&json!({ "text": long, "title": "About staging", "project": "three" }));
    let found =
        api.get("/search?q=when%20is%20the%20staging%20database%20read-only&explain=true&limit=5").ok();
    let best = &found["items"][0];
    assert_eq!(best["id"], id.as_str(), "{found}");
    let snippet = best["snippet"].as_str().unwrap();
    assert!(snippet.contains("staging database is read-only") && snippet.chars().count() <= 240, "{snippet}");
    assert!(
        best["why"].as_array().unwrap().iter().all(|why| why["name"].is_string() && why["value"].is_number())
    );
    assert!(found["took_us"].as_u64().unwrap() > 0);
    let plain = api.get("/search?q=staging%20database&project=three").ok();
    assert_eq!(ids(&plain), [id.as_str()]);
    assert_eq!(plain["items"][0].get("why"), None);
    assert_eq!(ids(&api.get("/search?q=staging&kind=decision&project=three").ok()), Vec::<String>::new());
    let around = api.get("/timeline?q=staging%20database&before=2&after=2").ok();
    assert_eq!(around["anchor"], id.as_str());
    let center = ids(&api.get("/memories?project=one&limit=1&offset=7").ok()).remove(0);
    let around = api.get(&format!("/timeline?anchor={center}&before=2&after=3")).ok();
    let around = ids(&around);
    assert_eq!((around.len(), around.iter().position(|id| *id == center)), (6, Some(2)));
}

#[test]
fn a_preview_is_what_the_terminal_says() {
    let house = House::new();
    let api = Caller::of(&house);
    house.ok(&["remember", "The lexer is generated by build.rs, never edited by hand", "--critical"]);
    house.send(&house.prompt("s", "look around"));
    // One of the two would ask by words alone while the memory is being read for search by meaning.
    eventually("both are read", || {
        let state: Value = serde_json::from_str(&house.ok(&["model", "status", "--json"])).unwrap();
        state["memories"].as_u64() >= Some(1) && state["waiting"] == 0
    });
    let same = |value: &mut Value| {
        // What is new every time: how long it took, and the fence.
        for one in value["behaviors"].as_array_mut().unwrap() {
            one["micros"] = json!(0);
        }
        value["text"] = json!(value["text"].as_str().unwrap().len());
        value["delivered"] = json!(value["delivered"].as_str().unwrap().len());
    };
    for (args, body) in [
        (vec!["context", "--json"], json!({ "cwd": house.work() })),
        (
            vec!["context", "--json", "--prompt", "who makes the lexer?"],
            json!({ "cwd": house.work(), "prompt": "who makes the lexer?" }),
        ),
        (
            vec!["context", "--json", "--file", "src/lexer.rs"],
            json!({ "cwd": house.work(), "file": "src/lexer.rs" }),
        ),
    ] {
        let mut terminal: Value = serde_json::from_str(&house.ok(&args)).unwrap();
        let mut page = api.send("POST", "/context", &body).ok();
        same(&mut terminal);
        same(&mut page);
        assert_eq!(page, terminal, "{args:?}");
    }
    let started = api.send("POST", "/context", &json!({ "project": "work" })).ok();
    assert!(started["text"].as_str().unwrap().contains("generated by build.rs"), "{started}");
    api.send("POST", "/context", &json!({ "project": "nowhere" })).refused(404);
}

#[test]
fn what_was_said_to_an_agent_is_the_history_of_a_memory() {
    let house = House::new();
    let api = Caller::of(&house);
    house.ok(&["remember", "The lexer is generated by build.rs, never edited by hand", "--critical"]);
    let id = ids(&api.get("/memories").ok()).remove(0);
    assert_eq!(api.get(&format!("/memories/{id}/history")).ok()["items"], json!([]));
    let mut start = house.envelope("first", "SessionStart");
    start["source"] = json!("startup");
    assert!(house.send(&start).contains("build.rs"));
    house.ok(&["sessions"]);
    let history = api.get(&format!("/memories/{id}/history")).ok();
    let telling = &history["items"][0];
    assert_eq!(
        (&telling["session"], &telling["event"]),
        (&json!("first"), &json!("SessionStart")),
        "{history}"
    );
    assert!(telling["behavior"].is_string() && telling["why"].is_string(), "{history}");
    assert_eq!(
        (&history["total"], &history["next"], &history["merged"]),
        (&json!(1), &Value::Null, &json!([]))
    );
    assert_eq!(api.get(&format!("/memories/{id}")).ok()["injected"], 1);
}

#[test]
fn hand_offs_and_checkpoints_are_listed_read_written_and_taken_back() {
    let house = House::new();
    let api = Caller::of(&house);
    api.get("/hand-offs/nobody").refused(404);
    house.send(&house.prompt("first-session", "port the parser"));
    let path = "/hand-offs/first-session";
    let written = api.send("PUT", path, &json!({ "text": "The parser is ported; next: its tests." }));
    let tag = written.header("etag").unwrap().to_owned();
    let written = written.ok();
    assert_eq!(written["written"], "The parser is ported; next: its tests.");
    assert_eq!(api.get("/hand-offs/first").ok(), written, "a beginning will do");
    assert_eq!(api.get(path).header("etag"), Some(tag.as_str()));
    let page = api.get("/hand-offs?count=true").ok();
    assert_eq!((&page["total"], &page["items"][0]["session"]), (&json!(1), &json!("first-session")));
    assert_eq!(api.get("/hand-offs?project=elsewhere").ok()["items"], json!([]));
    api.call("DELETE", path, "If-Match: \"0000000000000000\"\r\n", None).refused(412);
    assert_eq!(api.call("DELETE", path, &format!("If-Match: {tag}\r\n"), None).status, 204);
    let after = api.get(path);
    assert!(after.status == 404 || after.ok().get("written").is_none());

    assert_eq!(api.get("/checkpoints?count=true").ok(), json!({ "items": [], "next": null, "total": 0 }));
    let made: Value =
        serde_json::from_str(&house.ok(&["checkpoint", "create", "-m", "before the port", "--json"]))
            .unwrap();
    let id = made["id"].as_str().unwrap();
    let page = api.get("/checkpoints?count=true").ok();
    assert_eq!((&page["total"], &page["items"][0]["id"]), (&json!(1), &json!(id)), "{page}");
    let whole = api.get(&format!("/checkpoints/{id}")).ok();
    assert_eq!((&whole["message"], &whole["dirty"]), (&json!("before the port"), &json!([])), "{whole}");
    api.get("/checkpoints/nothing").refused(404);
}

#[test]
fn summaries_of_turns_come_with_their_project() {
    let house = House::new();
    let api = Caller::of(&house);
    house.send(&house.prompt("s", "make the tests pass"));
    house.send(&house.tool("s", "Bash", "test result: ok. 3 passed"));
    let mut stop = house.envelope("s", "Stop");
    stop["last_assistant_message"] = json!("All three tests pass now.");
    house.send(&stop);
    house.ok(&["sessions"]);
    let page = api.get("/summaries?count=true&session=s").ok();
    let kept = api.get("/memories?kind=summary&count=true").ok();
    assert_eq!(page["total"], kept["total"]);
    for item in page["items"].as_array().unwrap() {
        assert_eq!((&item["session"], &item["project"]), (&json!("s"), &json!("work")), "{page}");
        assert!(item["request"].is_string());
    }
    assert_eq!(api.get("/summaries?project=elsewhere").ok()["items"], json!([]));
}
