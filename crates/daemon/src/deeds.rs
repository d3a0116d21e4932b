//! What people do to memories, on its way into the journal: redact, commit, answer when it is learned. The same
//! promises as for an envelope.

use std::time::Instant;

use model::{Checkpoint, Context, Deed, Entry, EventId, Memory, OURSELVES, Observation, SessionId, Summary};
use redact::Redactor;
use serde_json::{Value, json};
use store::StoreError;

use crate::faults::Trouble;
use crate::intake::{Intake, now};
use crate::learner::Learner;

/// Deeds in one question: a batch of an import. More would keep a thread of the door too long.
pub(crate) const MAX_DEEDS: usize = 1000;

/// Takes deeds in. Answers when they are in the tables, or when the patience is over; they are safe either way.
pub(crate) fn take(intake: &Intake, learner: &Learner, deeds: Vec<Deed>, until: Instant) -> Value {
    match journal(intake, deeds) {
        Ok((last, kept)) => {
            let learned = learner.wait_until(last, until);
            let mut said = json!({ "kept": kept, "learned": learned });
            if let Some(fault) = intake.faults.of(Trouble::Learning).filter(|_| !learned) {
                said["waits_for"] = json!({ "what": fault.what, "repair": fault.repair });
            }
            said
        }
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// The last position and how many were new.
pub(crate) fn journal(intake: &Intake, deeds: Vec<Deed>) -> Result<(u64, usize), StoreError> {
    let redactor = intake.redactor();
    let entries: Vec<Entry> = deeds.into_iter().map(|deed| entry(&redactor, deed)).collect();
    let (mut last, mut kept) = (0, 0);
    for outcome in intake.journal.append_all(&entries) {
        let receipt = outcome?;
        last = last.max(receipt.seq);
        kept += usize::from(!receipt.duplicate);
    }
    Ok((last, kept))
}

pub(crate) fn entry(redactor: &Redactor, mut deed: Deed) -> Entry {
    clean_deed(redactor, &mut deed);
    Entry {
        id: id_of(&deed),
        at: now(),
        agent: OURSELVES.to_owned(),
        session: deed.session().cloned().unwrap_or_else(|| SessionId::new("")),
        event: deed.name().to_owned(),
        tool: None,
        context: Context::new(),
        envelope: serde_json::to_vec(&deed).expect("a deed is plain data"),
    }
}

/// A note that is brought twice under one id is one deed: who did not hear the answer may ask again.
fn id_of(deed: &Deed) -> EventId {
    let Deed::Remember { memory } = deed else { return client::mint() };
    let mut rest = [0; 10];
    rest[2..].copy_from_slice(&memory.id.as_u64().to_be_bytes());
    EventId::mint(memory.at, rest)
}

/// Every text of a stranger's in it. Ids of ours and times are not texts.
fn clean_deed(redactor: &Redactor, deed: &mut Deed) {
    match deed {
        Deed::Remember { memory } | Deed::Import { memory, .. } => clean_memory(redactor, memory),
        Deed::Edit { title, text, .. } => clean_all(redactor, title.iter_mut().chain(text)),
        Deed::Distilled { observations, summary, .. } => {
            for seen in observations {
                clean_observation(redactor, seen);
            }
            if let Some(summary) = summary {
                clean_summary(redactor, summary);
            }
        }
        Deed::Session { id, project, agent, .. } => {
            clean_session(redactor, id);
            clean_all(redactor, project.iter_mut().chain([agent]));
        }
        Deed::Verdict { session, tool, reason, .. } => {
            clean_session(redactor, session);
            clean_all(redactor, tool.iter_mut().chain([reason]));
        }
        Deed::HandOff { session, text } => {
            clean_session(redactor, session);
            clean(redactor, text);
        }
        Deed::Outcome { session, note, .. } => {
            clean_session(redactor, session);
            clean_all(redactor, note);
        }
        Deed::Checkpoint { checkpoint } => {
            let Checkpoint { project, root, message, prompt, branch, dirty, skipped, hand_off, .. } =
                &mut **checkpoint;
            clean_all(
                redactor,
                [root].into_iter().chain(project).chain(message).chain(prompt).chain(branch).chain(hand_off),
            );
            clean_all(redactor, dirty.iter_mut().chain(skipped));
        }
        Deed::Claim { session, files, note } => {
            clean_session(redactor, session);
            clean_all(redactor, files.iter_mut().chain(note));
        }
        Deed::StartPattern { session, kind, id, options } => {
            clean_session(redactor, session);
            clean_all(redactor, [kind, id].into_iter().chain(options.values_mut()));
        }
        Deed::StopPattern { session, pattern, why } => {
            clean_session(redactor, session);
            clean_all(redactor, [pattern].into_iter().chain(why));
        }
        Deed::Message { to, from, text } => {
            clean_session(redactor, to);
            clean_all(redactor, [from, text]);
        }
        Deed::Release { session, files } => {
            if let Some(session) = session {
                clean_session(redactor, session);
            }
            clean_all(redactor, files);
        }
        Deed::Place { root, project, .. } => clean_all(redactor, [root, project]),
        // Most of it is stored and clean; what was read from files of the person's is not.
        Deed::Injected { injection } => {
            clean_all(redactor, &mut injection.marks);
            for note in &mut injection.notes {
                clean(redactor, &mut note.text);
                clean_all(redactor, note.items.iter_mut().flat_map(|item| [&mut item.title, &mut item.why]));
            }
        }
        Deed::DropCheckpoints { .. }
        | Deed::Withdraw { .. }
        | Deed::Forget { .. }
        | Deed::Supersede { .. } => {}
    }
}

fn clean_memory(redactor: &Redactor, memory: &mut Memory) {
    let Memory { title, subtitle, text, facts, concepts, files_read, files_modified, tools, .. } = memory;
    let Memory { project, branch, external_id, provenance, session, .. } = memory;
    if let Some(id) = session {
        clean_session(redactor, id);
    }
    clean_all(redactor, [title, text]);
    clean_all(
        redactor,
        [subtitle, project, branch, external_id, &mut provenance.place].into_iter().flatten(),
    );
    clean_all(redactor, [facts, concepts, files_read, files_modified, tools].into_iter().flatten());
}

/// A stranger's text, too; one that holds nothing to hide stays as it is.
fn clean_session(redactor: &Redactor, id: &mut SessionId) {
    let mut text = id.as_str().to_owned();
    clean(redactor, &mut text);
    *id = SessionId::new(&text);
}

fn clean_observation(redactor: &Redactor, seen: &mut Observation) {
    let Observation {
        title, subtitle, narrative, facts, concepts, files_read, files_modified, tools, ..
    } = seen;
    clean_all(redactor, [title, narrative].into_iter().chain(subtitle));
    clean_all(redactor, [facts, concepts, files_read, files_modified, tools].into_iter().flatten());
}

fn clean_summary(redactor: &Redactor, summary: &mut Summary) {
    let Summary { request, investigated, learned, completed, next_steps } = summary;
    clean(redactor, request);
    clean_all(redactor, [investigated, learned, completed, next_steps].into_iter().flatten());
}

fn clean_all<'a>(redactor: &Redactor, texts: impl IntoIterator<Item = &'a mut String>) {
    for text in texts {
        clean(redactor, text);
    }
}

pub(crate) fn clean(redactor: &Redactor, text: &mut String) {
    let redacted = redactor.bytes(text.as_bytes());
    if !redacted.findings.is_empty() || redacted.bytes != text.as_bytes() {
        *text = String::from_utf8_lossy(&redacted.bytes).into_owned();
    }
}
