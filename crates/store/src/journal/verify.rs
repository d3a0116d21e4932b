//! Reads every record and tells what is wrong. Repairs nothing.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::catalog::Catalog;
use super::read::read_only;
use super::scan::{Scanner, Step};
use crate::StoreError;

/// More are counted but not listed.
const MAX_LISTED: usize = 1000;

/// Bytes that were acknowledged and cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    pub path: PathBuf,
    pub offset: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct VerifyReport {
    pub segments: u64,
    pub entries: u64,
    pub bytes: u64,
    /// 0 when there is none.
    pub first_seq: u64,
    pub last_seq: u64,
    /// Written and never acknowledged: what a crash leaves. The next start clears it.
    pub torn_bytes: u64,
    pub damaged_bytes: u64,
    pub damaged: Vec<Damage>,
}

/// Without a lock: a running daemon may be writing the last segment meanwhile.
pub fn verify(dir: &Path) -> Result<VerifyReport, StoreError> {
    read_only(dir)?.verify()
}

pub(super) fn verify_catalog(catalog: &Catalog) -> Result<VerifyReport, StoreError> {
    let mut report = VerifyReport::default();
    for segment in catalog.snapshot() {
        let Some(view) = catalog.named(segment.first) else { continue };
        let path = catalog.path(view.first);
        let failed = |source| StoreError::io(&path, source);
        let mut scanner = match Scanner::open(&path, &view) {
            // Retention was faster.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            other => other.map_err(failed)?,
        };
        let torn = catalog.may_be_torn(&view);
        report.segments += 1;
        report.bytes += view.len;
        loop {
            let damage = match scanner.step().map_err(failed)? {
                Step::End => break,
                Step::Record { header, .. } => {
                    report.entries += 1;
                    report.last_seq = header.seq;
                    if report.first_seq == 0 {
                        report.first_seq = header.seq;
                    }
                    continue;
                }
                Step::Erased { header, .. } => {
                    report.last_seq = header.seq;
                    continue;
                }
                Step::Hole { offset, bytes, promised, .. } if promised || !torn => (offset, bytes),
                Step::Tail { offset, bytes: 0 } => {
                    report.bytes -= view.len - offset;
                    continue;
                }
                Step::Tail { offset, bytes } if !torn && scanner.next_seq() < view.end => (offset, bytes),
                Step::Hole { bytes, .. } | Step::Tail { bytes, .. } => {
                    report.torn_bytes += bytes;
                    continue;
                }
            };
            report.damaged_bytes += damage.1;
            if report.damaged.len() < MAX_LISTED {
                report.damaged.push(Damage { path: path.clone(), offset: damage.0, bytes: damage.1 });
            }
        }
    }
    Ok(report)
}
