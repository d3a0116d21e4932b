//! Store to files: what changed in a memory is written where it stands in the file, and nowhere else. What the files
//! say is taken in next door.

use std::io;
use std::time::{Duration, Instant};

use engine::memory::MAX_TEXT;
use model::{MemoryId, MemoryKind};
use notes::{Change, Note};
use store::{MemoryRow, StoreError, Tables};

use super::folder::{Content, Folder, MAX_FILES, Unread};
use super::state::{Entry, Told, Use, hash, said};
use super::{FOLDER, MemoryFiles, POLL, QUIET, RETRY, Work};
use crate::intake::now;

/// Counters change with every citation; a repository should not.
const COUNT_EVERY_MS: u64 = 5 * 60 * 1000;
/// Memories compared in one round; the next follows at once.
const AT_ONCE: usize = 1000;
/// Names tried for one title.
const MAX_NAMES: usize = 1000;
/// What the redactor leaves of a secret begins so.
const MASK: &str = "[REDACTED:";

/// One comparison.
pub(super) struct Sync<'a> {
    pub(super) files: &'a MemoryFiles,
    pub(super) work: &'a mut Work,
    pub(super) tables: Tables,
    /// The next look that is due by itself.
    again: Option<Duration>,
}

impl<'a> Sync<'a> {
    pub(super) fn new(files: &'a MemoryFiles, work: &'a mut Work, tables: Tables) -> Self {
        Self { files, work, tables, again: None }
    }

    pub(super) fn run(&mut self, looks: bool) -> Result<(), StoreError> {
        let mut everything = !self.work.is_compared;
        if looks {
            everything |= self.look_at_files()?;
        }
        self.look_at_store(everything)?;
        self.work.is_compared = true;
        Ok(())
    }

    pub(super) fn patience(&self) -> Option<Duration> {
        let counters =
            self.work.counting.values().min().map(|due| Duration::from_millis(due.saturating_sub(now())));
        let polls = self.work.watch.is_none().then_some(POLL);
        [self.again, counters, polls].into_iter().flatten().min()
    }

    pub(super) fn look_again(&mut self, after: Duration) {
        self.again = Some(self.again.map_or(after, |before| before.min(after)));
    }

    /// As if somebody had touched the files: they are read at the next look.
    fn touch(&mut self, id: MemoryId) {
        self.work.retried.insert(id);
        self.look_at_files_after(QUIET);
    }

    fn look_at_store(&mut self, everything: bool) -> Result<(), StoreError> {
        let noted = self.tables.files_due(AT_ONCE)?;
        let mut due = std::mem::take(&mut self.work.retried);
        due.extend(&noted);
        let time = now();
        due.extend(self.work.counting.iter().filter(|(_, at)| **at <= time).map(|(id, _)| *id));
        if everything {
            due.extend(self.work.state.entries.keys());
            due.extend(self.tables.memories_of_people(MAX_FILES)?);
        }
        let mut concerned = Vec::new();
        for id in due {
            self.work.counting.remove(&id);
            let has_file = self.work.state.entries.contains_key(&id);
            if has_file || self.tables.memory_of(id)?.is_some_and(|row| is_of_people(&row)) {
                concerned.push(id);
            }
        }
        if !concerned.is_empty() && !self.files.is_caught_up() {
            self.work.retried.extend(concerned);
            self.look_again(RETRY);
            return Ok(());
        }
        if !noted.is_empty() {
            // Before the rows are read: what changes from here on is noted again.
            self.tables.write(|batch| batch.files_done(&noted))?;
        }
        if noted.len() == AT_ONCE {
            self.look_again(Duration::ZERO);
        }
        for id in concerned {
            self.compare(id)?;
        }
        Ok(())
    }

