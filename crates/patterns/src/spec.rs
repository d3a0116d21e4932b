//! What was declared up front: the kind, the name and a few options. Options are text as somebody wrote them; each is
//! read where it means something, and what cannot be read is as if it was not said (`options` tells whoever said it).

use std::collections::BTreeMap;

use model::Millis;
use serde::{Deserialize, Serialize};

use crate::kind::{Kind, by_name};
use crate::options::NAMES;

/// Agents of one role. A crowd that is larger is a queue, and no model reads what it says.
pub const MAX_AGENTS: u32 = 32;
/// Rounds of anything that goes round.
pub(crate) const MAX_ROUNDS: u32 = 12;
/// Options of one declaration, with their lengths: a line that a model writes.
pub const MAX_OPTIONS: usize = 16;
pub(crate) const MAX_OPTION_CHARS: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    pub kind: String,
    pub id: String,
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

impl Spec {
    /// `None`: there is no such kind.
    pub fn new(kind: &str, id: &str) -> Option<Self> {
        let kind = by_name(kind)?.name().to_owned();
        let id = crate::name_of(id).unwrap_or_else(|| kind.clone());
        Some(Self { kind, id, options: BTreeMap::new() })
    }

    /// An option that is there stays: what was declared first holds.
    pub fn declare(&mut self, key: &str, value: &str) {
        let value: String = value.trim().chars().take(MAX_OPTION_CHARS).collect();
        if !value.is_empty() && (self.options.len() < MAX_OPTIONS || self.options.contains_key(key)) {
            self.options.entry(key.to_owned()).or_insert(value);
        }
    }

    pub fn kind(&self) -> &'static dyn Kind {
        by_name(&self.kind).unwrap_or(crate::ALL[0])
    }

    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.get(key).map(String::as_str)
    }

    /// Names of parts in their order: stages, shards, fields, handlers, types of events.
    pub fn names(&self) -> Vec<&str> {
        let said = NAMES.iter().find_map(|key| self.option(key));
        said.map(|text| Self::listed(text).take(MAX_AGENTS as usize).collect()).unwrap_or_default()
    }

    pub(crate) fn listed(text: &str) -> impl Iterator<Item = &str> {
        text.split([',', '|', ';']).map(str::trim).filter(|name| !name.is_empty())
    }

    /// How many agents there are to be, declared as a count or as names; else so many.
    pub fn agents(&self, usually: u32) -> u32 {
        let named = u32::try_from(self.names().len()).ok().filter(|count| *count > 0);
        self.count("of", MAX_AGENTS).or(named).unwrap_or(usually)
    }

    pub fn rounds(&self, usually: u32) -> u32 {
        self.count("rounds", MAX_ROUNDS).unwrap_or(usually)
    }

    /// From one to so many.
    pub fn count(&self, key: &str, most: u32) -> Option<u32> {
        self.option(key)?.parse().ok().filter(|count| (1..=most).contains(count))
    }

    pub fn is_set(&self, key: &str) -> bool {
        self.switch(key).unwrap_or(false)
    }

    pub(crate) fn switch(&self, key: &str) -> Option<bool> {
        match self.option(key)?.to_ascii_lowercase().as_str() {
            "yes" | "true" | "on" | "1" => Some(true),
            "no" | "false" | "off" | "0" => Some(false),
            _ => None,
        }
    }

    /// A share of a whole as thousandths: `2/3`, `0.5`, `60%`, `all`.
    pub fn share(&self, key: &str) -> Option<u32> {
        let text = self.option(key)?.trim().to_ascii_lowercase();
        let share = if matches!(text.as_str(), "all" | "unanimous") {
            1.0
        } else if let Some((part, whole)) = text.split_once('/') {
            part.trim().parse::<f64>().ok()? / whole.trim().parse::<f64>().ok()?
        } else if let Some(percent) = text.strip_suffix('%') {
            percent.trim().parse::<f64>().ok()? / 100.0
        } else {
            text.parse::<f64>().ok()?
        };
        (share > 0.0 && share <= 1.0).then(|| (share * 1000.0).floor() as u32)
    }

    pub fn duration(&self, key: &str, usually: Millis) -> Millis {
        self.time(key).unwrap_or(usually)
    }

    /// `90s`, `5m`, `1h`; a bare number is minutes.
    pub(crate) fn time(&self, key: &str) -> Option<Millis> {
        const LONGEST: Millis = 24 * 60 * 60 * 1000;
        let text = self.option(key)?.trim().to_ascii_lowercase();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let count: u64 = text[..digits].parse().ok()?;
        let unit = match text[digits..].trim() {
            "s" | "sec" | "seconds" => 1000,
            "" | "m" | "min" | "minutes" => 60_000,
            "h" | "hours" => 3_600_000,
            _ => return None,
        };
        count.checked_mul(unit).filter(|millis| (1..=LONGEST).contains(millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(key: &str, value: &str) -> Spec {
        let mut spec = Spec::new("jury", "x").unwrap();
        spec.declare(key, value);
        spec
    }

    #[test]
    fn shares_counts_and_times_are_read_as_people_write_them() {
        for (text, thousandths) in [
            ("2/3", Some(666)),
            ("0.5", Some(500)),
            ("60%", Some(600)),
            ("all", Some(1000)),
            ("2/0", None),
            ("-1", None),
            ("x", None),
        ] {
            assert_eq!(with("pass", text).share("pass"), thousandths, "{text}");
        }
        for (text, millis) in [
            ("90s", 90_000),
            ("5m", 300_000),
            ("2", 120_000),
            ("1h", 3_600_000),
            ("soon", 7),
            ("99999999999999999999h", 7),
        ] {
            assert_eq!(with("cooldown", text).duration("cooldown", 7), millis, "{text}");
        }
        assert_eq!(with("of", "5").agents(3), 5);
        assert_eq!(with("of", "5000").agents(3), 3, "and it is said");
        assert_eq!(with("names", "plan, build,,check").agents(3), 3);
        assert_eq!(with("of", "many").agents(3), 3);
    }
}
