//! ruff: the linter of most Python projects of today. Tens of milliseconds, so it is asked without a cache.

use std::time::Duration;

use serde::Deserialize;

use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Scope, Tool, never, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "ruff",
    endings: &["py", "pyi"],
    signs: &[
        ("ruff.toml", ""),
        (".ruff.toml", ""),
        ("pyproject.toml", "[tool.ruff"),
        (".pre-commit-config.yaml", "ruff"),
    ],
    program: "ruff",
    home: Home::Python,
    family: Family::Python,
    scope: Scope::Files,
    runs_code: never,
    made: &[".venv", "venv"],
    get: "pip install ruff",
    locks: false,
    quick: true,
    bound: Duration::from_secs(20),
    lacks: nothing_lacks,
    ask: |command, asked| {
        // A file the project excludes is excluded also when it is named.
        command.args([
            "check",
            "--output-format",
            "json",
            "--no-cache",
            "--no-fix",
            "--quiet",
            "--force-exclude",
        ]);
        command.arg("--").args(asked.files);
    },
    read: |said| {
        // 0: nothing found, 1: something found, 2: it could not work.
        if said.code == Some(2) {
            return None;
        }
        let found: Vec<Row> = said.json()?;
        Some(found.into_iter().filter_map(|row| row.finding(said)).collect())
    },
};

#[derive(Deserialize)]
struct Row {
    /// Syntax errors had none in older versions.
    code: Option<String>,
    filename: String,
    location: Location,
    message: String,
    fix: Option<Fix>,
}

#[derive(Deserialize)]
struct Location {
    row: u32,
    column: u32,
}

#[derive(Deserialize)]
struct Fix {
    message: Option<String>,
}

/// Names that are not there yet, and what nobody uses yet.
const PENDING: &[&str] = &["F401", "F811", "F821", "F822", "F841", "I001", "E402"];

impl Row {
    fn finding(self, said: &crate::tool::Said<'_>) -> Option<Finding> {
        let code = self.code.unwrap_or_else(|| "invalid-syntax".to_owned());
        let kind = match code.as_str() {
            "invalid-syntax" | "E999" => Kind::Syntax,
            code if PENDING.contains(&code) => Kind::Pending,
            _ => Kind::Plain,
        };
        Some(Finding {
            tool: TOOL.name,
            file: said.inside(&self.filename)?,
            line: self.location.row,
            column: self.location.column,
            code,
            message: self.message,
            fix: self.fix.and_then(|fix| fix.message),
            kind,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_findings_are_read() {
        // As version 0.17.4 prints them, two of six.
        let output = r#"[
          {"cell": null, "code": "F401", "end_location": {"column": 10, "row": 1}, "filename": "/w/a.py",
           "fix": {"applicability": "safe", "edits": [{"content": "", "end_location": {"column": 1, "row": 2},
           "location": {"column": 1, "row": 1}}], "message": "Remove unused import: `os`"},
           "location": {"column": 8, "row": 1}, "message": "`os` imported but unused", "name": "unused-import",
           "noqa_row": 1, "severity": "error", "url": "https://docs.astral.sh/ruff/rules/unused-import"},
          {"cell": null, "code": "invalid-syntax", "end_location": {"column": 8, "row": 1}, "filename": "/w/s.py",
           "fix": null, "location": {"column": 7, "row": 1},
           "message": "Expected a parameter or the end of the parameter list", "name": "invalid-syntax",
           "noqa_row": null, "severity": "error", "url": null}]"#;
        assert_eq!(
            shown(read(&TOOL, 1, output, "")),
            [
                "a.py:1:8 F401 pending `os` imported but unused | Remove unused import: `os`",
                "s.py:1:7 invalid-syntax syntax Expected a parameter or the end of the parameter list",
            ]
        );
        assert!(shown(read(&TOOL, 0, "[]", "")).is_empty());
        assert_eq!(read(&TOOL, 2, "", "ruff failed\n  Cause: Failed to parse pyproject.toml"), None);
    }
}
