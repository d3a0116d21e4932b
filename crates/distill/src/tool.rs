//! What a tool was given and what it gave, read into an act. The only place that knows those shapes; what it does
//! not know keeps its name, what it was about and what it said.

use model::{Outcome, ToolCall};
use serde_json::Value;

use crate::command::{Command, Purpose};
use crate::commit;
use crate::complaint;
use crate::fault::Fault;
use crate::in_hand::typed;
use crate::patch::Edit;
use crate::step::{Act, MAX_ABOUT_BYTES, MAX_RESULT_BYTES, MAX_SAID_BYTES, Run};
use crate::text::{clip, count, field, lines, one_line, push_new, relative};
use crate::verdict::Verdict;

pub(crate) fn act(call: &ToolCall, cwd: Option<&str>) -> Option<Act> {
    let input = &call.input;
    if is_ours(&call.name) {
        return None;
    }
    match &call.outcome {
        // Interrupted by a person: nothing came of it.
        Outcome::Pending | Outcome::Failed { interrupted: true, .. } => None,
        Outcome::Denied { reason } => Some(Act::Denied {
            what: one_line(&about(input), MAX_ABOUT_BYTES),
            reason: one_line(reason, MAX_ABOUT_BYTES),
        }),
        Outcome::Failed { error, .. } => failed(call, error, cwd),
        Outcome::Succeeded { response, .. } => succeeded(&call.name, input, response, cwd),
    }
}

/// A tool of our own server, from the settings or from the plugin. What it gave is kept already, and what it was told to
/// keep is kept by it: noticing the call as well would say everything twice, each time it is looked for.
pub(crate) fn is_ours(name: &str) -> bool {
    mcp(name).is_some_and(|(server, _)| matches!(server.as_str(), "throughline" | "throughline_throughline"))
}

fn failed(call: &ToolCall, error: &str, cwd: Option<&str>) -> Option<Act> {
    let name = call.name.as_str();
    if is_shell(name) {
        return run(&call.input, error, true, cwd).map(Act::Run);
    }
    if let Some((server, tool)) = mcp(name) {
        let said = one_line(error, MAX_SAID_BYTES);
        return Some(Act::Call { server, name: tool, about: about(&call.input), said, failed: true });
    }
    // A file that is not there, a string that was not found: the agent's own stumbling.
    if is_edit(name)
        || matches!(
            name,
            "Read" | "Glob" | "Grep" | "LS" | "NotebookRead" | "TodoWrite" | "TaskUpdate" | "ToolSearch"
        )
    {
        return None;
    }
    Some(Act::Other { about: about(&call.input), said: one_line(error, MAX_SAID_BYTES), failed: true })
}

pub(crate) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "Bash"
            | "PowerShell"
            | "Shell"
            | "shell"
            | "run_shell_command"
            | "local_shell"
            | "exec_command"
            | "run_terminal_cmd"
    )
}

pub(crate) fn is_edit(name: &str) -> bool {
    matches!(
        name,
        "Edit"
            | "MultiEdit"
            | "Write"
            | "NotebookEdit"
            | "write_file"
            | "replace"
            | "edit_file"
            | "create_file"
    )
}

