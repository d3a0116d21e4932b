//! Says what is in a large file before it is read, so that the next reads are narrow; notes when lines are read again that
//! have not changed. Where a person chose `strict`, the first whole read of a large file is answered with its outline
//! alone; the same call again goes through.

use std::path::Path;

use atlas::say;
use atlas::{Answer, Question};
use model::{Advice, Detail, Event, EventKind, Item, Millis, ToolCall, Verdict, estimate_tokens};

use super::on_code::{self, Callers, File, READERS};
use crate::behavior::{Behavior, Context};
use crate::desk::Lines;
use crate::page::one_line;
use crate::{Page, Result};

/// A file of fewer lines is read sooner than its outline helps.
const LARGE_LINES: u32 = 300;
/// And of fewer bytes, however its lines are broken.
const LARGE_BYTES: usize = 8_000;
/// An outline of less says nothing.
const MIN_DEFINITIONS: usize = 3;
const TOKENS: u32 = 600;
/// A refusal replaces the read, so it must say everything; under the client's 10,000 characters.
const REFUSAL_TOKENS: usize = 2_200;
/// A search is about the next reads, not about those of an hour later.
const SEARCH_LASTS: Millis = 10 * 60 * 1000;
/// Lines a read gives at most when nobody says how many (the agent's own bound).
const DEFAULT_LIMIT: u32 = 2000;

#[derive(Debug)]
pub(crate) struct MapReads;

impl Behavior for MapReads {
    fn name(&self) -> &'static str {
        "map-reads"
    }

    fn manual(&self) -> &'static str {
        "Before a large source file is read whole, says its outline: every definition with its lines, so that the next \
         reads can be narrow; what was searched for a moment before comes first. Notes when lines are read again that have \
         not changed. In mode `strict` the first whole read of a large file is refused once per content, with the complete \
         outline; the same call again goes through. Never for small files, settings, tests, files the session edits or \
         files that are not on the map yet."
    }

    fn modes(&self) -> &'static [&'static str] {
        &["assist", "strict", "off"]
    }

    fn on(&self) -> &'static [EventKind] {
        // What was read is known afterwards, and is noted there by `facts`: a call that was denied has read nothing.
        &[EventKind::PreToolUse]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Tool(call) = &event.detail else { return Ok(Advice::silent()) };
        let Some(file) = File::of(cx, event, call) else { return Ok(Advice::silent()) };
        if event.kind != EventKind::PreToolUse || !READERS.contains(&call.name.as_str()) {
            return Ok(Advice::silent());
        }
        let Some(text) = on_code::text(Path::new(&file.path)) else { return Ok(Advice::silent()) };
        let content = on_code::content(&text);
        let total = text.lines().count() as u32;
        let asked = lines(call);
        let read = given(asked, total);
        let strict = cx.config.mode(self.name()) == "strict";
        let is_large = total >= LARGE_LINES && text.len() >= LARGE_BYTES;
        let edited = is_edited(cx, event, &file);
        let mut advice = Advice::silent();
        let wants_outline = asked.is_none() && is_large && !edited;
        if wants_outline && let Some(outline) = outline(cx, event, &file) {
            if strict && on_code::desk(cx, event, |desk| desk.refuse(&file.path, content)).unwrap_or(false) {
                // What is refused is not read, but its outline is known now.
                on_code::desk(cx, event, |desk| desk.outline(&file.path, content));
                return Ok(refusal(&file, &outline));
            }
            if on_code::desk(cx, event, |desk| desk.outline(&file.path, content)).unwrap_or(false) {
                advice = note(self.name(), &file, &outline);
            }
        }
        let before = on_code::desk(cx, event, |desk| desk.read_at(&file.path, read, content)).flatten();
        if let Some(before) = before.filter(|_| advice.is_silent() && !edited) {
            advice = again(self.name(), cx.now, before, &file, asked, total);
        }
        Ok(advice)
    }
}

/// Whether the session works on the file itself. It is known by where its links lead.
fn is_edited(cx: &Context, event: &Event, file: &File) -> bool {
    let edits = cx.around.edits(&event.session, 0);
    !edits.is_empty()
        && super::real_path(None, &file.path).is_some_and(|real| edits.binary_search(&real).is_ok())
}

