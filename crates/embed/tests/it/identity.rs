//! The names of models as text.

use embed::{EmbedError, Embedder, Identity, MiniLm, StaticModel};
use proptest::prelude::*;

proptest! {
    #[test]
    fn an_identity_survives_as_text(
        name in "[^\r\n]{1,40}",
        version in "[A-Za-z0-9._-]{0,12}",
        weights in "[0-9a-f]{0,16}",
        dims in 1_usize..100_000,
    ) {
        let identity = Identity { name, version, weights, dims };
        prop_assert_eq!(identity.to_string().parse::<Identity>().unwrap(), identity);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,80}") {
        if let Ok(identity) = text.parse::<Identity>() {
            prop_assert_eq!(identity.to_string().parse::<Identity>().unwrap(), identity);
        }
    }
}

#[test]
fn what_names_no_model_is_refused_with_its_words() {
    for text in ["", "minilm", "a@1#00", "@1#00/384", "a@1#00/0", "a@1#00/many", "a@1#00/384\n"] {
        match text.parse::<Identity>() {
            Err(EmbedError::Identity(words)) => assert_eq!(words, text),
            other => panic!("{text:?} became {other:?}"),
        }
    }
}

#[test]
fn both_models_are_named_and_the_names_differ() {
    let (minilm, fast) = (MiniLm::builtin().identity(), StaticModel::builtin().identity());
    assert_eq!((minilm.name.as_str(), minilm.dims), ("minilm-l6-v2", 384));
    assert_eq!(fast.name, "static-minilm");
    assert_eq!(minilm.weights.len(), 16);
    assert_eq!(fast.weights.len(), 16);
    assert_eq!(minilm.to_string().lines().count(), 1);
}
