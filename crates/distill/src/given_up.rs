//! What was tried and given up: edits that later edits took back, files and commits that git put back, and approaches of
//! which the agent says that they do not work. What was taken back is not told as work any more, and what failed is told
//! with what came instead.

use std::collections::{HashMap, HashSet};

use model::{EventId, MemoryKind, Millis, Observation, Said, Speaker};
use serde::{Deserialize, Serialize};

use crate::outside::Heard;
use crate::patch::Edit;
use crate::prose;
use crate::scene::{Draft, Scene};
use crate::sentences::sentences;
use crate::state::State;
use crate::step::{Act, Step};
use crate::text::{clip, is_coined, is_word, one_line};
use crate::work::Piece;
use crate::write::NAMELESS;

/// How a memory of it begins, before the title of the work that was taken back.
pub const GIVEN_UP: &str = "Given up: ";

/// A piece of work that was told, as far as it takes to see that it was taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Work {
    title: String,
    events: Vec<EventId>,
    edits: Vec<Mark>,
    /// The commit that holds it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    commit: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Mark {
    file: String,
    was: u32,
    is: u32,
    undone: bool,
    /// Prints of its lines that stand still, and how many there were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    came: Vec<u32>,
    #[serde(default)]
    lines: u32,
}

impl Work {
    pub(crate) const MAX: usize = 16;
    /// A larger piece is not taken back edit by edit.
    const MAX_EDITS: usize = 8;
    const MAX_EVENTS: usize = 12;

    /// Takes lines away that an edit of a later turn replaced; says whether so few are left that the work does not stand any more.
    pub(crate) fn is_replaced_by(&mut self, edit: &Edit, stands: &HashSet<u32>) -> bool {
        let mut touched = false;
        for mark in self.edits.iter_mut().filter(|mark| mark.file == edit.file) {
            let before = mark.came.len();
            mark.came.retain(|print| stands.contains(print) || !edit.went.contains(print));
            touched |= mark.came.len() < before;
        }
        let lines: u32 = self.edits.iter().map(|mark| mark.lines).sum();
        let left: usize = self.edits.iter().map(|mark| mark.came.len()).sum();
        touched && left as u32 * 3 <= lines
    }

    pub(crate) fn told(&self) -> (&str, &[EventId]) {
        (&self.title, &self.events)
    }

    fn is_undone(&self) -> bool {
        !self.edits.is_empty() && self.edits.iter().all(|edit| edit.undone)
    }
}

/// What a turn took back.
#[derive(Debug, Default)]
pub(crate) struct TakenBack {
    /// For each step, whether it is an edit of which nothing is left, or one that only took another back.
    pub void: Vec<bool>,
    /// Edits of this turn of which nothing is left.
    undone: Vec<usize>,
    /// Work of earlier turns, with the step that took its last part back.
    works: Vec<(Work, usize)>,
}

/// Edits of a turn that a later one is compared with.
const MAX_LIVE: usize = 200;

/// Everything, in the list of what a command put back.
pub(crate) const ALL: &str = "*";
/// A commit that was taken back, in that list.
pub(crate) const COMMIT: char = '^';

