//! Keeps what the next session should know of this one. Looks only at what was observed.

use model::{
    Event, EventId, EventKind, Learning, LearningKind, MemoryId, MemoryKind, Observation, WorkspaceKey,
};
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
        let mut rows = batch.observations(&event.session, MAX_OBSERVATIONS)?;
        // What was given up or resolved teaches nothing any more; what says so does.
        rows.retain(|row| row.superseded_by.is_none());
        let observations: Vec<Observation> = rows.iter().map(as_observation).collect();
        for learning in distill::learnings(&state, &observations) {
            let kind = match learning.kind {
                LearningKind::Worked => "worked",
                LearningKind::Failed => "failed",
                LearningKind::Decided => "decided",
                LearningKind::Pattern => "pattern",
            };
            if learning.title == distill::HOW_TO {
                if subagent.is_none() {
                    keep_how_to(batch, event, &learning, &rows)?;
                }
                continue;
            }
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

/// Keeps how the project is checked, built and run: one memory of a project, whichever session says it. Its lines carry
/// their days, so that sessions may come in any order and more than once.
fn keep_how_to(batch: &mut Batch<'_>, event: &Event, learning: &Learning, rows: &[MemoryRow]) -> Result<()> {
    let mut kept = memory::of_event(
        event,
        MemoryKind::Learning,
        MemoryId::from_u64(0),
        learning.title.clone(),
        learning.text.clone(),
    );
    let of = kept.project_key.as_deref().or(kept.project.as_deref());
    let workspace = kept.workspace.as_ref().map(WorkspaceKey::as_str);
    // Nobody's commands are no project's.
    let Some(of) = of.or(workspace) else { return Ok(()) };
    kept.id = MemoryId::of(&["how-to", of]);
    kept.at = learning.at;
    kept.concepts = vec!["pattern".to_owned()];
    kept.provenance.events.clone_from(&learning.events);
    distill::NAME.clone_into(&mut kept.provenance.by);
    // What somebody else may have made the agent run does not take the place of what the project is known to use.
    if !heard(rows, &learning.events, false).is_empty() {
        return Ok(());
    }
    if let Some(known) = batch.memory(kept.id)? {
        kept.text = distill::merge_how_to(&known.memory.text, &kept.text);
    }
    memory::keep(batch, &kept)?;
    Ok(())
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

pub(super) fn as_observation(row: &MemoryRow) -> Observation {
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
