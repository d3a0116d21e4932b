//! Reads a model's answer: forgiving about its wrapping (fences, prose, a missing end), strict about its claims. An
//! observation that cites no step of the batch does not exist, and neither does a file its steps do not name, nor a
//! fact with a number or a name that nobody recorded.

use model::MemoryKind;
use serde::Deserialize;
use serde_json::{Deserializer, Value};

use super::material::{clean, floor};
use super::{Batch, MAX_STEPS, Parsed, RawStep, Role};
use crate::ProviderError;

/// Several times the longest answer that is asked for.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// Opening braces that are tried; a well-formed answer needs one, a broken one as many as it has observations.
const MAX_CANDIDATES: usize = 256;
/// A step gives one observation at most, usually a fifth of one.
const MAX_OBSERVATIONS: usize = MAX_STEPS;

const MAX_TITLE_BYTES: usize = 160;
const MAX_SUBTITLE_BYTES: usize = 300;
const MAX_NARRATIVE_BYTES: usize = 3_000;
const MAX_FACT_BYTES: usize = 400;
const MAX_CONCEPT_BYTES: usize = 48;
const MAX_PATH_BYTES: usize = 512;
const MAX_FACTS: usize = 16;
const MAX_CONCEPTS: usize = 8;
const MAX_FILES: usize = 32;

/// The observations in `answer` that the steps of `batch` bear out. `Garbage`: there is no JSON of ours in it at all;
/// an answer that says "nothing worth keeping" is an empty list.
pub fn parse(answer: &str, batch: &Batch) -> Result<Vec<Parsed>, ProviderError> {
    let answer = &answer[..floor(answer, MAX_ANSWER_BYTES)];
    let mut claims = Vec::new();
    let found_any = collect(answer, &mut claims);
    if !found_any {
        return Err(ProviderError::garbage("there are no observations in it"));
    }
    Ok(claims.iter().filter_map(|claim| believe(claim, batch)).take(MAX_OBSERVATIONS).collect())
}

/// As a model writes it. Every field may be missing or of another type; what matters is checked afterwards.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Claim {
    kind: Value,
    title: Value,
    subtitle: Value,
    narrative: Value,
    facts: Value,
    concepts: Value,
    files_read: Value,
    files_modified: Value,
    steps: Value,
}

/// Walks over `answer` and takes every complete object that is an observation or a list of them. A wrapper that
/// breaks off is stepped into, so that the complete observations in it are saved.
fn collect(answer: &str, claims: &mut Vec<Claim>) -> bool {
    let (mut at, mut found_any) = (0, false);
    for _ in 0..MAX_CANDIDATES {
        let Some(next) = answer[at..].find(['{', '[']) else { break };
        at += next;
        let mut values = Deserializer::from_str(&answer[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) if take(&value, claims) => {
                found_any = true;
                at += values.byte_offset();
            }
            // A piece of prose or code that happens to be JSON, or a wrapper nobody asked for: look inside.
            _ => at += 1,
        }
    }
    found_any
}

/// `false`: this is not ours.
fn take(value: &Value, claims: &mut Vec<Claim>) -> bool {
    match value {
        Value::Object(fields) => match fields.get("observations") {
            Some(Value::Array(items)) => take_all(items, claims),
            _ if fields.contains_key("kind") && fields.contains_key("title") => {
                // Cannot fail: every field takes any value.
                claims.extend(Claim::deserialize(value).ok());
                true
            }
            _ => false,
        },
        // A list of numbers in prose is no answer; an empty list is one.
        Value::Array(items) => {
            (items.is_empty() || items.iter().any(Value::is_object)) && take_all(items, claims)
        }
        _ => false,
    }
}

fn take_all(items: &[Value], claims: &mut Vec<Claim>) -> bool {
    let mut is_ours = items.is_empty();
    for item in items.iter().filter(|item| item.is_object()) {
        is_ours |= take(item, claims);
    }
    is_ours
}

