//! Keeping a memory: bounded, measured, told apart from what is already known. The one way into the table of
//! memories; search learns of it by itself.

use model::{Event, Memory, MemoryId, MemoryKind, Provenance, WorkspaceKey, estimate_tokens};
use store::{Batch, Filing, Put, StoreError};

/// A title is a line in a list.
pub const MAX_TITLE: usize = 200;
/// A memory is read as a whole; a longer text is brought in as pieces.
pub const MAX_TEXT: usize = 64 << 10;
/// Facts, concepts, files and tools of one memory.
const MAX_ITEMS: usize = 64;
const MAX_ITEM: usize = 1000;

/// Keeps a memory under its id.
pub fn keep(batch: &mut Batch<'_>, memory: &Memory) -> Result<Put, StoreError> {
    let memory = bounded(memory);
    let filing = Filing { seq: batch.position(), tokens: cost(&memory), fingerprint: fingerprint(&memory) };
    batch.put_memory(&memory, filing)
}

/// Takes a memory away for good, wherever it is filed.
pub fn forget(batch: &mut Batch<'_>, id: MemoryId) -> Result<bool, StoreError> {
    Ok(batch.forget_memory(id)?.is_some())
}

/// Takes a memory away to make room.
pub fn drop_for_room(batch: &mut Batch<'_>, id: MemoryId) -> Result<bool, StoreError> {
    Ok(batch.drop_memory(id)?.is_some())
}

/// A memory of what an event shows, with the place it happened in.
pub(crate) fn of_event(event: &Event, kind: MemoryKind, id: MemoryId, title: String, text: String) -> Memory {
    let said = |key: &str| event.context.get(key).cloned();
    Memory {
        session: Some(event.session.clone()),
        workspace: said("workspace").map(WorkspaceKey::from_hex),
        project: said("project"),
        project_key: said("project-key"),
        branch: said("branch"),
        provenance: Provenance { events: vec![event.id], ..Provenance::default() },
        ..Memory::new(id, kind, event.at, title, text)
    }
}

/// The first line or sentence, short enough for a list.
pub fn title_of(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_start_matches(['#', '*', '-', '>', ' ']);
    let sentence = line.find(". ").map_or(line, |end| &line[..=end]);
    cut(if sentence.len() >= 24 { sentence } else { line }, 120)
}

fn cost(memory: &Memory) -> u32 {
    let lists = [&memory.facts, &memory.concepts, &memory.files_read, &memory.files_modified];
    let listed: u32 = lists.into_iter().flatten().map(|item| estimate_tokens(item)).sum();
    let subtitle = memory.subtitle.as_deref().map_or(0, estimate_tokens);
    estimate_tokens(&memory.title) + subtitle + estimate_tokens(&memory.text) + listed
}

/// Whether two memories are kept as one because they say the same.
pub fn is_kept_as_one(one: &Memory, other: &Memory) -> bool {
    let words = fingerprint(one);
    words != 0 && words == fingerprint(other)
}

/// Equal for texts of the same words. What was brought in, asked or said verbatim is never merged: each has an
/// id or a place of its own that somebody may ask for.
fn fingerprint(memory: &Memory) -> u64 {
    use MemoryKind::{Chunk, Document, Prompt, Summary};
    if memory.external_id.is_some() || matches!(memory.kind, Document | Chunk | Prompt | Summary) {
        return 0;
    }
    let mut words = String::with_capacity(memory.text.len() + memory.title.len());
    for text in [&memory.title, &memory.text] {
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            words.extend(word.chars().flat_map(char::to_lowercase));
            words.push(' ');
        }
    }
    // A page that says what a person said makes it neither younger nor its own.
    let whose = if crate::origin(memory).is_trusted() { "fingerprint" } else { "outside" };
    // 0 means "never the same as another".
    MemoryId::of(&[whose, &words]).as_u64().max(1)
}

pub(crate) fn bounded(memory: &Memory) -> Memory {
    let items = |list: &[String]| list.iter().take(MAX_ITEMS).map(|item| cut(item, MAX_ITEM)).collect();
    Memory {
        title: cut(memory.title.trim(), MAX_TITLE),
        subtitle: memory.subtitle.as_deref().map(|text| cut(text, MAX_ITEM)),
        text: cut(&memory.text, MAX_TEXT),
        facts: items(&memory.facts),
        concepts: items(&memory.concepts),
        files_read: items(&memory.files_read),
        files_modified: items(&memory.files_modified),
        tools: items(&memory.tools),
        external_id: memory.external_id.as_deref().map(|id| cut(id, MAX_ITEM)),
        ..memory.clone()
    }
}

/// At most so many bytes, never half a character, with a sign that something is missing.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most.saturating_sub('…'.len_utf8()));
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_thing_said() {
        assert_eq!(title_of("\n## Use uv for everything\nmore"), "Use uv for everything");
        assert_eq!(
            title_of("We moved the queue to Redis streams. It was slow."),
            "We moved the queue to Redis streams."
        );
        assert_eq!(title_of("No. 7 was the one"), "No. 7 was the one");
        assert!(title_of(&"ä".repeat(500)).len() <= 120);
    }

    #[test]
    fn texts_of_the_same_words_are_the_same_and_documents_never_are() {
        let event = crate::behaviors::tests::tool("Bash");
        let note =
            |kind, text: &str| of_event(&event, kind, MemoryId::from_u64(1), "t".into(), text.to_owned());
        let say = |text| fingerprint(&note(MemoryKind::Note, text));
        assert_eq!(say("Use `uv`, always"), say("use UV always."));
        assert_ne!(say("use uv"), say("use pip"));
        let mut heard = note(MemoryKind::Decision, "use uv");
        let own = fingerprint(&heard);
        heard.tools = vec!["outside:web".into()];
        assert_ne!(fingerprint(&heard), own, "somebody else's words are not ours, though they be the same");
        assert_eq!(fingerprint(&note(MemoryKind::Document, "x")), 0);
    }
}
