//! The exact scan: every row is looked at, so nothing is missed and there is no index to keep. Rows are bytes with
//! one step each, a quarter of the memory of floats and as fast as memory can be read. Knows rows by number; which
//! memory a row belongs to, and what is stored on disk, is the caller's.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::EmbedError;
use crate::kernels::{Kernel, Query};

/// Rows are filled up to whole cache lines.
const LINE: usize = 64;
/// Rows scored before the best of them are picked; their sums stay in the first cache.
const BLOCK: usize = 256;

/// Vectors of one model.
#[derive(Debug)]
pub struct Flat {
    dims: usize,
    stride: usize,
    bytes: Vec<i8>,
    /// What one unit of a row is worth; not a number where a row was removed, so that it never compares as better.
    steps: Vec<f32>,
    /// Removed rows, used again by the next pushes.
    vacant: Vec<u32>,
    kernel: Kernel,
}

/// A row that was found. The score is the product of row and query: the cosine, if both are of unit length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub row: u32,
    pub score: f32,
}

impl Flat {
    /// For vectors of `dims` numbers.
    ///
    /// # Panics
    /// If `dims` is 0 or above 8192, beyond any model.
    pub fn new(dims: usize) -> Flat {
        assert!((1..=Query::MAX_DIMS).contains(&dims), "a vector has 1 to {} numbers", Query::MAX_DIMS);
        let stride = dims.next_multiple_of(LINE);
        Flat {
            dims,
            stride,
            bytes: Vec::new(),
            steps: Vec::new(),
            vacant: Vec::new(),
            kernel: Kernel::best(),
        }
    }

    /// The same rows on another kernel; its scores are the same bits.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Flat {
        Flat { kernel, ..self }
    }

    /// Makes room for so many more rows at once.
    pub fn reserve(&mut self, rows: usize) {
        self.bytes.reserve_exact(rows * self.stride);
        self.steps.reserve_exact(rows);
    }

    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Rows that can be found.
    pub fn len(&self) -> usize {
        self.steps.len() - self.vacant.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes a vector in and tells its row: a vacant one, or the next.
    pub fn push(&mut self, vector: &[f32]) -> Result<u32, EmbedError> {
        self.push_encoded(&self.encode(vector)?)
    }

    /// The same for a vector that was [`encode`]d before.
    pub fn push_encoded(&mut self, encoded: &[u8]) -> Result<u32, EmbedError> {
        self.check(encoded.len().saturating_sub(STEP_BYTES))?;
        let row = self.vacant.pop().unwrap_or_else(|| {
            self.steps.push(f32::NAN);
            self.bytes.resize(self.bytes.len() + self.stride, 0);
            self.steps.len() as u32 - 1
        });
        self.write(row, encoded);
        Ok(row)
    }

    /// Puts another vector into a row. False if there is no such row.
    pub fn replace(&mut self, row: u32, vector: &[f32]) -> Result<bool, EmbedError> {
        let encoded = self.encode(vector)?;
        let present = self.contains(row);
        if present {
            self.write(row, &encoded);
        }
        Ok(present)
    }

    /// The row is found no more, and its number may be given to a later vector. False if there is no such row.
    pub fn remove(&mut self, row: u32) -> bool {
        let present = self.contains(row);
        if present {
            self.steps[row as usize] = f32::NAN;
            self.vacant.push(row);
        }
        present
    }

    pub fn contains(&self, row: u32) -> bool {
        self.steps.get(row as usize).is_some_and(|step| !step.is_nan())
    }

    /// A row's numbers, as exactly as they are kept.
    pub fn vector(&self, row: u32) -> Option<Vec<f32>> {
        let step = self.steps.get(row as usize).copied().filter(|step| !step.is_nan())?;
        let bytes = &self.bytes[row as usize * self.stride..][..self.dims];
        Some(bytes.iter().map(|&byte| f32::from(byte) * step).collect())
    }

    /// The `k` best rows, best first, equal scores by row. `filter` is asked only about rows that would be among
    /// them.
    pub fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&dyn Fn(u32) -> bool>,
    ) -> Result<Vec<Hit>, EmbedError> {
        self.check(query.len())?;
        let query = Query::new(query, self.stride);
        let mut best = Best::new(k.min(self.len()));
        let mut sums = [0_i32; BLOCK];
        let blocks = self.bytes.chunks(BLOCK * self.stride).zip(self.steps.chunks(BLOCK));
        for (block, (bytes, steps)) in blocks.enumerate() {
            let sums = &mut sums[..steps.len()];
            self.kernel.scan(bytes, &query, sums);
            for (at, (&sum, step)) in sums.iter().zip(steps).enumerate() {
                let score = sum as f32 * query.step * step;
                if score > best.bar {
                    let row = (block * BLOCK + at) as u32;
                    if filter.is_none_or(|wanted| wanted(row)) {
                        best.take(row, score);
                    }
                }
            }
        }
        Ok(best.sorted())
    }

    fn encode(&self, vector: &[f32]) -> Result<Vec<u8>, EmbedError> {
        self.check(vector.len())?;
        Ok(encode(vector))
    }

    fn check(&self, found: usize) -> Result<(), EmbedError> {
        if found == self.dims { Ok(()) } else { Err(EmbedError::Dims { expected: self.dims, found }) }
    }

    fn write(&mut self, row: u32, encoded: &[u8]) {
        let (step, bytes) = encoded.split_at(STEP_BYTES);
        let step = f32::from_le_bytes(step.as_array().copied().expect("four bytes were split off"));
        self.steps[row as usize] = if step.is_finite() { step } else { 0.0 };
        let into = &mut self.bytes[row as usize * self.stride..][..self.dims];
        for (into, &byte) in into.iter_mut().zip(bytes) {
            *into = byte.cast_signed();
        }
    }
}

