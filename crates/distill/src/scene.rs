//! One turn as those who write it down see it: its steps sorted, what was said at its end, and which sentence
//! belongs to which piece of work. And the draft of an observation, which takes its evidence with every claim.

use std::cell::RefCell;

use model::{EventId, MemoryKind, Millis, Observation, Provenance};

use crate::outside::{Heard, mark};
use crate::prose::{self, Intent};
use crate::sentences::{Sentence, sentences};
use crate::state::Request;
use crate::step::{Act, Step};
use crate::text::{clip, file_name, has_word, is_coined, one_line, push_new, room, stem, without_folders};
use crate::work::{Piece, Sorted};
use crate::worth::{QUIET, is_sentence, is_worth_saying};
use crate::{ASKED, Turn, concepts, findings, overtaken};

pub(crate) struct Scene<'a> {
    pub steps: &'a [Step],
    pub sorted: &'a Sorted,
    pub prompt: &'a str,
    /// What the turn is about: its prompt, or the request before it where that says nothing ("yes", "6").
    pub request: &'a Request,
    pub intent: Intent,
    /// The agent's last words, then what it said before them. What stands in an observation is not used for another.
    pub said: Vec<Sentence>,
    /// The event that shows what was said before the last words.
    ended_by: Option<EventId>,
    /// What the turn heard from outside.
    pub heard: &'a Heard,
    /// For each sentence, whether it is somebody else's.
    theirs: Vec<bool>,
    used: RefCell<Vec<bool>>,
    /// For each sentence, how much it has to do with each piece.
    relations: Vec<Vec<u32>>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        turn: &Turn<'a>,
        sorted: &'a Sorted,
        prompt: &'a str,
        request: &'a Request,
        message: &str,
        intent: Intent,
        heard: &'a Heard,
    ) -> Self {
        let steps = turn.steps;
        let mut said = sentences(message);
        // Without the event of the last words nobody knows whose words were heard before them.
        if sorted.message.is_some() {
            said.extend(findings::early(turn.said, &said));
        }
        let theirs = said.iter().map(|sentence| heard.is_theirs(&sentence.text)).collect();
        // What was taken back within the turn is told by nobody.
        let used = RefCell::new(overtaken::first_guesses(&said, turn.said));
        let (ended_by, relations) = (turn.ended_by, Vec::new());
        let mut scene =
            Self { steps, sorted, prompt, request, intent, said, ended_by, heard, theirs, used, relations };
        let row = |sentence: &Sentence| {
            sorted.pieces.iter().map(|piece| scene.relation(&sentence.text, piece)).collect()
        };
        scene.relations = scene.said.iter().map(row).collect();
        scene
    }

    /// The evidence of a sentence of the agent.
    pub(crate) fn shows(&self, draft: &mut Draft, at: usize) {
        if let Some(step) = self.message_step() {
            draft.evidence(step);
        }
        if let Some(event) = self.ended_by.filter(|_| self.said[at].early) {
            draft.event(event, 0);
        }
    }

    /// What was asked for, with the event that shows it.
    pub(crate) fn tell_request(&self, draft: &mut Draft) {
        if self.request.text.is_empty() {
            return;
        }
        if let Some(step) = self.prompt_step() {
            draft.evidence(step);
        }
        if let Some(event) = self.request.event {
            draft.say(&format!("{ASKED}{}", self.request.text));
            draft.event(event, 0);
        }
    }

    pub(crate) fn message_step(&self) -> Option<&'a Step> {
        self.sorted.message.map(|at| &self.steps[at])
    }

    pub(crate) fn prompt_step(&self) -> Option<&'a Step> {
        self.sorted.prompt.map(|at| &self.steps[at])
    }

    pub(crate) fn take(&self, at: usize) {
        self.used.borrow_mut()[at] = true;
    }

    /// What an observation quotes is not found once more.
    pub(crate) fn take_quotes(&self, facts: &[String]) {
        let mut used = self.used.borrow_mut();
        for (at, sentence) in self.said.iter().enumerate() {
            used[at] |= facts.iter().any(|fact| fact.ends_with(sentence.text.as_str()));
        }
    }

    /// Of the last words, sentences nobody used yet that pass a test, with their places. None where no event holds them.
    pub(crate) fn free(&self, fits: impl Fn(&Sentence) -> bool) -> Vec<(usize, &Sentence)> {
        self.unused(|sentence| !sentence.early && fits(sentence))
    }

    /// The same, also of what was said before the last words.
    pub(crate) fn unused(&self, fits: impl Fn(&Sentence) -> bool) -> Vec<(usize, &Sentence)> {
        if self.sorted.message.is_none() {
            return Vec::new();
        }
        let used = self.used.borrow();
        self.said.iter().enumerate().filter(|(at, sentence)| !used[*at] && fits(sentence)).collect()
    }

    /// Why something was so, in the agent's own words of any time of the turn.
    pub(crate) fn causes(&self) -> Vec<(usize, &Sentence)> {
        let fits = |sentence: &Sentence| sentence.early || !crate::prose::states_next(sentence);
        self.own_unused(fits)
    }

    /// The same for whoever tells of work: it is told without words that may be somebody else's, so that it stays
    /// work. They are told as a finding.
    pub(crate) fn own(&self, fits: impl Fn(&Sentence) -> bool) -> Vec<(usize, &Sentence)> {
        self.own_unused(|sentence| !sentence.early && fits(sentence))
    }

    /// The same, also of what was said before the last words.
    pub(crate) fn own_unused(&self, fits: impl Fn(&Sentence) -> bool) -> Vec<(usize, &Sentence)> {
        let mut own = self.unused(fits);
        own.retain(|(at, _)| !self.theirs[*at]);
        own
    }

    /// All own sentences, whoever used them.
    pub(crate) fn all_own(&self) -> impl Iterator<Item = &Sentence> {
        let told = self.sorted.message.is_some();
        self.said
            .iter()
            .zip(&self.theirs)
            .filter(move |(_, theirs)| told && !**theirs)
            .map(|(sentence, _)| sentence)
    }

    /// Whether the sentence at a place is somebody else's.
    pub(crate) fn is_theirs(&self, sentence: usize) -> bool {
        self.theirs.get(sentence).is_some_and(|theirs| *theirs)
    }

    /// Whether a sentence speaks of work that was done in this turn.
    pub(crate) fn speaks_of_work(&self, sentence: usize) -> bool {
        self.relations.get(sentence).is_some_and(|row| row.iter().any(|score| *score > 0))
    }

    /// Own sentences that pass a test, whoever used them.
    pub(crate) fn any(&self, fits: impl Fn(&Sentence) -> bool) -> Option<&Sentence> {
        self.all_own().find(|sentence| fits(sentence))
    }

    /// How much a sentence has to do with a piece of work: what it names of it.
    pub(crate) fn relation(&self, sentence: &str, piece: &Piece) -> u32 {
        let mut score = 0;
        for edit in self.edits(piece) {
            score += if has_word(sentence, file_name(&edit.file)) { 3 } else { 0 };
            let name = stem(&edit.file);
            score += u32::from(name.len() >= 4 && has_word(sentence, name));
            let defined = edit.defines.iter().chain(&edit.inside).chain(&edit.drops);
            score += 3 * defined.filter(|name| name.len() > 3 && has_word(sentence, name)).count() as u32;
            score += edit.names.iter().filter(|name| has_word(sentence, name)).count() as u32;
        }
        for failure in &piece.resolved {
            score += if failure.fault.code.as_deref().is_some_and(|code| has_word(sentence, code)) {
                4
            } else {
                0
            };
            let tests = failure.failing.iter().map(|name| short_test(name));
            score += 3 * tests.filter(|name| name.len() > 4 && sentence.contains(name)).count() as u32;
            let words = failure
                .fault
                .message
                .split(|char: char| !crate::text::is_word(char))
                .filter(|word| is_coined(word));
            score += words.filter(|word| has_word(sentence, word)).count() as u32;
        }
        score
    }

    /// How much the sentence at a place has to do with a piece, if no other piece of this turn has more.
    pub(crate) fn belongs(&self, sentence: usize, piece: &Piece) -> Option<u32> {
        let row = self.relations.get(sentence)?;
        let own = self
            .sorted
            .pieces
            .iter()
            .position(|other| std::ptr::eq(other, piece))
            .and_then(|at| row.get(at))?;
        let alone = row.len() == 1;
        (row.iter().max() == Some(own) && (*own > 0 || alone)).then_some(*own)
    }

    pub(crate) fn edits(&self, piece: &Piece) -> impl Iterator<Item = &'a crate::patch::Edit> {
        let steps = self.steps;
        let places = piece.edits.clone();
        places.into_iter().filter_map(move |at| match &steps[at].act {
            Act::Edit(edit) => Some(edit),
            _ => None,
        })
    }
}

