//! What a scanner found, and how overlapping findings become edits of the text.
//! Holds positions only, never a value.

use std::borrow::Cow;
use std::ops::Range;

/// A rule as people see it: what it is called, and the proof that it works.
#[derive(Debug, Clone)]
pub struct RuleInfo {
    pub name: Cow<'static, str>,
    pub kind: Cow<'static, str>,
    /// A text in which the rule must find something.
    pub catches: String,
    /// A text, close to the first, that must be left alone.
    pub spares: String,
}

/// A rule written in code rather than as data.
#[derive(Debug)]
pub(crate) struct Rule {
    pub name: &'static str,
    pub kind: &'static str,
    /// Passwords are guessable, so short ones get no hash.
    pub password: bool,
    pub catches: &'static str,
    pub spares: &'static str,
}

/// What takes the place of the text found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stead {
    Mark,
    /// Nothing: private text, and the later lines of a key already marked.
    Nothing,
}

#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub start: usize,
    pub end: usize,
    pub kind: Cow<'static, str>,
    pub rule: Cow<'static, str>,
    pub password: bool,
    pub stead: Stead,
    /// The value spans more than this hit (a key over many lines): hash this range, base64 letters only.
    pub whole: Option<Range<usize>>,
    /// Part of a finding already told.
    pub silent: bool,
}

impl Hit {
    pub(crate) fn new(start: usize, end: usize, rule: &'static Rule) -> Hit {
        Hit {
            start,
            end,
            kind: Cow::Borrowed(rule.kind),
            rule: Cow::Borrowed(rule.name),
            password: rule.password,
            stead: Stead::Mark,
            whole: None,
            silent: false,
        }
    }

    pub(crate) fn named(start: usize, end: usize, kind: Cow<'static, str>, rule: Cow<'static, str>) -> Hit {
        Hit { start, end, kind, rule, password: false, stead: Stead::Mark, whole: None, silent: false }
    }

    pub(crate) fn removal(start: usize, end: usize, rule: &'static Rule) -> Hit {
        Hit { stead: Stead::Nothing, ..Hit::new(start, end, rule) }
    }
}

/// Sorts hits, joins those that overlap and cuts them around marks that already stand in the text, so
/// that a second pass can only ever find less.
pub(crate) fn settle(mut hits: Vec<Hit>, marks: &[Range<usize>]) -> Vec<Hit> {
    if hits.is_empty() {
        return hits;
    }
    hits.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut joined: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        if hit.start >= hit.end {
            continue;
        }
        match joined.last_mut() {
            // Overlapping values were each judged secret, so their union is.
            Some(last) if hit.start < last.end => last.end = last.end.max(hit.end),
            _ => joined.push(hit),
        }
    }
    if marks.is_empty() {
        return joined;
    }
    let mut cut = Vec::with_capacity(joined.len());
    let mut next_mark = 0;
    for hit in joined {
        while next_mark < marks.len() && marks[next_mark].end <= hit.start {
            next_mark += 1;
        }
        let mut start = hit.start;
        for mark in marks[next_mark..].iter().take_while(|mark| mark.start < hit.end) {
            if start < mark.start {
                cut.push(Hit { start, end: mark.start, ..hit.clone() });
            }
            start = start.max(mark.end);
        }
        if start < hit.end {
            cut.push(Hit { start, ..hit });
        }
    }
    cut
}
