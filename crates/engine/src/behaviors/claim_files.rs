//! Knows which session works on which file and where in it, and says so to the second one that wants to edit it. A
//! courtesy: a lease runs out by itself, and only a person who wants it has the second edit asked about or refused.

mod lines;
mod touched;
mod wishes;
mod words;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use model::{Advice, Detail, Event, EventKind, Item, Millis, Note, Outcome, StartSource, ToolCall, Verdict};
use store::{Batch, ChangeRow, ClaimFilter, ClaimPlace, ClaimRow, ClaimSign, LineSpan, Tables};

use crate::Result;
use crate::behavior::{Behavior, Context};
use crate::presence::{Process, is_at_work};

pub use lines::words as line_words;
pub(crate) use touched::{changed, is_command};
pub use touched::{claimed_path, files_on_disk, is_claiming, real_path};

/// How long a file stays claimed after its last edit. Who comes back to it later claims it again.
pub const LEASE: Millis = 30 * 60 * 1000;
/// Rows are kept for a while longer, so that clocks that differ a little agree on what is over.
const KEPT: Millis = 24 * 60 * 60 * 1000;
/// Files of one call that are looked up; a command that writes more is told about these.
const MAX_FILES: usize = 4;
/// A larger file is not read to find the place of an edit in it.
const MAX_READ: u64 = 1 << 20;
/// Of two edits at one moment the second hears of the first before the tables do; by then they know.
const MOMENT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct ClaimFiles;

