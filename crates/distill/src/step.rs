//! What is kept of one event until its turn is distilled: small, serializable, and enough to say what happened.
//! Which events count is decided here; what is in a tool's result is the business of `tool`.

use std::fmt;

use model::{Author, Detail, Event, EventId, EventKind, Millis, Outcome};
use serde::{Deserialize, Serialize};

use crate::command::Command;
use crate::complaint::Complaint;
use crate::fault::Fault;
use crate::outside;
use crate::patch::Edit;
use crate::text::{clip, file_name, one_line, weight};
use crate::tool::act;
use crate::verdict::Verdict;

/// What counts of one event. About half a kilobyte, at most [`Step::MAX_BYTES`] as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub event: EventId,
    pub at: Millis,
    /// The tool's name; empty where no tool was called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// Tokens of the raw material.
    pub tokens: u32,
    /// The subagent it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// Where its words come from, if not from the workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outside: Vec<String>,
    /// Words of its result, to compare with what is said later: `outside` knows how to read them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) words: String,
    /// Words the agent put into a file or a command by it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) made: String,
    pub(crate) act: Act,
}

impl Step {
    /// Every text in a step is cut so that the sum stays below this, escapes included.
    pub const MAX_BYTES: usize = 4096;

    /// Where its words come from, if not from the workspace, as an observation's tools name it.
    pub fn marks(&self) -> impl Iterator<Item = String> {
        self.outside.iter().map(|source| outside::mark(source))
    }

    /// Leaves out words that there is no room for. What a stranger said without them cannot be compared with.
    fn fit(&mut self) {
        let room = |step: &Self| {
            let bytes = serde_json::to_string(step).map_or(0, |json| json.len());
            Self::MAX_BYTES.checked_sub(bytes)
        };
        if room(self).is_none() {
            self.made.clear();
        }
        if room(self).is_none() {
            self.words.clear();
        }
    }

    /// The subagent whose report it is.
    pub fn reporter(&self) -> Option<&str> {
        match &self.act {
            Act::Delegate { agent, .. } => Some(agent.as_str()).filter(|agent| !agent.is_empty()),
            _ => None,
        }
    }

