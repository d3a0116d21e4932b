//! How a session ended, judged from what its events show: checks and commits, failures nothing resolved, a turn that
//! broke off, what the person said last. It does not grade the agent, and where nothing shows anything it says
//! nothing: no outcome is better than a guess.

use model::{Millis, SessionOutcome};

use crate::state::State;
use crate::text::{clip, enumerate, has_word};

/// What is known beside what was carried from turn to turn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ending<'a> {
    /// The person's last words, empty where they said nothing.
    pub last_prompt: &'a str,
    /// What the last turn left to do.
    pub next_steps: &'a [String],
    pub broke_off: BrokeOff,
}

/// How the last turn ended before its answer was whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BrokeOff {
    #[default]
    No,
    /// A person stopped it, or left.
    Interrupted,
    /// An error of the model or of the network.
    Error,
}

/// Commands named in one sentence.
const MAX_NAMED: usize = 2;
/// A longer prompt is a task and no verdict.
const MAX_TONE_BYTES: usize = 400;
/// Praise is short; with more words it is the beginning of the next task.
const MAX_PRAISE_WORDS: usize = 8;

/// The outcome and the evidence for it in one sentence. The states are the session's own and its subagents'.
pub fn outcome(states: &[State], ending: &Ending<'_>) -> Option<(SessionOutcome, String)> {
    let work = Work::of(states);
    let tone = tone(ending.last_prompt);
    let proven = work.commits > 0 || !work.passing.is_empty();
    match tone {
        // Thrown away is thrown away, whatever passed.
        Tone::Revert if work.edits > 0 => {
            return Some((SessionOutcome::Failed, "the person wanted the work taken back".to_owned()));
        }
        Tone::Broken
            if work.edits > 0 && !(work.failing.is_empty() && work.proved_last_turn && work.is_proven()) =>
        {
            let outcome =
                if work.commits > 0 { SessionOutcome::PartialMinus } else { SessionOutcome::Failed };
            return Some((
                outcome,
                work.sentence("the person's last word was that it does not work", ending),
            ));
        }
        _ => {}
    }
    if !work.failing.is_empty() {
        return work.failed(ending, proven);
    }
    if tone == Tone::Content {
        return Some((SessionOutcome::Succeeded, work.sentence("the person was content", ending)));
    }
    if ending.broke_off != BrokeOff::No {
        return work.broken_off(ending, proven);
    }
    if work.edits == 0 && work.commits == 0 {
        // Looking, asking and running what passes anyway: nothing was to be achieved that could have failed.
        return None;
    }
    let is_open = work.open_items > 0 || !ending.next_steps.is_empty();
    let is_unproven = work.commits == 0 && work.last_edit > work.last_proof;
    let outcome =
        if is_open || is_unproven { SessionOutcome::PartialPlus } else { SessionOutcome::Succeeded };
    Some((outcome, work.sentence("", ending)))
}

/// What all states together show.
#[derive(Debug, Default)]
struct Work<'a> {
    edits: u32,
    commits: u32,
    open_items: usize,
    last_edit: Millis,
    /// When something last passed or was committed.
    last_proof: Millis,
    /// Something passed or was committed since the person's last word.
    proved_last_turn: bool,
    /// Commands as they ended last.
    passing: Vec<&'a str>,
    failing: Vec<&'a str>,
    attempts: u32,
    /// What fails was left behind: later turns proved their work.
    went_on: bool,
}

impl<'a> Work<'a> {
    fn of(states: &'a [State]) -> Self {
        let mut work = Self::default();
        for state in states {
            work.edits = work.edits.saturating_add(state.done_so_far.edits);
            work.commits = work.commits.saturating_add(state.done_so_far.commits);
            work.open_items += state.items.len();
            work.last_edit = work.last_edit.max(state.done_so_far.edited_at);
            work.last_proof = work.last_proof.max(state.done_so_far.committed_at);
            work.proved_last_turn |= state.done_so_far.proved_in_turn == state.turns && state.turns > 0;
        }
        // What only runs or ships the project proves nothing.
        let proves = |check: &&crate::state::Check| check.purpose.is_none_or(crate::command::Purpose::proves);
        let checks = || states.iter().flat_map(|state| &state.checks).filter(proves);
        for check in checks() {
            // The same command of a subagent, later.
            let is_last = checks().all(|other| other.shown != check.shown || other.at <= check.at);
            if check.ok && is_last && !work.passing.contains(&check.shown.as_str()) {
                work.passing.push(&check.shown);
                work.last_proof = work.last_proof.max(check.at);
            }
        }
        work.went_on = true;
        let open = states.iter().flat_map(|state| state.open.iter().map(move |open| (state, open)));
        for (state, open) in open.filter(|(_, open)| open.told || open.attempts > 1) {
            let resolved = checks().any(|check| check.ok && check.shown == open.shown && check.at > open.at);
            if !resolved && !open.expected {
                if !work.failing.contains(&open.shown.as_str()) {
                    work.failing.push(&open.shown);
                }
                work.attempts = work.attempts.max(open.attempts);
                work.went_on &= state.done_so_far.proved_in_turn > open.turn;
            }
        }
        work
    }

    /// Nothing was edited since something passed or was committed.
    fn is_proven(&self) -> bool {
        self.last_edit <= self.last_proof
    }

    fn failed(&self, ending: &Ending<'_>, proven: bool) -> Option<(SessionOutcome, String)> {
        // A failure that was only looked at is what somebody wanted to know.
        if self.edits == 0 && self.commits == 0 && self.attempts < 2 {
            return None;
        }
        let outcome = match (proven, self.went_on && self.is_proven()) {
            (true, true) => SessionOutcome::PartialPlus,
            (true, false) => SessionOutcome::PartialMinus,
            (false, _) => SessionOutcome::Failed,
        };
        Some((outcome, self.sentence("", ending)))
    }

