//! The line of an output that says what went wrong: a compiler's, a traceback's last, an assertion's, a tool's.
//! It quotes; it never explains. A line it does not know is better than a cause it made up.

use serde::{Deserialize, Serialize};

use crate::complaint;
use crate::text::{clip, is_word, lines, one_line};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Fault {
    /// `E0382`, `TS2345`, `AssertionError`, `ERESOLVE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    pub message: String,
    /// `src/journal.rs:42`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What was expected and what came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How telling the line is; 0: nothing was recognized and the line is only the last one.
    pub rank: u8,
    /// Raised by a compiler, type checker or linker, before anything ran.
    #[serde(default)]
    pub compile: bool,
}

const MAX_MESSAGE_BYTES: usize = 200;
const MAX_DETAIL_BYTES: usize = 160;

impl Fault {
    /// From this rank on a line says that something failed; below it, it only holds such a word.
    pub(crate) const SAYS_FAILED: u8 = WEAK;

    pub(crate) fn find(output: &str) -> Option<Self> {
        let lines: Vec<_> = lines(output).collect();
        let mut best: Option<(usize, Self)> = complaint::of_go_test(&lines);
        for (at, line) in lines.iter().enumerate() {
            let line = line.trim();
            if line.is_empty() || complaint::is_chatter(line) {
                continue;
            }
            let Some(fault) = recognize(line) else { continue };
            // A traceback ends with what counts; a compiler's first complaint causes the others.
            let later =
                |known: &Self| fault.rank > known.rank || (fault.rank == known.rank && fault.rank == RAISED);
            if best.as_ref().is_none_or(|(_, known)| later(known)) {
                best = Some((at, fault));
            }
        }
        let Some((at, mut fault)) = best else {
            let says = |line: &&str| line.len() > 3 && !complaint::is_chatter(line);
            let last = lines.iter().rev().map(|line| line.trim()).find(says)?;
            return Some(Self { message: one_line(last, MAX_MESSAGE_BYTES), ..Self::default() });
        };
        if fault.message.is_empty() {
            // `panicked at src/a.rs:3:5:` has its words on the next line.
            let next = lines[at + 1..].iter().map(|line| line.trim()).find(|line| !line.is_empty())?;
            fault.message = one_line(next, MAX_MESSAGE_BYTES);
        }
        if fault.place.is_none() {
            fault.place = frame_below(&lines, at).or_else(|| place_near(&lines, at));
        }
        fault.detail = detail_near(&lines, at);
        Some(fault)
    }

