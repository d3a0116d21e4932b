//! An agent's end of the pipe: one real process, requests by number, answers awaited for a bounded time.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::house::{House, spawn};

/// Longer than any patience of the server's.
const PATIENCE: Duration = Duration::from_secs(40);
pub(super) const VERSION: &str = "2025-11-25";

pub(super) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// What came while something else was awaited: notifications, and answers nobody waits for.
    pub(super) aside: Vec<Value>,
    last: u64,
    /// From the start of the process to the answer to `initialize`.
    pub(super) ready: Duration,
    pub(super) initialized: Value,
}

impl Client {
    pub(super) fn new(house: &House) -> Self {
        Self::of_version(house, VERSION)
    }

    pub(super) fn of_version(house: &House, version: &str) -> Self {
        Self::start(house, &["mcp"], version)
    }

    /// As an agent starts it whose hooks come this way.
    pub(super) fn with_hooks(house: &House, word: &str) -> Self {
        Self::start(house, &["mcp", "--hooks", word], VERSION)
    }

    fn start(house: &House, args: &[&str], version: &str) -> Self {
        let began = Instant::now();
        let mut command = house.command(args);
        let mut child = spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()));
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).expect("every line is JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let (aside, initialized) = (Vec::new(), Value::Null);
        let mut client = Self { child, stdin, lines, aside, last: 0, ready: Duration::ZERO, initialized };
        let us = json!({ "name": "test", "version": "1" });
        client.initialized = client.result(
            "initialize",
            &json!({ "protocolVersion": version, "capabilities": { "roots": {} }, "clientInfo": us }),
        );
        client.ready = began.elapsed();
        client.notify("notifications/initialized", &json!({}));
        client
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.write(
            format!("{}\n", json!({ "jsonrpc": "2.0", "method": method, "params": params })).as_bytes(),
        );
    }

    /// Asks without waiting; the number of the request.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params });
        self.write(format!("{request}\n").as_bytes());
        self.last
    }

    pub(super) fn next(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("an answer in time")
    }

    pub(super) fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if is_it(&message) {
                return message;
            }
            self.aside.push(message);
        }
    }

    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.wait_for(|message| message["id"] == id)
    }

    #[track_caller]
    pub(super) fn result(&mut self, method: &str, params: &Value) -> Value {
        let mut answer = self.request(method, params);
        assert!(answer["error"].is_null(), "{method} {params}: {answer}");
        answer["result"].take()
    }

    /// The error's code and what it says.
    #[track_caller]
    pub(super) fn error(&mut self, method: &str, params: &Value) -> (i64, String) {
        let answer = self.request(method, params);
        let error = &answer["error"];
        (error["code"].as_i64().expect("an error"), error["message"].as_str().unwrap().to_owned())
    }

    fn called(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.result("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_eq!(result["content"][0]["type"], "text", "{result}");
        assert!(result["structuredContent"].is_object(), "{result}");
        result
    }

    /// What a tool says, as data.
    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let mut result = self.called(tool, arguments);
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        result["structuredContent"].take()
    }

    /// What a tool says, as text.
    #[track_caller]
    pub(super) fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.called(tool, arguments);
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Why a tool does not do it, and what to do.
    #[track_caller]
    pub(super) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.called(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// A number of `/proc/PID/status`, in kilobytes.
    pub(super) fn kilobytes(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
    }

    /// Closes our end; the exit code.
    pub(super) fn leave(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // Ended by itself, or a test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
