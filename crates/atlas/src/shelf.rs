//! Facts that wait between two processes. A shelf that is busy, full, damaged or gone costs time and never an answer:
//! what is not there is made again from the files.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use code::Facts;
use store::{CodeFacts, CodeFile, CodeShelf, StoreError};

use crate::key::{Key, VERSION};
use crate::leaf::{Keeper, Leaf, Source};
use crate::pack::{self, Head};
use crate::reading;
use crate::stamp::Stamp;
use crate::taking::Known;
use crate::tree::{Seen, State};

/// A workspace nobody has asked about for this long is mapped again when somebody does.
const UNSEEN: Duration = Duration::from_hours(90 * 24);
/// The same folder, read in another way: a release that is gone by now, or one that is being worked on.
const OTHER_WAY: Duration = Duration::from_hours(7 * 24);
/// All workspaces together: about five with a million lines each.
const MAX_BYTES: u64 = 1 << 30;
/// How often is looked for what can go.
const SWEEP_EVERY: Duration = Duration::from_hours(24);

/// Where facts are kept: a database of its own, made when something is put there. It may be deleted at any time.
#[derive(Debug, Clone)]
pub struct Shelf {
    path: PathBuf,
}

impl Shelf {
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The shelf, open for one workspace.
pub(crate) struct Archive {
    root: PathBuf,
    path: PathBuf,
    desk: Mutex<Desk>,
    /// Nothing was on it when it was opened: no text has to be looked for.
    is_new: AtomicBool,
}

struct Desk {
    /// `None`: it cannot be used any more.
    shelf: Option<CodeShelf>,
    workspace: i64,
}

/// A file that was known before.
pub(crate) struct Remembered {
    pub(crate) seen: Seen,
    pub(crate) leaf: Option<Leaf>,
}

/// A file as it is to be kept.
pub(crate) struct Row<'a> {
    pub(crate) path: &'a str,
    pub(crate) seen: Seen,
    pub(crate) leaf: Option<&'a Leaf>,
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Archive {
    /// `None`: there is no shelf to be had, and the map lives in memory alone.
    pub(crate) fn open(shelf: &Shelf, root: &Path) -> Option<Arc<Self>> {
        let path = shelf.path.clone();
        let opened = match CodeShelf::open(&path) {
            Err(StoreError::Damaged(_)) => {
                store::move_aside(&path).ok()?;
                CodeShelf::open(&path)
            }
            opened => opened,
        };
        let mut shelf = opened.ok()?;
        let workspace = shelf.workspace(root.to_str()?, VERSION, now_ms()).ok()?;
        let is_new = AtomicBool::new(shelf.is_empty().unwrap_or(false));
        let desk = Mutex::new(Desk { shelf: Some(shelf), workspace });
        Some(Arc::new(Self { root: root.to_owned(), path, desk, is_new }))
    }

    /// Every file that was known.
    pub(crate) fn remember(self: &Arc<Self>) -> HashMap<Box<str>, Remembered> {
        let mut files = HashMap::new();
        let mut desk = self.desk();
        let workspace = desk.workspace;
        let read = desk.shelf.as_ref().map(|shelf| {
            shelf.files(workspace, &mut |file, head| {
                let path: Box<str> = file.path.as_str().into();
                if let Some(remembered) = self.remembered(file, head) {
                    files.insert(path, remembered);
                }
            })
        });
        if let Some(Err(error)) = read {
            self.refuse(&mut desk, &error);
        }
        files
    }

    fn remembered(self: &Arc<Self>, file: CodeFile, head: Option<&[u8]>) -> Option<Remembered> {
        let CodeFile { path, mtime_ns, ctime_ns, size, inode, sure, .. } = file;
        let stamp = Stamp { mtime_ns, ctime_ns, size, inode };
        if let Some(reason) = file.skipped {
            let state = State::Left(reading::reason(&reason)?);
            return Some(Remembered { seen: Seen { stamp, sure, state }, leaf: None });
        }
        let (key, head) = (Key(file.key?), Head::read(head?)?);
        let language = code::languages::by_name(&file.language?)?;
        let leaf = Leaf::new(&path, language, head, self.source_of(key));
        Some(Remembered { seen: Seen { stamp, sure, state: State::Mapped(key) }, leaf: Some(leaf) })
    }

    /// Whether all of it was kept.
    pub(crate) fn keep(&self, rows: &[Row<'_>], gone: &[Box<str>]) -> bool {
        let mut desk = self.desk();
        let workspace = desk.workspace;
        let Some(shelf) = &mut desk.shelf else { return false };
        let heads: Vec<_> = rows
            .iter()
            .filter_map(|row| match (row.seen.state, row.leaf) {
                (State::Mapped(key), Some(leaf)) => Some((key.0, leaf.head().sealed(), leaf.held()?)),
                _ => None,
            })
            .collect();
        let mut made = heads.iter().map(|(key, head, body)| CodeFacts { key: *key, head, body });
        let mut files = rows
            .iter()
            .filter(|row| row.leaf.is_some() || matches!(row.seen.state, State::Left(_)))
            .map(row_of);
        let kept = shelf.keep(workspace, &mut made, &mut files, &mut gone.iter().map(|path| &**path));
        match kept {
            Ok(()) => true,
            Err(error) => {
                self.refuse(&mut desk, &error);
                false
            }
        }
    }

    pub(crate) fn source_of(self: &Arc<Self>, key: Key) -> Source {
        Source::Kept(Arc::clone(self) as Arc<dyn Keeper>, key)
    }

    /// Drops what nobody will ask for again, once in a while.
    pub(crate) fn tidy(&self) {
        let mut desk = self.desk();
        let own = desk.workspace;
        let Some(shelf) = &mut desk.shelf else { return };
        if let Err(error) = tidy(shelf, own, now_ms()) {
            self.refuse(&mut desk, &error);
        }
    }

    /// Vectors that were made before, by the text they belong to.
    pub(crate) fn meanings(&self, model: &str, take: &mut dyn FnMut(Key, &[u8])) {
        let mut desk = self.desk();
        let workspace = desk.workspace;
        let read = desk
            .shelf
            .as_ref()
            .map(|shelf| shelf.meanings(workspace, model, &mut |key, vectors| take(Key(key), vectors)));
        if let Some(Err(error)) = read {
            self.refuse(&mut desk, &error);
        }
    }

    pub(crate) fn keep_meanings(&self, model: &str, made: &[(Key, Vec<u8>)]) {
        let mut desk = self.desk();
        let Some(shelf) = &mut desk.shelf else { return };
        let kept = shelf.keep_meanings(model, &mut made.iter().map(|(key, vectors)| (key.0, &vectors[..])));
        if let Err(error) = kept {
            self.refuse(&mut desk, &error);
        }
    }

    /// Busy and full pass; with the others this process does without.
    fn refuse(&self, desk: &mut Desk, error: &StoreError) {
        if matches!(error, StoreError::Busy(_) | StoreError::Full(_)) {
            return;
        }
        desk.shelf = None;
        if matches!(error, StoreError::Damaged(_)) {
            // The next one to open it makes it anew; where it cannot be moved, it is found damaged again.
            let _ = store::move_aside(&self.path);
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known for Arc<Archive> {
    fn head(&self, key: Key) -> Option<Head> {
        if self.is_new.load(Ordering::Relaxed) {
            return None;
        }
        let bytes = self.desk().shelf.as_ref()?.head(key.0).ok()??;
        Head::read(&bytes)
    }

    fn source(&self, key: Key) -> Source {
        self.source_of(key)
    }
}

impl Keeper for Archive {
    fn facts(&self, leaf: &Leaf, key: Key) -> Option<Facts> {
        let body = {
            let mut desk = self.desk();
            match desk.shelf.as_ref().map(|shelf| shelf.body(key.0)) {
                Some(Ok(body)) => body,
                Some(Err(error)) => {
                    self.refuse(&mut desk, &error);
                    None
                }
                None => None,
            }
        };
        body.and_then(|body| pack::unpack(&body)).or_else(|| {
            // Somebody deleted it. The text is where it was a moment ago.
            let text = reading::text(&self.root.join(&*leaf.path))?;
            reading::facts(leaf.language, &text).ok()
        })
    }
}

fn row_of(row: &Row<'_>) -> CodeFile {
    let Stamp { mtime_ns, ctime_ns, size, inode } = row.seen.stamp;
    let (key, skipped) = match row.seen.state {
        State::Mapped(key) => (Some(key.0), None),
        State::Left(reason) => (None, Some(reason.to_owned())),
    };
    CodeFile {
        path: row.path.to_owned(),
        mtime_ns,
        ctime_ns,
        size,
        inode,
        sure: row.seen.sure,
        language: row.leaf.map(|leaf| leaf.language.name.to_owned()),
        key,
        skipped,
    }
}

fn tidy(shelf: &mut CodeShelf, own: i64, now_ms: i64) -> Result<(), StoreError> {
    const SWEPT_AT: &str = "swept_at";
    let last = shelf.meta(SWEPT_AT)?.and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
    let age = |at: i64| Duration::from_millis(now_ms.saturating_sub(at).max(0).cast_unsigned());
    if last <= now_ms && age(last) < SWEEP_EVERY {
        return Ok(());
    }
    shelf.set_meta(SWEPT_AT, &now_ms.to_string())?;
    let others: Vec<_> = shelf.workspaces()?.into_iter().filter(|workspace| workspace.id != own).collect();
    let (drop, mut keep): (Vec<_>, Vec<_>) = others.into_iter().partition(|workspace| {
        let unseen = age(workspace.seen_at);
        unseen > UNSEEN
            || workspace.version != VERSION && unseen > OTHER_WAY
            || !Path::new(&workspace.root).is_dir()
    });
    for workspace in drop {
        shelf.drop_workspace(workspace.id)?;
    }
    shelf.sweep()?;
    // The one seen longest ago goes first.
    keep.reverse();
    while shelf.bytes_used()? > MAX_BYTES
        && let Some(workspace) = keep.pop()
    {
        shelf.drop_workspace(workspace.id)?;
        shelf.sweep()?;
    }
    Ok(())
}

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_that_are_gone_or_unseen_for_long_are_dropped_with_their_facts() {
        let home = tempfile::tempdir().unwrap();
        let here = |name: &str| {
            let path = home.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let day = 24 * 3600 * 1000_i64;
        let now = 1000 * day;
        let mut shelf = CodeShelf::open(&home.path().join("code.db")).unwrap();
        let (own, other, old) = (here("own"), here("other"), here("old"));
        let mut add = |root: &str, version: &str, seen_at: i64, key: u8| {
            let id = shelf.workspace(root, version, seen_at).unwrap();
            let facts = CodeFacts { key: [key; 16], head: b"head", body: b"body" };
            let file = CodeFile {
                path: "a.py".to_owned(),
                mtime_ns: 1,
                ctime_ns: 1,
                size: 1,
                inode: 1,
                sure: true,
                language: Some("python".to_owned()),
                key: Some([key; 16]),
                skipped: None,
            };
            let none = &mut std::iter::empty();
            shelf.keep(id, &mut std::iter::once(facts), &mut std::iter::once(file), none).unwrap();
            id
        };
        let own_id = add(&own, VERSION, now, 1);
        add(&other, VERSION, now - 60 * day, 2);
        add(&old, VERSION, now - 91 * day, 3);
        add(&other, "another way", now - 8 * day, 4);
        add("/nowhere/at/all", VERSION, now, 5);
        tidy(&mut shelf, own_id, now).unwrap();
        let left: Vec<String> = shelf.workspaces().unwrap().into_iter().map(|left| left.root).collect();
        assert_eq!(left, [other, own]);
        let has = |key: u8| shelf.body([key; 16]).unwrap().is_some();
        assert_eq!([1, 2, 3, 4, 5].map(has), [true, true, false, false, false]);
        // Not again before a day is over.
        shelf.workspace("/nowhere/at/all", VERSION, now).unwrap();
        tidy(&mut shelf, own_id, now + day / 2).unwrap();
        assert_eq!(shelf.workspaces().unwrap().len(), 3);
        tidy(&mut shelf, own_id, now + 2 * day).unwrap();
        assert_eq!(shelf.workspaces().unwrap().len(), 2);
    }
}
