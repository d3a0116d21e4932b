//! Search: words and nearness, blended, weighed, collapsed. Owned by the daemon, shared by its threads. Writes
//! nothing while it answers; what is due is filed by [`Search::index_due`] and [`Search::embed_due`], whenever the
//! owner of the database has time. Words alone answer where vectors are missing.

mod dense;
pub mod eval;
mod index;
mod lexicon;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use embed::Embedder;
use model::{MemoryId, MemoryKind, Millis};
use recall::collapse::{Entry, collapse, signature};
use recall::fuse::{self, Blended, Candidate};
use recall::query::Key;
use recall::weigh::{self, Factor, Signals};
use recall::{Query, Shape};
use serde::Serialize;
use store::{Card, MemoryFilter, Scored, Tables};

use crate::{EngineError, Result, Workspace};
use dense::Dense;
use lexicon::Lexicon;

/// Candidates each side brings. A memory beyond this on both sides is not the answer.
const CANDIDATES: usize = 200;
/// Of the blended candidates, those whose rows are read to be weighed.
const WEIGHED: usize = 60;
/// Candidates of either side whose texts tell what is being searched.
const JUDGED: usize = 10;
/// Matches by words that tell how far words can be trusted.
const TRUSTED: usize = 3;
/// Characters of a text that tell whether it is a program, what it covers, and whether two are the same.
const READ_CHARS: usize = 1200;
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
    /// Memories that say nearly the same and are not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<MemoryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Vec<Reason>>,
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
        })
    }

    /// The best answers, best first.
    pub fn run(&self, ask: &Ask) -> Result<Vec<Hit>> {
        let mut query = Query::read(&ask.text, ask.now);
        let limit = ask.limit.min(MAX_LIMIT);
        if query.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let filter = filter_of(&ask.filter, &mut query, ask.now);
        let tables = self.reader()?;
        let wanted = tables.numbers(&filter)?.map(|numbers| Wanted::new(&numbers));
        let wanted = wanted.as_ref();
        let passes = |n: u64| wanted.is_none_or(|wanted| wanted.holds(n));
        let (lexical, nearest) = self.candidates(&tables, &query, ask.legs, &passes)?;
        let ranked = rank(&tables, &query, ask, &lexical, &nearest, limit)?;
        self.give_back(tables);
        Ok(ranked)
    }

    /// Both sides at once: the model and the scan on a thread of their own, the words on this one.
    fn candidates(
        &self,
        tables: &Tables,
        query: &Query,
        legs: Legs,
        passes: &(dyn Fn(u64) -> bool + Sync),
    ) -> Result<(Vec<Scored>, Nearest)> {
        let dense = self.dense.read().unwrap_or_else(PoisonError::into_inner);
        let near = || if legs == Legs::Words { None } else { dense.nearest(&query.text, CANDIDATES, passes) };
        let words = || {
            let expression = self.lexicon.read().unwrap_or_else(PoisonError::into_inner).expression(query);
            tables.lexical(&expression, CANDIDATES, passes)
        };
        if legs == Legs::Nearness {
            return Ok((Vec::new(), near().unwrap_or_default()));
        }
        if legs == Legs::Words || dense.is_empty() {
            return Ok((words()?, Nearest::default()));
        }
        let (lexical, found) = std::thread::scope(|scope| {
            let near = scope.spawn(near);
            // A model that panics costs its side of this answer alone.
            (words(), near.join().ok().flatten().unwrap_or_default())
        });
        let lexical = lexical?;
        let mut nearest = found;
        if let Some(vector) = nearest.query.take() {
            for found in &lexical {
                if let std::collections::hash_map::Entry::Vacant(slot) = nearest.cosines.entry(found.n)
                    && let Some(cosine) = dense.cosine(&vector, found.n)
                {
                    slot.insert(cosine);
                }
            }
        }
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

fn rank(
    tables: &Tables,
    query: &Query,
    ask: &Ask,
    lexical: &[Scored],
    nearest: &Nearest,
    limit: usize,
) -> Result<Vec<Hit>> {
    let mut candidates: HashMap<u64, Candidate> =
        HashMap::with_capacity(lexical.len() + nearest.cosines.len());
    for found in lexical {
        candidates.entry(found.n).or_default().lexical = found.score;
    }
    for (n, cosine) in &nearest.cosines {
        candidates.entry(*n).or_default().cosine = Some(*cosine);
    }
    let mut list: Vec<(u64, Candidate)> = candidates.into_iter().collect();
    list.sort_unstable_by_key(|(n, _)| *n);
    let mut cards = Cards { tables, read: HashMap::new() };
    let share = fuse::dense_share(query.looks, cards.code_share(&list)?);
    let trust = fuse::trust(cards.coverage(lexical, &query.words)?);
    let values: Vec<Candidate> = list.iter().map(|(_, candidate)| *candidate).collect();
    let mut order: Vec<(u64, Blended)> =
        list.iter().map(|(n, _)| *n).zip(fuse::blend(&values, share, trust)).collect();
    order.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(b.0.cmp(&a.0)));
    order.truncate(WEIGHED.max(limit + limit / 2));
    let mut ranked = Vec::with_capacity(order.len());
    for (n, blended) in order {
        if let Some(card) = cards.take(n)? {
            ranked.push(Ranked::new(card, blended, query, ask));
        }
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.card.n.cmp(&a.card.n)));
    Ok(collapsed(&ranked, ask, limit))
}

/// Rows as they are needed, each read once.
struct Cards<'a> {
    tables: &'a Tables,
    read: HashMap<u64, Option<Card>>,
}

