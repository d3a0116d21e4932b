//! Things as rows: what is kept in columns because something asks for it, and the whole as text beside it. A reader takes
//! the columns' word where both speak of the same.

use model::{Memory, MemoryId, Millis};
use postgres::Row;
use sha2::{Digest, Sha256};
use store::shared::{Author, SharedMemory, SharedMessage, SharedProject, SharedVectors};

use crate::half;

/// Terms of one memory that are filed; a text of more words is found by its first.
const MAX_TERMS: usize = 4096;
/// Places of one term that a tsvector keeps.
const MAX_PLACES: usize = 255;
/// The last place a tsvector knows; later ones share it.
const LAST_PLACE: usize = 16_383;

/// The database's numbers have a sign, ours do not.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The one letter that a database's text cannot hold.
pub(crate) fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

pub(crate) struct MemoryRow {
    pub(crate) project: i64,
    pub(crate) id: i64,
    pub(crate) changed_at: Millis,
    pub(crate) hits: u64,
    pub(crate) prevented: u64,
    pub(crate) last_applied_at: Option<Millis>,
    pub(crate) digest: Vec<u8>,
    /// The model's name and vectors.
    pub(crate) vectors: Option<(String, Vec<Vec<u16>>)>,
    pub(crate) body: String,
    pub(crate) terms: Terms,
}

impl MemoryRow {
    pub(crate) fn new(project: i64, told: &SharedMemory) -> Self {
        let bare = SharedMemory { vectors: None, ..told.clone() };
        Self {
            project,
            id: signed(told.memory.id.as_u64()),
            changed_at: told.changed_at,
            hits: told.hits,
            prevented: told.prevented,
            last_applied_at: told.last_applied_at,
            digest: digest(&told.memory),
            vectors: told.vectors.as_ref().and_then(vectors),
            body: serde_json::to_string(&bare).unwrap_or_default(),
            terms: Terms::of(&told.memory),
        }
    }

    /// Two tellings of one author's within a batch, this one earlier.
    pub(crate) fn merge(&mut self, later: Self) {
        let same_text = self.digest == later.digest;
        let (hits, prevented) = (self.hits.max(later.hits), self.prevented.max(later.prevented));
        let last_applied_at = self.last_applied_at.max(later.last_applied_at);
        if later.changed_at >= self.changed_at {
            let vectors = self.vectors.take().filter(|_| same_text);
            *self = later;
            if self.vectors.is_none() {
                self.vectors = vectors;
            }
        }
        (self.hits, self.prevented, self.last_applied_at) = (hits, prevented, last_applied_at);
    }
}

/// None where the parts are not of one length.
fn vectors(told: &SharedVectors) -> Option<(String, Vec<Vec<u16>>)> {
    /// What pgvector's half vectors can be indexed with.
    const MAX_DIMS: usize = 4000;
    let dims = told.parts.first()?.len();
    let fits = (1..=MAX_DIMS).contains(&dims) && told.parts.iter().all(|part| part.len() == dims);
    let halve = |part: &Vec<f32>| part.iter().map(|number| half::from_f32(*number)).collect();
    fits.then(|| (clean(&told.model), told.parts.iter().map(halve).collect()))
}

fn digest(memory: &Memory) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update((memory.title.len() as u64).to_le_bytes());
    hash.update(memory.title.as_bytes());
    hash.update(memory.text.as_bytes());
    hash.finalize()[..16].to_vec()
}

/// A memory as a tsvector reads it, and how long it is. Titles are A, names B, keys C, the text D.
pub(crate) struct Terms {
    pub(crate) vector: String,
    pub(crate) words: i32,
    pub(crate) distinct: Vec<String>,
}