    /// What one line says, if it says that something is wrong.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        (!line.is_empty() && !complaint::is_chatter(line)).then(|| recognize(line)).flatten()
    }

    /// Equal for two failures of one cause as far as their words go: numbers and addresses do not count.
    pub(crate) fn signature(&self) -> String {
        let mut words = String::new();
        let said = [self.code.as_deref().unwrap_or(""), &self.message];
        for word in said.into_iter().flat_map(|text| text.split_inclusive(|char| !is_word(char))) {
            if word.starts_with("0x") {
                continue;
            }
            words.extend(
                word.chars().filter(|char| !char.is_ascii_digit()).map(|char| char.to_ascii_lowercase()),
            );
        }
        clip(&words, 100)
    }

    /// For a title: the code and the message in few words.
    pub(crate) fn short(&self, max: usize) -> String {
        let message = self.message.trim_end_matches(['.', ':', ',']);
        match &self.code {
            Some(code) if message.is_empty() => clip(code, max),
            Some(code) if !message.contains(code.as_str()) => clip(&format!("{code}: {message}"), max),
            _ => clip(message, max),
        }
    }

    /// A merge that waits for someone to choose.
    pub(crate) fn is_conflict(&self) -> bool {
        self.message.starts_with("CONFLICT ")
    }

    /// The command was not called as it wants to be, or not from where it can run: nothing is wrong with the project.
    pub(crate) fn is_slip(&self) -> bool {
        const SLIPS: &[&str] = &[
            "unknown flag",
            "unknown option",
            "unknown shorthand",
            "unrecognized argument",
            "unrecognized option",
            "unexpected argument",
            "flag provided but not defined",
            "flag needs an argument",
            "invalid option",
            "no such option",
            "unknown command",
            "unknown subcommand",
            "no such subcommand",
            "no such command",
            "for usage",
            "--help' for",
            " help run' for",
            "usage:",
            "invalid usage",
            "multiple packages to non-directory",
            "missing script",
            "no tasks named",
            "no task named",
            "no rule to make target",
            "does not contain recipe",
            "no tests to run",
            "no test files",
            "collected 0 items",
            "parse error near",
            "unexpected eof while looking for",
            "syntax error near unexpected token",
            "not a tty",
        ];
        let message = self.message.to_ascii_lowercase();
        self.is_lost() || SLIPS.iter().any(|slip| message.contains(slip))
    }

    /// It was run in a folder that is not there, or from the wrong one.
    pub(crate) fn is_lost(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        let folder = ["cd:", "chdir", "os error 2"].iter().any(|word| message.contains(word));
        folder && message.contains("no such file")
            || message.contains("directory not found")
            || message.contains("setup failed]")
    }

    /// The machine lacks a program: that is a matter of the sandbox or the installation, not of the project.
    pub(crate) fn is_missing_program(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        message.contains("command not found")
            || message.contains("is not recognized as")
            || message.ends_with(": not found")
            || message.ends_with("executable file not found in $path")
    }

    /// A linter's complaint: the project compiles and its tests may pass.
    pub(crate) fn is_lint(&self) -> bool {
        !self.compile && self.rank == LINT && self.place.is_some()
    }

    /// Only the name of a test that failed.
    pub(crate) fn is_test_name(&self) -> bool {
        self.rank == TEST
    }

    pub(crate) fn file(&self) -> Option<&str> {
        let place = self.place.as_deref()?;
        Some(place.split_once(':').map_or(place, |(file, _)| file))
    }
}

/// Codes of compilers; nothing tells more.
const COMPILER: u8 = 9;
/// An exception or a failed assertion with its words.
pub(crate) const RAISED: u8 = 8;
/// A tool's own complaint.
const TOOL: u8 = 7;
/// What a linter says of a line.
const LINT: u8 = TOOL;
/// A failed test's name, where nothing says why it failed.
const TEST: u8 = 6;
/// Something that begins with "error".
const PLAIN: u8 = 5;
/// Only that it failed.
const WEAK: u8 = 2;

pub(crate) fn fault(rank: u8, code: Option<&str>, message: &str) -> Fault {
    Fault {
        code: code.map(|code| clip(code, 48)),
        message: one_line(message, MAX_MESSAGE_BYTES),
        rank,
        compile: rank == COMPILER,
        ..Fault::default()
    }
}

fn recognize(line: &str) -> Option<Fault> {
    let line = line.strip_prefix("E   ").map_or(line, str::trim_start);
    let line = line.strip_prefix("[ERROR] ").unwrap_or(line);
    let line = complaint::without_task(line);
    let line = line.strip_prefix("= note: ").filter(|note| note.starts_with("ld: ")).unwrap_or(line);
    rust(line)
        .or_else(|| placed(line))
        .or_else(|| raised(line))
        .or_else(|| tools(line))
        .or_else(|| failed_test(line))
        .or_else(|| plain(line))
}

fn rust(line: &str) -> Option<Fault> {
    if let Some(rest) = line.strip_prefix("error[") {
        let (code, message) = rest.split_once("]: ")?;
        return Some(fault(COMPILER, Some(code), message));
    }
    if let Some((_, place)) = line.split_once("panicked at ")
        && line.contains("thread '")
    {
        // Until 1.73 the words stood on the same line, in quotes.
        if let Some((message, place)) = place.strip_prefix('\'').and_then(|rest| rest.rsplit_once("', ")) {
            return Some(Fault {
                place: file_and_line(place),
                compile: false,
                ..fault(COMPILER, None, message)
            });
        }
        // The first panic counts: those after it are often its consequence.
        let place = file_and_line(place.trim_end_matches(':'));
        return Some(Fault { place, compile: false, ..fault(COMPILER, None, "") });
    }
    None
}

