//! Read-only bytes that are carried by the binary or were read from a file once, and slices of them that keep the
//! whole alive. Copies nothing; what must be changed does not belong here.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// A view of bytes, cheap to clone and to cut.
#[derive(Clone, Debug)]
pub struct Bytes {
    whole: Whole,
    range: Range<usize>,
}

#[derive(Clone)]
enum Whole {
    Carried(&'static [u8]),
    Read(Arc<[u8]>),
}

impl Bytes {
    /// The part `range` of these bytes, or nothing if it does not lie inside.
    pub(crate) fn cut(&self, range: Range<usize>) -> Option<Bytes> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        let start = self.range.start + range.start;
        Some(Bytes { whole: self.whole.clone(), range: start..start + (range.end - range.start) })
    }
}

impl From<&'static [u8]> for Bytes {
    fn from(carried: &'static [u8]) -> Bytes {
        Bytes { range: 0..carried.len(), whole: Whole::Carried(carried) }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(read: Vec<u8>) -> Bytes {
        Bytes { range: 0..read.len(), whole: Whole::Read(read.into()) }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.whole {
            Whole::Carried(bytes) => &bytes[self.range.clone()],
            Whole::Read(bytes) => &bytes[self.range.clone()],
        }
    }
}

/// Weights are megabytes; an error message names their length only.
impl std::fmt::Debug for Whole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Whole::Carried(bytes) => write!(f, "Carried({} bytes)", bytes.len()),
            Whole::Read(bytes) => write!(f, "Read({} bytes)", bytes.len()),
        }
    }
}

/// Hands out consecutive parts of a file; every part that is missing is one error for the caller.
#[derive(Debug)]
pub(crate) struct Reader {
    bytes: Bytes,
    at: usize,
}

impl Reader {
    pub(crate) fn new(bytes: Bytes) -> Reader {
        Reader { bytes, at: 0 }
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<Bytes> {
        let part = self.bytes.cut(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(part)
    }

    pub(crate) fn word(&mut self) -> Option<u32> {
        let part = self.take(4)?;
        Some(u32::from_le_bytes(part.as_array::<4>().copied()?))
    }

    pub(crate) fn floats(&mut self, count: usize) -> Option<Vec<f32>> {
        let part = self.take(count.checked_mul(4)?)?;
        Some(part.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
    }

    pub(crate) fn integers(&mut self, count: usize) -> Option<Vec<i32>> {
        let part = self.take(count.checked_mul(4)?)?;
        Some(part.as_chunks::<4>().0.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect())
    }

    /// Skips to the next multiple of `step` from the start of the file.
    pub(crate) fn align(&mut self, step: usize) -> Option<()> {
        let rest = self.at.next_multiple_of(step) - self.at;
        self.take(rest).map(|_| ())
    }

    pub(crate) fn rest(&self) -> usize {
        self.bytes.len() - self.at
    }
}
