//! One frame: what it holds, in a skippable frame of zstd, and the lines, in a frame of zstd. Both are checked
//! by sums of their own. Knows bytes and places, not files of sources.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use memchr::memmem;

/// The first bytes of every frame: a skippable frame's magic and the length of the rest of the header.
const OPENING: [u8; 8] = {
    let [a, b, c, d] = 0x184D_2A5E_u32.to_le_bytes();
    [a, b, c, d, (HEADER_BYTES - 8) as u8, 0, 0, 0]
};
const TAG: [u8; 4] = *b"TLA1";
pub(super) const HEADER_BYTES: usize = 80;
/// Lines of a frame take about this much before they are compressed: large enough to compress well, small
/// enough that reading a line costs a millisecond.
pub(super) const TARGET_RAW_BYTES: usize = 256 << 10;
/// A frame is closed before a line would take it beyond this; a single line never does.
pub(super) const MAX_RAW_BYTES: usize = 64 << 20;
/// Files of the archive are text ten times compressed. A larger one is not ours.
const MAX_PAYLOAD_BYTES: u32 = 1 << 30;
/// How the search for a sound frame behind a damaged one reads.
const SEARCH_BYTES: usize = 1 << 20;

/// Recognizes a source that grew: what it begins with, and what it ended with when we last read it. The hashes
/// are of unredacted bytes and are cut to 64 bits: they confirm a text one has and give away none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fingerprint {
    pub(super) head: [u8; 8],
    pub(super) tail: [u8; 8],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) first_line: u64,
    pub(super) lines: u32,
    pub(super) payload_bytes: u32,
    pub(super) raw_bytes: u32,
    pub(super) payload_sum: u32,
    /// The first line of this generation.
    pub(super) generation_line: u64,
    /// Where in the source the next line begins.
    pub(super) source_end: u64,
    pub(super) fingerprint: Fingerprint,
}

impl Header {
    pub(super) fn lines(&self) -> Range<u64> {
        self.first_line..self.first_line + u64::from(self.lines)
    }

    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(&OPENING);
        put(&TAG);
        put(&self.lines.to_le_bytes());
        put(&self.first_line.to_le_bytes());
        put(&self.payload_bytes.to_le_bytes());
        put(&self.raw_bytes.to_le_bytes());
        put(&self.payload_sum.to_le_bytes());
        put(&[0; 4]);
        put(&self.generation_line.to_le_bytes());
        put(&self.source_end.to_le_bytes());
        put(&self.fingerprint.head);
        put(&self.fingerprint.tail);
        let sum = crc32fast::hash(&bytes[..HEADER_BYTES - 4]);
        bytes[HEADER_BYTES - 4..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// `None`: not a header, or not as it was written.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEADER_BYTES] = bytes.get(..HEADER_BYTES)?.try_into().ok()?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let hash = |at: usize| long(at).to_le_bytes();
        let sound = bytes[..8] == OPENING
            && bytes[8..12] == TAG
            && word(HEADER_BYTES - 4) == crc32fast::hash(&bytes[..HEADER_BYTES - 4]);
        let header = Self {
            lines: word(12),
            first_line: long(16),
            payload_bytes: word(24),
            raw_bytes: word(28),
            payload_sum: word(32),
            generation_line: long(40),
            source_end: long(48),
            fingerprint: Fingerprint { head: hash(56), tail: hash(64) },
        };
        let in_range = header.payload_bytes <= MAX_PAYLOAD_BYTES
            && header.raw_bytes as usize <= MAX_RAW_BYTES
            && header.first_line.checked_add(u64::from(header.lines)).is_some();
        (sound && in_range).then_some(header)
    }
}

/// A frame and where its payload begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) header: Header,
    pub(super) payload_at: u64,
}

impl Placed {
    pub(super) fn end(&self) -> u64 {
        self.payload_at + u64::from(self.header.payload_bytes)
    }

    /// `None`: not as it was written.
    pub(super) fn text(&self, file: &File) -> io::Result<Option<Vec<u8>>> {
        let mut payload = vec![0; self.header.payload_bytes as usize];
        file.read_exact_at(&mut payload, self.payload_at)?;
        if crc32fast::hash(&payload) != self.header.payload_sum {
            return Ok(None);
        }
        let text = zstd::bulk::decompress(&payload, self.header.raw_bytes as usize).ok();
        Ok(text.filter(|text| text.len() == self.header.raw_bytes as usize))
    }
}

/// Every frame of a file that is whole, in order, and where the last of them ends. Damage in the middle is
/// stepped over: later frames say for themselves what they hold.
pub(super) fn scan(file: &File) -> io::Result<(Vec<Placed>, u64)> {
    let length = file.metadata()?.len();
    let mut frames = Vec::new();
    let mut sound = 0;
    let mut at = 0;
    let mut header = [0; HEADER_BYTES];
    while at + HEADER_BYTES as u64 <= length {
        file.read_exact_at(&mut header, at)?;
        let placed =
            Header::decode(&header).map(|header| Placed { header, payload_at: at + HEADER_BYTES as u64 });
        match placed.filter(|placed| placed.end() <= length) {
            Some(placed) => {
                at = placed.end();
                sound = at;
                frames.push(placed);
            }
            None => match search(file, at + 1, length)? {
                Some(next) => at = next,
                None => break,
            },
        }
    }
    // A power cut may have left the length of the last write without its bytes.
    while let Some(last) = frames.last() {
        if last.text(file)?.is_some() {
            break;
        }
        sound = last.payload_at - HEADER_BYTES as u64;
        frames.pop();
    }
    Ok((frames, sound))
}

/// Where the next header stands, from `at` on.
fn search(file: &File, mut at: u64, length: u64) -> io::Result<Option<u64>> {
    let mut window = Vec::new();
    while at + HEADER_BYTES as u64 <= length {
        window.resize(SEARCH_BYTES.min((length - at) as usize), 0);
        file.read_exact_at(&mut window, at)?;
        let found =
            memmem::find_iter(&window, &OPENING).find(|found| Header::decode(&window[*found..]).is_some());
        if let Some(found) = found {
            return Ok(Some(at + found as u64));
        }
        if at + window.len() as u64 == length {
            break;
        }
        at += (window.len() - HEADER_BYTES) as u64;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            first_line: 7,
            lines: 3,
            payload_bytes: 99,
            raw_bytes: 1234,
            payload_sum: 0xdead_beef,
            generation_line: 5,
            source_end: 1 << 40,
            fingerprint: Fingerprint { head: [1; 8], tail: [2; 8] },
        }
    }

    #[test]
    fn a_header_reads_back_and_any_changed_bit_is_noticed() {
        let bytes = header().encode();
        assert_eq!(Header::decode(&bytes), Some(header()));
        assert_eq!(header().lines(), 7..10);
        for bit in 0..HEADER_BYTES * 8 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Header::decode(&changed), None, "bit {bit}");
        }
        assert_eq!(Header::decode(&bytes[..HEADER_BYTES - 1]), None);
    }

    #[test]
    fn the_header_is_a_frame_that_every_zstd_steps_over() {
        let mut file = header().encode().to_vec();
        file.extend(zstd::bulk::compress(b"one\ntwo\n", 3).unwrap());
        file.extend(header().encode());
        file.extend(zstd::bulk::compress(b"three\n", 3).unwrap());
        assert_eq!(zstd::stream::decode_all(file.as_slice()).unwrap(), b"one\ntwo\nthree\n");
    }
}
