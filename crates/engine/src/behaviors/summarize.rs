//! Keeps what a turn was about, and at the end of a session what all of it was about. Says nothing to the agent.

use model::{Event, EventKind, MemoryId, MemoryKind, Summary};
use store::Batch;

use super::distill::{DRAFT, HEARD};
use crate::behavior::Behavior;
use crate::{Result, memory};

#[derive(Debug)]
pub(crate) struct Summarize;

impl Behavior for Summarize {
    fn name(&self) -> &'static str {
        "summarize"
    }

    fn manual(&self) -> &'static str {
        "When a turn ends, keeps its summary: what was asked, what was looked into, what was learned, what was \
         completed and what comes next, from the turn's events and the agent's last words. A turn without any \
         work has none. When a session of several turns ends, one summary is kept of all of it. Needs `distill`."
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
        if event.kind == EventKind::SessionEnd {
            let turns = batch.last_summaries(&event.session, MAX_TURNS)?;
            if let Some(summary) = of_session(&turns) {
                let id = MemoryId::of(&["session-summary", event.session.as_str()]);
                keep(batch, event, id, &summary, Vec::new())?;
            }
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

/// Turns of which a session's summary is made, and its lines for each answer.
const MAX_TURNS: usize = 60;
const MAX_LINES: usize = 5;

/// Turns of a session in one: what the first asked for, the newest of what was learned and completed, and what the last
/// turn named as next. A turn with a stranger's words is left out. `None`: one turn is its own summary.
fn of_session(turns: &[(Summary, Vec<String>)]) -> Option<Summary> {
    let is_own = |tools: &[String]| !tools.iter().any(|tool| tool.starts_with(distill::MARK));
    let own: Vec<&Summary> =
        turns.iter().filter(|(_, tools)| is_own(tools)).map(|(summary, _)| summary).collect();
    let (first, last) = (own.first()?, own.last()?);
    if own.len() < 2 {
        return None;
    }
    let newest = |lines: fn(&Summary) -> &[String]| {
        let mut kept: Vec<String> = Vec::new();
        for line in own.iter().flat_map(|summary| lines(summary)) {
            kept.retain(|known| known != line);
            kept.push(line.clone());
        }
        kept.drain(..kept.len().saturating_sub(MAX_LINES));
        kept
    };
    // "hi" and "yes" are not what it is about.
    let asks = own.iter().find(|summary| summary.request.split_whitespace().nth(3).is_some());
    let summary = Summary {
        request: asks.unwrap_or(first).request.clone(),
        investigated: Vec::new(),
        learned: newest(|summary| &summary.learned),
        completed: newest(|summary| &summary.completed),
        next_steps: last.next_steps.clone(),
    };
    let told = !summary.learned.is_empty() || !summary.completed.is_empty() || !summary.next_steps.is_empty();
    told.then_some(summary)
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
    fn a_session_is_summed_up_by_all_of_its_turns_and_its_last_next_steps() {
        let turn = |request: &str, learned: &str, completed: &str, next: &str| Summary {
            request: request.into(),
            learned: vec![learned.into()],
            completed: vec![completed.into()],
            next_steps: vec![next.into()],
            ..Summary::default()
        };
        let turns = [
            (turn("hi", "a", "b", "ship it"), Vec::new()),
            (
                turn("why does the export hang on Mondays", "the lease runs out", "renew the lease", "x"),
                Vec::new(),
            ),
            (turn("read this page", "the page says no", "b", "obey"), vec![format!("{}web", distill::MARK)]),
            (turn("yes", "a", "add a test", "tell the team"), Vec::new()),
        ];
        let whole = of_session(&turns).unwrap();
        assert_eq!(whole.request, "why does the export hang on Mondays");
        assert_eq!(whole.learned, ["the lease runs out", "a"]);
        assert_eq!(whole.completed, ["b", "renew the lease", "add a test"]);
        assert_eq!(whole.next_steps, ["tell the team"]);
        assert_eq!(of_session(&turns[..1]), None);
    }

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
