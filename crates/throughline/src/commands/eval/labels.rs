//! What a good colleague would have written down of a session, and what must not be told of it: the labels of
//! `eval --sessions`. Their form is told in docs/reference/session-labels.md.

use std::collections::BTreeMap;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use serde::Deserialize;

use crate::report::{Failure, hint};

/// What one compiled expression may take.
const MAX_COMPILED: usize = 1 << 20;

/// The labels of a file, by session.
#[derive(Debug, Default)]
pub(super) struct Labels {
    pub(super) sessions: BTreeMap<String, Labeled>,
}

#[derive(Debug, Default)]
pub(super) struct Labeled {
    pub(super) facts: Vec<Fact>,
    pub(super) orders: Vec<Order>,
    pub(super) must_not: Vec<MustNot>,
}

#[derive(Debug)]
pub(super) struct Fact {
    pub(super) id: String,
    pub(super) kind: String,
    /// The person said it.
    pub(super) person: bool,
    pub(super) pattern: Pattern,
}

#[derive(Debug)]
pub(super) struct Order {
    pub(super) id: String,
    /// False: it belongs to the task at hand, and is none to be kept.
    pub(super) standing: bool,
    pub(super) pattern: Pattern,
}

#[derive(Debug)]
pub(super) struct MustNot {
    pub(super) id: String,
    pub(super) why: Why,
    pub(super) pattern: Pattern,
    pub(super) unless: Vec<Regex>,
}

/// Why a statement must not be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Why {
    /// It was never true.
    False,
    /// It was done and undone.
    Reverted,
    /// It was true once.
    Superseded,
    /// Somebody else's words as the person's.
    NotPerson,
    /// It was meant for one moment.
    Moment,
}

impl Why {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Reverted => "reverted",
            Self::Superseded => "superseded",
            Self::NotPerson => "not-person",
            Self::Moment => "moment",
        }
    }
}

/// Alternatives, each a list of expressions that must all match.
#[derive(Debug)]
pub(super) struct Pattern {
    alternatives: Vec<Vec<Regex>>,
    /// How many characters may lie between the first expression's match and the others'; none: anywhere in the text.
    within: Option<usize>,
}

impl Pattern {
    pub(super) fn matches(&self, text: &str) -> bool {
        self.alternatives.iter().any(|all| {
            let Some((first, others)) = all.split_first() else { return false };
            first.find_iter(text).any(|found| {
                let near = self.within.map_or(text, |within| around(text, found.range(), within));
                others.iter().all(|other| other.is_match(near))
            })
        })
    }
}

/// So many characters before and after a part of a text, with the part.
fn around(text: &str, part: std::ops::Range<usize>, within: usize) -> &str {
    let start = text[..part.start].char_indices().rev().take(within).last().map_or(part.start, |(at, _)| at);
    let end = text[part.end..].char_indices().nth(within).map_or(text.len(), |(at, _)| part.end + at);
    &text[start..end]
}

/// The file as people write it. Fields that others use (`repo`, `lang`, `prompts`) are passed over.
#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    within: Option<usize>,
    sessions: Vec<WrittenSession>,
}

#[derive(Deserialize)]
struct WrittenSession {
    session: String,
    #[serde(default)]
    facts: Vec<WrittenFact>,
    #[serde(default)]
    orders: Vec<WrittenOrder>,
    #[serde(default)]
    must_not: Vec<WrittenMustNot>,
}

#[derive(Deserialize)]
struct WrittenFact {
    id: String,
    kind: String,
    any_of: Vec<Vec<String>>,
    #[serde(default)]
    person: bool,
}

#[derive(Deserialize)]
struct WrittenOrder {
    id: String,
    any_of: Vec<Vec<String>>,
    #[serde(default = "yes")]
    standing: bool,
}

#[derive(Deserialize)]
struct WrittenMustNot {
    id: String,
    why: Why,
    any_of: Vec<Vec<String>>,
    #[serde(default)]
    unless: Vec<String>,
}

const fn yes() -> bool {
    true
}

pub(super) fn read(file: &str) -> anyhow::Result<Labels> {
    let text = std::fs::read_to_string(file).map_err(|error| wrong(format!("{file}: {error}")))?;
    parse(&text).map_err(|what| wrong(format!("{file}: {what}")))
}

