//! Three ways to find a definition at once: by its name, by a text that is written in it, by what it is about. Every hit
//! says which way it came.

mod asked;
mod lines;
mod meanings;
mod sense;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use code::Kind;
use recall::Query;

use crate::answer::{Answer, Found, Item};
use crate::atlas::Atlas;
use crate::error::AtlasError;
use crate::graph;
use crate::library::{Def, FileId};
use crate::question::MAX_LIMIT;
use asked::Asked;
use lines::Line;

pub(crate) use meanings::{Mapped, Meanings};
pub(crate) use sense::Sense;

/// Hits where nobody said how many.
const LIMIT: usize = 20;
/// Candidates of each side that are compared.
const CANDIDATES: usize = 200;
/// Names that fit somehow, before the best are taken.
const MAX_NAMES: usize = 2000;
/// Lines that are looked for, and how long.
const MAX_LINES: usize = 30;
const LINES_PATIENCE: Duration = Duration::from_millis(12);
/// How much nearness and words count for a description, and that a word in the name counts no more than its weight there:
/// measured by `functions_are_found_by_what_people_type`, where all other settings that were tried reach less.
const NEARNESS: f32 = 0.75;
const WORDS: f32 = 0.35;
/// What is less near than this is not about the question.
const MIN_COSINE: f32 = 0.25;
/// Beside a name that was found, what is merely about it comes far behind.
const ASIDE: f32 = 0.3;
/// Tests show how something is used; whoever searches looks for the thing.
const TEST: f32 = 0.9;

pub(crate) fn search(
    atlas: &Atlas,
    meanings: &Meanings,
    query: &str,
    under: Option<&str>,
    limit: Option<usize>,
) -> Result<Answer, AtlasError> {
    let asked = Asked::read(query);
    if asked.text.trim().is_empty() && asked.kinds.is_empty() {
        return Err(AtlasError::Unable("there is nothing to search for".to_owned()));
    }
    let limit = limit.unwrap_or(LIMIT).clamp(1, MAX_LIMIT);
    let under = under.and_then(|under| atlas.relative(under)).map(|under| under.trim_end_matches('/'));
    let scope =
        Scope { atlas, asked: &asked, under: under.filter(|under| !under.is_empty() && *under != ".") };
    let mut hits = Hits::default();
    if !asked.exactly {
        scope.by_name(&mut hits);
    }
    let is_name = hits.best() >= Match::Whole.score();
    if !is_name || hits.of.len() < limit {
        scope.by_lines(&mut hits);
    }
    if !asked.exactly {
        scope.by_meaning(meanings, &mut hits, if is_name { ASIDE } else { 1.0 });
    }
    Ok(Answer::Search { hits: hits.ranked(atlas, limit) })
}

/// How a name fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    Exact,
    /// But for capitals, or words put together.
    Whole,
    Begins,
    Within,
}

impl Match {
    const fn score(self) -> f32 {
        match self {
            Self::Exact => 3.0,
            Self::Whole => 2.5,
            Self::Begins => 1.2,
            Self::Within => 0.8,
        }
    }

    fn of(name: &str, wanted: &str, small: &str) -> Option<Self> {
        if name == wanted {
            return Some(Self::Exact);
        }
        if name.len() < wanted.len() {
            return None;
        }
        if name.eq_ignore_ascii_case(wanted) {
            return Some(Self::Whole);
        }
        let (name, small) = (name.as_bytes(), small.as_bytes());
        if name[..small.len()].eq_ignore_ascii_case(small) {
            return Some(Self::Begins);
        }
        let first = small[0];
        let within = (1..=name.len() - small.len()).any(|at| {
            name[at].to_ascii_lowercase() == first && name[at..at + small.len()].eq_ignore_ascii_case(small)
        });
        within.then_some(Self::Within)
    }
}

struct Scope<'a> {
    atlas: &'a Atlas,
    asked: &'a Asked,
    under: Option<&'a str>,
}

