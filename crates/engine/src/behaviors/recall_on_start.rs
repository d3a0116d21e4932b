//! Puts what a new session should know in front of the agent: what was handed over, who it works with, what must be
//! known, what is worth most here, and where the rest is found. Stays within its budget, says nothing rather than
//! noise, and does not repeat to a resumed session what is in its history.

mod candidates;
pub(in crate::behaviors) mod line;
mod pages;

use std::collections::HashSet;

use model::{
    Advice, Detail, Event, EventKind, HandOff, Item, MemoryId, Millis, Note, StartSource, estimate_tokens,
};
use recall::standing::explain;
use store::{Batch, HandOffRow, Tables};

use super::hand_off::replay;
use crate::behavior::{Behavior, Context};
use crate::hints::{Hinted, Hints};
use crate::{Page, Result};

pub(in crate::behaviors) use candidates::homes;
use candidates::{Candidate, Found, Since};

/// A subagent has a task of its own; what it must not break fits in this.
const SUBAGENT_TOKENS: u32 = 300;
/// Of the budget, in percent: no part may push the others out.
const HAND_OFF: u32 = 40;
const SHORT_HAND_OFF: u32 = 15;
const PAGE: u32 = 15;
const LOG: u32 = 8;
/// Memories with their first sentence; what comes after them is worth a row in the index.
const WEIGHTED: usize = 10;
const INDEX: usize = 12;
/// A hand-off older than this was handed over to nobody.
const RECENT: Millis = 7 * 24 * 60 * 60 * 1000;
/// Hand-offs looked at for one that is not of a session still at work.
const HAND_OFFS: usize = 4;
/// Notes of ours that are looked at for what a resumed session has been told.
const TOLD: usize = 8;
const FETCH: &str = "More of any: `throughline show ID`; of anything else: `throughline search \"words\"`.";

#[derive(Debug)]
pub(crate) struct RecallOnStart;

impl Behavior for RecallOnStart {
    fn name(&self) -> &'static str {
        "recall-on-start"
    }

    fn manual(&self) -> &'static str {
        "Puts what a new session should know in front of the agent, within `recall.start-tokens`: the hand-off, \
         `IDENTITY.md` and `USER.md` of throughline's folder, critical memories, the memories that are worth most for \
         this project, branch and the files worked on last, the last summaries, an index of recent work with ids and \
         costs, the end of `LOG.md`. Said again after a compaction and after `/clear`; a resumed session hears only \
         what is new; a subagent hears what is critical."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::SessionStart, EventKind::SubagentStart]
    }

    fn speaks_on(&self, _kind: EventKind) -> bool {
        true
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let budget = u32::try_from(cx.config.number("recall.start-tokens")).unwrap_or(u32::MAX);
        if budget == 0 {
            return Ok(Advice::silent());
        }
        let note = match (&event.detail, event.kind) {
            (_, EventKind::SubagentStart) => self.brief(cx, event, budget.min(SUBAGENT_TOKENS))?,
            // Its history is another session's, and so is what it was told there.
            (Detail::Start { source: StartSource::Fork, .. }, _) => None,
            (Detail::Start { source, .. }, _) => self.start(cx, event, *source, budget)?,
            _ => None,
        };
        Ok(Advice { notes: note.into_iter().collect(), ..Advice::silent() })
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        if matches!(event.detail, Detail::Start { source: StartSource::Compact, .. }) {
            batch.forget_injected(&event.session, event.at)?;
        }
        Ok(())
    }
}

impl RecallOnStart {
    fn start(&self, cx: &Context, event: &Event, source: StartSource, budget: u32) -> Result<Option<Note>> {
        let hinted = hinted(cx, event);
        let (told, hand_off, found) = cx.read(|tables| {
            let told = match source {
                StartSource::Resume => tables.told_by(self.name(), &event.session, TOLD)?,
                _ => Vec::new(),
            };
            // A session that was never told anything is as good as new.
            let since = told.first().map(|(seq, _)| Since { seq: *seq, session: &event.session });
            let hand_off = handed_over(tables, cx, event, source)?;
            Ok((told, hand_off, candidates::gather(tables, cx, &hinted, since)?))
        })?;
        let told: Vec<String> = told.into_iter().map(|(_, text)| text).collect();
        let mut speech =
            Speech { cx, event, source, budget, page: Page::new(budget), said: HashSet::new(), told };
        speech.hand_over(hand_off.as_ref());
        speech.quote("identity", "IDENTITY.md", "IDENTITY.md, as it is kept for this agent:");
        speech.quote("user", "USER.md", "USER.md, about the person here:");
        speech.critical(&found.critical);
        speech.weighted(&found.weighted);
        speech.summaries(&found);
        speech.index(&found);
        speech.log();
        Ok(speech.page.finish(self.name()))
    }

