//! What a guard decided, on its way into the journal: only what the agent can take, because what was not delivered
//! was not decided. Nobody waits for it.

use agents::Powers;
use model::{Advice, Deed, Detail, Event, Ruling, Verdict};

/// Of a reason: a few sentences. The agent is told all of it.
const MAX_REASON_CHARS: usize = 2000;
/// About the call at most one, and about the end of a turn one for each that holds it.
pub(crate) fn delivered(
    powers: Powers,
    event: &Event,
    advice: &Advice,
    holds: Vec<(Option<&'static str>, String)>,
) -> Vec<Deed> {
    let ruled = advice.verdict.as_ref().and_then(|verdict| powers.verdict.weaken(verdict));
    let ruled = ruled.map(|verdict| match verdict {
        Verdict::Deny { reason } => (Ruling::Deny, reason),
        Verdict::Ask { reason } => (Ruling::Ask, reason),
        Verdict::Allow { reason } => (Ruling::Allow, reason),
    });
    let ruled = ruled.map(|(verdict, reason)| deed(event, advice.by, verdict, &reason));
    let held = holds.into_iter().filter(|_| powers.hold);
    let held = held.map(|(by, reason)| deed(event, by, Ruling::Hold, &reason));
    ruled.into_iter().chain(held).collect()
}

fn deed(event: &Event, by: Option<&'static str>, verdict: Ruling, reason: &str) -> Deed {
    let tool = match &event.detail {
        Detail::Tool(call) => Some(call.name.clone()),
        _ => None,
    };
    Deed::Verdict {
        session: event.session.clone(),
        subagent: event.subagent.as_ref().map(|agent| agent.id.clone()),
        event: event.name.clone(),
        tool,
        behavior: by.unwrap_or_default().to_owned(),
        verdict,
        reason: reason.chars().take(MAX_REASON_CHARS).collect(),
    }
}

#[cfg(test)]
mod tests {
    use agents::{Adapter, ClaudeCode, Incoming};
    use model::{Context, EventId, EventKind};

    use super::*;

    fn event() -> Event {
        let context = Context::new();
        ClaudeCode.read(&Incoming {
            id: EventId::from_bytes([7; 16]),
            at: 1,
            hint: None,
            context: &context,
            json: br#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{}}"#,
        })
    }

    #[test]
    fn what_the_agent_cannot_take_was_not_decided() {
        let advice =
            Advice { verdict: Some(Verdict::Deny { reason: "x".repeat(5000) }), ..Advice::default() };
        let holds = || vec![(Some("check-code"), "not yet".to_owned()), (None, "nor now".to_owned())];
        assert!(delivered(Powers::default(), &event(), &advice, holds()).is_empty());
        let deeds = delivered(ClaudeCode.powers(EventKind::PreToolUse), &event(), &advice, holds());
        let [Deed::Verdict { session, tool, verdict, reason, .. }] = deeds.as_slice() else {
            panic!("{deeds:?}")
        };
        assert_eq!((session.as_str(), tool.as_deref()), ("s", Some("Bash")));
        assert_eq!((*verdict, reason.len()), (Ruling::Deny, MAX_REASON_CHARS));
        let held = Powers { hold: true, ..Powers::default() };
        assert!(delivered(held, &event(), &Advice::silent(), Vec::new()).is_empty());
        assert_eq!(delivered(held, &event(), &Advice::silent(), holds()).len(), 2, "each in its own name");
    }
}
