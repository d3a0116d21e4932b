//! Where in a file an edit was made or is wanted: lines, counted from 1. Reads the agent's own answer and the text it is
//! given, never a file.

use model::{Outcome, ToolCall};
use serde_json::Value;
use store::LineSpan;

/// Places of one claim: whoever edits more of them edits the file.
const MAX_SPANS: usize = 16;
/// Places this near to each other are one.
const GAP: u32 = 3;
/// Places that are named; the rest is a number.
const MAX_NAMED: usize = 4;
/// Places of a text that is replaced everywhere; more are everywhere.
const MAX_PLACES: usize = 64;

/// Lines that were replaced, without what stands around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The first line that went, or before which something came.
    old_from: u32,
    old_lines: u32,
    new_from: u32,
    new_lines: u32,
}

/// What a call that is over did to its file. `None`: its answer does not tell.
pub(super) fn hunks(call: &ToolCall) -> Option<Vec<Hunk>> {
    let Outcome::Succeeded { response, .. } = &call.outcome else { return None };
    let patch = response.get("structuredPatch").and_then(Value::as_array);
    if let Some(patch) = patch.filter(|patch| !patch.is_empty()) {
        return Some(patch.iter().flat_map(tight).collect());
    }
    if response.get("type").and_then(Value::as_str) == Some("create") {
        let lines = count(call.input.get("content")?.as_str()?);
        return Some(vec![Hunk { old_from: 1, old_lines: 0, new_from: 1, new_lines: lines }]);
    }
    let original = response.get("originalFile").and_then(Value::as_str)?;
    let (old, new) = (call.input.get("old_string")?.as_str()?, call.input.get("new_string")?.as_str()?);
    let at = original.find(old).filter(|_| !old.is_empty())?;
    let from = line_of(original, at);
    let (old_lines, new_lines) = (count(old), count(new));
    Some(vec![Hunk { old_from: from, old_lines, new_from: from, new_lines }])
}

/// A patch has lines of context around what it changes; others may work there.
fn tight(hunk: &Value) -> Vec<Hunk> {
    let number =
        |name: &str| hunk.get(name).and_then(Value::as_u64).map_or(1, |n| n.clamp(1, u32::MAX.into()) as u32);
    let (mut old, mut new) = (number("oldStart"), number("newStart"));
    let mut all = Vec::new();
    let mut open: Option<Hunk> = None;
    for line in hunk.get("lines").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        let (goes, comes) = match line.as_bytes().first() {
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            // "\ No newline at end of file" is no line.
            Some(b'\\') => continue,
            _ => {
                all.extend(open.take());
                (old, new) = (old.saturating_add(1), new.saturating_add(1));
                continue;
            }
        };
        let hunk = open.get_or_insert(Hunk { old_from: old, old_lines: 0, new_from: new, new_lines: 0 });
        hunk.old_lines += goes;
        hunk.new_lines += comes;
        (old, new) = (old.saturating_add(goes), new.saturating_add(comes));
    }
    all.extend(open);
    all
}

/// Lines that came and lines that went.
pub(super) fn counts(hunks: &[Hunk]) -> (u64, u64) {
    hunks.iter().fold((0, 0), |(added, removed), hunk| {
        (added + u64::from(hunk.new_lines), removed + u64::from(hunk.old_lines))
    })
}

/// Where the places are after an edit of somebody, with the edit's own if it was the holder's.
pub(super) fn after(spans: &[LineSpan], hunks: &[Hunk], own: bool) -> Vec<LineSpan> {
    let moved = spans.iter().map(|&(from, to)| {
        let from = moved(from, hunks);
        (from, moved_end(to, hunks).max(from))
    });
    let new = hunks.iter().filter(|_| own).map(|hunk| {
        // Where lines only went, the place is the line that stands there now.
        (hunk.new_from, hunk.new_from.saturating_add(hunk.new_lines.max(1) - 1))
    });
    joined(moved.chain(new).collect())
}

fn moved(line: u32, hunks: &[Hunk]) -> u32 {
    moved_by(line, hunks, |hunk, into| hunk.new_from + into.min(hunk.new_lines.saturating_sub(1)))
}

