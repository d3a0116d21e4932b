//! Which files of a workspace belong on its map, by their names and places. Reads no file but those that say what to
//! ignore; what a file's text says against it is found when it is read.

mod vendored;

use std::collections::{BTreeMap, HashSet};
use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use code::Language;
use ignore::WalkBuilder;

use crate::modules::MANIFESTS;

/// Files that say what to ignore, in every folder. They are hidden, so the walk does not give them.
pub(crate) const RULES: &[&str] = &[".gitignore", ".ignore", OWN_RULES];
const OWN_RULES: &str = ".throughlineignore";
/// A map of more is a map of somebody's whole disk: five times the largest workspace this is measured with.
pub(crate) const MAX_FILES: usize = 50_000;
/// Folders without a source in them cost a look each before every answer.
const MAX_FOLDERS: usize = 50_000;
/// What a program without an ending is at most; more is compiled.
const MAX_SCRIPT: u64 = 256 << 10;
/// Deeper nesting is a loop of mounts or a hostile archive.
const MAX_DEPTH: usize = 64;

pub(crate) const UNREADABLE: &str = "unreadable";

/// What is done with a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Use {
    /// Its language is known by its name.
    Source(&'static Language),
    /// Its first line may tell.
    Script,
    /// It is only read for what it says about modules.
    Manifest,
}

#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: Box<str>,
    pub(crate) purpose: Use,
}

/// One folder: what is right in it.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) files: Vec<Listed>,
    /// Names of folders to go on with.
    pub(crate) folders: Vec<Box<str>>,
    /// Which of [`RULES`] there are.
    pub(crate) rules: Vec<&'static str>,
    /// What was left out here, by reason.
    pub(crate) skipped: BTreeMap<&'static str, usize>,
}

/// Folders by their paths; the workspace itself is "".
pub(crate) type Walked = BTreeMap<Box<str>, Folder>;

/// What a walk is to list.
#[derive(Debug)]
pub(crate) enum Reach {
    All,
    /// Only what is right in the first ones, and all below the others. Both by their paths.
    Some {
        here: HashSet<Box<str>>,
        below: HashSet<Box<str>>,
    },
}

/// Whether what lies above the workspace says what to ignore in it: it does if that is one repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Above {
    Heard,
    Unheard,
}

impl Above {
    pub(crate) fn of(root: &Path) -> Self {
        if root.ancestors().any(|folder| folder.join(".git").exists()) { Self::Heard } else { Self::Unheard }
    }
}

/// Lists the workspace, or a part of it: then on the way there what is to be ignored is learned as ever.
pub(crate) fn walk(root: &Path, above: Above, reach: Reach) -> Walked {
    let mut walked = Walked::new();
    let reach = Arc::new(reach);
    if reach.lists("") {
        folder(&mut walked, "").rules = rules_in(root);
    }
    let aside: Arc<Mutex<Aside>> = Arc::default();
    let mut files = 0;
    for entry in builder(root, above, &reach, &aside).build() {
        let Ok(entry) = entry else {
            walked.entry("".into()).and_modify(|top| top.skip(UNREADABLE));
            continue;
        };
        let Some(path) = inside(root, entry.path()) else { continue };
        let Some(kind) = entry.file_type().filter(|_| entry.depth() > 0) else { continue };
        let (parent, name) = split(path);
        if kind.is_dir() {
            if walked.len() >= MAX_FOLDERS {
                folder(&mut walked, parent).skip("too many folders");
            } else if reach.lists(path) {
                folder(&mut walked, path).rules = rules_in(entry.path());
            }
            continue;
        }
        if !kind.is_file() || !reach.lists(parent) {
            continue;
        }
        let Some(purpose) = purpose(name) else { continue };
        if let Some(reason) = vendored::name_reason(name) {
            folder(&mut walked, parent).skip(reason);
        } else if files >= MAX_FILES {
            folder(&mut walked, parent).skip("too many files");
        } else if !matches!(purpose, Use::Script) || is_script(&entry) {
            files += 1;
            folder(&mut walked, parent).files.push(Listed { name: name.into(), purpose });
        }
    }
    let aside = std::mem::take(&mut *aside.lock().unwrap_or_else(PoisonError::into_inner));
    for (parent, reason) in aside.skipped {
        folder(&mut walked, &parent).skip(reason);
    }
    for path in aside.folders {
        let (parent, name) = split(&path);
        folder(&mut walked, parent).folders.push(name.into());
    }
    walked
}

