//! A shell for somebody at the other end of a connection.

use super::Verdict;
use super::look::Look;
use super::shipped::{END_PROCESSES, Finding, REVERSE_SHELL};
use crate::shell::{Command, SHELLS, Word};

/// They connect what they are fed with the network.
const CONNECT: &str = "nc ncat netcat nc.traditional nc.openbsd socat telnet openssl busybox";

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        let Some(program) = look.program(at) else { continue };
        if ends_everything(look, at, &program) {
            all.push(Finding { rule: &END_PROCESSES, verdict: Verdict::Ask, commands: vec![at] });
        }
        let words = &look.raw[at];
        let is_shell = SHELLS.contains(&program.as_str());
        let is_it = match program.as_str() {
            _ if is_shell => command.redirects.iter().any(|redirect| is_connection(&redirect.target)),
            // What is said there is run: by a shell, or by a loop over what is read.
            "exec" if command.redirects.iter().any(|redirect| is_connection(&redirect.target)) => {
                runs_more(look, at)
            }
            "nc" | "ncat" | "netcat" | "nc.traditional" => {
                let hands_over = words.iter().enumerate().skip(1).any(|(at, word)| {
                    let next = || words.get(at + 1).is_some_and(|word| is_shell_name(word));
                    match word.as_str() {
                        "-e" | "-c" | "--exec" | "--sh-exec" => true,
                        word if word.starts_with("--exec=") || word.starts_with("--sh-exec=") => true,
                        word => {
                            word.starts_with('-')
                                && !word.starts_with("--")
                                && word.ends_with(['e', 'c'])
                                && next()
                        }
                    }
                });
                hands_over || is_fed_by_shell(look, at)
            }
            "socat" => words.iter().skip(1).any(|word| {
                let small = word.to_ascii_lowercase();
                let text = small.strip_prefix("exec:").or_else(|| small.strip_prefix("system:"));
                text.is_some_and(|text| {
                    is_shell_name(text.split([',', ' ']).next().unwrap_or_default().trim_matches(['"', '\'']))
                })
            }),
            "telnet" | "openssl" => is_fed_by_shell(look, at),
            "xterm" => words.windows(2).any(|pair| pair[0] == "-display" && !pair[1].starts_with([':', 'l'])),
            "ztcp" => true,
            _ => false,
        };
        if is_it {
            all.push(Finding { rule: &REVERSE_SHELL, verdict: Verdict::Ask, commands: vec![at] });
        }
    }
}

fn is_connection(word: &Word) -> bool {
    let text = word.prefix();
    let host = text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/"));
    host.is_some()
}

fn is_shell_name(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word).trim_end_matches(".exe");
    SHELLS.contains(&name) || matches!(name, "cmd" | "powershell")
}

/// A shell that reads what comes, further up the pipe: `sh -i | nc host 4444`.
fn is_fed_by_shell(look: &Look<'_>, at: usize) -> bool {
    look.script.upstream(at).into_iter().any(|at| {
        let words = &look.raw[at];
        let is_open = words
            .iter()
            .skip(1)
            .all(|word| matches!(word.as_str(), "-i" | "-l" | "-li" | "-il" | "-s" | "-"));
        look.program(at).is_some_and(|program| SHELLS.contains(&program.as_str())) && is_open
    })
}

/// Behind a connection that is kept open: a shell, `eval`, or a program that only what is read there can name.
fn runs_more(look: &Look<'_>, at: usize) -> bool {
    look.commands().skip(at + 1).any(|(at, command): (usize, &Command)| match look.program(at) {
        Some(program) => program == "eval" || SHELLS.contains(&program.as_str()),
        None => !command.words.is_empty(),
    })
}

pub(super) fn connects(program: &str) -> bool {
    CONNECT.split(' ').any(|known| known == program)
}

/// `kill -9 -1`: every process that may be ended; `kill 1` the one all others hang on.
fn ends_everything(look: &Look<'_>, at: usize, program: &str) -> bool {
    let words = look.raw[at].get(1..).unwrap_or_default();
    match program {
        "kill" => {
            let mut targets = words;
            match words {
                [option, _, rest @ ..] if matches!(option.as_str(), "-s" | "-n" | "--signal") => {
                    targets = rest;
                }
                [list, ..] if matches!(list.as_str(), "-l" | "-L" | "--list") => return false,
                [signal, rest @ ..] if signal.starts_with('-') && signal != "--" && !rest.is_empty() => {
                    targets = rest;
                }
                _ => {}
            }
            targets.iter().any(|word| matches!(word.as_str(), "-1" | "1"))
                && !look.script.commands[at].is_elsewhere
        }
        "killall5" => true,
        "pkill" | "killall" => {
            let is_user = |word: &String| {
                matches!(word.as_str(), "-u" | "-U" | "--user" | "--euid" | "--uid")
                    || word.starts_with("--user=")
            };
            let by_user = words.iter().position(is_user);
            // The name behind the option is a person's, not a program's.
            let names = words
                .iter()
                .enumerate()
                .filter(|(at, word)| !word.starts_with('-') && by_user.is_none_or(|user| *at != user + 1));
            let names: Vec<&String> = names.map(|(_, word)| word).collect();
            (by_user.is_some() && names.is_empty())
                || names.iter().any(|name| matches!(name.as_str(), "." | ".*" | ""))
        }
        _ => false,
    }
}
