//! What may be said up front: which options a kind reads, and what each may be. What cannot be read is as if it was not
//! said, and whoever said it is told.

use std::fmt;

use crate::spec::{MAX_AGENTS, MAX_OPTION_CHARS, MAX_ROUNDS, Spec};

/// Words for the names of parts, one as good as the other.
pub(crate) const NAMES: &[&str] = &["names", "stages", "shards", "parts", "handlers", "types"];

/// What an option may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Agents,
    /// A name for each agent.
    Names,
    /// Words that are no agents' names.
    Types,
    Rounds,
    Share,
    /// How many of the agents.
    Quorum,
    Time,
    Switch,
}

/// Every kind waits.
const TIMEOUT: (&str, Takes) = ("timeout", Takes::Time);

/// An option that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub key: String,
    pub what: String,
    /// What would be read.
    pub allowed: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.what, self.allowed)
    }
}

impl Spec {
    /// Options that were declared and are not read.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.options.iter().filter_map(|(key, value)| self.trouble(key, value)).collect()
    }

    /// What is wrong with an option, if anything is.
    pub fn trouble(&self, key: &str, value: &str) -> Option<Trouble> {
        let options = self.kind().options().iter().chain([&TIMEOUT]);
        let is_name = NAMES.contains(&key);
        let found = options.clone().find(|(known, _)| *known == key || is_name && NAMES.contains(known));
        let said: String = value.chars().filter(|c| !c.is_control()).take(60).collect();
        let trouble = |what: String, allowed: String| Some(Trouble { key: key.to_owned(), what, allowed });
        let Some((_, takes)) = found else {
            let key: String = key.chars().filter(|c| !c.is_control()).take(40).collect();
            let known: Vec<&str> = options.map(|(known, _)| *known).collect();
            return trouble(
                format!("a {} does not read \"{key}\"", self.kind),
                format!("it reads {}", known.join(", ")),
            );
        };
        if value.chars().count() > MAX_OPTION_CHARS {
            return trouble(format!("{key} is too long"), format!("at most {MAX_OPTION_CHARS} characters"));
        }
        match takes.misread(self, key, value) {
            Some(allowed) => trouble(format!("{key}={said} cannot be read"), allowed),
            None => None,
        }
    }
}

impl Takes {
    /// What it may be, if it is not that.
    fn misread(self, spec: &Spec, key: &str, value: &str) -> Option<String> {
        let mut alone = Spec { options: std::collections::BTreeMap::new(), ..spec.clone() };
        alone.declare(key, value);
        let names = alone.names().len();
        let (is_read, allowed) = match self {
            Self::Agents => {
                (alone.count(key, MAX_AGENTS).is_some(), format!("a number from 1 to {MAX_AGENTS}"))
            }
            Self::Rounds => {
                (alone.count(key, MAX_ROUNDS).is_some(), format!("a number from 1 to {MAX_ROUNDS}"))
            }
            Self::Names
                if spec.count("of", MAX_AGENTS).is_some_and(|of| of as usize != names && names > 0) =>
            {
                (false, format!("{names} names, and of={} agents", spec.option("of").unwrap_or_default()))
            }
            Self::Names | Self::Types => (
                (1..=MAX_AGENTS as usize).contains(&Spec::listed(value).count()),
                format!("one to {MAX_AGENTS} names with commas between them"),
            ),
            Self::Share => (
                alone.share(key).is_some(),
                "a share of the votes above 0 and at most all: 2/3, 60%, 0.5 or all".to_owned(),
            ),
            Self::Quorum => {
                let most = spec.agents(crate::kinds::JURORS);
                (
                    alone.count(key, most).is_some(),
                    format!("a number from 1 to {most}, which is how many there are"),
                )
            }
            Self::Time => (alone.time(key).is_some(), "a time up to a day: 90s, 5m or 1h".to_owned()),
            Self::Switch => (alone.switch(key).is_some(), "yes or no".to_owned()),
        };
        (!is_read).then_some(allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_is_named_with_what_would_be() {
        for (kind, options, troubles) in [
            ("jury", &["pass=2/3", "quorum=2", "of=3", "timeout=5m"][..], &[][..]),
            (
                "jury",
                &["pass=2"],
                &[
                    "pass=2 cannot be read (a share of the votes above 0 and at most all: 2/3, 60%, 0.5 or all)",
                ],
            ),
            ("jury", &["pass=150%"], &["pass=150% cannot"]),
            ("jury", &["pass=majority"], &["pass=majority cannot"]),
            ("jury", &["quorum=2/3"], &["quorum=2/3 cannot be read (a number from 1 to 3,"]),
            ("jury", &["of=3", "quorum=9"], &["quorum=9 cannot be read (a number from 1 to 3,"]),
            (
                "jury",
                &["nonsense=1"],
                &["a jury does not read \"nonsense\" (it reads of, names, pass, quorum, timeout)"],
            ),
            ("jury", &["of=0"], &["of=0 cannot be read (a number from 1 to 32)"]),
            ("jury", &["of=100"], &["of=100 cannot"]),
            ("pipeline", &["names=,,"], &["names=,, cannot be read (one to 32 names"]),
            (
                "pipeline",
                &["stages=a,b,c", "of=2"],
                &["stages=a,b,c cannot be read (3 names, and of=2 agents)"],
            ),
            ("event-driven", &["types=a,b,c", "of=2"], &[]),
            (
                "generator-critic",
                &["rounds=99", "of=2"],
                &["a generator-critic does not read \"of\"", "rounds=99 cannot"],
            ),
            ("circuit-breaker", &["failures=2", "cooldown=soon"], &["cooldown=soon cannot be read (a time"]),
            ("hierarchical", &["lead=perhaps"], &["lead=perhaps cannot be read (yes or no)"]),
        ] {
            let mut spec = Spec::new(kind, "x").unwrap();
            for option in options {
                let (key, value) = option.split_once('=').unwrap();
                spec.declare(key, value);
            }
            let said: Vec<String> = spec.troubles().iter().map(ToString::to_string).collect();
            assert_eq!(said.len(), troubles.len(), "{said:?}");
            for (said, trouble) in said.iter().zip(troubles) {
                assert!(said.starts_with(trouble), "{said}");
            }
            let kind = spec.kind();
            assert!(!kind.plan(&spec).is_empty(), "what is not read is as if it was not said");
        }
    }
}
