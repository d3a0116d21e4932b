//! The one pass over every byte: windows of three folded characters, of which four in a row must fit how some
//! known literal begins. Decides where to look, never what is there.
//!
//! An Aho-Corasick automaton over the same literals was measured first: as a fast table it takes 4 MB and
//! tens of milliseconds to build, as a compact one it scans at half this speed. A table of 64 KB is filled in
//! microseconds and misses nothing, because verification follows.

use std::sync::OnceLock;

use crate::scan::Handler;

const FOLD_BITS: u32 = 5;
const CLASSES: usize = 1 << FOLD_BITS;
/// Three folded characters.
const GRAMS: usize = 1 << (3 * FOLD_BITS);
/// So many characters of a literal are looked at before it is compared: four windows of three.
pub(crate) const PREFIX: usize = 6;
/// A literal shorter than this would fire everywhere.
const SHORTEST: usize = 3;
/// Nothing begins so near to the end of a text: a value follows every literal.
const LEAST_LEFT: usize = 4;
const SLOTS: usize = 8192;
/// Literals are spread over so many sets, so that the beginning of one and the end of another do not add up.
const SETS: usize = 4;
/// The bits of the fourth window: a zero there is a literal whose four windows fit.
const FITS: u16 = 0xf000;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Literal {
    pub text: &'static [u8],
    /// Letter case does not matter.
    pub folded: bool,
    pub handler: Handler,
    /// Stands at the start of a word, or not at all.
    pub bounded: bool,
    /// What must stand behind it.
    pub follows: Run,
}

impl Literal {
    /// The run behind the literal at `at` may be as long as it must. One look at where it would end: whoever wakes
    /// reads all of it.
    #[inline]
    pub(crate) fn goes_on(&self, text: &[u8], at: usize) -> bool {
        let last = crate::text::at(text, at + self.text.len() + self.follows.least.saturating_sub(1));
        self.follows.classes >> FOLD[last as usize] & 1 != 0
    }
}

/// So many characters, each of one of the folded classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// One bit for each class.
    pub classes: u32,
    pub least: usize,
}

impl Run {
    pub(crate) const ANYTHING: Run = Run { classes: u32::MAX, least: 0 };

    /// The classes of the character so far behind the literal.
    fn classes_at(self, place: usize) -> u32 {
        if place < self.least { self.classes } else { u32::MAX }
    }
}

/// The classes of all bytes that `admits` takes.
pub(crate) fn classes_of(admits: impl Fn(u8) -> bool) -> u32 {
    (0..=u8::MAX).filter(|&byte| admits(byte)).fold(0, |classes, byte| classes | 1 << FOLD[byte as usize])
}

/// A literal with its first eight bytes ready for one comparison.
#[derive(Debug, Clone, Copy)]
struct Entry {
    head: u64,
    /// Bits set before comparing: the case of letters, and all of a byte where the literal has ended.
    blur: u64,
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
    /// For each window, the sets it may stand in, as zeros: at the first place of a literal in the lowest four
    /// bits, at the fourth in the highest. Shifting a state by four and adding the next window keeps the zeros
    /// of what fits so far.
    windows: Box<[u16; GRAMS]>,
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

/// Where the pass stands between two positions it has told.
#[derive(Debug)]
pub(crate) struct Cursor {
    /// The next byte to be read.
    at: usize,
    gram: u32,
    state: u16,
}

impl Cursor {
    /// Begins at `from`: nothing before it is told.
    pub(crate) fn new(text: &[u8], from: usize) -> Cursor {
        let gram = text.iter().skip(from).take(2).fold(0, |gram, &byte| pushed(gram, byte));
        Cursor { at: from + 2, gram, state: u16::MAX }
    }

