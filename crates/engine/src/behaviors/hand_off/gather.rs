//! The derived parts of a hand-off, from what the tables know of a session. The same tables give the same hand-off.

use distill::State;
use model::{HandOff, MemoryKind, Millis, Said, SessionId, Speaker, Summary};
use store::{Batch, MemoryRow, PromptRow};

use super::super::distill::STATE;
use super::super::summarize::of_session;
use super::Words;
use crate::page::one_line;
use crate::{Result, origin};

/// The last things said: enough to pick up the thread, and a page at most.
pub(super) const MAX_TAIL: usize = 16;
/// Characters of each.
pub(super) const MAX_SAID: usize = 400;
/// Characters of a request in the goal; it has at most two.
const MAX_REQUEST: usize = 240;
/// Prompts looked at for the first that asks for something.
const FIRST_PROMPTS: usize = 12;
/// Turns whose work is listed, and the lines of it.
const TURNS: usize = 12;
const MAX_DONE: usize = 12;
const MAX_NEXT: usize = 6;
const MAX_DECISIONS: usize = 8;
const MAX_FILES: usize = 24;
const MAX_PLACES: usize = 10;
const MAX_COMMANDS: usize = 10;
const MAX_FAILING: usize = 3;
const MAX_LEARNED: usize = 4;
/// Characters of a line.
pub(crate) const MAX_LINE: usize = 220;
/// Observations looked at: what was decided long ago still holds.
const OBSERVATIONS: usize = 120;
/// Those of them whose files count as open.
const RECENT: usize = 12;

pub(super) fn gather(batch: &Batch<'_>, session: &SessionId, words: &[Words]) -> Result<HandOff> {
    let first = batch.first_prompts(session, FIRST_PROMPTS)?;
    let last = batch.last_prompts(session, MAX_TAIL)?;
    let summaries = batch.last_summaries(session, TURNS)?;
    let observations = batch.last_observations(session, OBSERVATIONS)?;
    let state = batch.state(session, STATE)?.and_then(|json| serde_json::from_str(&json).ok());
    let state: State = state.unwrap_or_default();
    let whole = of_session(batch, session)?.unwrap_or_default();
    let completed = summaries.iter().flat_map(|(summary, _)| &summary.completed).map(String::as_str);
    let done = newest(completed.filter(|line| !line.starts_with("Pushed: ")), MAX_DONE);
    let (open_files, places) = open_files(&state, &observations);
    let lines = |lines: Vec<String>, most: usize| {
        lines.into_iter().take(most).map(|line| one_line(&line, MAX_LINE)).collect::<Vec<_>>()
    };
    let learned = whole.learned.into_iter().filter(|line| !line.starts_with("Decided: ")).collect();
    Ok(HandOff {
        goal: goal(&first, &last),
        done,
        next: next(&state, &summaries),
        open_files,
        places,
        commands: commands(&state),
        failing: lines(state.failing_now(), MAX_FAILING),
        learned: lines(learned, MAX_LEARNED),
        decisions: newest(decided(&observations), MAX_DECISIONS),
        tail: tail(&last, words),
        ..HandOff::default()
    })
}

/// The first request that says what it is about, and the last one where it is another.
fn goal(first: &[PromptRow], last: &[PromptRow]) -> Option<String> {
    let about = |prompt: &PromptRow| distill::subject(&prompt.text, MAX_REQUEST);
    let any = |prompt: &&PromptRow| !is_command(&prompt.text) && !prompt.text.trim().is_empty();
    let guiding = first.iter().find(|prompt| about(prompt).is_some()).or_else(|| first.iter().find(any))?;
    let text = |prompt: &PromptRow| one_line(&about(prompt).unwrap_or(prompt.text.clone()), MAX_REQUEST);
    let mut goal = text(guiding);
    let latest = last.iter().rev().find(|prompt| about(prompt).is_some());
    if let Some(latest) = latest.filter(|latest| latest.id != guiding.id) {
        goal.push_str(" | last asked: ");
        goal.push_str(&text(latest));
    }
    (!goal.is_empty()).then_some(goal)
}

