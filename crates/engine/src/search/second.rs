//! The second look at the first candidates, with words as the static model knows them: microseconds a word, and no
//! text is read that is not ahead already.

use embed::{Embedder, StaticModel};
use recall::reading::{self, Asked, Look, Reader};
use store::Tables;

use crate::Result;

/// Words of a question whose likes are looked for; each costs a product with every word that is read.
const ALIKE: usize = 6;
/// Shorter words are like everything, and are found by their letters.
const SHORT: usize = 3;

pub(super) struct Second {
    asked: Vec<Asked>,
    vectors: Vec<Vec<f32>>,
}

impl Second {
    /// Without the words that are alike where `code` is all that was found: they would count for nothing.
    pub(super) fn new(tables: &Tables, text: &str, memories: u64, code: f32) -> Result<Self> {
        let mut asked = reading::asked(text);
        for word in &mut asked {
            word.weight = reading::weight(memories, tables.holding(&word.term)?);
        }
        // The heaviest first: for those the words that are alike are looked for.
        asked.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let forms: Vec<&str> = asked.iter().take(ALIKE).map(|word| word.form.as_str()).collect();
        // A model that fails costs its part of the look alone.
        let vectors =
            if code < 1.0 { StaticModel::builtin().embed(&forms).unwrap_or_default() } else { Vec::new() };
        Ok(Self { asked, vectors })
    }

    /// One look for each title and text, in order.
    pub(super) fn looks<'t>(&self, texts: impl Iterator<Item = (&'t str, &'t str)>) -> Vec<Look> {
        let mut likeness = |word: &str| -> Vec<f32> {
            if word.len() < SHORT || self.vectors.is_empty() {
                return Vec::new();
            }
            let vector = StaticModel::builtin().embed(&[word]).unwrap_or_default().pop().unwrap_or_default();
            self.vectors.iter().map(|asked| product(asked, &vector)).collect()
        };
        let mut reader = Reader::new(&self.asked, &mut likeness);
        texts
            .map(|(title, text)| {
                reader.look(if text.starts_with(title) { [text, ""] } else { [title, text] })
            })
            .collect()
    }
}

/// Sums in lanes: a processor adds eight at once if their order is left to it.
fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 8];
    let (left, right) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    for at in 0..left.len().min(right.len()) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum += left[at][lane] * right[at][lane];
        }
    }
    let rest = a.len() - a.len() % 8;
    let tail: f32 = a[rest..].iter().zip(b.get(rest..).unwrap_or_default()).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_counts_every_number_once() {
        let numbers: Vec<f32> = (1..=19_u8).map(f32::from).collect();
        assert!((product(&numbers, &numbers) - 2470.0).abs() < 1e-3);
        assert!(product(&numbers, &[]).abs() < 1e-6);
    }
}