/// `src/a.ts(12,5): error TS2345: …`, `a.c:12:5: error: …`, `./a.go:12:3: undefined: x`, `A.java:[12,5] …`.
fn placed(line: &str) -> Option<Fault> {
    let (place, rest) = split_place(line)?;
    let column = has_column(line, &place);
    let rest = rest.trim_start_matches([':', ' ', '-']).trim_start();
    // "error is not nil" is a sentence; "error: …" and "error TS2304: …" are not.
    let marked = |after: &&str| {
        let code = after.trim_start().split([':', ' ']).next().unwrap_or("");
        after.starts_with([':', '[']) || after.starts_with(' ') && is_code(code)
    };
    let after = rest.strip_prefix("fatal error").or_else(|| rest.strip_prefix("error"));
    let (is_error, message) = match after.filter(marked) {
        Some(after) => (true, after.trim_start_matches([':', ' '])),
        None => (false, rest),
    };
    // `# example.com/a/b [example.com/a/b.test]` names the package the next lines are about.
    if message.starts_with("# ") || message == "too many errors" {
        return None;
    }
    // `testing.go:1632 +0x230` is a frame of a goroutine: where it was, not what went wrong.
    if message.len() < 4 || message.starts_with("+0x") {
        return None;
    }
    if is_error {
        let (code, words) = match message.split_once(": ") {
            Some((code, words)) if is_code(code) => (Some(code), words),
            _ => (trailing_code(message), message),
        };
        return Some(Fault { place: Some(place), ..fault(COMPILER, code, words) });
    }
    // Go says only what is wrong; a linter gives a code first. A warning is no failure.
    let extension = crate::text::extension(place.split(':').next().unwrap_or(""));
    if message.starts_with("warning") || message.starts_with("note") || message.starts_with("info") {
        return None;
    }
    if let Some((code, words)) = message.split_once(' ')
        && is_code(code)
        && code.len() <= 8
    {
        return Some(Fault { place: Some(place), ..fault(TOOL, Some(code), words) });
    }
    let known = matches!(extension, "go" | "java" | "kt" | "zig" | "hs" | "ml" | "swift" | "scala");
    if let Some(linter) = complaint::linter(message).filter(|_| known) {
        // `G304: …` is known by its number, other complaints by who makes them.
        let (code, words) = match message.split_once(": ") {
            Some((code, words)) if is_code(code) && code.len() <= 8 => (code, words),
            _ => (linter, message),
        };
        if linter != "typecheck" {
            return Some(Fault { place: Some(place), ..fault(LINT, Some(code), words) });
        }
    }
    // The compiler names the column; a test's own words have a line only, and may be a log.
    let rank = if extension != "go" || column { COMPILER } else { WEAK + 1 };
    if rank < COMPILER && complaint::reports_success(message) {
        return None;
    }
    known.then(|| Fault { place: Some(place), ..fault(rank, None, message) })
}

/// Whether a second number follows the line: `a.go:12:3:`.
fn has_column(line: &str, place: &str) -> bool {
    let Some((_, number)) = place.rsplit_once(':') else { return false };
    let Some((_, rest)) = line.split_once(number) else { return false };
    rest.starts_with([':', ',']) && rest[1..].starts_with(|char: char| char.is_ascii_digit())
}

/// A file with a line at the beginning, and what follows.
pub(crate) fn split_place(line: &str) -> Option<(String, &str)> {
    let end = line.find([' ', '(', ':', ',']).filter(|end| *end > 2)?;
    let file = &line[..end];
    // A drive letter is not all of a path, and a path has an extension.
    let extension = crate::text::extension(file);
    if extension.is_empty() || extension.len() > 6 || !extension.chars().all(char::is_alphanumeric) {
        return None;
    }
    let rest = line[end..].trim_start_matches([':', '(', '[', ' ']);
    let digits = rest.len() - rest.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    if digits == 0 || digits > 7 {
        return None;
    }
    let place = format!("{}:{}", clip(file.trim_start_matches("./"), 120), &rest[..digits]);
    let rest = rest[digits..]
        .trim_start_matches(|char: char| char.is_ascii_digit() || matches!(char, ',' | ')' | ']' | ':'));
    Some((place, rest))
}

