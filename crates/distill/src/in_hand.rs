//! What a session has in hand: the files it read and changed of late and the commands it ran, with how each ended last.
//! Whoever goes on after a compaction picks the work up with them. Bounded: what was used longest ago makes room.

use std::cmp::Reverse;

use model::Millis;
use serde::{Deserialize, Serialize};

use crate::command::{Command, Purpose};
use crate::outside::Heard;
use crate::patch::Edit;
use crate::state::State;
use crate::step::{Act, Run, Step};
use crate::text::{clip, enumerate, one_line};
use crate::work::push_bounded;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct InHand {
    /// Used last comes last.
    files: Vec<FileInHand>,
    commands: Vec<CommandInHand>,
}

/// A file that was read or changed, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct FileInHand {
    path: String,
    changed: bool,
    note: String,
}

/// A command as it was typed, without what only cuts its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandInHand {
    line: String,
    folder: String,
    /// `212 passed`, `0 issues`; empty: nothing was printed that says so.
    result: String,
    ok: bool,
    /// It shows something and proves nothing: `git status`, `ls`.
    looks: bool,
    times: u32,
    at: Millis,
}

const MAX_FILES: usize = 40;
const MAX_COMMANDS: usize = 32;
const MAX_NOTE_BYTES: usize = 120;
/// A longer line is made for one occasion.
const MAX_LINE_BYTES: usize = 120;

/// Takes over what a turn used. A command in a stranger's words is not kept to be said again.
pub(crate) fn take(state: &mut State, steps: &[Step], heard: &Heard) {
    for step in steps.iter().filter(|step| step.subagent.is_none()) {
        match &step.act {
            Act::Edit(edit) if is_kept(&edit.file) => state.in_hand.file(&edit.file, Some(changed(edit))),
            Act::Read { file, from, lines } if is_kept(file) => {
                let part = *from > 1 && *lines > 0;
                let note = part.then(|| format!("read lines {from}-{}", from.saturating_add(*lines) - 1));
                state.in_hand.read(file, note.unwrap_or_default());
            }
            Act::Run(run) if !heard.is_theirs(&run.command.shown) => state.in_hand.command(run, step.at),
            _ => {}
        }
    }
}

/// What the client keeps for itself is no file of the work.
fn is_kept(path: &str) -> bool {
    !path.is_empty() && !path.starts_with("/tmp/") && !path.contains("/.claude/")
}

/// `changes append (line 41)`.
fn changed(edit: &Edit) -> String {
    let verb = if edit.created { "new file" } else { "changes" };
    let mut names: Vec<&String> = edit.defines.iter().chain(&edit.inside).collect();
    names.dedup();
    let mut note = format!("{verb} {}", enumerate(&names, 3)).trim_end().to_owned();
    if let Some((first, last)) = edit.spans.first().filter(|_| !edit.created) {
        let place = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
        note = if names.is_empty() { format!("{verb} {place}") } else { format!("{note} ({place})") };
    }
    if note == "changes" { String::new() } else { clip(&note, MAX_NOTE_BYTES) }
}

impl InHand {
    fn file(&mut self, path: &str, note: Option<String>) {
        let known = self.files.iter().position(|file| file.path == path);
        let mut file = known.map(|place| self.files.remove(place)).unwrap_or_default();
        path.clone_into(&mut file.path);
        file.changed |= note.is_some();
        if let Some(note) = note.filter(|note| !note.is_empty()) {
            file.note = note;
        }
        // A file that was only read makes room before one that was changed.
        if self.files.len() >= MAX_FILES
            && let Some(place) = self.files.iter().position(|file| !file.changed)
        {
            self.files.remove(place);
        }
        push_bounded(&mut self.files, file, MAX_FILES);
    }

    fn read(&mut self, path: &str, note: String) {
        self.file(path, None);
        if let Some(file) = self.files.last_mut().filter(|file| !file.changed) {
            file.note = note;
        }
    }

    fn command(&mut self, run: &Run, at: Millis) {
        let line = if run.line.is_empty() { &run.command.shown } else { &run.line };
        let command = &run.command;
        let odd = line.is_empty() || line.len() > MAX_LINE_BYTES || line.contains(['\n', '…']);
        if odd || command.ad_hoc || command.purpose == Purpose::Commit || run.background {
            return;
        }
        let known = self.commands.iter().position(|one| one.line == *line && one.folder == command.folder);
        let before = known.map(|place| self.commands.remove(place));
        let kept = CommandInHand {
            line: line.clone(),
            folder: command.folder.clone(),
            result: result(run),
            ok: run.ok,
            looks: command.purpose >= Purpose::Search || command.purpose == Purpose::Push,
            times: before.map_or(0, |one| one.times).saturating_add(1),
            at,
        };
        // Something that was only looked at once makes room first.
        if self.commands.len() >= MAX_COMMANDS
            && let Some(place) = self.commands.iter().position(|one| one.looks && one.times == 1)
        {
            self.commands.remove(place);
        }
        push_bounded(&mut self.commands, kept, MAX_COMMANDS);
    }
}

/// How a run ended, in the words of what it printed.
fn result(run: &Run) -> String {
    if let Some(verdict) = run.verdict.as_ref().filter(|verdict| verdict.passed + verdict.failed > 0) {
        return verdict.words();
    }
    if !run.ok {
        return run.fault.as_ref().map(|fault| fault.short(100)).unwrap_or_default();
    }
    if !run.command.purpose.proves() {
        return String::new();
    }
    // `0 issues.`, `0 errors, 2 warnings`.
    const COUNTED: &[&str] = &["issue", "error", "warning", "problem"];
    let counts = |line: &&str| {
        line.len() <= 60
            && line.starts_with(|first: char| first.is_ascii_digit())
            && COUNTED.iter().any(|word| line.contains(word))
    };
    let line = run.said.lines().map(str::trim).rfind(counts);
    line.map(|line| line.trim_end_matches('.').to_owned()).unwrap_or_default()
}

