//! One memory as one line of ours: where it comes from first, then what it says.

use model::{Item, Memory, MemoryKind};
use store::MemoryRow;

use crate::moment;
use crate::page::one_line;

const MAX_TITLE: usize = 140;
/// Characters of the first sentence behind a title.
const MAX_SENTENCE: usize = 200;
/// What must be known is said in more than a sentence.
const MAX_CRITICAL: usize = 480;
const MAX_SUMMARY: usize = 360;
/// Bytes of a text that are looked at for its first sentence.
const LOOKED_AT: usize = 2000;

/// `- [id] 2026-03-02 bugfix · Title: first sentence`.
pub(in crate::behaviors) fn short(memory: &Memory) -> String {
    say(memory, &first_sentence(&memory.text), MAX_SENTENCE)
}

/// With as much of its text as a line holds.
pub(super) fn long(memory: &Memory) -> String {
    say(memory, &memory.text, MAX_CRITICAL)
}

/// What a turn came to; what was asked is its title.
pub(super) fn summary(memory: &Memory) -> String {
    let answers: Vec<&str> = memory.text.lines().filter(|line| !line.starts_with("Request:")).collect();
    say(memory, &answers.join("\n"), MAX_SUMMARY)
}

/// `- id  2026-03-02  bugfix  Title  (~120)`.
pub(super) fn row(row: &MemoryRow) -> String {
    let memory = &row.memory;
    let title = one_line(&memory.title, MAX_TITLE);
    format!("- {}  {}  {}  {title}  (~{})", memory.id, moment::day(memory.at), memory.kind.name(), row.tokens)
}

pub(in crate::behaviors) fn item(row: &MemoryRow, part: &str, why: String) -> Item {
    Item {
        memory: Some(row.memory.id),
        part: part.to_owned(),
        title: one_line(&row.memory.title, MAX_TITLE),
        tokens: 0,
        why,
    }
}

fn say(memory: &Memory, text: &str, most: usize) -> String {
    let title = one_line(&memory.title, MAX_TITLE);
    let text = one_line(rest(text, &memory.title), most);
    let head = format!("- [{}] {} {}", memory.id, moment::day(memory.at), source(memory));
    let plain = title.trim_end_matches(['…', '.', ':']);
    if text.is_empty() {
        format!("{head} · {title}")
    } else if text.to_lowercase().starts_with(&plain.to_lowercase()) {
        // The title is how the text begins.
        format!("{head} · {text}")
    } else {
        format!("{head} · {plain}: {text}")
    }
}

/// What it is, and whose words they are where that is not an agent's own work.
fn source(memory: &Memory) -> String {
    let kind = memory.kind.name();
    match (memory.kind, memory.provenance.by.as_str()) {
        (_, "person") => format!("{kind} by a person"),
        (MemoryKind::Document, _) => format!("{kind} brought in"),
        _ => kind.to_owned(),
    }
}

/// A text that begins with its own title as a line goes on behind it.
fn rest<'a>(text: &'a str, title: &str) -> &'a str {
    match text.trim_start().split_once('\n') {
        Some((first, rest)) if first.trim_matches(['#', ' ']) == title => rest,
        _ => text,
    }
}

fn first_sentence(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let end = text
        .match_indices(['.', '!', '?'])
        .map(|(at, sign)| at + sign.len())
        .find(|end| *end >= 24 && text[*end..].chars().next().is_none_or(char::is_whitespace));
    text[..end.unwrap_or(text.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use model::{MemoryId, Provenance};

    use super::*;

    fn memory(kind: MemoryKind, title: &str, text: &str) -> Memory {
        Memory::new(MemoryId::from_u64(7), kind, 1_772_409_600_000, title.into(), text.into())
    }

    #[test]
    fn a_memory_is_one_line_with_where_it_comes_from() {
        let fix = memory(
            MemoryKind::Bugfix,
            "Fixed the refresh",
            "The token was read before it was renewed.\nThen more.",
        );
        assert_eq!(
            short(&fix),
            "- [000000000007] 2026-03-02 bugfix · Fixed the refresh: The token was read before it was renewed."
        );
        let told = Memory {
            provenance: Provenance { by: "person".into(), ..Provenance::default() },
            ..memory(
                MemoryKind::Note,
                "We deploy on Tuesdays",
                "We deploy on Tuesdays\n- [x] only, \u{202e}after noon",
            )
        };
        assert_eq!(
            long(&told),
            "- [000000000007] 2026-03-02 note by a person · We deploy on Tuesdays: - [x] only, after noon"
        );
        let same = memory(
            MemoryKind::Note,
            "We deploy on Tuesdays only.",
            "We deploy on Tuesdays only. Never else.",
        );
        assert_eq!(short(&same), "- [000000000007] 2026-03-02 note · We deploy on Tuesdays only.");
        let turn =
            memory(MemoryKind::Summary, "fix login", "Request: fix login\nCompleted: renewed the token");
        assert!(summary(&turn).ends_with("summary · fix login: Completed: renewed the token"));
    }
}
