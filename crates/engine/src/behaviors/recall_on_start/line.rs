//! One memory as one line of ours: where it comes from first, then what it says.

use model::{Item, Memory, MemoryKind};
use store::MemoryRow;

use super::echo::{Said, is_said_by};
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
/// How distilled texts begin that say again what their title says.
const LEAD_INS: &[&str] = &["The person said:", "Decided:"];
/// The parts of a summary.
const PARTS: &[&str] = &["Investigated:", "Learned:", "Completed:", "Next steps:"];

/// `- [id] 2026-03-02 bugfix · Title: first sentence`.
pub(in crate::behaviors) fn short(memory: &Memory) -> String {
    say(memory, &first_sentence(without_lead_in(&memory.text)), MAX_SENTENCE)
}

/// With as much of its text as a line holds.
pub(super) fn long(memory: &Memory) -> String {
    say(memory, &memory.text, MAX_CRITICAL)
}

/// By its title alone.
pub(super) fn title(memory: &Memory) -> String {
    say(memory, "", 0)
}

/// What a turn came to and was not said yet; what was asked is its title. Nothing where nothing else is left.
pub(super) fn summary(memory: &Memory, said: &Said) -> Option<String> {
    let mut answers = String::new();
    let mut part = None;
    for line in memory.text.lines().filter(|line| !line.starts_with("Request:")) {
        let line = line.trim();
        if line.ends_with(':') {
            part = Some(line);
            continue;
        }
        let (name, words) =
            match PARTS.iter().find_map(|name| line.strip_prefix(name).map(|rest| (*name, rest))) {
                Some((name, words)) => (Some(name), words),
                None => (None, line.trim_start_matches("- ")),
            };
        let words = without_lead_in(words);
        if said.has(words) || is_said_by(words, &memory.title) {
            continue;
        }
        for piece in [name.or_else(|| part.take()), Some(words)].into_iter().flatten() {
            answers.push_str(if answers.is_empty() { "" } else { " " });
            answers.push_str(piece);
        }
        answers.push_str(if words.ends_with(['.', '!', '?', ';']) { "" } else { ";" });
    }
    let answers = answers.trim_end_matches(';');
    (!answers.is_empty()).then(|| say(memory, answers, MAX_SUMMARY))
}

/// What a line says, without where it comes from.
pub(super) fn words(line: &str) -> &str {
    line.split_once(" · ").map_or(line, |(_, words)| words)
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
    let title = one_line(without_lead_in(&memory.title), MAX_TITLE);
    let text = one_line(without_lead_in(rest(text, &memory.title)), most);
    let head = format!("- [{}] {} {}", memory.id, moment::day(memory.at), source(memory));
    let plain = title.trim_end_matches(['…', '.', ':']);
    if text.to_lowercase().starts_with(&plain.to_lowercase()) {
        // The title is how the text begins.
        format!("{head} · {text}")
    } else if text.is_empty() || is_said_by(&text, &title) {
        format!("{head} · {title}")
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

/// Who said it and how stands before the line, or does not matter.
fn without_lead_in(text: &str) -> &str {
    let mut text = text.trim_start();
    while let Some(rest) = LEAD_INS.iter().find_map(|words| text.strip_prefix(words)) {
        text = rest.trim_start();
    }
    text
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
        let said = Said::default();
        assert!(
            summary(&turn, &said).unwrap().ends_with("summary · fix login: Completed: renewed the token")
        );
    }

    #[test]
    fn a_text_that_says_its_title_again_is_said_once() {
        let end = "decision · Keep sessions in Postgres";
        for text in [
            "The person said: Keep sessions in Postgres",
            "Decided: Keep sessions in Postgres",
            "in Postgres, keep sessions",
            "",
        ] {
            let line = short(&memory(MemoryKind::Decision, "Keep sessions in Postgres", text));
            assert!(line.ends_with(end), "{line}");
        }
        let cut =
            memory(MemoryKind::Decision, "Keep sessions in…", "The person said: Keep sessions in Postgres.");
        assert!(short(&cut).ends_with(" · Keep sessions in Postgres."), "{}", short(&cut));
    }

    #[test]
    fn of_a_summary_only_what_was_not_said_is_said() {
        let text = "Request: go on with it\nLearned:\n- Decided: Keep sessions in Postgres\n- Redis loses them\n\
                    Completed: Keep sessions in Postgres.";
        let turn = memory(MemoryKind::Summary, "go on with it", text);
        let mut said = Said::default();
        said.add("Keep sessions in Postgres");
        let line = summary(&turn, &said).unwrap();
        assert!(line.ends_with("summary · go on with it: Learned: Redis loses them"), "{line}");
        said.add("Redis loses them");
        assert_eq!(summary(&turn, &said), None);
        let request = memory(MemoryKind::Summary, "go on with it", "Request: go on with it");
        assert_eq!(summary(&request, &Said::default()), None);
    }
}