/// What a read that was made has given: the file by its path, the lines and the content they are of.
pub(crate) fn read_lines(root: &Path, event: &Event, call: &ToolCall) -> Option<(String, Lines, u64)> {
    if !READERS.contains(&call.name.as_str()) {
        return None;
    }
    let file = File::below(root, event, call)?;
    let text = on_code::text(Path::new(&file.path))?;
    let read = given(lines(call), text.lines().count() as u32);
    Some((file.path, read, on_code::content(&text)))
}

/// The lines a read gives of a file of so many.
fn given(asked: Option<Lines>, total: u32) -> Lines {
    asked.unwrap_or(Lines { from: 1, to: DEFAULT_LIMIT.min(total.max(1)) })
}

/// The lines a read asks for. `None`: the whole file.
fn lines(call: &ToolCall) -> Option<Lines> {
    let number =
        |names: &[&str]| names.iter().find_map(|name| call.input.get(*name)?.as_u64()).map(|n| n as u32);
    let (offset, limit) = (number(&["offset", "start_line"]), number(&["limit"]));
    if offset.is_none() && limit.is_none() {
        return None;
    }
    let from = offset.unwrap_or(1).max(1);
    Some(Lines { from, to: from.saturating_add(limit.unwrap_or(DEFAULT_LIMIT)).saturating_sub(1) })
}

struct Outline {
    items: Vec<atlas::answer::Item>,
    lines: u32,
    tokens: usize,
    /// What was looked for just before and is in this file, each with who calls it.
    sought: Vec<String>,
}

/// The outline of a file that is worth one.
fn outline(cx: &Context, event: &Event, file: &File) -> Option<Outline> {
    let since = cx.now.saturating_sub(SEARCH_LASTS);
    let names = on_code::desk(cx, event, |desk| desk.searched(since)).unwrap_or_default();
    on_code::map(cx, |atlas| {
        let answer = atlas.reply(&Question::Outline { file: file.inside.clone() }).ok()?;
        let Answer::Outline { items, lines, tokens, broken, language, .. } = answer else { return None };
        let is_program =
            code::languages::by_name(&language).is_some_and(|language| !language.is_outline_only());
        let is_test = items.iter().filter(|item| item.test).count() * 2 > items.len();
        if !is_program
            || is_test
            || items.len() < MIN_DEFINITIONS
            || broken && items.len() < MIN_DEFINITIONS * 4
        {
            return None;
        }
        let sought = items.iter().filter(|item| names.iter().any(|name| is_called(&item.name, name)));
        let sought = sought.take(3).map(|item| {
            let callers = match on_code::callers(atlas, &format!("{}:{}", item.file, item.line), 8) {
                Callers::Sure(callers) => format!("; called from {callers}"),
                Callers::Guessed | Callers::None => String::new(),
            };
            format!(
                "{} {}  {}{callers}",
                say::range(item.line, item.end_line),
                item.name,
                one_line(&item.signature, 120)
            )
        });
        let sought = sought.collect();
        Some(Outline { items, lines, tokens, sought })
    })
    .flatten()
}

/// Whether `Owner.name` goes by this name.
fn is_called(qualified: &str, name: &str) -> bool {
    qualified == name || qualified.rsplit('.').next() == Some(name)
}

fn note(from: &'static str, file: &File, outline: &Outline) -> Advice {
    let mut page = Page::new(TOKENS);
    page.heading(&format!(
        "Outline of {} ({} lines, about {} tokens). A narrow read costs less: offset and limit take a line range from here.",
        one_line(&file.inside, 200),
        outline.lines,
        say::number(outline.tokens)
    ));
    let why = |part: &str| Item {
        memory: None,
        part: part.to_owned(),
        title: file.inside.clone(),
        tokens: 0,
        why: format!("{} definitions in {} lines", outline.items.len(), outline.lines),
    };
    if !outline.sought.is_empty() {
        page.item(&format!("searched for just before:\n{}", outline.sought.join("\n")), why("sought"));
    }
    // The heading and the fence take their part.
    let mut budget = page.room().saturating_sub(40) as usize;
    for _ in 0..4 {
        let short = say::outline(&outline.items, budget);
        if page.item(&spend(&outline.items, &short, budget), why("outline")) {
            break;
        }
        budget = budget * 3 / 4;
    }
    Advice { notes: page.finish(from).into_iter().collect(), ..Advice::silent() }
}

