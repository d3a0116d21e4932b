//! Whether an agent's hooks may go through our MCP server. An agent that is too old for it drops all hooks of a file
//! that says so, without a word: so it is asked for its release first, and not to be answered is a no.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use agents::{Adapter, FastHooks};

use crate::print;
use crate::report::{Failure, hint};

/// A release is said in well under a second, unless the machine is very busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// A line.
const MAX_ANSWER: u64 = 4096;

/// Refuses what would cost the person all hooks. `sure`: they take it upon themselves where nobody can know.
pub(super) fn check(adapter: &dyn Adapter, sure: bool) -> anyhow::Result<()> {
    let without = "run it without --fast";
    let Some(FastHooks { program, since, .. }) = adapter.fast_hooks() else {
        let what = format!("the hooks of {} cannot call an MCP server", adapter.name());
        return Err(hint(Failure::Person, what, without));
    };
    let needed = dotted(*since);
    let said = ask(program);
    let (unknown, mend) = match &said {
        Err(_) => (format!("{program} is not on the PATH"), "put it on the PATH".to_owned()),
        Ok(_) => {
            (format!("`{program} --version` says no version"), format!("see what `{program} --version` says"))
        }
    };
    match said.ok().flatten().as_deref().and_then(release) {
        Some(found) if found >= *since => Ok(()),
        Some(found) => {
            let what = format!(
                "{program} is version {}; hooks that call an MCP server need {needed}, and an older one would drop all \
                 hooks of the file",
                dotted(found)
            );
            Err(hint(Failure::Person, what, format!("update {program}, or {without}")))
        }
        None if sure => print::line(&format!("{unknown}; --yes says it is version {needed} or later")),
        None => {
            let what = format!(
                "{unknown}, so nobody knows whether it is version {needed} or later; an older one would drop all hooks \
                 of the file"
            );
            let next = format!("{mend}, or say --yes if you know its version, or {without}");
            Err(hint(Failure::Person, what, next))
        }
    }
}

/// What a program says to `--version`. `None`: nothing in time. An error: there is no such program.
fn ask(program: &str) -> io::Result<Option<String>> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (said, heard) = mpsc::channel();
    let out = child.stdout.take().expect("it is piped");
    thread::spawn(move || {
        let mut text = String::new();
        // Half an answer is none: it is read for its numbers.
        let read = out.take(MAX_ANSWER).read_to_string(&mut text);
        let _ = said.send(read.map(|_| text));
    });
    let answer = heard.recv_timeout(PATIENCE);
    end(&mut child);
    Ok(answer.ok().and_then(Result::ok))
}

fn end(child: &mut Child) {
    // It has closed its output or has had its time; either way there is nothing more to wait for.
    let _ = child.kill();
    let _ = child.wait();
}

/// The first three numbers with dots between them.
fn release(said: &str) -> Option<[u32; 3]> {
    said.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
        let mut parts = word.split('.').map(str::parse);
        match (parts.next()?, parts.next()?, parts.next()?, parts.next()) {
            (Ok(major), Ok(minor), Ok(patch), None) => Some([major, minor, patch]),
            _ => None,
        }
    })
}

fn dotted([major, minor, patch]: [u32; 3]) -> String {
    format!("{major}.{minor}.{patch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_found_in_what_is_said() {
        assert_eq!(release("2.1.325 (Claude Code)\n"), Some([2, 1, 325]));
        assert_eq!(release("claude v2.1.118-beta.3"), Some([2, 1, 118]));
        assert_eq!(release("1.2 of 3.4.5.6, then 7.8.9"), Some([7, 8, 9]));
        for nothing in ["", "2.1", "one.two.three", "..", "99999999999.1.1"] {
            assert_eq!(release(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_later_release_is_greater_in_numbers_not_in_letters() {
        assert!(release("2.1.118") < release("2.10.0") && release("2.1.99") < release("2.1.118"));
    }

    #[test]
    fn who_is_not_there_is_an_error() {
        assert!(ask("/nowhere/no-such-program").is_err());
    }
}
