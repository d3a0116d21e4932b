//! A pattern as it stands: what was declared, who has which part, what they answered. Told what happened, in any order
//! and more than once; asked what follows.

use std::collections::BTreeMap;

use model::Millis;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::kind::Role;
use crate::spec::{MAX_ROUNDS, Spec};
use crate::step::{Brief, Input, Outcome, Standing, Step};
use crate::tag::Tag;
use crate::view::{EARLY, View};

/// Parts of one pattern, those included that nobody asked for.
pub const MAX_PARTS: usize = 96;
/// Of an answer: its beginning and its end. A hand-over has to fit into one note.
pub const RESULT_CHARS: usize = 8000;
/// An agent that says nothing for that long is not waited for.
pub const TIMEOUT: Millis = 30 * 60 * 1000;
/// A call that begins no agent for that long was refused, or its agent died before we heard of it.
pub(crate) const CALL_PATIENCE: Millis = 10 * 60 * 1000;
/// An agent that was asked for its line once more has that long.
pub(crate) const ASKED_AGAIN: Millis = 3 * 60 * 1000;
const MAX_WHY_CHARS: usize = 300;
/// What came of a pattern that somebody ended.
const STOPPED: &str = "stopped";

/// A place in a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    pub role: String,
    /// From 1.
    pub n: u32,
    /// From 1.
    pub round: u32,
}

impl Slot {
    pub fn new(role: &str, n: u32) -> Self {
        Self::at(role, n, 1)
    }

    pub fn at(role: &str, n: u32, round: u32) -> Self {
        Self { role: role.to_owned(), n, round }
    }

    /// `juror-2`, `critic-1/3`.
    pub fn key(&self) -> String {
        match self.round {
            1 => format!("{}-{}", self.role, self.n),
            round => format!("{}-{}/{round}", self.role, self.n),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Its task was called; no agent has begun.
    Called,
    Out,
    Done,
    /// It is back, and its answer has no line as agreed.
    Unreadable,
    Failed,
}

impl State {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Called => "called",
            Self::Out => "out",
            Self::Done => "done",
            Self::Unreadable => "unreadable",
            Self::Failed => "failed",
        }
    }
}

/// What became of a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub slot: Slot,
    /// Its stage, shard, handler or type of event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub state: State,
    /// The call that began it.
    pub call: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Nobody knows yet that this agent is the one behind the call.
    #[serde(default)]
    pub guessed: bool,
    pub called_at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Millis>,
    /// How often its place was begun.
    pub tries: u32,
    /// How often of these before what it is given was in.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub early: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// It was asked for its line once more and may still say it.
    #[serde(default)]
    pub asked_again: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What its tag said beside.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// What it has taken from a queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub took: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    pub spec: Spec,
    pub at: Millis,
    /// A command declared it, and whoever coordinates has not heard of it by itself.
    #[serde(default)]
    pub announced: bool,
    /// The agent that coordinates; none is the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinator: Option<String>,
    #[serde(default)]
    pub parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Millis>,
}

impl Pattern {
    pub fn new(spec: Spec, at: Millis) -> Self {
        Self {
            spec,
            at,
            announced: false,
            coordinator: None,
            parts: Vec::new(),
            outcome: None,
            ended_at: None,
        }
    }

    /// As a tag declares it.
    pub fn of_tag(tag: &Tag, at: Millis) -> Option<Self> {
        let mut pattern = Self::new(Spec::new(tag.kind, &tag.id)?, at);
        pattern.declare(tag);
        Some(pattern)
    }

    /// What a tag says about the whole, where nobody said it before. What is its own part's stays with that.
    fn declare(&mut self, tag: &Tag) {
        for (key, value) in &tag.options {
            if !PART_OPTIONS.contains(&key.as_str()) {
                self.spec.declare(key, value);
            }
        }
        // Whoever starts one has one.
        if tag.role.as_deref().is_some_and(|role| matches!(role, "planner" | "coordinator")) {
            self.spec.declare("lead", "yes");
        }
    }

