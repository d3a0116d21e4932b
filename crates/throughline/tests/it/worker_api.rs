//! Hooks and tools that were written for claude-mem, against a real daemon: what they tell arrives, what they ask is
//! answered in their shapes, and nobody comes in who may not.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{House, eventually};

struct Worker {
    house: House,
    port: u16,
}

struct Said {
    status: u16,
    body: String,
}

impl Said {
    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        serde_json::from_str(&self.body).unwrap()
    }

    /// Every refusal has their shape.
    fn error(&self) -> (u16, String) {
        let said: Value =
            serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body));
        (self.status, said["error"].as_str().expect("an error").to_owned())
    }
}

impl Worker {
    fn open() -> Self {
        let house = House::new();
        house.ok(&["config", "set", "http.worker-api", "open"]);
        Self::of(house)
    }

    fn of(house: House) -> Self {
        house.start();
        let port = u16::try_from(house.status()["port"].as_u64().expect("a port")).unwrap();
        Self { house, port }
    }

    fn token(&self) -> String {
        fs::read_to_string(self.house.data().join("run/token")).unwrap().trim().to_owned()
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Said {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n{headers}\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // Who sends too much is heard out, too.
        stream.write_all(body).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
        Said { status: head.split(' ').nth(1).unwrap().parse().unwrap(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Said {
        self.send("GET", path, "", b"")
    }

    fn post(&self, path: &str, body: &Value) -> Said {
        self.send("POST", path, "", body.to_string().as_bytes())
    }

    /// Waits until all that was told is in the tables.
    fn settle(&self) {
        eventually("everything is learned", || {
            let status = self.house.status();
            status["learned"] == status["journal_head"]
        });
    }

    /// One turn, as the newest hooks tell it.
    fn turn(&self, session: &str) {
        let cwd = self.house.work();
        let project = "work";
        self.post(
            "/api/sessions/init",
            &json!({ "contentSessionId": session, "project": project, "prompt": "fix the lexer for tabs" }),
        )
        .json();
        let call = json!({
            "contentSessionId": session, "tool_name": "Edit", "cwd": cwd, "tool_use_id": "toolu_1",
            "tool_input": { "file_path": cwd.join("src/lexer.rs"), "old_string": "a", "new_string": "b" },
            "tool_response": { "success": true },
        });
        assert_eq!(self.post("/api/sessions/observations", &call).json()["status"], "queued");
        let last =
            json!({ "contentSessionId": session, "last_assistant_message": "The lexer handles tabs now." });
        assert_eq!(self.post("/api/sessions/summarize", &last).json()["status"], "queued");
    }
}

fn names(worker: &Worker, session: &str) -> Vec<String> {
    let heard = worker.house.heard();
    heard.into_iter().filter(|(of, _)| of == session).map(|(_, event)| event).collect()
}

#[test]
fn a_turn_that_their_hooks_tell_is_in_the_journal_and_the_lists() {
    let worker = Worker::open();
    worker.turn("s-new");
    let end = json!({ "contentSessionId": "s-new", "reason": "exit" });
    assert_eq!(worker.post("/api/sessions/session-end", &end).json()["status"], "accepted");
    assert_eq!(
        names(&worker, "s-new"),
        ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"]
    );
    worker.settle();

    let prompts = worker.get("/api/prompts").json();
    let prompt = &prompts["items"][0];
    assert_eq!(
        (&prompt["prompt_text"], &prompt["prompt_number"]),
        (&json!("fix the lexer for tabs"), &json!(1))
    );
    let same = worker.get(&format!("/api/prompt/{}", prompt["id"])).json();
    assert_eq!(same["prompt_text"], prompt["prompt_text"]);

    let observations = worker.get("/api/observations").json();
    let first = &observations["items"][0];
    let one = worker.get(&format!("/api/observation/{}", first["id"])).json();
    assert_eq!(one["title"], first["title"]);
    assert!(
        serde_json::from_str::<Vec<String>>(one["facts"].as_str().unwrap()).is_ok(),
        "a text that is JSON"
    );
    let batch = worker.post("/api/observations/batch", &json!({ "ids": [first["id"], 999_999] })).json();
    assert_eq!(batch.as_array().unwrap().len(), 1);

    let summaries = worker.get("/api/summaries").json();
    let summary = &summaries["items"][0];
    assert!(summary["request"].as_str().unwrap().contains("lexer"), "{summaries}");
    let same = worker.get(&format!("/api/session/{}", summary["id"])).json();
    assert_eq!(same["request"], summary["request"]);

    let projects = worker.get("/api/projects").json();
    assert_eq!(projects["projects"], json!(["work"]));
    assert_eq!(worker.get("/api/stats").json()["database"]["sessions"], 1);
    let by_file = worker.get("/api/observations/by-file?path=src/lexer.rs").json();
    assert!(by_file["count"].as_u64().unwrap() > 0, "{by_file}");
}

#[test]
fn the_older_generation_is_understood_by_name_and_by_number() {
    let worker = Worker::open();
    let begun = worker.post(
        "/api/sessions/init",
        &json!({ "claudeSessionId": "s-old", "project": "p", "prompt": "hello" }),
    );
    let begun = begun.json();
    let number = begun["sessionDbId"].as_u64().unwrap();
    assert!(number < 1 << 53 && begun["promptNumber"] == 1, "{begun}");
    // The same hook goes on with the number, and the same words are one prompt.
    let again = worker
        .post(&format!("/sessions/{number}/init"), &json!({ "userPrompt": "hello", "promptNumber": 1 }));
    assert_eq!(again.json()["status"], "initialized");
    let call = json!({ "tool_name": "Bash", "tool_input": "{\"command\":\"ls\"}", "tool_output": "{\"stdout\":\"a\"}" });
    assert_eq!(worker.post(&format!("/sessions/{number}/observations"), &call).json()["status"], "queued");
    assert_eq!(worker.post(&format!("/sessions/{number}/summarize"), &json!({})).json()["status"], "queued");
    worker.settle();
    let status = worker.get(&format!("/sessions/{number}/status")).json();
    assert_eq!((&status["status"], &status["sessionDbId"]), (&json!("active"), &json!(number)));
    assert_eq!(worker.post(&format!("/sessions/{number}/complete"), &json!({})).json()["success"], true);
    assert_eq!(
        names(&worker, "s-old"),
        ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"]
    );
    // A number of a database that only the client has.
    assert_eq!(
        worker.post("/sessions/12/init", &json!({ "project": "p", "userPrompt": "older" })).json()["status"],
        "initialized"
    );
    assert_eq!(worker.send("DELETE", "/sessions/12", "", b"").json()["status"], "deleted");
    assert_eq!(names(&worker, "claude-mem-12"), ["SessionStart", "UserPromptSubmit", "SessionEnd"]);
    worker.settle();
    assert_eq!(worker.get("/sessions/12/status").json()["status"], "not_found", "it has ended");
    let complete = json!({ "claudeSessionId": "never heard of", "reason": "exit" });
    assert_eq!(worker.post("/api/sessions/complete", &complete).json()["status"], "skipped");
    assert!(names(&worker, "never heard of").is_empty());
}

#[test]
fn redaction_private_turns_and_skipped_tools_hold_here_too() {
    let worker = Worker::open();
    let secret = &format!("AKIA{}", "Z7VBQ2N4XJ5RT6WP");
    let private =
        json!({ "contentSessionId": "s", "project": "p", "prompt": "<private>the merger</private>" });
    let said = worker.post("/api/sessions/init", &private).json();
    assert_eq!((&said["skipped"], &said["reason"]), (&json!(true), &json!("private")));
    let call = |tool: &str, output: &str| {
        let body = json!({ "contentSessionId": "s", "tool_name": tool, "tool_input": {}, "tool_response": { "stdout": output } });
        worker.post("/api/sessions/observations", &body).json()
    };
    assert_eq!(call("Bash", "merger papers")["reason"], "private");
    worker
        .post("/api/sessions/init", &json!({ "contentSessionId": "s", "prompt": "and now in public" }))
        .json();
    assert_eq!(call("Bash", secret)["status"], "queued");
    for tool in ["TodoWrite", "Skill", "AskUserQuestion", "SlashCommand", "ListMcpResourcesTool"] {
        assert_eq!(call(tool, "x"), json!({ "status": "skipped", "reason": "tool_excluded" }));
    }
    worker.house.ok(&["daemon", "stop"]);
    assert!(worker.house.files_with(secret).is_empty() && worker.house.files_with("merger").is_empty());
    assert_eq!(names(&worker, "s"), ["SessionStart", "UserPromptSubmit", "PostToolUse"]);
}

#[test]
fn what_our_own_hook_has_told_is_not_counted_twice() {
    let worker = Worker::open();
    worker.house.send(&worker.house.envelope("both", "SessionStart"));
    worker.house.send(&worker.house.prompt("both", "one question"));
    let said = worker
        .post("/api/sessions/init", &json!({ "contentSessionId": "both", "prompt": "one question" }))
        .json();
    assert_eq!(said["skipped"], true, "{said}");
    worker.house.send(&worker.house.tool("both", "Bash", "out"));
    let call =
        json!({ "contentSessionId": "both", "tool_name": "Bash", "tool_input": {}, "tool_response": {} });
    assert_eq!(worker.post("/api/sessions/observations", &call).json()["status"], "skipped");
    assert_eq!(names(&worker, "both"), ["SessionStart", "UserPromptSubmit", "PostToolUse"]);
}

#[test]
fn what_is_asked_is_found_and_what_is_not_there_is_404() {
    let worker = Worker::open();
    let save = json!({ "text": "The lexer is generated by a script in tools.", "title": "Generated lexer", "project": "work" });
    let saved = worker.post("/api/memory/save", &save).json();
    assert_eq!(saved["success"], true);
    let id = saved["id"].as_u64().unwrap();
    worker.turn("s");
    worker.settle();
    let found = worker.get("/api/search?query=generated+lexer&format=json").json();
    assert!(found["observations"].as_array().unwrap().iter().any(|row| row["id"] == id), "{found}");
    for path in [
        "/api/search?query=lexer",
        "/api/search/observations?query=lexer",
        "/api/search/sessions?query=lexer",
        "/api/search/prompts?query=lexer",
        "/api/search/by-file?filePath=src/lexer.rs",
        "/api/search/by-type?type=note",
        "/api/search/by-concept?concept=lexer",
        "/api/timeline?anchor=1",
        "/api/timeline/by-query?query=lexer",
        "/api/context/timeline?query=lexer",
        "/api/context/recent?project=work",
    ] {
        let said = worker.get(path).json();
        assert_eq!(said["content"][0]["type"], "text", "{path}: {said}");
    }
    let table = worker.get("/api/search?query=lexer&type=observations").json();
    assert!(table["content"][0]["text"].as_str().unwrap().contains(&format!("#{id}")), "{table}");
    let semantic =
        json!({ "q": "how is the lexer generated, and by what?", "project": "work", "limit": "3" });
    let semantic = worker.post("/api/context/semantic", &semantic).json();
    assert!(semantic["context"].as_str().unwrap().contains("script in tools"), "{semantic}");
    assert_eq!(worker.post("/api/context/semantic", &json!({ "q": "short" })).json()["count"], 0);
    for path in [
        "/api/observation/999999",
        "/api/session/999999",
        "/api/prompt/999999",
        "/api/timeline?anchor=999999",
        "/api/nothing",
    ] {
        assert_eq!(worker.get(path).error().0, 404, "{path}");
    }
    for path in [
        "/api/observation/x",
        "/api/context/inject",
        "/api/timeline",
        "/api/search/by-file",
        "/api/search/by-type?type=zebra",
    ] {
        assert_eq!(worker.get(path).error().0, 400, "{path}");
    }
    assert_eq!(worker.post("/api/sessions/init", &json!({ "prompt": "whose?" })).error().0, 400);
    assert_eq!(worker.post("/api/observations/batch", &json!({ "ids": "x" })).error().0, 400);
}

/// What the hooks of each of these versions sent when they were run for one turn and the turn's session ended; WORK and
/// SECRET stand for the test's own.
#[test]
fn what_real_hooks_sent_is_heard_and_their_context_is_ours() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/worker");
    let mut files: Vec<_> = fs::read_dir(recorded).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 4);
    for file in files {
        let worker = Worker::open();
        let work = worker.house.work();
        let secret = format!("AKIA{}", "Z7VBQ2N4XJ5RT6WP");
        let text = fs::read_to_string(&file).unwrap();
        let text =
            text.replace("WORK", work.to_str().unwrap()).replace("SECRET", &secret).replace("=demo", "=work");
        let mut last = String::new();
        for request in text.split("\n---\n") {
            let (head, body) = request.split_once("\n\n").unwrap_or((request, ""));
            let (method, path) = head.lines().next().unwrap().split_once(' ').unwrap();
            if path.starts_with("/api/context") {
                worker.settle();
            }
            let said = worker.send(method, path.trim(), "", body.trim().as_bytes());
            assert_eq!(said.status, 200, "{}: {head}: {}", file.display(), said.body);
            last = said.body;
        }
        let session = "11111111-2222-3333-4444-555555555555";
        let heard = names(&worker, session);
        let told = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"];
        assert_eq!(heard[..4], told, "{}", file.display());
        assert!(last.contains("lexer"), "{}: {last}", file.display());
        worker.house.ok(&["daemon", "stop"]);
        assert!(worker.house.files_with(&secret).is_empty(), "{}", file.display());
    }
}

#[test]
fn lists_come_in_pages() {
    let worker = Worker::open();
    for (number, animal) in ["ant", "bee", "cat", "dog", "eel"].iter().enumerate() {
        let text = format!("The {animal} lives in module number {number}.");
        worker.post("/api/memory/save", &json!({ "text": text, "project": "zoo" })).json();
    }
    let page = |query: &str| worker.get(&format!("/api/observations?{query}")).json();
    let (first, last) = (page("limit=2"), page("limit=2&offset=4"));
    assert_eq!((&first["hasMore"], &first["limit"], &first["offset"]), (&json!(true), &json!(2), &json!(0)));
    assert_eq!((last["items"].as_array().unwrap().len(), &last["hasMore"]), (1, &json!(false)));
    assert_ne!(first["items"][0]["id"], last["items"][0]["id"]);
    assert_eq!(page("limit=1000")["limit"], 100, "as theirs");
    assert_eq!(page("project=elsewhere")["items"], json!([]));
}

#[test]
fn context_is_what_our_own_hook_says_and_asking_changes_nothing() {
    let worker = Worker::open();
    worker.turn("s");
    worker.settle();
    worker
        .post("/api/memory/save", &json!({ "text": "Deploys happen on Tuesdays only.", "project": "work" }))
        .json();
    let before = worker.house.status()["journal_head"].clone();
    let said = worker.get("/api/context/inject?projects=parent,work&platformSource=claude&colors=true");
    assert_eq!(said.status, 200);
    assert!(said.body.contains("lexer"), "{}", said.body);
    assert_eq!(worker.get("/api/context/preview?project=work").status, 200);
    for path in [
        "/api/health",
        "/api/readiness",
        "/api/version",
        "/api/processing-status",
        "/api/settings",
        "/api/stats",
    ] {
        worker.get(path).json();
    }
    assert_eq!(worker.house.status()["journal_head"], before);
    assert!(worker.get("/api/health").json()["version"].is_null(), "hooks kill a worker of another version");
    assert_eq!(worker.post("/api/processing", &json!({ "isProcessing": false })).json()["status"], "ok");
}

#[test]
fn settings_that_are_ours_are_set_and_no_other() {
    let worker = Worker::open();
    let wish = json!({
        "CLAUDE_MEM_SKIP_TOOLS": "TodoWrite,Glob", "CLAUDE_MEM_OPENROUTER_BASE_URL": "http://attacker.example",
        "CLAUDE_MEM_PROVIDER": "openai", "CLAUDE_MEM_GEMINI_API_KEY": "AIzaSyA-1234567890",
    });
    assert_eq!(
        worker.post("/api/settings", &wish).error().0,
        401,
        "open is for hooks, and none sets anything"
    );
    let token = format!("Authorization: Bearer {}\r\n", worker.token());
    let said = worker.send("POST", "/api/settings", &token, wish.to_string().as_bytes()).json();
    assert_eq!(said["changed"], json!(["CLAUDE_MEM_SKIP_TOOLS"]), "{said}");
    assert_eq!(said["ignored"].as_array().unwrap().len(), 3);
    let held = worker.get("/api/settings");
    assert_eq!(held.json()["CLAUDE_MEM_SKIP_TOOLS"], "TodoWrite,Glob");
    assert_eq!(held.json()["CLAUDE_MEM_WORKER_PORT"], worker.port.to_string());
    assert!(!held.body.contains("attacker") && !held.body.contains("AIza"), "{}", held.body);
    assert_eq!(held.json()["CLAUDE_MEM_PROVIDER"], "none");
    let body = json!({ "contentSessionId": "s", "tool_name": "Glob", "tool_input": {}, "tool_response": {} });
    eventually("the daemon knows", || {
        worker.post("/api/sessions/observations", &body).json()["status"] == "skipped"
    });
}

#[test]
fn without_a_token_nobody_comes_in_unless_it_is_open_and_then_only_here() {
    let closed = Worker::of(House::new());
    for path in ["/api/health", "/api/observations", "/stream", "/sessions/1/status"] {
        assert_eq!(closed.get(path).error().0, 401, "{path}");
    }
    let token = format!("Authorization: Bearer {}\r\n", closed.token());
    assert_eq!(closed.send("GET", "/api/health", &token, b"").status, 200);
    let open = Worker::open();
    for path in [
        "/api/v1/status",
        "/api/v1/memories",
        "/mcp",
        "/metrics",
        "/",
        "/api/%761/status",
        "/api//v1/status",
        "/api/./v1/status",
        "/api/x/../v1/status",
        "/api/v1%2fstatus",
        "/api/v1;x/status",
        "/API/v1/status",
        "/sessions/../api/v1/status",
        "/sessions/..%2fapi%2fv1%2fstatus",
        "/stream/../api/v1/stream",
        "/api/stats/../v1/status",
        "//api/v1/status",
        "/open/../api/v1/status",
        "/health/../api/v1/status",
    ] {
        let status = open.get(path).status;
        assert!([401, 404, 405].contains(&status), "{path}: {status}");
    }
    for headers in [
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://127.0.0.1:1\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        assert_eq!(open.send("GET", "/api/observations", headers, b"").error().0, 403, "{headers}");
        assert_eq!(
            open.send("POST", "/api/memory/save", headers, br#"{"text":"x"}"#).error().0,
            403,
            "{headers}"
        );
    }
    let mut stream = TcpStream::connect(("127.0.0.1", open.port)).unwrap();
    stream
        .write_all(b"GET /api/health HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 421"), "{said}");
}

#[test]
fn an_observation_may_have_five_megabytes_and_no_more() {
    let worker = Worker::open();
    let body = |bytes: usize| {
        let mut call =
            json!({ "contentSessionId": "s", "tool_name": "Bash", "tool_input": {}, "tool_response": "" });
        call["tool_response"] = json!("x".repeat(bytes));
        call.to_string().into_bytes()
    };
    assert_eq!(
        worker.send("POST", "/api/sessions/observations", "", &body(4 << 20)).json()["status"],
        "queued"
    );
    assert_eq!(worker.send("POST", "/api/sessions/observations", "", &body(5 << 20)).error().0, 413);
    assert_eq!(worker.send("POST", "/api/memory/save", "", &body(2 << 20)).error().0, 413);
}

#[test]
fn their_stream_tells_what_happens_in_their_names() {
    let worker = Worker::open();
    let mut stream = TcpStream::connect(("127.0.0.1", worker.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!("GET /stream HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", worker.port);
    stream.write_all(head.as_bytes()).unwrap();
    let mut heard = String::new();
    let mut buffer = [0; 4096];
    let mut until = |heard: &mut String, words: &[&str]| {
        while !words.iter().all(|word| heard.contains(&format!("\"type\":\"{word}\""))) {
            let read = stream.read(&mut buffer).expect("more is told");
            assert!(read > 0, "{heard}");
            heard.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
    };
    until(&mut heard, &["connected", "initial_load", "processing_status"]);
    worker.turn("s");
    worker.post("/api/sessions/session-end", &json!({ "contentSessionId": "s" })).json();
    let all = [
        "session_started",
        "new_prompt",
        "observation_queued",
        "session_completed",
        "new_observation",
        "new_summary",
    ];
    until(&mut heard, &all);
    assert!(heard.contains("fix the lexer for tabs") && !heard.contains("event: "), "{heard}");
}
