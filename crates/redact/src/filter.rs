//! The one pass over every byte: a rolling window of four folded characters against a bitmap of how the
//! known literals begin. Decides where to look, never what is there.
//!
//! An Aho-Corasick automaton over the same literals was measured first: as a fast table it takes 4 MB and
//! tens of milliseconds to build, as a compact one it scans at half this speed. A bitmap of 128 KB is
//! filled in microseconds and misses nothing, because verification follows.

use std::sync::OnceLock;

use crate::scan::Handler;

const GRAM_BITS: u32 = 20;
const GRAM_MASK: u32 = (1 << GRAM_BITS) - 1;
const SLOTS: usize = 8192;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Literal {
    pub text: &'static [u8],
    /// Letter case does not matter.
    pub folded: bool,
    pub handler: Handler,
    /// Stands at the start of a word, or not at all.
    pub bounded: bool,
}

/// A literal with its first four bytes ready for one comparison.
#[derive(Debug, Clone, Copy)]
struct Entry {
    head: u32,
    /// Bits set before comparing: the case of letters, or the fourth byte when there is none.
    blur: u32,
    literal: Literal,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// The window plus one; zero is an empty slot.
    gram: u32,
    first: u16,
    count: u16,
}

#[derive(Debug)]
pub(crate) struct Filter {
    bitmap: Vec<u64>,
    slots: Vec<Slot>,
    entries: Vec<Entry>,
}

/// Thirty-two classes: letters fold to one case, digits to one class, and the joints of tokens stay apart.
static FOLD: [u8; 256] = folds();

const fn folds() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut byte = 0usize;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b @ b'a'..=b'z' => b - b'a' + 1,
            b @ b'A'..=b'Z' => b - b'A' + 1,
            b'_' => 27,
            b'-' => 28,
            b'0'..=b'9' => 29,
            b':' | b'$' | b'@' | b'{' => 30,
            b'/' | b'.' | b'=' | b'+' => 31,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Built once per process, on first use.
pub(crate) fn filter() -> &'static Filter {
    static FILTER: OnceLock<Filter> = OnceLock::new();
    FILTER.get_or_init(|| Filter::new(crate::scan::literals()))
}

impl Filter {
    pub(crate) fn new(literals: Vec<Literal>) -> Filter {
        let mut pairs: Vec<(u32, Literal)> = Vec::with_capacity(literals.len() * 2);
        for literal in literals {
            let folded: Vec<u32> =
                literal.text.iter().take(4).map(|&b| u32::from(FOLD[b as usize])).collect();
            assert!(folded.len() >= 3, "a literal of fewer than three bytes would fire everywhere");
            let head = folded[0] << 15 | folded[1] << 10 | folded[2] << 5;
            match folded.get(3) {
                Some(last) => pairs.push((head | last, literal)),
                None => pairs.extend((0..32).map(|last| (head | last, literal))),
            }
        }
        // The longest literal of a window is the most particular one: it is tried first.
        pairs.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.text.len().cmp(&a.1.text.len())));
        let mut filter = Filter {
            bitmap: vec![0; 1 << (GRAM_BITS - 6)],
            slots: vec![Slot::default(); SLOTS],
            entries: pairs.iter().map(|pair| Entry::new(pair.1)).collect(),
        };
        let mut first = 0;
        while first < pairs.len() {
            let gram = pairs[first].0;
            let count = pairs[first..].iter().take_while(|pair| pair.0 == gram).count();
            filter.bitmap[(gram >> 6) as usize] |= 1 << (gram & 63);
            let mut slot = slot_of(gram);
            while filter.slots[slot].gram != 0 {
                slot = (slot + 1) % SLOTS;
            }
            filter.slots[slot] = Slot { gram: gram + 1, first: first as u16, count: count as u16 };
            first += count;
        }
        filter
    }

    /// The next position at or after `from` where some literal may begin.
    #[inline]
    pub(crate) fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        if rest.len() < 4 {
            return None;
        }
        let mut gram = 0u32;
        for &byte in &rest[..3] {
            gram = gram << 5 | u32::from(FOLD[byte as usize]);
        }
        let bitmap: &[u64; 1 << (GRAM_BITS - 6)] = self.bitmap.as_slice().try_into().ok()?;
        for (index, &byte) in rest[3..].iter().enumerate() {
            gram = (gram << 5 | u32::from(FOLD[byte as usize])) & GRAM_MASK;
            if bitmap[(gram >> 6) as usize] >> (gram & 63) & 1 != 0 {
                return Some(from + index);
            }
        }
        None
    }

    /// The literals that begin at `at`, most particular first.
    #[inline]
    pub(crate) fn literals_at<'f>(&'f self, text: &'f [u8], at: usize) -> impl Iterator<Item = &'f Literal> {
        let word = text.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes);
        let mut gram = 0u32;
        for byte in word.to_le_bytes() {
            gram = gram << 5 | u32::from(FOLD[byte as usize]);
        }
        let mut slot = slot_of(gram);
        let found = loop {
            let candidate = self.slots[slot];
            if candidate.gram == gram + 1 {
                break &self.entries[candidate.first as usize..][..candidate.count as usize];
            }
            if candidate.gram == 0 {
                break &[][..];
            }
            slot = (slot + 1) % SLOTS;
        };
        found.iter().filter(move |entry| word | entry.blur == entry.head).map(|entry| &entry.literal).filter(
            move |literal| {
                if literal.text.len() <= 4 {
                    return true;
                }
                match text.get(at..at + literal.text.len()) {
                    Some(window) if literal.folded => window.eq_ignore_ascii_case(literal.text),
                    Some(window) => window == literal.text,
                    None => false,
                }
            },
        )
    }
}

impl Entry {
    fn new(literal: Literal) -> Entry {
        let mut head = [0xff; 4];
        let mut blur = [0xff; 4];
        for ((head, blur), &byte) in head.iter_mut().zip(&mut blur).zip(literal.text) {
            *blur = if literal.folded && byte.is_ascii_alphabetic() { 0x20 } else { 0 };
            *head = byte | *blur;
        }
        Entry { head: u32::from_le_bytes(head), blur: u32::from_le_bytes(blur), literal }
    }
}

fn slot_of(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> 19) as usize % SLOTS
}
