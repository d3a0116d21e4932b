//! A hand-off as text: for a model within a budget, every stored line quoted; for people as a page.

use model::{HandOff, Millis, Said, Speaker};
use store::HandOffRow;

use crate::fence::{sanitize, visible};
use crate::memory::cut;
use crate::moment;

/// What was written may take this much of the budget: the goal and the next steps must fit beside it.
const WRITTEN_PERCENT: u32 = 60;
/// A text older than this beside the session's last event is told to be.
const FRESH: Millis = 30 * 60 * 1000;
/// Code takes fewer bytes per token than prose; counted so, no text is longer than it was estimated.
const BYTES_PER_TOKEN: f64 = 3.2;
/// A rest of fewer bytes of a line says nothing.
const LEAST_REST: usize = 40;

pub(crate) fn is_empty(hand_off: &HandOff) -> bool {
    let HandOff { written, written_at: _, goal, tail, .. } = hand_off;
    let HandOff { done, next, open_files, places, commands, failing, learned, decisions, .. } = hand_off;
    let lists = [done, next, open_files, places, commands, failing, learned, decisions];
    written.is_none() && goal.is_none() && tail.is_empty() && lists.iter().all(|list| list.is_empty())
}

/// What is put in front of an agent that goes on here; nothing where nothing was handed over or nothing fits.
pub(crate) fn replay(row: &HandOffRow, tokens: u32) -> Option<String> {
    let hand_off = &row.hand_off;
    if is_empty(hand_off) {
        return None;
    }
    let mut text = Text { budget: (f64::from(tokens) * BYTES_PER_TOKEN) as usize, text: String::new() };
    let head = format!(
        "Hand-off of session {}, kept up to {}. Lines that begin with \">\" are quoted from what was kept.",
        short(row),
        moment::minute(row.at)
    );
    if !text.line(&head) {
        return None;
    }
    let own = text.text.len();
    if let Some(written) = &hand_off.written {
        let most = text.budget * WRITTEN_PERCENT as usize / 100;
        text.written(&heading(row), written, most, row);
    }
    let one = |line: &String| vec![line.clone()];
    text.section("Goal:", &hand_off.goal.as_ref().map(one).unwrap_or_default(), Keep::First);
    text.section("Next:", &hand_off.next, Keep::First);
    text.section("Fails now:", &hand_off.failing, Keep::First);
    text.section("Decided:", &hand_off.decisions, Keep::Last);
    text.section("Commands, with how they ended last:", &hand_off.commands, Keep::First);
    text.section("Open files:", &files(hand_off), Keep::First);
    text.section("Learned:", &hand_off.learned, Keep::Last);
    text.section("Done, newest last:", &hand_off.done, Keep::Last);
    let said: Vec<String> = hand_off.tail.iter().map(said).collect();
    text.section("Last said, newest last:", &said, Keep::Last);
    (text.text.len() > own).then(|| text.text.trim_end().to_owned())
}

/// The hand-off as a page in Markdown.
pub fn render(row: &HandOffRow) -> String {
    render_with(row, sanitize)
}

/// The same for a person at a terminal: their own words as they are, without what nobody sees or what moves the cursor.
pub fn page(row: &HandOffRow) -> String {
    render_with(row, visible)
}

fn render_with(row: &HandOffRow, clean: fn(&str) -> String) -> String {
    let line = |text: &str| clean(text).replace(['\n', '\t'], " ");
    let hand_off = &row.hand_off;
    let mut page = format!("# Hand-off of session {}\n\n", line(row.session.as_str()));
    let place = [row.project.as_deref(), row.branch.as_deref()].into_iter().flatten().map(&line);
    let about: Vec<String> = place.chain([format!("kept up to {}", moment::minute(row.at))]).collect();
    page.push_str(&about.join(" · "));
    page.push('\n');
    if is_empty(hand_off) {
        page.push_str("\nNothing was handed over.\n");
    }
    if let Some(written) = &hand_off.written {
        page.push_str(&format!("\n## {}\n\n{}\n", heading(row).trim_end_matches(':'), clean(written)));
    }
    if let Some(goal) = &hand_off.goal {
        page.push_str(&format!("\n## Goal\n\n{}\n", line(goal)));
    }
    let said: Vec<String> = hand_off.tail.iter().map(said).collect();
    let files = files(hand_off);
    let parts = [
        ("Next", &hand_off.next),
        ("Fails now", &hand_off.failing),
        ("Decided", &hand_off.decisions),
        ("Commands", &hand_off.commands),
        ("Open files", &files),
        ("Learned", &hand_off.learned),
        ("Done", &hand_off.done),
        ("Last said", &said),
    ];
    for (name, lines) in parts.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        page.push_str(&format!("\n## {name}\n\n"));
        for text in lines {
            page.push_str(&format!("- {}\n", line(text)));
        }
    }
    page
}

