//! Begins a rule: a folder that works as it is, with a test that passes. The folder is all there is to registering it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use clap::Args;
use client::place::{FILE_MODE, FOLDER_MODE, make_folder};
use engine::rules::{EVENTS, PROGRAM, PROMPT_EVENTS, PROMPT_FILE, RULE_FILE, Rule, is_name, most};
use model::EventKind;
use serde_json::{Value, json};

use super::test::{EXPECTED, GIVEN, TESTS};
use crate::commands::rules;
use crate::print;
use crate::report::{Failure, hint};
use crate::world::World;

/// What the example looks for: a word nobody types by accident.
const EXAMPLE: &str = "throughline-example";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  throughline hook new no-force-push                      a shell program, asked before every Bash call
  throughline hook new keep-lockfile --tool Edit --tool Write --language python
  throughline hook new done-means-tested --on Stop --kind prompt")]
pub(crate) struct New {
    /// Small letters, digits and dashes
    name: String,
    /// A program that is run, or a question to the model of `distill.provider`
    #[arg(long, default_value = "command", value_parser = ["command", "prompt"])]
    kind: String,
    /// The events it hears; may be given more than once
    #[arg(long = "on", value_name = "EVENT", default_value = "PreToolUse", value_parser = event)]
    on: Vec<EventKind>,
    /// The tools it is about, such as Bash or `mcp__*`; may be given more than once [default: Bash before a tool call]
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// What the program is written in
    #[arg(long, default_value = "sh", value_parser = ["sh", "python"])]
    language: String,
}

