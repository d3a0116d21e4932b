//! What one session carries from turn to turn: the goal, failures that nothing has resolved yet, what was tried
//! against them, and the files that wait for a commit. Bounded, and plain data.

use model::{EventId, Millis};
use serde::{Deserialize, Serialize};

use crate::command::Purpose;
use crate::complaint::Complaint;
use crate::fault::Fault;
use crate::given_up::Work;
use crate::in_hand::InHand;
use crate::overtaken::EarlierStatement;
use crate::step::Step;

/// Opaque to whoever stores it. An older or newer form reads as far as it can.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The first request that says what it is about, and whether there was one.
    pub(crate) goal: String,
    pub(crate) has_subject: bool,
    /// The last request that says what it is about: "yes" and "6" are about it, too.
    pub(crate) asked: Request,
    pub(crate) turns: u32,
    pub(crate) open: Vec<OpenFailure>,
    /// Files changed since the last commit, with the event that changed each last.
    pub(crate) uncommitted: Vec<(String, EventId)>,
    /// Open items of the agent's list of work, by id.
    pub(crate) items: Vec<(String, String)>,
    /// The turn in which that list was touched last, counted from 1.
    pub(crate) items_turn: u32,
    /// Items of that list that are done.
    pub(crate) done: Vec<String>,
    /// Subagents whose results were read.
    pub(crate) heard: Vec<String>,
    /// What was decided, so that it is not said twice.
    pub(crate) decided: Vec<String>,
    /// Something was heard from outside, in whatever turn.
    pub(crate) heard_outside: bool,
    /// What was heard from outside of late, as prints; words of the session's own; and those it took over from outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) prints: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) familiar: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) made: String,
    /// How often each check passed, by its shown command.
    pub(crate) checks: Vec<Check>,
    pub(crate) done_so_far: Tally,
    /// Work that was told, to see that it is taken back.
    pub(crate) works: Vec<Work>,
    /// What was said not to work, so that it is not said twice.
    pub(crate) given_up: Vec<String>,
    /// What was stated, to see that it is taken back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) statements: Vec<EarlierStatement>,
    /// Files and commands of late, for whoever goes on.
    pub(crate) in_hand: InHand,
}

/// What a person asked for, and the event that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Request {
    pub text: String,
    pub event: Option<EventId>,
}

/// What a session has done in all, in numbers and times.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Tally {
    pub edits: u32,
    pub edited_at: Millis,
    pub commits: u32,
    pub committed_at: Millis,
    /// The last turn in which a check passed or a commit was made, counted from 1.
    pub proved_in_turn: u32,
}

/// A failure that nothing has resolved yet.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; no two of them make a state")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OpenFailure {
    pub key: String,
    pub family: String,
    pub shown: String,
    pub targets: Vec<String>,
    pub variant: String,
    pub fault: Fault,
    /// What the same command complained about in the meantime.
    pub others: Vec<String>,
    pub failing: Vec<String>,
    pub at: Millis,
    pub attempts: u32,
    pub events: Vec<EventId>,
    pub tokens: u32,
    /// Edits made against it that did not help, as quotes with the event of each.
    pub tried: Vec<(String, EventId)>,
    /// Where its words come from, if not from the workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// An observation of it was given.
    pub told: bool,
    /// A test that was written to fail first.
    pub expected: bool,
    /// The turn in which it was last seen, counted from 1.
    #[serde(default)]
    pub turn: u32,
    /// It came while something was being built: files were changed before it that no commit holds yet.
    #[serde(default)]
    pub own: bool,
    /// Later a check of its kind passed or the work was committed: whether it stands still is not known.
    #[serde(default)]
    pub overtaken: bool,
    /// Something was changed after it was last seen, and nobody looked since.
    #[serde(default)]
    pub touched: bool,
    /// What a linter complained about, each by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<Complaint>,
}

impl OpenFailure {
    /// Whether it can be said that it stands: it was the last word on what it is about.
    pub(crate) fn stands(&self) -> bool {
        !(self.expected || self.overtaken || self.touched || self.fault.is_slip())
    }

    /// A complaint about what was just written: an error of a compiler or a linter.
    pub(crate) fn is_slip_of_work(&self) -> bool {
        self.own && (self.fault.compile || self.fault.is_lint())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Check {
    pub shown: String,
    /// What it is for; unknown in a state of an older version.
    #[serde(default)]
    pub purpose: Option<Purpose>,
    /// The folder it is run in, if not the one the session works in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    pub passed: u32,
    pub failed: u32,
    /// How it ended last.
    #[serde(default)]
    pub ok: bool,
    pub events: Vec<EventId>,
    pub at: Millis,
}

impl State {
    /// What the session is about: the first request that says so.
    pub fn goal(&self) -> &str {
        &self.goal
    }

    /// Whether something from outside was heard in any turn so far.
    pub fn has_heard_outside(&self) -> bool {
        self.heard_outside
    }

    /// Of a subagent: what the thread that sent it has heard, in turns before and in steps of this one. What it was
    /// told may be a stranger's.
    pub fn is_sent_by(&mut self, sender: &Self, steps: &[Step]) {
        let known = std::mem::replace(&mut self.prints, sender.prints.clone());
        self.prints.extend(known.into_iter().filter(|print| !sender.prints.contains(print)));
        if !crate::outside::remember(self, steps) {
            self.heard_outside = true;
        }
    }

    /// Failures nothing has resolved yet, oldest first, each in one line.
    pub fn unresolved(&self) -> Vec<String> {
        let told = self.open.iter().filter(|open| open.told);
        told.map(|open| format!("`{}` fails: {}", open.shown, open.fault.short(120))).collect()
    }

    /// More open failures are noise; the oldest is forgotten.
    pub(crate) const MAX_OPEN: usize = 12;
    pub(crate) const MAX_FILES: usize = 60;
    pub(crate) const MAX_ITEMS: usize = 40;
    pub(crate) const MAX_HEARD: usize = 40;
    pub(crate) const MAX_DECIDED: usize = 40;
    pub(crate) const MAX_CHECKS: usize = 24;
}
