//! Which sentences of an agent are somebody else's. An agent that has read a page says its own things still: what it
//! did, what it saw in the workspace, why something failed. A sentence is the stranger's when it repeats the
//! stranger's words, and when it orders something that neither the person nor the workspace has said.
//! What cannot be compared counts as the stranger's.

use std::collections::HashSet;

use model::{MemoryKind, Observation, Summary};

use super::words::{Print, Word, decode, words};
use super::{MAX_SOURCES, REPORTED, mark};
use crate::prose;
use crate::sentences::sentences;
use crate::state::State;
use crate::step::{Act, Step};
use crate::text::{has_word, push_new};

/// Prints of earlier turns that are still compared with: an agent is talked into something in one turn and says it in
/// the next.
const MAX_REMEMBERED: usize = 6;
/// Words of a session that are its own, as far as they are remembered from turn to turn.
const MAX_FAMILIAR: usize = 1500;
/// Words by which an agent tells of what it did: those may name what it has put into the workspace by then.
const DEEDS: &[&str] = &[
    "added",
    "updated",
    "created",
    "removed",
    "renamed",
    "moved",
    "fixed",
    "replaced",
    "extracted",
    "implemented",
    "changed",
    "committed",
    "pushed",
    "wrote",
    "refactored",
    "deleted",
];

/// What a turn heard from outside, and what it knows of its own.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Where it comes from: `web`, `mcp`, …
    pub sources: Vec<String>,
    prints: Vec<Print>,
    /// Something was heard that cannot be compared with.
    unknown: bool,
    /// What was heard holds English text; `None`: there was none to tell by.
    english: Option<bool>,
    /// Prints of earlier turns.
    earlier: Vec<Print>,
    /// Words of the person and of the workspace.
    familiar: HashSet<u32>,
    /// Words the agent itself has put into the workspace after it had heard them.
    made: HashSet<u32>,
}

impl Heard {
    /// What was heard in these steps, which come back as they count: a report of a subagent that read nothing from
    /// outside is reported, not from outside, and a plan that was agreed to is marked where it is a stranger's.
    pub(crate) fn listen(state: &mut State, steps: &[Step], prompt: &str) -> (Self, Option<Vec<Step>>) {
        let mut heard = Self {
            earlier: state.prints.iter().filter_map(|text| Print::read(text)).collect(),
            ..Self::default()
        };
        heard.familiar.extend(decode(&state.familiar));
        heard.made.extend(decode(&state.made));
        heard.know(prompt);
        let mut vouched: Option<Vec<Step>> = None;
        for (at, step) in steps.iter().enumerate() {
            if is_own_report(step, steps, state.heard_outside) {
                let step = &mut vouched.get_or_insert_with(|| steps.to_vec())[at];
                step.outside = vec![REPORTED.to_owned()];
                continue;
            }
            heard.hear(step);
        }
        state.familiar = super::words::list(heard.familiar.iter().copied(), MAX_FAMILIAR);
        state.made = super::words::list(heard.made.iter().copied(), MAX_FAMILIAR);
        if heard.sources.is_empty() && heard.earlier.is_empty() {
            return (heard, vouched);
        }
        state.heard_outside |= !heard.sources.is_empty();
        remember(state, steps);
        let mut marked = vouched.unwrap_or_else(|| steps.to_vec());
        for step in &mut marked {
            // Of a list of work each item counts for itself; a plan is agreed to as a whole.
            let theirs = matches!(&step.act, Act::Agreed { plan }
                if sentences(plan).iter().any(|sentence| heard.is_theirs(&sentence.text)));
            if theirs {
                step.outside = heard.marks();
            }
        }
        (heard, Some(marked))
    }

