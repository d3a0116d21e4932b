//! Words of a text as numbers: enough to say later whether a sentence repeats what somebody else wrote, and too little to
//! read the text again. Deterministic, linear, and bounded whatever the text is.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde_json::Value;

/// What is read of one text. A longer one cannot be compared with.
const MAX_TEXT_BYTES: usize = 192 * 1024;
/// Words of one print: with more, chance would find every word in it.
const MAX_PRINTED: usize = 1600;
/// Bits of a print for each word of it, and the most there are: at 1,600 words every sixth other word seems to be there,
/// which errs on the safe side.
const BITS_A_WORD: usize = 9;
const MAX_BITS: usize = 5760;
const MIN_BITS: usize = 240;
/// Words of one list.
pub(super) const MAX_LISTED: usize = 240;
/// A print of what is too much to compare with.
pub(super) const TOO_MUCH: &str = "*";
/// How a print begins, so that one without any word is told from none.
const PRINT: char = '.';
/// Longer words are data.
const MAX_WORD_BYTES: usize = 60;
/// The beginning of a word of prose that stands for its forms: verify, verified and verification.
const STEM_CHARS: usize = 6;

/// One word: its number, and whether it tells where it is from. `cache` is anybody's, `frobnicate` is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Word {
    pub number: u32,
    pub telling: bool,
    /// A name as programs write it.
    pub coined: bool,
}

/// Numbers of the words that say nothing, and of those that tell nothing.
struct Plain {
    glue: HashSet<u32>,
    plain: HashSet<u32>,
}

fn plain() -> &'static Plain {
    static WORDS: OnceLock<Plain> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut lists = include_str!("plain.txt").split('#').skip(1).map(|list| {
            let words = list.split_once('\n').map_or("", |(_, words)| words);
            words.split_whitespace()
        });
        Plain {
            glue: lists.next().into_iter().flatten().map(whole).collect(),
            plain: lists.next().into_iter().flatten().map(number).collect(),
        }
    })
}

/// The words of a text that say something, in order, with repetitions; a coined name with its parts.
pub(crate) fn words(text: &str, found: &mut Vec<Word>) {
    let plain = plain();
    for token in text.split(|char: char| !(char.is_alphanumeric() || char == '_')) {
        if token.len() < 2 || token.len() > MAX_WORD_BYTES {
            continue;
        }
        if !token.is_ascii() && token.chars().any(is_unspaced) {
            let starts: Vec<usize> = token.char_indices().map(|(at, _)| at).chain([token.len()]).collect();
            found.extend(starts.windows(3).map(|pair| word(&token[pair[0]..pair[2]], false, plain)));
            continue;
        }
        let short = token.len() == 2 && !token.bytes().all(|byte| byte.is_ascii_uppercase());
        let coined = crate::text::is_coined(token);
        if !short && !plain.glue.contains(&whole(token)) {
            found.push(word(token, coined, plain));
        }
        if coined {
            let parts = parts(token).filter(|part| part.len() >= 4 && part.len() < token.len());
            let parts = parts.filter(|part| !plain.glue.contains(&whole(part)));
            found.extend(parts.map(|part| word(part, false, plain)));
        }
    }
}

fn word(text: &str, coined: bool, plain: &Plain) -> Word {
    let number = number(text);
    // A number alone is anybody's.
    let telling = !plain.plain.contains(&number) && !text.bytes().all(|byte| byte.is_ascii_digit());
    Word { number, telling, coined }
}

/// Writing without spaces between words.
fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{0e00}'..='\u{0e7f}')
}

/// `max` and `size` of `max_size` and `maxSize`.
fn parts(token: &str) -> impl Iterator<Item = &str> {
    token.split('_').flat_map(|part| {
        let mut ends: Vec<usize> = vec![0];
        let mut before = ' ';
        for (at, char) in part.char_indices() {
            if char.is_uppercase() && before.is_lowercase() {
                ends.push(at);
            }
            before = char;
        }
        ends.push(part.len());
        ends.windows(2).map(|pair| &part[pair[0]..pair[1]]).collect::<Vec<_>>()
    })
}

/// The number of a word, which all forms of a word of prose have. 24 bits: four letters each when it is kept.
fn number(word: &str) -> u32 {
    if word.chars().any(|char| !char.is_alphabetic()) {
        return whole(word);
    }
    let word = if word.len() > 3 { word.trim_end_matches(['s', 'S']) } else { word };
    let end = word.char_indices().nth(STEM_CHARS).map_or(word.len(), |(at, _)| at);
    whole(&word[..end])
}

fn whole(word: &str) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    if word.is_ascii() {
        word.bytes().for_each(|byte| add(byte.to_ascii_lowercase()));
    } else {
        let mut bytes = [0; 4];
        let lower = word.chars().flat_map(char::to_lowercase);
        lower.for_each(|char| char.encode_utf8(&mut bytes).bytes().for_each(&mut add));
    }
    ((hash ^ (hash >> 24) ^ (hash >> 48)) & 0xff_ffff) as u32
}

