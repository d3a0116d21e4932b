//! The six layers, from pieces to one vector per text. Several short texts go through together: their rows lie one
//! after another, weights are loaded once for all of them, and attention stays inside each text. A row is computed
//! the same way whatever lies beside it.

use std::ops::Range;

use super::weights::{GROUP, GROUP_BYTES, INNER, Layer, WIDTH, WORD_BYTES, Weights};
use crate::half::from_half;
use crate::kernels::{Heads, Kernel, Quantized, normalize};

/// What a pass writes into; kept from pass to pass. About 4 MB for 256 rows.
#[derive(Debug, Default)]
pub(super) struct Room {
    rows: Vec<f32>,
    mixed: Vec<f32>,
    joined: Vec<f32>,
    wide: Vec<f32>,
    bytes: Quantized,
    heads: Vec<f32>,
}

impl Room {
    fn fit(&mut self, rows: usize) {
        self.rows.resize(rows * WIDTH, 0.0);
        self.mixed.resize(rows * 3 * WIDTH, 0.0);
        self.joined.resize(rows * WIDTH, 0.0);
        self.wide.resize(rows * INNER, 0.0);
    }
}

/// One vector of unit length per text; a text is a list of pieces, neither empty nor longer than the positions.
pub(super) fn encode(
    weights: &Weights,
    kernel: Kernel,
    texts: &[Vec<u32>],
    room: &mut Room,
) -> Vec<Vec<f32>> {
    let spans = spans(texts);
    room.fit(texts.iter().map(Vec::len).sum());
    for (text, span) in texts.iter().zip(&spans) {
        look_up(weights, text, &mut room.rows[span.clone()], &mut room.joined[span.clone()]);
    }
    kernel.add_and_norm(&mut room.rows, &room.joined, &weights.first);
    for layer in &weights.layers {
        pass(layer, kernel, &spans, room);
    }
    spans.into_iter().map(|span| pool(&room.rows[span])).collect()
}

/// Where the numbers of each text lie.
fn spans(texts: &[Vec<u32>]) -> Vec<Range<usize>> {
    let mut end = 0;
    let span = |text: &Vec<u32>| {
        let start = end;
        end += text.len() * WIDTH;
        start..end
    };
    texts.iter().map(span).collect()
}

/// Words into `rows`, positions into `places`.
fn look_up(weights: &Weights, text: &[u32], rows: &mut [f32], places: &mut [f32]) {
    read_halves(&weights.positions, places);
    let marks = weights.marks.in_order();
    for (&piece, row) in text.iter().zip(rows.chunks_exact_mut(WIDTH)) {
        if let Some(mark) = marks.iter().position(|&mark| mark == piece) {
            read_halves(&weights.marked[mark * WIDTH * 2..], row);
            continue;
        }
        let word = &weights.words[piece as usize * WORD_BYTES..][..WORD_BYTES];
        for (group, numbers) in word.chunks_exact(GROUP_BYTES).zip(row.chunks_exact_mut(GROUP)) {
            let scale = from_half(u16::from_le_bytes([group[0], group[1]]));
            let (low, high) = numbers.split_at_mut(GROUP / 2);
            for (&byte, (low, high)) in group[2..].iter().zip(low.iter_mut().zip(high)) {
                *low = scale * (f32::from(byte & 0x0f) - 8.0);
                *high = scale * (f32::from(byte >> 4) - 8.0);
            }
        }
    }
}

fn read_halves(halves: &[u8], into: &mut [f32]) {
    for (into, &half) in into.iter_mut().zip(halves.as_chunks::<2>().0) {
        *into = from_half(u16::from_le_bytes(half));
    }
}

fn pass(layer: &Layer, kernel: Kernel, spans: &[Range<usize>], room: &mut Room) {
    kernel.quantize(&room.rows, &layer.mixed.factors, &mut room.bytes);
    kernel.linear(&room.bytes, &layer.mixed, &mut room.mixed);
    for span in spans {
        kernel.attend(&mut Heads {
            mixed: &room.mixed[3 * span.start..3 * span.end],
            width: WIDTH,
            out: &mut room.joined[span.clone()],
            room: &mut room.heads,
        });
    }
    kernel.quantize(&room.joined, &layer.joined.factors, &mut room.bytes);
    kernel.linear(&room.bytes, &layer.joined, &mut room.joined);
    kernel.add_and_norm(&mut room.rows, &room.joined, &layer.after_attention);

    kernel.quantize(&room.rows, &layer.wide.factors, &mut room.bytes);
    kernel.linear(&room.bytes, &layer.wide, &mut room.wide);
    kernel.gelu(&mut room.wide);
    kernel.quantize(&room.wide, &layer.narrow.factors, &mut room.bytes);
    kernel.linear(&room.bytes, &layer.narrow, &mut room.joined);
    kernel.add_and_norm(&mut room.rows, &room.joined, &layer.last);
}

/// The mean of a text's rows. Its length is of no matter: the vector is brought to unit length.
fn pool(rows: &[f32]) -> Vec<f32> {
    let mut vector = vec![0.0; WIDTH];
    for row in rows.chunks_exact(WIDTH) {
        for (sum, value) in vector.iter_mut().zip(row) {
            *sum += value;
        }
    }
    normalize(&mut vector);
    vector
}
