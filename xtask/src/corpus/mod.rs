//! The corpus the redactor is judged on: secrets in the places where an agent meets them, and texts that only
//! look secret.
//!
//! Everything is generated from a seed at run time. It refuses to know the redactor: nothing here reads its rules,
//! and of its three parts the held-out one and the fresh one use other formats and templates than the part its
//! engineer may look at.

pub(crate) mod carriers;
pub(crate) mod clean;
pub(crate) mod envelopes;
mod fill;
pub(crate) mod format;
mod fresh;
mod keys;
pub(crate) mod negatives;
mod passwords;
pub(crate) mod random;
pub(crate) mod score;
mod vendors;
mod views;

use carriers::{Carrier, Group};
use random::Random;

/// Every format is met in this many texts of its split.
const TEXTS_PER_FORMAT: usize = 9;
/// Every template is met at least this often, whatever the formats chose.
const TEXTS_PER_CARRIER: usize = 9;
/// Key files, hashes and signed addresses, per split.
const KEY_TEXTS: usize = 420;
/// Long texts with several secrets among ordinary lines, per split.
const BUNDLES: usize = 150;
/// One text in this many stays as it is; the others get a view or an envelope.
const PLAIN_ONE_IN: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Split {
    /// May be shown to whoever improves the redactor.
    Development,
    /// Only its totals are printed.
    HeldOut,
    /// Written after the other two had been seen; nothing but totals ever leaves it.
    Fresh,
}

impl Split {
    pub(crate) const ALL: [Self; 3] = [Self::Development, Self::HeldOut, Self::Fresh];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Development => "dev",
            Self::HeldOut => "held-out",
            Self::Fresh => "fresh",
        }
    }

    /// Whether a way of showing a text, marked with the letters of its splits, is used here. The fresh part is met
    /// in every way, also in those marked for it alone.
    fn shows(self, letters: &str) -> bool {
        match self {
            Self::Development => letters.contains('D'),
            Self::HeldOut => letters.contains('H'),
            Self::Fresh => true,
        }
    }

    /// A row of the common tables belongs to a split by its own letters, so that a new row moves no other.
    fn owns(self, row: &str) -> bool {
        self != Self::Fresh && Random::new(0, row).one_in(2) == (self == Self::Development)
    }

    fn carriers(self) -> Vec<&'static Carrier> {
        match self {
            Self::Fresh => fresh::carriers().collect(),
            Self::Development | Self::HeldOut => {
                carriers::all().filter(|carrier| self.owns(carrier.text)).collect()
            }
        }
    }

    fn formats(self) -> Vec<Secret> {
        let make = |(format, letter)| Secret::Format(format, letter);
        if self == Self::Fresh {
            return fresh::formats().map(make).collect();
        }
        let evident = vendors::evident().map(|format| (format, 'E'));
        let named = vendors::named().map(|format| (format, 'N'));
        evident.chain(named).filter(|(format, _)| self.owns(format.0)).map(make).collect()
    }
}

/// A string that must be gone.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) text: String,
    /// No eight characters in a row may survive, because each line of it is as secret as the whole.
    pub(crate) core: bool,
}

impl Value {
    fn plain(text: String) -> Self {
        Self { text, core: false }
    }

    fn core(text: String) -> Self {
        Self { text, core: true }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) kind: &'static str,
    pub(crate) group: &'static str,
    pub(crate) view: &'static str,
    pub(crate) text: String,
    pub(crate) envelope: bool,
    pub(crate) values: Vec<Value>,
    /// Seen through a hook rather than in a bare source file.
    pub(crate) agent: bool,
}

