//! The client in print mode, played by a script: what it is given, how it may end, and that nobody is left behind.

use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use providers::claude_cli::Setup;
use providers::{ClaudeCli, Completion, Model, Pool, ProviderError};
use serde_json::json;
use tempfile::TempDir;

use crate::server::{request, soon};

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"stop_reason":"end_turn","result":"It broke.","usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":3}}"#;

struct Bench {
    folder: TempDir,
}

impl Bench {
    /// An executable whose body is `script`; `$BENCH` is a folder for its traces.
    fn with(script: &str) -> Bench {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        // Written by a process of its own: a descriptor open for writing that another test's child inherits
        // would make the script unstartable for a moment.
        let text = format!("#!/bin/sh\n{script}\n");
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh", &text]).arg(bench.program());
        assert!(shell.stdin(Stdio::null()).status().unwrap().success());
        fs::create_dir(bench.path("empty")).unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self) -> PathBuf {
        self.path("claude")
    }

    fn setup(&self) -> Setup {
        let given = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        Setup {
            program: self.program(),
            folder: self.path("empty"),
            model: Some("haiku".to_owned()),
            environment: vec![
                given("PATH", "/usr/bin:/bin"),
                given("HOME", "/nonexistent"),
                given("BENCH", self.folder.path().to_str().unwrap()),
                given("CLAUDECODE", "1"),
                given("CLAUDE_CODE_SESSION_ID", "s-1"),
                given("CLAUDE_CODE_MESSAGING_TOKEN", "t-1"),
                given("CLAUDE_PLUGIN_ROOT", "/p"),
                given("CLAUDE_CONFIG_DIR", "/kept"),
            ],
        }
    }

    fn model(&self, places: usize) -> ClaudeCli {
        ClaudeCli::new(self.setup(), Pool::new(NonZeroUsize::new(places).unwrap()))
    }

    fn ask(&self, until: Instant) -> Result<Completion, ProviderError> {
        self.model(1).complete(&request(), until)
    }

