//! Which tools concern a file, where they run, and which executable that is: the project's own copy first, then the
//! person's. Reads a few small files and runs nothing but git, where it must be known what came with the repository.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::tool::{Home, Tool};
use crate::tools::ALL;
use crate::trust::{self, Trust};

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
}

#[derive(Debug, Clone)]
pub struct Seen {
    pub tool: &'static Tool,
    pub folder: PathBuf,
    pub state: State,
}

/// The tools that are there for a file of the workspace. `path` is what the environment says.
pub fn find(root: &Path, file: &Path, path: &std::ffi::OsStr, trust: Trust) -> Vec<Check> {
    let found = seen(root, file, path, trust).into_iter().filter_map(|seen| match seen.state {
        State::Found(program) => Some(Check { tool: seen.tool, program, folder: seen.folder }),
        State::Missing | State::Lacks(_) | State::RunsCode => None,
    });
    found.collect()
}

/// Whether any tool is about files of this ending. Looks at nothing.
pub fn concerns(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ALL.iter().any(|tool| tool.endings.contains(&ending)))
}

/// The tools a file shows to be used, found or not.
fn seen(root: &Path, file: &Path, path: &std::ffi::OsStr, trust: Trust) -> Vec<Seen> {
    let Some(ending) = file.extension().and_then(|ending| ending.to_str()) else { return Vec::new() };
    let Some(home) = file.parent().filter(|home| home.starts_with(root)) else { return Vec::new() };
    let concerned = ALL.iter().filter(|tool| tool.endings.contains(&ending));
    concerned.filter_map(|tool| look(tool, root, home, path, trust)).collect()
}

/// What the project in `root` uses, by what its folders show; each tool once, where it is seen first.
pub fn survey(root: &Path, path: &std::ffi::OsStr, trust: Trust) -> Vec<Seen> {
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
                seen.extend(look(tool, root, &folder, path, trust));
            }
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < SURVEY_DEPTH && !name.starts_with('.') && !NOT_OURS.contains(&name) {
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
        return has_sign(tool, folder);
    }
    let of_ending = |path: &Path| {
        path.extension().and_then(|end| end.to_str()).is_some_and(|end| tool.endings.contains(&end))
    };
    fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).any(|entry| of_ending(&entry.path()))
}

fn look(tool: &'static Tool, root: &Path, home: &Path, path: &std::ffi::OsStr, trust: Trust) -> Option<Seen> {
    let folder = if tool.signs.is_empty() {
        root.to_owned()
    } else {
        let mut above = home.ancestors().take_while(|folder| folder.starts_with(root));
        above.find(|folder| has_sign(tool, folder))?.to_owned()
    };
    let state = match (tool.lacks)(&folder) {
        Some(why) => State::Lacks(why),
        None => state(tool, root, &folder, path, trust),
    };
    Some(Seen { tool, folder, state })
}

/// The project's own copy is code of the project, too: without leave for that the person's is taken.
fn state(tool: &Tool, root: &Path, folder: &Path, path: &std::ffi::OsStr, trust: Trust) -> State {
    let (own, persons) = (own(tool, root, folder), persons(tool, path));
    let runs_code = (tool.runs_code)(folder);
    if own.is_none() && persons.is_none() {
        return State::Missing;
    }
    let may_run = (runs_code || own.is_some()) && trust::allows(trust, root, folder, tool.made, path);
    match (own, persons) {
        (Some(own), _) if may_run => State::Found(own),
        (_, Some(persons)) if may_run || !runs_code => State::Found(persons),
        _ => State::RunsCode,
    }
}

fn has_sign(tool: &Tool, folder: &Path) -> bool {
    tool.signs.iter().any(|(name, words)| {
        let path = folder.join(name);
        path.is_file() && (words.is_empty() || read(&path).is_some_and(|text| text.contains(words)))
    })
}

/// A file a project describes itself in.
pub(crate) fn read(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    (about.is_file() && about.len() <= MAX_MANIFEST).then(|| fs::read_to_string(path).ok()).flatten()
}

fn own(tool: &Tool, root: &Path, folder: &Path) -> Option<PathBuf> {
    const NODE: &str = "node_modules/.bin";
    let kept: &[&str] = match tool.home {
        Home::Path => &[],
        Home::Node => &[NODE],
        Home::Python => &[".venv/bin", "venv/bin"],
        Home::Either => &[".venv/bin", "venv/bin", NODE],
    };
    let above = folder.ancestors().take_while(|folder| folder.starts_with(root));
    let mut own = above.flat_map(|folder| kept.iter().map(move |kept| folder.join(kept).join(tool.program)));
    own.find(|program| can_run(program))
}

fn persons(tool: &Tool, path: &std::ffi::OsStr) -> Option<PathBuf> {
    // An entry that is not absolute would mean a folder of whoever is asked.
    let mut folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(tool.program)).filter(|program| can_run(program)))
}

