//! Whether a memory has to do with a prompt, judged on evidence that means the same for every prompt: how near the
//! two are, and how much of what the prompt says the memory holds. The score of a search does not tell: the best
//! answer to a question nobody can answer has a good one, too.

use std::collections::HashSet;

use embed::{Embedder, StaticModel};
use model::{Memory, MemoryKind};
use recall::Query;
use serde::Serialize;
use store::Tables;

use crate::Result;
use crate::search::Evidence;

/// Words of a prompt that are weighed; each costs a look into the index.
const MAX_WORDS: usize = 24;
/// Memories with a word that are counted; how many more there are is known from samples.
const MAX_COUNTED: usize = 300;
/// Characters of a memory's text that are read.
const READ_CHARS: usize = 4_000;
/// Nothing is so strange to a prompt that being this near to it would say anything.
const LEAST_USUAL: f32 = 0.15;
/// In a smaller store words are weighed as if it were so large.
const FEW: u64 = 200;
/// Where nearness does not count, a memory is about as near as its words say.
const WORDS_ALONE: f32 = 0.6;

/// Nearness breaks silence only when nearly all memories have been read: what is right must have had its chance to be
/// nearer. With half of the vectors it counts for a sixtieth, with nine tenths for a half.
const READ_POWER: i32 = 6;

/// Somebody who says "we" asks about what was done here.
const OURS: &[&str] = &["our", "ours", "us", "we"];
/// Words of somebody who asks about what was.
const PAST: &[&str] = &[
    "again",
    "already",
    "before",
    "broke",
    "did",
    "earlier",
    "had",
    "happened",
    "last",
    "previously",
    "still",
    "was",
    "were",
];
/// Beginnings of words by which work on names, wording, looks and order is asked for. What was learned about how a
/// thing works seldom bears on what it is called.
const SURFACE: &[&str] = &[
    "alphabet",
    "animat",
    "badge",
    "caption",
    "color",
    "colour",
    "comment",
    "completion",
    "convert",
    "diagram",
    "docstring",
    "draw",
    "emoji",
    "favicon",
    "font",
    "format",
    "headline",
    "icon",
    "illustrat",
    "label",
    "layout",
    "link",
    "linter",
    "logo",
    "margin",
    "padding",
    "plot",
    "readme",
    "reformat",
    "rename",
    "rephras",
    "reword",
    "screenshot",
    "spelling",
    "tidy",
    "tooltip",
    "translat",
    "typo",
    "unused",
    "wording",
];

/// How a question about the world begins, or what it says: a textbook answers it.
const TEXTBOOK_STARTS: &[&str] = &["define ", "explain ", "what are ", "what is a ", "what is an "];
const TEXTBOOK: &[&str] = &["difference between", "in plain words", "like i'm"];

/// What speaks for a memory, or against it; all between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Signs {
    /// The cosine between prompt and memory.
    pub(crate) near: f32,
    /// How far that is above what is usual for this prompt.
    pub(crate) ahead: f32,
    /// How much those two count beside the words: 0 for a memory that waits for its vector, 1 where all have theirs.
    pub(crate) read: f32,
    /// The share of what the prompt's words tell that the memory holds: a rare word tells more.
    pub(crate) covered: f32,
    /// How near the two are to a model that knows words and no sentences: the other model is fooled by other things.
    pub(crate) alike: f32,
    /// 1 for a memory of the project that the prompt is about, or of none.
    pub(crate) here: f32,
    /// 1 for what holds on: a decision, a learning, a note.
    pub(crate) rule: f32,
    /// 1 for what was done and is over: a feature, a change.
    pub(crate) done: f32,
    /// 1 for a prompt that speaks of us.
    pub(crate) ours: f32,
    /// 1 for a prompt that asks about what was.
    pub(crate) past: f32,
    /// 1 for a prompt that is about the surface of things.
    pub(crate) surface: f32,
    /// 1 for a prompt that a textbook answers.
    pub(crate) textbook: f32,
}

/// How much each sign counts, and `near` and `covered` together: a logistic regression over the candidates of the
/// `dev` prompts, made by `eval/recall/fit.py`. Whoever changes what a sign means fits them anew.
const BIAS: f32 = -10.1;
const NEAR: f32 = 5.4;
const AHEAD: f32 = 7.8;
const COVERED: f32 = 2.7;
const BOTH: f32 = 5.2;
const ALIKE: f32 = 1.6;
const HERE: f32 = 3.4;
const RULE: f32 = 1.1;
const DONE: f32 = 0.7;
const OF_US: f32 = 1.0;
const OF_PAST: f32 = 0.8;
const ON_SURFACE: f32 = -2.7;
const IN_TEXTBOOK: f32 = -1.8;

impl Signs {
    /// How likely it is that the memory belongs to the prompt. A memory without a vector is judged by its words alone.
    /// One that has its own among many that wait for theirs is the nearest of a few, and what is right may be among
    /// those that wait: it is judged by both, and nearness counts as far as the others have been read.
    pub(crate) fn chance(&self) -> f32 {
        let words = self.odds(self.covered * WORDS_ALONE, 0.0);
        let nearness = self.odds(self.near, self.ahead);
        let odds = words + (nearness - words) * self.read;
        1.0 / (1.0 + (-odds).exp())
    }

    fn odds(&self, near: f32, ahead: f32) -> f32 {
        BIAS + NEAR * near
            + AHEAD * ahead
            + COVERED * self.covered
            + BOTH * near * self.covered
            + ALIKE * self.alike
            + HERE * self.here
            + RULE * self.rule
            + DONE * self.done
            + OF_US * self.ours
            + OF_PAST * self.past
            + ON_SURFACE * self.surface
            + IN_TEXTBOOK * self.textbook
    }
}

