//! What the network or an encoded text gives, and is run at once.

use std::collections::HashMap;
use std::path::PathBuf;

use super::look::{Look, Parsed};
use super::place::normal;
use super::shipped::{Finding, RUN_DOWNLOAD};
use crate::shell::{Command, How, NAMED, Part, RedirectKind, SHELLS, Word, only_reads, writes_of};

const DOWNLOADERS: &str = "curl wget wget2 fetch http https xh aria2c lwp-request lwp-download lynx w3m nc ncat netcat \
    socat ftp tftp telnet";
/// Without their versions.
const INTERPRETERS: &str = "python pypy node nodejs deno bun perl ruby php lua luajit rscript \
    osascript tclsh";

/// Programs that say or write what is in the files they name.
const PASS_ON: &str = "cat tac head tail sed gsed awk gawk grep egrep cut tr sort uniq tee jq yq envsubst iconv dos2unix cp mv ln \
    install dd zcat gzip gunzip xz";

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    let has_source = (0..look.script.commands.len()).any(|at| is_source(look, at));
    if !has_source {
        return;
    }
    let fetched = Fetched::of(look);
    for (at, command) in look.commands().filter(|(_, command)| !command.is_elsewhere) {
        if let Some(from) = source(&fetched, at, command) {
            all.push(Finding {
                rule: &RUN_DOWNLOAD,
                verdict: RUN_DOWNLOAD.verdict,
                commands: vec![at, from],
            });
        }
    }
}

fn lists(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// `python3.11` is python.
pub(super) fn is_interpreter(program: &str) -> bool {
    lists(INTERPRETERS, program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.'))
}

/// What a script has from where nobody has read it, in the order it gets it.
struct Fetched<'a> {
    look: &'a Look<'a>,
    /// For each command the one that gives what it says.
    says: Vec<Option<usize>>,
    /// Files, with the command since which they are there and the one that gave them.
    files: HashMap<PathBuf, (usize, usize)>,
}

impl<'a> Fetched<'a> {
    fn of(look: &'a Look<'a>) -> Self {
        let mut fetched = Self { look, says: vec![None; look.script.commands.len()], files: HashMap::new() };
        for (at, command) in look.commands() {
            // `$(< file)` says it, too.
            let passes_on =
                command.words.is_empty() || look.program(at).is_some_and(|program| lists(PASS_ON, &program));
            let inputs = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read);
            let inputs = inputs.map(|redirect| &redirect.target);
            let mut read = command.arguments().iter().chain(inputs).filter(|_| passes_on);
            fetched.says[at] =
                is_source(look, at).then_some(at).or_else(|| read.find_map(|word| fetched.file(at, word)));
            if let Some(from) = fetched.says[at].or_else(|| fetched.upstream(at)) {
                for file in written(look, command) {
                    fetched.files.entry(file).or_insert((at, from));
                }
            }
        }
        fetched
    }

    /// The command that gives what reaches this one through its pipe.
    fn upstream(&self, at: usize) -> Option<usize> {
        let gives = |at: usize| self.says[at].or_else(|| is_source(self.look, at).then_some(at));
        self.look.script.upstream(at).into_iter().find_map(gives)
    }

    /// The command that gave this file.
    fn file(&self, at: usize, word: &Word) -> Option<usize> {
        if self.files.is_empty() {
            return None;
        }
        let path = path(self.look, &self.look.script.commands[at], &word.named()?)?;
        self.files.get(&path).filter(|(since, _)| *since < at).map(|(_, from)| *from)
    }

    fn word(&self, word: &Word) -> Option<usize> {
        word.parts().iter().find_map(|part| match part {
            Part::Output(range) | Part::Process(range) => range.clone().find_map(|at| self.says[at]),
            _ => None,
        })
    }
}

/// Files a command would write, those under unknown names, too.
fn written(look: &Look<'_>, command: &Command) -> Vec<PathBuf> {
    let mut named = command.clone();
    named.folder = None;
    named.words.iter_mut().for_each(|word| *word = word.named().unwrap_or_default());
    named.redirects.retain(|redirect| redirect.kind.is_output());
    for redirect in &mut named.redirects {
        redirect.target = redirect.target.named().unwrap_or_default();
    }
    let writes = writes_of(&named).into_iter().filter(|write| matches!(write.how, How::Write | How::Append));
    let paths = writes.flat_map(|write| {
        let into = write.name_inside().map(|name| format!("{}/{name}", write.path));
        std::iter::once(write.path).chain(into)
    });
    paths.filter_map(|written| place(look, command, &written)).collect()
}

fn path(look: &Look<'_>, command: &Command, word: &Word) -> Option<PathBuf> {
    let text = word.text()?;
    // As the files that are written are named: a file that is called `~` is `./~`.
    let is_other = text.starts_with('~') && !word.is_home();
    place(look, command, &if is_other { format!("./{text}") } else { text })
}

