//! Text of other languages that a command carries: `python -c`, `node -e`, a here-document for perl. Not read as a language.
//! Looked at for three things: a connection together with a shell, something fetched or decoded that is run at once, and
//! commands between quotes that a shell would be given.

use super::Verdict;
use super::downloads::{Run, is_interpreter};
use super::files;
use super::look::Look;
use super::place::{Reach, Target};
use super::sends::is_secret_file;
use super::shipped::{
    self, DELETE_ROOT, FORK_BOMB, Finding, REVERSE_SHELL, RUN_DOWNLOAD, SEND_SECRETS, Shipped,
};
use crate::shell::{SHELLS, Word, read};

/// Text that is longer is a program, and programs have files.
const MAX_TEXT: usize = 64 * 1024;
/// Commands between quotes in one text.
const MAX_QUOTED: usize = 32;
/// Of one of them.
const MAX_COMMAND: usize = 2000;

/// It connects to somebody.
const CONNECTS: &[&str] = &[
    "socket.socket",
    "socket.create_connection",
    "socket(",
    "tcpsocket",
    "fsockopen",
    "io::socket",
    "use socket",
    "net.connect",
    "net.socket",
    "require('net')",
    "require(\"net\")",
    "tcpclient",
    "socket.tcp",
    "/inet/tcp/",
    "stream_socket_client",
    "websocket(",
];
/// It gives a shell to what it has.
const HANDS_OVER: &[&str] = &[
    "dup2",
    "pty.spawn",
    "/bin/sh",
    "/bin/bash",
    "cmd.exe",
    "child_process",
    "subprocess",
    "os.system",
    "proc_open",
    "shell_exec",
    "passthru",
    "os.execute",
    "io.popen",
    "exec(",
    "exec \"",
    "iex",
    "getline",
    ">&3",
    "popen",
    "fdopen",
    "system",
];
const FETCHES: &[&str] = &[
    "urlopen",
    "requests.get",
    "requests.post",
    "urllib",
    "http.client",
    "httpx.",
    "urlretrieve",
    "fetch(",
    "http.get",
    "https.get",
    "require('http",
    "require(\"http",
    "axios",
    "lwp::",
    "http::tiny",
    "open-uri",
    "net::http",
    "uri.open",
    "uri.parse",
    "file_get_contents",
    "curl_exec",
    "downloadstring",
    "downloadfile",
    "invoke-webrequest",
    "iwr ",
    "invoke-restmethod",
    "irm ",
    "b64decode",
    "base64",
    "frombase64",
    "decode_base64",
    "zlib.decompress",
    "codecs.decode",
    "marshal.loads",
    "bytes.fromhex",
    "unhexlify",
    "unpack(",
];
const RUNS: &[&str] = &[
    "exec(",
    "eval(",
    "eval ",
    "os.system",
    "subprocess",
    "popen",
    "child_process",
    "new function(",
    "vm.run",
    "system(",
    "system ",
    "shell_exec",
    "passthru",
    "instance_eval",
    "iex",
    "invoke-expression",
    "runpy",
    "compile(",
    "__import__",
    "start-process",
];
/// What a text needs to give a shell a command.
const SHELL_CALLS: &[&str] = &[
    "os.system",
    "subprocess",
    "popen",
    "system(",
    "system ",
    "exec(",
    "execsync",
    "spawn",
    "shell_exec",
    "passthru",
    "qx",
    "`",
    "child_process",
    "os.execute",
    "run(",
    "sh(",
    "bun.$",
    "exec ",
];
/// Functions that delete a whole folder.
const DELETES: &[&str] = &[
    "rmtree(",
    "rmsync(",
    "rmdirsync(",
    "rm_rf",
    "remove_entry",
    "remove_tree",
    "rmdir_r",
    "rm_r(",
    "removeall(",
    "remove-item",
    "deltree",
    "fs.rm(",
    "remove_dir_all",
];

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        let Some(program) = look.program(at) else { continue };
        let is_power = matches!(program.as_str(), "powershell" | "powershell.exe" | "pwsh");
        let is_awk = matches!(program.as_str(), "awk" | "gawk" | "mawk");
        if !is_interpreter(&program) && !is_power && !is_awk {
            continue;
        }
        let text = if is_power || is_awk {
            Some(look.raw[at].get(1..).unwrap_or_default().join(" "))
        } else {
            match Run::of(command, SHELLS.contains(&program.as_str())) {
                Run::Text(word) => Some(word.shape()),
                Run::Input => look.fed(at),
                Run::File(word) if is_process(word) => None,
                Run::File(_) | Run::Nothing => None,
            }
        };
        let Some(text) = text.filter(|text| text.len() <= MAX_TEXT) else { continue };
        let small = text.to_ascii_lowercase();
        let has = |signs: &[&str]| signs.iter().any(|sign| small.contains(sign));
        let mut add = |rule, verdict| all.push(Finding { rule, verdict, commands: vec![at] });
        let is_open = has(CONNECTS)
            && (small.contains("connect") || small.contains("/inet/") || !program.starts_with("py"));
        if is_open && has(HANDS_OVER) && (!is_awk || small.contains("/inet/")) {
            add(&REVERSE_SHELL, Verdict::Ask);
        } else if !is_awk && runs_fetched(&small) {
            add(&RUN_DOWNLOAD, Verdict::Ask);
        }
        if let Some(rule) = writes(look, &small, &text) {
            add(rule, Verdict::Ask);
        }
        if sends(&small, &text) {
            add(&SEND_SECRETS, Verdict::Ask);
        }
        if is_fork_bomb(&small) {
            add(&FORK_BOMB, Verdict::Ask);
        }
        if has(DELETES) && quoted(&text).iter().any(|path| is_everything(look, at, path)) {
            add(&DELETE_ROOT, Verdict::Ask);
        }
        if has(SHELL_CALLS) {
            nested(look, at, &text, all);
        }
    }
}

