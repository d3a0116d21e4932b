//! The arithmetic of encoder and scan, once per family of processors, chosen when the program starts. All of them
//! give the same bits. Knows rows and columns, no tokens and no layers.

mod portable;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use std::sync::OnceLock;

pub(crate) use portable::{PANEL, normalize};

use crate::bytes::Bytes;

/// One way to compute, known to run on this processor: there is no other way to come by a value of this type.
#[derive(Clone, Copy)]
pub struct Kernel(&'static Table);

impl Kernel {
    /// Every kernel this processor can run, the fastest first. The last one is plain Rust.
    pub fn available() -> Vec<Kernel> {
        let mut kernels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        kernels.extend(avx512::detect().into_iter().chain(avx2::detect()).map(Kernel));
        #[cfg(target_arch = "aarch64")]
        kernels.extend(neon::detect().map(Kernel));
        kernels.push(Kernel(&scalar::TABLE));
        kernels
    }

    /// The fastest one.
    pub fn best() -> Kernel {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        *BEST.get_or_init(|| Kernel::available()[0])
    }

    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Rounds rows to bytes, each number times its factor first.
    pub(crate) fn quantize(self, rows: &[f32], factors: &[f32], into: &mut Quantized) {
        into.resize(rows.len() / factors.len(), factors.len());
        (self.0.quantize)(rows, factors, into);
    }

    pub(crate) fn linear(self, rows: &Quantized, matrix: &Matrix, out: &mut [f32]) {
        assert_eq!(rows.width, matrix.inputs, "rows and matrix belong together");
        (self.0.linear)(rows, matrix, &mut out[..rows.steps.len() * matrix.outputs]);
    }

    pub(crate) fn attend(self, heads: &mut Heads<'_>) {
        (self.0.attend)(heads);
    }

    pub(crate) fn add_and_norm(self, rows: &mut [f32], more: &[f32], norm: &Norm) {
        assert_eq!(rows.len(), more.len(), "a row is added to a row");
        (self.0.add_and_norm)(rows, more, norm);
    }

    pub(crate) fn gelu(self, values: &mut [f32]) {
        (self.0.gelu)(values);
    }

    pub(crate) fn scan(self, rows: &[i8], query: &Query, sums: &mut [i32]) {
        assert!(rows.len() == sums.len() * query.wide.len(), "whole rows, one sum each");
        (self.0.scan)(rows, query, sums);
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kernel").field(&self.0.name).finish()
    }
}

/// The functions of one family. Those of a family the processor lacks are never reached: see [`Kernel`].
struct Table {
    name: &'static str,
    quantize: fn(&[f32], &[f32], &mut Quantized),
    linear: fn(&Quantized, &Matrix, &mut [f32]),
    attend: fn(&mut Heads<'_>),
    add_and_norm: fn(&mut [f32], &[f32], &Norm),
    gelu: fn(&mut [f32]),
    scan: fn(&[i8], &Query, &mut [i32]),
}

/// Rows of bytes; a value is about `byte * step + middle`. How a byte stands for its number is the kernel's own
/// business, so rows quantized by one kernel are multiplied by the same.
#[derive(Debug, Default)]
pub(crate) struct Quantized {
    width: usize,
    values: Vec<i8>,
    steps: Vec<f32>,
    middles: Vec<f32>,
}

impl Quantized {
    fn resize(&mut self, rows: usize, width: usize) {
        self.width = width;
        self.values.resize(rows * width, 0);
        self.steps.resize(rows, 0.0);
        self.middles.resize(rows, 0.0);
    }
}

/// Weights of `inputs` x `outputs`, in panels of [`PANEL`] columns: for each four inputs, four bytes per column.
#[derive(Debug)]
pub(crate) struct Matrix {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) packed: Bytes,
    /// What each input is multiplied with before it is rounded; the weights were divided by it. It takes from inputs
    /// that are always large what would make the steps of all others coarse.
    pub(crate) factors: Vec<f32>,
    /// Per column: what one unit of weight is worth, the sum of its weights, and what is added at the end.
    pub(crate) scales: Vec<f32>,
    pub(crate) sums: Vec<i32>,
    pub(crate) biases: Vec<f32>,
}

/// The learned part of a layer norm.
#[derive(Debug)]
pub(crate) struct Norm {
    pub(crate) gains: Vec<f32>,
    pub(crate) shifts: Vec<f32>,
}

/// One text's rows of query, key and value side by side, and where the attended values go.
pub(crate) struct Heads<'a> {
    /// Rows of three times `width`.
    pub(crate) mixed: &'a [f32],
    pub(crate) width: usize,
    pub(crate) out: &'a mut [f32],
    /// Room that grows with the longest text and is used again.
    pub(crate) room: &'a mut Vec<f32>,
}

/// A query for the scan, at twelve bits: exact enough that only the rows' own rounding is felt.
#[derive(Debug)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "halves and total serve one kernel of x86-64")
)]
pub(crate) struct Query {
    wide: Vec<i16>,
    /// `wide` as `64 * high + low`, for processors that multiply bytes.
    high: Vec<i8>,
    low: Vec<i8>,
    /// The sum of `wide`.
    total: i32,
    /// What one unit is worth.
    pub(crate) step: f32,
}

impl Query {
    /// The widest vector whose sums fit 32 bits: 8192 * 127 * 2047.
    pub(crate) const MAX_DIMS: usize = 8192;
    const TOP: f32 = 2047.0;

    /// `stride` is the length of a stored row, filled up with zeros.
    pub(crate) fn new(query: &[f32], stride: usize) -> Query {
        let peak = query.iter().fold(0.0_f32, |peak, value| peak.max(value.abs()));
        // Numbers so small that this overflows are zeros; so is everything beside an infinity.
        let unit = Some(Self::TOP / peak).filter(|unit| unit.is_finite()).unwrap_or(0.0);
        let mut wide: Vec<i16> = query.iter().map(|value| (value * unit).round_ties_even() as i16).collect();
        wide.resize(stride, 0);
        let high: Vec<i8> = wide.iter().map(|value| ((value + 32) >> 6) as i8).collect();
        let low = wide.iter().zip(&high).map(|(value, &high)| (value - 64 * i16::from(high)) as i8).collect();
        let total = wide.iter().copied().map(i32::from).sum();
        Query { wide, high, low, total, step: if unit > 0.0 { 1.0 / unit } else { 0.0 } }
    }
}
