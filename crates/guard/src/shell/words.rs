//! One word: quoting, variables, substitutions, patterns, braces. What it becomes may be no word, one or several, as a
//! shell would make of it.

use std::sync::Arc;

use super::reader::{Around, Reader, ends_word};
use super::{Part, Word};

/// Words that one word may become: a loop of sixty in a loop of sixty.
const MAX_WORDS: usize = 4096;
/// How far the end of `[a-z]` is looked for.
pub(super) const MAX_AHEAD: usize = 1024;
/// How far the end of `{a,b}` is looked for; a text this long without a blank has no other meaning.
const MAX_BRACES: usize = 16 * 1024;
/// A text that is read again carries what is unknown in it as one of these letters, which no keyboard has.
const FIRST_HOLE: u32 = 0xF_0000;
const MAX_HOLES: usize = 1024;

/// The unknown parts of a text that is read again.
pub(super) type Holes = Arc<[Part]>;

/// Words as a text to be read again.
pub(super) fn as_text(words: &[Word]) -> (String, Holes) {
    let (mut text, mut holes) = (String::new(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        for part in &word.parts {
            match part {
                Part::Text(part) | Part::Glob(part) => text.push_str(part),
                part => {
                    let hole = char::from_u32(FIRST_HOLE + holes.len().min(MAX_HOLES - 1) as u32);
                    text.extend(hole);
                    if holes.len() < MAX_HOLES {
                        holes.push(part.clone());
                    }
                }
            }
        }
    }
    (text, holes.into())
}

pub(super) fn is_name_byte(byte: u8, is_first: bool) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic() || (!is_first && byte.is_ascii_digit())
}

/// How a part of a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    /// The value of an assignment: not split, but quotes are quotes.
    Value,
    Double,
}

/// What a word has become so far: finished words, and one or several that are being read.
pub(super) struct Builder {
    words: Vec<Word>,
    pub(super) open: Vec<Word>,
    /// Something stands there, though it may be empty: `""`.
    pub(super) is_begun: bool,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self { words: Vec::new(), open: vec![Word::default()], is_begun: false }
    }

    pub(super) fn push(&mut self, part: &Part) {
        self.is_begun = true;
        for word in &mut self.open {
            word.push(part.clone());
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.push(&Part::Text(text.to_owned()));
    }

    /// Ends the word where a value is split.
    pub(super) fn split(&mut self) {
        if std::mem::take(&mut self.is_begun) {
            // Of `{,x}` one word remains; `""` is a word.
            self.words.extend(self.open.drain(..).filter(|word| !word.parts.is_empty()));
        }
        self.open = vec![Word::default()];
    }

    /// Each open word with each of these behind it. False: they are too many, and what stands there is unknown.
    #[must_use]
    fn alternatives(&mut self, words: &[Word]) -> bool {
        self.is_begun = true;
        if self.open.len() * words.len() > MAX_WORDS {
            self.push(&Part::Given);
            return false;
        }
        let joined = self.open.iter().flat_map(|open| {
            words.iter().map(move |word| {
                let mut joined = open.clone();
                word.parts.iter().for_each(|part| joined.push(part.clone()));
                joined
            })
        });
        self.open = joined.collect();
        true
    }

    pub(super) fn finish(mut self) -> Vec<Word> {
        self.split();
        self.words
    }

    pub(super) fn is_at_start(&self) -> bool {
        !self.is_begun
    }
}

impl Reader {
    /// The word that begins here.
    pub(super) fn word(&mut self) -> Vec<Word> {
        let mut builder = Builder::new();
        self.unquoted(&mut builder, Quoting::None);
        builder.finish()
    }

    /// The value of an assignment: one word, however many are in it.
    pub(super) fn value(&mut self) -> Vec<Word> {
        let mut builder = Builder::new();
        self.unquoted(&mut builder, Quoting::Value);
        if builder.is_at_start() { vec![Word::default()] } else { builder.finish() }
    }

    fn unquoted(&mut self, builder: &mut Builder, quoting: Quoting) {
        let is_value = quoting == Quoting::Value;
        while let Some(byte) = self.peek() {
            let follows_colon = self.source.at > 0 && self.source.text.as_bytes()[self.source.at - 1] == b':';
            let tilde_may_stand = builder.is_at_start() || (is_value && follows_colon);
            if !self.may_lengthen(builder) {
                return;
            }
            match byte {
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => {
                    self.source.at += 2;
                    let around = Around { pipe: None, input: None, ..self.around.clone() };
                    let range = self.substitution(around);
                    builder.push(&if byte == b'<' { Part::Process(range) } else { Part::Sink(range) });
                }
                b'(' if self.opens_pattern(builder) => {
                    builder.push(&Part::Glob("*".to_owned()));
                }
                byte if ends_word(byte) => return,
                b'\\' => {
                    self.source.at += 1;
                    if self.peek() == Some(b'\n') {
                        self.source.at += 1;
                        continue;
                    }
                    let letter = self.letter();
                    builder.text(&letter);
                }
                b'\'' => {
                    let text = self.single();
                    builder.text(&text);
                }
                b'"' => self.double(builder),
                b'$' => self.dollar(builder, quoting),
                b'`' => self.backtick(builder, quoting),
                b'~' if tilde_may_stand => self.tilde(builder),
                b'*' | b'?' => {
                    self.source.at += 1;
                    builder.push(&Part::Glob(char::from(byte).to_string()));
                }
                b'[' if self.closes_before_end(b']') => {
                    self.source.at += 1;
                    builder.push(&Part::Glob("[".to_owned()));
                }
                b'{' if !is_value => self.braces(builder),
                _ => self.run(builder, b"\\'\"$`~*?[{: \t\r\n;&|<>()"),
            }
        }
    }

