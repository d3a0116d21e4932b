//! Which calls want which files and have not said yet what came of it. A call that was refused or that a person declined
//! says nothing any more: when its conversation goes on without it, what it wanted is given back.

use model::{Detail, Event, Millis, SessionId};
use serde::{Deserialize, Serialize};
use store::Batch;

use crate::Result;

/// Where they are kept with the session.
const STATE: &str = "claim-wishes";
/// Of one session; with more at once the oldest are left to their lease.
const MAX_WISHES: usize = 128;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Wish {
    path: String,
    /// The subagent; empty for the session's own conversation.
    by: String,
    /// The agent's own name for the call; empty where it has none.
    call: String,
    at: Millis,
}

/// A call wants a file that its session did not hold before, or that another call of it wants, too.
pub(super) fn add(batch: &mut Batch<'_>, event: &Event, path: &str, is_new: bool) -> Result<()> {
    let mut all = read(batch, &event.session)?;
    let wish = Wish { path: path.to_owned(), by: by(event), call: call(event), at: event.at };
    let is_shared = all.iter().any(|other| other.path == wish.path);
    if !(is_new || is_shared) || all.contains(&wish) {
        return Ok(());
    }
    all.push(wish);
    let surplus = all.len().saturating_sub(MAX_WISHES);
    all.drain(..surplus);
    write(batch, event, &all)
}

/// A call is over and has edited these: whatever else it wanted is given back.
pub(super) fn settle(
    batch: &mut Batch<'_>,
    event: &Event,
    edited: &[String],
    wanted: &[String],
) -> Result<()> {
    let (by, call) = (by(event), call(event));
    give_back(batch, event, edited, |wish| {
        // Calls without a name are told apart by their files.
        if call.is_empty() { wish.by == by && wanted.contains(&wish.path) } else { wish.call == call }
    })
}

/// The conversation goes on: of its calls so far none is under way. Those of its subagents are their own affair.
pub(super) fn settle_all(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let by = by(event);
    give_back(batch, event, &[], |wish| wish.by == by && wish.at <= event.at)
}

fn give_back(
    batch: &mut Batch<'_>,
    event: &Event,
    edited: &[String],
    is_over: impl Fn(&Wish) -> bool,
) -> Result<()> {
    let (over, left): (Vec<Wish>, Vec<Wish>) = read(batch, &event.session)?.into_iter().partition(is_over);
    if over.is_empty() {
        return Ok(());
    }
    for wish in &over {
        if !edited.contains(&wish.path) && left.iter().all(|other| other.path != wish.path) {
            batch.release_unused(&event.session, &wish.path)?;
        }
    }
    write(batch, event, &left)
}

fn by(event: &Event) -> String {
    event.subagent.as_ref().map(|agent| agent.id.clone()).unwrap_or_default()
}

fn call(event: &Event) -> String {
    match &event.detail {
        Detail::Tool(call) => call.use_id.clone().unwrap_or_default(),
        _ => String::new(),
    }
}

fn read(batch: &Batch<'_>, session: &SessionId) -> Result<Vec<Wish>> {
    let kept = batch.state(session, STATE)?;
    Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

fn write(batch: &mut Batch<'_>, event: &Event, all: &[Wish]) -> Result<()> {
    if all.is_empty() {
        batch.drop_state(&event.session, STATE)?;
    } else {
        let text = serde_json::to_string(all).unwrap_or_default();
        batch.set_state(&event.session, STATE, &text, event.at)?;
    }
    Ok(())
}
