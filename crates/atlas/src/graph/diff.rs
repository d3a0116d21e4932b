//! What the changes in a work tree touch: the definitions whose lines changed since a revision, and what reaches them.

use std::path::Path;
use std::process::{Command, Stdio};

use code::SymbolId;

use super::{Map, reach};
use crate::answer::Answer;
use crate::error::AtlasError;
use crate::library::Def;

/// A diff of more is a release, not a change.
const MAX_DIFF: usize = 64 << 20;
const DEPTH: usize = 6;

pub(super) fn diff_impact(map: &Map<'_>, base: Option<&str>, limit: usize) -> Result<Answer, AtlasError> {
    let base = base.unwrap_or("HEAD");
    // It would be taken for an option.
    if base.starts_with('-') || base.contains(['\0', '\n']) {
        return Err(AtlasError::Unable(format!("\"{base}\" is no revision")));
    }
    let root = map.atlas.root();
    let mut changed = Vec::new();
    let diff = git(
        root,
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
    for (path, lines) in hunks(&diff) {
        changed.extend(touched(map, &path, &lines));
    }
    // What git does not know yet has changed as a whole.
    for path in git(root, &["ls-files", "--others", "--exclude-standard", "-z"])?.split('\0') {
        if let Some(file) = map.library.by_path(path) {
            changed.extend(reach::defined_in(map, file));
        }
    }
    changed.sort();
    changed.dedup();
    let wave = reach::wave(map, &changed, reach::Bounds::rows(DEPTH, limit));
    Ok(wave.answer(map, &changed, limit))
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

/// The changed lines of every file as it is now: `@@ -a,b +c,d @@`.
fn hunks(diff: &str) -> Vec<(String, Ranges)> {
    let mut files: Vec<(String, Ranges)> = Vec::new();
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            let path = path.trim_end_matches('\t').trim_matches('"');
            files.push((path.strip_prefix("b/").unwrap_or(path).to_owned(), Vec::new()));
        } else if let Some(rest) = line.strip_prefix("@@ ")
            && let Some((_, ranges)) = files.last_mut()
            && let Some(range) = rest.split(' ').find_map(|part| part.strip_prefix('+'))
        {
            let (start, count) = range.split_once(',').unwrap_or((range, "1"));
            let (Ok(start), Ok(count)) = (start.parse::<u32>(), count.parse::<u32>()) else { continue };
            // Lines that are only gone leave a seam.
            ranges.push((start.max(1), (start + count).saturating_sub(1).max(start.max(1))));
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
                    --- a/gone.rs\n+++ /dev/null\n@@ -1,5 +0,0 @@\n";
        let found = hunks(diff);
        assert_eq!(found[0], ("x.rs".to_owned(), vec![(3, 6), (11, 11), (21, 21)]));
        assert_eq!(found[1].0, "/dev/null");
    }
}
