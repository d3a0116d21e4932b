//! Which segments there are and how far each may be read. The writer adds, retention removes, and
//! readers ask; nobody holds it while touching a file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use model::Millis;

use super::lock;

/// A reader that starts in the middle of a segment steps over at most this much.
const MARK_EVERY: u64 = 64 << 10;
const EXTENSION: &str = ".seg";

#[derive(Debug, Clone)]
pub(super) struct Segment {
    /// The first sequence number it may hold, and its name.
    pub(super) first: u64,
    /// The bytes that are durable.
    pub(super) len: u64,
    /// The last sequence number in it, where this process knows; else 0.
    pub(super) last: u64,
    /// The time of its first entry, once somebody looked.
    pub(super) first_at: Option<Millis>,
    /// Where some of its records begin, in order, for the segments written by this process.
    marks: Vec<(u64, u64)>,
}

impl Segment {
    pub(super) fn new(first: u64, len: u64) -> Self {
        Self { first, len, last: 0, first_at: None, marks: Vec::new() }
    }
}

/// A segment as a reader needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    pub(super) first: u64,
    pub(super) len: u64,
    pub(super) last: u64,
    /// No sequence number in it reaches this one.
    pub(super) end: u64,
    /// A record boundary at or before the sequence number asked for.
    pub(super) hint: (u64, u64),
}

#[derive(Debug)]
pub(super) struct Catalog {
    dir: PathBuf,
    segments: Mutex<Vec<Segment>>,
    /// The last durable sequence number. Moves before the lengths do, so that no reader is ahead of it.
    head: AtomicU64,
    /// The lengths are what the writer made durable, not what the files happen to have.
    attended: bool,
}

impl Catalog {
    /// For the writer, after recovery.
    pub(super) fn attended(dir: &Path, segments: Vec<Segment>, head: u64) -> Self {
        let (segments, head) = (Mutex::new(segments), AtomicU64::new(head));
        Self { dir: dir.to_owned(), segments, head, attended: true }
    }

    /// For readers without a writer: lengths are those of the files, at this moment.
    pub(super) fn unattended(dir: &Path, segments: Vec<Segment>) -> Self {
        let (segments, head) = (Mutex::new(segments), AtomicU64::new(0));
        Self { dir: dir.to_owned(), segments, head, attended: false }
    }

    /// Whether bytes of this segment that make no record may be ones that nobody was promised.
    pub(super) fn may_be_torn(&self, view: &View) -> bool {
        !self.attended && view.end == u64::MAX
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn path(&self, first: u64) -> PathBuf {
        segment_path(&self.dir, first)
    }

    pub(super) fn head(&self) -> u64 {
        self.head.load(Ordering::Acquire)
    }

    pub(super) fn first(&self) -> u64 {
        lock(&self.segments).first().map_or(0, |segment| segment.first)
    }

    pub(super) fn bytes(&self) -> u64 {
        lock(&self.segments).iter().map(|segment| segment.len).sum()
    }

    pub(super) fn snapshot(&self) -> Vec<Segment> {
        lock(&self.segments).clone()
    }

    /// The segment in which a reader looking for `seq` begins.
    pub(super) fn containing(&self, seq: u64) -> Option<View> {
        let segments = lock(&self.segments);
        let after = segments.partition_point(|segment| segment.first <= seq);
        view(&segments, after.saturating_sub(1), seq)
    }

    pub(super) fn named(&self, first: u64) -> Option<View> {
        let segments = lock(&self.segments);
        let index = segments.binary_search_by_key(&first, |segment| segment.first).ok()?;
        view(&segments, index, first)
    }

    pub(super) fn durable_len(&self, first: u64) -> Option<u64> {
        self.named(first).map(|view| view.len)
    }

    pub(super) fn after(&self, first: u64) -> Option<View> {
        let segments = lock(&self.segments);
        let index = segments.partition_point(|segment| segment.first <= first);
        view(&segments, index, first)
    }

    pub(super) fn add(&self, first: u64) {
        lock(&self.segments).push(Segment::new(first, 0));
    }

    /// A batch with the sequence numbers from `seq` to `last` is durable: the last segment has `len` bytes now.
    pub(super) fn grow(&self, seq: u64, last: u64, at: Millis, len: u64) {
        // Under the lock: who has seen the head finds the entry, and does not look between the two.
        let mut segments = lock(&self.segments);
        self.head.store(last, Ordering::Release);
        if let Some(segment) = segments.last_mut() {
            let offset = segment.len;
            if segment.marks.last().is_none_or(|(_, mark)| offset - mark >= MARK_EVERY) {
                segment.marks.push((seq, offset));
            }
            segment.len = len;
            segment.last = last;
            segment.first_at.get_or_insert(at);
        }
    }

    pub(super) fn learn_first_at(&self, first: u64, at: Millis) {
        let mut segments = lock(&self.segments);
        if let Ok(index) = segments.binary_search_by_key(&first, |segment| segment.first) {
            segments[index].first_at = Some(at);
        }
    }

    pub(super) fn remove(&self, first: u64) {
        lock(&self.segments).retain(|segment| segment.first != first);
    }
}

fn view(segments: &[Segment], index: usize, seq: u64) -> Option<View> {
    let segment = segments.get(index)?;
    let end = segments.get(index + 1).map_or(u64::MAX, |next| next.first);
    let mark = segment.marks.partition_point(|(first, _)| *first <= seq);
    let hint = mark.checked_sub(1).map_or((segment.first, 0), |mark| segment.marks[mark]);
    Some(View { first: segment.first, len: segment.len, last: segment.last, end, hint })
}

pub(super) fn segment_path(dir: &Path, first: u64) -> PathBuf {
    dir.join(format!("{first:020}{EXTENSION}"))
}

/// The segments in the folder by number, with their lengths. Other files are none of ours.
pub(super) fn list(dir: &Path) -> io::Result<Vec<Segment>> {
    let mut segments = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(EXTENSION));
        let Some(first) = number.filter(|digits| digits.len() == 20).and_then(|digits| digits.parse().ok())
        else {
            continue;
        };
        match entry.metadata() {
            Ok(metadata) => segments.push(Segment::new(first, metadata.len())),
            // Retention was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    segments.sort_unstable_by_key(|segment| segment.first);
    Ok(segments)
}
