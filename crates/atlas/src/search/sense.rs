//! What the definitions of one file are about: the words of each, and a vector. Made from the text once, and kept beside
//! the facts of the same text.

use std::collections::HashMap;

use code::{Facts, Kind, Symbol, SymbolId};
use embed::{Embedder as _, StaticModel, flat};

use crate::pack;

/// Changes when the same text would give other bytes here.
const WAY: &str = "2";
/// Of the source of a definition: its beginning says what it is for.
const MAX_SOURCE: usize = 900;
/// Words that are kept of one definition, the weightiest first.
const MAX_TERMS: usize = 48;
/// A file of more definitions is a table.
const MAX_CHUNKS: usize = 2000;
/// What a word counts by where it stands: in the name, in what is said about it, in the source.
const IN_NAME: u8 = 3;
const IN_DOC: u8 = 2;
const IN_SOURCE: u8 = 1;

/// The definitions of one file that can be found by what they are about.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sense {
    pub(crate) chunks: Vec<Chunk>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chunk {
    pub(crate) symbol: SymbolId,
    /// Numbers of words, each with its weight.
    pub(crate) terms: Vec<(u32, u8)>,
    /// As [`flat::encode`] makes it.
    pub(crate) vector: Vec<u8>,
}

/// Names the vectors and the words: what was made in another way is made again.
pub(crate) fn way() -> String {
    let identity = StaticModel::builtin().identity();
    format!("{} {} {} {WAY}", identity.name, identity.version, identity.weights)
}

pub(crate) fn dims() -> usize {
    StaticModel::builtin().identity().dims
}

/// The vector of a question.
pub(crate) fn vector(question: &str) -> Option<Vec<f32>> {
    StaticModel::builtin().embed(&[&in_words(question)]).ok()?.pop()
}

pub(crate) fn term(word: &str) -> u32 {
    pack::number(word)
}

impl Sense {
    pub(crate) fn of(facts: &Facts, text: &str) -> Self {
        let symbols = facts.symbols.iter().enumerate().filter(|(_, symbol)| is_about_something(symbol));
        let chunks = symbols
            .take(MAX_CHUNKS)
            .filter_map(|(at, symbol)| chunk(facts, SymbolId(at as u32), symbol, text))
            .collect();
        Self { chunks }
    }

    pub(crate) fn sealed(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for chunk in &self.chunks {
            bytes.extend_from_slice(&chunk.symbol.0.to_le_bytes());
            bytes.push(chunk.terms.len() as u8);
            for (term, weight) in &chunk.terms {
                bytes.extend_from_slice(&term.to_le_bytes());
                bytes.push(*weight);
            }
            bytes.extend_from_slice(&chunk.vector);
        }
        pack::sealed(bytes)
    }

    pub(crate) fn read(bytes: &[u8], dims: usize) -> Option<Self> {
        let mut rest = pack::unsealed(bytes)?;
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let (symbol, after) = rest.split_first_chunk::<4>()?;
            let (count, after) = after.split_first()?;
            let (terms, after) = after.split_at_checked(usize::from(*count) * 5)?;
            let (vector, after) = after.split_at_checked(dims + 4)?;
            let terms = terms
                .as_chunks::<5>()
                .0
                .iter()
                .map(|[a, b, c, d, weight]| (u32::from_le_bytes([*a, *b, *c, *d]), *weight));
            chunks.push(Chunk {
                symbol: SymbolId(u32::from_le_bytes(*symbol)),
                terms: terms.collect(),
                vector: vector.to_vec(),
            });
            rest = after;
        }
        Some(Self { chunks })
    }
}

/// What a person would describe: what does something, what is something, what tells something.
fn is_about_something(symbol: &Symbol) -> bool {
    !symbol.flags.block
        && (symbol.kind.is_callable()
            || symbol.kind.is_type()
            || matches!(symbol.kind, Kind::Module | Kind::Section | Kind::Constant))
}

