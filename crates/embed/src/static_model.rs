//! The instant model: a text is the mean of one stored row per word piece. Microseconds instead of milliseconds, for
//! code chunks by the ten thousand and for answers that cannot wait. It reads words, not sentences: "dog bites man"
//! and "man bites dog" are the same to it.
//!
//! The file: six little-endian words {magic `STV1`, pieces, dims, slots, longest piece, blob length}, slots, offsets
//! and blob as in [`crate::Vocabulary`], one f32 scale per piece, one row of `dims` bytes per piece.

use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::bytes::{Bytes, Reader};
use crate::kernels::normalize;
use crate::minilm::weights::hexadecimal;
use crate::vocabulary::Vocabulary;
use crate::{EmbedError, Embedder, Identity, MAX_TEXT, tokenizer};

pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"STV1");
/// Wider rows than any static model has.
pub(crate) const MAX_DIMS: usize = 4096;
/// Changes when the same file would give other vectors.
const VERSION: &str = "1";

/// A mean of word pieces.
#[derive(Debug)]
pub struct StaticModel {
    identity: Identity,
    vocabulary: Vocabulary,
    scales: Bytes,
    rows: Bytes,
}

impl StaticModel {
    /// The model in the binary. The first call hashes its 5 MB to name it.
    pub fn builtin() -> &'static StaticModel {
        static BUILTIN: OnceLock<StaticModel> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            StaticModel::parse(weights_static::WEIGHTS.into()).expect("`cargo xtask weights` wrote this file")
        })
    }

    /// A model from the file that [`crate::pack::static_model`] makes.
    pub fn from_bytes(file: Bytes) -> Result<StaticModel, EmbedError> {
        let model = StaticModel::parse(file).ok_or(EmbedError::Weights("not a static model"))?;
        let finite = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes).is_finite();
        if !model.vocabulary.is_sound() || !model.scales.as_chunks::<4>().0.iter().all(finite) {
            return Err(EmbedError::Weights("the vocabulary or a scale is not sound"));
        }
        Ok(model)
    }

    fn parse(file: Bytes) -> Option<StaticModel> {
        let digest = Sha256::digest(&file[..]);
        let mut reader = Reader::new(file);
        let head: [u32; 6] = [(); 6].map(|()| reader.word().unwrap_or(0));
        let [magic, pieces, dims, slots, longest, blob] = head;
        let [pieces, dims, slots, longest, blob] =
            [pieces, dims, slots, longest, blob].map(|word| word as usize);
        if magic != MAGIC || dims == 0 || dims > MAX_DIMS {
            return None;
        }
        let vocabulary = Vocabulary::read_body(&mut reader, pieces, slots, longest, blob)?;
        let scales = reader.take(pieces * 4)?;
        let rows = reader.take(pieces * dims)?;
        if reader.rest() != 0 {
            return None;
        }
        let identity = Identity {
            name: "static-minilm".to_owned(),
            version: VERSION.to_owned(),
            weights: hexadecimal(std::array::from_fn(|at| digest[at])),
            dims,
        };
        Some(StaticModel { identity, vocabulary, scales, rows })
    }

    /// The pieces of a text, without marks; a word that cannot be spelled is left out.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let mut pieces = Vec::new();
        tokenizer::tokenize(&self.vocabulary, None, text, MAX_TEXT, &mut pieces);
        pieces
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let dims = self.identity.dims;
        let scales = self.scales.as_chunks::<4>().0;
        let mut vector = vec![0.0_f32; dims];
        for piece in self.pieces(text) {
            let scale = f32::from_le_bytes(scales[piece as usize]);
            let row = &self.rows[piece as usize * dims..][..dims];
            for (sum, &byte) in vector.iter_mut().zip(row) {
                *sum += scale * f32::from(byte.cast_signed());
            }
        }
        normalize(&mut vector);
        vector
    }
}

impl Embedder for StaticModel {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}
