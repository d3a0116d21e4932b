//! The sentence model on texts of every kind.

use embed::{EmbedError, Embedder, MiniLm};
use proptest::prelude::*;

use crate::cosine;

fn embed(text: &str) -> Vec<f32> {
    MiniLm::builtin().embed(&[text]).unwrap().remove(0)
}

#[test]
fn a_question_is_nearest_to_the_sentence_that_answers_it() {
    let question = embed("why does the login break after an hour?");
    let answer = embed("The access token expires after 60 minutes and was never refreshed.");
    let other = embed("The release script now signs the archives before it uploads them.");
    assert!(cosine(&question, &answer) > cosine(&question, &other) + 0.1);
}

#[test]
fn every_vector_has_unit_length_that_of_no_text_too() {
    for text in ["", "   ", "a", "\u{0}\u{feff}", "word ".repeat(500).as_str()] {
        let vector = embed(text);
        assert_eq!(vector.len(), 384);
        assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5, "{text:?}");
    }
}

#[test]
fn what_follows_the_256th_piece_is_not_read() {
    let short = "one two ".repeat(127);
    let long = format!("{short}{}", "something else entirely ".repeat(1000));
    assert_eq!(MiniLm::builtin().pieces(&long).len(), 256);
    assert_eq!(embed(&short), embed(&long));
}

#[test]
fn a_megabyte_of_anything_is_cut_and_not_waited_for() {
    for unit in ["a", " ", "\u{301}", "漢", "\u{0}", "word ", "👩‍💻"] {
        let text = unit.repeat((1 << 20) / unit.len());
        assert!(MiniLm::builtin().pieces(&text).len() <= 256);
        assert_eq!(embed(&text).len(), 384);
    }
}

#[test]
fn no_texts_have_no_vectors() {
    assert!(MiniLm::builtin().embed(&[]).unwrap().is_empty());
}

#[test]
fn a_released_model_embeds_again_and_the_same() {
    let before = embed("the daemon drained the spool");
    MiniLm::builtin().release();
    assert_eq!(embed("the daemon drained the spool"), before);
}

#[test]
fn several_threads_get_what_one_gets() {
    let expected = embed("the journal is local");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(embed("the journal is local"), expected));
        }
    });
}

#[test]
fn damaged_weights_are_refused() {
    let (a, b) = (weights_minilm_a::WEIGHTS, weights_minilm_b::WEIGHTS);
    let refused = |a: Vec<u8>, b: Vec<u8>| {
        let trouble = MiniLm::from_bytes(&a.into(), &b.into()).unwrap_err();
        assert!(matches!(trouble, EmbedError::Weights(_)), "{trouble}");
    };
    refused(Vec::new(), Vec::new());
    refused(b.to_vec(), a.to_vec());
    refused(a[..a.len() - 1].to_vec(), b.to_vec());
    let mut flipped = b.to_vec();
    flipped[1_000_000] ^= 1;
    refused(a.to_vec(), flipped);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics_and_each_has_a_vector(text in "\\PC{0,120}|(?s).{0,80}") {
        let vector = embed(&text);
        prop_assert!(vector.iter().all(|value| value.is_finite()));
    }

    #[test]
    fn no_pieces_panic_whatever_their_numbers(pieces in prop::collection::vec(any::<u32>(), 0..40)) {
        prop_assert_eq!(MiniLm::builtin().encode(vec![pieces]).len(), 1);
    }
}