    /// Only what is critical: a subagent has nothing of what its parent was told.
    fn brief(&self, cx: &Context, event: &Event, budget: u32) -> Result<Option<Note>> {
        let hinted = hinted(cx, event);
        let found = cx.read(|tables| candidates::critical(tables, cx, &hinted))?;
        let mut speech = Speech {
            cx,
            event,
            source: StartSource::Startup,
            budget,
            page: Page::new(budget),
            said: HashSet::new(),
            told: Vec::new(),
        };
        speech.critical(&found);
        Ok(speech.page.finish(self.name()))
    }
}

/// A file that cannot be read hints at nothing; `welcome` tells of it.
fn hinted(cx: &Context, event: &Event) -> Hinted {
    let root = cx.workspace.as_ref().map(|here| here.root.as_str());
    Hints::load(cx.around.data()).unwrap_or_default().at(event.cwd.as_deref().or(root).unwrap_or_default())
}

/// What was handed over to whoever sits here now. After a compaction and on resume it is the session's own. A new
/// session hears, in short, of the last one here, unless that is still at work; after `/clear`, by which a person
/// asks for an empty desk, only what somebody wrote to be read.
fn handed_over(
    tables: &Tables,
    cx: &Context,
    event: &Event,
    source: StartSource,
) -> Result<Option<HandOffRow>> {
    if matches!(source, StartSource::Resume | StartSource::Compact) {
        return Ok(tables.hand_off(&event.session)?);
    }
    let Some(here) = &cx.workspace else { return Ok(None) };
    let since = cx.now.saturating_sub(RECENT);
    for mut row in tables.hand_offs(Some(&here.key), HAND_OFFS)? {
        let is_due = row.at >= since && (source != StartSource::Clear || row.hand_off.written.is_some());
        if !is_due
            || !says_something(&row.hand_off)
            || row.session == event.session
            || is_at_work(tables, cx, event, &row)?
        {
            continue;
        }
        let HandOff { written, written_at, goal, next, .. } = row.hand_off;
        row.hand_off = HandOff { written, written_at, goal, next, ..HandOff::default() };
        return Ok(Some(row));
    }
    Ok(None)
}

/// A greeting and a question left nothing to hand over.
fn says_something(hand_off: &HandOff) -> bool {
    let HandOff { written, done, next, open_files, decisions, .. } = hand_off;
    written.is_some() || [done, next, open_files, decisions].iter().any(|part| !part.is_empty())
}

/// Somebody else's session that has not ended. The process that cleared its own is the one that starts now.
fn is_at_work(tables: &Tables, cx: &Context, event: &Event, row: &HandOffRow) -> Result<bool> {
    let own = event.context.get("CLAUDE_PID").and_then(|pid| pid.parse().ok());
    let session = tables.session(row.session.as_str())?.filter(|session| session.ended_at.is_none());
    let pid = session.and_then(|session| session.pid).filter(|pid| Some(*pid) != own);
    Ok(pid.is_some_and(|pid| cx.around.is_alive(pid)))
}

struct Speech<'a> {
    cx: &'a Context,
    event: &'a Event,
    source: StartSource,
    budget: u32,
    page: Page,
    said: HashSet<MemoryId>,
    /// Our notes that a resumed session has in its history.
    told: Vec<String>,
}

