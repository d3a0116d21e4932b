//! The kernel for processors with NEON, which every 64-bit ARM has. Bytes are multiplied into sixteen bits, where
//! two products fit (2 * 127 * 127), and added up in pairs. This file holds unsafe code; each block says why it may.
#![expect(unsafe_code, reason = "vector instructions; every load is inside a slice whose length was checked")]
#![expect(
    clippy::needless_range_loop,
    reason = "adapters of the library are not inlined into wide functions"
)]

use std::arch::aarch64::{
    vaddq_f32, vaddq_s32, vaddvq_s32, vdupq_n_f32, vdupq_n_s32, vget_high_s8, vget_high_s16, vget_low_s8,
    vget_low_s16, vld1q_f32, vld1q_s8, vld1q_s16, vmlal_s16, vmovl_s8, vmull_s8, vmulq_f32, vpadalq_s16,
    vpaddq_s32, vreinterpretq_s8_s32, vst1q_f32, vst1q_s32,
};

use super::portable::{self, LANES, PANEL, Sums, TOGETHER};
use super::{Heads, Matrix, Quantized, Query, Table};

/// Four rows share each load of weights; with two sums of pairs per four columns they fill half of the registers.
const ROWS: usize = 4;

/// NEON belongs to the 64-bit architecture itself.
pub(super) fn detect() -> Option<&'static Table> {
    std::arch::is_aarch64_feature_detected!("neon").then_some(&TABLE)
}

static TABLE: Table = Table {
    name: "neon",
    quantize: |rows, factors, into| portable::quantize(rows, factors, into, 0),
    linear,
    attend,
    add_and_norm: |rows, more, norm| portable::add_and_norm(rows, more, norm),
    gelu: |values| portable::gelu(values),
    scan,
};

fn linear(rows: &Quantized, matrix: &Matrix, out: &mut [f32]) {
    portable::linear::<ROWS>(rows, matrix, out, 0, |bytes, count, weights, sums| {
        // SAFETY: TABLE is handed out by `detect` alone, after NEON was found.
        unsafe {
            match count {
                1 => tile::<1>(bytes, weights, sums),
                2 => tile::<2>(bytes, weights, sums),
                3 => tile::<3>(bytes, weights, sums),
                _ => tile::<4>(bytes, weights, sums),
            }
        }
    });
}

fn attend(heads: &mut Heads<'_>) {
    portable::attend(heads, |rows, columns, stride| {
        // SAFETY: TABLE is handed out by `detect` alone, after NEON was found.
        unsafe { attend_tile(rows, columns, stride) }
    });
}

fn scan(rows: &[i8], query: &Query, sums: &mut [i32]) {
    // SAFETY: TABLE is handed out by `detect` alone, after NEON was found.
    unsafe { scan_wide(rows, query, sums) }
}

/// `N` rows times one panel, four columns at a time.
#[target_feature(enable = "neon")]
fn tile<const N: usize>(bytes: &[i8], weights: &[u8], sums: &mut Sums<ROWS>) {
    let width = bytes.len() / N;
    assert!(width.is_multiple_of(4) && weights.len() == width * PANEL && bytes.len() == width * N);
    for part in 0..PANEL / 4 {
        let mut totals = [[vdupq_n_s32(0); 2]; N];
        for four in 0..width / 4 {
            // SAFETY: `weights` holds width / 4 groups of 4 * PANEL bytes, as asserted, and part * 16 + 16 bytes of
            // each are read at most.
            let columns = unsafe { vld1q_s8(weights.as_ptr().add(four * 4 * PANEL + part * 16).cast()) };
            for row in 0..N {
                // SAFETY: row < N and four < width / 4, and `bytes` holds N * width bytes, as asserted.
                let numbers =
                    unsafe { bytes.as_ptr().add(row * width + four * 4).cast::<i32>().read_unaligned() };
                let numbers = vget_low_s8(vreinterpretq_s8_s32(vdupq_n_s32(numbers)));
                let [first, second] = totals[row];
                totals[row][0] = vpadalq_s16(first, vmull_s8(vget_low_s8(columns), numbers));
                totals[row][1] = vpadalq_s16(second, vmull_s8(vget_high_s8(columns), numbers));
            }
        }
        for row in 0..N {
            let lanes = &mut sums[row][part * 4..part * 4 + 4];
            // SAFETY: `lanes` is four integers long, which is what is stored.
            unsafe { vst1q_s32(lanes.as_mut_ptr(), vpaddq_s32(totals[row][0], totals[row][1])) };
        }
    }
}

/// Four rows times sixteen columns. Products are added, not fused, so that the bits are those of the other kernels.
#[target_feature(enable = "neon")]
fn attend_tile(rows: [&[f32]; TOGETHER], columns: &[f32], stride: usize) -> [[f32; LANES]; TOGETHER] {
    let length = rows[0].len();
    assert!(length > 0 && rows.iter().all(|row| row.len() == length));
    assert!(columns.len() >= (length - 1) * stride + LANES);
    let mut totals = [[vdupq_n_f32(0.0); 4]; TOGETHER];
    for at in 0..length {
        for four in 0..4 {
            // SAFETY: at < length, and sixteen columns follow at * stride, as asserted; four adds 0 to 12.
            let numbers = unsafe { vld1q_f32(columns.as_ptr().add(at * stride + four * 4)) };
            for row in 0..TOGETHER {
                // SAFETY: at < length, the length of every row, as asserted.
                let factor = vdupq_n_f32(unsafe { *rows[row].get_unchecked(at) });
                totals[row][four] = vaddq_f32(totals[row][four], vmulq_f32(factor, numbers));
            }
        }
    }
    let mut sums = [[0.0; LANES]; TOGETHER];
    for row in 0..TOGETHER {
        for four in 0..4 {
            let lanes = &mut sums[row][four * 4..four * 4 + 4];
            // SAFETY: `lanes` is four numbers long, which is what is stored.
            unsafe { vst1q_f32(lanes.as_mut_ptr(), totals[row][four]) };
        }
    }
    sums
}

#[target_feature(enable = "neon")]
fn scan_wide(rows: &[i8], query: &Query, sums: &mut [i32]) {
    let width = query.wide.len();
    assert!(width.is_multiple_of(64));
    for (row, sum) in rows.chunks_exact(width).zip(sums) {
        let mut totals = [vdupq_n_s32(0); 2];
        for at in (0..width).step_by(16) {
            // SAFETY: at + 16 <= width, the length of `row` and of the query.
            let (bytes, first, second) = unsafe {
                (
                    vld1q_s8(row.as_ptr().add(at)),
                    vld1q_s16(query.wide.as_ptr().add(at)),
                    vld1q_s16(query.wide.as_ptr().add(at + 8)),
                )
            };
            for (bytes, numbers) in [(vget_low_s8(bytes), first), (vget_high_s8(bytes), second)] {
                let bytes = vmovl_s8(bytes);
                totals[0] = vmlal_s16(totals[0], vget_low_s16(bytes), vget_low_s16(numbers));
                totals[1] = vmlal_s16(totals[1], vget_high_s16(bytes), vget_high_s16(numbers));
            }
        }
        *sum = vaddvq_s32(vaddq_s32(totals[0], totals[1]));
    }
}
