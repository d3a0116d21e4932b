//! By what a failure is known again.

use std::hash::{Hash, Hasher};

use model::{Detail, Event, EventKind, Outcome, ToolCall};
use serde::{Deserialize, Serialize};

use crate::command::{Command, Purpose};
use crate::fault::{Fault, RAISED};
use crate::step::{Act, Run};
use crate::text::{clip, file_name, identifiers, is_coined, lines, one_line, push_new};
use crate::tool;

/// Lines of one output that are compared; the rest of a long list of errors says the same.
const MAX_LINES: usize = 4;
const MAX_LINE_BYTES: usize = 200;
const MAX_NAMES: usize = 24;
/// Lines of an output that are read for names.
const MAX_NAMED_LINES: usize = 12;

/// A failure of a command or a tool, as it can be known again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureSignature {
    /// One for each line that says what is wrong, with the name of the file it is about.
    pub lines: Vec<u64>,
    /// One for each rule that was broken: a linter's name, a compiler's number, a flag that a program does not know.
    pub rules: Vec<u64>,
    /// The names of those rules, in the same order.
    pub rule_names: Vec<String>,
    /// The first of the lines, as it was printed.
    pub shown: String,
    /// Only a test's name is known, not why it failed.
    pub is_test: bool,
}

/// What a command's failure is followed by: its signature, and what links a later edit or command to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FailedRun {
    pub signature: FailureSignature,
    /// Base names of the files its lines are about.
    pub files: Vec<String>,
    /// Coined names in its lines.
    pub names: Vec<String>,
    /// It was called wrongly, or from the wrong place: another form of the command resolves it.
    pub is_slip: bool,
    /// What was run, in few words.
    pub command: String,
    pub folder: String,
    pub family: String,
    pub key: String,
    pub is_check: bool,
}

impl FailureSignature {
    /// `None`: nothing failed, or what failed was only a look around or a script written on the spot.
    pub fn of(event: &Event) -> Option<Self> {
        Some(FailedRun::of(event)?.signature)
    }

    /// Whether at least half of its lines were in the other one.
    pub fn is_same(&self, other: &[u64]) -> bool {
        let shared = self.lines.iter().filter(|line| other.contains(line)).count();
        shared > 0 && 2 * shared >= self.lines.len()
    }
}

impl FailedRun {
    pub(super) fn of(event: &Event) -> Option<Self> {
        if !matches!(event.kind, EventKind::PostToolUse | EventKind::PostToolUseFailure) {
            return None;
        }
        let Detail::Tool(call) = &event.detail else { return None };
        match tool::act(call, event.cwd.as_deref())? {
            Act::Run(run) if !run.ok => Self::of_run(call, run),
            Act::Call { server, name, about, said, failed: true } => {
                Self::of_call(&server, &name, about, &said)
            }
            _ => None,
        }
    }

    fn of_run(call: &ToolCall, run: Run) -> Option<Self> {
        let output = match &call.outcome {
            Outcome::Failed { error, .. } => error.clone(),
            Outcome::Succeeded { response, .. } => tool::printed(response),
            Outcome::Pending | Outcome::Denied { .. } => return None,
        };
        let command = run.command;
        let is_slip =
            run.fault.as_ref().is_some_and(|fault| fault.is_slip() || is_unknown_program(&fault.message));
        // The failure of a search or a look is an answer, unless it was called wrongly.
        if (command.purpose >= Purpose::Probe || command.ad_hoc) && !is_slip {
            return None;
        }
        let faults = telling_faults(&output);
        let mut found = Self::new(&faults, &output, &command.family);
        if found.signature.lines.is_empty() {
            // An output that does not say what is wrong is no sign of anything.
            if output.lines().skip(1).any(|line| line.trim().len() > 3) {
                return None;
            }
            found.signature.lines.push(key(&["exit", &command.key()]));
            found.signature.shown = format!("`{}` failed", one_line(&command.shown, 80));
        }
        found.is_slip = is_slip;
        found.key = command.key();
        found.is_check = command.purpose.checks();
        let Command { family, shown, folder, .. } = command;
        Some(Self { command: shown, folder, family, ..found })
    }

    fn of_call(server: &str, name: &str, about: String, said: &str) -> Option<Self> {
        let line = said.lines().find(|line| line.trim().len() > 3)?;
        let family = format!("{server} {name}");
        let signature = FailureSignature {
            lines: vec![key(&[&family, &normalized(line)])],
            rules: Vec::new(),
            rule_names: Vec::new(),
            shown: one_line(line, MAX_LINE_BYTES),
            is_test: false,
        };
        Some(Self {
            signature,
            files: Vec::new(),
            names: Vec::new(),
            is_slip: true,
            command: about,
            folder: String::new(),
            key: family.clone(),
            family,
            is_check: false,
        })
    }

    fn new(faults: &[Fault], output: &str, family: &str) -> Self {
        let mut signature = FailureSignature {
            lines: Vec::new(),
            rules: Vec::new(),
            rule_names: Vec::new(),
            shown: faults.first().map(|fault| fault.short(MAX_LINE_BYTES)).unwrap_or_default(),
            is_test: faults.first().is_some_and(Fault::is_test_name),
        };
        let (mut files, mut names) = (Vec::new(), Vec::new());
        for fault in faults.iter().take(MAX_LINES) {
            let file = fault.file().map(file_name).unwrap_or_default();
            let line = key(&[
                "line",
                &file.to_lowercase(),
                fault.code.as_deref().unwrap_or(""),
                &normalized(&fault.message),
            ]);
            if !signature.lines.contains(&line) {
                signature.lines.push(line);
            }
        }
        for fault in faults.iter().take(MAX_NAMED_LINES) {
            if let Some(file) = fault.file() {
                push_new(&mut files, file_name(file), MAX_NAMES);
            }
            for name in identifiers(&fault.message).filter(|name| name.len() >= 5 && is_coined(name)) {
                push_new(&mut names, name, MAX_NAMES);
            }
            if let Some(rule) = rule_of(fault, family)
                && !signature.rule_names.contains(&rule)
                && signature.rules.len() < MAX_LINES
            {
                signature.rules.push(key(&["rule", &rule]));
                signature.rule_names.push(rule);
            }
        }
        // Frames of a failed test name the file that an edit may be about.
        for line in lines(output).take(400) {
            if let Some((place, _)) = crate::fault::split_place(line.trim()) {
                push_new(&mut files, file_name(place.split(':').next().unwrap_or("")), MAX_NAMES);
            }
        }
        Self {
            signature,
            files,
            names,
            is_slip: false,
            command: String::new(),
            folder: String::new(),
            family: String::new(),
            key: String::new(),
            is_check: false,
        }
    }
}

