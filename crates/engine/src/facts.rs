//! What happens in a conversation, noted from its events themselves: which files it changed, what it read and how that
//! was then, what it looked for. These are the daemon's facts and no behavior's: each behavior finds them, whichever
//! others are on.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use model::{Detail, Event, EventKind, Millis, SessionId};

use crate::Surroundings;
use crate::behavior::Workspace;
use crate::behaviors::{changed_files, is_command, looked_for_names, read_lines};

/// Sessions whose edits are known; the ones longest ago are forgotten.
const MAX_SESSIONS: usize = 256;
/// Files of one session; more of them are made by a machine, and the oldest are forgotten.
const MAX_FILES: usize = 1024;

/// The behavior that has a workspace made ready when a session starts in it.
pub const WARMS: &str = "index-symbols";

/// Which files sessions have changed. A compaction changes nothing about that.
#[derive(Debug, Default)]
pub struct Edits {
    of: HashMap<SessionId, HashMap<String, Millis>>,
    /// Oldest first.
    known: VecDeque<SessionId>,
}

impl Edits {
    pub fn note(&mut self, session: &SessionId, files: Vec<String>, at: Millis) {
        if files.is_empty() {
            return;
        }
        if !self.of.contains_key(session) {
            if self.known.len() >= MAX_SESSIONS
                && let Some(oldest) = self.known.pop_front()
            {
                self.of.remove(&oldest);
            }
            self.known.push_back(session.clone());
        }
        let known = self.of.entry(session.clone()).or_default();
        for file in files {
            if known.len() >= MAX_FILES
                && !known.contains_key(&file)
                && let Some(oldest) = known.iter().min_by_key(|(_, at)| **at).map(|(file, _)| file.clone())
            {
                known.remove(&oldest);
            }
            let last = known.entry(file).or_default();
            *last = (*last).max(at);
        }
    }

    /// Files that were changed since then, by name.
    pub fn since(&self, session: &SessionId, at: Millis) -> Vec<String> {
        let known = self.of.get(session).into_iter().flatten();
        let mut files: Vec<String> =
            known.filter(|(_, edited)| **edited >= at).map(|(file, _)| file.clone()).collect();
        files.sort();
        files
    }
}

/// The files that an event says were changed: by a tool that edits, or by a command as far as its text tells. As the disk
/// has them, where links are followed.
pub fn edited(event: &Event) -> Vec<String> {
    let is_over = match event.kind {
        EventKind::PostToolUse => true,
        // A command that failed may have written before that; an editor has not.
        EventKind::PostToolUseFailure => is_command(event),
        _ => false,
    };
    if is_over { changed_files(event) } else { Vec::new() }
}

/// Whether there is more to note of an event than its edits: then [`note`] is worth a call.
pub fn concerns(event: &Event) -> bool {
    matches!(event.kind, EventKind::PreToolUse | EventKind::PostToolUse)
        && matches!(event.detail, Detail::Tool(_))
}

/// Notes what a conversation reads, when it has, and what it looks for, when it is about to. May read the file.
pub fn note(around: &dyn Surroundings, workspace: Option<&Workspace>, event: &Event, now: Millis) {
    let Detail::Tool(call) = &event.detail else { return };
    let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
    match event.kind {
        EventKind::PreToolUse => {
            let names = looked_for_names(call);
            if !names.is_empty() {
                around.desk(&event.session, subagent, &mut |desk| desk.search(&names, now));
            }
        }
        EventKind::PostToolUse => {
            let root = workspace.map(|here| Path::new(&here.root));
            if let Some((path, lines, content)) = root.and_then(|root| read_lines(root, event, call)) {
                around.desk(&event.session, subagent, &mut |desk| desk.read(&path, lines, content, now));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_known_by_session_and_time_and_are_bounded() {
        let mut edits = Edits::default();
        let (one, other) = (SessionId::new("one"), SessionId::new("other"));
        edits.note(&one, vec!["/w/b".into(), "/w/a".into()], 10);
        edits.note(&one, vec!["/w/b".into()], 20);
        // A spooled event comes later and is older.
        edits.note(&one, vec!["/w/b".into()], 15);
        assert_eq!(edits.since(&one, 10), ["/w/a", "/w/b"]);
        assert_eq!(edits.since(&one, 16), ["/w/b"]);
        assert!(edits.since(&other, 0).is_empty());
        for n in 0..MAX_FILES as u64 * 2 {
            edits.note(&other, vec![n.to_string()], n);
        }
        assert_eq!(edits.since(&other, 0).len(), MAX_FILES);
        for n in 0..MAX_SESSIONS * 2 {
            edits.note(&SessionId::new(&n.to_string()), vec!["/w/a".into()], 1);
        }
        assert_eq!((edits.of.len(), edits.known.len()), (MAX_SESSIONS, MAX_SESSIONS));
    }
}
