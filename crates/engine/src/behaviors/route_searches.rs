//! Answers a search beside its output: where what is searched for is defined, and who calls it. Never refuses one, never
//! changes one, and runs nothing: a command is read, not executed.

mod command;
mod pattern;

use atlas::answer::Item as Definition;
use atlas::{Answer, Atlas, Question, say};
use model::{Advice, Detail, Event, EventKind, Item, ToolCall};

use self::command::Looked;
use self::pattern::Sought;
use super::on_code::{self, Callers};
use crate::behavior::{Behavior, Context, Late};
use crate::page::one_line;
use crate::{Page, Result};

const TOKENS: u32 = 200;
/// Names of one search that are answered.
const MAX_NAMES: usize = 3;
/// Definitions of one name that are told; more are a common word.
const MAX_DEFINITIONS: usize = 3;
const MAX_CALLERS: usize = 6;
/// Definitions of one name that are looked at.
const MAX_LOOKED_AT: usize = 64;
/// Definitions of one name that may be meant, where nothing tells which.
const MAX_OF_A_NAME: usize = 16;
/// Definitions of a file that are named.
const MAX_HEADS: usize = 8;
/// A name of fewer letters is too common to be meant.
const MIN_LETTERS: usize = 3;

#[derive(Debug)]
pub(crate) struct RouteSearches;

impl Behavior for RouteSearches {
    fn name(&self) -> &'static str {
        "route-searches"
    }

    fn manual(&self) -> &'static str {
        "When an agent searches (Grep, or `grep`, `rg`, `ag`, `git grep`, `find` in a shell command, which is read and never \
         run), says beside the real output where the name is defined, its kind and signature, and who surely calls it. Text \
         with blanks is literal: it is answered where a definition's own line has it. A file that `find` looks for by its \
         whole name comes with the first of what it defines. What was searched for comes first in the outline of the \
         next large file. Says nothing twice, and nothing about names that are not defined in the workspace."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn late(&self, _cx: &Context, _event: &Event) -> Late {
        // The call has been made by then; what it is about is as true beside its result.
        Late::Turn
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Tool(call) = &event.detail else { return Ok(Advice::silent()) };
        let looked = looked_for(call);
        if looked == Looked::default() {
            return Ok(Advice::silent());
        }
        let found = on_code::map(cx, |atlas| answer(atlas, &looked)).unwrap_or_default();
        if found.is_empty() {
            return Ok(Advice::silent());
        }
        let mut page = Page::new(TOKENS);
        page.heading("On the code map (the search itself runs as asked):");
        on_code::desk(cx, event, |desk| {
            for found in found {
                let content = on_code::content(&found.text);
                if page.fits(&found.text) && desk.tell(found.key, content) {
                    let item = Item {
                        memory: None,
                        part: found.part.to_owned(),
                        title: found.name,
                        tokens: 0,
                        why: found.why,
                    };
                    page.item(&found.text, item);
                }
            }
        });
        Ok(Advice { notes: page.finish(self.name()).into_iter().collect(), ..Advice::silent() })
    }
}

struct Found {
    name: String,
    /// Under which it is said once.
    key: String,
    part: &'static str,
    text: String,
    why: String,
}

/// The names that a tool call searches for, whether the map knows them or not.
pub(crate) fn looked_for_names(call: &ToolCall) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for pattern in &looked_for(call).patterns {
        for sought in pattern::names(pattern) {
            if names.len() < MAX_NAMES && sought.name.len() >= MIN_LETTERS && !names.contains(&sought.name) {
                names.push(sought.name);
            }
        }
    }
    names
}

/// What a tool call searches for.
fn looked_for(call: &ToolCall) -> Looked {
    let text = |key: &str| call.input.get(key).and_then(|value| value.as_str());
    match call.name.as_str() {
        "Grep" | "grep" | "search_file_content" => {
            Looked { patterns: text("pattern").map(str::to_owned).into_iter().collect(), ..Looked::default() }
        }
        "Bash" | "Shell" | "run_shell_command" | "bash" => {
            text("command").map(command::looked_for).unwrap_or_default()
        }
        _ => Looked::default(),
    }
}

fn answer(atlas: &Atlas, looked: &Looked) -> Vec<Found> {
    let (mut found, mut said) = (Vec::new(), Vec::new());
    for pattern in &looked.patterns {
        for sought in pattern::names(pattern) {
            if found.len() >= MAX_NAMES || sought.name.len() < MIN_LETTERS {
                continue;
            }
            if let Some(text) = defined(atlas, &sought, &mut said) {
                let key = match &sought.receiver {
                    Some(receiver) => format!("{receiver}.{}", sought.name),
                    None => sought.name.clone(),
                };
                let why = format!("searched for: {}", one_line(pattern, 80));
                found.push(Found { name: sought.name, key, part: "definition", text, why });
            }
        }
    }
    for file in &looked.files {
        if found.len() < MAX_NAMES
            && let Some((path, text)) = head(atlas, file)
        {
            let why = format!("looked for: {}", one_line(file, 80));
            found.push(Found { name: path.clone(), key: format!("head {path}"), part: "file", text, why });
        }
    }
    found
}

