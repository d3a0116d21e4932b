//! The file that was meant by a path that does not exist.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::{Event, Outcome, ToolCall};
use store::Batch;

use super::{FailureAnswer, home_of, homes};
use crate::Result;
use crate::behavior::Context;
use crate::page::one_line;
use crate::paths::without_detours;

/// The tools that are given one path.
pub(super) const TOOLS: &[&str] = &[
    "Read",
    "Edit",
    "MultiEdit",
    "NotebookRead",
    "NotebookEdit",
    "Grep",
    "Glob",
    "LS",
    "read_file",
    "view",
    "replace",
    "list_directory",
    "search_file_content",
];
/// Files of one name that are compared.
const MAX_SEEN: usize = 12;
/// Entries of folders that are looked at: a larger tree is not searched to its end.
const MAX_ENTRIES: usize = 20_000;
const LOOKING: Duration = Duration::from_millis(40);
/// Folders that hold nothing a person wrote.
const SKIPPED: &[&str] = &["node_modules", "target", "dist", "build", "vendor", "__pycache__", "venv"];
/// From this likeness on another name may have been meant.
const ALIKE: f64 = 0.78;
const TOKENS: u32 = 60;

/// Notes a file that a call has read or written.
pub(super) fn see(batch: &mut Batch<'_>, event: &Event, call: &ToolCall) -> Result<()> {
    if !matches!(call.outcome, Outcome::Succeeded { .. })
        || !matches!(
            call.name.as_str(),
            "Read" | "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "read_file" | "write_file" | "replace"
        )
    {
        return Ok(());
    }
    let (Some(home), Some(root), Some(path)) = (home_of(event), event.context.get("root"), path_in(call))
    else {
        return Ok(());
    };
    if let Ok(inside) = Path::new(path).strip_prefix(root)
        && let Some(inside) = inside.to_str().filter(|inside| !inside.is_empty())
    {
        batch.see_file(&home, inside, event.at)?;
    }
    Ok(())
}

/// Says where the file is, if there is one that must have been meant.
pub(super) fn meant(cx: &Context, event: &Event, call: &ToolCall) -> Result<Option<FailureAnswer>> {
    let (Some(here), Some(given)) = (cx.workspace.as_ref(), path_in(call)) else { return Ok(None) };
    let root = Path::new(&here.root);
    let wrong =
        without_detours(&event.cwd.as_deref().map_or_else(|| given.into(), |cwd| Path::new(cwd).join(given)));
    let Some(name) = wrong.file_name().and_then(|name| name.to_str()) else { return Ok(None) };
    if wrong.exists() {
        return Ok(None);
    }
    let mut found: Vec<PathBuf> = cx.read(|tables| {
        let mut found = Vec::new();
        for home in homes(tables, Some(here), &[])? {
            found.extend(tables.seen_files(&home, &name.to_lowercase(), MAX_SEEN)?);
        }
        Ok(found.into_iter().map(PathBuf::from).filter(|path| root.join(path).exists()).collect())
    })?;
    let until = cx.until.min(Instant::now() + LOOKING);
    let around = NameSearch::look(root, name, until);
    for path in around.same {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    let wrong_inside = wrong.strip_prefix(root).unwrap_or(&wrong);
    let best = match clearest(&found, wrong_inside) {
        Some(best) => Some(best),
        // A name that is nearly the same is meant where it is the only one.
        None if found.is_empty() && around.is_whole => around.alike,
        None => None,
    };
    let error = if let Outcome::Failed { error, .. } = &call.outcome { error.as_str() } else { "" };
    let Some(path) = best.as_deref().and_then(Path::to_str).filter(|path| !error.contains(path)) else {
        return Ok(None);
    };
    Ok(Some(FailureAnswer {
        line: format!("That path is not there; `{}` is.", one_line(path, 200)),
        title: one_line(path, 120),
        why: "the only one of that name in the workspace".to_owned(),
        once: format!("path {} {path}", wrong.display()),
        tokens: TOKENS,
    }))
}

fn path_in(call: &ToolCall) -> Option<&str> {
    ["file_path", "path", "absolute_path", "notebook_path", "dir_path"]
        .iter()
        .find_map(|key| call.input.get(*key)?.as_str())
}

/// The only one, or the one that has more of the wrong path in common than any other.
fn clearest(found: &[PathBuf], wrong: &Path) -> Option<PathBuf> {
    if let [only] = found {
        return Some(only.clone());
    }
    let shared = |path: &PathBuf| {
        path.components().filter(|part| wrong.components().any(|other| other == *part)).count()
    };
    let best = found.iter().max_by_key(|path| shared(path))?;
    let rivals = found.iter().filter(|path| shared(path) == shared(best)).count();
    (rivals == 1).then(|| best.clone())
}

/// What a search of the workspace by name found.
#[derive(Default)]
struct NameSearch {
    same: Vec<PathBuf>,
    /// The one whose name is nearest, if no other is as near.
    alike: Option<PathBuf>,
    /// Every folder was looked into.
    is_whole: bool,
}

impl NameSearch {
    /// Looks through the workspace, nearest to its root first, as far as there is time.
    fn look(root: &Path, name: &str, until: Instant) -> Self {
        let wanted = name.to_lowercase();
        let mut found = Self::default();
        let mut nearest = ALIKE;
        let mut folders = std::collections::VecDeque::from([root.to_owned()]);
        let mut entries = 0_usize;
        while let Some(folder) = folders.pop_front() {
            let Ok(listed) = fs::read_dir(&folder) else { continue };
            for entry in listed.flatten() {
                entries += 1;
                if entries > MAX_ENTRIES || entries.is_multiple_of(256) && Instant::now() >= until {
                    return found;
                }
                let entry_name = entry.file_name();
                let Some(entry_name) = entry_name.to_str() else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                let Ok(inside) = path.strip_prefix(root) else { continue };
                let lower = entry_name.to_lowercase();
                if lower == wanted {
                    found.same.push(inside.to_owned());
                } else if found.same.is_empty() && kind.is_file() {
                    let likeness = likeness(&lower, &wanted);
                    if likeness > nearest {
                        nearest = likeness;
                        found.alike = Some(inside.to_owned());
                    } else if likeness >= nearest && found.alike.is_some() {
                        // Two that are as near: neither was surely meant.
                        nearest = likeness + f64::EPSILON;
                        found.alike = None;
                    }
                }
                if kind.is_dir() && !entry_name.starts_with('.') && !SKIPPED.contains(&entry_name) {
                    folders.push_back(path);
                }
            }
        }
        found.is_whole = true;
        found
    }
}

/// The share of letters that two names have in common in the same order: 1 for equal ones.
fn likeness(one: &str, other: &str) -> f64 {
    let (one, other): (Vec<char>, Vec<char>) =
        (one.chars().take(80).collect(), other.chars().take(80).collect());
    let total = one.len() + other.len();
    // Names of very different lengths cannot be near: most are told apart here.
    if total == 0 || 2 * one.len().min(other.len()) * 100 < 78 * total {
        return 0.0;
    }
    let mut row = vec![0_usize; other.len() + 1];
    for left in &one {
        let mut diagonal = 0;
        for (at, right) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if left == right { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    2.0 * row[other.len()] as f64 / total as f64
}
