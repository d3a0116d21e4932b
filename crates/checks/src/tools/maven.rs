//! maven: the person's own, never the wrapper, which is a program that a repository brings. Its plug-ins are programs the
//! project names. Nothing is fetched; it builds into the project's own target folder.

use std::time::Duration;

use super::javac;
use crate::finding::Finding;
use crate::tool::{Family, Home, Said, Scope, Tool, always, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "maven",
    endings: &["java"],
    signs: &[("pom.xml", "")],
    program: "mvn",
    home: Home::Path,
    family: Family::Maven,
    scope: Scope::Project,
    runs_code: always,
    made: &["target"],
    get: "https://maven.apache.org, or the package maven (the wrapper of a repository is not run)",
    locks: false,
    quick: false,
    bound: Duration::from_mins(5),
    lacks: nothing_lacks,
    ask: |command, _| {
        command.args([
            "--offline",
            "--batch-mode",
            "--quiet",
            "--fail-at-end",
            "-Dstyle.color=never",
            "test-compile",
        ]);
    },
    read: |said| {
        let text = said.text();
        let mut found: Vec<Finding> = Vec::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let symbol = lines.peek().and_then(|next| next.trim().strip_prefix("symbol:"));
            // Once as the compiler says it, and once more at the end.
            let finding = finding(said, line, symbol);
            found.extend(
                finding.filter(|finding| !found.iter().any(|known| known.place() == finding.place())),
            );
        }
        (said.code == Some(0) || !found.is_empty()).then_some(found)
    },
};

/// `[ERROR] /w/src/main/java/a/B.java:[3,20] incompatible types: java.lang.String cannot be converted to int`
fn finding(said: &Said<'_>, line: &str, symbol: Option<&str>) -> Option<Finding> {
    let (_, line) = line.split_once("[ERROR] ")?;
    let (file, rest) = line.split_once(":[")?;
    let (place, message) = rest.split_once("] ")?;
    let (row, column) = place.split_once(',')?;
    let message = match symbol {
        Some(symbol) => format!("{}: {}", message.trim(), symbol.trim()),
        None => message.trim().to_owned(),
    };
    let (line, column) = (row.parse().ok()?, column.parse().ok()?);
    let (file, kind) = (said.inside(file)?, javac::kind(&message));
    Some(Finding { tool: TOOL.name, file, line, column, code: String::new(), message, fix: None, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_compilers_errors_are_read_once() {
        // As version 3.8.7 prints them.
        let output = "[ERROR] COMPILATION ERROR : \n\
            [ERROR] /w/src/main/java/a/B.java:[3,20] incompatible types: java.lang.String cannot be converted to int\n\
            [ERROR] /w/src/main/java/a/B.java:[4,14] cannot find symbol\n\
            \x20 symbol:   method h()\n\
            \x20 location: class a.B\n\
            [ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile on project a\n\
            [ERROR] /w/src/main/java/a/B.java:[3,20] incompatible types: java.lang.String cannot be converted to int\n\
            [ERROR] /w/src/main/java/a/B.java:[4,14] cannot find symbol\n\
            [ERROR]   symbol:   method h()\n\
            [ERROR] -> [Help 1]\n";
        assert_eq!(
            shown(read(&TOOL, 1, output, "")),
            [
                "src/main/java/a/B.java:3:20  plain incompatible types: java.lang.String cannot be converted to int",
                "src/main/java/a/B.java:4:14  pending cannot find symbol: method h()",
            ]
        );
        let failed = "[ERROR] Plugin org.apache.maven.plugins:maven-resources-plugin:2.6 or one of its dependencies could \
            not be resolved: Failed to read artifact descriptor\n";
        assert_eq!(read(&TOOL, 1, failed, ""), None);
    }
}