/// Commands with how they ended, and behind them in a line or two what was looked at by command.
fn commands(state: &State) -> Vec<String> {
    const LOOKS: usize = 2;
    let mut lines: Vec<String> = state.commands_in_hand().into_iter().take(MAX_COMMANDS).collect();
    let mut looks: Vec<String> = Vec::new();
    for command in state.commands_that_look() {
        let fits = |line: &&mut String| line.len() + command.len() < MAX_LINE;
        if let Some(line) = looks.last_mut().filter(fits) {
            line.push_str(", ");
            line.push_str(&command);
        } else if looks.len() < LOOKS {
            looks.push(format!("also run: {command}"));
        } else {
            break;
        }
    }
    lines.extend(looks);
    lines.iter().map(|line| one_line(line, MAX_LINE)).collect()
}

/// A command to the client, not a path.
fn is_command(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.strip_prefix('/').is_some_and(|name| !name.contains('/'))
}

/// What a page has decided is not decided.
fn decided(observations: &[MemoryRow]) -> impl Iterator<Item = &str> {
    let decisions = observations.iter().filter(|row| row.memory.kind == MemoryKind::Decision);
    decisions.filter(|row| origin(&row.memory).is_trusted()).map(|row| row.memory.title.as_str())
}

/// What was named last as coming next, unless something was finished since: then nobody knows whether it still is. Then
/// what the list of work holds. Another session is told to go on with it, so it must not be what a page wants done.
fn next(state: &State, summaries: &[(Summary, Vec<String>)]) -> Vec<String> {
    let latest =
        summaries.iter().rev().find(|(one, _)| !one.next_steps.is_empty() || !one.completed.is_empty());
    let own = latest.filter(|(_, tools)| !tools.iter().any(|tool| tool.starts_with(distill::MARK)));
    let steps = own.into_iter().flat_map(|(summary, _)| &summary.next_steps).map(String::as_str);
    // An item of the list may come from anywhere where the last turn has heard a stranger.
    let items = state.open_items().filter(|_| own.is_some());
    let mut next: Vec<String> = Vec::new();
    for line in steps.chain(items).map(|text| one_line(text, MAX_LINE)) {
        if next.len() < MAX_NEXT && !line.is_empty() && !next.contains(&line) {
            next.push(line);
        }
    }
    next
}

/// Modified first, then read, of each the latest first; and where each was changed or read.
fn open_files(state: &State, observations: &[MemoryRow]) -> (Vec<String>, Vec<String>) {
    let recent = || observations.iter().rev().take(RECENT).map(|row| &row.memory);
    let modified = recent().flat_map(|memory| &memory.files_modified).map(String::as_str);
    let read = recent().flat_map(|memory| &memory.files_read).map(String::as_str);
    let in_hand = state.files_in_hand().map(|(path, _)| path);
    let mut files: Vec<String> = Vec::new();
    for file in in_hand.chain(modified).chain(read).map(|file| one_line(file, MAX_LINE)) {
        if files.len() < MAX_FILES && !file.is_empty() && !files.contains(&file) {
            files.push(file);
        }
    }
    let noted = state
        .files_in_hand()
        .filter(|(path, note)| !note.is_empty() && files.iter().any(|file| file == path));
    let places =
        noted.take(MAX_PLACES).map(|(path, note)| one_line(&format!("{path}: {note}"), MAX_LINE)).collect();
    (files, places)
}

/// Prompts and the agent's words as they followed each other.
fn tail(prompts: &[PromptRow], words: &[Words]) -> Vec<Said> {
    let mut said: Vec<(Millis, Said)> = Vec::with_capacity(prompts.len() + words.len());
    for prompt in prompts {
        let text = one_line(&prompt.text, MAX_SAID);
        if !text.is_empty() {
            said.push((prompt.at, Said { by: Speaker::Person, text }));
        }
    }
    said.extend(words.iter().map(|one| (one.at, Said { by: Speaker::Agent, text: one.text.clone() })));
    // Stable: a question comes before the answer of the same millisecond.
    said.sort_by_key(|(at, _)| *at);
    let first = said.len().saturating_sub(MAX_TAIL);
    said.drain(..first);
    said.into_iter().map(|(_, said)| said).collect()
}

/// The last lines, each where it was said last.
fn newest<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for line in texts.map(|text| one_line(text, MAX_LINE)).filter(|line| !line.is_empty()) {
        kept.retain(|before| *before != line);
        kept.push(line);
    }
    kept.drain(..kept.len().saturating_sub(most));
    kept
}
