//! Where agents may write: lists of patterns in a file, held against the path a call really leads to. A dead daemon, a
//! broken list and a path that leads nowhere never read as permission.

mod file;
mod known;
mod pattern;
mod real;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use file::{Broken, Lists, MAX_BYTES, Rule};
pub use pattern::{Pattern, PatternError, Subject};
pub use real::{Real, Unresolved, all as real_paths, real as real_path};
pub use tree::judge_tree;

/// Where a project says it, below its folder; a person says it in a file of this name in the data folder.
pub const FOLDER: &str = ".throughline";
pub const FILE: &str = "scope.json";
/// Folders above one that are looked into for a scope file.
const MAX_HEIGHT: usize = 64;
/// Patterns that are named where a write is denied.
const MAX_NAMED: usize = 6;
/// What an agent could switch its own guards off with: changed by a person, or with one.
const HOST_FILES: &[&str] = &["settings.json", "settings.local.json"];

/// What was decided about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgment {
    pub verdict: Verdict,
    /// Where the path leads; as it was given, where nobody can say.
    pub real_path: PathBuf,
    /// The pattern that decided, as it is written. `None`: none did.
    pub rule: Option<String>,
    /// The scope file it stands in.
    pub file: Option<PathBuf>,
    pub line: Option<usize>,
    /// In words, for whoever asks.
    pub why: String,
    /// Patterns of the file's `allow`, where the path is outside of them.
    pub allowed: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Allow,
    Ask,
    Deny,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A scope file that is in force.
#[derive(Debug, Clone)]
pub struct Scope {
    pub file: PathBuf,
    /// The folders its patterns start from, real paths.
    pub bases: Vec<PathBuf>,
    pub lists: Arc<Result<Lists, Broken>>,
}

/// Where a call comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct From<'a> {
    pub cwd: Option<&'a Path>,
    /// The agent's own idea of the project's folder, which stays when `cwd` wanders.
    pub project: Option<&'a Path>,
    /// The folder of our data, and the one above all its namespaces.
    pub data: Option<&'a Path>,
    pub home: Option<&'a Path>,
    /// A file that cannot be understood denies; else the person is asked.
    pub strict: bool,
}

impl Scope {
    /// A project's file: its patterns start from the folder that holds `.throughline`.
    fn of_project(folder: &Path) -> Option<Self> {
        let file = folder.join(FOLDER).join(FILE);
        let lists = known::read(&file)?;
        let base = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        Some(Self { file, bases: vec![base], lists })
    }

    /// The person's own: its patterns start from the home folder, and from the project at hand, because it stands for all.
    fn of_person(from: &From<'_>) -> Option<Self> {
        let data = from.data?;
        let places = [Some(data), data.parent()];
        let (file, lists) = places.into_iter().flatten().find_map(|folder| {
            let file = folder.join(FILE);
            known::read(&file).map(|lists| (file, lists))
        })?;
        let folder = from.project.or(from.cwd).map(workspace);
        let bases = from.home.map(Path::to_owned).into_iter().chain(folder);
        let bases = bases.map(|base| fs::canonicalize(&base).unwrap_or(base)).collect();
        Some(Self { file, bases, lists })
    }

    fn judge(&self, real: &Real, strict: bool) -> Judgment {
        let lists = match &*self.lists {
            Ok(lists) => lists,
            Err(broken) => {
                let why = format!(
                    "{} cannot be understood ({broken}), so nobody knows whether this is allowed",
                    self.file.display()
                );
                return self.verdict(if strict { Verdict::Deny } else { Verdict::Ask }, real, why);
            }
        };
        let subjects: Vec<Subject> = self.bases.iter().map(|base| subject(base, real)).collect();
        let decides = |rules: &[Rule], outside: bool| -> Option<(String, usize)> {
            // What a scope allows, it allows in its own folder.
            let subjects = subjects.iter().filter(|subject| outside || subject.is_inside());
            subjects.into_iter().find_map(|subject| {
                let rule = pattern::last(rules, subject, |rule| &rule.pattern)?;
                (!rule.pattern.is_negated()).then(|| (rule.pattern.text().to_owned(), rule.line))
            })
        };
        if let Some((rule, line)) = decides(&lists.deny, true) {
            let why = format!("the rule \"{rule}\" under \"deny\" forbids it");
            return Judgment { rule: Some(rule), line: Some(line), ..self.verdict(Verdict::Deny, real, why) };
        }
        let Some(allow) = &lists.allow else {
            return self.verdict(Verdict::Allow, real, "no rule under \"deny\" names it".to_owned());
        };
        if let Some((rule, line)) = decides(allow, false) {
            let why = format!("the rule \"{rule}\" under \"allow\" names it");
            return Judgment {
                rule: Some(rule),
                line: Some(line),
                ..self.verdict(Verdict::Allow, real, why)
            };
        }
        let is_inside = self.bases.iter().any(|base| real.path.starts_with(base));
        let why = if is_inside {
            "no rule under \"allow\" names it"
        } else {
            "it is outside of the folder the scope is about"
        };
        let named = allow.iter().map(|rule| rule.pattern.text().to_owned()).take(MAX_NAMED).collect();
        Judgment { allowed: named, ..self.verdict(Verdict::Deny, real, why.to_owned()) }
    }

    fn verdict(&self, verdict: Verdict, real: &Real, why: String) -> Judgment {
        Judgment {
            verdict,
            real_path: real.path.clone(),
            rule: None,
            file: Some(self.file.clone()),
            line: None,
            why,
            allowed: Vec::new(),
        }
    }
}

