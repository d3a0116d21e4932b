//! Their settings, as far as they are ours. None of them holds a secret here, and none that can be set here names an
//! address, a command or a folder; those are a person's business, at their own terminal.
#![expect(clippy::unnecessary_wraps, reason = "every answer of theirs stands in one list")]

use serde_json::{Map, Value, json};

use super::called::{Called, Said, Trouble};

/// Theirs, ours, and whether it can be set here.
const SETTINGS: &[(&str, &str, bool)] = &[
    ("CLAUDE_MEM_SKIP_TOOLS", "capture.skip-tools", true),
    ("CLAUDE_MEM_PROVIDER", "distill.provider", false),
    ("CLAUDE_MEM_MODEL", "distill.model", false),
];
/// A list of tools is a line.
const MAX_VALUE: usize = 4096;

pub(super) fn list(called: &Called<'_>) -> Result<Said, Trouble> {
    Ok(Said::Json(Value::Object(held(called))))
}

fn held(called: &Called<'_>) -> Map<String, Value> {
    let settings = called.house.settings();
    let value =
        |key: &str| settings.iter().find(|setting| setting["key"] == key).map(|setting| &setting["value"]);
    let mut held: Map<String, Value> = SETTINGS
        .iter()
        .map(|(theirs, ours, _)| ((*theirs).to_owned(), json!(value(ours).map_or_else(String::new, text))))
        .collect();
    held.insert("CLAUDE_MEM_WORKER_PORT".to_owned(), json!(called.port.to_string()));
    held.insert("CLAUDE_MEM_WORKER_HOST".to_owned(), json!("127.0.0.1"));
    held
}

/// All of theirs are texts, lists with commas.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// What is ours is set; of the rest it is said that it is not.
pub(super) fn change(called: &Called<'_>) -> Result<Said, Trouble> {
    let wished = called.body.as_object().ok_or_else(|| Trouble::bad("settings are an object"))?;
    let before = held(called);
    let (mut changed, mut ignored) = (Vec::new(), Vec::new());
    for (name, value) in wished {
        let ours = SETTINGS.iter().find(|(theirs, _, can_be_set)| theirs == name && *can_be_set);
        let value = value.as_str().filter(|value| value.len() <= MAX_VALUE);
        match (ours, value) {
            // Whoever sends back what they were given changes nothing.
            (_, Some(value)) if before.get(name).and_then(Value::as_str) == Some(value) => {}
            (Some((_, ours, _)), Some(value)) => {
                called.house.set(ours, Some(value)).map_err(|refusal| Trouble::bad(refusal.what))?;
                changed.push(name);
            }
            _ => ignored.push(name),
        }
    }
    let message = if ignored.is_empty() {
        "Settings updated successfully"
    } else {
        "Settings that are not throughline's were left alone; `throughline config` shows those that are"
    };
    Ok(Said::Json(json!({ "success": true, "message": message, "changed": changed, "ignored": ignored })))
}
