//! What the changes in a work tree touch: the definitions whose lines changed since a revision, and what reaches them.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};

use code::{Facts, SymbolId};

use super::uses::{self, Wanted};
use super::{Map, reach, rows};
use crate::answer::{Answer, Item, Removed, Site};
use crate::atlas::{Atlas, Supposed};
use crate::error::AtlasError;
use crate::library::Def;

/// A diff of more is a release, not a change.
const MAX_DIFF: usize = 64 << 20;
/// A larger file is no source that anybody wrote.
const MAX_BLOB: usize = 4 << 20;
/// Files whose text before the change is looked at: a process each.
const MAX_BLOBS: usize = 200;
/// Definitions that are gone, and uses of one, that are told.
const MAX_REMOVED: usize = 200;
const DEPTH: usize = 6;

pub(crate) fn diff_impact(
    atlas: &mut Atlas,
    base: Option<&str>,
    limit: Option<usize>,
) -> Result<Answer, AtlasError> {
    let (base, limit) = (base.unwrap_or("HEAD"), rows(limit));
    // It would be taken for an option.
    if base.starts_with('-') || base.contains(['\0', '\n']) {
        return Err(AtlasError::Unable(format!("\"{base}\" is no revision")));
    }
    let root = atlas.root().to_owned();
    let diff = git(
        &root,
        &[
            "diff",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--relative",
            "-U0",
            base,
            "--",
        ],
    )?;
    let files = hunks(&diff);
    let others = git(&root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let gone = gone(atlas, base, &files);
    let map = Map::new(atlas);
    let mut changed: Vec<Def> =
        files.iter().flat_map(|file| touched(&map, &file.path, &file.lines)).collect();
    // What git does not know yet has changed as a whole.
    let new = others.split('\0').filter_map(|path| map.library.by_path(path));
    changed.extend(new.flat_map(|file| reach::defined_in(&map, file)));
    changed.sort();
    changed.dedup();
    let (removed, broken) = broken(&map, &changed, gone);
    let wave = reach::wave_of(&map, &changed, &broken, reach::Bounds::rows(DEPTH, limit));
    let mut answer = wave.answer(&map, &changed, limit);
    if let Answer::Impact { removed: told, cut, .. } = &mut answer {
        *cut |= removed.len() > limit;
        *told = removed.into_iter().take(limit).collect();
    }
    Ok(answer)
}

/// A definition that was there before the change, and who used it then: the file, the definition around the use, the name
/// it was called by.
struct Gone {
    item: Item,
    uses: HashSet<(String, Option<String>, String)>,
}

/// What the files of a change defined before it and do not now.
fn gone(atlas: &mut Atlas, base: &str, files: &[Changed]) -> Vec<Gone> {
    let root = atlas.root().to_owned();
    let mut before = Vec::new();
    let mut lost: Vec<(String, SymbolId)> = Vec::new();
    for file in files.iter().filter(|file| file.was && file.loses).take(MAX_BLOBS) {
        let now = atlas.library().by_path(&file.path).and_then(|id| atlas.library().leaf(id));
        let language = now.map(|leaf| leaf.language).or_else(|| code::languages::of_path(&file.path));
        let Some(language) = language else { continue };
        // A file whose text cannot be had tells nothing about what was in it.
        let Ok(text) = git(&root, &["show", &format!("{base}:./{}", file.path)]) else { continue };
        let Some(facts) =
            Some(text).filter(|text| text.len() <= MAX_BLOB).and_then(|text| code::facts(language, &text))
        else {
            continue;
        };
        let still = now.map(|leaf| names(leaf.facts())).unwrap_or_default();
        let was = (0..facts.symbols.len()).map(|id| SymbolId(id as u32)).filter(|id| {
            let symbol = &facts.symbols[id.0 as usize];
            let is_told =
                symbol.kind.is_callable() || symbol.kind.is_type() || symbol.kind == code::Kind::Constant;
            is_told && symbol.kind != code::Kind::Impl && !still.contains(&facts.qualified(*id))
        });
        lost.extend(was.map(|id| (file.path.clone(), id)));
        before.push(Supposed { path: file.path.clone(), facts: Some((language, facts)) });
    }
    lost.truncate(MAX_REMOVED);
    if lost.is_empty() {
        return Vec::new();
    }
    // What it meant can only be seen in the workspace as it was.
    atlas.suppose_all(before, |atlas| {
        let map = Map::new(atlas);
        let defs = lost
            .iter()
            .filter_map(|(path, symbol)| Some(Def { file: map.library.by_path(path)?, symbol: *symbol }));
        defs.map(|def| Gone { item: map.item(def), uses: used(&map, def) }).collect()
    })
}

fn used(map: &Map<'_>, def: Def) -> HashSet<(String, Option<String>, String)> {
    let uses = uses::of(map, &[def], Wanted::All).into_iter().filter_map(|found| {
        let facts = map.library.facts(found.file)?;
        let around = found.reference.within.map(|within| facts.qualified(within));
        let name = facts.text(found.reference.name).to_owned();
        Some((map.library.path(found.file).to_owned(), around, name))
    });
    uses.collect()
}

/// The names a file's definitions go by.
fn names(facts: &Facts) -> HashSet<String> {
    (0..facts.symbols.len()).map(|id| facts.qualified(SymbolId(id as u32))).collect()
}

/// What is gone with the uses that still stand there and mean nothing now, and the definitions around those. What is
/// elsewhere now and missed by nobody has only moved.
fn broken(map: &Map<'_>, changed: &[Def], gone: Vec<Gone>) -> (Vec<Removed>, Vec<(Def, u32)>) {
    let new: HashSet<String> = changed.iter().map(|def| map.item(*def).name).collect();
    let (mut removed, mut around) = (Vec::new(), Vec::new());
    for Gone { item, uses } in gone {
        let mut users: Vec<Site> = Vec::new();
        for (path, within, name) in &uses {
            let Some(leaf) = map.library.by_path(path).and_then(|file| map.library.leaf(file)) else {
                continue;
            };
            let Some((file, id)) = map.library.by_path(path).zip(leaf.index().name_id(name)) else {
                continue;
            };
            for index in leaf.index().references(id) {
                let reference = leaf.facts().references[*index as usize];
                let is_there = reference.within.map(|within| leaf.facts().qualified(within)) == *within;
                if is_there && map.resolver.resolve(file, &reference).defs.is_empty() {
                    users.push(uses::lost(map, file, reference));
                    around.extend(map.enclosing(file, reference.within).map(|def| (def, reference.line)));
                }
            }
        }
        users.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        users.truncate(MAX_REMOVED);
        if !users.is_empty() || !new.contains(&item.name) {
            removed.push(Removed { item, users });
        }
    }
    around.sort();
    around.dedup_by_key(|(def, _)| *def);
    (removed, around)
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, AtlasError> {
    let output = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotepath=false"])
        .args(arguments)
        .current_dir(root)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| AtlasError::Unable(format!("git cannot be run: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ").to_owned();
        return Err(AtlasError::Unable(format!("git {}: {said}", arguments[0])));
    }
    if output.stdout.len() > MAX_DIFF {
        return Err(AtlasError::Unable(
            "the difference is larger than 64 MB; name a nearer revision".to_owned(),
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

type Ranges = Vec<(u32, u32)>;

/// A file of a difference.
#[derive(Debug, Default, PartialEq, Eq)]
struct Changed {
    path: String,
    /// As it is now.
    lines: Ranges,
    /// Whether there was such a file before.
    was: bool,
    /// Whether lines of it are gone.
    loses: bool,
}

/// The files of a difference with their changed lines: `@@ -a,b +c,d @@`.
fn hunks(diff: &str) -> Vec<Changed> {
    let mut files: Vec<Changed> = Vec::new();
    let path_of = |path: &str, side: &str| {
        let path = path.trim_end_matches('\t').trim_matches('"');
        (path != "/dev/null").then(|| path.strip_prefix(side).unwrap_or(path).to_owned())
    };
    let mut before = None;
    // A line that is gone may look like a head: `--- ` of a list. Heads come before the first hunk of a file.
    let mut in_head = false;
    for line in diff.lines() {
        if line.starts_with("diff --git ") {
            (in_head, before) = (true, None);
        } else if let Some(path) = line.strip_prefix("--- ").filter(|_| in_head) {
            before = path_of(path, "a/");
        } else if let Some(path) = line.strip_prefix("+++ ").filter(|_| in_head) {
            let (was, now) = (before.is_some(), path_of(path, "b/"));
            let Some(path) = now.or(before.take()) else { continue };
            files.push(Changed { path, was, ..Changed::default() });
            in_head = false;
        } else if let Some(rest) = line.strip_prefix("@@ ")
            && let Some(file) = files.last_mut().filter(|_| !in_head)
        {
            let count_of = |sign: char| {
                let range = rest.split(' ').find_map(|part| part.strip_prefix(sign))?;
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                Some((start.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
            };
            file.loses |= count_of('-').is_some_and(|(_, count)| count > 0);
            if let Some((start, count)) = count_of('+') {
                // Lines that are only gone leave a seam.
                file.lines.push((start.max(1), (start + count).saturating_sub(1).max(start.max(1))));
            }
        }
    }
    files
}

/// The innermost definitions these lines stand in.
fn touched(map: &Map<'_>, path: &str, lines: &[(u32, u32)]) -> Vec<Def> {
    let Some(file) = map.library.by_path(path) else { return Vec::new() };
    let Some(facts) = map.library.facts(file) else { return Vec::new() };
    let overlaps = |id: usize| {
        let span = facts.symbols[id].span;
        lines.iter().any(|(from, to)| span.line <= *to && *from <= span.end_line)
    };
    let all: Vec<usize> = (0..facts.symbols.len()).filter(|id| overlaps(*id)).collect();
    let inner = all.iter().copied().filter(|id| {
        // One that holds another that changed has changed itself only if lines of its own did.
        let holds =
            all.iter().any(|other| facts.around(SymbolId(*other as u32)).any(|at| at.0 as usize == *id));
        let callable = facts.symbols[*id].kind.is_callable();
        (callable || !holds) && facts.symbols[*id].kind != code::Kind::Impl
    });
    inner.map(|id| Def { file, symbol: SymbolId(id as u32) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_diff_are_those_of_the_file_as_it_is_now() {
        let diff = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,4 @@ fn f()\n+a\n@@ -9 +11 @@\n+b\n@@ -20,2 +21,0 @@\n\
                    --- a/no.rs\n+++ b/head.rs\ndiff --git a/gone.rs b/gone.rs\n--- a/gone.rs\n+++ /dev/null\n@@ -1,5 +0,0 @@\n\
                    diff --git a/new.rs b/new.rs\n--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1,2 @@\n";
        let changed = |path: &str, lines: &[(u32, u32)], was, loses| Changed {
            path: path.to_owned(),
            lines: lines.to_vec(),
            was,
            loses,
        };
        let expected = [
            changed("x.rs", &[(3, 6), (11, 11), (21, 21)], true, true),
            changed("gone.rs", &[(1, 1)], true, true),
            changed("new.rs", &[(1, 2)], false, false),
        ];
        assert_eq!(hunks(diff), expected);
    }
}