const STEP_BYTES: usize = 4;

/// A vector as it is kept: the step as a little-endian f32, then one byte per number. What is not a number counts
/// as zero.
pub fn encode(vector: &[f32]) -> Vec<u8> {
    let peak =
        vector.iter().copied().filter(|value| value.is_finite()).fold(0.0_f32, |peak, x| peak.max(x.abs()));
    let step = peak / 127.0;
    let unit = Some(1.0 / step).filter(|unit| unit.is_finite()).unwrap_or(0.0);
    let mut encoded = Vec::with_capacity(STEP_BYTES + vector.len());
    encoded.extend(step.to_le_bytes());
    encoded.extend(vector.iter().map(|value| ((value * unit).round_ties_even() as i8).cast_unsigned()));
    encoded
}

/// What was encoded, as near as one byte a number gets. `None`: these are not a vector's bytes.
pub fn decode(encoded: &[u8]) -> Option<Vec<f32>> {
    let (step, numbers) = encoded.split_first_chunk::<STEP_BYTES>()?;
    let step = f32::from_le_bytes(*step);
    Some(numbers.iter().map(|byte| f32::from(byte.cast_signed()) * step).collect())
}

/// The `k` best so far.
struct Best {
    k: usize,
    /// The worst of the best on top, once there are `k`.
    heap: BinaryHeap<Reverse<Ranked>>,
    /// What the next one must exceed.
    bar: f32,
}

#[derive(Clone, Copy, PartialEq)]
struct Ranked(f32, Reverse<u32>);

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Best {
    fn new(k: usize) -> Best {
        let bar = if k == 0 { f32::INFINITY } else { f32::NEG_INFINITY };
        Best { k, heap: BinaryHeap::with_capacity(k + 1), bar }
    }

    fn take(&mut self, row: u32, score: f32) {
        self.heap.push(Reverse(Ranked(score, Reverse(row))));
        if self.heap.len() > self.k {
            self.heap.pop();
        }
        if self.heap.len() == self.k {
            self.bar = self.heap.peek().map_or(f32::NEG_INFINITY, |worst| worst.0.0);
        }
    }

    fn sorted(self) -> Vec<Hit> {
        let ranked = self.heap.into_sorted_vec();
        ranked.into_iter().map(|Reverse(Ranked(score, Reverse(row)))| Hit { row, score }).collect()
    }
}
