//! One file per behavior. A new one is a file here and a line in `behavior::ALL`.

mod archive_transcript;
mod capture;
mod complete_session;
mod distill;
mod extract_learnings;
mod pin_incident;
mod record_prompt;
mod register_session;
mod summarize;

pub(crate) use archive_transcript::ArchiveTranscript;
pub(crate) use capture::Capture;
pub(crate) use complete_session::CompleteSession;
pub(crate) use distill::Distill;
pub use distill::end_stale_turn;
pub(crate) use extract_learnings::ExtractLearnings;
pub(crate) use pin_incident::PinIncident;
pub(crate) use record_prompt::RecordPrompt;
pub(crate) use register_session::RegisterSession;
pub(crate) use summarize::{Summarize, summary_text};

#[cfg(test)]
pub(crate) mod tests {
    use model::{Context, Detail, Event, EventId, EventKind, Outcome, SessionId, ToolCall};
    use store::Tables;

    use crate::behavior::Behavior;

    pub(crate) fn event(kind: EventKind, detail: Detail) -> Event {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let at = NEXT.fetch_add(1, Ordering::Relaxed);
        Event {
            id: EventId::mint(at, [7; 10]),
            at,
            agent: "claude-code",
            session: SessionId::new("session-1"),
            kind,
            name: kind.name().to_owned(),
            cwd: None,
            transcript: None,
            prompt_id: None,
            permission_mode: None,
            subagent: None,
            context: Context::new(),
            detail,
        }
    }

    pub(crate) fn tool(name: &str) -> Event {
        let call = ToolCall {
            name: name.to_owned(),
            use_id: None,
            input: serde_json::Value::Null,
            outcome: Outcome::Succeeded { response: serde_json::Value::Null, duration_ms: None },
        };
        event(EventKind::PostToolUse, Detail::Tool(call))
    }

    pub(crate) fn learn_in(tables: &mut Tables, behavior: &dyn Behavior, event: &Event) {
        tables
            .write(|batch| {
                behavior
                    .learn(batch, event)
                    .map_err(|error| error.into_store().expect("only the store fails"))
            })
            .expect("the tables take it");
    }
}