/// A command line as it was typed, without the folder it changes into and what cuts its output. Empty for a script and for
/// a line that was made for one occasion.
pub(crate) fn typed(line: &str) -> String {
    const CUTS: &[&str] = &["tail", "head", "grep", "rg", "wc", "less", "cat", "sort", "sed", "awk", "tee"];
    let line = line.trim();
    if line.len() > 4 * MAX_LINE_BYTES || line.contains(['\n', '\r']) || line.contains("<<") {
        return String::new();
    }
    let mut line = one_line(line, 4 * MAX_LINE_BYTES);
    if line.starts_with("cd ") {
        line = match line.split_once(" && ").or_else(|| line.split_once("; ")) {
            Some((folder, rest)) if folder.split_whitespace().count() == 2 => rest.to_owned(),
            _ => return String::new(),
        };
    }
    let without_cut = |part: &str| {
        let mut part = part;
        while let Some((command, cut)) = part.rsplit_once(" | ")
            && CUTS.contains(&cut.split_whitespace().next().unwrap_or(""))
        {
            part = command;
        }
        part.to_owned()
    };
    if !line.contains(';') {
        line = line.split(" && ").map(without_cut).collect::<Vec<_>>().join(" && ");
    }
    for sign in [" 2>&1", " 2>/dev/null", " || true"] {
        line = line.replace(sign, "");
    }
    let line = line.trim();
    if line.len() <= MAX_LINE_BYTES { line.to_owned() } else { String::new() }
}

impl CommandInHand {
    /// `` `just test` from `web` (212 passed) ``.
    fn shown(&self) -> String {
        let folder = if self.folder.is_empty() { String::new() } else { format!(" from `{}`", self.folder) };
        let result = match (self.ok, self.result.as_str()) {
            (true, "") => String::new(),
            (true, result) => format!(" ({result})"),
            (false, "") => " (failed last)".to_owned(),
            (false, result) => format!(" (failed last: {result})"),
        };
        format!("`{}`{folder}{result}", self.line)
    }
}

impl State {
    /// Files that were changed, then those that were only read, the latest first; each with where.
    pub fn files_in_hand(&self) -> impl Iterator<Item = (&str, &str)> {
        let of = |changed: bool| self.in_hand.files.iter().rev().filter(move |file| file.changed == changed);
        of(true).chain(of(false)).map(|file| (file.path.as_str(), file.note.as_str()))
    }

    /// Commands that worked when they were run last, and checks however they ended, with their folder and result: those
    /// that came again first.
    pub fn commands_in_hand(&self) -> Vec<String> {
        let proves = |one: &CommandInHand| Command::read(&one.line).purpose.proves();
        let mut commands: Vec<&CommandInHand> =
            self.in_hand.commands.iter().filter(|one| !one.looks && (one.ok || proves(one))).collect();
        commands.sort_by_key(|one| (Reverse(one.times.min(3)), Reverse(one.at)));
        commands.into_iter().map(CommandInHand::shown).collect()
    }

    /// Commands that only show something: those that came again, then short ones, then the latest.
    pub fn commands_that_look(&self) -> Vec<String> {
        /// A longer one looked for one thing.
        const SHORT: usize = 40;
        let mut looked: Vec<&CommandInHand> =
            self.in_hand.commands.iter().filter(|one| one.ok && one.looks).collect();
        looked.sort_by_key(|one| (Reverse(one.times.min(3)), one.line.len() > SHORT, Reverse(one.at)));
        looked.into_iter().map(|one| format!("`{}`", one.line)).collect()
    }

    /// Checks that passed after the last change, with their results.
    pub(crate) fn proofs(&self) -> Vec<String> {
        let (edited, commands) = (self.done_so_far.edited_at, &self.in_hand.commands);
        let proves =
            |one: &&CommandInHand| one.ok && one.at >= edited && Command::read(&one.line).purpose.proves();
        let mut proofs: Vec<&CommandInHand> = commands.iter().rev().filter(proves).collect();
        // A result says more than that it went well.
        proofs.sort_by_key(|one| one.result.is_empty());
        proofs.into_iter().map(CommandInHand::shown).collect()
    }

    /// What fails as far as it is known, oldest first.
    pub fn failing_now(&self) -> Vec<String> {
        let stands = self.open.iter().filter(|open| open.told && open.stands() && open.outside.is_empty());
        let shown = |open: &crate::state::OpenFailure| {
            let tests = open.failing.iter().take(4).map(|name| format!("`{name}`")).collect::<Vec<_>>();
            let tests = if tests.is_empty() { String::new() } else { format!(" ({})", tests.join(", ")) };
            format!("`{}` fails: {}{tests}", open.shown, open.fault.short(140))
        };
        stands.map(shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_kept_as_it_would_be_typed_again() {
        for (line, kept) in [
            ("cd web && just test 2>&1 | tail -20", "just test"),
            ("just fmt && just lint", "just fmt && just lint"),
            ("just test | tail -3 && just lint 2>&1 | head", "just test && just lint"),
            ("git log --oneline -5", "git log --oneline -5"),
            ("git show a:b.json | grep -o x | sort -u", "git show a:b.json"),
            ("cat data.csv | sort | uniq -c", "cat data.csv | sort | uniq -c"),
            ("cat > a.txt <<'EOF'\nhello\nEOF", ""),
            ("cd web", ""),
        ] {
            assert_eq!(typed(line), kept, "{line}");
        }
    }
}
