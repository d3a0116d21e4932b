//! The real `claude` client, offline, against a scripted model on loopback: whatever hooks a person has, none runs.
//!
//! ```sh
//! cargo xtask client-test          # fetches the client once
//! cargo test -p throughline-providers -- --ignored real_client
//! ```

use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use providers::claude_cli::Setup;
use providers::{ClaudeCli, Model, Pool, ProviderError};
use serde_json::{Value, json};

use crate::server::{Answer, Server, request, soon};

/// Where `cargo xtask client-test` keeps it, or where the variable says.
fn client() -> PathBuf {
    if let Some(path) = std::env::var_os("THROUGHLINE_TEST_CLAUDE") {
        return path.into();
    }
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools");
    let versions = fs::read_dir(&tools).into_iter().flatten().flatten();
    let found =
        versions.map(|entry| entry.path().join("node_modules/.bin/claude")).find(|path| path.exists());
    found.and_then(|path| fs::canonicalize(path).ok()).expect("run `cargo xtask client-test` first")
}

fn streamed(text: &str, stop_reason: &str) -> Answer {
    let usage = json!({"input_tokens": 40, "output_tokens": 2});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
                         "stop_reason": null, "stop_sequence": null, "usage": usage});
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": null}, "usage": usage}),
        json!({"type": "message_stop"}),
    ];
    let lines = events.map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
    Answer::Text(200, "content-type: text/event-stream\r\n", lines.concat())
}

/// A person's home with a hook on every event of a short session, and the environment that leads there.
struct House {
    folder: tempfile::TempDir,
    environment: Vec<(OsString, OsString)>,
}

impl House {
    fn beside(server: &Server) -> House {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["home/.claude", "empty", "tmp"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        let touch = |event: &str| json!([{"hooks": [{"type": "command", "command": "touch", "args": [path(event)]}]}]);
        let events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];
        let hooks: serde_json::Map<String, Value> =
            events.map(|event| (event.to_owned(), touch(event))).into_iter().collect();
        fs::write(path("home/.claude/settings.json"), json!({"hooks": hooks}).to_string()).unwrap();
        fs::write(path("home/.claude/CLAUDE.md"), "ALWAYS-SPEAK-IN-RHYMES").unwrap();
        let tmp = path("tmp").into_os_string();
        let environment = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME", path("home").into_os_string()),
            ("TMPDIR", tmp.clone()),
            ("CLAUDE_CODE_TMPDIR", tmp),
            ("ANTHROPIC_API_KEY", "sk-dummy-0000000000000000000000000000".into()),
            ("ANTHROPIC_BASE_URL", server.url.clone().into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ];
        let environment = environment.into_iter().map(|(name, value)| (name.into(), value)).collect();
        House { folder, environment }
    }

    fn model(&self) -> ClaudeCli {
        let setup = Setup {
            program: client(),
            folder: self.folder.path().join("empty"),
            model: Some("haiku".to_owned()),
            environment: self.environment.clone(),
        };
        ClaudeCli::new(setup, Pool::new(NonZeroUsize::MIN))
    }

    fn ran(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !["home", "empty", "tmp"].contains(&name.as_str())).collect()
    }
}

#[test]
#[ignore = "needs the real client"]
fn the_real_client_runs_no_hook_keeps_no_transcript_and_reads_no_instructions() {
    let server = Server::playing(vec![streamed("[]", "end_turn")]);
    let house = House::beside(&server);
    let completion = house.model().complete(&request(), soon()).unwrap();
    assert_eq!((completion.text.as_str(), completion.input_tokens, completion.output_tokens), ("[]", 40, 2));
    assert_eq!(house.ran(), Vec::<String>::new());
    assert!(!house.folder.path().join("home/.claude/projects").exists());
    let asked: Vec<_> =
        server.heard().into_iter().filter(|heard| heard.line.contains("/v1/messages")).collect();
    assert_eq!(asked.len(), 1);
    let body = asked[0].body.to_string();
    println!("the client adds {} bytes to our request", body.len() - 23);
    assert!(body.contains("Be brief.") && body.contains("What happened?"));
    assert!(!body.contains("RHYMES"), "the person's own instructions are for their own sessions");
    assert_eq!(asked[0].body["max_tokens"], 500);
    assert!(asked[0].body["tools"].as_array().is_none_or(Vec::is_empty));

    // The same home without our precautions: the hooks are real.
    let mut plain = Command::new(client());
    plain.args(["--print", "hello"]).env_clear().envs(house.environment.iter().cloned());
    plain.current_dir(house.folder.path().join("empty")).stdin(Stdio::null()).stdout(Stdio::null());
    assert!(plain.stderr(Stdio::null()).status().unwrap().success());
    assert_eq!(house.ran().len(), 4, "{:?}", house.ran());
}

#[test]
#[ignore = "needs the real client"]
fn the_real_clients_troubles_have_their_names() {
    let ends = |answer: Answer| {
        let server = Server::playing(vec![answer]);
        House::beside(&server).model().complete(&request(), soon()).unwrap_err()
    };
    let error = |status, kind: &str, message: &str| {
        ends(Answer::Json(status, json!({"type": "error", "error": {"type": kind, "message": message}})))
    };
    let busy = ProviderError::Busy { retry_after: None };
    assert_eq!(error(529, "overloaded_error", "Overloaded"), busy);
    assert_eq!(error(429, "rate_limit_error", "slow down"), busy);
    let too_long = "prompt is too long: 210000 tokens > 200000 maximum";
    assert_eq!(error(400, "invalid_request_error", too_long), ProviderError::TooLarge);
    let unauthorized = error(401, "authentication_error", "invalid x-api-key");
    assert!(matches!(unauthorized, ProviderError::Unauthorized { .. }), "{unauthorized:?}");
    assert_eq!(ends(streamed("no", "refusal")), ProviderError::Refused);
    assert_eq!(ends(streamed("[{", "max_tokens")), ProviderError::TooLarge);
}
