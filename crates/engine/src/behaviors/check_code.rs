//! Tells an agent what its edits broke, in the words of the project's own compilers and linters. Decides when something is
//! worth saying and how it reads; running the tools, and knowing what is new, is whoever's lends it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{Advice, Detail, Event, EventKind, Item, Outcome, SessionId, ToolCall};

use super::on_code::{EDITORS, READERS};
use crate::behavior::{Behavior, Context};
use crate::page::one_line;
use crate::paths::without_detours;
use crate::{Page, Result};

/// Nobody mends the eleventh before the first.
const MAX_SAID: usize = 10;
/// Ten lines of a compiler's.
const TOKENS: u32 = 700;
/// Of a message: what is wrong, not the whole explanation.
const MAX_MESSAGE: usize = 220;
const MAX_FIX: usize = 120;
const MAX_PLACE: usize = 160;
/// Most warm runs end within it; an agent gives a hook five seconds. What comes later is said with the next prompt.
const PATIENCE: Duration = Duration::from_secs(4);
/// Until what was told is in the tables.
const UNMARKED: Duration = Duration::from_secs(5);
/// Tools that run a command, which may want the locks that a check holds.
const COMMANDS: &[&str] = &["Bash"];

#[derive(Debug)]
pub(crate) struct CheckCode;

/// What a conversation does to a project that is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub session: SessionId,
    pub subagent: Option<String>,
    /// The workspace of the folder it is in.
    pub root: PathBuf,
    /// The folder it began in, where its agent says so.
    pub project: Option<PathBuf>,
    /// The tool call it belongs to.
    pub call: Option<String>,
    pub act: Act,
}

/// Files are named as the agent names them, from the root of the file system and without detours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// It reads a file: what is wrong in the project should be known before it edits one.
    Look { file: PathBuf },
    /// It is about to change a file.
    Begin { file: PathBuf },
    /// It has changed it. `before` is what was in it, where the agent says so.
    Edit { file: PathBuf, before: Option<String> },
    /// It is about to run a command.
    Command,
    /// Something else of its has ended.
    Pass,
    /// It would end its turn. `again`: it was held before.
    Stop { again: bool },
}

/// What is wrong by now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// What is to be said, and was not said before.
    pub wrong: Vec<Wrong>,
    /// The turn may be held for it.
    pub hold: bool,
    /// Tools would be run in this workspace, and nobody has trusted it.
    pub untrusted: Option<PathBuf>,
}

/// Something that the session broke, in a tool's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub tool: &'static str,
    pub file: String,
    pub line: u32,
    /// 0 where the tool does not say.
    pub column: u32,
    pub code: String,
    pub message: String,
    pub fix: Option<String>,
}

impl Behavior for CheckCode {
    fn name(&self) -> &'static str {
        "check-code"
    }

    fn manual(&self) -> &'static str {
        "After an edit, runs the compilers and linters that the project itself uses, in the background, and tells the agent \
         which errors are new since the session began, in files it edited, as `file:line:column message`, at most ten, each \
         once, with the fix where the tool offers one: tsc, eslint, biome; pyright, mypy, ruff; go build and vet; cargo \
         check, or clippy where the project sets its lints; javac, gradle, maven; ruby -c, php -l, shellcheck. An edit never \
         waits longer than its event: what comes late is said with the next one. What a further edit may solve (a name that \
         is not there yet) is said when the edits have settled. When a turn ends it waits up to four seconds for what runs, \
         and holds the turn once for each set of errors; `quiet` says the errors and never holds or waits. Nothing is run in \
         a workspace that the person has not trusted (`throughline checks trust`, or Claude Code's own question about the \
         folder), nothing in a repository inside of it, a submodule or what git ignores, no command that a repository names, \
         and nothing that runs code of the project (build scripts, plug-ins, its own copy of a tool) unless it has been \
         installed or built here and is the workspace's own: see `checks.project-code`. A tool that is missing is silence; \
         `throughline doctor` names it."
    }

    fn modes(&self) -> &'static [&'static str] {
        &["on", "quiet", "off"]
    }

    fn on(&self) -> &'static [EventKind] {
        &[
            EventKind::PreToolUse,
            EventKind::PostToolUse,
            EventKind::PostToolUseFailure,
            EventKind::UserPromptSubmit,
            EventKind::Stop,
            EventKind::SubagentStop,
        ]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn longer(&self, kind: EventKind) -> Option<Duration> {
        matches!(kind, EventKind::Stop | EventKind::SubagentStop).then_some(PATIENCE)
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let (Some(act), Some(here)) = (act(cx, event), &cx.workspace) else { return Ok(Advice::silent()) };
        let call = match &event.detail {
            Detail::Tool(call) => call.use_id.clone(),
            _ => None,
        };
        let subagent = event.subagent.as_ref().map(|agent| agent.id.clone());
        let root = PathBuf::from(&here.root);
        let is_stop = matches!(act, Act::Stop { .. });
        let project = event.context.get("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        let step = Step { session: event.session.clone(), subagent, root, project, call, act };
        let checked = cx.around.check(&cx.config, &step, cx.until);
        if let Some(root) = &checked.untrusted {
            return untrusted(cx, event, root);
        }
        if checked.wrong.is_empty() {
            return Ok(Advice::silent());
        }
        // Only what is named counts as told: the rest is named when that is mended.
        if is_stop {
            let named = &checked.wrong[..checked.wrong.len().min(MAX_SAID)];
            let is_held = checked.hold && cx.around.note_checked(&step, named, true).is_some();
            return Ok(Advice { hold: is_held.then(|| held(&checked.wrong)), ..Advice::silent() });
        }
        let Some(note) = note(&checked.wrong) else { return Ok(Advice::silent()) };
        let named = &checked.wrong[..note.items.len()];
        let is_new = cx.around.note_checked(&step, named, false).is_some();
        Ok(Advice { notes: is_new.then_some(note).into_iter().collect(), ..Advice::silent() })
    }
}