fn is_process(word: &Word) -> bool {
    word.text().is_none()
}

/// What is fetched or decoded goes into what runs it. Both must be called, not merely imported.
fn runs_fetched(small: &str) -> bool {
    let Some(fetch) = FETCHES.iter().find(|sign| small.contains(**sign)) else { return false };
    let runs = |sign: &&&str| {
        small.match_indices(**sign).any(|(at, _)| {
            // `subprocess` of an import line alone runs nothing; `retrieval(` is no `eval(`.
            let before = small[..at].chars().next_back();
            let is_word =
                before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_' && letter != '.');
            is_word
                || sign.starts_with('.')
                || before == Some('.') && !sign.starts_with("exec") && !sign.starts_with("compile")
        })
    };
    let found: Vec<&&str> = RUNS.iter().filter(runs).collect();
    // A program that asks for a page and starts another one may do both for reasons of its own: what runs must take text.
    let takes_text = found
        .iter()
        .any(|sign| !matches!(**sign, "subprocess" | "popen" | "child_process" | "compile(" | "__import__"));
    !found.is_empty() && takes_text && !fetch.is_empty()
}

/// A file of the table stands between quotes, and the text writes.
fn writes(look: &Look<'_>, small: &str, text: &str) -> Option<&'static Shipped> {
    const WRITES: &[&str] = &[
        ".write(",
        "writefile",
        "appendfile",
        "file_put_contents",
        "write_text",
        "file.write",
        "'w'",
        "'a'",
        "\"w\"",
        "\"a\"",
        "shutil.copy",
        "shutil.move",
        "os.remove",
        "unlink",
        "os.rename",
        "io.open",
        "open(my",
    ];
    if !WRITES.iter().any(|sign| small.contains(sign)) {
        return None;
    }
    quoted(text).iter().filter(|path| path.starts_with(['/', '~'])).find_map(|path| files::listed(look, path))
}

/// The whole environment, or a file of secrets, in a text that sends something to somebody else.
fn sends(small: &str, text: &str) -> bool {
    const SENDS: &[&str] = &[
        "requests.post",
        "requests.put",
        "requests.get",
        "urlopen(",
        "fetch(",
        "http.request",
        "https.request",
        "axios",
        "net::http",
        "httpx.",
        "curl_exec",
        "lwp::",
        "socket",
        "smtplib",
        "file_get_contents",
    ];
    if !SENDS.iter().any(|sign| small.contains(sign))
        || ["localhost", "127.0.0.1"].iter().any(|host| small.contains(host))
    {
        return false;
    }
    // One variable is what a program needs; all of them are what nobody does.
    let whole = ["os.environ", "process.env", "env.to_h", "$_env", "%env"].iter().any(|all| {
        small.match_indices(all).any(|(at, _)| !small[at + all.len()..].starts_with(['.', '[', '{']))
    });
    whole || quoted(text).iter().any(|path| is_secret_file(path))
}

fn is_fork_bomb(small: &str) -> bool {
    let forks =
        small.contains("os.fork()") || small.contains("fork while fork") || small.contains("loop{fork");
    let again = small.contains("while true")
        || small.contains("while 1")
        || small.contains("fork while")
        || small.contains("loop{")
        || small.contains("iter(int");
    forks && again
}

/// What stands between quotes; what follows after a comma belongs to it, as words do: `["rm", "-rf", "/"]`.
fn quoted(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        if all.len() == MAX_QUOTED {
            break;
        }
        let quote = rest[at..].chars().next().unwrap_or('"');
        let inside = &rest[at + 1..];
        let Some(end) = inside.find(quote) else { break };
        all.push(inside[..end].to_owned());
        rest = &inside[end + 1..];
    }
    all
}

fn lists(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for list in text.split('[').skip(1).take(MAX_QUOTED) {
        let inside = list.split(']').next().unwrap_or(list);
        let words = quoted(inside);
        if words.len() > 1 {
            let quoted: Vec<String> =
                words.iter().map(|word| format!("'{}'", word.replace('\'', ""))).collect();
            all.push(quoted.join(" "));
        }
    }
    all
}

fn is_everything(look: &Look<'_>, at: usize, path: &str) -> bool {
    let path = if path.is_empty() { return false } else { path };
    let word = read(path).commands.into_iter().next().and_then(|command| command.words.into_iter().next());
    let folder = look.script.commands[at].folder.as_deref();
    let target = word.map(|word| look.place.target(folder, &word));
    let is_path = path.starts_with(['/', '~', '.']);
    let reach = target
        .filter(|target| is_path && !matches!(target, Target::Unknown))
        .and_then(|target| look.place.reach(&target));
    matches!(reach, Some(Reach::Root | Reach::Home | Reach::Outside))
}

/// Commands between quotes are judged as commands; what the text does with them is not known, so none is denied.
fn nested(look: &Look<'_>, at: usize, text: &str, all: &mut Vec<Finding>) {
    let texts = quoted(text).into_iter().chain(lists(text));
    for text in texts.filter(|text| text.contains(' ') && text.len() <= MAX_COMMAND) {
        let script = read(&text);
        let inner = Look::new(look.rules, look.place, &script);
        let mut found = Vec::new();
        shipped::plain(&inner, &mut found);
        if let Some(finding) = found.into_iter().next() {
            all.push(Finding { rule: finding.rule, verdict: Verdict::Ask, commands: vec![at] });
            return;
        }
    }
}
