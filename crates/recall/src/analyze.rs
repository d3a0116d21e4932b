//! Text to index terms, the same for a document and for a question. Words are folded and stemmed; a name made of
//! several words (`fooBar`, `foo_bar`, `--foo-bar`, `src/foo.rs`, `E0382`, `1.2.3`) gives its words, and itself as
//! one more term, so that it is found whole and in parts, however it is written. `#123`, `-v` and an emoji are terms,
//! too. Drops nothing: which words of a question say nothing is the question's business.

use crate::fold;
use crate::stem::stem;

/// A term longer than this is no word of anyone: the rest is left out.
pub const MAX_TERM: usize = 64;
/// A name of more words than this (a long path) is kept by its words alone.
const MAX_NAME_WORDS: usize = 12;

/// A text as terms. All are letters, digits, `_` within a name, or one emoji, so that no index mistakes one for syntax.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Words in the order of the text, stemmed.
    pub words: Vec<String>,
    /// Names made of several words, each as one term.
    pub names: Vec<String>,
}

impl Analysis {
    /// As a full-text index takes it: terms between spaces.
    pub fn joined_words(&self) -> String {
        self.words.join(" ")
    }

    pub fn joined_names(&self) -> String {
        self.names.join(" ")
    }
}

pub fn analyze(text: &str) -> Analysis {
    let mut analysis = Analysis::default();
    each_chunk(text, &mut |chunk| {
        chunk.add_names(&mut analysis.names);
        for mut word in chunk.words() {
            stem(&mut word);
            analysis.words.push(word);
        }
    });
    analysis
}

/// What a text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Prose,
    Code,
}

/// Signs of a program per hundred characters: prose has commas, full stops and now and then a bracket.
const CODE_SIGNS_PERCENT: usize = 4;
/// Enough to tell; the rest of a long text is like its beginning.
const SHAPE_CHARS: usize = 2000;

pub fn shape(text: &str) -> Shape {
    let mut signs = 0;
    let mut seen = 0;
    for letter in text.chars().take(SHAPE_CHARS) {
        seen += usize::from(!letter.is_whitespace());
        signs += usize::from("{}()[];=<>_\\|&$#*\"".contains(letter));
    }
    if signs * 100 > seen * CODE_SIGNS_PERCENT && text.contains('\n') { Shape::Code } else { Shape::Prose }
}

/// A run of word characters with the signs that join them: one word, or a name made of several.
pub(crate) struct Chunk<'a> {
    pub(crate) text: &'a str,
    /// The `#` or `-` it begins with, where nothing stands before that.
    sign: Option<char>,
}

/// Calls `each` with every run of word characters, and with every emoji. A joining sign counts only between two of
/// the former.
pub(crate) fn each_chunk(text: &str, each: &mut dyn FnMut(&Chunk<'_>)) {
    let (mut start, mut sign) = (None, None);
    // The two letters before this one.
    let (mut second, mut first) = (' ', ' ');
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().copied();
        let joins = joins_words(letter) && next.is_some_and(|(_, next)| is_word(next));
        match start {
            None if is_word(letter) => {
                start = Some(at);
                sign = (matches!(first, '#' | '-') && is_opening(second)).then_some(first);
            }
            Some(from) if !is_word(letter) && !joins => {
                each(&Chunk { text: &text[from..at], sign });
                start = None;
            }
            _ => {}
        }
        if is_emoji(letter) {
            let mut end = at + letter.len_utf8();
            // Two letters of a country are one flag.
            if let Some((at, other)) = next.filter(|(_, next)| is_region(letter) && is_region(*next)) {
                end = at + other.len_utf8();
                letters.next();
            }
            each(&Chunk { text: &text[at..end], sign: None });
        }
        (second, first) = (first, letter);
    }
    if let Some(from) = start {
        each(&Chunk { text: &text[from..], sign });
    }
}

/// Where a word may begin.
fn is_opening(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '(' | '[' | '{' | '"' | '\'' | '`' | ',')
}

/// A picture that says something by itself. Skin and form of one are left out, and so are arrows, boxes and brackets.
pub(crate) fn is_emoji(letter: char) -> bool {
    matches!(letter,
        '\u{231a}'..='\u{231b}' | '\u{23e9}'..='\u{23fa}' | '\u{2600}'..='\u{275a}' | '\u{2761}'..='\u{2767}'
        | '\u{2776}'..='\u{27bf}' | '\u{2b50}' | '\u{2b55}' | '\u{1f000}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
        && !letter.is_alphanumeric()
}

fn is_region(letter: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&letter)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || ('\u{300}'..='\u{36f}').contains(&letter)
}

