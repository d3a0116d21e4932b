//! What is found where, and what is not. No tool is run.

use super::*;

fn put(root: &Path, path: &str, text: &str, mode: u32) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A workspace, its tools on a path in front of this machine's, and what is said about it.
struct World {
    _folder: tempfile::TempDir,
    top: PathBuf,
    root: PathBuf,
    path: OsString,
    trusted: Vec<PathBuf>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let root = top.join("work");
        fs::create_dir(&root).unwrap();
        let mut world =
            Self { _folder: folder, root: root.clone(), path: OsString::new(), trusted: vec![root], top };
        world.path_is(&["bin"]);
        world
    }

    fn path_is(&mut self, folders: &[&str]) {
        let machines = std::env::var_os("PATH").unwrap();
        let folders = folders.iter().map(|folder| self.top.join(folder));
        self.path = std::env::join_paths(folders.chain(std::env::split_paths(&machines))).unwrap();
    }

    /// A file of the workspace.
    fn put(&self, path: &str, text: &str) {
        put(&self.root, path, text, 0o644);
    }

    /// A program, from the folder above the workspace.
    fn program(&self, path: &str) -> PathBuf {
        put(&self.top, path, "", 0o755);
        self.top.join(path)
    }

    fn git(&self, folder: &str, arguments: &[&str]) {
        let run =
            std::process::Command::new("git").args(arguments).current_dir(self.top.join(folder)).output();
        assert!(run.is_ok_and(|run| run.status.success()), "git {arguments:?}");
    }

    fn with<T>(&self, code: Trust, ask: impl FnOnce(&Ground<'_>) -> T) -> T {
        let is_trusted = |root: &Path| self.trusted.iter().any(|trusted| trusted == root);
        ask(&Ground {
            root: &self.root,
            path: &self.path,
            home: Some(&self.top),
            code,
            is_trusted: &is_trusted,
        })
    }

    fn found(&self, file: &str, code: Trust) -> Vec<(&'static str, PathBuf, PathBuf)> {
        let found = self.with(code, |ground| find(ground, &self.root.join(file)));
        let short = |path: &Path| path.strip_prefix(&self.root).unwrap_or(path).to_owned();
        found.iter().map(|check| (check.tool.name, short(&check.folder), short(&check.program))).collect()
    }

    fn names(&self, file: &str) -> Vec<&'static str> {
        self.found(file, Trust::Always).into_iter().map(|(name, ..)| name).collect()
    }

    fn states(&self, file: &str, code: Trust) -> Vec<(&'static str, State)> {
        self.with(code, |ground| {
            let folders = ground.folders();
            let path = folders.variable();
            let seen = Searching::new(ground, &folders, &path).seen(&self.root.join(file));
            seen.into_iter().map(|seen| (seen.tool.name, seen.state)).collect()
        })
    }
}

#[test]
fn a_tool_is_found_where_the_project_says_so_and_its_own_copy_goes_first() {
    let world = World::new();
    let ruff = world.program("bin/ruff");
    world.put("lib/a.py", "");
    let found = || world.found("lib/a.py", Trust::Always);
    assert!(found().is_empty(), "the project does not say that it uses it");
    world.put("pyproject.toml", "[project]\n");
    assert!(found().is_empty());
    world.put("pyproject.toml", "[tool.ruff.lint]\n");
    assert_eq!(found(), [("ruff", "".into(), ruff.clone())]);
    world.program("work/lib/.venv/bin/ruff");
    assert_eq!(found()[0].2, ruff, "it is nobody's above lib");
    world.put("lib/ruff.toml", "");
    assert_eq!(
        found(),
        [("ruff", "lib".into(), "lib/.venv/bin/ruff".into())],
        "the nearest configuration counts"
    );
}

#[test]
fn nothing_outside_of_the_workspace_is_looked_at() {
    let world = World::new();
    put(&world.top, "ruff.toml", "", 0o644);
    world.program(".venv/bin/ruff");
    world.put("a.py", "");
    assert!(world.names("a.py").is_empty());
    assert!(world.with(Trust::Always, |ground| find(ground, &world.top.join("b.py"))).is_empty());
}

