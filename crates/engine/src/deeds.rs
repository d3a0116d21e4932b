//! What a deed does to the tables. Every deed may be learned again.

use model::{
    Deed, EventId, Memory, MemoryId, MemoryKind, Millis, Observation, Provenance, SessionId, Summary,
};
use store::{Batch, MemoryRow, SessionTouch, VerdictRow};

use crate::{Result, life, memory};

/// Who did it, when, and under which id it stands in the journal.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    pub id: EventId,
    pub at: Millis,
}

pub fn learn(batch: &mut Batch<'_>, done: Done, deed: &Deed) -> Result<()> {
    match deed {
        Deed::Remember { memory } => {
            memory::keep(batch, memory)?;
            life::retire(batch, memory)?;
        }
        Deed::Import { memory, hits, prevented, last_applied_at } => {
            memory::keep(batch, memory)?;
            batch.move_memory(memory)?;
            if *hits > 0 || *prevented > 0 || last_applied_at.is_some() {
                batch.set_life(memory.id, *hits, *prevented, *last_applied_at)?;
            }
        }
        Deed::Session { id, agent, project, started_at, ended_at } => {
            let touch = SessionTouch::new(id.clone(), agent, *started_at);
            batch.touch_session(&SessionTouch { project: project.clone(), heard: false, ..touch })?;
            batch.end_session(id, *ended_at, "imported")?;
        }
        Deed::Injected { injection } => {
            batch.put_injection(batch.position(), done.at, injection)?;
            crate::behaviors::note_said(batch, &injection.marks, done.at)?;
        }
        Deed::Verdict { session, subagent, event, tool, behavior, verdict, reason } => {
            batch.put_verdict(&VerdictRow {
                seq: batch.position(),
                at: done.at,
                session: session.clone(),
                subagent: subagent.clone(),
                event: event.clone(),
                tool: tool.clone(),
                behavior: behavior.clone(),
                verdict: *verdict,
                reason: reason.clone(),
            })?;
        }
        Deed::HandOff { session, text } => crate::behaviors::write_hand_off(batch, session, text, done.at)?,
        Deed::Outcome { session, outcome, note } => {
            batch.put_outcome(session, *outcome, "person", note.as_deref().unwrap_or_default(), done.at)?;
        }
        Deed::Checkpoint { checkpoint } => {
            batch.put_checkpoint(checkpoint)?;
            // The conversation up to here belongs to the place to come back to.
            if let Some(session) = &checkpoint.session {
                batch.ask_for_archive(session, done.at)?;
            }
        }
        Deed::DropCheckpoints { ids } => {
            for id in ids {
                batch.drop_checkpoint(id)?;
            }
        }
        Deed::Claim { session, files, note } => {
            crate::behaviors::take_files(batch, session, files, note.as_deref(), done.at)?;
        }
        Deed::Release { session, files } => {
            if files.is_empty() && session.is_some() {
                batch.release(session.as_ref(), None)?;
            }
            for file in files {
                batch.release(session.as_ref(), Some(file))?;
            }
        }
        Deed::Place { workspace, root, project, project_key } => {
            batch.upsert_workspace(workspace, root, Some(project), done.at)?;
            batch.upsert_project(project_key, project, None)?;
            batch.place_workspace(workspace, project_key)?;
        }
        Deed::StartPattern { session, kind, id, options } => {
            crate::coordination::declare(batch, session, kind, id, options, done.at)?;
        }
        Deed::StopPattern { session, pattern, why } => {
            crate::coordination::stop(batch, session, pattern, why.as_deref(), done.at)?;
        }
        Deed::Message { to, from, text } => {
            crate::behaviors::keep_message(batch, &done.id.to_string(), to, from, done.at, text)?;
        }
        Deed::Withdraw { ids } => {
            for id in ids {
                memory::drop_for_room(batch, *id)?;
            }
        }
        Deed::Forget { ids } => {
            let mut sessions = Vec::new();
            for id in ids {
                sessions.extend(batch.memory(*id)?.and_then(|row| row.memory.session));
                memory::forget(batch, *id)?;
            }
            sessions.sort_unstable();
            sessions.dedup();
            for session in sessions {
                crate::behaviors::forget_in_hand_off(batch, &session)?;
            }
        }
        Deed::Edit { id, title, text, critical, pinned } => {
            if let Some(row) = batch.memory(*id)? {
                edit(batch, row, title.as_deref(), text.as_deref(), *critical)?;
            }
            if let Some(pinned) = pinned {
                batch.set_pinned(*id, *pinned)?;
            }
        }
        Deed::Supersede { older, newer } => {
            batch.supersede(*older, *newer)?;
        }
        Deed::Distilled { by, session, turn, observations, summary, input_tokens, output_tokens } => {
            batch.put_distillation(batch.position(), done.at, input_tokens.saturating_add(*output_tokens))?;
            let account = Account { by, session, turn: *turn, at: done.at };
            replace_turn(batch, &account, observations, summary.as_ref())?;
        }
    }
    Ok(())
}