/// Where a name is defined and who calls it; nothing of what was said already.
fn defined(atlas: &Atlas, sought: &Sought, said: &mut Vec<(String, u32)>) -> Option<String> {
    let Sought { receiver, name, phrase } = sought;
    let asked = Question::Symbol { name: name.clone(), kind: None, limit: Some(MAX_LOOKED_AT) };
    let Ok(Answer::Items { items, total }) = atlas.reply(&asked) else { return None };
    // The map also finds names that only begin so; what is searched for is the name itself.
    let mut exact: Vec<&Definition> =
        items.iter().filter(|item| item.name.rsplit('.').next() == Some(name)).collect();
    if let Some(phrase) = phrase {
        exact.retain(|item| pattern::has_phrase(&item.signature, phrase));
    }
    let is_told_apart = receiver.as_deref().is_some_and(|receiver| narrow(&mut exact, receiver));
    if exact.is_empty() || !is_told_apart && phrase.is_none() && total > MAX_OF_A_NAME {
        return None;
    }
    let place = |item: &Definition| (item.file.clone(), item.line);
    exact.retain(|item| !said.contains(&place(item)));
    if exact.is_empty() {
        return None;
    }
    said.extend(exact.iter().map(|item| place(item)));
    let mut text = String::new();
    for item in exact.iter().take(MAX_DEFINITIONS) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line(item));
    }
    if exact.len() > MAX_DEFINITIONS {
        text.push_str(&format!("\nand {} more of that name", exact.len() - MAX_DEFINITIONS));
    }
    let symbol = match &exact[..] {
        [only] => format!("{}:{}", only.file, only.line),
        // Callers of a few of several would be told as those of all.
        _ if is_told_apart || phrase.is_some() => return Some(text),
        _ => name.clone(),
    };
    match on_code::callers(atlas, &symbol, MAX_CALLERS) {
        Callers::Sure(callers) => text.push_str(&format!("\ncalled from {callers}")),
        Callers::None if exact.len() == 1 && matches!(&*exact[0].kind, "function" | "method") => {
            text.push_str("\nno call of it is seen in this workspace");
        }
        Callers::None | Callers::Guessed => {}
    }
    Some(text)
}

/// Keeps those whose owner, or else whose file, goes by what stands before the name; all where none does.
fn narrow(exact: &mut Vec<&Definition>, receiver: &str) -> bool {
    let fold = |name: &str| name.replace('_', "").to_lowercase();
    let receiver = fold(receiver);
    let owner = |item: &Definition| item.name.rsplit('.').nth(1).map(fold).unwrap_or_default();
    let file = |item: &Definition| {
        let base = item.file.rsplit('/').next().unwrap_or(&item.file);
        fold(base.split('.').next().unwrap_or(base))
    };
    let is_owner = |item: &Definition| owner(item) == receiver;
    // `user_store.save` of a Store, `ws.close` of nobody.
    let is_like = |item: &Definition| owner(item).len() >= MIN_LETTERS && receiver.ends_with(&owner(item));
    let is_file = |item: &Definition| file(item) == receiver;
    for fits in [&is_owner as &dyn Fn(&Definition) -> bool, &is_like, &is_file] {
        if exact.iter().any(|item| fits(item)) {
            exact.retain(|item| fits(item));
            return true;
        }
    }
    false
}

/// The path of the only file of this name, and what it defines, in a line.
fn head(atlas: &Atlas, name: &str) -> Option<(String, String)> {
    let library = atlas.library();
    let is_called = |path: &str| path.rsplit('/').next().is_some_and(|base| base.eq_ignore_ascii_case(name));
    let mut paths = library.files().filter_map(|file| library.leaf(file)).map(|leaf| leaf.path.to_string());
    let path = paths.find(|path| is_called(path))?;
    if paths.any(|path| is_called(&path)) {
        return None;
    }
    let answer = atlas.reply(&Question::Outline { file: path.clone() }).ok()?;
    let Answer::Outline { items, lines, .. } = answer else { return None };
    let top: Vec<&Definition> = items.iter().filter(|item| item.parent.is_none()).collect();
    if top.is_empty() {
        return None;
    }
    let names = top.iter().take(MAX_HEADS).map(|item| {
        format!("{} {} {}", item.kind, one_line(&item.name, 60), say::range(item.line, item.end_line))
    });
    let mut text = format!("{path} ({lines} lines): {}", names.collect::<Vec<_>>().join(", "));
    if top.len() > MAX_HEADS {
        text.push_str(&format!(" and {} more", top.len() - MAX_HEADS));
    }
    Some((path, text))
}

fn line(item: &Definition) -> String {
    let range = say::range(item.line, item.end_line);
    format!("{}:{range} {} {}: {}", item.file, item.kind, item.name, one_line(&item.signature, 140))
}

#[cfg(test)]
mod tests;
