//! Reads the steps of a turn in order and tells its pieces of work apart: what was built, what failed and what
//! resolved it, what was decided, looked at or handed to others. It only sorts; words are found in `write`.

use std::mem;

use crate::command::Purpose;
use crate::complaint::Complaint;
use crate::fault::Fault;
use crate::howto;
use crate::patch::{Area, Edit};
use crate::prose::{self, Intent};
use crate::resolve::{
    comes_further, concerns, helps, is_small, names_test, only_imports, only_tests, resolves, settled,
    silent, tool,
};
use crate::state::{OpenFailure, State};
use crate::step::{Act, Commit, Run, Step};
use crate::text::{clip, file_name, push_new, stem};

/// Edits that belong together, and what else belongs to them. Numbers are places in the turn's steps.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub edits: Vec<usize>,
    /// Checks that passed, commands that wrote files or installed packages.
    pub runs: Vec<usize>,
    /// Failures on the way that are not worth a memory of their own.
    pub stumbles: Vec<OpenFailure>,
    pub commit: Option<(usize, Commit)>,
    /// Items of the agent's list of work that were done with it.
    pub hints: Vec<(usize, String)>,
    /// The failures it resolved.
    pub resolved: Vec<OpenFailure>,
    /// The run that showed it.
    pub proof: Option<usize>,
    /// Files of earlier turns that a commit of this one holds, with their events.
    pub earlier: Vec<(String, model::EventId)>,
    /// Complaints of a linter, each with the edit of its line that settled it.
    pub settled: Vec<String>,
}

/// A failure that went away without an edit.
#[derive(Debug)]
pub(crate) struct Recovery {
    pub failure: OpenFailure,
    /// What was run in between, or instead.
    pub between: Vec<usize>,
    /// Nothing but looking happened in between.
    pub alone: bool,
    pub proof: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub pieces: Vec<Piece>,
    pub recoveries: Vec<Recovery>,
    /// Migrations, merges, releases, changes to running systems.
    pub operations: Vec<usize>,
    pub pushes: Vec<usize>,
    /// Reads, searches, web, MCP: what was looked at.
    pub looked: Vec<usize>,
    pub delegated: Vec<usize>,
    pub prompt: Option<usize>,
    pub message: Option<usize>,
    pub asked: Vec<usize>,
    pub done_items: Vec<(usize, String)>,
    pub open_items: Vec<String>,
    pub denied: Vec<usize>,
    /// The first events of failures that were told, and of which it cannot be said any more that they stand.
    pub over: Vec<model::EventId>,
}

/// A failed check is looked for among the open ones by more than its words; longer windows claim too much.
const MANY_EDITS: usize = 6;
/// A failure of what is being built that took more runs than this was hard enough to be told.
const SOON: u32 = 2;
/// So many edits are a piece of work even where nothing ends it; the next folder begins another.
const MUCH_WORK: usize = 12;
const MAX_EVENTS_OPEN: usize = 12;
const MAX_TRIED: usize = 6;
const MAX_OTHERS: usize = 4;

struct Sorter<'a> {
    steps: &'a [Step],
    state: &'a mut State,
    intent: Intent,
    sorted: Sorted,
    current: Piece,
    /// For each open failure, where in this turn it began and was last seen; 0 for one of an earlier turn.
    since: Vec<(String, usize, usize)>,
}

/// `void`: edits of which nothing is left, and those that only took others back.
pub(crate) fn sort(state: &mut State, steps: &[Step], intent: Intent, void: &[bool]) -> Sorted {
    let since = state.open.iter().map(|open| (open.key.clone(), 0, 0)).collect();
    let mut sorter =
        Sorter { steps, state, intent, sorted: Sorted::default(), current: Piece::default(), since };
    for (at, step) in steps.iter().enumerate() {
        if matches!(step.act, Act::Edit(_)) && void.get(at) == Some(&true) {
            continue;
        }
        sorter.step(at, step);
    }
    sorter.close();
    sorter.sorted
}

