//! Lines back out of the archive. Needs no lock: a frame that is still being written is not there yet, and a
//! file that is dropped meanwhile is read to its end.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::append::generations;
use super::frame::{self, Placed};
use super::{ArchivedLine, Key, MAX_READ_BYTES};
use crate::StoreError;

/// The lines that are here of those asked for, in order. Lines whose generation was dropped or whose frame is
/// damaged are missing. No more than [`MAX_READ_BYTES`]: ask again from the last number on.
pub fn read(archive: &Path, key: &Key, lines: Range<u64>) -> Result<Vec<ArchivedLine>, StoreError> {
    let mut found = Vec::new();
    let mut bytes = 0;
    each_frame(archive, key, |file, frame| {
        let held = frame.header.lines();
        if held.end <= lines.start || held.start >= lines.end {
            return Ok(true);
        }
        let Some(text) = frame.text(file)? else { return Ok(true) };
        let text = String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        for (number, line) in
            held.zip(text.split_terminator('\n')).filter(|(number, _)| lines.contains(number))
        {
            bytes += line.len();
            found.push(ArchivedLine { number, text: line.to_owned() });
        }
        Ok(bytes < MAX_READ_BYTES)
    })?;
    Ok(found)
}

/// The lines that are here, from the first to behind the last. Empty: none.
pub fn span(archive: &Path, key: &Key) -> Result<Range<u64>, StoreError> {
    let mut span: Option<Range<u64>> = None;
    each_frame(archive, key, |_, frame| {
        let held = frame.header.lines();
        span = Some(span.take().map_or(held.clone(), |span| span.start..held.end));
        Ok(true)
    })?;
    Ok(span.unwrap_or(0..0))
}

/// Oldest first, until `look` has seen enough.
fn each_frame(
    archive: &Path,
    key: &Key,
    mut look: impl FnMut(&File, &Placed) -> io::Result<bool>,
) -> Result<(), StoreError> {
    for (_, path) in generations(&key.stem(archive))? {
        let failed = |source| StoreError::io(&path, source);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(error)),
        };
        let (frames, _) = frame::scan(&file).map_err(failed)?;
        for frame in &frames {
            if !look(&file, frame).map_err(failed)? {
                return Ok(());
            }
        }
    }
    Ok(())
}