fn is_code(word: &str) -> bool {
    (2..=40).contains(&word.len())
        && word.chars().all(|char| is_word(char) || char == '-' || char == '/')
        && word.chars().next().is_some_and(char::is_uppercase)
        && word.chars().any(|char| char.is_ascii_digit())
}

/// `… [no-untyped-def]`, `… [-Werror,-Wunused]`.
fn trailing_code(message: &str) -> Option<&str> {
    let inner = message.trim_end().strip_suffix(']')?;
    let (_, code) = inner.rsplit_once('[')?;
    (code.len() < 40 && !code.contains(' ')).then_some(code)
}

/// `ValueError: …`, `java.lang.NullPointerException: …`, `panic: …`, `AssertionError …`.
fn raised(line: &str) -> Option<Fault> {
    if let Some(message) = line.strip_prefix("panic: ") {
        // What was caught and raised again is one panic.
        let message = message.split(" [recovered").next().unwrap_or(message);
        return Some(fault(RAISED, Some("panic"), message));
    }
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let line = line.strip_prefix("Unhandled ").unwrap_or(line);
    let line = match line.strip_prefix("Exception in thread \"") {
        Some(rest) => rest.split_once("\" ").map_or(rest, |(_, rest)| rest),
        None => line.strip_prefix("Caused by: ").unwrap_or(line),
    };
    let (name, message) = line.split_once(':').unwrap_or((line, ""));
    let name = name.trim_end();
    let last = name.rsplit(['.', ' ', '\\']).next().unwrap_or(name);
    let kind = last.split_once('[').map_or(last, |(kind, _)| kind).trim();
    let named = name.len() <= 90
        && kind.len() > 5
        && name.chars().all(|char| is_word(char) || matches!(char, '.' | '[' | ']' | ' ' | '\\' | '$' | '-'))
        && kind.chars().next().is_some_and(char::is_uppercase)
        && (kind.ends_with("Error")
            || kind.ends_with("Exception")
            || kind.ends_with("Warning") && message.len() > 8)
        && name.matches(' ').count() <= 1;
    if named && kind != "Error" && !kind.ends_with("Warning") {
        // A name alone in prose is no exception: "Handle TimeoutError".
        if message.trim().is_empty() && name.contains(' ') {
            return None;
        }
        return Some(fault(RAISED, Some(kind), message.trim()));
    }
    if (kind == "Error" || name == "Error") && !message.trim().is_empty() {
        return Some(fault(RAISED - 1, None, message.trim()));
    }
    if let Some(expectation) = line.strip_prefix("Failure/Error: ") {
        return Some(fault(RAISED, None, expectation));
    }
    let assertion = ["assertion failed", "assertion `", "Assertion failed", "Failed asserting that"];
    assertion.iter().any(|words| line.starts_with(words)).then(|| fault(RAISED, None, line))
}