/// Files that say what to ignore and lie outside of the folders that are walked: those above, and the user's own.
pub(crate) fn rules_elsewhere(root: &Path, above: Above) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for (at, folder) in root.ancestors().enumerate() {
        if above == Above::Unheard && at > 0 {
            break;
        }
        if at > 0 {
            paths.extend(RULES.iter().map(|name| folder.join(name)));
        }
        let repository = folder.join(".git");
        paths.push(repository.join("info/exclude"));
        // What is above a repository says nothing in it.
        if repository.exists() {
            break;
        }
    }
    paths.extend(ignore::gitignore::gitconfig_excludes_path());
    paths
}

pub(crate) fn is_manifest(name: &str) -> bool {
    // A project of TypeScript has as many configurations as it likes: `tsconfig.app.json`.
    MANIFESTS.contains(&name) || name.starts_with("tsconfig.") && name.rsplit('.').next() == Some("json")
}

/// The folder of a path, and what it is called there.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// What is seen on the way and not gone into.
#[derive(Debug, Default)]
struct Aside {
    /// What was left out, by the folder it is in and the reason.
    skipped: Vec<(Box<str>, &'static str)>,
    /// Folders right in one that is listed.
    folders: Vec<Box<str>>,
}

/// Goes where `reach` says, and not into what is left out.
fn builder(root: &Path, above: Above, reach: &Arc<Reach>, aside: &Arc<Mutex<Aside>>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    let (top, reach, aside) = (root.to_owned(), Arc::clone(reach), Arc::clone(aside));
    builder
        .add_custom_ignore_filename(OWN_RULES)
        .follow_links(false)
        .require_git(false)
        .parents(above == Above::Heard)
        .max_depth(Some(MAX_DEPTH))
        .filter_entry(move |entry| {
            let mut aside = aside.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(path) = inside(&top, entry.path()) else {
                let parent =
                    entry.path().parent().and_then(|parent| inside(&top, parent)).unwrap_or_default();
                if reach.lists(parent) {
                    aside.skipped.push((parent.into(), "its name is not UTF-8"));
                }
                return false;
            };
            if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                return true;
            }
            let (parent, name) = split(path);
            let reason = vendored::reason(entry.path(), name);
            if reach.lists(parent) {
                match reason {
                    Some(reason) => aside.skipped.push((parent.into(), reason)),
                    None => aside.folders.push(path.into()),
                }
            }
            reason.is_none() && reach.enters(path)
        });
    builder
}

impl Reach {
    /// Whether what is right in this folder is wanted.
    fn lists(&self, folder: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some { here, .. } => here.contains(folder) || self.is_below(folder),
        }
    }

    /// Whether something wanted is in this folder, however deep.
    fn enters(&self, folder: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some { here, below } => {
                let leads = |wanted: &str| {
                    wanted.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                here.iter().chain(below).any(|wanted| leads(wanted)) || self.is_below(folder)
            }
        }
    }

    fn is_below(&self, folder: &str) -> bool {
        let Self::Some { below, .. } = self else { return true };
        if below.is_empty() {
            return false;
        }
        let mut around =
            std::iter::successors(Some(folder), |at| at.rsplit_once('/').map(|(above, _)| above));
        around.any(|at| below.contains(at))
    }
}

fn inside<'p>(root: &Path, path: &'p Path) -> Option<&'p str> {
    path.strip_prefix(root).ok().and_then(Path::to_str)
}

impl Folder {
    fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

fn folder<'w>(walked: &'w mut Walked, path: &str) -> &'w mut Folder {
    walked.entry(path.into()).or_default()
}

fn purpose(name: &str) -> Option<Use> {
    if let Some(language) = code::languages::of_path(name) {
        return Some(Use::Source(language));
    }
    if is_manifest(name) {
        return Some(Use::Manifest);
    }
    (!name.contains('.')).then_some(Use::Script)
}

/// A file that becomes executable later is found when something else happens in its folder: most files without an
/// ending are data, and to look at all of them before every answer is not worth it.
fn is_script(entry: &ignore::DirEntry) -> bool {
    let small_program = |data: Metadata| data.permissions().mode() & 0o111 != 0 && data.len() <= MAX_SCRIPT;
    entry.metadata().is_ok_and(small_program)
}

fn rules_in(folder: &Path) -> Vec<&'static str> {
    RULES.iter().copied().filter(|name| folder.join(name).symlink_metadata().is_ok()).collect()
}
