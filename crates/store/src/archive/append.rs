//! Takes in what a source has grown by. A frame is written with one call and synced before the next and at the
//! end: a crash takes at most the last one, which is read from the source again.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::frame::{self, Fingerprint, HEADER_BYTES, Header, MAX_RAW_BYTES, TARGET_RAW_BYTES};
use super::source::{self, RawLines, Seen};
use super::{Appended, MAX_GENERATIONS, MAX_LINE_BYTES, make_folder, retain};
use crate::StoreError;

/// zstd's own default: nine tenths of what the highest level saves, at fifty times its speed.
const LEVEL: i32 = 3;

/// How far a transcript has been taken in.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    /// 0: nothing is here yet.
    generation: u32,
    /// The first line of this generation.
    generation_line: u64,
    next_line: u64,
    source_end: u64,
    fingerprint: Fingerprint,
    /// How long the file is, without a torn frame.
    file_end: u64,
    /// The source when it was last read to its end.
    seen: Option<Seen>,
}

impl Tail {
    /// From the frames of the newest generation.
    pub(super) fn load(stem: &Path) -> Result<Self, StoreError> {
        let Some((generation, path)) = generations(stem)?.pop() else { return Ok(Self::default()) };
        let failed = |source| StoreError::io(&path, source);
        let (frames, file_end) = File::open(&path).and_then(|file| frame::scan(&file)).map_err(failed)?;
        let Some(last) = frames.last() else {
            // Its first frame was torn: written anew, behind the lines of the generation before it.
            fs::remove_file(&path).map_err(failed)?;
            return Self::load(stem);
        };
        Ok(Self {
            generation,
            generation_line: last.header.generation_line,
            next_line: last.header.lines().end,
            source_end: last.header.source_end,
            fingerprint: last.header.fingerprint,
            file_end,
            seen: None,
        })
    }

    /// Whether the file that is there now is the one that was read.
    fn fits(&self, file: &File, seen: Seen) -> bool {
        seen.bytes >= self.source_end
            && source::fingerprint(file, self.source_end).is_ok_and(|found| found == self.fingerprint)
    }

    fn nothing_new(&self) -> Appended {
        Appended {
            new_lines: self.next_line..self.next_line,
            generation: self.generation,
            first_line: self.generation_line,
            bytes_read: 0,
            bytes_written: 0,
            left_out: 0,
        }
    }
}

/// What was done, how far the transcript is now, and the bytes of generations that had to go.
pub(super) fn append(
    stem: &Path,
    mut tail: Tail,
    path: &Path,
    redact: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Result<(Appended, Tail, u64), StoreError> {
    let failed = |source| StoreError::io(path, source);
    let seen = Seen::of(&fs::symlink_metadata(path).map_err(failed)?);
    if tail.seen == Some(seen) {
        return Ok((tail.nothing_new(), tail, 0));
    }
    let file = source::open(path)?;
    let seen = Seen::of(&file.metadata().map_err(failed)?);
    if tail.generation == 0 || !tail.fits(&file, seen) {
        tail = Tail {
            generation: tail.generation + 1,
            generation_line: tail.next_line,
            next_line: tail.next_line,
            ..Tail::default()
        };
    }
    let before = tail.clone();
    let (source_end, next_line) = (tail.source_end, tail.next_line);
    let lines = RawLines::from(file, source_end, next_line).map_err(failed)?;
    let mut writer = Writer { stem, path: generation_path(stem, tail.generation), file: None, tail };
    let (bytes_read, left_out) = match writer.take(lines, path, redact) {
        Ok(done) => done,
        Err(error) => {
            // The frames before the failure are sound, and the next call goes on behind them.
            writer.cut();
            return Err(error);
        }
    };
    let Writer { mut tail, .. } = writer;
    let grown = tail.next_line > before.next_line;
    let mut dropped = 0;
    if grown && before.file_end == 0 {
        dropped = retain::drop_generations(stem, MAX_GENERATIONS)?;
    }
    let appended = Appended {
        new_lines: before.next_line..tail.next_line,
        generation: tail.generation,
        first_line: tail.generation_line,
        bytes_read,
        bytes_written: tail.file_end - before.file_end,
        left_out,
    };
    if !grown && before.file_end == 0 {
        // Replaced by nothing so far: the files still end with the generation before.
        return Ok((appended, Tail::load(stem)?, dropped));
    }
    tail.seen = Some(seen);
    Ok((appended, tail, dropped))
}

struct Writer<'a> {
    stem: &'a Path,
    path: PathBuf,
    file: Option<File>,
    tail: Tail,
}