fn tools(line: &str) -> Option<Fault> {
    const COMPLAINTS: &[&str] = &[
        "fatal: ",
        "CONFLICT ",
        "Error response from daemon: ",
        "ERROR: failed to solve",
        "ERROR:  ",
        "FATAL:  ",
        "psql: ",
        "curl: (",
        "ssh: ",
        "ld: ",
        "kubectl: ",
        "Unable to connect",
        "Could not resolve",
        "E: ",
    ];
    const INSIDE: &[&str] = &[
        "command not found",
        "Permission denied",
        "No space left on device",
        "address already in use",
        "Address already in use",
        "EADDRINUSE",
        "ECONNREFUSED",
        "onnection refused",
        "port is already allocated",
        "undefined reference to",
        "unresolved external",
        "OOMKilled",
        "CrashLoopBackOff",
        "ImagePullBackOff",
        "[rejected]",
        "certificate verify failed",
        "Segmentation fault",
        "segmentation fault",
        "Command timed out",
        "deadlock detected",
        "command timed out",
        "stack overflow",
        "out of memory",
        "Out of memory",
        "Killed",
        "does not exist",
        "violates ",
        "No module named",
        "Cannot find module",
        "import cycle not allowed",
        "no required module provides",
        "directory not found",
        "Module not found",
        "no such table",
        "syntax error",
        "unauthorized",
        "401 Unauthorized",
        "403 Forbidden",
        "500 Internal Server Error",
        "502 Bad Gateway",
        "503 Service Unavailable",
    ];
    if let Some(rest) = line.strip_prefix("npm ERR! ").or_else(|| line.strip_prefix("npm error ")) {
        return match rest.strip_prefix("code ") {
            Some(code) => Some(fault(TOOL, Some(code), rest)),
            None if rest.len() > 8 && !rest.starts_with("A complete log") => {
                Some(fault(WEAK + 1, None, rest))
            }
            None => None,
        };
    }
    // Advisories are known by their number.
    let advisory = line.split(|char: char| !(is_word(char) || char == '-')).find(|word| {
        ["GHSA-", "CVE-", "RUSTSEC-"].iter().any(|start| word.starts_with(start)) && word.len() > 9
    });
    if let Some(advisory) = advisory {
        let message = line.split(" - http").next().unwrap_or(line);
        return Some(fault(TOOL, Some(advisory), message));
    }
    let complains = COMPLAINTS.iter().any(|begin| line.starts_with(begin)) || line.starts_with("! [");
    if complains || (line.len() < 400 && INSIDE.iter().any(|words| line.contains(words))) {
        let code = line
            .split(|char: char| !is_word(char))
            .find(|word| {
                word.len() > 4 && word.starts_with('E') && word.chars().all(|char| char.is_ascii_uppercase())
            })
            .filter(|word| !matches!(*word, "ERROR" | "EXCEPTION" | "EXIT"));
        let compile = line.contains("import cycle not allowed");
        return Some(Fault { compile, ..fault(TOOL, code, line) });
    }
    // `× Expected ';'` of swc and friends, and the verdict lines of bundlers.
    line.strip_prefix("✘ [ERROR] ")
        .or_else(|| line.strip_prefix("× "))
        .map(|message| fault(TOOL, None, message))
}

fn failed_test(line: &str) -> Option<Fault> {
    if let Some(rest) = line.strip_prefix("FAILED ") {
        let (test, why) = rest.split_once(" - ").unwrap_or((rest, ""));
        if why.is_empty() {
            return (test.contains("::") || test.contains('.')).then(|| fault(TEST, None, line));
        }
        let (code, message) = match why.split_once(": ") {
            Some((code, message)) if !code.contains(' ') => (Some(code), message),
            _ => (None, why),
        };
        return Some(fault(TEST, code, message));
    }
    let failed = line.starts_with("--- FAIL:")
        || line.starts_with("● ")
        || line.starts_with("✕ ")
        || line.starts_with("FAIL ")
        || (line.starts_with("test ") && line.ends_with("FAILED"));
    failed.then(|| fault(TEST - 1, None, line.trim_start_matches("● ")))
}

fn plain(line: &str) -> Option<Fault> {
    const AFTERMATH: &[&str] = &[
        "could not compile",
        "test failed, to rerun",
        "aborting due to",
        "process didn't exit",
        "command failed with exit code",
        "failed with exit code",
        "exited with code",
        "lifecycle script",
        "elifecycle",
        "build failed",
        "error: test failed",
        "some errors have detailed",
        "for more information about",
        "task failed",
        "too many errors",
        "[build failed]",
        "recipe `",
    ];
    let lower = line.to_ascii_lowercase();
    if AFTERMATH.iter().any(|words| lower.contains(words))
        || lower.starts_with("make: ***")
        || lower.starts_with("make[")
    {
        return Some(fault(WEAK, None, line));
    }
    let begins = lower
        .strip_prefix("error")
        .or_else(|| lower.strip_prefix("fatal"))
        .or_else(|| lower.strip_prefix("[error]"));
    if let Some(rest) = begins
        && rest.starts_with([':', ' ', ']'])
    {
        // The words after "error:", in their own case.
        let message = line[line.len() - rest.len()..].trim_start_matches([':', ']', ' ']);
        return (message.len() > 3).then(|| fault(PLAIN, None, message));
    }
    if lower.contains(" error: ")
        || lower.contains("error ts")
        || lower.contains(": error ")
        || lower.contains(" failed: ")
    {
        return Some(fault(PLAIN - 1, None, line));
    }
    (lower.contains("failed") || lower.contains("exception")).then(|| fault(WEAK - 1, None, line))
}

