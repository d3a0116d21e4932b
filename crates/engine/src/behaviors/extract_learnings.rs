//! Keeps what the next session should know of this one. Looks only at what was observed.

use model::{Event, EventId, EventKind, LearningKind, MemoryId, MemoryKind, Observation};
use store::{Batch, MemoryRow};

use crate::behavior::Behavior;
use crate::{Result, life, memory, origin};

/// The observations of one session that are looked at; more is a session nobody can learn from at once.
const MAX_OBSERVATIONS: usize = 500;

#[derive(Debug)]
pub(crate) struct ExtractLearnings;

impl Behavior for ExtractLearnings {
    fn name(&self) -> &'static str {
        "extract-learnings"
    }

    fn manual(&self) -> &'static str {
        "When a session or a subagent ends, keeps what it teaches: what worked, what failed, what was decided, and \
         which pattern repeated, each with the events that show it. A session that teaches nothing leaves nothing."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::SessionEnd, EventKind::SubagentStop]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
        let name = subagent.map_or_else(|| "distill".to_owned(), |agent| format!("distill:{agent}"));
        let Some(state) =
            batch.state(&event.session, &name)?.and_then(|json| serde_json::from_str(&json).ok())
        else {
            return Ok(());
        };
        let rows = batch.observations(&event.session, MAX_OBSERVATIONS)?;
        let observations: Vec<Observation> = rows.iter().map(as_observation).collect();
        for learning in distill::learnings(&state, &observations) {
            let kind = match learning.kind {
                LearningKind::Worked => "worked",
                LearningKind::Failed => "failed",
                LearningKind::Decided => "decided",
                LearningKind::Pattern => "pattern",
            };
            let first = learning.events.first().map(ToString::to_string).unwrap_or_default();
            let id = MemoryId::of(&["learning", kind, &first, &learning.title]);
            let mut kept = memory::of_event(
                event,
                MemoryKind::Learning,
                id,
                learning.title.clone(),
                learning.text.clone(),
            );
            kept.at = learning.at;
            kept.concepts = vec![kind.to_owned()];
            kept.files_modified.clone_from(&learning.files);
            kept.provenance.events.clone_from(&learning.events);
            kept.tools = heard(&rows, &learning.events, subagent.is_some());
            distill::NAME.clone_into(&mut kept.provenance.by);
            memory::keep(batch, &kept)?;
            life::retire(batch, &kept)?;
        }
        Ok(())
    }
}

/// Marks of what the observations it rests on have heard. What a subagent teaches are another agent's words.
fn heard(rows: &[MemoryRow], events: &[EventId], of_subagent: bool) -> Vec<String> {
    let rests_on = |row: &&MemoryRow| row.memory.provenance.events.iter().any(|id| events.contains(id));
    let mut marks = origin::marks(rows.iter().filter(rests_on).map(|row| &row.memory));
    if of_subagent {
        marks.push(format!("{}agent", distill::MARK));
    }
    marks
}

fn as_observation(row: &MemoryRow) -> Observation {
    let memory = &row.memory;
    Observation {
        kind: memory.kind,
        at: memory.at,
        title: memory.title.clone(),
        subtitle: memory.subtitle.clone(),
        narrative: memory.text.clone(),
        facts: memory.facts.clone(),
        concepts: memory.concepts.clone(),
        files_read: memory.files_read.clone(),
        files_modified: memory.files_modified.clone(),
        tools: memory.tools.clone(),
        events: memory.provenance.events.clone(),
        tokens: memory.provenance.tokens,
    }
}
