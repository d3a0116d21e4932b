//! Distils a session again by the rules of today, beside what earlier rules made of it. What both make of the same events is
//! one memory with the id it had, so that pins, edits and credit stay with it; what the rules of today do not make any
//! more goes, or is no longer said where somebody holds on to it.

use std::collections::BTreeSet;

use model::{Event, EventId, Memory, MemoryId, Summary};
use store::{Batch, MemoryFilter, MemoryRow, StoreError, Tables};

use crate::behavior::Behavior;
use crate::behaviors::{Distill, ExtractLearnings, RecallOnFailure, Summarize};
use crate::origin::RETIRED;
use crate::{life, memory};

/// The rules of today, as memories name them.
pub const RULES: &str = distill::NAME;

/// Memories of one session that are compared; more is no session of a person.
const MAX_MEMORIES: usize = 5000;

/// What the rules of today make of a session.
#[derive(Debug, Default)]
pub struct Derived {
    pub memories: Vec<MemoryRow>,
    pub summaries: Vec<(MemoryId, Summary)>,
}

/// What becomes of a session's memories.
#[derive(Debug, Default, PartialEq)]
pub struct Renewal {
    /// Places in [`Derived::memories`], each with the memory it takes the place of.
    pub kept: Vec<(usize, Option<MemoryId>)>,
    /// Nothing shows them any more, and nobody has used them.
    pub dropped: Vec<MemoryId>,
    /// Nothing shows them any more, and somebody has used them: found by asking, never said unasked.
    pub retired: Vec<MemoryId>,
}

/// Learns a session's events in tables of their own. The position of each event is the one it has in the journal.
pub fn derive(scratch: &mut Tables, events: &[(u64, Event)]) -> Result<Derived, StoreError> {
    let Some((_, first)) = events.first() else { return Ok(Derived::default()) };
    let behaviors: [&dyn Behavior; 3] = [&Distill, &Summarize, &ExtractLearnings];
    scratch.write(|batch| {
        for (seq, event) in events {
            batch.set_position(*seq);
            for behavior in behaviors.iter().filter(|one| one.on().contains(&event.kind)) {
                if let Err(error) = behavior.learn(batch, event) {
                    error.into_store().map_or(Ok(()), Err)?;
                }
            }
        }
        Ok(())
    })?;
    let filter = MemoryFilter { session: Some(first.session.clone()), ..MemoryFilter::default() };
    let memories = scratch.memories(&filter)?;
    let summaries = scratch.summaries(Some(&first.session), 0)?;
    Ok(Derived { memories, summaries: summaries.into_iter().map(|row| (row.id, row.summary)).collect() })
}

/// Learns what got past the failures of a session that an earlier release did not look for. The same fix is kept once.
pub fn learn_fixes(batch: &mut Batch<'_>, events: &[(u64, Event)]) -> Result<(), StoreError> {
    for (_, event) in events.iter().filter(|(_, event)| RecallOnFailure.on().contains(&event.kind)) {
        if let Err(error) = RecallOnFailure.learn(batch, event) {
            error.into_store().map_or(Ok(()), Err)?;
        }
    }
    Ok(())
}

/// Compares what a session's memories are with what they would be by the rules of today.
///
/// `shown`: the events that could be read again; a memory of others cannot be made anew and is only judged by its words.
/// `adds`: whether what has no predecessor is kept. Where a person has forgotten something it is not: nobody knows any
/// more of which events that was.
pub fn compare(old: &[MemoryRow], new: &[MemoryRow], shown: &BTreeSet<EventId>, adds: bool) -> Renewal {
    let old: Vec<&MemoryRow> =
        old.iter().filter(|row| is_of_other_rules(&row.memory)).take(MAX_MEMORIES).collect();
    let mut taken: BTreeSet<MemoryId> = BTreeSet::new();
    let mut predecessor: Vec<Option<MemoryId>> = new
        .iter()
        .map(|row| old.iter().map(|old| old.memory.id).find(|id| *id == row.memory.id && taken.insert(*id)))
        .collect();
    for (at, row) in new.iter().enumerate() {
        if predecessor[at].is_some() {
            continue;
        }
        let best = old
            .iter()
            .filter(|old| !taken.contains(&old.memory.id))
            .filter_map(|old| Some((likeness(&old.memory, &row.memory)?, old.memory.id)))
            .max_by_key(|(likeness, _)| *likeness);
        if let Some((_, id)) = best {
            taken.insert(id);
            predecessor[at] = Some(id);
        }
    }
    let mut renewal = Renewal::default();
    for (at, before) in predecessor.into_iter().enumerate() {
        if before.is_some() || adds {
            renewal.kept.push((at, before));
        }
    }
    for row in old.iter().filter(|row| !taken.contains(&row.memory.id)) {
        let memory = &row.memory;
        let can_be_derived = memory.provenance.events.iter().all(|event| shown.contains(event));
        let is_used = row.hits > 0 || row.prevented > 0 || memory.pinned || memory.critical;
        match (can_be_derived, is_used) {
            (true, false) => renewal.dropped.push(memory.id),
            (true, true) => renewal.retired.push(memory.id),
            (false, _) if !distill::is_worth_saying(&memory.title) => renewal.retired.push(memory.id),
            (false, _) => {}
        }
    }
    renewal
}

