//! What lets a program speak as the person (our token, our key, the daemon's socket), where something would read it.

use std::path::Path;

use super::own::{self, Rooms};
use super::real::{self, Last, Real};
use super::{From, Judgment};

const WHY: &str =
    "who has it can speak to the daemon as the user, and what is read stands in the conversation";

/// A question, if the path leads to one of them.
pub(super) fn judge(from: &From<'_>, path: &Path) -> Option<Judgment> {
    let rooms = from.own_rooms();
    let is_it = |real: &Real| own::is_secret(&real.path, &rooms);
    found(from, path, &is_it)
}

/// The same for a folder with everything in it.
pub(super) fn judge_whole(from: &From<'_>, path: &Path, rooms: &Rooms) -> Option<Judgment> {
    let is_it = |real: &Real| own::is_secret(&real.path, rooms) || own::holds_secret(&real.path, rooms);
    found(from, path, &is_it)
}

fn found(from: &From<'_>, path: &Path, is_it: &dyn Fn(&Real) -> bool) -> Option<Judgment> {
    let places = real::all_with(from.links, from.start(), path, Last::Followed).ok()?;
    places.iter().find(|real| is_it(real)).map(question)
}

pub(super) fn question(real: &Real) -> Judgment {
    Judgment { is_read: true, ..own::question(real, WHY) }
}
