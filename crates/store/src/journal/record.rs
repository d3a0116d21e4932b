//! One entry as bytes. The header's layout never changes; `format` says how to read the payload.
//! All numbers are little-endian.
//!
//! ```text
//! 0..4    magic                      4..8    length of the payload
//! 8..12   CRC-32 of the payload (not of one that was erased), then of the header without magic and this field
//! 12..14  distance to the durable    14..16  format
//! 16..24  sequence number            24..40  event id              40..48  time, Unix ms
//! 48..    payload: agent, session, event (length, bytes each), tool (length + 1, or 0 for none),
//!         number of context pairs, the pairs (length, bytes each), and the envelope to the end.
//!         Lengths are LEB128.
//! ```
//!
//! The magic holds bytes that cannot occur in UTF-8. Everything in a payload is text (an envelope is
//! JSON), so looking for the next record after damage never finds one that a stranger planted.

use crc32fast::Hasher;
use model::{Context, Entry, EventId, Millis, SessionId};

use crate::StoreError;

pub(super) const MAGIC: [u8; 4] = [0xff, b'T', b'L', 0xfe];
pub(super) const HEADER: usize = 48;

/// The largest envelope a client may send, twice: masks may be longer than what they cover.
pub const MAX_PAYLOAD: usize = 128 << 20;

/// Entries as this release writes them.
pub(super) const FORMAT_ENTRY: u16 = 1;
/// Covers bytes of a torn batch that nobody was promised. Readers step over it.
pub(super) const FORMAT_VOID: u16 = 0xffff;
/// An entry that was taken back: number, id and time stay, the payload means nothing and is not summed. So the
/// header alone makes it unreadable, and the payload may be overwritten piece by piece afterwards.
pub(super) const FORMAT_ERASED: u16 = 0xfffe;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) len: u32,
    pub(super) sum: u32,
    /// How many records before this one were not yet durable when it was written.
    pub(super) behind: u16,
    pub(super) format: u16,
    pub(super) seq: u64,
    pub(super) id: EventId,
    pub(super) at: Millis,
}

impl Header {
    /// `None` when these bytes cannot begin a record.
    pub(super) fn read(bytes: &[u8; HEADER]) -> Option<Self> {
        if bytes[..4] != MAGIC {
            return None;
        }
        let header = Self {
            len: u32::from_le_bytes(field(bytes, 4)),
            sum: u32::from_le_bytes(field(bytes, 8)),
            behind: u16::from_le_bytes(field(bytes, 12)),
            format: u16::from_le_bytes(field(bytes, 14)),
            seq: u64::from_le_bytes(field(bytes, 16)),
            id: EventId::from_bytes(field(bytes, 24)),
            at: u64::from_le_bytes(field(bytes, 40)),
        };
        (header.len as usize <= MAX_PAYLOAD).then_some(header)
    }

    pub(super) fn bytes(&self) -> u64 {
        HEADER as u64 + u64::from(self.len)
    }

    pub(super) fn fits(&self, payload: &[u8]) -> bool {
        let mut sum = Hasher::new();
        if self.format != FORMAT_ERASED {
            sum.update(payload);
        }
        self.finish(sum) == self.sum
    }

    /// What stands in place of this header once its entry is taken back.
    pub(super) fn erased(&self) -> [u8; HEADER] {
        let mut erased = Self { format: FORMAT_ERASED, ..*self };
        erased.sum = erased.finish(Hasher::new());
        erased.write()
    }

    /// Sequence numbers below this were durable when the record was written, if they are in its segment.
    pub(super) fn durable_below(&self) -> u64 {
        self.seq.saturating_sub(u64::from(self.behind))
    }

    fn finish(&self, mut sum: Hasher) -> u32 {
        let bytes = self.write();
        sum.update(&bytes[4..8]);
        sum.update(&bytes[12..]);
        sum.finalize()
    }

    fn write(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&self.len.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.sum.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.behind.to_le_bytes());
        bytes[14..16].copy_from_slice(&self.format.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.seq.to_le_bytes());
        bytes[24..40].copy_from_slice(self.id.as_bytes());
        bytes[40..48].copy_from_slice(&self.at.to_le_bytes());
        bytes
    }
}

