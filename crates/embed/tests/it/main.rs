//! The models and the scan from outside, with the weights the binary carries.
#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod flat;
mod identity;
mod minilm;
mod reference;
mod static_model;
mod tokenizer;

/// The cosine of two vectors of any length.
fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    (dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()) as f32
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Between -1 and 1.
    fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn vector(&mut self, dims: usize) -> Vec<f32> {
        let vector: Vec<f32> = (0..dims).map(|_| self.number() + self.number()).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter().map(|value| value / length).collect()
    }
}
