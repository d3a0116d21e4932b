//! The `claude` client in print mode: the person's own subscription, without a key of ours. It runs with every hook
//! off, so that it never records itself; without tools, settings of a project, or a transcript; in a folder that is
//! nobody's project; and it is gone, with all its children, when the deadline passes or we leave.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize;
use ureq::http::StatusCode;

use crate::anthropic::{MAX_ANSWER_BYTES, Usage};
use crate::http::{refusal, says, tidy};
use crate::process::{self, Bounds, Finished, Unfinished};
use crate::{Completion, Model, Pool, ProviderError, Request};

/// The kernel gives one argument 128 KiB; instructions are a few kilobytes.
const MAX_SYSTEM_BYTES: usize = 64 * 1024;
/// Of a complaint one line is shown.
const MAX_COMPLAINT_BYTES: usize = 8 * 1024;

/// Hooks are switched off twice: by a setting that outranks every file but the administrator's, and by the safe mode
/// (below), which also leaves out plugins, MCP servers and the person's instructions. Either alone was seen to
/// run none, of settings and of plugins; both, because recording ourselves would feed on itself.
const HOOKS_OFF: &str = r#"{"disableAllHooks":true}"#;

/// For the client alone. Variables are ignored by releases that do not know them; unknown flags would be errors.
const SET: &[(&str, &str)] = &[
    ("CLAUDE_CODE_SAFE_MODE", "1"),
    // Waiting and asking again is decided by our own back-off, with the budget in view.
    ("CLAUDE_CODE_MAX_RETRIES", "0"),
    // A background call is not the moment to update, to report or to fetch.
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
];

/// What a session gives its children, and the daemon may have been started by one: a client that finds these takes
/// itself for a part of that session.
const NOT_FOR_THE_CLIENT: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_PID",
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
];
const NOT_FOR_THE_CLIENT_PREFIX: &[u8] = b"CLAUDE_PLUGIN_";

#[derive(Debug)]
pub struct ClaudeCli {
    setup: Setup,
    name: String,
    pool: Arc<Pool>,
}

/// Where and as what the client runs.
#[derive(Clone)]
pub struct Setup {
    /// The executable, absolute.
    pub program: PathBuf,
    /// An existing folder that is nobody's project, best an empty one of ours.
    pub folder: PathBuf,
    /// `haiku`, or a full name. `None`: whatever the person uses.
    pub model: Option<String>,
    /// What the client inherits (its home, its login, a proxy), without what belongs to a session. All of it comes
    /// from here; the environment itself is not read.
    pub environment: Vec<(OsString, OsString)>,
}

impl std::fmt::Debug for Setup {
    /// An environment holds keys, so it is counted and not shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("program", &self.program)
            .field("folder", &self.folder)
            .field("model", &self.model)
            .field("environment", &self.environment.len())
            .finish()
    }
}

impl ClaudeCli {
    /// All clients of one process share one `pool`.
    pub fn new(setup: Setup, pool: Arc<Pool>) -> ClaudeCli {
        let name = format!("claude-cli:{}", setup.model.as_deref().unwrap_or("default"));
        ClaudeCli { setup, name, pool }
    }

    fn command(&self, request: &Request) -> Command {
        let mut command = Command::new(&self.setup.program);
        command.args(["--print", "--output-format", "json"]);
        command.args(["--settings", HOOKS_OFF, "--strict-mcp-config", "--disable-slash-commands"]);
        command.args(["--no-session-persistence", "--tools", ""]);
        if let Some(model) = &self.setup.model {
            command.args(["--model", model]);
        }
        command.args(["--system-prompt", &request.system]);
        let inherited = self.setup.environment.iter().filter(|(name, _)| is_for_the_client(name));
        command.env_clear().envs(inherited.map(|(name, value)| (name, value))).envs(SET.iter().copied());
        command.env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", request.max_output_tokens.to_string());
        command.current_dir(&self.setup.folder);
        command
    }
}