fn chunk(facts: &Facts, id: SymbolId, symbol: &Symbol, text: &str) -> Option<Chunk> {
    let name = in_words(&facts.qualified(id));
    let doc = symbol.doc.as_deref().unwrap_or_default();
    let source = text.get(symbol.span.start as usize..symbol.span.end as usize).unwrap_or(&symbol.signature);
    let source = in_words(&source[..source.floor_char_boundary(MAX_SOURCE)]);
    let own = in_words(facts.text(symbol.name));
    // A mean of words has no emphasis but saying it twice.
    let said = format!("{own} {own} {name} {doc} {doc} {source}");
    let vector = StaticModel::builtin().embed(&[&said]).ok()?.pop()?;
    let mut weights: HashMap<u32, u8> = HashMap::new();
    let mut order = Vec::new();
    for (text, weight) in [(&*own, IN_NAME), (&*name, IN_DOC), (doc, IN_DOC), (&*source, IN_SOURCE)] {
        for word in recall::analyze(text).words {
            let term = term(&word);
            let known = weights.entry(term).or_insert_with(|| {
                order.push(term);
                0
            });
            *known = (*known).max(weight);
        }
    }
    // The sort keeps the order of the text among equals.
    order.sort_by_key(|term| std::cmp::Reverse(weights[term]));
    order.truncate(MAX_TERMS);
    let terms = order.into_iter().map(|term| (term, weights[&term])).collect();
    Some(Chunk { symbol: id, terms, vector: flat::encode(&vector) })
}

/// Names taken apart, signs left out: `HTTPServer.do_GET(x)` is `HTTP Server do GET x`. A model of words has no piece
/// for a name it never saw.
pub(crate) fn in_words(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + text.len() / 8);
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        if !letter.is_alphanumeric() {
            if !words.ends_with(' ') && !words.is_empty() {
                words.push(' ');
            }
            before = ' ';
            continue;
        }
        let next_is_small = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins =
            letter.is_uppercase() && (before.is_lowercase() || before.is_uppercase() && next_is_small);
        if begins && !words.ends_with(' ') {
            words.push(' ');
        }
        words.push(letter);
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (text, words) in [
            ("HTTPServer.do_GET(x)", "HTTP Server do GET x "),
            ("parseJSON2xml", "parse JSON2xml"),
            ("snake_case and  SCREAMING", "snake case and SCREAMING"),
            ("ÜberGroß→x", "Über Groß x"),
            ("", ""),
        ] {
            assert_eq!(in_words(text), words, "{text}");
        }
    }

    #[test]
    fn what_is_kept_comes_back_and_damage_is_seen() {
        let language = code::languages::by_name("python").unwrap();
        let text = "class Cache:\n    def read_entry(self, key):\n        \"\"\"Looks a key up.\"\"\"\n        return self.rows[key]\n";
        let facts = code::facts(language, text).unwrap();
        let sense = Sense::of(&facts, text);
        assert_eq!(sense.chunks.len(), 2);
        assert!(sense.chunks[1].terms.contains(&(term("entri"), IN_NAME)), "words are stemmed");
        let mut bytes = sense.sealed();
        assert_eq!(Sense::read(&bytes, dims()), Some(sense));
        bytes[9] ^= 1;
        assert_eq!(Sense::read(&bytes, dims()), None);
    }

    #[test]
    fn a_question_is_near_what_it_describes() {
        let language = code::languages::by_name("python").unwrap();
        let text = "def read_file(path):\n    return open(path).read()\n\ndef send_mail(to, body):\n    smtp.send(to, body)\n";
        let facts = code::facts(language, text).unwrap();
        let mut rows = flat::Flat::new(dims());
        for chunk in Sense::of(&facts, text).chunks {
            rows.push_encoded(&chunk.vector).unwrap();
        }
        for (question, row) in [("open a file and get its content", 0), ("deliver an email", 1)] {
            assert_eq!(rows.search(&vector(question).unwrap(), 1, None).unwrap()[0].row, row, "{question}");
        }
    }
}
