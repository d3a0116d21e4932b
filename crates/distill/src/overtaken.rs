//! What later work or later words overtook: work whose lines a later turn replaced, and a first guess at a cause beside the right one.
//! What is overtaken is not said any more; what took its place is.

use std::collections::HashSet;
use std::sync::LazyLock;

use model::{EventId, MemoryKind, Observation, Said, Speaker};
use serde::{Deserialize, Serialize};

use crate::languages::lowered;
use crate::scene::Scene;
use crate::sentences::Sentence;
use crate::state::State;
use crate::step::{Act, Step};
use crate::text::{identifiers, is_coined};

/// What an earlier turn told and a later one replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overtaken {
    /// The title it was told under, and events that show it.
    pub title: String,
    pub events: Vec<EventId>,
    /// The place of what holds instead among the observations of the turn.
    pub by: usize,
}

/// Work of earlier turns of which a turn has left little, with the step that took the last line.
pub(crate) struct ReplacedWork {
    title: String,
    events: Vec<EventId>,
    file: String,
    by: EventId,
}

/// Takes work out of what is remembered whose lines the edits of a turn have replaced.
pub(crate) fn replaced_work(state: &mut State, steps: &[Step]) -> Vec<ReplacedWork> {
    let edits = || {
        steps.iter().filter_map(|step| match &step.act {
            Act::Edit(edit) => Some((step.event, edit)),
            _ => None,
        })
    };
    // A line that comes somewhere in the turn was moved or only indented.
    let stands: HashSet<u32> = edits().flat_map(|(_, edit)| edit.came.iter().copied()).collect();
    let mut found = Vec::new();
    for (event, edit) in edits().filter(|(_, edit)| !edit.went.is_empty()) {
        state.works.retain_mut(|work| {
            let replaced = work.is_replaced_by(edit, &stands);
            if replaced {
                let (title, events) = work.told();
                let (title, events) = (title.to_owned(), events.to_vec());
                found.push(ReplacedWork { title, events, file: edit.file.clone(), by: event });
            }
            !replaced
        });
    }
    found
}

/// Names what took the place of each; where the turn tells of nothing that did, the older words stay.
pub(crate) fn by_observation(replaced: Vec<ReplacedWork>, observations: &[Observation]) -> Vec<Overtaken> {
    let find = |work: &ReplacedWork| {
        let shows = observations
            .iter()
            .position(|one| one.events.contains(&work.by) && !one.files_modified.is_empty());
        shows.or_else(|| observations.iter().position(|one| one.files_modified.contains(&work.file)))
    };
    let found = replaced.into_iter().filter_map(|work| {
        let by = find(&work)?;
        Some(Overtaken { title: work.title, events: work.events, by })
    });
    found.collect()
}

/// Texts of a turn that are looked through for corrections, the newest ones.
const MAX_TEXTS: usize = 128;

/// By which words somebody takes back what was said before, in each language of the file.
static CORRECTIONS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("corrections.txt").lines().filter(|line| !line.starts_with('#'));
    let words = lines.filter_map(|line| line.split_once(": ")).flat_map(|(_, words)| words.split('|'));
    words.map(str::trim).filter(|words| !words.is_empty()).collect()
});

/// Whether a sentence takes back what was said before it.
fn corrects(sentence: &str) -> bool {
    // What is about to be done takes nothing back.
    const STEPS: &[&str] = &["let me", "i'll", "i will", "let's"];
    let lower = lowered(sentence);
    if STEPS.iter().any(|step| lower.contains(step)) {
        return false;
    }
    let letters = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() && char.is_ascii());
    CORRECTIONS.iter().any(|words| {
        lower.match_indices(words).any(|(at, _)| {
            !letters(lower[..at].chars().next_back()) && !letters(lower[at + words.len()..].chars().next())
        })
    })
}

/// Prints of the coined names of a text.
fn name_prints(text: &str) -> Vec<u32> {
    const MAX_NAMES: usize = 12;
    let mut found: Vec<u32> = Vec::new();
    for name in identifiers(text).filter(|name| is_coined(name)) {
        let print = crate::patch::marked(0, &[name]);
        if !found.contains(&print) && found.len() < MAX_NAMES {
            found.push(print);
        }
    }
    found
}

fn shares(some: &[u32], others: &[u32]) -> usize {
    some.iter().filter(|print| others.contains(print)).count()
}