impl Model for ClaudeCli {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(&self, request: &Request, until: Instant) -> Result<Completion, ProviderError> {
        if request.system.len() > MAX_SYSTEM_BYTES {
            return Err(ProviderError::TooLarge);
        }
        let busy = ProviderError::Busy { retry_after: None };
        let Some(place) = self.pool.enter(until) else { return Err(busy) };
        let bounds = Bounds { output: MAX_ANSWER_BYTES as usize, complaint: MAX_COMPLAINT_BYTES, until };
        match process::run(self.command(request), request.prompt.as_bytes(), bounds, || place.is_lost()) {
            Ok(finished) => read(request, &finished),
            Err(Unfinished::Late) => Err(ProviderError::Timeout),
            Err(Unfinished::CalledOff) => Err(busy),
            Err(Unfinished::TooMuch) => {
                Err(ProviderError::garbage(format!("the answer is longer than {MAX_ANSWER_BYTES} bytes")))
            }
            Err(Unfinished::NotStarted(error) | Unfinished::Broken(error)) => {
                Err(ProviderError::unreachable(tidy(&error.to_string())))
            }
        }
    }
}

fn is_for_the_client(name: &OsStr) -> bool {
    !NOT_FOR_THE_CLIENT.iter().any(|other| name == *other)
        && !name.as_encoded_bytes().starts_with(NOT_FOR_THE_CLIENT_PREFIX)
}

fn read(request: &Request, finished: &Finished) -> Result<Completion, ProviderError> {
    let Ok(answer) = serde_json::from_slice::<Answer>(&finished.output) else {
        let complaint = tidy(&String::from_utf8_lossy(&finished.complaint));
        return Err(match finished.status.code() {
            Some(0) => ProviderError::garbage("the client printed no result"),
            // An option this release of the client does not know, a broken installation: the person's to see.
            Some(code) => ProviderError::rejected(format!("the client left with {code}: {complaint}")),
            None => ProviderError::unreachable("the client was ended by a signal"),
        });
    };
    if answer.is_error {
        return Err(answer.trouble());
    }
    if answer.stop_reason.as_deref() == Some("refusal") {
        return Err(ProviderError::Refused);
    }
    if answer.result.is_empty() {
        return Err(ProviderError::garbage("there is no text in it"));
    }
    let usage = answer.usage.unwrap_or_default();
    Ok(Completion::counted(request, answer.result, usage.input(), usage.output))
}

#[derive(Deserialize)]
struct Answer {
    is_error: bool,
    #[serde(default)]
    result: String,
    stop_reason: Option<String>,
    terminal_reason: Option<String>,
    api_error: Option<String>,
    api_error_status: Option<u16>,
    #[serde(default)]
    safety_stops: u64,
    usage: Option<Usage>,
}

impl Answer {
    fn trouble(&self) -> ProviderError {
        let detail = tidy(&self.result);
        let is_too_long = self.terminal_reason.as_deref() == Some("prompt_too_long")
            || self.api_error.as_deref() == Some("max_output_tokens");
        if is_too_long {
            return ProviderError::TooLarge;
        }
        if self.stop_reason.as_deref() == Some("refusal") || self.safety_stops > 0 {
            return ProviderError::Refused;
        }
        if self.api_error.as_deref() == Some("connection_failed") {
            return ProviderError::unreachable(detail);
        }
        if let Some(status) = self.api_error_status.and_then(|status| StatusCode::from_u16(status).ok()) {
            return refusal(status, detail, None);
        }
        if says(&detail, &["/login", "not logged in", "api key", "credit balance"]) {
            return ProviderError::Unauthorized { detail };
        }
        // A subscription's window is full; it opens again by itself.
        if says(&detail, &["limit reached", "hit your limit", "usage limit"]) {
            return ProviderError::Busy { retry_after: None };
        }
        ProviderError::rejected(detail)
    }
}