#[test]
fn a_survey_names_what_is_missing_and_says_nothing_of_repositories_inside() {
    let mut world = World::new();
    world.path = OsString::new();
    world.put("web/tsconfig.json", "{}");
    world.program("work/web/node_modules/.bin/tsc");
    world.put("node_modules/x/ruff.toml", "");
    world.put("py/ruff.toml", "");
    world.put("clone/.git/HEAD", "");
    world.put("clone/biome.json", "");
    let states = |world: &World| -> Vec<_> {
        let seen = world.with(Trust::Always, survey);
        seen.into_iter().map(|seen| (seen.tool.name, seen.state)).collect()
    };
    assert_eq!(states(&world), [("ruff", State::Missing), ("tsc", State::Missing)]);
    world.put("web/package.json", "{}");
    let tsc = State::Found(world.root.join("web/node_modules/.bin/tsc"));
    assert_eq!(states(&world), [("ruff", State::Missing), ("tsc", tsc)]);
    world.trusted.clear();
    assert_eq!(states(&world), [("ruff", State::Untrusted), ("tsc", State::Untrusted)]);
}

#[test]
fn in_a_workspace_that_nobody_trusts_nothing_is_found() {
    let mut world = World::new();
    world.program("bin/ruff");
    world.put("ruff.toml", "");
    world.put("a.py", "");
    assert_eq!(world.names("a.py"), ["ruff"]);
    assert!(is_used(&world.root, &world.root.join("a.py")));
    world.trusted = vec![world.top.clone(), world.root.join("inner")];
    assert!(world.names("a.py").is_empty(), "neither what is around it nor what is in it vouches for it");
    assert!(
        is_used(&world.root, &world.root.join("a.py")) && !is_used(&world.root, &world.root.join("a.sh"))
    );
}

#[test]
fn what_lies_in_another_repository_or_is_ignored_gets_no_tool_at_all() {
    let world = World::new();
    world.program("bin/ruff");
    world.git("work", &["init", "-q"]);
    world.put(".gitignore", "/scratch/\n/unpacked/*\n*.gen.py\n");
    world.put(".gitmodules", "[submodule \"m\"]\n  path = module\n  url = x\n");
    for folder in
        ["", "src/", "scratch/", "unpacked/", "clone/", "clone/deep/", "linked/", "module/", ".venv/lib/"]
    {
        world.put(&format!("{folder}ruff.toml"), "");
        world.put(&format!("{folder}a.py"), "");
    }
    world.put("clone/.git/HEAD", "ref: refs/heads/main\n");
    world.put("linked/.git", "gitdir: elsewhere\n");
    assert_eq!(world.names("a.py"), ["ruff"]);
    assert_eq!(world.names("src/a.py"), ["ruff"]);
    assert_eq!(world.names("src/new/b.py"), ["ruff"], "a file that is not there yet");
    for file in [
        "scratch/a.py",
        "unpacked/a.py",
        "clone/a.py",
        "clone/deep/a.py",
        "linked/a.py",
        "module/a.py",
        ".venv/lib/a.py",
        "src/a.gen.py",
    ] {
        assert!(world.names(file).is_empty(), "{file}");
    }
    // A link of git's own, with nothing else that tells.
    fs::remove_file(world.root.join(".gitmodules")).unwrap();
    let blob = "160000,0123456789012345678901234567890123456789,module";
    assert_eq!(world.names("module/a.py"), ["ruff"]);
    world.git("work", &["update-index", "--add", "--cacheinfo", blob]);
    assert!(world.names("module/a.py").is_empty(), "git knows it as a submodule");
}