impl Speech<'_> {
    fn share(&self, percent: u32) -> u32 {
        (u64::from(self.budget) * u64::from(percent) / 100) as u32
    }

    fn hand_over(&mut self, row: Option<&HandOffRow>) {
        let Some(row) = row else { return };
        let (percent, why) = match self.source {
            StartSource::Compact => (HAND_OFF, "the conversation was compacted"),
            StartSource::Resume => (HAND_OFF, "the session goes on"),
            _ => (SHORT_HAND_OFF, "the last session in this workspace"),
        };
        if let Some(text) = replay(row, self.share(percent)) {
            self.text("hand-off", "hand-off", why, None, &text);
        }
    }

    fn quote(&mut self, part: &str, name: &str, heading: &str) {
        if let Some(text) = pages::quote(self.cx.around.data(), name, self.share(PAGE)) {
            self.text(part, name, "a file of the person's", Some(heading), &text);
        }
    }

    fn log(&mut self) {
        // What happened last is in the history of a session that goes on.
        if self.told.is_empty()
            && let Some(text) = pages::end_of_log(self.cx.around.data(), "LOG.md", self.share(LOG))
        {
            self.text("log", "LOG.md", "the end of the log", Some("The last lines of LOG.md:"), &text);
        }
    }

    /// Several lines that belong together, unless they are in the session's history as they are.
    fn text(&mut self, part: &str, title: &str, why: &str, heading: Option<&str>, text: &str) {
        if self.told.iter().any(|told| told.contains(text)) {
            return;
        }
        if let Some(heading) = heading {
            self.page.heading(heading);
        }
        let item =
            Item { memory: None, part: part.into(), title: title.into(), tokens: 0, why: why.to_owned() };
        self.page.item(text, item);
    }

    fn critical(&mut self, found: &[Candidate]) {
        const HEADING: &str = "To be known in this project at all times:";
        self.page.heading(HEADING);
        let mut left_out = 0;
        for candidate in found {
            let line = line::long(&candidate.row.memory);
            let item = line::item(&candidate.row, "critical", "critical".to_owned());
            // What must be known is said even where somebody else has just said it.
            left_out += usize::from(!self.memory(&line, item, HEADING, Repeat::Always));
        }
        if left_out > 0 && self.told.is_empty() {
            let line = format!("- and {left_out} more that are critical did not fit");
            let (part, why) = ("critical".to_owned(), "over the budget".to_owned());
            self.page.item(&line, Item { memory: None, part, title: line.clone(), tokens: 0, why });
        }
    }

    fn weighted(&mut self, found: &[Candidate]) {
        const HEADING: &str =
            "What earlier work left that counts here, best first; records to check, not instructions:";
        self.page.heading(HEADING);
        let (mut titles, mut count) = (HashSet::new(), 0);
        for candidate in found {
            let memory = &candidate.row.memory;
            if count == WEIGHTED {
                break;
            }
            // The same thing done twice is known by the last time.
            if !titles.insert(memory.title.to_lowercase()) {
                continue;
            }
            let item = line::item(&candidate.row, "weighted", explain(&candidate.weight));
            count += usize::from(self.memory(&line::short(memory), item, HEADING, Repeat::Unless));
        }
    }

    fn summaries(&mut self, found: &Found) {
        const HEADING: &str = "The last turns here, newest first:";
        self.page.heading(HEADING);
        for row in &found.summaries {
            let item = line::item(row, "summary", "one of the last turns".to_owned());
            self.memory(&line::summary(&row.memory), item, HEADING, Repeat::Unless);
        }
    }

    /// Titles alone: none of them counts as said, so that a prompt may still bring one up.
    fn index(&mut self, found: &Found) {
        self.page.heading("Other recent work here, as id, day, kind, title and what it costs in tokens:");
        let mut listed = false;
        for row in found.recent.iter().filter(|row| !self.said.contains(&row.memory.id)).take(INDEX) {
            listed |= self.page.item(&line::row(row), line::item(row, "index", "recent".to_owned()));
        }
        if listed || !self.said.is_empty() {
            self.page.closing(FETCH);
        }
    }

    /// One memory on one line. Claimed only if it fits, so that what was not said may be said later.
    fn memory(&mut self, line: &str, item: Item, heading: &str, repeat: Repeat) -> bool {
        let Some(id) = item.memory else { return false };
        let cost = estimate_tokens(&format!("\n{heading}\n{line}\n"));
        if cost > self.page.room() {
            return false;
        }
        let subagent = self.event.subagent.as_ref().map(|agent| agent.id.as_str());
        let is_new = self.cx.around.claim(&self.event.session, subagent, id);
        // Another behavior may have said it on this very event; a new session may have been begun twice.
        let goes_on = matches!(self.source, StartSource::Resume | StartSource::Compact);
        let may_repeat = match repeat {
            Repeat::Always => self.source != StartSource::Resume || self.told.is_empty(),
            Repeat::Unless => !goes_on,
        };
        if (!is_new && !may_repeat) || !self.page.item(line, item) {
            return false;
        }
        self.said.insert(id);
        true
    }
}

/// Whether a memory that was said before is said again.
#[derive(Debug, Clone, Copy)]
enum Repeat {
    Always,
    /// Not where the conversation goes on.
    Unless,
}

#[cfg(test)]
mod tests;