/// A record that lacks only its sequence number. The payload is summed here, in the thread of the
/// caller, so that the one who writes for all has 44 bytes left to sum.
#[derive(Debug)]
pub(super) struct Draft {
    bytes: Vec<u8>,
    sum: Hasher,
    pub(super) id: EventId,
    pub(super) at: Millis,
}

impl Draft {
    pub(super) fn new(entry: &Entry) -> Result<Self, StoreError> {
        let text = entry.agent.len() + entry.session.as_str().len() + entry.event.len();
        let context: usize = entry.context.iter().map(|(key, value)| key.len() + value.len() + 20).sum();
        let room =
            HEADER + text + entry.tool.as_ref().map_or(0, String::len) + context + entry.envelope.len() + 50;
        if room > MAX_PAYLOAD {
            return Err(StoreError::TooLarge { bytes: room, limit: MAX_PAYLOAD });
        }
        let mut bytes = Vec::with_capacity(room);
        bytes.resize(HEADER, 0);
        put(&mut bytes, &entry.agent);
        put(&mut bytes, entry.session.as_str());
        put(&mut bytes, &entry.event);
        match &entry.tool {
            None => put_number(&mut bytes, 0),
            Some(tool) => {
                put_number(&mut bytes, tool.len() + 1);
                bytes.extend_from_slice(tool.as_bytes());
            }
        }
        put_number(&mut bytes, entry.context.len());
        for (key, value) in &entry.context {
            put(&mut bytes, key);
            put(&mut bytes, value);
        }
        bytes.extend_from_slice(&entry.envelope);
        let mut sum = Hasher::new();
        sum.update(&bytes[HEADER..]);
        Ok(Self { bytes, sum, id: entry.id, at: entry.at })
    }

