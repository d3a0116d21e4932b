//! What a question says short: the beginning of a word, and a time told by what happened then. Both are settled by
//! asking the index before the search itself; a question that says neither costs a look at its words.

use recall::Query;
use recall::when::Window;
use store::{Card, Tables, any_of};

use super::Ask;
use crate::Result;

/// Letters of a word that no memory has, to be taken for the beginning of one: `config` for configuration.
const BEGINNING: usize = 4;
/// Words of a question that are tried.
const TRIED: usize = 8;
/// Memories that may tell when an event was.
const TELLING: usize = 50;

/// Words of the question that no memory has are beginnings, too.
pub(super) fn find_beginnings(tables: &Tables, query: &mut Query) -> Result<()> {
    for word in query.words.iter().take(TRIED) {
        let long = word.chars().count() >= BEGINNING && word.chars().all(char::is_alphabetic);
        if long && !query.prefixes.contains(word) && !tables.is_term(word)? {
            query.prefixes.push(word.clone());
        }
    }
    Ok(())
}

/// An expression that words beginning like one of these satisfy, too.
pub(super) fn or_beginning(expression: String, beginnings: &[String]) -> String {
    beginnings.iter().fold(expression, |expression, beginning| {
        let beginning = any_of([beginning.as_str()]);
        if expression.is_empty() {
            format!("{beginning} *")
        } else {
            format!("({expression}) OR {beginning} *")
        }
    })
}

/// The time the question means, if it tells one by an event that a memory speaks of: the latest that does, in its
/// title before any other, here before elsewhere.
pub(super) fn window(
    tables: &Tables,
    query: &Query,
    ask: &Ask,
    passes: &dyn Fn(u64) -> bool,
) -> Result<Option<Window>> {
    let Some(event) = &query.event else { return Ok(None) };
    let names = recall::analyze(event.name).words;
    let expression = any_of(names.iter().map(String::as_str));
    let mut best: Option<((bool, bool), u64)> = None;
    for found in tables.lexical(&expression, TELLING, passes)? {
        let Some(card) = tables.card(found.n, 0)? else { continue };
        if card.at == 0 || card.at > ask.now {
            continue;
        }
        let titled = recall::analyze(&card.title).words.iter().any(|word| names.contains(word));
        let told = ((is_here(&card, ask), titled), card.at);
        best = best.max(Some(told));
    }
    Ok(best.map(|(_, at)| event.window(at, ask.now)))
}

fn is_here(card: &Card, ask: &Ask) -> bool {
    ask.here.as_ref().is_none_or(|here| card.project_key.as_deref() == Some(here.project_key.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_added_to_what_was_asked() {
        let beginnings = ["b".to_owned(), "c\"".to_owned()];
        assert_eq!(or_beginning("\"a\"".to_owned(), &beginnings), r#"(("a") OR "b" *) OR "c""" *"#);
        assert_eq!(or_beginning(String::new(), &beginnings[..1]), r#""b" *"#);
        assert_eq!(or_beginning("\"a\"".to_owned(), &[]), r#""a""#);
    }
}
