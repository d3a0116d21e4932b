//! What happens between a crash and the first append: the last segment is read whole, what nobody was
//! promised is cleared, what somebody was promised and cannot be read is kept, copied aside and
//! reported. Earlier segments were finished in peace; they are checked when they are read.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FlockOperation, flock};
use serde::Serialize;

use super::catalog::{Catalog, Segment, list, segment_path};
use super::medium::Medium;
use super::recent::{Recent, WINDOW};
use super::record;
use super::scan::{self, Scanner, Step};
use super::verify::Damage;
use super::writer::Writer;
use super::{JournalPolicy, catalog::View};
use crate::StoreError;

/// How far before the last segment ids are remembered, too. Who sends one again does so within seconds,
/// or from the spool at this very start; more would make every start slower.
const REMEMBERED_BYTES: u64 = 16 << 20;

/// Copies kept in `damaged/`; the oldest go first.
const MAX_COPIES: usize = 8;
/// A single copy is cut here: it is for a closer look, the segment itself stays.
const MAX_COPY_BYTES: u64 = 64 << 20;

/// What was found at open, for the log and for `doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Recovery {
    pub segments: u64,
    /// Readable entries in the last segment.
    pub entries: u64,
    pub head: u64,
    /// Bytes at the end that were never acknowledged, now cleared.
    pub torn_bytes: u64,
    /// Acknowledged bytes of the last segment that cannot be read. They stay where they are.
    pub damaged: Vec<Damage>,
    /// Copies made in `journal/damaged/`.
    pub copies: Vec<PathBuf>,
}

pub(super) struct Recovered {
    pub(super) catalog: Arc<Catalog>,
    pub(super) writer: Writer,
    pub(super) recent: Recent,
    pub(super) report: Recovery,
    pub(super) lock: File,
}

pub(super) fn recover(
    dir: &Path,
    policy: JournalPolicy,
    medium: Arc<dyn Medium>,
) -> Result<Recovered, StoreError> {
    let lock = prepare_folder(dir)?;
    let failed = |source| StoreError::io(dir, source);
    let mut segments = list(dir).map_err(failed)?;
    let mut report = Recovery { segments: segments.len() as u64, ..Recovery::default() };
    let mut recent = remember(dir, &segments).map_err(failed)?;
    let mut next_seq = 1;
    let mut room = None;
    if let Some(last) = segments.last_mut() {
        let end = repair(dir, last, &mut recent, &mut report)?;
        report.head = end.next_seq - 1;
        room = end.room;
        // The name of a segment that is left as it is is taken.
        next_seq = if room.is_some() { end.next_seq } else { end.next_seq.max(last.first + 1) };
        // The entry in the folder may be as young as the records.
        medium.sync_folder(dir).map_err(failed)?;
    }
    let last = segments.last().cloned().zip(room);
    let catalog = Arc::new(Catalog::attended(dir, segments, report.head));
    let mut writer = Writer::new(Arc::clone(&catalog), policy, medium, next_seq);
    if let Some((last, room)) = last {
        writer.resume(&last, room).map_err(|source| StoreError::io(&catalog.path(last.first), source))?;
    }
    Ok(Recovered { catalog, writer, recent, report, lock })
}

/// Makes the folder private and takes its lock.
fn prepare_folder(dir: &Path) -> Result<File, StoreError> {
    let failed = |source| StoreError::io(dir, source);
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(failed)?;
    let folder = File::open(dir).map_err(failed)?;
    let mode = folder.metadata().map_err(failed)?.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(dir, Permissions::from_mode(0o700)).map_err(failed)?;
    }
    match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(folder),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(StoreError::Busy(dir.to_owned())),
        Err(error) => Err(failed(error.into())),
    }
}

/// The ids of the segments before the last, oldest first. The last one's follow when it is read.
fn remember(dir: &Path, segments: &[Segment]) -> io::Result<Recent> {
    let mut recent = Recent::default();
    let mut found = Vec::new();
    let mut count = 0;
    let mut bytes = 0;
    for pair in segments.windows(2).rev() {
        let [segment, next] = pair else { break };
        let view = View { end: next.first, ..whole(segment) };
        let mut ids = Vec::new();
        scan::headers(&segment_path(dir, segment.first), &view, |header| ids.push((header.id, header.seq)))?;
        count += ids.len();
        bytes += segment.len;
        found.push(ids);
        if count >= WINDOW || bytes >= REMEMBERED_BYTES {
            break;
        }
    }
    for (id, seq) in found.into_iter().rev().flatten() {
        recent.insert(id, seq);
    }
    Ok(recent)
}

