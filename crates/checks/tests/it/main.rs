//! The real tools, where they are installed: each finds what is wrong in a file it is given, in the words its reader was
//! written for. A tool that is not here is passed over and named.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use checks::{Finding, Ground, Trust, find, run};

/// What is put there, what is wrong, and what is found of it.
struct Case {
    tool: &'static str,
    files: &'static [(&'static str, &'static str)],
    file: &'static str,
    found: &'static [(u32, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        tool: "ruff",
        files: &[("ruff.toml", ""), ("a.py", "import os\nx = 1\n")],
        file: "a.py",
        found: &[(1, "`os` imported but unused")],
    },
    Case {
        tool: "mypy",
        files: &[("mypy.ini", "[mypy]\n"), ("a.py", "def f(x: int) -> str:\n    return x\n")],
        file: "a.py",
        found: &[(2, "Incompatible return value type")],
    },
    Case {
        tool: "pyright",
        files: &[("pyrightconfig.json", "{}"), ("a.py", "def f(x: int) -> str:\n    return x\n")],
        file: "a.py",
        found: &[(2, "is not assignable to return type")],
    },
    Case {
        tool: "biome",
        files: &[("biome.json", "{}"), ("a.js", "const a = 1;\ndebugger;\nexport { a };\n")],
        file: "a.js",
        found: &[(2, "debugger")],
    },
    Case {
        tool: "eslint",
        files: &[
            ("eslint.config.mjs", "export default [{ rules: { 'no-debugger': 'error' } }];\n"),
            ("a.js", "const a = 1;\ndebugger;\n"),
        ],
        file: "a.js",
        found: &[(2, "debugger")],
    },
    Case {
        tool: "tsc",
        files: &[
            ("tsconfig.json", "{\"compilerOptions\":{\"strict\":true,\"types\":[]},\"files\":[\"a.ts\"]}"),
            ("a.ts", "export const a: number = 'one';\n"),
        ],
        file: "a.ts",
        found: &[(1, "is not assignable to type 'number'")],
    },
    Case {
        tool: "cargo",
        files: &[
            ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n"),
            ("src/lib.rs", "pub fn a() -> u32 {\n    \"one\"\n}\n"),
        ],
        file: "src/lib.rs",
        found: &[(2, "mismatched types")],
    },
    Case {
        tool: "go-build",
        files: &[("go.mod", "module a\n\ngo 1.19\n"), ("a.go", "package a\n\nvar A int = \"one\"\n")],
        file: "a.go",
        found: &[(3, "as int value in variable declaration")],
    },
    Case {
        tool: "go-vet",
        files: &[
            ("go.mod", "module a\n\ngo 1.19\n"),
            ("a.go", "package a\n\nimport \"fmt\"\n\nfunc A() {\n\tfmt.Printf(\"%d\", \"one\")\n}\n"),
        ],
        file: "a.go",
        found: &[(6, "wrong type")],
    },
    Case {
        tool: "javac",
        files: &[
            ("src/a/B.java", "package a;\npublic class B {\n  int f() { return C.one(); }\n}\n"),
            ("src/a/C.java", "package a;\nclass C {\n  static String one() { return \"one\"; }\n}\n"),
        ],
        file: "src/a/B.java",
        found: &[(3, "incompatible types")],
    },
    Case {
        tool: "ruby",
        files: &[("a.rb", "def a\n  [1\nend\n")],
        file: "a.rb",
        found: &[(3, "unexpected")],
    },
    Case {
        tool: "php",
        files: &[("a.php", "<?php\nfunction a() {\n  return 1\n}\n")],
        file: "a.php",
        found: &[(4, "unexpected")],
    },
    Case {
        tool: "shellcheck",
        files: &[("a.sh", "#!/bin/sh\nif true; then\n")],
        file: "a.sh",
        found: &[(2, "Couldn't parse")],
    },
];

struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
    cache: PathBuf,
    path: OsString,
}

impl World {
    fn of(case: &Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let root = top.join("work");
        for (name, text) in case.files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self { cache: top.join("cache"), _folder: folder, root, path }
    }

    fn find(&self, file: &Path) -> Vec<checks::Check> {
        let (root, path) = (&self.root, &self.path);
        find(&Ground { root, path, home: None, code: Trust::Always, is_trusted: &|_| true }, file)
    }

    /// `None`: the tool is not here.
    fn run(&self, tool: &str, file: &str) -> Option<Vec<Finding>> {
        let file = self.root.join(file);
        let found = self.find(&file);
        let check = found.into_iter().find(|check| check.tool.name == tool)?;
        Some(
            run(&check, &self.root, &[file], &self.cache, || false)
                .unwrap_or_else(|why| panic!("{tool}: {why}")),
        )
    }
}

#[test]
fn what_is_installed_here_finds_what_is_wrong() {
    let mut here = Vec::new();
    for case in CASES {
        let world = World::of(case);
        let Some(found) = world.run(case.tool, case.file) else {
            // It says which were not tried.
            eprintln!("not here: {}", case.tool);
            continue;
        };
        here.push(case.tool);
        for (line, message) in case.found {
            let is_it = |finding: &&Finding| finding.line == *line && finding.message.contains(message);
            let one = found.iter().find(is_it).unwrap_or_else(|| panic!("{}: {found:?}", case.tool));
            assert_eq!((one.file.as_str(), one.tool), (case.file, case.tool));
        }
        assert!(
            left_behind(&world.root, case).is_empty(),
            "{}: {:?}",
            case.tool,
            left_behind(&world.root, case)
        );
    }
    assert!(here.contains(&"cargo"), "whoever builds this has cargo");
}

/// Files in the workspace that were not there.
fn left_behind(root: &Path, case: &Case) -> Vec<PathBuf> {
    let listed = Command::new("find").arg(root).args(["-type", "f"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names = listed.lines().map(PathBuf::from);
    names.filter(|path| !case.files.iter().any(|(name, _)| root.join(name) == *path)).collect()
}

#[test]
fn a_run_is_called_off_at_once() {
    let case = CASES.iter().find(|case| case.tool == "cargo").unwrap();
    let world = World::of(case);
    let file = world.root.join(case.file);
    let check = world.find(&file).remove(0);
    let ended = run(&check, &world.root, &[file], &world.cache, || true);
    assert_eq!(ended, Err(checks::Failure::CalledOff));
}
