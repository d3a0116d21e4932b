//! Texts that look secret and are not. Touching one of them damages a memory for nothing.
//!
//! Rows are (kind, template) in the notation of the carriers. Values that are public by their nature (publishable
//! keys, account numbers) or that a reader could argue about (`password=postgres`) are left out.

mod code;
mod data;
mod identifiers;
mod placeholders;
mod prose;

use super::carriers::Group;
use super::random::Random;
use super::{Case, Split, dress, fill, fresh, passwords};

pub(crate) type Row = (&'static str, &'static str);

/// Texts made from each row.
const TEXTS_PER_ROW: usize = 9;
/// Names from which holes of negatives are filled, besides those of passwords: all sound secret.
const NAMES: &str = "API_KEY|AUTH_TOKEN|CLIENT_SECRET|SECRET_KEY|ACCESS_TOKEN|DATABASE_PASSWORD|GITHUB_TOKEN|STRIPE_SECRET_KEY";

/// The rows of one split.
pub(super) fn rows(split: Split) -> Vec<&'static Row> {
    if split == Split::Fresh {
        return fresh::negatives().collect();
    }
    let rows = identifiers::ROWS
        .iter()
        .chain(placeholders::ROWS)
        .chain(code::ROWS)
        .chain(prose::ROWS)
        .chain(data::ROWS);
    rows.filter(|row| split.owns(row.1)).collect()
}

pub(crate) fn all(seed: u64, split: Split) -> Vec<Case> {
    let mut random = Random::new(seed ^ 0x5eed, split.name());
    let mut cases = Vec::new();
    for &(kind, template) in rows(split) {
        for _ in 0..TEXTS_PER_ROW {
            let names = if random.one_in(2) { NAMES } else { passwords::NAMES };
            let name = random.alternative(names);
            let (text, _) = fill::fill(template, name, "", "", &mut random);
            cases.push(dress(kind, Group::Code, text, Vec::new(), split, &mut random));
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_split_has_enough_texts_to_resolve_three_per_thousand() {
        for split in Split::ALL {
            assert!(all(1, split).len() >= 1_300, "{}", all(1, split).len());
        }
    }
}