    fn hear(&mut self, step: &Step) {
        if is_outside(step) {
            for source in &step.outside {
                push_new(&mut self.sources, source, MAX_SOURCES);
            }
            match Print::read(&step.words) {
                Some(print) => self.prints.push(print),
                None => self.unknown = true,
            }
            if let Some(said) = said(step).filter(|said| said.len() > 60) {
                let english = prose::is_english(said);
                // Several texts in several languages: each is one that cannot be compared with in another.
                self.english = Some(self.english.map_or(english, |known| known && english));
            }
            return;
        }
        for number in decode(&step.made) {
            let set = if self.is_heard(number) { &mut self.made } else { &mut self.familiar };
            set.insert(number);
        }
        // What the agent has written after it had heard it is not known by being read again.
        let seen = decode(&step.words).into_iter().filter(|number| !self.made.contains(number));
        self.familiar.extend(seen.collect::<Vec<_>>());
        match &step.act {
            Act::Read { file, .. } => self.know(file),
            Act::Edit(edit) => self.know(&edit.file),
            Act::Search { files, .. } => files.iter().for_each(|file| self.know(file)),
            Act::Run(run) => {
                run.fault.iter().for_each(|fault| self.know(&fault.message));
                run.verdict.iter().flat_map(|verdict| &verdict.failing).for_each(|test| self.know(test));
            }
            _ => {}
        }
    }

    fn know(&mut self, text: &str) {
        /// More is pasted.
        const MAX_KNOWN_BYTES: usize = 16 * 1024;
        let mut found = Vec::new();
        words(&text[..text.floor_char_boundary(MAX_KNOWN_BYTES)], &mut found);
        let fresh = found.iter().map(|word| word.number).filter(|number| !self.made.contains(number));
        self.familiar.extend(fresh.collect::<Vec<_>>());
    }

    fn is_heard(&self, number: u32) -> bool {
        !self.familiar.contains(&number)
            && self.prints.iter().chain(&self.earlier).any(|print| print.holds(number))
    }

    /// Where a sentence that is not the agent's own may come from.
    pub(crate) fn marks(&self) -> Vec<String> {
        if self.sources.is_empty() { vec!["earlier".to_owned()] } else { self.sources.clone() }
    }

