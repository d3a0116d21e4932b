//! What the behaviors about code share: which file a tool call is about, the map it is on, the desk of its conversation.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use atlas::answer::Site;
use atlas::{Answer, Atlas, Question};
use model::{Detail, Event, ToolCall};

use crate::behavior::{Context, Late};
use crate::desk::Desk;
use crate::paths::without_detours;

/// The tools that read one file, in the words of the agents that have one.
pub(super) const READERS: &[&str] = &["Read", "read_file", "view"];
/// The tools that change one file.
pub(super) const EDITORS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// A file of the workspace.
#[derive(Debug, Clone)]
pub(super) struct File {
    /// Absolute, without detours.
    pub(super) path: String,
    /// In the workspace.
    pub(super) inside: String,
}

impl File {
    /// The file of the workspace that a tool call is about.
    pub(super) fn of(cx: &Context, event: &Event, call: &ToolCall) -> Option<Self> {
        Self::below(Path::new(&cx.workspace.as_ref()?.root), event, call)
    }

    /// The same, where the workspace's folder is all that is known.
    pub(super) fn below(root: &Path, event: &Event, call: &ToolCall) -> Option<Self> {
        let given = ["file_path", "path", "absolute_path", "notebook_path"]
            .iter()
            .find_map(|key| call.input.get(*key)?.as_str())?;
        let whole = event.cwd.as_deref().map_or_else(|| given.into(), |cwd| Path::new(cwd).join(given));
        let path = without_detours(&whole);
        let inside = match path.strip_prefix(root) {
            Ok(inside) => inside.to_owned(),
            // The workspace is known by its real path; the agent may have come by a link.
            Err(_) => path.canonicalize().ok()?.strip_prefix(root).ok()?.to_owned(),
        };
        let inside = inside.to_str().filter(|inside| !inside.is_empty())?.to_owned();
        Some(Self { path: path.to_str()?.to_owned(), inside })
    }
}

/// What is said of an edit holds as long as the file is as the edit left it.
pub(super) fn while_unchanged(cx: &Context, event: &Event) -> Late {
    let Detail::Tool(call) = &event.detail else { return Late::Never };
    File::of(cx, event, call).map_or(Late::Never, |file| Late::Unchanged(file.path.into()))
}

/// The text of a file that is small enough to be mapped. A pipe is not waited for.
pub(super) fn text(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > code::MAX_TEXT as u64 {
        return None;
    }
    String::from_utf8(fs::read(path).ok()?).ok()
}

/// Tells contents apart within one conversation.
pub(super) fn content(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Asks the map of the workspace, if there is one by now.
pub(super) fn map<T>(cx: &Context, ask: impl FnOnce(&mut Atlas) -> T) -> Option<T> {
    let root = &cx.workspace.as_ref()?.root;
    let (mut ask, mut answer) = (Some(ask), None);
    cx.around.map(Path::new(root), cx.until, &mut |atlas| {
        if let Some(ask) = ask.take() {
            answer = Some(ask(atlas));
        }
    });
    answer
}

/// Asks the desk of the conversation an event belongs to.
pub(super) fn desk<T>(cx: &Context, event: &Event, ask: impl FnOnce(&mut Desk) -> T) -> Option<T> {
    let (mut ask, mut answer) = (Some(ask), None);
    let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
    cx.around.desk(&event.session, subagent, &mut |desk| {
        if let Some(ask) = ask.take() {
            answer = Some(ask(desk));
        }
    });
    answer
}

/// Who calls something.
pub(super) enum Callers {
    /// Calls whose receiver is known, as few words as it takes.
    Sure(String),
    /// Somebody may; a guess is not told as a fact.
    Guessed,
    None,
}

/// Callers that are looked at to find those that are sure.
const MAX_LOOKED_AT: usize = 64;

pub(super) fn callers(atlas: &Atlas, symbol: &str, most: usize) -> Callers {
    let asked = Question::Callers { symbol: symbol.to_owned(), limit: Some(MAX_LOOKED_AT) };
    let Ok(Answer::Sites { sites, total, .. }) = atlas.reply(&asked) else { return Callers::Guessed };
    let mut sure: Vec<Site> = sites.into_iter().filter(|site| site.sure).collect();
    let found = sure.len();
    if found == 0 {
        return if total == 0 { Callers::None } else { Callers::Guessed };
    }
    sure.truncate(most);
    Callers::Sure(called_from(&sure, found))
}

/// `a.py:12 in f, 40 in g; b.py:3 and 5 more`, as few words as it takes.
fn called_from(sites: &[Site], total: usize) -> String {
    let mut text = String::new();
    let mut file = "";
    for site in sites {
        let place = if site.name == "<module>" {
            site.line.to_string()
        } else {
            format!("{} in {}", site.line, site.name)
        };
        if site.file == file {
            text.push_str(&format!(", {place}"));
        } else {
            let sign = if text.is_empty() { "" } else { "; " };
            text.push_str(&format!("{sign}{}:{place}", site.file));
            file = &site.file;
        }
    }
    if total > sites.len() {
        text.push_str(&format!(" and {} more", total - sites.len()));
    }
    text
}

#[cfg(test)]
pub(crate) mod world;