impl Behavior for ClaimFiles {
    fn name(&self) -> &'static str {
        "claim-files"
    }

    fn manual(&self) -> &'static str {
        "A session that edits a file (by a tool, or by a command as far as its text tells) holds it until its end, until it \
         gives it back, or for half an hour after its last edit. The second session that wants to edit the file is told, \
         once and again when it comes to the same lines, who holds it, since when, on which branch, on which lines and for \
         what. `warn` (also `on`) lets the edit go on; `ask` has the person asked; `deny` refuses it until the lease is over. \
         Where others changed the file since the session last read it, it says that, too. Worktrees of one repository are \
         different files: an edit of the same one elsewhere is told once, as a merge to come. `throughline claims` lists, \
         takes and releases them; the MCP tool `claims` does the same for agents."
    }

    fn modes(&self) -> &'static [&'static str] {
        &["warn", "ask", "deny", "off"]
    }

    fn may_refuse(&self) -> bool {
        true
    }

    fn on(&self) -> &'static [EventKind] {
        &[
            EventKind::PreToolUse,
            EventKind::PostToolUse,
            EventKind::PostToolUseFailure,
            EventKind::PermissionDenied,
            EventKind::PostToolBatch,
            EventKind::UserPromptSubmit,
            EventKind::Stop,
            EventKind::StopFailure,
            EventKind::SubagentStop,
            EventKind::SessionStart,
            EventKind::SessionEnd,
        ]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        kind == EventKind::PreToolUse
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Tool(call) = &event.detail else { return Ok(Advice::silent()) };
        let paths = touched::changed(event);
        let mode = cx.config.mode(self.name());
        let (mut said, mut marks, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        let mut items = Vec::new();
        let paths = &paths[..paths.len().min(MAX_FILES)];
        let look = |path: &String| cx.read(|tables| Found::look(tables, cx, event, path));
        let mut all = paths.iter().map(look).collect::<Result<Vec<_>>>()?;
        let is_free = |all: &[Found]| all.iter().all(|found| found.holders.is_empty());
        // Who would be told of a holder, or refused, hears of a release, an edit and an end of a moment ago.
        if !is_free(&all) && catch_up(cx) {
            all = paths.iter().map(look).collect::<Result<Vec<_>>>()?;
        }
        // A call that is refused for one file wants none.
        if mode == "warn" || is_free(&all) {
            for (path, found) in paths.iter().zip(&mut all) {
                found.take(cx, event, path)?;
            }
        }
        for (path, found) in paths.iter().zip(&all) {
            let wanted = found.wanted(call, path);
            let holders = found.holders.iter().chain(&found.elsewhere);
            items.extend(holders.map(|holder| Item::of_session(&holder.session, "it holds the file")));
            if mode != "warn" && !found.holders.is_empty() {
                refused.push(words::refusal(cx.now, path, &found.holders));
                said.push(words::goals(path, &found.holders));
                continue;
            }
            let (words, mut once) =
                cx.read(|tables| found.say(tables, cx, event, path, wanted.as_deref()))?;
            said.extend(words);
            marks.append(&mut once);
            if let Some((words, mut once)) = super::elsewhere::holders(cx, event, path)? {
                said.push(words);
                marks.append(&mut once);
            }
        }
        let verdict = (!refused.is_empty()).then(|| {
            if mode == "deny" {
                Verdict::Deny { reason: words::instead(&refused) }
            } else {
                Verdict::Ask { reason: words::question(&refused) }
            }
        });
        said.retain(|text| !text.is_empty());
        let mut advice = Advice { marks, verdict, ..Advice::silent() };
        if !said.is_empty() {
            advice.notes = vec![Note { from: self.name(), text: said.join("\n"), items }];
        }
        Ok(advice)
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        let session = &event.session;
        if event.kind == EventKind::SessionEnd {
            batch.release(Some(session), None)?;
            return Ok(());
        }
        if let Detail::Start { source: StartSource::Clear | StartSource::Resume, .. } = &event.detail
            && let Some(Process { id, began }) = Process::of(event)
        {
            // The program has left the conversation it had before; not every agent says that this one is over.
            batch.release_of_process(id, began, session)?;
            return Ok(());
        }
        if matches!(
            event.kind,
            EventKind::PostToolBatch
                | EventKind::UserPromptSubmit
                | EventKind::Stop
                | EventKind::StopFailure
                | EventKind::SubagentStop
        ) {
            return wishes::settle_all(batch, event);
        }
        let Detail::Tool(call) = &event.detail else { return Ok(()) };
        let paths = touched::changed(event);
        match event.kind {
            EventKind::PreToolUse => {
                let since = event.at.saturating_sub(LEASE);
                for path in &paths {
                    // What another holds may be refused to this one, and with it the whole call; it holds its files when
                    // it has edited them.
                    if batch.is_held(path, session, since)? {
                        return Ok(());
                    }
                }
                for path in &paths {
                    let is_new = !batch.holds(session, path, since)?;
                    claim(batch, event, path, false)?;
                    wishes::add(batch, event, path, is_new)?;
                }
            }
            EventKind::PostToolUse | EventKind::PostToolUseFailure => {
                let failed = !matches!(call.outcome, Outcome::Succeeded { .. });
                // A command that failed may have written before that; an editor has not.
                if failed && !touched::is_command(event) {
                    return wishes::settle(batch, event, &[], &paths);
                }
                if !paths.is_empty() {
                    batch.expire_claims(event.at.saturating_sub(KEPT))?;
                }
                for path in &paths {
                    edited(batch, event, call, path)?;
                }
                wishes::settle(batch, event, &paths, &paths)?;
                if let Some(path) = touched::read(event).filter(|_| event.subagent.is_none()) {
                    batch.note_look(&path, session, event.at)?;
                }
            }
            EventKind::PermissionDenied => wishes::settle(batch, event, &[], &paths)?,
            _ => {}
        }
        Ok(())
    }
}

/// A file has become another: who holds it, where, and who has an old one in mind.
fn edited(batch: &mut Batch<'_>, event: &Event, call: &ToolCall, path: &str) -> Result<()> {
    claim(batch, event, path, true)?;
    let hunks = lines::hunks(call);
    let counts = hunks.as_deref().map(lines::counts);
    // Lines that were moved once must not be moved again when this is learned again.
    let is_new = batch.note_change(path, &event.session, event.at, counts)?;
    batch.count_edits(path, &event.session)?;
    if is_new && let Some(hunks) = &hunks {
        for (holder, spans) in batch.claimed_lines(path)? {
            let own = holder == event.session;
            let after = lines::after(&spans, hunks, own);
            if after != spans {
                batch.set_claimed_lines(path, &holder, &after)?;
            }
        }
    }
    // A subagent has a conversation of its own.
    if event.subagent.is_none() && !touched::is_command(event) {
        batch.note_look(path, &event.session, event.at)?;
    }
    Ok(())
}

