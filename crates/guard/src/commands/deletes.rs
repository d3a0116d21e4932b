//! Whole folders that are deleted, or whose rights are changed.

use super::Verdict;
use super::look::{Look, Parsed};
use super::pattern::glob;
use super::place::{Reach, Target, is_temporary};
use super::shipped::{
    DELETE_OUTSIDE, DELETE_ROOT, Finding, OPEN_ROOT, REWRITE_HISTORY, RIGHTS_OUTSIDE, Shipped,
};
use crate::shell::{Command, Word, Wrap, find_folders};

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        let program = look.program(at);
        let found = match program.as_deref() {
            Some("rm" | "grm" | "srm" | "rimraf") => {
                deleted(look, command, program.as_deref() == Some("rimraf"))
            }
            Some("find" | "gfind") => found(look, command),
            Some("rsync") => mirrored(look, command),
            Some("chmod" | "chown" | "chgrp" | "gchmod" | "gchown") => rights(look, command),
            // Which program it is only a shell can say; nobody means this by another one.
            None if !command.words.is_empty() => {
                let is_root = deleted(look, command, false).is_some_and(|(rule, _)| *rule == DELETE_ROOT);
                is_root.then_some((&DELETE_ROOT, Verdict::Ask))
            }
            _ => None,
        };
        let Some((rule, verdict)) = found else { continue };
        // What a folder of another machine holds is not known here.
        let verdict = match (command.is_elsewhere, verdict) {
            (true, Verdict::Deny) => Verdict::Ask,
            (true, _) => continue,
            (false, verdict) => verdict,
        };
        all.push(Finding { rule, verdict, commands: vec![at] });
    }
}

