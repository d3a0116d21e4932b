//! A folder with everything in it: what takes it away takes away what a scope protects below it. Looks at names alone, and
//! at no more of them than an agent can wait for.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use super::own::{self, protected};
use super::real::{self, Last, Real};
use super::{From, Judgment, Scope, Verdict, in_force, judge_last};

/// Of one folder: a listing of so many is a moment. What is below more of them is judged by the rules that name a folder.
const MAX_ENTRIES: usize = 1000;

/// What the scope files in force say about a folder with everything in it.
pub fn judge_tree(from: &From<'_>, path: &Path, last: Last) -> Judgment {
    let whole = judge_last(from, path, last);
    if whole.verdict == Verdict::Deny {
        return whole;
    }
    // The last name itself is taken away, not what a link there leads to.
    let Some(top) =
        real::all_with(from.links, from.start(), path, last).ok().and_then(|all| all.into_iter().next())
    else {
        return whole;
    };
    if !fs::symlink_metadata(&top.path).is_ok_and(|found| found.is_dir()) {
        return whole;
    }
    // What goes away or elsewhere takes the switches below it along; what is changed where it stands was named itself.
    let rooms = from.own_rooms();
    let switch =
        own::taken_with(&top, from, &rooms).filter(|_| last == Last::Kept && whole.verdict == Verdict::Allow);
    // The folder of an agent's settings, changed as a whole: `git checkout main -- .claude`.
    let is_room = last == Last::Followed && own::is_room(&top, &rooms);
    let switch = switch.or_else(|| is_room.then(|| own::question(&top, own::SWITCH)));
    let scopes = in_force(from, Some(&top.path));
    if scopes.is_empty() {
        return switch.unwrap_or(whole);
    }
    let mut strictest = switch.unwrap_or(whole);
    let mut keep = |judgment: Judgment| {
        if strictest.verdict < judgment.verdict {
            strictest = judgment;
        }
        strictest.verdict == Verdict::Deny
    };
    let mut ahead = VecDeque::from([top.path.clone()]);
    let mut left = MAX_ENTRIES;
    while let Some(folder) = ahead.pop_front() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            if left == 0 {
                for judgment in scopes.iter().filter_map(|scope| named_below(scope, &top)) {
                    keep(judgment);
                }
                return strictest;
            }
            left -= 1;
            let real = Real { path: entry.path(), folds: top.folds };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let guarded = protected(&scopes, &real, &rooms);
            // What `allow` does not name is no reason: the folder itself was named.
            let denied = scopes.iter().map(|scope| scope.judge(&real, from.strict));
            let denied = denied.filter(|judgment| judgment.rule.is_some());
            if guarded.into_iter().chain(denied).any(&mut keep) {
                return strictest;
            }
            if is_folder {
                ahead.push_back(real.path);
            }
        }
    }
    strictest
}

/// A rule that names a file or a folder which is there, below this one.
fn named_below(scope: &Scope, top: &Real) -> Option<Judgment> {
    let Ok(lists) = &*scope.lists else { return None };
    lists.deny.iter().filter(|rule| !rule.pattern.is_negated()).find_map(|rule| {
        let text = rule.pattern.text();
        let (begin, _) = text.split_at(text.find(['*', '?', '[', '{', '\\']).unwrap_or(text.len()));
        let folder = begin.rsplit_once('/').map_or("", |(folder, _)| folder).trim_start_matches('/');
        let is_below = |base: &PathBuf| {
            let named = base.join(folder);
            named != top.path && named.starts_with(&top.path) && named.exists()
        };
        if folder.is_empty() || !scope.bases.iter().any(is_below) {
            return None;
        }
        let why = format!("the rule \"{text}\" under \"deny\" protects what is in it");
        Some(Judgment {
            rule: Some(text.to_owned()),
            line: Some(rule.line),
            ..scope.verdict(Verdict::Deny, top, why)
        })
    })
}
