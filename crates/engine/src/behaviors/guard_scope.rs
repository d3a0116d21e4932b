//! Keeps agents to the folders a person has given them. Decides, and does nothing else: it knows files by their names
//! alone, works without a daemon, and never says that something is allowed.

use std::path::{Path, PathBuf};

use guard::scope::{self, From, Judgment, Pattern, Subject};
use guard::shell::How;
use model::{Detail, Event, EventKind, Verdict};

use crate::behavior::{Behavior, Deciding};
use crate::page::one_line;

/// The tools that change one file, and where they name it.
const EDITORS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];
const FIELDS: &[&str] = &["file_path", "notebook_path"];
/// A command that names more files is judged by the first of them; a script is not read to the end of the world.
const MAX_WRITES: usize = 256;
const PATH_CHARS: usize = 300;

#[derive(Debug)]
pub(crate) struct GuardScope;

impl Behavior for GuardScope {
    fn name(&self) -> &'static str {
        "guard-scope"
    }

    fn manual(&self) -> &'static str {
        "Denies writes where `.throughline/scope.json` does not let agents write: the project's, searched upward to the git \
         root, and your own in the data folder. `{\"allow\": [\"src/**\"], \"deny\": [\"*.pem\"]}`: what `deny` names is \
         denied; where `allow` is given, so is everything it does not name. Real paths are matched, behind links and `..`. \
         Holds for the file tools and for what a shell command writes as far as its text shows. A file that cannot be \
         understood makes every write a question to you; with `strict`, a refusal. Without a scope file nothing is \
         denied. `throughline scope init` begins one, `scope check PATH` asks it. It works without a daemon, and no \
         repository can switch it off."
    }

    fn modes(&self) -> &'static [&'static str] {
        &["on", "strict", "off"]
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse]
    }

    fn is_guard(&self) -> bool {
        true
    }

    fn decide(&self, by: &Deciding<'_>, event: &Event) -> Option<Verdict> {
        let writes = writes(event, by.home);
        if writes.is_empty() {
            return None;
        }
        let cwd = event.cwd.as_deref().map(Path::new);
        let project =
            event.context.get("CLAUDE_PROJECT_DIR").map(Path::new).filter(|path| path.is_absolute());
        let from = From {
            cwd,
            project,
            data: by.data,
            home: by.home,
            strict: by.config.mode(self.name()) == "strict",
        };
        let mut strictest: Option<(Judgment, &Write)> = None;
        for write in &writes {
            let from = From { cwd: write.folder.as_deref().or(cwd), ..from };
            let judge = if write.takes_all { scope::judge_tree } else { scope::judge };
            let judgment = judge(&from, &write.path);
            if strictest.as_ref().is_none_or(|(held, _)| held.verdict < judgment.verdict) {
                strictest = Some((judgment, write));
            }
        }
        let (judgment, write) = strictest?;
        let reason = reason(&judgment, write);
        match judgment.verdict {
            scope::Verdict::Allow => None,
            scope::Verdict::Ask => Some(Verdict::Ask { reason }),
            scope::Verdict::Deny => Some(Verdict::Deny { reason }),
        }
    }
}

/// A file that a call would change.
struct Write {
    path: PathBuf,
    /// Where the path starts, if a command goes elsewhere first.
    folder: Option<PathBuf>,
    by_command: bool,
    /// A folder is taken away with everything in it.
    takes_all: bool,
}