fn joins_words(letter: char) -> bool {
    matches!(letter, '-' | '.' | '/' | ':' | '\'' | '’' | '@' | '+' | '#' | '\\')
}

/// Scripts that put no spaces between words: pairs of letters stand in for them.
fn is_spaceless(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Lower,
    Upper,
    Digit,
    Spaceless,
    Other,
}

fn sort(letter: char) -> Sort {
    if letter.is_numeric() {
        Sort::Digit
    } else if is_spaceless(letter) {
        Sort::Spaceless
    } else if letter.is_uppercase() {
        Sort::Upper
    } else if letter.is_alphabetic() || ('\u{300}'..='\u{36f}').contains(&letter) {
        Sort::Lower
    } else {
        Sort::Other
    }
}

/// How the term of a short flag begins. No name gives such a term: in those `_` stands between digits.
const FLAG: &str = "flag_";

pub(crate) fn is_flag(name: &str) -> bool {
    name.starts_with(FLAG)
}

impl Chunk<'_> {
    /// The chunk without what an apostrophe leaves at the end of an English word.
    fn plain(&self) -> &str {
        match self.text.rfind(['\'', '’']) {
            Some(at) if self.text[at..].chars().count() <= 3 => &self.text[..at],
            _ => self.text,
        }
    }

    /// Its words, folded, not stemmed.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.text.starts_with(is_emoji) {
            words.push(self.text.to_owned());
            return words;
        }
        for segment in self.plain().split(|letter: char| letter == '_' || joins_words(letter)) {
            split_segment(segment, &mut words);
        }
        words
    }

    /// Whether it reads as a name: several words that are one.
    pub(crate) fn is_name(&self) -> bool {
        let plain = self.plain();
        !plain.chars().any(is_spaceless) && self.words().len() > 1
    }

    /// `#123` and `-rf` as terms that no name gives.
    pub(crate) fn sign_name(&self) -> Option<String> {
        const MAX_FLAG: usize = 3;
        const MAX_NUMBER: usize = 12;
        let text = self.text;
        let flag = text.len() <= MAX_FLAG
            && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let number = text.len() <= MAX_NUMBER && text.bytes().all(|byte| byte.is_ascii_digit());
        match self.sign? {
            '-' if flag => Some(text.chars().fold(FLAG.to_owned(), |mut name, letter| {
                // `-V` is another flag than `-v`, and an index makes no difference between the letters.
                name.push_str(if letter.is_ascii_uppercase() { "_" } else { "" });
                name.push(letter.to_ascii_lowercase());
                name
            })),
            '#' if number => Some(format!("number_{text}")),
            _ => None,
        }
    }

    /// The whole, and the parts of a path that are themselves made of several words.
    fn add_names(&self, names: &mut Vec<String>) {
        names.extend(self.sign_name());
        let plain = self.plain();
        if plain.bytes().all(|byte| byte.is_ascii_lowercase()) || plain.chars().any(is_spaceless) {
            return;
        }
        let pieces = plain.split(['/', '\\']).filter(|piece| !piece.is_empty());
        let whole = plain.contains(['/', '\\']).then_some(plain);
        for piece in pieces.chain(whole) {
            let words = Chunk { text: piece, sign: None }.words();
            if (2..=MAX_NAME_WORDS).contains(&words.len()) {
                names.push(join(&words));
            }
        }
    }
}

/// The words written together; between two numbers stays a sign, so that 1.10 is not 11.0.
fn join(words: &[String]) -> String {
    let mut name = String::new();
    for word in words {
        let digits = |letter: Option<char>| letter.is_some_and(char::is_numeric);
        if digits(name.chars().next_back()) && digits(word.chars().next()) {
            name.push('_');
        }
        name.push_str(word);
    }
    stem(&mut name);
    clip(name)
}

