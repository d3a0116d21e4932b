//! A script as the rules see it: its commands with their words as texts, and where they run.

use std::cell::OnceCell;

use super::{Pattern, Place, Rules};
use crate::shell::{Command, Part, RedirectKind, Script, Word, Write, writes_of};

pub(super) struct Look<'a> {
    pub(super) rules: &'a Rules,
    pub(super) place: &'a Place,
    pub(super) script: &'a Script,
    /// As they are written, with `*` for what only a shell could know.
    pub(super) raw: Vec<Vec<String>>,
    /// The same without the program's folder and what git takes before its verb, and with `~` for the home folder: however
    /// a command is written, a rule against it holds.
    pub(super) plain: Vec<Vec<String>>,
    /// What each writes, once somebody asks.
    writes: Vec<OnceCell<Vec<Write>>>,
}

impl<'a> Look<'a> {
    pub(super) fn new(rules: &'a Rules, place: &'a Place, script: &'a Script) -> Self {
        let raw: Vec<Vec<String>> =
            script.commands.iter().map(|command| command.words.iter().map(Word::shape).collect()).collect();
        let home = place.home.as_deref().and_then(|home| home.to_str()).filter(|home| home.len() > 1);
        let plain = raw.iter().map(|words| plain(words, home)).collect();
        let writes = script.commands.iter().map(|_| OnceCell::new()).collect();
        Self { rules, place, script, raw, plain, writes }
    }

    /// The files a command would write.
    pub(super) fn writes(&self, at: usize) -> &[Write] {
        self.writes[at].get_or_init(|| writes_of(&self.script.commands[at]))
    }

    /// What a command says, where its text tells it: `echo`, `printf`, `cat` of a here-document.
    fn said(&self, at: usize) -> Option<String> {
        match self.program(at)?.as_str() {
            "echo" | "printf" => {
                let words = self.raw[at].get(1..).unwrap_or_default();
                let words: Vec<&str> = words
                    .iter()
                    .map(String::as_str)
                    .filter(|word| !matches!(*word, "-n" | "-e" | "-ne"))
                    .collect();
                Some(words.join(" ").replace("\\n", "\n"))
            }
            "cat" | "tee" => self.document(at),
            _ => None,
        }
    }

    fn document(&self, at: usize) -> Option<String> {
        let input = self.script.input_of(at)?;
        // `< <(echo …)`.
        if let [Part::Process(range)] = input.target.parts() {
            let said: Vec<String> = range.clone().filter_map(|at| self.said(at)).collect();
            return (!said.is_empty()).then(|| said.join("\n"));
        }
        matches!(input.kind, RedirectKind::Document | RedirectKind::Text).then(|| input.target.shape())
    }

    /// The text that reaches a command through its standard input, as far as it is known.
    pub(super) fn fed(&self, at: usize) -> Option<String> {
        self.document(at).or_else(|| {
            let said: Vec<String> =
                self.script.upstream(at).into_iter().filter_map(|at| self.said(at)).collect();
            (!said.is_empty()).then(|| said.join("\n"))
        })
    }

    /// The first command that one of these patterns is about.
    pub(super) fn matched<'p>(&self, patterns: &'p [Pattern]) -> Option<(usize, &'p Pattern)> {
        (0..self.script.commands.len()).find_map(|at| {
            let is_it =
                |pattern: &&Pattern| pattern.matches(&self.plain[at]) || pattern.matches(&self.raw[at]);
            Some((at, patterns.iter().find(is_it)?))
        })
    }

    pub(super) fn commands(&self) -> impl Iterator<Item = (usize, &'a Command)> {
        self.script.commands.iter().enumerate()
    }

    /// The name of the program, in small letters: some file systems do not tell them apart.
    pub(super) fn program(&self, at: usize) -> Option<String> {
        let is_known = self.script.commands[at].words.first()?.text().is_some();
        is_known.then(|| self.plain[at].first().map(|word| word.to_ascii_lowercase()))?
    }
}

fn plain(words: &[String], home: Option<&str>) -> Vec<String> {
    let mut plain = Vec::with_capacity(words.len());
    let mut words = words.iter();
    let Some(program) = words.next() else { return plain };
    let program = program.rsplit('/').next().unwrap_or(program);
    plain.push(program.to_owned());
    let mut before_verb = program == "git";
    while let Some(word) = words.next() {
        if before_verb && word.starts_with('-') {
            if matches!(
                word.as_str(),
                "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env"
            ) {
                words.next();
            }
            continue;
        }
        before_verb = false;
        let folded = home
            .and_then(|home| word.strip_prefix(home))
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        plain.push(folded.map_or_else(|| word.clone(), |rest| format!("~{rest}")));
    }
    plain
}

/// A command's options and its other words, wherever they stand.
pub(super) struct Parsed<'a> {
    options: Vec<String>,
    pub(super) operands: Vec<&'a Word>,
}

impl<'a> Parsed<'a> {
    pub(super) fn of(words: &'a [Word]) -> Self {
        Self::with(words, "")
    }

    /// With the options that take the next word, between blanks.
    pub(super) fn with(words: &'a [Word], with_word: &str) -> Self {
        let (mut options, mut operands, mut at) = (Vec::new(), Vec::new(), 0);
        while let Some(word) = words.get(at) {
            at += 1;
            let text = word.prefix();
            if text == "--" && word.parts().len() == 1 {
                operands.extend(&words[at..]);
                break;
            }
            if text.len() < 2 || !text.starts_with('-') {
                operands.push(word);
                continue;
            }
            at += usize::from(with_word.split(' ').any(|with| with == text));
            options.push(text);
        }
        Self { options, operands }
    }

    /// One of these letters in a short option.
    pub(super) fn letter(&self, letters: &str) -> bool {
        let short = self.options.iter().filter(|option| !option.starts_with("--"));
        short.into_iter().any(|option| option[1..].chars().any(|letter| letters.contains(letter)))
    }

    /// The long option, or as much of its beginning as programs take for it.
    pub(super) fn long(&self, name: &str) -> bool {
        self.options.iter().any(|option| {
            let option = option.split('=').next().unwrap_or(option);
            option.len() > 4 && name.starts_with(option)
        })
    }

    /// A long option that begins so.
    pub(super) fn starts(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.starts_with(name))
    }

    pub(super) fn exactly(&self, name: &str) -> bool {
        self.options.iter().any(|option| option == name)
    }
}