/// Finds what the steps of a turn take back, in it and in earlier ones.
pub(crate) fn look(state: &mut State, steps: &[Step]) -> TakenBack {
    let mut found = TakenBack { void: vec![false; steps.len()], ..TakenBack::default() };
    // Edits of this turn that stand and that no commit holds.
    let mut live: Vec<usize> = Vec::new();
    let brought = brought(steps);
    for (at, step) in steps.iter().enumerate() {
        // What is taken back is taken back soon; a turn of ten thousand edits is no reason to compare all with all.
        if live.len() > MAX_LIVE {
            live.remove(0);
        }
        match &step.act {
            // What is taken away here and stands elsewhere was moved.
            Act::Edit(edit) if moved(edit, &brought) => live.push(at),
            Act::Edit(edit) => {
                let same =
                    |known: &usize| matches!(&steps[*known].act, Act::Edit(known) if edit.undoes(known));
                if let Some(place) = live.iter().rposition(same) {
                    let known = live.remove(place);
                    found.void[known] = true;
                    found.void[at] = true;
                    found.undone.push(known);
                    continue;
                }
                let mut marks = state.works.iter_mut().rev().flat_map(|work| work.edits.iter_mut());
                let earlier = marks.find(|mark| {
                    !mark.undone
                        && mark.file == edit.file
                        && mark.is == edit.was
                        && mark.was == edit.is
                        && mark.is != mark.was
                });
                match earlier {
                    Some(mark) => {
                        mark.undone = true;
                        found.void[at] = true;
                    }
                    None => live.push(at),
                }
            }
            Act::Run(run) if run.ok => {
                for target in &run.command.restores {
                    if let Some(commit) = target.strip_prefix(COMMIT) {
                        take_back_commit(state, commit);
                        continue;
                    }
                    let fits = |file: &str| is_in(file, target);
                    live.retain(|&known| {
                        let gone = matches!(&steps[known].act, Act::Edit(edit) if fits(&edit.file));
                        found.void[known] |= gone;
                        if gone {
                            found.undone.push(known);
                        }
                        !gone
                    });
                    let open = state.works.iter_mut().filter(|work| work.commit.is_empty());
                    open.flat_map(|work| &mut work.edits)
                        .filter(|mark| fits(&mark.file))
                        .for_each(|mark| mark.undone = true);
                }
                if let Some(commit) = &run.commit {
                    live.clear();
                    let hash = commit.hash.as_deref().unwrap_or("?");
                    state
                        .works
                        .iter_mut()
                        .filter(|work| work.commit.is_empty())
                        .for_each(|work| hash.clone_into(&mut work.commit));
                }
            }
            _ => continue,
        }
        let (gone, kept) = std::mem::take(&mut state.works).into_iter().partition(Work::is_undone);
        state.works = kept;
        found.works.extend(Vec::into_iter(gone).map(|work| (work, at)));
    }
    found
}

/// The names that edits of a turn define, each with the first file that does and whether others do, too.
fn brought(steps: &[Step]) -> HashMap<&str, (&str, bool)> {
    let mut found: HashMap<&str, (&str, bool)> = HashMap::new();
    for step in steps {
        let Act::Edit(edit) = &step.act else { continue };
        for name in &edit.defines {
            let known = found.entry(name.as_str()).or_insert((edit.file.as_str(), false));
            known.1 |= known.0 != edit.file;
        }
    }
    found
}

/// Whether definitions an edit takes away are brought to another file.
fn moved(edit: &Edit, brought: &HashMap<&str, (&str, bool)>) -> bool {
    let elsewhere = |(file, several): &(&str, bool)| *several || *file != edit.file;
    edit.drops.iter().any(|name| brought.get(name.as_str()).is_some_and(elsewhere))
}

fn take_back_commit(state: &mut State, commit: &str) {
    let last = state.works.iter().rev().find(|work| !work.commit.is_empty()).map(|work| work.commit.clone());
    for work in state.works.iter_mut().filter(|work| !work.commit.is_empty()) {
        let named =
            commit.len() >= 7 && (work.commit.starts_with(commit) || commit.starts_with(&work.commit));
        if named || commit == "HEAD" && last.as_ref() == Some(&work.commit) {
            work.edits.iter_mut().for_each(|edit| edit.undone = true);
        }
    }
}

/// Whether a file is what a command named, or lies in it.
fn is_in(file: &str, target: &str) -> bool {
    let target = target.trim_start_matches("./").trim_end_matches('/');
    let rest =
        |longer: &str, shorter: &str| longer.strip_suffix(shorter).is_some_and(|rest| rest.ends_with('/'));
    matches!(target, ALL | "." | "")
        || file == target
        || rest(file, target)
        || rest(target, file)
        || file.strip_prefix(target).is_some_and(|rest| rest.starts_with('/'))
}

