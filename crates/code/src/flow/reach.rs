//! Which definition of a variable reaches which use: bits for every definition, sent along the ways between steps until
//! nothing changes.

use super::graph::{Graph, Mode};
use super::scope::{Path, PathId, Scopes};

/// A definition or a use, by where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    pub(crate) step: u32,
    pub(crate) path: PathId,
    pub(crate) mode: Mode,
    pub(crate) line: u32,
}

#[derive(Debug)]
pub(crate) struct Reaching {
    pub(crate) definitions: Vec<Site>,
    pub(crate) uses: Vec<Site>,
    /// A definition and a use it reaches.
    pub(crate) chains: Vec<(u32, u32)>,
}

/// Changes of one variable that are kept apart. Of more, only the last is said to reach a use: it reads what those
/// before it left, and the chains would grow with the square.
const MANY_CHANGES: usize = 64;

pub(crate) fn reaching(graph: &Graph<'_>, scopes: &Scopes<'_>) -> Reaching {
    let mut definitions = Vec::new();
    let mut uses = Vec::new();
    for (step, found) in graph.steps.iter().enumerate() {
        for access in &found.accesses {
            let site = Site { step: step as u32, path: access.path, mode: access.mode, line: access.line };
            match access.mode {
                Mode::Read | Mode::Base => uses.push(site),
                Mode::Write | Mode::Change => definitions.push(site),
            }
        }
    }
    let words = definitions.len().div_ceil(64);
    let steps = graph.steps.len();
    let path = |id: PathId| -> &Path<'_> { &scopes.paths[id.0 as usize] };
    // Definitions by variable, so that only those of one are compared.
    let mut of_variable: Vec<Vec<u32>> = vec![Vec::new(); scopes.variables.len()];
    for (at, definition) in definitions.iter().enumerate() {
        of_variable[path(definition.path).variable.0 as usize].push(at as u32);
    }
    let mut gives = Bits::new(steps, words);
    let mut kills = Bits::new(steps, words);
    for (at, definition) in definitions.iter().enumerate() {
        let step = definition.step as usize;
        let mine = path(definition.path);
        let others = &of_variable[mine.variable.0 as usize];
        let only_changes = definition.mode == Mode::Change;
        if !only_changes || others.len() > MANY_CHANGES {
            for other in others {
                let theirs = &definitions[*other as usize];
                if mine.covers(path(theirs.path)) && (!only_changes || theirs.mode == Mode::Change) {
                    kills.set(step, *other as usize);
                }
            }
        }
        gives.set(step, at);
    }
    let mut next: Vec<Vec<(u32, bool)>> = vec![Vec::new(); steps];
    for (from, to, kind) in &graph.edges {
        if kind.is_some() {
            next[*from as usize].push((*to, false));
        }
    }
    for (from, to) in &graph.throws {
        next[*from as usize].push((*to, true));
    }
    let entering = flow(steps, words, &next, &gives, &kills);
    let mut chains = Vec::new();
    for (at, used) in uses.iter().enumerate() {
        let wanted = path(used.path);
        for other in &of_variable[wanted.variable.0 as usize] {
            let definition = &definitions[*other as usize];
            let theirs = path(definition.path);
            let matches = match used.mode {
                Mode::Base => definition.mode == Mode::Write && theirs.covers(wanted),
                _ => theirs.touches(wanted),
            };
            if matches && entering.has(used.step as usize, *other as usize) {
                chains.push((*other, at as u32));
            }
        }
    }
    // What a function within takes from around it may be written later, before it runs.
    for (at, used) in uses.iter().enumerate() {
        let wanted = path(used.path);
        let around = graph.closures.iter().filter(|(first, last, functions)| {
            (*first..=*last).contains(&used.step)
                && scopes.variables[wanted.variable.0 as usize].function < *functions
        });
        let Some(last) = around.map(|(_, last, _)| *last).max() else { continue };
        for other in &of_variable[wanted.variable.0 as usize] {
            let definition = &definitions[*other as usize];
            if definition.step > last && path(definition.path).touches(wanted) && used.mode == Mode::Read {
                chains.push((*other, at as u32));
            }
        }
    }
    // What was put off runs after a `return` has said what it gives.
    for (step, path_of, line) in &graph.given {
        let Some(first) = graph.deferred else { break };
        let wanted = path(*path_of);
        let at = uses.len() as u32;
        uses.push(Site { step: *step, path: *path_of, mode: Mode::Read, line: *line });
        for other in &of_variable[wanted.variable.0 as usize] {
            let definition = &definitions[*other as usize];
            if definition.step >= first && path(definition.path).touches(wanted) {
                chains.push((*other, at));
            }
        }
    }
    chains.sort_unstable();
    chains.dedup();
    Reaching { definitions, uses, chains }
}

/// What enters each step, when nothing changes anymore.
fn flow(steps: usize, words: usize, next: &[Vec<(u32, bool)>], gives: &Bits, kills: &Bits) -> Bits {
    let mut entering = Bits::new(steps, words);
    let mut waiting: std::collections::VecDeque<usize> = (0..steps).collect();
    let mut queued = vec![true; steps];
    let mut leaving = vec![0_u64; words];
    let mut thrown = vec![0_u64; words];
    while let Some(step) = waiting.pop_front() {
        queued[step] = false;
        for word in 0..words {
            let before = entering.words[step * words + word];
            let (given, killed) = (gives.words[step * words + word], kills.words[step * words + word]);
            leaving[word] = before & !killed | given;
            // What throws may have thrown before it wrote.
            thrown[word] = before | given;
        }
        for (to, throws) in &next[step] {
            let to = *to as usize;
            let sent = if *throws { &thrown } else { &leaving };
            let mut changed = false;
            for (word, bits) in sent.iter().enumerate() {
                let at = &mut entering.words[to * words + word];
                changed |= *at | bits != *at;
                *at |= bits;
            }
            if changed && !queued[to] {
                queued[to] = true;
                waiting.push_back(to);
            }
        }
    }
    entering
}

/// A table of bits, one row a step.
#[derive(Debug)]
struct Bits {
    width: usize,
    words: Vec<u64>,
}

impl Bits {
    fn new(rows: usize, width: usize) -> Self {
        Self { width, words: vec![0; rows * width] }
    }

    fn set(&mut self, row: usize, bit: usize) {
        self.words[row * self.width + bit / 64] |= 1 << (bit % 64);
    }

    fn has(&self, row: usize, bit: usize) -> bool {
        self.words[row * self.width + bit / 64] & (1 << (bit % 64)) != 0
    }
}