fn wrong(what: String) -> anyhow::Error {
    hint(Failure::Person, what, "the form is in docs/reference/session-labels.md")
}

fn parse(text: &str) -> Result<Labels, String> {
    let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut labels = Labels::default();
    for session in written.sessions {
        let labeled = labels.sessions.entry(session.session).or_default();
        for fact in session.facts {
            let pattern = pattern(&fact.id, &fact.any_of, written.within)?;
            labeled.facts.push(Fact { id: fact.id, kind: fact.kind, person: fact.person, pattern });
        }
        for order in session.orders {
            let pattern = pattern(&order.id, &order.any_of, written.within)?;
            labeled.orders.push(Order { id: order.id, standing: order.standing, pattern });
        }
        for not in session.must_not {
            let pattern = pattern(&not.id, &not.any_of, written.within)?;
            let unless = not.unless.iter().map(|text| regex(&not.id, text)).collect::<Result<_, _>>()?;
            labeled.must_not.push(MustNot { id: not.id, why: not.why, pattern, unless });
        }
    }
    Ok(labels)
}

fn pattern(id: &str, any_of: &[Vec<String>], within: Option<usize>) -> Result<Pattern, String> {
    let alternatives = any_of.iter().map(|all| all.iter().map(|text| regex(id, text)).collect());
    let alternatives = alternatives.collect::<Result<Vec<Vec<Regex>>, _>>()?;
    if alternatives.iter().all(Vec::is_empty) {
        return Err(format!("{id} has no expression in any_of"));
    }
    Ok(Pattern { alternatives, within })
}

/// Case is ignored, and a dot matches the end of a line, too.
fn regex(id: &str, text: &str) -> Result<Regex, String> {
    let config = Regex::config().nfa_size_limit(Some(MAX_COMPILED)).hybrid_cache_capacity(MAX_COMPILED);
    Regex::builder()
        .configure(config)
        .syntax(syntax::Config::new().case_insensitive(true).dot_matches_new_line(true))
        .build(text)
        .map_err(|error| format!("{id}: \"{text}\" is no expression: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(any_of: &[&[&str]], within: Option<usize>) -> Pattern {
        let any_of: Vec<Vec<String>> =
            any_of.iter().map(|all| all.iter().map(|&text| text.to_owned()).collect()).collect();
        pattern("t", &any_of, within).unwrap()
    }

    #[test]
    fn all_expressions_of_one_alternative_match_and_not_too_far_from_each_other() {
        let far = format!("The cause is the cache.{} It is stale.", " x".repeat(100));
        assert!(one(&[&["CAUSE", "stale"]], None).matches(&far));
        assert!(!one(&[&["cause", "stale"]], Some(50)).matches(&far));
        assert!(one(&[&["stale", "It is"]], Some(10)).matches(&far));
        assert!(one(&[&["never"], &["cache"]], Some(0)).matches(&far));
        assert!(!one(&[&["cache", "absent"]], None).matches(&far));
        assert!(one(&[&["причина", "кэш"]], Some(8)).matches("Причина — кэш"));
    }

    #[test]
    fn what_is_wrong_with_a_label_is_told_with_its_id() {
        let labels = r#"{"sessions": [{"session": "s", "facts": [{"id": "s-1", "kind": "cause", "any_of": [["("]]}]}]}"#;
        assert!(parse(labels).unwrap_err().starts_with("s-1: \"(\" is no expression"));
        let empty = r#"{"sessions": [{"session": "s", "orders": [{"id": "s-o1", "any_of": []}]}]}"#;
        assert_eq!(parse(empty).unwrap_err(), "s-o1 has no expression in any_of");
        let why = r#"{"sessions": [{"session": "s", "must_not": [{"id": "m", "why": "ugly", "any_of": [["a"]]}]}]}"#;
        assert!(parse(why).unwrap_err().contains("not-person"));
        assert!(
            parse(r#"{"version": 1, "sessions": [{"session": "s", "repo": "a/b", "lang": "de"}]}"#).is_ok()
        );
    }
}
