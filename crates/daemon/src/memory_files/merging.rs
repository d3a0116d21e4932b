//! One memory and its file, compared part by part. Pure: who is whose, and what is written where, is decided elsewhere.

use model::{Deed, Memory, MemoryId, MemoryKind, Provenance, estimate_tokens};
use notes::Note;
use store::MemoryRow;

use super::folder::Content;
use super::state::{Entry, Told, Use, said, title};

/// A file that says something new.
#[derive(Debug)]
pub(super) struct Fresh {
    pub(super) path: String,
    /// In Unix milliseconds.
    pub(super) modified: u64,
    pub(super) content: Content,
    pub(super) note: Note,
}

/// What has to happen for the store to say what the file says. Nothing, if only our own words changed.
pub(super) fn deeds_of(
    id: MemoryId,
    file: &Fresh,
    entry: Option<&Entry>,
    row: Option<&MemoryRow>,
) -> Vec<Deed> {
    let note = &file.note;
    let is_same =
        entry.is_some_and(|entry| entry.is_live() && entry.said == said(note) && entry.path == file.path);
    let earlier = entry.filter(|entry| entry.withdrawn).map(|entry| entry.use_).unwrap_or_default();
    let count = Use::of_note(note).or_more(earlier);
    let counted = |memory: Memory| Deed::Import {
        memory: Box::new(memory),
        hits: count.hits,
        prevented: count.prevented,
        last_applied_at: count.last_applied_at,
    };
    if let (true, Some(row)) = (is_same, row) {
        let here = Use::of_row(row);
        let is_more = count.or_more(here) != here;
        return is_more.then(|| counted(row.memory.clone())).into_iter().collect();
    }
    let memory = memory_of(id, file, entry, row);
    let (critical, pinned) = (memory.critical, memory.pinned);
    let mut deeds = vec![counted(memory)];
    // A memory that is there keeps its marks when it is brought in again.
    if let Some(row) = row.filter(|row| (row.memory.critical, row.memory.pinned) != (critical, pinned)) {
        deeds.push(Deed::Edit {
            id,
            title: None,
            text: None,
            critical: (row.memory.critical != critical).then_some(critical),
            pinned: (row.memory.pinned != pinned).then_some(pinned),
        });
    }
    deeds
}

/// The parts of a memory that changed in the store and not in the file since both were the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each part")]
pub(super) struct Newer {
    title: bool,
    text: bool,
    critical: bool,
    pinned: bool,
}

impl Newer {
    pub(super) fn of(here: &Told, entry: Option<&Entry>, row: Option<&MemoryRow>) -> Self {
        let (Some(entry), Some(row)) = (entry.filter(|entry| entry.is_live()), row) else {
            return Self::default();
        };
        let (file, before, now) = (&entry.file, &entry.row, Told::of(&row.memory));
        Self {
            title: file.title == here.title && before.title != now.title,
            text: file.text == here.text && before.text != now.text,
            critical: file.critical == here.critical && before.critical != now.critical,
            pinned: file.pinned == here.pinned && before.pinned != now.pinned,
        }
    }

    /// The earlier one's parts where the store knows better, so that they differ from what it says.
    pub(super) fn keep(self, earlier: &Told, now: Told) -> Told {
        Told {
            title: if self.title { earlier.title } else { now.title },
            text: if self.text { earlier.text } else { now.text },
            critical: if self.critical { earlier.critical } else { now.critical },
            pinned: if self.pinned { earlier.pinned } else { now.pinned },
        }
    }
}

