//! Follows the failures of one conversation until something resolves them: the same command passes after edits that have to do with
//! it, or another form of the command works.

use std::collections::HashSet;

use model::{Author, Detail, Event, EventId, EventKind, Millis};
use serde::{Deserialize, Serialize};

use super::signature::{FailedRun, is_unknown_program};
use crate::command::Purpose;
use crate::patch::Edit;
use crate::step::{Act, Run, Step, step};
use crate::text::{clip, file_name, push_new};

/// Calls after which a failure that nothing resolved is forgotten.
const MAX_ACTIONS: u32 = 30;
/// Another form of a command is its correction when it comes this soon.
const SOON: u32 = 3;
const MAX_OPEN: usize = 12;
const MAX_EDITS: usize = 4;
const MAX_BETWEEN: usize = 6;
const MAX_COMMAND_BYTES: usize = 200;
const MAX_NAMES: usize = 6;

/// The failures of a conversation that nothing has resolved yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FailureTracker {
    actions: u32,
    /// Prompts of the person so far.
    turn: u32,
    /// Words from outside were heard since the person's last prompt: what is done then may be a stranger's advice.
    heard_outside: bool,
    open: Vec<OpenFailure>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OpenFailure {
    event: EventId,
    at: Millis,
    action: u32,
    turn: u32,
    run: FailedRun,
    /// Edits since then that have to do with it, the newest last.
    edits: Vec<FixingEdit>,
    /// There were others, too.
    is_mixed: bool,
    /// Commands since then that changed something, the newest last.
    commands: Vec<String>,
    heard_outside: bool,
}

/// What an edit did that resolved a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixingEdit {
    pub file: String,
    /// The changed line that says most, as it was and as it is.
    pub before: Option<String>,
    pub after: Option<String>,
    /// Coined names of the changed lines, and definitions whose inside changed.
    pub names: Vec<String>,
}

/// A failure, and what it took to get past it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResolvedFailure {
    pub signature: super::FailureSignature,
    /// What had failed.
    pub command: String,
    pub folder: String,
    pub failed: EventId,
    pub resolved: EventId,
    pub resolved_at: Millis,
    /// Edits after which the same command passed.
    pub edits: Vec<FixingEdit>,
    pub worked: Option<WorkingCommand>,
}

/// A command that got past a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkingCommand {
    pub command: String,
    /// The folder it was run in, where the line changed into one.
    pub folder: String,
    /// It was run first, and then the command that had failed passed.
    pub is_step_before: bool,
}

impl FailureTracker {
    pub fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes in one event of the conversation; what is resolved by it is given back.
    pub fn hear(&mut self, event: &Event) -> Vec<ResolvedFailure> {
        if let Detail::Prompt { author: Author::Person, .. } = &event.detail {
            self.turn = self.turn.saturating_add(1);
            self.heard_outside = false;
            return Vec::new();
        }
        if !matches!(event.kind, EventKind::PostToolUse | EventKind::PostToolUseFailure) {
            return Vec::new();
        }
        self.actions = self.actions.saturating_add(1);
        let now = self.actions;
        self.open.retain(|open| now - open.action <= MAX_ACTIONS);
        let Some(step) = step(event) else { return Vec::new() };
        let resolved = match &step.act {
            Act::Edit(edit) => {
                self.edited(edit);
                Vec::new()
            }
            Act::Run(run) if run.ok && !run.background => self.passed(run, event),
            Act::Call { server, name, about, failed: false, .. } => {
                self.called(&format!("{server} {name}"), about, event)
            }
            _ => {
                self.failed(event);
                Vec::new()
            }
        };
        // What a call brings in is heard after it was made.
        if brings_words(&step) {
            self.heard_outside = true;
            for open in &mut self.open {
                open.heard_outside = true;
            }
        }
        resolved
    }

    fn failed(&mut self, event: &Event) {
        let Some(run) = FailedRun::of(event) else { return };
        // The same failure again is the same open one: edits in between have not resolved it.
        if let Some(known) = self
            .open
            .iter_mut()
            .find(|open| open.run.key == run.key && run.signature.is_same(&open.run.signature.lines))
        {
            known.action = self.actions;
            return;
        }
        if self.open.len() >= MAX_OPEN {
            self.open.remove(0);
        }
        self.open.push(OpenFailure {
            event: event.id,
            at: event.at,
            action: self.actions,
            turn: self.turn,
            run,
            edits: Vec::new(),
            is_mixed: false,
            commands: Vec::new(),
            heard_outside: self.heard_outside,
        });
    }

    fn edited(&mut self, edit: &Edit) {
        for open in &mut self.open {
            let name = file_name(&edit.file);
            let mut names = edit.names.iter().chain(&edit.inside).chain(&edit.defines);
            let linked = open.run.files.iter().any(|file| file == name)
                || names.any(|name| open.run.names.contains(name))
                || [&edit.before, &edit.after]
                    .into_iter()
                    .flatten()
                    .any(|line| open.run.names.iter().any(|name| line.contains(name.as_str())));
            if linked {
                if open.edits.len() >= MAX_EDITS {
                    open.edits.remove(0);
                }
                open.edits.push(FixingEdit::of(edit));
            } else {
                open.is_mixed = true;
            }
        }
    }