impl Scope<'_> {
    fn has_file(&self, file: FileId) -> bool {
        self.under.is_none_or(|under| {
            let rest = self.atlas.library().path(file).strip_prefix(under);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    fn has_kind(&self, kind: Kind) -> bool {
        self.asked.kinds.is_empty() || self.asked.kinds.contains(&kind)
    }

    fn has(&self, def: Def) -> bool {
        self.has_file(def.file)
            && (self.asked.kinds.is_empty()
                || self.atlas.library().symbol(def).is_some_and(|symbol| self.has_kind(symbol.kind)))
    }

    fn by_name(&self, hits: &mut Hits) {
        let library = self.atlas.library();
        for name in self.asked.joined() {
            for def in library.named(&name).filter(|def| self.has(*def)) {
                hits.add(def, Match::Whole.score(), Why::Name);
            }
        }
        let Some((last, owners)) = self.asked.name.split_last() else { return };
        let small = last.to_ascii_lowercase();
        let mut found: Vec<(Match, Def, Kind)> = library
            .definitions()
            .filter(|(_, kind, _)| self.has_kind(*kind))
            .filter_map(|(def, kind, name)| Some((Match::of(name, last, &small)?, def, kind)))
            .filter(|(_, def, _)| self.has_file(def.file))
            .collect();
        found.sort_by_key(|(how, def, _)| (std::cmp::Reverse((how.score() * 10.0) as u32), *def));
        found.truncate(MAX_NAMES);
        for (how, def, kind) in found {
            if !owners.is_empty() && !self.is_of(def, owners) {
                continue;
            }
            // Of two that are called alike, the one others use is meant before a field or a key.
            let weight = if kind.is_callable() || kind.is_type() { 1.0 } else { 0.9 };
            hits.add(def, how.score() * weight, Why::Name);
        }
    }

    /// Whether a definition belongs to what was written before its name.
    fn is_of(&self, def: Def, owners: &[String]) -> bool {
        let Some(facts) = self.atlas.library().facts(def.file) else { return false };
        let qualified = facts.qualified(def.symbol);
        let own: Vec<&str> = qualified.split(['.', ':']).collect();
        let path = self.atlas.library().path(def.file);
        owners.iter().all(|owner| {
            own[..own.len().saturating_sub(1)].iter().any(|part| part.eq_ignore_ascii_case(owner))
                || path.split(['/', '.']).any(|part| part.eq_ignore_ascii_case(owner))
        })
    }

    fn by_lines(&self, hits: &mut Hits) {
        let until = Instant::now() + LINES_PATIENCE;
        let found = lines::find(self.atlas, &self.asked.text, &|file| self.has_file(file), MAX_LINES, until);
        for (rank, line) in found.into_iter().enumerate() {
            // A text that is there as it was typed is meant before what is merely about it.
            let score = 1.0 - rank as f32 * 0.01;
            match line.def {
                Some(def) if self.has(def) => hits.add_line(def, score, line),
                None if self.asked.kinds.is_empty() => hits.loose.push((score, line)),
                _ => {}
            }
        }
    }

    /// The query without the languages of the workspace: "python read a file" asks for a file to be read.
    fn about(&self) -> String {
        let languages = self.atlas.languages();
        let is_language = |word: &&str| languages.iter().any(|known| word.eq_ignore_ascii_case(known.name));
        let words: Vec<&str> = self.asked.text.split_whitespace().filter(|word| !is_language(word)).collect();
        if words.is_empty() { self.asked.text.clone() } else { words.join(" ") }
    }

    fn by_meaning(&self, meanings: &Meanings, hits: &mut Hits, share: f32) {
        let text = self.about();
        let query = Query::read(&sense::in_words(&text), 0);
        let Some(vector) = sense::vector(&text) else { return };
        let fits = meanings.fits(&query.words, &vector, CANDIDATES, &|def| self.has(def));
        let best = fits.iter().map(|fit| fit.lexical).fold(f32::MIN_POSITIVE, f32::max);
        for fit in fits {
            let words = WORDS * fit.lexical / best;
            let near = NEARNESS * fit.cosine;
            if fit.lexical > 0.0 || fit.cosine >= MIN_COSINE {
                let why = if words > near { Why::Text } else { Why::Meaning };
                hits.add(fit.def, share * (words + near), why);
            }
        }
    }
}

/// In the order in which one is said before the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Name,
    Text,
    Meaning,
}

impl Why {
    const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Text => "text",
            Self::Meaning => "meaning",
        }
    }
}

#[derive(Debug, Default)]
struct Hits {
    of: HashMap<Def, Hit>,
    /// Lines in no definition.
    loose: Vec<(f32, Line)>,
}

#[derive(Debug)]
struct Hit {
    score: f32,
    why: Why,
    line: Option<(u32, String)>,
}

impl Hits {
    fn best(&self) -> f32 {
        self.of.values().map(|hit| hit.score).fold(0.0, f32::max)
    }

    fn add(&mut self, def: Def, score: f32, why: Why) {
        let hit = self.of.entry(def).or_insert(Hit { score: 0.0, why, line: None });
        // What several ways lead to is meant before what one does; the best way counts most.
        hit.score = hit.score.max(score) + 0.25 * hit.score.min(score);
        hit.why = hit.why.min(why);
    }

    fn add_line(&mut self, def: Def, score: f32, line: Line) {
        self.add(def, score, Why::Text);
        if let Some(hit) = self.of.get_mut(&def) {
            hit.line.get_or_insert((line.number, line.text));
        }
    }

    fn ranked(self, atlas: &Atlas, limit: usize) -> Vec<Found> {
        let library = atlas.library();
        let mut all: Vec<(f32, Def, Hit)> = self
            .of
            .into_iter()
            .filter_map(|(def, hit)| {
                let leaf = library.leaf(def.file)?;
                Some((if leaf.is_test { hit.score * TEST } else { hit.score }, def, hit))
            })
            .collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.truncate(limit);
        let mut found: Vec<Found> = all
            .into_iter()
            .filter_map(|(score, def, hit)| {
                let leaf = library.leaf(def.file)?;
                let item = graph::item(&leaf.path, leaf.facts(), def.symbol, leaf.is_test);
                let line = hit.line.filter(|(number, _)| *number != item.line);
                let text = line.map(|(number, text)| format!("{number}: {text}"));
                Some(Found { item, score, why: hit.why.name().to_owned(), text })
            })
            .collect();
        for (score, line) in self.loose {
            let item = Item {
                file: library.path(line.file).to_owned(),
                line: line.number,
                end_line: line.number,
                name: "<module>".to_owned(),
                kind: Kind::Module.name().to_owned(),
                ..Item::default()
            };
            let text = Some(format!("{}: {}", line.number, line.text));
            found.push(Found { item, score, why: Why::Text.name().to_owned(), text });
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(limit);
        found
    }
}

/// What the definitions of a file are about.
pub(crate) fn sense(atlas: &Atlas, file: FileId) -> Option<Sense> {
    let text = atlas.text(file)?;
    Some(Sense::of(atlas.library().facts(file)?, &text))
}
