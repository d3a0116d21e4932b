//! A pattern at a moment: places with what became of them by then. Kinds decide by this and by nothing else.

use model::Millis;

use crate::pattern::{CALL_PATIENCE, Part, Pattern, Slot, State, TIMEOUT};
use crate::spec::Spec;
use crate::step::{Input, Line};

/// Why a part that is back is due again.
pub(crate) const EARLY: &str = "it began before what it is given was in";

#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub pattern: &'a Pattern,
    pub now: Millis,
}

/// What a place is at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seat<'a> {
    Free,
    /// Whoever had it failed or began too early, and it may be begun again.
    Again(&'a Part),
    Out(&'a Part),
    In(&'a Part),
    /// Failed for good.
    Lost(&'a Part),
}

impl Seat<'_> {
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Free | Self::Again(_))
    }

    pub fn is_out(&self) -> bool {
        matches!(self, Self::Out(_))
    }
}

/// Several places that are wanted together.
#[derive(Debug, Clone, Default)]
pub struct Gathered<'a> {
    pub due: Vec<Slot>,
    pub out: usize,
    pub answered: Vec<&'a Part>,
    pub lost: Vec<&'a Part>,
}

impl Gathered<'_> {
    pub fn is_complete(&self) -> bool {
        self.due.is_empty() && self.out == 0
    }
}

impl<'a> View<'a> {
    pub fn spec(&self) -> &'a Spec {
        &self.pattern.spec
    }

    pub fn seat(&self, slot: &Slot) -> Seat<'a> {
        let Some(part) = self.pattern.part(slot) else { return Seat::Free };
        match self.state(part) {
            State::Called | State::Out => Seat::Out(part),
            _ if self.is_early(part) => Seat::Again(part),
            State::Done => Seat::In(part),
            State::Failed | State::Unreadable
                if part.tries.saturating_sub(part.early) <= self.spec().kind().retries() =>
            {
                Seat::Again(part)
            }
            State::Failed | State::Unreadable => Seat::Lost(part),
        }
    }

    /// Whether it began before what it cannot do without was in. Looks at those alone and not at what they needed
    /// themselves: kinds ask for their parts in order.
    pub fn is_early(&self, part: &Part) -> bool {
        let begun = part.started_at.unwrap_or(part.called_at);
        let needs = self.spec().kind().needs(self, &part.slot);
        needs.iter().any(|need| match self.pattern.part(need) {
            None => true,
            Some(need) => {
                matches!(self.state(need), State::Called | State::Out)
                    || need.ended_at.is_some_and(|ended| begun < ended)
            }
        })
    }

    /// Why a part did not come to anything.
    pub fn why(&self, part: &Part) -> String {
        match &part.why {
            _ if self.is_early(part) => EARLY.to_owned(),
            Some(why) => why.clone(),
            None => "no answer in time".to_owned(),
        }
    }

    /// Who is silent for too long has failed, until it speaks.
    pub fn state(&self, part: &Part) -> State {
        let over = |since: Millis, patience: Millis| self.now >= since.saturating_add(patience);
        let timeout = self.spec().duration("timeout", TIMEOUT);
        match part.state {
            State::Done | State::Unreadable if part.guessed => {
                if over(part.ended_at.unwrap_or(part.called_at), timeout) { part.state } else { State::Out }
            }
            State::Called if over(part.called_at, CALL_PATIENCE.min(timeout)) => State::Failed,
            State::Out if over(part.started_at.unwrap_or(part.called_at), timeout) => State::Failed,
            State::Unreadable if part.asked_again => {
                if over(part.ended_at.unwrap_or(part.called_at), super::pattern::ASKED_AGAIN) {
                    State::Unreadable
                } else {
                    State::Out
                }
            }
            state => state,
        }
    }

    pub fn gather(&self, slots: impl IntoIterator<Item = Slot>) -> Gathered<'a> {
        let mut gathered = Gathered::default();
        for slot in slots {
            match self.seat(&slot) {
                Seat::Free | Seat::Again(_) => gathered.due.push(slot),
                Seat::Out(_) => gathered.out += 1,
                Seat::In(part) => gathered.answered.push(part),
                Seat::Lost(part) => gathered.lost.push(part),
            }
        }
        gathered
    }

    pub fn any_out(&self) -> bool {
        self.pattern.parts.iter().any(|part| self.seat(&part.slot).is_out())
    }

    /// The declared name of a place, where there is one.
    pub fn name_of(&self, slot: &Slot) -> Option<String> {
        let kind = self.spec().kind();
        // Names are of the first role: stages, shards, handlers.
        let is_named = kind.roles().first().is_some_and(|role| role.name == slot.role);
        let declared = || self.spec().names().get(slot.n as usize - 1).map(|name| (*name).to_owned());
        let own = self.pattern.part(slot).and_then(|part| part.name.clone());
        own.or_else(|| is_named.then(declared).flatten()).or_else(|| kind.name_of(self, slot))
    }

    /// `juror 2 of 3`, `stage 1 of 2 (plan)`, `the critic, round 2`.
    pub fn label(&self, slot: &Slot) -> String {
        let of = self
            .spec()
            .kind()
            .places(self)
            .iter()
            .filter(|planned| planned.role == slot.role && planned.round == 1)
            .count();
        let mut label = if of > 1 || slot.n > 1 {
            format!("{} {} of {}", slot.role, slot.n, of.max(slot.n as usize))
        } else {
            format!("the {}", slot.role)
        };
        if let Some(name) = self.name_of(slot) {
            let name: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
            label.push_str(&format!(" ({name})"));
        }
        if slot.round > 1 {
            label.push_str(&format!(", round {}", slot.round));
        }
        label
    }

    /// The whole answers of places, those that are in.
    pub fn answers_of(&self, slots: &[Slot]) -> Vec<Input> {
        let answers = slots.iter().filter_map(|slot| match self.seat(slot) {
            Seat::In(part) => {
                Some(Line::new(format!("What {} answered", self.label(slot)), part.result.clone()?))
            }
            _ => None,
        });
        answers.collect()
    }

    /// One line of each, by a key of its answer.
    pub fn lines_of<'p>(&self, parts: impl IntoIterator<Item = &'p Part>, key: &str) -> Vec<Line> {
        let line = |part: &Part| {
            let said =
                part.answer.as_ref().and_then(|answer| answer.text(key)).or_else(|| part.result.clone());
            Line::new(self.label(&part.slot), said.unwrap_or_else(|| self.why(part)))
        };
        parts.into_iter().map(line).collect()
    }

    /// `2 of 3 are in`, of those that are known of.
    pub fn progress(&self) -> String {
        let mut slots = self.spec().kind().places(self);
        slots.extend(self.pattern.parts.iter().map(|part| part.slot.clone()));
        slots.sort();
        slots.dedup();
        let all = self.gather(slots.iter().cloned());
        let mut text = format!("{} of {} are in", all.answered.len(), slots.len());
        if !all.lost.is_empty() {
            text.push_str(&format!(", {} failed", all.lost.len()));
        }
        text
    }
}
