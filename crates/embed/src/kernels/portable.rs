//! What all kernels share, written so that the compiler can turn it into the widest instructions of the function it
//! is inlined into. Every sum runs over sixteen lanes in one fixed order and nothing is fused, so that the bits do
//! not depend on the width. No intrinsics and no unsafe code: those are in the files named after processors.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the wide instructions of its caller"
)]

use super::{Heads, Matrix, Norm, Quantized, Query};

/// Columns that are multiplied together: four vectors of sixteen, or eight of eight.
pub(crate) const PANEL: usize = 64;
/// The width of one attention head, the same in every BERT.
const HEAD: usize = 32;

/// Lanes of every floating-point sum.
pub(super) const LANES: usize = 16;
/// Rows attended together, so that keys and values are loaded once for four of them.
pub(super) const TOGETHER: usize = 4;
/// Guards the root of a variance of zero, as in the reference.
const EPSILON: f32 = 1e-12;

/// Sums of products for up to `ROWS` rows and one panel.
pub(super) type Sums<const ROWS: usize> = [[i32; PANEL]; ROWS];

/// Rounds each row, times its factors, to bytes. `flip` is 0 or, where bytes are multiplied unsigned, the sign bit.
#[inline(always)]
pub(super) fn quantize(rows: &[f32], factors: &[f32], into: &mut Quantized, flip: i8) {
    let each = rows.chunks_exact(into.width).zip(into.values.chunks_exact_mut(into.width));
    for ((row, bytes), (step, middle)) in each.zip(into.steps.iter_mut().zip(&mut into.middles)) {
        let (least, most) = extremes(row, factors);
        let reach = most - least;
        *middle = 0.5 * (most + least);
        *step = reach / 254.0;
        let unit = if reach > 0.0 { 254.0 / reach } else { 0.0 };
        for (byte, (value, factor)) in bytes.iter_mut().zip(row.iter().zip(factors)) {
            *byte = nearest((value * factor - *middle) * unit) as i8 ^ flip;
        }
    }
}

/// `rows` times `matrix`. `tile` multiplies up to `ROWS` rows (their bytes, their number, one panel of weights) into
/// sums; `excess` is what it adds to each byte of a row.
#[inline(always)]
pub(super) fn linear<const ROWS: usize>(
    rows: &Quantized,
    matrix: &Matrix,
    out: &mut [f32],
    excess: i32,
    tile: impl Fn(&[i8], usize, &[u8], &mut Sums<ROWS>),
) {
    let width = rows.width;
    let mut sums = [[0; PANEL]; ROWS];
    for (panel, weights) in matrix.packed.chunks_exact(width * PANEL).enumerate() {
        let columns = panel * PANEL..(panel + 1) * PANEL;
        let scales: &[f32; PANEL] = matrix.scales[columns.clone()].try_into().expect("a panel of scales");
        let totals: &[i32; PANEL] = matrix.sums[columns.clone()].try_into().expect("a panel of sums");
        let biases: &[f32; PANEL] = matrix.biases[columns.clone()].try_into().expect("a panel of biases");
        for (block, bytes) in rows.values.chunks(ROWS * width).enumerate() {
            let count = bytes.len() / width;
            tile(bytes, count, weights, &mut sums);
            for (at, sums) in sums.iter().enumerate().take(count) {
                let row = block * ROWS + at;
                let (step, middle) = (rows.steps[row], rows.middles[row]);
                let out: &mut [f32; PANEL] = (&mut out[row * matrix.outputs..][columns.clone()])
                    .try_into()
                    .expect("a panel of results");
                for lane in 0..PANEL {
                    let product = (sums[lane] - excess * totals[lane]) as f32;
                    out[lane] = (product * step + middle * totals[lane] as f32) * scales[lane] + biases[lane];
                }
            }
        }
    }
}

/// Softmax attention of one text, head by head. `tile` multiplies [`TOGETHER`] rows with the columns that lie
/// `stride` apart in its second argument.
#[inline(always)]
pub(super) fn attend(
    heads: &mut Heads<'_>,
    tile: impl Fn([&[f32]; TOGETHER], &[f32], usize) -> [[f32; LANES]; TOGETHER],
) {
    let width = heads.width;
    let rows = heads.mixed.len() / (3 * width);
    let padded = rows.next_multiple_of(LANES);
    heads.room.clear();
    heads.room.resize((HEAD + TOGETHER) * padded, 0.0);
    let (keys, weights) = heads.room.split_at_mut(HEAD * padded);
    for head in 0..width / HEAD {
        let at = |row: usize, third: usize| (3 * row + third) * width + head * HEAD;
        // Keys are turned on their side: sixteen of them are compared with one number of a query at a time.
        for row in 0..rows {
            for (number, &value) in heads.mixed[at(row, 1)..][..HEAD].iter().enumerate() {
                keys[number * padded + row] = value;
            }
        }
        for first in (0..rows).step_by(TOGETHER) {
            // The last group may hold fewer; the missing rows repeat the last one and are not stored.
            let query = |row: usize| &heads.mixed[at((first + row).min(rows - 1), 0)..][..HEAD];
            let queries = [query(0), query(1), query(2), query(3)];
            for column in (0..padded).step_by(LANES) {
                let sums = tile(queries, &keys[column..], padded);
                for (row, sums) in sums.iter().enumerate() {
                    let weights = &mut weights[row * padded + column..][..LANES];
                    for (weight, sum) in weights.iter_mut().zip(sums) {
                        *weight = sum * ROOT;
                    }
                }
            }
            for weights in weights.chunks_exact_mut(padded) {
                softmax(&mut weights[..rows]);
            }
            let weight = |row: usize| &weights[row * padded..][..rows];
            let shares = [weight(0), weight(1), weight(2), weight(3)];
            for half in (0..HEAD).step_by(LANES) {
                let sums = tile(shares, &heads.mixed[at(0, 2) + half..], 3 * width);
                for (row, sums) in sums.iter().enumerate().take(rows - first) {
                    heads.out[(first + row) * width + head * HEAD + half..][..LANES].copy_from_slice(sums);
                }
            }
        }
    }
}