/// The last part of a test's name.
pub(crate) fn short_test(name: &str) -> &str {
    // rspec gives the place first and the words after it.
    let name = name.split_once(" # ").map_or(name, |(_, words)| words);
    let name = name.rsplit("::").next().unwrap_or(name);
    let name = name.rsplit(" > ").next().unwrap_or(name);
    name.rsplit(" › ").next().unwrap_or(name).trim()
}

pub(crate) const MAX_TITLE_BYTES: usize = 130;
/// The same in a script whose letters take more bytes: the store keeps no longer one.
const MOST_TITLE_BYTES: usize = 196;
const MAX_FACT_BYTES: usize = 300;
const MAX_FACTS: usize = 12;
const MAX_NARRATIVE_BYTES: usize = 1800;
const MAX_FILES: usize = 16;
const MAX_TOOLS: usize = 8;

/// An observation that is being written. Evidence is added with what it shows.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub kind: MemoryKind,
    pub title: String,
    pub subtitle: Option<String>,
    narrative: String,
    facts: Vec<String>,
    read: Vec<String>,
    modified: Vec<String>,
    tools: Vec<String>,
    /// Where its words come from, if not from the workspace.
    outside: Vec<String>,
    events: Vec<EventId>,
    tokens: u32,
    at: Millis,
    /// When it was asked for or said; counts where nothing was done.
    said_at: Millis,
    /// Nobody said anything of it that is worth being told: kept for whoever asks.
    pub quiet: bool,
}

