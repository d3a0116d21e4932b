//! Every envelope, of every agent, and what we make of it. `UPDATE_FIXTURES=1` writes the events anew, for review.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use agents::Adapter;
use model::{Advice, Detail, Event, EventKind, Note, Outcome, Verdict};
use serde_json::{Value, json};

use crate::with_incoming;

fn folder(adapter: &dyn Adapter) -> PathBuf {
    let name = adapter.name().replace('-', "_");
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// The names of an agent's files with this ending.
fn names(adapter: &dyn Adapter, extension: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder(adapter)).unwrap_or_else(|error| {
        panic!("an agent has envelopes: {}: {error}", folder(adapter).display());
    });
    files
        .map(|file| file.expect("a folder that can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().expect("a file has a name").to_string_lossy().into_owned())
        .collect()
}

/// The envelope of this name, read by `make` as the event it is named for: not every agent says that inside.
fn envelope(
    adapter: &'static dyn Adapter,
    name: &str,
    make: fn(&'static dyn Adapter, &agents::Incoming<'_>) -> Event,
) -> Event {
    let json = std::fs::read(folder(adapter).join(name).with_extension("json")).expect("it was listed");
    let hint = name.rsplit_once('-').map(|(event, _)| event);
    with_incoming(&json, hint, |incoming| make(adapter, incoming))
}

#[test]
fn every_envelope_reads_as_its_recorded_event() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut drifted = Vec::new();
    for adapter in agents::ALL {
        let envelopes = names(*adapter, "json");
        for name in &envelopes {
            let recorded = folder(*adapter).join(name).with_extension("event");
            let event = render(&envelope(*adapter, name, Adapter::read));
            if update {
                std::fs::write(&recorded, &event).unwrap();
            } else if std::fs::read_to_string(&recorded).is_ok_and(|text| text != event) {
                drifted.push(format!("{} {name}:\n{event}", adapter.name()));
            }
        }
        assert_eq!(envelopes, names(*adapter, "event"), "{}: an event for every envelope", adapter.name());
    }
    assert_eq!(drifted, Vec::<String>::new());
}

#[test]
fn all_events_but_the_one_never_captured_have_an_envelope() {
    let missing: Vec<&str> = EventKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|name| !folder(&agents::ClaudeCode).join(format!("{name}-1.json")).exists())
        .collect();
    assert_eq!(missing, ["TeammateIdle"]);
}

#[test]
fn every_event_that_an_agent_is_asked_for_has_an_envelope() {
    for adapter in agents::ALL {
        let kinds: BTreeSet<EventKind> = names(*adapter, "json")
            .iter()
            .map(|name| envelope(*adapter, name, Adapter::glance).kind)
            .collect();
        let missing: Vec<&EventKind> = adapter
            .events_to_register()
            .iter()
            .filter(|kind| **kind != EventKind::TeammateIdle && !kinds.contains(kind))
            .collect();
        assert_eq!(missing, Vec::<&EventKind>::new(), "{}", adapter.name());
    }
}

#[test]
fn a_glance_sees_everything_but_what_tools_were_given_and_gave() {
    for adapter in agents::ALL {
        for name in names(*adapter, "json") {
            let mut event = envelope(*adapter, &name, Adapter::read);
            if let Detail::Tool(call) = &mut event.detail {
                call.input = serde_json::Value::Null;
                if let Outcome::Succeeded { response, .. } = &mut call.outcome {
                    *response = serde_json::Value::Null;
                }
            }
            let glance = envelope(*adapter, &name, Adapter::glance);
            assert_eq!(glance, event, "{} {name}", adapter.name());
        }
    }
}

/// Each field of each envelope in a form that nobody meant.
#[test]
fn no_agents_reader_stumbles_over_a_field_of_another_type() {
    let advice = Advice {
        notes: vec![Note { from: "test", text: "a".into(), items: Vec::new() }],
        tells: vec!["b".into()],
        verdict: Some(Verdict::Deny { reason: "c".into() }),
        hold: Some("d".into()),
        ..Advice::default()
    };
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    for adapter in agents::ALL {
        for name in names(*adapter, "json") {
            let text = std::fs::read_to_string(folder(*adapter).join(&name).with_extension("json")).unwrap();
            let envelope: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
            for field in envelope.keys() {
                for strange in
                    ["null", "7", "\"\"", "\"\\ud800\"", "[[]]", "{\"error\":{},\"llmContent\":[7]}", &deep]
                {
                    let member = |(name, value): (&String, &Value)| {
                        let value = if name == field { strange.to_owned() } else { value.to_string() };
                        format!("{}:{value}", json!(name))
                    };
                    let members: Vec<String> = envelope.iter().map(member).collect();
                    let json = format!("{{{}}}", members.join(","));
                    let event = with_incoming(json.as_bytes(), None, |incoming| adapter.read(incoming));
                    let glance = with_incoming(json.as_bytes(), None, |incoming| adapter.glance(incoming));
                    assert_eq!(event.kind, glance.kind, "{} {name}: {json}", adapter.name());
                    let reply = adapter.write(&event, &advice);
                    let answer = serde_json::from_slice::<Value>(&reply.stdout);
                    assert!(reply.stdout.is_empty() || answer.is_ok(), "{} {name}: {json}", adapter.name());
                }
            }
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
