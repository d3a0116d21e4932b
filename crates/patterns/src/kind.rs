//! The seam every pattern is written against, and the list of all of them. A new one is a file in `kinds` and a line here.

use crate::answer::Answer;
use crate::kinds::{
    Adversarial, Blackboard, Chain, CircuitBreaker, EventDriven, GeneratorCritic, Hierarchical, Jury,
    MapReduce, Pipeline, Swarm,
};
use crate::options::Takes;
use crate::pattern::Slot;
use crate::spec::Spec;
use crate::step::{Input, Line, Standing};
use crate::view::View;

pub const ALL: &[&dyn Kind] = &[
    &Swarm,
    &Hierarchical,
    &Pipeline,
    &Jury,
    &MapReduce,
    &GeneratorCritic,
    &Adversarial,
    &CircuitBreaker,
    &Blackboard,
    &EventDriven,
    &Chain,
];

/// What an agent may be in a pattern.
#[derive(Debug, Clone, Copy)]
pub struct Role {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// What it does and leaves, in a few sentences.
    pub rules: &'static str,
    /// The last line of its answer, as an example.
    pub answer: &'static str,
    /// The key without which that line says nothing.
    pub key: &'static str,
    /// Whether what stands there can be understood; what cannot is asked for once more and never guessed at.
    pub reads: fn(&Answer, &str) -> bool,
}

impl Role {
    /// What an answer says in its last line. `None`: nothing that was agreed on.
    pub fn read(&self, text: &str) -> Option<Answer> {
        Answer::read(text, self.key).filter(|answer| (self.reads)(answer, self.key))
    }
}

/// Any words, as long as there are some.
pub(crate) fn words(answer: &Answer, key: &str) -> bool {
    answer.text(key).is_some()
}

/// Yes or no.
pub(crate) fn yes_or_no(answer: &Answer, key: &str) -> bool {
    answer.yes(key).is_some()
}

pub trait Kind: Sync {
    fn name(&self) -> &'static str;

    /// Other words for it. `_` and missing hyphens are understood anyway.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// One paragraph: what it is for, how it goes, which options it reads.
    fn manual(&self) -> &'static str;

    /// The options it reads, beside `timeout`.
    fn options(&self) -> &'static [(&'static str, Takes)];

    /// The first is an agent's that says none.
    fn roles(&self) -> &'static [Role];

    /// The parts that are known before anybody has answered, in the order they come.
    fn plan(&self, spec: &Spec) -> Vec<Slot>;

    /// The parts that are known of by now, also from what was answered.
    fn places(&self, view: &View<'_>) -> Vec<Slot> {
        self.plan(view.spec())
    }

    /// What a place is called that nobody named up front.
    fn name_of(&self, _view: &View<'_>, _slot: &Slot) -> Option<String> {
        None
    }

    /// What may be started now, or what came of it: a function of what is in, and of the time.
    fn standing(&self, view: &View<'_>) -> Standing;

    /// Whose answers a part is given.
    fn feeds(&self, _view: &View<'_>, _slot: &Slot) -> Vec<Slot> {
        Vec::new()
    }

    /// Whose answers a part cannot do without: one that began before they were in has heard too little, and does not count.
    fn needs(&self, view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        self.feeds(view, slot)
    }

    /// What it is given: the answers of those that feed it, unless a kind knows better.
    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<Input> {
        view.answers_of(&self.feeds(view, slot))
    }

    /// What whoever coordinates should know beside what is due or over.
    fn remarks(&self, _view: &View<'_>) -> Vec<Line> {
        Vec::new()
    }

    /// How often a part that failed is begun again.
    fn retries(&self) -> u32 {
        1
    }

    /// Whether answers stay unseen until all are in.
    fn is_sealed(&self) -> bool {
        false
    }

    /// Whether it goes on after it was over, when one more part begins.
    fn goes_on(&self) -> bool {
        false
    }
}

impl std::fmt::Debug for dyn Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl dyn Kind {
    /// By its name or another word for it; none is the first one.
    pub fn role(&self, name: Option<&str>) -> Option<&'static Role> {
        let Some(name) = name else { return self.roles().first() };
        let same = |word: &str| plain(word) == plain(name);
        self.roles().iter().find(|role| same(role.name) || role.aliases.iter().any(|alias| same(alias)))
    }
}

/// By its name or another word for it, in any case.
pub fn by_name(name: &str) -> Option<&'static dyn Kind> {
    let same = |word: &str| plain(word) == plain(name);
    ALL.iter().copied().find(|kind| same(kind.name()) || kind.aliases().iter().any(|alias| same(alias)))
}

fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(40).collect()
}