fn believe(claim: &Claim, batch: &Batch) -> Option<Parsed> {
    let kind = MemoryKind::from_name(&claim.kind.as_str()?.trim().to_lowercase())
        .filter(|kind| kind.is_observation())?;
    let title = line(&claim.title, MAX_TITLE_BYTES);
    let steps = cited(&claim.steps, batch.steps.len().min(MAX_STEPS));
    if title.is_empty() || steps.is_empty() {
        return None;
    }
    let cited: Vec<&RawStep> = steps.iter().map(|&at| &batch.steps[at]).collect();
    let shown = |path: &String| cited.iter().any(|step| names(step, path));
    let changed = |path: &String| {
        cited.iter().any(|step| step.ok && Role::of(&step.tool) != Role::Reads && names(step, path))
    };
    let claimed = list(&claim.files_modified, MAX_PATH_BYTES, MAX_FILES);
    // What no successful step can have changed was at most looked at.
    let (files_modified, only_seen): (Vec<_>, Vec<_>) = claimed.into_iter().filter(shown).partition(changed);
    let mut files_read: Vec<String> = list(&claim.files_read, MAX_PATH_BYTES, MAX_FILES)
        .into_iter()
        .filter(shown)
        .chain(only_seen)
        .collect();
    unique(&mut files_read);
    let mut facts = list(&claim.facts, MAX_FACT_BYTES, MAX_FACTS);
    facts.retain(|fact| is_borne_out(fact, &cited, batch.request.as_deref()));
    Some(Parsed {
        kind,
        title,
        subtitle: line(&claim.subtitle, MAX_SUBTITLE_BYTES),
        narrative: line(&claim.narrative, MAX_NARRATIVE_BYTES),
        facts,
        concepts: list(&claim.concepts, MAX_CONCEPT_BYTES, MAX_CONCEPTS),
        files_read,
        files_modified,
        steps,
    })
}

fn cited(steps: &Value, count: usize) -> Vec<usize> {
    let numbers = steps.as_array().into_iter().flatten().filter_map(Value::as_u64);
    let mut cited: Vec<usize> = numbers.map(|at| at as usize).filter(|&at| at < count).collect();
    cited.sort_unstable();
    cited.dedup();
    cited
}

/// Whether the step names this path, whole or by its last parts: `main.rs` is in `src/main.rs`, `in.rs` is not.
fn names(step: &RawStep, path: &str) -> bool {
    // In a JSON payload a backslash and a quote are written escaped.
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"");
    [&step.input, &step.output]
        .into_iter()
        .any(|text| stands_in(text, path) || (escaped != path && stands_in(text, &escaped)))
}

fn stands_in(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + path.len()..];
        // A period ends a sentence, or goes on to an extension: `token` is not in `token.rs`.
        let after = rest.strip_prefix('.').unwrap_or(rest).chars().next();
        // An escaped line break before the path ends in a letter: `…\nsrc/main.rs`.
        let after_escape = text[..at].ends_with("\\n") || text[..at].ends_with("\\t");
        let begins = after_escape || before.is_none_or(|c| !is_of_a_name(c) && c != '.');
        begins && after.is_none_or(|c| !is_of_a_name(c))
    })
}

/// Whether every number, path and identifier in a fact was recorded, in a cited step or in what the person asked.
/// Facts are keys that later searches believe word by word; a model's own words around them are its own.
fn is_borne_out(fact: &str, cited: &[&RawStep], request: Option<&str>) -> bool {
    let is_recorded = |word: &str| {
        let payloads = cited.iter().flat_map(|step| [step.input.as_str(), step.output.as_str()]);
        payloads.chain(request).any(|text| text.contains(word))
    };
    let words = fact.split(|c: char| !(c.is_alphanumeric() || "_./-".contains(c)));
    words.map(|word| word.trim_matches(['.', '-'])).filter(|word| is_exact(word)).all(is_recorded)
}

/// Words that are right or wrong: with a digit, an underscore, an extension, or the form of a path. Not `e.g`, not
/// `and/or`.
fn is_exact(word: &str) -> bool {
    let has_extension = word.rsplit_once('.').is_some_and(|(_, extension)| extension.len() >= 2);
    let is_path = word.len() > 1 && word.starts_with('/') || word.matches('/').count() >= 2;
    has_extension || is_path || word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_')
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

fn line(value: &Value, most: usize) -> String {
    let text = clean(value.as_str().unwrap_or_default());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text[..floor(&text, most)].trim_end().to_owned()
}

fn list(value: &Value, most_bytes: usize, most: usize) -> Vec<String> {
    // One string where a list was asked for is a list of one.
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let lines = items.iter().map(|item| line(item, most_bytes)).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = lines.take(most).collect();
    unique(&mut lines);
    lines
}

fn unique(lines: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
}