    /// What is read next is put behind each of many words, and paid for each.
    fn may_lengthen(&mut self, builder: &Builder) -> bool {
        builder.open.len() == 1 || self.pay(builder.open.len())
    }

    /// Letters up to one of these; at least one.
    fn run(&mut self, builder: &mut Builder, stops: &[u8]) {
        let begin = self.source.at;
        if self.is_hole() {
            let letter = self.letter();
            let at = letter.chars().next().map_or(0, |c| (c as u32 - FIRST_HOLE) as usize);
            let part = self.source.holes[at].clone();
            return builder.push(&part);
        }
        self.source.at += 1;
        while self.peek().is_some_and(|byte| !stops.contains(&byte)) && !self.is_hole() {
            self.source.at += 1;
        }
        let text = Arc::clone(&self.source.text);
        if builder.open.len() == 1 || self.pay((self.source.at - begin) * builder.open.len()) {
            builder.text(&text[begin..self.source.at]);
        }
    }

    /// A letter that stands for an unknown part.
    fn is_hole(&self) -> bool {
        // All holes are of the plane that begins with this byte.
        if self.source.holes.is_empty() || self.peek() != Some(0xF3) {
            return false;
        }
        let letter = self.source.text[self.source.at..].chars().next().map_or(0, u32::from);
        (FIRST_HOLE..FIRST_HOLE + self.source.holes.len() as u32).contains(&letter)
    }

    pub(super) fn letter(&mut self) -> String {
        if self.peek().is_none() {
            return String::new();
        }
        let letter: String = self.source.text[self.source.at..self.source.limit].chars().take(1).collect();
        self.source.at += letter.len();
        letter
    }

    pub(super) fn single(&mut self) -> String {
        let begin = self.source.at + 1;
        let text = Arc::clone(&self.source.text);
        let Some(length) = text[begin..self.source.limit].find('\'') else {
            self.unreadable();
            self.source.at = self.source.limit;
            return text[begin..self.source.limit].to_owned();
        };
        self.source.at = begin + length + 1;
        text[begin..begin + length].to_owned()
    }

    pub(super) fn double(&mut self, builder: &mut Builder) {
        self.source.at += 1;
        builder.text("");
        while let Some(byte) = self.peek() {
            if byte == b'"' {
                self.source.at += 1;
                return;
            }
            self.in_quotes(builder, b"\"\\$`");
        }
        self.unreadable();
    }

    /// The text of a here-document: as in double quotes, but quotes are letters.
    pub(super) fn document_text(&mut self) -> Word {
        let mut builder = Builder::new();
        while self.peek().is_some() {
            self.in_quotes(&mut builder, b"\\$`");
        }
        join(builder.finish())
    }

    pub(super) fn in_quotes(&mut self, builder: &mut Builder, stops: &[u8]) {
        if !self.may_lengthen(builder) {
            return;
        }
        match self.peek() {
            Some(b'\\') => {
                let text = match self.peek_at(1) {
                    Some(b'\n') => "",
                    Some(b'$') => "$",
                    Some(b'`') => "`",
                    Some(b'\\') => "\\",
                    Some(b'"') if stops.contains(&b'"') => "\"",
                    _ => {
                        self.source.at += 1;
                        return builder.text("\\");
                    }
                };
                self.source.at += 2;
                builder.text(text);
            }
            Some(b'$') => self.dollar(builder, Quoting::Double),
            Some(b'`') => self.backtick(builder, Quoting::Double),
            _ => self.run(builder, stops),
        }
    }

    pub(super) fn tilde(&mut self, builder: &mut Builder) {
        let mut ahead = 1;
        while self.peek_at(ahead).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-.+".contains(&byte))
        {
            ahead += 1;
        }
        let ends = self.peek_at(ahead).is_none_or(|byte| byte == b'/' || byte == b':' || ends_word(byte));
        let written = self.source.text[self.source.at..self.source.at + ahead].to_owned();
        self.source.at += ahead;
        match written.as_str() {
            _ if !ends => builder.text(&written),
            "~+" => self.variable(builder, "PWD", Quoting::Value),
            "~-" => builder.push(&Part::Variable { name: "OLDPWD".to_owned(), may_be_empty: false }),
            _ => builder.push(&Part::Home(written)),
        }
    }

