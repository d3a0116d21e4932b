//! What may be said when a session starts, weighed: a few hundred rows found by indexes, of which the best are read
//! whole. Nothing that was superseded, nothing raw, and nothing in somebody else's words.

use std::collections::{BTreeMap, HashSet};

use model::{MemoryKind, Millis, SessionId};
use recall::standing::{Standing, Weight, weigh};
use store::{MemoryRow, StandingRow, Tables};

use crate::behavior::{Context, Workspace};
use crate::hints::Hinted;
use crate::{Result, origin};

/// Clones of one repository and projects a person has hinted at; more is no place to be at home.
const MAX_HOMES: usize = 12;
/// The youngest of each kind at one home.
const PER_KIND: usize = 16;
/// What was of use at one home, last used first.
const OF_USE: usize = 60;
/// What is always said at one home; a hundred rules are followed by nobody.
const ALWAYS: usize = 60;
/// Sessions whose files count as worked on last, how many of their files, and memories about those.
const SESSIONS: usize = 4;
const FILES: usize = 16;
const ABOUT_FILES: usize = 100;
/// The best of the weighed, read whole; some of them are left out later.
const WEIGHED: usize = 24;
/// Of one kind, before the others have had their turn: ten notes would hide what was decided.
const OF_A_KIND: usize = 5;
const SUMMARIES: usize = 3;
const RECENT: usize = 30;
const DAY_MS: f32 = 24.0 * 60.0 * 60.0 * 1000.0;

/// What states something. Prompts and pieces of conversations are raw; summaries have a place of their own.
const KINDS: &[MemoryKind] = &[
    MemoryKind::Note,
    MemoryKind::Decision,
    MemoryKind::Learning,
    MemoryKind::Security,
    MemoryKind::Bugfix,
    MemoryKind::Failure,
    MemoryKind::Discovery,
    MemoryKind::Feature,
    MemoryKind::Refactor,
    MemoryKind::Change,
    MemoryKind::Incident,
    MemoryKind::Document,
];
/// What holds everywhere is said unasked only where somebody meant it so.
const KINDS_EVERYWHERE: &[MemoryKind] = &[MemoryKind::Note, MemoryKind::Decision, MemoryKind::Learning];

/// A memory and what it is worth here.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) row: MemoryRow,
    pub(super) weight: Weight,
}

#[derive(Debug, Default)]
pub(super) struct Found {
    /// Best first.
    pub(super) critical: Vec<Candidate>,
    /// Best first.
    pub(super) weighted: Vec<Candidate>,
    /// Last first.
    pub(super) summaries: Vec<MemoryRow>,
    /// Observations of this project, last first.
    pub(super) recent: Vec<MemoryRow>,
}

/// Only what is newer than a place in the journal, and not of this very session: the rest is in its history.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since<'a> {
    pub(super) seq: u64,
    pub(super) session: &'a SessionId,
}

impl Since<'_> {
    fn is_news(since: Option<Self>, row: &StandingRow) -> bool {
        since.is_none_or(|since| row.seq > since.seq && row.session.as_ref() != Some(since.session))
    }
}

/// Everything there is to choose from.
pub(super) fn gather(
    tables: &Tables,
    cx: &Context,
    hinted: &Hinted,
    since: Option<Since<'_>>,
) -> Result<Found> {
    let homes = homes(tables, cx.workspace.as_ref(), &hinted.tags)?;
    let mut rows: BTreeMap<u64, (StandingRow, usize)> = BTreeMap::new();
    let mut add = |found: Vec<StandingRow>| {
        for row in found.into_iter().filter(|row| Since::is_news(since, row)) {
            rows.entry(row.n).or_insert((row, 0));
        }
    };
    let mut summaries = Vec::new();
    for home in homes.iter().map(|home| Some(home.as_str())).chain([None]) {
        add(tables.always_said(home, ALWAYS)?);
        add(tables.of_use(home, OF_USE)?);
        for kind in if home.is_some() { KINDS } else { KINDS_EVERYWHERE } {
            add(tables.newest_at(home, *kind, PER_KIND)?);
        }
        if home.is_some() {
            summaries.extend(tables.newest_at(home, MemoryKind::Summary, SUMMARIES)?);
        }
    }
    if let Some(here) = &cx.workspace {
        let touched = tables.touched_files(&here.key, SESSIONS, FILES)?;
        for (row, in_common) in tables.about_files(&touched, ABOUT_FILES)? {
            let is_ours = row.home.as_ref().is_some_and(|home| homes.contains(home));
            if is_ours && Since::is_news(since, &row) {
                rows.entry(row.n).or_insert((row, 0)).1 = in_common;
            }
        }
    }
    rows.retain(|_, (row, _)| KINDS.contains(&row.kind));

    let place = Place { homes: &homes, here: cx.workspace.as_ref(), boost: hinted.match_boost, now: cx.now };
    let recent = rows.values().map(|(row, _)| row).filter(|row| {
        row.kind.is_observation() && row.home.as_ref().is_some_and(|home| homes.contains(home))
    });
    let recent = last(recent, RECENT);
    let (critical, weighted): (Vec<_>, Vec<_>) = rows
        .into_values()
        .map(|(row, in_common)| (place.weigh(&row, in_common), row))
        .partition(|(_, row)| row.critical);
    let summaries = last(summaries.iter().filter(|row| Since::is_news(since, row)), SUMMARIES);
    Ok(Found {
        critical: whole(tables, sorted(critical), ALWAYS)?,
        weighted: whole(tables, mixed(sorted(weighted)), WEIGHED)?,
        summaries: tables.memories_at(&summaries)?.into_iter().filter(is_trusted).collect(),
        recent: tables.memories_at(&recent)?.into_iter().filter(is_trusted).collect(),
    })
}