/// `HTTPServer2` is http, server, 2; `東京タワー` is its pairs of letters.
fn split_segment(segment: &str, words: &mut Vec<String>) {
    let letters: Vec<(char, Sort)> = segment.chars().map(|letter| (letter, sort(letter))).collect();
    let mut at = 0;
    while at < letters.len() {
        let from = at;
        let first = letters[at].1;
        at += 1;
        while at < letters.len() && goes_on(&letters, from, at) {
            at += 1;
        }
        match first {
            Sort::Other => {}
            Sort::Spaceless if at - from > 1 => {
                words.extend(letters[from..at].windows(2).map(folded));
            }
            _ => words.push(clip(folded(&letters[from..at]))),
        }
    }
    words.retain(|word| !word.is_empty());
}

fn goes_on(letters: &[(char, Sort)], from: usize, at: usize) -> bool {
    let (before, here) = (letters[at - 1].1, letters[at].1);
    match (before, here) {
        (Sort::Upper, Sort::Upper) => {
            // The last capital before small letters begins the next word.
            letters.get(at + 1).is_none_or(|next| next.1 != Sort::Lower)
        }
        (Sort::Upper, Sort::Lower) => at - from == 1,
        _ => before == here,
    }
}

fn folded(letters: &[(char, Sort)]) -> String {
    let mut word = String::with_capacity(letters.len());
    for (letter, _) in letters {
        fold::push(*letter, &mut word);
    }
    // Lower case of a stranger's letter may be more than letters.
    word.retain(char::is_alphanumeric);
    word
}

fn clip(mut word: String) -> String {
    if word.len() > MAX_TERM {
        word.truncate(word.floor_char_boundary(MAX_TERM));
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_whole_and_in_parts_however_it_is_written() {
        for text in [
            "noIgnoreGlobal",
            "no_ignore_global",
            "--no-ignore-global",
            "NO_IGNORE_GLOBAL",
            "no.ignoreGlobal",
        ] {
            let found = analyze(text);
            assert_eq!(found.words, ["no", "ignor", "global"], "{text}");
            assert_eq!(found.names, ["noignoreglob"], "{text}");
        }
    }

    #[test]
    fn paths_codes_and_versions_keep_what_tells_them_apart() {
        assert_eq!(analyze("crates/ignore/src/pathutil.rs").names, ["pathutilr", "cratesignoresrcpathutilr"]);
        assert_eq!(analyze("error[E0382]: HTTPServer2").words, ["error", "e", "0382", "http", "server", "2"]);
        assert_eq!(analyze("E0382").names, ["e0382"]);
        assert_ne!(analyze("1.10.0").names, analyze("11.0.0").names);
        assert_eq!(analyze("v1.2.3").names, ["v1_2_3"]);
    }

    #[test]
    fn emoji_issue_numbers_and_short_flags_are_terms() {
        assert_eq!(analyze("shipped🚀 it ✅️ 🇩🇪🇫🇷 👍🏽").words, ["ship", "🚀", "it", "✅", "🇩🇪", "🇫🇷", "👍"]);
        assert!(analyze("🚀 a → b │ ❯ • “x”").names.is_empty());
        assert_eq!(analyze("a → b │ ❯ • “x”").words, ["a", "b", "x"]);
        assert_eq!(analyze("fixes (#123) with rm -rf").names, ["number_123", "flag_rf"]);
        assert_eq!(analyze("-v").words, ["v"]);
        assert_eq!(analyze("`-V`, -j2").names, ["flag__v", "flag_j2", "j2"]);
        assert!(analyze("--v a-b - c #abc x -force ##1").names.iter().all(|name| !name.contains('_')));
    }

    #[test]
    fn contractions_and_possessives_are_their_word() {
        assert_eq!(analyze("don't the user's you’re").words, ["don", "the", "user", "you"]);
        assert!(analyze("don't user's").names.is_empty());
    }

    #[test]
    fn scripts_without_spaces_are_pairs_of_letters() {
        assert_eq!(analyze("東京タワー").words, ["東京", "京タ", "タワ", "ワー"]);
        assert_eq!(analyze("猫").words, ["猫"]);
        assert_eq!(analyze("Привет, Мир").words, ["привет", "мир"]);
    }

    #[test]
    fn code_is_told_from_prose_by_its_own_text() {
        assert_eq!(shape("def f(a, b=None):\n    \"\"\"Adds.\"\"\"\n    return a[b]"), Shape::Code);
        assert_eq!(
            shape("We moved the parser (see the notes)\nand it is faster now, by half."),
            Shape::Prose
        );
        assert_eq!(shape(""), Shape::Prose);
    }
}
