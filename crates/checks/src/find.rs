//! Which tools concern a file, where they run, and which executable that is: the project's own copy first, then the
//! person's. In a workspace that is trusted it reads a few small files and runs git, which knows what came with the
//! repository; in any other it runs nothing.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::ground::{self, Git};
use crate::members::{self, Family};
use crate::path::{self, Folders};
use crate::tool::{Home, Tool};
use crate::tools::ALL;
use crate::trust::Trust;

/// A manifest is smaller; a larger file of that name is something else.
const MAX_MANIFEST: u64 = 1 << 20;
/// Folders a survey looks into; a project shows its tools near its root.
const MAX_SURVEYED: usize = 400;
/// How deep, from the root.
const SURVEY_DEPTH: usize = 3;
/// Folders that hold other people's projects or made things.
const NOT_OURS: &[&str] = &["node_modules", "target", "dist", "build", "vendor", "venv", "__pycache__"];

/// A tool that is there, in the folder it runs in.
#[derive(Debug, Clone)]
pub struct Check {
    pub tool: &'static Tool,
    pub program: PathBuf,
    pub folder: PathBuf,
    /// What it gets as its `PATH`.
    pub path: OsString,
}

impl Check {
    /// The same tool in the same folder.
    pub fn is(&self, other: &Self) -> bool {
        self.tool.name == other.tool.name && self.folder == other.folder
    }
}

/// What came of looking for a tool that a project uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Found(PathBuf),
    /// It is not installed.
    Missing,
    /// It would not work yet, for this reason.
    Lacks(&'static str),
    /// It would run code of the project, and nothing shows that this has run here before.
    RunsCode,
    /// It would run code of a package that does not belong to the workspace.
    Foreign,
    /// Nobody has trusted the workspace: nothing is run there.
    Untrusted,
}

#[derive(Debug, Clone)]
pub struct Seen {
    pub tool: &'static Tool,
    pub folder: PathBuf,
    pub state: State,
}

/// A workspace, and what the person says about it.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// A real path.
    pub root: &'a Path,
    /// What the environment of the session says.
    pub path: &'a OsStr,
    pub home: Option<&'a Path>,
    pub code: Trust,
    /// Whether the repository with this root is trusted.
    pub is_trusted: &'a dyn Fn(&Path) -> bool,
}

impl std::fmt::Debug for Ground<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ground").field("root", &self.root).finish_non_exhaustive()
    }
}

/// The tools that are there for a file of the workspace, and may be run. `file` is a real path.
pub fn find(ground: &Ground<'_>, file: &Path) -> Vec<Check> {
    if !(ground.is_trusted)(ground.root) {
        return Vec::new();
    }
    let folders = ground.folders();
    let path = folders.variable();
    let searching = Searching::new(ground, &folders, &path);
    let found = searching.seen(file).into_iter().filter_map(|seen| match seen.state {
        State::Found(program) => {
            Some(Check { tool: seen.tool, program, folder: seen.folder, path: path.clone() })
        }
        _ => None,
    });
    found.collect()
}

/// Whether a tool would be run for a file, were its workspace trusted. Looks at a few names, and runs nothing.
pub fn is_used(root: &Path, file: &Path) -> bool {
    let Some((home, concerned)) = concerned(root, file) else { return false };
    let mut concerned = concerned.filter(|tool| !tool.signs.is_empty());
    concerned.any(|tool| sign(tool, root, home).is_some_and(|folder| (tool.lacks)(folder).is_none()))
}

/// Whether any tool is about files of this ending. Looks at nothing.
pub fn concerns(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ALL.iter().any(|tool| tool.endings.contains(&ending)))
}

/// The folder of a file that is the workspace's own, and the tools that are about it.
fn concerned<'a>(root: &Path, file: &'a Path) -> Option<(&'a Path, impl Iterator<Item = &'static Tool>)> {
    let ending = file.extension().and_then(|ending| ending.to_str())?;
    let home = file.parent().filter(|home| ground::is_ours(root, home))?;
    Some((home, ALL.iter().filter(move |tool| tool.endings.contains(&ending))))
}

