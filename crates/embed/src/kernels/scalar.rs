//! The kernel of plain Rust: what every processor can run, and what the others are compared with.

use super::portable::{self, LANES, PANEL, Sums, TOGETHER};
use super::{Matrix, Quantized, Table};

const ROWS: usize = 4;

pub(super) static TABLE: Table = Table {
    name: "scalar",
    quantize: |rows, factors, into| portable::quantize(rows, factors, into, 0),
    linear,
    attend: |heads| portable::attend(heads, attend_tile),
    add_and_norm: |rows, more, norm| portable::add_and_norm(rows, more, norm),
    gelu: |values| portable::gelu(values),
    scan: |rows, query, sums| portable::scan(rows, query, sums),
};

fn linear(rows: &Quantized, matrix: &Matrix, out: &mut [f32]) {
    portable::linear::<ROWS>(rows, matrix, out, 0, tile);
}

fn tile(bytes: &[i8], count: usize, weights: &[u8], sums: &mut Sums<ROWS>) {
    let width = bytes.len() / count;
    for (row, sums) in bytes.chunks_exact(width).zip(sums) {
        *sums = [0; PANEL];
        for (four, weights) in row.as_chunks::<4>().0.iter().zip(weights.chunks_exact(4 * PANEL)) {
            for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<4>().0) {
                for at in 0..4 {
                    *sum += i32::from(four[at]) * i32::from(weights[at].cast_signed());
                }
            }
        }
    }
}

fn attend_tile(rows: [&[f32]; TOGETHER], columns: &[f32], stride: usize) -> [[f32; LANES]; TOGETHER] {
    let mut totals = [[0.0; LANES]; TOGETHER];
    for at in 0..rows[0].len() {
        let numbers = &columns[at * stride..][..LANES];
        for (totals, row) in totals.iter_mut().zip(rows) {
            for (total, number) in totals.iter_mut().zip(numbers) {
                *total += row[at] * number;
            }
        }
    }
    totals
}