/// The words in all strings of a value, as far as `max` bytes; `false`: there is more.
pub(super) fn words_in(value: &Value, max: usize, found: &mut Vec<Word>) -> bool {
    const MAX_NODES: usize = 4000;
    let (mut waiting, mut bytes, mut nodes) = (vec![value], 0, 0);
    while let Some(value) = waiting.pop() {
        nodes += 1;
        match value {
            Value::String(text) => {
                let cut = &text[..text.floor_char_boundary(max - bytes)];
                words(cut, found);
                bytes += cut.len();
                if cut.len() < text.len() {
                    return false;
                }
            }
            Value::Array(items) => waiting.extend(items.iter().rev().take(MAX_NODES)),
            Value::Object(fields) => waiting.extend(fields.values().take(MAX_NODES)),
            _ => {}
        }
        if nodes > MAX_NODES {
            return false;
        }
    }
    true
}

/// The words of somebody else's text, to be asked whether a word is among them. A word that is there is always found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Print(Vec<u32>);

impl Print {
    /// Of a result, without the words the agent itself had given.
    pub(super) fn of(value: &Value, given: Option<&Value>) -> String {
        let mut found = Vec::new();
        if !words_in(value, MAX_TEXT_BYTES, &mut found) {
            return TOO_MUCH.to_owned();
        }
        let mut own = Vec::new();
        if let Some(given) = given {
            words_in(given, MAX_TEXT_BYTES, &mut own);
        }
        let own: HashSet<u32> = own.iter().map(|word| word.number).collect();
        let numbers: HashSet<u32> =
            found.iter().map(|word| word.number).filter(|number| !own.contains(number)).collect();
        if numbers.len() > MAX_PRINTED {
            return TOO_MUCH.to_owned();
        }
        let bits = (numbers.len() * BITS_A_WORD).clamp(MIN_BITS, MAX_BITS).next_multiple_of(24);
        let mut cells = vec![0_u32; bits / 24];
        for number in numbers {
            for bit in places(number, bits) {
                cells[bit / 24] |= 1 << (bit % 24);
            }
        }
        format!("{PRINT}{}", encode(&cells))
    }

    /// `None`: it cannot be compared with.
    pub(super) fn read(text: &str) -> Option<Self> {
        let cells = decode(text.strip_prefix(PRINT)?);
        (!cells.is_empty()).then_some(Self(cells))
    }

    pub(super) fn holds(&self, number: u32) -> bool {
        places(number, self.0.len() * 24).all(|bit| self.0[bit / 24] & (1 << (bit % 24)) != 0)
    }
}

fn places(number: u32, bits: usize) -> impl Iterator<Item = usize> {
    let spread = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..3).map(move |turn| (spread.rotate_left(turn * 21) >> 20) as usize % bits)
}

/// The first telling words of a list, each once, as text: names before words of prose.
pub(super) fn listed(found: &[Word], max: usize) -> String {
    let mut seen = HashSet::new();
    let coined = found.iter().filter(|word| word.coined);
    let telling = coined.chain(found).filter(|word| word.telling && seen.insert(word.number));
    encode(&telling.map(|word| word.number).take(max).collect::<Vec<_>>())
}

/// So many numbers as text, in an order that does not depend on the set they come from.
pub(super) fn list(numbers: impl Iterator<Item = u32>, max: usize) -> String {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.truncate(max);
    encode(&numbers)
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn encode(numbers: &[u32]) -> String {
    let letter = |number: u32, at: u32| char::from(LETTERS[(number >> (18 - 6 * at)) as usize & 63]);
    numbers.iter().flat_map(|&number| (0..4).map(move |at| letter(number, at))).collect()
}

pub(super) fn decode(text: &str) -> Vec<u32> {
    let value = |byte: &u8| LETTERS.iter().position(|letter| letter == byte).unwrap_or(0) as u32;
    text.as_bytes()
        .chunks_exact(4)
        .map(|four| four.iter().fold(0, |number, byte| (number << 6) | value(byte)))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(text: &str) -> Vec<Word> {
        let mut found = Vec::new();
        words(text, &mut found);
        found
    }

    #[test]
    fn a_print_holds_every_word_of_its_text_and_few_others() {
        let text = (0..750).map(|at| format!("word{at}x of frob{at}nicate")).collect::<Vec<_>>().join(", ");
        let print = Print::read(&Print::of(&json!({ "result": text }), None)).unwrap();
        assert!(of(&text).iter().all(|word| print.holds(word.number)));
        let wrong = (0..1000).filter(|at| print.holds(of(&format!("other{at}y"))[0].number)).count();
        assert!(wrong < 250, "{wrong} of 1000 words seem to be there");
        assert!(Print::of(&json!(text), None).len() <= 1000);
        let long = (0..9000).map(|at| format!("word{at}x")).collect::<Vec<_>>().join(" ");
        assert_eq!(Print::of(&json!(long), None), TOO_MUCH);
        assert!(!Print::read(&Print::of(&json!(""), None)).unwrap().holds(7));
    }

    #[test]
    fn forms_of_a_word_and_parts_of_a_name_are_one() {
        assert_eq!(of("verification")[0].number, of("verified")[0].number);
        assert!(of("quxuConfig").iter().any(|word| word.number == of("quxu")[0].number));
        assert!(of("frobnicate")[0].telling && !of("cached")[0].telling);
        assert!(of("the and to").is_empty() && !of("1042")[0].telling);
        assert_eq!(of("认证令牌").len(), 3);
    }

    #[test]
    fn a_list_reads_as_it_was_written() {
        let numbers = [0, 1, 0xff_ffff, 0x12_3456];
        assert_eq!(decode(&encode(&numbers)), numbers);
    }
}
