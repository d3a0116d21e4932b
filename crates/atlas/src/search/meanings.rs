//! What every definition of a workspace is about, to be compared with a question. Follows the map: a file that changed
//! has new rows when somebody searches next.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use code::SymbolId;
use embed::flat::Flat;

use crate::key::Key;
use crate::library::{Def, FileId};
use crate::search::sense::{self, Sense};
use crate::shelf::Archive;

/// Definitions that can be found by what they are about: twice what a million lines have.
const MAX_ROWS: usize = 250_000;
/// Files whose vectors are kept in one transaction.
const KEEP_BATCH: usize = 200;
/// How often a word counts beyond its first weight (BM25's k1), for weights from 1 to 3.
const SATURATION: f32 = 1.5;

#[derive(Debug, Default)]
pub(crate) struct Meanings {
    files: HashMap<FileId, Rows>,
    /// Made with the first of them: to name the model takes a moment.
    vectors: Option<Flat>,
    /// By row of the vectors.
    defs: Vec<Def>,
    /// What the shelf had was taken up.
    remembered: bool,
}

/// The definitions of one file.
#[derive(Debug)]
struct Rows {
    key: Key,
    /// Rows of the vectors, one for each chunk; the words of the chunks one after another.
    places: Vec<u32>,
    ends: Vec<u32>,
    terms: Vec<(u32, u8)>,
}

/// How well a definition fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    pub(crate) def: Def,
    /// Of the words, by how rare they are.
    pub(crate) lexical: f32,
    pub(crate) cosine: f32,
}

/// A file as the map has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mapped {
    pub(crate) file: FileId,
    pub(crate) key: Key,
}

impl Meanings {
    /// Bytes of memory, roughly.
    pub(crate) fn weight(&self) -> usize {
        let words: usize = self.files.values().map(|rows| rows.terms.len()).sum();
        words * 8 + self.rows() * (self.vectors.as_ref().map_or(0, Flat::dims) + 24)
    }

    fn rows(&self) -> usize {
        self.vectors.as_ref().map_or(0, Flat::len)
    }

    /// Follows the map: `mapped` is all of it. `make` gives the sense of a file that has none yet. False: it was late, and
    /// some are missing.
    pub(crate) fn follow(
        &mut self,
        mapped: &[Mapped],
        archive: Option<&Arc<Archive>>,
        until: Option<Instant>,
        make: &mut dyn FnMut(FileId) -> Option<Sense>,
    ) -> bool {
        let there: HashMap<FileId, Key> = mapped.iter().map(|mapped| (mapped.file, mapped.key)).collect();
        let stale: Vec<FileId> = self
            .files
            .iter()
            .filter(|(file, rows)| there.get(file) != Some(&rows.key))
            .map(|(file, _)| *file)
            .collect();
        for file in stale {
            self.remove(file);
        }
        let mut due: Vec<Mapped> =
            mapped.iter().copied().filter(|mapped| !self.files.contains_key(&mapped.file)).collect();
        if due.is_empty() {
            return true;
        }
        if !std::mem::replace(&mut self.remembered, true)
            && let Some(archive) = archive
        {
            self.remember(&mut due, archive);
        }
        let mut made: Vec<(Key, Vec<u8>)> = Vec::new();
        let mut whole = true;
        for Mapped { file, key } in due {
            if until.is_some_and(|until| Instant::now() > until) || self.rows() >= MAX_ROWS {
                whole = self.rows() >= MAX_ROWS;
                break;
            }
            let sense = make(file).unwrap_or_default();
            if archive.is_some() {
                made.push((key, sense.sealed()));
            }
            self.put(file, key, sense);
            if made.len() >= KEEP_BATCH {
                keep(archive, &mut made);
            }
        }
        keep(archive, &mut made);
        whole
    }

    /// How well definitions fit the words and the vector of a question, the `most` best of either side.
    pub(crate) fn fits(
        &self,
        words: &[String],
        vector: &[f32],
        most: usize,
        is_wanted: &dyn Fn(Def) -> bool,
    ) -> Vec<Fit> {
        let terms: Vec<u32> = words.iter().map(|word| sense::term(word)).collect();
        let mut best = self.by_words(&terms, is_wanted);
        let by = |fit: &Fit| fit.lexical;
        if best.len() > most {
            best.select_nth_unstable_by(most, |a, b| by(b).total_cmp(&by(a)));
            best.truncate(most);
        }
        let filter = |row: u32| is_wanted(self.defs[row as usize]);
        let near = self.vectors.as_ref().and_then(|all| all.search(vector, most, Some(&filter)).ok());
        let mut known: HashMap<Def, usize> = best.iter().enumerate().map(|(at, fit)| (fit.def, at)).collect();
        for hit in near.unwrap_or_default() {
            let def = self.defs[hit.row as usize];
            let at = *known.entry(def).or_insert_with(|| {
                best.push(Fit { def, lexical: 0.0, cosine: 0.0 });
                best.len() - 1
            });
            best[at].cosine = hit.score;
        }
        for fit in best.iter_mut().filter(|fit| fit.cosine == 0.0) {
            fit.cosine = self.cosine(fit.def, vector).unwrap_or_default();
        }
        best
    }