    pub fn view(&self, now: Millis) -> View<'_> {
        View { pattern: self, now }
    }

    pub fn standing(&self, now: Millis) -> Standing {
        match &self.outcome {
            Some(outcome) if self.is_final() => Standing::over(outcome.clone()),
            _ => self.spec.kind().standing(&self.view(now)),
        }
    }

    /// Whether nothing that comes changes what came of it.
    fn is_final(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| outcome.verdict == STOPPED || !self.spec.kind().goes_on())
    }

    /// Whether a further call belongs to this one, and not to the next of its name.
    pub fn takes_calls(&self) -> bool {
        self.outcome.is_none() || !self.is_final() && self.parts.len() < MAX_PARTS
    }

    /// A task was called with this tag. Its place: the one the tag names if that is free, else the next one that is due,
    /// else one that nobody asked for.
    pub fn call(&mut self, tag: &Tag, call: &str, now: Millis) -> Option<Slot> {
        if let Some(part) = self.parts.iter().find(|part| part.call == call) {
            return Some(part.slot.clone());
        }
        self.declare(tag);
        let kind = self.spec.kind();
        // The older tag has one word for a role and a name.
        let role = match (&tag.role, &tag.name) {
            (Some(role), _) => kind.role(Some(role)).or_else(|| kind.role(None))?,
            (None, Some(name)) => kind.role(Some(name)).or_else(|| kind.role(None))?,
            (None, None) => kind.role(None)?,
        };
        let named = tag.name.as_deref().or(tag.role.as_deref());
        let n = tag.n.or_else(|| {
            let names = self.spec.names();
            let at =
                names.iter().position(|name| named.is_some_and(|said| said.eq_ignore_ascii_case(name)))?;
            u32::try_from(at + 1).ok()
        });
        let view = self.view(now);
        let free = |slot: &Slot| view.seat(slot).is_free();
        let mut due = self.standing(now).due;
        due.retain(|slot| slot.role == role.name);
        let is_called = |slot: &&Slot| {
            view.name_of(slot).zip(named).is_some_and(|(name, said)| name.eq_ignore_ascii_case(said))
        };
        let n = n.or_else(|| due.iter().find(is_called).map(|slot| slot.n));
        let fits =
            |slot: &&Slot| n.is_none_or(|n| slot.n == n) && tag.round.is_none_or(|round| slot.round == round);
        let asked_for =
            n.map(|n| Slot::at(role.name, n.min(MAX_PARTS as u32), tag.round.unwrap_or(1).min(MAX_ROUNDS)));
        // Where it goes on, one more attempt is one more round, whatever its tag says: nobody looks at another place.
        let further =
            |at: u32| if kind.goes_on() { Slot::at(role.name, 1, at) } else { Slot::new(role.name, at) };
        let slot = due
            .iter()
            .find(fits)
            .cloned()
            .or_else(|| asked_for.filter(|slot| !kind.goes_on() && free(slot)))
            .or_else(|| due.first().cloned())
            .or_else(|| (1..=MAX_PARTS as u32).map(further).find(free))?;
        let took = crate::kinds::pending(&view, &slot);
        let name = view.name_of(&slot).or_else(|| tag.name.clone());
        let before = self.part(&slot);
        let tries = before.map_or(1, |part| part.tries + 1);
        let early = before.map_or(0, |part| part.early + u32::from(view.is_early(part)));
        if self.part(&slot).is_none() && self.parts.len() >= MAX_PARTS {
            return None;
        }
        self.parts.retain(|part| part.slot != slot);
        self.parts.push(Part {
            slot: slot.clone(),
            name,
            state: State::Called,
            call: call.to_owned(),
            agent: None,
            guessed: false,
            called_at: now,
            started_at: None,
            ended_at: None,
            tries,
            early,
            result: None,
            answer: None,
            asked_again: false,
            why: None,
            options: tag.options.clone(),
            took,
        });
        self.parts.sort_by(|a, b| a.slot.cmp(&b.slot));
        Some(slot)
    }

    pub fn part(&self, slot: &Slot) -> Option<&Part> {
        self.parts.iter().find(|part| part.slot == *slot)
    }

    pub fn part_of(&self, call: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.call == call)
    }

    fn part_mut(&mut self, call: &str) -> Option<&mut Part> {
        self.parts.iter_mut().find(|part| part.call == call)
    }

    /// Nothing is known of an agent behind this call any more.
    pub fn detach(&mut self, call: &str) {
        if let Some(part) = self.part_mut(call) {
            part.state = State::Called;
            (part.agent, part.started_at, part.ended_at) = (None, None, None);
            (part.result, part.answer, part.why, part.asked_again) = (None, None, None, false);
        }
    }

    /// An agent began behind this call. What it may have answered comes after it, and counts when it is certain that it
    /// is this one.
    pub fn attach(&mut self, call: &str, agent: &str, at: Millis, certain: bool) {
        let Some(part) = self.part_mut(call) else { return };
        part.guessed = !certain;
        if part.agent.as_deref() != Some(agent) {
            part.agent = Some(agent.to_owned());
            part.started_at = Some(at);
            if part.state == State::Called {
                part.state = State::Out;
            }
        }
    }

    /// It has answered. `last`: it will not be asked for its line once more.
    pub fn answer(&mut self, call: &str, text: &str, at: Millis, last: bool) {
        let Some(role) = self.part_of(call).and_then(|part| self.role(&part.slot)) else { return };
        let answer = role.read(text);
        let Some(part) = self.part_mut(call) else { return };
        if part.state == State::Done && answer.is_none() {
            return;
        }
        part.state = if answer.is_some() { State::Done } else { State::Unreadable };
        part.asked_again = answer.is_none() && !last;
        part.answer = answer;
        part.result = Some(cut(text, RESULT_CHARS));
        part.ended_at = Some(at);
        part.why =
            (part.state == State::Unreadable).then(|| "unreadable: no line of JSON as agreed".to_owned());
    }

    /// It has not, and will not.
    pub fn fail(&mut self, call: &str, why: &str, at: Millis) {
        let Some(part) = self.part_mut(call) else { return };
        if part.state != State::Done {
            part.state = State::Failed;
            part.asked_again = false;
            part.ended_at = Some(at);
            part.why = Some(why.chars().take(MAX_WHY_CHARS).collect());
        }
    }

    /// Notes what came of it, if that is decided by now. True: something changed.
    pub fn settle(&mut self, now: Millis) -> bool {
        if self.is_final() {
            return false;
        }
        let outcome = self.spec.kind().standing(&self.view(now)).outcome;
        if outcome == self.outcome {
            return false;
        }
        self.ended_at = outcome.is_some().then_some(now);
        self.outcome = outcome;
        true
    }

    /// A person, or the end of the session, ends it.
    pub fn stop(&mut self, why: &str, now: Millis) {
        if self.outcome.is_none() {
            let headline = format!("{} was stopped: {why}.", self.title());
            self.outcome = Some(Outcome::new(STOPPED, false, headline));
            self.ended_at = Some(now);
        }
    }

    pub fn role(&self, slot: &Slot) -> Option<&'static Role> {
        self.spec.kind().role(Some(&slot.role))
    }

    /// `jury "review"`.
    pub fn title(&self) -> String {
        format!("{} \"{}\"", self.spec.kind, self.spec.id)
    }

    /// The tag a prompt has to begin with for this place.
    pub fn tag(&self, slot: &Slot) -> String {
        let mut tag =
            format!("[pattern:{} id={} role={} n={}", self.spec.kind, self.spec.id, slot.role, slot.n);
        if slot.round > 1 {
            tag.push_str(&format!(" round={}", slot.round));
        }
        // Names that were declared are known; another is said, if it is a word.
        let name = self.spec.kind().name_of(&self.view(0), slot);
        let is_word = |name: &String| {
            name.starts_with(char::is_alphabetic) && crate::name_of(name).as_ref() == Some(name)
        };
        if let Some(name) = name.filter(is_word) {
            tag.push_str(&format!(" type={name}"));
        }
        tag.push(']');
        tag
    }

    /// What an agent in this place is told.
    pub fn brief(&self, slot: &Slot, now: Millis) -> Option<Brief> {
        let (role, kind, view) = (self.role(slot)?, self.spec.kind(), self.view(now));
        let inputs: Vec<Input> = kind.inputs(&view, slot);
        let who = format!("You are {} of the {}.", view.label(slot), self.title());
        Some(Brief { who, rules: role.rules.to_owned(), inputs, contract: role.answer.to_owned() })
    }

    /// Agents that are out now.
    pub fn out(&self, now: Millis) -> Vec<&Part> {
        let view = self.view(now);
        self.parts.iter().filter(|part| view.seat(&part.slot).is_out()).collect()
    }

    /// What is to be said to whoever coordinates, if anything is: what came of it, or which parts come next when nobody is
    /// out any more.
    pub fn step(&self, now: Millis) -> Option<Step> {
        let view = self.view(now);
        let standing = self.standing(now);
        if let Some(outcome) = standing.outcome {
            // One that goes on is over more than once.
            let key = if self.spec.kind().goes_on() {
                format!("over:{}", self.parts.len())
            } else {
                "over".to_owned()
            };
            let Outcome { headline, mut lines, .. } = outcome;
            lines.extend(self.spec.kind().remarks(&view));
            return Some(Step { key, headline, lines, tags: Vec::new(), is_over: true });
        }
        if standing.due.is_empty() || !self.out(now).is_empty() {
            return None;
        }
        let untouched = self.parts.is_empty();
        let keys: Vec<String> = standing
            .due
            .iter()
            .map(|slot| format!("{}.{}", slot.key(), self.part(slot).map_or(0, |part| part.tries)))
            .collect();
        let mut headline = if untouched {
            format!(
                "The {} is declared. Start each agent with the Agent (Task) tool; its prompt begins with its tag, the task \
                 follows:",
                self.title()
            )
        } else {
            format!(
                "The {} goes on ({}). Due now, each with its tag at the beginning of its prompt:",
                self.title(),
                view.progress()
            )
        };
        let again: Vec<String> = standing
            .due
            .iter()
            .filter_map(|slot| {
                let part = self.part(slot)?;
                let label = view.label(slot);
                Some(if view.is_early(part) {
                    format!("{label} does not count ({EARLY})")
                } else {
                    format!("{label} failed ({})", view.why(part))
                })
            })
            .collect();
        if !again.is_empty() {
            headline = format!("{}. {headline}", again.join("; "));
        }
        let tags = standing.due.iter().map(|slot| self.tag(slot)).collect();
        Some(Step {
            key: format!("due:{}", keys.join(",")),
            headline,
            lines: self.spec.kind().remarks(&view),
            tags,
            is_over: false,
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Options of one part; others hold for the whole.
const PART_OPTIONS: &[&str] = &["reads", "writes", "on"];

/// At most so many characters of a text, from its beginning and its end.
pub fn cut(text: &str, most: usize) -> String {
    let text = text.trim();
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most * 2 / 3).collect();
    let tail: String = text.chars().skip(count - most / 3).collect();
    format!("{head}\n[… {} characters left out …]\n{tail}", count - most * 2 / 3 - most / 3)
}