/// What is critical here, and nothing else.
pub(super) fn critical(tables: &Tables, cx: &Context, hinted: &Hinted) -> Result<Vec<Candidate>> {
    let homes = homes(tables, cx.workspace.as_ref(), &hinted.tags)?;
    let place = Place { homes: &homes, here: cx.workspace.as_ref(), boost: hinted.match_boost, now: cx.now };
    let mut rows = Vec::new();
    for home in homes.iter().map(|home| Some(home.as_str())).chain([None]) {
        let said = tables.always_said(home, ALWAYS)?;
        rows.extend(said.into_iter().filter(|row| row.critical).map(|row| (place.weigh(&row, 0), row)));
    }
    whole(tables, sorted(rows), ALWAYS)
}

/// Where memories of this workspace are at home: its project, the clones of it, its name where nothing more was
/// known, and what a person has hinted at.
pub(in crate::behaviors) fn homes(
    tables: &Tables,
    here: Option<&Workspace>,
    tags: &[String],
) -> Result<Vec<String>> {
    let Some(here) = here else { return Ok(Vec::new()) };
    let mut homes = tables.project_family(&here.project_key)?;
    homes.push(here.project.clone());
    for tag in tags {
        homes.extend(tables.project_family(tag)?);
    }
    let mut known = HashSet::new();
    homes.retain(|home| known.insert(home.clone()));
    homes.truncate(MAX_HOMES);
    Ok(homes)
}

struct Place<'a> {
    homes: &'a [String],
    here: Option<&'a Workspace>,
    boost: f32,
    now: Millis,
}

impl Place<'_> {
    fn weigh(&self, row: &StandingRow, files_in_common: usize) -> Weight {
        let used = row.last_applied_at.unwrap_or(row.at);
        let branch = self.here.and_then(|here| here.branch.as_deref());
        weigh(&Standing {
            hits: row.hits,
            prevented: row.prevented,
            age_days: self.now.saturating_sub(used) as f32 / DAY_MS,
            half_life_days: recall::standing::HALF_LIFE_DAYS,
            critical: row.critical,
            evergreen: row.pinned,
            same_project: row.home.as_ref().is_some_and(|home| self.homes.contains(home)),
            match_boost: self.boost,
            same_branch: branch.is_some() && branch == row.branch.as_deref(),
            files_in_common,
            urgent: row.urgent,
            kind: worth(row.kind),
        })
    }
}

/// What a person or a whole session concluded says more than one step of work.
fn worth(kind: MemoryKind) -> f32 {
    use MemoryKind::{Bugfix, Change, Decision, Document, Failure, Incident, Learning, Note, Security};
    match kind {
        Note => 1.5,
        Decision | Learning | Security => 1.3,
        Bugfix | Failure => 1.1,
        Change | Document => 0.8,
        Incident => 0.6,
        _ => 1.0,
    }
}

type Weighed = (Weight, StandingRow);

/// Best first; of equals the youngest. What is always said is beyond comparison, and compared among itself.
fn sorted(mut rows: Vec<Weighed>) -> Vec<Weighed> {
    rows.sort_by(|(one, a), (other, b)| {
        (other.value.total_cmp(&one.value))
            .then_with(|| product(other).total_cmp(&product(one)))
            .then_with(|| (b.at, b.n).cmp(&(a.at, a.n)))
    });
    rows
}

fn product(weight: &Weight) -> f32 {
    let terms: f32 = weight.terms.iter().map(|term| term.value).sum();
    terms * weight.factors.iter().map(|factor| factor.value).product::<f32>()
}

/// The best of every kind before the rest of any. What is always said goes first in any case.
fn mixed(rows: Vec<Weighed>) -> Vec<Weighed> {
    let mut seen: BTreeMap<MemoryKind, usize> = BTreeMap::new();
    let (mut first, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(weight, row)| {
        let count = seen.entry(row.kind).or_default();
        *count += 1;
        weight.value.is_infinite() || *count <= OF_A_KIND
    });
    first.extend(rest);
    first
}

/// The first of them with their texts; only what may be said unasked.
fn whole(tables: &Tables, mut rows: Vec<Weighed>, most: usize) -> Result<Vec<Candidate>> {
    rows.truncate(most);
    let numbers: Vec<u64> = rows.iter().map(|(_, row)| row.n).collect();
    let mut weights: BTreeMap<u64, Weight> = rows.into_iter().map(|(weight, row)| (row.n, weight)).collect();
    let read = tables.memories_at(&numbers)?.into_iter().filter(is_trusted);
    Ok(read.filter_map(|row| Some(Candidate { weight: weights.remove(&row.n)?, row })).collect())
}

/// The numbers of the youngest, youngest first.
fn last<'a>(rows: impl Iterator<Item = &'a StandingRow>, most: usize) -> Vec<u64> {
    let mut moments: Vec<(Millis, u64)> = rows.map(|row| (row.at, row.n)).collect();
    moments.sort_unstable_by(|one, other| other.cmp(one));
    moments.into_iter().take(most).map(|(_, n)| n).collect()
}

fn is_trusted(row: &MemoryRow) -> bool {
    row.superseded_by.is_none() && origin(&row.memory).is_trusted()
}
