//! Where a path leads: every link followed, every detour taken, as the file system will when the file is opened. What does
//! not exist yet is where it would be made.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// As many as the kernel follows.
const MAX_LINKS: usize = 40;
/// Entries that are looked at to learn whether a folder tells `A` from `a`.
const MAX_PROBES: usize = 8;

/// Why nobody can say where a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    #[error("the path is empty")]
    Empty,
    #[error("the path holds a NUL character")]
    Nul,
    #[error("the path is relative, and the folder it starts from is not known")]
    NoFolder,
    #[error("its links lead in a circle")]
    Circle,
    #[error("it leads through a process's own view of the file system (/proc)")]
    Magic,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Real {
    pub path: PathBuf,
    /// Its folder takes `A` and `a` for the same.
    pub folds: bool,
}

/// Follows a path from a folder.
pub fn real(folder: Option<&Path>, path: &Path) -> Result<Real, Unresolved> {
    follow(&[], &whole(folder, path)?, Last::Followed)
}

/// What is done with a link that a path ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// It is opened: what it leads to counts.
    Followed,
    /// It is taken away or put elsewhere itself. Behind a slash it is opened all the same.
    Kept,
}

/// All places a path may lead to. An agent's editor may shorten `a/..` by name before the file system sees it; behind a link
/// these differ, and both count.
pub fn all(folder: Option<&Path>, path: &Path, last: Last) -> Result<Vec<Real>, Unresolved> {
    all_with(&[], folder, path, last)
}

/// The same with links that are not there yet: where each will stand, and where it will lead.
pub(super) fn all_with(
    links: &[(PathBuf, PathBuf)],
    folder: Option<&Path>,
    path: &Path,
    last: Last,
) -> Result<Vec<Real>, Unresolved> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let last = if bytes.ends_with(b"/") || bytes.ends_with(b"/.") { Last::Followed } else { last };
    let whole = whole(folder, path)?;
    let mut places = vec![follow(links, &whole, last)?];
    if whole.components().any(|part| part == Component::ParentDir) {
        let by_name = follow(links, &shortened(&whole), last)?;
        if !places.contains(&by_name) {
            places.push(by_name);
        }
    }
    Ok(places)
}

fn whole(folder: Option<&Path>, path: &Path) -> Result<PathBuf, Unresolved> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() {
        return Err(Unresolved::Empty);
    }
    if bytes.contains(&0) {
        return Err(Unresolved::Nul);
    }
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    let folder = folder.filter(|folder| folder.is_absolute()).ok_or(Unresolved::NoFolder)?;
    Ok(folder.join(path))
}

/// `..` taken by name.
fn shortened(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                short.pop();
            }
            Component::CurDir => {}
            other => short.push(other),
        }
    }
    short
}

fn follow(made: &[(PathBuf, PathBuf)], path: &Path, last: Last) -> Result<Real, Unresolved> {
    let mut ahead: VecDeque<OsString> = parts(path).collect();
    let mut real = PathBuf::from("/");
    let mut links = 0;
    // Known of the folder that was entered last.
    let mut folds = false;
    let mut exists = true;
    while let Some(part) = ahead.pop_front() {
        if part == ".." {
            real.pop();
            // What is not there has no folder behind it, either; what is above it may be.
            exists = exists || fs::symlink_metadata(&real).is_ok();
            continue;
        }
        let next = real.join(&part);
        // What is made last stands there.
        let link = made.iter().rev().find(|(at, _)| *at == next);
        if let Some((_, target)) = link.filter(|_| last == Last::Followed || !ahead.is_empty()) {
            links += 1;
            if links > MAX_LINKS {
                return Err(Unresolved::Circle);
            }
            if target.is_absolute() {
                real = PathBuf::from("/");
                folds = false;
            }
            exists = exists || fs::symlink_metadata(&real).is_ok();
            for part in parts(target).collect::<Vec<_>>().into_iter().rev() {
                ahead.push_front(part);
            }
            continue;
        }
        let found = if exists { fs::symlink_metadata(&next).ok() } else { None };
        let Some(found) = found else {
            if exists {
                folds = folds || has_one_case(&real);
            }
            exists = false;
            real = next;
            continue;
        };
        if found.is_symlink() && (last == Last::Followed || !ahead.is_empty()) {
            links += 1;
            if links > MAX_LINKS {
                return Err(Unresolved::Circle);
            }
            if is_magic(&next) {
                return Err(Unresolved::Magic);
            }
            let Ok(target) = fs::read_link(&next) else {
                exists = false;
                real = next;
                continue;
            };
            if target.is_absolute() {
                real = PathBuf::from("/");
                folds = false;
            }
            for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                ahead.push_front(part);
            }
            continue;
        }
        match written_as(&real, &part, &found) {
            Some(name) => {
                folds = true;
                real.push(name);
            }
            None => real = next,
        }
    }
    Ok(Real { path: real, folds })
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    })
}

