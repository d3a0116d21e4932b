//! Reading entries back, beside the writer or without one.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::catalog::{Catalog, View, list};
use super::record::{self, FORMAT_ENTRY, FORMAT_ERASED, FORMAT_VOID, HEADER, Header};
use super::scan::{Scanner, Step};
use super::{Location, Stored, VerifyReport, verify};
use crate::StoreError;

/// The entries from a sequence number on. Ends where the journal ends; asked again later it goes on.
#[derive(Debug)]
pub struct Entries {
    catalog: Arc<Catalog>,
    from: u64,
    open: Option<(View, Scanner)>,
}

impl Entries {
    pub(super) fn new(catalog: Arc<Catalog>, from: u64) -> Self {
        Self { catalog, from, open: None }
    }

    /// The sequence number it looks for next. Where it ended, everything below has been seen or lost.
    pub fn position(&self) -> u64 {
        self.from
    }

    fn advance(&mut self) -> Result<Option<Stored>, StoreError> {
        loop {
            let Some((view, mut scanner)) = self.open.take() else {
                let Some(view) = self.catalog.containing(self.from) else { return Ok(None) };
                self.enter(view)?;
                continue;
            };
            let path = self.catalog.path(view.first);
            let step = scanner.step().map_err(|source| StoreError::io(&path, source))?;
            match step {
                Step::Record { offset, header } => {
                    let found = (header.seq >= self.from)
                        .then(|| stored(&path, view.first, offset, &header, scanner.payload()));
                    self.open = Some((view, scanner));
                    if let Some(found) = found {
                        self.from = header.seq + 1;
                        return found.map(Some);
                    }
                }
                Step::Erased { .. } => self.open = Some((view, scanner)),
                Step::Hole { offset, bytes, promised, .. } => {
                    self.open = Some((view, scanner));
                    if promised || !self.catalog.may_be_torn(&view) {
                        return Err(StoreError::Unreadable { path, offset, bytes });
                    }
                }
                Step::Tail { offset, bytes } => {
                    let torn = self.catalog.may_be_torn(&view);
                    let missing = scanner.next_seq() < view.end && bytes > 0;
                    // What is lost here does not come back: nobody should wait for it.
                    self.from = self.from.max(scanner.next_seq()).max(view.last + 1);
                    self.open = Some((view, scanner));
                    if missing && !torn {
                        return Err(StoreError::Unreadable { path, offset, bytes });
                    }
                }
                Step::End => {
                    self.from = self.from.max(scanner.next_seq());
                    // In this order: a segment that has a successor does not grow any more.
                    let next = self.catalog.after(view.first);
                    let now = self.catalog.named(view.first).filter(|now| now.len > view.len);
                    match (now, next) {
                        (Some(now), _) => {
                            scanner.extend(now.len);
                            self.open = Some((now, scanner));
                        }
                        (None, Some(next)) => self.enter(next)?,
                        (None, None) => {
                            self.open = Some((view, scanner));
                            return Ok(None);
                        }
                    }
                }
            }
        }
    }

    fn enter(&mut self, view: View) -> Result<(), StoreError> {
        let mut view = view;
        loop {
            let path = self.catalog.path(view.first);
            let opened = Scanner::open(&path, &view).and_then(|mut scanner| {
                scanner.skip_to(self.from, view.hint)?;
                Ok(scanner)
            });
            match opened {
                Ok(scanner) => {
                    self.open = Some((view, scanner));
                    return Ok(());
                }
                // Retention took it between the question and the opening.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match self.catalog.after(view.first) {
                        Some(next) => view = next,
                        None => return Err(StoreError::io(&path, error)),
                    }
                }
                Err(source) => return Err(StoreError::io(&path, source)),
            }
        }
    }
}

impl Iterator for Entries {
    type Item = Result<Stored, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

/// A journal without its writer: for commands that run while the daemon does, or while none does.
/// Takes no lock and repairs nothing; sees what was there when it was opened.
#[derive(Debug)]
pub struct Reader {
    catalog: Arc<Catalog>,
}

pub fn read_only(dir: &Path) -> Result<Reader, StoreError> {
    let segments = match list(dir) {
        Ok(segments) => segments,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(StoreError::io(dir, source)),
    };
    Ok(Reader { catalog: Arc::new(Catalog::unattended(dir, segments)) })
}

impl Reader {
    pub fn read_from(&self, seq: u64) -> Entries {
        Entries::new(Arc::clone(&self.catalog), seq)
    }

    pub fn read_at(&self, location: Location) -> Result<Stored, StoreError> {
        read_at(&self.catalog, location)
    }

    /// The first sequence number that may still be here.
    pub fn tail(&self) -> u64 {
        self.catalog.first()
    }

    pub fn bytes(&self) -> u64 {
        self.catalog.bytes()
    }

    pub fn verify(&self) -> Result<VerifyReport, StoreError> {
        verify::verify_catalog(&self.catalog)
    }
}

pub(super) fn read_at(catalog: &Catalog, location: Location) -> Result<Stored, StoreError> {
    let Location { segment, offset } = location;
    let path = catalog.path(segment);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(StoreError::Gone { segment, offset });
        }
        Err(source) => return Err(StoreError::io(&path, source)),
    };
    let unreadable = |bytes| StoreError::Unreadable { path: path.clone(), offset, bytes };
    let mut bytes = [0; HEADER];
    let mut payload = Vec::new();
    let header = file
        .read_exact_at(&mut bytes, offset)
        .map(|()| Header::read(&bytes))
        .map_err(|_| unreadable(HEADER as u64))?
        .ok_or_else(|| unreadable(HEADER as u64))?;
    // A length from a damaged header must not cost memory.
    let size = file.metadata().map_err(|source| StoreError::io(&path, source))?.len();
    if offset + header.bytes() > size {
        return Err(unreadable(header.bytes()));
    }
    payload.resize(header.len as usize, 0);
    file.read_exact_at(&mut payload, offset + HEADER as u64).map_err(|_| unreadable(header.bytes()))?;
    if !header.fits(&payload) {
        return Err(unreadable(header.bytes()));
    }
    stored(&path, segment, offset, &header, &payload)
}

fn stored(
    path: &Path,
    segment: u64,
    offset: u64,
    header: &Header,
    payload: &[u8],
) -> Result<Stored, StoreError> {
    if let Some(entry) = record::decode(header, payload) {
        return Ok(Stored { seq: header.seq, location: Location { segment, offset }, entry });
    }
    if header.format == FORMAT_ERASED {
        return Err(StoreError::Gone { segment, offset });
    }
    if matches!(header.format, FORMAT_ENTRY | FORMAT_VOID) {
        return Err(StoreError::Unreadable { path: path.to_owned(), offset, bytes: header.bytes() });
    }
    let (found, known) = (u32::from(header.format), u32::from(FORMAT_ENTRY));
    Err(StoreError::TooNew { path: path.to_owned(), found, known })
}
