//! What guards protect without being told: their own switches (our data folder, a project's `.throughline`, the files in
//! which agents keep their hooks), whether a scope holds or not, and where one holds also what else runs unseen. A scope
//! file is a person's to change; the others are changed with one.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::real::{self, Real};
use super::{FILE, FOLDER, From, Judgment, Lists, Rule, Scope, Verdict, subject, workspace};

/// Folders, and what directly in them switches guards or hooks; a name with a slash behind it is a folder with everything
/// in it. Deeper names are others': `.claude/worktrees/x/src/hooks` is somebody's source.
const SWITCHES: &[(&[&str], &[&str])] = &[
    (&[".claude"], &["settings.json", "settings.local.json", "managed-settings.json", "hooks/", "plugins/"]),
    (&[".codex"], &["config.toml", "hooks.json", "requirements.toml", "hooks/", "rules/"]),
    (&[".gemini"], &["settings.json", "trustedFolders.json", "hooks/", "extensions/"]),
    (&[".cursor"], &["hooks.json", "hooks/", "cli.json", "cli-config.json", "permissions.json"]),
    (&[".opencode"], OPENCODE),
    (&[".config", "opencode"], OPENCODE),
    (&[".copilot"], &["config.json", "settings.json", "hooks/"]),
    (&[".github"], &["hooks/"]),
];
const OPENCODE: &[&str] =
    &["opencode.json", "opencode.jsonc", "config.json", "plugin/", "plugins/", "hooks/"];
/// What an agent's own folder holds, where a person has moved it elsewhere.
const MOVED: &[&str] = &[
    ".claude.json",
    "settings.json",
    "settings.local.json",
    "config.toml",
    "hooks.json",
    "hooks/",
    "plugins/",
    "rules/",
    "extensions/",
];
/// Whole folders of whoever manages the machine.
const MANAGED: &[&str] = &[
    "/etc/claude-code",
    "/etc/codex",
    "/etc/gemini-cli",
    "/etc/cursor",
    "/Library/Application Support/ClaudeCode",
    "/Library/Application Support/GeminiCli",
    "/Library/Application Support/Cursor",
];
/// Hook settings wherever they stand.
const ANYWHERE: &[&str] = &[".claude.json"];
/// Where a scope holds, these, too: they run commands unseen. In git's folder at any depth (`.git/modules/x/hooks`).
const UNSEEN: &[&str] = &["hooks/", "config", "config.worktree"];
const UNSEEN_ANYWHERE: &[&str] = &[".mcp.json"];
const UNSEEN_MCP: (&str, &str) = (".cursor", "mcp.json");
/// In our data folder, below its run folder or beside it: who reads one of these can speak as the person.
const SECRETS: &[&str] = &["run/token", "run/token.new", "token", "key", "run/daemon.sock"];
/// In a folder of ours in a project, plain words that decide nothing.
const WORDS: &[&str] = &["md", "txt"];

pub(super) const SWITCH: &str =
    "it switches guards, rules or hooks, or is what they rest on, and that is for the user to change";
const RUNS: &str = "what stands there can run commands or switch guards off, unseen";

/// What is said about a write to such a file.
pub(super) fn protected(scopes: &[Scope], real: &Real, rooms: &Rooms) -> Option<Judgment> {
    let name = real.path.file_name()?.to_str()?;
    let folder = real.path.parent()?;
    let is = |one: &str, other: &str| same(real.folds, one, other);
    let in_data = rooms.data.as_deref().is_some_and(|data| folder == data || Some(folder) == data.parent());
    if let Some(scope) = scopes.first() {
        // A scope file may be a link, also to what is not there yet.
        let is_target = |scope: &Scope| {
            scope.file == real.path || real::real(None, &scope.file).is_ok_and(|file| file.path == real.path)
        };
        let is_own = || in_data || folder.file_name().is_some_and(|at| at.eq_ignore_ascii_case(FOLDER));
        if scopes.iter().any(is_target) || is(name, FILE) && is_own() {
            let why = "a scope file is changed by a person, not by whom it is for".to_owned();
            return Some(scope.verdict(Verdict::Deny, real, why));
        }
    }
    let marks = if let Some(mark) = switch(real, rooms) {
        // Only the person's own words take the question back: a repository's file never weakens.
        let own: Vec<&Scope> = scopes.iter().filter(|scope| scope.is_own).collect();
        if own.iter().any(|scope| names_outright(scope, real, &mark)) {
            return None;
        }
        return Some(question(real, SWITCH));
    } else {
        unseen(real)?
    };
    let scope = scopes.first()?;
    (!names_outright(scope, real, marks)).then(|| scope.verdict(Verdict::Ask, real, RUNS.to_owned()))
}

/// A question about a path that no scope file need speak of.
pub(super) fn question(real: &Real, why: &str) -> Judgment {
    Judgment {
        verdict: Verdict::Ask,
        real_path: real.path.clone(),
        rule: None,
        file: None,
        line: None,
        why: why.to_owned(),
        allowed: Vec::new(),
        is_broken: false,
        is_read: false,
    }
}

