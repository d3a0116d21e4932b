//! What the files and the store said when they were last the same. Kept in a file of its own: it cannot be derived
//! from the journal, so it must outlive tables that are made anew, and it has no place in a folder people keep in git.
//! Hashes and file names, never a text. If it is lost, files and memories are compared once more.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use model::{Memory, MemoryId, Millis};
use notes::Note;
use serde::{Deserialize, Serialize};
use store::MemoryRow;

/// Marks of forgotten files: enough that a branch that was away for long does not bring one back.
const MAX_FORGOTTEN: usize = 2000;
/// Files that went and may come back.
const MAX_WITHDRAWN: usize = 10_000;
/// Ten thousand files and as many that are gone.
const MAX_BYTES: u64 = 16 << 20;

#[derive(Debug, Default)]
pub(super) struct State {
    /// The folder it speaks of.
    pub(super) folder: String,
    pub(super) entries: BTreeMap<MemoryId, Entry>,
    /// Contents of files that were removed because somebody wanted them forgotten.
    forgotten: Vec<u64>,
    is_dirty: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) id: MemoryId,
    /// Below the folder, with slashes. Empty: the file is still to be written.
    pub(super) path: String,
    /// `None`: look into the file whatever its stamp says.
    pub(super) stamp: Option<Stamp>,
    /// The file's bytes, and what of them is a memory's.
    pub(super) bytes: u64,
    pub(super) said: u64,
    pub(super) file: Told,
    pub(super) row: Told,
    pub(super) use_: Use,
    /// When we last wrote counters into it.
    pub(super) counted_at: Millis,
    /// Its file is gone and its row with it.
    #[serde(default)]
    pub(super) withdrawn: bool,
}

/// Which bytes a file had: changes with every write, also with one that sets the clock back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    inode: u64,
    pub(super) size: u64,
    changed: (i64, i64),
}

/// The parts of a memory that people change on both sides, as one side says them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Told {
    pub(super) title: u64,
    pub(super) text: u64,
    pub(super) critical: bool,
    pub(super) pinned: bool,
}

/// The counters as the file has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Use {
    pub(super) hits: u64,
    pub(super) prevented: u64,
    pub(super) last_applied_at: Option<Millis>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    folder: String,
    entries: Vec<Entry>,
    #[serde(default)]
    forgotten: Vec<u64>,
}

impl State {
    /// Empty when there is none or it cannot be read. Of another folder, only which memories have files is taken:
    /// they are written into the new folder unless they lie there already.
    pub(super) fn load(path: &Path, folder: &str) -> Self {
        let known = fs::metadata(path).is_ok_and(|about| about.len() <= MAX_BYTES);
        let read = known.then(|| fs::read(path).ok()).flatten();
        let kept: Option<Kept> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let Some(kept) = kept else { return Self { folder: folder.to_owned(), ..Self::default() } };
        let moved = kept.folder != folder;
        let mut entries: BTreeMap<_, _> = kept.entries.into_iter().map(|entry| (entry.id, entry)).collect();
        if moved {
            entries.retain(|_, entry| !entry.withdrawn);
            for entry in entries.values_mut() {
                entry.path.clear();
                entry.stamp = None;
            }
        }
        Self { folder: folder.to_owned(), entries, forgotten: kept.forgotten, is_dirty: moved }
    }

    /// Writes it aside and renames. It holds no text, and a crash between the two costs a comparison.
    pub(super) fn save(&mut self, path: &Path) -> io::Result<()> {
        if !self.is_dirty {
            return Ok(());
        }
        self.bound();
        let kept = Kept {
            folder: self.folder.clone(),
            entries: self.entries.values().cloned().collect(),
            forgotten: self.forgotten.clone(),
        };
        let aside = path.with_extension("new");
        let mut file =
            fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&aside)?;
        file.write_all(&serde_json::to_vec(&kept)?)?;
        fs::rename(&aside, path)?;
        self.is_dirty = false;
        Ok(())
    }

    pub(super) fn live(&self) -> impl Iterator<Item = (MemoryId, &Entry)> {
        self.entries.iter().filter(|(_, entry)| entry.is_live()).map(|(id, entry)| (*id, entry))
    }

    pub(super) fn put(&mut self, id: MemoryId, entry: Entry) {
        self.is_dirty = true;
        self.entries.insert(id, entry);
    }

    pub(super) fn change(&mut self, id: MemoryId, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.entries.get_mut(&id) {
            let before = entry.clone();
            change(entry);
            self.is_dirty |= before != *entry;
        }
    }

    pub(super) fn drop_forgotten(&mut self, id: MemoryId) {
        if let Some(entry) = self.entries.remove(&id) {
            self.is_dirty = true;
            self.forgotten.push(entry.bytes);
        }
    }

    pub(super) fn is_forgotten(&self, bytes: u64) -> bool {
        self.forgotten.contains(&bytes)
    }

    fn bound(&mut self) {
        let over = self.forgotten.len().saturating_sub(MAX_FORGOTTEN);
        self.forgotten.drain(..over);
        let withdrawn: Vec<_> =
            self.entries.iter().filter(|(_, entry)| entry.withdrawn).map(|(id, _)| *id).collect();
        for id in withdrawn.iter().skip(MAX_WITHDRAWN) {
            self.entries.remove(id);
        }
    }
}

