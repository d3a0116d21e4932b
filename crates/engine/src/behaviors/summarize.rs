//! Keeps what a turn was about. Says nothing to the agent.

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
         work has none. Needs `distill`."
    }

    fn on(&self) -> &'static [EventKind] {
        use EventKind::{PreCompact, SessionEnd, Stop, StopFailure, UserPromptSubmit};
        &[UserPromptSubmit, Stop, StopFailure, PreCompact, SessionEnd]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        let draft = batch.state(&event.session, DRAFT)?.filter(|json| !json.is_empty());
        let Some(summary) = draft.and_then(|json| serde_json::from_str::<Summary>(&json).ok()) else {
            return Ok(());
        };
        batch.set_state(&event.session, DRAFT, "", event.at)?;
        let id = MemoryId::of(&["summary", &event.id.to_string()]);
        let title = memory::title_of(subject(&summary));
        let mut kept = memory::of_event(event, MemoryKind::Summary, id, title, summary_text(&summary));
        distill::NAME.clone_into(&mut kept.provenance.by);
        // Words that are somebody else's stand in it only where it has no others.
        kept.tools = batch
            .state(&event.session, HEARD)?
            .and_then(|json| serde_json::from_str(&json).ok())
            .unwrap_or_default();
        memory::keep(batch, &kept)?;
        batch.put_summary(id, &event.session, event.at, &summary)?;
        Ok(())
    }
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
        ("Investigated", &summary.investigated),
        ("Learned", &summary.learned),
        ("Completed", &summary.completed),
        ("Next steps", &summary.next_steps),
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