#[test]
fn code_of_a_project_is_run_only_where_it_has_run_before() {
    let world = World::new();
    world.put("tsconfig.json", "{}");
    let own = [("tsc", State::Found(world.program("work/node_modules/.bin/tsc")))];
    let ask = |code| world.states("a.ts", code);
    assert_eq!(ask(Trust::Always), own);
    assert_ne!(ask(Trust::Installed), own, "nobody can say what came with the folder");
    world.git("work", &["init", "-q"]);
    assert_eq!(ask(Trust::Installed), own, "somebody has installed it here");
    let persons = [("tsc", State::Found(world.program("bin/tsc")))];
    assert_eq!(ask(Trust::Never), persons);
    world.git("work", &["add", "-f", "node_modules"]);
    assert_eq!(ask(Trust::Installed), persons, "the repository has brought it along");
}

#[test]
fn a_link_to_installed_packages_counts_unless_it_came_along_or_leads_to_strangers() {
    let mut world = World::new();
    world.git("work", &["init", "-q"]);
    world.put("tsconfig.json", "{}");
    world.program("main/node_modules/.bin/tsc");
    std::os::unix::fs::symlink("../main/node_modules", world.root.join("node_modules")).unwrap();
    let own = [("tsc", State::Found(world.root.join("node_modules/.bin/tsc")))];
    let none = [("tsc", State::RunsCode)];
    assert_eq!(world.states("a.ts", Trust::Installed), own);
    fs::create_dir(world.top.join("main/.git")).unwrap();
    assert_eq!(world.states("a.ts", Trust::Installed), none, "it leads into a repository that nobody trusts");
    world.trusted.push(world.top.join("main"));
    assert_eq!(world.states("a.ts", Trust::Installed), own);
    world.git("work", &["add", "-f", "node_modules"]);
    assert_eq!(world.states("a.ts", Trust::Installed), none, "the link came with the repository");
    fs::remove_file(world.root.join("node_modules")).unwrap();
    world.git("work", &["rm", "-q", "--cached", "node_modules"]);
    world.program("work/clone/node_modules/.bin/tsc");
    world.put("clone/.git", "");
    std::os::unix::fs::symlink("clone/node_modules", world.root.join("node_modules")).unwrap();
    assert_eq!(world.states("a.ts", Trust::Installed), none, "it leads into a repository inside");
}

#[test]
fn a_build_script_is_run_only_where_somebody_has_built() {
    let world = World::new();
    let found = [("cargo", State::Found(world.program("bin/cargo")))];
    world.put("Cargo.toml", "[package]\n");
    world.put("Cargo.lock", "");
    world.git("work", &["init", "-q"]);
    let ask = |code| world.states("src/a.rs", code);
    assert_eq!(ask(Trust::Installed), [("cargo", State::RunsCode)]);
    assert_eq!(ask(Trust::Always), found);
    world.put("target/debug/x", "");
    assert_eq!(ask(Trust::Installed), found);
    assert_eq!(ask(Trust::Never), [("cargo", State::RunsCode)]);
}

#[test]
fn a_crate_that_is_no_member_is_not_built_below_a_built_workspace() {
    let world = World::new();
    let found = [("cargo", State::Found(world.program("bin/cargo")))];
    world.put("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n");
    world.put("Cargo.lock", "");
    world.put("target/debug/x", "");
    world.put("crates/a/Cargo.toml", "[package]\nname = \"a\"\n");
    world.put("third/evil/Cargo.toml", "[package]\nname = \"evil\"\n\n[workspace]\n");
    world.put("third/evil/Cargo.lock", "");
    world.git("work", &["init", "-q"]);
    for code in [Trust::Installed, Trust::Always] {
        assert_eq!(world.states("crates/a/src/lib.rs", code), found);
        assert_eq!(world.states("third/evil/src/lib.rs", code), [("cargo", State::Foreign)]);
    }
}

