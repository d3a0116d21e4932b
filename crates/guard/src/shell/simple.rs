//! A simple command: assignments, words, redirections.

use super::reader::{Pending, Reader, ends_word};
use super::unwrap::DECLARE;
use super::words::is_name_byte;
use super::{Command, Redirect, RedirectKind, Word};

impl Reader {
    pub(super) fn simple(&mut self) {
        let mut command = Command::default();
        let (begin, mark) = (self.source.at, self.state.mark());
        loop {
            self.blanks();
            if self.redirect(&mut command.redirects) {
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => {
                    if let [name] = command.words.as_slice()
                        && let Some(name) = name.text()
                        && self.is_empty_parenthesis()
                    {
                        return self.function(&name);
                    }
                    if self.declared_list(&mut command) {
                        continue;
                    }
                    // No shell takes it; what stands there is read all the same.
                    self.unreadable();
                    break;
                }
                _ if command.words.is_empty() && self.assignment(&mut command) => {}
                _ => {
                    // Set for the program alone: its own words do not see it.
                    self.state.back(mark);
                    command.words.extend(self.word());
                }
            }
        }
        if self.source.at == begin && self.peek().is_some() && self.peek() != Some(b'(') {
            self.source.at += 1;
        }
        let has_any =
            !command.words.is_empty() || !command.redirects.is_empty() || !command.assignments.is_empty();
        if has_any {
            self.emit(command);
        }
    }

    /// `local names=(a b)`.
    fn declared_list(&mut self, command: &mut Command) -> bool {
        let declares = command.program().is_some_and(|program| DECLARE.contains(&program.as_str()));
        let name = command.words.last().and_then(Word::text);
        let Some(name) = name.filter(|_| declares).and_then(|name| Some(name.strip_suffix('=')?.to_owned()))
        else {
            return false;
        };
        command.words.pop();
        let words = self.array();
        self.state.set(&name, words);
        true
    }

    fn is_empty_parenthesis(&mut self) -> bool {
        let begin = self.source.at;
        self.source.at += 1;
        self.blanks();
        let is_empty = self.peek() == Some(b')');
        self.source.at = if is_empty { self.source.at + 1 } else { begin };
        is_empty
    }

    /// `name=value`, `name+=value`, `name[at]=value`, `name=(words)`.
    fn assignment(&mut self, command: &mut Command) -> bool {
        let mut ahead = 0;
        while self.peek_at(ahead).is_some_and(|byte| is_name_byte(byte, ahead == 0)) {
            ahead += 1;
        }
        if ahead == 0 {
            return false;
        }
        let name_end = ahead;
        if self.peek_at(ahead) == Some(b'[') {
            while self.peek_at(ahead).is_some_and(|byte| byte != b']' && !ends_word(byte)) {
                ahead += 1;
            }
            ahead += usize::from(self.peek_at(ahead) == Some(b']'));
        }
        let adds = self.peek_at(ahead) == Some(b'+');
        ahead += usize::from(adds);
        if self.peek_at(ahead) != Some(b'=') {
            return false;
        }
        let name = self.source.text[self.source.at..self.source.at + name_end].to_owned();
        let is_one_of_many = name_end + 1 < ahead;
        self.source.at += ahead + 1;
        let mut words = if self.peek() == Some(b'(') { self.array() } else { self.value() };
        if adds || is_one_of_many {
            let before = self.state.variable(&name).unwrap_or_default();
            if is_one_of_many || words.len() != 1 || before.len() != 1 {
                words = before.iter().cloned().chain(words).collect();
            } else {
                let mut joined = before[0].clone();
                words[0].parts.iter().for_each(|part| joined.push(part.clone()));
                words = vec![joined];
            }
        }
        let first = words.first().cloned().unwrap_or_default();
        let cost: usize = words.iter().map(Word::len).sum();
        if self.pay(cost) {
            command.assignments.push((name.clone(), first));
            self.state.set(&name, words);
        }
        true
    }