fn claim(batch: &mut Batch<'_>, event: &Event, path: &str, is_edit: bool) -> Result<()> {
    let said = |key: &str| event.context.get(key).map(String::as_str);
    let place = said("root").zip(said("project-key")).and_then(|(root, key)| place(root, key, path));
    batch.claim(&ClaimSign {
        path,
        session: &event.session,
        at: event.at,
        note: None,
        place,
        is_edit,
        renews_since: event.at.saturating_sub(LEASE),
    })?;
    Ok(())
}

/// Takes files for a session that says so.
pub(crate) fn take(
    batch: &mut Batch<'_>,
    session: &model::SessionId,
    files: &[String],
    note: Option<&str>,
    at: Millis,
) -> Result<()> {
    let known = batch.place_of(session)?;
    for file in files {
        let place = known.as_ref().and_then(|(root, key)| place(root, key, file));
        let renews_since = at.saturating_sub(LEASE);
        batch.claim(&ClaimSign { path: file, session, at, note, place, is_edit: false, renews_since })?;
    }
    Ok(())
}

fn place<'a>(root: &'a str, project_key: &'a str, path: &'a str) -> Option<ClaimPlace<'a>> {
    let relative = Path::new(path).strip_prefix(root).ok()?.to_str().filter(|name| !name.is_empty())?;
    Some(ClaimPlace { root, project_key, relative })
}

/// Whether whoever holds a file is at work, and somebody else.
fn disturbs(cx: &Context, event: &Event, row: &ClaimRow) -> bool {
    let process = Process::of_claim(row);
    // A program that began another conversation does not disturb itself.
    let is_own = Process::of(event).zip(process).is_some_and(|(own, other)| own.is(other));
    let is_running = |pid: u32, began: Option<&str>| cx.around.is_running(pid, began);
    !is_own && is_at_work(cx.now, process, row.seen_at, &is_running)
}

/// Waits until the tables know what happened before this moment; for half of the time that is left, so that there is an
/// answer in any case.
fn catch_up(cx: &Context) -> bool {
    let now = Instant::now();
    cx.around.caught_up(None, now + cx.until.saturating_duration_since(now) / 2)
}

/// What is known of one file when somebody wants to edit it.
struct Found {
    /// Of this very file.
    holders: Vec<ClaimRow>,
    /// Of the same file in other worktrees.
    elsewhere: Vec<ClaimRow>,
    /// What others did to it since this conversation read it.
    changes: Vec<ChangeRow>,
}

impl Found {
    fn look(tables: &Tables, cx: &Context, event: &Event, path: &str) -> Result<Self> {
        let filter = ClaimFilter {
            not: Some(&event.session),
            since: cx.now.saturating_sub(LEASE),
            // A sign from further ahead is of a clock that was wrong.
            until: cx.now.saturating_add(LEASE),
            ..ClaimFilter::default()
        };
        let mut holders = tables.claims(&ClaimFilter { path: Some(path), ..filter.clone() })?;
        let here = cx.workspace.as_ref().and_then(|at| place(&at.root, &at.project_key, path));
        let mut elsewhere = match here {
            Some(here) => tables
                .claims(&ClaimFilter { of_project: Some((here.project_key, here.relative)), ..filter })?,
            None => Vec::new(),
        };
        elsewhere.retain(|row| row.path != path);
        holders.retain(|row| disturbs(cx, event, row));
        elsewhere.retain(|row| disturbs(cx, event, row));
        // A subagent has not read what the conversation it works for has.
        let changes = match event.subagent {
            None => tables.changed_under(&event.session, path)?,
            Some(_) => Vec::new(),
        };
        Ok(Self { holders, elsewhere, changes })
    }