impl New {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        if !is_name(&self.name) {
            let what = format!("\"{}\" is no name for a rule", print::one_line(&self.name, 60));
            return Err(hint(Failure::Usage, what, "small letters, digits and single dashes: no-force-push"));
        }
        let is_prompt = self.kind == "prompt";
        if let Some(kind) = self.on.iter().find(|kind| is_prompt && !PROMPT_EVENTS.contains(kind)) {
            let known: Vec<_> = PROMPT_EVENTS.iter().map(|kind| kind.name()).collect();
            let what = format!("no model can be asked on {}", kind.name());
            return Err(hint(Failure::Usage, what, format!("there are {}", known.join(", "))));
        }
        let all = rules::folder(world);
        let folder = all.join(&self.name);
        if fs::symlink_metadata(&folder).is_ok() {
            let what = format!("{} is there already", folder.display());
            return Err(hint(Failure::Person, what, format!("throughline hook remove {}", self.name)));
        }
        let text = self.rule_file();
        Rule::read(&self.name, &text)
            .map_err(|error| hint(Failure::Usage, error.to_string(), "see `throughline hook new --help`"))?;
        make_folder(&all)?;
        make_folder(&folder)?;
        make_folder(&folder.join(TESTS))?;
        write(&folder.join(RULE_FILE), FILE_MODE, &text)?;
        if is_prompt {
            write(&folder.join(PROMPT_FILE), FILE_MODE, &self.question())?;
        } else {
            write(&folder.join(PROGRAM), FOLDER_MODE, &self.program())?;
        }
        for (name, word, speaks) in [("example", EXAMPLE, true), ("other", "something else", false)] {
            let tests = folder.join(TESTS);
            write(&tests.join(format!("{name}{GIVEN}")), FILE_MODE, &pretty(&self.sample(word)))?;
            write(
                &tests.join(format!("{name}{EXPECTED}")),
                FILE_MODE,
                &pretty(&self.expected(word, speaks)),
            )?;
        }
        let file = if is_prompt { PROMPT_FILE } else { PROGRAM };
        print::line(&format!(
            "{}\n  {RULE_FILE:<12} when it is asked\n  {file:<12} what it does: change this\n  {:<12} what it should say to what\n\nIt is heard from now on. Next: throughline hook test {}",
            folder.display(),
            format!("{TESTS}/"),
            self.name,
        ))
    }

    /// The tools of the rule: those that were named, else what most rules before a tool call are about.
    fn tools(&self) -> Vec<&str> {
        match self.tools.as_slice() {
            [] if self.on == [EventKind::PreToolUse] => vec!["Bash"],
            named => named.iter().map(String::as_str).collect(),
        }
    }

    fn rule_file(&self) -> String {
        let list = |all: Vec<&str>| json!(all).to_string().replace("\",\"", "\", \"");
        let on = list(self.on.iter().map(|kind| kind.name()).collect());
        let tools = match self.tools() {
            tools if tools.is_empty() => "# tools = [\"Bash\", \"mcp__*\"]".to_owned(),
            tools => format!("tools = {}", list(tools)),
        };
        let longest = self.on.iter().filter_map(|kind| most(*kind)).max().unwrap_or_default().as_millis();
        let template = match self.kind.as_str() {
            "prompt" => include_str!("../../../templates/rules/prompt.toml"),
            _ => include_str!("../../../templates/rules/command.toml"),
        };
        template
            .replace("{{on}}", &on)
            .replace("{{tools}}", &tools)
            .replace("{{then}}", self.then())
            .replace("{{budget}}", &longest.to_string())
    }

    /// What an answer does on the first of its events.
    fn then(&self) -> &'static str {
        let is_prompt = self.kind == "prompt";
        match self.on.first() {
            _ if self.on.len() > 1 => "tell",
            Some(EventKind::PreToolUse) if is_prompt => "ask",
            Some(EventKind::PreToolUse | EventKind::PermissionRequest) => "deny",
            Some(EventKind::Stop | EventKind::SubagentStop) => "hold",
            Some(EventKind::PreCompact) | None => "tell",
            Some(_) => "say",
        }
    }

    fn reason(&self) -> String {
        format!("This is the example of the rule {}.", self.name)
    }

    fn program(&self) -> String {
        let template = match self.language.as_str() {
            "python" => include_str!("../../../templates/rules/run.py"),
            _ => include_str!("../../../templates/rules/run.sh"),
        };
        template
            .replace("{{name}}", &self.name)
            .replace("{{example}}", EXAMPLE)
            .replace("{{answer}}", self.then())
            .replace("{{reason}}", &self.reason())
    }

    fn question(&self) -> String {
        let (what, field) = match self.on.first() {
            Some(EventKind::UserPromptSubmit) => ("A person asks a coding agent", "prompt"),
            Some(EventKind::Stop) => ("A coding agent says that it is done", "message"),
            _ => ("A coding agent is about to run a tool with this input", "input"),
        };
        include_str!("../../../templates/rules/prompt.md")
            .replace("{{what}}", what)
            .replace("{{field}}", &format!("${{{field}}}"))
            .replace("{{example}}", EXAMPLE)
    }

    /// An event as the rule hears it, with this word where it would be looked for.
    fn sample(&self, word: &str) -> Value {
        let kind = self.on.first().copied().unwrap_or(EventKind::PreToolUse);
        let mut sample = json!({
            "session_id": "test",
            "transcript_path": "/nowhere/test.jsonl",
            "cwd": "/nowhere",
            "hook_event_name": kind.name(),
        });
        let said = match kind {
            EventKind::UserPromptSubmit | EventKind::UserPromptExpansion => "prompt",
            EventKind::Stop | EventKind::SubagentStop => "last_assistant_message",
            EventKind::PreCompact => "custom_instructions",
            EventKind::SessionStart => "model",
            EventKind::SubagentStart => "agent_type",
            _ => "permission_mode",
        };
        match kind {
            EventKind::PreToolUse
            | EventKind::PermissionRequest
            | EventKind::PostToolUse
            | EventKind::PostToolUseFailure => {
                let tool = self.tools().first().map_or("Bash", |tool| *tool).replace('*', "x");
                let input = match tool.as_str() {
                    "Bash" => json!({ "command": format!("echo {word}") }),
                    "Read" | "Edit" | "Write" => json!({ "file_path": format!("/nowhere/{word}") }),
                    _ => json!({ "input": word }),
                };
                (sample["tool_name"], sample["tool_input"]) = (json!(tool), input);
            }
            _ => {
                sample[said] = json!(word);
                if kind == EventKind::SubagentStart || kind == EventKind::SubagentStop {
                    sample["agent_id"] = json!("test");
                }
            }
        }
        sample
    }

    fn expected(&self, word: &str, speaks: bool) -> Value {
        match (self.kind.as_str(), speaks) {
            ("prompt", speaks) => {
                json!({ "prompt-contains": [word], "answer": if speaks { "yes" } else { "no" } })
            }
            (_, true) => json!({ self.then(): self.reason() }),
            (_, false) => json!({}),
        }
    }
}

fn event(name: &str) -> Result<EventKind, String> {
    let kind = EventKind::from_name(name);
    most(kind).map(|_| kind).ok_or_else(|| {
        let known: Vec<&str> = EVENTS.iter().map(|(kind, _)| kind.name()).collect();
        format!("no rule can answer there in time; there are {}", known.join(", "))
    })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// A new file, for one person alone.
fn write(path: &Path, mode: u32, text: &str) -> anyhow::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(text.as_bytes())?;
    Ok(())
}
