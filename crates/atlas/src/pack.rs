//! Facts in few bytes. Of each file a head stays in memory, which says what names it has; the rest is unpacked when
//! somebody asks for it.

use code::{Facts, Kind, Name, Place};

/// A longer name is found by its beginning.
const MAX_NAME: usize = 512;
/// Numbers at the beginning of a head, four bytes each.
const NUMBERS: usize = 8;
/// Bits that stand for one word of a text, by and large: of a hundred texts without a word one seems to have it.
const WORD_BITS: usize = 10;
const PROBES: u32 = 4;
const MAX_WORD_BITS: usize = 1 << 17;
const NO_PACKAGE: u32 = u32::MAX;

/// The number of a name: what two files have to agree on to be found by it. Two names may share one; whoever asks
/// looks at the names themselves then.
pub(crate) fn number(name: &str) -> u32 {
    sum(name.bytes())
}

fn sum(bytes: impl Iterator<Item = u8>) -> u32 {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (sum ^ sum >> 32) as u32
}

/// What is known of a file without unpacking it: counts, the numbers of names it defines and mentions, its package,
/// the kind and name of each definition, and which words its text may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    bytes: Box<[u8]>,
}

impl Head {
    pub(crate) fn of(facts: &Facts, text: &str) -> Self {
        let mut defined: Vec<u32> =
            facts.symbols.iter().map(|symbol| number(facts.text(symbol.name))).collect();
        let mut mentioned: Vec<u32> = facts
            .references
            .iter()
            .map(|reference| reference.name)
            .chain(facts.imports.iter().flat_map(|import| [import.name, import.local].into_iter().flatten()))
            .chain(taken_by_tests(facts))
            .map(|name| number(facts.text(name)))
            .collect();
        for numbers in [&mut defined, &mut mentioned] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        let package = facts.package.map(|package| facts.text(package));
        let words = words_of(text);
        let numbers: [u32; NUMBERS] = [
            facts.lines,
            facts.symbols.len() as u32,
            facts.references.len() as u32,
            text.len() as u32,
            defined.len() as u32,
            mentioned.len() as u32,
            package.map_or(NO_PACKAGE, |package| package.len() as u32),
            words.len() as u32,
        ];
        let mut bytes: Vec<u8> = Vec::new();
        for number in numbers.iter().chain(&defined).chain(&mentioned) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(package.unwrap_or_default().as_bytes());
        bytes.extend_from_slice(&words);
        for symbol in &facts.symbols {
            let name = facts.text(symbol.name);
            let name = &name[..name.floor_char_boundary(MAX_NAME)];
            bytes.push(symbol.kind as u8);
            bytes.extend_from_slice(&(name.len() as u16).to_le_bytes());
            bytes.extend_from_slice(name.as_bytes());
        }
        Self { bytes: bytes.into() }
    }

    /// As it is kept.
    pub(crate) fn sealed(&self) -> Vec<u8> {
        sealed(self.bytes.to_vec())
    }

    /// A head that was kept. `None`: these bytes are none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let head = Self { bytes: unsealed(bytes)?.into() };
        let fixed = (NUMBERS as u64 + u64::from(head.at(4)?) + u64::from(head.at(5)?)) * 4;
        let package = if head.at(6)? == NO_PACKAGE { 0 } else { u64::from(head.at(6)?) };
        let sound =
            fixed + package <= head.bytes.len() as u64 && head.definitions().count() == head.symbols();
        sound.then_some(head)
    }

    /// What it takes itself.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn lines(&self) -> u32 {
        self.at(0).unwrap_or_default()
    }

    pub(crate) fn symbols(&self) -> usize {
        self.at(1).unwrap_or_default() as usize
    }

    pub(crate) fn references(&self) -> usize {
        self.at(2).unwrap_or_default() as usize
    }

    /// Bytes of the text.
    pub(crate) fn size(&self) -> u32 {
        self.at(3).unwrap_or_default()
    }

    /// Numbers of names, in their order.
    pub(crate) fn defined(&self) -> impl Iterator<Item = u32> + '_ {
        self.numbers(NUMBERS, self.at(4).unwrap_or_default() as usize)
    }

    pub(crate) fn mentioned(&self) -> impl Iterator<Item = u32> + '_ {
        self.numbers(
            NUMBERS + self.at(4).unwrap_or_default() as usize,
            self.at(5).unwrap_or_default() as usize,
        )
    }

    pub(crate) fn package(&self) -> Option<&str> {
        let length = self.at(6).filter(|length| *length != NO_PACKAGE)? as usize;
        std::str::from_utf8(self.bytes.get(self.fixed()..)?.get(..length)?).ok()
    }

    /// Kind and name of each definition, in the order of [`Facts::symbols`].
    pub(crate) fn definitions(&self) -> impl Iterator<Item = (Kind, &str)> + '_ {
        let words = self.at(7).unwrap_or_default() as usize;
        let mut rest = self.bytes.get(self.words_at() + words..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (kind, after) = rest.split_first()?;
            let (length, after) = after.split_first_chunk::<2>()?;
            let (name, after) = after.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
            rest = after;
            Some((*Kind::ALL.get(usize::from(*kind))?, std::str::from_utf8(name).ok()?))
        })
    }

    /// Whether the text may have this word, in whatever letters. False is sure.
    pub(crate) fn may_have(&self, word: u32) -> bool {
        let length = self.at(7).unwrap_or_default() as usize;
        let words = self.bytes.get(self.words_at()..).and_then(|rest| rest.get(..length)).unwrap_or_default();
        words.is_empty() || places(word, words.len() * 8).all(|at| words[at / 8] & 1 << (at % 8) != 0)
    }

    fn words_at(&self) -> usize {
        self.fixed() + self.at(6).filter(|length| *length != NO_PACKAGE).unwrap_or_default() as usize
    }

    fn fixed(&self) -> usize {
        (NUMBERS + (self.at(4).unwrap_or_default() + self.at(5).unwrap_or_default()) as usize) * 4
    }

    fn at(&self, place: usize) -> Option<u32> {
        self.numbers(place, 1).next()
    }

    fn numbers(&self, from: usize, count: usize) -> impl Iterator<Item = u32> + '_ {
        let bytes = self.bytes.get(from * 4..).unwrap_or_default();
        bytes.as_chunks::<4>().0.iter().take(count).map(|bytes| u32::from_le_bytes(*bytes))
    }
}