    fn broken_off(&self, ending: &Ending<'_>, proven: bool) -> Option<(SessionOutcome, String)> {
        let outcome = match (proven && self.edits + self.commits > 0, self.edits > 0, ending.broke_off) {
            (true, ..) => SessionOutcome::PartialPlus,
            (_, true, _) => SessionOutcome::PartialMinus,
            (_, _, BrokeOff::Error) => SessionOutcome::Failed,
            // Somebody changed their mind before anything was done.
            _ => return None,
        };
        Some((outcome, self.sentence("", ending)))
    }

    /// The evidence, the most telling first.
    fn sentence(&self, first: &str, ending: &Ending<'_>) -> String {
        let mut parts = Vec::new();
        if !first.is_empty() {
            parts.push(first.to_owned());
        }
        if !self.failing.is_empty() {
            parts.push(format!("{} still {}", commands(&self.failing), verb(&self.failing, "fails", "fail")));
        }
        match ending.broke_off {
            BrokeOff::Error => parts.push("the last turn ended with an error".to_owned()),
            BrokeOff::Interrupted => parts.push("the last turn was interrupted".to_owned()),
            BrokeOff::No => {}
        }
        if self.commits > 0 {
            parts.push(many(self.commits, "commit was made", "commits were made"));
        }
        if !self.passing.is_empty() {
            parts.push(format!("{} {}", commands(&self.passing), verb(&self.passing, "passes", "pass")));
        }
        match (self.edits > 0, self.commits, self.is_proven()) {
            (true, 0, true) => parts.push(many(self.edits, "edit was made", "edits were made")),
            (true, 0, false) => {
                let edits = many(self.edits, "edit was made", "edits were made");
                parts.push(format!("{edits} and the last was not checked"));
            }
            (true, _, false) => parts.push("the last edit was neither checked nor committed".to_owned()),
            _ => {}
        }
        let open = self.open_items.max(ending.next_steps.len());
        if open > 0 {
            parts.push(many(
                u32::try_from(open).unwrap_or(u32::MAX),
                "step is left open",
                "steps are left open",
            ));
        }
        clip(&parts.join("; "), 400)
    }
}

fn commands(shown: &[&str]) -> String {
    let named: Vec<String> = shown.iter().map(|command| format!("`{}`", clip(command, 80))).collect();
    enumerate(&named, MAX_NAMED)
}

fn verb<'v>(of: &[&str], one: &'v str, many: &'v str) -> &'v str {
    if of.len() == 1 { one } else { many }
}

fn many(number: u32, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Neutral,
    Content,
    Broken,
    Revert,
}

/// What the person's last words say of the work. English only.
fn tone(prompt: &str) -> Tone {
    const CONTENT: &[&str] = &[
        "thanks",
        "thank you",
        "thx",
        "perfect",
        "great",
        "works now",
        "it works",
        "that works",
        "works great",
        "awesome",
        "excellent",
        "well done",
        "nice work",
        "good job",
        "lgtm",
        "looks good",
        "ship it",
    ];
    const BROKEN: &[&str] = &[
        "still broken",
        "still fails",
        "still failing",
        "still not working",
        "still doesn't work",
        "still does not work",
        "still crashes",
        "doesn't work",
        "does not work",
        "didn't work",
        "did not work",
        "not working",
        "same error",
        "that's wrong",
        "you broke",
        "it's worse",
        "made it worse",
        "not fixed",
    ];
    const REVERT: &[&str] = &[
        "revert everything",
        "revert all",
        "revert it",
        "revert that",
        "revert this",
        "revert your changes",
        "undo everything",
        "undo all",
        "undo that",
        "undo your changes",
        "roll it back",
        "throw it away",
        "discard your changes",
        "discard everything",
    ];
    // What takes praise back, makes it a wish, or goes on to something else.
    const BUT: &[&str] = &[
        "but", "however", "except", "not", "no", "would be", "almost", "if", "why", "unless", "add", "next",
        "then", "also", "please", "let's", "fix", "can you", "change", "make",
    ];
    let prompt = prompt.trim();
    if prompt.len() > MAX_TONE_BYTES {
        return Tone::Neutral;
    }
    let lower = prompt.to_lowercase().replace('’', "'");
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| has_word(&lower, phrase));
    let asks = lower.ends_with('?');
    if says(REVERT) && !asks && !says(&["don't", "do not", "never"]) {
        Tone::Revert
    } else if says(BROKEN) {
        Tone::Broken
    } else if says(CONTENT) && !asks && !says(BUT) && lower.split_whitespace().count() <= MAX_PRAISE_WORDS {
        Tone::Content
    } else {
        Tone::Neutral
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn praise_and_complaint_are_told_from_tasks() {
        for (said, expected) in [
            ("thanks, that works!", Tone::Content),
            ("Perfect.", Tone::Content),
            ("LGTM, commit it", Tone::Content),
            ("great, now add the same to the other form", Tone::Neutral),
            ("thanks but the second test fails", Tone::Neutral),
            ("it would be great to have tests", Tone::Neutral),
            ("does it work? looks good?", Tone::Neutral),
            ("it still doesn’t work", Tone::Broken),
            ("same error as before", Tone::Broken),
            ("revert that, it is the wrong approach", Tone::Revert),
            ("don't revert that", Tone::Neutral),
            ("should I undo that?", Tone::Neutral),
            ("add a flag to revert a migration", Tone::Neutral),
            ("", Tone::Neutral),
        ] {
            assert_eq!(tone(said), expected, "{said}");
        }
        assert_eq!(tone(&format!("thanks {}", "x".repeat(MAX_TONE_BYTES))), Tone::Neutral);
    }
}