/// The name by which a path is a switch.
fn switch(real: &Real, rooms: &Rooms) -> Option<String> {
    if rooms.holds(&real.path) {
        return Some(FOLDER.to_owned());
    }
    let parts = parts(&real.path);
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if let Some(mark) = by_name(&parts, real.folds) {
        return Some(mark.to_owned());
    }
    if MANAGED.iter().any(|folder| real.path.starts_with(folder)) {
        return Some("managed".to_owned());
    }
    let below = real.path.strip_prefix(rooms.agent.as_deref()?).ok()?;
    let names: Vec<String> = self::parts(below);
    let first = names.first()?;
    let is_it = |known: &&&str| lists(known, first, names.len(), real.folds);
    MOVED.iter().find(is_it).map(|known| known.trim_end_matches('/').to_owned())
}

/// By the names on the way alone, wherever they stand: also of a path whose beginning nobody knows.
pub(super) fn by_name(parts: &[&str], folds: bool) -> Option<&'static str> {
    let last = parts.last()?;
    if let Some(known) = ANYWHERE.iter().find(|known| same(folds, known, last)) {
        return Some(known);
    }
    for at in 0..parts.len() {
        if same(folds, parts[at], FOLDER) {
            let behind = &parts[at + 1..];
            let is_words =
                behind.len() == 1 && last.rsplit_once('.').is_some_and(|(_, ending)| WORDS.contains(&ending));
            if !is_words {
                return Some(FOLDER);
            }
        }
        let marked = SWITCHES.iter().find(|(mark, _)| {
            parts.len() > at + mark.len()
                && mark.iter().zip(&parts[at..]).all(|(mark, part)| same(folds, mark, part))
        });
        if let Some((mark, listed)) = marked {
            let behind = &parts[at + mark.len()..];
            if listed.iter().any(|known| lists(known, behind[0], behind.len(), folds)) {
                return mark.first().copied();
            }
        }
    }
    None
}

/// Whether a folder is one in which switches stand, so that something written into it may be one.
pub(super) fn is_room(real: &Real, rooms: &Rooms) -> bool {
    let parts = parts(&real.path);
    let ends_in = |mark: &&[&str]| {
        parts.len() >= mark.len()
            && mark.iter().zip(&parts[parts.len() - mark.len()..]).all(|(a, b)| same(real.folds, a, b))
    };
    switch(real, rooms).is_some()
        // Of what is in there, only a folder is protected: others' files lie beside it.
        || SWITCHES.iter().any(|(mark, _)| *mark != [".github"] && ends_in(mark))
        || rooms.agent.as_ref() == Some(&real.path)
}

/// Whether a path is a switch, whatever is done with it.
pub(super) fn is_ours(real: &Real, rooms: &Rooms) -> bool {
    switch(real, rooms).is_some()
}

/// Made as a folder, it switches something only where folders are looked for: in our data.
pub(super) fn is_made(real: &Real, rooms: &Rooms) -> bool {
    rooms.holds(&real.path) && !rooms.roots.contains(&real.path)
}

/// A switch that is in force here and is taken away with a folder: the first that is there.
pub(super) fn taken_with(folder: &Real, from: &From<'_>, rooms: &Rooms) -> Option<Judgment> {
    const HERE: &[&str] = &[
        FOLDER,
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/hooks",
        ".claude/plugins",
        ".claude.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        ".opencode/plugin",
        ".opencode/plugins",
        ".config/opencode",
        ".copilot/config.json",
        ".github/hooks",
    ];
    let places = [from.project, from.began, from.cwd].into_iter().flatten();
    let bases = places.flat_map(|place| [place.to_owned(), workspace(place)]);
    let mut bases: Vec<PathBuf> = bases.chain(from.home.map(Path::to_owned)).collect();
    bases.sort();
    bases.dedup();
    let named = bases.iter().filter_map(|base| canonical(Some(base)));
    let named = named.flat_map(|base| HERE.iter().map(move |name| base.join(name)));
    let moved = rooms.agent.iter().flat_map(|base| MOVED.iter().map(move |name| base.join(name)));
    let mut all = rooms.roots.iter().cloned().chain(named).chain(moved);
    let is_it = |path: &PathBuf| path.starts_with(&folder.path) && fs::symlink_metadata(path).is_ok();
    let found = all.find(is_it)?;
    Some(question(&Real { path: found, folds: folder.folds }, SWITCH))
}

/// What lets a program speak as the person.
pub(super) fn is_secret(path: &Path, rooms: &Rooms) -> bool {
    rooms.holds(path)
        && rooms.spaces().iter().any(|space| SECRETS.iter().any(|name| path == space.join(name)))
}

/// A folder of ours in which one of them stands, with everything in it.
pub(super) fn holds_secret(path: &Path, rooms: &Rooms) -> bool {
    rooms.holds(path)
        && rooms.spaces().iter().any(|space| SECRETS.iter().any(|name| space.join(name).starts_with(path)))
}