fn succeeded(name: &str, input: &Value, response: &Value, cwd: Option<&str>) -> Option<Act> {
    if is_shell(name) {
        let output = printed(response);
        if response.get("interrupted") == Some(&Value::Bool(true)) {
            return None;
        }
        let mut run = run(input, &output, false, cwd)?;
        run.background = response.get("backgroundTaskId").is_some();
        return Some(Act::Run(run));
    }
    if is_edit(name) {
        let file = field(response, "filePath")
            .or_else(|| field(response, "notebook_path"))
            .or_else(|| path_in(input))?;
        let file = relative(file, cwd);
        if is_private(&file) {
            return None;
        }
        let edit = Edit::read(file, input, response);
        // Nothing changed, or a plan or a note outside of the project.
        return (edit.added + edit.removed > 0 || edit.created).then_some(Act::Edit(edit));
    }
    if let Some((server, tool)) = mcp(name) {
        let said = one_line(&said(response), MAX_SAID_BYTES);
        return Some(Act::Call { server, name: tool, about: about(input), said, failed: false });
    }
    match name {
        "Read" | "NotebookRead" | "read_file" => {
            let file = response.get("file").unwrap_or(&Value::Null);
            let path = field(file, "filePath").or_else(|| path_in(input))?;
            let from = count(file, "startLine").or_else(|| count(input, "offset")).unwrap_or(1);
            let lines = count(file, "numLines").unwrap_or(0);
            let total = count(file, "totalLines").unwrap_or(lines);
            // The whole file needs no numbers.
            let lines = if from <= 1 && lines >= total { 0 } else { lines };
            Some(Act::Read { file: relative(path, cwd), from, lines })
        }
        "Grep" | "Glob" | "LS" | "search_file_content" | "glob" => Some(search(input, response, cwd)),
        "WebFetch" | "WebSearch" | "web_fetch" | "google_web_search" => {
            let about =
                field(input, "url").or_else(|| field(input, "query")).or_else(|| field(input, "prompt"))?;
            Some(Act::Web {
                about: one_line(about, 200),
                said: clip(said(response).trim(), MAX_RESULT_BYTES),
            })
        }
        "Task" | "Agent" => {
            // Launched in the background: its result comes later.
            let said = said(response);
            let agent = clip(field(response, "agentId").unwrap_or(""), 80);
            let task = one_line(field(input, "description").unwrap_or(""), MAX_ABOUT_BYTES);
            if field(response, "status") == Some("async_launched") || said.trim().is_empty() {
                return None;
            }
            Some(Act::Delegate { agent, task, said: clip(said.trim(), MAX_RESULT_BYTES) })
        }
        "TodoWrite" | "update_plan" | "write_todos" => plan(input),
        "TaskCreate" | "TaskUpdate" => item(input, response),
        "AskUserQuestion" => ask(response),
        "ExitPlanMode" | "exit_plan_mode" => {
            let plan = field(response, "plan").or_else(|| field(input, "plan"))?;
            Some(Act::Agreed { plan: clip(plan.trim(), MAX_RESULT_BYTES) })
        }
        "Skill"
        | "SlashCommand"
        | "ToolSearch"
        | "TaskList"
        | "TaskGet"
        | "TaskOutput"
        | "BashOutput"
        | "KillShell"
        | "KillBash"
        | "TaskStop"
        | "EnterPlanMode"
        | "ListMcpResourcesTool"
        | "EnterWorktree"
        | "ExitWorktree" => None,
        _ => {
            let said = one_line(&said(response), MAX_SAID_BYTES);
            let about = about(input);
            (!about.is_empty() || !said.is_empty()).then_some(Act::Other { about, said, failed: false })
        }
    }
}

/// What a command printed, on both streams.
pub(crate) fn printed(response: &Value) -> String {
    if let Value::String(text) = response {
        return text.clone();
    }
    let mut output = String::new();
    for text in ["stdout", "stderr", "output"].iter().filter_map(|stream| field(response, stream)) {
        if !output.is_empty() {
            output.push('\n');
        }
        output.push_str(ends(text).as_ref());
    }
    output
}

/// Both ends of a stream; joining two streams of fifty megabytes would copy them.
fn ends(text: &str) -> std::borrow::Cow<'_, str> {
    const END: usize = 64 * 1024;
    if text.len() <= 2 * END {
        return text.into();
    }
    let head = text.floor_char_boundary(END);
    let tail = text.ceil_char_boundary(text.len() - END);
    format!("{}\n{}", &text[..head], &text[tail..]).into()
}

/// A plan in the client's own folder and a file of secrets are no changes of the project.
fn is_private(file: &str) -> bool {
    let name = crate::text::file_name(file);
    let plan = ["/.claude/plans/", "/.codex/plans/", "/.gemini/plans/", "/.cursor/plans/"];
    name == ".env"
        || name.starts_with(".env.") && !name.ends_with("example")
        || plan.iter().any(|folder| file.contains(folder))
}

fn path_in(input: &Value) -> Option<&str> {
    ["file_path", "notebook_path", "path", "absolute_path"].iter().find_map(|name| field(input, name))
}

fn mcp(name: &str) -> Option<(String, String)> {
    let (server, tool) = name.strip_prefix("mcp__")?.rsplit_once("__")?;
    // A plugin's server is named `plugin_<plugin>_<server>`.
    let server = server.strip_prefix("plugin_").unwrap_or(server);
    Some((clip(server, 60), clip(tool, 60)))
}

