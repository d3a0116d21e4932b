//! Keeps what an agent had to call a person for. Decides nothing about it.

use model::{Detail, Event, EventKind, WorkspaceKey};
use store::{Batch, MemoryRow};

use crate::Result;
use crate::behavior::Behavior;

/// A title is a line in a list.
const MAX_TITLE: usize = 120;

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
        batch.pin(&MemoryRow {
            id: event.id,
            at: event.at,
            kind: "incident".to_owned(),
            urgency: "high".to_owned(),
            title: title.as_deref().unwrap_or(message).chars().take(MAX_TITLE).collect(),
            text: message.clone(),
            keywords: keywords(kind),
            session: Some(event.session.clone()),
            workspace: event.context.get("workspace").cloned().map(WorkspaceKey::from_hex),
        })?;
        Ok(())
    }
}

/// The words people will look for are not always the words the agent used.
fn keywords(kind: &str) -> String {
    let plain = kind.replace('_', " ");
    let more = match kind {
        "permission_prompt" => " permission denied approval needed blocked",
        kind if kind.starts_with("auth") => " authentication login",
        kind if kind.starts_with("elicitation") => " question answer input",
        _ => "",
    };
    format!("{plain}{more}")
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
        assert!(kept[0].keywords.contains("permission denied"));
        assert_eq!(kept[0].urgency, "high");
    }
}
