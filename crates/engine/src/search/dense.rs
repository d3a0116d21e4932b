//! The vectors of the current model in memory, and whose they are. A memory may have several, for the parts of a long
//! text: it is as near as its nearest part.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use embed::flat::Flat;
use store::{Scored, Tables};

use super::{Model, Nearest};
use crate::Result;

const NONE: u32 = u32::MAX;
/// Rows asked for in place of one memory, at most.
const MAX_ROWS: usize = 4;

/// Cosines below which a text that shares no word with a question has nothing to do with it, for the models they were
/// measured with: of 516 right answers to questions about dialogue and commits two that share no word are below, and
/// neither is among the first twenty.
const FLOORS: &[(&str, f32)] = &[("minilm-l6-v2", 0.25)];
/// So much higher where no memory has any word of the question: then it is made of words nobody uses here, and
/// something is near to any of those.
const UNKNOWN: f32 = 0.05;

fn floor(model: &str) -> Option<f32> {
    FLOORS.iter().find(|(name, _)| *name == model).map(|(_, floor)| *floor)
}

impl Nearest {
    /// Leaves out what is no answer to a question whose words found `lexical`.
    pub(super) fn above_floor(&mut self, lexical: &[Scored]) {
        let Some(floor) = self.floor else { return };
        let floor = if lexical.is_empty() { floor + UNKNOWN } else { floor };
        let worded: HashSet<u64> = lexical.iter().map(|found| found.n).collect();
        self.cosines.retain(|n, cosine| *cosine >= floor || worded.contains(n));
    }
}

#[derive(Default)]
pub(super) struct Dense {
    model: Option<Model>,
    vectors: Option<Vectors>,
}

struct Vectors {
    flat: Flat,
    /// By row: the memory it belongs to.
    owners: Vec<u32>,
    /// By row: the next row of the same memory.
    next: Vec<u32>,
    /// By memory: its first row.
    first: Vec<u32>,
    /// How many have one.
    memories: usize,
}

impl Dense {
    /// Reads what this model has made so far.
    pub(super) fn load(tables: &Tables, model: Model) -> Result<Self> {
        let identity = model.identity().clone();
        let mut vectors = Vectors::new(identity.dims);
        tables.each_vector(&identity.to_string(), &mut |n, encoded| vectors.push(n, encoded))?;
        Ok(Self { model: Some(model), vectors: Some(vectors) })
    }

    pub(super) fn model(&self) -> Option<Model> {
        self.model.clone()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.vectors.as_ref().is_none_or(|vectors| vectors.flat.is_empty())
    }

    /// Vectors in memory.
    pub(super) fn rows(&self) -> usize {
        self.vectors.as_ref().map_or(0, |vectors| vectors.flat.len())
    }

    /// Puts the parts of a memory in place of those it had.
    pub(super) fn replace(&mut self, n: u64, parts: &[Vec<u8>]) {
        if let Some(vectors) = &mut self.vectors {
            vectors.remove(n);
            for part in parts {
                vectors.push(n, part);
            }
        }
    }

    /// Whether these vectors are of this very model. A question read by another is not comparable.
    pub(super) fn is_of(&self, model: &Model) -> bool {
        self.model.as_ref().is_some_and(|own| Arc::ptr_eq(own, model))
    }

    /// The memories nearest to a question that the current model has read. `None`: there are none, or the scan failed;
    /// words must do.
    pub(super) fn nearest(
        &self,
        query: Vec<f32>,
        limit: usize,
        passes: &(dyn Fn(u64) -> bool + Sync),
    ) -> Option<Nearest> {
        let vectors = self.vectors.as_ref()?;
        if vectors.flat.is_empty() {
            return None;
        }
        let filter = |row: u32| passes(u64::from(vectors.owners[row as usize]));
        // Several rows may belong to one memory.
        let rows = limit * vectors.flat.len().div_ceil(vectors.memories.max(1)).min(MAX_ROWS);
        let rows = vectors.flat.search(&query, rows, Some(&filter)).ok()?;
        let mut cosines = HashMap::with_capacity(rows.len());
        for row in rows {
            // Best first: a later part of the same memory is farther.
            cosines.entry(u64::from(vectors.owners[row.row as usize])).or_insert(row.score);
        }
        let floor = self.model.as_ref().and_then(|model| floor(&model.identity().name));
        Some(Nearest { cosines, query: Some(query), floor, memories: vectors.memories })
    }

    /// How near a memory is that the scan did not bring. `None`: it has no vector.
    pub(super) fn cosine(&self, query: &[f32], n: u64) -> Option<f32> {
        let vectors = self.vectors.as_ref()?;
        let mut row = vectors.first.get(n as usize).copied().unwrap_or(NONE);
        let mut best = None;
        while row != NONE {
            if let Some(vector) = vectors.flat.vector(row) {
                let product: f32 = vector.iter().zip(query).map(|(a, b)| a * b).sum();
                best = Some(best.map_or(product, |best: f32| best.max(product)));
            }
            row = vectors.next[row as usize];
        }
        best
    }
}

impl Vectors {
    fn new(dims: usize) -> Self {
        Self { flat: Flat::new(dims), owners: Vec::new(), next: Vec::new(), first: Vec::new(), memories: 0 }
    }

    /// Bytes that are no vector of this model are left out: their memory is found by its words.
    fn push(&mut self, n: u64, encoded: &[u8]) {
        let Ok(owner) = u32::try_from(n) else { return };
        let Ok(row) = self.flat.push_encoded(encoded) else { return };
        let row_at = row as usize;
        if self.owners.len() <= row_at {
            self.owners.resize(row_at + 1, 0);
            self.next.resize(row_at + 1, NONE);
        }
        if self.first.len() <= n as usize {
            self.first.resize(n as usize + 1, NONE);
        }
        self.memories += usize::from(self.first[n as usize] == NONE);
        self.owners[row_at] = owner;
        self.next[row_at] = std::mem::replace(&mut self.first[n as usize], row);
    }

    fn remove(&mut self, n: u64) {
        let Some(first) = self.first.get_mut(n as usize) else { return };
        let mut row = std::mem::replace(first, NONE);
        self.memories -= usize::from(row != NONE);
        while row != NONE {
            self.flat.remove(row);
            row = std::mem::replace(&mut self.next[row as usize], NONE);
        }
    }
}
