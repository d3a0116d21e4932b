//! Keeps what a turn was about, and at the end of a session what all of it was about. Says nothing to the agent.

use model::{Event, EventKind, MemoryId, MemoryKind, Observation, SessionId, Summary};
use store::Batch;

use super::distill::{DRAFT, HEARD, STATE};
use super::extract_learnings::as_observation;
use crate::behavior::Behavior;
use crate::{Result, memory, origin};

#[derive(Debug)]
pub(crate) struct Summarize;

impl Behavior for Summarize {
    fn name(&self) -> &'static str {
        "summarize"
    }

    fn manual(&self) -> &'static str {
        "When a turn ends, keeps its summary: what was asked, what was looked into, what was learned, what was \
         completed and what comes next, from the turn's events and the agent's last words. A turn without any \
         work has none. When a session of several turns ends, one summary is kept of all of it: what it was about, \
         what was learned, decided and given up, what was done with the checks that passed, what is left. Needs \
         `distill`."
    }

    fn on(&self) -> &'static [EventKind] {
        use EventKind::{PreCompact, SessionEnd, Stop, StopFailure, UserPromptSubmit};
        &[UserPromptSubmit, Stop, StopFailure, PreCompact, SessionEnd]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        let draft = batch.state(&event.session, DRAFT)?.filter(|json| !json.is_empty());
        if let Some(summary) = draft.and_then(|json| serde_json::from_str::<Summary>(&json).ok()) {
            batch.set_state(&event.session, DRAFT, "", event.at)?;
            let id = MemoryId::of(&["summary", &event.id.to_string()]);
            // Words that are somebody else's stand in it only where it has no others.
            let heard = batch.state(&event.session, HEARD)?.and_then(|json| serde_json::from_str(&json).ok());
            keep(batch, event, id, &summary, heard.unwrap_or_default())?;
            batch.put_summary(id, &event.session, event.at, &summary)?;
        }
        // A memory and no turn: whoever reads the turns of a session does not read it among them.
        if event.kind == EventKind::SessionEnd
            && let Some(summary) = of_session(batch, &event.session)?
        {
            let id = MemoryId::of(&["session-summary", event.session.as_str()]);
            keep(batch, event, id, &summary, Vec::new())?;
        }
        Ok(())
    }
}

fn keep(
    batch: &mut Batch<'_>,
    event: &Event,
    id: MemoryId,
    summary: &Summary,
    tools: Vec<String>,
) -> Result<()> {
    let title = memory::title_of(subject(summary));
    let mut kept = memory::of_event(event, MemoryKind::Summary, id, title, summary_text(summary));
    distill::NAME.clone_into(&mut kept.provenance.by);
    kept.tools = tools;
    memory::keep(batch, &kept)?;
    Ok(())
}

/// Turns and observations of which a session's summary is made.
const MAX_TURNS: usize = 60;
const MAX_OBSERVATIONS: usize = 500;

/// A session in one summary, from what still holds of it. Whatever has a stranger's words is left out.
pub(super) fn of_session(batch: &Batch<'_>, session: &SessionId) -> Result<Option<Summary>> {
    let state = batch.state(session, STATE)?.and_then(|json| serde_json::from_str(&json).ok());
    let state: distill::State = state.unwrap_or_default();
    let is_own = |tools: &[String]| !tools.iter().any(|tool| tool.starts_with(distill::MARK));
    let turns = batch.last_summaries(session, MAX_TURNS)?.into_iter();
    let turns: Vec<Summary> = turns.filter(|(_, tools)| is_own(tools)).map(|(summary, _)| summary).collect();
    let rows = batch.last_observations(session, MAX_OBSERVATIONS)?;
    let own = rows.iter().filter(|row| origin(&row.memory).is_trusted());
    let observations: Vec<Observation> = own.map(as_observation).collect();
    Ok(distill::session_summary(&state, &turns, &observations))
}

/// What it is about: what was asked, or where nobody heard that, what came of it.
fn subject(summary: &Summary) -> &str {
    let came = [&summary.completed, &summary.learned, &summary.investigated, &summary.next_steps];
    let came = came.into_iter().flatten().map(String::as_str);
    std::iter::once(summary.request.as_str()).chain(came).find(|text| !text.is_empty()).unwrap_or_default()
}

/// A summary as people read it. An unanswered question is left out.
pub(crate) fn summary_text(summary: &Summary) -> String {
    let mut text = String::new();
    if !summary.request.is_empty() {
        text.push_str(&format!("Request: {}\n", summary.request));
    }
    let parts = [
        ("Learned", &summary.learned),
        ("Completed", &summary.completed),
        ("Next steps", &summary.next_steps),
        ("Investigated", &summary.investigated),
    ];
    for (name, items) in parts {
        match items.as_slice() {
            [] => {}
            [one] => text.push_str(&format!("{name}: {one}\n")),
            many => {
                text.push_str(&format!("{name}:\n"));
                for item in many {
                    text.push_str(&format!("- {item}\n"));
                }
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_whose_request_nobody_heard_is_named_by_what_came_of_it() {
        let mut summary = Summary { investigated: vec!["Read a.txt".into()], ..Summary::default() };
        assert_eq!(subject(&summary), "Read a.txt");
        summary.completed = vec!["Add b.txt".into()];
        assert_eq!(subject(&summary), "Add b.txt");
        summary.request = "Add a file".into();
        assert_eq!(subject(&summary), "Add a file");
        assert_eq!(subject(&Summary::default()), "");
    }
}
