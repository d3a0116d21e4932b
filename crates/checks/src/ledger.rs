//! What one session has caused: what was wrong before it, what is wrong now, what it was told and held for.
//!
//! The rule, tool by tool: **where a run was made before the session's first edit** (its stamps prove it), a finding is
//! the session's if there are more of its identity (file, code, message without numbers) than there were then. **Where
//! none was**, it is the session's if it stands on a line the session wrote, compared with the file as it was before the
//! session's first edit of it; everything else of that first run then counts as having been there, so that from the
//! second run on the first rule holds. A first run with a syntax error in it shows too little to be compared with, and is
//! not. Findings in files the session did not touch are its own only by the first rule, and are said when it stops.
//!
//! Said is a finding once; when a run that could see it does not find it any more, it may come back and be said again.
//! Asking what is to be said notes nothing: whoever says it names what it says ([`Ledger::note_said`],
//! [`Ledger::note_held`]), and takes that back where nobody heard it.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::finding::{Finding, Identity, Kind};
use crate::lines::Lines;
use crate::tool::Scope;

/// Files of one session; more of them are made by a machine.
const MAX_FILES: usize = 500;
/// Of one turn. An agent that cannot mend something has been told three times what it is.
const MAX_HOLDS: usize = 3;
/// Findings that were told and are still there: with so many of them nobody needs to hear of more. The others are told
/// when these are mended.
const MAX_OPEN: usize = 10;

#[derive(Debug, Default)]
pub struct Ledger {
    touched: HashMap<String, Touched>,
    checks: HashMap<String, Known>,
    told: HashMap<Identity, usize>,
    held: HashSet<Identity>,
    holds: usize,
}

#[derive(Debug, Default)]
struct Touched {
    /// As it was before; `None`: nobody saw it.
    before: Option<Lines>,
    /// The subagents that edited it; `None` is the session itself.
    by: BTreeSet<Option<String>>,
}

/// What one tool in one folder says.
#[derive(Debug, Default)]
struct Known {
    /// What was wrong before, file by file where a run is about files.
    before: Before,
    fresh: Vec<Fresh>,
}

#[derive(Debug, Default)]
struct Before {
    /// Everything was looked at.
    whole: bool,
    /// Or these files were.
    files: HashSet<String>,
    counts: HashMap<Identity, usize>,
}

#[derive(Debug, Clone)]
struct Fresh {
    finding: Finding,
    /// It stands on a line the session wrote.
    written: bool,
    /// It is known not to have been there.
    certain: bool,
}

/// What was noted as said, so that it can be taken back where nobody heard it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Noted {
    /// How many of each identity.
    told: Vec<(Identity, usize)>,
    held: Vec<Identity>,
    /// A hold of the turn was counted.
    is_hold: bool,
}

/// What is wrong when a turn ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stopping {
    pub findings: Vec<Finding>,
    /// The turn may be held for them: there is one among them it was not held for yet.
    pub hold: bool,
}

impl Ledger {
    /// A conversation of the session is about to edit a file, or has: the first look at it counts. One that was made before
    /// the edit and is told after it, on a busy machine, is better than none.
    pub fn touch(&mut self, file: &str, by: Option<&str>, before: Option<Lines>) {
        if self.touched.len() >= MAX_FILES && !self.touched.contains_key(file) {
            return;
        }
        let touched = self.touched.entry(file.to_owned()).or_default();
        touched.before = touched.before.take().or(before);
        touched.by.insert(by.map(str::to_owned));
    }

    pub fn is_touched(&self, file: &str) -> bool {
        self.touched.contains_key(file)
    }

    pub fn touched(&self) -> impl Iterator<Item = &str> {
        self.touched.keys().map(String::as_str)
    }

    /// Whether it is known what this check found before the session did anything to this file.
    pub fn has_before(&self, check: &str, file: &str) -> bool {
        self.checks.get(check).is_some_and(|known| known.before.covers(file))
    }