impl Entry {
    pub(super) fn new(id: MemoryId, path: &str, stamp: Option<Stamp>, bytes: u64) -> Self {
        Self {
            id,
            path: path.to_owned(),
            stamp,
            bytes,
            said: 0,
            file: Told::default(),
            row: Told::default(),
            use_: Use::default(),
            counted_at: 0,
            withdrawn: false,
        }
    }

    pub(super) fn is_live(&self) -> bool {
        !self.withdrawn && !self.path.is_empty()
    }
}

impl Stamp {
    pub(super) fn of(about: &fs::Metadata) -> Self {
        Self { inode: about.ino(), size: about.size(), changed: (about.ctime(), about.ctime_nsec()) }
    }

    /// When it was last written, in Unix milliseconds.
    pub(super) fn millis(self) -> Millis {
        Millis::try_from(self.changed.0).unwrap_or(0) * 1000
            + Millis::try_from(self.changed.1).unwrap_or(0) / 1_000_000
    }
}

impl Told {
    pub(super) fn of(memory: &Memory) -> Self {
        Self {
            title: hash(&[&memory.title]),
            text: hash(&[&memory.text]),
            critical: memory.critical,
            pinned: memory.pinned,
        }
    }

    /// A file without a title is called by its name.
    pub(super) fn of_note(note: &Note, path: &str) -> Self {
        Self {
            title: hash(&[&title(note, path)]),
            text: hash(&[&note.text]),
            critical: note.critical.unwrap_or(false),
            pinned: note.pinned.unwrap_or(false),
        }
    }
}

pub(super) fn title(note: &Note, path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    note.title.clone().unwrap_or_else(|| stem.replace(['-', '_'], " "))
}

impl Use {
    pub(super) fn of_row(row: &MemoryRow) -> Self {
        Self { hits: row.hits, prevented: row.prevented, last_applied_at: row.last_applied_at }
    }

    pub(super) fn of_note(note: &Note) -> Self {
        Self { hits: note.hits, prevented: note.prevented, last_applied_at: note.last_applied }
    }

    /// Of two counts the larger is true: none ever goes back.
    pub(super) fn or_more(self, other: Self) -> Self {
        Self {
            hits: self.hits.max(other.hits),
            prevented: self.prevented.max(other.prevented),
            last_applied_at: self.last_applied_at.max(other.last_applied_at),
        }
    }

    /// Whether a file, which names days, would say the same.
    pub(super) fn reads_as(self, other: Self) -> bool {
        (self.hits, self.prevented) == (other.hits, other.prevented)
            && notes::same_day(self.last_applied_at, other.last_applied_at)
    }
}

/// Everything a file says that becomes part of a memory; its counters are not.
pub(super) fn said(note: &Note) -> u64 {
    let marks = format!("{:?} {:?} {:?} {:?}", note.kind, note.critical, note.pinned, note.created);
    let texts = [&note.title, &note.description, &note.project, &note.invariant];
    let texts = texts.map(|text| text.as_deref().unwrap_or("\0"));
    let tags = note.tags.join("\0");
    hash(&[&marks, texts[0], texts[1], texts[2], texts[3], &tags, &note.text])
}

pub(super) fn hash(parts: &[&str]) -> u64 {
    MemoryId::of(parts).as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_reads_back_and_of_another_folder_only_who_has_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.json");
        let mut state = State::load(&path, "/one");
        let id = MemoryId::from_u64(7);
        state.put(id, Entry::new(id, "a.md", None, 3));
        let gone = MemoryId::from_u64(8);
        state.put(gone, Entry { withdrawn: true, ..Entry::new(gone, "b.md", None, 4) });
        state.save(&path).unwrap();
        let same = State::load(&path, "/one");
        assert_eq!(same.entries, state.entries);
        assert_eq!(same.live().next().unwrap().0, id);
        assert_eq!(same.live().count(), 1);
        let other = State::load(&path, "/two");
        assert_eq!((other.entries.len(), other.entries[&id].path.as_str(), other.live().count()), (1, "", 0));
        fs::write(&path, "{").unwrap();
        assert!(State::load(&path, "/one").entries.is_empty());
    }
}
