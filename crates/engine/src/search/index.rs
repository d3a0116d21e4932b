//! Filing what is due: terms first, vectors when there is time. Both can be stopped and repeated at any point; the
//! tables remember what is due.

use std::collections::{BTreeSet, VecDeque};
use std::sync::PoisonError;

use embed::flat::encode;
use model::Memory;
use store::{Batch, Tables, Terms};

use super::dense::Dense;
use super::lexicon::Lexicon;
use super::{Model, Search};
use crate::{EngineError, Result};

/// Characters of a text that become terms. A longer one is a dump; its beginning says what it is.
const MAX_TERMS_CHARS: usize = 60_000;
/// Characters of a neighbor that lend their terms.
const CONTEXT_CHARS: usize = 1000;
/// About what the model reads of a text at once.
const PART_CHARS: usize = 1000;
/// Parts of one memory; beyond them words must do.
const MAX_PARTS: usize = 16;
/// Fewer characters are no thought of their own: such a sentence is read with the next, or the last with the one
/// before.
const SENTENCE_CHARS: usize = 40;
/// Sentences of one turn that are read by themselves.
const MAX_SENTENCES: usize = 8;
/// With more vectors than this in memory (58 MB) a text is read whole and no longer by its sentences, too: they are
/// three of four vectors, and the scan and the memory pay for each.
const SENTENCE_ROOM: usize = 150_000;
/// Memories whose order is settled at once: sorting 100,000 takes as long as making the vectors of ten.
const PLANNED: usize = 1024;
/// After so many of them, what was written meanwhile is sorted in.
const REPLANNED: usize = 128;
/// The counts of frequent terms are read again when the store has grown by this much.
const GROWN: f64 = 1.2;

/// How texts become terms and parts. What was filed in another way is filed anew.
const WAY: &str = "3";
const WAY_KEY: &str = "search-filing";

impl Search {
    /// To be asked once for every database. True: everything is due again, and words filed in the old way answer
    /// meanwhile.
    pub fn check_way(tables: &mut Tables) -> Result<bool> {
        let known = tables.meta(WAY_KEY)?;
        if known.as_deref() == Some(WAY) {
            return Ok(false);
        }
        tables.write(|batch| {
            if known.is_some() {
                batch.file_anew()?;
            }
            batch.set_meta(WAY_KEY, WAY)
        })?;
        Ok(known.is_some())
    }

    /// Files up to `limit` memories under their terms. How many were done; fewer than `limit` means none are left.
    pub fn index_due(&self, tables: &mut Tables, limit: usize) -> Result<usize> {
        let done = tables.write(|batch| {
            let due = batch.terms_due(limit)?;
            let mut again = BTreeSet::new();
            for &n in &due {
                file_terms(batch, n, Some(&mut again))?;
                batch.terms_done(n)?;
            }
            // Their neighbors know now what follows them.
            for n in again.into_iter().filter(|n| !due.contains(n)) {
                file_terms(batch, n, None)?;
            }
            Ok(due.len())
        })?;
        if done > 0 {
            self.renew_lexicon(tables)?;
        }
        Ok(done)
    }

    fn renew_lexicon(&self, tables: &Tables) -> Result<()> {
        let known = self.lexicon.read().unwrap_or_else(PoisonError::into_inner).memories();
        let memories = tables.count_memories()?;
        if memories as f64 > known as f64 * GROWN {
            *self.lexicon.write().unwrap_or_else(PoisonError::into_inner) = Lexicon::load(tables)?;
        }
        Ok(())
    }

    /// Questions and what is due are read by this model from now on. How many memories wait for it: none, unless
    /// they are new or the model is.
    pub fn use_model(&self, tables: &mut Tables, model: Model) -> Result<u64> {
        let identity = model.identity().to_string();
        let due = tables.write(|batch| batch.use_model(&identity))?;
        let dense = Dense::load(tables, model)?;
        *self.dense.write().unwrap_or_else(PoisonError::into_inner) = dense;
        Ok(due)
    }

    /// Makes the vectors of up to `limit` memories, those that are worth it most first. How many were done; 0 also
    /// where there is no model.
    pub fn embed_due(&self, tables: &mut Tables, limit: usize) -> Result<usize> {
        let (model, rows) = {
            let dense = self.dense.read().unwrap_or_else(PoisonError::into_inner);
            (dense.model(), dense.rows())
        };
        let Some(model) = model else { return Ok(0) };
        let planned = self.plan.lock().unwrap_or_else(PoisonError::into_inner).next(tables, limit)?;
        let due = tables.unembedded(&planned)?;
        if due.is_empty() {
            return Ok(planned.len());
        }
        let parts: Vec<Vec<String>> = due
            .iter()
            .map(|due| {
                let text = due.text.as_ref();
                text.map(|(title, text)| parts(title, text, rows < SENTENCE_ROOM)).unwrap_or_default()
            })
            .collect();
        let texts: Vec<&str> = parts.iter().flatten().map(String::as_str).collect();
        let made =
            if texts.is_empty() { Vec::new() } else { model.embed(&texts).map_err(EngineError::from)? };
        let mut made = made.iter().map(|vector| encode(vector));
        let filed: Vec<(u64, Vec<Vec<u8>>)> = due
            .iter()
            .zip(&parts)
            .map(|(due, parts)| (due.n, made.by_ref().take(parts.len()).collect()))
            .collect();
        let identity = model.identity().to_string();
        tables.write(|batch| {
            for (n, parts) in &filed {
                batch.put_vectors(*n, &identity, parts)?;
            }
            Ok(())
        })?;
        let mut dense = self.dense.write().unwrap_or_else(PoisonError::into_inner);
        for (n, parts) in &filed {
            dense.replace(*n, parts);
        }
        Ok(filed.len())
    }
}

