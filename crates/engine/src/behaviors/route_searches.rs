//! Answers a search beside its output: where what is searched for is defined, and who calls it. Never refuses one, never
//! changes one, and runs nothing: a command is read, not executed.

mod command;
mod pattern;

use atlas::answer::Item as Definition;
use atlas::{Answer, Atlas, Question, say};
use model::{Advice, Detail, Event, EventKind, Item, ToolCall};

use super::on_code;
use crate::behavior::{Behavior, Context};
use crate::page::one_line;
use crate::{Page, Result};

const TOKENS: u32 = 200;
/// Names of one search that are answered.
const MAX_NAMES: usize = 3;
/// Definitions of one name that are told; more are a common word.
const MAX_DEFINITIONS: usize = 3;
const MAX_CALLERS: usize = 6;
/// Hits of a question in words, and what they must be worth.
const MAX_MEANT: usize = 3;
const MIN_SCORE: f32 = 0.45;
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
         run), says beside the real output where the name is defined, its kind and signature, and who calls it; a question \
         in words gets the definitions nearest in meaning. What was searched for comes first in the outline of the next \
         large file. Says nothing twice, and nothing about names that are not defined in the workspace."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Tool(call) = &event.detail else { return Ok(Advice::silent()) };
        let patterns = patterns(call);
        if patterns.is_empty() {
            return Ok(Advice::silent());
        }
        let found = on_code::map(cx, |atlas| answer(atlas, &patterns)).unwrap_or_default();
        if found.is_empty() {
            return Ok(Advice::silent());
        }
        let names: Vec<String> = found.iter().map(|found| found.name.clone()).collect();
        let mut page = Page::new(TOKENS);
        page.heading("On the code map (the search itself runs as asked):");
        on_code::desk(cx, event, |desk| {
            desk.search(names, cx.now);
            for found in found {
                let content = on_code::content(&found.text);
                if page.fits(&found.text) && desk.tell(found.name.clone(), content) {
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
    part: &'static str,
    text: String,
    why: String,
}

/// What a tool call searches for.
fn patterns(call: &ToolCall) -> Vec<String> {
    let text = |key: &str| call.input.get(key).and_then(|value| value.as_str());
    match call.name.as_str() {
        "Grep" | "grep" | "search_file_content" => text("pattern").map(str::to_owned).into_iter().collect(),
        "Bash" | "Shell" | "run_shell_command" | "bash" => {
            text("command").map(command::patterns).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn answer(atlas: &mut Atlas, patterns: &[String]) -> Vec<Found> {
    let mut found = Vec::new();
    for pattern in patterns {
        for name in pattern::names(pattern) {
            if found.len() >= MAX_NAMES || found.iter().any(|known: &Found| known.name == name) {
                continue;
            }
            let letters = name.rsplit('.').next().unwrap_or(&name).len();
            if letters >= MIN_LETTERS
                && let Some(text) = defined(atlas, &name)
            {
                let why = format!("searched for: {}", one_line(pattern, 80));
                found.push(Found { name, part: "definition", text, why });
            }
        }
        if found.is_empty()
            && let Some(question) = pattern::question(pattern)
        {
            found.extend(meant(atlas, &question));
        }
    }
    found
}

/// Where a name is defined and who calls it.
fn defined(atlas: &Atlas, name: &str) -> Option<String> {
    let Ok(Answer::Items { items, total }) =
        atlas.reply(&Question::Symbol { name: name.to_owned(), kind: None, limit: Some(16) })
    else {
        return None;
    };
    // The map also finds names that only begin so; what is searched for is the name itself.
    let last = name.rsplit('.').next().unwrap_or(name);
    let exact: Vec<&Definition> =
        items.iter().filter(|item| item.name.rsplit('.').next() == Some(last)).collect();
    if exact.is_empty() || total > items.len() {
        return None;
    }
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
    if let Ok(Answer::Sites { sites, total, .. }) =
        atlas.reply(&Question::Callers { symbol: name.to_owned(), limit: Some(MAX_CALLERS) })
    {
        if total > 0 {
            text.push_str(&format!("\ncalled from {}", on_code::called_from(&sites, total)));
        } else if exact.len() == 1 && matches!(&*exact[0].kind, "function" | "method") {
            text.push_str("\nno call of it is seen in this workspace");
        }
    }
    Some(text)
}

fn line(item: &Definition) -> String {
    let range = say::range(item.line, item.end_line);
    format!("{}:{range} {} {}: {}", item.file, item.kind, item.name, one_line(&item.signature, 140))
}

/// What is nearest in meaning to a question.
fn meant(atlas: &mut Atlas, question: &str) -> Vec<Found> {
    let asked = Question::Search { query: question.to_owned(), under: None, limit: Some(MAX_MEANT) };
    let Ok(Answer::Search { hits }) = atlas.answer(&asked) else { return Vec::new() };
    let good = hits.into_iter().filter(|hit| hit.score >= MIN_SCORE && !hit.item.test);
    good.map(|hit| Found {
        text: line(&hit.item),
        name: hit.item.name,
        part: "meant",
        why: format!("near in meaning ({:.2})", hit.score),
    })
    .collect()
}

#[cfg(test)]
mod tests;
