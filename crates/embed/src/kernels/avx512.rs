//! The kernel for processors with AVX-512 and VNNI: sixty-four products of bytes in one instruction. This file holds
//! unsafe code; each block says why it may. It chooses nothing and detects only itself.
#![expect(unsafe_code, reason = "vector instructions; every load is inside a slice whose length was checked")]
#![expect(
    clippy::needless_range_loop,
    reason = "adapters of the library are not inlined into wide functions"
)]

use std::arch::x86_64::{
    _MM_HINT_T0, _mm_prefetch, _mm512_add_epi32, _mm512_add_ps, _mm512_dpbusd_epi32, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_mul_ps, _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_slli_epi32, _mm512_storeu_ps,
    _mm512_storeu_si512, _mm512_xor_si512,
};

use super::portable::{self, LANES, PANEL, Sums, TOGETHER};
use super::{Heads, Matrix, Norm, Quantized, Query, Table};

/// Six rows by four vectors of columns: twenty-four sums, four weights and a row fill the thirty-two registers.
const ROWS: usize = 6;
const VECTORS: usize = PANEL / 16;
/// The instruction multiplies unsigned with signed bytes: rows are stored with this added.
const EXCESS: i32 = 128;

/// The table of this file, if the processor has what it needs.
pub(super) fn detect() -> Option<&'static Table> {
    let able = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni");
    able.then_some(&TABLE)
}

static TABLE: Table = Table { name: "avx512-vnni", quantize, linear, attend, add_and_norm, gelu, scan };

// SAFETY, for the six functions below: TABLE is private and handed out by `detect` alone, after every feature named
// here was found.

fn quantize(rows: &[f32], factors: &[f32], into: &mut Quantized) {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn wide(rows: &[f32], factors: &[f32], into: &mut Quantized) {
        portable::quantize(rows, factors, into, i8::MIN);
    }
    // SAFETY: see above.
    unsafe { wide(rows, factors, into) }
}

fn linear(rows: &Quantized, matrix: &Matrix, out: &mut [f32]) {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
    fn wide(rows: &Quantized, matrix: &Matrix, out: &mut [f32]) {
        portable::linear::<ROWS>(rows, matrix, out, EXCESS, |bytes, count, weights, sums| match count {
            1 => tile::<1>(bytes, weights, sums),
            2 => tile::<2>(bytes, weights, sums),
            3 => tile::<3>(bytes, weights, sums),
            4 => tile::<4>(bytes, weights, sums),
            5 => tile::<5>(bytes, weights, sums),
            _ => tile::<6>(bytes, weights, sums),
        });
    }
    // SAFETY: see above.
    unsafe { wide(rows, matrix, out) }
}

fn attend(heads: &mut Heads<'_>) {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn wide(heads: &mut Heads<'_>) {
        portable::attend(heads, |rows, columns, stride| attend_tile(rows, columns, stride));
    }
    // SAFETY: see above.
    unsafe { wide(heads) }
}

fn add_and_norm(rows: &mut [f32], more: &[f32], norm: &Norm) {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn wide(rows: &mut [f32], more: &[f32], norm: &Norm) {
        portable::add_and_norm(rows, more, norm);
    }
    // SAFETY: see above.
    unsafe { wide(rows, more, norm) }
}