/// The memory as the file has it. Where both have changed the same part the file holds; what the store said is in the
/// journal.
fn memory_of(id: MemoryId, file: &Fresh, entry: Option<&Entry>, row: Option<&MemoryRow>) -> Memory {
    let note = &file.note;
    let newer = Newer::of(&Told::of_note(note, &file.path), entry, row);
    let at = note.created.unwrap_or(file.modified);
    let mut memory = row.map_or_else(
        || Memory::new(id, MemoryKind::Note, at, String::new(), String::new()),
        |row| row.memory.clone(),
    );
    if !newer.title {
        memory.title = title(note, &file.path);
    }
    if !newer.text {
        memory.text.clone_from(&note.text);
    }
    // A mark that a file we know does not speak of is none; of one we do not know it is not spoken of.
    let unsaid = |mark: bool| mark && entry.is_none();
    if !newer.critical {
        memory.critical = note.critical.unwrap_or(unsaid(memory.critical));
    }
    if !newer.pinned {
        memory.pinned = note.pinned.unwrap_or(unsaid(memory.pinned));
    }
    memory.kind = note.kind.unwrap_or(memory.kind);
    memory.subtitle.clone_from(&note.description);
    memory.concepts.clone_from(&note.tags);
    if let Some(invariant) = &note.invariant {
        memory.facts = vec![invariant.clone()];
    }
    if memory.project != note.project {
        memory.project.clone_from(&note.project);
        (memory.project_key, memory.workspace, memory.branch) = (None, None, None);
    }
    // A memory that was made here stays one when somebody edits its file: what is brought in is not told to a team.
    if row.is_none_or(|row| row.memory.external_id.is_some()) {
        memory.external_id = Some(file.path.clone());
    }
    memory.provenance = Provenance {
        by: "person".to_owned(),
        place: Some(file.path.clone()),
        tokens: estimate_tokens(&memory.text),
        events: std::mem::take(&mut memory.provenance.events),
    };
    memory
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: MemoryId = MemoryId::from_u64(7);

    fn fresh(text: &str) -> Fresh {
        let content = Content { text: text.to_owned(), hash: 1, stamp: None };
        Fresh { path: "a/b-c.md".to_owned(), modified: 5, note: notes::read(text), content }
    }

    fn row(title: &str, text: &str) -> MemoryRow {
        let memory = Memory::new(ID, MemoryKind::Decision, 3, title.to_owned(), text.to_owned());
        MemoryRow {
            n: 1,
            memory,
            tokens: 1,
            seq: 1,
            repeats: 0,
            hits: 2,
            prevented: 0,
            last_applied_at: None,
            superseded_by: None,
            author: None,
        }
    }

    /// Both sides as they are here.
    fn synced(file: &Fresh, row: &MemoryRow) -> Entry {
        Entry {
            said: said(&file.note),
            file: Told::of_note(&file.note, &file.path),
            row: Told::of(&row.memory),
            ..Entry::new(ID, &file.path, None, 0)
        }
    }

    #[test]
    fn a_new_file_is_a_memory_of_a_person_with_the_name_of_its_file() {
        let file = fresh("just words");
        let Some(Deed::Import { memory, hits: 0, .. }) = deeds_of(ID, &file, None, None).pop() else {
            panic!()
        };
        assert_eq!((memory.title.as_str(), memory.text.as_str()), ("b c", "just words"));
        assert_eq!((memory.kind, memory.at, memory.provenance.by.as_str()), (MemoryKind::Note, 5, "person"));
        assert_eq!(
            (memory.external_id.as_deref(), memory.provenance.place.as_deref()),
            (Some("a/b-c.md"), Some("a/b-c.md"))
        );
    }

    #[test]
    fn a_memory_that_was_made_here_is_not_brought_in_by_its_own_file() {
        // As after a kill between writing the file and noting that it is ours.
        let file = fresh("---\nname: t\n---\nx");
        let own = memory_of(ID, &file, None, Some(&row("t", "x")));
        assert_eq!((own.external_id, own.provenance.place.as_deref()), (None, Some("a/b-c.md")));
        let mut brought = row("t", "x");
        brought.memory.external_id = Some("earlier.md".to_owned());
        let moved = memory_of(ID, &file, None, Some(&brought));
        assert_eq!(moved.external_id.as_deref(), Some("a/b-c.md"), "its file has another name now");
    }

    #[test]
    fn a_remark_is_no_deed_and_a_larger_counter_is() {
        let row = row("t", "x");
        let entry = synced(&fresh("---\nname: t\nhits: 2\n---\nx"), &row);
        let deeds = |text: &str| deeds_of(ID, &fresh(text), Some(&entry), Some(&row));
        assert!(deeds("---\n# really\nname: t\nhits: 1 # so far\nmine: 1\n---\nx\n").is_empty());
        let more = deeds("---\nname: t\nhits: 9\n---\nx");
        assert!(matches!(more.as_slice(), [Deed::Import { hits: 9, .. }]), "{more:?}");
    }

    #[test]
    fn each_side_keeps_what_only_it_changed_and_the_file_wins_where_both_did() {
        let entry = synced(&fresh("---\nname: t\ncritical: false\n---\nold"), &row("t", "old"));
        let mut changed = row("other title", "the store's");
        changed.memory.critical = true;
        changed.memory.project_key = Some("k".to_owned());
        let file = fresh("---\nname: t\ncritical: false\n---\nthe file's");
        let memory = memory_of(ID, &file, Some(&entry), Some(&changed));
        assert_eq!(
            (memory.title.as_str(), memory.text.as_str(), memory.critical),
            ("other title", "the file's", true)
        );
        assert_eq!((memory.kind, memory.project_key.as_deref()), (MemoryKind::Decision, Some("k")));
        let newer = Newer::of(&Told::of_note(&file.note, &file.path), Some(&entry), Some(&changed));
        assert_eq!(newer, Newer { title: true, text: false, critical: true, pinned: false });
        let told = newer.keep(&entry.row, Told::of(&changed.memory));
        assert_eq!((told.title, told.critical), (entry.row.title, entry.row.critical), "still to be written");
    }

    #[test]
    fn a_mark_that_is_taken_out_of_a_file_is_taken_from_the_memory() {
        let mut row = row("t", "x");
        row.memory.critical = true;
        let entry = synced(&fresh("---\nname: t\ncritical: true\n---\nx"), &row);
        let deeds = deeds_of(ID, &fresh("---\nname: t\n---\nx"), Some(&entry), Some(&row));
        assert!(matches!(
            deeds.as_slice(),
            [Deed::Import { .. }, Deed::Edit { critical: Some(false), pinned: None, .. }]
        ));
        // Of a file that was never seen nothing is taken to be taken out.
        let deeds = deeds_of(ID, &fresh("---\nname: t\n---\nx"), None, Some(&row));
        assert!(matches!(deeds.as_slice(), [Deed::Import { .. }]));
    }
}
