//! Lines of a file that may hold anything: each is bounded before it is kept in memory.

use std::io::{self, BufRead};

/// A megabyte of text, every character of it escaped, and the fields beside it.
pub(crate) const MAX_LINE_BYTES: usize = 8 << 20;

pub(crate) enum Line {
    Bytes(Vec<u8>),
    /// Longer than [`MAX_LINE_BYTES`]; it was passed over.
    TooLong {
        bytes: u64,
    },
}

/// `None` at the end.
pub(crate) fn next(reader: &mut dyn BufRead) -> io::Result<Option<Line>> {
    let (mut line, mut bytes) = (Vec::new(), 0_u64);
    loop {
        let part = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            part => part?,
        };
        if part.is_empty() {
            break;
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(part.len());
        if bytes <= MAX_LINE_BYTES as u64 {
            line.extend_from_slice(&part[..taken]);
        }
        bytes += taken as u64;
        let used = taken + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(finish(line, bytes)));
        }
    }
    Ok((bytes > 0).then(|| finish(line, bytes)))
}

fn finish(line: Vec<u8>, bytes: u64) -> Line {
    if bytes > MAX_LINE_BYTES as u64 { Line::TooLong { bytes } } else { Line::Bytes(line) }
}