type Found = Option<(&'static Shipped, Verdict)>;

fn deleted(look: &Look<'_>, command: &Command, always_deep: bool) -> Found {
    let parsed = Parsed::of(command.arguments());
    if !always_deep && !parsed.letter("rR") && !parsed.long("--recursive") {
        return None;
    }
    let is_history = || parsed.operands.iter().any(|word| is_history(look, command, word));
    match worst(look, command, &parsed.operands)? {
        Reach::Root | Reach::Home => Some((&DELETE_ROOT, Verdict::Deny)),
        Reach::Outside | Reach::Workspace => Some((&DELETE_OUTSIDE, Verdict::Ask)),
        Reach::Inside => is_history().then_some((&REWRITE_HISTORY, Verdict::Ask)),
    }
}

/// The workspace's own commits: `.git`, `.git/*`, `.git/objects`, `.*`. That of a fresh clone is everybody's to drop.
fn is_history(look: &Look<'_>, command: &Command, word: &Word) -> bool {
    let git = look.place.workspace.join(".git");
    match look.place.target(command.folder.as_deref(), word) {
        Target::Path(path) => path == git || ["objects", "refs"].iter().any(|name| path == git.join(name)),
        Target::AllIn(folder) if folder == git => true,
        // A pattern means a hidden name only if it begins like one.
        Target::AllIn(folder) | Target::SomeIn(folder) if folder == look.place.workspace => {
            let shape = word.shape();
            let name = shape.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            !word.is_unknown() && name.starts_with('.') && glob(name, ".git")
        }
        _ => false,
    }
}

fn worst(look: &Look<'_>, command: &Command, words: &[&Word]) -> Option<Reach> {
    let folder = command.folder.as_deref();
    words.iter().filter_map(|word| look.place.reach(&look.place.target(folder, word))).min()
}

/// `find folder -delete`, or with a program that deletes what is found.
fn found(look: &Look<'_>, command: &Command) -> Found {
    let words: Vec<String> = command.arguments().iter().map(Word::shape).collect();
    let deletes = words.iter().any(|word| word == "-delete");
    let runs = |programs: &[&str]| {
        words.windows(2).any(|pair| {
            let program = pair[1].rsplit('/').next().unwrap_or(&pair[1]);
            matches!(pair[0].as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") && programs.contains(&program)
        })
    };
    let (all, some) = if deletes || runs(&["rm", "shred", "unlink"]) {
        (&DELETE_ROOT, &DELETE_OUTSIDE)
    } else if runs(&["chmod", "chown", "chgrp"]) {
        (&OPEN_ROOT, &RIGHTS_OUTSIDE)
    } else {
        return None;
    };
    let folders = find_folders(command);
    let is_filter = |word: &String| {
        const FILTERS: &str = "-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -atime -amin -ctime -cmin \
            -newer -size -user -group -perm -empty -type -links -inum -maxdepth";
        FILTERS.split_whitespace().any(|filter| filter == word)
    };
    let folders: Vec<&Word> = folders.iter().collect();
    match worst(look, command, &folders)? {
        // Whose rights in a home folder are changed can be changed back.
        Reach::Home if *all == OPEN_ROOT => Some((some, Verdict::Ask)),
        Reach::Root | Reach::Home if !words.iter().any(is_filter) => Some((all, Verdict::Deny)),
        Reach::Workspace
            if *all == OPEN_ROOT && folders.iter().all(|word| is_workspace(look, command, word)) =>
        {
            None
        }
        // What is found in the workspace is within it; all of it is the workspace.
        Reach::Workspace
            if words.iter().any(is_filter)
                && folders.iter().all(|word| is_workspace(look, command, word)) =>
        {
            None
        }
        Reach::Inside => None,
        // Some of what is temporary anyway.
        Reach::Outside
            if words.iter().any(is_filter)
                && folders.iter().all(|word| {
                    look.place.path(command.folder.as_deref(), word).is_some_and(|path| is_temporary(&path))
                }) =>
        {
            None
        }
        Reach::Root | Reach::Home | Reach::Outside | Reach::Workspace => Some((some, Verdict::Ask)),
    }
}

/// `rsync --delete empty/ folder/` leaves of the folder what the source has. Mirrors into folders of their own are
/// everybody's backups.
fn mirrored(look: &Look<'_>, command: &Command) -> Found {
    let parsed = Parsed::with(
        command.arguments(),
        "-e -f -B -M -T --exclude --include --exclude-from --include-from --files-from --rsh --filter",
    );
    let (target, sources) = parsed.operands.split_last()?;
    let is_remote = target.prefix().contains(':');
    if !parsed.starts("--del") || sources.is_empty() || is_remote {
        return None;
    }
    match worst(look, command, &[target])? {
        Reach::Root | Reach::Home => Some((&DELETE_ROOT, Verdict::Deny)),
        Reach::Outside | Reach::Workspace | Reach::Inside => None,
    }
}

fn is_workspace(look: &Look<'_>, command: &Command, word: &Word) -> bool {
    let path = look.place.path(command.folder.as_deref(), word);
    path.is_none_or(|path| path == look.place.workspace || look.place.is_inside(&path))
}

fn rights(look: &Look<'_>, command: &Command) -> Found {
    let parsed = Parsed::of(command.arguments());
    // What is fed to it is a whole folder's, too: `find / | xargs chmod`.
    let is_fed = || {
        let starter = command.within.and_then(|at| look.script.commands.get(at));
        starter.is_some_and(|starter| starter.wraps == Some(Wrap::Fed) && starter.piped_from.is_some())
    };
    if !parsed.letter("R") && !parsed.long("--recursive") && !is_fed() {
        return None;
    }
    match worst(look, command, parsed.operands.get(1..).unwrap_or_default())? {
        Reach::Root => Some((&OPEN_ROOT, Verdict::Deny)),
        Reach::Home | Reach::Outside => Some((&RIGHTS_OUTSIDE, Verdict::Ask)),
        Reach::Workspace if !parsed.operands[1..].iter().all(|word| is_workspace(look, command, word)) => {
            Some((&RIGHTS_OUTSIDE, Verdict::Ask))
        }
        Reach::Workspace | Reach::Inside => None,
    }
}
