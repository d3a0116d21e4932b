//! Whole folders that are deleted, or whose rights are changed.

use super::Verdict;
use super::look::{Look, Parsed};
use super::place::Reach;
use super::shipped::{DELETE_OUTSIDE, DELETE_ROOT, Finding, OPEN_ROOT, RIGHTS_OUTSIDE, Shipped};
use crate::shell::{Command, Word, find_folders};

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
    match worst(look, command, &parsed.operands)? {
        Reach::Root | Reach::Home => Some((&DELETE_ROOT, Verdict::Deny)),
        Reach::Outside | Reach::Workspace => Some((&DELETE_OUTSIDE, Verdict::Ask)),
        Reach::Inside => None,
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
    let runs_delete = words.windows(2).any(|pair| {
        let program = pair[1].rsplit('/').next().unwrap_or(&pair[1]);
        matches!(pair[0].as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")
            && matches!(program, "rm" | "shred" | "unlink")
    });
    if !deletes && !runs_delete {
        return None;
    }
    let folders = find_folders(command);
    let is_filter = |word: &String| {
        const FILTERS: &str = "-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -atime -amin -ctime -cmin \
            -newer -size -user -group -perm -empty -type -links -inum -maxdepth";
        FILTERS.split_whitespace().any(|filter| filter == word)
    };
    let folders: Vec<&Word> = folders.iter().collect();
    match worst(look, command, &folders)? {
        Reach::Root | Reach::Home if !words.iter().any(is_filter) => Some((&DELETE_ROOT, Verdict::Deny)),
        // What is found in the workspace is within it.
        Reach::Workspace if folders.iter().all(|word| is_workspace(look, command, word)) => None,
        Reach::Inside => None,
        Reach::Root | Reach::Home | Reach::Outside | Reach::Workspace => {
            Some((&DELETE_OUTSIDE, Verdict::Ask))
        }
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
    if !parsed.letter("R") && !parsed.long("--recursive") {
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
