//! What a file is for, by its path and by the project around it: whether it may print. Looks at the project's own
//! description and at nothing else.

use std::fs;
use std::path::Path;

use serde_json::Value;
use toml_edit::DocumentMut;

/// Folders whose files are run by hand, or shown.
const SCRIPTS: &[&str] = &[
    "script",
    "scripts",
    "bin",
    "tool",
    "tools",
    "cli",
    "cmd",
    "hack",
    "xtask",
    "tasks",
    "examples",
    "example",
    "demo",
    "demos",
    "samples",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "notebooks",
    "migrations",
    "seeds",
    "commands",
    "dev",
];
/// Folders and files of tests that no language has for itself.
const TESTS: &[&str] =
    &["test", "tests", "testing", "spec", "specs", "__tests__", "fixtures", "testdata", "e2e", "testutil"];
/// Stems of folders and files that are there to print.
const LOGGING: &[&str] = &[
    "log",
    "logs",
    "logger",
    "loggers",
    "logging",
    "console",
    "debug",
    "debugging",
    "reporter",
    "reporters",
    "printer",
    "printing",
    "terminal",
    "tty",
    "trace",
    "tracing",
];
/// A description of a project that is longer was not written by hand.
const MAX_DESCRIPTION: u64 = 1 << 20;

pub(super) fn is_script(path: &str) -> bool {
    folders(path).any(|folder| SCRIPTS.contains(&folder.to_lowercase().as_str()))
}

pub(super) fn is_testing(path: &str) -> bool {
    folders(path).any(|folder| TESTS.contains(&folder.to_lowercase().as_str()))
}

pub(super) fn is_logging(path: &str) -> bool {
    path.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or(part);
        // `RequestLogger`, `my-logger`, `request_log`: the last word of the name.
        let last = stem.rfind(['-', '_']).map_or(stem, |at| &stem[at + 1..]);
        let capital = stem.rfind(char::is_uppercase).map_or(stem, |at| &stem[at..]);
        [stem, last, capital].iter().any(|word| LOGGING.contains(&word.to_lowercase().as_str()))
    })
}

fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit_once('/').map_or("", |(folders, _)| folders).split('/')
}

/// Whether the project around a file is a program for the command line: a package with a `bin`, a crate without a library.
pub(super) fn is_program_project(root: &Path, inside: &str) -> bool {
    let mut folder = root.join(inside);
    let is_rust = Path::new(inside).extension().is_some_and(|ending| ending == "rs");
    while folder.pop() && folder.starts_with(root) {
        if is_rust && let Some(text) = description(&folder.join("Cargo.toml")) {
            return text.parse::<DocumentMut>().is_ok_and(|crate_| {
                crate_.contains_key("package")
                    && !crate_.contains_key("lib")
                    && !folder.join("src/lib.rs").exists()
            });
        }
        if !is_rust && let Some(text) = description(&folder.join("package.json")) {
            return serde_json::from_str::<Value>(&text).is_ok_and(|package| package.get("bin").is_some());
        }
    }
    false
}

fn description(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    (about.is_file() && about.len() <= MAX_DESCRIPTION).then(|| fs::read_to_string(path).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_what_a_file_is_for() {
        for path in ["scripts/a.py", "pkg/Tools/b.ts", "internal/cmd/c.go"] {
            assert!(is_script(path), "{path}");
        }
        for path in ["src/a.py", "scripts.py", "binary/x.ts"] {
            assert!(!is_script(path), "{path}");
        }
        for path in ["src/logger.ts", "src/RequestLogger.java", "a/my-logger/index.js", "x/request_log.rb"] {
            assert!(is_logging(path), "{path}");
        }
        for path in ["src/login.ts", "src/catalog.py", "blog/post.rb", "src/dialog.tsx"] {
            assert!(!is_logging(path), "{path}");
        }
        assert!(is_testing("a/tests/b.rs") && !is_testing("src/latest.rs"));
    }
}
