//! Candidates of both sides become one list: blended, read a second time, weighed, collapsed. Asks no index and no
//! model: who else might fit is settled before.

use std::collections::HashMap;

use model::{MemoryId, MemoryKind};
use recall::collapse::{Entry, collapse, said};
use recall::fuse::{self, Blended, Candidate};
use recall::weigh::{self, Factor, Signals};
use recall::{Query, Shape};
use store::{Card, Scored, Tables};

use super::second::Second;
use super::{Ask, Evidence, Hit, Legs, Nearest, Reason};
use crate::Result;
use crate::origin::Basis;

/// Of the blended candidates, those whose rows are read to be weighed.
const WEIGHED: usize = 60;
/// The same where the question names a time: what is from then may be far behind what says the same of other times.
const WEIGHED_BY_TIME: usize = 200;
/// The first of them are read a second time.
const READ_AGAIN: usize = 20;
/// Candidates of either side whose texts tell what is being searched.
const JUDGED: usize = 10;
/// Matches by words that tell how far words can be trusted.
const TRUSTED: usize = 3;
/// The place in the field of near ones that tells how near anything is.
const USUAL: usize = 25;
/// Nearer to the front of it than this, the place would tell of single memories.
const LEAST_USUAL: usize = 5;
/// The best by words that tell how much of what might answer has been read.
const COMPARED: usize = 10;
/// Characters of a text that tell whether it is a program, what it covers, and whether two are the same.
const READ_CHARS: usize = 1200;

/// A question and where its answers are read.
pub(super) struct Found<'a> {
    pub(super) tables: &'a Tables,
    pub(super) query: &'a Query,
    pub(super) ask: &'a Ask,
    /// How many there are in all.
    pub(super) memories: u64,
}

