//! The next segment, written ahead as zeros and synced: an append there changes no length and takes
//! no block, so its sync has nothing to wait for but the record itself. It is made by a thread of its
//! own in a file of its own, so it holds no append up, and its failures are nobody else's: without
//! it, a segment grows as it is written.

use std::fs;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use super::medium::Medium;
use super::writer::write_all;

/// No segment's name, so nobody reads it; what a crash left of it goes at the next start.
const NAME: &str = "next.prepared";

/// Written and synced at a time: the disk is not kept busy for long, and a stop waits for one of these.
const STEP: usize = 256 << 10;

/// Nothing is prepared where less than this many times its size is free. The last bytes of a disk are
/// for records, and for others.
const FREE_TIMES: u64 = 8;

#[derive(Debug)]
pub(super) struct Spare {
    path: PathBuf,
    medium: Arc<dyn Medium>,
    stop: Arc<AtomicBool>,
    state: State,
}

#[derive(Debug)]
enum State {
    Absent,
    Filling(JoinHandle<io::Result<()>>, u64),
    Ready(u64),
}

impl Spare {
    pub(super) fn new(dir: &Path, medium: Arc<dyn Medium>) -> Self {
        let path = dir.join(NAME);
        let _ = fs::remove_file(&path);
        Self { path, medium, stop: Arc::default(), state: State::Absent }
    }

    /// Begins to make one of this size, unless there is one.
    pub(super) fn want(&mut self, bytes: u64) {
        // One that failed counts as none, also if nobody has asked since.
        if bytes == 0 || self.ready() > 0 || matches!(self.state, State::Filling(..)) {
            return;
        }
        let (path, medium, stop) = (self.path.clone(), Arc::clone(&self.medium), Arc::clone(&self.stop));
        let filling = move || {
            fill(medium.as_ref(), &path, bytes, &stop).inspect_err(|_| {
                let _ = fs::remove_file(&path);
            })
        };
        if let Ok(thread) = thread::Builder::new().name("journal-ahead".to_owned()).spawn(filling) {
            self.state = State::Filling(thread, bytes);
        }
    }

    /// The size of the one that can be taken; 0 when there is none. Does not wait.
    pub(super) fn ready(&mut self) -> u64 {
        if matches!(&self.state, State::Filling(thread, _) if thread.is_finished()) {
            self.wait();
        }
        if let State::Ready(bytes) = self.state { bytes } else { 0 }
    }

    /// Gives it this name and answers its size; 0 when there is none. The name is durable after the
    /// folder's next sync.
    pub(super) fn take(&mut self, name: &Path) -> u64 {
        let bytes = self.ready();
        if bytes == 0 {
            return 0;
        }
        self.state = State::Absent;
        let renamed = self.medium.rename(&self.path, name).inspect_err(|_| {
            let _ = fs::remove_file(&self.path);
        });
        renamed.map_or(0, |()| bytes)
    }

    fn wait(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Absent) {
            State::Filling(thread, bytes) => match thread.join() {
                Ok(Ok(())) => State::Ready(bytes),
                Ok(Err(_)) | Err(_) => State::Absent,
            },
            other => other,
        };
    }
}

impl Drop for Spare {
    /// Whoever opens the folder next must be alone in it.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wait();
        if let State::Ready(_) = self.state {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Zeros that are written, not merely allocated: the file system would have to note the first write to
/// every block that it has only set aside.
fn fill(medium: &dyn Medium, path: &Path, bytes: u64, stop: &AtomicBool) -> io::Result<()> {
    let free = rustix::fs::statvfs(path.parent().unwrap_or(path))?;
    if free.f_bavail.saturating_mul(free.f_frsize) / FREE_TIMES < bytes {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let zeros = vec![0; STEP];
    let mut file = medium.create(path)?;
    let mut left = usize::try_from(bytes).unwrap_or(usize::MAX);
    while left > 0 {
        if stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("no longer wanted"));
        }
        let step = left.min(STEP);
        write_all(file.as_mut(), &mut [IoSlice::new(&zeros[..step])])?;
        file.sync()?;
        left -= step;
    }
    Ok(())
}
