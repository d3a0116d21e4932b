//! The folder of memory files: listing, reading and writing within bounds. Names and contents are strangers' text.
//! No link is followed below the folder, nothing but plain files is opened, and a file is replaced as a whole or not
//! at all. Knows nothing of what a file says.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, openat, renameat, renameat_with, unlinkat};
use rustix::io::Errno;

use super::FOLDER;
use super::state::{Stamp, hash};

/// As many as a person can have an overview of, and more.
pub(super) const MAX_FILES: usize = 10_000;
/// A memory holds 64 KB; a larger file is something else.
pub(super) const MAX_BYTES: u64 = 256 << 10;
/// People sort by topic and by project.
const MAX_DEPTH: usize = 4;
/// Each is watched.
const MAX_FOLDERS: usize = 500;
/// Whatever lies beside the memories is looked at, too.
const MAX_SEEN: usize = 100_000;
/// A name is kept with the memory.
const MAX_PATH: usize = 500;
/// Files with a meaning of their own.
const LEFT_ALONE: &[&str] = &["memory.md", "readme.md"];
/// Folders of tools, full of other people's Markdown.
const NOT_OURS: &[&str] = &["node_modules", "target", "__pycache__"];
/// How our drafts begin; hidden, so that nobody takes them for memories.
const DRAFT: &str = ".throughline-";
/// Drafts of one process are told apart.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
pub(super) struct Folder {
    /// A real path.
    pub(super) root: PathBuf,
}

#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<Found>,
    /// All folders, the first one included.
    pub(super) folders: Vec<PathBuf>,
    /// What is left out, by its path, and why.
    pub(super) problems: Vec<(String, String)>,
    /// Not everything could be listed: a file that is not here may be there.
    pub(super) is_partial: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: String,
    pub(super) stamp: Stamp,
}

#[derive(Debug)]
pub(super) struct Content {
    pub(super) text: String,
    pub(super) hash: u64,
    /// `None` while the file is so young that another write might bear the same.
    pub(super) stamp: Option<Stamp>,
}

#[derive(Debug)]
pub(super) enum Unread {
    /// It changes while we read, or is gone: look again.
    Busy,
    Problem(String),
}

