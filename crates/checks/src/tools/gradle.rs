//! gradle: the person's own, never the wrapper, which is a program that a repository brings. Its build files are programs
//! of the project. Nothing is fetched. Its daemon is what makes it warm; ours leaves after a few minutes.

use std::time::Duration;

use super::javac;
use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, always, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "gradle",
    endings: &["java", "kt"],
    signs: &[("build.gradle", ""), ("build.gradle.kts", "")],
    program: "gradle",
    home: Home::Path,
    family: Family::Gradle,
    scope: Scope::Project,
    runs_code: always,
    made: &["build", ".gradle"],
    get: "https://gradle.org/install (the wrapper of a repository is not run)",
    locks: true,
    quick: false,
    bound: Duration::from_mins(5),
    lacks: nothing_lacks,
    ask: |command, asked| {
        command.args(["--offline", "--quiet", "--continue", "--console=plain"]);
        command.arg("-Dorg.gradle.daemon.idletimeout=180000").arg("--project-cache-dir");
        command.arg(asked.cache.join("gradle")).args(["classes", "testClasses"]);
    },
    read: |said| {
        let text = String::from_utf8_lossy(said.complaint);
        let mut found = javac::errors(said, TOOL.name, &text);
        found.extend(text.lines().filter_map(|line| kotlin(said, line)));
        (said.code == Some(0) || !found.is_empty()).then_some(found)
    },
};

/// `e: file:///w/src/A.kt:3:5 Unresolved reference: x`, and of older ones `e: /w/src/A.kt: (3, 5): Unresolved …`.
fn kotlin(said: &Said<'_>, line: &str) -> Option<Finding> {
    let line = line.strip_prefix("e: ")?;
    let line = line.strip_prefix("file://").unwrap_or(line);
    let (file, rest) = line.split_once(".kt:")?;
    let rest = rest.trim_start().trim_start_matches('(');
    let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
    let (row, rest) = rest.split_at(end);
    let rest = rest.trim_start_matches([':', ',', ' ']);
    let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
    let (column, message) = rest.split_at(end);
    let message = message.trim_start_matches([')', ':', ' ']).to_owned();
    let lower = message.to_lowercase();
    let kind = if lower.starts_with("unresolved") || lower.contains("no value passed") {
        Kind::Pending
    } else if lower.starts_with("expecting") || lower.starts_with("syntax error") {
        Kind::Syntax
    } else {
        Kind::Plain
    };
    let (line, column) = (row.parse().ok()?, column.parse().ok()?);
    let file = said.inside(&format!("{file}.kt"))?;
    Some(Finding { tool: TOOL.name, file, line, column, code: String::new(), message, fix: None, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_compilers_errors_are_read() {
        // As version 4.4.1 prints them with the compiler of Java 17; the lines of Kotlin's are from its documentation.
        let output = "/w/src/main/java/a/B.java:3: error: incompatible types: String cannot be converted to int\n\
            \x20 int f() { return \"s\"; }\n\
            \x20                  ^\n\
            /w/src/main/java/a/B.java:4: error: cannot find symbol\n\
            \x20 void g() { h(); new C().z(); }\n\
            \x20                        ^\n\
            \x20 symbol:   method z()\n\
            \x20 location: class C\n\
            2 errors\n\n\
            e: file:///w/src/A.kt:3:5 Unresolved reference: x\n\
            e: /w/src/A.kt: (4, 7): Type mismatch: inferred type is String but Int was expected\n\
            FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':compileJava'.\n";
        assert_eq!(
            shown(read(&TOOL, 1, "", output)),
            [
                "src/main/java/a/B.java:3:20  plain incompatible types: String cannot be converted to int",
                "src/main/java/a/B.java:4:26  pending cannot find symbol: method z()",
                "src/A.kt:3:5  pending Unresolved reference: x",
                "src/A.kt:4:7  plain Type mismatch: inferred type is String but Int was expected",
            ]
        );
        let failed =
            "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not resolve all files.\n";
        assert_eq!(read(&TOOL, 1, "", failed), None);
    }
}
