//! The file of a MiniLM-L6, in two parts, read as it lies: the table and the matrices are borrowed, only the few
//! numbers per column are copied. Computes nothing.
//!
//! Part A: head, vocabulary, word table, the rows of the three marks once more as halves (they stand in every text,
//! and two of them are all there is of an empty one), positions, first norm, first layer. Part B: head, the other layers. Head,
//! table and each matrix start on a multiple of [`LINE`] bytes. The words of a head, little-endian: magic, version,
//! part, layers in this part, the pieces that open a text, close it and stand for an unknown word; then eight bytes
//! of the digest of both bodies, which pairs the parts.

use sha2::{Digest, Sha256};

use crate::EmbedError;
use crate::bytes::{Bytes, Reader};
use crate::kernels::{Matrix, Norm, PANEL};
use crate::vocabulary::Vocabulary;

pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"TLM1");
pub(crate) const VERSION: u32 = 1;
/// A cache line.
pub(crate) const LINE: usize = 64;
pub(crate) const WIDTH: usize = 384;
pub(crate) const INNER: usize = 1536;
pub(crate) const LAYERS: usize = 6;
/// Layers that travel with the word table, so that both parts stay under what a registry takes.
pub(crate) const LAYERS_IN_A: usize = 1;
/// The texts the model was trained on ended here; so do ours.
pub(crate) const POSITIONS: usize = 256;
/// Numbers of a word that share one scale.
pub(crate) const GROUP: usize = 32;
/// A half for the scale, then two numbers in each byte.
pub(crate) const GROUP_BYTES: usize = 2 + GROUP / 2;
pub(crate) const WORD_BYTES: usize = WIDTH / GROUP * GROUP_BYTES;

#[derive(Debug)]
pub(super) struct Weights {
    pub(super) vocabulary: Vocabulary,
    pub(super) marks: Marks,
    pub(super) words: Bytes,
    /// Halves: open, close, unknown.
    pub(super) marked: Bytes,
    /// Halves: position and segment in one.
    pub(super) positions: Bytes,
    pub(super) first: Norm,
    pub(super) layers: Vec<Layer>,
    /// Hexadecimal digits.
    pub(super) digest: String,
}

/// The pieces a model was taught to expect around a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) open: u32,
    pub(crate) close: u32,
    pub(crate) unknown: u32,
}

impl Marks {
    /// In the order of their rows in the file.
    pub(crate) fn in_order(self) -> [u32; 3] {
        [self.open, self.close, self.unknown]
    }
}

#[derive(Debug)]
pub(super) struct Layer {
    /// Query, key and value at once.
    pub(super) mixed: Matrix,
    pub(super) joined: Matrix,
    pub(super) after_attention: Norm,
    pub(super) wide: Matrix,
    pub(super) narrow: Matrix,
    pub(super) last: Norm,
}

impl Weights {
    /// Reads both parts and believes their digest: for weights the compiler put there.
    pub(super) fn read(a: &Bytes, b: &Bytes) -> Result<Weights, EmbedError> {
        parse(a, b).ok_or(EmbedError::Weights("not two parts of one MiniLM-L6"))
    }

    /// Reads both parts and checks everything: for weights from a file.
    pub(super) fn read_checked(a: &Bytes, b: &Bytes) -> Result<Weights, EmbedError> {
        let weights = Self::read(a, b)?;
        if weights.digest != hexadecimal(digest(&a[LINE..], &b[LINE..])) {
            return Err(EmbedError::Weights("the digest does not match"));
        }
        let pieces = weights.vocabulary.len();
        let Marks { open, close, unknown } = weights.marks;
        if !weights.vocabulary.is_sound()
            || [open, close, unknown].iter().any(|&mark| mark as usize >= pieces)
        {
            return Err(EmbedError::Weights("the vocabulary is not sound"));
        }
        Ok(weights)
    }
}

/// What names a pair of bodies.
pub(crate) fn digest(a: &[u8], b: &[u8]) -> [u8; 8] {
    let whole = Sha256::new().chain_update(a).chain_update(b).finalize();
    std::array::from_fn(|at| whole[at])
}

pub(crate) fn hexadecimal(digest: [u8; 8]) -> String {
    format!("{:016x}", u64::from_be_bytes(digest))
}

fn parse(a: &Bytes, b: &Bytes) -> Option<Weights> {
    let mut reader = Reader::new(a.clone());
    let (marks, digest) = read_head(&mut reader, 0, LAYERS_IN_A)?;
    let vocabulary = Vocabulary::read(&mut reader)?;
    reader.align(LINE)?;
    let words = reader.take(vocabulary.len() * WORD_BYTES)?;
    reader.align(LINE)?;
    let marked = reader.take(3 * WIDTH * 2)?;
    let positions = reader.take(POSITIONS * WIDTH * 2)?;
    let first = read_norm(&mut reader)?;
    let mut layers = Vec::with_capacity(LAYERS);
    for _ in 0..LAYERS_IN_A {
        layers.push(read_layer(&mut reader)?);
    }
    let mut rest = Reader::new(b.clone());
    if read_head(&mut rest, 1, LAYERS - LAYERS_IN_A)? != (marks, digest) {
        return None;
    }
    for _ in LAYERS_IN_A..LAYERS {
        layers.push(read_layer(&mut rest)?);
    }
    if reader.rest() != 0 || rest.rest() != 0 {
        return None;
    }
    Some(Weights { vocabulary, marks, words, marked, positions, first, layers, digest: hexadecimal(digest) })
}

fn read_head(reader: &mut Reader, part: u32, layers: usize) -> Option<(Marks, [u8; 8])> {
    let expected = [MAGIC, VERSION, part, layers as u32];
    for word in expected {
        if reader.word()? != word {
            return None;
        }
    }
    let marks = Marks { open: reader.word()?, close: reader.word()?, unknown: reader.word()? };
    let digest = reader.take(8)?.as_array().copied()?;
    reader.align(LINE)?;
    Some((marks, digest))
}

fn read_layer(reader: &mut Reader) -> Option<Layer> {
    Some(Layer {
        mixed: read_matrix(reader, WIDTH, 3 * WIDTH)?,
        joined: read_matrix(reader, WIDTH, WIDTH)?,
        after_attention: read_norm(reader)?,
        wide: read_matrix(reader, WIDTH, INNER)?,
        narrow: read_matrix(reader, INNER, WIDTH)?,
        last: read_norm(reader)?,
    })
}

fn read_matrix(reader: &mut Reader, inputs: usize, outputs: usize) -> Option<Matrix> {
    const { assert!(WIDTH.is_multiple_of(PANEL) && INNER.is_multiple_of(PANEL)) };
    reader.align(LINE)?;
    let packed = reader.take(inputs * outputs)?;
    let factors = reader.floats(inputs)?;
    let scales = reader.floats(outputs)?;
    let sums = reader.integers(outputs)?;
    let biases = reader.floats(outputs)?;
    Some(Matrix { inputs, outputs, packed, factors, scales, sums, biases })
}

fn read_norm(reader: &mut Reader) -> Option<Norm> {
    Some(Norm { gains: reader.floats(WIDTH)?, shifts: reader.floats(WIDTH)? })
}
