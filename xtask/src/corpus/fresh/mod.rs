//! The part of the corpus that nobody who improves the redactor has seen.
//!
//! It shares the grammar and the scoring with the other two parts and no row. It refuses to show itself: totals
//! are all that is ever printed or written of it.

mod code;
mod commands;
mod data;
mod files;
mod formats;
mod keys;
mod names;
mod passwords;
mod talk;
mod texts;

use super::carriers::Carrier;
use super::negatives::Row;
use super::vendors::Format;

pub(super) use formats::{EVIDENT, NAMED};
pub(super) use keys::make as key;
pub(super) use passwords::{NAMES as PASSWORD_NAMES, make as password};

pub(super) fn carriers() -> impl Iterator<Item = &'static Carrier> {
    commands::ALL.iter().chain(files::ALL).chain(code::ALL).chain(talk::ALL)
}

pub(super) fn formats() -> impl Iterator<Item = (&'static Format, char)> {
    EVIDENT.iter().map(|format| (format, 'E')).chain(NAMED.iter().map(|format| (format, 'N')))
}

pub(super) fn negatives() -> impl Iterator<Item = &'static Row> {
    names::ROWS.iter().chain(texts::ROWS).chain(data::ROWS)
}