/// Where something is, from the folder a command runs in. What begins with something unknown begins nowhere else.
fn place(look: &Look<'_>, command: &Command, written: &str) -> Option<PathBuf> {
    let rooted = |text: &str| if text.starts_with(NAMED) { format!("/{text}") } else { text.to_owned() };
    let written = rooted(written);
    let folder = match &command.folder {
        Some(folder) if !written.starts_with(['/', '~']) => {
            let folder = folder.named()?;
            Some(if folder.is_home() { folder } else { Word::literal(&rooted(&folder.text()?)) })
        }
        _ => None,
    };
    Some(normal(&look.place.written(folder.as_ref(), &written)?))
}

/// It says what nobody has read.
fn is_source(look: &Look<'_>, at: usize) -> bool {
    let Some(program) = look.program(at) else { return false };
    let command = &look.script.commands[at];
    let has = |options: &[&str]| {
        command.words.iter().any(|word| word.text().is_some_and(|text| options.contains(&&*text)))
    };
    match program.as_str() {
        "base64" | "base32" | "gbase64" => has(&["-d", "-D", "--decode", "-di", "-id"]),
        "xxd" => has(&["-r", "-rp", "-pr", "-p -r"]),
        "openssl" => has(&["-d", "s_client"]),
        "uudecode" => true,
        program => lists(DOWNLOADERS, program),
    }
}

/// The command that gives what this one runs.
fn source(fetched: &Fetched<'_>, at: usize, command: &Command) -> Option<usize> {
    let look = fetched.look;
    let first = command.words.first()?;
    // A program of the script's own making: `$(curl …)` alone, `./file` that was fetched before.
    let Some(program) = look.program(at) else {
        return fetched.word(first).or_else(|| fetched.file(at, first));
    };
    let file = |word: &Word| fetched.word(word).or_else(|| fetched.file(at, word));
    let upstream = || fetched.upstream(at);
    match program.as_str() {
        "eval" => {
            let words = command.arguments();
            let is_given = words.iter().any(is_given);
            words.iter().find_map(|word| fetched.word(word)).or_else(|| is_given.then(upstream).flatten())
        }
        "source" | "." => {
            let word = command.arguments().first()?;
            file(word).or_else(|| is_input(word).then(upstream).flatten())
        }
        program if SHELLS.contains(&program) || is_interpreter(program) => {
            match Run::of(command, SHELLS.contains(&program)) {
                Run::Text(word) => fetched.word(word).or_else(|| is_given(word).then(upstream).flatten()),
                Run::File(word) => file(word),
                Run::Input => match look.script.input_of(at) {
                    Some(input) => file(&input.target),
                    None => upstream(),
                },
                Run::Nothing => None,
            }
        }
        _ => Some(first).filter(|word| word.shape().contains('/')).and_then(|word| fetched.file(at, word)),
    }
}

/// Another program says it: `xargs`, or `read` into a variable.
fn is_given(word: &Word) -> bool {
    let is_it = |part: &Part| matches!(part, Part::Given | Part::Variable { may_be_empty: false, .. });
    word.parts().iter().any(is_it)
}

fn is_input(word: &Word) -> bool {
    word.text().is_some_and(|text| matches!(&*text, "-" | "/dev/stdin" | "/dev/fd/0"))
}

/// Where an interpreter has its program from.
pub(super) enum Run<'a> {
    Text(&'a Word),
    File(&'a Word),
    Input,
    /// It says its version, or runs a module of its own.
    Nothing,
}

impl<'a> Run<'a> {
    pub(super) fn of(command: &'a Command, is_shell: bool) -> Self {
        let words = command.arguments();
        for (at, word) in words.iter().enumerate() {
            let option = word.prefix();
            if is_input(word) {
                return Self::Input;
            }
            if !option.starts_with('-') && !option.starts_with('+') {
                // `deno run file`, `bun run file`.
                let is_verb = !is_shell && option == "run" && at == 0;
                if is_verb {
                    continue;
                }
                return Self::File(word);
            }
            let is_long = option.starts_with("--");
            // `perl -MLWP::Simple`, `ruby -ropen-uri`: a library, whatever letters its name has.
            if !is_shell
                && option.len() > 2
                && ["-M", "-I", "-r"].iter().any(|library| option.starts_with(library))
            {
                continue;
            }
            // `bash -n` reads it and runs nothing.
            if is_shell && option.strip_prefix('-').is_some_and(only_reads) {
                return Self::Nothing;
            }
            if is_shell && !is_long && option.contains('s') && !option.contains('c') {
                return Self::Input;
            }
            let takes_text = if is_shell {
                !is_long && option.contains('c')
            } else {
                matches!(&*option, "--eval" | "--print")
                    || (!is_long && option.ends_with(['c', 'e', 'E', 'p', 'r']))
            };
            if takes_text {
                return words.get(at + 1).map_or(Self::Nothing, Self::Text);
            }
            let ends = matches!(&*option, "--version" | "--help" | "-V" | "-h")
                || (!is_shell && !is_long && option.contains('m'));
            if ends {
                return Self::Nothing;
            }
            if matches!(&*option, "-o" | "-O" | "+o") && is_shell {
                let rest = Parsed::with(&words[at..], "-o -O +o");
                return match rest.operands.first() {
                    Some(word) if !is_input(word) => Self::File(word),
                    _ => Self::Input,
                };
            }
        }
        Self::Input
    }
}
