//! What the text tells of what a command says: `echo`, `printf`, `pwd`, `cat` of a here-document. Shells that read
//! their script from it are read, too.

use std::ops::Range;
use std::sync::Arc;

use super::reader::{Around, Reader};
use super::words::Holes;
use super::words::{as_text, join};
use super::{Command, Part, Redirect, RedirectKind, Word, Wrap};

/// The pieces of a format with words between them.
fn filled<T: AsRef<str>>(pieces: &[T], words: &[Word]) -> Word {
    let mut said = Word::literal(pieces.first().map(AsRef::as_ref).unwrap_or_default());
    for (piece, word) in pieces.iter().skip(1).zip(words) {
        word.parts().iter().for_each(|part| said.push(part.clone()));
        said.push(Part::Text(piece.as_ref().to_owned()));
    }
    said
}

/// The pieces of a format with one place, used so many times.
fn again(pieces: &[&str], times: usize) -> Vec<String> {
    let [before, behind] = pieces else { return Vec::new() };
    let between = std::iter::repeat_n(format!("{behind}{before}"), times.saturating_sub(1));
    std::iter::once((*before).to_owned()).chain(between).chain([(*behind).to_owned()]).collect()
}

/// What `printf` and `echo -e` make of `\n`, `\x2f` and `\057`.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let digits = |from: usize, most: usize, radix: u32| {
            let end = behind[from.min(behind.len())..]
                .chars()
                .take(most)
                .take_while(|sign| sign.is_digit(radix))
                .count();
            let number = u8::from_str_radix(behind.get(from..from + end)?, radix).ok()?;
            number.is_ascii().then_some((char::from(number), from + end))
        };
        let read = match behind.as_bytes().first() {
            Some(b'x') => digits(1, 2, 16),
            Some(b'0') => digits(0, 4, 8),
            Some(b'1'..=b'7') => digits(0, 3, 8),
            Some(b'n') => Some(('\n', 1)),
            Some(b't') => Some(('\t', 1)),
            Some(b'\\') => Some(('\\', 1)),
            _ => None,
        };
        let (letter, used) = read.unwrap_or(('\\', 0));
        plain.push(letter);
        rest = &behind[used..];
    }
    plain.push_str(rest);
    plain
}

/// Programs whose output is their input, less or in another order.
const PASS_ON: &[&str] = &["cat", "tee", "sort", "uniq", "tac", "head", "tail", "grep", "egrep"];

/// A command that reads its standard input, which may stand on a later line.
pub(super) struct Waiting {
    pub(super) at: usize,
    pub(super) what: What,
}

/// What it makes of it.
pub(super) enum What {
    /// A shell runs it.
    Script,
    /// A shell on another machine does.
    Elsewhere,
    /// Words of a program: `xargs`.
    Words,
    /// Values: `read`.
    Names(Vec<String>),
    /// Values within a group: `while read x; do …; done`.
    Loop(Again),
}

/// A group to be read again.
pub(super) struct Again {
    pub(super) text: Arc<str>,
    pub(super) holes: Holes,
    pub(super) around: Around,
    pub(super) folder: Option<Arc<Word>>,
}

enum Fed {
    Text(Word),
    /// A here-document that stands on a later line.
    Waits,
    Unknown,
}

impl Reader {
    /// What a substitution's only command says.
    pub(super) fn said(&self, range: Range<usize>) -> Option<Word> {
        let mut said = Vec::new();
        for at in range {
            said.push(self.says(at)?);
        }
        let mut said = (!said.is_empty()).then(|| join(said))?;
        // A substitution leaves out the last line ends.
        if let Some(Part::Text(text)) = said.parts.last_mut() {
            text.truncate(text.trim_end_matches('\n').len());
        }
        Some(said)
    }

