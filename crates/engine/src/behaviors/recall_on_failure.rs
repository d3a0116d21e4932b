//! Answers a failure beside its error: the same one was seen before, and this got past it; the file is there, not here; these are
//! the lines as they are. Learns from every conversation what failed and what then worked.

mod edit_text;
mod fix_words;
mod right_path;
#[cfg(test)]
mod tests;

use distill::failures::{FailureTracker, ResolvedFailure};
use model::{Advice, Detail, Event, EventKind, Item, MemoryId, Outcome, ToolCall};
use store::{Batch, FixRow};

use super::recall_on_start::homes;
use crate::behavior::{Behavior, Context, Late};
use crate::{Page, Result};

/// All that is said of one failure.
const TOKENS: u32 = 90;
/// What is carried from event to event of a conversation.
const STATE: &str = "failures";
/// Earlier failures that are compared with this one, the newest.
const COMPARED: usize = 40;

#[derive(Debug)]
pub(crate) struct RecallOnFailure;

impl Behavior for RecallOnFailure {
    fn name(&self) -> &'static str {
        "recall-on-failure"
    }

    fn manual(&self) -> &'static str {
        "Beside the error of a failing command, says what got past the same error, or the same broken rule, the last time here: the \
         edit or the command, when, and in which session. Of a path that does not exist it names the one that was meant; of an edit \
         whose text is not in the file, the lines as they are. Silent where it does not know, and once for each fix in a conversation."
    }

    fn on(&self) -> &'static [EventKind] {
        &[
            EventKind::UserPromptSubmit,
            EventKind::PostToolUse,
            EventKind::PostToolUseFailure,
            EventKind::PostToolBatch,
        ]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind) && kind != EventKind::UserPromptSubmit
    }

    fn late(&self, _cx: &Context, _event: &Event) -> Late {
        Late::Turn
    }

    fn learns_always(&self) -> bool {
        // What got past a failure is known also to whoever switches this on later.
        true
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let found = match &event.detail {
            Detail::Batch { failed } => failed.iter().find_map(|call| edit_text::as_it_is(cx, event, call)),
            Detail::Tool(call) if event.kind == EventKind::PostToolUseFailure && is_wrong_path(call) => {
                right_path::meant(cx, event, call)?
            }
            Detail::Tool(_) => fix_words::of_earlier(cx, event)?,
            _ => None,
        };
        let Some(answer) = found else { return Ok(Advice::silent()) };
        let mut is_new = true;
        let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
        cx.around.desk(&event.session, subagent, &mut |desk| is_new = desk.tell(answer.once.clone(), 1));
        if !is_new {
            return Ok(Advice::silent());
        }
        let item = Item {
            memory: None,
            part: "failure".to_owned(),
            title: answer.title,
            tokens: 0,
            why: answer.why,
        };
        let mut page = Page::new(answer.tokens);
        page.item(&answer.line, item);
        Ok(Advice { notes: page.finish(self.name()).into_iter().collect(), ..Advice::silent() })
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        if event.kind == EventKind::PostToolBatch {
            return Ok(());
        }
        if let Detail::Tool(call) = &event.detail {
            right_path::see(batch, event, call)?;
        }
        let name =
            event.subagent.as_ref().map_or_else(|| STATE.to_owned(), |agent| format!("{STATE}:{}", agent.id));
        let before = batch.state(&event.session, &name)?;
        let mut tracker: FailureTracker =
            before.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
        let known = tracker.clone();
        for resolved in tracker.hear(event) {
            keep(batch, event, &resolved)?;
        }
        if tracker != known {
            let json = serde_json::to_string(&tracker).expect("failures are plain data");
            batch.set_state(&event.session, &name, &json, event.at)?;
        }
        Ok(())
    }
}

/// What is said of a failure.
struct FailureAnswer {
    line: String,
    title: String,
    why: String,
    /// The same is not said again in a conversation.
    once: String,
    tokens: u32,
}

fn keep(batch: &mut Batch<'_>, event: &Event, resolved: &ResolvedFailure) -> Result<()> {
    let Some(home) = home_of(event) else { return Ok(()) };
    let row = FixRow {
        id: MemoryId::of(&["fix", &resolved.failed.to_string()]).as_u64(),
        session: event.session.clone(),
        home,
        at: resolved.resolved_at,
        fix: serde_json::to_string(resolved).expect("a fix is plain data"),
    };
    let signature = &resolved.signature;
    let keys: Vec<u64> = signature.lines.iter().chain(&signature.rules).copied().collect();
    batch.put_fix(&row, resolved.failed, resolved.resolved, &keys)?;
    Ok(())
}

/// The project in which an event happened.
fn home_of(event: &Event) -> Option<String> {
    event.context.get("project-key").or_else(|| event.context.get("project")).cloned()
}

fn is_wrong_path(call: &ToolCall) -> bool {
    let Outcome::Failed { error, .. } = &call.outcome else { return false };
    let lower = error.get(..error.floor_char_boundary(400)).unwrap_or(error).to_lowercase();
    right_path::TOOLS.contains(&call.name.as_str())
        && ["does not exist", "no such file", "not found", "eisdir"].iter().any(|sign| lower.contains(sign))
}