    /// Wants the file from now on, and hears of whoever wanted it a moment ago.
    fn take(&mut self, cx: &Context, event: &Event, path: &str) -> Result<()> {
        let other = cx.around.take(&format!("file:{path}"), event.session.as_str(), MOMENT);
        let Some(other) = other.filter(|other| self.holders.iter().all(|row| row.session.as_str() != other))
        else {
            return Ok(());
        };
        let other = model::SessionId::new(&other);
        // Whether it is still there, and whether it was more than a wish, is perhaps not learned yet.
        catch_up(cx);
        self.holders = cx.read(|tables| Self::look(tables, cx, event, path))?.holders;
        if self.holders.iter().any(|row| row.session == other) {
            return Ok(());
        }
        let wanted = cx.read(|tables| Ok(tables.wanted_by(&other, path)?))?;
        self.holders.extend(wanted.filter(|row| disturbs(cx, event, row)));
        Ok(())
    }

    /// Where the edit is wanted, if that makes a difference.
    fn wanted(&self, call: &ToolCall, path: &str) -> Option<Vec<LineSpan>> {
        if self.holders.iter().all(|holder| holder.lines.is_empty()) {
            return None;
        }
        lines::wanted(&text_of(path)?, call)
    }

    /// What of it was not said before, and the names of that.
    fn say(
        &self,
        tables: &Tables,
        cx: &Context,
        event: &Event,
        path: &str,
        wanted: Option<&[LineSpan]>,
    ) -> Result<(Vec<String>, Vec<String>)> {
        let (mut said, mut marks) = (Vec::new(), Vec::new());
        let meets = |row: &ClaimRow| wanted.is_some_and(|wanted| lines::overlap(wanted, &row.lines));
        let mut holders: Vec<&ClaimRow> = Vec::new();
        for row in &self.holders {
            let mut names = vec![mark("claim", event, row)];
            if meets(row) {
                names.push(mark("claim-lines", event, row));
            }
            let new: Vec<String> = unmarked(tables, names)?;
            if !new.is_empty() {
                marks.extend(new);
                holders.push(row);
            }
        }
        if !holders.is_empty() {
            let same_lines = wanted.map(|_| holders.iter().any(|row| meets(row)));
            said.push(words::warning(cx.now, path, &holders, same_lines));
        }
        let mut elsewhere: Vec<&ClaimRow> = Vec::new();
        for row in &self.elsewhere {
            let new = unmarked(tables, vec![mark("claim-merge", event, row)])?;
            if !new.is_empty() {
                marks.extend(new);
                elsewhere.push(row);
            }
        }
        if !elsewhere.is_empty() {
            said.push(words::merge_to_come(cx.now, path, &elsewhere));
        }
        if let Some(last) = self.changes.first() {
            let name = format!("claim-changed:{}:{}:{path}", event.session.as_str(), last.seq);
            let new = unmarked(tables, vec![name])?;
            if !new.is_empty() {
                marks.extend(new);
                said.push(words::changed(cx.now, path, &self.changes));
            }
        }
        Ok((said, marks))
    }
}

fn unmarked(tables: &Tables, mut names: Vec<String>) -> Result<Vec<String>> {
    let mut failed = None;
    names.retain(|name| {
        tables.is_marked(name).map_or_else(
            |error| {
                failed = Some(error);
                false
            },
            |known| !known,
        )
    });
    failed.map_or(Ok(names), |error| Err(error.into()))
}

/// One holder of one file is named once to one conversation, as long as it holds it.
fn mark(kind: &str, event: &Event, holder: &ClaimRow) -> String {
    let subagent = event.subagent.as_ref().map_or("", |agent| agent.id.as_str());
    let (me, other) = (event.session.as_str(), holder.session.as_str());
    format!("{kind}:{me}:{subagent}:{other}:{}:{}", holder.since_at, holder.path)
}

/// A file that is text and no larger than it is worth.
fn text_of(path: &str) -> Option<String> {
    let path = Path::new(path);
    let about = std::fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= MAX_READ)?;
    let mut text = String::with_capacity(about.len() as usize);
    File::open(path).ok()?.take(MAX_READ).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests;
