//! Files to store: what a person wrote, renamed, copied, deleted or brought back becomes deeds. Decides who a file
//! is; the words are read elsewhere, and redacted on their way into the journal as every deed's are.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use engine::memory::MAX_TEXT;
use model::{Deed, MemoryId};
use notes::Note;
use store::StoreError;

use super::folder::{Found, Listing, Unread};
use super::merging::{Fresh, Newer, deeds_of};
use super::state::{Entry, Told, Use, said};
use super::sync::{Sync, is_long_gone};
use super::{FOLDER, FORGET_MISSING, QUIET, RETRY};
use crate::deeds;

/// Editors that move a file away before they write it anew bring it back within milliseconds.
pub(super) const CONFIRMED: Duration = Duration::from_millis(250);
/// Fewer files than this are deleted one by one; more than half of more at once is a branch, a disk or a mistake.
const MANY: usize = 5;
/// Files taken in with one sync of the journal.
const AT_ONCE: usize = 200;
/// Time for the learner to follow.
const PATIENCE: Duration = Duration::from_secs(10);
/// Lives of one file name: after each forgetting it is another memory.
const MAX_LIVES: usize = 1000;

/// Which memories have their file, and where.
type Claims = HashMap<MemoryId, String>;

impl Sync<'_> {
    /// True: files are back that were missed, and everything is to be compared.
    pub(super) fn look_at_files(&mut self) -> Result<bool, StoreError> {
        let Some(listing) = self.list() else { return Ok(false) };
        let mut claims = Claims::new();
        let fresh = self.read_all(&listing, &mut claims);
        let ids = self.identify(&listing, &fresh, &mut claims)?;
        let known = ids.into_iter().zip(fresh).filter_map(|(id, file)| Some((id?, file)));
        let known: Vec<(MemoryId, Fresh)> = known.collect();
        for some in known.chunks(AT_ONCE) {
            if self.files.touched.bell.is_closed() || !self.take_in(some)? {
                self.look_at_files_after(RETRY);
                return Ok(false);
            }
        }
        // What was not listed is not missed.
        if listing.is_partial { Ok(false) } else { self.miss(&claims) }
    }

    fn list(&mut self) -> Option<Listing> {
        let mut is_watched = true;
        let watch = self.work.watch.as_ref();
        let folder = self.work.folder.as_ref()?;
        let listed =
            folder.list(|folder| is_watched &= watch.is_some_and(|watch| is_added(watch.add(folder))));
        if !is_watched {
            // A limit of the system, or another system: we look for ourselves.
            self.work.watch = None;
        }
        let listing = listed.ok()?;
        if !self.work.is_compared {
            listing.drop_drafts();
        }
        self.files.untell_all_but(|path| {
            listing.files.iter().any(|found| found.path == path)
                || listing.problems.iter().any(|(told, _)| told == path)
        });
        for (path, what) in &listing.problems {
            self.files.tell(path, what.clone());
        }
        Some(listing)
    }

    /// Files that are not as they were. Those that are, and those that cannot be read, keep their memories.
    fn read_all(&mut self, listing: &Listing, claims: &mut Claims) -> Vec<Fresh> {
        let by_path: HashMap<String, MemoryId> =
            self.work.state.live().map(|(id, entry)| (entry.path.clone(), id)).collect();
        let mut fresh = Vec::new();
        for Found { path, stamp } in &listing.files {
            let known = by_path.get(path).copied();
            let entry = known.and_then(|id| self.work.state.entries.get(&id));
            let mut keep = || known.map(|id| claims.insert(id, path.clone()));
            if entry.is_some_and(|entry| entry.stamp == Some(*stamp)) {
                keep();
                continue;
            }
            let folder = self.work.folder.as_ref().expect("a comparison has a folder");
            let content = match folder.read(path) {
                Ok(content) => content,
                Err(Unread::Busy) => {
                    keep();
                    self.look_at_files_after(QUIET);
                    continue;
                }
                Err(Unread::Problem(what)) => {
                    keep();
                    self.files.tell(path, what);
                    continue;
                }
            };
            if entry.is_some_and(|entry| entry.bytes == content.hash) {
                keep();
                self.work.state.change(known.expect("it has an entry"), |entry| entry.stamp = content.stamp);
                continue;
            }
            let note = notes::read(&content.text);
            self.tell_slips(path, &note);
            if note.is_index {
                continue;
            }
            if note.text.is_empty() {
                // Somebody has just begun, or is between two steps of saving.
                keep();
                continue;
            }
            fresh.push(Fresh { path: path.clone(), modified: stamp.millis(), content, note });
        }
        fresh
    }

    fn tell_slips(&self, path: &str, note: &Note) {
        if !note.slips.is_empty() {
            let slips = note.slips.iter().map(|slip| format!("line {}: {}", slip.line, slip.what));
            self.files.tell(path, slips.collect::<Vec<_>>().join("; "));
        } else if note.text.len() > MAX_TEXT {
            let what = format!("is longer than the {} KB of a memory; its beginning is kept", MAX_TEXT >> 10);
            self.files.tell(path, what);
        } else {
            self.files.untell(path);
        }
    }

    /// Whose file each is: the memory it names, the one it was at the last look, the one whose file had the same
    /// bytes and is gone, else one of its own. `None`: nobody's.
    fn identify(
        &self,
        listing: &Listing,
        fresh: &[Fresh],
        claims: &mut Claims,
    ) -> Result<Vec<Option<MemoryId>>, StoreError> {
        let mut ids = vec![None; fresh.len()];
        let mut is_refused = vec![false; fresh.len()];
        let known: HashMap<&str, MemoryId> = self.known_paths();
        // First those that are where they were, so that a copy does not take the place of what it was copied from.
        for stays in [true, false] {
            for (at, file) in fresh.iter().enumerate() {
                let Some(id) = file.note.id.filter(|id| !claims.contains_key(id)) else { continue };
                if stays && known.get(file.path.as_str()) != Some(&id) {
                    continue;
                }
                if self.tables.is_forgotten(id)? {
                    is_refused[at] = true;
                    self.refuse(file, self.work.state.entries.contains_key(&id));
                    continue;
                }
                claims.insert(id, file.path.clone());
                ids[at] = Some(id);
            }
        }
        let listed: HashSet<&str> = listing.files.iter().map(|found| found.path.as_str()).collect();
        for (at, file) in fresh.iter().enumerate() {
            if ids[at].is_some() || is_refused[at] {
                continue;
            }
            ids[at] = self.identify_nameless(file, &known, &listed, claims)?;
            if let Some(id) = ids[at] {
                claims.insert(id, file.path.clone());
            }
        }
        Ok(ids)
    }

    fn identify_nameless(
        &self,
        file: &Fresh,
        known: &HashMap<&str, MemoryId>,
        listed: &HashSet<&str>,
        claims: &Claims,
    ) -> Result<Option<MemoryId>, StoreError> {
        let is_free = |id: &MemoryId| !claims.contains_key(id);
        if let Some(id) = known.get(file.path.as_str()).copied().filter(is_free)
            && !self.tables.is_forgotten(id)?
        {
            return Ok(Some(id));
        }
        let renamed = self.work.state.live().find(|(id, entry)| {
            entry.bytes == file.content.hash && !listed.contains(entry.path.as_str()) && is_free(id)
        });
        if let Some((id, _)) = renamed {
            return Ok(Some(id));
        }
        if self.work.state.is_forgotten(file.content.hash) {
            self.refuse(file, false);
            return Ok(None);
        }
        for life in 0..MAX_LIVES {
            let id = MemoryId::of(&["file", &file.path, &life.to_string()]);
            let is_others = self.work.state.entries.get(&id).is_some_and(|entry| entry.path != file.path);
            if is_free(&id) && !is_others && !self.tables.is_forgotten(id)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Live ones before those that are gone, where both had the name.
    fn known_paths(&self) -> HashMap<&str, MemoryId> {
        let entries = &self.work.state.entries;
        let gone = entries.iter().filter(|(_, entry)| entry.withdrawn).map(|(id, entry)| (*id, entry));
        gone.chain(self.work.state.live()).map(|(id, entry)| (entry.path.as_str(), id)).collect()
    }

    /// One that is about to be removed needs no word.
    fn refuse(&self, file: &Fresh, is_going: bool) {
        if !is_going {
            let what = "was forgotten and is not taken in again; change its text and remove its id to keep it as a new one";
            self.files.tell(&file.path, what.to_owned());
        }
    }

    /// Makes deeds of what the files say, and notes that both sides are the same. False: not yet.
    fn take_in(&mut self, files: &[(MemoryId, Fresh)]) -> Result<bool, StoreError> {
        let mut said_by_files = Vec::new();
        for (id, file) in files {
            let row = self.tables.memory_of(*id)?;
            let entry = self.work.state.entries.get(id);
            said_by_files.extend(deeds_of(*id, file, entry, row.as_ref()));
        }
        if !said_by_files.is_empty() && !self.learned(said_by_files)? {
            return Ok(false);
        }
        for (id, file) in files {
            let row = self.tables.memory_of(*id)?;
            let before = self.work.state.entries.get(id);
            let here = Told::of_note(&file.note, &file.path);
            let newer = Newer::of(&here, before, row.as_ref());
            let told = row.as_ref().map(|row| Told::of(&row.memory)).unwrap_or_default();
            let entry = Entry {
                said: said(&file.note),
                // What the store knows better is still to be written.
                row: before.map_or(told, |before| newer.keep(&before.row, told)),
                file: here,
                use_: Use::of_note(&file.note),
                counted_at: before.map_or(0, |entry| entry.counted_at),
                ..Entry::new(*id, &file.path, file.content.stamp, file.content.hash)
            };
            self.work.state.put(*id, entry);
            // Its counters may be behind.
            self.work.retried.insert(*id);
        }
        Ok(true)
    }

    fn learned(&self, done: Vec<Deed>) -> Result<bool, StoreError> {
        let (last, _) = deeds::journal(&self.files.intake, done)?;
        Ok(self.files.is_learned(last, PATIENCE))
    }

    /// Memories whose files are gone leave, once that is certain. True: some are back.
    fn miss(&mut self, claims: &Claims) -> Result<bool, StoreError> {
        let before = self.work.missing.len();
        self.work.missing.retain(|id, _| !claims.contains_key(id));
        let is_back = self.work.missing.len() < before;
        let gone: Vec<MemoryId> =
            self.work.state.live().map(|(id, _)| id).filter(|id| !claims.contains_key(id)).collect();
        for id in &gone {
            self.work.missing.entry(*id).or_insert_with(Instant::now);
        }
        let all = self.work.state.live().count();
        if gone.len() >= MANY && gone.len() * 2 > all {
            let what = format!(
                "{} of {all} files are gone at once; their memories stay. Put them back, or take the memories away with `{FORGET_MISSING}`",
                gone.len()
            );
            self.files.tell_with(FOLDER, what, FORGET_MISSING);
            return Ok(is_back);
        }
        self.files.untell(FOLDER);
        let certain: Vec<MemoryId> =
            gone.iter().copied().filter(|id| is_long_gone(self.work.missing[id])).collect();
        if certain.len() < gone.len() {
            self.look_at_files_after(CONFIRMED);
        }
        if !certain.is_empty() {
            self.withdraw(&certain)?;
        }
        Ok(is_back)
    }

    /// Looks at the files again, whether or not somebody tells of a change.
    pub(super) fn look_at_files_after(&mut self, after: Duration) {
        self.files.touched.flag.store(true, Ordering::SeqCst);
        self.look_again(after);
    }

    fn withdraw(&mut self, ids: &[MemoryId]) -> Result<(), StoreError> {
        let mut used: Vec<(MemoryId, Use)> = Vec::new();
        for id in ids {
            if let Some(row) = self.tables.memory_of(*id)? {
                used.push((*id, Use::of_row(&row)));
            }
        }
        let deeds =
            used.chunks(AT_ONCE).map(|some| Deed::Withdraw { ids: some.iter().map(|(id, _)| *id).collect() });
        if !used.is_empty() && !self.learned(deeds.collect())? {
            self.look_at_files_after(RETRY);
            return Ok(());
        }
        let used: HashMap<MemoryId, Use> = used.into_iter().collect();
        for id in ids {
            self.work.missing.remove(id);
            if self.tables.is_forgotten(*id)? {
                self.work.state.drop_forgotten(*id);
                continue;
            }
            let use_ = used.get(id).copied().unwrap_or_default();
            self.work.state.change(*id, |entry| {
                entry.withdrawn = true;
                // It comes back with the use it has been.
                entry.use_ = entry.use_.or_more(use_);
            });
        }
        self.files.intake.log.info(format_args!("{} memories withdrawn with their files", ids.len()));
        Ok(())
    }
}

/// A folder that is gone by now is no reason to stop watching the others.
fn is_added(added: io::Result<()>) -> bool {
    added.map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |()| true)
}