/// One over the root of [`HEAD`].
const ROOT: f32 = 0.176_776_7;

#[inline(always)]
fn softmax(weights: &mut [f32]) {
    let most = most(weights);
    for weight in &mut *weights {
        *weight = exponential(*weight - most);
    }
    let share = 1.0 / total(weights, |weight| weight);
    for weight in weights {
        *weight *= share;
    }
}

/// Adds `more` to `rows` and brings each row to mean 0 and variance 1, then to its learned place.
#[inline(always)]
pub(super) fn add_and_norm(rows: &mut [f32], more: &[f32], norm: &Norm) {
    let width = norm.gains.len();
    let share = 1.0 / width as f32;
    for (row, more) in rows.chunks_exact_mut(width).zip(more.chunks_exact(width)) {
        for (value, more) in row.iter_mut().zip(more) {
            *value += more;
        }
        let mean = total(row, |value| value) * share;
        let variance = total(row, |value| (value - mean) * (value - mean)) * share;
        let unit = 1.0 / (variance + EPSILON).sqrt();
        for (value, (gain, shift)) in row.iter_mut().zip(norm.gains.iter().zip(&norm.shifts)) {
            *value = (*value - mean) * unit * gain + shift;
        }
    }
}

/// `x * 0.5 * (1 + erf(x / sqrt 2))`, with the error function of Abramowitz and Stegun 7.1.26 (off by 1.5e-7).
#[inline(always)]
pub(super) fn gelu(values: &mut [f32]) {
    for value in values {
        let x = *value;
        let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
        let t = 1.0 / (1.0 + 0.327_591_1 * z);
        let series =
            ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t + 0.254_829_6) * t;
        let erf = 1.0 - series * exponential(-z * z);
        let erf = if x < 0.0 { -erf } else { erf };
        *value = 0.5 * x * (1.0 + erf);
    }
}

/// The scan in plain Rust: products of bytes and twelve-bit numbers.
#[inline(always)]
pub(super) fn scan(rows: &[i8], query: &Query, sums: &mut [i32]) {
    for (row, sum) in rows.chunks_exact(query.wide.len()).zip(sums) {
        *sum = row.iter().zip(&query.wide).map(|(&byte, &wide)| i32::from(byte) * i32::from(wide)).sum();
    }
}

/// Brings a vector to unit length; zeros stay zeros.
pub(crate) fn normalize(vector: &mut [f32]) {
    let length = total(vector, |value| value * value).sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}

/// The least and the most of a row times its factors; whole lanes, as every row of a model is.
#[inline(always)]
fn extremes(values: &[f32], factors: &[f32]) -> (f32, f32) {
    let mut least = [f32::INFINITY; LANES];
    let mut most = [f32::NEG_INFINITY; LANES];
    for (values, factors) in values.as_chunks::<LANES>().0.iter().zip(factors.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            let value = values[lane] * factors[lane];
            least[lane] = if value < least[lane] { value } else { least[lane] };
            most[lane] = if value > most[lane] { value } else { most[lane] };
        }
    }
    let least = least.iter().copied().fold(f32::INFINITY, f32::min);
    (least, most.iter().copied().fold(f32::NEG_INFINITY, f32::max))
}

#[inline(always)]
fn most(values: &[f32]) -> f32 {
    let mut most = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            most[lane] = if chunk[lane] > most[lane] { chunk[lane] } else { most[lane] };
        }
    }
    most.iter().chain(rest).copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Sums over lanes first, then the lanes: one order everywhere.
#[inline(always)]
fn total(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += of(chunk[lane]);
        }
    }
    for (lane, &value) in rest.iter().enumerate() {
        sums[lane] += of(value);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// Adding this leaves a small number's nearest integer in the low bits.
const MAGIC: f32 = 12_582_912.0;

/// The nearest integer of a number far below 2^22, ties to even.
#[inline(always)]
fn nearest(value: f32) -> i32 {
    (value + MAGIC).to_bits().wrapping_sub(MAGIC.to_bits()) as i32
}

/// e^x for x not above 0, off by two in the last place. Not the platform's own: those differ from each other.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    /// Below this the result is smaller than any normal number.
    const LEAST: f32 = -87.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x < LEAST { LEAST } else { x };
    let shifted = x * std::f32::consts::LOG2_E + MAGIC;
    let whole = shifted - MAGIC;
    let r = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let series = ((((1.987_569_2e-4 * r + 1.398_2e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2) * r
        + 1.666_666_5e-1)
        * r
        + 0.5;
    let fraction = series * r * r + r + 1.0;
    let power = shifted.to_bits().wrapping_sub(MAGIC.to_bits()).wrapping_add(127) << 23;
    fraction * f32::from_bits(power)
}
