//! What must hold for any text.

use proptest::prelude::*;
use recall::Query;

proptest! {
    #[test]
    fn terms_hold_nothing_an_index_could_mistake_for_syntax(text in any::<String>()) {
        let found = recall::analyze(&text);
        for term in found.words.iter().chain(&found.names) {
            prop_assert!(!term.is_empty() && term.len() <= recall::analyze::MAX_TERM, "{term:?}");
            let plain = |letter: char| letter.is_alphanumeric() || letter == '_' || !letter.is_ascii();
            prop_assert!(term.chars().all(plain), "{term:?}");
        }
    }

    #[test]
    fn any_question_is_read_and_finds_its_own_words(text in any::<String>(), now in any::<u64>()) {
        let query = Query::read(&text, now);
        let found = recall::analyze(&query.text);
        for word in &query.words {
            prop_assert!(found.words.contains(word), "{word:?}");
        }
        for name in &query.names {
            prop_assert!(found.names.contains(name), "{name:?}");
        }
    }
}
