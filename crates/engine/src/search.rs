//! Search: words and nearness, blended, weighed, collapsed. Owned by the daemon, shared by its threads. Writes
//! nothing while it answers; what is due is filed by [`Search::index_due`] and [`Search::embed_due`], whenever the
//! owner of the database has time. Words alone answer where vectors are missing.

mod dense;
pub mod eval;
mod index;
mod lexicon;
mod rank;
mod second;
mod widen;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use embed::Embedder;
use model::{MemoryId, MemoryKind, Millis};
use recall::Query;
use recall::query::Key;
use recall::weigh::Factor;
use serde::Serialize;
use store::{MemoryFilter, Scored, Tables};

use crate::{EngineError, Origin, Result, Workspace};
use dense::Dense;
use lexicon::Lexicon;

/// Candidates each side brings. A memory beyond this on both sides is not the answer.
const CANDIDATES: usize = 200;
/// Readers kept open for the next questions.
const READERS: usize = 4;
pub const MAX_LIMIT: usize = 200;

/// A question.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    pub text: String,
    /// At most [`MAX_LIMIT`].
    pub limit: usize,
    /// Nothing outside it is found. Its own limit does not count.
    pub filter: MemoryFilter,
    pub now: Millis,
    /// Where the question is asked: memories of that project come first, and others are found too.
    pub here: Option<Workspace>,
    /// Whether every hit says why it is where it is.
    pub explain: bool,
    pub legs: Legs,
}

/// Which sides answer; both, but for measuring one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Legs {
    #[default]
    Both,
    Words,
    Nearness,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    pub id: MemoryId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    pub kind: MemoryKind,
    pub title: String,
    pub at: Millis,
    pub project: Option<String>,
    pub session: Option<String>,
    pub score: f32,
    /// Whose words it holds.
    pub origin: Origin,
    /// What reading it costs.
    pub tokens: u32,
    /// Memories that say nearly the same, or tell of the same turn, and are not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<MemoryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Vec<Reason>>,
    /// What was found, before it was blended, normalized and weighed.
    #[serde(skip)]
    pub evidence: Evidence,
}

/// How a hit was found, in figures that mean the same for every question: a score only compares the answers to one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// The cosine between question and memory. `None`: the memory has no vector, or there is no model.
    pub nearness: Option<f32>,
    /// How near what nobody asked for is: the cosine of a candidate in the middle of the field.
    pub usual: f32,
    /// The share of what might have answered whose nearness is known, from 0 to 1. While vectors are being made, what
    /// is nearest is only the nearest of those that were read.
    pub read: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    pub name: &'static str,
    pub value: f32,
}

impl From<Factor> for Reason {
    fn from(factor: Factor) -> Self {
        Self { name: factor.name, value: factor.value }
    }
}