/// Remembers a piece of work that was told.
pub(crate) fn remember(state: &mut State, scene: &Scene<'_>, piece: &Piece, told: &Observation) {
    let edits: Vec<Mark> = scene
        .edits(piece)
        .map(|edit| Mark {
            file: edit.file.clone(),
            was: edit.was,
            is: edit.is,
            undone: false,
            came: edit.came.clone(),
            lines: edit.came.len() as u32,
        })
        .collect();
    if edits.is_empty() || edits.len() > Work::MAX_EDITS {
        return;
    }
    if state.works.len() >= Work::MAX {
        state.works.remove(0);
    }
    let commit =
        piece.commit.as_ref().map(|(_, commit)| commit.hash.clone().unwrap_or_else(|| "?".to_owned()));
    state.works.push(Work {
        title: clip(&told.title, 110),
        events: told.events.iter().copied().take(Work::MAX_EVENTS).collect(),
        edits,
        commit: commit.unwrap_or_default(),
    });
}

/// Where the words of a turn stand: its end, and what it has heard from outside.
pub(crate) struct Words<'a> {
    pub said: &'a [Said],
    pub message: &'a str,
    pub ended_by: Option<EventId>,
    pub ended_at: Millis,
    pub heard: &'a Heard,
}

/// What was given up in a turn. `made`: what the turn brought instead.
pub(crate) fn tell(
    scene: &Scene<'_>,
    back: &TakenBack,
    words: &Words<'_>,
    known: &mut Vec<String>,
    made: &[Observation],
) -> Vec<Observation> {
    const MAX_TOLD: usize = 3;
    let mut found = Vec::new();
    let mut reasons = reasons(words);
    let instead = made.iter().find(|one| {
        matches!(
            one.kind,
            MemoryKind::Bugfix | MemoryKind::Feature | MemoryKind::Change | MemoryKind::Refactor
        ) && !one.files_modified.is_empty()
    });
    for (work, by) in back.works.iter().take(MAX_TOLD) {
        let mut draft = Draft::new(MemoryKind::Failure);
        draft.title = format!("{GIVEN_UP}{}", work.title);
        for event in &work.events {
            draft.event(*event, 0);
        }
        draft.evidence(&scene.steps[*by]);
        match &scene.steps[*by].act {
            Act::Run(run) => draft.fact(&format!("Taken back by `{}`", run.command.shown)),
            Act::Edit(edit) => draft.fact(&format!("Taken back in {}", edit.file)),
            _ => {}
        }
        for mark in &work.edits {
            draft.modifies(&mark.file);
        }
        let asked = scene.prompt_step().filter(|_| prose::any(scene.prompt, TAKES_BACK));
        let explained = !reasons.is_empty() || asked.is_some();
        if !reasons.is_empty() {
            because(&mut draft, &reasons.remove(0), words);
        } else if let Some(step) = asked {
            // Who asked for it has said why, if anybody has.
            draft.say(&crate::asked(scene.prompt));
            draft.evidence(step);
        }
        came(&mut draft, instead);
        // That lines went again, nobody knows why, is no lesson.
        draft.quiet = !explained && work.title.starts_with(NAMELESS);
        found.extend(draft.finish());
    }
    // What was taken back within the turn, and what was said not to work, is told in the agent's words or not at all.
    for (at, reason) in reasons.into_iter().filter(|reason| reason.fails).enumerate() {
        let title = prose::as_title(&reason.text, 120);
        if at >= MAX_TOLD || known.contains(&title) {
            continue;
        }
        known.push(title.clone());
        if known.len() > State::MAX_DECIDED {
            known.remove(0);
        }
        let mut draft = Draft::new(MemoryKind::Failure);
        draft.title = title;
        for at in back.undone.iter().filter(|_| at == 0) {
            draft.evidence(&scene.steps[*at]);
        }
        because(&mut draft, &reason, words);
        came(&mut draft, instead.filter(|_| !back.undone.is_empty()));
        found.extend(draft.finish());
    }
    found
}

fn because(draft: &mut Draft, reason: &Reason, words: &Words<'_>) {
    let Some(event) = words.ended_by else { return };
    draft.say(&reason.text);
    draft.fact(&format!("As said: {}", reason.text));
    if let Some(next) = &reason.next {
        draft.say(next);
    }
    draft.event(event, words.ended_at);
}

fn came(draft: &mut Draft, instead: Option<&Observation>) {
    if let Some(one) = instead {
        draft.fact(&format!("Instead: {}", one.title));
        for event in &one.events {
            draft.event(*event, one.at);
        }
    }
}