/// Go prints a panic's stack from its own machinery down to the code that panicked.
fn frame_below(lines: &[std::borrow::Cow<'_, str>], at: usize) -> Option<String> {
    const MAX_FRAMES: usize = 60;
    let below = || lines.iter().skip(at + 1).take(MAX_FRAMES).map(|line| line.trim());
    let stack = below().position(|line| line.starts_with("goroutine "))?;
    // Above the call of `panic` stands what caught it.
    let raised = below().position(|line| line.starts_with("panic(")).unwrap_or(stack);
    below().skip(raised).take_while(|line| !line.starts_with("created by ")).find_map(|line| {
        let (place, rest) = split_place(line)?;
        let frame = place.contains(".go:") && (rest.is_empty() || rest.trim_start().starts_with("+0x"));
        (frame && !place.contains("/src/runtime/")).then_some(place)
    })
}

/// The place a complaint is about stands below it (rustc, node, vitest) or above it (Python).
fn place_near(lines: &[std::borrow::Cow<'_, str>], at: usize) -> Option<String> {
    for line in lines.iter().skip(at).take(14) {
        let line = line.trim();
        if let Some(place) = line.strip_prefix("--> ") {
            return file_and_line(place);
        }
        if let Some(place) = line.strip_prefix("❯ ") {
            let place = place.rsplit(' ').find(|word| word.contains(':')).unwrap_or(place);
            return file_and_line(place);
        }
        if let Some(frame) = line.strip_prefix("at ") {
            let place = frame.rsplit_once('(').map_or(frame, |(_, place)| place.trim_end_matches(')'));
            if !place.contains("node_modules") && !place.starts_with("node:") {
                return file_and_line(place);
            }
        }
    }
    for line in lines[..at].iter().rev().take(12) {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("File \"") {
            let (file, rest) = rest.split_once('"')?;
            if file.contains("site-packages") || file.starts_with('<') || file.contains("/lib/python") {
                continue;
            }
            let number: String =
                rest.trim_start_matches(", line ").chars().take_while(char::is_ascii_digit).collect();
            return Some(clip(&format!("{file}:{number}"), 160));
        }
    }
    // pytest: `tests/test_a.py:14: AssertionError`.
    lines.iter().skip(at).take(12).find_map(|line| {
        let (place, rest) = split_place(line.trim())?;
        (rest.trim_start().ends_with("Error") || rest.trim_start().ends_with("Exception")).then_some(place)
    })
}

fn file_and_line(place: &str) -> Option<String> {
    let place = place.trim().trim_start_matches("file://");
    let mut parts = place.split(':');
    let file = parts.next()?;
    if file.is_empty() || file.contains(' ') || !file.contains('.') {
        return None;
    }
    let number: String = parts.next().unwrap_or("").chars().take_while(char::is_ascii_digit).collect();
    let file = clip(file, 140);
    Some(if number.is_empty() { file } else { format!("{file}:{number}") })
}

/// Expected and received, left and right, got and want.
fn detail_near(lines: &[std::borrow::Cow<'_, str>], at: usize) -> Option<String> {
    const STARTS: &[&str] = &[
        "left:",
        "right:",
        "Expected:",
        "Received:",
        "expected:",
        "got:",
        "want:",
        "actual:",
        "Expected ",
        "- Expected",
        "+ Received",
        "Did you mean",
        "help: ",
        "symbol: ",
    ];
    let mut found: Vec<String> = Vec::new();
    for line in lines.iter().skip(at + 1).take(16) {
        let line = line.trim().trim_start_matches("E   ").trim();
        if STARTS.iter().any(|start| line.starts_with(start)) && found.len() < 2 {
            found.push(one_line(line, 90));
        }
    }
    (!found.is_empty()).then(|| clip(&found.join(", "), MAX_DETAIL_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, short: &str, place: Option<&str>) {
        let found = Fault::find(output).unwrap();
        assert_eq!((found.short(120).as_str(), found.place.as_deref()), (short, place), "{found:?}");
    }

    #[test]
    fn compilers() {
        check(
            "   Compiling store v0.1.0\nerror[E0382]: borrow of moved value: `segment`\n  --> src/journal.rs:42:9\n   |\nerror: could not compile `store` (lib) due to 1 previous error",
            "E0382: borrow of moved value: `segment`",
            Some("src/journal.rs:42"),
        );
        check(
            "src/a.ts(12,5): error TS2345: Argument of type 'string' is not assignable",
            "TS2345: Argument of type 'string' is not assignable",
            Some("src/a.ts:12"),
        );
        check(
            "src/a.ts:12:5 - error TS2304: Cannot find name 'x'.",
            "TS2304: Cannot find name 'x'",
            Some("src/a.ts:12"),
        );
        check("./pkg/a.go:12:3: undefined: Foo", "undefined: Foo", Some("pkg/a.go:12"));
        check(
            "main.c:7:3: error: implicit declaration of function 'f'\nmake: *** [Makefile:3: all] Error 1",
            "implicit declaration of function 'f'",
            Some("main.c:7"),
        );
        check("[ERROR] /p/A.java:[12,5] cannot find symbol", "cannot find symbol", Some("/p/A.java:12"));
        check(
            "app.py:3: error: Incompatible return value type  [return-value]",
            "return-value: Incompatible return value type [return-value]"
                .trim_start_matches("return-value: "),
            Some("app.py:3"),
        );
    }

    #[test]
    fn tracebacks_and_assertions() {
        check(
            "Traceback (most recent call last):\n  File \"/app/worker.py\", line 31, in run\n    raise ValueError(x)\nValueError: bad lease: 12",
            "ValueError: bad lease: 12",
            Some("/app/worker.py:31"),
        );
        check(
            "thread 'journal::tests::a' panicked at src/journal.rs:88:9:\nassertion `left == right` failed\n  left: 1\n right: 2",
            "assertion `left == right` failed",
            Some("src/journal.rs:88"),
        );
        check(
            "TypeError: x is not a function\n    at go (/p/src/a.js:3:9)\n    at node:internal",
            "TypeError: x is not a function",
            Some("/p/src/a.js:3"),
        );
        check(
            "Exception in thread \"main\" java.lang.IllegalStateException: closed",
            "IllegalStateException: closed",
            None,
        );
        check(
            "panic: runtime error: index out of range [3]",
            "panic: runtime error: index out of range [3]",
            None,
        );
        check(
            "E       AssertionError: assert 3 == 4\n\ntests/test_a.py:14: AssertionError",
            "AssertionError: assert 3 == 4",
            Some("tests/test_a.py:14"),
        );
    }

    #[test]
    fn tools_and_what_is_left() {
        check("bash: foo: command not found", "bash: foo: command not found", None);
        check("fatal: not a git repository", "fatal: not a git repository", None);
        check("npm ERR! code ERESOLVE\nnpm ERR! could not resolve", "code ERESOLVE", None);
        check("Error: connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED 127.0.0.1:5432", None);
        check("starting\nnothing to see\n", "nothing to see", None);
        assert_eq!(Fault::find("\n \n"), None);
    }

    #[test]
    fn one_failure_has_one_signature_whatever_its_numbers() {
        let first = Fault::find("ValueError: bad lease: 12").unwrap();
        let second = Fault::find("ValueError: bad lease: 977").unwrap();
        assert_eq!(first.signature(), second.signature());
    }
}
