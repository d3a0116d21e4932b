//! Answers as scripts read them: an array of items that can be gone to, or one object.

use atlas::Answer;
use serde::Serialize;
use serde_json::{Value, json};

use crate::print;

/// What the command promises: rows where it gives rows.
pub(super) fn print(answer: &Answer) -> anyhow::Result<()> {
    print::json(&value(answer)?)
}

pub(super) fn text(answer: &Answer) -> anyhow::Result<String> {
    Ok(format!("{}\n", value(answer)?))
}

/// The tests alone.
pub(super) fn tests(answer: &Answer) -> anyhow::Result<()> {
    match answer {
        Answer::Impact { tests, .. } => print::json(tests),
        other => print(other),
    }
}

/// All that was answered, as one object.
pub(super) fn whole(answer: &Answer) -> anyhow::Result<()> {
    print::json(&object(answer)?)
}

fn value(answer: &Answer) -> anyhow::Result<Value> {
    Ok(match answer {
        Answer::Outline { items, .. } | Answer::Items { items, .. } | Answer::Dead { items, .. } => {
            json!(items)
        }
        Answer::Sites { sites, .. } => json!(sites),
        Answer::Callees { callees, .. } => json!(callees),
        // A test that calls it is reached like everything else.
        Answer::Impact { reached, tests, .. } => {
            let others = tests.iter().filter(|test| !reached.contains(test));
            reached.iter().chain(others).map(|row| json!(row)).collect()
        }
        Answer::Search { hits } => json!(hits),
        Answer::Index(indexed) => object(indexed)?,
        Answer::Flow { .. } | Answer::Slice { .. } | Answer::Deps { .. } | Answer::Context { .. } => {
            object(answer)?
        }
    })
}

/// Without the word that says which answer it is: who asked knows.
fn object(answer: &impl Serialize) -> anyhow::Result<Value> {
    let mut object = serde_json::to_value(answer)?;
    if let Some(fields) = object.as_object_mut() {
        fields.remove("answer");
    }
    Ok(object)
}