#[test]
fn a_foreign_configuration_that_is_a_program_is_not_run_and_a_members_is() {
    let world = World::new();
    let eslint = world.program("work/node_modules/.bin/eslint");
    let found = [("eslint", State::Found(eslint))];
    world.put("package.json", r#"{"workspaces":["packages/*"]}"#);
    world.put("packages/a/package.json", "{}");
    world.put("lib/evil/package.json", "{}");
    for folder in ["", "packages/a/", "vendor/", "lib/evil/"] {
        world.put(&format!("{folder}eslint.config.js"), "");
    }
    world.git("work", &["init", "-q"]);
    for file in ["a.js", "src/a.js", "packages/a/src/a.js"] {
        assert_eq!(world.states(file, Trust::Installed), found, "{file}");
    }
    for file in ["vendor/a.js", "vendor/deep/a.js", "lib/evil/a.js"] {
        assert_eq!(world.states(file, Trust::Always), [("eslint", State::Foreign)], "{file}");
    }
}

#[test]
fn a_package_brings_no_tool_that_is_not_a_members() {
    let world = World::new();
    let root = world.program("work/node_modules/.bin/tsc");
    world.put("package.json", r#"{"workspaces":["packages/*"]}"#);
    world.put("packages/a/package.json", "{}");
    world.put("unpacked/package.json", "{}");
    let member = world.program("work/packages/a/node_modules/.bin/tsc");
    world.program("work/unpacked/node_modules/.bin/tsc");
    for folder in ["packages/a", "unpacked"] {
        world.put(&format!("{folder}/tsconfig.json"), "{}");
    }
    world.git("work", &["init", "-q"]);
    assert_eq!(world.states("packages/a/a.ts", Trust::Installed), [("tsc", State::Found(member))]);
    assert_eq!(world.states("unpacked/a.ts", Trust::Installed), [("tsc", State::Found(root))]);
}

#[test]
fn a_tool_is_found_on_the_path_of_the_session_and_in_no_strangers_folder() {
    let mut world = World::new();
    world.put("ruff.toml", "");
    world.git("work", &["init", "-q"]);
    let nvm = world.program(".nvm/versions/bin/ruff");
    fs::create_dir(world.top.join(".nvm/.git")).unwrap();
    world.program("other/bin/ruff");
    fs::create_dir(world.top.join("other/.git")).unwrap();
    world.path_is(&["other/bin", ".nvm/versions/bin"]);
    assert_eq!(world.states("a.py", Trust::Installed), [("ruff", State::Found(nvm))]);
    let direnv = world.program("work/.direnv/python-3/bin/ruff");
    world.path_is(&["work/.direnv/python-3/bin"]);
    assert_eq!(world.states("a.py", Trust::Installed), [("ruff", State::Found(direnv))]);
    world.git("work", &["add", "-f", ".direnv"]);
    assert_eq!(
        world.states("a.py", Trust::Installed),
        [("ruff", State::Missing)],
        "the repository brought it along"
    );
    world.program("work/clone/bin/ruff");
    fs::create_dir(world.root.join("clone/.git")).unwrap();
    world.path_is(&["work/clone/bin"]);
    assert_eq!(world.states("a.py", Trust::Installed), [("ruff", State::Missing)]);
}

#[test]
fn a_plug_in_of_mypy_runs_only_in_what_is_the_workspaces_own() {
    let world = World::new();
    let found = [("mypy", State::Found(world.program("bin/mypy")))];
    world.git("work", &["init", "-q"]);
    for (folder, text) in
        [("", "[mypy]\n"), ("evil/", "[mypy]\npython_executable = ./run\n"), ("plain/", "[mypy]\n")]
    {
        world.put(&format!("{folder}mypy.ini"), text);
    }
    world.put(".venv/bin/x", "");
    assert_eq!(world.states("a.py", Trust::Installed), found);
    assert_eq!(world.states("plain/a.py", Trust::Installed), found, "it only reads");
    assert_eq!(world.states("evil/a.py", Trust::Always), [("mypy", State::Foreign)]);
    world.git("work", &["add", "evil"]);
    assert_eq!(world.states("evil/a.py", Trust::Installed), found, "the repository has it");
}