impl Folder {
    /// `Err` when it is not there or is no folder.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let root = fs::canonicalize(path)?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { root })
    }

    /// Every memory file. `before` is told each folder before it is listed, so that nothing is missed between.
    pub(super) fn list(&self, before: impl FnMut(&Path)) -> io::Result<Listing> {
        self.list_at_most(MAX_FILES, before)
    }

    fn list_at_most(&self, most: usize, mut before: impl FnMut(&Path)) -> io::Result<Listing> {
        let mut listing = Listing::default();
        let mut seen = 0;
        let mut open = vec![(String::new(), 0)];
        while let Some((inside, depth)) = open.pop() {
            let folder = self.root.join(&inside);
            before(&folder);
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                // Without the first there is no folder; one below it may have gone meanwhile.
                Err(error) if inside.is_empty() => return Err(error),
                Err(error) => {
                    if error.kind() != io::ErrorKind::NotFound {
                        listing.tell(&inside, format!("cannot be listed: {error}"));
                    }
                    listing.is_partial = true;
                    continue;
                }
            };
            listing.folders.push(folder);
            for entry in entries.filter_map(Result::ok) {
                seen += 1;
                if seen > MAX_SEEN || listing.files.len() >= most {
                    listing.tell(FOLDER, format!("more than {most} files; the rest is left alone"));
                    listing.is_partial = true;
                    return Ok(listing);
                }
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name();
                let Some(name) = name.to_str() else {
                    if is_markdown(&name.to_string_lossy()) {
                        listing.tell(&name.to_string_lossy(), "its name is no UTF-8; rename it".to_owned());
                    }
                    continue;
                };
                let path = if inside.is_empty() { name.to_owned() } else { format!("{inside}/{name}") };
                if name.starts_with('.') {
                    continue;
                }
                if kind.is_dir() {
                    if depth >= MAX_DEPTH || listing.folders.len() + open.len() >= MAX_FOLDERS {
                        listing.is_partial |= depth < MAX_DEPTH;
                        listing.tell(&path, "lies too deep, or there are too many folders".to_owned());
                    } else if !NOT_OURS.contains(&name) {
                        open.push((path, depth + 1));
                    }
                } else if is_markdown(name) && !LEFT_ALONE.contains(&name.to_lowercase().as_str()) {
                    listing.take(path, kind.is_file(), entry.metadata());
                }
            }
        }
        listing.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(listing)
    }

    pub(super) fn read(&self, path: &str) -> Result<Content, Unread> {
        let busy = |_: io::Error| Unread::Busy;
        let (folder, name) = self.within(path).map_err(busy)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = match openat(&folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::ACCESS | Errno::PERM) => return Err(Unread::Problem("cannot be read".to_owned())),
            Err(_) => return Err(Unread::Busy),
        };
        let about = file.metadata().map_err(busy)?;
        if !about.is_file() {
            return Err(Unread::Problem("is no file any more".to_owned()));
        }
        if about.len() > MAX_BYTES {
            return Err(Unread::Problem(too_large()));
        }
        let mut bytes = Vec::new();
        (&file).take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(busy)?;
        let stamp = Stamp::of(&file.metadata().map_err(busy)?);
        if stamp != Stamp::of(&about) || bytes.len() as u64 != stamp.size {
            return Err(Unread::Busy);
        }
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        let text = text.ok_or_else(|| Unread::Problem("is not text in UTF-8".to_owned()))?;
        Ok(Content { hash: hash(&[&text]), text, stamp: Some(stamp).filter(Stamp::is_old) })
    }

    /// A new file, as open to others as the folder it lies in. `AlreadyExists`: choose another name.
    pub(super) fn create(&self, path: &str, text: &str) -> io::Result<()> {
        let (folder, name) = self.within(path)?;
        let mode =
            fs::metadata(self.root.join(path).parent().unwrap_or(&self.root))?.permissions().mode() & 0o666;
        let draft = write_draft(&folder, text, mode)?;
        let done = match renameat_with(&folder, &draft, &folder, name, RenameFlags::NOREPLACE) {
            // File systems that cannot: a look before has to do.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if self.about(path).is_err() => {
                renameat(&folder, &draft, &folder, name)
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(Errno::EXIST),
            done => done,
        };
        drop_draft_unless(done, &folder, &draft)
    }

    /// Puts a new content in the place of the one that was read. `Interrupted`: it is another one by now.
    pub(super) fn replace(&self, path: &str, read: u64, text: &str) -> io::Result<()> {
        let (folder, name) = self.within(path)?;
        let about = self.about(path)?;
        let draft = write_draft(&folder, text, about.permissions().mode() & 0o777)?;
        let is_same = self.about(path).is_ok_and(|now| Stamp::of(&now) == Stamp::of(&about))
            && self.read(path).is_ok_and(|content| content.hash == read);
        let done = if is_same { renameat(&folder, &draft, &folder, name) } else { Err(Errno::INTR) };
        drop_draft_unless(done, &folder, &draft)
    }

    /// Gone already is as good.
    pub(super) fn remove(&self, path: &str) -> io::Result<()> {
        let (folder, name) = match self.within(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            within => within?,
        };
        match unlinkat(&folder, name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            done => Ok(done?),
        }
    }

    pub(super) fn stamp(&self, path: &str) -> Option<Stamp> {
        self.about(path).ok().map(|about| Stamp::of(&about)).filter(Stamp::is_old)
    }

    fn about(&self, path: &str) -> io::Result<Metadata> {
        let about = fs::symlink_metadata(self.root.join(path))?;
        if about.is_file() { Ok(about) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// The folder a path lies in, reached without following a link, and the name in it.
    fn within<'a>(&self, path: &'a str) -> io::Result<(OwnedFd, &'a str)> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = rustix::fs::open(&self.root, flags, Mode::empty())?;
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            if matches!(part, "" | "." | "..") {
                break;
            }
            if parts.peek().is_none() {
                return Ok((folder, part));
            }
            folder = openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty())?;
        }
        Err(io::ErrorKind::InvalidInput.into())
    }
}

impl Listing {
    /// Removes the drafts of a process that died over them.
    pub(super) fn drop_drafts(&self) {
        for folder in &self.folders {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(DRAFT) {
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }

    fn tell(&mut self, path: &str, what: String) {
        if self.problems.len() < MAX_FILES {
            self.problems.push((path.to_owned(), what));
        }
    }

    fn take(&mut self, path: String, is_file: bool, about: io::Result<Metadata>) {
        if !is_file {
            self.tell(&path, "is a link or no plain file; neither is followed".to_owned());
            return;
        }
        let Ok(about) = about else { return };
        if path.len() > MAX_PATH {
            self.tell(&path[..path.floor_char_boundary(60)], "has too long a name".to_owned());
            return;
        }
        let stamp = Stamp::of(&about);
        if stamp.size > MAX_BYTES {
            self.tell(&path, too_large());
        }
        // A giant is listed, so that it is not taken for gone; nobody reads it.
        self.files.push(Found { path, stamp });
    }
}

impl Stamp {
    /// File systems stamp with the time of the last timer tick: what is younger may change and look the same.
    fn is_old(&self) -> bool {
        const YOUNG_MS: u64 = 50;
        self.millis() + YOUNG_MS < crate::intake::now()
    }
}

fn too_large() -> String {
    format!("is larger than the {} KB a memory file may have", MAX_BYTES >> 10)
}

fn is_markdown(name: &str) -> bool {
    let ending = Path::new(name).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("markdown"))
}

fn write_draft(folder: &OwnedFd, text: &str, mode: u32) -> io::Result<String> {
    let name = format!("{DRAFT}{}-{}", std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, &name, flags, Mode::RUSR | Mode::WUSR)?);
    // Our umask is for our own files; this one is the person's.
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.set_permissions(fs::Permissions::from_mode(mode)))
        .and_then(|()| file.sync_data());
    match written {
        Ok(()) => Ok(name),
        Err(error) => {
            let _ = unlinkat(folder, &name, AtFlags::empty());
            Err(error)
        }
    }
}

