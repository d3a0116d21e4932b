//! The daemon's own log: one line an occurrence, rotated by size, never more than its cap on disk.
//! Holds ids, sizes and reasons; never an envelope's text.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The current file and one before it.
const GENERATIONS: u64 = 2;
/// An error text is a sentence; a longer one is cut.
const MAX_LINE: usize = 2000;

#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    cap: u64,
    open: Mutex<Option<(File, u64)>>,
}

impl Log {
    pub(crate) const FILE: &'static str = "daemon.log";

    /// A log that cannot be opened is silent: a full disk must not stop the daemon.
    pub(crate) fn open(folder: &Path, keep_bytes: u64) -> Self {
        let path = folder.join(Self::FILE);
        let open = append(&path).ok();
        Self { path, cap: keep_bytes / GENERATIONS, open: Mutex::new(open) }
    }

    pub(crate) fn info(&self, what: impl Display) {
        self.line("INFO", &what);
    }

    pub(crate) fn warn(&self, what: impl Display) {
        self.line("WARN", &what);
    }

    fn line(&self, level: &str, what: &dyn Display) {
        let mut text = what.to_string().replace('\n', " ");
        if let Some((end, _)) = text.char_indices().nth(MAX_LINE) {
            text.truncate(end);
        }
        let line = format!("{:.3} {level} {text}\n", jiff::Timestamp::now());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_none_or(|(_, written)| written + line.len() as u64 > self.cap) {
            let _ = fs::rename(&self.path, self.path.with_extension("log.1"));
            *open = append(&self.path).ok();
        }
        if let Some((file, written)) = open.as_mut()
            && file.write_all(line.as_bytes()).is_ok()
        {
            *written += line.len() as u64;
        }
    }
}

fn append(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let written = file.metadata()?.len();
    Ok((file, written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_never_outgrows_its_cap() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::open(folder.path(), 64 << 10);
        for at in 0..2000 {
            log.info(format_args!("{at} {}", "x".repeat(100)));
        }
        let sizes: u64 =
            fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(sizes <= 64 << 10, "{sizes}");
        assert!(fs::read_to_string(folder.path().join(Log::FILE)).unwrap().contains("1999 "));
    }
}