fn edit(
    batch: &mut Batch<'_>,
    row: MemoryRow,
    title: Option<&str>,
    text: Option<&str>,
    critical: Option<bool>,
) -> Result<()> {
    let mut changed = row.memory;
    if let Some(text) = text {
        text.clone_into(&mut changed.text);
    }
    if let Some(title) = title {
        title.clone_into(&mut changed.title);
    }
    if title.is_some() || text.is_some() {
        memory::keep(batch, &changed)?;
    }
    if let Some(critical) = critical {
        batch.set_critical(changed.id, critical)?;
    }
    Ok(())
}

struct Account<'a> {
    by: &'a str,
    session: &'a SessionId,
    turn: u64,
    at: Millis,
}

/// A model's words stand before what was extracted; the extracted ones stay behind them, with their evidence.
fn replace_turn(
    batch: &mut Batch<'_>,
    account: &Account<'_>,
    observations: &[Observation],
    summary: Option<&Summary>,
) -> Result<()> {
    let before = batch.memories_of_turn(account.session, account.turn)?;
    let Some(pattern) = before.first().map(|row| row.memory.clone()) else {
        batch.end_turn(account.turn, "nothing to improve")?;
        return Ok(());
    };
    // A model has read the whole turn: what it says may be from anywhere in it.
    let heard = crate::origin::marks(before.iter().map(|row| &row.memory));
    let mut kept = Vec::new();
    for (at, observation) in observations.iter().enumerate() {
        let id = model_memory(account.session, account.turn, at);
        let mut memory = observed(&pattern, id, account.by, observation);
        memory.tools.extend(heard.iter().filter(|mark| !observation.tools.contains(mark)).cloned());
        memory::keep(batch, &memory)?;
        kept.push(memory);
    }
    for older in before.iter().filter(|row| row.memory.kind.is_observation()) {
        // Behind the one that speaks of the same events; without one it stays where it is.
        let events = &older.memory.provenance.events;
        if let Some(newer) =
            kept.iter().find(|newer| newer.provenance.events.iter().any(|id| events.contains(id)))
        {
            batch.supersede(older.memory.id, newer.id)?;
        }
    }
    if let Some(summary) = summary
        && let Some(row) = before.iter().find(|row| row.memory.kind == MemoryKind::Summary)
    {
        let mut memory = row.memory.clone();
        memory.text = crate::behaviors::summary_text(summary);
        memory::keep(batch, &memory)?;
        batch.put_summary(memory.id, account.session, account.at, summary)?;
    }
    batch.end_turn(account.turn, "done")?;
    Ok(())
}

/// The id of a model's observation: its place in the account of a turn.
pub fn model_memory(session: &SessionId, turn: u64, at: usize) -> MemoryId {
    MemoryId::of(&["model", &turn.to_string(), session.as_str(), &at.to_string()])
}

/// An observation as a memory, happening where the pattern happened.
pub(crate) fn observed(pattern: &Memory, id: MemoryId, by: &str, seen: &Observation) -> Memory {
    Memory {
        id,
        kind: seen.kind,
        at: seen.at,
        title: seen.title.clone(),
        subtitle: seen.subtitle.clone(),
        text: seen.narrative.clone(),
        facts: seen.facts.clone(),
        concepts: seen.concepts.clone(),
        files_read: seen.files_read.clone(),
        files_modified: seen.files_modified.clone(),
        tools: seen.tools.clone(),
        external_id: None,
        urgency: pattern.urgency,
        critical: false,
        pinned: false,
        provenance: Provenance {
            by: by.to_owned(),
            events: few(&seen.events),
            place: None,
            tokens: seen.tokens,
        },
        ..pattern.clone()
    }
}

/// The first and the last, when there are too many to keep.
fn few(events: &[EventId]) -> Vec<EventId> {
    if events.len() <= Provenance::MAX_EVENTS {
        return events.to_vec();
    }
    let half = Provenance::MAX_EVENTS / 2;
    [&events[..half], &events[events.len() - half..]].concat()
}
