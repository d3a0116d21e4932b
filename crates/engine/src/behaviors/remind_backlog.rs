//! Tells the person when work has been waiting to be distilled. Only looks: the work itself is done in the daemon's
//! own time, never in the agent's.

use model::{Advice, Event, EventKind, Millis};

use crate::Result;
use crate::behavior::{Behavior, Context};
use crate::moment;

const HOUR: Millis = 60 * 60 * 1000;
const DAY: Millis = 24 * HOUR;
/// A model that is asked in the background takes its time; this long is too long.
const PATIENCE: Millis = HOUR;
/// The daemon ends a turn that its agent never ended; what is still there after this long was left behind.
const LEFT_BEHIND: Millis = 2 * DAY;

#[derive(Debug)]
pub(crate) struct RemindBacklog;

impl Behavior for RemindBacklog {
    fn name(&self) -> &'static str {
        "remind-backlog"
    }

    fn manual(&self) -> &'static str {
        "Tells the person, in one line and at most once a day in a session, when turns have been waiting for an hour \
         for the model of `distill.provider`, or when the steps of sessions that are long over were left behind. Does \
         none of that work itself."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::Stop]
    }

    fn speaks_on(&self, _kind: EventKind) -> bool {
        true
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let provider = cx.config.text("distill.provider");
        let mark = format!("backlog:{}:{}", event.session.as_str(), cx.now / DAY);
        let line = cx.read(|tables| {
            let mut line = None;
            if provider != "none"
                && let Some(oldest) = tables.waiting_turns(1)?.pop()
                && cx.now.saturating_sub(oldest.at) > PATIENCE
            {
                let (count, since) = (tables.count_waiting()?, moment::minute(oldest.at));
                let turns = if count == 1 { "1 turn waits".to_owned() } else { format!("{count} turns wait") };
                line = Some(format!(
                    "throughline: {turns} for the model of distill.provider ({provider}), the oldest since {since}; \
                     why: throughline doctor"
                ));
            } else {
                let left = tables.stale_turns(cx.now.saturating_sub(LEFT_BEHIND))?.len();
                if left > 0 {
                    let whose = if left == 1 { "1 session".to_owned() } else { format!("{left} sessions") };
                    line = Some(format!(
                        "throughline: steps of {whose} that ended days ago are not distilled; repair: throughline \
                         daemon restart"
                    ));
                }
            }
            Ok(line.filter(|_| !tables.is_marked(&mark).unwrap_or(true)))
        })?;
        Ok(line.map_or_else(Advice::silent, |line| Advice { marks: vec![mark], ..Advice::tell(line) }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{Detail, Injection, SessionId};
    use store::{Tables, TurnRow};

    use super::*;
    use crate::behaviors::tests::{Around, context_in, event};
    use crate::config::{Config, Layer};

    fn stop() -> Event {
        event(EventKind::Stop, Detail::Stop { again: false, last_message: None })
    }

    fn context(path: &std::path::Path, provider: &str, now: Millis) -> Context {
        let mut config = Config::default();
        config.set(Layer::User, "test", "distill.provider", provider).unwrap();
        Context { config: Arc::new(config), now, ..context_in(Arc::new(Around::new(path))) }
    }

    #[test]
    fn turns_that_wait_too_long_for_a_model_are_told_once_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        let turn = TurnRow {
            first_seq: 1,
            last_seq: 2,
            session: SessionId::new("s"),
            at: 10 * DAY,
            prompt: None,
            calls: 3,
            attempts: 0,
        };
        tables.write(|batch| batch.put_turn(&turn)).unwrap();
        let say = |provider, now| RemindBacklog.advise(&context(&path, provider, now), &stop()).unwrap();
        assert!(say("none", 10 * DAY + 2 * HOUR).is_silent(), "nobody is asked to do it");
        assert!(say("ollama", 10 * DAY + HOUR / 2).is_silent());
        let advice = say("ollama", 10 * DAY + 2 * HOUR);
        assert_eq!(
            advice.tells,
            [
                "throughline: 1 turn waits for the model of distill.provider (ollama), the oldest since 1970-01-11 \
              00:00 UTC; why: throughline doctor"
            ]
        );
        let injection = Injection {
            session: stop().session,
            subagent: None,
            event: "Stop".into(),
            notes: Vec::new(),
            marks: advice.marks,
        };
        tables.write(|batch| batch.put_injection(3, 1, &injection)).unwrap();
        assert!(say("ollama", 10 * DAY + 3 * HOUR).is_silent());
        assert!(!say("ollama", 11 * DAY + 3 * HOUR).is_silent());
    }

    #[test]
    fn steps_that_were_left_behind_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        tables.write(|batch| batch.push_step(1, &SessionId::new("old"), None, DAY, "{}")).unwrap();
        let say = |now| RemindBacklog.advise(&context(&path, "none", now), &stop()).unwrap();
        assert!(say(2 * DAY).is_silent());
        assert!(say(5 * DAY).tells[0].contains("steps of 1 session"), "{:?}", say(5 * DAY));
    }
}
