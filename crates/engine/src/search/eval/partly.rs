//! The same store with ever fewer vectors, as it is while they are being made: whoever has read half of a store must
//! not answer worse than somebody who has read none of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::MemoryId;
use store::Tables;

use super::{Document, build};
use crate::Result;
use crate::search::{Model, Search};

/// Memories whose vectors are dropped in one transaction.
const BATCH: usize = 500;
/// More than any set has.
const ALL: usize = 10_000_000;

/// Which memories have their vectors first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As the daemon makes them.
    AsMade,
    /// Any, but the same ones each time: what a store looks like whose texts came in another order.
    Random,
}

/// A store that loses its vectors, last made first.
pub struct Partly {
    path: PathBuf,
    model: Model,
    /// Memories in the order in which they get theirs.
    order: Vec<u64>,
    all: usize,
}

impl std::fmt::Debug for Partly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Partly").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Partly {
    /// With all vectors.
    pub fn build(path: &Path, documents: &[Document], model: Model, order: Order) -> Result<Self> {
        build(path, documents, None)?;
        let mut numbers = Tables::open(path)?.first_unembedded(ALL)?;
        if order == Order::Random {
            numbers.sort_by_key(|n| MemoryId::of(&["random", &n.to_string()]).as_u64());
        }
        let search = Search::open(path)?;
        let mut tables = Tables::open(path)?;
        search.use_model(&mut tables, Arc::clone(&model))?;
        while search.embed_due(&mut tables, BATCH)? > 0 {}
        Ok(Self { path: path.to_owned(), model, all: numbers.len(), order: numbers })
    }

    /// Search with this percentage of the vectors. To be asked for ever fewer: what is gone does not come back.
    pub fn with(&mut self, percent: usize) -> Result<Search> {
        let kept = (self.all * percent.min(100)).div_ceil(100).min(self.order.len());
        let mut tables = Tables::open(&self.path)?;
        let gone: Vec<u64> = self.order.drain(kept..).collect();
        for some in gone.chunks(BATCH) {
            tables.write(|batch| some.iter().try_for_each(|n| batch.drop_vectors(*n)))?;
        }
        let search = Search::open(&self.path)?;
        search.use_model(&mut tables, Arc::clone(&self.model))?;
        Ok(search)
    }
}
