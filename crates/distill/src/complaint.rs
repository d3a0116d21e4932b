//! Which lines of an output are complaints at all: what a failing test of Go said last, what each of several lints is
//! about, and what is only chatter (headers, progress, downloads, warnings).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, RAISED, fault, split_place};
use crate::text::{clip, lines};

/// One of the complaints of a linter's run: where, and in whose words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Complaint {
    pub file: String,
    pub line: u32,
    pub said: String,
}

const MAX_COMPLAINTS: usize = 5;
const MAX_SAID_BYTES: usize = 100;
const MAX_FILE_BYTES: usize = 100;

/// The complaints of a linter's output, first come.
pub(crate) fn complaints(output: &str) -> Vec<Complaint> {
    let mut found: Vec<Complaint> = Vec::new();
    for line in lines(output) {
        if found.len() >= MAX_COMPLAINTS {
            break;
        }
        let Some(fault) = Fault::of_line(line.trim()).filter(Fault::is_lint) else { continue };
        let place = fault.place.as_deref().and_then(|place| place.rsplit_once(':'));
        let Some((file, line)) = place else { continue };
        let Ok(line) = line.parse() else { continue };
        let said = fault.short(MAX_SAID_BYTES);
        found.push(Complaint { file: clip(file, MAX_FILE_BYTES), line, said });
    }
    found
}

/// Who complains: `… (gosec)`.
pub(crate) fn linter(message: &str) -> Option<&str> {
    let inner = message.trim_end().strip_suffix(')')?;
    let (_, name) = inner.rsplit_once('(')?;
    let plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    ((3..=24).contains(&name.len()) && name.chars().all(plain)).then_some(name)
}

