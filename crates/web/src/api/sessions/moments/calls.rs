//! Which of two events are the halves of one call. Agents name a call in both; where they do not, the next end of the
//! same tool by the same agent is taken for its end. What is not in the page is looked for near it, and not further.

use std::collections::{HashMap, HashSet};

use model::{EventKind, SessionId};
use store::{EventRow, Moment, MomentKey, Order};

use super::super::super::reading::read;
use super::{Opened, TimelineItem, event_item, is_over, item, open};
use crate::House;
use crate::problem::Problem;

/// Envelopes opened around a page for halves that are not in it.
const MAX_OPENED_AROUND: usize = 64;
/// Of one call: as many of the same tool may run at once.
const NEAR: usize = 16;

/// The moments as items, in the order they came, each call once.
pub(super) fn joined(
    house: &dyn House,
    moments: Vec<Moment>,
    order: Order,
) -> Result<Vec<(MomentKey, TimelineItem)>, Problem> {
    let mut opened = HashMap::new();
    for moment in &moments {
        if let Moment::Event(row) = moment {
            opened.insert(row.seq, open(house, row.clone()));
        }
    }
    let halves = Halves::among(&opened);
    let mut budget = MAX_OPENED_AROUND;
    let mut hidden = HashSet::new();
    let event = |moment: &Moment| match moment {
        Moment::Event(row) => Some(row.seq),
        _ => None,
    };
    let seqs: Vec<u64> = moments.iter().filter_map(event).collect();
    let (first, last) = match order {
        Order::OldestFirst => (seqs.first(), seqs.last()),
        Order::NewestFirst => (seqs.last(), seqs.first()),
    };
    let (first, last) = (first.copied().unwrap_or(0), last.copied().unwrap_or(0));
    for seq in &seqs {
        let one = &opened[seq];
        let is_told_elsewhere = match one.glimpse.kind {
            EventKind::PreToolUse => halves.ends.contains_key(seq) || has_end(house, one, last, &mut budget)?,
            // A batch repeats calls that were told one by one.
            EventKind::PostToolBatch => true,
            _ => false,
        };
        if is_told_elsewhere {
            hidden.insert(*seq);
        }
    }
    let mut durations = HashMap::new();
    for seq in &seqs {
        let one = &opened[seq];
        if is_over(one.glimpse.kind) && one.glimpse.duration_ms.is_none() {
            let begun = match halves.begins.get(seq) {
                Some(begun) => Some(opened[begun].row.at),
                None => begin(house, one, first, &mut budget)?,
            };
            durations.insert(*seq, begun.map(|begun| one.row.at.saturating_sub(begun)));
        }
    }
    let mut items = Vec::with_capacity(moments.len());
    for moment in moments {
        let key = moment.key();
        let shown = match moment {
            Moment::Event(row) => {
                let Some(mut one) = opened.remove(&row.seq).filter(|_| !hidden.contains(&row.seq)) else {
                    continue;
                };
                if let Some(duration) = durations.remove(&row.seq) {
                    one.glimpse.duration_ms = duration;
                }
                event_item(one)
            }
            other => item(other),
        };
        items.push((key, shown));
    }
    Ok(items)
}

/// How many items a session has. Of the halves of calls with one tool by one agent as many are joined as there are of
/// the rarer half.
pub(super) fn total(house: &dyn House, session: &SessionId) -> Result<u64, Problem> {
    let counts = read(house, |tables| tables.moment_counts(session))?;
    let mut kinds: HashMap<String, EventKind> = HashMap::new();
    let mut calls: HashMap<(Option<String>, Option<String>), (u64, u64)> = HashMap::new();
    let mut total = counts.injections + counts.verdicts + counts.memories;
    for group in counts.events {
        let EventRow { kind, tool, subagent, .. } = group.sample.clone();
        let kind = *kinds.entry(kind).or_insert_with(|| open(house, group.sample).glimpse.kind);
        match kind {
            EventKind::PostToolBatch => continue,
            EventKind::PreToolUse => calls.entry((tool, subagent)).or_default().0 += group.count,
            _ if is_over(kind) => calls.entry((tool, subagent)).or_default().1 += group.count,
            _ => {}
        }
        total += group.count;
    }
    Ok(total - calls.values().map(|(before, after)| before.min(after)).sum::<u64>())
}

/// Begins and ends that belong together, by position, among the events of a page.
struct Halves {
    ends: HashMap<u64, u64>,
    begins: HashMap<u64, u64>,
}

impl Halves {
    fn among(opened: &HashMap<u64, Opened>) -> Self {
        let mut halves = Self { ends: HashMap::new(), begins: HashMap::new() };
        let mut seqs: Vec<u64> = opened.keys().copied().collect();
        seqs.sort_unstable();
        let mut waiting: Vec<u64> = Vec::new();
        for seq in seqs {
            let one = &opened[&seq];
            if one.glimpse.kind == EventKind::PreToolUse {
                waiting.push(seq);
            } else if is_over(one.glimpse.kind)
                && let Some(at) = waiting.iter().position(|begun| is_one_call(&opened[begun], one))
            {
                let begun = waiting.remove(at);
                halves.ends.insert(begun, seq);
                halves.begins.insert(seq, begun);
            }
        }
        halves
    }
}

fn is_one_call(one: &Opened, other: &Opened) -> bool {
    let named = one.glimpse.call.as_ref().zip(other.glimpse.call.as_ref());
    one.row.tool == other.row.tool
        && one.row.subagent == other.row.subagent
        && named.is_none_or(|(one, other)| one == other)
}

fn has_end(house: &dyn House, begun: &Opened, beyond: u64, budget: &mut usize) -> Result<bool, Problem> {
    let near = near(house, &begun.row, beyond, Order::OldestFirst)?;
    Ok(nearest(house, begun, near, is_over, budget).is_some())
}

/// When it began.
fn begin(house: &dyn House, ended: &Opened, beyond: u64, budget: &mut usize) -> Result<Option<u64>, Problem> {
    let near = near(house, &ended.row, beyond, Order::NewestFirst)?;
    let is_begin = |kind| kind == EventKind::PreToolUse;
    Ok(nearest(house, ended, near, is_begin, budget).map(|begun| begun.row.at))
}

fn near(house: &dyn House, row: &EventRow, beyond: u64, order: Order) -> Result<Vec<EventRow>, Problem> {
    read(house, |tables| tables.calls_near(row, beyond, order, NEAR))
}

fn nearest(
    house: &dyn House,
    half: &Opened,
    near: Vec<EventRow>,
    fits: impl Fn(EventKind) -> bool,
    budget: &mut usize,
) -> Option<Opened> {
    for row in near {
        *budget = budget.checked_sub(1)?;
        let other = open(house, row);
        if fits(other.glimpse.kind) && is_one_call(half, &other) {
            return Some(other);
        }
    }
    None
}