    fn compare(&mut self, id: MemoryId) -> Result<(), StoreError> {
        let row = self.tables.memory_of(id)?;
        let entry = self.work.state.entries.get(&id).cloned();
        match (row, entry) {
            (None, None) => {}
            (None, Some(entry)) if self.tables.is_forgotten(id)? => self.remove(id, &entry),
            (None, Some(entry)) => {
                // Dropped, or older than the journal: the file brings it back.
                if entry.is_live() && !self.work.missing.contains_key(&id) {
                    self.work.state.change(id, |entry| (entry.stamp, entry.bytes, entry.said) = (None, 0, 0));
                    self.touch(id);
                    self.work.retried.remove(&id);
                }
            }
            (Some(row), Some(entry)) if entry.is_live() => self.update(id, &entry, &row),
            (Some(row), entry) => {
                if entry.is_some_and(|entry| !entry.withdrawn) || is_of_people(&row) {
                    self.create(id, &row);
                }
            }
        }
        Ok(())
    }

    fn folder(&self) -> &Folder {
        self.work.folder.as_ref().expect("a comparison has a folder")
    }

    /// Forgetting reaches every file, also one that was changed since.
    fn remove(&mut self, id: MemoryId, entry: &Entry) {
        let removed = if entry.is_live() { self.folder().remove(&entry.path) } else { Ok(()) };
        match removed {
            Ok(()) => {
                self.files.untell(&entry.path);
                self.work.state.drop_forgotten(id);
                if self.work.missing.remove(&id).is_some() {
                    // There may be too many missing no longer.
                    self.look_at_files_after(QUIET);
                }
            }
            Err(error) => {
                self.files.tell(&entry.path, format!("is forgotten and cannot be removed: {error}"));
                self.work.retried.insert(id);
                self.look_again(POLL);
            }
        }
    }

    fn create(&mut self, id: MemoryId, row: &MemoryRow) {
        if self.work.state.live().count() >= MAX_FILES {
            self.files.tell(FOLDER, format!("there are {MAX_FILES} files; memories beyond them have none"));
            return;
        }
        let text = notes::write(&note_of(row));
        let name = notes::slug(&row.memory.title);
        for number in 1..=MAX_NAMES {
            let path = if number == 1 { format!("{name}.md") } else { format!("{name}-{number}.md") };
            match self.folder().create(&path, &text) {
                Ok(()) => {
                    let stamp = self.folder().stamp(&path);
                    let note = notes::read(&text);
                    let entry = Entry {
                        said: said(&note),
                        file: Told::of_note(&note, &path),
                        row: Told::of(&row.memory),
                        use_: Use::of_row(row),
                        counted_at: now(),
                        ..Entry::new(id, &path, stamp, hash(&[&text]))
                    };
                    self.work.state.put(id, entry);
                    return;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return self.tell_unwritten(id, &path, &error),
            }
        }
    }

    fn update(&mut self, id: MemoryId, entry: &Entry, row: &MemoryRow) {
        let (told, count) = (Told::of(&row.memory), Use::of_row(row));
        let is_said = told != entry.row;
        if !is_said && count.reads_as(entry.use_) {
            return;
        }
        let due = entry.counted_at + COUNT_EVERY_MS;
        if !is_said && due > now() {
            self.work.counting.insert(id, due);
            return;
        }
        if self.work.missing.contains_key(&id) {
            return;
        }
        let content = match self.folder().read(&entry.path) {
            Ok(content) if content.hash == entry.bytes => content,
            // It says something else by now, which is taken in first.
            Ok(_) | Err(Unread::Busy) => return self.touch(id),
            Err(Unread::Problem(what)) => return self.files.tell(&entry.path, what),
        };
        let change = self.change(id, entry, row, &content);
        let text = notes::rewrite(&content.text, &change);
        if text != content.text {
            match self.folder().replace(&entry.path, content.hash, &text) {
                Ok(()) => {}
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::NotFound) =>
                {
                    return self.touch(id);
                }
                Err(error) => return self.tell_unwritten(id, &entry.path, &error),
            }
        }
        let (stamp, note) = (self.folder().stamp(&entry.path), notes::read(&text));
        self.work.state.change(id, |entry| {
            entry.stamp = stamp;
            entry.bytes = hash(&[&text]);
            entry.said = said(&note);
            entry.file = Told::of_note(&note, &entry.path);
            entry.row = told;
            entry.use_ = count;
            entry.counted_at = now();
        });
    }

