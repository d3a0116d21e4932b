//! The lines of a file as they are, for an edit whose text was not found in it, or found more than once.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use model::{Event, Outcome, ToolCall};
use serde_json::Value;

use super::FailureAnswer;
use crate::behavior::Context;
use crate::behaviors::on_code::{self, EDITORS, File};

/// Lines of the file that are shown, and what of each.
const MAX_SHOWN: usize = 8;
const MAX_LINE_CHARS: usize = 200;
const TOKENS: u32 = 220;
/// Where an edit's text stands more than once, the places that are named.
const MAX_PLACES: usize = 4;
/// Lines around each of them that may tell it apart.
const MAX_NEAR: usize = 12;

pub(super) fn as_it_is(cx: &Context, event: &Event, call: &ToolCall) -> Option<FailureAnswer> {
    if !EDITORS.contains(&call.name.as_str()) {
        return None;
    }
    let Outcome::Failed { error, .. } = &call.outcome else { return None };
    let file = File::of(cx, event, call)?;
    let name = Path::new(&file.path).file_name()?.to_str()?;
    // A file of secrets is not quoted.
    if name.starts_with(".env") {
        return None;
    }
    let text = on_code::text(Path::new(&file.path))?;
    let wanted = olds(&call.input);
    let lower = error.to_lowercase();
    let line = if lower.contains("matches of the string") || lower.contains("found multiple") {
        let old = wanted.iter().find(|old| text.matches(**old).nth(1).is_some())?;
        places(&text, old, &file.inside)?
    } else if lower.contains("not found") {
        let old = wanted.iter().find(|old| !text.contains(**old))?;
        nearest(&text, old, &file.inside)?
    } else {
        return None;
    };
    Some(FailureAnswer {
        once: format!("edit {} {}", file.inside, on_code::content(&line)),
        title: file.inside,
        why: "the text of the edit is not what the file holds".to_owned(),
        line,
        tokens: TOKENS,
    })
}

/// The texts that an edit wants to replace.
fn olds(input: &Value) -> Vec<&str> {
    let single = input.get("old_string").and_then(Value::as_str);
    let several = input.get("edits").and_then(Value::as_array).into_iter().flatten();
    single
        .into_iter()
        .chain(several.filter_map(|edit| edit.get("old_string")?.as_str()))
        .filter(|old| !old.is_empty())
        .collect()
}

/// Where a text stands that stands more than once, each place with a line near it that stands at none of the others.
fn places(text: &str, old: &str, file: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> =
        text.match_indices(old).take(MAX_PLACES).map(|(at, _)| text[..at].matches('\n').count()).collect();
    if starts.len() < 2 {
        return None;
    }
    let height = old.lines().count().max(1);
    let mut words = format!(
        "In `{file}` that text stands at {} places; each with a line near it that tells it apart:",
        starts.len()
    );
    for start in &starts {
        let end = start + height;
        let above = (start.saturating_sub(MAX_NEAR)..*start).rev().map(|at| (at, start - at));
        let below = (end..(end + MAX_NEAR).min(lines.len())).map(|at| (at, at + 1 - end));
        let telling = |at: &usize| {
            let line = lines[*at].trim();
            line.chars().filter(|char| char.is_alphanumeric()).count() >= 6
                && lines.iter().filter(|other| other.trim() == line).count() == 1
        };
        let near = above.chain(below).filter(|(at, _)| telling(at)).min_by_key(|(_, far)| *far);
        let Some((at, _)) = near else { continue };
        let line: String = lines[at].trim().chars().take(MAX_LINE_CHARS).collect();
        let _ = write!(
            words,
            "\nline {}: {} line {}: {line}",
            start + 1,
            if at < *start { "below" } else { "above" },
            at + 1
        );
    }
    words.contains('\n').then_some(words)
}

/// The lines that stand where the edit's text was thought to be.
fn nearest(text: &str, old: &str, file: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = old.lines().collect();
    let start = place_of(&lines, &wanted)?;
    let end = (start + wanted.len() + 1).min(lines.len());
    let missing = |line: &&str| line.trim().len() > 2 && !wanted.contains(line);
    // From the first line that differs to the last, without what is as it was thought to be.
    let differs: Vec<usize> = (start..end).filter(|at| missing(&lines[*at])).collect();
    let (first, last) = (*differs.first()?, *differs.last()?);
    let last = last.min(first + MAX_SHOWN - 1);
    let is_indent = (start..end)
        .filter(|at| missing(&lines[*at]))
        .all(|at| wanted.iter().any(|line| line.trim() == lines[at].trim()));
    let what = if is_indent { "differs in its white space" } else { "is" };
    let mut words = format!("`{file}` lines {}-{} now; the text there {what}:", first + 1, last + 1);
    for line in &lines[first..=last] {
        let line: String = line.chars().take(MAX_LINE_CHARS).collect();
        let _ = write!(words, "\n{line}");
    }
    Some(words)
}

/// The line of the file at which the wanted text would begin: where most of its lines agree, rare ones before common ones.
fn place_of(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        by_text.entry(line.trim()).or_default().push(at);
    }
    let mut votes: HashMap<usize, f64> = HashMap::new();
    for (offset, line) in wanted.iter().enumerate() {
        let line = line.trim();
        if line.len() < 3 {
            continue;
        }
        let Some(found) = by_text.get(line).filter(|found| found.len() <= 50) else { continue };
        for at in found {
            // Lines that came or went in between move the rest by a few.
            *votes.entry(at.saturating_sub(offset)).or_default() += 1.0 / found.len() as f64;
        }
    }
    if let Some((start, weight)) =
        votes.into_iter().max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)))
        && weight >= 0.5
    {
        return Some(start);
    }
    // No line is the same: the one that shares most words with a long line of the edit.
    let words = |line: &str| -> Vec<String> {
        line.split(|char: char| !char.is_alphanumeric() && char != '_')
            .filter(|word| word.len() >= 3)
            .map(str::to_owned)
            .collect()
    };
    let (offset, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let sought = words(longest);
    let score = |line: &str| {
        let there = words(line);
        let shared = sought.iter().filter(|word| there.contains(word)).count();
        2.0 * shared as f64 / (sought.len() + there.len()).max(1) as f64
    };
    let (at, best) = lines
        .iter()
        .enumerate()
        .map(|(at, line)| (at, score(line)))
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    (best >= 0.6 && sought.len() >= 3).then(|| at.saturating_sub(offset))
}
