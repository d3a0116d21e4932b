//! What one conversation has in front of it, as far as tool calls tell: what it read and how that file was then, what it
//! was shown of the map, what it looked for. Forgotten when the conversation is compacted, and when the daemon starts
//! anew: then something may be said once more, and nothing is lost. What it reads and looks for is noted by `facts`,
//! whichever behaviors are on.

use std::collections::{HashMap, VecDeque};

use model::Millis;

/// Files one conversation is remembered to have looked at; the ones longest ago are forgotten.
const MAX_FILES: usize = 512;
/// Ranges of one file: more of them are as good as the whole.
const MAX_RANGES: usize = 32;
/// Names that were told.
const MAX_TOLD: usize = 2048;
/// Names that were looked for; the ones longest ago are forgotten.
const MAX_SOUGHT: usize = 24;

/// Lines, both included. The whole file is `1..=u32::MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    pub from: u32,
    pub to: u32,
}

impl Lines {
    pub const WHOLE: Self = Self { from: 1, to: u32::MAX };

    fn holds(self, other: Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }
}

#[derive(Debug, Clone, Default)]
pub struct Desk {
    files: HashMap<String, Paper>,
    told: HashMap<String, u64>,
    /// Newest first.
    sought: VecDeque<(String, Millis)>,
    /// What is said while somebody wants to know it.
    watched: Option<Vec<SaidOnce>>,
    /// Counts what happens, so that the oldest can be told.
    turn: u64,
}

#[derive(Debug, Clone, Default)]
struct Paper {
    reads: Vec<Read>,
    /// The content its outline was shown of.
    outlined: Option<u64>,
    /// The content a read of it was refused for.
    refused: Option<u64>,
    turn: u64,
}

#[derive(Debug, Clone, Copy)]
struct Read {
    lines: Lines,
    content: u64,
    at: Millis,
}

/// Something that was noted as said, and what stood there before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidOnce {
    what: What,
    now: u64,
    before: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Told(String),
    Outlined(String),
    Refused(String),
}

impl Desk {
    /// Notes that lines of a file were read.
    pub fn read(&mut self, path: &str, lines: Lines, content: u64, at: Millis) {
        let is_known = self.has_read(path, lines, content);
        let paper = self.paper(path);
        paper.reads.retain(|read| read.content == content);
        if !is_known {
            if paper.reads.len() >= MAX_RANGES {
                paper.reads.remove(0);
            }
            paper.reads.push(Read { lines, content, at });
        }
    }

    /// When these lines were read as they are now.
    pub fn read_at(&self, path: &str, lines: Lines, content: u64) -> Option<Millis> {
        let mut reads = self.files.get(path)?.reads.iter().rev();
        reads.find(|read| read.content == content && read.lines.holds(lines)).map(|read| read.at)
    }

    pub fn has_read(&self, path: &str, lines: Lines, content: u64) -> bool {
        self.read_at(path, lines, content).is_some()
    }

    /// Whether the outline of this content is new here; from now on it is not.
    pub fn outline(&mut self, path: &str, content: u64) -> bool {
        let before = self.paper(path).outlined.replace(content);
        self.watch(What::Outlined(path.to_owned()), content, before)
    }

    /// Whether a read of this content may be refused: once.
    pub fn refuse(&mut self, path: &str, content: u64) -> bool {
        let before = self.paper(path).refused.replace(content);
        self.watch(What::Refused(path.to_owned()), content, before)
    }

    /// What is noted as said meanwhile.
    pub fn watched(&mut self, with: &mut dyn FnMut(&mut Self)) -> Vec<SaidOnce> {
        self.watched = Some(Vec::new());
        with(self);
        self.watched.take().unwrap_or_default()
    }

    /// It was not heard after all. What somebody else has noted since stays.
    pub fn take_back(&mut self, said: &[SaidOnce]) {
        for SaidOnce { what, now, before } in said.iter().rev() {
            let slot = match what {
                What::Told(name) => {
                    if self.told.get(name) == Some(now) {
                        match before {
                            Some(before) => self.told.insert(name.clone(), *before),
                            None => self.told.remove(name),
                        };
                    }
                    continue;
                }
                What::Outlined(path) => self.files.get_mut(path).map(|paper| &mut paper.outlined),
                What::Refused(path) => self.files.get_mut(path).map(|paper| &mut paper.refused),
            };
            if let Some(slot) = slot.filter(|slot| **slot == Some(*now)) {
                *slot = *before;
            }
        }
    }

    /// Whether it is new.
    fn watch(&mut self, what: What, now: u64, before: Option<u64>) -> bool {
        let is_new = before != Some(now);
        if let Some(watched) = self.watched.as_mut().filter(|_| is_new) {
            watched.push(SaidOnce { what, now, before });
        }
        is_new
    }

