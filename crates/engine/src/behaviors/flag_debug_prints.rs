//! Says where an edit left debug output in code that does not talk to a person. Only lines that the edit added; which calls
//! are such is each language's to say (`code::prints`), what a file is for is told here from its path and its project.

use std::collections::BTreeMap;
use std::path::Path;

use code::prints::{self, Print, Sort};
use model::{Advice, Detail, Event, EventKind, Item, Outcome, ToolCall};

use super::added;
use super::on_code::{self, EDITORS, File};
use crate::behavior::{Behavior, Context, Late};
use crate::page::one_line;
use crate::{Page, Result};

mod purpose;

const TOKENS: u32 = 80;
/// Lines named of one kind of call; the rest is counted.
const MAX_NAMED: usize = 6;
/// A longer text takes longer to read than an edit may be kept waiting.
const MAX_TEXT: usize = 512 * 1024;

#[derive(Debug)]
pub(crate) struct FlagDebugPrints;

impl Behavior for FlagDebugPrints {
    fn name(&self) -> &'static str {
        "flag-debug-prints"
    }

    fn manual(&self) -> &'static str {
        "After an edit, says which lines it added leave debug output behind: `console.log`, `debugger`, `dbg!`, `println!`, \
         `print`, `breakpoint()`, `fmt.Println`, `var_dump`, `binding.pry`, `IO.inspect` and their like, by the syntax tree of \
         the file. Tests and logging code are spared; so is plain printing in scripts, command-line programs and binaries, \
         and what stood there before. A comment `throughline: allow-prints` marks a line as meant, or the whole file where \
         it stands on a line of its own; what the linters know (`eslint-disable no-console`, `noqa: T201`) is heard, too. \
         Each line is told once in a conversation."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PostToolUse]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn late(&self, cx: &Context, event: &Event) -> Late {
        on_code::while_unchanged(cx, event)
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Tool(call) = &event.detail else { return Ok(Advice::silent()) };
        let succeeded = matches!(call.outcome, Outcome::Succeeded { .. });
        if !succeeded || !EDITORS.contains(&call.name.as_str()) {
            return Ok(Advice::silent());
        }
        let Some(file) = File::of(cx, event, call) else { return Ok(Advice::silent()) };
        let mut page = Page::new(TOKENS);
        page.heading(&format!("Debug output that this edit left in {}:", one_line(&file.inside, 100)));
        let mut by_call: BTreeMap<(u32, String), Vec<(u32, &str)>> = BTreeMap::new();
        let found = found(cx, &file, call);
        let name = |text: &str| format!("print {}:{text}", file.inside);
        for (print, text) in &found {
            let is_told = on_code::desk(cx, event, |desk| desk.told(&name(text)).is_some());
            if !is_told.unwrap_or(false) {
                let first = found.iter().find(|(other, _)| other.what == print.what);
                let first = first.map_or(print.line, |(first, _)| first.line);
                by_call.entry((first, print.what.to_string())).or_default().push((print.line, text));
            }
        }
        for ((_, what), prints) in by_call {
            let lines: Vec<u32> = prints.iter().map(|(line, _)| *line).collect();
            let named: Vec<String> = lines.iter().take(MAX_NAMED).map(u32::to_string).collect();
            let more = lines.len().saturating_sub(MAX_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let s = if lines.len() == 1 { "" } else { "s" };
            let line = format!("- line{s} {}{more}: {}", named.join(", "), one_line(&what, 60));
            let why = format!("added by {} to {}", call.name, file.inside);
            let item = Item { memory: None, part: "print".to_owned(), title: what, tokens: 0, why };
            // What has no room is not told.
            if page.item(&line, item) {
                on_code::desk(cx, event, |desk| {
                    for (_, text) in &prints {
                        desk.tell(name(text), 0);
                    }
                });
            }
        }
        page.closing("Remove it, or mark what is meant: `throughline: allow-prints`.");
        Ok(Advice { notes: page.finish(self.name()).into_iter().collect(), ..Advice::silent() })
    }
}

/// What the edit left, with the text of each line.
fn found(cx: &Context, file: &File, call: &ToolCall) -> Vec<(Print, String)> {
    let Some(language) = code::languages::of_path(&file.inside) else { return Vec::new() };
    let settings = language.settings();
    let added = added::lines(call);
    // Most edits end here, without a look at the disk.
    if !added.iter().any(|line| settings.prints.may_be_in(&line.text)) {
        return Vec::new();
    }
    let slashed = format!("/{}", file.inside);
    let has = |ends: &[String]| ends.iter().any(|part| slashed.contains(&**part));
    if has(&settings.tests.paths) || purpose::is_testing(&file.inside) || purpose::is_logging(&file.inside) {
        return Vec::new();
    }
    let text = on_code::text(Path::new(&file.path)).filter(|text| text.len() <= MAX_TEXT);
    let Some(text) = text else { return Vec::new() };
    let Some(prints) = prints::find(language, &text) else { return Vec::new() };
    let root = cx.workspace.as_ref().map(|here| Path::new(&here.root));
    let talks = prints.is_program
        // Rust's own attributes begin alike.
        || text.starts_with("#!") && !text.starts_with("#![")
        || settings.prints.files.iter().any(|end| slashed.ends_with(&**end))
        || purpose::is_script(&file.inside)
        || root.is_some_and(|root| purpose::is_program_project(root, &file.inside));
    let lines: Vec<&str> = text.lines().collect();
    let found = prints.found.into_iter().filter(|print| print.sort == Sort::Stray || !talks);
    let found = found.filter_map(|print| {
        let line = lines.get(print.line.checked_sub(1)? as usize)?.trim();
        is_added(&added, print.line, line, &lines).then(|| (print, line.to_owned()))
    });
    found.collect()
}

/// Whether the edit added this line. Where something has changed the file since (a formatter), the text alone tells.
fn is_added(added: &[added::Line], number: u32, text: &str, lines: &[&str]) -> bool {
    added.iter().filter(|line| line.text == text).any(|line| {
        line.number.is_none_or(|at| {
            let there = at.checked_sub(1).and_then(|at| lines.get(at as usize));
            at == number || there.is_none_or(|there| there.trim() != line.text)
        })
    })
}

#[cfg(test)]
mod tests;