struct Reason {
    text: String,
    /// What is said after it: why, or what comes instead.
    next: Option<String>,
    /// It says by itself that something does not work; else it only says that something was taken back.
    fails: bool,
}

/// Sentences of the agent that say why something was given up, oldest first.
fn reasons(words: &Words<'_>) -> Vec<Reason> {
    const MAX_TEXTS: usize = 64;
    const MAX_REASONS: usize = 4;
    let said = words.said.iter().filter(|said| said.by == Speaker::Agent).map(|said| said.text.as_str());
    let mut found: Vec<Reason> = Vec::new();
    for text in said.take(MAX_TEXTS).chain([words.message]) {
        if !prose::any(text, FAILS) && !prose::any(text, TAKES_BACK) {
            continue;
        }
        let said = sentences(text);
        for (at, sentence) in said.iter().enumerate() {
            let text = without_lead(&sentence.text);
            // A stranger's opinion of an approach is not the agent's.
            if words.heard.is_theirs(text) {
                continue;
            }
            let fails = prose::any(text, FAILS);
            if found.len() >= MAX_REASONS
                || !(fails || prose::any(text, TAKES_BACK))
                || !is_telling(text, sentence.bullet)
            {
                continue;
            }
            let next = said.get(at + 1).filter(|next| !next.bullet && !next.text.ends_with([':', '?']));
            let next = next.map(|next| one_line(&next.text, 240));
            let next = next.filter(|next| next.len() > 20 && !words.heard.is_theirs(next));
            // A guess at what comes instead is none.
            let next = next.filter(|next| !prose::hedged(&next.to_lowercase()));
            found.push(Reason { text: one_line(text, 280), next, fails });
        }
    }
    found
}

/// An approach is said not to work.
const FAILS: &[&str] = &[
    "didn't work",
    "did not work",
    "doesn't work",
    "does not work",
    "won't work",
    "will not work",
    "can't work",
    "cannot work",
    "didn't help",
    "did not help",
    "doesn't help",
    "does not help",
    "doesn't solve",
    "does not solve",
    "didn't solve",
    "did not solve",
    "had no effect",
    "made no difference",
    "misdiagnosis",
    "misdiagnosed",
    "not supported",
    "isn't supported",
    "circular dependency",
    "import cycle",
];
/// Something was put back as it was.
const TAKES_BACK: &[&str] = &["reverted", "revert", "rolled back", "undid", "undo", "took back", "put back"];

/// Says something by itself: a statement that names what it is about, no question, no plan and no condition.
fn is_telling(text: &str, bullet: bool) -> bool {
    const UNSURE: &[&str] = &[
        "if",
        "would",
        "should",
        "could",
        "might",
        "whether",
        "avoid",
        "avoids",
        "probably",
        "no",
        "current",
        "currently",
        "unused",
    ];
    const PLANS: &[&str] = &["let me", "i'll", "i will", "do you", "let's", "we could", "option"];
    let lower = text.to_lowercase();
    let words = text.split_whitespace().count();
    let named = text.contains(['`', '"'])
        || text
            .split(|char: char| !(is_word(char) || char == '-'))
            .any(|word| is_coined(word) || word.contains('-') && word.len() > 6);
    (7..=50).contains(&words)
        && named
        && !bullet
        && !text.ends_with(['?', ':'])
        && !text.contains('|')
        && !PLANS.iter().any(|plan| lower.starts_with(plan))
        && !UNSURE.iter().any(|word| crate::text::has_word(&lower, word))
}

/// Without the word that turns to somebody: "Wait, …", "You're right - …".
fn without_lead(text: &str) -> &str {
    const LEADS: &[&str] = &[
        "wait, ",
        "you're right - ",
        "you're right, ",
        "so ",
        "ah, ",
        "hmm, ",
        "ok, ",
        "okay, ",
        "but ",
        "however, ",
        "good point - ",
    ];
    let mut text = text;
    for _ in 0..2 {
        let lead = LEADS
            .iter()
            .find(|lead| text.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead)));
        text = lead.map_or(text, |lead| text[lead.len()..].trim_start());
    }
    text
}
