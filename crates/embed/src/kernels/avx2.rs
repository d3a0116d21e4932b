//! The kernel for processors with AVX2. Bytes are multiplied as magnitudes with signed weights, which cannot
//! saturate: 2 * 127 * 127 fits sixteen bits. This file holds unsafe code; each block says why it may.
#![expect(unsafe_code, reason = "vector instructions; every load is inside a slice whose length was checked")]
#![expect(
    clippy::needless_range_loop,
    reason = "adapters of the library are not inlined into wide functions"
)]

use std::arch::x86_64::{
    _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch, _mm_shuffle_epi32,
    _mm256_abs_epi8, _mm256_add_epi32, _mm256_add_ps, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_extracti128_si256, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_mul_ps, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_setzero_si256, _mm256_sign_epi8, _mm256_storeu_ps, _mm256_storeu_si256,
};

use super::portable::{self, LANES, PANEL, Sums, TOGETHER};
use super::{Heads, Matrix, Norm, Quantized, Query, Table};

/// Four rows by two vectors of columns: eight sums leave half of the sixteen registers for the rest.
const ROWS: usize = 4;

/// The table of this file, if the processor has what it needs.
pub(super) fn detect() -> Option<&'static Table> {
    is_x86_feature_detected!("avx2").then_some(&TABLE)
}

static TABLE: Table = Table { name: "avx2", quantize, linear, attend, add_and_norm, gelu, scan };

// SAFETY, for the six functions below: TABLE is private and handed out by `detect` alone, after AVX2 was found.

fn quantize(rows: &[f32], factors: &[f32], into: &mut Quantized) {
    #[target_feature(enable = "avx2")]
    fn wide(rows: &[f32], factors: &[f32], into: &mut Quantized) {
        portable::quantize(rows, factors, into, 0);
    }
    // SAFETY: see above.
    unsafe { wide(rows, factors, into) }
}

fn linear(rows: &Quantized, matrix: &Matrix, out: &mut [f32]) {
    #[target_feature(enable = "avx2")]
    fn wide(rows: &Quantized, matrix: &Matrix, out: &mut [f32]) {
        portable::linear::<ROWS>(rows, matrix, out, 0, |bytes, count, weights, sums| match count {
            1 => tile::<1>(bytes, weights, sums),
            2 => tile::<2>(bytes, weights, sums),
            3 => tile::<3>(bytes, weights, sums),
            _ => tile::<4>(bytes, weights, sums),
        });
    }
    // SAFETY: see above.
    unsafe { wide(rows, matrix, out) }
}

fn attend(heads: &mut Heads<'_>) {
    #[target_feature(enable = "avx2")]
    fn wide(heads: &mut Heads<'_>) {
        portable::attend(heads, |rows, columns, stride| attend_tile(rows, columns, stride));
    }
    // SAFETY: see above.
    unsafe { wide(heads) }
}

fn add_and_norm(rows: &mut [f32], more: &[f32], norm: &Norm) {
    #[target_feature(enable = "avx2")]
    fn wide(rows: &mut [f32], more: &[f32], norm: &Norm) {
        portable::add_and_norm(rows, more, norm);
    }
    // SAFETY: see above.
    unsafe { wide(rows, more, norm) }
}

fn gelu(values: &mut [f32]) {
    #[target_feature(enable = "avx2")]
    fn wide(values: &mut [f32]) {
        portable::gelu(values);
    }
    // SAFETY: see above.
    unsafe { wide(values) }
}

fn scan(rows: &[i8], query: &Query, sums: &mut [i32]) {
    // SAFETY: see above.
    unsafe { scan_wide(rows, query, sums) }
}