/// The words of a text as numbers, in small letters: runs of letters, digits and underscores of two or more.
pub(crate) fn words(text: &str) -> impl Iterator<Item = u32> + '_ {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let runs = text.as_bytes().split(move |byte| !is_word(byte));
    runs.filter(|run| run.len() > 1).map(|run| sum(run.iter().map(u8::to_ascii_lowercase)))
}

/// Parameters of tests: they may name the fixture that is given.
fn taken_by_tests(facts: &Facts) -> impl Iterator<Item = Name> + '_ {
    let parameters = facts.bindings.iter().filter(|binding| binding.place == Place::Parameter);
    let of_tests = parameters.filter(|binding| {
        binding.scope.and_then(|id| facts.symbol(id)).is_some_and(|symbol| symbol.flags.test)
    });
    of_tests.map(|binding| binding.name)
}

/// Words in a table of bits.
fn words_of(text: &str) -> Vec<u8> {
    let mut numbers: Vec<u32> = words(text).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() {
        return Vec::new();
    }
    let bits = (numbers.len() * WORD_BITS).next_power_of_two().clamp(64, MAX_WORD_BITS);
    let mut table = vec![0_u8; bits / 8];
    for number in numbers {
        for at in places(number, bits) {
            table[at / 8] |= 1 << (at % 8);
        }
    }
    table
}

fn places(word: u32, bits: usize) -> impl Iterator<Item = usize> {
    let mixed = u64::from(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..PROBES).map(move |probe| (mixed >> (probe * 12)) as usize % bits)
}

/// All facts in bytes.
pub(crate) fn body(facts: &Facts) -> Vec<u8> {
    let bytes = postcard::to_stdvec(facts);
    sealed(bytes.expect("facts have no map of unknown length, which is all that postcard refuses"))
}

/// `None`: these bytes are no facts.
pub(crate) fn unpack(body: &[u8]) -> Option<Facts> {
    postcard::from_bytes(unsealed(body)?).ok()
}

/// A flipped bit would be another name, or an index into nothing: a sum at the end tells.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

pub(crate) fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, sum) = bytes.split_last_chunk::<4>()?;
    (crc32fast::hash(bytes) == u32::from_le_bytes(*sum)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "from a import B\nclass A(B):\n    def f(self):\n        return self.g('Some words')\n";

    fn facts() -> Facts {
        let facts = code::facts(code::languages::by_name("python").unwrap(), TEXT).unwrap();
        let package = facts.names.iter().position(|name| &**name == "a").unwrap();
        Facts { package: Some(code::Name(package as u32)), ..facts }
    }

    #[test]
    fn a_head_says_what_the_facts_say() {
        let facts = facts();
        let head = Head::read(&Head::of(&facts, TEXT).sealed()).unwrap();
        assert_eq!(head.lines(), facts.lines);
        assert_eq!((head.symbols(), head.references()), (facts.symbols.len(), facts.references.len()));
        assert_eq!(head.package(), Some("a"));
        assert!(
            head.defined().any(|known| known == number("f")) && head.mentioned().any(|k| k == number("B"))
        );
        let told: Vec<(Kind, &str)> = head.definitions().collect();
        let known: Vec<(Kind, &str)> = facts.symbols.iter().map(|s| (s.kind, facts.text(s.name))).collect();
        assert_eq!(told, known);
        for (word, is_there) in [("some", true), ("return", true), ("elsewhere", false), ("wor", false)] {
            assert_eq!(head.may_have(number(word)), is_there, "{word}");
        }
    }

    #[test]
    fn hardly_a_word_seems_to_be_where_it_is_not() {
        let text = (0..3000).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ");
        let head = Head::of(&Facts::default(), &text);
        assert!((0..3000).all(|at| head.may_have(number(&format!("word{at}")))));
        let wrong = (3000..13_000).filter(|at| head.may_have(number(&format!("word{at}")))).count();
        assert!(wrong < 300, "{wrong} of 10,000");
    }

    #[test]
    fn facts_come_back_as_they_were() {
        let facts = facts();
        assert_eq!(unpack(&body(&facts)), Some(facts));
    }

    #[test]
    fn damaged_bytes_are_no_head_and_no_facts() {
        let facts = facts();
        for (at, bytes) in [Head::of(&facts, TEXT).sealed(), body(&facts)].into_iter().enumerate() {
            let is_read =
                |bytes: &[u8]| if at == 0 { Head::read(bytes).is_some() } else { unpack(bytes).is_some() };
            assert!(is_read(&bytes));
            for place in 0..bytes.len() {
                assert!(!is_read(&bytes[..place]), "cut at {place}");
                let mut bad = bytes.clone();
                bad[place] ^= 0x10;
                assert!(!is_read(&bad), "flipped at {place}");
            }
        }
        // A head that was sealed and is none all the same.
        assert_eq!(Head::read(&sealed(vec![0xff; 40])), None);
        assert_eq!(Head::read(&sealed(Vec::new())), None);
    }
}