    /// The same as an observation's tools name it.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.marks().iter().map(|source| mark(source)).collect()
    }

    /// Whether a sentence of the agent, of its lists or of what it wrote is somebody else's.
    pub(crate) fn is_theirs(&self, text: &str) -> bool {
        if self.sources.is_empty() && self.earlier.is_empty() {
            return false;
        }
        if self.unknown {
            return true;
        }
        let found = distinct(text);
        let orders = orders(text);
        if self.quotes(&found, orders) {
            return true;
        }
        if self.sources.is_empty() || found.is_empty() {
            return false;
        }
        let done = !orders && (prose::states_done(text) || prose::any(text, DEEDS));
        let now = |word: &&Word| {
            let own = self.familiar.contains(&word.number) || done && self.made.contains(&word.number);
            !own && self.prints.iter().any(|print| print.holds(word.number))
        };
        let shared: Vec<&Word> = found.iter().filter(now).collect();
        let own = found.iter().filter(|word| self.familiar.contains(&word.number)).count();
        if shared.iter().any(|word| word.telling) || is_most(shared.len(), found.len()) {
            return true;
        }
        // Another language shares no words with what it says again.
        let elsewhere = self.english.is_some_and(|english| english != prose::is_english(text));
        if orders || elsewhere {
            return !shared.is_empty() || own * 2 < found.len();
        }
        // A claim on nothing that anybody here has seen can only be from there.
        let named = found.iter().any(|word| word.telling && self.familiar.contains(&word.number));
        !named && !done && own * 2 < found.len()
    }

    /// Marks an observation that tells in a stranger's words: of the agent's sentences, of what it committed, or of a line
    /// it wrote that orders something. Code that was written for a stranger's wish is work.
    pub(crate) fn mark(&self, observation: &mut Observation) {
        let is_marked = observation.tools.iter().any(|tool| tool.starts_with(super::MARK));
        // What a person answered is theirs.
        let answered = observation.tools.iter().any(|tool| tool == "AskUserQuestion");
        if is_marked || answered || self.sources.is_empty() && self.earlier.is_empty() {
            return;
        }
        let texts =
            std::iter::once(&observation.title).chain(&observation.subtitle).chain(&observation.facts);
        if texts.into_iter().any(|text| self.is_taken_over(text)) {
            observation.tools.extend(self.tools());
        }
    }

    /// Whether a line of an observation of work is an order that a stranger gave in most of its words.
    fn is_taken_over(&self, text: &str) -> bool {
        let found = distinct(text);
        let heard: Vec<&Word> = found.iter().filter(|word| self.is_heard(word.number)).collect();
        heard.iter().any(|word| word.telling)
            && heard.len() > 2
            && heard.len() * 2 >= found.len()
            && orders(text)
    }

    /// Takes a stranger's lines out of a summary; those are kept where they are marked. Where nothing else is left, the
    /// summary stays as it is, with the marks that are given back.
    pub(crate) fn strip(&self, summary: &mut Summary, observations: &[Observation]) -> Vec<String> {
        if self.sources.is_empty() && self.earlier.is_empty() {
            return Vec::new();
        }
        let is_marked = |one: &Observation| one.tools.iter().any(|tool| tool.starts_with(super::MARK));
        let own = |line: &String| {
            let title = line.strip_prefix("Decided: ").unwrap_or(line);
            match observations.iter().find(|one| one.title == title) {
                // What was done elsewhere is named by what was given, and marked for what was answered.
                Some(one) if one.kind == MemoryKind::Change && is_marked(one) => !self.is_theirs(line),
                Some(one) => !is_marked(one),
                None => line.starts_with("Pushed: `") || !self.is_theirs(line),
            }
        };
        let mut rest = summary.clone();
        for lines in [&mut rest.learned, &mut rest.next_steps, &mut rest.completed] {
            lines.retain(own);
        }
        let answers = |of: &Summary| of.learned.len() + of.completed.len() + of.next_steps.len();
        if answers(&rest) == 0 && answers(summary) > 0 {
            return self.tools();
        }
        *summary = rest;
        Vec::new()
    }

    /// Whether it says again what was heard in an earlier turn: word for word, or as an order.
    fn quotes(&self, found: &[Word], orders: bool) -> bool {
        let again: Vec<&Word> = found
            .iter()
            .filter(|word| !self.familiar.contains(&word.number))
            .filter(|word| self.earlier.iter().any(|print| print.holds(word.number)))
            .collect();
        let telling = again.iter().filter(|word| word.telling).count();
        let part = if telling > 0 { 8 } else { 9 };
        let whole = again.len() >= 3 && again.len() * 10 >= found.len() * part;
        whole || orders && telling > 0 && again.len() * 5 >= found.len() * 3
    }
}

/// Keeps what was heard for later turns; `false`: some of it cannot be compared with.
pub(crate) fn remember(state: &mut State, steps: &[Step]) -> bool {
    let mut whole = true;
    for step in steps.iter().filter(|step| is_outside(step)) {
        let known = state.prints.contains(&step.words);
        match Print::read(&step.words) {
            Some(_) if !known => state.prints.push(step.words.clone()),
            Some(_) => {}
            None => whole = false,
        }
    }
    let surplus = state.prints.len().saturating_sub(MAX_REMEMBERED);
    state.prints.drain(..surplus);
    whole
}

fn distinct(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    words(text, &mut found);
    let mut once = HashSet::new();
    found.retain(|word| once.insert(word.number));
    found
}

/// So many words of a sentence that it says nothing else.
fn is_most(some: usize, all: usize) -> bool {
    some >= 4 && some * 5 >= all * 3
}

/// From outside, and not vouched for.
fn is_outside(step: &Step) -> bool {
    step.outside.iter().any(|source| source != REPORTED)
}

/// The report of a subagent whose own steps are known, and none of which brought anything from outside.
fn is_own_report(step: &Step, steps: &[Step], heard_before: bool) -> bool {
    let Act::Delegate { agent, .. } = &step.act else { return false };
    if step.outside.iter().any(|source| source == REPORTED) {
        return true;
    }
    let mut own = steps
        .iter()
        .filter(|other| !agent.is_empty() && other.subagent.as_deref() == Some(agent))
        .filter(|other| !matches!(other.act, Act::Delegate { .. }))
        .peekable();
    !heard_before && own.peek().is_some() && own.all(|other| other.outside.is_empty())
}