fn gelu(values: &mut [f32]) {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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

/// `N` rows of unsigned bytes times one panel.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn tile<const N: usize>(bytes: &[i8], weights: &[u8], sums: &mut Sums<ROWS>) {
    let width = bytes.len() / N;
    assert!(width.is_multiple_of(4) && weights.len() == width * PANEL && bytes.len() == width * N);
    // Plain loops: a closure made here could not be inlined into the library's adapters, which lack the features.
    let mut totals = [[_mm512_setzero_si512(); VECTORS]; N];
    for four in 0..width / 4 {
        let mut columns = [_mm512_setzero_si512(); VECTORS];
        for at in 0..VECTORS {
            // SAFETY: `weights` holds width / 4 groups of 4 * PANEL = VECTORS * 64 bytes, as asserted.
            columns[at] =
                unsafe { _mm512_loadu_si512(weights.as_ptr().add(four * 4 * PANEL + at * 64).cast()) };
        }
        for row in 0..N {
            // SAFETY: row < N and four < width / 4, and `bytes` holds N * width bytes, as asserted.
            let numbers =
                unsafe { bytes.as_ptr().add(row * width + four * 4).cast::<i32>().read_unaligned() };
            let numbers = _mm512_set1_epi32(numbers);
            for at in 0..VECTORS {
                totals[row][at] = _mm512_dpbusd_epi32(totals[row][at], numbers, columns[at]);
            }
        }
    }
    for row in 0..N {
        for at in 0..VECTORS {
            let lanes = &mut sums[row][at * 16..at * 16 + 16];
            // SAFETY: `lanes` is sixteen integers long, which is what is stored.
            unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), totals[row][at]) };
        }
    }
}

/// Four rows times sixteen columns. Products are added, not fused, so that the bits are those of the other kernels.
#[target_feature(enable = "avx512f")]
fn attend_tile(rows: [&[f32]; TOGETHER], columns: &[f32], stride: usize) -> [[f32; LANES]; TOGETHER] {
    let length = rows[0].len();
    assert!(length > 0 && rows.iter().all(|row| row.len() == length));
    assert!(columns.len() >= (length - 1) * stride + LANES);
    let mut totals = [_mm512_setzero_ps(); TOGETHER];
    for at in 0..length {
        // SAFETY: at < length, and sixteen columns follow at * stride, as asserted.
        let numbers = unsafe { _mm512_loadu_ps(columns.as_ptr().add(at * stride)) };
        for row in 0..TOGETHER {
            // SAFETY: at < length, the length of every row, as asserted.
            let factor = _mm512_set1_ps(unsafe { *rows[row].get_unchecked(at) });
            totals[row] = _mm512_add_ps(totals[row], _mm512_mul_ps(factor, numbers));
        }
    }
    let mut sums = [[0.0; LANES]; TOGETHER];
    for row in 0..TOGETHER {
        // SAFETY: a row of `sums` is sixteen numbers long, which is what is stored.
        unsafe { _mm512_storeu_ps(sums[row].as_mut_ptr(), totals[row]) };
    }
    sums
}

/// How far ahead of the scan rows are asked for; memory answers about this much later.
const AHEAD: usize = 4096;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn scan_wide(rows: &[i8], query: &Query, sums: &mut [i32]) {
    let width = query.wide.len();
    assert!(width.is_multiple_of(64) && query.high.len() == width && query.low.len() == width);
    assert!(rows.len() == sums.len() * width);
    let flip = _mm512_set1_epi8(i8::MIN);
    for row in 0..sums.len() {
        let mut high = _mm512_setzero_si512();
        let mut low = _mm512_setzero_si512();
        for at in (0..width).step_by(64) {
            // SAFETY: at + 64 <= width; `rows` holds sums.len() times that, and so long are both halves of the query.
            let (bytes, highs, lows) = unsafe {
                let bytes = rows.as_ptr().add(row * width + at);
                _mm_prefetch::<_MM_HINT_T0>(bytes.wrapping_add(AHEAD));
                (
                    _mm512_loadu_si512(bytes.cast()),
                    _mm512_loadu_si512(query.high.as_ptr().add(at).cast()),
                    _mm512_loadu_si512(query.low.as_ptr().add(at).cast()),
                )
            };
            let bytes = _mm512_xor_si512(bytes, flip);
            high = _mm512_dpbusd_epi32(high, bytes, highs);
            low = _mm512_dpbusd_epi32(low, bytes, lows);
        }
        let whole = _mm512_add_epi32(_mm512_slli_epi32::<6>(high), low);
        sums[row] = _mm512_reduce_add_epi32(whole) - EXCESS * query.total;
    }
}
