//! A file of lines as a person names it: a path, `-` for stdin, plain or compressed with gzip.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use crate::report::{Failure, hint};

const GZIP: &[u8] = &[0x1f, 0x8b];
/// Lines of a megabyte are read in few pieces.
const BUFFER: usize = 256 << 10;

pub(super) type Lines = Box<dyn BufRead + Send>;

pub(super) fn open(file: &str) -> anyhow::Result<Lines> {
    let source: Box<dyn Read + Send> = if file == "-" {
        Box::new(io::stdin())
    } else {
        let opened = File::open(file).map_err(|error| unreadable(file, &error))?;
        if opened.metadata()?.is_dir() {
            return Err(unreadable(file, &io::Error::from(io::ErrorKind::IsADirectory)));
        }
        Box::new(opened)
    };
    let mut plain = BufReader::with_capacity(BUFFER, source);
    let is_gzip = plain.fill_buf().map_err(|error| unreadable(file, &error))?.starts_with(GZIP);
    if is_gzip {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(plain))));
    }
    Ok(Box::new(plain))
}

pub(super) fn unreadable(file: &str, error: &io::Error) -> anyhow::Error {
    let what = format!("{file}: {error}");
    hint(Failure::Person, what, "name a file of JSON lines, plain or .gz; `-` is stdin")
}
