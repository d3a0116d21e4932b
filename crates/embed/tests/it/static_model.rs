//! The instant model, and files that are not one.

use embed::{EmbedError, Embedder, MAX_TEXT, StaticModel, pack};
use proptest::prelude::*;

use crate::cosine;

fn embed(text: &str) -> Vec<f32> {
    StaticModel::builtin().embed(&[text]).unwrap().remove(0)
}

#[test]
fn related_texts_are_nearer_than_unrelated_ones() {
    let query = embed("read a csv file into a list of rows");
    let near = embed("def load_table(path): return list(csv.reader(open(path)))");
    let far = embed("The colors of the sidebar follow the theme of the system.");
    assert!(cosine(&query, &near) > cosine(&query, &far) + 0.1);
}

#[test]
fn a_text_without_words_is_near_to_nothing() {
    for text in ["", " \n", "\u{0}", "\u{200b}"] {
        assert!(embed(text).iter().all(|&value| value == 0.0), "{text:?}");
    }
}

#[test]
fn a_megabyte_is_read_up_to_its_bound() {
    let text = "journal ".repeat(1 << 17);
    assert_eq!(embed(&text), embed(&text[..MAX_TEXT]));
    assert!(StaticModel::builtin().pieces(&text).len() <= MAX_TEXT);
}

#[test]
fn damaged_weights_are_refused() {
    let file = weights_static::WEIGHTS;
    assert!(StaticModel::from_bytes(file.into()).is_ok());
    let refused = |file: Vec<u8>| {
        assert!(matches!(StaticModel::from_bytes(file.into()), Err(EmbedError::Weights(_))));
    };
    refused(Vec::new());
    refused(file[..file.len() - 1].to_vec());
    // Another magic; more pieces than there are; a slot that points to another piece.
    let slot = (24..).step_by(4).find(|&at| file[at] != 0).unwrap();
    for at in [0, 6, slot] {
        let mut damaged = file.to_vec();
        damaged[at] ^= 0x5a;
        refused(damaged);
    }
}

#[test]
fn a_model_of_one_s_own_is_packed_and_read() {
    let pieces = ["[UNK]", "red", "##dish", "blue"];
    let rows = [0.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, -2.0];
    let model = StaticModel::from_bytes(pack::static_model(&pieces, 2, &rows).unwrap().into()).unwrap();
    assert_eq!(model.identity().dims, 2);
    assert_eq!(model.pieces("Reddish BLUE, green"), [1, 2, 3]);
    let vectors = model.embed(&["red", "blue", "green"]).unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [0.0, -1.0], [0.0, 0.0]]);
    assert!(pack::static_model(&pieces, 3, &rows).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "\\PC{0,120}|(?s).{0,80}") {
        prop_assert!(embed(&text).iter().all(|value| value.is_finite()));
    }

    #[test]
    fn no_file_panics(at in 0_usize..400_000, byte in any::<u8>(), text in ".{0,40}") {
        let mut damaged = weights_static::WEIGHTS.to_vec();
        damaged[at] = byte;
        if let Ok(model) = StaticModel::from_bytes(damaged.into()) {
            model.embed(&[text.as_str()]).unwrap();
        }
    }
}
