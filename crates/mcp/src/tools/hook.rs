//! Takes an event of the agent itself, whose hook calls this tool instead of starting a process. No model is offered
//! it: it is in no list, and whoever does not know the word from the agent's settings is not heard. What the event
//! means is not known here; a field is put back as it was, and that is all.

use std::collections::BTreeMap;

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::{Call, Effect};
use crate::answer::Answer;
use crate::keeper::{Keeper, Refusal};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Hook {
    /// What only the agent's settings and this server know
    word: String,
    /// The event's name
    event: String,
    /// Fields of the envelope that are texts; an empty one was absent
    #[serde(default)]
    text: BTreeMap<String, String>,
    /// Fields of the envelope that are something else, each as JSON
    #[serde(default)]
    json: BTreeMap<String, String>,
}

impl Call for Hook {
    const NAME: &'static str = "hook";
    const TITLE: &'static str = "Hook";
    const DESCRIPTION: &'static str = "For the agent's own hooks.";
    const EFFECT: Effect = Effect::Adds;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let body = envelope(&self.text, &self.json);
        let reply = keeper.hook(&self.word, &self.event, body).ok_or_else(|| {
            Refusal::new("this tool is for the agent's own hooks", "use the other tools of this server")
        })?;
        // Silence is an empty object: the client takes nothing else for an answer that says nothing.
        let data = serde_json::from_slice(&reply).ok().filter(Value::is_object).unwrap_or_else(|| json!({}));
        Ok(Answer { text: data.to_string(), data })
    }
}

/// The envelope as the agent has it. What is JSON is not read, only checked: half a surrogate, a number of a hundred
/// digits or a thousand levels come through as they are.
fn envelope(texts: &BTreeMap<String, String>, jsons: &BTreeMap<String, String>) -> Vec<u8> {
    let room: usize = texts.iter().chain(jsons).map(|(name, value)| name.len() + value.len() + 8).sum();
    let mut body = Vec::with_capacity(room);
    let given = |(_, value): &(&String, &String)| !value.is_empty();
    for (name, value) in texts.iter().filter(given) {
        member(&mut body, name, json!(value).to_string().as_bytes());
    }
    for (name, value) in jsons.iter().filter(given) {
        match serde_json::from_str::<IgnoredAny>(value) {
            Ok(_) => member(&mut body, name, value.as_bytes()),
            // A text after all: a tool may answer with one.
            Err(_) => member(&mut body, name, json!(value).to_string().as_bytes()),
        }
    }
    body.push(b'}');
    if body.len() == 1 {
        body.insert(0, b'{');
    }
    body
}

fn member(body: &mut Vec<u8>, name: &str, value: &[u8]) {
    body.push(if body.is_empty() { b'{' } else { b',' });
    body.extend_from_slice(json!(name).to_string().as_bytes());
    body.push(b':');
    body.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[(&str, &str)], jsons: &[(&str, &str)], expected: &str) {
        let map = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let body = envelope(&map(texts), &map(jsons));
        assert_eq!(String::from_utf8(body).expect("texts in, text out"), expected);
    }

    #[test]
    fn an_envelope_is_put_together_as_it_was() {
        check(&[], &[], "{}");
        check(&[("a", "")], &[("b", "")], "{}");
        check(&[("cwd", "/a \"b\"\n")], &[], r#"{"cwd":"/a \"b\"\n"}"#);
        check(
            &[("error", "null"), ("tool_name", "Bash")],
            &[
                ("duration_ms", "10"),
                ("is_interrupt", "false"),
                ("tool_input", r#"{"command":"\ud800 ${x}"}"#),
            ],
            r#"{"error":"null","tool_name":"Bash","duration_ms":10,"is_interrupt":false,"tool_input":{"command":"\ud800 ${x}"}}"#,
        );
    }

    #[test]
    fn what_is_no_json_is_a_text_and_cannot_add_a_field() {
        check(&[], &[("tool_response", "done")], r#"{"tool_response":"done"}"#);
        check(
            &[],
            &[("tool_response", r#"1,"session_id":"forged""#)],
            r#"{"tool_response":"1,\"session_id\":\"forged\""}"#,
        );
        check(&[("x\":1,\"y", "z")], &[], r#"{"x\":1,\"y":"z"}"#);
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let body = envelope(&BTreeMap::new(), &BTreeMap::from([("x".to_owned(), deep.clone())]));
        assert_eq!(body.len(), deep.len() + 6);
    }
}