/// What the event means for the checks; `None`: nothing.
fn act(cx: &Context, event: &Event) -> Option<Act> {
    match (event.kind, &event.detail) {
        (EventKind::PreToolUse, Detail::Tool(call)) => {
            let name = call.name.as_str();
            if COMMANDS.contains(&name) {
                return Some(Act::Command);
            }
            let is_edit = EDITORS.contains(&name);
            let file = file(event, call).filter(|_| is_edit || READERS.contains(&name))?;
            Some(if is_edit { Act::Begin { file } } else { Act::Look { file } })
        }
        (EventKind::PostToolUse, Detail::Tool(call)) if EDITORS.contains(&call.name.as_str()) => {
            let Some(file) = file(event, call) else { return Some(Act::Pass) };
            Some(Act::Edit { file, before: before(call) })
        }
        (EventKind::Stop | EventKind::SubagentStop, Detail::Stop { again, .. }) => {
            // Who must not be held has nothing to wait for.
            (cx.config.mode("check-code") != "quiet").then_some(Act::Stop { again: *again })
        }
        (EventKind::PostToolUse | EventKind::PostToolUseFailure | EventKind::UserPromptSubmit, _) => {
            Some(Act::Pass)
        }
        _ => None,
    }
}

/// Once for each workspace, and to the person: an agent cannot give this trust.
fn untrusted(cx: &Context, event: &Event, root: &Path) -> Result<Advice> {
    let mark = format!("checks-trust:{}", root.display());
    if cx.read(|tables| Ok(tables.is_marked(&mark)?))? {
        return Ok(Advice::silent());
    }
    // The tables know it a moment later.
    if cx.around.take(&mark, &event.id.to_string(), UNMARKED).is_some() {
        return Ok(Advice::silent());
    }
    let root = one_line(&root.display().to_string(), MAX_PLACE);
    let line = format!(
        "throughline: nothing of {root} is compiled or linted, because you have not said that you trust it. \
         `throughline checks trust '{root}'` runs its own tools after edits; `throughline behaviors disable check-code` \
         never does."
    );
    Ok(Advice { marks: vec![mark], ..Advice::tell(line) })
}

/// The file that a call is about, wherever it is.
fn file(event: &Event, call: &ToolCall) -> Option<PathBuf> {
    let keys = ["file_path", "path", "absolute_path", "notebook_path"];
    let given = keys.iter().find_map(|key| call.input.get(*key)?.as_str())?;
    let whole = event.cwd.as_deref().map_or_else(|| given.into(), |cwd| Path::new(cwd).join(given));
    Some(without_detours(&whole)).filter(|path| path.is_absolute())
}

/// What was in the file, as the agent reports it.
fn before(call: &ToolCall) -> Option<String> {
    let Outcome::Succeeded { response, .. } = &call.outcome else { return None };
    match response.get("originalFile").and_then(|text| text.as_str()) {
        Some(text) => Some(text.to_owned()),
        // It was not there.
        None => (response.get("type")?.as_str()? == "create").then(String::new),
    }
}

fn note(wrong: &[Wrong]) -> Option<model::Note> {
    let mut page = Page::new(TOKENS);
    page.heading("New errors since this session's edits, from the project's own tools:");
    for one in wrong.iter().take(MAX_SAID) {
        let item = Item {
            memory: None,
            part: "error".to_owned(),
            title: place(one),
            tokens: 0,
            why: format!("{} did not find it before this session's edits", one.tool),
        };
        // The first ones, without a gap.
        if !page.item(&format!("- {}", line(one)), item) {
            break;
        }
    }
    let more = wrong.len() - page.items();
    if more > 0 {
        page.closing(&format!("and {more} more"));
    }
    page.finish("check-code")
}

fn held(wrong: &[Wrong]) -> String {
    let mut text = String::from(
        "check-code: the project's own tools find errors that were not there before this session's edits. Mend them; if one \
         is meant to stay, or is not yours, say so and end your turn.",
    );
    for one in wrong.iter().take(MAX_SAID) {
        text.push_str(&format!("\n- {}", line(one)));
    }
    if wrong.len() > MAX_SAID {
        text.push_str(&format!("\nand {} more", wrong.len() - MAX_SAID));
    }
    text
}

fn place(wrong: &Wrong) -> String {
    let column = if wrong.column > 0 { format!(":{}", wrong.column) } else { String::new() };
    format!("{}:{}{column}", one_line(&wrong.file, MAX_PLACE), wrong.line)
}

/// `src/a.ts:7:34 Type 'string' is not assignable to type 'number'. (tsc TS2322); fix: …`
fn line(wrong: &Wrong) -> String {
    let code = if wrong.code.is_empty() { String::new() } else { format!(" {}", one_line(&wrong.code, 60)) };
    let fix =
        wrong.fix.as_deref().map(|fix| format!("; fix: {}", one_line(fix, MAX_FIX))).unwrap_or_default();
    format!("{} {} ({}{code}){fix}", place(wrong), one_line(&wrong.message, MAX_MESSAGE), wrong.tool)
}

#[cfg(test)]
mod tests;