impl Found<'_> {
    pub(super) fn rank(&self, lexical: &[Scored], nearest: &Nearest, limit: usize) -> Result<Vec<Hit>> {
        let list = candidates(lexical, nearest);
        let mut cards = Cards { tables: self.tables, read: HashMap::new() };
        let values: Vec<Candidate> = list.iter().map(|(_, candidate)| *candidate).collect();
        let code = cards.code_share(&list)?;
        let (all, read) = self.read(lexical, nearest)?;
        let share = fuse::dense_share(self.query.looks, code);
        let trust = fuse::trust(cards.coverage(lexical, self.query)?);
        let (share, trust) = fuse::as_far_as_read(share, trust, read);
        let voices = fuse::voices(&values, share, trust);
        let mut order: Vec<(u64, Blended)> =
            list.iter().map(|(n, _)| *n).zip(fuse::blend(&values, voices)).collect();
        order.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(b.0.cmp(&a.0)));
        let weighed = if self.query.window.is_some() { WEIGHED_BY_TIME } else { WEIGHED };
        order.truncate(weighed.max(limit + limit / 2));
        let usual = usual(nearest, all);
        let mut ranked = Vec::with_capacity(order.len());
        for (n, blended) in order {
            if let Some(card) = cards.take(n)? {
                let evidence = Evidence { nearness: nearest.cosines.get(&n).copied(), usual, read };
                let factors = Vec::new();
                ranked.push(Ranked { card, score: blended.score, second: 0.0, blended, factors, evidence });
            }
        }
        if self.query.window.is_some() {
            let timed = |ranked: &Ranked| ranked.score * weigh::time(ranked.share(self.query).unwrap_or(0.0));
            ranked.sort_by(|a, b| timed(b).total_cmp(&timed(a)));
        }
        if self.ask.legs == Legs::Both {
            self.look_again(&mut ranked, code)?;
        }
        for ranked in &mut ranked {
            ranked.weigh(self.query, self.ask);
        }
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.card.n.cmp(&a.card.n)));
        self.collapsed(&ranked, limit)
    }

    /// The share of memories that have vectors, of all; and how far nearness speaks for this question: by the same
    /// share, or by that of the best by words, if it is smaller. Those are what the near ones are compared with, the
    /// first of them most: where the best by words waits for its vector, what is near is second.
    fn read(&self, lexical: &[Scored], nearest: &Nearest) -> Result<(f32, f32)> {
        let all = self.tables.count_memories()?.max(1) as f32;
        let best = &lexical[..lexical.len().min(COMPARED)];
        let weight = |found: &Scored| found.score * found.score;
        let whole: f32 = best.iter().map(weight).sum();
        let read =
            best.iter().filter(|found| nearest.cosines.contains_key(&found.n)).map(weight).sum::<f32>();
        let of_best = if whole > 0.0 { read / whole } else { 1.0 };
        let of_all = (nearest.memories as f32 / all).min(1.0);
        Ok((of_all, of_all.min(of_best)))
    }

    fn look_again(&self, ranked: &mut [Ranked], code: f32) -> Result<()> {
        let second = Second::new(self.tables, &self.query.text, self.memories, code)?;
        let texts =
            ranked.iter().take(READ_AGAIN).map(|ranked| (&*ranked.card.title, &*ranked.card.beginning));
        let looks = second.looks(texts);
        for (ranked, look) in ranked.iter_mut().zip(looks) {
            ranked.second = fuse::second(look, code);
        }
        Ok(())
    }

    fn collapsed(&self, ranked: &[Ranked], limit: usize) -> Result<Vec<Hit>> {
        let entries: Vec<Entry> = ranked
            .iter()
            .map(|ranked| Entry {
                id: ranked.card.id.as_u64(),
                said: ranked.said(),
                superseded_by: ranked.card.superseded_by.map(MemoryId::as_u64),
                wanted: ranked.share(self.query).is_some_and(|share| share > 0.0),
            })
            .collect();
        let hit = |(at, same): (usize, Vec<usize>)| {
            let mut hit = ranked[at].hit(self.ask.explain);
            hit.same = same.iter().map(|at| ranked[*at].card.id).collect();
            hit
        };
        self.one_of_each_turn(collapse(&entries).into_iter().map(hit), limit)
    }

    /// A turn's request, the talk in it, its summary and what was observed in it are one thing: the first of them is shown,
    /// and the retellings stand behind it. Several observations of a turn are several things. Whoever asks for a kind wants
    /// all of that kind.
    fn one_of_each_turn(&self, hits: impl Iterator<Item = Hit>, limit: usize) -> Result<Vec<Hit>> {
        let mut shown: Vec<Hit> = Vec::new();
        let mut turns: HashMap<(String, u64), usize> = HashMap::new();
        for hit in hits {
            let of_turn = match &hit.session {
                Some(session) if self.ask.filter.kinds.is_empty() && hit.external_id.is_none() => {
                    self.tables.turn_at(session, hit.at)?.map(|turn| (session.clone(), turn))
                }
                _ => None,
            };
            let first = of_turn.as_ref().and_then(|turn| turns.get(turn).copied());
            match first {
                Some(at) if is_retelling(hit.kind) => {
                    shown[at].same.push(hit.id);
                    shown[at].same.extend(hit.same);
                }
                // What was asked for is no answer: what came of it takes its place.
                Some(at) if shown[at].kind == MemoryKind::Prompt => {
                    let asked = std::mem::replace(&mut shown[at], hit);
                    shown[at].score = asked.score.max(shown[at].score);
                    shown[at].same.push(asked.id);
                    shown[at].same.extend(asked.same);
                }
                _ if shown.len() == limit => break,
                _ => {
                    if let Some(turn) = of_turn {
                        turns.entry(turn).or_insert(shown.len());
                    }
                    shown.push(hit);
                }
            }
        }
        Ok(shown)
    }
}

/// Says again what the observations of its turn say.
fn is_retelling(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Prompt | MemoryKind::Chunk | MemoryKind::Summary)
}