/// The last line of a place that was edited in it ends where the edit ends.
fn moved_end(line: u32, hunks: &[Hunk]) -> u32 {
    moved_by(line, hunks, |hunk, _| hunk.new_from + hunk.new_lines.saturating_sub(1))
}

fn moved_by(line: u32, hunks: &[Hunk], inside: impl Fn(&Hunk, u32) -> u32) -> u32 {
    let mut by: i64 = 0;
    for hunk in hunks {
        let behind = u64::from(hunk.old_from) + u64::from(hunk.old_lines);
        if u64::from(line) >= behind {
            by += i64::from(hunk.new_lines) - i64::from(hunk.old_lines);
        } else if line >= hunk.old_from {
            return inside(hunk, line - hunk.old_from);
        }
    }
    (i64::from(line) + by).clamp(1, u32::MAX.into()) as u32
}

/// In order, none in another, near ones as one; of too many the nearest are.
fn joined(mut spans: Vec<LineSpan>) -> Vec<LineSpan> {
    spans.sort_unstable();
    let mut all: Vec<LineSpan> = Vec::new();
    for (from, to) in spans {
        match all.last_mut() {
            Some(last) if from <= last.1.saturating_add(GAP) => last.1 = last.1.max(to),
            _ => all.push((from, to)),
        }
    }
    while all.len() > MAX_SPANS {
        let nearest = (1..all.len()).min_by_key(|&at| all[at].0 - all[at - 1].1).expect("there are several");
        all[nearest - 1].1 = all[nearest].1;
        all.remove(nearest);
    }
    all
}

/// Where a call that has not run yet wants to edit this text. `None`: it cannot be told.
pub(super) fn wanted(text: &str, call: &ToolCall) -> Option<Vec<LineSpan>> {
    let input = &call.input;
    if call.name == "Write" {
        return Some(vec![(1, count(text).max(1))]);
    }
    let one = [input.clone()];
    let edits = input.get("edits").and_then(Value::as_array).map_or(&one[..], Vec::as_slice);
    let mut spans = Vec::new();
    for edit in edits {
        let old = edit.get("old_string").and_then(Value::as_str).filter(|old| !old.is_empty())?;
        let all = edit.get("replace_all").and_then(Value::as_bool) == Some(true);
        let places = text.match_indices(old).take(if all { MAX_PLACES } else { 1 });
        let before = spans.len();
        spans.extend(places.map(|(at, _)| {
            let from = line_of(text, at);
            (from, from.saturating_add(count(old).max(1) - 1))
        }));
        // An edit that the one before it makes possible is somewhere near that one.
        if spans.len() == before && before == 0 {
            return None;
        }
    }
    Some(joined(spans))
}

pub(super) fn overlap(one: &[LineSpan], other: &[LineSpan]) -> bool {
    one.iter().any(|a| other.iter().any(|b| a.0 <= b.1 && b.0 <= a.1))
}

/// `lines 3-5, 9`.
pub fn words(spans: &[LineSpan]) -> Option<String> {
    let first = spans.first()?;
    let is_one = spans.len() == 1 && first.0 == first.1;
    let named: Vec<String> = spans
        .iter()
        .take(MAX_NAMED)
        .map(|&(from, to)| if from == to { from.to_string() } else { format!("{from}-{to}") })
        .collect();
    let mut text = format!("{} {}", if is_one { "line" } else { "lines" }, named.join(", "));
    if spans.len() > MAX_NAMED {
        text.push_str(&format!(" and {} more places", spans.len() - MAX_NAMED));
    }
    Some(text)
}

fn count(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}

