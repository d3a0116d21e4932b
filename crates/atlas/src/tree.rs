//! The folders and files of a workspace as they were last seen, and what has happened to them since.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File as Opened;
use std::path::{Path, PathBuf};
use std::thread;

use crate::key::Key;
use crate::stamp::{self, Kind, Stamp};
use crate::walk::{self, Above, Reach, Use, Walked};

/// With more, a second thread looks at the other half.
const FILES_A_THREAD: usize = 800;
/// With more changed folders than this the whole workspace is listed again: it is one walk instead of many ways.
const MANY_FOLDERS: usize = 64;

#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    above: Above,
    /// By their paths. Empty: nothing was looked at yet.
    folders: HashMap<Box<str>, Folder>,
    /// Files outside of the folders that say what to ignore.
    elsewhere: Vec<(PathBuf, Option<Stamp>)>,
    /// What was known of files before the first look.
    before: HashMap<Box<str>, Seen>,
}

#[derive(Debug)]
struct Folder {
    /// `None`: it has to be listed.
    stamp: Option<Stamp>,
    /// When it was listed.
    seen_ns: i64,
    /// In the order of their names.
    files: Vec<File>,
    folders: Vec<Box<str>>,
    rules: Vec<(&'static str, Option<Stamp>)>,
    skipped: BTreeMap<&'static str, usize>,
}

#[derive(Debug)]
struct File {
    name: Box<str>,
    purpose: Use,
    seen: Option<Seen>,
}

/// A file as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) stamp: Stamp,
    /// Whether a later change would show in the stamp.
    pub(crate) sure: bool,
    pub(crate) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// On the map, with this content.
    Mapped(Key),
    /// Left out, for this reason.
    Left(&'static str),
}

/// A file that has to be read.
#[derive(Debug)]
pub(crate) struct Due {
    pub(crate) path: Box<str>,
    pub(crate) purpose: Use,
    /// What was known of it.
    pub(crate) known: Option<State>,
}

/// What a look at the disk found.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    pub(crate) due: Vec<Due>,
    /// Files that are no more.
    pub(crate) gone: Vec<Box<str>>,
    /// Files that were not there before.
    pub(crate) came: Vec<Box<str>>,
    pub(crate) manifests_changed: bool,
}

impl Tree {
    pub(crate) fn new(root: &Path) -> Self {
        let above = Above::of(root);
        Self {
            root: root.to_owned(),
            above,
            folders: HashMap::new(),
            elsewhere: Vec::new(),
            before: HashMap::new(),
        }
    }

    /// Before the first look: what another process saw. It is compared like everything else.
    pub(crate) fn remember(&mut self, path: &str, seen: Seen) {
        self.before.insert(path.into(), seen);
    }

    /// Compares what is known with the disk. Files to be read stay due until [`Tree::saw`] is told of them.
    pub(crate) fn sweep(&mut self) -> Swept {
        let mut swept = Swept::default();
        let seen_ns = stamp::now_ns();
        let mut look = self.look_at_all();
        let is_first = self.folders.is_empty();
        if self.folders.is_empty() || look.rules_changed || self.elsewhere_changed() {
            self.list_all(seen_ns, &mut swept);
        } else if !look.folders.is_empty() {
            self.list_again(look.folders, seen_ns, &mut swept);
        }
        // What was listed right now has not been looked at.
        let came = std::mem::take(&mut swept.came);
        if is_first {
            // What was known before and is not there any more.
            swept.gone.extend(std::mem::take(&mut self.before).into_keys());
            look = self.look_at_all();
        } else {
            look.files.extend(came.iter().cloned());
        }
        for path in look.files {
            let Some(file) = self.file(&path) else { continue };
            swept.manifests_changed |= walk::is_manifest(&file.name);
            swept.due.push(Due { path, purpose: file.purpose, known: file.seen.map(|seen| seen.state) });
        }
        swept.came = came;
        // What is on the map and may be wrong comes before what is not on it yet.
        swept.due.sort_by(|a, b| (a.known.is_none(), &a.path).cmp(&(b.known.is_none(), &b.path)));
        swept.manifests_changed |= swept.gone.iter().any(|path| walk::is_manifest(walk::split(path).1));
        swept
    }

    /// Remembers how a file was when it was read; `None`: it was not there.
    pub(crate) fn saw(&mut self, path: &str, seen: Option<Seen>) {
        let (folder, name) = walk::split(path);
        let Some(folder) = self.folders.get_mut(folder) else { return };
        if let Some(at) = folder.place(name) {
            folder.files[at].seen = seen;
        }
    }