fn run(input: &Value, output: &str, failed: bool, cwd: Option<&str>) -> Option<Run> {
    let text = match input.get("command")? {
        Value::String(text) => text.clone(),
        Value::Array(words) => words.iter().take(64).filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => return None,
    };
    let (mut command, checks) = Command::read_in(&text, cwd);
    let mut exit = None;
    let mut output = output;
    if failed && let Some(rest) = output.strip_prefix("Exit code ") {
        let (code, rest) = rest.split_once('\n').unwrap_or((rest, ""));
        exit = code.trim().parse().ok();
        output = rest;
    }
    let found = Fault::find(output);
    if failed && let Some(culprit) = culprit(&checks, output, found.as_ref()) {
        command = culprit.clone();
    }
    // The program written on the spot that reads what a command printed has failed, not the command.
    if failed
        && command.piped
        && ["File \"<string>\"", "[eval]:", "jq: error"].iter().any(|of| output.contains(of))
    {
        command.purpose = Purpose::Other;
        command.ad_hoc = true;
    }
    let checks = command.purpose.checks() || command.purpose == Purpose::Migrate;
    let verdict = (command.purpose == Purpose::Test).then(|| Verdict::find(output)).flatten();
    let asks = matches!(command.purpose, Purpose::Probe | Purpose::Merge);
    let fault = found.filter(|_| failed || checks || command.piped || asks);
    // A pipe hides the exit code, and a runner may end well after tests failed: what was printed decides.
    let told = match (&verdict, &fault) {
        (Some(verdict), _) => verdict.failed > 0,
        (None, Some(fault)) => {
            (checks && (fault.compile || (command.piped && fault.rank >= Fault::SAYS_FAILED)))
                || (command.purpose == Purpose::Merge && fault.is_conflict())
        }
        (None, None) => false,
    };
    let ok = !failed && !told;
    let commit = if ok { commit::read(&command, &text, output) } else { None };
    let keep_fault =
        !ok || command.purpose == Purpose::Probe && fault.as_ref().is_some_and(|fault| fault.rank >= 7);
    let complains = !ok && fault.as_ref().is_some_and(Fault::is_lint);
    let complaints = if complains { complaint::complaints(output) } else { Vec::new() };
    // Looking around is kept only for what it was about; silent commands say nothing.
    let said = tail(output, if command.purpose >= Purpose::Search { 200 } else { MAX_SAID_BYTES });
    let line = typed(&text);
    let line = if line == command.shown { String::new() } else { line };
    Some(Run {
        command,
        ok,
        exit,
        fault: fault.filter(|_| keep_fault),
        verdict,
        commit,
        said,
        complaints,
        background: false,
        line,
    })
}

/// Which check of a chain has failed: the one whose task the runner names, else the one that says such things. The
/// checks before it went well, and those after it were not run.
fn culprit<'a>(checks: &'a [Command], output: &str, fault: Option<&Fault>) -> Option<&'a Command> {
    if checks.len() < 2 {
        return None;
    }
    let named = |check: &&Command| {
        let task = check.family.rsplit(' ').next().unwrap_or("");
        let signs = [
            format!("[{task}] ERROR"),
            format!("Recipe `{task}` failed"),
            format!("*** [{task}]"),
            format!(": {task}] Error"),
            format!("script \"{task}\" exited"),
            format!("Failed to run task: {task}"),
        ];
        !task.is_empty() && signs.iter().any(|sign| output.contains(sign.as_str()))
    };
    let purpose = match fault? {
        fault if fault.is_lint() => Purpose::Lint,
        fault if fault.compile => Purpose::Build,
        _ => Purpose::Test,
    };
    checks.iter().find(named).or_else(|| checks.iter().find(|check| check.purpose == purpose))
}

/// The last lines of an output.
fn tail(output: &str, max: usize) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut bytes = 0;
    let all: Vec<_> = lines(output).filter(|line| !line.trim().is_empty()).collect();
    for line in all.iter().rev().take(12) {
        let line = one_line(line, 200);
        bytes += line.len() + 1;
        if bytes > max && !kept.is_empty() {
            break;
        }
        kept.push(line);
    }
    kept.reverse();
    clip(&kept.join("\n"), max)
}

fn search(input: &Value, response: &Value, cwd: Option<&str>) -> Act {
    let pattern =
        field(input, "pattern").or_else(|| field(input, "query")).or_else(|| path_in(input)).unwrap_or("");
    let mut files = Vec::new();
    for file in response
        .get("filenames")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .take(40)
        .filter_map(Value::as_str)
    {
        push_new(&mut files, &clip(&relative(file, cwd), 100), 6);
    }
    if files.is_empty() {
        for line in lines(field(response, "content").unwrap_or("")).take(200) {
            if let Some((file, _)) = line.split_once(':').filter(|(file, _)| file.contains(['.', '/'])) {
                push_new(&mut files, &clip(&relative(file, cwd), 100), 6);
            }
        }
    }
    let hits = ["totalMatches", "totalLines", "numLines", "numFiles", "numMatches"]
        .iter()
        .filter_map(|name| count(response, name))
        .max()
        .unwrap_or(files.len() as u32);
    Act::Search { pattern: one_line(pattern, 100), hits, files }
}

