//! pyright: types of Python. Reads data only; the interpreter it asks for its folders it asks in isolation.

use std::time::Duration;

use serde::Deserialize;

use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, never, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "pyright",
    endings: &["py", "pyi"],
    signs: &[
        ("pyrightconfig.json", ""),
        ("pyproject.toml", "[tool.pyright"),
        ("pyproject.toml", "[tool.basedpyright"),
        (".pre-commit-config.yaml", "pyright"),
        ("package.json", "\"pyright\""),
    ],
    program: "pyright",
    home: Home::Either,
    family: Family::Python,
    scope: Scope::Files,
    runs_code: never,
    made: &[".venv", "venv", "node_modules"],
    get: "pip install pyright, or npm install -g pyright",
    locks: false,
    quick: false,
    bound: Duration::from_mins(2),
    lacks: nothing_lacks,
    ask: |command, asked| {
        // The wrapper on PyPI would look for a newer one.
        command.env("PYRIGHT_PYTHON_IGNORE_WARNINGS", "1").arg("--outputjson").args(asked.files);
    },
    read: |said| {
        // 0: nothing found, 1: something found; others: it could not work.
        if !matches!(said.code, Some(0 | 1)) {
            return None;
        }
        let report: Report = said.json()?;
        Some(report.rows.into_iter().filter_map(|row| row.finding(said)).collect())
    },
};

#[derive(Deserialize)]
struct Report {
    #[serde(rename = "generalDiagnostics")]
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    file: String,
    severity: String,
    message: String,
    range: Option<Range>,
    /// Errors of the parser have none.
    rule: Option<String>,
}

#[derive(Deserialize)]
struct Range {
    start: Place,
}

/// From 0.
#[derive(Deserialize)]
struct Place {
    line: u32,
    character: u32,
}

/// A name, module, member or argument that is not there yet.
const PENDING: &[&str] = &[
    "reportAttributeAccessIssue",
    "reportUndefinedVariable",
    "reportMissingImports",
    "reportMissingModuleSource",
    "reportCallIssue",
    "reportUnusedImport",
    "reportUnusedVariable",
    "reportAbstractUsage",
    "reportArgumentType",
    "reportOptionalMemberAccess",
    "reportUnboundVariable",
    "reportPossiblyUnbound",
];

impl Row {
    fn finding(self, said: &Said<'_>) -> Option<Finding> {
        if self.severity != "error" {
            return None;
        }
        let place = self.range?.start;
        let code = self.rule.unwrap_or_default();
        let kind = match code.as_str() {
            "" => Kind::Syntax,
            code if PENDING.contains(&code) => Kind::Pending,
            _ => Kind::Plain,
        };
        Some(Finding {
            tool: TOOL.name,
            file: said.inside(&self.file)?,
            line: place.line + 1,
            column: place.character + 1,
            code,
            // What follows says the same at length.
            message: self.message.lines().next().unwrap_or_default().to_owned(),
            fix: None,
            kind,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_errors_are_read_and_its_warnings_left() {
        // As version 1.1.414 prints them, four of twelve.
        let output = r#"{"version": "1.1.414", "time": "1794864986702", "generalDiagnostics": [
          {"file": "/w/a.py", "severity": "error", "message": "\"nope\" is unknown import symbol",
           "range": {"start": {"line": 1, "character": 14}, "end": {"line": 1, "character": 18}},
           "rule": "reportAttributeAccessIssue"},
          {"file": "/w/a.py", "severity": "error",
           "message": "Type \"int\" is not assignable to return type \"str\"\n  \"int\" is not assignable to \"str\"",
           "range": {"start": {"line": 3, "character": 11}, "end": {"line": 3, "character": 16}},
           "rule": "reportReturnType"},
          {"file": "/w/a.py", "severity": "warning", "message": "Expression value is unused",
           "range": {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 14}},
           "rule": "reportUnusedExpression"},
          {"file": "/w/s.py", "severity": "error", "message": "\"(\" was not closed",
           "range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 6}}}],
          "summary": {"filesAnalyzed": 2, "errorCount": 3, "warningCount": 1}}"#;
        assert_eq!(
            shown(read(&TOOL, 1, output, "")),
            [
                "a.py:2:15 reportAttributeAccessIssue pending \"nope\" is unknown import symbol",
                "a.py:4:12 reportReturnType plain Type \"int\" is not assignable to return type \"str\"",
                "s.py:1:6  syntax \"(\" was not closed",
            ]
        );
        assert_eq!(read(&TOOL, 3, "", "Config file could not be parsed"), None);
    }
}