/// Which secrets a template is asked for.
#[derive(Debug, Clone, Copy)]
enum Secret {
    Format(&'static vendors::Format, char),
    Password,
}

/// All secrets of one split.
pub(crate) fn secrets(seed: u64, split: Split) -> Vec<Case> {
    let mut random = Random::new(seed, split.name());
    let (carriers, formats) = (split.carriers(), split.formats());
    let mut cases = Vec::new();
    for &secret in &formats {
        let fitting: Vec<_> = carriers.iter().filter(|carrier| accepts(carrier, secret)).collect();
        for _ in 0..TEXTS_PER_FORMAT {
            let carrier = fitting[random.below(fitting.len())];
            cases.push(case(carrier, secret, split, &mut random));
        }
    }
    for carrier in &carriers {
        for turn in 0..TEXTS_PER_CARRIER {
            let secret = if carrier.takes.contains('P') && (carrier.takes == "P" || turn % 2 == 0) {
                Secret::Password
            } else {
                let fitting: Vec<_> = formats.iter().filter(|secret| accepts(carrier, **secret)).collect();
                *fitting[random.below(fitting.len())]
            };
            cases.push(case(carrier, secret, split, &mut random));
        }
    }
    for ordinal in 0..KEY_TEXTS {
        let material = match split {
            Split::Fresh => fresh::key(ordinal, &mut random),
            Split::Development | Split::HeldOut => keys::make(ordinal, split, &mut random),
        };
        cases.push(dress(material.kind, Group::File, material.text, material.values, split, &mut random));
    }
    for _ in 0..BUNDLES {
        cases.push(bundle(&carriers, &formats, split, &mut random));
    }
    cases
}

/// What stands between the secrets of a long text.
#[rustfmt::skip]
const FILLER: &[&str] = &[
    "# see docs/setup.md for details\n", "log_level = info\n", "timeout: 30\n", "\n", "// retries are handled by the caller\n",
    "feature_flags: [dark_mode, beta_search]\n", "PORT=8080\n", "region = eu-west-1\n", "Done in 2.31s.\n", "---\n",
    "import { createServer } from 'node:http';\n", "max_connections = 100\n", "total 48\n", "ok 12 - handles empty input\n",
];

/// Three to six texts of one group, with filler between them.
fn bundle(carriers: &[&Carrier], formats: &[Secret], split: Split, random: &mut Random) -> Case {
    let group = carriers[random.below(carriers.len())].group;
    let fitting: Vec<_> = carriers.iter().filter(|carrier| carrier.group == group).collect();
    let (mut text, mut values) = (String::new(), Vec::<Value>::new());
    for _ in 0..random.between(3, 6) {
        let carrier = fitting[random.below(fitting.len())];
        let secrets: Vec<_> =
            formats.iter().chain(&[Secret::Password]).filter(|secret| accepts(carrier, **secret)).collect();
        let (_, part, more) = filled(carrier, *secrets[random.below(secrets.len())], split, random);
        for _ in 0..random.between(1, 12) {
            text.push_str(random.pick(FILLER));
        }
        text.push_str(part.trim_end_matches('\n'));
        text.push('\n');
        values.extend(more);
    }
    dress("several", group, text, values, split, random)
}

fn accepts(carrier: &Carrier, secret: Secret) -> bool {
    match secret {
        // An address is kept under a name or talked about; nobody types it as a password.
        Secret::Format(format, _) if format.2.contains("://") => {
            carrier.takes == "ENP" || (carrier.takes == "E" && carrier.group == Group::Talk)
        }
        Secret::Format(_, letter) => carrier.takes.contains(letter),
        Secret::Password => carrier.takes.contains('P'),
    }
}

fn case(carrier: &Carrier, secret: Secret, split: Split, random: &mut Random) -> Case {
    let (kind, text, values) = filled(carrier, secret, split, random);
    dress(kind, carrier.group, text, values, split, random)
}

fn filled(
    carrier: &Carrier,
    secret: Secret,
    split: Split,
    random: &mut Random,
) -> (&'static str, String, Vec<Value>) {
    let (kind, names, text, value) = match secret {
        Secret::Format((kind, names, grammar), _) => {
            let made = format::expand(grammar, random);
            let value = made.split('`').nth(1).unwrap_or(&made).to_owned();
            (*kind, *names, made.replace('`', ""), value)
        }
        Secret::Password if split == Split::Fresh => {
            let made = fresh::password(carrier.fit, random);
            ("password", fresh::PASSWORD_NAMES, made.clone(), made)
        }
        Secret::Password => {
            let made = passwords::make(carrier.fit, random);
            ("password", passwords::NAMES, made.clone(), made)
        }
    };
    let name = random.alternative(names);
    let (text, values) = fill::fill(carrier.text, name, &text, &value, random);
    (kind, text, values)
}

/// Lays a view or an envelope over a text, or leaves it bare.
fn dress(
    kind: &'static str,
    group: Group,
    text: String,
    values: Vec<Value>,
    split: Split,
    random: &mut Random,
) -> Case {
    let mut case = Case {
        kind,
        group: group.name(),
        view: "plain",
        text,
        envelope: false,
        values,
        agent: group != Group::Code,
    };
    if random.one_in(PLAIN_ONE_IN) {
        return case;
    }
    if random.one_in(2)
        && let Some((name, json)) = envelopes::wrap(&case.text, group, split, random)
    {
        (case.view, case.text, case.envelope, case.agent) = (name, json, true, true);
    } else if let Some(view) = views::choose(group, split, random) {
        let text = (view.render)(&case.text, random);
        // A highlighter may color the inside of a value; such a text has no value left to look for.
        if case.values.iter().all(|value| score::stands_in(value, &text)) {
            (case.view, case.text, case.agent) = (view.name, text, true);
        }
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_corpus_and_the_splits_differ() {
        let first = secrets(7, Split::Development);
        let again = secrets(7, Split::Development);
        assert_eq!(first.len(), again.len());
        assert!(first.iter().zip(&again).all(|(left, right)| left.text == right.text));
        for split in Split::ALL {
            assert!(secrets(7, split).len() > 2_000, "{}", split.name());
        }
    }

    #[test]
    fn every_value_stands_in_its_text() {
        for split in Split::ALL {
            for case in secrets(3, split) {
                assert!(!case.values.is_empty(), "{} in {}", case.kind, case.text);
                let survivors = score::surviving(&case, case.text.as_bytes());
                assert_eq!(survivors.len(), case.values.len(), "{} {}: {}", case.kind, case.view, case.text);
                assert!(!case.text.contains(['«', '»']), "{}", case.text);
            }
        }
    }

    /// What a template says, however it is spaced and cased.
    fn essence(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    }

    #[test]
    fn no_template_stands_in_two_parts() {
        let mut owners = std::collections::HashMap::new();
        for split in Split::ALL {
            let carriers = split.carriers().into_iter().map(|carrier| carrier.text);
            for text in carriers.chain(negatives::rows(split).into_iter().map(|row| row.1)) {
                let owner = *owners.entry(essence(text)).or_insert(split);
                assert_eq!(owner, split, "{text}");
            }
        }
    }

    #[test]
    fn the_fresh_part_is_as_broad_as_the_others() {
        let carriers = Split::Fresh.carriers().len();
        let formats = Split::Fresh.formats().len();
        let negatives = negatives::rows(Split::Fresh).len();
        assert!(carriers >= 150 && formats >= 60 && negatives >= 250, "{carriers} {formats} {negatives}");
    }
}