impl Writer<'_> {
    /// Answers the bytes of the source that were read and how many lines were left out.
    fn take(
        &mut self,
        mut lines: RawLines,
        source: &Path,
        redact: &dyn Fn(&[u8]) -> Vec<u8>,
    ) -> Result<(u64, u64), StoreError> {
        let failed = |error| StoreError::io(source, error);
        let mut text = Vec::new();
        let mut count = 0_u32;
        let mut left_out = 0;
        let (begin, mut taken) = (self.tail.source_end, self.tail.source_end);
        while let Some(line) = lines.next().map_err(failed)? {
            // It is taken in when it is whole.
            if !line.whole {
                break;
            }
            let (length, end) = (line.length, line.end);
            let mut kept = Vec::new();
            if length <= MAX_LINE_BYTES as u64 {
                kept = redact(line.bytes);
            }
            if length > MAX_LINE_BYTES as u64 || kept.len() > MAX_RAW_BYTES / 2 {
                kept = format!(r#"{{"type":"throughline-left-out","bytes":{length}}}"#).into_bytes();
                left_out += 1;
            }
            // A line stays one line, whatever the redactor makes of it.
            while let Some(line_break) = memchr::memchr(b'\n', &kept) {
                kept[line_break] = b' ';
            }
            text.extend_from_slice(&kept);
            text.push(b'\n');
            count += 1;
            taken = end;
            if text.len() >= TARGET_RAW_BYTES {
                self.write(&text, count, taken, lines.file(), source)?;
                text.clear();
                count = 0;
            }
        }
        if count > 0 {
            self.write(&text, count, taken, lines.file(), source)?;
        }
        if let Some(file) = &self.file {
            file.sync_data().map_err(|error| StoreError::io(&self.path, error))?;
        }
        Ok((taken - begin, left_out))
    }

    fn write(
        &mut self,
        text: &[u8],
        lines: u32,
        source_end: u64,
        from: &File,
        source: &Path,
    ) -> Result<(), StoreError> {
        let fingerprint =
            source::fingerprint(from, source_end).map_err(|error| StoreError::io(source, error))?;
        let failed = |error| StoreError::io(&self.path, error);
        let payload = zstd::bulk::compress(text, LEVEL).map_err(failed)?;
        let header = Header {
            first_line: self.tail.next_line,
            lines,
            payload_bytes: payload.len() as u32,
            raw_bytes: text.len() as u32,
            payload_sum: crc32fast::hash(&payload),
            generation_line: self.tail.generation_line,
            source_end,
            fingerprint,
        };
        let mut frame = Vec::with_capacity(HEADER_BYTES + payload.len());
        frame.extend(header.encode());
        frame.extend(payload);
        let mut file = match self.file.take() {
            // At most the last frame may be torn: the one before it must be down first.
            Some(file) => file.sync_data().map(|()| file).map_err(failed)?,
            None => self.open()?,
        };
        file.write_all(&frame).map_err(failed)?;
        self.file = Some(file);
        self.tail.next_line = header.lines().end;
        self.tail.source_end = source_end;
        self.tail.fingerprint = fingerprint;
        self.tail.file_end += frame.len() as u64;
        Ok(())
    }

    /// For appending, with a torn frame cut off first.
    fn open(&self) -> Result<File, StoreError> {
        let failed = |error| StoreError::io(&self.path, error);
        let folder = self.stem.parent().expect("a transcript is in its session's folder");
        make_folder(folder)?;
        let file =
            OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path).map_err(failed)?;
        file.set_len(self.tail.file_end).map_err(failed)?;
        if self.tail.file_end == 0 {
            // The names must survive a power cut, like what they name.
            for folder in [Some(folder), folder.parent()].into_iter().flatten() {
                File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
            }
        }
        Ok(file)
    }

    /// Best effort: a torn frame is cut before the next one, too.
    fn cut(&self) {
        if let Ok(file) = OpenOptions::new().write(true).open(&self.path) {
            let _ = file.set_len(self.tail.file_end);
        }
    }
}

/// The generations of a transcript, oldest first.
pub(super) fn generations(stem: &Path) -> Result<Vec<(u32, PathBuf)>, StoreError> {
    let (Some(folder), Some(name)) = (stem.parent(), stem.file_name().and_then(|name| name.to_str())) else {
        return Ok(Vec::new());
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io(folder, error)),
    };
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let rest = path.file_name()?.to_str()?.strip_prefix(name)?.strip_prefix('-')?;
            Some((rest.strip_suffix(".zst")?.parse().ok()?, path))
        })
        .collect();
    found.sort();
    Ok(found)
}

fn generation_path(stem: &Path, generation: u32) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(format!("-{generation:08}.zst"));
    PathBuf::from(name)
}