/// What each correction among sentences names: "I was wrong." names nothing, and the next sentences say about what.
fn corrections_in(sentences: &[&Sentence]) -> Vec<Vec<u32>> {
    const TELLING: usize = 3;
    let at = sentences.iter().enumerate().filter(|(_, sentence)| corrects(&sentence.text)).map(|(at, _)| at);
    at.map(|at| {
        let end = sentences.len().min(at + TELLING);
        let words: Vec<&str> = sentences[at..end].iter().map(|sentence| sentence.text.as_str()).collect();
        name_prints(&words.join(" "))
    })
    .collect()
}

/// For each sentence, whether it is a first guess: said between two calls, and taken back later in the turn by words that name the same.
pub(crate) fn first_guesses(sentences: &[Sentence], said: &[Said]) -> Vec<bool> {
    let mut guesses = vec![false; sentences.len()];
    if !sentences.iter().any(|sentence| sentence.early) {
        return guesses;
    }
    let texts: Vec<&str> = said
        .iter()
        .rev()
        .filter(|one| one.by == Speaker::Agent)
        .map(|one| one.text.as_str())
        .take(MAX_TEXTS)
        .collect();
    // The newest first: what stands in a text is older than the corrections that were met before it.
    let mut corrections: Vec<Vec<u32>> = Vec::new();
    let last: Vec<&Sentence> = sentences.iter().filter(|sentence| !sentence.early).collect();
    corrections.extend(corrections_in(&last));
    for text in texts {
        for (at, sentence) in sentences.iter().enumerate().filter(|(_, sentence)| sentence.early) {
            let start = &sentence.text[..sentence.text.floor_char_boundary(60)];
            // The first letter may have been made large.
            let start = start.char_indices().nth(1).map_or("", |(second, _)| &start[second..]);
            if !corrects(&sentence.text) && text.contains(start) {
                let names = name_prints(&sentence.text);
                guesses[at] |= corrections.iter().any(|correction| shares(correction, &names) > 0);
            }
        }
        let own = crate::sentences::sentences(text);
        corrections.extend(corrections_in(&own.iter().collect::<Vec<_>>()));
    }
    guesses
}

/// What a turn stated, as far as it takes to see that it was taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EarlierStatement {
    title: String,
    events: Vec<EventId>,
    names: Vec<u32>,
    turn: u32,
    /// It says how something is, not what was done about it.
    #[serde(default)]
    is_finding: bool,
    /// What it says, sentence by sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    said: Vec<String>,
}

impl EarlierStatement {
    const MAX: usize = 16;
    const MAX_EVENTS: usize = 4;
}

/// Statements of earlier turns that the words of this one take back: the agent's, where they name the same twice, and the person's
/// about what was said last.
pub(crate) fn taken_back_statements(
    state: &mut State,
    scene: &Scene<'_>,
    said: &[Said],
    observations: &[Observation],
) -> Vec<Overtaken> {
    const SAME: usize = 2;
    let states = |one: &Observation| matches!(one.kind, MemoryKind::Discovery | MemoryKind::Bugfix);
    let turn = state.turns;
    let mut found = Vec::new();
    let mut own = corrections_in(&scene.all_own().filter(|sentence| !sentence.early).collect::<Vec<_>>());
    for one in said.iter().rev().filter(|one| one.by == Speaker::Agent).take(MAX_TEXTS) {
        let sentences = crate::sentences::sentences(&one.text);
        own.extend(corrections_in(&sentences.iter().collect::<Vec<_>>()));
    }
    let by = observations
        .iter()
        .position(states)
        .or_else(|| observations.iter().position(|one| !one.files_modified.is_empty()));
    let refused = refuses(scene.prompt);
    let asked = if refused { name_prints(scene.prompt) } else { Vec::new() };
    if let Some(by) = by {
        state.statements.retain(|older| {
            let gone = own.iter().any(|names| shares(names, &older.names) >= SAME)
                || refused && older.turn + 1 == turn && shares(&asked, &older.names) > 0;
            if gone {
                found.push(Overtaken { title: older.title.clone(), events: older.events.clone(), by });
            }
            !gone
        });
    }
    for one in observations.iter().filter(|one| states(one)) {
        let names = name_prints(&format!("{} {}", one.title, one.facts.join(" ")));
        let events = one.events.iter().copied().take(EarlierStatement::MAX_EVENTS).collect();
        let is_finding = one.kind == MemoryKind::Discovery;
        let title = crate::text::clip(&one.title, 110);
        let mut said: Vec<String> = Vec::new();
        if is_finding {
            let begins = one.facts.iter().any(|fact| fact.starts_with(one.title.trim_end_matches('…')));
            let lines = one.facts.iter().chain((!begins).then_some(&one.title));
            said.extend(lines.map(|line| crate::text::clip(line, MAX_SAID_BYTES)).take(MAX_BEFORE));
        }
        let statement = EarlierStatement { title, events, names, turn, is_finding, said };
        crate::work::push_bounded(&mut state.statements, statement, EarlierStatement::MAX);
    }
    found
}

