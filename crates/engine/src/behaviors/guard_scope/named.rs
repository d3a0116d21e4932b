//! Which files a call names, and whether it writes or reads them: the client's own tools by their fields, a server's by the
//! words of its name and of its arguments.

use std::path::{Path, PathBuf};

use model::ToolCall;
use serde_json::Value;

/// The tools that change one file, and where they name it.
const EDITORS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];
const READERS: &[&str] = &["Read", "NotebookRead", "Grep"];
/// Tools of the house that name files and touch none.
const SILENT: &[&str] =
    &["Glob", "LS", "Task", "TodoWrite", "Skill", "WebFetch", "WebSearch", "ExitPlanMode"];
const FIELDS: &[&str] = &["file_path", "notebook_path"];
/// A patch of several files names the others here.
const ALSO: &str = "also";
/// Arguments under these names are paths, beside those that have the word itself in their name.
const PATHS: &[&str] = &[
    "file",
    "files",
    "filename",
    "filenames",
    "destination",
    "dest",
    "target",
    "source",
    "src",
    "dst",
    "uri",
    "directory",
    "dir",
    "folder",
    "output",
    "from",
    "to",
    "notebook",
];
/// Arguments that are commands of a shell.
const COMMANDS: &[&str] = &["command", "cmd", "commandline", "shell_command", "script"];
/// Words of a tool's name by which it writes, and by which it only reads.
const WRITES: &[&str] = &[
    "write",
    "edit",
    "move",
    "create",
    "delete",
    "remove",
    "rename",
    "append",
    "put",
    "save",
    "patch",
    "update",
    "insert",
    "replace",
    "copy",
    "mkdir",
    "make",
    "touch",
    "download",
    "set",
    "modify",
    "add",
    "apply",
    "format",
    "truncate",
    "unlink",
    "link",
    "symlink",
    "chmod",
    "overwrite",
    "store",
    "export",
    "rm",
    "mv",
    "cp",
    "new",
    "extract",
    "unzip",
];
const READS: &[&str] = &[
    "read",
    "get",
    "list",
    "search",
    "find",
    "view",
    "show",
    "stat",
    "info",
    "tree",
    "query",
    "fetch",
    "describe",
    "count",
    "check",
    "lint",
    "diagnostics",
    "hover",
    "definition",
    "references",
    "outline",
    "symbols",
    "symbol",
    "overview",
    "think",
    "grep",
    "glob",
    "ls",
    "cat",
    "head",
    "tail",
    "analyze",
    "analyse",
    "explain",
    "validate",
    "summarize",
    "inspect",
    "open",
    "load",
    "lookup",
    "diff",
    "log",
    "status",
    "exists",
    "is",
    "has",
    "allowed",
    "preview",
    "snapshot",
    "screenshot",
];
/// Depth and number of arguments that are looked at: a call names dozens of files at most.
const MAX_DEPTH: usize = 4;
const MAX_NAMED: usize = 256;
/// No system opens a longer path.
const MAX_PATH: usize = 4096;

pub(super) enum Named {
    Written(PathBuf),
    Read(PathBuf),
    Command(String),
}

/// What a call names, in the order it does.
pub(super) fn named(call: &ToolCall) -> Vec<Named> {
    let name = call.name.as_str();
    let text = |field: &str| call.input.get(field).and_then(Value::as_str);
    if EDITORS.contains(&name) {
        let also =
            call.input.get(ALSO).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let all = FIELDS.iter().filter_map(|field| text(field)).chain(also);
        return all.map(|path| Named::Written(PathBuf::from(path))).collect();
    }
    if READERS.contains(&name) {
        let fields = FIELDS.iter().chain(&["path"]);
        return fields.filter_map(|field| text(field)).map(|path| Named::Read(PathBuf::from(path))).collect();
    }
    if name == "Bash" {
        return text("command").map(|command| Named::Command(command.to_owned())).into_iter().collect();
    }
    if SILENT.contains(&name) || our_tool(name).is_some() {
        return Vec::new();
    }
    let mut all = Vec::new();
    if let Some(patch) = ["patchText", "patch", "input", "diff"].iter().find_map(|field| text(field)) {
        all.extend(patched(patch).map(|path| Named::Written(PathBuf::from(path))));
    }
    let is_server = name.starts_with("mcp__");
    let Some(writes) = writes(name, is_server) else { return all };
    let remote = ["repo", "repository", "project_id"].iter().any(|field| call.input.get(*field).is_some());
    gather(&call.input, "", 0, &mut |key, value| {
        if all.len() >= MAX_NAMED {
            return;
        }
        let key = key.to_ascii_lowercase();
        if COMMANDS.contains(&key.as_str()) {
            return all.push(Named::Command(value.to_owned()));
        }
        if let Some(path) = path(&key, value).filter(|path| !(remote && path.is_relative())) {
            all.push(if writes { Named::Written(path) } else { Named::Read(path) });
        }
    });
    all
}

/// The name of a tool of our own server, whatever the client puts before it.
pub(super) fn our_tool(name: &str) -> Option<&str> {
    let (server, tool) = name.strip_prefix("mcp__")?.rsplit_once("__")?;
    let is_ours = server.contains("throughline") || server == "unnamed";
    let is_known = tool.starts_with("mem_")
        || tool.starts_with("code_")
        || matches!(
            tool,
            "context" | "handoff" | "checkpoint" | "claims" | "message" | "patterns" | "sessions" | "status"
        );
    (is_ours && is_known).then_some(tool)
}

/// Whether a tool writes, by the words of its name; what says neither is taken for one that does if it is a server's.
fn writes(name: &str, is_server: bool) -> Option<bool> {
    let tool = name.rsplit("__").next().unwrap_or(name);
    let words = words(tool);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match (has(WRITES), has(READS)) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => is_server.then_some(true),
    }
}

/// `write_file`, `writeFile` and `write-file` are the same two words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase() && was_small;
        if !letter.is_alphanumeric() || begins {
            words.push(String::new());
        }
        was_small = letter.is_ascii_lowercase();
        if letter.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Every text among the arguments, with the name it stands under; those of a list stand under the list's.
fn gather(value: &Value, key: &str, depth: usize, tell: &mut dyn FnMut(&str, &str)) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::String(text) => tell(key, text),
        Value::Array(items) if COMMANDS.contains(&key) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            tell(key, &words.join(" "));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, key, depth + 1, tell)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, item)| gather(item, name, depth + 1, tell));
        }
        _ => {}
    }
}

fn path(key: &str, value: &str) -> Option<PathBuf> {
    if let Some(rest) = value.strip_prefix("file://") {
        let rest = rest.strip_prefix("localhost").unwrap_or(rest);
        return Some(PathBuf::from(decoded(rest)));
    }
    let is_path =
        key.contains("path") || PATHS.contains(&key) || key.ends_with("_file") || key.ends_with("_dir");
    // An address of somewhere else, or a sentence.
    let is_odd = value.is_empty()
        || value.len() > MAX_PATH
        || value.contains('\n')
        || value.contains("://")
        || (!key.contains("path") && !key.contains("file") && !value.contains(['/', '.', '~']));
    (is_path && !is_odd).then(|| at_home(value))
}

/// Servers take `~` for the home folder, most of them.
fn at_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => Path::new(path).to_owned(),
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = behind.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = &behind[2..];
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The files a patch in an agent's own words names.
fn patched(patch: &str) -> impl Iterator<Item = &str> {
    const MARKS: &[&str] =
        &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"];
    patch
        .lines()
        .filter_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)))
        .map(str::trim)
        .take(MAX_NAMED)
}
