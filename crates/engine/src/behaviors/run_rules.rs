//! Runs the person's own rules and passes on what they say, each in its own name. Reads no file and starts nothing:
//! the rules are lent like everything else. A repository cannot bring one along.

use model::{Advice, Detail, Event, EventKind, Note, Verdict};

use crate::Result;
use crate::behavior::{Behavior, Context};
use crate::fence::sanitize;
use crate::merge;
use crate::rules::{Outcome, Said, is_heard};

#[derive(Debug)]
pub(crate) struct RunRules;

impl Behavior for RunRules {
    fn name(&self) -> &'static str {
        "run-rules"
    }

    fn manual(&self) -> &'static str {
        "Runs your own rules, which `throughline hook new NAME` begins: a program that reads the event and may say \
         something to the agent, tell you something, deny or ask before a tool call, or hold the end of a turn; or a \
         question to the model of `distill.provider`. Each runs within its own budget and never past the event's; one \
         that hangs, floods or breaks costs itself alone, and three failures in a row switch it off until it is \
         changed. Rules are read from the data folder only: a repository cannot bring any, and may only switch this \
         off. Without rules it does nothing."
    }

    fn may_refuse(&self) -> bool {
        true
    }

    fn on(&self) -> &'static [EventKind] {
        &[
            EventKind::SessionStart,
            EventKind::Setup,
            EventKind::PreCompact,
            EventKind::UserPromptSubmit,
            EventKind::UserPromptExpansion,
            EventKind::Stop,
            EventKind::SubagentStart,
            EventKind::SubagentStop,
            EventKind::PreToolUse,
            EventKind::PermissionRequest,
            EventKind::PostToolUse,
            EventKind::PostToolUseFailure,
        ]
    }

    /// Where others speak anyway it is asked each time, and notices rules that came or went. The others of its events
    /// follow one of these, so that a new rule is noticed before its first event.
    fn speaks_on(&self, kind: EventKind) -> bool {
        matches!(kind, EventKind::SessionStart | EventKind::UserPromptSubmit | EventKind::PreToolUse)
            || is_heard(kind)
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let ruled = cx.around.rules(&cx.config, event, cx.until);
        let said = ruled.into_iter().filter_map(|ruled| match ruled.outcome {
            Outcome::Said(said) => Some(advice(&ruled.rule, *said, event)),
            Outcome::Silent | Outcome::Trouble(_) | Outcome::NotRun(_) => None,
        });
        Ok(merge(said))
    }
}

fn advice(rule: &str, said: Said, event: &Event) -> Advice {
    let reason = |text: String| format!("{} (your throughline rule `{rule}`)", sanitize(&text).trim_end());
    let verdict = match said {
        Said { deny: Some(why), .. } => Some(Verdict::Deny { reason: reason(why) }),
        Said { ask: Some(why), .. } => Some(Verdict::Ask { reason: reason(why) }),
        Said { allow: Some(why), .. } => Some(Verdict::Allow { reason: reason(why) }),
        _ => None,
    };
    // A turn that a hook made go on already is not held again: a rule that is never content would never let go.
    let is_held = matches!(event.detail, Detail::Stop { again: true, .. });
    let note = |text: String| Note {
        from: "run-rules",
        text: format!("The person's own rule `{rule}` says:\n{text}"),
        items: Vec::new(),
    };
    Advice {
        notes: said.say.map(note).into_iter().collect(),
        tells: said.tell.map(|text| format!("rule {rule}: {}", sanitize(&text))).into_iter().collect(),
        verdict,
        hold: said.hold.filter(|_| !is_held).map(reason),
        ..Advice::silent()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use model::{MemoryId, SessionId, Tail};
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{context_in, event, tool};
    use crate::config::Config;
    use crate::rules::{EVENTS, Ruled};
    use crate::search::{Ask, Hit};
    use crate::{Fault, Surroundings};

    /// Rules that have spoken.
    struct Spoken(Vec<Said>);

    impl Surroundings for Spoken {
        fn read(&self, _: &mut dyn FnMut(&Tables) -> Result<()>) -> Result<()> {
            Ok(())
        }
        fn find(&self, _: &Ask, _: Instant) -> Result<Vec<Hit>> {
            Ok(Vec::new())
        }
        fn tail(&self, _: &Event, _: u64) -> Option<Tail> {
            None
        }
        fn claim(&self, _: &SessionId, _: Option<&str>, _: MemoryId) -> bool {
            true
        }
        fn is_alive(&self, _: u32) -> bool {
            false
        }
        fn data(&self) -> &Path {
            Path::new("/nowhere")
        }
        fn faults(&self) -> Vec<Fault> {
            Vec::new()
        }
        fn past_conversations(&self, _: &str) -> u64 {
            0
        }
        fn rules(&self, _: &Config, _: &Event, _: Instant) -> Vec<Ruled> {
            let ruled = |(at, said): (usize, &Said)| Ruled {
                rule: format!("rule-{at}"),
                took: Duration::ZERO,
                outcome: Outcome::Said(Box::new(said.clone())),
            };
            self.0.iter().enumerate().map(ruled).collect()
        }
    }

    fn advised(said: Vec<Said>, event: &Event) -> Advice {
        RunRules.advise(&context_in(Arc::new(Spoken(said))), event).unwrap()
    }

    #[test]
    fn it_hears_what_rules_may_hear() {
        assert_eq!(RunRules.on(), EVENTS.iter().map(|(kind, _)| *kind).collect::<Vec<_>>());
    }

    #[test]
    fn everything_a_rule_says_bears_its_name() {
        let first = Said { say: Some("use pnpm".into()), ask: Some("sure?".into()), ..Said::default() };
        let second = Said { tell: Some("seen".into()), deny: Some("no".into()), ..Said::default() };
        let advice = advised(vec![first, second], &tool("Bash"));
        assert_eq!(advice.notes[0].text, "The person's own rule `rule-0` says:\nuse pnpm");
        assert_eq!(advice.tells, ["rule rule-1: seen"]);
        let reason = "no (your throughline rule `rule-1`)".to_owned();
        assert_eq!(advice.verdict, Some(Verdict::Deny { reason }));
    }

    #[test]
    fn a_turn_is_held_once() {
        let stop = |again| event(EventKind::Stop, Detail::Stop { again, last_message: None });
        let hold = Said { hold: Some("the tests fail".into()), ..Said::default() };
        assert!(advised(vec![hold.clone()], &stop(false)).hold.unwrap().starts_with("the tests fail (your"));
        assert!(advised(vec![hold], &stop(true)).is_silent());
    }
}
