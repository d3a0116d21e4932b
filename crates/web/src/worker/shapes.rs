//! Our rows in their shapes: the columns of their tables, lists as texts that are JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use store::{MemoryRow, PromptRow, SummaryRow};

use super::dates::iso;
use super::numbers;

/// What their clients call the agent.
const PLATFORM: &str = "claude";

pub(super) fn observation(row: &MemoryRow) -> Value {
    let memory = &row.memory;
    json!({
        "id": row.n,
        "memory_session_id": memory.session,
        "content_session_id": memory.session,
        "project": memory.project.as_deref().unwrap_or_default(),
        "merged_into_project": null,
        "platform_source": PLATFORM,
        "type": memory.kind.name(),
        "title": memory.title,
        "subtitle": memory.subtitle,
        "narrative": memory.text,
        "text": null,
        "facts": json!(memory.facts).to_string(),
        "concepts": json!(memory.concepts).to_string(),
        "files_read": json!(memory.files_read).to_string(),
        "files_modified": json!(memory.files_modified).to_string(),
        "prompt_number": null,
        "discovery_tokens": memory.provenance.tokens,
        "created_at": iso(memory.at),
        "created_at_epoch": memory.at,
        "memory_id": memory.id,
    })
}

/// A summary's number is that of the memory beside it.
pub(super) fn summary(row: &MemoryRow, said: Option<&SummaryRow>) -> Value {
    let memory = &row.memory;
    let lines = |of: fn(&SummaryRow) -> &[String]| said.map(|said| of(said).join("\n"));
    json!({
        "id": row.n,
        "session_id": memory.session,
        "memory_session_id": memory.session,
        "content_session_id": memory.session,
        "platform_source": PLATFORM,
        "project": memory.project.as_deref().unwrap_or_default(),
        "request": said.map_or(&memory.title, |said| &said.summary.request),
        "investigated": lines(|said| &said.summary.investigated),
        "learned": lines(|said| &said.summary.learned),
        "completed": lines(|said| &said.summary.completed),
        "next_steps": lines(|said| &said.summary.next_steps),
        "notes": null,
        "created_at": iso(memory.at),
        "created_at_epoch": memory.at,
        "memory_id": memory.id,
    })
}

pub(super) fn prompt(row: &PromptRow, project: Option<&str>) -> Value {
    json!({
        "id": numbers::of_prompt(row.id),
        "session_db_id": numbers::of_session(row.session.as_str()),
        "content_session_id": row.session,
        "claude_session_id": row.session,
        "project": project.unwrap_or_default(),
        "platform_source": PLATFORM,
        "prompt_number": row.number,
        "prompt_text": row.text,
        "created_at": iso(row.at),
        "created_at_epoch": row.at,
    })
}

/// A line for each, as their tools for models print them: number, time, kind, title.
pub(super) fn table(heading: &str, rows: &[MemoryRow]) -> String {
    let mut text =
        format!("{heading}\n\n| ID | Time | T | Title | Read |\n|----|------|---|-------|------|\n");
    for row in rows {
        let memory = &row.memory;
        let (title, tokens) = (one_line(&memory.title), row.tokens);
        let at = &iso(memory.at)[..16];
        let _ = writeln!(text, "| #{} | {at} | {} | {title} | ~{tokens} |", row.n, memory.kind.name());
    }
    text
}

pub(super) fn prompts_table(heading: &str, rows: &[PromptRow]) -> String {
    let mut text = format!("{heading}\n\n| ID | Time | Prompt |\n|----|------|--------|\n");
    for row in rows {
        let at = &iso(row.at)[..16];
        let _ = writeln!(text, "| #P{} | {at} | {} |", numbers::of_prompt(row.id), one_line(&row.text));
    }
    text
}

/// What a tool of the protocol answers with.
pub(super) fn content(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn one_line(text: &str) -> String {
    const SHOWN: usize = 200;
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "/");
    line.chars().take(SHOWN).collect()
}