/// An outline within a budget counts everywhere what it has no room for anywhere; what is left of the budget goes to the
/// largest: `617-922  class Router: url_path_for 640-650, … 12 more`.
fn spend(items: &[atlas::answer::Item], outline: &str, budget: usize) -> String {
    let mut lines: Vec<String> = outline.lines().map(str::to_owned).collect();
    let mut counted: Vec<(&atlas::answer::Item, usize, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((head, _)) = line.rsplit_once(" … ").filter(|(_, more)| more.ends_with(" more")) else {
            continue;
        };
        let is_it = |item: &&atlas::answer::Item| {
            line.trim_start().starts_with(&format!("{}  ", say::range(item.line, item.end_line)))
        };
        if let Some(item) = items.iter().find(is_it) {
            counted.push((item, at, head.to_owned()));
        }
    }
    counted.sort_by_key(|(item, ..)| std::cmp::Reverse(item.end_line - item.line));
    for (around, at, head) in counted {
        let inside = |item: &&atlas::answer::Item| {
            item.line >= around.line && item.end_line <= around.end_line && !std::ptr::eq(*item, around)
        };
        let inside: Vec<&atlas::answer::Item> = items.iter().filter(inside).collect();
        let direct = |item: &&&atlas::answer::Item| {
            let parent = item.parent.as_deref().unwrap_or_default();
            parent == around.name || Some(parent) == around.name.rsplit('.').next()
        };
        let names: Vec<String> = inside
            .iter()
            .filter(direct)
            .map(|item| {
                let name = item.name.rsplit('.').next().unwrap_or(&item.name);
                format!("{} {}", one_line(name, 60), say::range(item.line, item.end_line))
            })
            .collect();
        let with = |count: usize| {
            let left = inside.len() - count;
            let more = if left > 0 { format!(" … {left} more") } else { String::new() };
            format!("{head}: {}{more}", names[..count].join(", "))
        };
        let counts = |lines: &[String]| estimate_tokens(&lines.join("\n")) as usize <= budget;
        // The most that fit, by halves.
        let (mut fits, mut most) = (0, names.len());
        while fits < most {
            let middle = (fits + most).div_ceil(2);
            let mut tried = lines.clone();
            tried[at] = with(middle);
            if counts(&tried) { fits = middle } else { most = middle - 1 }
        }
        if fits > 0 {
            lines[at] = with(fits);
        }
    }
    lines.join("\n")
}

fn refusal(file: &File, outline: &Outline) -> Advice {
    let reason = format!(
        "{} has {} lines (about {} tokens). This is its outline; read the lines you need with offset and limit, or make the \
         same call again to read all of it.\n{}",
        one_line(&file.inside, 200),
        outline.lines,
        say::number(outline.tokens),
        crate::fence::sanitize(&say::outline(&outline.items, REFUSAL_TOKENS))
    );
    Advice { verdict: Some(Verdict::Deny { reason }), ..Advice::silent() }
}

fn again(
    from: &'static str,
    now: Millis,
    before: Millis,
    file: &File,
    asked: Option<Lines>,
    total: u32,
) -> Advice {
    let what = match asked {
        Some(lines) => format!("lines {} of ", say::range(lines.from, lines.to.min(total))),
        None => String::new(),
    };
    let ago = match now.saturating_sub(before) / 60_000 {
        0 => "a moment ago".to_owned(),
        1 => "a minute ago".to_owned(),
        minutes => format!("{minutes} minutes ago"),
    };
    Advice::say(
        from,
        format!(
            "{what}{} did not change since this conversation read it {ago}.",
            one_line(&file.inside, 200)
        ),
    )
}

#[cfg(test)]
mod tests;