    /// Goes on at `from`, which is behind `told`.
    #[inline]
    pub(crate) fn resume(&mut self, text: &[u8], told: usize, from: usize) {
        if from != told + 1 {
            *self = Cursor::new(text, from);
        }
    }
}

#[inline]
fn pushed(gram: u32, byte: u8) -> u32 {
    gram << FOLD_BITS | u32::from(FOLD[byte as usize])
}

impl Filter {
    pub(crate) fn new(literals: Vec<Literal>) -> Filter {
        let mut pairs: Vec<(u32, Literal)> = Vec::with_capacity(literals.len() * 2);
        for literal in literals {
            let folded: Vec<u32> =
                literal.text.iter().take(4).map(|&b| u32::from(FOLD[b as usize])).collect();
            assert!(folded.len() >= SHORTEST, "a literal of fewer than three bytes would fire everywhere");
            let head = folded[0] << 15 | folded[1] << 10 | folded[2] << 5;
            match folded.get(3) {
                Some(last) => pairs.push((head | last, literal)),
                None => pairs.extend((0..CLASSES as u32).map(|last| (head | last, literal))),
            }
        }
        // The longest literal of a window is the most particular one: it is tried first.
        pairs.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.text.len().cmp(&a.1.text.len())));
        let mut filter = Filter {
            windows: vec![u16::MAX; GRAMS].try_into().expect("as many as there are grams"),
            slots: vec![Slot::default(); SLOTS],
            entries: pairs.iter().map(|pair| Entry::new(pair.1)).collect(),
        };
        let mut admitted = Vec::new();
        for (index, (gram, literal)) in pairs.iter().enumerate() {
            // What is short opens the last windows to much or to all: these are by themselves. Neighbors in the
            // order share their beginnings, so they may as well share their set.
            let set = match literal.text.len() {
                ..=4 if literal.follows.classes_at(PREFIX - 1 - literal.text.len()) == u32::MAX => SETS - 1,
                ..=4 => SETS - 2,
                _ => index * (SETS - 2) / pairs.len(),
            };
            if literal.text.len() > SHORTEST || gram % CLASSES as u32 == 0 {
                filter.admit(literal, set, &mut admitted);
            }
        }
        let mut first = 0;
        while first < pairs.len() {
            let gram = pairs[first].0;
            let count = pairs[first..].iter().take_while(|pair| pair.0 == gram).count();
            let mut slot = slot_of(gram);
            while filter.slots[slot].gram != 0 {
                slot = (slot + 1) % SLOTS;
            }
            filter.slots[slot] = Slot { gram: gram + 1, first: first as u16, count: count as u16 };
            first += count;
        }
        filter
    }

    /// Clears the bits of `set` for every window `literal` may show, at each of the four places. Wide windows are
    /// the same for many literals: those already `admitted` are done.
    fn admit(&mut self, literal: &Literal, set: usize, admitted: &mut Vec<([u32; 3], u16)>) {
        let classes: [u32; PREFIX] = std::array::from_fn(|place| match literal.text.get(place) {
            Some(&byte) => 1 << FOLD[byte as usize],
            None => literal.follows.classes_at(place - literal.text.len()),
        });
        for place in 0..PREFIX - 2 {
            let bit = 1u16 << (place * SETS + set);
            let window = [classes[place], classes[place + 1], classes[place + 2]];
            if window[1..].iter().all(|classes| classes.count_ones() > 1) {
                if admitted.contains(&(window, bit)) {
                    continue;
                }
                admitted.push((window, bit));
            }
            for first in members(window[0]) {
                for second in members(window[1]) {
                    for third in members(window[2]) {
                        self.windows[first << (2 * FOLD_BITS) | second << FOLD_BITS | third] &= !bit;
                    }
                }
            }
        }
    }

    /// The next position where some literal may begin.
    #[inline]
    pub(crate) fn next(&self, text: &[u8], cursor: &mut Cursor) -> Option<usize> {
        const STEP: usize = 4;
        let Cursor { mut at, mut gram, mut state } = *cursor;
        while let Some(four) = text.get(at..at + STEP) {
            let before = (gram, state);
            let mut misfits = u16::MAX;
            for &byte in four {
                gram = pushed(gram, byte);
                state = state << SETS | self.windows[gram as usize % GRAMS];
                misfits &= state;
            }
            if misfits & FITS != FITS {
                (gram, state) = before;
                break;
            }
            at += STEP;
        }
        // Behind the end stands nothing, which is what follows the last literals.
        while at < text.len() + (PREFIX - LEAST_LEFT) {
            gram = pushed(gram, crate::text::at(text, at));
            state = state << SETS | self.windows[gram as usize % GRAMS];
            at += 1;
            if state & FITS != FITS {
                *cursor = Cursor { at, gram, state };
                return Some(at - PREFIX);
            }
        }
        *cursor = Cursor { at, gram, state };
        None
    }

    /// The literals that begin at `at`, most particular first.
    #[inline]
    pub(crate) fn literals_at<'f>(&'f self, text: &'f [u8], at: usize) -> impl Iterator<Item = &'f Literal> {
        let head = head_at(text, at);
        let mut gram = 0u32;
        for byte in &head.to_le_bytes()[..4] {
            gram = pushed(gram, *byte);
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
        found.iter().filter(move |entry| head | entry.blur == entry.head).map(|entry| &entry.literal).filter(
            move |literal| {
                if literal.text.len() <= 8 {
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

/// Eight bytes at `at`; zeros, which no literal holds, behind the end.
#[inline]
fn head_at(text: &[u8], at: usize) -> u64 {
    if let Some(eight) = text.get(at..at + 8).and_then(|eight| eight.try_into().ok()) {
        return u64::from_le_bytes(eight);
    }
    let mut eight = [0; 8];
    for (byte, &found) in eight.iter_mut().zip(text.get(at..).unwrap_or_default()) {
        *byte = found;
    }
    u64::from_le_bytes(eight)
}

impl Entry {
    fn new(literal: Literal) -> Entry {
        let mut head = [0xff; 8];
        let mut blur = [0xff; 8];
        for ((head, blur), &byte) in head.iter_mut().zip(&mut blur).zip(literal.text) {
            *blur = if literal.folded && byte.is_ascii_alphabetic() { 0x20 } else { 0 };
            *head = byte | *blur;
        }
        Entry { head: u64::from_le_bytes(head), blur: u64::from_le_bytes(blur), literal }
    }
}

/// The classes of a set, in their order.
fn members(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros() as usize;
        set &= set.checked_sub(1)?;
        Some(lowest)
    })
}

fn slot_of(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> 19) as usize % SLOTS
}
