//! The kernel for processors with AVX2. Bytes are multiplied as magnitudes with signed weights, which cannot
//! saturate: 2 * 127 * 127 fits sixteen bits. This file holds unsafe code; each block says why it may.
#![expect(unsafe_code, reason = "vector instructions; every load is inside a slice whose length was checked")]

use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm256_abs_epi8, _mm256_add_epi32,
    _mm256_cvtepi8_epi16, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_setzero_si256, _mm256_sign_epi8, _mm256_storeu_si256,
};

use super::portable::{self, PANEL, Sums};
use super::{Heads, Matrix, Norm, Quantized, Query, Table};

/// Four rows by two vectors of columns: eight sums leave half of the sixteen registers for the rest.
const ROWS: usize = 4;

/// The table of this file, if the processor has what it needs.
pub(super) fn detect() -> Option<&'static Table> {
    is_x86_feature_detected!("avx2").then_some(&TABLE)
}

static TABLE: Table = Table { name: "avx2", quantize, linear, attend, add_and_norm, gelu, scan };

// SAFETY, for the six functions below: TABLE is private and handed out by `detect` alone, after AVX2 was found.

fn quantize(rows: &[f32], into: &mut Quantized) {
    #[target_feature(enable = "avx2")]
    fn wide(rows: &[f32], into: &mut Quantized) {
        portable::quantize(rows, into, 0);
    }
    // SAFETY: see above.
    unsafe { wide(rows, into) }
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
        portable::attend(heads);
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
        let mut totals = [[_mm256_setzero_si256(); 2]; N];
        for four in 0..width / 4 {
            // SAFETY: `weights` holds width / 4 groups of 4 * PANEL bytes, as asserted, and part * 64 + 64 bytes of
            // each are read at most.
            let columns: [__m256i; 2] = std::array::from_fn(|at| unsafe {
                let group = weights.as_ptr().add(four * 4 * PANEL + part * 64 + at * 32);
                _mm256_loadu_si256(group.cast())
            });
            for (row, totals) in totals.iter_mut().enumerate() {
                // SAFETY: row < N and four < width / 4, and `bytes` holds N * width bytes, as asserted.
                let numbers =
                    unsafe { bytes.as_ptr().add(row * width + four * 4).cast::<i32>().read_unaligned() };
                let numbers = _mm256_set1_epi32(numbers);
                let magnitudes = _mm256_abs_epi8(numbers);
                for (total, &column) in totals.iter_mut().zip(&columns) {
                    let pairs = _mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(column, numbers));
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(pairs, ones));
                }
            }
        }
        for (totals, sums) in totals.iter().zip(&mut *sums) {
            for (at, &total) in totals.iter().enumerate() {
                let start = part * 16 + at * 8;
                let lanes: &mut [i32; 8] = (&mut sums[start..start + 8]).try_into().expect("eight lanes");
                // SAFETY: `lanes` is eight integers long, which is what is stored.
                unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), total) };
            }
        }
    }
}

/// How far ahead of the scan rows are asked for; memory answers about this much later.
const AHEAD: usize = 4096;

#[target_feature(enable = "avx2")]
fn scan_wide(rows: &[i8], query: &Query, sums: &mut [i32]) {
    let width = query.wide.len();
    assert!(width.is_multiple_of(64));
    for (row, sum) in rows.chunks_exact(width).zip(sums) {
        let mut totals = [_mm256_setzero_si256(); 2];
        for at in (0..width).step_by(32) {
            if at % 64 == 0 {
                _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().wrapping_add(at + AHEAD));
            }
            for (half, total) in totals.iter_mut().enumerate() {
                // SAFETY: at + 32 <= width, the length of `row` and of the query; half adds 0 or 16 of the 32.
                let (bytes, numbers) = unsafe {
                    (
                        _mm_loadu_si128(row.as_ptr().add(at + half * 16).cast()),
                        _mm256_loadu_si256(query.wide.as_ptr().add(at + half * 16).cast()),
                    )
                };
                let products = _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), numbers);
                *total = _mm256_add_epi32(*total, products);
            }
        }
        let mut lanes = [0_i32; 8];
        let total = _mm256_add_epi32(totals[0], totals[1]);
        // SAFETY: `lanes` is eight integers long, which is what is stored.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), total) };
        *sum = lanes.iter().sum();
    }
}