impl Draft {
    pub(crate) fn new(kind: MemoryKind) -> Self {
        Self {
            kind,
            title: String::new(),
            subtitle: None,
            narrative: String::new(),
            facts: Vec::new(),
            read: Vec::new(),
            modified: Vec::new(),
            tools: Vec::new(),
            outside: Vec::new(),
            events: Vec::new(),
            tokens: 0,
            at: 0,
            said_at: 0,
            quiet: false,
        }
    }

    /// What a step shows.
    pub(crate) fn of(kind: MemoryKind, step: &Step) -> Self {
        let mut draft = Self::new(kind);
        draft.evidence(step);
        draft
    }

    pub(crate) fn evidence(&mut self, step: &Step) {
        if self.events.contains(&step.event) {
            return;
        }
        if matches!(step.act, Act::Prompt { .. } | Act::Message { .. }) {
            self.event(step.event, 0);
            self.said_at = self.said_at.max(step.at);
        } else {
            self.event(step.event, step.at);
        }
        self.tokens = self.tokens.saturating_add(step.tokens);
        push_new(&mut self.tools, &step.tool, MAX_TOOLS);
        self.hears(&step.outside);
        match &step.act {
            Act::Edit(edit) => push_new(&mut self.modified, &edit.file, MAX_FILES),
            Act::Read { file, .. } => push_new(&mut self.read, file, MAX_FILES),
            _ => {}
        }
    }