/// Who is next: the order of all that is due is asked for now and then, and followed in between.
#[derive(Debug, Default)]
pub(super) struct Plan {
    next: VecDeque<u64>,
    /// The last one that was due when it was made.
    last: Option<u64>,
    /// Memories handed out since.
    given: usize,
}

impl Plan {
    fn next(&mut self, tables: &Tables, limit: usize) -> Result<Vec<u64>> {
        let last = tables.last_unembedded()?;
        let is_old = self.given >= REPLANNED && last > self.last;
        if self.next.is_empty() || is_old {
            let next = tables.first_unembedded(PLANNED)?.into();
            *self = Self { next, last, given: 0 };
        }
        let given: Vec<u64> = self.next.drain(..limit.min(self.next.len())).collect();
        self.given += given.len();
        Ok(given)
    }
}

fn file_terms(
    batch: &mut Batch<'_>,
    n: u64,
    again: Option<&mut BTreeSet<u64>>,
) -> std::result::Result<(), store::StoreError> {
    let Some(row) = batch.memory_at(n)? else { return batch.drop_terms(n) };
    let mut terms = terms(&row.memory);
    if is_turn(&row.memory) {
        let neighbors = batch.neighbors(n)?;
        let mut context = Vec::new();
        for neighbor in neighbors.iter().flatten().filter(|neighbor| !neighbor.text.trim().contains('\n')) {
            context.extend(recall::analyze(clip(&neighbor.text, CONTEXT_CHARS)).words);
        }
        terms.context = context.join(" ");
        if let (Some(again), [Some(before), _]) = (again, &neighbors) {
            again.insert(before.n);
        }
    }
    batch.put_terms(n, &terms)
}

/// Something said in one breath within a session. What has lines and sections stands for itself, and what stands
/// beside it in time need not be about the same.
fn is_turn(memory: &Memory) -> bool {
    memory.session.is_some() && !memory.text.trim().contains('\n')
}

fn terms(memory: &Memory) -> Terms {
    let text = clip(memory.text.trim(), MAX_TERMS_CHARS);
    let (title, body) = title_and_body(memory.title.trim(), text);
    let title = recall::analyze(title);
    let body = recall::analyze(body);
    let mut keys = recall::Analysis::default();
    let lists = [&memory.facts, &memory.concepts, &memory.files_read, &memory.files_modified];
    for key in memory.subtitle.iter().chain(lists.into_iter().flatten()) {
        let found = recall::analyze(clip(key, CONTEXT_CHARS));
        keys.words.extend(found.words);
        keys.names.extend(found.names);
    }
    let names: Vec<String> = title.names.into_iter().chain(body.names).chain(keys.names).collect();
    Terms {
        title: title.words.join(" "),
        body: body.words.join(" "),
        names: names.join(" "),
        keys: keys.words.join(" "),
        context: String::new(),
    }
}

/// A title that only repeats how the text begins is its first line, or nothing if the text has no other.
fn title_and_body<'a>(title: &'a str, text: &'a str) -> (&'a str, &'a str) {
    let repeats = text.starts_with(title.trim_end_matches(['…', '.']));
    if !repeats {
        return (title, text);
    }
    text.split_once('\n').unwrap_or(("", text))
}

/// A text as the model reads it: whole if it is short, else cut where it pauses, each part under the title; and a
/// title of its own by itself.
fn parts(title: &str, text: &str, by_sentences: bool) -> Vec<String> {
    let text = without_files(text.trim());
    let (title, _) =
        if text.starts_with(title.trim_end_matches(['…', '.'])) { ("", text) } else { (title, text) };
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && parts.len() < MAX_PARTS {
        let (part, tail) = cut(rest);
        let heading = if parts.is_empty() || !title.is_empty() { title } else { first_line(text) };
        let mut whole = String::with_capacity(heading.len() + part.len() + 1);
        whole.push_str(heading);
        if !heading.is_empty() {
            whole.push('\n');
        }
        whole.push_str(part);
        parts.push(whole);
        rest = tail;
    }
    if parts.is_empty() && !title.is_empty() {
        parts.push(title.to_owned());
    }
    let is_short = parts.len() == 1;
    // A title that somebody gave says in one sentence what the text says in many.
    if by_sentences && !title.is_empty() && !text.is_empty() {
        parts.push(title.to_owned());
    }
    if by_sentences && is_short && !text.contains('\n') {
        let sentences = sentences(text);
        if sentences.len() > 1 {
            parts.extend(sentences.into_iter().take(MAX_SENTENCES).map(str::to_owned));
        }
    }
    parts
}

