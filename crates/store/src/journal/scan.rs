//! Walks the records of one segment, checks each, and finds the way back after bytes that are not
//! one. It reports what it meets; what to do about it is decided by who asked.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memmem;
use model::Millis;

use super::catalog::View;
use super::record::{FORMAT_ERASED, FORMAT_VOID, HEADER, Header, MAGIC};

/// Small records come many at a time; large payloads are read past the buffer.
const BUFFER: usize = 128 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The payload is in `Scanner::payload`.
    Record {
        offset: u64,
        header: Header,
    },
    /// An entry that was taken back.
    Erased {
        offset: u64,
        header: Header,
    },
    /// No records here, but more behind it.
    Hole {
        offset: u64,
        bytes: u64,
        /// The first sequence number that is missing.
        seq: u64,
        /// A later record proves that the bytes were durable once, so somebody was promised them.
        promised: bool,
    },
    /// No record from here to the end.
    Tail {
        offset: u64,
        /// Without the zeros at the end; with nothing else, these are room that was written ahead.
        bytes: u64,
    },
    End,
}

#[derive(Debug)]
pub(super) struct Scanner {
    reader: BufReader<File>,
    offset: u64,
    limit: u64,
    /// The sequence numbers the next record may have.
    next: u64,
    end: u64,
    payload: Vec<u8>,
}

impl Scanner {
    /// From the beginning of the segment.
    pub(super) fn open(path: &Path, view: &View) -> io::Result<Self> {
        let reader = BufReader::with_capacity(BUFFER, File::open(path)?);
        let (next, end, limit) = (view.first, view.end, view.len);
        Ok(Self { reader, offset: 0, limit, next, end, payload: Vec::new() })
    }

    pub(super) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The sequence number after the last record.
    pub(super) fn next_seq(&self) -> u64 {
        self.next
    }