    /// A run that saw these files, or all of them, as they were before the session.
    pub fn note_before(&mut self, check: &str, scope: Scope, files: &[String], found: &[Finding]) {
        self.checks.entry(check.to_owned()).or_default().before.add(scope, files, found, found);
    }

    /// A run that saw the files as they are. `read` gives the lines of one.
    pub fn note_now(
        &mut self,
        check: &str,
        scope: Scope,
        files: &[String],
        found: &[Finding],
        read: &dyn Fn(&str) -> Option<Lines>,
    ) {
        let known = self.checks.entry(check.to_owned()).or_default();
        let mut written: HashMap<&str, Vec<bool>> = HashMap::new();
        for finding in found {
            if let Some(touched) = self.touched.get(&finding.file) {
                written.entry(&finding.file).or_insert_with(|| changed(touched, read(&finding.file)));
            }
        }
        let is_written = |finding: &Finding| {
            let lines = written.get(finding.file.as_str());
            lines.is_some_and(|lines| {
                lines.get((finding.line as usize).saturating_sub(1)).copied().unwrap_or(true)
            })
        };
        let mut left = known.before.counts.clone();
        let mut fresh = Vec::new();
        let mut there_before = Vec::new();
        // What was there before is first looked for where nothing was written.
        let mut order: Vec<&Finding> = found.iter().collect();
        order.sort_by_key(|finding| is_written(finding));
        for finding in order {
            let written = is_written(finding);
            let covered = known.before.covers(&finding.file);
            if covered {
                let spare = left.get_mut(&finding.identity()).filter(|left| **left > 0);
                match spare {
                    Some(left) => *left -= 1,
                    None => fresh.push(Fresh { finding: finding.clone(), written, certain: true }),
                }
            } else if written {
                fresh.push(Fresh { finding: finding.clone(), written, certain: false });
            } else {
                there_before.push(finding.clone());
            }
        }
        known.before.add(scope, files, &there_before, found);
        known.fresh.retain(|fresh| scope != Scope::Project && !files.contains(&fresh.finding.file));
        known.fresh.extend(fresh);
        known.fresh.sort_by(|one, other| one.finding.place().cmp(&other.finding.place()));
        let is_hidden = scope == Scope::Project && found.iter().any(|finding| finding.kind == Kind::Syntax);
        if !is_hidden {
            self.forget_gone(check, scope, files);
        }
    }

    /// What a run could have seen and did not is no longer told.
    fn forget_gone(&mut self, check: &str, scope: Scope, files: &[String]) {
        let Some(known) = self.checks.get(check) else { return };
        let Some(tool) = check.split(' ').next() else { return };
        let mut counts: HashMap<Identity, usize> = HashMap::new();
        for fresh in &known.fresh {
            *counts.entry(fresh.finding.identity()).or_default() += 1;
        }
        let was_looked_at = |identity: &Identity| {
            identity.is_of(tool) && (scope == Scope::Project || files.iter().any(|file| identity.is_in(file)))
        };
        self.told.retain(|identity, told| {
            if was_looked_at(identity) {
                *told = (*told).min(counts.get(identity).copied().unwrap_or_default());
            }
            *told > 0
        });
        self.held.retain(|identity| !was_looked_at(identity) || counts.contains_key(identity));
    }

    /// Whether anything of the session's is wrong, as far as is known.
    pub fn is_clean(&self) -> bool {
        self.checks.values().all(|known| known.fresh.is_empty())
    }