    /// Whether it is a file of the workspace.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.file(path).is_some()
    }

    /// What is known of a file.
    pub(crate) fn seen(&self, path: &str) -> Option<Seen> {
        self.file(path)?.seen
    }

    fn file(&self, path: &str) -> Option<&File> {
        let (folder, name) = walk::split(path);
        let folder = self.folders.get(folder)?;
        folder.place(name).map(|at| &folder.files[at])
    }

    /// Every file with what is known of it.
    pub(crate) fn files(&self) -> impl Iterator<Item = (Box<str>, Use, Option<Seen>)> + '_ {
        self.folders.iter().flat_map(|(path, folder)| {
            folder.files.iter().map(move |file| (join(path, &file.name), file.purpose, file.seen))
        })
    }

    pub(crate) fn manifests(&self) -> Vec<Box<str>> {
        let mut paths: Vec<Box<str>> = self
            .files()
            .filter_map(|(path, _, _)| walk::is_manifest(walk::split(&path).1).then_some(path))
            .collect();
        paths.sort_unstable();
        paths
    }

    /// Files that are left out, by reason.
    pub(crate) fn skipped(&self) -> BTreeMap<String, usize> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for folder in self.folders.values() {
            for (reason, count) in &folder.skipped {
                *counts.entry((*reason).to_owned()).or_default() += count;
            }
            for file in &folder.files {
                if let Some(Seen { state: State::Left(reason), .. }) = file.seen
                    && !matches!(file.purpose, Use::Manifest)
                {
                    *counts.entry(reason.to_owned()).or_default() += 1;
                }
            }
        }
        counts
    }

    fn look_at_all(&self) -> Look {
        let folders: Vec<(&str, &Folder)> =
            self.folders.iter().map(|(path, folder)| (&**path, folder)).collect();
        let files: usize = folders.iter().map(|(_, folder)| folder.files.len() + 1).sum();
        let Ok(root) = Opened::open(&self.root) else {
            // The workspace itself is gone: so is all that was in it.
            return Look { rules_changed: true, ..Look::default() };
        };
        if files < FILES_A_THREAD {
            return Look::at(&root, &folders);
        }
        let (first, second) = folders.split_at(folders.len() / 2);
        thread::scope(|scope| {
            let other = scope.spawn(|| Look::at(&root, second));
            let mut look = Look::at(&root, first);
            match other.join() {
                Ok(other) => {
                    look.files.extend(other.files);
                    look.folders.extend(other.folders);
                    look.rules_changed |= other.rules_changed;
                }
                Err(_) => look.rules_changed = true,
            }
            look
        })
    }

    fn elsewhere_changed(&self) -> bool {
        self.elsewhere.iter().any(|(path, known)| stamp_of(path) != *known)
    }

    /// Lists everything, and keeps what is known of the files that are still there.
    fn list_all(&mut self, seen_ns: i64, swept: &mut Swept) {
        let mut walked = walk::walk(&self.root, self.above, Reach::All);
        // A home under version control whose rules ignore all that is not added by hand, and in it a workspace.
        if self.above == Above::Heard && walked.values().all(|folder| folder.files.is_empty()) {
            self.above = Above::Unheard;
            walked = walk::walk(&self.root, self.above, Reach::All);
        }
        let elsewhere = walk::rules_elsewhere(&self.root, self.above);
        let stamped = |path: PathBuf| {
            let stamp = stamp_of(&path);
            (path, stamp)
        };
        self.elsewhere = elsewhere.into_iter().map(stamped).collect();
        let missing: Vec<Box<str>> =
            self.folders.keys().filter(|path| !walked.contains_key(*path)).cloned().collect();
        for path in missing {
            self.forget(&path, swept);
        }
        self.take(walked, seen_ns, swept);
    }

    /// Lists some folders again, and all below those that are new.
    fn list_again(&mut self, changed: Vec<Box<str>>, seen_ns: i64, swept: &mut Swept) {
        if changed.len() > MANY_FOLDERS {
            return self.list_all(seen_ns, swept);
        }
        let here: HashSet<Box<str>> = changed.into_iter().collect();
        let mut walked =
            walk::walk(&self.root, self.above, Reach::Some { here: here.clone(), below: HashSet::new() });
        let new: HashSet<Box<str>> = walked
            .iter()
            .flat_map(|(path, folder)| folder.folders.iter().map(move |name| join(path, name)))
            .filter(|path| !self.folders.contains_key(path))
            .collect();
        let rules_changed = walked.iter().any(|(path, now)| {
            self.folders
                .get(path)
                .is_some_and(|known| !known.rules.iter().map(|(name, _)| *name).eq(now.rules.iter().copied()))
        });
        if rules_changed {
            return self.list_all(seen_ns, swept);
        }
        if !new.is_empty() {
            let reach = Reach::Some { here: HashSet::new(), below: new };
            walked.extend(walk::walk(&self.root, self.above, reach));
        }
        for path in here.iter().filter(|path| !walked.contains_key(*path)).cloned().collect::<Vec<_>>() {
            self.forget(&path, swept);
        }
        self.take(walked, seen_ns, swept);
    }

    fn take(&mut self, walked: Walked, seen_ns: i64, swept: &mut Swept) {
        for (path, listed) in walked {
            let mut known: HashMap<Box<str>, File> = HashMap::new();
            let mut known_folders: Vec<Box<str>> = Vec::new();
            if let Some(folder) = self.folders.remove(&path) {
                known.extend(folder.files.into_iter().map(|file| (file.name.clone(), file)));
                known_folders = folder.folders;
            }
            for name in known_folders.iter().filter(|name| !listed.folders.contains(name)) {
                self.forget(&join(&path, name), swept);
            }
            let mut files = Vec::with_capacity(listed.files.len());
            for file in listed.files {
                files.push(known.remove(&file.name).unwrap_or_else(|| {
                    let whole = join(&path, &file.name);
                    let seen = self.before.remove(&whole);
                    swept.came.push(whole);
                    File { name: file.name, purpose: file.purpose, seen }
                }));
            }
            files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            swept.gone.extend(known.into_keys().map(|name| join(&path, &name)));
            let here = if path.is_empty() { self.root.clone() } else { self.root.join(&*path) };
            let rules = listed.rules.iter().map(|name| (*name, stamp_of(&here.join(name)))).collect();
            // What came between the listing and this stamp makes it younger than the listing, and so unsure.
            let stamp = stamp_of(&here);
            let folder =
                Folder { stamp, seen_ns, files, folders: listed.folders, rules, skipped: listed.skipped };
            self.folders.insert(path, folder);
        }
    }

    /// A folder and all below it.
    fn forget(&mut self, path: &str, swept: &mut Swept) {
        let Some(folder) = self.folders.remove(path) else { return };
        swept.gone.extend(folder.files.iter().map(|file| join(path, &file.name)));
        for name in &folder.folders {
            self.forget(&join(path, name), swept);
        }
    }
}

