//! A time told by an event. Knows its name and the side of it; when it happened is known to a memory, if to any.

use super::{Window, lowercase};
use crate::calendar::DAY;

/// A time that is told by what happened then: "before the release", "since the last deploy".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What it is called, as a question would ask for it.
    pub name: &'static str,
    pub side: Side,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

/// What happened, in any of its words.
const EVENTS: &[(&str, &str)] = &[
    ("release", "release released version"),
    ("deploy", "deploy deployed deployment"),
    ("deployment", "deploy deployed deployment"),
    ("launch", "launch launched"),
    ("rollout", "rollout rolled"),
    ("merge", "merge merged"),
    ("migration", "migration migrated"),
    ("outage", "outage incident"),
    ("incident", "outage incident"),
];

/// "Before" is not since the beginning: what led to an event happened about then.
const LED_TO: u64 = 60 * DAY;

impl Event {
    /// The time before or after the event, which happened at `at`.
    pub fn window(&self, at: u64, now: u64) -> Window {
        match self.side {
            Side::Before => Window::new(at.saturating_sub(LED_TO), at, 0),
            Side::After => Window::new(at, now.max(at), 0),
        }
    }
}

/// The event a question measures its time by. Only the one that everybody knows, "the release": a release of
/// something is a subject like any other.
pub fn event(text: &str) -> Option<Event> {
    let words = lowercase(text);
    let at = words.iter().position(|word| matches!(word.as_str(), "before" | "after" | "since"))?;
    let side = if words[at] == "before" { Side::Before } else { Side::After };
    let mut rest = words[at + 1..].iter().map(String::as_str);
    if !matches!(rest.next(), Some("the" | "our" | "last" | "latest")) {
        return None;
    }
    let named = rest.find(|word| !matches!(*word, "last" | "latest" | "previous" | "recent"))?;
    let (_, name) = EVENTS.iter().find(|(event, _)| *event == named)?;
    let whose = matches!(rest.next(), Some("of" | "for"));
    (!whose).then_some(Event { name, side })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_794_787_200_000;

    #[test]
    fn an_event_tells_a_time_by_what_happened_then() {
        let side = |text: &str| event(text).map(|event| (event.name.split(' ').next().unwrap(), event.side));
        assert_eq!(side("what broke before the release?"), Some(("release", Side::Before)));
        assert_eq!(side("changes since the last deploy"), Some(("deploy", Side::After)));
        assert_eq!(side("after our latest deployment"), Some(("deploy", Side::After)));
        for text in
            ["release notes", "before release", "after the release of tokio", "since the parser", "before"]
        {
            assert_eq!(side(text), None, "{text}");
        }
        let before = event("before the release").unwrap().window(NOW - DAY, NOW);
        assert!(before.holds(NOW - 2 * DAY) && !before.holds(NOW) && !before.holds(NOW - 100 * DAY));
        let after = event("after the release").unwrap().window(NOW - DAY, NOW);
        assert!(after.holds(NOW) && !after.holds(NOW - 2 * DAY));
    }
}