impl Cards<'_> {
    /// The share of programs among the best of either side, whichever is larger.
    fn code_share(&mut self, candidates: &[(u64, Candidate)]) -> Result<f32> {
        let mut larger = 0.0_f32;
        let sides: [fn(&Candidate) -> f32; 2] = [|c| c.lexical, |c| c.cosine.unwrap_or(0.0)];
        for side in sides {
            let mut best: Vec<&(u64, Candidate)> = candidates.iter().filter(|(_, c)| side(c) > 0.0).collect();
            best.sort_by(|a, b| side(&b.1).total_cmp(&side(&a.1)));
            best.truncate(JUDGED);
            let mut code = 0;
            for (n, _) in &best {
                code += usize::from(self.is_code(*n)?);
            }
            larger = larger.max(code as f32 / best.len().max(1) as f32);
        }
        Ok(larger)
    }

    /// The largest share of the question's words that one of the best matches holds.
    fn coverage(&mut self, lexical: &[Scored], words: &[String]) -> Result<f32> {
        let mut largest = 0;
        for found in lexical.iter().take(TRUSTED) {
            let card = self.take(found.n)?;
            if let Some(card) = &card {
                let held = recall::analyze(&format!("{}\n{}", card.title, card.beginning)).words;
                largest = largest.max(words.iter().filter(|word| held.contains(word)).count());
            }
            self.read.insert(found.n, card);
        }
        Ok(if words.is_empty() { 1.0 } else { largest as f32 / words.len() as f32 })
    }

    fn is_code(&mut self, n: u64) -> Result<bool> {
        let card = self.take(n)?;
        let code = card.as_ref().is_some_and(|card| recall::shape(&card.beginning) == Shape::Code);
        self.read.insert(n, card);
        Ok(code)
    }

    fn take(&mut self, n: u64) -> Result<Option<Card>> {
        match self.read.remove(&n) {
            Some(card) => Ok(card),
            None => Ok(self.tables.card(n, READ_CHARS)?),
        }
    }
}

/// What the dense side found.
#[derive(Debug, Default)]
struct Nearest {
    cosines: HashMap<u64, f32>,
    query: Option<Vec<f32>>,
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

/// The filter that was asked for, narrowed by what the question itself names.
fn filter_of(asked: &MemoryFilter, query: &mut Query, now: Millis) -> MemoryFilter {
    let mut filter = MemoryFilter { limit: 0, ..asked.clone() };
    for (key, value) in std::mem::take(&mut query.filters) {
        let ago = || recall::when::span(&value).map(|span| now.saturating_sub(span));
        match key {
            Key::Project => _ = filter.project.get_or_insert(value),
            Key::File => _ = filter.file.get_or_insert(value),
            Key::Tool => _ = filter.tool.get_or_insert(value),
            Key::Branch => _ = filter.branch.get_or_insert(value),
            Key::Session => _ = filter.session.get_or_insert(model::SessionId::new(&value)),
            Key::Kind => filter.kinds.extend(MemoryKind::from_name(&value)),
            Key::Since => filter.since = filter.since.or_else(ago),
            Key::Until => filter.until = filter.until.or_else(ago),
        }
    }
    filter
}

struct Ranked {
    card: Card,
    score: f32,
    blended: Blended,
    factors: Vec<Factor>,
}

impl Ranked {
    fn new(card: Card, blended: Blended, query: &Query, ask: &Ask) -> Self {
        let factors = weigh::factors(&signals(&card, query, ask));
        let score = blended.score * weigh::product(&factors);
        Self { card, score, blended, factors }
    }

    fn why(&self) -> Vec<Reason> {
        let sides = [
            Reason { name: "words", value: self.blended.lexical },
            Reason { name: "nearness", value: self.blended.dense },
        ];
        sides.into_iter().chain(self.factors.iter().copied().map(Reason::from)).collect()
    }
}

fn signals(card: &Card, query: &Query, ask: &Ask) -> Signals {
    // A time of zero is "not known": imports without one.
    let at = (card.at > 0).then_some(card.at);
    let here = ask.here.as_ref();
    let raw = [MemoryKind::Chunk, MemoryKind::Prompt];
    Signals {
        age: at.map(|at| ask.now.saturating_sub(at)),
        hits: card.hits,
        prevented: card.prevented,
        critical: card.critical,
        pinned: card.pinned,
        urgent: card.urgent,
        same_project: here.map(|here| {
            card.project_key.as_deref() == Some(here.project_key.as_str())
                || card.project.as_deref() == Some(here.project.as_str())
        }),
        same_branch: here.and_then(|here| Some(here.branch.as_deref()? == card.branch.as_deref()?)),
        in_window: query.window.zip(at).map(|(window, at)| window.holds(at)),
        superseded: card.superseded_by.is_some(),
        raw: raw.iter().any(|kind| kind.name() == card.kind),
    }
}

fn collapsed(ranked: &[Ranked], ask: &Ask, limit: usize) -> Vec<Hit> {
    let entries: Vec<Entry> = ranked
        .iter()
        .map(|ranked| Entry {
            id: ranked.card.id.as_u64(),
            words: signature(&ranked.card.beginning),
            superseded_by: ranked.card.superseded_by.map(MemoryId::as_u64),
        })
        .collect();
    collapse(&entries)
        .into_iter()
        .take(limit)
        .map(|(at, same)| {
            let Ranked { card, score, .. } = &ranked[at];
            Hit {
                id: card.id,
                external_id: card.external_id.clone(),
                kind: MemoryKind::from_name(&card.kind).unwrap_or(MemoryKind::Document),
                title: card.title.clone(),
                at: card.at,
                project: card.project.clone(),
                session: card.session.clone(),
                score: *score,
                same: same.iter().map(|at| ranked[*at].card.id).collect(),
                why: ask.explain.then(|| ranked[at].why()),
            }
        })
        .collect()
}

/// The model search uses for questions and for what is due.
pub type Model = Arc<dyn Embedder>;
