//! One conversation that is followed: read as far as it is whole, and on from there when it has grown. The file is
//! somebody else's and may grow, shrink, be replaced or vanish at any moment; whatever happens, the same records give
//! the same events, so beginning anew is always right and only costs time.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use agents::transcript::{Conversations, Ending, Growth, PastEvent, Reader, Replay};
use model::EventId;
use rustix::fs::{Mode, OFlags};
use store::StoreError;
use store::archive::MAX_LINE_BYTES;

use crate::backfill::OVER;
use crate::intake::Intake;
use crate::past::{Known, Taken, Taking};

/// After this long without a word a turn is taken to be over, where the agent does not say so itself. A tool may run
/// for minutes before anything is written of it; being wrong costs a turn told in two parts.
const REST: Duration = Duration::from_mins(2);
/// A document is read as a whole. The longest conversations have a few megabytes.
const MAX_DOCUMENT: u64 = 64 << 20;
/// What is compared at the beginning of a file to recognize it: records carry ids and times.
const HEAD_BYTES: usize = 256;

pub(super) struct Followed {
    path: PathBuf,
    conversations: &'static dyn Conversations,
    growth: Growth,
    reader: Box<dyn Reader>,
    /// Gone when the conversation is over.
    replay: Option<Replay>,
    taking: Taking,
    seen: Option<Seen>,
    head: Vec<u8>,
    /// Up to where it is read, and the number of the line there.
    at: u64,
    line: u64,
    /// Within a line that is too long to read.
    skipping: bool,
    /// There was more than one round may read.
    behind: bool,
    rested: bool,
    /// What a document that is read again and again has told.
    told: HashSet<EventId>,
}

/// As long as `stat` tells the same, nothing is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
}

impl Seen {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

impl Followed {
    pub(super) fn new(conversations: &'static dyn Conversations, path: &Path) -> Self {
        let name = path.to_string_lossy();
        Self {
            path: path.to_owned(),
            conversations,
            growth: conversations.growth(&name),
            reader: conversations.reader(&name),
            replay: Some(Replay::new(conversations, &name)),
            taking: Taking::default(),
            seen: None,
            head: Vec::new(),
            at: 0,
            line: 0,
            skipping: false,
            behind: false,
            rested: false,
            told: HashSet::new(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_over(&self) -> bool {
        self.replay.is_none()
    }

    pub(super) fn is_behind(&self) -> bool {
        self.behind
    }

    pub(super) fn modified(&self) -> (i64, i64) {
        self.seen.map_or((i64::MAX, 0), |seen| seen.modified)
    }

    /// What is new, reading no more than `budget` bytes, which are taken off it.
    pub(super) fn look(&mut self, now: SystemTime, budget: &mut u64) -> io::Result<Vec<PastEvent>> {
        let metadata = fs::symlink_metadata(&self.path)?;
        let seen = Seen::of(&metadata);
        let mut events = Vec::new();
        if self.behind || self.seen != Some(seen) {
            if *budget == 0 {
                return Ok(events);
            }
            // Also where it cannot be read: it is tried again when it has changed.
            let before = self.seen.replace(seen);
            events = match self.growth {
                Growth::Lines => self.read_lines(before, budget)?,
                Growth::Whole => self.read_whole(budget)?,
                // Its agent has hooks of its own, and its past is taken in at once.
                Growth::Gathered => Vec::new(),
            };
            self.rested = false;
        }
        if !self.behind {
            let age = metadata.modified().ok().and_then(|at| now.duration_since(at).ok()).unwrap_or_default();
            if age > OVER
                && let Some(replay) = self.replay.take()
            {
                events.extend(replay.finish(Ending::Over));
            } else if age > REST
                && !std::mem::replace(&mut self.rested, true)
                && let Some(replay) = &mut self.replay
            {
                events.extend(replay.rest());
            }
        }
        if self.growth == Growth::Whole {
            events.retain(|event| self.told.insert(event.id));
        }
        Ok(events)
    }

    /// Takes in what a look gave.
    pub(super) fn take(
        &mut self,
        intake: &Intake,
        known: &mut Known,
        agent: &str,
        events: Vec<PastEvent>,
    ) -> Result<Taken, StoreError> {
        let mut taken = Taken::default();
        for event in events {
            taken.add(self.taking.push(intake, known, agent, event)?);
        }
        taken.add(self.taking.commit(intake, agent)?);
        Ok(taken)
    }

    fn read_lines(&mut self, before: Option<Seen>, budget: &mut u64) -> io::Result<Vec<PastEvent>> {
        let mut file = open(&self.path)?;
        let metadata = file.metadata()?;
        let replaced =
            before.is_some_and(|seen| (seen.device, seen.inode) != (metadata.dev(), metadata.ino()));
        if replaced || metadata.len() < self.at || !self.begins_as_before(&file) {
            self.begin_anew();
        }
        if self.head.len() < HEAD_BYTES {
            self.head = vec![0; HEAD_BYTES];
            let length = file.read_at(&mut self.head, 0)?;
            self.head.truncate(length);
        }
        file.seek(SeekFrom::Start(self.at))?;
        // A whole line always fits, whatever is left for this round: else a long one would never be read.
        let room = MAX_LINE_BYTES as u64 + 1;
        let mut bytes = Vec::new();
        let read = file.take(room).read_to_end(&mut bytes)? as u64;
        *budget = budget.saturating_sub(read);
        let mut events = Vec::new();
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            if !std::mem::take(&mut self.skipping) {
                let lines = self.reader.push(self.line, line.strip_suffix(b"\n").unwrap_or(line));
                if let Some(replay) = &mut self.replay {
                    events.extend(lines.into_iter().flat_map(|line| replay.push(line)));
                }
            }
            self.line += 1;
        }
        self.at += whole as u64;
        if read == room && whole == 0 {
            self.skipping = true;
            self.at += read;
        }
        self.behind = read == room;
        Ok(events)
    }

    fn read_whole(&mut self, budget: &mut u64) -> io::Result<Vec<PastEvent>> {
        let document = read_document(&self.path)?;
        *budget = budget.saturating_sub(document.len() as u64);
        self.begin_anew();
        let lines = self.reader.push(0, &document);
        let Some(replay) = &mut self.replay else { return Ok(Vec::new()) };
        Ok(lines.into_iter().flat_map(|line| replay.push(line)).collect())
    }

    fn begins_as_before(&self, file: &File) -> bool {
        let mut head = vec![0; self.head.len()];
        file.read_exact_at(&mut head, 0).is_ok() && head == self.head
    }

    fn begin_anew(&mut self) {
        let told = std::mem::take(&mut self.told);
        *self = Self { told, seen: self.seen, ..Self::new(self.conversations, &self.path) };
    }
}

/// A conversation that is one document.
pub(crate) fn read_document(path: &Path) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut document = Vec::new();
    if file.take(MAX_DOCUMENT + 1).read_to_end(&mut document)? as u64 > MAX_DOCUMENT {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large for a conversation"));
    }
    Ok(document)
}

/// Regular files only: a link is not followed and a pipe is not waited for.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use agents::Adapter;
    use model::EventKind;