/// What the project in `root` uses, by what its folders show; each tool once, where it is seen first.
pub fn survey(ground: &Ground<'_>) -> Vec<Seen> {
    let root = ground.root;
    let is_trusted = (ground.is_trusted)(root);
    let folders = ground.folders();
    let path = folders.variable();
    let searching = Searching::new(ground, &folders, &path);
    let mut seen: Vec<Seen> = Vec::new();
    let mut waiting = vec![(root.to_owned(), 0)];
    let mut looked = 0;
    while let Some((folder, depth)) = waiting.pop() {
        looked += 1;
        if looked > MAX_SURVEYED {
            break;
        }
        for tool in ALL {
            let is_new = !seen.iter().any(|seen| seen.tool.name == tool.name);
            if is_new && shows(tool, &folder) {
                let untrusted = || Seen { tool, folder: folder.clone(), state: State::Untrusted };
                seen.extend(if is_trusted { searching.look(tool, &folder) } else { Some(untrusted()) });
            }
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_hidden = name.starts_with('.') || NOT_OURS.contains(&name);
            if is_folder && depth < SURVEY_DEPTH && !is_hidden && ground::is_ours(root, &entry.path()) {
                waiting.push((entry.path(), depth + 1));
            }
        }
    }
    seen.sort_by_key(|seen| ALL.iter().position(|tool| tool.name == seen.tool.name));
    seen
}

/// Whether a folder itself shows it: by a sign, or by a file of an ending that needs none.
fn shows(tool: &Tool, folder: &Path) -> bool {
    if !tool.signs.is_empty() {
        return has_sign(tool, folder).is_some();
    }
    let of_ending = |path: &Path| {
        path.extension().and_then(|end| end.to_str()).is_some_and(|end| tool.endings.contains(&end))
    };
    fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).any(|entry| of_ending(&entry.path()))
}

/// The folder a tool runs in: the nearest that shows it, else the root for one that needs no sign.
fn sign<'a>(tool: &Tool, root: &'a Path, home: &'a Path) -> Option<&'a Path> {
    if tool.signs.is_empty() {
        return Some(root);
    }
    let mut above = home.ancestors().take_while(|folder| folder.starts_with(root));
    above.find(|folder| has_sign(tool, folder).is_some())
}

impl Ground<'_> {
    /// Where programs are looked for.
    pub fn folders(&self) -> Folders {
        Folders::of(self.path, self.root, self.home, self.is_trusted)
    }
}

/// One look at a workspace that is trusted.
struct Searching<'a> {
    ground: &'a Ground<'a>,
    folders: &'a Folders,
    path: &'a OsStr,
    git: Git<'a>,
}

impl<'a> Searching<'a> {
    fn new(ground: &'a Ground<'a>, folders: &'a Folders, path: &'a OsStr) -> Self {
        Self { ground, folders, path, git: Git::of(ground.root, path) }
    }

    /// The tools a file shows to be used, found or not.
    fn seen(&self, file: &Path) -> Vec<Seen> {
        let root = self.ground.root;
        let Some((home, concerned)) = concerned(root, file) else { return Vec::new() };
        let signed: Vec<_> = concerned.filter_map(|tool| Some((tool, sign(tool, root, home)?))).collect();
        // Git is asked once, and only where something would be run.
        let signs = signed.iter().filter_map(|(tool, folder)| has_sign(tool, folder));
        let paths: Vec<PathBuf> = signs.chain([file.to_owned()]).collect();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        if signed.is_empty() || self.git.ignores(&paths) {
            return Vec::new();
        }
        signed.into_iter().filter_map(|(tool, _)| self.look(tool, home)).collect()
    }

    fn look(&self, tool: &'static Tool, home: &Path) -> Option<Seen> {
        let folder = sign(tool, self.ground.root, home)?.to_owned();
        let state = match (tool.lacks)(&folder) {
            Some(why) => State::Lacks(why),
            None => self.state(tool, &folder),
        };
        Some(Seen { tool, folder, state })
    }

    /// The project's own copy is code of the project, too: without leave for that the person's is taken.
    fn state(&self, tool: &Tool, folder: &Path) -> State {
        let root = self.ground.root;
        let runs_code = (tool.runs_code)(folder);
        let (own, persons) = (self.own(tool, folder), on_path(tool.program, self.path));
        if own.is_none() && persons.is_none() {
            return State::Missing;
        }
        let is_member = |folder: &Path| {
            members::is_package(tool.family, root, folder) && self.belongs(tool.family, folder)
        };
        if runs_code && !is_member(folder) {
            return State::Foreign;
        }
        let may_run = (runs_code || own.is_some()) && self.allows(tool, folder);
        match (own, persons) {
            (Some(own), _) if may_run => State::Found(own),
            (_, Some(persons)) if may_run || !runs_code => State::Found(persons),
            _ => State::RunsCode,
        }
    }

