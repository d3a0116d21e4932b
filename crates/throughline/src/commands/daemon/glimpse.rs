//! An entry of the journal at a glance, for lists: read by the dialect of its agent, which only this room may ask.

use model::{Detail, Entry, Event, Outcome};
use web::Glimpse;

/// Of an error or a reason; the whole of it is in the envelope.
const MAX_DETAIL_CHARS: usize = 400;

pub(super) fn of(entry: &Entry) -> Glimpse {
    let event = agents::event_of(entry);
    let title = agents::title(&event);
    let Event { kind, cwd, subagent, detail, .. } = event;
    let (call, outcome) = match detail {
        Detail::Tool(call) => (call.use_id, Some(call.outcome)),
        _ => (None, None),
    };
    let (ok, duration_ms, detail) = match outcome {
        None | Some(Outcome::Pending) => (None, None, None),
        Some(Outcome::Succeeded { duration_ms, .. }) => (Some(true), duration_ms, None),
        Some(Outcome::Failed { error, duration_ms, .. }) => (Some(false), duration_ms, Some(error)),
        Some(Outcome::Denied { reason }) => (Some(false), None, Some(reason)),
    };
    Glimpse {
        title,
        kind,
        cwd,
        project: entry.context.get("project").cloned(),
        subagent: subagent.map(|agent| agent.id),
        call,
        ok,
        duration_ms,
        detail: detail.map(|text| text.chars().take(MAX_DETAIL_CHARS).collect()),
    }
}