/// `N` rows times one panel, sixteen columns at a time.
#[target_feature(enable = "avx2")]
fn tile<const N: usize>(bytes: &[i8], weights: &[u8], sums: &mut Sums<ROWS>) {
    let width = bytes.len() / N;
    assert!(width.is_multiple_of(4) && weights.len() == width * PANEL && bytes.len() == width * N);
    let ones = _mm256_set1_epi16(1);
    for part in 0..PANEL / 16 {
        // Plain loops: a closure made here could not be inlined into the library's adapters, which lack the feature.
        let mut totals = [[_mm256_setzero_si256(); 2]; N];
        for four in 0..width / 4 {
            let mut columns = [_mm256_setzero_si256(); 2];
            for at in 0..2 {
                // SAFETY: `weights` holds width / 4 groups of 4 * PANEL bytes, as asserted, and part * 64 + 64 bytes
                // of each are read at most.
                columns[at] = unsafe {
                    let group = weights.as_ptr().add(four * 4 * PANEL + part * 64 + at * 32);
                    _mm256_loadu_si256(group.cast())
                };
            }
            for row in 0..N {
                // SAFETY: row < N and four < width / 4, and `bytes` holds N * width bytes, as asserted.
                let numbers =
                    unsafe { bytes.as_ptr().add(row * width + four * 4).cast::<i32>().read_unaligned() };
                let numbers = _mm256_set1_epi32(numbers);
                let magnitudes = _mm256_abs_epi8(numbers);
                for at in 0..2 {
                    let pairs = _mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(columns[at], numbers));
                    totals[row][at] = _mm256_add_epi32(totals[row][at], _mm256_madd_epi16(pairs, ones));
                }
            }
        }
        for row in 0..N {
            for at in 0..2 {
                let start = part * 16 + at * 8;
                let lanes = &mut sums[row][start..start + 8];
                // SAFETY: `lanes` is eight integers long, which is what is stored.
                unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), totals[row][at]) };
            }
        }
    }
}

/// Four rows times sixteen columns. Products are added, not fused, so that the bits are those of the other kernels.
#[target_feature(enable = "avx2")]
fn attend_tile(rows: [&[f32]; TOGETHER], columns: &[f32], stride: usize) -> [[f32; LANES]; TOGETHER] {
    let length = rows[0].len();
    assert!(length > 0 && rows.iter().all(|row| row.len() == length));
    assert!(columns.len() >= (length - 1) * stride + LANES);
    let mut totals = [[_mm256_setzero_ps(); 2]; TOGETHER];
    for at in 0..length {
        let mut numbers = [_mm256_setzero_ps(); 2];
        for half in 0..2 {
            // SAFETY: at < length, and sixteen columns follow at * stride, as asserted; half adds 0 or 8.
            numbers[half] = unsafe { _mm256_loadu_ps(columns.as_ptr().add(at * stride + half * 8)) };
        }
        for row in 0..TOGETHER {
            // SAFETY: at < length, the length of every row, as asserted.
            let factor = _mm256_set1_ps(unsafe { *rows[row].get_unchecked(at) });
            for half in 0..2 {
                totals[row][half] = _mm256_add_ps(totals[row][half], _mm256_mul_ps(factor, numbers[half]));
            }
        }
    }
    let mut sums = [[0.0; LANES]; TOGETHER];
    for row in 0..TOGETHER {
        for half in 0..2 {
            let lanes = &mut sums[row][half * 8..half * 8 + 8];
            // SAFETY: `lanes` is eight numbers long, which is what is stored.
            unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), totals[row][half]) };
        }
    }
    sums
}

/// How far ahead of the scan rows are asked for; memory answers about this much later.
const AHEAD: usize = 4096;

#[target_feature(enable = "avx2")]
fn scan_wide(rows: &[i8], query: &Query, sums: &mut [i32]) {
    let width = query.wide.len();
    assert!(width.is_multiple_of(64) && rows.len() == sums.len() * width);
    for row in 0..sums.len() {
        let mut totals = [_mm256_setzero_si256(); 2];
        for at in (0..width).step_by(32) {
            for half in 0..2 {
                // SAFETY: at + 32 <= width, half adds 0 or 16 of the 32; `rows` holds sums.len() times the width, and
                // so long is the query.
                let (bytes, numbers) = unsafe {
                    let bytes = rows.as_ptr().add(row * width + at + half * 16);
                    _mm_prefetch::<_MM_HINT_T0>(bytes.wrapping_add(AHEAD));
                    (
                        _mm_loadu_si128(bytes.cast()),
                        _mm256_loadu_si256(query.wide.as_ptr().add(at + half * 16).cast()),
                    )
                };
                let products = _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), numbers);
                totals[half] = _mm256_add_epi32(totals[half], products);
            }
        }
        let total = _mm256_add_epi32(totals[0], totals[1]);
        let total = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
        let total = _mm_add_epi32(total, _mm_shuffle_epi32::<0b00_00_11_10>(total));
        let total = _mm_add_epi32(total, _mm_shuffle_epi32::<0b00_00_00_01>(total));
        sums[row] = _mm_cvtsi128_si32(total);
    }
}
