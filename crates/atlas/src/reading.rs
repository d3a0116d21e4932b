//! From a file on disk to its facts, or to the reason why it is left out.

mod secrets;
mod written;

pub(crate) use written::GENERATED;

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use code::{Facts, Language};

use crate::key::Key;
use crate::stamp::{self, Kind, Stamp};
use crate::tree::{Due, Seen, State};
use crate::walk::{UNREADABLE, Use};

/// Tables of data as large as this have no outline anybody reads.
const MAX_DATA: u64 = 512 << 10;

/// Why files are left out when they are read. A kept reason that is none of these is not believed.
const TOO_LARGE: &str = "too large";
const NOT_TEXT: &str = "not a text";
const NO_LANGUAGE: &str = "not a language of the map";
const TOO_LONG: &str = "takes too long to parse";
const UNPARSED: &str = "cannot be parsed";
const REASONS: &[&str] = &[
    TOO_LARGE,
    NOT_TEXT,
    NO_LANGUAGE,
    TOO_LONG,
    UNPARSED,
    UNREADABLE,
    written::GENERATED,
    written::MINIFIED,
];

/// A reason that was kept.
pub(crate) fn reason(kept: &str) -> Option<&'static str> {
    REASONS.iter().copied().find(|reason| *reason == kept)
}

/// A file that was looked at.
#[derive(Debug)]
pub(crate) struct Looked {
    /// `None`: it is not there.
    pub(crate) seen: Option<Seen>,
    pub(crate) text: Option<Text>,
}

/// What facts are made of.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) language: &'static Language,
    pub(crate) key: Key,
    pub(crate) content: String,
}

/// Opens, stamps, reads and hashes. The text is given where it is not the one that was known.
pub(crate) fn look(root: &Path, due: &Due) -> Looked {
    let path = root.join(&*due.path);
    let Ok((file, stamp)) = open(&path) else {
        // It is gone, or not for us to read.
        let seen = path.to_str().and_then(|path| stamp::look(rustix::fs::CWD, path).ok()).and_then(
            |(stamp, kind)| {
                let state = State::Left(UNREADABLE);
                matches!(kind, Kind::File { .. }).then_some(Seen { stamp, sure: true, state })
            },
        );
        return Looked { seen, text: None };
    };
    let sure = stamp.is_sure(stamp::now_ns());
    let left = |reason| Looked { seen: Some(Seen { stamp, sure, state: State::Left(reason) }), text: None };
    let limit = match due.purpose {
        Use::Source(language) if language.is_outline_only() && language.name != "markdown" => MAX_DATA,
        _ => code::MAX_TEXT as u64,
    };
    if stamp.size > limit {
        return left(TOO_LARGE);
    }
    let Ok(bytes) = read_up_to(file, limit) else { return left(UNREADABLE) };
    if written::is_binary(&bytes) {
        return left(NOT_TEXT);
    }
    let language = match due.purpose {
        Use::Source(language) => Some(language),
        Use::Script => code::languages::of_first_line(&first_line(&bytes)),
        Use::Manifest => None,
    };
    let Some(language) = language else { return left(NO_LANGUAGE) };
    let key = Key::of(language, &bytes);
    let seen = Some(Seen { stamp, sure, state: State::Mapped(key) });
    if due.known == Some(State::Mapped(key)) {
        return Looked { seen, text: None };
    }
    let content = as_text(bytes);
    if let Some(reason) = written::by_a_program(language, &content) {
        return left(reason);
    }
    Looked { seen, text: Some(Text { language, key, content }) }
}

/// The facts of a text. A grammar or a query that fails on it costs this file alone.
pub(crate) fn facts(language: &'static Language, text: &str) -> Result<Facts, &'static str> {
    match panic::catch_unwind(AssertUnwindSafe(|| code::facts(language, text))) {
        Ok(Some(mut facts)) => {
            secrets::mask(&mut facts);
            Ok(facts)
        }
        Ok(None) => Err(TOO_LONG),
        Err(_) => Err(UNPARSED),
    }
}

/// A text as it is on disk now.
pub(crate) fn text(path: &Path) -> Option<String> {
    let (file, _) = open(path).ok()?;
    read_up_to(file, code::MAX_TEXT as u64).ok().map(as_text)
}

fn open(path: &Path) -> io::Result<(File, Stamp)> {
    // A pipe would wait for its writer, and a link may lead anywhere.
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let file = OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path)?;
    let stat = rustix::fs::fstat(&file)?;
    match Kind::of(&stat) {
        Kind::File { .. } => Ok((file, Stamp::of(&stat))),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

fn read_up_to(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One more than it may have: a file that grew meanwhile is too large now.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Whatever its encoding: what is no UTF-8 is replaced.
fn as_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn first_line(bytes: &[u8]) -> String {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(&line[..line.len().min(256)]).into_owned()
}