    /// `head` is durable. A gap that is too large to be told is told as smaller: readers then know less.
    pub(super) fn seal(&mut self, seq: u64, head: u64) {
        let behind = seq.saturating_sub(head + 1).try_into().unwrap_or(u16::MAX);
        let mut header = Header {
            len: (self.bytes.len() - HEADER) as u32,
            sum: 0,
            behind,
            format: FORMAT_ENTRY,
            seq,
            id: self.id,
            at: self.at,
        };
        header.sum = header.finish(self.sum.clone());
        self.bytes[..HEADER].copy_from_slice(&header.write());
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A record that covers `bytes` bytes and says nothing.
pub(super) fn void(seq: u64, bytes: usize) -> Vec<u8> {
    let mut record = vec![0; bytes.max(HEADER)];
    let mut header = Header {
        len: (record.len() - HEADER) as u32,
        sum: 0,
        behind: 0,
        format: FORMAT_VOID,
        seq,
        id: EventId::from_bytes([0; 16]),
        at: 0,
    };
    let mut sum = Hasher::new();
    sum.update(&record[HEADER..]);
    header.sum = header.finish(sum);
    record[..HEADER].copy_from_slice(&header.write());
    record
}

/// `None` when the payload is not what `Draft` writes: the sum was right, so a bug or another format.
pub(super) fn decode(header: &Header, payload: &[u8]) -> Option<Entry> {
    if header.format != FORMAT_ENTRY {
        return None;
    }
    let mut rest = payload;
    let agent = take(&mut rest)?.to_owned();
    let session = SessionId::new(take(&mut rest)?);
    let event = take(&mut rest)?.to_owned();
    let tool = match take_number(&mut rest)? {
        0 => None,
        len => Some(take_text(&mut rest, len - 1)?.to_owned()),
    };
    let pairs = take_number(&mut rest)?;
    let mut context = Context::new();
    for _ in 0..pairs {
        let key = take(&mut rest)?.to_owned();
        context.insert(key, take(&mut rest)?.to_owned());
    }
    let envelope = rest.to_vec();
    Some(Entry { id: header.id, at: header.at, agent, session, event, tool, context, envelope })
}

fn put(bytes: &mut Vec<u8>, text: &str) {
    put_number(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn put_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let len = take_number(rest)?;
    take_text(rest, len)
}

fn take_text<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a str> {
    let (text, after) = rest.split_at_checked(len)?;
    *rest = after;
    std::str::from_utf8(text).ok()
}

fn take_number(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0_usize;
    for shift in (0..35).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn field<const N: usize>(bytes: &[u8; HEADER], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn entries()(
            id in any::<[u8; 16]>(), at in any::<u64>(), agent in ".{0,40}", session in ".{1,400}", event in ".{0,300}",
            tool in proptest::option::of(".{0,200}"),
            context in proptest::collection::btree_map(".{0,30}", ".{0,300}", 0..6),
            envelope in proptest::collection::vec(any::<u8>(), 0..2000),
        ) -> Entry {
            let session = SessionId::new(&session);
            Entry { id: EventId::from_bytes(id), at, agent, session, event, tool, context, envelope }
        }
    }

    fn header(bytes: &[u8]) -> Option<Header> {
        Header::read(bytes.first_chunk()?)
    }

    proptest! {
        #[test]
        fn an_entry_reads_back_as_it_was(entry in entries(), seq in 1..u64::MAX, behind in any::<u16>()) {
            let head = (seq - 1).saturating_sub(u64::from(behind));
            let mut draft = Draft::new(&entry).unwrap();
            draft.seal(seq, head);
            let header = header(draft.bytes()).unwrap();
            let payload = &draft.bytes()[HEADER..];
            prop_assert!(header.fits(payload));
            prop_assert_eq!((header.seq, header.durable_below()), (seq, head + 1));
            prop_assert_eq!(decode(&header, payload), Some(entry));
        }

        #[test]
        fn a_flipped_bit_is_never_a_record(entry in entries(), at in any::<prop::sample::Index>(), bit in 0..8_u8) {
            let mut draft = Draft::new(&entry).unwrap();
            draft.seal(7, 0);
            let mut bytes = draft.bytes().to_vec();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let intact = header(&bytes).is_some_and(|header| {
                header.len as usize == bytes.len() - HEADER && header.fits(&bytes[HEADER..])
            });
            prop_assert!(!intact);
        }

        #[test]
        fn any_payload_is_read_or_refused_without_a_panic(payload in proptest::collection::vec(any::<u8>(), 0..300)) {
            let header = Header { len: payload.len() as u32, sum: 0, behind: 0, format: FORMAT_ENTRY, seq: 1, id: EventId::from_bytes([0; 16]), at: 0 };
            let _ = decode(&header, &payload);
        }
    }

    #[test]
    fn a_void_covers_exactly_its_bytes() {
        for bytes in [HEADER, HEADER + 1, 5000] {
            let record = void(9, bytes);
            assert_eq!(record.len(), bytes);
            let header = header(&record).unwrap();
            assert!(header.fits(&record[HEADER..]));
            assert_eq!(header.bytes(), bytes as u64);
            assert_eq!(decode(&header, &record[HEADER..]), None);
        }
    }

    #[test]
    fn an_erased_entry_keeps_its_place_whatever_its_payload_holds() {
        let entry = Entry {
            id: EventId::mint(5, [1; 10]),
            at: 5,
            agent: "a".to_owned(),
            session: SessionId::new("s"),
            event: "e".to_owned(),
            tool: None,
            context: Context::new(),
            envelope: b"{}".to_vec(),
        };
        let mut draft = Draft::new(&entry).unwrap();
        draft.seal(7, 3);
        let before = header(draft.bytes()).unwrap();
        let erased = Header::read(&before.erased()).unwrap();
        for payload in [draft.bytes()[HEADER..].to_vec(), vec![0; before.len as usize]] {
            assert!(erased.fits(&payload));
            assert_eq!(decode(&erased, &payload), None);
        }
        let place = |header: &Header| (header.len, header.behind, header.seq, header.id, header.at);
        assert_eq!(place(&erased), place(&before));
    }

    #[test]
    fn the_magic_cannot_be_text() {
        assert!(MAGIC.iter().any(|byte| *byte >= 0xf8), "no UTF-8 sequence holds such a byte");
    }
}