    fn passed(&mut self, run: &Run, event: &Event) -> Vec<ResolvedFailure> {
        let now = self.actions;
        let words = words_of(&run.command.shown);
        let mut resolved = Vec::new();
        self.open.retain_mut(|open| {
            let known = words_of(&open.run.command);
            let alike = likeness(&known, &words);
            let same_program = open.run.family == run.command.family;
            let same = open.run.key == run.command.key() || same_program && alike >= 0.7;
            let soon = now - open.action <= SOON;
            let other_form = same_program && (soon || alike >= 0.5)
                || soon && alike >= 0.4 && is_unknown_program(&open.run.signature.shown);
            if !same && !other_form {
                let changes = run.command.purpose < Purpose::Probe && !run.command.purpose.checks();
                if changes && !run.command.ad_hoc {
                    let command = place(&run.command.folder, &run.command.shown);
                    if open.commands.len() < MAX_BETWEEN {
                        push_new(&mut open.commands, &command, MAX_BETWEEN);
                    }
                }
                return true;
            }
            let edited = !open.edits.is_empty() || open.is_mixed;
            if edited {
                if !same && alike < 0.5 {
                    return true;
                }
                // Edits that have nothing to do with it explain nothing.
                if !open.edits.is_empty() {
                    let edits = std::mem::take(&mut open.edits);
                    resolved.push(open.resolved(event, edits, None));
                }
                return false;
            }
            // A narrower run of the tests shows nothing, and the same one only that it was not the code.
            if open.run.is_check && !open.run.is_slip {
                return !same;
            }
            let is_new =
                words.iter().any(|word| !known.contains(word)) || run.command.folder != open.run.folder;
            let worked = if is_new && (!same || open.commands.is_empty()) {
                Some(WorkingCommand {
                    command: clip(&run.command.shown, MAX_COMMAND_BYTES),
                    folder: run.command.folder.clone(),
                    is_step_before: false,
                })
            } else if same {
                open.commands.pop().map(|command| WorkingCommand {
                    command,
                    folder: String::new(),
                    is_step_before: true,
                })
            } else {
                return true;
            };
            // What a stranger may have advised is not advised again.
            if worked.is_some() && !open.heard_outside {
                resolved.push(open.resolved(event, Vec::new(), worked));
            }
            false
        });
        resolved
    }

    /// The same tool of a server, called otherwise.
    fn called(&mut self, family: &str, about: &str, event: &Event) -> Vec<ResolvedFailure> {
        let now = self.actions;
        let mut resolved = Vec::new();
        self.open.retain_mut(|open| {
            if open.run.family != family {
                return true;
            }
            if now - open.action <= SOON + 2 && !open.heard_outside && about != open.run.command {
                let worked = WorkingCommand {
                    command: clip(about, MAX_COMMAND_BYTES),
                    folder: String::new(),
                    is_step_before: false,
                };
                resolved.push(open.resolved(event, Vec::new(), Some(worked)));
            }
            false
        });
        resolved
    }
}

impl OpenFailure {
    fn resolved(
        &self,
        event: &Event,
        edits: Vec<FixingEdit>,
        worked: Option<WorkingCommand>,
    ) -> ResolvedFailure {
        ResolvedFailure {
            signature: self.run.signature.clone(),
            command: clip(&self.run.command, MAX_COMMAND_BYTES),
            folder: self.run.folder.clone(),
            failed: self.event,
            resolved: event.id,
            resolved_at: event.at,
            edits: if self.heard_outside {
                edits.into_iter().map(FixingEdit::without_text).collect()
            } else {
                edits
            },
            worked,
        }
    }
}

impl FixingEdit {
    fn of(edit: &Edit) -> Self {
        let mut names = Vec::new();
        for name in edit.inside.iter().chain(&edit.defines).chain(&edit.names) {
            push_new(&mut names, name, MAX_NAMES);
        }
        Self { file: edit.file.clone(), before: edit.before.clone(), after: edit.after.clone(), names }
    }

    fn without_text(self) -> Self {
        Self { before: None, after: None, names: Vec::new(), ..self }
    }
}

/// Whether a stranger's words came with it. Of a program that failed the words are its own, unless it fetches a page.
fn brings_words(step: &Step) -> bool {
    const FETCHERS: &[&str] = &["curl", "wget", "http", "https", "xh", "ssh", "nc"];
    let failed = match &step.act {
        Act::Run(run) => !run.ok && !FETCHERS.iter().any(|program| run.command.family.starts_with(program)),
        _ => false,
    };
    !failed && step.marks().any(|mark| mark.starts_with(crate::MARK))
}

/// A command with the folder it was run in.
fn place(folder: &str, command: &str) -> String {
    let command = clip(command, MAX_COMMAND_BYTES);
    if folder.is_empty() { command } else { format!("cd {folder} && {command}") }
}

fn words_of(command: &str) -> HashSet<&str> {
    command
        .split(|char: char| char.is_whitespace() || "'\"`()[]{};|&<>,=$".contains(char))
        .filter(|word| word.len() > 1 && !word.chars().all(|char| char.is_ascii_digit()))
        .collect()
}

/// The share of words that two commands have in common.
fn likeness(one: &HashSet<&str>, other: &HashSet<&str>) -> f64 {
    let all = one.union(other).count();
    if all == 0 { 0.0 } else { one.intersection(other).count() as f64 / all as f64 }
}