    fn array(&mut self) -> Vec<Word> {
        self.source.at += 1;
        let mut words = Vec::new();
        loop {
            self.lines();
            match self.peek() {
                None => {
                    self.unreadable();
                    return words;
                }
                Some(b')') => {
                    self.source.at += 1;
                    return words;
                }
                Some(b';' | b'&' | b'|' | b'<' | b'>' | b'(') => self.source.at += 1,
                _ => words.extend(self.word()),
            }
        }
    }

    /// Reads one redirection, if one stands here.
    pub(super) fn redirect(&mut self, all: &mut Vec<Redirect>) -> bool {
        let mut ahead = 0;
        while self.peek_at(ahead).is_some_and(|byte| byte.is_ascii_digit()) {
            ahead += 1;
        }
        let rest =
            &self.source.text.as_bytes()[(self.source.at + ahead).min(self.source.limit)..self.source.limit];
        const SIGNS: &[(&str, RedirectKind)] = &[
            ("&>>", RedirectKind::Append),
            ("&>", RedirectKind::Write),
            ("<<<", RedirectKind::Text),
            ("<<", RedirectKind::Document),
            ("<>", RedirectKind::ReadWrite),
            ("<&", RedirectKind::Duplicate),
            ("<", RedirectKind::Read),
            (">>", RedirectKind::Append),
            (">|", RedirectKind::Write),
            (">&", RedirectKind::Duplicate),
            (">", RedirectKind::Write),
        ];
        let Some((sign, kind)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign.as_bytes())) else {
            return false;
        };
        let is_process = matches!(*sign, "<" | ">") && rest.get(1) == Some(&b'(');
        if self.is_halted || is_process || (sign.starts_with('&') && ahead > 0) {
            return false;
        }
        let number = self.source.text[self.source.at..self.source.at + ahead].parse().ok();
        self.source.at += ahead + sign.len();
        let mut kind = *kind;
        if kind == RedirectKind::Document {
            self.here_document(all, number);
            return true;
        }
        self.blanks();
        let target = self.word();
        if target.is_empty() {
            self.unreadable();
        }
        if kind == RedirectKind::Duplicate {
            let is_number = |word: &Word| {
                word.text().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
            };
            if *sign == ">&" && !target.iter().all(is_number) {
                kind = RedirectKind::Write;
            }
        }
        all.extend(target.into_iter().map(|target| Redirect { kind, target, number, document: None }));
        true
    }

    fn here_document(&mut self, all: &mut Vec<Redirect>, number: Option<u32>) {
        let strips_tabs = self.peek() == Some(b'-');
        self.source.at += usize::from(strips_tabs);
        self.blanks();
        let begin = self.source.at;
        // The delimiter is never expanded; quoting any of it makes the text literal.
        let mut delimiter = String::new();
        let mut is_literal = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' | b'"' => {
                    is_literal = true;
                    self.source.at += 1;
                    let from = self.source.at;
                    while self.peek().is_some_and(|next| next != byte) {
                        self.source.at += 1;
                    }
                    delimiter.push_str(&self.source.text[from..self.source.at]);
                    self.source.at += usize::from(self.peek().is_some());
                }
                b'\\' => {
                    is_literal = true;
                    self.source.at += 1;
                }
                byte if ends_word(byte) => break,
                _ => {
                    let length = self.source.text[self.source.at..].chars().next().map_or(1, char::len_utf8);
                    delimiter.push_str(&self.source.text[self.source.at..self.source.at + length]);
                    self.source.at += length;
                }
            }
        }
        if self.source.at == begin {
            return self.unreadable();
        }
        let document = self.documents.len();
        self.documents.push(None);
        self.source.pending.push(Pending { document, delimiter, is_literal, strips_tabs });
        all.push(Redirect {
            kind: RedirectKind::Document,
            target: Word::default(),
            number,
            document: Some(document),
        });
    }
}