impl Sorter<'_> {
    fn step(&mut self, at: usize, step: &Step) {
        match &step.act {
            Act::Prompt { .. } => self.sorted.prompt = self.sorted.prompt.or(Some(at)),
            Act::Message { .. } => self.sorted.message = Some(at),
            Act::Edit(edit) => self.edit(at, edit),
            Act::Run(run) => self.run(at, run),
            Act::Read { .. } | Act::Search { .. } | Act::Web { .. } => self.sorted.looked.push(at),
            Act::Call { server, name, about, said, failed } => {
                let key = format!("{server} {name}");
                if *failed {
                    let fault = Fault { message: clip(said, 200), rank: 7, ..Fault::default() };
                    self.fail(at, (&key, &key), &format!("{name} of {server}"), fault, &[], &[]);
                } else {
                    self.forget(&key);
                    if changes_things(name) && !about.is_empty() {
                        self.sorted.operations.push(at);
                    } else {
                        self.sorted.looked.push(at);
                    }
                }
            }
            Act::Delegate { agent, .. } => {
                let known = self.sorted.delegated.iter().position(|&at| {
                    matches!(&self.steps[at].act, Act::Delegate { agent: other, task, .. } if other == agent && task.is_empty())
                });
                // Heard when it stopped and again when it was handed over: the second time says what it was asked.
                if let Some(place) = known.filter(|_| !agent.is_empty()) {
                    self.sorted.delegated[place] = at;
                } else if agent.is_empty() || !self.state.heard.contains(agent) {
                    self.sorted.delegated.push(at);
                    push_bounded(&mut self.state.heard, agent.clone(), State::MAX_HEARD);
                }
            }
            Act::Ask { .. } | Act::Agreed { .. } => self.sorted.asked.push(at),
            Act::Plan { done, open } => {
                for item in done {
                    // The whole list comes each time, also what was done long ago.
                    if !self.state.done.contains(item) {
                        push_bounded(&mut self.state.done, item.clone(), State::MAX_ITEMS);
                        self.done(at, item.clone());
                    }
                }
                self.sorted.open_items.clone_from(open);
            }
            Act::Item { id, subject, done } => {
                self.state.items_turn = self.state.turns;
                if !subject.is_empty() {
                    self.state.items.retain(|(known, _)| known != id);
                    push_bounded(&mut self.state.items, (id.clone(), subject.clone()), State::MAX_ITEMS);
                }
                if *done && let Some(place) = self.state.items.iter().position(|(known, _)| known == id) {
                    let (_, subject) = self.state.items.remove(place);
                    self.done(at, subject);
                }
            }
            Act::Denied { .. } => self.sorted.denied.push(at),
            Act::Heard => {}
            Act::Other { failed, .. } => {
                if !failed {
                    self.sorted.looked.push(at);
                }
            }
        }
    }

    /// An item of the list of work is done: what was edited since belongs to it.
    fn done(&mut self, at: usize, item: String) {
        self.sorted.done_items.push((at, item.clone()));
        if !self.current.edits.is_empty() && !prose::asks_to_look(&item) && !is_upkeep(&item) {
            self.current.hints.push((at, item));
            self.close();
        }
    }

    fn edit(&mut self, at: usize, edit: &Edit) {
        // Work that was checked and is then left for other files is finished.
        let left = self.current.proof.is_some() && !self.touches(&edit.file);
        let much = self.current.edits.len() >= MUCH_WORK && !self.is_near(&edit.file);
        if (left || much) && edit.area() != Area::Docs {
            self.close();
        }
        self.current.edits.push(at);
        if edit.area() != Area::Docs {
            let concerned = |open: &&mut OpenFailure| {
                // What is said of a line of one file is answered in that file.
                let elsewhere = |place: &str| file_name(place) != file_name(&edit.file);
                let lint = crate::command::Command::read(&open.shown).purpose == Purpose::Lint;
                let fault = &open.fault;
                let of_code =
                    fault.place.is_some() || fault.compile || !open.failing.is_empty() || fault.rank < 7;
                of_code && !(lint && fault.file().is_some_and(elsewhere))
            };
            self.state.open.iter_mut().filter(concerned).for_each(|open| open.touched = true);
        }
        let event = self.steps[at].event;
        let tally = &mut self.state.done_so_far;
        tally.edits = tally.edits.saturating_add(1);
        tally.edited_at = self.steps[at].at;
        self.state.uncommitted.retain(|(file, _)| *file != edit.file);
        push_bounded(&mut self.state.uncommitted, (edit.file.clone(), event), State::MAX_FILES);
    }

    fn touches(&self, file: &str) -> bool {
        let name = stem(file);
        self.edits(&self.current.edits).any(|edit| {
            edit.file == file || stem(&edit.file).contains(name) || name.contains(stem(&edit.file))
        })
    }

    fn is_near(&self, file: &str) -> bool {
        let folder = |file: &str| file.rfind('/').map_or(0, |end| end);
        self.edits(&self.current.edits).any(|edit| edit.file[..folder(&edit.file)] == file[..folder(file)])
    }

    fn edits<'b>(&'b self, places: &'b [usize]) -> impl Iterator<Item = &'b Edit> + 'b {
        places.iter().filter_map(|&at| match &self.steps[at].act {
            Act::Edit(edit) => Some(edit),
            _ => None,
        })
    }

    fn close(&mut self) {
        let piece = mem::take(&mut self.current);
        let wrote = piece.runs.iter().any(|&at| {
            matches!(&self.steps[at].act, Act::Run(run) if matches!(run.command.purpose, Purpose::Rewrite | Purpose::Package) && !run.command.targets.is_empty())
        });
        if !piece.edits.is_empty() || wrote {
            self.sorted.pieces.push(piece);
        }
    }

    fn run(&mut self, at: usize, run: &Run) {
        if matches!(run.command.purpose, Purpose::Serve | Purpose::Release | Purpose::Migrate) {
            howto::count(self.state, &self.steps[at], run);
        }
        if run.background {
            return;
        }
        let purpose = run.command.purpose;
        match purpose {
            Purpose::Test | Purpose::Build | Purpose::Lint | Purpose::Audit => self.check(at, run),
            _ if !run.ok => self.failed_command(at, run),
            Purpose::Commit => {
                self.settle_conflicts(at);
                self.recover(at, run);
                self.commit(at, run);
            }
            // Given up: nothing works that did not.
            Purpose::Merge if [" --abort", " --quit"].iter().any(|end| run.command.shown.ends_with(end)) => {
                self.state.open.retain(|open| open.family != run.command.family);
            }
            Purpose::Rewrite => self.current.runs.push(at),
            Purpose::Package => {
                self.recover(at, run);
                self.current.runs.push(at);
            }
            Purpose::Push => {
                self.recover(at, run);
                self.sorted.pushes.push(at);
            }
            // The end of what is told as a conflict.
            Purpose::Merge if run.command.shown.ends_with(" --continue") => self.recover(at, run),
            Purpose::Merge | Purpose::Release | Purpose::Migrate | Purpose::Operate => {
                self.recover(at, run);
                self.sorted.operations.push(at);
            }
            Purpose::Probe | Purpose::Other | Purpose::Serve => {
                self.recover(at, run);
                self.sorted.looked.push(at);
            }
            Purpose::Search | Purpose::Look => self.sorted.looked.push(at),
            Purpose::Noise => {}
        }
    }

    fn check(&mut self, at: usize, run: &Run) {
        howto::count(self.state, &self.steps[at], run);
        if run.ok {
            self.passed(at, run);
            // The other checks of the chain went well, too.
            for (_, shown) in &run.command.beside {
                let mut command = crate::command::Command::read(shown);
                command.folder.clone_from(&run.command.folder);
                let key = command.key();
                self.resolve(at, |open| open.key == key);
            }
            let command = &run.command;
            self.overtake(|open| {
                let known = crate::command::Command::read(&open.shown);
                known.purpose == command.purpose && known.variant == command.variant && open.touched
                    || known.family == command.family && open.fault.is_slip()
            });
            return;
        }
        let fault = run.fault.clone().unwrap_or_else(|| silent(run));
        let failing = run.verdict.as_ref().map_or(&[][..], |verdict| &verdict.failing);
        if let Some(verdict) = &run.verdict {
            self.resolve(at, |open| comes_further(run, verdict, &fault, open));
        }
        let names = (run.command.key(), &run.command.family);
        self.fail(at, (&names.0, names.1), &run.command.shown, fault, failing, &run.complaints);
    }

    /// Of these failures it cannot be said any more that they stand.
    fn overtake(&mut self, fits: impl Fn(&OpenFailure) -> bool) {
        for open in self.state.open.iter_mut().filter(|open| !open.overtaken && fits(open)) {
            open.overtaken = true;
            self.sorted.over.extend(open.events.first().filter(|_| open.told));
        }
    }

    fn failed_command(&mut self, at: usize, run: &Run) {
        // Looking for something and not finding it is no failure, and neither is a slip in a program for one use.
        if run.command.purpose >= Purpose::Search || run.command.ad_hoc {
            return;
        }
        let Some(fault) = run.fault.clone().filter(|fault| fault.rank >= 4) else { return };
        self.fail(at, (&run.command.key(), &run.command.family), &run.command.shown, fault, &[], &[]);
    }

    /// `names`: how the command is known again, and its family.
    fn fail(
        &mut self,
        at: usize,
        (key, family): (&str, &str),
        shown: &str,
        fault: Fault,
        failing: &[String],
        complaints: &[Complaint],
    ) {
        let step = &self.steps[at];
        let same = self.state.open.iter().position(|open| {
            open.key == key || (open.fault.compile && fault.compile && tool(&open.family) == tool(family))
        });
        if let Some(place) = same {
            let last = self
                .since
                .iter()
                .find(|(known, ..)| *known == self.state.open[place].key)
                .map_or(0, |(_, _, last)| *last);
            let tried: Vec<(String, model::EventId)> = (last..at)
                .filter_map(|at| match &self.steps[at].act {
                    Act::Edit(edit) => Some((
                        edit.after.clone().or_else(|| edit.before.clone())?,
                        edit,
                        self.steps[at].event,
                    )),
                    _ => None,
                })
                .map(|(line, edit, event)| (format!("{}: `{line}`", file_name(&edit.file)), event))
                .collect();
            let turn = self.state.turns;
            let open = &mut self.state.open[place];
            open.attempts += 1;
            open.turn = turn;
            open.touched = false;
            open.overtaken = false;
            open.complaints = complaints.to_vec();
            let again = open.fault.signature() == fault.signature();
            if again {
                for one in tried {
                    push_bounded(&mut open.tried, one, MAX_TRIED);
                }
            } else if fault.compile && !open.fault.compile {
                // A slip while repairing does not change what is being repaired.
                push_new(&mut open.others, &fault.short(120), MAX_OTHERS);
            } else {
                push_new(&mut open.others, &open.fault.short(120), MAX_OTHERS);
                open.fault = fault;
                open.told = false;
            }
            if !failing.is_empty() {
                open.failing = failing.to_vec();
            }
            for source in &step.outside {
                push_new(&mut open.outside, source, MAX_OTHERS);
            }
            push_middle(&mut open.events, step.event);
            open.tokens = open.tokens.saturating_add(step.tokens);
            let key = open.key.clone();
            for (known, _, last) in &mut self.since {
                if *known == key {
                    *last = at;
                }
            }
            return;
        }
        // Tests written a moment ago fail until what they test is written.
        let expected = self.intent != Intent::Bug
            && (self.fails_its_own_tests(failing) || failing.is_empty() && self.lacks_what_is_tested(&fault));
        let command = crate::command::Command::read(shown);
        let open = OpenFailure {
            key: key.to_owned(),
            family: family.to_owned(),
            shown: shown.to_owned(),
            targets: command.targets,
            variant: command.variant,
            fault,
            others: Vec::new(),
            failing: failing.to_vec(),
            at: step.at,
            attempts: 1,
            events: vec![step.event],
            tokens: step.tokens,
            tried: Vec::new(),
            outside: step.outside.clone(),
            told: false,
            expected,
            turn: self.state.turns,
            own: !self.state.uncommitted.is_empty(),
            overtaken: false,
            touched: false,
            complaints: complaints.to_vec(),
        };
        if self.state.open.len() >= State::MAX_OPEN {
            self.state.open.remove(0);
        }
        self.state.open.push(open);
        self.since.retain(|(known, ..)| known != key);
        self.since.push((key.to_owned(), at, at));
    }

    /// Nothing but tests was written so far, and they cannot be run because what they test is not there yet.
    fn lacks_what_is_tested(&self, fault: &Fault) -> bool {
        const MISSING: &[&str] = &[
            "importerror",
            "modulenotfound",
            "cannot import",
            "cannot find",
            "no module named",
            "undefined",
            "unresolved",
            "not found",
            "not defined",
            "no attribute",
            "does not exist",
            "has no member",
            "no field or method",
            "unknown",
        ];
        let message = format!("{} {}", fault.code.as_deref().unwrap_or(""), fault.message).to_lowercase();
        let writes_tests =
            |edit: &Edit| edit.area() == Area::Test && (edit.created || !edit.defines.is_empty());
        self.edits(&self.current.edits).any(writes_tests)
            && self.edits(&self.current.edits).all(|edit| edit.area() == Area::Test)
            && MISSING.iter().any(|missing| message.contains(missing))
    }

    fn fails_its_own_tests(&self, failing: &[String]) -> bool {
        !failing.is_empty()
            && failing.iter().all(|name| {
                self.edits(&self.current.edits).any(|edit| {
                    edit.area() == Area::Test && edit.created && name.contains(file_name(&edit.file))
                        || edit.defines.iter().any(|defined| names_test(name, defined))
                })
            })
            && self.edits(&self.current.edits).all(|edit| edit.area() == Area::Test)
    }

    fn passed(&mut self, at: usize, run: &Run) {
        let edited: Vec<String> = self.edits(&self.current.edits).map(|edit| edit.file.clone()).collect();
        let resolved = self.resolve(at, |open| {
            let place = open.fault.file().unwrap_or("");
            resolves(run, open, !place.is_empty() && edited.iter().any(|file| place.ends_with(file.as_str())))
        });
        if !resolved && !self.current.edits.is_empty() {
            self.current.proof = Some(at);
        }
        // A check before the first edit shows how things were, not what was done.
        if !self.current.edits.is_empty() {
            self.current.runs.push(at);
        }
    }

    /// Takes the failures a step resolves, together with the edits that did it. Says whether there were any.
    fn resolve(&mut self, at: usize, fits: impl Fn(&OpenFailure) -> bool) -> bool {
        let (fixed, open): (Vec<_>, Vec<_>) = mem::take(&mut self.state.open).into_iter().partition(fits);
        self.state.open = open;
        if fixed.is_empty() {
            return false;
        }
        let told = fixed.iter().filter(|failure| failure.told).filter_map(|failure| failure.events.first());
        self.sorted.over.extend(told);
        let starts: Vec<usize> = fixed.iter().map(|failure| self.began(&failure.key)).collect();
        let start = starts.iter().copied().min().unwrap_or(0);
        self.since.retain(|(key, ..)| !fixed.iter().any(|failure| failure.key == *key));
        let window: Vec<usize> = self.current.edits.iter().copied().filter(|edit| *edit >= start).collect();
        let claimed = self.claim(&window, &fixed);
        if claimed.is_empty() {
            for (failure, start) in fixed.into_iter().zip(starts) {
                self.recovered(start, at, failure);
            }
            return true;
        }
        for failure in &fixed {
            let edits = self.edits(&claimed);
            self.current.settled.extend(settled(&failure.complaints, edits));
        }
        // What goes wrong while something is built, and is set right soon, is part of building it.
        let building = self.intent != Intent::Bug;
        let in_passing = self.edits(&claimed).all(only_imports);
        let (small, fixed): (Vec<_>, Vec<_>) = fixed.into_iter().partition(|failure| {
            failure.expected
                || is_small(failure)
                || failure.is_slip_of_work()
                || (building
                    && failure.own
                    && !failure.fault.is_conflict()
                    && self.is_in_building(&claimed, failure))
                || (failure.attempts == 1 && in_passing)
                || (claimed.len() < self.current.edits.len()
                    && self.edits(&claimed).all(|edit| only_tests(edit, failure)))
        });
        for failure in small {
            self.current.stumbles.push(failure);
        }
        if fixed.is_empty() {
            self.current.proof = Some(at);
            return true;
        }
        let mut fix = Piece { resolved: fixed, proof: Some(at), ..Piece::default() };
        if self.intent == Intent::Bug && self.current.proof.is_none() {
            // A bug was asked for: what was written before it showed is how it was made to show.
            let current = mem::take(&mut self.current);
            fix.edits = current.edits;
            fix.stumbles = current.stumbles;
            fix.hints = current.hints;
            fix.runs = current.runs;
        } else {
            self.current.edits.retain(|edit| !claimed.contains(edit));
            fix.edits = claimed;
            if self.current.edits.is_empty() {
                fix.runs = mem::take(&mut self.current.runs);
            } else {
                self.current.proof = Some(at);
            }
        }
        self.sorted.pieces.push(fix);
        true
    }

    /// Whether a failure of what is being built is part of building it: soon over, or only the tests changed.
    fn is_in_building(&self, claimed: &[usize], failure: &OpenFailure) -> bool {
        failure.attempts <= SOON || self.edits(claimed).all(|edit| only_tests(edit, failure))
    }

    /// Gone without an edit: by what was run in between, by another form of the command, or by itself.
    fn recovered(&mut self, start: usize, at: usize, failure: OpenFailure) {
        let mut between = Vec::new();
        let mut unclear = false;
        for place in start..at {
            match &self.steps[place].act {
                Act::Run(run) if run.command.purpose < Purpose::Probe => {
                    let checks =
                        matches!(run.command.purpose, Purpose::Test | Purpose::Lint | Purpose::Audit);
                    if run.ok && !checks && helps(&run.command, &failure) {
                        between.push(place);
                    } else {
                        unclear |= run.ok && !checks;
                    }
                }
                // Removing, copying, killing: something may have changed, nobody knows what.
                Act::Run(run) => unclear |= run.command.purpose == Purpose::Noise,
                Act::Edit(_) | Act::Call { .. } | Act::Other { .. } => unclear = true,
                _ => {}
            }
        }
        // Between two turns anybody may have changed something.
        let alone = between.is_empty() && !unclear && failure.turn == self.state.turns;
        self.sorted.recoveries.push(Recovery { failure, between, alone, proof: at });
    }

    /// Of many edits made while something failed, those that have to do with it.
    fn claim(&self, window: &[usize], fixed: &[OpenFailure]) -> Vec<usize> {
        if window.len() <= MANY_EDITS {
            return window.to_vec();
        }
        let related: Vec<usize> = window
            .iter()
            .copied()
            .filter(|&at| matches!(&self.steps[at].act, Act::Edit(edit) if fixed.iter().any(|failure| concerns(edit, failure))))
            .collect();
        if related.is_empty() { window.to_vec() } else { related }
    }

    fn began(&self, key: &str) -> usize {
        self.since.iter().find(|(known, ..)| known == key).map_or(0, |(_, began, _)| *began)
    }

    /// A command that works now, as it was or in another form.
    fn recover(&mut self, at: usize, run: &Run) {
        let key = run.command.key();
        let family = run.command.family.clone();
        self.resolve(at, |open| open.key == key || open.family == family);
    }

    /// A commit ends a merge, whatever was chosen. Chosen without an edit, nothing is known but that it is over.
    fn settle_conflicts(&mut self, at: usize) {
        let waits = |open: &OpenFailure| open.fault.is_conflict() && open.family != "git rebase";
        if self.current.edits.is_empty() {
            self.state.open.retain(|open| !waits(open));
        } else {
            self.resolve(at, waits);
        }
    }

    fn forget(&mut self, key: &str) {
        self.state.open.retain(|open| open.key != key);
    }

    fn commit(&mut self, at: usize, run: &Run) {
        let Some(commit) = run.commit.clone() else { return };
        let turn = self.state.turns;
        let tally = &mut self.state.done_so_far;
        tally.commits = tally.commits.saturating_add(1);
        tally.committed_at = self.steps[at].at;
        tally.proved_in_turn = turn;
        if run.command.pushes {
            self.sorted.pushes.push(at);
        }
        self.overtake(|open| open.touched);
        let uncommitted = mem::take(&mut self.state.uncommitted);
        let mut told = false;
        for piece in self.sorted.pieces.iter_mut().filter(|piece| piece.commit.is_none()) {
            piece.commit = Some((at, commit.clone()));
            told = true;
        }
        let has_edits = !self.current.edits.is_empty();
        if has_edits || !told {
            self.current.commit = Some((at, commit));
        }
        if has_edits {
            self.close();
        } else if !told {
            // Work of earlier turns, or of a person: the commit is what is known of it.
            let mut piece = mem::take(&mut self.current);
            piece.earlier = uncommitted;
            self.sorted.pieces.push(piece);
        }
    }
}

