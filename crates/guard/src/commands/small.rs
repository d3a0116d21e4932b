//! Small files that a stranger may have put there: read without waiting, and no further than they may be long.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The text of a file of at most so many bytes. A pipe, a device or a folder is an error and is not waited for: a guard that
/// waits has decided nothing when the client goes on without it.
pub(super) fn read_small(path: &Path, most: u64) -> io::Result<String> {
    // Looked at first: opening a pipe would wait for somebody who writes into it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(text)
}
