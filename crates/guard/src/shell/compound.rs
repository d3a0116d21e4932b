//! Loops, cases, conditions and functions.

use std::sync::Arc;

use super::reader::{End, Reader, ends_word};
use super::state::Function;
use super::{Command, Part, Word};

impl Reader {
    /// `name in words` of a loop; `do` is read with the list.
    pub(super) fn loop_head(&mut self) {
        self.blanks();
        if self.starts_with("((") {
            if !self.skip_calculation() {
                self.unreadable();
            }
            return;
        }
        let name = self.name();
        self.lines();
        if !self.starts_with("in") || !self.peek_at(2).is_none_or(ends_word) {
            return self.state.set_unknown(&name);
        }
        self.source.at += 2;
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b'(' | b')') => break,
                Some(b'<' | b'>') if self.peek_at(1) != Some(b'(') => break,
                _ => words.extend(self.word()),
            }
        }
        self.state.set(&name, words);
    }

    pub(super) fn name(&mut self) -> String {
        let begin = self.source.at;
        while self.peek().is_some_and(|byte| !ends_word(byte)) {
            self.source.at += 1;
        }
        self.source.text[begin..self.source.at].to_owned()
    }

    pub(super) fn cases(&mut self) {
        self.blanks();
        self.word();
        self.lines();
        if self.starts_with("in") {
            self.source.at += 2;
        } else {
            self.unreadable();
        }
        loop {
            self.lines();
            if self.reserved() == Some("esac") {
                self.source.at += 4;
                return;
            }
            if self.peek().is_none() {
                return self.unreadable();
            }
            self.source.at += usize::from(self.peek() == Some(b'('));
            let begin = self.source.at;
            loop {
                self.lines();
                match self.peek() {
                    None => return self.unreadable(),
                    Some(b')') => break self.source.at += 1,
                    Some(b'|' | b';' | b'&' | b'<' | b'>' | b'(') => self.source.at += 1,
                    _ => drop(self.word()),
                }
            }
            debug_assert!(self.source.at > begin, "a pattern ends with its bracket");
            self.list(&End::Case);
        }
    }

    /// `[[ … ]]`: words, between which `<`, `&&` and brackets mean no command.
    pub(super) fn condition(&mut self) {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None => {
                    self.unreadable();
                    break;
                }
                Some(b'\n') => self.line_end(),
                Some(b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';') => self.source.at += 1,
                _ => {
                    let read = self.word();
                    let is_last = read.len() == 1 && read[0].text().as_deref() == Some("]]");
                    words.extend(read);
                    if is_last {
                        break;
                    }
                }
            }
        }
        let redirects = self.redirects();
        self.emit(Command { words, redirects, ..Command::default() });
    }

    pub(super) fn function(&mut self, name: &str) {
        self.lines();
        let begin = self.source.at;
        let outer = self.around.clone();
        let mark = self.state.mark();
        self.around.function = Some(name.into());
        let unknown =
            |at: &str| Word { parts: vec![Part::Variable { name: at.to_owned(), may_be_empty: false }] };
        self.state.set_positional(Some(["1", "2", "3", "4", "5", "6", "7", "8", "9"].map(unknown).into()));
        if self.peek() == Some(b'{') {
            // Some shells take `f(){a;}` without a blank.
            self.source.at += 1;
            self.list(&End::Word("}"));
        } else {
            self.deeper(Self::command);
        }
        self.state.back(mark);
        self.around = outer;
        let end = self.source.at.clamp(begin, self.source.limit);
        if self.pay(end - begin) {
            let (text, holes) = (self.source.text[begin..end].into(), Arc::clone(&self.source.holes));
            self.state.define(name, Function { text, holes });
        }
    }
}
