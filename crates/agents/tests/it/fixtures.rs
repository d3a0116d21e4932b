//! Every real envelope and what we make of it. `UPDATE_FIXTURES=1` writes the events anew, for review.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use model::{Detail, Event, EventKind, Outcome};

use crate::{glance, read};

#[test]
fn every_envelope_reads_as_its_recorded_event() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude_code");
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut names: [BTreeSet<String>; 2] = Default::default();
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_event = path.extension().is_some_and(|extension| extension == "event");
        names[usize::from(is_event)].insert(stem);
    }
    let mut drifted = Vec::new();
    for name in &names[0] {
        let recorded = folder.join(name).with_extension("event");
        let event = render(&read(&std::fs::read(folder.join(name).with_extension("json")).unwrap(), None));
        if update {
            std::fs::write(&recorded, &event).unwrap();
        } else if std::fs::read_to_string(&recorded).is_ok_and(|text| text != event) {
            drifted.push(format!("{name}:\n{event}"));
        }
    }
    assert_eq!(drifted, Vec::<String>::new());
    assert!(update || names[0] == names[1], "every envelope has an event and the other way round");
}

#[test]
fn all_events_but_the_one_never_captured_have_an_envelope() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude_code");
    let missing: Vec<&str> = EventKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|name| !folder.join(format!("{name}-1.json")).exists())
        .collect();
    assert_eq!(missing, ["TeammateIdle"]);
}

#[test]
fn a_glance_sees_everything_but_what_tools_were_given_and_gave() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude_code");
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let json = std::fs::read(&path).unwrap();
            let mut event = read(&json, None);
            if let Detail::Tool(call) = &mut event.detail {
                call.input = serde_json::Value::Null;
                if let Outcome::Succeeded { response, .. } = &mut call.outcome {
                    *response = serde_json::Value::Null;
                }
            }
            assert_eq!(glance(&json), event, "{}", path.display());
        }
    }
}

/// One line per field; absent ones are left out.
fn render(event: &Event) -> String {
    let mut out = String::new();
    let mut line =
        |name: &str, value: &dyn std::fmt::Debug| writeln!(out, "{name}: {value:?}").expect("memory");
    line("kind", &event.kind);
    line("name", &event.name);
    line("session", &event.session.as_str());
    let common = [
        ("cwd", &event.cwd),
        ("transcript", &event.transcript),
        ("prompt id", &event.prompt_id),
        ("permission mode", &event.permission_mode),
    ];
    for (name, value) in common {
        if let Some(value) = value {
            line(name, value);
        }
    }
    if let Some(subagent) = &event.subagent {
        line("subagent", subagent);
    }
    match &event.detail {
        Detail::Tool(call) => {
            line("tool", &call.name);
            line("use id", &call.use_id);
            line("input", &Json(&call.input));
            match &call.outcome {
                Outcome::Succeeded { response, duration_ms } => {
                    line("response", &Json(response));
                    line("duration", duration_ms);
                }
                outcome => line("outcome", outcome),
            }
        }
        detail => line("detail", detail),
    }
    out
}

struct Json<'a>(&'a serde_json::Value);

impl std::fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