fn can_run(program: &Path) -> bool {
    fs::metadata(program).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    fn put(root: &Path, path: &str, text: &str, mode: u32) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn names(root: &Path, file: &str, path: &str) -> Vec<(&'static str, PathBuf, PathBuf)> {
        let found = find(root, &root.join(file), OsStr::new(path), Trust::Always);
        let short = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
        found.iter().map(|check| (check.tool.name, short(&check.folder), short(&check.program))).collect()
    }

    #[test]
    fn a_tool_is_found_where_the_project_says_so_and_its_own_copy_goes_first() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path();
        put(root, "bin/ruff", "", 0o755);
        put(root, "work/lib/a.py", "", 0o644);
        let work = root.join("work");
        let path = root.join("bin").to_str().unwrap().to_owned();
        assert!(names(&work, "lib/a.py", &path).is_empty(), "the project does not say that it uses it");
        put(root, "work/pyproject.toml", "[project]\n", 0o644);
        assert!(names(&work, "lib/a.py", &path).is_empty());
        put(root, "work/pyproject.toml", "[tool.ruff.lint]\n", 0o644);
        assert_eq!(names(&work, "lib/a.py", &path), [("ruff", "".into(), root.join("bin/ruff"))]);
        put(root, "work/lib/.venv/bin/ruff", "", 0o755);
        assert_eq!(names(&work, "lib/a.py", &path)[0].2, root.join("bin/ruff"), "it is nobody's above lib");
        put(root, "work/lib/ruff.toml", "", 0o644);
        let nearest = ("ruff", "lib".into(), "lib/.venv/bin/ruff".into());
        assert_eq!(names(&work, "lib/a.py", &path), [nearest], "the nearest configuration counts");
    }

    #[test]
    fn nothing_outside_of_the_workspace_is_looked_at() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path();
        put(root, "ruff.toml", "", 0o644);
        put(root, ".venv/bin/ruff", "", 0o755);
        put(root, "work/a.py", "", 0o644);
        assert!(names(&root.join("work"), "a.py", "bin:").is_empty());
        assert!(find(&root.join("work"), &root.join("b.py"), OsStr::new(""), Trust::Always).is_empty());
    }

    #[test]
    fn a_survey_names_what_is_missing() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path();
        put(root, "web/tsconfig.json", "{}", 0o644);
        put(root, "web/node_modules/.bin/tsc", "", 0o755);
        put(root, "node_modules/x/ruff.toml", "", 0o644);
        put(root, "py/ruff.toml", "", 0o644);
        let seen = survey(root, OsStr::new(""), Trust::Always);
        let states: Vec<_> = seen.iter().map(|seen| (seen.tool.name, &seen.state)).collect();
        let tsc = State::Found(root.join("web/node_modules/.bin/tsc"));
        assert_eq!(states, [("ruff", &State::Missing), ("tsc", &tsc)]);
    }

    fn git(root: &Path, arguments: &[&str]) {
        let run = std::process::Command::new("git").args(arguments).current_dir(root).output();
        assert!(run.is_ok_and(|run| run.status.success()), "git {arguments:?}");
    }

    fn state_of(root: &Path, file: &str, path: &std::ffi::OsStr, trust: Trust) -> Vec<(&'static str, State)> {
        let seen = seen(root, &root.join(file), path, trust);
        seen.into_iter().map(|seen| (seen.tool.name, seen.state)).collect()
    }

    #[test]
    fn code_of_a_project_is_run_only_where_it_has_run_before() {
        let top = tempfile::tempdir().unwrap();
        let root = &top.path().canonicalize().unwrap();
        let path = std::env::join_paths(
            [root.join("bin")].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        )
        .unwrap();
        let work = root.join("work");
        put(root, "work/tsconfig.json", "{}", 0o644);
        put(root, "work/node_modules/.bin/tsc", "", 0o755);
        let own = [("tsc", State::Found(work.join("node_modules/.bin/tsc")))];
        let ask = |trust| state_of(&work, "a.ts", &path, trust);
        assert_eq!(ask(Trust::Always), own);
        assert_ne!(ask(Trust::Installed), own, "nobody can say what came with the folder");
        git(&work, &["init", "-q"]);
        assert_eq!(ask(Trust::Installed), own, "somebody has installed it here");
        put(root, "bin/tsc", "", 0o755);
        let persons = [("tsc", State::Found(root.join("bin/tsc")))];
        assert_eq!(ask(Trust::Never), persons);
        git(&work, &["add", "-f", "node_modules"]);
        assert_eq!(ask(Trust::Installed), persons, "the repository has brought it along");
    }

    #[test]
    fn a_build_script_is_run_only_where_somebody_has_built() {
        let top = tempfile::tempdir().unwrap();
        let root = &top.path().canonicalize().unwrap();
        put(root, "bin/cargo", "", 0o755);
        put(root, "work/Cargo.toml", "[package]\n", 0o644);
        put(root, "work/Cargo.lock", "", 0o644);
        let work = root.join("work");
        let path = std::env::join_paths(
            [root.join("bin")].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        )
        .unwrap();
        git(&work, &["init", "-q"]);
        let ask = |trust| state_of(&work, "src/a.rs", &path, trust);
        put(root, "work/src/a.rs", "", 0o644);
        let found = [("cargo", State::Found(root.join("bin/cargo")))];
        assert_eq!(ask(Trust::Installed), [("cargo", State::RunsCode)]);
        assert_eq!(ask(Trust::Always), found);
        put(root, "work/target/debug/x", "", 0o644);
        assert_eq!(ask(Trust::Installed), found);
        assert_eq!(ask(Trust::Never), [("cargo", State::RunsCode)]);
    }
}