    /// The segment has grown.
    pub(super) fn extend(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Goes to the first record at or after `seq` without reading payloads. Where the headers do not
    /// follow each other as they should it stays at the beginning, and every record is checked.
    pub(super) fn skip_to(&mut self, seq: u64, hint: (u64, u64)) -> io::Result<()> {
        let (first, mut next) = (self.next, hint.0);
        self.offset = hint.1;
        self.reader.seek(SeekFrom::Start(self.offset))?;
        while next < seq && self.offset < self.limit {
            match self.read_header()? {
                Some(header) if header.seq == next || header.format == FORMAT_VOID => {
                    self.reader.seek_relative(i64::from(header.len))?;
                    self.offset += header.bytes();
                    next = header.seq + 1;
                }
                found => {
                    // Past the number asked for is as good as at it.
                    let past = found.is_some_and(|header| header.seq >= seq) && self.offset == hint.1;
                    self.offset = if past { self.offset } else { 0 };
                    self.reader.seek(SeekFrom::Start(self.offset))?;
                    self.next = if past { next } else { first };
                    return Ok(());
                }
            }
        }
        self.next = next;
        Ok(())
    }

    pub(super) fn step(&mut self) -> io::Result<Step> {
        while self.offset < self.limit {
            let offset = self.offset;
            let mut found = self.record()?;
            // Beside a writer, what was read ahead may be older than what is there now.
            if found.is_none() {
                found = self.record_again()?;
            }
            if found.is_none() {
                let step = self.look_beyond()?;
                // A record may have been finished after it was looked at and before the one that says
                // it was. Then it is whole by now.
                found = self.record_again()?;
                if found.is_none() {
                    self.offset = match step {
                        Step::Hole { bytes, .. } => offset + bytes,
                        _ => self.limit,
                    };
                    self.reader.seek(SeekFrom::Start(self.offset))?;
                    return Ok(step);
                }
            }
            if let Some(header) = found {
                self.offset = offset + header.bytes();
                self.next = header.seq + 1;
                match header.format {
                    FORMAT_VOID => {}
                    FORMAT_ERASED => return Ok(Step::Erased { offset, header }),
                    _ => return Ok(Step::Record { offset, header }),
                }
            }
        }
        Ok(Step::End)
    }

    /// The record here, if there is one.
    fn record(&mut self) -> io::Result<Option<Header>> {
        let Some(header) = self.read_header()? else { return Ok(None) };
        if header.bytes() > self.limit - self.offset || !self.plausible(&header) {
            return Ok(None);
        }
        self.payload.resize(header.len as usize, 0);
        match self.reader.read_exact(&mut self.payload) {
            Ok(()) => Ok(header.fits(&self.payload).then_some(header)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn record_again(&mut self) -> io::Result<Option<Header>> {
        self.reader.seek(SeekFrom::Start(self.offset))?;
        self.record()
    }

    fn plausible(&self, header: &Header) -> bool {
        (self.next..self.end).contains(&header.seq)
    }

    fn read_header(&mut self) -> io::Result<Option<Header>> {
        if self.limit - self.offset < HEADER as u64 {
            return Ok(None);
        }
        let mut bytes = [0; HEADER];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => Ok(Header::read(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Looks for the next record behind bytes that are none.
    fn look_beyond(&mut self) -> io::Result<Step> {
        let (offset, seq) = (self.offset, self.next);
        let rest = self.rest()?;
        let Some((at, header)) = self.find(&rest, 1) else {
            let bytes = rest.iter().rposition(|byte| *byte != 0).map_or(0, |last| last as u64 + 1);
            return Ok(Step::Tail { offset, bytes });
        };
        let mut promised = header.durable_below() > seq;
        let mut from = at + header.bytes() as usize;
        while !promised && let Some((at, header)) = self.find(&rest, from) {
            promised = header.durable_below() > seq;
            from = at + header.bytes() as usize;
        }
        Ok(Step::Hole { offset, bytes: at as u64, seq, promised })
    }

    /// The rest of the segment at once, or nothing where it is only zeros: that is how most of them
    /// end, while anything else is rare, and a segment is bounded.
    fn rest(&mut self) -> io::Result<Vec<u8>> {
        self.reader.seek(SeekFrom::Start(self.offset))?;
        let mut reader = (&mut self.reader).take(self.limit - self.offset);
        let (mut rest, mut zeros) = (Vec::new(), 0);
        loop {
            let bytes = reader.fill_buf()?;
            let count = bytes.len();
            if count == 0 {
                return Ok(rest);
            }
            if rest.is_empty() && bytes.iter().fold(0, |any, byte| any | byte) == 0 {
                zeros += count;
            } else {
                rest.resize(rest.len().max(zeros), 0);
                rest.extend_from_slice(bytes);
            }
            reader.consume(count);
        }
    }

    fn find(&self, bytes: &[u8], from: usize) -> Option<(usize, Header)> {
        let candidates = memmem::find_iter(bytes.get(from..)?, &MAGIC);
        candidates.map(|found| from + found).find_map(|at| {
            let header = Header::read(bytes.get(at..)?.first_chunk()?)?;
            let payload = bytes.get(at + HEADER..at + HEADER + header.len as usize)?;
            (self.plausible(&header) && header.fits(payload)).then_some((at, header))
        })
    }
}

/// Calls `each` with the headers of a segment, without reading or checking payloads. Stops at the
/// first that is none.
pub(super) fn headers(path: &Path, view: &View, mut each: impl FnMut(&Header)) -> io::Result<()> {
    let mut scanner = Scanner::open(path, view)?;
    while scanner.offset < scanner.limit
        && let Some(header) = scanner.read_header()?
        && scanner.plausible(&header)
    {
        if header.format != FORMAT_VOID {
            each(&header);
        }
        scanner.reader.seek_relative(i64::from(header.len))?;
        scanner.offset += header.bytes();
        scanner.next = header.seq + 1;
    }
    Ok(())
}

/// The time of the first entry that can be read.
pub(super) fn first_time(path: &Path, view: &View) -> io::Result<Option<Millis>> {
    let mut scanner = Scanner::open(path, view)?;
    loop {
        match scanner.step()? {
            Step::Record { header, .. } | Step::Erased { header, .. } => return Ok(Some(header.at)),
            Step::Hole { .. } => {}
            Step::Tail { .. } | Step::End => return Ok(None),
        }
    }
}