    /// What of a memory is not yet in its file. A mask is never written over the words it stands for, and the
    /// beginning of a text never over the whole.
    fn change(&self, id: MemoryId, entry: &Entry, row: &MemoryRow, content: &Content) -> Change {
        let note = notes::read(&content.text);
        let told = Told::of(&row.memory);
        let mut change = Change::default();
        let masks = |text: &str| text.matches(MASK).count();
        let title = note.title.as_deref().unwrap_or_default();
        if told.title != entry.row.title && masks(&row.memory.title) <= masks(title) {
            change.title = Some(row.memory.title.clone());
        }
        if told.text != entry.row.text {
            if masks(&row.memory.text) > masks(&note.text) || note.text.len() > MAX_TEXT {
                let what = "holds what the memory may not, so the memory's new text is not written over it; edit the file";
                self.files.tell(&entry.path, what.to_owned());
            } else {
                change.text = Some(row.memory.text.clone());
            }
        }
        if told.critical != entry.row.critical && note.critical.unwrap_or(false) != told.critical {
            change.critical = Some(told.critical);
        }
        if told.pinned != entry.row.pinned && note.pinned.unwrap_or(false) != told.pinned {
            change.pinned = Some(told.pinned);
        }
        // A file without front matter is not given one for a number.
        if note.has_front {
            let (count, here) = (Use::of_row(row), Use::of_note(&note));
            change.hits = (count.hits > here.hits).then_some(count.hits);
            change.prevented = (count.prevented > here.prevented).then_some(count.prevented);
            let later = count.last_applied_at > here.last_applied_at;
            let same = notes::same_day(count.last_applied_at, here.last_applied_at);
            change.last_applied = count.last_applied_at.filter(|_| later && !same);
        }
        if change != Change::default() && note.id != Some(id) && (note.has_front || change.text.is_none()) {
            change.id = Some(id);
        }
        change
    }

    fn tell_unwritten(&mut self, id: MemoryId, path: &str, error: &io::Error) {
        self.files.tell(path, format!("cannot be written: {error}"));
        self.work.retried.insert(id);
        self.look_again(POLL);
    }
}

/// Memories that are a person's own and hold. The rest is found by asking, and would bury these.
fn is_of_people(row: &MemoryRow) -> bool {
    let memory = &row.memory;
    // What a person typed to an agent is a person's, and no memory they keep.
    let is_said =
        memory.provenance.by == "person" && !matches!(memory.kind, MemoryKind::Prompt | MemoryKind::Chunk);
    row.superseded_by.is_none()
        && (memory.kind == MemoryKind::Note || is_said || memory.pinned || memory.critical)
}

fn note_of(row: &MemoryRow) -> Note {
    let memory = &row.memory;
    let text = memory.text.trim();
    Note {
        id: Some(memory.id),
        title: Some(memory.title.clone()),
        description: memory.subtitle.clone(),
        kind: Some(memory.kind),
        tags: memory.concepts.clone(),
        project: memory.project.clone(),
        critical: Some(memory.critical),
        pinned: memory.pinned.then_some(true),
        hits: row.hits,
        prevented: row.prevented,
        last_applied: row.last_applied_at,
        created: (memory.at > 0).then_some(memory.at),
        text: if text.is_empty() { memory.title.clone() } else { text.to_owned() },
        ..Note::default()
    }
}

/// Between the look that misses a file and the one that believes it.
pub(super) fn is_long_gone(since: Instant) -> bool {
    since.elapsed() >= super::intaking::CONFIRMED
}
