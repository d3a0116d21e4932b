//! One session from its beginning: what was asked, what was done, what was said to the agent, what guards decided, what
//! was kept of it.

use model::{MemoryKind, Millis, SessionId};
use store::journal::Reader;
use store::{EventFilter, EventRow, Order, StoreError, Tables, VerdictPage};

use super::clean::Clean;
use super::source::{LINE, title_of};

/// The last of them; a person who wants all of a long session scrolls through `session show`.
const EVENTS: usize = 500;
const MEMORIES: usize = 500;
const INJECTIONS: usize = 200;
const VERDICTS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoryLine {
    pub(super) at: Millis,
    /// What it is, in a word.
    pub(super) mark: &'static str,
    pub(super) text: Clean,
    /// All of it, where there is more.
    pub(super) whole: Vec<Clean>,
}

/// In the order it happened.
pub(super) fn read(
    tables: &Tables,
    journal: Option<&Reader>,
    id: &SessionId,
) -> Result<Vec<StoryLine>, StoreError> {
    let mut lines = Vec::new();
    let line = |at, mark, text: &str, whole: &str| StoryLine {
        at,
        mark,
        text: Clean::line(text, LINE),
        whole: Clean::lines(whole),
    };
    for prompt in tables.prompts(id)? {
        lines.push(line(prompt.at, "prompt", &prompt.text, &prompt.text));
    }
    let filter = EventFilter {
        session: Some(id.clone()),
        limit: EVENTS,
        order: Order::NewestFirst,
        ..EventFilter::default()
    };
    for event in tables.events(&filter)?.iter().rev() {
        if let Some(mark) = mark_of(event) {
            let (title, _) = title_of(journal, event);
            lines.push(line(event.at, mark, &title, &title));
        }
    }
    for row in tables.memories_of_session(id, MEMORIES)? {
        let memory = &row.memory;
        // Prompts are told as such, and pieces of the conversation repeat it.
        if !matches!(memory.kind, MemoryKind::Prompt | MemoryKind::Chunk) {
            let whole = format!("{}\n\n{}", memory.title, memory.text);
            lines.push(line(memory.at, memory.kind.name(), &memory.title, &whole));
        }
    }
    for said in tables.injections(Some(id), INJECTIONS)? {
        let text = format!("{} tokens by {}", said.tokens, said.behavior);
        lines.push(line(said.at, "said", &text, &said.text));
    }
    let page = VerdictPage { session: Some(id.clone()), limit: VERDICTS, ..VerdictPage::default() };
    for ruled in tables.verdict_page(&page)?.rows.iter().rev() {
        let (verdict, behavior) = (ruled.verdict.name(), &ruled.behavior);
        let text = format!("{verdict} by {behavior}: {}", ruled.reason);
        let about = ruled.tool.as_deref().unwrap_or(&ruled.event);
        let whole = format!("{verdict} by {behavior} ({about})\n\n{}", ruled.reason);
        lines.push(line(ruled.at, "guard", &text, &whole));
    }
    // Stable: of one moment first the prompt, then what came of it.
    lines.sort_by_key(|line| line.at);
    Ok(lines)
}

/// A call is told when it is over, and a prompt is told with its words.
fn mark_of(event: &EventRow) -> Option<&'static str> {
    match event.kind.as_str() {
        "UserPromptSubmit" | "UserPromptExpansion" | "PreToolUse" | "PostToolBatch" => None,
        "PostToolUse" => Some("tool"),
        "PostToolUseFailure" => Some("failed"),
        "SessionStart" => Some("start"),
        "SessionEnd" => Some("end"),
        "Stop" | "StopFailure" => Some("answer"),
        "SubagentStart" | "SubagentStop" => Some("subagent"),
        _ => Some("event"),
    }
}