/// An item of the list of work that only says that the checks are to pass: what was edited for it belongs to the work.
fn is_upkeep(item: &str) -> bool {
    const CHECKS: &[&str] =
        &["lint", "linter", "linting", "compile", "compilation", "compiler", "fmt", "formatting"];
    const VERBS: &[&str] = &["fix", "resolve", "run", "address", "clean", "check", "verify"];
    let mut words = item.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let verb = words.next().unwrap_or("").to_ascii_lowercase();
    VERBS.contains(&verb.as_str())
        && words.take(3).any(|word| CHECKS.contains(&word.to_ascii_lowercase().as_str()))
}

fn changes_things(name: &str) -> bool {
    const VERBS: &[&str] = &[
        "create", "update", "delete", "merge", "comment", "send", "deploy", "post", "close", "assign", "add",
        "write", "insert", "apply", "publish", "remove", "set",
    ];
    let first = name.split(['_', '-']).next().unwrap_or(name).to_ascii_lowercase();
    VERBS.contains(&first.as_str())
}

/// The oldest makes room.
pub(crate) fn push_bounded<T>(list: &mut Vec<T>, item: T, max: usize) {
    if list.len() >= max {
        list.remove(0);
    }
    list.push(item);
}

/// The first stays and the newest stay.
pub(crate) fn push_middle(events: &mut Vec<model::EventId>, event: model::EventId) {
    if events.len() >= MAX_EVENTS_OPEN {
        events.remove(1);
    }
    events.push(event);
}