    /// Whether something of this name, as it is now, has not been told yet; from now on it has.
    pub fn tell(&mut self, name: String, content: u64) -> bool {
        if self.told.len() >= MAX_TOLD {
            self.told.clear();
        }
        let before = self.told.insert(name.clone(), content);
        self.watch(What::Told(name), content, before)
    }

    /// How something of this name was when it was told last.
    pub fn told(&self, name: &str) -> Option<u64> {
        self.told.get(name).copied()
    }

    /// It was not heard after all.
    pub fn untell(&mut self, name: &str) {
        self.told.remove(name);
    }

    /// Notes the names that were looked for.
    pub fn search(&mut self, names: &[String], at: Millis) {
        for name in names.iter().rev() {
            self.sought.retain(|(known, _)| known != name);
            self.sought.push_front((name.clone(), at));
        }
        self.sought.truncate(MAX_SOUGHT);
    }

    /// What was looked for since then, the last first.
    pub fn searched(&self, since: Millis) -> Vec<String> {
        self.sought.iter().filter(|(_, at)| *at >= since).map(|(name, _)| name.clone()).collect()
    }

    fn paper(&mut self, path: &str) -> &mut Paper {
        self.turn += 1;
        if self.files.len() >= MAX_FILES && !self.files.contains_key(path) {
            let oldest = self.files.iter().min_by_key(|(_, paper)| paper.turn).map(|(path, _)| path.clone());
            if let Some(oldest) = oldest {
                self.files.remove(&oldest);
            }
        }
        let paper = self.files.entry(path.to_owned()).or_default();
        paper.turn = self.turn;
        paper
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_were_read_are_known_until_the_file_changes() {
        let mut desk = Desk::default();
        let part = Lines { from: 20, to: 30 };
        desk.read("a", Lines { from: 10, to: 50 }, 1, 100);
        assert_eq!(desk.read_at("a", part, 1), Some(100), "a part of it");
        assert_eq!(desk.read_at("a", Lines { from: 40, to: 60 }, 1), None, "more than that");
        assert_eq!(desk.read_at("a", part, 2), None, "another content");
        desk.read("a", part, 2, 400);
        assert_eq!(desk.read_at("a", part, 1), None, "what it was is forgotten");
        desk.read("b", Lines::WHOLE, 1, 500);
        assert!(desk.has_read("b", Lines { from: 3, to: 4 }, 1) && !desk.has_read("b", Lines::WHOLE, 2));
    }

    #[test]
    fn an_outline_is_new_once_for_every_content_and_so_is_a_refusal() {
        let mut desk = Desk::default();
        assert!(desk.outline("a", 1) && !desk.outline("a", 1) && desk.outline("a", 2));
        assert!(desk.refuse("a", 1) && !desk.refuse("a", 1) && desk.refuse("a", 2));
        assert!(desk.tell("f".into(), 1) && !desk.tell("f".into(), 1) && desk.tell("f".into(), 2));
    }

    #[test]
    fn what_was_taken_back_is_new_again_unless_somebody_has_noted_it_since() {
        let mut desk = Desk::default();
        desk.tell("f".into(), 1);
        let said = desk.watched(&mut |desk| {
            assert!(desk.tell("f".into(), 2) && desk.tell("g".into(), 1) && desk.outline("a", 1));
            assert!(!desk.tell("g".into(), 1));
        });
        assert_eq!(said.len(), 3);
        desk.tell("g".into(), 5);
        desk.take_back(&said);
        assert_eq!((desk.told("f"), desk.told("g")), (Some(1), Some(5)));
        assert!(desk.outline("a", 1));
    }

    #[test]
    fn what_was_looked_for_is_known_for_a_while_the_last_first() {
        let mut desk = Desk::default();
        desk.search(&["one".into(), "two".into()], 10);
        desk.search(&["three".into(), "one".into()], 20);
        assert_eq!(desk.searched(0), ["three", "one", "two"]);
        assert_eq!(desk.searched(15), ["three", "one"]);
        let many: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        desk.search(&many, 30);
        assert_eq!(desk.searched(0).len(), MAX_SOUGHT);
    }

    #[test]
    fn a_desk_is_as_large_as_it_may_be_and_no_larger() {
        let mut desk = Desk::default();
        for file in 0..MAX_FILES * 2 {
            desk.read(&file.to_string(), Lines::WHOLE, 1, file as u64);
        }
        assert_eq!(desk.files.len(), MAX_FILES);
        assert!(desk.has_read(&(MAX_FILES * 2 - 1).to_string(), Lines::WHOLE, 1));
    }
}
