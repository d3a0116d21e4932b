//! A world of its own for one test: an empty environment, a temporary home, and the daemon gone at the end.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub(crate) struct House {
    folder: tempfile::TempDir,
}

impl House {
    pub(crate) fn new() -> Self {
        let house = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(house.folder.path().join("work")).unwrap();
        house
    }

    pub(crate) fn home(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home().join(".throughline/default")
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.home().join("work")
    }

    /// The binary with nothing in its environment but a home.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
        command.args(args).env_clear().env("HOME", self.home()).env("PATH", "/usr/bin:/bin").current_dir(self.work());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs and wants success; gives stdout.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn pipe(&self, args: &[&str], input: &[u8]) -> Output {
        feed(self.command(args), input)
    }

    /// One hook call; must exit 0.
    pub(crate) fn hook(&self, envelope: &[u8]) -> String {
        let output = self.pipe(&["hook"], envelope);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn send(&self, envelope: &Value) -> String {
        self.hook(envelope.to_string().as_bytes())
    }

    pub(crate) fn start(&self) {
        self.ok(&["daemon", "start"]);
    }

    pub(crate) fn status(&self) -> Value {
        serde_json::from_str(&self.ok(&["daemon", "status", "--json"])).unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        u32::try_from(self.status()["pid"].as_u64().expect("a daemon runs")).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        let lines = self.ok(&["events", "--json"]);
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// `{session, event}` pairs in journal order.
    pub(crate) fn heard(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.events().iter().map(|event| (text(&event["session"]), text(&event["event"]))).collect()
    }

    pub(crate) fn envelope(&self, session: &str, event: &str) -> Value {
        json!({
            "session_id": session,
            "transcript_path": "/nowhere.jsonl",
            "cwd": self.work(),
            "hook_event_name": event,
        })
    }

    pub(crate) fn prompt(&self, session: &str, text: &str) -> Value {
        let mut envelope = self.envelope(session, "UserPromptSubmit");
        envelope["prompt"] = json!(text);
        envelope
    }

    pub(crate) fn tool(&self, session: &str, name: &str, output: &str) -> Value {
        let mut envelope = self.envelope(session, "PostToolUse");
        envelope["tool_name"] = json!(name);
        envelope["tool_input"] = json!({ "command": "x" });
        envelope["tool_response"] = json!({ "stdout": output, "stderr": "" });
        envelope["tool_use_id"] = json!("toolu_1");
        envelope
    }

    /// Every file under the data folder that contains these bytes.
    pub(crate) fn files_with(&self, needle: &str) -> Vec<PathBuf> {
        let holds = |path: &PathBuf| {
            fs::read(path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
        };
        files(&self.home().join(".throughline")).into_iter().filter(holds).collect()
    }

    /// Everything of ours is for one person alone.
    pub(crate) fn assert_private(&self) {
        let root = self.home().join(".throughline/default");
        for path in files(&root) {
            let mode = fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode & 0o177, 0, "{} is {mode:o}", path.display());
            let folder = fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777;
            assert_eq!(folder, 0o700, "{}", path.parent().unwrap().display());
        }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.run(&["daemon", "stop"]);
        // A daemon that was started a moment ago may not have its socket yet.
        if let Ok(pid) = fs::read_to_string(self.data().join("run/daemon.pid")) {
            let until = Instant::now() + Duration::from_secs(3);
            while Path::new("/proc").join(pid.trim()).exists() && Instant::now() < until {
                let _ = self.run(&["daemon", "stop"]);
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

pub(crate) fn feed(mut command: Command, input: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A hook that has read enough closes its end.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Waits until it is so, or fails.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