/// The open files, with their places where they are known.
fn files(hand_off: &HandOff) -> Vec<String> {
    let place = |file: &&String, line: &&String| {
        line.strip_prefix(file.as_str()).is_some_and(|rest| rest.starts_with(": "))
    };
    let line = |file: &String| hand_off.places.iter().find(|line| place(&file, line)).unwrap_or(file).clone();
    hand_off.open_files.iter().map(line).collect()
}

/// Who reads an old text must know that it is old.
fn heading(row: &HandOffRow) -> String {
    let Some(at) = row.hand_off.written_at else { return "Written for whoever goes on:".to_owned() };
    let age = row.at.saturating_sub(at);
    let when = moment::minute(at);
    if age <= FRESH {
        return format!("Written for whoever goes on, {when}:");
    }
    format!("Written for whoever goes on, {when}, {} before the session's last event:", moment::span(age))
}

fn said(said: &Said) -> String {
    let by = match said.by {
        Speaker::Person => "person",
        Speaker::Agent => "agent",
    };
    format!("{by}: {}", said.text)
}

fn short(row: &HandOffRow) -> String {
    line(row.session.as_str()).chars().take(8).collect()
}

/// On one line, whatever it was.
fn line(text: &str) -> String {
    sanitize(text).replace(['\n', '\t'], " ")
}

#[derive(Clone, Copy)]
enum Keep {
    First,
    Last,
}

/// Lines within a budget of bytes.
struct Text {
    budget: usize,
    text: String,
}

impl Text {
    fn room(&self) -> usize {
        self.budget.saturating_sub(self.text.len())
    }

    fn line(&mut self, words: &str) -> bool {
        let fits = words.len() < self.room();
        if fits {
            self.text.push_str(words);
            self.text.push('\n');
        }
        fits
    }

    /// As many of the lines as fit, in their order: the first of them, or the last.
    fn section(&mut self, heading: &str, lines: &[String], keep: Keep) {
        let quoted: Vec<String> = lines.iter().map(|text| format!("> {}", line(text))).collect();
        let mut room = self.room().saturating_sub(heading.len() + 1);
        let mut fits = |line: &&String| {
            let fits = line.len() < room;
            room -= if fits { line.len() + 1 } else { 0 };
            fits
        };
        let kept: Vec<&String> = match keep {
            Keep::First => quoted.iter().take_while(&mut fits).collect(),
            Keep::Last => {
                let mut kept: Vec<&String> = quoted.iter().rev().take_while(&mut fits).collect();
                kept.reverse();
                kept
            }
        };
        if !kept.is_empty() && self.line(heading) {
            for line in kept {
                self.line(line);
            }
        }
    }

    /// A text of several lines. What does not fit is told to be missing, and where it is.
    fn written(&mut self, heading: &str, written: &str, most: usize, row: &HandOffRow) {
        let rest = format!("(The rest: throughline handoff show {})", short(row));
        let most = self.text.len() + most.min(self.room()).saturating_sub(rest.len() + 1);
        let whole = self.text.len() + heading.len() + written.len() + 2 * written.lines().count() + 2;
        let most = if whole <= most + rest.len() { most + rest.len() + 1 } else { most };
        if self.text.len() + heading.len() + LEAST_REST > most || !self.line(heading) {
            return;
        }
        for text in sanitize(written).lines() {
            let room = most.saturating_sub(self.text.len());
            if text.len() + 3 <= room {
                self.line(format!("> {text}").trim_end());
                continue;
            }
            if room > LEAST_REST {
                self.line(&format!("> {}", cut(text, room - 3)));
            }
            self.line(&rest);
            break;
        }
    }
}