    fn says(&self, at: usize) -> Option<Word> {
        let command = self.script.commands.get(at)?;
        // What goes into a file says nothing; what goes beside it, or into a program, does.
        let is_away = |redirect: &Redirect| {
            redirect.kind.is_output()
                && redirect.number.is_none_or(|at| at == 1)
                && !redirect.target.is_sink()
        };
        if command.redirects.iter().any(is_away) || command.is_elsewhere {
            return None;
        }
        let arguments = command.arguments();
        match command.program()?.as_str() {
            "echo" => {
                let is_option = |word: &&Word| {
                    word.text().is_some_and(|text| matches!(&*text, "-n" | "-e" | "-E" | "-ne" | "-en"))
                };
                let options = arguments.iter().take_while(is_option).count();
                let escapes = arguments[..options].iter().any(|option| option.prefix().contains('e'));
                let words = arguments[options..].iter().map(|word| match word.text() {
                    Some(text) if escapes && !word.is_home() => Word::literal(&unescaped(&text)),
                    _ => word.clone(),
                });
                Some(join(words.collect()))
            }
            "printf" => {
                let format = unescaped(&arguments.first()?.text()?).replace("%b", "%s");
                let arguments = &arguments[1..];
                let pieces: Vec<&str> = format.split("%s").collect();
                if pieces.iter().any(|piece| piece.contains('%')) {
                    return None;
                }
                match pieces.len() - 1 {
                    0 => Some(Word::literal(&format)),
                    places if places == arguments.len() => Some(filled(&pieces, arguments)),
                    // The format is used again for the rest.
                    1 => Some(filled(&again(&pieces, arguments.len()), arguments)),
                    _ => None,
                }
            }
            "pwd" => Some(
                command.folder.as_ref().map_or_else(|| Word::literal("."), |folder| folder.as_ref().clone()),
            ),
            program
                if program == "tee"
                    || (program == "cat"
                        && arguments.iter().all(|word| word.text().as_deref() == Some("-"))) =>
            {
                let input = self.script.input_of(at)?;
                matches!(input.kind, RedirectKind::Document | RedirectKind::Text).then_some(())?;
                self.document_of(input).cloned()
            }
            _ => None,
        }
    }

    fn fed_to(&self, at: usize) -> Fed {
        if let Some(input) = self.script.input_of(at) {
            return match (input.kind, self.document_of(input)) {
                (RedirectKind::Document | RedirectKind::Text, Some(text)) => Fed::Text(text.clone()),
                (RedirectKind::Document, None) => Fed::Waits,
                _ => match input.target.parts() {
                    [Part::Process(range)] => self.said(range.clone()).map_or(Fed::Unknown, Fed::Text),
                    _ => Fed::Unknown,
                },
            };
        }
        let upstream = self.script.upstream(at);
        let mut said = Vec::new();
        for at in &upstream {
            let command = &self.script.commands[*at];
            // They leave out lines or turn them around, and say nothing of their own.
            let passes_on = command.program().is_some_and(|program| PASS_ON.contains(&program.as_str()));
            // What it starts says it.
            let is_wrapper = matches!(command.wraps, Some(Wrap::Plain | Wrap::Rights));
            let waits = command.redirects.iter().any(|redirect| self.document_of(redirect).is_none());
            match self.says(*at) {
                Some(word) => said.push(word),
                None if waits => return Fed::Waits,
                None if is_wrapper || (passes_on && self.is_piped(*at)) => {}
                None => return Fed::Unknown,
            }
        }
        if said.is_empty() { Fed::Unknown } else { Fed::Text(join(said)) }
    }

    /// What it reads stands on a later line.
    pub(super) fn waits(&mut self, at: usize) -> bool {
        let upstream = self.script.upstream(at).len();
        self.pay(upstream) && matches!(self.fed_to(at), Fed::Waits)
    }

    /// Its input comes through a pipe, its own or that of what it stands in.
    fn is_piped(&self, at: usize) -> bool {
        !self.script.upstream(at).is_empty()
    }

    /// Reads what gets its text through its standard input, where that is known by now.
    pub(super) fn feed(&mut self, is_last: bool) {
        /// What is read so may itself be fed; a shell that is fed its own name would never end.
        const ROUNDS: usize = 4;
        for _ in 0..if is_last { ROUNDS } else { 1 } {
            self.feed_once(is_last);
        }
    }

    fn feed_once(&mut self, is_last: bool) {
        for waiting in std::mem::take(&mut self.fed) {
            let at = waiting.at;
            let upstream = self.script.upstream(at).len();
            if !self.pay(upstream) {
                return;
            }
            match (self.fed_to(at), waiting.what) {
                (Fed::Waits, what) if !is_last => self.fed.push(Waiting { at, what }),
                (Fed::Text(text), What::Script) => self.run_text(at, &[text]),
                (Fed::Text(text), What::Elsewhere) => self.start_text(at, Wrap::Elsewhere, &[text]),
                (_, What::Words) => {
                    let command = &self.script.commands[at];
                    let (words, folder) = (command.words.clone(), command.folder.clone());
                    let mark = self.state.mark();
                    self.state.enter(folder);
                    self.xargs(at, &words);
                    self.state.back(mark);
                }
                (Fed::Text(text), What::Names(names)) => self.set_read(&names, &text),
                (Fed::Text(text), What::Loop(again)) => self.read_again(&again, text),
                _ => {}
            }
        }
    }

