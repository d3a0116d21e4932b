//! Against vectors computed in f32 from the weights before they were rounded (`cargo xtask weights` wrote them).

use embed::{Embedder, Kernel, MiniLm};
use serde_json::Value;

use crate::cosine;

/// What four bits per word and eight per weight may cost on any text.
const LEAST: f32 = 0.995;
/// A text without words is two marks, and nothing evens out what rounding did to them.
const LEAST_OF_NOTHING: f32 = 0.99;
/// And on all of them together.
const LEAST_MEAN: f32 = 0.997;

struct Line {
    text: String,
    pieces: Vec<u32>,
    vector: Vec<f32>,
}

fn lines() -> Vec<Line> {
    include_str!("../data/reference.jsonl")
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let numbers = |name: &str| line[name].as_array().unwrap().clone();
            Line {
                text: line["text"].as_str().unwrap().to_owned(),
                pieces: numbers("pieces").iter().map(|piece| piece.as_u64().unwrap() as u32).collect(),
                vector: numbers("vector").iter().map(|value| value.as_f64().unwrap() as f32).collect(),
            }
        })
        .collect()
}

fn carried() -> MiniLm {
    MiniLm::from_bytes(&weights_minilm_a::WEIGHTS.into(), &weights_minilm_b::WEIGHTS.into()).unwrap()
}

#[test]
fn vectors_are_near_those_of_the_unrounded_model() {
    let lines = lines();
    assert!(lines.len() >= 30);
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let vectors = MiniLm::builtin().embed(&texts).unwrap();
    let cosines: Vec<f32> =
        lines.iter().zip(&vectors).map(|(line, vector)| cosine(&line.vector, vector)).collect();
    for (line, cosine) in lines.iter().zip(&cosines) {
        let least = if line.text.trim().is_empty() { LEAST_OF_NOTHING } else { LEAST };
        assert!(*cosine >= least, "{cosine} for {:?}", line.text);
    }
    let least = cosines.iter().copied().fold(1.0, f32::min);
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    println!("cosine to the unrounded model: {mean} on average, {least} at least");
    assert!(mean >= LEAST_MEAN, "{mean}");
}

#[test]
fn every_kernel_gives_the_same_bits_one_by_one_and_together() {
    let lines = lines();
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let together = MiniLm::builtin().embed(&texts).unwrap();
    for kernel in Kernel::available() {
        let model = carried().with_kernel(kernel);
        for (text, expected) in texts.iter().zip(&together) {
            let alone = model.embed(&[text]).unwrap();
            assert!(alone[0] == *expected, "{} differs on {text:?}", kernel.name());
        }
    }
}

#[test]
fn pieces_are_those_the_reference_saw() {
    for line in lines() {
        assert_eq!(MiniLm::builtin().pieces(&line.text), line.pieces, "{:?}", line.text);
    }
}