    use super::*;

    fn follow(path: &Path) -> Followed {
        Followed::new(agents::Codex.conversations().unwrap(), path)
    }

    fn says(text: &str) -> String {
        format!(
            "{{\"timestamp\":\"2026-05-01T10:00:00.000Z\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"user_message\",\"message\":\"{text}\"}}}}\n"
        )
    }

    fn append(path: &Path, text: &str) {
        let mut file = File::options().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn prompts(followed: &mut Followed) -> Vec<EventId> {
        let mut budget = u64::MAX;
        let events = followed.look(SystemTime::now(), &mut budget).unwrap();
        events
            .iter()
            .filter(|event| event.kind == EventKind::UserPromptSubmit)
            .map(|event| event.id)
            .collect()
    }

    #[test]
    fn what_is_whole_is_read_once_and_a_torn_line_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout-a.jsonl");
        append(&path, &says("one"));
        let line = says("two");
        append(&path, &line[..30]);
        let mut followed = follow(&path);
        assert_eq!(prompts(&mut followed).len(), 1);
        assert_eq!(prompts(&mut followed).len(), 0);
        append(&path, &line[30..]);
        assert_eq!(prompts(&mut followed).len(), 1);
    }

    #[test]
    fn a_file_that_was_replaced_shortened_or_overwritten_is_read_from_its_beginning_under_the_same_ids() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout-a.jsonl");
        append(&path, &(says("one") + &says("two")));
        let mut followed = follow(&path);
        let both = prompts(&mut followed);
        assert_eq!(both.len(), 2);

        fs::write(path.with_extension("new"), says("one") + &says("two") + &says("three")).unwrap();
        fs::rename(path.with_extension("new"), &path).unwrap();
        let three = prompts(&mut followed);
        assert_eq!((three.len(), &three[..2]), (3, &both[..]));

        fs::write(&path, says("one")).unwrap();
        assert_eq!(prompts(&mut followed), both[..1]);

        // As long as before and more, but another conversation.
        fs::write(&path, says("another") + &says("and more of it than before")).unwrap();
        assert_eq!(prompts(&mut followed).len(), 2);
        fs::remove_file(&path).unwrap();
        let gone = followed.look(SystemTime::now(), &mut 1).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_giant_line_is_passed_over_a_round_at_a_time_and_the_lines_keep_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout-a.jsonl");
        append(&path, &says("one"));
        append(&path, &("x".repeat(2 * MAX_LINE_BYTES + 7) + "\n"));
        append(&path, &says("behind"));
        let (mut followed, mut found, mut rounds) = (follow(&path), Vec::new(), 0);
        loop {
            found.extend(prompts(&mut followed));
            rounds += 1;
            if !followed.is_behind() {
                break;
            }
        }
        assert_eq!(found.len(), 2);
        assert!(rounds >= 3);
        assert_eq!((followed.line, followed.at), (3, fs::metadata(&path).unwrap().len()));
    }

    #[test]
    fn nothing_is_read_when_a_round_has_no_more_to_give_nor_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout-a.jsonl");
        append(&path, &says("one"));
        let mut followed = follow(&path);
        assert_eq!(followed.look(SystemTime::now(), &mut 0).unwrap(), []);
        assert_eq!(prompts(&mut followed).len(), 1);

        let link = folder.path().join("rollout-b.jsonl");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(follow(&link).look(SystemTime::now(), &mut 1).is_err());
        assert!(read_document(folder.path()).is_err());
    }

    #[test]
    fn silence_ends_a_turn_and_a_day_of_it_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout-a.jsonl");
        append(&path, &says("one"));
        append(&path, &says("done").replace("user_message", "agent_message"));
        let kinds = |followed: &mut Followed, later: Duration| -> Vec<EventKind> {
            let events = followed.look(SystemTime::now() + later, &mut u64::MAX.clone()).unwrap();
            events.iter().map(|event| event.kind).collect()
        };
        let mut followed = follow(&path);
        assert_eq!(
            kinds(&mut followed, Duration::ZERO),
            [EventKind::SessionStart, EventKind::UserPromptSubmit]
        );
        assert_eq!(kinds(&mut followed, REST * 2), [EventKind::Stop]);
        assert_eq!(kinds(&mut followed, REST * 3), []);
        assert_eq!(kinds(&mut followed, OVER * 2), [EventKind::SessionEnd]);
        assert!(followed.is_over());
    }
}