    /// The subagent whose report it is has heard nothing from outside.
    pub fn vouch(&mut self) {
        self.outside = vec![outside::REPORTED.to_owned()];
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Act {
    /// A person asked.
    Prompt {
        text: String,
    },
    /// The agent's last words of a turn.
    Message {
        text: String,
    },
    Edit(Edit),
    Run(Run),
    Read {
        file: String,
        from: u32,
        lines: u32,
    },
    Search {
        pattern: String,
        hits: u32,
        files: Vec<String>,
    },
    Web {
        about: String,
        said: String,
    },
    /// A tool of an MCP server.
    Call {
        server: String,
        name: String,
        about: String,
        said: String,
        failed: bool,
    },
    /// A subagent's result.
    Delegate {
        agent: String,
        task: String,
        said: String,
    },
    /// Questions and a person's answers.
    Ask {
        answers: Vec<(String, String)>,
    },
    /// The agent's list of work: what is done, being done, and open.
    Plan {
        done: Vec<String>,
        open: Vec<String>,
    },
    /// One item of such a list: its id where it has one, what it is, whether it is done.
    Item {
        id: String,
        subject: String,
        done: bool,
    },
    /// A plan a person agreed to.
    Agreed {
        plan: String,
    },
    /// Refused by the agent's own policy.
    Denied {
        what: String,
        reason: String,
    },
    Other {
        about: String,
        said: String,
        failed: bool,
    },
    /// Something from outside of which nothing is kept but that the agent has heard it.
    Heard,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    #[serde(flatten)]
    pub command: Command,
    pub ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Commit>,
    /// What it printed, at its end.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// What a linter complains about, each by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<Complaint>,
    #[serde(default)]
    pub background: bool,
    /// The whole line as it was typed, where that is more than the command that counts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Commit {
    /// Of a pull request: its number with the sign.
    pub hash: Option<String>,
    pub subject: String,
    /// Why, in sentences: what its message says behind the subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<String>,
}

const MAX_PROMPT_BYTES: usize = 1200;
pub(crate) const MAX_SAID_BYTES: usize = 420;
pub(crate) const MAX_RESULT_BYTES: usize = 900;
pub(crate) const MAX_ABOUT_BYTES: usize = 160;

/// `None`: nothing that anyone would want to find again.
pub fn step(event: &Event) -> Option<Step> {
    let cwd = event.cwd.as_deref();
    let mut outside = Vec::new();
    let mut kept = outside::Kept::default();
    let (tool, tokens, act) = match (&event.kind, &event.detail) {
        (EventKind::UserPromptSubmit, Detail::Prompt { text, author }) => {
            if *author == Author::Machine {
                outside.push("agent");
                kept.words = outside::print(text);
            }
            ("", text.len(), prompt(text, *author)?)
        }
        (EventKind::Stop, Detail::Stop { last_message: Some(text), .. }) => {
            ("", text.len(), Act::Message { text: clip(text.trim(), MAX_PROMPT_BYTES) })
        }
        (EventKind::SubagentStop, Detail::Stop { last_message: Some(text), .. }) => {
            // A compaction ends as a subagent without a kind.
            let agent = event.subagent.as_ref().filter(|agent| !agent.kind.is_empty())?;
            let said = clip(text.trim(), MAX_RESULT_BYTES);
            outside.push("agent");
            kept.words = outside::print(text);
            ("", text.len(), Act::Delegate { agent: clip(&agent.id, 80), task: String::new(), said })
        }
        (
            EventKind::PostToolUse | EventKind::PostToolUseFailure | EventKind::PermissionDenied,
            Detail::Tool(call),
        ) => {
            let response = match &call.outcome {
                Outcome::Succeeded { response, .. } => weight(response),
                Outcome::Failed { error, .. } => error.len(),
                _ => 0,
            };
            let source = outside::source(call, cwd);
            // Of what comes from outside it is known that it came, whatever becomes of it.
            let heard = source.filter(|_| !matches!(call.outcome, Outcome::Denied { .. }));
            let act = act(call, cwd).or(heard.map(|_| Act::Heard))?;
            outside.extend(source);
            kept = outside::keep_words(call, source);
            (call.name.as_str(), weight(&call.input).saturating_add(response), act)
        }
        _ => return None,
    };
    let mut step = Step {
        event: event.id,
        at: event.at,
        tool: clip(tool, 80),
        // Four bytes to a token: between prose and code, and never wrong by much.
        tokens: u32::try_from(tokens / 4).unwrap_or(u32::MAX),
        subagent: event.subagent.as_ref().map(|agent| clip(&agent.id, 80)),
        outside: outside.into_iter().map(str::to_owned).collect(),
        words: kept.words,
        made: kept.made,
        act,
    };
    step.fit();
    Some(step)
}

fn prompt(text: &str, author: Author) -> Option<Act> {
    match author {
        Author::Person => {
            let text = clip(text.trim(), MAX_PROMPT_BYTES);
            (!text.is_empty()).then_some(Act::Prompt { text })
        }
        // A finished background task.
        Author::Machine => {
            let said = clip(between(text, "<result>", "</result>")?.trim(), MAX_RESULT_BYTES);
            let task = between(text, "<summary>", "</summary>").unwrap_or("");
            let agent = clip(between(text, "<task-id>", "</task-id>").unwrap_or(""), 80);
            Some(Act::Delegate { agent, task: one_line(task, MAX_ABOUT_BYTES), said })
        }
    }
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    Some(rest.split_once(close).map_or(rest, |(inner, _)| inner))
}

/// One line for a reader of the story.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.act {
            Act::Prompt { text } => write!(f, "asked: {}", one_line(text, 200)),
            Act::Message { text } => write!(f, "said: {}", one_line(text, 200)),
            Act::Edit(edit) if edit.created => write!(f, "wrote {} ({} lines)", edit.file, edit.added),
            Act::Edit(edit) => write!(f, "edited {} (+{} -{})", edit.file, edit.added, edit.removed),
            Act::Run(run) if run.ok => match &run.verdict {
                Some(verdict) => write!(f, "ran `{}`: {}", run.command.shown, verdict.words()),
                None => write!(f, "ran `{}`", run.command.shown),
            },
            Act::Run(run) => match &run.fault {
                Some(fault) => write!(f, "`{}` failed: {}", run.command.shown, fault.short(160)),
                None => write!(f, "`{}` failed", run.command.shown),
            },
            Act::Read { file, from, lines: 0 } if *from <= 1 => write!(f, "read {file}"),
            Act::Read { file, from, lines } => write!(f, "read {file} from line {from} ({lines} lines)"),
            Act::Search { pattern, hits, .. } => write!(f, "searched `{pattern}`: {hits} hits"),
            Act::Web { about, .. } => write!(f, "looked up {about}"),
            Act::Call { server, name, about, failed, .. } => {
                write!(f, "called {name} of {server}: {about}{}", if *failed { " (failed)" } else { "" })
            }
            Act::Delegate { task, said, .. } => write!(f, "subagent: {}: {}", task, one_line(said, 160)),
            Act::Ask { answers } => {
                let (question, answer) =
                    answers.first().map_or(("", ""), |(question, answer)| (question, answer));
                write!(f, "answered: {question} {answer}")
            }
            Act::Plan { done, open } => write!(f, "plan: {} done, {} open", done.len(), open.len()),
            Act::Item { subject, done, .. } => {
                write!(f, "item{}: {subject}", if *done { " done" } else { "" })
            }
            Act::Agreed { plan } => write!(f, "plan agreed: {}", one_line(plan, 120)),
            Act::Denied { what, reason } => write!(f, "denied: {what} ({reason})"),
            Act::Other { about, .. } => write!(f, "{}: {about}", file_name(&self.tool)),
            Act::Heard => write!(f, "{}", file_name(&self.tool)),
        }
    }
}