/// The farthest of them where the field is smaller. Of a share of the field, the same share is ahead of that place.
fn usual(nearest: &Nearest, share: f32) -> f32 {
    let mut cosines: Vec<f32> = nearest.cosines.values().copied().collect();
    cosines.sort_by(|a, b| b.total_cmp(a));
    let place = ((USUAL as f32 * share) as usize).max(LEAST_USUAL);
    cosines.get(place).or(cosines.last()).copied().unwrap_or(0.0)
}

fn candidates(lexical: &[Scored], nearest: &Nearest) -> Vec<(u64, Candidate)> {
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
    list
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
    fn coverage(&mut self, lexical: &[Scored], query: &Query) -> Result<f32> {
        let words = &query.words;
        let mut largest = 0;
        for found in lexical.iter().take(TRUSTED) {
            let card = self.take(found.n)?;
            if let Some(card) = &card {
                let held = recall::analyze(&format!("{}\n{}", card.title, card.beginning)).words;
                let begins = |word: &String| {
                    query.prefixes.contains(word) && held.iter().any(|held| held.starts_with(word.as_str()))
                };
                let count = words.iter().filter(|word| held.contains(word) || begins(word)).count();
                largest = largest.max(count);
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

struct Ranked {
    card: Card,
    score: f32,
    /// What a second look adds.
    second: f32,
    blended: Blended,
    factors: Vec<Factor>,
    evidence: Evidence,
}

impl Ranked {
    fn weigh(&mut self, query: &Query, ask: &Ask) {
        self.factors = weigh::factors(&Signals { in_window: self.share(query), ..signals(&self.card, ask) });
        self.score = (self.blended.score + self.second) * weigh::product(&self.factors);
    }

    /// How much it belongs to the time the question names, if both are known.
    fn share(&self, query: &Query) -> Option<f32> {
        query.window.filter(|_| self.card.at > 0).map(|window| window.share(self.card.at))
    }

    /// What it says, with a title that says more than its text. Of a text that goes on, its length must do for the
    /// rest.
    fn said(&self) -> Option<u64> {
        let Card { title, beginning, tokens, .. } = &self.card;
        let own =
            if beginning.starts_with(title.trim_end_matches(['…', '.'])) { "" } else { title.as_str() };
        let goes_on = beginning.chars().count() >= READ_CHARS;
        let length = if goes_on { tokens.to_string() } else { String::new() };
        said(&[own, beginning, &length])
    }

    fn hit(&self, explain: bool) -> Hit {
        let card = &self.card;
        let kind = MemoryKind::from_name(&card.kind).unwrap_or(MemoryKind::Document);
        let is_brought = card.external_id.is_some();
        let basis = Basis { kind, by: &card.written_by, tools: &card.tools, is_brought };
        Hit {
            id: card.id,
            external_id: card.external_id.clone(),
            kind,
            title: card.title.clone(),
            at: card.at,
            project: card.project.clone(),
            session: card.session.clone(),
            score: self.score,
            origin: basis.origin(),
            tokens: card.tokens,
            same: Vec::new(),
            why: explain.then(|| self.why()),
            evidence: self.evidence,
        }
    }

    fn why(&self) -> Vec<Reason> {
        let sides = [
            Reason { name: "words", value: self.blended.lexical },
            Reason { name: "nearness", value: self.blended.dense },
        ];
        let second = (self.second > 0.0).then_some(Reason { name: "reading", value: self.second });
        sides.into_iter().chain(second).chain(self.factors.iter().copied().map(Reason::from)).collect()
    }
}

fn signals(card: &Card, ask: &Ask) -> Signals {
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
        in_window: None,
        superseded: card.superseded_by.is_some(),
        // A report is at second hand.
        raw: raw.iter().any(|kind| kind.name() == card.kind) || crate::origin::is_reported(&card.tools),
    }
}