    /// A group that reads what it is fed, now that this is known.
    fn read_again(&mut self, again: &Again, text: Word) {
        let cost = text.len();
        if !self.pay(cost) {
            return;
        }
        let (outer, before) = (std::mem::replace(&mut self.around, again.around.clone()), self.read.take());
        let mark = self.state.mark();
        self.state.enter(again.folder.clone());
        self.read = Some(text);
        self.nested(Arc::clone(&again.text), Arc::clone(&again.holes), Self::command);
        self.read = before;
        self.state.back(mark);
        self.around = outer;
    }

    /// What `read` and its kin put into variables.
    pub(super) fn set_read(&mut self, names: &[String], text: &Word) {
        if !self.pay(text.len() * names.len()) {
            return;
        }
        // One name has whole lines; several share their words, each any of them.
        let words = if names.len() == 1 { split_at(text, &['\n', '\0']) } else { split_lines(text) };
        for name in names {
            self.state.set(name, words.clone());
        }
    }

    /// Sets what a command reads into variables: what it is fed, what its loop is fed, or something unknown.
    pub(super) fn reads(&mut self, at: usize, names: Vec<String>) {
        for name in &names {
            self.state.set_unknown(name);
        }
        let has_own = self.script.commands[at].redirects.iter().any(|redirect| redirect.kind.is_input());
        match self.read.clone().filter(|_| !has_own) {
            Some(text) => self.set_read(&names, &text),
            None => match self.fed_to(at) {
                Fed::Text(text) => self.set_read(&names, &text),
                Fed::Waits => self.fed.push(Waiting { at, what: What::Names(names) }),
                Fed::Unknown => {}
            },
        }
    }

    /// Reads words as a script that the command at `at` runs in a process of its own.
    pub(super) fn run_text(&mut self, at: usize, words: &[Word]) {
        let (text, holes) = as_text(words);
        let around = self.inside(at);
        let mark = self.state.mark();
        let command: &Command = &self.script.commands[at];
        let (folder, sets) = (command.folder.clone(), command.assignments.clone());
        self.state.enter(folder);
        for (name, value) in sets {
            self.state.set(&name, vec![value]);
        }
        self.script(Arc::from(text), holes, around);
        self.state.back(mark);
    }

    /// What a command has that another one starts.
    pub(super) fn inside(&self, at: usize) -> Around {
        let command = &self.script.commands[at];
        Around {
            pipe: None,
            input: Some(at),
            within: Some(at),
            is_elsewhere: command.is_elsewhere,
            function: command.function.clone(),
        }
    }

    /// The words that reach a command through its standard input.
    pub(super) fn fed_words(&mut self, at: usize, by_lines: bool) -> Vec<Word> {
        let upstream = self.script.upstream(at).len();
        if !self.pay(upstream) {
            return Vec::new();
        }
        if let Fed::Text(word) = self.fed_to(at) {
            return if by_lines { split_at(&word, &['\n', '\0']) } else { split_lines(&word) };
        }
        let mut words = Vec::new();
        for at in self.script.upstream(at) {
            let command = &self.script.commands[at];
            match command.program().as_deref() {
                Some("find" | "gfind") => words.extend(super::unwrap::found_by(command)),
                Some("ls" | "gls") => words.extend(super::unwrap::listed_by(command)),
                _ => {}
            }
        }
        if words.is_empty() { vec![Word { parts: vec![Part::Given] }] } else { words }
    }
}

fn split_lines(word: &Word) -> Vec<Word> {
    split_at(word, &[' ', '\t', '\n', '\0'])
}

fn split_at(word: &Word, signs: &[char]) -> Vec<Word> {
    let mut words = vec![Word::default()];
    for part in word.parts() {
        let Part::Text(text) = part else {
            words.last_mut().into_iter().for_each(|word| word.push(part.clone()));
            continue;
        };
        for (at, piece) in text.split(signs).enumerate() {
            if at > 0 {
                words.push(Word::default());
            }
            words.last_mut().into_iter().for_each(|word| word.push(Part::Text(piece.to_owned())));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
