//! What an agent writes down for the next one: lines added to MEMORY.md, CLAUDE.md, AGENTS.md and their kin, to a folder of
//! learnings or of decisions. They are its own distilled lessons, so each is kept whole, with what it replaced.

use model::{MemoryKind, Observation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::prose;
use crate::scene::{Draft, Scene};
use crate::sentences::{Sentence, sentences};
use crate::step::Act;
use crate::text::{field, file_name, one_line, says_again};

/// A line of such a file, and the one it replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lesson {
    pub line: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// Lessons of one edit, and the bytes of them all: they are a part of its step.
const MAX_LESSONS: usize = 8;
const MAX_BYTES: usize = 1000;
const MAX_LINE_BYTES: usize = 260;
/// Less is a heading or a word.
const LEAST_BYTES: usize = 24;
/// What is read of an edit.
const MAX_READ_BYTES: usize = 64 * 1024;

pub(crate) fn is_lesson_file(path: &str) -> bool {
    let lower = path.to_lowercase();
    let folder = |name: &str| lower.rsplit(['/', '\\']).skip(1).any(|part| part == name);
    let name = file_name(&lower);
    let written = ["md", "mdc", "txt", "rst"].contains(&crate::text::extension(name));
    let named =
        ["memory.md", "claude.md", "agents.md", "gemini.md", "claude.local.md", "learnings.md", "lessons.md"];
    named.contains(&name)
        || name.starts_with("adr-") && written
        || written
            && [".learnings", "learnings", "adr", "adrs", "decisions"].iter().any(|known| folder(known))
}

/// The lines an edit added, from what the tool was given and answered.
pub(crate) fn written(input: &Value, response: &Value) -> Vec<Lesson> {
    lines_written(input, response, |_| true)
}

/// Those of them that are wanted.
pub(crate) fn lines_written(
    input: &Value,
    response: &Value,
    is_wanted: impl Fn(&Sentence) -> bool,
) -> Vec<Lesson> {
    let (mut old, mut new) = (String::new(), String::new());
    let hunks = response.get("structuredPatch").and_then(Value::as_array).filter(|hunks| !hunks.is_empty());
    if let Some(hunks) = hunks {
        let lines = hunks.iter().filter_map(|hunk| hunk.get("lines").and_then(Value::as_array)).flatten();
        for line in lines.filter_map(Value::as_str) {
            match line.as_bytes().first() {
                Some(b'+') => push_line(&mut new, &line[1..]),
                Some(b'-') => push_line(&mut old, &line[1..]),
                // What stands between two changes keeps their sentences apart; a heading says what they are under.
                _ if line.trim_start().starts_with('#') => push_line(&mut new, line.trim_start()),
                _ => push_line(&mut new, ""),
            }
        }
    } else {
        let edits = input.get("edits").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for edit in edits.iter().take(64).chain([input]) {
            push_line(&mut old, field(edit, "old_string").unwrap_or(""));
            push_line(&mut new, field(edit, "new_string").or_else(|| field(edit, "content")).unwrap_or(""));
        }
    }
    let before: Vec<String> = sentences(&old).into_iter().map(|sentence| sentence.text).collect();
    let mut found: Vec<Lesson> = Vec::new();
    let mut bytes = 0;
    for sentence in sentences(&new) {
        let line: String = one_line(&sentence.text, MAX_LINE_BYTES).replace(char::is_control, "");
        if line.len() < LEAST_BYTES
            || line.ends_with(':')
            || prose::looks_like_code(&line)
            || before.contains(&line)
            || !is_wanted(&sentence)
        {
            continue;
        }
        let was =
            before.iter().find(|was| says_again(was, &line)).map(|was| one_line(was, MAX_LINE_BYTES / 2));
        let was = was.map(|was| was.replace(char::is_control, ""));
        bytes += line.len() + was.as_ref().map_or(0, String::len);
        if found.len() >= MAX_LESSONS || bytes > MAX_BYTES {
            break;
        }
        found.push(Lesson { line, was });
    }
    found
}

fn push_line(text: &mut String, line: &str) {
    if text.len() + line.len() < MAX_READ_BYTES {
        text.push_str(line);
        text.push('\n');
    }
}

/// One discovery for each file such lines were written into.
pub(crate) fn lessons(scene: &Scene<'_>) -> Vec<Observation> {
    let edits = scene.steps.iter().filter_map(|step| match &step.act {
        Act::Edit(edit) if !edit.lessons.is_empty() => Some((step, edit)),
        _ => None,
    });
    // A stranger's words stay a stranger's in a file, apart from the agent's own.
    let mut drafts: Vec<(&str, bool, Draft)> = Vec::new();
    for (step, edit) in edits {
        for lesson in &edit.lessons {
            let theirs = scene.heard.is_theirs(&lesson.line);
            let place = drafts.iter().position(|(file, of, _)| *file == edit.file && *of == theirs);
            let place = place.unwrap_or_else(|| {
                drafts.push((&edit.file, theirs, Draft::new(MemoryKind::Discovery)));
                drafts.len() - 1
            });
            let draft = &mut drafts[place].2;
            draft.evidence(step);
            let title = prose::as_title(&lesson.line, 125);
            if draft.title.is_empty() || !prose::reads_well(&draft.title) && prose::reads_well(&title) {
                draft.title = title;
            }
            let was = lesson.was.as_ref().map_or_else(String::new, |was| format!(" (was: {was})"));
            draft.fact(&format!("{}{was}", lesson.line));
        }
    }
    let finish = |(file, theirs, mut draft): (&str, bool, Draft)| {
        draft.subtitle = Some(format!("Written into {}", file_name(file)));
        draft.say(&format!("Written into {file}"));
        if theirs {
            draft.hears(&scene.heard.marks());
        }
        draft.finish()
    };
    drafts.into_iter().filter_map(finish).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_for_the_next_agent_are_known() {
        for file in [
            "CLAUDE.md",
            "docs/adr/0003-queue.md",
            ".learnings/db.md",
            "/home/user/.claude/projects/x/memory/MEMORY.md",
        ] {
            assert!(is_lesson_file(file), "{file}");
        }
        for file in ["README.md", "src/memory.rs", "docs/guide.md", "decisions/list.json"] {
            assert!(!is_lesson_file(file), "{file}");
        }
    }

    #[test]
    fn a_changed_line_keeps_what_it_was_and_code_is_no_lesson() {
        let patch = json!({"structuredPatch": [{"lines": [
            " # Notes",
            "-- The importer runs every hour on the small queue.",
            "+- The importer runs every minute on the small queue.",
            "+## Release",
            "+- Tags are signed, so the key must be unlocked first.",
            "+```sh",
            "+make release",
            "+```",
        ]}]});
        let found = written(&json!({}), &patch);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].was.as_deref(), Some("The importer runs every hour on the small queue."));
        assert_eq!(found[1].line, "Tags are signed, so the key must be unlocked first.");
        let made =
            written(&json!({"content": "The tests need a running database.\n"}), &json!({"type": "create"}));
        assert_eq!(made[0].line, "The tests need a running database.");
    }
}