/// A prompt with what each of its words tells.
pub(crate) struct Judge {
    words: Vec<(String, f32)>,
    total: f32,
    vector: Vec<f32>,
    /// The signs that are the prompt's own, the same for every memory.
    own: Signs,
}

impl Judge {
    pub(crate) fn new(tables: &Tables, text: &str) -> Result<Self> {
        let memories = tables.count_memories()?;
        let mut words = Vec::new();
        for word in Query::read(text, 0).words.into_iter().take(MAX_WORDS) {
            let mut holding = tables.count_holding(&word, MAX_COUNTED)?;
            if holding == MAX_COUNTED as u64 {
                holding = holding.max(tables.holding(&word)?);
            }
            let tells = tells(memories, holding);
            words.push((word, tells));
        }
        let total = words.iter().map(|(_, tells)| tells).sum();
        let said: Vec<String> = text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let says = |words: &[&str]| said.iter().any(|word| words.contains(&word.as_str()));
        let surface = said.iter().any(|word| SURFACE.iter().any(|start| word.starts_with(start)));
        let lower = text.to_lowercase();
        let textbook = TEXTBOOK_STARTS.iter().any(|start| lower.starts_with(start))
            || TEXTBOOK.iter().any(|words| lower.contains(words));
        let own = Signs {
            ours: flag(says(OURS)),
            past: flag(says(PAST)),
            surface: flag(surface),
            textbook: flag(textbook),
            ..Signs::default()
        };
        Ok(Self { words, total, vector: vector(text), own })
    }

    pub(crate) fn signs(&self, memory: &Memory, evidence: Evidence, here: bool) -> Signs {
        use MemoryKind::{Change, Decision, Feature, Learning, Note, Refactor};
        let text = beginning(&memory.text);
        let covered = self.covered(memory, text);
        let near = evidence.nearness.unwrap_or(0.0);
        Signs {
            near: near.clamp(0.0, 1.0),
            ahead: (near - evidence.usual.max(LEAST_USUAL)).clamp(0.0, 1.0),
            read: evidence.nearness.map_or(0.0, |_| evidence.read.clamp(0.0, 1.0).powi(READ_POWER)),
            covered,
            alike: self.alike(memory, text).clamp(0.0, 1.0),
            here: flag(here),
            rule: flag(matches!(memory.kind, Decision | Learning | Note)),
            done: flag(matches!(memory.kind, Change | Feature | Refactor)),
            ..self.own
        }
    }

    fn alike(&self, memory: &Memory, text: &str) -> f32 {
        let whole = vector(&format!("{} {text}", memory.title));
        self.vector.iter().zip(whole).map(|(a, b)| a * b).sum()
    }

    fn covered(&self, memory: &Memory, text: &str) -> f32 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let lists = [&memory.files_modified, &memory.files_read, &memory.facts, &memory.concepts];
        let parts = lists.into_iter().flatten().map(String::as_str);
        let parts = parts.chain([memory.title.as_str(), text]).chain(memory.subtitle.as_deref());
        let held: HashSet<String> = parts.flat_map(|part| recall::analyze(part).words).collect();
        let sum: f32 =
            self.words.iter().filter(|(word, _)| held.contains(word)).map(|(_, tells)| tells).sum();
        sum / self.total
    }
}

fn flag(flag: bool) -> f32 {
    f32::from(u8::from(flag))
}

fn beginning(text: &str) -> &str {
    match text.char_indices().nth(READ_CHARS) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Microseconds a word. A model that fails costs its sign alone.
fn vector(text: &str) -> Vec<f32> {
    StaticModel::builtin().embed(&[text]).unwrap_or_default().pop().unwrap_or_default()
}

/// What a word tells that so many of all memories hold. Of a few memories it cannot be said what is rare.
fn tells(memories: u64, holding: u64) -> f32 {
    let memories = memories.max(FEW).max(holding) as f32;
    ((memories + 1.0) / (holding as f32 + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_counts_in_its_direction() {
        let signs = Signs { near: 0.4, ahead: 0.15, read: 1.0, covered: 0.3, here: 1.0, ..Signs::default() };
        let chance = signs.chance();
        assert!(Signs { near: 0.6, ..signs }.chance() > chance);
        assert!(Signs { covered: 0.6, ..signs }.chance() > chance);
        assert!(Signs { ours: 1.0, ..signs }.chance() > chance);
        assert!(Signs { here: 0.0, ..signs }.chance() < chance);
        assert!(Signs { surface: 1.0, ..signs }.chance() < chance);
        assert!(Signs::default().chance() < 0.01);
    }

    #[test]
    fn nearness_counts_as_far_as_the_others_have_been_read() {
        let words = Signs { covered: 0.7, here: 1.0, rule: 1.0, alike: 0.6, ..Signs::default() };
        let waits = Signs { near: 0.0, ahead: 0.0, read: 0.0, ..words };
        assert!((Signs { near: 0.9, ahead: 0.5, ..waits }.chance() - waits.chance()).abs() < 1e-6);
        // Near by chance, and hardly a word of the prompt in it: enough where all are read, not among a few.
        let by_chance =
            |read| Signs { near: 0.5, ahead: 0.3, read, covered: 0.1, here: 1.0, ..Signs::default() };
        assert!(by_chance(1.0).chance() > 0.16 && by_chance(0.5).chance() < 0.16);
        assert!(by_chance(0.5).chance() < waits.chance());
    }

    #[test]
    fn a_word_nobody_uses_tells_most_and_one_everybody_uses_nothing() {
        assert!(tells(1000, 0) > tells(1000, 1) && tells(1000, 1) > tells(1000, 900));
        assert!(tells(1000, 1000) < 0.01 && tells(0, 5) > tells(0, 50));
    }
}
