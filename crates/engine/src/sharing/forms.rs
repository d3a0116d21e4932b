//! A pattern of agents as others see it: its form, the line each answer ends with, and what came of it. What agents wrote
//! beside is a conversation and stays; votes that are sealed stay until all are in.

use patterns::{MAX_PARTS, Pattern};
use serde_json::Value;

/// Of any one text in it: a line, as lists show it; the longest option of a declaration.
const MAX_CHARS: usize = 400;
/// Values in one pattern, and how deep they lie: ours have a few dozen for each part.
const MAX_VALUES: usize = MAX_PARTS * 100;
const MAX_DEPTH: usize = 16;

/// A pattern's state as it leaves. `None`: it cannot be read any more.
pub(super) fn leaving(state: &Value, clean: impl Fn(&str) -> String) -> Option<Value> {
    let mut pattern: Pattern = serde_json::from_value(state.clone()).ok()?;
    let is_sealed = pattern.outcome.is_none() && pattern.spec.kind().is_sealed();
    for part in &mut pattern.parts {
        part.result = None;
        part.options.clear();
        part.took.clear();
        if is_sealed {
            part.answer = None;
        }
    }
    let (mut state, mut left) = (serde_json::to_value(pattern).ok()?, MAX_VALUES);
    cleaned(&mut state, &clean, MAX_DEPTH, &mut left).then_some(state)
}

/// Somebody else's, within our bounds. `None`: it is no pattern we know.
pub(super) fn coming(state: &Value, clean: impl Fn(&str) -> String) -> Option<Value> {
    let (mut state, mut left) = (state.clone(), MAX_VALUES);
    if !cleaned(&mut state, &clean, MAX_DEPTH, &mut left) {
        return None;
    }
    let pattern: Pattern = serde_json::from_value(state).ok()?;
    if pattern.parts.len() > MAX_PARTS {
        return None;
    }
    serde_json::to_value(pattern).ok()
}

/// Every text in it cleaned and cut. False: there is more of it than anybody could have meant.
fn cleaned(value: &mut Value, clean: &impl Fn(&str) -> String, depth: usize, left: &mut usize) -> bool {
    if depth == 0 || *left == 0 {
        return false;
    }
    *left -= 1;
    match value {
        Value::String(text) => {
            *text = clean(text).chars().take(MAX_CHARS).collect();
            true
        }
        Value::Array(items) => items.iter_mut().all(|item| cleaned(item, clean, depth - 1, left)),
        Value::Object(fields) => {
            // An agent chose the names in its answer.
            let named = std::mem::take(fields).into_iter();
            *fields =
                named.map(|(name, item)| (clean(&name).chars().take(MAX_CHARS).collect(), item)).collect();
            fields.values_mut().all(|item| cleaned(item, clean, depth - 1, left))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use patterns::{Pattern, Spec, Tag};
    use serde_json::json;

    use super::*;

    fn jury() -> Pattern {
        let mut spec = Spec::new("jury", "review").unwrap();
        spec.options.insert("of".into(), "2".into());
        let mut pattern = Pattern::new(spec, 1);
        for number in 1..=2 {
            let tag = Tag::find(&format!("[pattern jury id=review role=juror n={number}]")).unwrap();
            pattern.call(&tag, &format!("call-{number}"), 2).unwrap();
        }
        pattern
    }

    #[test]
    fn a_jury_leaves_without_its_votes_and_without_what_was_written_beside() {
        let mut state = serde_json::to_value(jury()).unwrap();
        state["parts"][0]["result"] = json!("the whole answer");
        state["parts"][0]["why"] = json!("in /srv/ana/shop");
        let left = leaving(&state, |text| text.replace("/srv/ana/shop", "[path]")).unwrap();
        assert_eq!(left["parts"][0].get("result"), None);
        assert_eq!(left["parts"][0].get("answer"), None);
        assert_eq!(left["parts"][0]["why"], "in [path]");
        assert_eq!(left["spec"]["kind"], "jury");
        assert_eq!(coming(&left, str::to_owned), Some(left.clone()));
    }

    #[test]
    fn what_is_no_pattern_or_too_much_of_one_does_not_come_in() {
        assert_eq!(coming(&json!({ "votes": 1 }), str::to_owned), None);
        let mut deep = json!("x");
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let mut state = serde_json::to_value(jury()).unwrap();
        state["parts"][0]["why"] = json!("y".repeat(10_000));
        let cut = coming(&state, str::to_owned).unwrap();
        assert_eq!(cut["parts"][0]["why"].as_str().unwrap().len(), MAX_CHARS);
        state["more"] = deep;
        assert_eq!(coming(&state, str::to_owned), None);
    }
}