    /// What a conversation is to be told now. Unless its edits have settled, only what no other edit can be meant to solve.
    pub fn say(&self, by: Option<&str>, settled: bool, is_current: &dyn Fn(&str) -> bool) -> Vec<Finding> {
        let mut told = self.told.clone();
        let mut seen: HashMap<Identity, usize> = HashMap::new();
        let mut fresh: Vec<(usize, &Fresh)> = self.fresh(is_current).into_iter().enumerate().collect();
        let is_theirs = |fresh: &Fresh| {
            let touched = self.touched.get(&fresh.finding.file);
            touched.is_some_and(|touched| touched.by.contains(&by.map(str::to_owned)))
        };
        let open: usize = {
            let mut counts: HashMap<Identity, usize> = HashMap::new();
            for (_, fresh) in fresh.iter().filter(|(_, fresh)| is_theirs(fresh)) {
                *counts.entry(fresh.finding.identity()).or_default() += 1;
            }
            counts.iter().map(|(identity, count)| told.get(identity).map_or(0, |told| *told.min(count))).sum()
        };
        if open >= MAX_OPEN {
            return Vec::new();
        }
        // Of several of one identity those are told first that are ripe first.
        fresh.sort_by_key(|(at, fresh)| (!fresh.written, *at));
        let mut said: Vec<(usize, &Finding)> = Vec::new();
        for (at, fresh) in fresh {
            let finding = &fresh.finding;
            let is_ripe = settled
                || match finding.kind {
                    Kind::Syntax => true,
                    Kind::Plain => fresh.written,
                    Kind::Pending => false,
                };
            let identity = finding.identity();
            let count = seen.entry(identity.clone()).or_default();
            *count += 1;
            let is_told = *count <= told.get(&identity).copied().unwrap_or_default();
            if !is_theirs(fresh) || !is_ripe || is_told || self.held.contains(&identity) {
                continue;
            }
            // Another tool has found fault with this line and was heard: when that is mended, this is seen.
            if self.is_told_of(&told, fresh, is_current) {
                continue;
            }
            told.insert(identity, *count);
            if !said.iter().any(|(_, other)| is_same(other, finding)) {
                said.push((at, finding));
            }
        }
        said.sort_by_key(|(at, _)| *at);
        said.into_iter().map(|(_, finding)| finding.clone()).collect()
    }

    /// What is known of the files as they are, by the names of the checks and the places.
    fn fresh(&self, is_current: &dyn Fn(&str) -> bool) -> Vec<&Fresh> {
        let mut names: Vec<&String> = self.checks.keys().filter(|name| is_current(name)).collect();
        names.sort();
        names.into_iter().flat_map(|name| &self.checks[name].fresh).collect()
    }

    /// Whether something another tool found on the same line has been told and is still there.
    fn is_told_of(
        &self,
        told: &HashMap<Identity, usize>,
        fresh: &Fresh,
        is_current: &dyn Fn(&str) -> bool,
    ) -> bool {
        let mut others = self.fresh(is_current).into_iter().map(|other| &other.finding).filter(|other| {
            other.tool != fresh.finding.tool
                && (&other.file, other.line) == (&fresh.finding.file, fresh.finding.line)
        });
        others.any(|other| {
            let identity = other.identity();
            told.contains_key(&identity) || self.held.contains(&identity)
        })
    }

    /// These have been told, by name. `None`: another event has told them all meanwhile.
    pub fn note_said(&mut self, named: &[Finding]) -> Option<Noted> {
        let mut noted = Noted::default();
        for finding in named {
            let identity = finding.identity();
            let all = self.count(|fresh| fresh.identity() == identity);
            // One tool may say the same of one line twice; it is said once.
            let said = self.count(|fresh| fresh.identity() == identity && is_same(fresh, finding)).max(1);
            let told = self.told.entry(identity.clone()).or_default();
            let new = said.min(all.max(1).saturating_sub(*told));
            if new > 0 {
                *told += new;
                noted.told.push((identity, new));
            }
        }
        (!noted.told.is_empty()).then_some(noted)
    }

    fn count(&self, is_meant: impl Fn(&Finding) -> bool) -> usize {
        self.checks.values().flat_map(|known| &known.fresh).filter(|fresh| is_meant(&fresh.finding)).count()
    }