    /// The number a script wrote, once it did.
    fn pid(&self, name: &str) -> String {
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            match fs::read_to_string(self.path(name)) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ => assert!(Instant::now() < until, "{name} was not written"),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Dead and reaped by us, or dead and waiting for whoever adopted it.
fn is_gone(pid: &str) -> bool {
    let until = Instant::now() + Duration::from_mins(1);
    while Instant::now() < until {
        let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
        let state = String::from_utf8_lossy(&state.stdout);
        if state.trim().is_empty() || state.trim().starts_with('Z') {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn ms(millis: u64) -> Instant {
    Instant::now() + Duration::from_millis(millis)
}

#[test]
fn the_client_runs_without_hooks_tools_transcript_or_a_session_around_it() {
    let bench = Bench::with(&format!(
        "for argument in \"$@\"; do printf '%s\\n' \"$argument\"; done > \"$BENCH/arguments\"\n\
         env > \"$BENCH/environment\"; pwd > \"$BENCH/cwd\"; cat > \"$BENCH/stdin\"\necho '{RESULT}'"
    ));
    let completion = bench.ask(soon()).unwrap();
    assert_eq!(completion, Completion { text: "It broke.".to_owned(), input_tokens: 15, output_tokens: 3 });
    let read = |name: &str| fs::read_to_string(bench.path(name)).unwrap();
    let arguments = read("arguments");
    let arguments: Vec<&str> = arguments.lines().collect();
    let follows = |flag: &str| arguments.iter().position(|given| *given == flag).map(|at| arguments[at + 1]);
    assert_eq!(arguments[0], "--print");
    assert_eq!(follows("--output-format"), Some("json"));
    assert_eq!(follows("--settings"), Some(r#"{"disableAllHooks":true}"#));
    assert_eq!(follows("--tools"), Some(""));
    assert_eq!(follows("--model"), Some("haiku"));
    assert_eq!(follows("--system-prompt"), Some("Be brief."));
    for flag in ["--no-session-persistence", "--strict-mcp-config", "--disable-slash-commands"] {
        assert!(arguments.contains(&flag), "{flag}");
    }
    assert_eq!(read("stdin"), "What happened?");
    assert_eq!(fs::canonicalize(read("cwd").trim()).unwrap(), fs::canonicalize(bench.path("empty")).unwrap());
    let environment = read("environment");
    for line in [
        "CLAUDE_CODE_SAFE_MODE=1",
        "CLAUDE_CODE_MAX_RETRIES=0",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS=500",
        "CLAUDE_CONFIG_DIR=/kept",
    ] {
        assert!(environment.lines().any(|given| given == line), "{line}");
    }
    for name in
        ["CLAUDECODE=", "CLAUDE_CODE_SESSION_ID=", "CLAUDE_CODE_MESSAGING_TOKEN=", "CLAUDE_PLUGIN_ROOT="]
    {
        assert!(!environment.lines().any(|given| given.starts_with(name)), "{name}");
    }
    assert!(!environment.contains("CARGO"), "nothing of ours is inherited");
    assert!(!arguments.iter().any(|argument| argument.contains("What happened?")), "material is no argument");
}

#[test]
fn a_client_that_hangs_is_dead_at_the_deadline() {
    let bench = Bench::with("echo $$ > \"$BENCH/pid\"; exec sleep 600");
    let begun = Instant::now();
    assert_eq!(bench.ask(ms(700)), Err(ProviderError::Timeout));
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert!(is_gone(&bench.pid("pid")));
}

#[test]
fn the_whole_group_of_a_client_that_hangs_is_dead() {
    let bench = Bench::with(
        "echo $$ > \"$BENCH/pid\"\n(trap '' TERM HUP; echo $BASHPID >/dev/null; sh -c 'echo $$ > \"$BENCH/grandchild\"; exec sleep 600') &\n\
         echo $! > \"$BENCH/child\"; wait",
    );
    assert_eq!(bench.ask(ms(900)), Err(ProviderError::Timeout));
    for name in ["pid", "child", "grandchild"] {
        assert!(is_gone(&bench.pid(name)), "{name}");
    }
}

#[test]
fn a_client_that_answers_and_leaves_a_child_behind_leaves_none() {
    let bench = Bench::with(&format!("sleep 600 &\necho $! > \"$BENCH/child\"\necho '{RESULT}'"));
    let begun = Instant::now();
    // The child holds the pipe open; the answer does not wait for it.
    assert_eq!(bench.ask(soon()).unwrap().text, "It broke.");
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert!(is_gone(&bench.pid("child")));
}

#[test]
fn a_client_that_reads_nothing_and_writes_much_is_bounded() {
    let bench = Bench::with("echo $$ > \"$BENCH/pid\"; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    let mut request = request();
    request.prompt = "long ".repeat(100_000);
    let error = bench.model(1).complete(&request, soon()).unwrap_err();
    assert!(
        matches!(&error, ProviderError::Garbage { detail } if detail.contains("longer than")),
        "{error:?}"
    );
    assert!(is_gone(&bench.pid("pid")));
}

#[test]
fn a_long_prompt_arrives_whole_while_the_client_talks() {
    let bench =
        Bench::with(&format!("yes warning | head -c 300000 >&2; wc -c > \"$BENCH/count\"; echo '{RESULT}'"));
    let mut request = request();
    request.prompt = "x".repeat(700_000);
    assert!(bench.model(1).complete(&request, soon()).is_ok());
    assert_eq!(fs::read_to_string(bench.path("count")).unwrap().trim(), "700000");
}

#[test]
fn every_ending_of_the_client_has_its_name() {
    let ends = |script: &str| Bench::with(script).ask(soon()).unwrap_err();
    assert!(matches!(ends("echo what"), ProviderError::Garbage { .. }));
    assert!(matches!(ends("exit 0"), ProviderError::Garbage { .. }));
    assert!(matches!(ends("kill -9 $$"), ProviderError::Unreachable { .. }));
    let error = ends("echo \"error: unknown option '--tools'\" >&2; exit 1");
    assert!(
        matches!(&error, ProviderError::Rejected { detail } if detail.contains("unknown option")),
        "{error:?}"
    );

    // As the real client said it, offline, to the same statuses.
    let says = |fields: serde_json::Value| {
        let mut answer = json!({"type": "result", "subtype": "success", "is_error": true, "result": ""});
        answer.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        ends(&format!("cat > /dev/null; echo '{answer}'; exit 1"))
    };
    let busy = ProviderError::Busy { retry_after: None };
    assert_eq!(says(json!({"api_error_status": 529, "terminal_reason": "api_error"})), busy);
    assert_eq!(says(json!({"api_error_status": 429, "result": "Request rejected (429)"})), busy);
    assert_eq!(says(json!({"result": "You have hit your limit, resets 3pm"})), busy);
    assert_eq!(
        says(json!({"api_error_status": 400, "terminal_reason": "prompt_too_long"})),
        ProviderError::TooLarge
    );
    assert_eq!(says(json!({"api_error": "max_output_tokens"})), ProviderError::TooLarge);
    assert_eq!(says(json!({"stop_reason": "refusal", "safety_stops": 2})), ProviderError::Refused);
    assert_eq!(
        says(json!({"is_error": false, "stop_reason": "refusal", "result": "I"})),
        ProviderError::Refused
    );
    let unauthorized = says(json!({"result": "Not logged in · Please run /login"}));
    assert!(matches!(unauthorized, ProviderError::Unauthorized { .. }));
    assert!(matches!(says(json!({"api_error_status": 401})), ProviderError::Unauthorized { .. }));
    assert!(matches!(says(json!({"api_error": "connection_failed"})), ProviderError::Unreachable { .. }));
}

#[test]
fn a_client_that_is_not_there_is_unreachable() {
    let mut setup = Bench::with("exit 0").setup();
    setup.program = Path::new("/nonexistent/claude").to_owned();
    let model = ClaudeCli::new(setup, Pool::new(NonZeroUsize::MIN));
    assert!(matches!(model.complete(&request(), soon()), Err(ProviderError::Unreachable { .. })));
}

#[test]
fn never_more_run_than_the_pool_has_places() {
    let bench = Arc::new(Bench::with(&format!(
        "mkdir \"$BENCH/run.$$\"; ls -d \"$BENCH\"/run.* | wc -l >> \"$BENCH/seen\"; sleep 0.2\n\
         rmdir \"$BENCH/run.$$\"; echo '{RESULT}'"
    )));
    let model = Arc::new(bench.model(2));
    let asking: Vec<_> = (0..6)
        .map(|_| {
            let model = Arc::clone(&model);
            std::thread::spawn(move || model.complete(&request(), soon()).unwrap())
        })
        .collect();
    for thread in asking {
        thread.join().unwrap();
    }
    let seen = fs::read_to_string(bench.path("seen")).unwrap();
    let seen: Vec<u32> = seen.lines().map(|line| line.trim().parse().unwrap()).collect();
    assert_eq!(seen.len(), 6);
    assert!(seen.iter().all(|&running| running <= 2), "{seen:?}");
}

#[test]
fn who_finds_no_place_in_time_starts_nobody() {
    let bench = Bench::with("echo $$ >> \"$BENCH/started\"; exec sleep 600");
    let model = Arc::new(bench.model(1));
    let first = Arc::clone(&model);
    let first = std::thread::spawn(move || first.complete(&request(), ms(1_500)));
    bench.pid("started");
    assert_eq!(model.complete(&request(), ms(200)), Err(ProviderError::Busy { retry_after: None }));
    assert_eq!(first.join().unwrap(), Err(ProviderError::Timeout));
    assert_eq!(fs::read_to_string(bench.path("started")).unwrap().lines().count(), 1);
}

#[test]
fn a_closed_pool_ends_who_runs_and_starts_nobody() {
    let bench = Bench::with("echo $$ >> \"$BENCH/started\"; exec sleep 600");
    let pool = Pool::new(NonZeroUsize::MIN);
    let model = Arc::new(ClaudeCli::new(bench.setup(), Arc::clone(&pool)));
    let ask = || {
        let model = Arc::clone(&model);
        std::thread::spawn(move || model.complete(&request(), soon()))
    };
    let running = ask();
    let pid = bench.pid("started");
    let waiting = ask();
    pool.close();
    for thread in [running, waiting, ask()] {
        assert_eq!(thread.join().unwrap(), Err(ProviderError::Busy { retry_after: None }));
    }
    assert!(is_gone(&pid));
    assert_eq!(fs::read_to_string(bench.path("started")).unwrap().lines().count(), 1);
}

#[test]
fn a_setup_shows_no_environment() {
    assert!(!format!("{:?}", Bench::with("exit 0").model(1)).contains("t-1"));
}
