//! Whether what we keep is for the person alone: by mode, by owner, and by who could put another folder in its place.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::Finding;
use super::checks::{MAX_LISTED, entries};
use crate::commands::rules;
use crate::print;
use crate::world::World;

/// What a mode gives to others than the owner.
const OTHERS: u32 = 0o077;

/// Behind a door that is closed to others a loose mode shows nothing: what people write themselves, with whatever tool,
/// keeps the mode that tool gives it. What we write must be tight in any case.
pub(super) fn permissions(world: &World) -> Vec<Finding> {
    let data = &world.place.data;
    let Some(is_closed) = is_tight(data) else { return Vec::new() };
    let mut open = if is_closed { Vec::new() } else { vec![data.clone()] };
    let mut of_others: Vec<PathBuf> = [data.clone()]
        .into_iter()
        .filter(|data| fs::metadata(data).is_ok_and(|meta| !is_own(&meta)))
        .collect();
    let mut folders = vec![data.clone()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            if !is_own(&meta) {
                of_others.push(path.clone());
            }
            if is_closed && is_written_by_people(world, &path) {
                continue;
            }
            if meta.permissions().mode() & OTHERS != 0 && !meta.is_symlink() {
                open.push(path.clone());
            }
            if meta.is_dir() {
                folders.push(path);
            }
        }
    }
    let mut found = Vec::new();
    if !open.is_empty() {
        let how_many = print::count(open.len() as u64, "file is", "files are");
        let what = format!("{how_many} open to others: {}", some_of(&open));
        found.push(Finding::fail("permissions", what, format!("chmod -R go-rwx '{}'", data.display())));
    }
    if !of_others.is_empty() {
        let how_many = print::count(of_others.len() as u64, "file belongs", "files belong");
        let what = format!("{how_many} to another user: {}", some_of(&of_others));
        found.push(Finding::fail(
            "permissions",
            what,
            format!("sudo chown -R $(id -u) '{}'", data.display()),
        ));
    }
    found.extend(data.canonicalize().ok().and_then(|data| around(&data)));
    if found.is_empty() {
        found.push(Finding::ok("permissions", "everything is for you alone"));
    }
    found
}

/// Who may write a folder around ours may put another one in its place.
fn around(data: &Path) -> Option<Finding> {
    let mut above = data.ancestors().skip(1).filter_map(|folder| Some((folder, fs::metadata(folder).ok()?)));
    let (folder, meta) = above.find(|(_, meta)| !is_own(meta) && meta.uid() != 0 || is_shared(meta))?;
    let shown = folder.display();
    let (who, repair) = if is_shared(&meta) {
        ("others may write", format!("chmod go-w '{shown}'"))
    } else {
        ("another user owns", "set THROUGHLINE_HOME to a folder below one of yours".to_owned())
    };
    let what = format!("{who} {shown}, the folder around ours, and could put another in its place");
    Some(Finding::warn("permissions", what, repair))
}

fn is_own(meta: &fs::Metadata) -> bool {
    meta.uid() == rustix::process::geteuid().as_raw()
}

/// Whether others may put something there in place of what is not theirs. A group that is one person's own has their number.
fn is_shared(meta: &fs::Metadata) -> bool {
    const STICKY: u32 = 0o1000;
    const GROUP: u32 = 0o020;
    const ANYBODY: u32 = 0o002;
    let mode = meta.permissions().mode();
    let is_persons_group = meta.gid() == rustix::process::geteuid().as_raw();
    mode & STICKY == 0 && (mode & ANYBODY != 0 || mode & GROUP != 0 && !is_persons_group)
}

fn some_of(paths: &[PathBuf]) -> String {
    let shown = paths.iter().take(MAX_LISTED).map(|path| print::one_line(&path.display().to_string(), 300));
    let mut some: Vec<_> = shown.collect();
    if paths.len() > MAX_LISTED {
        some.push(format!("and {} more", paths.len() - MAX_LISTED));
    }
    some.join(", ")
}

/// `None`: nothing is there.
fn is_tight(path: &Path) -> Option<bool> {
    fs::metadata(path).ok().map(|meta| meta.permissions().mode() & OTHERS == 0)
}

/// The folders of memory files and of rules, and the pages beside them that are a person's to write.
fn is_written_by_people(world: &World, path: &Path) -> bool {
    let is_page = path.extension().is_some_and(|end| end == "md" || end == "toml");
    let is_theirs = path == world.place.memories() || path == rules::folder(world);
    is_theirs || (is_page && path.parent() == Some(world.place.data.as_path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_mode(folder: &Path, mode: u32) {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_around_ours_that_others_may_write_is_seen() {
        let top = tempfile::tempdir().unwrap();
        let around_it = top.path().canonicalize().unwrap().join("shared");
        let data = around_it.join("default");
        fs::create_dir_all(&data).unwrap();
        let told = || around(&data).map(|finding| finding.what);
        for (mode, is_seen) in [(0o755, false), (0o777, true), (0o1777, false), (0o700, false)] {
            with_mode(&around_it, mode);
            assert_eq!(told().is_some_and(|what| what.contains("others may write")), is_seen, "{mode:o}");
        }
    }
}
