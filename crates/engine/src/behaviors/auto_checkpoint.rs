//! Has the work tree kept now and then while an agent edits it. Decides when; making a checkpoint is whoever's lends it,
//! in the background. Says nothing.

use model::{Advice, Detail, Event, EventKind, Millis, Outcome, SessionId};

use super::on_code::EDITORS;
use crate::Result;
use crate::behavior::{Behavior, Context};

const MINUTE: Millis = 60 * 1000;

#[derive(Debug)]
pub(crate) struct AutoCheckpoint;

/// An edit that was made, and how often the person wants the work tree to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    pub session: SessionId,
    /// The workspace's folder.
    pub root: String,
    pub at: Millis,
    pub every: Every,
}

/// 0 is never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Every {
    pub edits: u64,
    pub minutes: u64,
}

/// What a session has edited since its work was last kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    edits: u64,
    /// When the work was last kept, or the first edit made.
    since: Option<Millis>,
}

impl Pace {
    /// Counts an edit. True: now the work is to be kept, and counting begins anew.
    pub fn edit(&mut self, at: Millis, every: Every) -> bool {
        self.edits += 1;
        let since = *self.since.get_or_insert(at);
        let is_many = every.edits > 0 && self.edits >= every.edits;
        let is_long = every.minutes > 0 && at.saturating_sub(since) >= every.minutes.saturating_mul(MINUTE);
        if is_many || is_long {
            *self = Self { edits: 0, since: Some(at) };
        }
        is_many || is_long
    }
}

impl Behavior for AutoCheckpoint {
    fn name(&self) -> &'static str {
        "auto-checkpoint"
    }

    fn manual(&self) -> &'static str {
        "Keeps the work tree while an agent edits it: after every `checkpoint.edits` edits of a session, or at the first edit \
         after `checkpoint.minutes` minutes, all files that git does not ignore are kept under a ref of its own, with the \
         session and the prompt it was at. In the background; your index, stash, branches and files are not touched. \
         `throughline checkpoint list` marks them, `checkpoint diff` shows what has changed since, `checkpoint restore` \
         brings them back and keeps the present first. The newest 50 of a repository stay, apart from those you made. \
         Outside of a git repository it does nothing."
    }

    fn modes(&self) -> &'static [&'static str] {
        &["off", "on"]
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PostToolUse]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        if let (Detail::Tool(call), Some(here)) = (&event.detail, &cx.workspace)
            && matches!(call.outcome, Outcome::Succeeded { .. })
            && EDITORS.contains(&call.name.as_str())
        {
            cx.around.edited(&Edited {
                session: event.session.clone(),
                root: here.root.clone(),
                at: cx.now,
                every: Every {
                    edits: cx.config.number("checkpoint.edits"),
                    minutes: cx.config.number("checkpoint.minutes"),
                },
            });
        }
        Ok(Advice::silent())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::behaviors::on_code::world::World;
    use crate::config::Config;

    #[test]
    fn work_is_kept_after_so_many_edits_or_so_many_minutes() {
        let every = Every { edits: 3, minutes: 10 };
        let mut pace = Pace::default();
        let at = |minute: u64| 1_000_000 + minute * MINUTE;
        let due: Vec<bool> = [0, 1, 2, 3, 4, 12, 13, 23].map(|minute| pace.edit(at(minute), every)).to_vec();
        assert_eq!(due, [false, false, true, false, false, true, false, true]);
    }

    #[test]
    fn zero_is_never() {
        let mut pace = Pace::default();
        let never = Every { edits: 0, minutes: 0 };
        assert!((0..500).all(|edit| !pace.edit(edit * 100 * MINUTE, never)));
    }

    #[test]
    fn a_clock_that_goes_back_keeps_nothing_early() {
        let mut pace = Pace::default();
        let every = Every { edits: 0, minutes: 1 };
        assert!(!pace.edit(100 * MINUTE, every) && !pace.edit(0, every));
    }

    #[test]
    fn it_is_off_unless_somebody_switches_it_on_and_counts_edits_that_were_made() {
        assert!(!Config::default().is_on("auto-checkpoint"));
        let world = World::new(&[("a.py", "x = 1\n")]);
        let input = || json!({ "file_path": world.path("a.py"), "old_string": "1", "new_string": "2" });
        for tool in ["Edit", "Write", "Read", "Bash"] {
            assert!(world.ask(&AutoCheckpoint, EventKind::PostToolUse, tool, input()).is_silent());
        }
        let counted = world.around.edited.lock().unwrap();
        assert_eq!(counted.len(), 2);
        assert_eq!(counted[0].every, Every { edits: 25, minutes: 30 });
    }
}