fn writes(event: &Event, home: Option<&Path>) -> Vec<Write> {
    let Detail::Tool(call) = &event.detail else { return Vec::new() };
    if EDITORS.contains(&call.name.as_str()) {
        let named = FIELDS.iter().find_map(|field| call.input.get(*field)?.as_str());
        return named
            .map(|path| Write { path: path.into(), folder: None, by_command: false, takes_all: false })
            .into_iter()
            .collect();
    }
    let command = call.input.get("command").and_then(serde_json::Value::as_str);
    let Some(command) = command.filter(|_| call.name == "Bash") else { return Vec::new() };
    let cwd = event.cwd.as_deref().map(Path::new);
    let mut writes = Vec::new();
    for write in guard::shell::writes(command) {
        let start = match write.folder.as_deref().map(|folder| at_home(folder, home)) {
            Some(folder) if folder.is_absolute() => Some(folder),
            Some(folder) => cwd.map(|cwd| cwd.join(folder)),
            None => cwd.map(Path::to_owned),
        };
        let path = at_home(&write.path, home);
        let place = start.as_ref().map_or_else(|| path.clone(), |start| start.join(&path));
        let into = !write.into.is_empty() && place.is_dir();
        let paths = if into { write.into.iter().map(|name| path.join(name)).collect() } else { vec![path] };
        for path in paths.iter().flat_map(|path| expanded(start.as_deref(), path)) {
            if writes.len() == MAX_WRITES {
                return writes;
            }
            let takes_all = matches!(write.how, How::DeleteTree | How::Move);
            writes.push(Write { path, folder: start.clone(), by_command: true, takes_all });
        }
    }
    writes
}

/// A name that only the shell knows (`*.ts`, `src/*/a`) is what it would find there.
fn expanded(start: Option<&Path>, path: &Path) -> Vec<PathBuf> {
    let text = path.to_string_lossy();
    if !text.contains('*') {
        return vec![path.to_owned()];
    }
    let mut found = vec![PathBuf::from(if text.starts_with('/') { "/" } else { "" })];
    let mut names = text.split('/').filter(|name| !name.is_empty()).peekable();
    while let Some(name) = names.next() {
        if !name.contains('*') {
            for path in &mut found {
                path.push(name);
            }
            continue;
        }
        let is_last = names.peek().is_none();
        let Ok(pattern) = Pattern::read(name) else { return Vec::new() };
        let listed = found.iter().flat_map(|folder| {
            let place = start.map_or_else(|| folder.clone(), |start| start.join(folder));
            let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
            let entries = entries.filter(|entry| is_last || entry.path().is_dir());
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            let names = names.filter(|name| pattern.names(&Subject::new(Some(name), name, false)));
            names.map(|name| folder.join(name)).collect::<Vec<_>>()
        });
        let listed: Vec<PathBuf> = listed.take(MAX_WRITES).collect();
        // What is not there yet has some name in that folder.
        found = if is_last && listed.is_empty() {
            found.iter().map(|folder| folder.join(name)).collect()
        } else {
            listed
        };
    }
    found
}

/// `~` as a shell means it.
fn at_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    }
}