/// Without the name of the task a runner puts before what it prints: `[lint] a.go:3:1: …`.
pub(crate) fn without_task(line: &str) -> &str {
    let Some((name, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else {
        return line;
    };
    let named = (2..=40).contains(&name.len())
        && name.chars().all(|char| char.is_ascii_lowercase() || matches!(char, ':' | '-' | '_' | '/'));
    if named { rest.trim_start() } else { line }
}

/// Lines that say how far something is, what is loaded, or what may be wrong one day. None of them is what failed.
pub(crate) fn is_chatter(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "warning:",
        "warning ",
        "warn ",
        "warn:",
        "npm warn",
        "deprecated",
        "deprecationwarning",
        "(node:",
        "note:",
        "hint:",
        "info:",
        "info ",
        "downloading",
        "downloaded",
        "fetching",
        "resolving",
        "receiving",
        "compiling ",
        "installing",
        "unpacking",
        "progress",
        "remote:",
        "go: downloading",
        "$ ",
        "> ",
        "=== run",
        "=== pause",
        "=== cont",
        "=== name",
        "--- pass",
        "ok  ",
        "ok \t",
        "pass",
    ];
    let line = without_task(line);
    let start = &line[..line.floor_char_boundary(24)];
    let lower = start.to_ascii_lowercase();
    let header = line.strip_prefix("# ").is_some_and(|rest| {
        // A package of Go: a path without blanks, and perhaps the test it is built for.
        let path = rest.split(" [").next().unwrap_or(rest);
        !path.contains(' ') && (path.contains('/') || path.contains('.'))
    });
    let letters = line.chars().take(200).filter(|char| char.is_alphabetic()).count();
    let bar = line.contains(['█', '▏', '━', '⠋', '⠙', '⠹', '⠸']) || line.contains("%|");
    header || bar || letters < 2 || STARTS.iter().any(|begin| lower.starts_with(begin))
}

/// What the first failing test of Go said last. Its log and its complaint have one form; a test that gives up does so
/// with its last words, which stand above its `--- FAIL` when everything is printed, and below it otherwise.
pub(crate) fn of_go_test(lines: &[Cow<'_, str>]) -> Option<(usize, Fault)> {
    const MAX_LINES: usize = 200;
    let fails = |line: &str| line.trim_start().starts_with("--- FAIL: ");
    let first = lines.iter().position(|line| fails(line))?;
    // A test that failed because a part of it did: the part says why.
    let inner = lines.iter().skip(first + 1).take(MAX_LINES).take_while(|line| line.starts_with(' '));
    let at =
        first + inner.enumerate().filter(|(_, line)| fails(line)).map(|(at, _)| at + 1).next().unwrap_or(0);
    let ends = |line: &&Cow<'_, str>| {
        let line = line.trim_start();
        line.starts_with("=== ")
            || line.starts_with("--- ")
            || line.starts_with("FAIL")
            || line.starts_with("ok ")
    };
    let said = |at: usize| {
        let line = lines[at].trim_start();
        let (place, rest) = split_place(line)?;
        let words = rest.trim_start_matches([':', ' ']);
        let tells = place.contains(".go:") && lines[at].starts_with([' ', '\t']) && words.len() > 3;
        tells.then(|| (at, Fault { place: Some(place), ..fault(RAISED, None, words) }))
    };
    let below = lines.iter().skip(at + 1).take(MAX_LINES).take_while(|line| !ends(line)).count();
    let above = lines[..first].iter().rev().take(MAX_LINES).take_while(|line| !ends(line)).count();
    // The last words that speak of an expectation; the very last are often the state of things.
    let last = |lines: std::ops::Range<usize>| {
        let told = |at: &usize| said(*at).filter(|(_, fault)| !reports_success(&fault.message));
        let expects =
            lines.clone().rev().find_map(|at| told(&at).filter(|(_, fault)| expects(&fault.message)));
        expects.or_else(|| lines.rev().find_map(|at| told(&at)))
    };
    last(at + 1..at + 1 + below).or_else(|| last(first - above..first))
}

fn expects(message: &str) -> bool {
    const WORDS: &[&str] = &[
        "expected",
        "want",
        "got",
        "should",
        "fail",
        "error",
        "could not",
        "must",
        "unexpected",
        "missing",
        "!=",
        "mismatch",
        "not ",
        "timed out",
    ];
    let message = message.to_ascii_lowercase();
    WORDS.iter().any(|word| message.contains(word))
}

/// A line of a test's log that says that all is well, or is a log of the program under test.
pub(crate) fn reports_success(message: &str) -> bool {
    const WORDS: &[&str] = &["successfully", "received expected", "as expected", "✓", "✅"];
    let message = message.to_ascii_lowercase();
    WORDS.iter().any(|word| message.contains(word))
        || message.contains(" output: ") && message.contains(" info ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, message: &str, place: Option<&str>) {
        let found = Fault::find(output).unwrap();
        assert_eq!((found.message.as_str(), found.place.as_deref()), (message, place), "{found:?}");
    }

    #[test]
    fn a_test_of_go_fails_with_its_last_words() {
        let quiet = "--- FAIL: TestLease (0.01s)\n    helper.go:12: Hook output: 10:00 INFO started\n    lease_test.go:40: want 3 leases, got 2\nFAIL\nFAIL\texample.org/lease\t0.3s";
        check(quiet, "want 3 leases, got 2", Some("lease_test.go:40"));
        let loud = "=== RUN   TestOpen\n    open_test.go:9: opened\n--- PASS: TestOpen (0.00s)\n=== RUN   TestLease\n    helper.go:12: Hook output: 10:00 INFO started\n    lease_test.go:40: want 3 leases, got 2\n--- FAIL: TestLease (0.01s)\nFAIL";
        check(loud, "want 3 leases, got 2", Some("lease_test.go:40"));
        let parts = "--- FAIL: TestLease (0.01s)\n    --- FAIL: TestLease/empty (0.00s)\n        lease_test.go:51: id = 7, want none\nFAIL";
        check(parts, "id = 7, want none", Some("lease_test.go:51"));
    }

    #[test]
    fn headers_tasks_and_progress_are_no_errors() {
        check(
            "[lint] $ golangci-lint run\n[lint] ERROR task failed\nlease/open.go:1: : # example.org/lease [example.org/lease.test]\nlease/open.go:31:4: undefined: Close (typecheck)",
            "undefined: Close (typecheck)",
            Some("lease/open.go:31"),
        );
        check(
            "# example.org/lease\nlease/open_test.go:7:2: undefined: b\nlease/open_test.go:9:2: too many errors\nFAIL\texample.org/lease [build failed]",
            "undefined: b",
            Some("lease/open_test.go:7"),
        );
        check(
            "a.go:7:3: error is not nil (line 5) but it returns nil (nilerr)",
            "error is not nil (line 5) but it returns nil (nilerr)",
            Some("a.go:7"),
        );
        check(
            "could not reach the registry\n 45%|████      | 3/7\nDownloading wheel 3.1 MB",
            "could not reach the registry",
            None,
        );
        check(
            "npm warn deprecated x@1\nerror: lease is held\n(node:3) DeprecationWarning: y",
            "lease is held",
            None,
        );
    }

    #[test]
    fn each_lint_is_a_complaint_of_its_own() {
        let output = "cmd/a.go:7:3: G304: Potential file inclusion via variable (gosec)\n\tf, err := os.Open(p)\n\t^\ncmd/b.go:20:9: Error return value is not checked (errcheck)\n2 issues:";
        let found = complaints(output);
        let said: Vec<_> = found.iter().map(|one| (one.file.as_str(), one.line, one.said.as_str())).collect();
        assert_eq!(
            said,
            [
                ("cmd/a.go", 7, "G304: Potential file inclusion via variable (gosec)"),
                ("cmd/b.go", 20, "Error return value is not checked (errcheck)"),
            ]
        );
        assert!(Fault::find(output).is_some_and(|fault| fault.is_lint() && !fault.compile));
    }
}