fn said(step: &Step) -> Option<&str> {
    match &step.act {
        Act::Web { said, .. }
        | Act::Call { said, .. }
        | Act::Delegate { said, .. }
        | Act::Other { said, .. } => Some(said),
        Act::Run(run) => Some(&run.said),
        _ => None,
    }
}

/// Whether a sentence wants something: a rule, an instruction, a command, an address, something about secrets.
fn orders(text: &str) -> bool {
    const WANTS: &[&str] = &[
        "always",
        "never",
        "must",
        "should",
        "shall",
        "need to",
        "needs to",
        "have to",
        "has to",
        "required",
        "ensure",
        "make sure",
        "be sure",
        "remember",
        "from now on",
        "do not",
        "don't",
        "replaces",
        "switch to",
        "only allowed",
        "allowed to",
        "not allowed",
        "forbidden",
        "mandatory",
        "important",
        "critical",
        "policy",
        "recommended",
        "recommend",
        "deprecated",
        "prefer",
        "prefers",
        "avoid",
        "approved",
        "trust",
        "ignore",
        "disable",
        "bypass",
        "install",
        "sudo",
        "curl",
        "wget",
        "chmod",
        "password",
        "token",
        "tokens",
        "secret",
        "secrets",
        "credential",
        "credentials",
        "api key",
        "private key",
        "ssh key",
        "whenever",
        "before every",
        "every commit",
        "immer",
        "nie",
        "niemals",
        "muss",
        "müssen",
        "soll",
        "sollte",
        "sollen",
        "darf",
        "dürfen",
        "verwende",
        "nutze",
        "installiere",
        "passwort",
        "schlüssel",
        "toujours",
        "jamais",
        "doit",
        "doivent",
        "faut",
        "devez",
        "utilisez",
        "installez",
        "siempre",
        "nunca",
        "debe",
        "deben",
        "hay que",
        "debes",
        "usar",
        "instalar",
        "instala",
        "contraseña",
        "sempre",
        "mai",
        "deve",
        "devono",
        "bisogna",
        "usare",
        "installare",
        "devem",
        "precisa",
        "senha",
        "всегда",
        "никогда",
        "нужно",
        "надо",
        "должен",
        "должны",
        "необходимо",
        "нельзя",
        "используй",
        "используйте",
        "установи",
        "установите",
        "пароль",
        "ключ",
    ];
    const UNSPACED: &[&str] = &[
        "总是",
        "始终",
        "永远",
        "必须",
        "不要",
        "应该",
        "请",
        "使用",
        "安装",
        "密码",
        "令牌",
        "常に",
        "必ず",
        "してください",
        "べき",
        "使って",
        "インストール",
        "항상",
        "반드시",
        "하지 마",
        "해야",
        "사용하",
        "설치",
    ];
    const VERBS: &[&str] = &[
        "use", "run", "call", "add", "set", "delete", "remove", "execute", "push", "send", "print", "export",
        "replace", "forget", "keep", "download", "fetch", "put", "write", "tell", "grant", "enable", "paste",
        "open", "upgrade", "pin",
    ];
    let lower = text.to_lowercase().replace('’', "'");
    let wants =
        |word: &&str| if word.is_ascii() { has_word(&lower, word) } else { has_foreign(&lower, word) };
    let first = lower.split(|char: char| !char.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or("");
    WANTS.iter().any(wants)
        || UNSPACED.iter().any(|word| lower.contains(word))
        || VERBS.contains(&first)
        || lower.contains("://")
        || lower.contains("www.")
        || lower.contains("| sh")
        || prose::states_decision(text)
}

/// [`has_word`] knows the ends of words by ASCII letters alone.
fn has_foreign(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let free = |char: Option<char>| char.is_none_or(|char| !char.is_alphanumeric());
        free(text[..at].chars().next_back()) && free(text[at + word.len()..].chars().next())
    })
}