/// How much two memories are one: they are of the same events. Of several the one of the same kind, and of those the one
/// that shares most.
fn likeness(old: &Memory, new: &Memory) -> Option<(bool, bool, usize)> {
    let is_observed = |memory: &Memory| memory.kind.is_observation();
    if old.kind != new.kind && !(is_observed(old) && is_observed(new)) {
        return None;
    }
    let shared = new.provenance.events.iter().filter(|event| old.provenance.events.contains(event)).count();
    let begins_alike = old.provenance.events.first() == new.provenance.events.first();
    (shared * 2 > old.provenance.events.len().min(new.provenance.events.len()) || begins_alike && shared > 0)
        .then_some((old.kind == new.kind, begins_alike, shared))
}

fn is_of_other_rules(memory: &Memory) -> bool {
    memory.provenance.by.starts_with("extractive/") && memory.provenance.by != distill::NAME
}

/// Writes a renewal down. `edited`: memories whose words are a person's by now; they keep them.
pub fn apply(
    batch: &mut Batch<'_>,
    derived: &Derived,
    renewal: &Renewal,
    edited: &BTreeSet<MemoryId>,
) -> Result<(), StoreError> {
    let kept = |result: crate::Result<()>| match result {
        Ok(()) => Ok(()),
        Err(error) => error.into_store().map_or(Ok(()), Err),
    };
    for (at, before) in &renewal.kept {
        let row = &derived.memories[*at];
        let derived_id = row.memory.id;
        if let Some(before) = before.filter(|before| *before != derived_id) {
            batch.keep_under(derived_id, before)?;
        }
        let id = before.unwrap_or(derived_id);
        if edited.contains(&id) {
            continue;
        }
        batch.set_position(row.seq);
        let renewed = Memory { id, ..row.memory.clone() };
        memory::keep(batch, &renewed)?;
        kept(life::retire(batch, &renewed))?;
        kept(life::resolve(batch, &renewed))?;
        if let Some((_, summary)) = derived.summaries.iter().find(|(of, _)| *of == derived_id)
            && let Some(session) = &renewed.session
        {
            batch.put_summary(id, session, renewed.at, summary)?;
        }
    }
    for id in &renewal.dropped {
        if !edited.contains(id) {
            memory::drop_for_room(batch, *id)?;
        }
    }
    for id in &renewal.retired {
        let Some(row) = batch.memory(*id)?.filter(|row| !row.memory.pinned && !row.memory.critical) else {
            continue;
        };
        if !edited.contains(id) && !row.memory.tools.iter().any(|tool| tool.starts_with(RETIRED)) {
            let mut retired = row.memory;
            retired.tools.push(format!("{RETIRED}{}", retired.provenance.by));
            memory::keep(batch, &retired)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::{MemoryKind, Provenance, SessionId};

    use super::*;

    fn row(number: u64, kind: MemoryKind, by: &str, title: &str, events: &[u8]) -> MemoryRow {
        let events: Vec<EventId> = events.iter().map(|number| EventId::mint(1000, [*number; 10])).collect();
        let memory = Memory {
            session: Some(SessionId::new("s")),
            provenance: Provenance { by: by.to_owned(), events, ..Provenance::default() },
            ..Memory::new(MemoryId::from_u64(number), kind, 5, title.to_owned(), "text".to_owned())
        };
        MemoryRow {
            n: number,
            memory,
            tokens: 1,
            seq: number,
            repeats: 0,
            hits: 0,
            prevented: 0,
            last_applied_at: None,
            superseded_by: None,
            author: None,
        }
    }

    fn shown(events: &[u8]) -> BTreeSet<EventId> {
        events.iter().map(|number| EventId::mint(1000, [*number; 10])).collect()
    }

    const OLD: &str = "extractive/1";

    #[test]
    fn what_both_rules_make_of_the_same_events_is_one_memory_and_the_rest_goes() {
        let mut used = row(3, MemoryKind::Discovery, OLD, "used and no longer made", &[7]);
        used.hits = 2;
        let old = [
            row(1, MemoryKind::Bugfix, OLD, "the same", &[1, 2]),
            row(2, MemoryKind::Change, OLD, "Install lint: `make lint`", &[3]),
            used,
            row(4, MemoryKind::Note, "person", "a person's own", &[]),
            row(5, MemoryKind::Change, OLD, "told by other words", &[5, 6]),
            row(6, MemoryKind::Change, OLD, "Let me look", &[90]),
            row(7, MemoryKind::Change, OLD, "Raise the limit of uploads to 50 MB", &[91]),
        ];
        let new = [
            row(1, MemoryKind::Bugfix, distill::NAME, "the same", &[1, 2]),
            row(8, MemoryKind::Feature, distill::NAME, "Told by better words", &[5, 6]),
            row(9, MemoryKind::Decision, distill::NAME, "Never push to main", &[8]),
        ];
        let renewal = compare(&old, &new, &shown(&[1, 2, 3, 5, 6, 7, 8]), true);
        let id = MemoryId::from_u64;
        assert_eq!(renewal.kept, [(0, Some(id(1))), (1, Some(id(5))), (2, None)]);
        assert_eq!(renewal.dropped, [id(2)]);
        assert_eq!(
            renewal.retired,
            [id(3), id(6)],
            "what is not in the journal any more is judged by its words"
        );
        let careful = compare(&old, &new, &shown(&[1, 2, 3, 5, 6, 7, 8]), false);
        assert_eq!(careful.kept.len(), 2, "what a person has forgotten does not come back in other words");
    }

    #[test]
    fn a_renewed_memory_keeps_its_id_its_pin_and_its_credit_and_an_edited_one_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let old = [
            row(1, MemoryKind::Change, OLD, "old words of one", &[1]),
            row(2, MemoryKind::Change, OLD, "a person's words", &[2]),
            row(3, MemoryKind::Change, OLD, "nobody's", &[3]),
            row(4, MemoryKind::Change, OLD, "used", &[4]),
        ];
        tables
            .write(|batch| {
                for row in &old {
                    memory::keep(batch, &row.memory)?;
                }
                batch.set_pinned(MemoryId::from_u64(1), true)?;
                batch.set_life(MemoryId::from_u64(4), 3, 1, None)
            })
            .unwrap();
        let derived = Derived {
            memories: vec![
                row(11, MemoryKind::Change, distill::NAME, "new words of one", &[1]),
                row(12, MemoryKind::Change, distill::NAME, "new words of two", &[2]),
            ],
            summaries: Vec::new(),
        };
        let before = tables.memories_of_session(&SessionId::new("s"), 10).unwrap();
        let renewal = compare(&before, &derived.memories, &shown(&[1, 2, 3, 4]), true);
        let edited = BTreeSet::from([MemoryId::from_u64(2)]);
        tables.write(|batch| apply(batch, &derived, &renewal, &edited)).unwrap();
        let after = tables.memories_of_session(&SessionId::new("s"), 10).unwrap();
        let of = |number: u64| after.iter().find(|row| row.memory.id == MemoryId::from_u64(number));
        let one = of(1).unwrap();
        assert_eq!((one.memory.title.as_str(), one.memory.pinned), ("new words of one", true));
        assert_eq!(one.memory.provenance.by, distill::NAME);
        assert_eq!(of(2).unwrap().memory.title, "a person's words");
        assert!(of(3).is_none(), "nothing shows it and nobody used it");
        let used = of(4).unwrap();
        assert_eq!((used.hits, crate::origin(&used.memory)), (3, crate::Origin::Retired));
        assert!(of(11).is_none() && of(12).is_none(), "under their old ids");
        // Deriving the same again gives the same.
        tables.write(|batch| memory::keep(batch, &derived.memories[0].memory).map(drop)).unwrap();
        assert_eq!(tables.memories_of_session(&SessionId::new("s"), 10).unwrap().len(), after.len());
    }
}