    fn belongs(&self, family: Family, folder: &Path) -> bool {
        let is_always = self.ground.code == Trust::Always;
        members::belongs(family, self.ground.root, folder, &self.git, is_always)
    }

    /// Whether code of the project may be run for the sake of `folder`, which shows that it has run before.
    fn allows(&self, tool: &Tool, folder: &Path) -> bool {
        match self.ground.code {
            Trust::Always => true,
            Trust::Never => false,
            Trust::Installed => {
                let above = folder.ancestors().take_while(|folder| folder.starts_with(self.ground.root));
                let made =
                    above.flat_map(|folder| tool.made.iter().map(move |name| (folder, folder.join(name))));
                let there = made.filter(|(_, made)| made.is_dir());
                let mut ours = there.filter(|(holder, _)| self.belongs(tool.family, holder));
                let named = ours.next().map(|(_, made)| made);
                // Who has a virtual environment elsewhere in the workspace has it on the path.
                let made = named.or_else(|| self.folders.inside.first().cloned());
                made.is_some_and(|made| self.is_made_here(&made))
            }
        }
    }

    /// Whether a folder was made on this machine and did not come with the repository. A link shows that, too, where it
    /// leads to no repository that nobody trusts.
    fn is_made_here(&self, made: &Path) -> bool {
        let Ground { root, home, is_trusted, .. } = *self.ground;
        let Ok(real) = made.canonicalize() else { return false };
        let is_strangers = if real.starts_with(root) {
            ground::is_in_repository(root, &real)
        } else {
            path::is_strangers(&real, home, is_trusted)
        };
        !is_strangers && self.git.tracks(made) == Some(false)
    }

    /// The copy that the project keeps: on the shelves of its packages, or where the session's path leads in it.
    fn own(&self, tool: &Tool, folder: &Path) -> Option<PathBuf> {
        const NODE: (&str, Family) = ("node_modules/.bin", Family::Node);
        const PYTHON: [(&str, Family); 2] = [(".venv/bin", Family::Python), ("venv/bin", Family::Python)];
        let root = self.ground.root;
        let kept: &[(&str, Family)] = match tool.home {
            Home::Path => return None,
            Home::Node => &[NODE],
            Home::Python => &PYTHON,
            Home::Either => &[PYTHON[0], PYTHON[1], NODE],
        };
        let above = folder.ancestors().take_while(|folder| folder.starts_with(root));
        let shelves = above
            .flat_map(|folder| kept.iter().map(move |(kept, family)| (folder, folder.join(kept), *family)));
        let mut there = shelves.filter(|(_, shelf, _)| can_run(&shelf.join(tool.program)));
        let of_package = there.find(|(holder, _, family)| {
            members::is_package(*family, root, holder) && self.belongs(*family, holder)
        });
        let named = || {
            let mut inside = self.folders.inside.iter();
            inside.find(|shelf| can_run(&shelf.join(tool.program)) && self.is_made_here(shelf)).cloned()
        };
        of_package.map(|(_, shelf, _)| shelf).or_else(named).map(|shelf| shelf.join(tool.program))
    }
}

/// The file that shows it.
fn has_sign(tool: &Tool, folder: &Path) -> Option<PathBuf> {
    tool.signs.iter().find_map(|(name, words)| {
        let path = folder.join(name);
        let is_it =
            path.is_file() && (words.is_empty() || read(&path).is_some_and(|text| text.contains(words)));
        is_it.then_some(path)
    })
}

/// A file a project describes itself in.
pub(crate) fn read(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    (about.is_file() && about.len() <= MAX_MANIFEST).then(|| fs::read_to_string(path).ok()).flatten()
}

/// A program of the person's. `path` has only folders in it that are absolute and theirs.
pub(crate) fn on_path(program: &str, path: &OsStr) -> Option<PathBuf> {
    let mut folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(program)).filter(|program| can_run(program)))
}

fn can_run(program: &Path) -> bool {
    fs::metadata(program).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
