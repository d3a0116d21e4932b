//! What a change reaches: who calls it, who calls those, and which of them are tests.

use std::collections::{HashMap, VecDeque};

use super::uses::{self, Wanted};
use super::{Map, find, setup};
use crate::answer::{Answer, Reached};
use crate::error::AtlasError;
use crate::library::Def;

/// Calls that are followed where nobody said.
const DEPTH: usize = 6;
const MAX_DEPTH: usize = 32;
/// Definitions that are looked at; past this everything is reached, and the answer says so.
const MAX_REACHED: usize = 4000;
/// Of these, so many for each row that is shown: the nearest come first, and what is looked at beyond only adds files.
const REACHED_A_ROW: usize = 8;
/// Names of a path that are told.
const MAX_PATH: usize = 12;

/// How far a wave goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    depth: usize,
    most: usize,
    /// So many tests are enough, whatever else would be reached.
    tests: usize,
}

impl Bounds {
    /// To show so many rows of everything.
    pub(super) fn rows(depth: usize, limit: usize) -> Self {
        Self { depth, most: (limit * REACHED_A_ROW).min(MAX_REACHED), tests: usize::MAX }
    }

    /// To find so many tests, however far they are.
    pub(super) fn tests(depth: usize, limit: usize) -> Self {
        Self { depth, most: MAX_REACHED, tests: limit }
    }
}

/// How one definition is reached.
#[derive(Debug, Clone, Copy)]
struct Way {
    depth: usize,
    /// What it calls on the way.
    next: Option<Def>,
    line: u32,
}

pub(super) struct Wave {
    ways: HashMap<Def, Way>,
    /// In the order they were reached.
    order: Vec<Def>,
    pub(super) cut: bool,
}

/// Everything that reaches these, nearest first.
pub(super) fn wave(map: &Map<'_>, from: &[Def], bounds: Bounds) -> Wave {
    wave_of(map, from, &[], bounds)
}

/// The same where some are reached already, each with the line of its call: by what is not there any more.
pub(super) fn wave_of(map: &Map<'_>, from: &[Def], reached: &[(Def, u32)], bounds: Bounds) -> Wave {
    let mut tests = 0;
    let mut wave = Wave { ways: HashMap::new(), order: Vec::new(), cut: false };
    let mut open: VecDeque<Def> = VecDeque::new();
    for def in from {
        wave.ways.entry(*def).or_insert(Way { depth: 0, next: None, line: 0 });
        open.push_back(*def);
    }
    for (def, line) in reached {
        if !wave.ways.contains_key(def) {
            tests += usize::from(map.is_told_as_test(*def));
            wave.ways.insert(*def, Way { depth: 1, next: None, line: *line });
            wave.order.push(*def);
            open.push_back(*def);
        }
    }
    while let Some(at) = open.pop_front() {
        let way = wave.ways[&at];
        if way.depth >= bounds.depth {
            continue;
        }
        // Who calls a method of a base may run what overrides it.
        let mut meant = vec![at];
        meant.extend(map.resolver.overridden(at));
        // A mention hands it on; an import or a type runs nothing, but breaks when it changes.
        let uses = uses::of(map, &meant, Wanted::All).into_iter();
        let users = uses.filter_map(|found| {
            Some((map.enclosing(found.file, found.reference.within)?, found.reference.line))
        });
        for (caller, line) in users.chain(setup::runs_with(map, at)) {
            if caller == at || wave.ways.contains_key(&caller) {
                continue;
            }
            if wave.order.len() >= bounds.most || tests > bounds.tests {
                wave.cut = true;
                return wave;
            }
            tests += usize::from(map.is_told_as_test(caller));
            wave.ways.insert(caller, Way { depth: way.depth + 1, next: Some(at), line });
            wave.order.push(caller);
            open.push_back(caller);
        }
    }
    wave
}

impl Wave {
    pub(super) fn reached(&self, map: &Map<'_>, def: Def) -> Reached {
        let way = self.ways[&def];
        let mut path = vec![map.item(def).name];
        let mut at = way.next;
        while let Some(next) = at.filter(|_| path.len() < MAX_PATH) {
            path.push(map.item(next).name);
            at = self.ways.get(&next).and_then(|way| way.next);
        }
        Reached { item: map.item(def), depth: way.depth, path, call_line: way.line }
    }

    /// What was reached, tests apart.
    pub(super) fn answer(&self, map: &Map<'_>, from: &[Def], limit: usize) -> Answer {
        let (tests, others): (Vec<Def>, Vec<Def>) =
            self.order.iter().partition(|def| map.is_told_as_test(**def));
        let mut files: Vec<String> =
            self.order.iter().chain(from).map(|def| map.library.path(def.file).to_owned()).collect();
        files.sort();
        files.dedup();
        let cut = self.cut || tests.len() > limit || others.len() > limit;
        let reached =
            |defs: Vec<Def>| defs.into_iter().take(limit).map(|def| self.reached(map, def)).collect();
        Answer::Impact {
            symbols: from.iter().take(limit).map(|def| map.item(*def)).collect(),
            reached: reached(others),
            tests: reached(tests),
            files,
            cut,
            removed: Vec::new(),
        }
    }
}

pub(super) fn impact(
    map: &Map<'_>,
    wanted: &str,
    depth: Option<usize>,
    limit: usize,
) -> Result<Answer, AtlasError> {
    let from = find::named(map, wanted)?;
    let wave = wave(map, &from, Bounds::rows(depth.unwrap_or(DEPTH).clamp(1, MAX_DEPTH), limit));
    Ok(wave.answer(map, &from, limit))
}

/// The tests that reach symbols or files. A file stands for all that is defined in it.
pub(super) fn tests_for(map: &Map<'_>, targets: &[String], limit: usize) -> Result<Answer, AtlasError> {
    let mut from = Vec::new();
    for target in targets {
        match map.atlas.relative(target).and_then(|path| map.library.by_path(path)) {
            Some(file) => from.extend(defined_in(map, file)),
            None => from.extend(find::named(map, target)?),
        }
    }
    let wave = wave(map, &from, Bounds::tests(MAX_DEPTH, limit));
    let mut answer = wave.answer(map, &from, limit);
    if let Answer::Impact { reached, .. } = &mut answer {
        reached.clear();
    }
    Ok(answer)
}

/// What a file defines that can be called or built.
pub(super) fn defined_in(map: &Map<'_>, file: crate::library::FileId) -> Vec<Def> {
    let Some(facts) = map.library.facts(file) else { return Vec::new() };
    let symbols = facts.symbols.iter().enumerate();
    symbols
        .filter(|(_, symbol)| {
            symbol.kind.is_callable() || symbol.kind.is_type() || symbol.kind == code::Kind::Constant
        })
        .map(|(id, _)| Def { file, symbol: code::SymbolId(id as u32) })
        .collect()
}
