//! javac alone, for sources that no build tool builds. It runs no annotation processor: those are programs of the project.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::find;
use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, never};

pub(super) const TOOL: Tool = Tool {
    name: "javac",
    endings: &["java"],
    signs: &[],
    program: "javac",
    home: Home::Path,
    family: Family::None,
    scope: Scope::Files,
    runs_code: never,
    made: &[],
    get: "the package default-jdk",
    locks: false,
    quick: false,
    bound: Duration::from_mins(1),
    lacks: |root| {
        const BUILDS: &[&str] =
            &["pom.xml", "build.gradle", "build.gradle.kts", "build.xml", "BUILD", "BUILD.bazel"];
        BUILDS.iter().any(|name| root.join(name).is_file()).then_some("a build tool builds its Java")
    },
    ask: |command, asked| {
        command.args(["-proc:none", "-implicit:none", "-Xlint:none", "-nowarn", "-Xmaxerrs", "200", "-d"]);
        command.arg(asked.cache.join("javac"));
        let from = asked.files.iter().filter_map(|file| source_folder(file));
        if let Ok(path) = std::env::join_paths(from) {
            command.arg("-sourcepath").arg(path);
        }
        command.arg("-classpath").arg(asked.folder.join("lib").join("*"));
        command.args(asked.files);
    },
    read: |said| {
        let found = errors(said, TOOL.name, &String::from_utf8_lossy(said.complaint));
        // 0: nothing found, 1: something found; others: it could not work.
        (said.code == Some(0) || said.code == Some(1) && !found.is_empty()).then_some(found)
    },
};

/// The folder its package begins in.
fn source_folder(file: &Path) -> Option<PathBuf> {
    let text = find::read(file)?;
    let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix("package "));
    let depth = line.map_or(0, |package| package.split(';').next().unwrap_or_default().split('.').count());
    file.parent()?.ancestors().nth(depth).map(Path::to_owned)
}

/// What javac prints, by itself or through a build tool:
/// `src/a/B.java:3: error: incompatible types: String cannot be converted to int`, the line, and a mark under its column.
pub(super) fn errors(said: &Said<'_>, tool: &'static str, text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((file, rest)) = line.split_once(".java:") else { continue };
        let Some((row, message)) = rest.split_once(": error: ") else { continue };
        let (mut column, mut message) = (0, message.trim().to_owned());
        while let Some(next) = lines.peek().filter(|next| next.starts_with([' ', '\t'])) {
            if next.trim() == "^" {
                column = next.chars().take_while(|letter| *letter != '^').count() as u32 + 1;
            } else if let Some(symbol) = next.trim().strip_prefix("symbol:") {
                message.push_str(&format!(": {}", symbol.trim()));
            }
            lines.next();
        }
        let Some(file) = said.inside(&format!("{file}.java")) else { continue };
        let Ok(line) = row.parse() else { continue };
        let kind = kind(&message);
        found.push(Finding { tool, file, line, column, code: String::new(), message, fix: None, kind });
    }
    found
}

/// Its errors have no numbers.
pub(super) fn kind(message: &str) -> Kind {
    const SYNTAX: &[&str] =
        &[" expected", "illegal start of", "reached end of file", "unclosed", "not a statement"];
    const PENDING: &[&str] = &[
        "cannot find symbol",
        "does not exist",
        "cannot be applied to",
        "does not override abstract",
        "no suitable",
        "might not have been initialized",
        "missing return statement",
    ];
    let is = |words: &[&str]| words.iter().any(|words| message.contains(words));
    // Before: names may be called as the parser speaks.
    if is(PENDING) {
        Kind::Pending
    } else if is(SYNTAX) {
        Kind::Syntax
    } else {
        Kind::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_errors_are_read() {
        // As version 17.0.15 prints them.
        let output = "src/main/java/a/B.java:3: error: incompatible types: String cannot be converted to int\n\
            \x20 int f() { return \"s\"; }\n\
            \x20                  ^\n\
            src/main/java/a/B.java:4: error: cannot find symbol\n\
            \x20 void g() { h(); new C().z(); }\n\
            \x20            ^\n\
            \x20 symbol:   method h()\n\
            \x20 location: class B\n\
            src/main/java/a/A.java:6: error: ';' expected\n\
            \x20 void k() { int x = 1 }\n\
            \x20                     ^\n\
            3 errors\n";
        assert_eq!(
            shown(read(&TOOL, 1, "", output)),
            [
                "src/main/java/a/B.java:3:20  plain incompatible types: String cannot be converted to int",
                "src/main/java/a/B.java:4:14  pending cannot find symbol: method h()",
                "src/main/java/a/A.java:6:23  syntax ';' expected",
            ]
        );
        assert!(shown(read(&TOOL, 0, "", "")).is_empty());
        assert_eq!(read(&TOOL, 2, "", "error: invalid flag: -x\n"), None);
    }
}
