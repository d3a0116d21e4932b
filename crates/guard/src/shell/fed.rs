//! What the text tells of what a command says: `echo`, `printf`, `pwd`, `cat` of a here-document. Shells that read
//! their script from it are read, too.

use std::ops::Range;
use std::sync::Arc;

use super::reader::{Around, Reader};
use super::words::{as_text, join};
use super::{Command, Part, RedirectKind, Word};

/// The pieces of a format with words between them.
fn filled(pieces: &[&str], words: &[Word]) -> Word {
    let mut said = Word::literal(pieces.first().copied().unwrap_or_default());
    for (piece, word) in pieces.iter().skip(1).zip(words) {
        word.parts().iter().for_each(|part| said.push(part.clone()));
        said.push(Part::Text((*piece).to_owned()));
    }
    said
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
        (!said.is_empty()).then(|| join(said))
    }

    fn says(&self, at: usize) -> Option<Word> {
        let command = self.script.commands.get(at)?;
        if command.redirects.iter().any(|redirect| redirect.kind.is_output()) || command.is_elsewhere {
            return None;
        }
        let arguments = command.arguments();
        match command.program()?.as_str() {
            "echo" => {
                let is_option = |word: &&Word| {
                    word.text().is_some_and(|text| matches!(&*text, "-n" | "-e" | "-E" | "-ne" | "-en"))
                };
                let options = arguments.iter().take_while(is_option).count();
                Some(join(arguments[options..].to_vec()))
            }
            "printf" => {
                let format = arguments.first()?.text()?.replace("\\n", "\n").replace("%b", "%s");
                let arguments = &arguments[1..];
                let pieces: Vec<&str> = format.split("%s").collect();
                if pieces.iter().any(|piece| piece.contains('%')) {
                    return None;
                }
                match pieces.len() - 1 {
                    0 => Some(Word::literal(&format)),
                    places if places == arguments.len() => Some(filled(&pieces, arguments)),
                    // The format is used again for the rest; between words anything may stand.
                    1 if format.trim() == "%s" => Some(join(arguments.to_vec())),
                    _ => None,
                }
            }
            "pwd" => Some(
                command.folder.as_ref().map_or_else(|| Word::literal("."), |folder| folder.as_ref().clone()),
            ),
            "cat" if arguments.iter().all(|word| word.text().as_deref() == Some("-")) => {
                let input = command.redirects.iter().rev().find(|redirect| redirect.kind.is_input())?;
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
            let passes_on = matches!(command.program().as_deref(), Some("cat" | "tee"));
            let waits = command.redirects.iter().any(|redirect| self.document_of(redirect).is_none());
            match self.says(*at) {
                Some(word) => said.push(word),
                None if waits => return Fed::Waits,
                None if passes_on && command.piped_from.is_some() => {}
                None => return Fed::Unknown,
            }
        }
        if said.is_empty() { Fed::Unknown } else { Fed::Text(join(said)) }
    }

    /// Reads the scripts of shells that get them through their standard input.
    pub(super) fn feed(&mut self, is_last: bool) {
        for at in std::mem::take(&mut self.fed) {
            let upstream = self.script.upstream(at).len();
            if !self.pay(upstream) {
                return;
            }
            match self.fed_to(at) {
                Fed::Text(text) => self.run_text(at, &[text]),
                Fed::Waits if !is_last => self.fed.push(at),
                Fed::Waits | Fed::Unknown => {}
            }
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
    pub(super) fn fed_words(&mut self, at: usize) -> Vec<Word> {
        let upstream = self.script.upstream(at).len();
        if !self.pay(upstream) {
            return Vec::new();
        }
        if let Fed::Text(word) = self.fed_to(at) {
            return split_lines(&word);
        }
        let mut words = Vec::new();
        for at in self.script.upstream(at) {
            let command = &self.script.commands[at];
            if matches!(command.program().as_deref(), Some("find" | "gfind")) {
                words.extend(super::unwrap::found_by(command));
            }
        }
        if words.is_empty() { vec![Word { parts: vec![Part::Given] }] } else { words }
    }
}

fn split_lines(word: &Word) -> Vec<Word> {
    let mut words = vec![Word::default()];
    for part in word.parts() {
        let Part::Text(text) = part else {
            words.last_mut().into_iter().for_each(|word| word.push(part.clone()));
            continue;
        };
        for (at, piece) in text.split([' ', '\t', '\n', '\0']).enumerate() {
            if at > 0 {
                words.push(Word::default());
            }
            words.last_mut().into_iter().for_each(|word| word.push(Part::Text(piece.to_owned())));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
