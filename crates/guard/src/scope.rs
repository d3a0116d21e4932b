//! Where agents may write: lists of patterns in a file, held against the path a call really leads to. A dead daemon, a
//! broken list and a path that leads nowhere never read as permission.

mod command;
mod file;
mod found;
mod known;
mod own;
mod pattern;
mod reads;
mod real;
mod touched;
mod tree;

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use command::judge_command;
pub use file::{Broken, Lists, MAX_BYTES, Rule};
pub use own::Rooms;
pub use pattern::{Pattern, PatternError, Subject};
pub use real::{Last, Real, Unresolved, all as real_paths, real as real_path};
pub use tree::judge_tree;

/// A path that somebody only reads, with everything in it: a question where that is what lets a program speak as the
/// person.
pub fn judge_read(from: &From<'_>, path: &Path) -> Option<Judgment> {
    reads::judge_whole(from, path, &from.own_rooms())
}

/// Where a project says it, below its folder; a person says it in a file of this name in the data folder.
pub const FOLDER: &str = ".throughline";
pub const FILE: &str = "scope.json";
/// Folders above one that are looked into for a scope file.
const MAX_HEIGHT: usize = 64;
/// Patterns that are named where a write is denied.
const MAX_NAMED: usize = 6;

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
    /// The file cannot be understood.
    pub is_broken: bool,
    /// It is about reading the path, not about changing it.
    pub is_read: bool,
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
    /// Folders from which `deny` counts, too, and `allow` does not: where a session is beside where it began.
    pub beside: Vec<PathBuf>,
    pub lists: Arc<Result<Lists, Broken>>,
    /// It is the person's own, not a project's.
    pub is_own: bool,
}

/// Where a call comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct From<'a> {
    pub cwd: Option<&'a Path>,
    /// Where a relative path begins, if a command goes elsewhere first. The scope of `cwd` goes with it.
    pub at: Option<&'a Path>,
    /// The agent's own idea of the project's folder, which stays when `cwd` wanders.
    pub project: Option<&'a Path>,
    /// The folder the session began in: its scope holds until the session ends, wherever `cwd` wanders.
    pub began: Option<&'a Path>,
    /// The folder in which the agent keeps its own settings, where it is known.
    pub agent: Option<&'a Path>,
    /// Links that the same command makes before, real paths: where they stand and where they lead.
    pub links: &'a [(PathBuf, PathBuf)],
    /// Looked up before, for many paths. `None`: they are looked up for each.
    pub rooms: Option<&'a Rooms>,
    /// The folder of our data, and the one above all its namespaces.
    pub data: Option<&'a Path>,
    pub home: Option<&'a Path>,
    /// A file that cannot be understood denies; else the person is asked.
    pub strict: bool,
}

impl<'a> From<'a> {
    /// The folder a relative path begins in.
    pub fn start(&self) -> Option<&'a Path> {
        self.at.or(self.cwd)
    }

    fn own_rooms(&self) -> Cow<'a, Rooms> {
        self.rooms.map_or_else(|| Cow::Owned(Rooms::of(self)), Cow::Borrowed)
    }
}

impl Scope {
    /// A project's file: its patterns start from the folder that holds `.throughline`.
    fn of_project(folder: &Path) -> Option<Self> {
        let file = folder.join(FOLDER).join(FILE);
        let lists = known::read(&file)?;
        let base = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        Some(Self { file, bases: vec![base], beside: Vec::new(), lists, is_own: false })
    }

    /// The person's own: its patterns start from the home folder, and from the project at hand, because it stands for all.
    fn of_person(from: &From<'_>) -> Option<Self> {
        let data = from.data?;
        let places = [Some(data), data.parent()];
        let (file, lists) = places.into_iter().flatten().find_map(|folder| {
            let file = folder.join(FILE);
            known::read(&file).map(|lists| (file, lists))
        })?;
        let mut folders = [from.project, from.began, from.cwd].into_iter().flatten().map(workspace);
        let real = |base: PathBuf| fs::canonicalize(&base).unwrap_or(base);
        let bases: Vec<PathBuf> =
            from.home.map(Path::to_owned).into_iter().chain(folders.next()).map(real).collect();
        let beside = folders.map(real).filter(|folder| !bases.contains(folder)).collect();
        Some(Self { file, bases, beside, lists, is_own: true })
    }

