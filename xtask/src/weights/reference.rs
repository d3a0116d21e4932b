//! The model as its paper says, in f32 and without a single shortcut: what the kernels are compared with. Slow, and
//! only ever run over a few dozen texts.

use anyhow::{Context, Result};
use embed::MiniLm;
use serde_json::json;

use super::tensors::Tensors;

const WIDTH: usize = 384;
const INNER: usize = 1536;
const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;
const LAYERS: usize = 6;

/// Texts of the kinds that are embedded, and of the kinds that break tokenizers.
const TEXTS: &str = include_str!("texts.json");

/// One line of JSON per text: the text, its pieces, its vector.
pub(super) fn make(tensors: &Tensors, minilm: &MiniLm) -> Result<String> {
    let texts: Vec<String> = serde_json::from_str(TEXTS)?;
    let model = Model { tensors };
    let mut lines = String::new();
    for text in texts {
        let pieces = minilm.pieces(&text);
        // Six digits are far below what rounding to bytes changes.
        let vector: Vec<f64> =
            model.encode(&pieces)?.iter().map(|value| (f64::from(*value) * 1e6).round() / 1e6).collect();
        lines += &json!({"text": text, "pieces": pieces, "vector": vector}).to_string();
        lines.push('\n');
    }
    Ok(lines)
}

pub(super) struct Model<'a> {
    pub(super) tensors: &'a Tensors,
}

impl Model<'_> {
    pub(super) fn encode(&self, pieces: &[u32]) -> Result<Vec<f32>> {
        let words = self.tensor("embeddings.word_embeddings.weight")?;
        let positions = self.tensor("embeddings.position_embeddings.weight")?;
        let segments = self.tensor("embeddings.token_type_embeddings.weight")?;
        let mut rows = Vec::with_capacity(pieces.len() * WIDTH);
        for (position, &piece) in pieces.iter().enumerate() {
            let word = &words[piece as usize * WIDTH..][..WIDTH];
            let place = &positions[position * WIDTH..][..WIDTH];
            rows.extend((0..WIDTH).map(|at| word[at] + place[at] + segments[at]));
        }
        self.norm(&mut rows, "embeddings.LayerNorm")?;
        for layer in 0..LAYERS {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let attended = self.attend(&rows, &name("attention.self"))?;
            let joined = self.linear(&attended, WIDTH, &name("attention.output.dense"))?;
            add(&mut rows, &joined);
            self.norm(&mut rows, &name("attention.output.LayerNorm"))?;
            let mut wide = self.linear(&rows, WIDTH, &name("intermediate.dense"))?;
            for value in &mut wide {
                *value = gelu(*value);
            }
            let narrow = self.linear(&wide, INNER, &name("output.dense"))?;
            add(&mut rows, &narrow);
            self.norm(&mut rows, &name("output.LayerNorm"))?;
        }
        let mut vector: Vec<f32> =
            (0..WIDTH).map(|at| rows.iter().skip(at).step_by(WIDTH).sum::<f32>()).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        for value in &mut vector {
            *value /= length;
        }
        Ok(vector)
    }

    fn tensor(&self, name: &str) -> Result<Vec<f32>> {
        self.tensors.read(name).with_context(|| format!("there is no {name}"))
    }

    fn linear(&self, rows: &[f32], inputs: usize, name: &str) -> Result<Vec<f32>> {
        let weights = self.tensor(&format!("{name}.weight"))?;
        let biases = self.tensor(&format!("{name}.bias"))?;
        let product = |row: &[f32], (column, bias): (&[f32], &f32)| dot(row, column) + bias;
        Ok(rows
            .chunks_exact(inputs)
            .flat_map(|row| {
                let columns = weights.chunks_exact(inputs).zip(&biases);
                columns.map(|column| product(row, column)).collect::<Vec<f32>>()
            })
            .collect())
    }

    fn attend(&self, rows: &[f32], name: &str) -> Result<Vec<f32>> {
        let third = |part: &str| self.linear(rows, WIDTH, &format!("{name}.{part}"));
        let (queries, keys, values) = (third("query")?, third("key")?, third("value")?);
        let count = rows.len() / WIDTH;
        let mut attended = vec![0.0; rows.len()];
        for head in 0..HEADS {
            let part = |of: usize| of * WIDTH + head * HEAD..of * WIDTH + (head + 1) * HEAD;
            for row in 0..count {
                let scores: Vec<f32> = (0..count)
                    .map(|other| dot(&queries[part(row)], &keys[part(other)]) / (HEAD as f32).sqrt())
                    .collect();
                let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let shares: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
                let total: f32 = shares.iter().sum();
                for (other, share) in shares.iter().enumerate() {
                    for (sum, value) in attended[part(row)].iter_mut().zip(&values[part(other)]) {
                        *sum += share / total * value;
                    }
                }
            }
        }
        Ok(attended)
    }

    fn norm(&self, rows: &mut [f32], name: &str) -> Result<()> {
        let gains = self.tensor(&format!("{name}.weight"))?;
        let shifts = self.tensor(&format!("{name}.bias"))?;
        for row in rows.chunks_exact_mut(WIDTH) {
            let mean = row.iter().sum::<f32>() / WIDTH as f32;
            let variance =
                row.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / WIDTH as f32;
            let root = (variance + 1e-12).sqrt();
            for (value, (gain, shift)) in row.iter_mut().zip(gains.iter().zip(&shifts)) {
                *value = (*value - mean) / root * gain + shift;
            }
        }
        Ok(())
    }
}

fn add(rows: &mut [f32], more: &[f32]) {
    for (value, more) in rows.iter_mut().zip(more) {
        *value += more;
    }
}

/// In double precision, so that order is of no matter.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum::<f64>() as f32
}

/// With the error function as a series; ours is a table from a book, so that the two cannot share a mistake.
fn gelu(x: f32) -> f32 {
    let x = f64::from(x);
    (0.5 * x * (1.0 + erf(x / std::f64::consts::SQRT_2))) as f32
}

fn erf(x: f64) -> f64 {
    // The Taylor series converges well up to 4; beyond, the function is 1 to eight digits.
    if x.abs() > 4.0 {
        return x.signum();
    }
    let mut term = x;
    let mut sum = x;
    for n in 1..100 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}
