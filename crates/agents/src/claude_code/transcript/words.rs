//! Tells a person's words from everything else that stands in a user's record: reminders, what an editor or a
//! hook added, commands and what they printed, notes of ours. Knows texts only; records are read above.

use model::Author;

use crate::prompt;

/// Put around or beside a prompt by the client, by editors or by us. A person's words are what is left.
const WRAPPERS: &[&str] = &[
    "system-reminder",
    "throughline-note",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "local-command-caveat",
    "user-prompt-submit-hook",
    "session-start-hook",
    "bash-input",
    "command-contents",
];
/// Output of a local command, shown to the person and never answered.
const PRINTED: &[&str] =
    &["<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>"];
const INTERRUPTED: &str = "[Request interrupted by user";
const HELD: &str = "Stop hook feedback:";
/// Written for the model around the summary of a compaction.
const SUMMARY_BEGINS: &str = "Summary:\n";
const SUMMARY_ENDS: &[&str] = &[
    "\n\nIf you need specific details from before compaction",
    "\nContinue the conversation from where it left off",
    "\nPlease continue the conversation from where we left it off",
];

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    Person(String),
    Command { name: String, arguments: String },
    Machine(String),
    Interrupted,
    Printed,
    Nothing,
}

pub(super) fn tell(text: &str) -> Spoken {
    let start = text.trim_start();
    if PRINTED.iter().any(|tag| start.starts_with(tag)) {
        return Spoken::Printed;
    }
    if start.starts_with(INTERRUPTED) && start.trim_end().ends_with(']') {
        return Spoken::Interrupted;
    }
    if start.starts_with("<command-")
        && let Some(name) = inside(text, "command-name").map(str::trim).filter(|name| !name.is_empty())
    {
        let name = if name.starts_with('/') { name.to_owned() } else { format!("/{name}") };
        let arguments = inside(text, "command-args").unwrap_or_default().trim().to_owned();
        return Spoken::Command { name, arguments };
    }
    // Shown to the person; no agent ever answers it.
    if prompt::is_stopped(start) {
        return Spoken::Nothing;
    }
    match unwrapped(text).trim() {
        "" => Spoken::Nothing,
        words => match prompt::author(words) {
            (Author::Person, words) => Spoken::Person(words.into_owned()),
            (Author::Machine, _) => Spoken::Machine(words.to_owned()),
        },
    }
}

/// A hook's answer to the end of a turn. Only records that are not a person's are asked.
pub(super) fn is_held(text: &str) -> bool {
    text.trim_start().starts_with(HELD)
}

pub(super) fn is_interrupted(text: &str) -> bool {
    text.trim_start().starts_with(INTERRUPTED)
}

/// The summary itself, without the instructions around it.
pub(super) fn summary(text: &str) -> String {
    let text = text.find(SUMMARY_BEGINS).map_or(text, |at| &text[at + SUMMARY_BEGINS.len()..]);
    let end = SUMMARY_ENDS.iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
    unwrapped(&text[..end]).trim().to_owned()
}

fn inside<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let opening = format!("<{tag}>");
    let start = text.find(&opening)? + opening.len();
    let length = text[start..].find(&format!("</{tag}>"))?;
    Some(&text[start..start + length])
}

fn unwrapped(text: &str) -> String {
    prompt::unwrapped(text, WRAPPERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn says(text: &str, words: &str) {
        assert_eq!(tell(text), Spoken::Person(words.to_owned()), "{text}");
    }

    #[test]
    fn a_persons_prompt_is_only_their_words() {
        says("fix the parser", "fix the parser");
        says("<system-reminder>\nToday is Monday.\n</system-reminder>\nfix it", "fix it");
        says("fix it\n<system-reminder>a</system-reminder><system-reminder>b</system-reminder>", "fix it");
        says("<ide_opened_file>src/a.rs</ide_opened_file>why is this slow?", "why is this slow?");
        says("<throughline-note from=\"recall\" id=\"7\">old</throughline-note>\n\nand now?", "and now?");
        says("why does <system-reminder> not close?", "why does <system-reminder> not close?");
        says("use <b>bold</b> & a < b", "use <b>bold</b> & a < b");
        says("größer 😀 <system-reminder>ü</system-reminder>", "größer 😀");
    }

    #[test]
    fn what_no_person_wrote_is_told_apart() {
        for nothing in ["", " \n", "<system-reminder>x</system-reminder>", "<bash-input>ls</bash-input>"] {
            assert_eq!(tell(nothing), Spoken::Nothing, "{nothing}");
        }
        assert_eq!(tell("<local-command-stdout>Compacted</local-command-stdout>"), Spoken::Printed);
        assert_eq!(tell("<bash-stdout></bash-stdout><bash-stderr>no</bash-stderr>"), Spoken::Printed);
        assert_eq!(tell("[Request interrupted by user for tool use]"), Spoken::Interrupted);
        assert_eq!(tell("Operation stopped by hook: another session is active."), Spoken::Nothing);
        for machine in ["<task-notification>\n<task-id>a</task-id>", "<teammate-message>a</teammate-message>"]
        {
            assert_eq!(tell(machine), Spoken::Machine(machine.to_owned()));
        }
    }

    #[test]
    fn a_typed_command_is_its_name_and_its_arguments() {
        let command = |name: &str, arguments: &str| Spoken::Command {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        let old =
            "<command-message>review is running…</command-message>\n<command-name>/review</command-name>";
        assert_eq!(tell(old), command("/review", ""));
        let new = "<command-name>/compact</command-name>\n  <command-message>compact</command-message>\n  <command-args>keep names</command-args>";
        assert_eq!(tell(new), command("/compact", "keep names"));
    }

    #[test]
    fn a_summary_loses_the_instructions_around_it() {
        let text = "This session is being continued from a previous conversation.\n\n<system-reminder>x</system-reminder>\nSummary:\nWe fixed it.\n\nThen tests.\n\nIf you need specific details from before compaction (like…), read\nContinue the conversation from where it left off without asking.";
        assert_eq!(summary(text), "We fixed it.\n\nThen tests.");
        assert_eq!(summary("Only this"), "Only this");
    }
}