/// The scope files in force for a path: the nearest above the folder at work, above the agent's project and above the path
/// itself, and the person's. All of them must agree, so that none widens another.
pub fn in_force(from: &From<'_>, path: Option<&Path>) -> Vec<Scope> {
    let starts = [from.cwd, from.project, path];
    let mut scopes: Vec<Scope> = Vec::new();
    for folder in starts.into_iter().flatten().filter_map(nearest) {
        let file = folder.join(FOLDER).join(FILE);
        if scopes.iter().all(|scope| scope.file != file) {
            scopes.extend(Scope::of_project(&folder));
        }
    }
    // A home folder's `.throughline` may be the person's own.
    scopes.extend(Scope::of_person(from).filter(|own| scopes.iter().all(|scope| scope.file != own.file)));
    scopes
}

/// What the scope files in force say about a write. The strictest wins.
pub fn judge(from: &From<'_>, path: &Path) -> Judgment {
    let places = match real::all(from.cwd, path) {
        Ok(places) => places,
        Err(unresolved) => return undecidable(from, path, unresolved),
    };
    let mut strictest: Option<Judgment> = None;
    for real in &places {
        let scopes = in_force(from, real.path.parent());
        let own = protected(&scopes, real, from);
        for judgment in own.into_iter().chain(scopes.iter().map(|scope| scope.judge(real, from.strict))) {
            if strictest.as_ref().is_none_or(|held| held.verdict < judgment.verdict) {
                strictest = Some(judgment);
            }
        }
    }
    strictest.unwrap_or_else(|| Judgment {
        verdict: Verdict::Allow,
        real_path: places.into_iter().next().map_or_else(|| path.to_owned(), |real| real.path),
        rule: None,
        file: None,
        line: None,
        why: "there is no scope file".to_owned(),
        allowed: Vec::new(),
    })
}

/// Where nobody can say what a path means, a scope cannot be kept.
fn undecidable(from: &From<'_>, path: &Path, unresolved: Unresolved) -> Judgment {
    let file = in_force(from, None).into_iter().next().map(|scope| scope.file);
    Judgment {
        verdict: if file.is_some() { Verdict::Deny } else { Verdict::Allow },
        real_path: path.to_owned(),
        rule: None,
        why: format!("nobody can say where this path leads: {unresolved}"),
        file,
        line: None,
        allowed: Vec::new(),
    }
}

/// Where a scope is in force, its file is a person's to change, and what switches guards off or runs unseen is changed with one.
fn protected(scopes: &[Scope], real: &Real, from: &From<'_>) -> Option<Judgment> {
    let scope = scopes.first()?;
    let name = real.path.file_name()?.to_str()?;
    let folder = real.path.parent()?;
    let is_ours = |file: &str| if real.folds { name.eq_ignore_ascii_case(file) } else { name == file };
    let data = from.data.and_then(|data| fs::canonicalize(data).ok());
    let in_data = data.is_some_and(|data| folder == data || Some(folder) == data.parent());
    // A scope file may be a link, also to what is not there yet.
    let is_target = |scope: &Scope| real::real(None, &scope.file).is_ok_and(|file| file.path == real.path);
    if scopes.iter().any(is_target)
        || is_ours(FILE) && (in_data || folder.file_name().is_some_and(|at| at.eq_ignore_ascii_case(FOLDER)))
    {
        let why = "a scope file is changed by a person, not by whom it is for".to_owned();
        return Some(scope.verdict(Verdict::Deny, real, why));
    }
    let is_in = |ancestor: &str| folder.components().any(|part| part.as_os_str() == ancestor);
    let is_settings = is_in(".claude") && HOST_FILES.contains(&name);
    let is_hook = is_in(".git") && (is_in("hooks") || name == "config");
    if !(is_settings || is_hook) || names_outright(scope, real) {
        return None;
    }
    let why = "what stands there can run commands or switch guards off, unseen".to_owned();
    Some(scope.verdict(Verdict::Ask, real, why))
}

/// Whether the scope allows it by a rule that can mean nothing else.
fn names_outright(scope: &Scope, real: &Real) -> bool {
    let Ok(Lists { allow: Some(allow), .. }) = &*scope.lists else { return false };
    let outright = allow.iter().filter(|rule| rule.pattern.text().starts_with(['.', '/']));
    let outright: Vec<&Rule> = outright
        .filter(|rule| rule.pattern.text().contains(".claude") || rule.pattern.text().contains(".git"))
        .collect();
    scope.bases.iter().any(|base| outright.iter().any(|rule| rule.pattern.names(&subject(base, real))))
}

fn subject(base: &Path, real: &Real) -> Subject {
    let relative = real.path.strip_prefix(base).ok().map(|path| path.to_string_lossy().into_owned());
    let name = real.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Subject::new(relative.as_deref(), &name, real.folds)
}

/// The nearest folder at or above one that has a scope file, up to the repository's root.
fn nearest(start: &Path) -> Option<PathBuf> {
    for folder in start.ancestors().take(MAX_HEIGHT) {
        if fs::symlink_metadata(folder.join(FOLDER).join(FILE)).is_ok() {
            return Some(folder.to_owned());
        }
        if is_repository(folder) {
            return None;
        }
    }
    None
}

/// The repository a folder is in, or the folder itself.
fn workspace(start: &Path) -> PathBuf {
    start.ancestors().take(MAX_HEIGHT).find(|folder| is_repository(folder)).unwrap_or(start).to_owned()
}

fn is_repository(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(".git")).is_ok()
}