/// By its last names alone, where nobody knows how a path begins.
pub(super) fn names_secret(parts: &[&str]) -> bool {
    let Some(at) = parts.iter().position(|part| *part == FOLDER) else { return false };
    let behind = &parts[at + 1..];
    SECRETS.iter().any(|name| {
        let name: Vec<&str> = name.split('/').collect();
        let fits = |rest: &[&str]| {
            rest.len() == name.len() && rest.iter().zip(&name).all(|(a, b)| a == b || *a == "*")
        };
        fits(behind) || behind.get(1..).is_some_and(fits)
    })
}

/// The daemon's own process, as its file says.
pub(super) fn daemon(from: &From<'_>) -> Option<String> {
    let text = fs::read_to_string(from.data?.join("run/daemon.pid")).ok()?;
    let number: String = text.trim().chars().take_while(char::is_ascii_digit).collect();
    (!number.is_empty()).then_some(number)
}

/// The folders that are ours or an agent's own, real paths. Looked up once for all the files of a command.
#[derive(Debug, Clone, Default)]
pub struct Rooms {
    /// The folder of our data.
    data: Option<PathBuf>,
    /// It, and the one above all namespaces unless that is more than ours.
    roots: Vec<PathBuf>,
    agent: Option<PathBuf>,
}

impl Rooms {
    pub(super) fn of(from: &From<'_>) -> Self {
        let agent = canonical(from.agent);
        let Some(data) = canonical(from.data) else { return Self { agent, ..Self::default() } };
        let places = [from.home, from.cwd, from.project, from.began];
        let is_more = |folder: &Path| {
            let holds = |place: &Path| {
                place.starts_with(folder)
                    || canonical(Some(place)).is_some_and(|real| real.starts_with(folder))
            };
            !folder.ends_with(FOLDER)
                && (folder.components().count() < 3 || places.into_iter().flatten().any(holds))
        };
        let above = data.parent().filter(|above| !is_more(above)).map(Path::to_owned);
        Self { roots: above.into_iter().chain([data.clone()]).collect(), data: Some(data), agent }
    }

    /// Our data: everything in it, and what is read beside it.
    fn holds(&self, path: &Path) -> bool {
        const BESIDE: &[&str] = &["config.toml", "commands.json", FILE, "rules"];
        let beside = self.data.as_deref().and_then(Path::parent);
        let is_beside = |above: &Path| {
            path.strip_prefix(above)
                .ok()
                .and_then(|below| below.components().next())
                .is_some_and(|first| BESIDE.iter().any(|name| first.as_os_str() == *name))
        };
        self.roots.iter().any(|root| path.starts_with(root)) || beside.is_some_and(is_beside)
    }

    /// Every namespace there is, the present one first.
    fn spaces(&self) -> Vec<PathBuf> {
        /// Of one person; more are not looked at.
        const MAX_SPACES: usize = 64;
        let mut all: Vec<PathBuf> = self.data.iter().cloned().collect();
        for root in self.roots.iter().filter(|root| Some(*root) != self.data.as_ref()) {
            let entries = fs::read_dir(root).into_iter().flatten().flatten().take(MAX_SPACES);
            all.extend(entries.map(|entry| entry.path()));
            all.push(root.clone());
        }
        all
    }
}

fn canonical(path: Option<&Path>) -> Option<PathBuf> {
    path.map(|path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
}

fn parts(path: &Path) -> Vec<String> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    names.collect()
}

fn same(folds: bool, one: &str, other: &str) -> bool {
    if folds { one.eq_ignore_ascii_case(other) } else { one == other }
}

/// A file of that name, or anything in a folder of it.
fn lists(known: &str, first: &str, depth: usize, folds: bool) -> bool {
    match known.strip_suffix('/') {
        Some(folder) => same(folds, folder, first),
        None => depth == 1 && same(folds, known, first),
    }
}

/// What runs unseen and is none of an agent's hook settings.
fn unseen(real: &Real) -> Option<&'static str> {
    let parts = parts(&real.path);
    let last = parts.last()?;
    let is = |one: &str, other: &str| same(real.folds, one, other);
    if let Some(known) = UNSEEN_ANYWHERE.iter().find(|known| is(known, last)) {
        return Some(known);
    }
    if parts.len() > 1 && is(&parts[parts.len() - 2], UNSEEN_MCP.0) && is(last, UNSEEN_MCP.1) {
        return Some(UNSEEN_MCP.0);
    }
    let at = parts.iter().position(|part| is(part, ".git"))?;
    let behind = &parts[at + 1..];
    let is_listed = UNSEEN.iter().any(|known| match known.strip_suffix('/') {
        Some(folder) => behind.iter().any(|name| is(name, folder)),
        None => !behind.is_empty() && is(last, known),
    });
    is_listed.then_some(".git")
}

/// Whether the scope allows it by a rule that can mean nothing else.
fn names_outright(scope: &Scope, real: &Real, mark: &str) -> bool {
    let Ok(Lists { allow: Some(allow), .. }) = &*scope.lists else { return false };
    let outright = allow.iter().filter(|rule| rule.pattern.text().starts_with(['.', '/']));
    let outright: Vec<&Rule> = outright.filter(|rule| rule.pattern.text().contains(mark)).collect();
    scope.bases.iter().any(|base| outright.iter().any(|rule| rule.pattern.names(&subject(base, real))))
}