    /// Patterns that name nothing though somebody means something by them: the line, and what is wrong.
    pub fn warnings(&self) -> Vec<(usize, String)> {
        let Ok(lists) = &*self.lists else { return Vec::new() };
        let rules = lists.deny.iter().chain(lists.allow.iter().flatten());
        let warning = |rule: &Rule| {
            let text = rule.pattern.text();
            let body = text.trim_start_matches('!');
            if body == "~" || body.starts_with("~/") {
                let what = format!("\"{text}\" names a file called ~: a pattern begins where the scope does");
                return Some((rule.line, what));
            }
            let is_whole = |base: &PathBuf| {
                body.starts_with('/') && base.parent().is_some() && Path::new(body).starts_with(base)
            };
            let base = self.bases.iter().find(|base| is_whole(base))?;
            let what = format!("\"{text}\" begins at {0}: leave {0} out", base.display());
            Some((rule.line, what))
        };
        rules.filter_map(warning).collect()
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
        let own = self.bases.len();
        let bases = self.bases.iter().chain(&self.beside);
        let subjects: Vec<Subject> = bases.map(|base| subject(base, real)).collect();
        let decides = |rules: &[Rule], outside: bool| -> Option<(String, usize)> {
            // What a scope allows, it allows in its own folder.
            let counts = |at: usize, subject: &Subject| outside || (at < own && subject.is_inside());
            let subjects = subjects.iter().enumerate().filter(|(at, subject)| counts(*at, subject));
            let subjects = subjects.map(|(_, subject)| subject);
            subjects.into_iter().find_map(|subject: &Subject| {
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
            is_broken: self.lists.is_err(),
            is_read: false,
        }
    }
}

/// The scope files in force for a path: the nearest above the folder at work, above the agent's project, above where the
/// session began and above the path itself, and the person's. All of them must agree, so that none widens another.
pub fn in_force(from: &From<'_>, path: Option<&Path>) -> Vec<Scope> {
    let starts = [from.cwd, from.project, from.began, path];
    let mut scopes: Vec<Scope> = Vec::new();
    for start in starts.into_iter().flatten() {
        // A folder may be known by a link; its project is above where it really is.
        let real = fs::canonicalize(start).ok().filter(|real| real != start);
        for folder in [Some(start), real.as_deref()].into_iter().flatten().filter_map(nearest) {
            let file = folder.join(FOLDER).join(FILE);
            if scopes.iter().all(|scope| scope.file != file) {
                let found = Scope::of_project(&folder);
                scopes.extend(found.filter(|found| scopes.iter().all(|scope| scope.bases != found.bases)));
            }
        }
    }
    // A home folder's `.throughline` may be the person's own.
    scopes.extend(Scope::of_person(from).filter(|own| scopes.iter().all(|scope| scope.file != own.file)));
    scopes
}

/// What the scope files in force say about a write. The strictest wins.
pub fn judge(from: &From<'_>, path: &Path) -> Judgment {
    judge_last(from, path, Last::Followed)
}

/// The same, where a link that the path ends in is not always opened.
pub fn judge_last(from: &From<'_>, path: &Path, last: Last) -> Judgment {
    let places = match real::all_with(from.links, from.start(), path, last) {
        Ok(places) => places,
        Err(unresolved) => return undecidable(from, path, unresolved),
    };
    let rooms = from.own_rooms();
    let mut strictest: Option<Judgment> = None;
    for real in &places {
        let scopes = in_force(from, real.path.parent());
        let own = own::protected(&scopes, real, &rooms);
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
        is_broken: false,
        is_read: false,
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
        is_broken: false,
        is_read: false,
    }
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