fn plan(input: &Value) -> Option<Act> {
    let items =
        ["todos", "plan", "items"].iter().find_map(|name| input.get(name).and_then(Value::as_array))?;
    let (mut done, mut open) = (Vec::new(), Vec::new());
    for item in items.iter().take(40) {
        let Some(text) =
            field(item, "content").or_else(|| field(item, "step")).or_else(|| field(item, "description"))
        else {
            continue;
        };
        let list = if field(item, "status") == Some("completed") { &mut done } else { &mut open };
        push_new(list, &one_line(text, 90), 12);
    }
    (!done.is_empty() || !open.is_empty()).then_some(Act::Plan { done, open })
}

fn item(input: &Value, response: &Value) -> Option<Act> {
    let task = response.get("task").unwrap_or(&Value::Null);
    let id = field(task, "id").or_else(|| field(response, "taskId")).or_else(|| field(input, "taskId"))?;
    let subject = field(input, "subject").or_else(|| field(task, "subject")).unwrap_or("");
    let done = field(input, "status") == Some("completed");
    // Starting an item says nothing.
    (done || !subject.is_empty()).then(|| Act::Item {
        id: clip(id, 60),
        subject: one_line(subject, 90),
        done,
    })
}

fn ask(response: &Value) -> Option<Act> {
    let answers: Vec<_> = response
        .get("answers")?
        .as_object()?
        .iter()
        .take(6)
        .filter_map(|(question, answer)| {
            let answer = match answer {
                Value::String(text) => one_line(text, 160),
                Value::Array(several) => {
                    one_line(&several.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "), 160)
                }
                _ => return None,
            };
            (!answer.is_empty()).then(|| (one_line(question, 160), answer))
        })
        .collect();
    (!answers.is_empty()).then_some(Act::Ask { answers })
}

/// The text in a result, whatever its shape.
fn said(response: &Value) -> String {
    const MAX_TEXT: usize = 16 * 1024;
    match response {
        Value::String(text) => clip(text, MAX_TEXT),
        Value::Array(blocks) => {
            let mut text = String::new();
            for block in blocks.iter().take(32) {
                let Some(part) = field(block, "text").or_else(|| block.as_str()) else { continue };
                // How the subagent got there is not what it found.
                if part.starts_with("<tools-used") {
                    continue;
                }
                text.push_str(&clip(part, MAX_TEXT));
                text.push('\n');
                if text.len() > MAX_TEXT {
                    break;
                }
            }
            text
        }
        Value::Object(_) => {
            for name in ["result", "content", "results", "output", "text", "message", "structuredContent"] {
                if let Some(inner) = response.get(name).filter(|inner| inner.is_string() || inner.is_array())
                {
                    let text = said(inner);
                    if !text.trim().is_empty() {
                        return text;
                    }
                }
            }
            scalars(response)
        }
        _ => String::new(),
    }
}

/// What a call was about: its short arguments, the most telling first.
fn about(input: &Value) -> String {
    for name in [
        "command",
        "file_path",
        "notebook_path",
        "url",
        "query",
        "q",
        "sql",
        "title",
        "name",
        "path",
        "description",
        "prompt",
        "body",
        "content",
        "message",
        "text",
    ] {
        if let Some(text) = field(input, name) {
            return one_line(text.trim_start_matches(['#', '*', ' ']), MAX_ABOUT_BYTES);
        }
    }
    one_line(&scalars(input), MAX_ABOUT_BYTES)
}

/// `key: value` of the plain fields.
fn scalars(value: &Value) -> String {
    let Some(fields) = value.as_object() else {
        return value.as_str().map(|text| clip(text, 400)).unwrap_or_default();
    };
    let mut parts = Vec::new();
    for (name, value) in fields.iter().take(8) {
        match value {
            Value::String(text) if !text.is_empty() => {
                parts.push(format!("{}: {}", clip(name, 40), one_line(text, 80)));
            }
            Value::Number(number) => parts.push(format!("{}: {number}", clip(name, 40))),
            Value::Bool(flag) => parts.push(format!("{}: {flag}", clip(name, 40))),
            _ => {}
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_of_our_own_server_is_no_act() {
        let act = |name: &str, outcome: Outcome| {
            act(&ToolCall { name: name.into(), use_id: None, input: json!({ "query": "x" }), outcome }, None)
        };
        let found = || Outcome::Succeeded {
            response: json!([{ "type": "text", "text": "found" }]),
            duration_ms: None,
        };
        let failed = || Outcome::Failed { error: "no".into(), interrupted: false, duration_ms: None };
        for ours in ["mcp__throughline__mem_search", "mcp__plugin_throughline_throughline__mem_save"] {
            assert_eq!(act(ours, found()), None);
            assert_eq!(act(ours, failed()), None);
        }
        for other in
            ["mcp__throughline_other__x", "mcp__plugin_other_throughline__x", "mcp__github__throughline"]
        {
            assert!(act(other, found()).is_some() && act(other, failed()).is_some(), "{other}");
        }
    }
}