/// What differs from what is known.
#[derive(Debug, Default)]
struct Look {
    files: Vec<Box<str>>,
    folders: Vec<Box<str>>,
    rules_changed: bool,
}

impl Look {
    fn at(root: &Opened, folders: &[(&str, &Folder)]) -> Self {
        use rustix::fs::{Mode, OFlags, fstat, openat};
        let mut look = Self::default();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for (path, folder) in folders {
            let here = if path.is_empty() { "." } else { path };
            let Ok(opened) = openat(root, here, flags, Mode::empty()) else {
                look.folders.push((*path).into());
                continue;
            };
            let now = fstat(&opened).ok().map(|stat| Stamp::of(&stat));
            if now.is_none() || now != folder.stamp || !folder.is_sure() {
                look.folders.push((*path).into());
            }
            for (name, known) in &folder.rules {
                let now = stamp::look(&opened, name).ok().map(|(stamp, _)| stamp);
                look.rules_changed |=
                    now != *known || now.is_some_and(|stamp| !stamp.is_sure(folder.seen_ns));
            }
            for file in &folder.files {
                let same = match (&file.seen, stamp::look(&opened, &file.name)) {
                    (Some(seen), Ok((stamp, Kind::File { .. }))) => seen.sure && seen.stamp == stamp,
                    _ => false,
                };
                if !same {
                    look.files.push(join(path, &file.name));
                }
            }
        }
        look
    }
}

impl Folder {
    fn place(&self, name: &str) -> Option<usize> {
        self.files.binary_search_by(|file| (*file.name).cmp(name)).ok()
    }

    fn is_sure(&self) -> bool {
        self.stamp.is_some_and(|stamp| stamp.is_sure(self.seen_ns))
    }
}

pub(crate) fn join(folder: &str, name: &str) -> Box<str> {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}").into() }
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    stamp::look(rustix::fs::CWD, path.to_str()?).ok().map(|(stamp, _)| stamp)
}
