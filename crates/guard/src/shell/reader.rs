//! The structure of a script: lists, pipelines, groups, loops, functions, simple commands. One pass; what is read again
//! (a function's body when it is called, a text given to `eval`) is paid from a supply that grows with the script's
//! length alone.

use std::ops::Range;
use std::sync::Arc;

use super::fed::{Again, Waiting, What};
use super::state::{State, Value};
use super::words::Holes;
use super::{Command, MAX_BYTES, MAX_COMMANDS, Part, Redirect, Script, Word};

/// Groups, substitutions and texts within each other. People nest five; each level costs stack.
const MAX_DEPTH: usize = 32;
/// What may be read again or copied, for each byte of the script and for a short one at least.
const SUPPLY_PER_BYTE: usize = 16;
const SUPPLY_AT_LEAST: usize = 256 * 1024;
/// They put what they are fed into variables.
pub(super) const READ: &[&str] = &["read", "mapfile", "readarray"];

pub(super) fn read(command: &str) -> Script {
    let end = if command.len() <= MAX_BYTES { command.len() } else { floor(command, MAX_BYTES) };
    let mut reader = Reader::new(&command[..end]);
    reader.script.is_truncated = end < command.len();
    reader.list(&End::Text);
    reader.feed(true);
    reader.finish()
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

pub(super) struct Reader {
    pub(super) source: Source,
    pub(super) script: Script,
    pub(super) state: State,
    pub(super) around: Around,
    supply: usize,
    depth: usize,
    /// Nothing is read any more.
    pub(super) is_halted: bool,
    pub(super) documents: Vec<Option<Word>>,
    pub(super) fed: Vec<Waiting>,
    /// What is fed to the group that is being read again.
    pub(super) read: Option<Word>,
    /// The functions that are being called.
    calls: Vec<String>,
}

/// A text and how far it is read.
pub(super) struct Source {
    pub(super) text: Arc<str>,
    pub(super) at: usize,
    pub(super) limit: usize,
    pub(super) holes: Holes,
    /// Where the last `$name` ended that had no braces.
    pub(super) bare_name_end: usize,
    pub(super) pending: Vec<Pending>,
}

/// A here-document whose text begins on the next line.
pub(super) struct Pending {
    pub(super) document: usize,
    pub(super) delimiter: String,
    pub(super) is_literal: bool,
    pub(super) strips_tabs: bool,
}

/// What a command has from where it stands.
#[derive(Clone, Default)]
pub(super) struct Around {
    pub(super) pipe: Option<(usize, usize)>,
    pub(super) input: Option<usize>,
    pub(super) within: Option<usize>,
    pub(super) is_elsewhere: bool,
    pub(super) function: Option<Arc<str>>,
}

/// Where a list ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    Text,
    Parenthesis,
    Word(&'static str),
    /// `;;`, or before `esac`.
    Case,
}

impl Reader {
    fn new(text: &str) -> Self {
        Self {
            source: Source::new(text.into(), Vec::new().into()),
            script: Script::default(),
            state: State::default(),
            around: Around::default(),
            supply: text.len() * SUPPLY_PER_BYTE + SUPPLY_AT_LEAST,
            depth: 0,
            is_halted: false,
            documents: Vec::new(),
            fed: Vec::new(),
            read: None,
            calls: Vec::new(),
        }
    }

    fn finish(mut self) -> Script {
        self.script.is_truncated |= self.state.overflows;
        for command in &mut self.script.commands {
            for redirect in &mut command.redirects {
                if let Some(document) = redirect.document.and_then(|at| self.documents[at].take()) {
                    redirect.target = document;
                }
            }
        }
        self.script
    }

    /// Takes from the supply; without it nothing is read any more.
    pub(super) fn pay(&mut self, bytes: usize) -> bool {
        if bytes > self.supply {
            self.halt();
            return false;
        }
        self.supply -= bytes;
        true
    }

    fn halt(&mut self) {
        self.script.is_truncated = true;
        self.is_halted = true;
    }

    /// One level deeper, if there is room.
    pub(super) fn deeper<T: Default>(&mut self, within: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.halt();
            return T::default();
        }
        self.depth += 1;
        let value = within(self);
        self.depth -= 1;
        value
    }

    /// Reads another text with the same state.
    pub(super) fn nested(&mut self, text: Arc<str>, holes: Holes, read: impl FnOnce(&mut Self)) {
        if !self.pay(text.len()) {
            return;
        }
        let outer = std::mem::replace(&mut self.source, Source::new(text, holes));
        self.deeper(read);
        self.source = outer;
    }

    /// A text that is a script, with what surrounds it.
    pub(super) fn script(&mut self, text: Arc<str>, holes: Holes, around: Around) {
        let outer = std::mem::replace(&mut self.around, around);
        self.nested(text, holes, |reader| reader.list(&End::Text));
        self.around = outer;
    }

    pub(super) fn unreadable(&mut self) {
        self.script.is_unreadable = true;
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        let at = self.source.at + ahead;
        (at < self.source.limit && !self.is_halted).then(|| self.source.text.as_bytes()[at])
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        !self.is_halted
            && self.source.at <= self.source.limit
            && self.source.text.as_bytes()[self.source.at..self.source.limit].starts_with(text.as_bytes())
    }

    /// Blanks, continued lines and a comment.
    pub(super) fn blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.source.at += 1,
                b'\\' if self.peek_at(1) == Some(b'\n') => self.source.at += 2,
                b'#' => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.source.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Blanks and line ends.
    pub(super) fn lines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.line_end();
        }
    }

    /// The texts of here-documents begin behind a line's end.
    pub(super) fn line_end(&mut self) {
        self.source.at += 1;
        for pending in std::mem::take(&mut self.source.pending) {
            self.document(&pending);
        }
        self.feed(false);
    }

    fn document(&mut self, pending: &Pending) {
        let (text, begin) = (Arc::clone(&self.source.text), self.source.at);
        let (mut end, mut is_closed) = (begin, false);
        while !is_closed && end < self.source.limit && !self.is_halted {
            let line_end = text[end..self.source.limit].find('\n').map_or(self.source.limit, |at| end + at);
            let line = &text[end..line_end];
            let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
            is_closed = line == pending.delimiter;
            self.source.at = (line_end + 1).min(self.source.limit);
            if !is_closed {
                end = self.source.at;
            }
        }
        let word = if pending.is_literal {
            Word::literal(&text[begin..end])
        } else {
            let mut word = Word::default();
            let holes = Arc::clone(&self.source.holes);
            self.nested(text[begin..end].into(), holes, |reader| word = reader.document_text());
            word
        };
        self.documents[pending.document] = Some(word);
    }

    /// The text of a here-document. `None` while it is not read yet.
    pub(super) fn document_of<'a>(&'a self, redirect: &'a Redirect) -> Option<&'a Word> {
        match redirect.document {
            Some(at) => self.documents[at].as_ref(),
            None => Some(&redirect.target),
        }
    }

    pub(super) fn list(&mut self, end: &End) {
        self.deeper(|reader| reader.commands(end));
    }

    fn commands(&mut self, end: &End) {
        loop {
            self.lines();
            let Some(byte) = self.peek() else {
                if !matches!(end, End::Text | End::Case) {
                    self.unreadable();
                }
                return;
            };
            match (byte, end) {
                (b')', End::Parenthesis) => {
                    self.source.at += 1;
                    return;
                }
                (b';', End::Case) if matches!(self.peek_at(1), Some(b';' | b'&')) => {
                    self.source.at += 2;
                    if self.peek() == Some(b'&') {
                        self.source.at += 1;
                    }
                    return;
                }
                (_, End::Word(word)) if self.reserved() == Some(*word) => {
                    self.source.at += word.len();
                    return;
                }
                (_, End::Case) if self.reserved() == Some("esac") => return,
                (b'&' | b'|', _) if self.peek_at(1) == Some(byte) => {
                    self.source.at += 2;
                    self.lines();
                    if self.peek().is_none() {
                        self.unreadable();
                    }
                }
                (b';' | b'&' | b'|', _) => self.source.at += 1,
                (b')', _) => {
                    self.unreadable();
                    self.source.at += 1;
                }
                _ => self.pipeline(),
            }
        }
    }

    /// A word that means something to the shell where a command may begin.
    pub(super) fn reserved(&self) -> Option<&'static str> {
        const RESERVED: &[&str] = &[
            "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case",
            "esac", "function", "time", "coproc", "[[", "{", "}", "!",
        ];
        // `do` begins `done`, too.
        let is_whole =
            |word: &&&str| self.starts_with(word) && self.peek_at(word.len()).is_none_or(ends_word);
        RESERVED.iter().find(is_whole).copied()
    }

    fn pipeline(&mut self) {
        let (first, outer, before) = (self.script.commands.len(), self.around.clone(), self.state.mark());
        let mut stages = 0;
        loop {
            let stage = self.script.commands.len();
            if stages > 0 {
                self.around.pipe = Some((first, stage));
                self.around.input = None;
            }
            let mark = self.state.mark();
            self.command();
            stages += 1;
            self.blanks();
            let is_piped = self.peek() == Some(b'|') && self.peek_at(1) != Some(b'|');
            if !is_piped {
                // Each stage of a pipeline is a process of its own.
                if stages > 1 {
                    self.state.back(mark);
                }
                break;
            }
            self.state.back(mark);
            self.source.at += 1 + usize::from(self.peek_at(1) == Some(b'&'));
            self.lines();
            if self.peek().is_none() {
                break;
            }
        }
        self.around = outer;
        if self.peek() == Some(b'&') && self.peek_at(1) != Some(b'&') {
            for command in &mut self.script.commands[first..] {
                command.is_background = true;
            }
            self.state.back(before);
        }
    }

    /// One stage of a pipeline.
    pub(super) fn command(&mut self) {
        self.blanks();
        let (first, begin, folder) = (self.script.commands.len(), self.source.at, self.state.folder());
        let is_group = self.peek() == Some(b'(') || self.reserved().is_some();
        self.one(first);
        if is_group && self.read.is_none() {
            self.may_read_again(first, begin, folder);
        }
    }

    /// A group with a `read` in it is read again when it is known what that reads.
    fn may_read_again(&mut self, first: usize, begin: usize, folder: Option<Arc<Word>>) {
        let reads = |command: &Command| {
            let is_fed = command.redirects.iter().all(|redirect| !redirect.kind.is_input());
            is_fed && command.program().is_some_and(|program| READ.contains(&program.as_str()))
        };
        let Some(at) = self.script.commands[first..].iter().position(reads) else { return };
        let end = self.source.at.clamp(begin, self.source.limit);
        if self.pay(end - begin) {
            let text = self.source.text[begin..end].into();
            let (holes, around) = (Arc::clone(&self.source.holes), self.around.clone());
            let what = What::Loop(Again { text, holes, around, folder });
            self.fed.push(Waiting { at: first + at, what });
        }
    }

    fn one(&mut self, first: usize) {
        if self.peek() == Some(b'(') {
            if self.starts_with("((") && self.skip_calculation() {
                return self.behind_group(first);
            }
            self.source.at += 1;
            let mark = self.state.mark();
            self.list(&End::Parenthesis);
            self.state.back(mark);
            return self.behind_group(first);
        }
        let Some(word) = self.reserved() else { return self.simple() };
        let end = match word {
            "if" => End::Word("fi"),
            "while" | "until" => End::Word("done"),
            "{" => End::Word("}"),
            "for" | "select" => {
                self.source.at += word.len();
                self.loop_head();
                self.list(&End::Word("done"));
                return self.behind_group(first);
            }
            "case" => {
                self.source.at += word.len();
                self.cases();
                return self.behind_group(first);
            }
            "function" => {
                self.source.at += word.len();
                self.blanks();
                let name = self.name();
                self.blanks();
                if self.peek() == Some(b'(') {
                    self.source.at += 1;
                    self.blanks();
                    self.source.at += usize::from(self.peek() == Some(b')'));
                }
                return self.function(&name);
            }
            "[[" => return self.condition(),
            // Whoever they belong to: commands stand behind them.
            "then" | "elif" | "else" | "do" | "!" | "time" | "coproc" => {
                self.source.at += word.len();
                if word == "time" {
                    self.blanks();
                    self.source.at += 2 * usize::from(self.starts_with("-p"));
                }
                self.lines();
                if word == "coproc" {
                    self.skip_group_name();
                }
                return if self.peek().is_some_and(|byte| !b";&|)".contains(&byte)) {
                    self.deeper(Self::command);
                };
            }
            // Ends of nothing.
            _ => {
                self.unreadable();
                return self.simple();
            }
        };
        self.source.at += word.len();
        self.list(&end);
        self.behind_group(first);
    }

    /// `coproc NAME { … }`: only a group may be named.
    fn skip_group_name(&mut self) {
        let begin = self.source.at;
        if self.reserved().is_some() {
            return;
        }
        self.name();
        self.blanks();
        if self.peek() != Some(b'(') && self.reserved().is_none() {
            self.source.at = begin;
        }
    }

    /// Redirections of a group are those of a command without words, and its input is that of all within.
    pub(super) fn behind_group(&mut self, first: usize) {
        let redirects = self.redirects();
        if redirects.is_empty() {
            return;
        }
        let is_input = redirects.iter().any(|redirect| redirect.kind.is_input());
        let at = self.emit(Command { redirects, ..Command::default() });
        if is_input && let Some(at) = at {
            for command in &mut self.script.commands[first..at] {
                if command.piped_from.is_none() && command.input.is_none() {
                    command.input = Some(at);
                }
            }
        }
    }

    pub(super) fn redirects(&mut self) -> Vec<Redirect> {
        let mut all = Vec::new();
        loop {
            self.blanks();
            if !self.redirect(&mut all) {
                return all;
            }
        }
    }

    /// Calls a function of the script, once within itself.
    pub(super) fn call(&mut self, name: &str, words: &[Word], around: Around) {
        let Some(function) = self.state.function(name) else { return };
        if self.calls.iter().any(|called| called == name) {
            return;
        }
        self.calls.push(name.to_owned());
        let before: Option<Value> = self.state.positional();
        self.state.set_positional(Some(words.into()));
        let outer = std::mem::replace(&mut self.around, around);
        self.around.function = Some(name.into());
        self.nested(function.text, function.holes, Self::command);
        self.around = outer;
        self.state.set_positional(before);
        self.calls.pop();
    }

    /// Adds a command with what it has from where it stands. `None`: there is no room.
    pub(super) fn push(&mut self, mut command: Command) -> Option<usize> {
        let at = self.script.commands.len();
        if at >= MAX_COMMANDS {
            self.halt();
            return None;
        }
        let around = &self.around;
        (command.piped_from, command.piped_until) =
            around.pipe.map_or((None, 0), |(from, until)| (Some(from), until));
        command.input = around.input;
        command.within = around.within;
        command.is_elsewhere = around.is_elsewhere;
        command.function.clone_from(&around.function);
        command.folder = self.state.folder();
        let sinks = sinks(&command);
        self.script.commands.push(command);
        for within in sinks {
            for inner in &mut self.script.commands[within] {
                if inner.piped_from.is_none() {
                    (inner.piped_from, inner.piped_until) = (Some(at), at + 1);
                }
            }
        }
        Some(at)
    }
}

/// The commands that read what this one writes into `>( )`.
fn sinks(command: &Command) -> Vec<Range<usize>> {
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    let parts = command.words.iter().chain(targets).flat_map(|word| &word.parts);
    parts.filter_map(|part| if let Part::Sink(range) = part { Some(range.clone()) } else { None }).collect()
}

impl Source {
    fn new(text: Arc<str>, holes: Holes) -> Self {
        let limit = text.len();
        Self { text, at: 0, limit, holes, bare_name_end: 0, pending: Vec::new() }
    }
}

pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
