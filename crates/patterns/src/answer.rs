//! Reads what an agent answered: a last line of JSON, as its part asks for, found leniently and believed strictly. What
//! has no such line is unreadable; nothing is guessed from prose, in which "no" is a part of "now".

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The line is at the end; further back it is a quotation.
const LOOKED_AT: usize = 16 << 10;
/// Openings tried from the end. One object with that many others in it is no line.
const MAX_OPENINGS: usize = 256;

/// What an agent said in its last line, by lower-case keys.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Answer(pub Map<String, Value>);

impl Answer {
    /// The last object of JSON in a text that says something for `key`.
    pub fn read(text: &str, key: &str) -> Option<Self> {
        Self::find(text, key).map(|(_, answer)| answer)
    }

    /// A text without that object, and without the fence that was around it alone.
    pub fn cut_from(text: &str, key: &str) -> String {
        let Some((place, _)) = Self::find(text, key) else { return text.to_owned() };
        let (before, after) = (text[..place.start].trim_end(), text[place.end..].trim_start());
        let fence = ["```json", "```"].iter().find_map(|fence| before.strip_suffix(fence));
        let (before, after) = match (fence, after.strip_prefix("```")) {
            (Some(before), Some(after)) => (before.trim_end(), after.trim_start()),
            _ => (before, after),
        };
        format!("{before}\n{after}").trim().to_owned()
    }

    fn find(text: &str, key: &str) -> Option<(Range<usize>, Self)> {
        let mut from = text.len().saturating_sub(LOOKED_AT);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let end = &text[from..];
        let mut best: Option<(Range<usize>, Map<String, Value>)> = None;
        for (at, _) in end.rmatch_indices('{').take(MAX_OPENINGS) {
            let mut stream = serde_json::Deserializer::from_str(&end[at..]).into_iter::<Map<String, Value>>();
            let Some(Ok(object)) = stream.next() else { continue };
            let until = at + stream.byte_offset();
            let object: Map<String, Value> =
                object.into_iter().map(|(key, value)| (key.trim().to_ascii_lowercase(), value)).collect();
            if object.get(key).is_none_or(Value::is_null) {
                continue;
            }
            match &best {
                // An object around the one we have is the answer; one before it is an earlier word.
                Some((known, _)) if until < known.end => break,
                _ => best = Some((at..until, object)),
            }
        }
        best.map(|(place, object)| (from + place.start..from + place.end, Self(object)))
    }

    /// As text: a string as it is, anything else as JSON.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.0.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            other => Some(other.to_string()),
        }
    }

    /// One word, as it is compared: lower-case, without an article before it or a dot behind it. A list of one is that one.
    pub fn word(&self, key: &str) -> Option<String> {
        let value = match self.0.get(key)? {
            Value::Array(values) if values.len() == 1 => &values[0],
            value => value,
        };
        let word = value.as_str()?.to_lowercase();
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = ["the ", "a ", "an "].iter().find_map(|article| word.strip_prefix(article));
        Some(bare.unwrap_or(word).trim().to_owned()).filter(|word| !word.is_empty())
    }

    /// A yes, a no, or neither. A sentence is neither: "yes, but not like this" begins with a yes.
    pub fn yes(&self, key: &str) -> Option<bool> {
        match self.0.get(key)? {
            Value::Bool(yes) => Some(*yes),
            Value::Number(number) => match number.as_f64()? {
                1.0 => Some(true),
                0.0 => Some(false),
                _ => None,
            },
            Value::Array(values) if matches!(values.as_slice(), [Value::Bool(_)]) => values[0].as_bool(),
            _ => match self.word(key)?.as_str() {
                "yes" | "y" | "true" | "ok" | "okay" | "approve" | "approved" | "accept" | "accepted"
                | "pass" | "passed" | "lgtm" | "handled" | "done" | "success" | "succeeded" => Some(true),
                "no" | "n" | "false" | "reject" | "rejected" | "deny" | "denied" | "fail" | "failed"
                | "failure" | "escalate" | "escalated" | "blocked" | "error" => Some(false),
                _ => None,
            },
        }
    }

    pub fn list(&self, key: &str) -> Vec<&Value> {
        match self.0.get(key) {
            Some(Value::Array(values)) => values.iter().collect(),
            Some(Value::Null) | None => Vec::new(),
            Some(one) => vec![one],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_found_however_it_is_wrapped_and_prose_is_not_believed() {
        for (text, vote) in [
            ("fine\n{\"vote\":\"approve\",\"why\":\"ok\"}", Some("approve")),
            ("```json\n{\"Vote\": \"reject\"}\n```\n", Some("reject")),
            ("first {\"vote\":\"reject\"} then {\"vote\":\"approve\"} done.", Some("approve")),
            ("{\"vote\":\"approve\",\"more\":{\"vote\":\"reject\"}}", Some("approve")),
            ("{\"vote\":\"approve\",\"notes\":[{\"x\":1},{\"y\":2}]}", Some("approve")),
            ("I approve of it now.", None),
            ("{\"vote\":null}", None),
            ("{\"vote\":\"approve\"", None),
            ("{{{{{{", None),
            ("", None),
        ] {
            let read = Answer::read(text, "vote").and_then(|answer| answer.text("vote"));
            assert_eq!(read.as_deref(), vote, "{text}");
        }
    }

    #[test]
    fn an_answer_without_its_line_is_what_was_said_around_it() {
        for (text, left) in [
            ("I looked.\n{\"vote\":\"reject\",\"more\":{\"a\":1}}", "I looked."),
            ("Fine.\n```json\n{\"vote\":1}\n```\n", "Fine."),
            ("{\"vote\":1}", ""),
            ("Before {\"vote\":1} after", "Before\nafter"),
            ("No line.", "No line."),
        ] {
            assert_eq!(Answer::cut_from(text, "vote"), left, "{text}");
        }
    }

    #[test]
    fn a_yes_is_a_word_and_no_sentence() {
        for (value, yes) in [
            ("true", Some(true)),
            ("1", Some(true)),
            ("0", Some(false)),
            ("0.8", None),
            ("0.1", None),
            ("2", None),
            ("\"Approve.\"", Some(true)),
            ("\" **Rejected** \"", Some(false)),
            ("[\"approve\"]", Some(true)),
            ("[false]", Some(false)),
            ("[\"approve\",\"reject\"]", None),
            ("\"Yes, ship it\"", None),
            ("\"failed: the tests are red\"", None),
            ("\"partial\"", None),
            ("{}", None),
        ] {
            let answer = Answer::read(&format!("{{\"vote\":{value}}}"), "vote").unwrap();
            assert_eq!(answer.yes("vote"), yes, "{value}");
        }
    }
}