/// `/proc/self/cwd`, `root`, `fd/…` mean something else in every process, ours included.
fn is_magic(link: &Path) -> bool {
    link.starts_with("/proc")
}

/// The name an entry has on disk, where its folder takes other spellings of it, too.
fn written_as(folder: &Path, part: &OsStr, found: &fs::Metadata) -> Option<OsString> {
    let swapped = swapped(part)?;
    if !is_same(&folder.join(swapped), found) {
        return None;
    }
    let entries = fs::read_dir(folder).ok()?;
    let mut names = entries.flatten().map(|entry| entry.file_name());
    names.find(|name| name == part || alike(name, part)).or_else(|| Some(part.to_owned()))
}

/// Whether a folder takes `A` for `a`, by its first entries.
fn has_one_case(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().take(MAX_PROBES).any(|entry| {
        let other = swapped(&entry.file_name()).map(|name| folder.join(name));
        let found = fs::symlink_metadata(entry.path());
        other.zip(found.ok()).is_some_and(|(other, found)| is_same(&other, &found))
    })
}

fn is_same(path: &Path, found: &fs::Metadata) -> bool {
    fs::symlink_metadata(path).is_ok_and(|other| (other.dev(), other.ino()) == (found.dev(), found.ino()))
}

/// The name with its ASCII letters in the other case; `None` if it has none.
fn swapped(name: &OsStr) -> Option<OsString> {
    let text = name.to_str()?;
    let other: String = text
        .chars()
        .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
        .collect();
    (other != text).then(|| OsString::from(other))
}

fn alike(a: &OsStr, b: &OsStr) -> bool {
    a.to_str().zip(b.to_str()).is_some_and(|(a, b)| a.to_lowercase() == b.to_lowercase())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_detours_and_what_is_not_there_yet_lead_where_the_file_system_leads() {
        let house = tempfile::tempdir().unwrap();
        let root = house.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir_all(root.join("secret")).unwrap();
        fs::write(root.join("secret/key"), "").unwrap();
        symlink("secret", root.join("src/link")).unwrap();
        symlink("../secret", root.join("src/out")).unwrap();
        symlink("out/key", root.join("src/chain")).unwrap();
        symlink("../secret/new", root.join("src/dangling")).unwrap();
        symlink("b", root.join("src/a")).unwrap();
        symlink("a", root.join("src/b")).unwrap();
        let at = |path: &str| real(Some(&root), Path::new(path));
        let is = |path: &str, expected: &str| {
            assert_eq!(at(path).unwrap().path, root.join(expected), "{path}");
        };
        is("src/x.rs", "src/x.rs");
        is("./src//deep/../x.rs", "src/x.rs");
        is("src/out/key", "secret/key");
        is("src/out/new/file", "secret/new/file");
        is("src/chain", "secret/key");
        is("src/dangling", "secret/new");
        is("src/out/..", "");
        is("src/out/../x", "x");
        is("no/such/../file", "no/file");
        is("src/link", "src/secret");
        is("no/../src/out/key", "secret/key");
        assert_eq!(at("src/a"), Err(Unresolved::Circle));
        assert_eq!(at("a\0b"), Err(Unresolved::Nul));
        assert_eq!(at(""), Err(Unresolved::Empty));
        assert_eq!(real(None, Path::new("a")), Err(Unresolved::NoFolder));
        assert_eq!(at("/proc/self/cwd/x"), Err(Unresolved::Magic));
        assert_eq!(at("/../etc/x").unwrap().path, Path::new("/etc/x"));
        let both = all(Some(&root), Path::new("src/out/../x"), Last::Followed).unwrap();
        assert_eq!(
            both.iter().map(|real| real.path.clone()).collect::<Vec<_>>(),
            [root.join("x"), root.join("src/x")]
        );
        let kept = |path: &str| all(Some(&root), Path::new(path), Last::Kept).unwrap()[0].path.clone();
        assert_eq!(kept("src/chain"), root.join("src/chain"));
        assert_eq!(kept("src/out"), root.join("src/out"));
        assert_eq!(kept("src/out/"), root.join("secret"));
        assert_eq!(kept("src/out/key"), root.join("secret/key"));
    }
}
