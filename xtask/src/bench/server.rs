//! The MCP server as an agent's hook calls it: one line there, one line back, no process in between. Ends with the value.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

const WORD: &str = "bench";

pub(crate) struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    call: String,
}

impl Server {
    /// A server for the daemon in this home, and the call of a hook with this envelope.
    pub(crate) fn start(throughline: &Path, home: &Path, event: &str, envelope: &[u8]) -> Result<Self> {
        let mut command = Command::new(throughline);
        command.args(["mcp", "--hooks", WORD]).env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin");
        command.env("THROUGHLINE_HOME", home).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().context("cannot start the MCP server")?;
        let stdin = child.stdin.take().context("a pipe was asked for")?;
        let stdout = BufReader::new(child.stdout.take().context("a pipe was asked for")?);
        let arguments = arguments(event, &serde_json::from_slice(envelope)?);
        let params = json!({ "name": "hook", "arguments": arguments });
        let call = request(2, "tools/call", &params);
        let mut server = Self { child, stdin, stdout, call };
        let us = json!({ "name": "bench", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": us });
        server.exchange(&request(1, "initialize", &hello))?;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        server.stdin.write_all(format!("{ready}\n").as_bytes())?;
        Ok(server)
    }

    pub(crate) fn once(&mut self) -> Result<Duration> {
        let call = self.call.clone();
        let start = Instant::now();
        let answer = self.exchange(&call)?;
        let took = start.elapsed();
        let answer: Value = serde_json::from_str(&answer)?;
        ensure!(answer["result"]["structuredContent"] == json!({}), "the server answers {answer}");
        Ok(took)
    }

    fn exchange(&mut self, line: &str) -> Result<String> {
        self.stdin.write_all(line.as_bytes())?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(id: u32, method: &str, params: &Value) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// As the client hands an envelope over: texts as they are, everything else as JSON.
fn arguments(event: &str, envelope: &Value) -> Value {
    let (mut text, mut json) = (Map::new(), Map::new());
    for (name, value) in envelope.as_object().into_iter().flatten() {
        match value {
            Value::String(said) => text.insert(name.clone(), json!(said)),
            other => json.insert(name.clone(), json!(other.to_string())),
        };
    }
    json!({ "word": WORD, "event": event, "text": text, "json": json })
}