impl Terms {
    fn of(memory: &Memory) -> Self {
        let title = recall::analyze(&memory.title);
        let text = recall::analyze(&memory.text);
        let lists = [&memory.facts, &memory.concepts, &memory.files_read, &memory.files_modified];
        let keys: Vec<recall::Analysis> = memory
            .subtitle
            .iter()
            .chain(lists.into_iter().flatten())
            .map(|key| recall::analyze(key))
            .collect();
        let words = |weight: char, words: &[String]| {
            words.iter().map(|word| (weight, word.clone())).collect::<Vec<_>>()
        };
        let mut all = words('A', &title.words);
        all.extend(words('B', &title.names));
        all.extend(words('B', &text.names));
        for key in &keys {
            all.extend(words('B', &key.names));
            all.extend(words('C', &key.words));
        }
        all.extend(words('D', &text.words));
        all.truncate(MAX_TERMS);
        let mut places: std::collections::BTreeMap<String, Vec<String>> = std::collections::BTreeMap::new();
        for (at, (weight, word)) in all.iter().enumerate() {
            let of_word = places.entry(clean(word)).or_default();
            if of_word.len() < MAX_PLACES {
                of_word.push(format!("{}{weight}", (at + 1).min(LAST_PLACE)));
            }
        }
        places.retain(|word, _| !word.is_empty());
        let quoted = places.iter().map(|(word, places)| format!("{}:{}", quoted(word), places.join(",")));
        let vector = quoted.collect::<Vec<_>>().join(" ");
        Self { vector, words: all.len() as i32, distinct: places.into_keys().collect() }
    }
}

/// A term as tsvector and tsquery take it, whatever is in it.
pub(crate) fn quoted(term: &str) -> String {
    format!("'{}'", term.replace('\\', "\\\\").replace('\'', "''"))
}

/// Columns `body, hits, prevented, last_applied_at, changed_at, id, vectors, model's name, project's key`, from `at` on.
/// `None`: a later throughline wrote it, in a form this one does not know.
pub(crate) fn read_memory(row: &Row, at: usize) -> Option<SharedMemory> {
    let mut told: SharedMemory = serde_json::from_str(row.get(at)).ok()?;
    told.hits = unsigned(row.get(at + 1));
    told.prevented = unsigned(row.get(at + 2));
    told.last_applied_at = row.get::<_, Option<i64>>(at + 3).map(unsigned);
    told.changed_at = unsigned(row.get(at + 4));
    told.memory.id = MemoryId::from_u64(unsigned(row.get(at + 5)));
    let packed: Option<&[u8]> = row.get(at + 6);
    let model: Option<String> = row.get(at + 7);
    told.vectors =
        model.zip(packed.and_then(half::unpack)).map(|(model, parts)| SharedVectors { model, parts });
    told.project = SharedProject(row.get(at + 8));
    Some(told)
}

/// What the message's columns say.
pub(crate) fn read_message(body: &str, delivered_at: Option<i64>, project: &str) -> Option<SharedMessage> {
    let mut told: SharedMessage = serde_json::from_str(body).ok()?;
    told.delivered_at = delivered_at.map(unsigned);
    project.clone_into(&mut told.project.0);
    Some(told)
}

/// Columns `user, machine`.
pub(crate) fn read_author(row: &Row, at: usize) -> Author {
    Author { user: row.get(at), machine: row.get(at + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::MemoryKind;

    #[test]
    fn a_memory_becomes_terms_with_where_they_stand_and_nothing_in_it_ends_a_quotation() {
        let id = MemoryId::from_u64(1);
        let mut memory =
            Memory::new(id, MemoryKind::Note, 1, "Retry budget".into(), "the retry loop' \\ \0 x".into());
        memory.concepts.push("back_off".into());
        let terms = Terms::of(&memory);
        assert!(terms.vector.contains(":1A,"), "{}", terms.vector);
        assert!(terms.vector.contains('B') && terms.vector.contains('D'));
        assert!(!terms.vector.contains('\0'));
        assert_eq!(quoted("a'b\\c"), "'a''b\\\\c'");
    }
}
