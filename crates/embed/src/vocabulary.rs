//! Word pieces and their numbers, found through an open-addressing table that is stored with them: opening a
//! vocabulary reads nothing. Knows no models and no text beyond one piece.

use std::ops::Range;

use crate::bytes::{Bytes, Reader};

/// How a piece may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Place {
    /// At the start of a word.
    Start = 0,
    /// Inside a word, after another piece.
    Inside = 1,
    /// Never found in text: marks such as the separator, and numbers kept free.
    Nowhere = 2,
}

/// The pieces of one model. In a file: four little-endian words {pieces, slots, longest piece, blob length}; the
/// slots (piece + 1, or 0); pieces + 1 offsets into the blob; the blob, where each piece is one byte of [`Place`]
/// and its text; zeros up to a multiple of 4.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    pieces: usize,
    longest: usize,
    slots: Bytes,
    offsets: Bytes,
    blob: Bytes,
}

/// More pieces than any model we know; the slots of a damaged file are not believed beyond it.
const MAX_PIECES: usize = 1 << 20;

impl Vocabulary {
    /// `pieces` as they stand in a model's list: a continuation begins with `##`, a mark is in brackets.
    pub fn build(pieces: &[&str]) -> Vec<u8> {
        let slots = (pieces.len() * 2).next_power_of_two();
        let mut table = vec![0_u32; slots];
        let mut offsets = Vec::with_capacity(pieces.len() + 1);
        let mut blob = Vec::new();
        let mut longest = 0;
        for (number, &piece) in pieces.iter().enumerate() {
            let (place, text) = placed(piece);
            offsets.push(blob.len() as u32);
            blob.push(place as u8);
            blob.extend_from_slice(text.as_bytes());
            if place == Place::Nowhere {
                continue;
            }
            longest = longest.max(text.len());
            let mut slot = text.bytes().fold(seed(place), mix).slot(slots);
            while table[slot] != 0 {
                slot = (slot + 1) % slots;
            }
            table[slot] = number as u32 + 1;
        }
        offsets.push(blob.len() as u32);
        let head = [pieces.len() as u32, slots as u32, longest as u32, blob.len() as u32];
        let mut file: Vec<u8> =
            head.iter().chain(&table).chain(&offsets).flat_map(|word| word.to_le_bytes()).collect();
        file.extend_from_slice(&blob);
        file.resize(file.len().next_multiple_of(4), 0);
        file
    }

    pub(crate) fn read(reader: &mut Reader) -> Option<Vocabulary> {
        let [pieces, slots, longest, blob] = read_head(reader)?;
        Self::read_body(reader, pieces, slots, longest, blob)
    }

    pub(crate) fn read_body(
        reader: &mut Reader,
        pieces: usize,
        slots: usize,
        longest: usize,
        blob: usize,
    ) -> Option<Vocabulary> {
        if pieces == 0 || pieces > MAX_PIECES || slots <= pieces || slots > 8 * MAX_PIECES {
            return None;
        }
        if !slots.is_power_of_two() {
            return None;
        }
        let slots = reader.take(slots * 4)?;
        let offsets = reader.take((pieces + 1) * 4)?;
        let text = reader.take(blob)?;
        reader.align(4)?;
        Some(Vocabulary { pieces, longest, slots, offsets, blob: text })
    }

    pub fn len(&self) -> usize {
        self.pieces
    }

    pub fn is_empty(&self) -> bool {
        self.pieces == 0
    }

    /// Place and text of a piece.
    pub fn piece(&self, number: u32) -> Option<(Place, &str)> {
        let bytes = self.blob.get(self.span(number as usize)?)?;
        let (place, text) = bytes.split_first()?;
        let place = match place {
            0 => Place::Start,
            1 => Place::Inside,
            _ => Place::Nowhere,
        };
        Some((place, std::str::from_utf8(text).ok()?))
    }

    /// The longest piece that starts `word` in this place, and its length in bytes.
    pub(crate) fn longest_match(&self, place: Place, word: &str) -> Option<(u32, usize)> {
        let bytes = word.as_bytes();
        let end = bytes.len().min(self.longest);
        // One pass makes the hash of every prefix; the longest is asked first.
        let mut hashes = [Hash(0); MAX_PREFIX];
        let end = end.min(MAX_PREFIX);
        let mut hash = seed(place);
        for (at, &byte) in bytes[..end].iter().enumerate() {
            hash = mix(hash, byte);
            hashes[at] = hash;
        }
        (1..=end)
            .rev()
            .filter(|&length| word.is_char_boundary(length))
            .find_map(|length| Some((self.find(place, &bytes[..length], hashes[length - 1])?, length)))
    }

    /// Whether each piece is found where it should be: false means another maker's table, or damage.
    pub(crate) fn is_sound(&self) -> bool {
        self.longest <= MAX_PREFIX
            && (0..self.pieces as u32).all(|number| match self.piece(number) {
                None => false,
                Some((Place::Nowhere, _)) => true,
                Some((place, text)) => {
                    let hash = text.bytes().fold(seed(place), mix);
                    !text.is_empty() && self.find(place, text.as_bytes(), hash).is_some()
                }
            })
    }

    fn find(&self, place: Place, text: &[u8], hash: Hash) -> Option<u32> {
        let (slots, _) = self.slots.as_chunks::<4>();
        let mut slot = hash.slot(slots.len());
        // A sound table ends a search at an empty slot; a hostile one ends it after one round.
        for _ in 0..slots.len() {
            let number = u32::from_le_bytes(slots[slot]).checked_sub(1)?;
            let piece = self.blob.get(self.span(number as usize)?)?;
            if piece.split_first().is_some_and(|(&first, rest)| first == place as u8 && rest == text) {
                return Some(number);
            }
            slot = (slot + 1) % slots.len();
        }
        None
    }

    fn span(&self, number: usize) -> Option<Range<usize>> {
        let (offsets, _) = self.offsets.as_chunks::<4>();
        let start = u32::from_le_bytes(*offsets.get(number)?) as usize;
        let end = u32::from_le_bytes(*offsets.get(number + 1)?) as usize;
        (start <= end).then_some(start..end)
    }
}

/// No piece of a word-piece vocabulary comes near; a file that claims longer ones is refused.
const MAX_PREFIX: usize = 128;

fn read_head(reader: &mut Reader) -> Option<[usize; 4]> {
    let mut head = [0; 4];
    for word in &mut head {
        *word = reader.word()? as usize;
    }
    Some(head)
}

fn placed(piece: &str) -> (Place, &str) {
    if piece.len() > 2 && piece.starts_with('[') && piece.ends_with(']') {
        return (Place::Nowhere, piece);
    }
    match piece.strip_prefix("##") {
        Some(inside) if !inside.is_empty() => (Place::Inside, inside),
        _ => (Place::Start, piece),
    }
}

/// FNV-1a: one multiplication per byte, and prefixes share their work.
#[derive(Clone, Copy)]
struct Hash(u32);

impl Hash {
    /// The low bits of FNV alone cluster; folding the high half in spreads them.
    fn slot(self, slots: usize) -> usize {
        (self.0 ^ (self.0 >> 15)) as usize & (slots - 1)
    }
}

fn seed(place: Place) -> Hash {
    Hash(0x811c_9dc5 ^ place as u32)
}

fn mix(hash: Hash, byte: u8) -> Hash {
    Hash((hash.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