/// The lines of an output that say most: a compiler's before a failed test's name before a line that sounds wrong.
fn telling_faults(output: &str) -> Vec<Fault> {
    let mut found: Vec<Fault> = Vec::new();
    for line in lines(output) {
        let Some(fault) = Fault::of_line(line.trim()) else { continue };
        if fault.rank < Fault::SAYS_FAILED || fault.message.is_empty() || is_hollow(&fault.message) {
            continue;
        }
        let best = found.first().map_or(0, |known| known.rank);
        if fault.rank > best {
            found.clear();
        }
        if fault.rank >= best && found.len() < MAX_NAMED_LINES {
            found.push(fault);
        }
    }
    // What was raised last caused the end of the program.
    if found.first().is_some_and(|fault| fault.rank == RAISED) {
        found.reverse();
    }
    if found.is_empty() {
        let says = |fault: &Fault| {
            fault.rank >= Fault::SAYS_FAILED || fault.is_slip() || is_unknown_program(&fault.message)
        };
        found.extend(Fault::find(output).filter(|fault| says(fault) && !is_hollow(&fault.message)));
    }
    found
}

/// Says that something failed, and not what.
fn is_hollow(message: &str) -> bool {
    const HOLLOW: &[&str] =
        &["exit code", "exit status", "task failed", "command failed", "process completed", "build failed"];
    let lower = message.to_lowercase();
    let letters = lower.chars().filter(|char| char.is_alphabetic()).count();
    letters < 8 || HOLLOW.iter().any(|word| lower.contains(word)) && letters < 40
}

/// The rule that a line says was broken: what a linter or compiler calls it.
fn rule_of(fault: &Fault, family: &str) -> Option<String> {
    let program = family.split(' ').next().unwrap_or("");
    let lower = fault.message.to_lowercase();
    for slip in
        ["unknown flag", "unknown option", "unrecognized option", "unknown command", "command not found"]
    {
        if let Some(at) = lower.find(slip) {
            let thing = lower[at + slip.len()..]
                .trim_start_matches([':', ' '])
                .split_whitespace()
                .next()
                .unwrap_or("");
            return Some(clip(&format!("{program} {slip} {}", normalized(thing)), 80));
        }
    }
    let code = fault.code.as_deref()?;
    let is_number = code.chars().any(|char| char.is_ascii_digit());
    if !(fault.is_lint() || is_number || code.starts_with("ERR_")) {
        return None;
    }
    // A linter of many rules names the one that was broken: `appendAssign: … (gocritic)`.
    let rule = fault.message.split_once(": ").map_or("", |(rule, _)| rule);
    let is_rule = (4..=40).contains(&rule.len())
        && rule.chars().all(|char| char.is_ascii_alphanumeric() || char == '-');
    Some(if is_rule && !is_number { format!("{code} {rule}") } else { code.to_owned() })
}

pub(super) fn is_unknown_program(message: &str) -> bool {
    let lower = message.to_lowercase();
    ["command not found", "no matches found", "is not recognized as", "parse error"]
        .iter()
        .any(|sign| lower.contains(sign))
}

/// A line without what changes from run to run: numbers, marks of commits, times, folders, kinds of quotes.
pub(super) fn normalized(line: &str) -> String {
    let mut plain = String::with_capacity(line.len().min(MAX_LINE_BYTES));
    for word in line.split_whitespace() {
        if plain.len() >= MAX_LINE_BYTES {
            break;
        }
        if !plain.is_empty() {
            plain.push(' ');
        }
        if word.contains("://") {
            plain.push_str("url");
            continue;
        }
        // Of a path its last name counts; a separator between two words is not one.
        let from =
            word.trim_end_matches(['/', ':', ',', '.', ')', '\'', '"']).rfind('/').map_or(0, |at| at + 1);
        let word = if word.contains('/') { &word[from..] } else { word };
        let is_mark = word.len() >= 7
            && word.chars().all(|char| char.is_ascii_hexdigit() || char == '-')
            && word.chars().any(|char| char.is_ascii_digit());
        if is_mark {
            plain.push('#');
            continue;
        }
        let mut in_number = false;
        for char in word.chars() {
            let number = char.is_ascii_digit() || in_number && matches!(char, '.' | ':');
            match char {
                _ if number && in_number => {}
                _ if number => plain.push('#'),
                '“' | '”' | '‘' | '’' | '`' | '"' => plain.push('\''),
                _ => plain.extend(char.to_lowercase()),
            }
            in_number = number;
        }
    }
    plain
}

/// The same for equal words on every machine and in every release: it is kept in tables.
fn key(parts: &[&str]) -> u64 {
    struct Fnv(u64);
    impl Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    for part in parts {
        part.hash(&mut hasher);
    }
    // SQLite keeps whole numbers with a sign.
    hasher.finish() >> 1
}
