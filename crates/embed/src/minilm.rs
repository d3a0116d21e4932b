//! all-MiniLM-L6-v2 in this process: six layers, 384 numbers, the first 254 pieces of a text (256 with the marks
//! around it; what follows is not read). Loading borrows the weights where they lie. Reads no file: the built-in
//! weights are in the binary, others come as bytes.

mod encoder;
pub(crate) mod weights;

use std::sync::{Mutex, OnceLock, PoisonError};

use encoder::Room;
use weights::{Marks, POSITIONS, VERSION, WIDTH, Weights};

use crate::bytes::Bytes;
use crate::kernels::Kernel;
use crate::vocabulary::Vocabulary;
use crate::{EmbedError, Embedder, Identity, tokenizer};

/// Rows that go through together. Weights are loaded once for all of them; more rows than this would fall out of
/// the cache between two layers.
const ROWS_TOGETHER: usize = 256;

/// The sentence model.
#[derive(Debug)]
pub struct MiniLm {
    identity: Identity,
    weights: Weights,
    kernel: Kernel,
    /// Room of the last pass, for the next. A second thread brings its own.
    room: Mutex<Option<Box<Room>>>,
}

impl MiniLm {
    /// The model in the binary. The first call takes well under a millisecond; pages are read as they are touched.
    pub fn builtin() -> &'static MiniLm {
        static BUILTIN: OnceLock<MiniLm> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            let weights = Weights::read(&weights_minilm_a::WEIGHTS.into(), &weights_minilm_b::WEIGHTS.into());
            MiniLm::new(weights.expect("`cargo xtask weights` wrote both parts"))
        })
    }

    /// A model of the same shape from the two parts that [`crate::pack::minilm`] makes.
    pub fn from_bytes(a: &Bytes, b: &Bytes) -> Result<MiniLm, EmbedError> {
        Ok(MiniLm::new(Weights::read_checked(a, b)?))
    }

    /// The same model on another kernel; its vectors are the same bits.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> MiniLm {
        MiniLm { kernel, ..self }
    }

    /// Gives back the memory of the last pass. What remains are pages of the binary, which the system drops when it
    /// needs room, and a few hundred kilobytes of scales.
    pub fn release(&self) {
        self.room.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        &self.weights.vocabulary
    }

    /// The pieces of a text with the marks around them, as the layers see them.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let Marks { open, close, unknown } = self.weights.marks;
        let mut pieces = vec![open];
        tokenizer::tokenize(&self.weights.vocabulary, Some(unknown), text, POSITIONS - 2, &mut pieces);
        pieces.push(close);
        pieces
    }

    /// One vector per list of pieces, as [`MiniLm::pieces`] makes them; longer lists are cut.
    pub fn encode(&self, mut texts: Vec<Vec<u32>>) -> Vec<Vec<f32>> {
        let last = self.weights.vocabulary.len() as u32 - 1;
        for text in &mut texts {
            text.truncate(POSITIONS);
            for piece in text.iter_mut() {
                *piece = (*piece).min(last);
            }
            if text.is_empty() {
                text.push(self.weights.marks.unknown);
            }
        }
        let kept = self.room.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut room = kept.unwrap_or_default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts.as_slice();
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(batch(rest));
            vectors.extend(encoder::encode(&self.weights, self.kernel, batch, &mut room));
            rest = after;
        }
        *self.room.lock().unwrap_or_else(PoisonError::into_inner) = Some(room);
        vectors
    }

    fn new(weights: Weights) -> MiniLm {
        let identity = Identity {
            name: "minilm-l6-v2".to_owned(),
            version: VERSION.to_string(),
            weights: weights.digest.clone(),
            dims: WIDTH,
        };
        MiniLm { identity, weights, kernel: Kernel::best(), room: Mutex::new(None) }
    }
}

impl Embedder for MiniLm {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.encode(texts.iter().map(|text| self.pieces(text)).collect()))
    }
}

/// How many of the next texts go through together: one at least.
fn batch(texts: &[Vec<u32>]) -> usize {
    let mut rows = 0;
    let fits = |text: &&Vec<u32>| {
        rows += text.len();
        rows <= ROWS_TOGETHER
    };
    texts.iter().take_while(fits).count().max(1)
}
