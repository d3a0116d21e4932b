//! The files a journal writes to, as few calls as it needs. The second implementation is in the
//! tests: it fails, tears and forgets as disks do.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub trait Medium: Send + Sync + Debug {
    /// A new, empty, private file that must not exist yet.
    fn create(&self, path: &Path) -> io::Result<Box<dyn SegmentFile>>;
    /// An existing file, to be continued at `offset`.
    fn resume(&self, path: &Path, offset: u64) -> io::Result<Box<dyn SegmentFile>>;
    /// Gives a file another name in its folder.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes new names in the folder durable.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

pub trait SegmentFile: Send + Debug {
    /// Writes some of the parts behind the ones before and answers how many bytes it took, as `write(2)` does.
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize>;
    fn sync(&mut self) -> io::Result<()>;
    /// Forgets everything from `len` on.
    fn cut(&mut self, len: u64) -> io::Result<()>;
}

/// The real one.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl Medium for Disk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn SegmentFile>> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        Ok(Box::new(file))
    }

    fn resume(&self, path: &Path, offset: u64) -> io::Result<Box<dyn SegmentFile>> {
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(Box::new(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }
}

impl SegmentFile for File {
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.write_vectored(parts)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)?;
        self.seek(SeekFrom::Start(len)).map(|_| ())
    }
}