pub struct Search {
    path: PathBuf,
    readers: Mutex<Vec<Tables>>,
    lexicon: RwLock<Lexicon>,
    dense: RwLock<Dense>,
    /// Whose vectors are made next.
    plan: Mutex<index::Plan>,
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Search {
    /// For the database at `path`, which must exist. Without a model; see [`Search::use_model`].
    pub fn open(path: &Path) -> Result<Self> {
        let tables = Tables::open_read_only(path)?;
        let lexicon = Lexicon::load(&tables)?;
        Ok(Self {
            path: path.to_owned(),
            readers: Mutex::new(vec![tables]),
            lexicon: RwLock::new(lexicon),
            dense: RwLock::new(Dense::default()),
            plan: Mutex::default(),
        })
    }

    /// The best answers, best first. What looks like a filter in the question is one only if anything passes it.
    pub fn run(&self, ask: &Ask) -> Result<Vec<Hit>> {
        let filtered = Query::read_filtered(&ask.text, ask.now, &|key, value| is_filter(key, value, ask.now));
        let tables = self.reader()?;
        let mut hits = Vec::new();
        if !filtered.filters.is_empty() {
            hits = self.answer(&tables, ask, filtered)?;
        }
        if hits.is_empty() {
            hits = self.answer(&tables, ask, Query::read(&ask.text, ask.now))?;
        }
        self.give_back(tables);
        Ok(hits)
    }

    fn answer(&self, tables: &Tables, ask: &Ask, mut query: Query) -> Result<Vec<Hit>> {
        let limit = ask.limit.min(MAX_LIMIT);
        if query.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let filter = filter_of(&ask.filter, &mut query, ask.now);
        let wanted = tables.numbers(&filter)?.map(|numbers| Wanted::new(&numbers));
        let wanted = wanted.as_ref();
        let passes = |n: u64| wanted.is_none_or(|wanted| wanted.holds(n));
        widen::find_beginnings(tables, &mut query)?;
        if let Some(window) = widen::window(tables, &query, ask, &passes)? {
            query.window = Some(window);
        }
        let (lexical, nearest) = self.candidates(tables, &query, ask.legs, &passes)?;
        let memories = self.lexicon.read().unwrap_or_else(PoisonError::into_inner).memories();
        let found = rank::Found { tables, query: &query, ask, memories };
        found.rank(&lexical, &nearest, limit)
    }

    /// Both sides at once: the model and the scan on a thread of their own, the words on this one. The vectors are
    /// free while the model reads the question: a remote one takes its time.
    fn candidates(
        &self,
        tables: &Tables,
        query: &Query,
        legs: Legs,
        passes: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<(Vec<Scored>, Nearest)> {
        let words = || {
            let expression = self.lexicon.read().unwrap_or_else(PoisonError::into_inner).expression(query);
            let expression = widen::or_beginning(expression, &query.prefixes);
            tables.lexical(&expression, CANDIDATES, passes)
        };
        let model = {
            let dense = self.dense.read().unwrap_or_else(PoisonError::into_inner);
            dense.model().filter(|_| legs != Legs::Words && !dense.is_empty())
        };
        let Some(model) = model else {
            let lexical = if legs == Legs::Nearness { Vec::new() } else { words()? };
            return Ok((lexical, Nearest::default()));
        };
        let near = || {
            let vector = model.embed(&[&query.text]).ok()?.pop()?;
            let dense = self.dense.read().unwrap_or_else(PoisonError::into_inner);
            // Another model may have come meanwhile.
            if dense.is_of(&model) { dense.nearest(vector, CANDIDATES, passes) } else { None }
        };
        if legs == Legs::Nearness {
            return Ok((Vec::new(), near().unwrap_or_default()));
        }
        let (lexical, mut nearest) = std::thread::scope(|scope| {
            let near = scope.spawn(near);
            // A model that panics costs its side of this answer alone.
            (words(), near.join().ok().flatten().unwrap_or_default())
        });
        let lexical = lexical?;
        let dense = self.dense.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = nearest.query.take().filter(|_| dense.is_of(&model)) {
            for found in &lexical {
                if let std::collections::hash_map::Entry::Vacant(slot) = nearest.cosines.entry(found.n)
                    && let Some(cosine) = dense.cosine(&vector, found.n)
                {
                    slot.insert(cosine);
                }
            }
        }
        nearest.above_floor(&lexical);
        Ok((lexical, nearest))
    }

    fn reader(&self) -> Result<Tables> {
        let kept = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(tables) => Ok(tables),
            None => Tables::open_read_only(&self.path).map_err(EngineError::from),
        }
    }

    fn give_back(&self, tables: Tables) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < READERS {
            readers.push(tables);
        }
    }
}

/// What the dense side found.
#[derive(Debug, Default)]
struct Nearest {
    cosines: HashMap<u64, f32>,
    query: Option<Vec<f32>>,
    /// What is farther, and holds no word of the question, is no answer.
    floor: Option<f32>,
    /// Memories that have vectors.
    memories: usize,
}

/// A set of memory numbers.
struct Wanted(Vec<u64>);

impl Wanted {
    fn new(numbers: &[u64]) -> Self {
        let last = numbers.last().copied().unwrap_or(0);
        let mut bits = vec![0_u64; last as usize / 64 + 1];
        for n in numbers {
            bits[*n as usize / 64] |= 1 << (n % 64);
        }
        Self(bits)
    }

    fn holds(&self, n: u64) -> bool {
        self.0.get(n as usize / 64).is_some_and(|bits| bits >> (n % 64) & 1 == 1)
    }
}

/// Whether a value is one its key can have. What a project, a file or a tool is called is known by asking for it.
fn is_filter(key: Key, value: &str, now: Millis) -> bool {
    match key {
        Key::Project | Key::File | Key::Tool | Key::Branch | Key::Session => true,
        Key::Kind => MemoryKind::from_name(value).is_some(),
        Key::Since | Key::Until => recall::when::moment(value, now).is_some(),
    }
}

/// The filter that was asked for, narrowed by what the question itself names.
fn filter_of(asked: &MemoryFilter, query: &mut Query, now: Millis) -> MemoryFilter {
    let mut filter = MemoryFilter { limit: 0, ..asked.clone() };
    for (key, value) in std::mem::take(&mut query.filters) {
        let moment = || recall::when::moment(&value, now);
        match key {
            Key::Project => _ = filter.project.get_or_insert(value),
            Key::File => _ = filter.file.get_or_insert(value),
            Key::Tool => _ = filter.tool.get_or_insert(value),
            Key::Branch => _ = filter.branch.get_or_insert(value),
            Key::Session => _ = filter.session.get_or_insert(model::SessionId::new(&value)),
            Key::Kind => filter.kinds.extend(MemoryKind::from_name(&value)),
            Key::Since => filter.since = filter.since.or_else(moment),
            Key::Until => filter.until = filter.until.or_else(moment),
        }
    }
    filter
}

/// The model search uses for questions and for what is due.
pub type Model = Arc<dyn Embedder>;