/// Findings of earlier turns about code that the edits of this one changed: what they say was so before. The memory of the work says so, too,
/// so that nothing is lost, and takes their place. Work that is not told leaves them as they are.
pub(crate) fn changed_statements(
    state: &mut State,
    scene: &Scene<'_>,
    observations: &mut [Observation],
) -> Vec<Overtaken> {
    let mut found = Vec::new();
    for (by, work) in observations.iter_mut().enumerate() {
        if work.files_modified.is_empty() || crate::worth::is_quiet(work) {
            continue;
        }
        let mut touched: Vec<u32> = Vec::new();
        let mut changed: Vec<u32> = Vec::new();
        for step in scene.steps.iter().filter(|step| work.events.contains(&step.event)) {
            let Act::Edit(edit) = &step.act else { continue };
            let print = |name: &String| crate::patch::marked(0, &[name.as_str()]);
            touched.extend(edit.names.iter().map(print));
            changed.extend(edit.inside.iter().chain(&edit.defines).chain(&edit.drops).map(print));
        }
        touched.extend(&changed);
        let mut room = MAX_BEFORE;
        state.statements.retain(|older| {
            let same = match older.names.len() {
                0 => false,
                1 => shares(&changed, &older.names) == 1,
                _ => shares(&touched, &older.names) >= 2 && shares(&changed, &older.names) > 0,
            };
            let gone = room > 0 && older.is_finding && older.turn < state.turns && same;
            if gone {
                room -= 1;
                work.facts.extend(older.said.iter().map(|said| format!("Before: {said}")));
                found.push(Overtaken { title: older.title.clone(), events: older.events.clone(), by });
            }
            !gone
        });
    }
    found
}

/// Findings that the memory of one piece of work takes over, and what it quotes of each.
const MAX_BEFORE: usize = 3;
const MAX_SAID_BYTES: usize = 260;

/// Whether a person begins with a no to what was said.
fn refuses(prompt: &str) -> bool {
    const NO: &[&str] = &[
        "no,",
        "no ",
        "nope",
        "that's wrong",
        "that is wrong",
        "that's not",
        "that is not",
        "this is wrong",
        "wrong",
        "not correct",
        "incorrect",
        "you're wrong",
        "nein",
        "das stimmt nicht",
        "falsch",
        "non,",
        "c'est faux",
        "no es",
        "não",
        "errado",
        "sbagliato",
        "нет,",
        "нет ",
        "неверно",
        "это не так",
        "неправильно",
        "不对",
        "不是",
        "错了",
        "違います",
        "いいえ",
        "아니",
        "틀렸",
    ];
    let lower = lowered(prompt.trim_start());
    NO.iter().any(|no| lower.starts_with(no)) || corrects(prompt.lines().next().unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_is_known_in_ten_languages() {
        for text in [
            "Actually, the lock is never taken.",
            "The real cause is `open_lease`.",
            "Die eigentliche Ursache ist `open_lease`.",
            "En fait, `open_lease` ne ferme rien.",
            "La causa real es `open_lease`.",
            "Na verdade, `open_lease` nunca fecha.",
            "In realtà `open_lease` non chiude.",
            "На самом деле `open_lease` не закрывает файл.",
            "真正的原因是 `open_lease`。",
            "本当の原因は `open_lease` です。",
            "진짜 원인은 `open_lease` 입니다.",
        ] {
            assert!(corrects(text), "{text}");
        }
        for text in ["The lock is actually taken twice.", "Factually, nothing is wrong with `open_lease`."] {
            assert!(!corrects(text), "{text}");
        }
    }
}