/// The rule, the file it stands in, and what would be allowed.
fn reason(judgment: &Judgment, write: &Write) -> String {
    let shown = |path: &Path| one_line(&path.to_string_lossy(), PATH_CHARS);
    let what = if write.by_command { "This command would change" } else { "This would change" };
    let mut text = format!("{what} {}", shown(&judgment.real_path));
    if judgment.real_path != write.path && !write.by_command {
        text.push_str(&format!(" (where {} leads)", shown(&write.path)));
    }
    text.push_str(&format!(": {}", one_line(&judgment.why, PATH_CHARS * 2)));
    if let Some(file) =
        judgment.file.as_deref().filter(|file| !judgment.why.contains(&*file.to_string_lossy()))
    {
        let line = judgment.line.map(|line| format!(", line {line}")).unwrap_or_default();
        text.push_str(&format!(" ({}{line})", shown(file)));
    }
    text.push('.');
    if !judgment.allowed.is_empty() {
        text.push_str(&format!(" Allowed there: {}.", one_line(&judgment.allowed.join(", "), PATH_CHARS)));
    }
    if judgment.verdict == scope::Verdict::Deny {
        text.push_str(" Write where it is allowed, or tell the user what has to be changed there and why.");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use model::{Outcome, ToolCall};
    use serde_json::json;

    use super::*;
    use crate::behaviors::tests::event;
    use crate::config::Config;

    /// What a command would do to files, and what is decided about it. Labels: `-` is silence.
    const COMMANDS: &[(&str, &str)] = &[
        ("deny", "rm -rf src"),
        ("deny", "rm -rf src/"),
        ("deny", "rm -rf ./src/../src"),
        ("deny", "rm -rf src/*"),
        ("deny", "rm -r s*"),
        ("deny", "rm -rf {src,docs}"),
        ("deny", "mv src gone"),
        ("deny", "git mv src gone"),
        ("deny", "git rm -r src"),
        ("deny", "find src -delete"),
        ("deny", "cd src && rm -rf vault"),
        ("deny", "rm -rf ."),
        ("deny", "rm -rf *"),
        ("deny", "rm -rf .throughline"),
        ("deny", "mv .throughline x"),
        ("deny", "rm -rf many"),
        ("deny", "rm -rf link/"),
        ("deny", "rm -rf keys"),
        ("deny", "sed -i s/a/b/ src/*/key"),
        ("deny", "touch src/*/new"),
        ("deny", "echo x > src/{vault,open}/key"),
        ("deny", "tee src/vault/../vault/key < x"),
        ("deny", "echo x > link/key"),
        ("deny", "cp a src/vault"),
        ("deny", "cp a b src/vault"),
        ("deny", "cp -t src/vault a"),
        ("deny", "ln -sf a src/vault/key"),
        ("deny", "cat a >| src/vault/key"),
        ("deny", "a &>> src/vault/key"),
        ("deny", "xargs -I{} cp {} src/vault/ < list"),
        ("deny", "env -C src sh -c 'echo > vault/key'"),
        ("deny", "sudo tee -a src/vault/key"),
        ("deny", "bash -c 'cd src; rm vault/key'"),
        ("deny", "echo $(echo x > src/vault/key)"),
        ("deny", "dd if=a of=src/vault/key"),
        ("deny", "rsync -a a/ src/vault/"),
        ("deny", "truncate -s 0 keys/a.pem"),
        ("deny", "perl -pi -e s/a/b/ src/vault/key"),
        ("ask", "echo x > .git/hooks/pre-commit"),
        ("-", "rm -rf docs"),
        ("-", "rm -rf src/open"),
        ("-", "rm -rf docs/*"),
        ("-", "rm -rf none"),
        ("-", "mv docs other"),
        ("-", "rm link"),
        ("-", "find . -name '*.o' -delete"),
        ("-", "find . -name node_modules -exec rm -rf {} +"),
        ("-", "rm -rf \"$SOMEWHERE/x\""),
        ("-", "cat src/vault/key > /dev/null"),
        ("-", "cp -r src/vault docs/copy"),
        ("-", "echo 'rm -rf src'"),
        ("-", "ls src/vault"),
        ("-", "grep -r x src"),
        ("-", "git add src/vault/key"),
        ("-", "echo x > docs/new"),
        ("-", "sed -i s/a/b/ docs/*"),
        ("-", "ssh host rm -rf src"),
    ];

    #[test]
    fn what_a_command_takes_away_is_judged_with_all_that_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in [".git/hooks", ".throughline", "src/vault", "src/open", "docs", "keys", "many/deep/vault"]
        {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        for name in ["src/vault/key", "src/open/key", "docs/a", "keys/a.pem", "a", "b"] {
            fs::write(top.join(name), "").unwrap();
        }
        for name in 0..1200 {
            fs::write(top.join(format!("many/{name}")), "").unwrap();
        }
        symlink("src/vault", top.join("link")).unwrap();
        let scope = r#"{"deny": ["src/vault/**", "*.pem", "many/deep/vault/**"]}"#;
        fs::write(top.join(".throughline/scope.json"), scope).unwrap();
        let config = Config::default();
        let mut wrong = Vec::new();
        for (expected, command) in COMMANDS {
            let call = ToolCall {
                name: "Bash".into(),
                use_id: None,
                input: json!({ "command": command }),
                outcome: Outcome::Pending,
            };
            let cwd = Some(top.to_string_lossy().into_owned());
            let event = Event { cwd, ..event(EventKind::PreToolUse, Detail::Tool(call)) };
            let by = Deciding { config: &config, data: None, home: None };
            let (said, reason) = match GuardScope.decide(&by, &event) {
                None | Some(Verdict::Allow { .. }) => ("-", String::new()),
                Some(Verdict::Ask { reason }) => ("ask", reason),
                Some(Verdict::Deny { reason }) => ("deny", reason),
            };
            if said != *expected {
                wrong.push(format!("{command}: {said}, not {expected}: {reason}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
