//! What a file's facts are made from, in sixteen bytes: its text, its language, and the way they are read.

use std::fmt;

use code::Language;
use sha2::{Digest, Sha256};

/// How texts are read; the build names it. Facts of another way are not ours.
pub(crate) const VERSION: &str = env!("ATLAS_FACTS_VERSION");

/// The same text in the same language has the same facts, wherever it lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key(pub(crate) [u8; 16]);

impl Key {
    pub(crate) fn of(language: &Language, text: &[u8]) -> Self {
        let digest =
            Sha256::new().chain_update(language.name).chain_update([0]).chain_update(text).finalize();
        Self(std::array::from_fn(|at| digest[at]))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x}{:02x}{:02x}…", self.0[0], self.0[1], self.0[2])
    }
}