fn line_of(text: &str, at: usize) -> u32 {
    let breaks = text[..at].matches('\n').count();
    u32::try_from(breaks + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edited(patch: &Value) -> Vec<Hunk> {
        let outcome = Outcome::Succeeded { response: json!({ "structuredPatch": patch }), duration_ms: None };
        hunks(&ToolCall { name: "Edit".into(), use_id: None, input: json!({}), outcome }).unwrap()
    }

    fn wants(text: &str, name: &str, input: Value) -> Option<Vec<LineSpan>> {
        wanted(text, &ToolCall { name: name.into(), use_id: None, input, outcome: Outcome::Pending })
    }

    #[test]
    fn a_patch_is_its_changed_lines_and_not_what_stands_around_them() {
        let hunks = edited(&json!([{ "oldStart": 10, "oldLines": 5, "newStart": 10, "newLines": 6,
            "lines": [" a", "-b", "+B", "+BB", " c", " d", "-e", "+E", "\\ No newline at end of file"] }]));
        assert_eq!(counts(&hunks), (3, 2));
        assert_eq!(after(&[], &hunks, true), [(11, 15)], "two places this near are one");
        let only_gone = edited(&json!([{ "oldStart": 1, "newStart": 1, "lines": [" a", "-b", " c"] }]));
        assert_eq!(after(&[], &only_gone, true), [(2, 2)]);
    }

    #[test]
    fn places_move_with_the_edits_above_them_and_grow_with_those_inside() {
        let insert =
            edited(&json!([{ "oldStart": 4, "newStart": 4, "lines": [" a", "+x", "+y", "+z", " b"] }]));
        assert_eq!(after(&[(1, 2), (10, 12)], &insert, false), [(1, 2), (13, 15)]);
        let inside = edited(
            &json!([{ "oldStart": 10, "newStart": 10, "lines": [" a", "-b", "+1", "+2", "+3", " c"] }]),
        );
        assert_eq!(after(&[(10, 12)], &inside, false), [(10, 14)]);
        let gone = edited(&json!([{ "oldStart": 1, "newStart": 1, "lines": ["-a", "-b", "-c", " d"] }]));
        assert_eq!(after(&[(2, 3), (9, 9)], &gone, false), [(1, 1), (6, 6)]);
    }

    #[test]
    fn a_new_file_is_all_of_its_lines_and_many_places_are_so_many() {
        let outcome = Outcome::Succeeded {
            response: json!({ "type": "create", "structuredPatch": [], "originalFile": null }),
            duration_ms: None,
        };
        let input = json!({ "content": "a\nb\nc\n" });
        let call = ToolCall { name: "Write".into(), use_id: None, input, outcome };
        assert_eq!(after(&[], &hunks(&call).unwrap(), true), [(1, 3)]);
        let many: Vec<LineSpan> = (0..100).map(|n| (n * 10 + 1, n * 10 + 2)).collect();
        let joined = joined(many);
        assert_eq!((joined.len(), joined[0].0, joined.last().unwrap().1), (MAX_SPANS, 1, 992));
    }

    #[test]
    fn where_an_edit_is_wanted_is_found_in_the_text() {
        let text = "one\ntwo\nthree\ntwo\n";
        assert_eq!(wants(text, "Edit", json!({ "old_string": "two\nthree" })), Some(vec![(2, 3)]));
        assert_eq!(
            wants(text, "Edit", json!({ "old_string": "two", "replace_all": true })),
            Some(vec![(2, 4)]),
            "near ones are one"
        );
        assert_eq!(wants(text, "Edit", json!({ "old_string": "four" })), None);
        assert_eq!(wants(text, "Write", json!({ "content": "" })), Some(vec![(1, 4)]));
        let many = json!({ "edits": [{ "old_string": "one" }, { "old_string": "born of the first" }] });
        assert_eq!(wants(text, "MultiEdit", many), Some(vec![(1, 1)]));
    }

    #[test]
    fn places_are_said_in_few_words() {
        assert_eq!(words(&[]), None);
        assert_eq!(words(&[(9, 9)]).unwrap(), "line 9");
        assert_eq!(words(&[(3, 5), (9, 9)]).unwrap(), "lines 3-5, 9");
        let many: Vec<LineSpan> = (1..7).map(|n| (n * 10, n * 10)).collect();
        assert_eq!(words(&many).unwrap(), "lines 10, 20, 30, 40 and 2 more places");
        assert!(overlap(&[(1, 5)], &[(5, 9)]) && !overlap(&[(1, 5)], &[(6, 9)]));
    }
}
