//! What a search finds on the disk, held against the scope. As many names are looked at as an agent can wait for; behind
//! them it is a question, unless nothing that is protected can have such a name.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use super::real::Last;
use super::tree::judge_tree;
use super::{From, Judgment, Scope, Verdict, in_force, judge, judge_last};
use crate::shell::{Entry, Found, How, Search};

/// Names that are held against a search: a listing is a moment, and what is found is judged.
const MAX_NAMES: usize = 10_000;
const MAX_FOUND: usize = 2000;

/// What the scope files in force say about what a search finds below a path.
pub(super) fn judge_found(from: &From<'_>, top: &Path, found: &Found, how: How) -> Judgment {
    let search = &*found.search;
    let one = |path: &Path| match how {
        How::DeleteTree | How::Move => judge_tree(from, path, Last::Kept),
        How::Tree => judge_tree(from, path, Last::Followed),
        How::Delete => judge_last(from, path, Last::Kept),
        _ => judge(from, path),
    };
    let place = |path: &Path| from.start().map_or_else(|| path.to_owned(), |start| start.join(path));
    let nothing = || Judgment {
        verdict: Verdict::Allow,
        real_path: top.to_owned(),
        rule: None,
        file: None,
        line: None,
        why: "nothing that is found is protected".to_owned(),
        allowed: Vec::new(),
        is_broken: false,
        is_read: false,
    };
    let mut strictest: Option<Judgment> = None;
    let mut ahead: VecDeque<(PathBuf, usize)> = VecDeque::from([(top.to_owned(), 0)]);
    let (mut names, mut left) = (MAX_NAMES, MAX_FOUND);
    while let Some((path, depth)) = ahead.pop_front() {
        if names == 0 || left == 0 {
            let more = beyond(from, top, search);
            strictest = more.into_iter().chain(strictest).max_by_key(|held| held.verdict);
            break;
        }
        names -= 1;
        let at = place(&path);
        let is_followed = search.follows || (depth == 0 && at.as_os_str().as_encoded_bytes().ends_with(b"/"));
        let looked = if is_followed { fs::metadata(&at) } else { fs::symlink_metadata(&at) };
        let Ok(looked) = looked else { continue };
        let kind = match () {
            () if looked.is_dir() => 'd',
            () if looked.is_symlink() => 'l',
            () if looked.is_file() => 'f',
            () => 'p',
        };
        let shown = path.to_string_lossy();
        let name = path.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy());
        let (is_found, is_left_out) = search.finds(&Entry { name: &name, path: &shown, kind });
        let is_found = is_found && depth >= search.min_depth;
        if is_found {
            left -= 1;
            let judgment = one(&path);
            if strictest.as_ref().is_none_or(|held| held.verdict < judgment.verdict) {
                strictest = Some(judgment);
            }
            if strictest.as_ref().is_some_and(|held| held.verdict == Verdict::Deny) {
                break;
            }
        }
        let goes_whole = is_found && matches!(how, How::DeleteTree | How::Move | How::Tree);
        if kind == 'd' && !is_left_out && !goes_whole && depth < search.max_depth {
            let entries = fs::read_dir(&at).into_iter().flatten().flatten();
            let room = MAX_NAMES.saturating_sub(ahead.len()) + 1;
            ahead.extend(entries.take(room).map(|entry| (joined(&path, &entry.file_name()), depth + 1)));
        }
    }
    let judgment = strictest.unwrap_or_else(nothing);
    // What stands between may take out just the one that is protected.
    let verdict = if found.is_sure { judgment.verdict } else { judgment.verdict.min(Verdict::Ask) };
    Judgment { verdict, ..judgment }
}

/// `./a` stays `./a`: a search is held against what it says.
fn joined(path: &Path, name: &std::ffi::OsStr) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    if !text.as_encoded_bytes().ends_with(b"/") {
        text.push("/");
    }
    text.push(name);
    PathBuf::from(text)
}

/// Whether something behind the names that were looked at may be protected.
fn beyond(from: &From<'_>, top: &Path, search: &Search) -> Option<Judgment> {
    let real = super::real_path(from.start(), top).ok()?;
    let scopes = in_force(from, Some(&real.path));
    let may = |scope: &&Scope| {
        let Ok(lists) = &*scope.lists else { return true };
        let Some(name) = search.name() else { return lists.allow.is_some() || !lists.deny.is_empty() };
        let concerns = |text: &str| {
            let text = text.trim_start_matches('/');
            let last = text.rsplit('/').next().unwrap_or(text);
            let folder = text.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
            let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
            let is_there = folder.is_empty() || scope.bases.iter().any(|base| base.join(folder).exists());
            is_there && !are_apart(if last == "**" || last.is_empty() { "*" } else { last }, name)
        };
        lists.allow.is_some()
            || lists.deny.iter().any(|rule| !rule.pattern.is_negated() && concerns(rule.pattern.text()))
    };
    let scope = scopes.iter().find(may)?;
    let why = "it looks through more files than can be looked at here, and some may be protected".to_owned();
    Some(scope.verdict(Verdict::Ask, &real, why))
}

/// No name can be both: they begin or end differently.
fn are_apart(one: &str, other: &str) -> bool {
    const SIGNS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];
    let ends = |text: &str| -> (String, String) {
        let head = text.split(SIGNS).next().unwrap_or_default().to_owned();
        let tail = text.rsplit(SIGNS).next().unwrap_or_default().to_owned();
        (head, tail)
    };
    let ((head, tail), (other_head, other_tail)) = (ends(one), ends(other));
    let heads = head.starts_with(&other_head) || other_head.starts_with(&head);
    let tails = tail.ends_with(&other_tail) || other_tail.ends_with(&tail);
    !(heads && tails)
}
