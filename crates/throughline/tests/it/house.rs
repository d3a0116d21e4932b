//! A world of its own for one test: an empty environment, a temporary home, and the daemon gone at the end.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use client::Place;
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

pub(crate) const THROUGHLINE: &str = env!("CARGO_BIN_EXE_throughline");

pub(crate) struct House {
    folder: tempfile::TempDir,
    /// The data folder is a file system of its own.
    mounted: bool,
    /// Hooks keep the deadlines that agents' hooks have.
    punctual: bool,
}

/// Deadlines are stretched to the longest there is: what a hook says does not depend on what else runs on this machine.
const STRETCH: (&str, &str) = ("THROUGHLINE_TEST_STRETCH", "40");

impl House {
    pub(crate) fn new() -> Self {
        let house = Self { folder: tempfile::tempdir().unwrap(), mounted: false, punctual: false };
        fs::create_dir(house.folder.path().join("work")).unwrap();
        house
    }

    /// For a story about deadlines.
    pub(crate) fn punctual() -> Self {
        let mut house = Self::new();
        house.punctual = true;
        house
    }

    /// With a small disk of its own under `.throughline`. `None`, said loudly, where that takes rights we lack.
    pub(crate) fn on_a_disk_of(size: &str) -> Option<Self> {
        let mut house = Self::new();
        let at = house.throughline_home();
        fs::create_dir(&at).unwrap();
        let options = format!("size={size},mode=700");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&at).output();
        house.mounted = mounted.is_ok_and(|done| done.status.success());
        if !house.mounted {
            skipped("mounting a tmpfs needs root");
        }
        house.mounted.then_some(house)
    }

    /// Waits for whoever still has a file open there.
    pub(crate) fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        eventually(&options, || {
            let mut mount = Command::new("mount");
            mount.args(["-o", &options]).arg(self.throughline_home()).output().unwrap().status.success()
        });
    }

    pub(crate) fn throughline_home(&self) -> PathBuf {
        self.home().join(".throughline")
    }

    pub(crate) fn place(&self) -> Place {
        Place { data: self.data() }
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
        self.program(Path::new(THROUGHLINE), args)
    }

    /// Another executable in the same empty environment.
    pub(crate) fn program(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.work());
        if !self.punctual {
            command.env(STRETCH.0, STRETCH.1);
        }
        command
    }

    /// Every executable that can deliver a hook: ours always, the tiny one where it was built beside it.
    pub(crate) fn hooks(&self) -> Vec<Command> {
        let tiny = Path::new(THROUGHLINE).with_file_name("throughline-hook");
        let mut hooks = vec![self.command(&["hook"])];
        if tiny.is_file() {
            hooks.push(self.program(&tiny, &[]));
        } else {
            skipped("throughline-hook is not built; the large executable is tested alone");
        }
        hooks
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        output(&mut self.command(args))
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

    /// The process that has the journal, whatever socket and pid file say.
    pub(crate) fn holder(&self) -> Option<u32> {
        let inode = fs::metadata(self.place().journal()).ok()?.ino().to_string();
        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
        // `7: FLOCK  ADVISORY  WRITE 4242 fd:00:131073 0 EOF`
        let held = locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).find(|words| {
            words.get(1) == Some(&"FLOCK")
                && words.get(5).and_then(|at| at.rsplit(':').next()) == Some(inode.as_str())
        })?;
        let pid = held[4].parse().ok()?;
        fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?.contains("daemon\0run").then_some(pid)
    }

    /// Waits for a daemon that was called a moment ago.
    fn comer(&self) -> Option<u32> {
        let called = || fs::metadata(self.place().starting()).ok()?.modified().ok()?.elapsed().ok();
        while called().is_some_and(|ago| ago < Duration::from_millis(500)) {
            std::thread::sleep(Duration::from_millis(5));
            if let Some(pid) = self.holder() {
                return Some(pid);
            }
        }
        None
    }

    /// The ids that wait in the spool.
    pub(crate) fn spooled(&self) -> Vec<String> {
        let name = |path: PathBuf| Some(path.file_name()?.to_str()?.strip_suffix(".env")?.to_owned());
        files(&self.place().spool()).into_iter().filter_map(name).collect()
    }

    /// Every file under the data folder that contains these bytes.
    pub(crate) fn files_with(&self, needle: &str) -> Vec<PathBuf> {
        let holds = |path: &PathBuf| {
            fs::read(path)
                .is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
        };
        files(&self.home().join(".throughline")).into_iter().filter(holds).collect()
    }

    /// Everything of ours is for one person alone.
    pub(crate) fn assert_private(&self) {
        let root = self.home().join(".throughline/default");
        for path in files(&root) {
            // The daemon is at work: what it wrote aside may have been renamed since.
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            let mode = metadata.permissions().mode() & 0o777;
            assert_eq!(mode & 0o177, 0, "{} is {mode:o}", path.display());
            let folder = fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777;
            assert_eq!(folder, 0o700, "{}", path.parent().unwrap().display());
        }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        // Also one that has no socket yet, or lost it: the lock tells. A test that failed may have left it stopped.
        let until = Instant::now() + Duration::from_secs(20);
        while let Some(pid) = self.holder().or_else(|| self.comer()) {
            signal(pid, if Instant::now() < until { Signal::CONT } else { Signal::KILL });
            let _ = self.command(&["daemon", "stop"]).output();
            signal(pid, Signal::TERM);
            std::thread::sleep(Duration::from_millis(5));
        }
        if self.mounted {
            let _ = Command::new("umount").arg("-l").arg(self.throughline_home()).output();
        }
    }
}

pub(crate) fn feed(mut command: Command, input: &[u8]) -> Output {
    let mut child = spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    // A hook that has read enough closes its end.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub(crate) fn output(command: &mut Command) -> Output {
    spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))
        .wait_with_output()
        .unwrap()
}

/// Another test's child may for a moment hold a program that was just copied open for writing.
pub(crate) fn spawn(command: &mut Command) -> Child {
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            spawned => return spawned.unwrap(),
        }
    }
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Longer than any machine needs, however much else it does: what never comes is waited for once, in a test that fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// Waits until it is so, or fails.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    // Gone already is as good.
    let _ = rustix::process::kill_process(pid, signal);
}

#[expect(clippy::print_stderr, reason = "a test that does not run must say so")]
pub(crate) fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}