    /// Every definition with one of the words. All of them are looked at: an index of words would have to follow every
    /// change, and a million lines take a millisecond or two.
    fn by_words(&self, terms: &[u32], is_wanted: &dyn Fn(Def) -> bool) -> Vec<Fit> {
        // Of 64 words that are not asked for, a few pass this.
        let asked = terms.iter().fold(0_u64, |bits, term| bits | 1 << (term & 63));
        let mut counts = vec![0_u32; terms.len()];
        let mut found: Vec<(u32, u16, u8)> = Vec::new();
        for rows in self.files.values() {
            let mut chunk = 0;
            for (at, (term, weight)) in rows.terms.iter().enumerate() {
                if asked >> (term & 63) & 1 == 0 {
                    continue;
                }
                let Some(which) = terms.iter().position(|known| known == term) else { continue };
                while rows.ends[chunk] as usize <= at {
                    chunk += 1;
                }
                counts[which] += 1;
                found.push((rows.places[chunk], which as u16, *weight));
            }
        }
        let all = self.rows() as f32;
        let rarity: Vec<f32> = counts
            .iter()
            .map(|count| (1.0 + (all - *count as f32 + 0.5) / (*count as f32 + 0.5)).ln())
            .collect();
        found.sort_unstable();
        let mut fits: Vec<Fit> = Vec::new();
        for of_row in found.chunk_by(|a, b| a.0 == b.0) {
            let def = self.defs[of_row[0].0 as usize];
            if !is_wanted(def) {
                continue;
            }
            let mut fit = Fit { def, lexical: 0.0, cosine: 0.0 };
            for (_, which, weight) in of_row {
                let weight = f32::from(*weight);
                fit.lexical +=
                    rarity[usize::from(*which)] * weight * (SATURATION + 1.0) / (weight + SATURATION);
            }
            fits.push(fit);
        }
        fits
    }

    fn cosine(&self, def: Def, vector: &[f32]) -> Option<f32> {
        let rows = self.files.get(&def.file)?;
        let row = rows.places.iter().find(|row| self.defs[**row as usize] == def)?;
        let own = self.vectors.as_ref()?.vector(*row)?;
        Some(own.iter().zip(vector).map(|(a, b)| a * b).sum())
    }

    fn remember(&mut self, due: &mut Vec<Mapped>, archive: &Arc<Archive>) {
        let mut by_key: HashMap<Key, Vec<FileId>> = HashMap::new();
        for Mapped { file, key } in due.iter() {
            by_key.entry(*key).or_default().push(*file);
        }
        archive.meanings(&sense::way(), &mut |key, bytes| {
            let Some(files) = by_key.get(&key) else { return };
            let Some(sense) = Sense::read(bytes, sense::dims()) else { return };
            for file in files {
                self.put(*file, key, sense.clone());
            }
        });
        due.retain(|mapped| !self.files.contains_key(&mapped.file));
    }

    fn put(&mut self, file: FileId, key: Key, sense: Sense) {
        let mut rows = Rows { key, places: Vec::new(), ends: Vec::new(), terms: Vec::new() };
        for chunk in sense.chunks {
            let vectors = self.vectors.get_or_insert_with(|| Flat::new(sense::dims()));
            let Ok(row) = vectors.push_encoded(&chunk.vector) else { continue };
            let def = Def { file, symbol: chunk.symbol };
            if self.defs.len() <= row as usize {
                self.defs.resize(row as usize + 1, Def { file, symbol: SymbolId(0) });
            }
            self.defs[row as usize] = def;
            rows.places.push(row);
            rows.terms.extend(chunk.terms);
            rows.ends.push(rows.terms.len() as u32);
        }
        self.files.insert(file, rows);
    }

    fn remove(&mut self, file: FileId) {
        if let (Some(rows), Some(vectors)) = (self.files.remove(&file), &mut self.vectors) {
            for row in rows.places {
                vectors.remove(row);
            }
        }
    }
}

fn keep(archive: Option<&Arc<Archive>>, made: &mut Vec<(Key, Vec<u8>)>) {
    if let Some(archive) = archive.filter(|_| !made.is_empty()) {
        archive.keep_meanings(&sense::way(), made);
        made.clear();
    }
}
