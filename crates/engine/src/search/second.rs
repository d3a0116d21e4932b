//! The second look at the first candidates, with words as the static model knows them: microseconds a word, and no
//! text is read that is not ahead already.

use embed::{Embedder, StaticModel};
use recall::reading::{self, Asked, Look, Reader};
use store::Tables;

use crate::Result;

pub(super) struct Second {
    asked: Vec<Asked>,
    vectors: Vec<Vec<f32>>,
}

impl Second {
    pub(super) fn new(tables: &Tables, text: &str, memories: u64) -> Result<Self> {
        let mut asked = reading::asked(text);
        for word in &mut asked {
            word.weight = reading::weight(memories, tables.holding(&word.term)?);
        }
        let forms: Vec<&str> = asked.iter().map(|word| word.form.as_str()).collect();
        // A model that fails costs its part of the look alone.
        let vectors = StaticModel::builtin().embed(&forms).unwrap_or_default();
        Ok(Self { asked, vectors })
    }

    /// One look for each title and text, in order.
    pub(super) fn looks<'t>(&self, texts: impl Iterator<Item = (&'t str, &'t str)>) -> Vec<Look> {
        let mut likeness = |word: &str| -> Vec<f32> {
            let vector = StaticModel::builtin().embed(&[word]).unwrap_or_default().pop().unwrap_or_default();
            let product = |asked: &Vec<f32>| asked.iter().zip(&vector).map(|(a, b)| a * b).sum();
            self.vectors.iter().map(product).collect()
        };
        let mut reader = Reader::new(&self.asked, &mut likeness);
        texts
            .map(|(title, text)| {
                reader.look(if text.starts_with(title) { [text, ""] } else { [title, text] })
            })
            .collect()
    }
}