fn drop_draft_unless(done: Result<(), Errno>, folder: &OwnedFd, draft: &str) -> io::Result<()> {
    if done.is_err() {
        let _ = unlinkat(folder, draft, AtFlags::empty());
    }
    Ok(done?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn house() -> (tempfile::TempDir, Folder) {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("in")).unwrap();
        let folder = Folder::open(&temp.path().join("in")).unwrap();
        (temp, folder)
    }

    #[test]
    fn only_plain_files_of_the_folder_are_listed_and_read() {
        let (temp, folder) = house();
        let root = &folder.root;
        fs::write(temp.path().join("secret.md"), "out").unwrap();
        for name in ["a.md", ".hidden.md", "README.md", "MEMORY.md", "b.txt", "a.md~"] {
            fs::write(root.join(name), "text").unwrap();
        }
        fs::create_dir_all(root.join("one/two/three/four/five")).unwrap();
        fs::write(root.join("one/two/c.markdown"), "text").unwrap();
        fs::write(root.join("one/two/three/four/five/deep.md"), "text").unwrap();
        symlink(temp.path().join("secret.md"), root.join("link.md")).unwrap();
        symlink(temp.path(), root.join("up")).unwrap();
        File::create(root.join("giant.md")).unwrap().set_len(50 << 20).unwrap();
        let listing = folder.list(|_| {}).unwrap();
        let names: Vec<&str> = listing.files.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(names, ["a.md", "giant.md", "one/two/c.markdown"]);
        let told: Vec<&str> = listing.problems.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(matches!(folder.read("giant.md"), Err(Unread::Problem(_))));
        for path in ["link.md", "up/secret.md", "../secret.md", "/etc/passwd", "", "one/../a.md"] {
            assert!(folder.read(path).is_err(), "{path}");
            assert!(folder.replace(path, 0, "x").is_err() && folder.create(path, "x").is_err(), "{path}");
        }
        assert_eq!(fs::read_to_string(temp.path().join("secret.md")).unwrap(), "out");
    }

    #[test]
    fn a_new_file_is_as_open_as_its_folder_and_never_takes_anothers_place() {
        let (_temp, folder) = house();
        for (mode, expected) in [(0o700, 0o600), (0o755, 0o644), (0o775, 0o664)] {
            fs::set_permissions(&folder.root, fs::Permissions::from_mode(mode)).unwrap();
            let path = format!("{mode:o}.md");
            folder.create(&path, "text").unwrap();
            let found = fs::metadata(folder.root.join(&path)).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, expected, "{mode:o}");
            let again = folder.create(&path, "other").unwrap_err();
            assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(folder.root.join(&path)).unwrap(), "text");
        }
        assert_eq!(fs::read_dir(&folder.root).unwrap().count(), 3, "no draft is left");
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_is_not_replaced() {
        let (_temp, folder) = house();
        let path = folder.root.join("a.md");
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let read = folder.read("a.md").unwrap();
        folder.replace("a.md", read.hash, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(
            folder.replace("a.md", read.hash, "three").unwrap_err().kind(),
            io::ErrorKind::Interrupted
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        folder.remove("a.md").unwrap();
        folder.remove("a.md").unwrap();
        folder.remove("gone/a.md").unwrap();
        assert_eq!(fs::read_dir(&folder.root).unwrap().count(), 0);
    }

    #[test]
    fn of_too_many_files_the_rest_is_not_taken_for_gone() {
        let (_temp, folder) = house();
        for number in 0..3 {
            File::create(folder.root.join(format!("{number}.md"))).unwrap();
        }
        assert!(!folder.list_at_most(3, |_| {}).unwrap().is_partial);
        let listing = folder.list_at_most(2, |_| {}).unwrap();
        assert_eq!((listing.files.len(), listing.is_partial), (2, true));
    }

    #[test]
    fn what_is_no_text_is_told() {
        let (_temp, folder) = house();
        fs::write(folder.root.join("a.md"), b"caf\xe9").unwrap();
        fs::write(folder.root.join("b.md"), b"a\0b").unwrap();
        for path in ["a.md", "b.md"] {
            assert!(matches!(folder.read(path), Err(Unread::Problem(_))), "{path}");
        }
        assert!(matches!(folder.read("none.md"), Err(Unread::Busy)));
    }
}