    /// `!(a|b)` and its kin: a pattern, not a group.
    fn opens_pattern(&mut self, builder: &Builder) -> bool {
        if builder.is_at_start() || self.source.at == 0 {
            return false;
        }
        let before = self.source.text.as_bytes()[self.source.at - 1];
        b"?*+@!".contains(&before) && self.skip_parentheses()
    }

    /// Over `( … )`, if it ends soon.
    fn skip_parentheses(&mut self) -> bool {
        let mut depth = 0_usize;
        for ahead in 0..MAX_AHEAD {
            match self.peek_at(ahead) {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(b'$' | b'`' | b'\n') | None => return false,
                _ => {}
            }
            if depth == 0 {
                self.source.at += ahead + 1;
                return true;
            }
        }
        false
    }

    pub(super) fn closes_before_end(&mut self, close: u8) -> bool {
        let found = (1..MAX_AHEAD).map_while(|ahead| Some((ahead, self.peek_at(ahead)?)));
        let found = found.into_iter().find(|(_, byte)| *byte == close || ends_word(*byte));
        self.pay(found.map_or(MAX_AHEAD, |(ahead, _)| ahead)) && found.is_some_and(|(_, byte)| byte == close)
    }

    /// `{a,b}` becomes words; `{1..9}` a pattern; any other brace is a letter.
    fn braces(&mut self, builder: &mut Builder) {
        let begin = self.source.at;
        let Some((cuts, end)) = self.brace_cuts() else {
            self.source.at += 1;
            return builder.text("{");
        };
        if cuts.len() == 2 {
            self.source.at = end;
            return builder.push(&Part::Glob("*".to_owned()));
        }
        // Braces come first: `$a{b,c}` is `$ab $ac`.
        if begin > 0 && self.source.bare_name_end == begin {
            self.source.at = end;
            return builder.push(&Part::Given);
        }
        let limit = self.source.limit;
        let mut alternatives = Vec::new();
        for pair in cuts.windows(2) {
            (self.source.at, self.source.limit) = (pair[0] + 1, pair[1]);
            let mut inner = Builder::new();
            self.deeper(|reader| reader.unquoted(&mut inner, Quoting::None));
            let words = inner.finish();
            if words.is_empty() {
                alternatives.push(Word::default());
            }
            alternatives.extend(words);
        }
        (self.source.at, self.source.limit) = (end, limit);
        self.alternatives(builder, &alternatives);
    }

    /// Each word that is being read with each of these behind it, as far as there is room.
    pub(super) fn alternatives(&mut self, builder: &mut Builder, words: &[Word]) {
        let (cost, open): (usize, usize) = (cost(words), cost(&builder.open));
        if self.pay(cost * builder.open.len() + open * words.len()) && !builder.alternatives(words) {
            self.script.is_truncated = true;
        }
    }

    /// Where the brace, its commas and its end stand, and where the text goes on. Two cuts: a range.
    fn brace_cuts(&mut self) -> Option<(Vec<usize>, usize)> {
        let begin = self.source.at;
        let (mut depth, mut cuts, mut quote, mut is_range) = (0_usize, vec![begin], 0_u8, false);
        let mut ahead = 0;
        let found = loop {
            if ahead >= MAX_BRACES {
                self.script.is_truncated = true;
                break None;
            }
            let Some(byte) = self.peek_at(ahead) else { break None };
            match byte {
                b'\\' => ahead += 1,
                b'\'' | b'"' if quote == 0 => quote = byte,
                _ if byte == quote => quote = 0,
                _ if quote != 0 => {}
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b',' if depth == 1 => cuts.push(begin + ahead),
                b'.' if self.peek_at(ahead + 1) == Some(b'.') => is_range = true,
                byte if ends_word(byte) => break None,
                _ => {}
            }
            if depth == 0 && quote == 0 {
                break Some(begin + ahead);
            }
            ahead += 1;
        };
        let end = found.filter(|_| self.pay(ahead));
        if end.is_none() {
            self.pay(ahead);
        }
        cuts.push(end?);
        (cuts.len() > 2 || is_range).then_some((cuts, end? + 1))
    }
}

/// What it costs to copy words.
pub(super) fn cost(words: &[Word]) -> usize {
    words.iter().map(|word| word.len() + 1).sum()
}

/// Several words that are one after all.
pub(super) fn join(words: Vec<Word>) -> Word {
    let mut joined = Word::default();
    for (at, word) in words.into_iter().enumerate() {
        if at > 0 {
            joined.push(Part::Text(" ".to_owned()));
        }
        word.parts.into_iter().for_each(|part| joined.push(part));
    }
    joined
}
