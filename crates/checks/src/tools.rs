//! One file per tool. A new one is a file here and a line in `ALL`.

mod biome;
mod cargo;
mod eslint;
mod go;
mod gradle;
mod javac;
mod maven;
mod mypy;
mod php;
mod pyright;
mod ruby;
mod ruff;
mod shellcheck;
mod tsc;

use crate::tool::Tool;

/// In this order they are asked and named: of a language, the quickest first.
pub const ALL: &[Tool] = &[
    ruff::TOOL,
    mypy::TOOL,
    pyright::TOOL,
    biome::TOOL,
    eslint::TOOL,
    tsc::TOOL,
    cargo::TOOL,
    go::BUILD,
    go::VET,
    javac::TOOL,
    maven::TOOL,
    gradle::TOOL,
    ruby::TOOL,
    php::TOOL,
    shellcheck::TOOL,
];

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use super::*;
    use crate::finding::{Finding, Kind};
    use crate::tool::Said;

    /// What a tool's output means; the workspace is `/w`.
    pub(crate) fn read(tool: &Tool, code: i32, output: &str, complaint: &str) -> Option<Vec<Finding>> {
        (tool.read)(&Said {
            root: Path::new("/w"),
            folder: Path::new("/w"),
            code: Some(code),
            output: output.as_bytes(),
            complaint: complaint.as_bytes(),
        })
    }

    /// `file:line:column code kind message | fix`, one a line.
    pub(crate) fn shown(found: Option<Vec<Finding>>) -> Vec<String> {
        let line = |finding: Finding| {
            let Finding { file, line, column, code, message, fix, kind, .. } = finding;
            let kind = match kind {
                Kind::Syntax => "syntax",
                Kind::Plain => "plain",
                Kind::Pending => "pending",
            };
            let fix = fix.map(|fix| format!(" | {fix}")).unwrap_or_default();
            format!("{file}:{line}:{column} {code} {kind} {message}{fix}")
        };
        found.expect("it did its work").into_iter().map(line).collect()
    }

    #[test]
    fn names_are_unique_and_every_run_is_bounded() {
        for (at, tool) in ALL.iter().enumerate() {
            assert!(ALL[at + 1..].iter().all(|other| other.name != tool.name));
            assert!(!tool.endings.is_empty() && !tool.bound.is_zero() && !tool.get.is_empty());
        }
    }
}