/// A list of files at the end of a text is found by its words; a model that reads sentences is only led astray by it.
fn without_files(text: &str) -> &str {
    let Some((before, last)) = text.rsplit_once('\n') else { return text };
    let is_path = |item: &str| {
        let item = item.trim();
        !item.is_empty() && !item.contains(char::is_whitespace) && item.contains(['/', '.'])
    };
    match last.split_once(": ") {
        Some((label, files)) if !label.contains(' ') && files.split(',').all(is_path) => before.trim_end(),
        _ => text,
    }
}

/// What is said in one breath may speak of several things, and is asked for by one of them: its sentences.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences: Vec<&str> = Vec::new();
    let (mut before, mut start) = (0, 0);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let ends = matches!(letter, '.' | '!' | '?' | '。' | '！' | '？')
            && letters.peek().is_none_or(|(_, next)| next.is_whitespace() || !letter.is_ascii());
        let end = at + letter.len_utf8();
        if ends && end - start >= SENTENCE_CHARS {
            sentences.push(text[start..end].trim());
            (before, start) = (start, end);
        }
    }
    if text[start..].trim().len() >= SENTENCE_CHARS {
        sentences.push(text[start..].trim());
    } else if let Some(last) = sentences.last_mut() {
        *last = text[before..].trim();
    }
    sentences
}

fn first_line(text: &str) -> &str {
    clip(text.lines().next().unwrap_or_default(), 100)
}

/// The first part and the rest, divided at a paragraph, a line, a sentence or a space.
fn cut(text: &str) -> (&str, &str) {
    // A little more than one part is one part.
    if text.len() <= PART_CHARS * 5 / 4 {
        return (text, "");
    }
    let end = text.floor_char_boundary(PART_CHARS);
    let half = text.floor_char_boundary(PART_CHARS / 2);
    let found = ["\n\n", "\n", ". ", " "]
        .iter()
        .find_map(|pause| text[half..end].rfind(pause).map(|at| half + at + pause.len()));
    let (part, rest) = text.split_at(found.unwrap_or(end));
    (part.trim_end(), rest.trim_start())
}

fn clip(text: &str, chars: usize) -> &str {
    match text.char_indices().nth(chars) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_where_it_pauses_and_every_part_knows_its_title() {
        let text = format!("First line\n{}", "A sentence of some words. ".repeat(200));
        let cut = parts("First line", &text, true);
        assert!(cut.len() > 3);
        assert!(cut.iter().all(|part| part.starts_with("First line") && part.len() < 1400));
        assert!(cut.iter().all(|part| part.ends_with('.')));
        assert_eq!(parts("Title", "", true), ["Title"]);
        assert_eq!(parts("Short", "short text", true), ["Short\nshort text", "Short"]);
        assert_eq!(parts("Short", "short text", false), ["Short\nshort text"]);
        assert!(parts("", &"x".repeat(1_000_000), true).len() <= MAX_PARTS);
    }

    #[test]
    fn a_turn_is_read_whole_and_by_its_sentences() {
        let text =
            "I am looking for a new bicycle for the city. By the way, my old one was stolen in March! Ok.";
        assert_eq!(
            parts("", text, true),
            [
                text,
                "I am looking for a new bicycle for the city.",
                "By the way, my old one was stolen in March! Ok."
            ]
        );
        assert_eq!(parts("", "One sentence about v1.2.3 of it.", true).len(), 1);
        assert_eq!(
            parts("", "First line of a note, which is long enough.\nAnd the second one, too.", true).len(),
            1
        );
        assert_eq!(parts("", &"This is a sentence that goes on for a while. ".repeat(5), false).len(), 1);
        assert!(parts("", &"This is a sentence that goes on for a while. ".repeat(20), true).len() <= 9);
    }

    #[test]
    fn a_list_of_files_at_the_end_is_not_read_by_the_model() {
        assert_eq!(without_files("fix it\nfiles: src/a.rs, Cargo.toml"), "fix it");
        for text in ["fix it\nnote: see src/a.rs", "files: src/a.rs", "a\nreturn: x", "a\nfiles: "] {
            assert_eq!(without_files(text), text);
        }
    }

    #[test]
    fn a_title_that_repeats_the_text_is_not_counted_twice() {
        assert_eq!(title_and_body("A title", "A title\nand more"), ("A title", "and more"));
        assert_eq!(title_and_body("One line of…", "One line of text"), ("", "One line of text"));
        assert_eq!(title_and_body("Another", "Text"), ("Another", "Text"));
    }
}
