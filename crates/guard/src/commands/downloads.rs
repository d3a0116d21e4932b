//! What the network or an encoded text gives, and is run at once.

use std::ops::Range;

use super::look::{Look, Parsed};
use super::shipped::{Finding, RUN_DOWNLOAD};
use crate::shell::{Command, Part, SHELLS, Word, writes_of};

const DOWNLOADERS: &str = "curl wget wget2 fetch http https xh aria2c lwp-request lwp-download lynx w3m nc ncat netcat \
    socat ftp tftp";
const INTERPRETERS: &str = "python python2 python3 pypy pypy3 node nodejs deno bun perl ruby php lua luajit rscript \
    osascript tclsh";

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    let has_source = (0..look.script.commands.len()).any(|at| is_source(look, at));
    if !has_source {
        return;
    }
    for (at, command) in look.commands().filter(|(_, command)| !command.is_elsewhere) {
        if let Some(from) = source(look, at, command) {
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

fn in_range(look: &Look<'_>, range: &Range<usize>) -> Option<usize> {
    range.clone().find(|at| is_source(look, *at))
}

fn in_word(look: &Look<'_>, word: &Word) -> Option<usize> {
    word.parts().iter().find_map(|part| match part {
        Part::Output(range) | Part::Process(range) => in_range(look, range),
        _ => None,
    })
}

/// The command that gives what this one runs.
fn source(look: &Look<'_>, at: usize, command: &Command) -> Option<usize> {
    let program = look.program(at);
    // A program of the script's own making: `$(curl …)` alone, `./file` that was fetched before.
    let Some(program) = program.as_deref() else { return in_word(look, command.words.first()?) };
    let upstream = || look.script.upstream(at).into_iter().find(|at| is_source(look, *at));
    let fetched = |word: Option<&Word>| fetched(look, at, word?);
    match program {
        "eval" => {
            let words = command.arguments();
            let is_given = words.iter().any(is_given);
            words.iter().find_map(|word| in_word(look, word)).or_else(|| is_given.then(upstream).flatten())
        }
        "source" | "." => {
            let word = command.arguments().first()?;
            in_word(look, word)
                .or_else(|| fetched(Some(word)))
                .or_else(|| is_input(word).then(upstream).flatten())
        }
        _ if SHELLS.contains(&program) || lists(INTERPRETERS, program) => {
            let run = Run::of(command, SHELLS.contains(&program));
            match run {
                Run::Text(word) => in_word(look, word).or_else(|| is_given(word).then(upstream).flatten()),
                Run::File(word) => in_word(look, word).or_else(|| fetched(Some(word))),
                Run::Input => match look.script.input_of(at) {
                    Some(input) => in_word(look, &input.target).or_else(|| fetched(Some(&input.target))),
                    None => upstream(),
                },
                Run::Nothing => None,
            }
        }
        _ => fetched(command.words.first().filter(|word| word.prefix().contains('/'))),
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
enum Run<'a> {
    Text(&'a Word),
    File(&'a Word),
    Input,
    /// It says its version, or runs a module of its own.
    Nothing,
}

impl<'a> Run<'a> {
    fn of(command: &'a Command, is_shell: bool) -> Self {
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

/// An earlier command of the script has fetched this file.
fn fetched(look: &Look<'_>, at: usize, word: &Word) -> Option<usize> {
    let path = look.place.path(look.script.commands[at].folder.as_deref(), word)?;
    (0..at).find(|earlier| {
        let command = &look.script.commands[*earlier];
        is_source(look, *earlier)
            && writes_of(command).iter().any(|write| {
                let name = Word::literal(&write.path);
                look.place.path(command.folder.as_deref(), &name).as_deref() == Some(path.as_path())
            })
    })
}
