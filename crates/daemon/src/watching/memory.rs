//! What the watcher must know after a restart: since when it has been looking, and when recording stood still. One
//! small file; without it, a day is looked at again, which costs time and doubles nothing.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use model::Millis;
use serde::{Deserialize, Serialize};

/// Pauses that are remembered. What was said in older ones is in files that nobody touches any more.
const MAX_PAUSES: usize = 100;
/// A page; a larger one is not ours.
const MAX_BYTES: u64 = 256 << 10;

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    /// Everything older was seen, by agent and folder.
    pub(super) looked_at: BTreeMap<String, Millis>,
    /// From and to; the last may be open.
    pauses: Vec<(Millis, Option<Millis>)>,
}

impl Memory {
    pub(super) fn load(path: &Path) -> Self {
        let small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
        let text = if small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
        serde_json::from_slice(&text).unwrap_or_default()
    }

    pub(super) fn store(&self, path: &Path) -> io::Result<()> {
        let part = path.with_extension("part");
        let mut file = std::fs::File::create(&part)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        std::fs::rename(part, path)
    }

    /// True: something changed that a restart must not forget.
    pub(super) fn note_pause(&mut self, paused: bool, now: Millis) -> bool {
        match self.pauses.last_mut() {
            Some((_, to @ None)) if !paused => *to = Some(now),
            Some((_, None)) => return false,
            _ if paused => {
                self.pauses.push((now, None));
                let surplus = self.pauses.len().saturating_sub(MAX_PAUSES);
                self.pauses.drain(..surplus);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn was_paused(&self, at: Millis) -> bool {
        self.pauses.iter().any(|(from, to)| *from <= at && to.is_none_or(|to| at < to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_covers_what_was_said_in_it_and_survives_a_restart() {
        let mut memory = Memory::default();
        assert!(!memory.note_pause(false, 5));
        assert!(memory.note_pause(true, 10));
        assert!(!memory.note_pause(true, 11));
        assert!(memory.was_paused(10) && memory.was_paused(99) && !memory.was_paused(9));
        assert!(memory.note_pause(false, 20));
        assert!(memory.was_paused(19) && !memory.was_paused(20));
        memory.looked_at.insert("codex=/a".into(), 7);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("watching.json");
        memory.store(&path).unwrap();
        assert_eq!(Memory::load(&path), memory);
        std::fs::write(&path, "{\"looked_at\": 5").unwrap();
        assert_eq!(Memory::load(&path), Memory::default());
    }

    #[test]
    fn pauses_are_bounded() {
        let mut memory = Memory::default();
        for at in 0..1000 {
            memory.note_pause(at % 2 == 0, at);
        }
        assert_eq!(memory.pauses.len(), MAX_PAUSES);
    }
}