    /// The turn is held, and these are named as the reason. `None`: another event has held it for them meanwhile.
    pub fn note_held(&mut self, named: &[Finding]) -> Option<Noted> {
        let new = named.iter().map(Finding::identity).filter(|identity| self.held.insert(identity.clone()));
        let held: Vec<Identity> = new.collect();
        if held.is_empty() {
            return None;
        }
        self.holds += 1;
        Some(Noted { told: Vec::new(), held, is_hold: true })
    }

    /// It was not heard after all.
    pub fn take_back(&mut self, noted: Noted) {
        for (identity, count) in noted.told {
            if let Some(told) = self.told.get_mut(&identity) {
                *told = told.saturating_sub(count);
            }
        }
        self.told.retain(|_, told| *told > 0);
        for identity in noted.held {
            self.held.remove(&identity);
        }
        self.holds = self.holds.saturating_sub(usize::from(noted.is_hold));
    }

    /// Everything that is the conversation's when it would stop; the session itself answers for its subagents, too, and
    /// for files it did not touch unless they are somebody else's. What it was not held for comes first. `again`: this turn
    /// was held already.
    pub fn stop(
        &mut self,
        by: Option<&str>,
        again: bool,
        is_current: &dyn Fn(&str) -> bool,
        is_others: &dyn Fn(&str) -> bool,
    ) -> Stopping {
        if !again {
            self.holds = 0;
        }
        let mut findings: Vec<Finding> = Vec::new();
        for fresh in self.fresh(is_current) {
            let finding = &fresh.finding;
            let is_theirs = match self.touched.get(&finding.file) {
                Some(touched) => by.is_none() || touched.by.contains(&by.map(str::to_owned)),
                None => by.is_none() && fresh.certain && !is_others(&finding.file),
            };
            if is_theirs && !findings.iter().any(|other| is_same(other, finding)) {
                findings.push(finding.clone());
            }
        }
        // What nobody has heard of first, then the session's own files: of many only the first are named.
        findings.sort_by_cached_key(|finding| {
            let identity = finding.identity();
            let is_known = (self.held.contains(&identity), self.told.contains_key(&identity));
            (is_known, !self.touched.contains_key(&finding.file))
        });
        let is_new = findings.iter().any(|finding| !self.held.contains(&finding.identity()));
        Stopping { hold: is_new && self.holds < MAX_HOLDS, findings }
    }
}

/// For every line of a file as it is now whether the session wrote it.
fn changed(touched: &Touched, now: Option<Lines>) -> Vec<bool> {
    match (&touched.before, now) {
        (Some(before), Some(now)) => now.changed_since(before),
        // Nobody knows which lines are the session's: none is taken to be.
        _ => vec![false; usize::from(u16::MAX)],
    }
}

/// Two tools that say the same.
fn is_same(one: &Finding, other: &Finding) -> bool {
    (&one.file, one.line, &one.message) == (&other.file, other.line, &other.message)
}

impl Before {
    fn covers(&self, file: &str) -> bool {
        self.whole || self.files.contains(file)
    }

    /// What is known already stays. A syntax error hides what is behind it: what has one was not seen.
    fn add(&mut self, scope: Scope, files: &[String], there: &[Finding], found: &[Finding]) {
        let hides = |file: Option<&str>| {
            let mut broken = found.iter().filter(|finding| finding.kind == Kind::Syntax);
            broken.any(|finding| file.is_none_or(|file| file == finding.file))
        };
        if self.whole || scope == Scope::Project && hides(None) {
            return;
        }
        let new: HashSet<&String> =
            files.iter().filter(|file| !self.files.contains(*file) && !hides(Some(file))).collect();
        for finding in there.iter().filter(|finding| scope == Scope::Project || new.contains(&finding.file)) {
            *self.counts.entry(finding.identity()).or_default() += 1;
        }
        match scope {
            Scope::Project => self.whole = true,
            Scope::Files | Scope::File => self.files.extend(new.into_iter().cloned()),
        }
    }
}

#[cfg(test)]
mod tests;