    /// Words of such sources stand in it.
    pub(crate) fn hears(&mut self, sources: &[String]) {
        for source in sources {
            push_new(&mut self.outside, &mark(source), MAX_TOOLS);
        }
    }

    /// An event of an earlier turn, whose step is gone.
    pub(crate) fn event(&mut self, event: EventId, at: Millis) {
        if !self.events.contains(&event) {
            self.events.push(event);
        }
        self.at = self.at.max(at);
    }

    pub(crate) fn spend(&mut self, tokens: u32) {
        self.tokens = self.tokens.saturating_add(tokens);
    }

    pub(crate) fn modifies(&mut self, file: &str) {
        push_new(&mut self.modified, file, MAX_FILES);
    }

    pub(crate) fn reads(&mut self, file: &str) {
        if !self.modified.iter().any(|known| known == file) {
            push_new(&mut self.read, file, MAX_FILES);
        }
    }

    pub(crate) fn fact(&mut self, fact: &str) {
        push_new(&mut self.facts, &one_line(fact, room(fact, MAX_FACT_BYTES)), MAX_FACTS);
    }

    pub(crate) fn say(&mut self, sentence: &str) {
        let sentence = sentence.trim();
        if sentence.is_empty() || self.narrative.contains(sentence) {
            return;
        }
        if !self.narrative.is_empty() {
            self.narrative.push(' ');
        }
        self.narrative.push_str(sentence);
        if !sentence.ends_with(['.', '!', '?', ':', '…']) {
            self.narrative.push('.');
        }
    }

    /// `None`: no event shows it, so nothing is said.
    pub(crate) fn finish(mut self) -> Option<Observation> {
        if self.events.is_empty() || self.title.trim().is_empty() {
            return None;
        }
        self.events.sort_unstable_by_key(|event| (event.minted_at(), *event));
        if self.events.len() > Provenance::MAX_EVENTS {
            // The beginning and the end show most.
            let half = Provenance::MAX_EVENTS / 2;
            self.events.drain(half..self.events.len() - half);
        }
        let title = without_folders(self.title.trim());
        let mut title = clip(&title, room(&title, MAX_TITLE_BYTES).min(MOST_TITLE_BYTES));
        if self.kind == MemoryKind::Discovery && !is_worth_saying(&title) {
            // Of several findings the first that says something names them.
            let titles = self.facts.iter().map(|fact| prose::as_title(fact, MAX_TITLE_BYTES));
            title = titles
                .into_iter()
                .find(|title| is_sentence(title) && is_worth_saying(title))
                .unwrap_or(title);
        }
        let facts_text = self.facts.join(" ");
        let texts = [title.as_str(), self.subtitle.as_deref().unwrap_or(""), facts_text.as_str()];
        let mut files = self.modified.clone();
        files.extend(self.read.iter().cloned());
        let concepts = concepts::find(&texts, &files);
        if matches!(
            self.kind,
            MemoryKind::Bugfix | MemoryKind::Feature | MemoryKind::Change | MemoryKind::Discovery
        ) && (concepts::is_security(&title) || self.subtitle.as_deref().is_some_and(concepts::is_security))
        {
            self.kind = MemoryKind::Security;
        }
        self.read.retain(|file| !self.modified.contains(file));
        // A decision is a person's words, however short.
        let is_poor = self.kind != MemoryKind::Decision && !is_worth_saying(&title);
        if self.quiet || is_poor {
            self.outside.push(QUIET.to_owned());
        }
        Some(Observation {
            kind: self.kind,
            at: if self.at == 0 { self.said_at } else { self.at },
            title,
            subtitle: self.subtitle.map(|text| clip(&text, 240)),
            narrative: clip(&self.narrative, MAX_NARRATIVE_BYTES),
            facts: self.facts,
            concepts,
            files_read: self.read,
            files_modified: self.modified,
            tools: [self.tools, self.outside].concat(),
            events: self.events,
            tokens: self.tokens,
        })
    }
}
