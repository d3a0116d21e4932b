//! Runs a rule's tests: each `test/NAME.in.json` is an envelope, and `test/NAME.expect.json` what the rule should make
//! of it. A program is really run; of a question the prompt is looked at, and the model is asked where one is named.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agents::Incoming;
use clap::Args;
use daemon::rules::{Loaded, ask_now, provider, request, run_program};
use engine::rules::{Judgment, Kind, Rule, Said, envelope};
use model::Event;
use serde_json::{Map, Value};

use crate::commands::rules;
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{config, print};

pub(super) const TESTS: &str = "test";
pub(super) const GIVEN: &str = ".in.json";
pub(super) const EXPECTED: &str = ".expect.json";

/// A test says what a rule says; how long it takes is shown beside it. A busy machine must not fail it.
const PATIENCE: Duration = Duration::from_secs(10);
/// A page of JSON; a larger one is no test.
const MAX_FILE: u64 = 8 << 20;

#[derive(Debug, Args)]
pub(crate) struct Test {
    name: String,
}

impl Test {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let loaded = rules::named(world, &self.name)?;
        let rule = loaded.rule.as_ref().map_err(|error| {
            let next = format!("correct it in {}", loaded.folder.display());
            hint(Failure::Person, format!("the rule cannot be used: {error}"), next)
        })?;
        let given = given(&loaded.folder.join(TESTS));
        if given.is_empty() {
            let what = format!("{} holds no test", loaded.folder.join(TESTS).display());
            let next =
                format!("put an envelope into NAME{GIVEN} and what should be said into NAME{EXPECTED}");
            return Err(hint(Failure::Person, what, next));
        }
        let mut failed = 0;
        for path in &given {
            let name =
                path.file_name().map(|name| name.to_string_lossy().replace(GIVEN, "")).unwrap_or_default();
            let (mark, what) = match check(world, &loaded, rule, path) {
                Ok(what) => ("ok  ", what),
                Err(what) => {
                    failed += 1;
                    ("FAIL", what)
                }
            };
            print::line(&format!(
                "{mark}  {:<20} {}",
                print::one_line(&name, 60),
                print::one_line(&what, 400)
            ))?;
        }
        if failed > 0 {
            let what = format!("{failed} of {} tests failed", given.len());
            let next = format!(
                "`throughline replay {}/{TESTS}/*{GIVEN} -v` shows every step",
                loaded.folder.display()
            );
            return Err(hint(Failure::Person, what, next));
        }
        Ok(())
    }
}

fn given(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut given: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(GIVEN)).collect();
    given.sort_unstable();
    given
}

/// What went well, or what did not.
fn check(world: &World, loaded: &Loaded, rule: &Rule, path: &Path) -> Result<String, String> {
    let event = event(world, &read(path)?)?;
    let expected = PathBuf::from(path.to_string_lossy().replace(GIVEN, EXPECTED));
    let expected: Map<String, Value> = serde_json::from_slice(&read(&expected)?)
        .map_err(|error| format!("{}: {error}", expected.display()))?;
    if !rule.concerns(&event) {
        if expected.is_empty() {
            return Ok("silent: the event does not concern it".to_owned());
        }
        return Err("the event does not concern it: see `enabled`, `on`, `tools` and `match`".to_owned());
    }
    match rule.kind {
        Kind::Command => check_program(loaded, rule, &event, &expected),
        Kind::Prompt(_) => check_question(world, loaded, &event, &expected),
    }
}

fn check_program(
    loaded: &Loaded,
    rule: &Rule,
    event: &Event,
    expected: &Map<String, Value>,
) -> Result<String, String> {
    let began = Instant::now();
    let text = envelope(event).to_string();
    let said = run_program(&loaded.folder, rule, event, text.as_bytes(), began + PATIENCE);
    let took = began.elapsed();
    let said = said.map_err(|failure| failure.to_string())?;
    compare(&said, expected)?;
    let budget = rule.time(event.kind);
    let slow =
        if took > budget { format!(": longer than its {} ms", budget.as_millis()) } else { String::new() };
    let what = if said.is_silent() { "silent".to_owned() } else { words(&said) };
    Ok(format!("{what} ({} ms{slow})", took.as_millis()))
}

fn compare(said: &Said, expected: &Map<String, Value>) -> Result<(), String> {
    let parts = said.parts();
    for (key, wanted) in expected {
        let found = parts.iter().find(|(name, _)| name == key).map(|(_, text)| *text);
        let holds = match (wanted, found) {
            (Value::Bool(true), Some(_)) => true,
            (Value::String(wanted), Some(found)) => wanted == found,
            _ => false,
        };
        if !holds {
            return Err(format!("expected {key} {wanted}, and it says {}", words(said)));
        }
    }
    match parts.iter().find(|(name, _)| !expected.contains_key(*name)) {
        Some((name, text)) => Err(format!("not expected: {name} \"{text}\"")),
        None => Ok(()),
    }
}

fn words(said: &Said) -> String {
    let parts: Vec<String> = said.parts().iter().map(|(name, text)| format!("{name} \"{text}\"")).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

fn check_question(
    world: &World,
    loaded: &Loaded,
    event: &Event,
    expected: &Map<String, Value>,
) -> Result<String, String> {
    if let Some(key) = expected.keys().find(|key| !["prompt-contains", "answer"].contains(&key.as_str())) {
        return Err(format!(
            "\"{key}\" is not known; a prompt rule's test has \"prompt-contains\" and \"answer\""
        ));
    }
    let question = loaded.question.as_ref().ok_or("it has no question")?;
    let request = request(question, event);
    for wanted in expected.get("prompt-contains").and_then(Value::as_array).into_iter().flatten() {
        let wanted = wanted.as_str().unwrap_or_default();
        if !request.prompt.contains(wanted) {
            return Err(format!("the question does not contain \"{wanted}\": {}", request.prompt));
        }
    }
    let (config, _) = config::load(&world.place);
    let asked = format!("the question is sound, about {} tokens", request.input_tokens());
    if provider(&config).is_none() {
        return Ok(format!("{asked}; nobody was asked, because distill.provider names no model"));
    }
    let began = Instant::now();
    let judgment = ask_now(&config, &world.place.data.join("distill"), &request)?;
    let (answer, reason) = match &judgment {
        Judgment::Yes(reason) => ("yes", reason.as_str()),
        Judgment::No => ("no", ""),
    };
    let took = began.elapsed().as_millis();
    match expected.get("answer").and_then(Value::as_str) {
        Some(wanted) if wanted != answer => {
            Err(format!("expected {wanted}, the model says {answer}: {reason}"))
        }
        _ => Ok(format!("{asked}; the model says {answer} ({took} ms) {reason}")),
    }
}

/// As the daemon would read it.
fn event(world: &World, body: &[u8]) -> Result<Event, String> {
    let redactor =
        redact::Redactor::new(config::redaction(&world.place)).map_err(|error| error.to_string())?;
    let redacted = redactor.envelope(body);
    if !redacted.parsed {
        return Err("its envelope is no JSON".to_owned());
    }
    let id = client::mint();
    let incoming = Incoming {
        id,
        at: id.minted_at(),
        hint: None,
        context: &model::Context::new(),
        json: &redacted.json,
    };
    Ok(agents::ALL[0].read(&incoming))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let named = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let about = fs::metadata(path).map_err(|error| named(&error))?;
    if !about.is_file() || about.len() > MAX_FILE {
        return Err(named(&"no file of a reasonable size"));
    }
    fs::read(path).map_err(|error| named(&error))
}