fn whole(segment: &Segment) -> View {
    View { first: segment.first, len: segment.len, last: 0, end: u64::MAX, hint: (segment.first, 0) }
}

struct End {
    next_seq: u64,
    /// How far its file reaches, if the segment is sound to its end and may be appended to.
    room: Option<u64>,
}

fn repair(
    dir: &Path,
    last: &mut Segment,
    recent: &mut Recent,
    report: &mut Recovery,
) -> Result<End, StoreError> {
    let path = segment_path(dir, last.first);
    let failed = |source| StoreError::io(&path, source);
    let view = whole(last);
    let mut scanner = Scanner::open(&path, &view).map_err(failed)?;
    let mut torn = Vec::new();
    let mut tail = None;
    loop {
        match scanner.step().map_err(failed)? {
            Step::Record { header, .. } => {
                report.entries += 1;
                last.first_at.get_or_insert(header.at);
                recent.insert(header.id, header.seq);
            }
            // Its id stays known: who sends it again must not bring it back.
            Step::Erased { header, .. } => {
                last.first_at.get_or_insert(header.at);
                recent.insert(header.id, header.seq);
            }
            Step::Hole { offset, bytes, promised: true, .. } => {
                report.damaged.push(Damage { path: path.clone(), offset, bytes });
            }
            Step::Hole { offset, bytes, seq, promised: false } => torn.push((offset, bytes, seq)),
            Step::Tail { offset, bytes } => tail = Some((offset, bytes)),
            Step::End => break,
        }
    }
    let next_seq = scanner.next_seq();
    last.last = next_seq - 1;
    let mut sound = report.damaged.is_empty();
    if !sound {
        report.copies.extend(copy_aside(dir, &path, 0, last.len));
    }
    for (offset, bytes, seq) in torn {
        report.torn_bytes += bytes;
        report.copies.extend(copy_aside(dir, &path, offset, bytes));
        let file = OpenOptions::new().write(true).open(&path).map_err(failed)?;
        let covered =
            file.write_all_at(&record::void(seq, bytes as usize), offset).and_then(|()| file.sync_data());
        sound &= covered.is_ok();
    }
    let mut room = last.len;
    if let Some((offset, bytes)) = tail {
        report.torn_bytes += bytes;
        let copy = if bytes == 0 { None } else { copy_aside(dir, &path, offset, bytes) };
        // It looks torn. Should it be an acknowledged record whose bits have rotted, the copy is all
        // there is: without one the tail stays, and a new segment follows it.
        if bytes == 0 || copy.is_some() {
            last.len = offset;
        } else {
            sound = false;
        }
        // Zeros alone are room for what comes next.
        if copy.is_some() || (bytes == 0 && !sound) {
            let file = OpenOptions::new().write(true).open(&path).map_err(failed)?;
            file.set_len(offset).and_then(|()| file.sync_all()).map_err(failed)?;
            room = offset;
        }
        report.copies.extend(copy);
    }
    Ok(End { next_seq, room: sound.then_some(room) })
}

/// Best effort: a full disk must not keep the journal from opening.
fn copy_aside(dir: &Path, segment: &Path, offset: u64, bytes: u64) -> Option<PathBuf> {
    let folder = dir.join("damaged");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
    let name = segment.file_stem()?.to_str()?;
    let copy = folder.join(format!("{name}-{offset}"));
    let copied = File::open(segment).and_then(|mut from| {
        from.seek(SeekFrom::Start(offset))?;
        let mut to = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&copy)?;
        io::copy(&mut from.take(bytes.min(MAX_COPY_BYTES)), &mut to)?;
        to.sync_all()
    });
    if copied.is_err() {
        let _ = fs::remove_file(&copy);
        return None;
    }
    drop_old_copies(&folder);
    Some(copy)
}

fn drop_old_copies(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut copies: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        })
        .collect();
    copies.sort();
    let surplus = copies.len().saturating_sub(MAX_COPIES);
    for (_, copy) in copies.into_iter().take(surplus) {
        let _ = fs::remove_file(copy);
    }
}
