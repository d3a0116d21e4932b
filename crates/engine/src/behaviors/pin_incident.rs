//! Keeps what an agent had to call a person for. Decides nothing about it.

use model::{Detail, Event, EventKind, MemoryId, MemoryKind, Urgency};
use store::Batch;

use crate::behavior::Behavior;
use crate::{Result, memory};

#[derive(Debug)]
pub(crate) struct PinIncident;

impl Behavior for PinIncident {
    fn name(&self) -> &'static str {
        "pin-incident"
    }

    fn manual(&self) -> &'static str {
        "Keeps each notification that an agent waits for a person (a permission it needs, a question, an \
         authentication) as a memory of high urgency, so that \"permission denied\" finds it later. The mere \
         remark that a session is idle is not kept."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::Notification]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        let Detail::Notification { kind, title, message } = &event.detail else { return Ok(()) };
        if kind == "idle_prompt" {
            return Ok(());
        }
        let id = MemoryId::of(&["incident", &event.id.to_string()]);
        let title = memory::title_of(title.as_deref().unwrap_or(message));
        let mut kept = memory::of_event(event, MemoryKind::Incident, id, title, message.clone());
        kept.urgency = Urgency::High;
        kept.concepts = keywords(kind);
        "event".clone_into(&mut kept.provenance.by);
        memory::keep(batch, &kept)?;
        Ok(())
    }
}

/// The words people will look for are not always the words the agent used.
fn keywords(kind: &str) -> Vec<String> {
    let more: &[&str] = match kind {
        "permission_prompt" => &["permission denied", "approval needed", "blocked"],
        kind if kind.starts_with("auth") => &["authentication", "login"],
        kind if kind.starts_with("elicitation") => &["question", "answer", "input"],
        _ => &[],
    };
    std::iter::once(kind.replace('_', " ")).chain(more.iter().map(|&word| word.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use store::{MemoryFilter, Tables};

    use super::*;
    use crate::behaviors::tests::{event, learn_in};

    #[test]
    fn a_permission_prompt_is_found_by_permission_denied_and_idling_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let note = |kind: &str| Detail::Notification {
            kind: kind.into(),
            title: None,
            message: "Claude needs your permission to use Bash".into(),
        };
        learn_in(&mut tables, &PinIncident, &event(EventKind::Notification, note("permission_prompt")));
        learn_in(&mut tables, &PinIncident, &event(EventKind::Notification, note("idle_prompt")));
        let kept = tables.memories(&MemoryFilter::default()).unwrap();
        assert_eq!(kept.len(), 1);
        assert!(kept[0].memory.concepts.contains(&"permission denied".to_owned()));
        assert_eq!(kept[0].memory.urgency, Urgency::High);
    }
}
