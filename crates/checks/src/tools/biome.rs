//! biome: linter of JavaScript and its relatives. Its configuration is data.

use std::time::Duration;

use serde::Deserialize;

use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, never, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "biome",
    endings: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "json", "jsonc", "css"],
    signs: &[("biome.json", ""), ("biome.jsonc", ""), (".biome.json", ""), (".biome.jsonc", "")],
    program: "biome",
    home: Home::Node,
    family: Family::Node,
    scope: Scope::Files,
    runs_code: never,
    made: &["node_modules"],
    get: "npm install (@biomejs/biome among its devDependencies)",
    locks: false,
    quick: true,
    bound: Duration::from_secs(20),
    lacks: nothing_lacks,
    ask: |command, asked| {
        command.args([
            "lint",
            "--reporter=json",
            "--colors=off",
            "--no-errors-on-unmatched",
            "--max-diagnostics=200",
        ]);
        command.args(asked.files);
    },
    read: |said| {
        let report: Report = said.json()?;
        Some(report.diagnostics.into_iter().filter_map(|row| row.finding(said)).collect())
    },
};

#[derive(Deserialize)]
struct Report {
    diagnostics: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    severity: String,
    message: String,
    category: Option<String>,
    location: Option<Location>,
    #[serde(default)]
    advices: Vec<Advice>,
}

#[derive(Deserialize)]
struct Location {
    path: String,
    start: Option<Place>,
}

#[derive(Deserialize)]
struct Place {
    line: u32,
    column: u32,
}

#[derive(Deserialize)]
struct Advice {
    #[serde(default)]
    text: String,
}

const PENDING: &[&str] =
    &["noUnusedVariables", "noUnusedImports", "noUndeclaredVariables", "noUnresolvedImports"];

impl Row {
    fn finding(self, said: &Said<'_>) -> Option<Finding> {
        if !matches!(self.severity.as_str(), "error" | "fatal") {
            return None;
        }
        let Location { path, start } = self.location?;
        let Place { line, column } = start?;
        let category = self.category.unwrap_or_default();
        let code = category.rsplit('/').next().unwrap_or_default().to_owned();
        let kind = match code.as_str() {
            "parse" => Kind::Syntax,
            code if PENDING.contains(&code) => Kind::Pending,
            _ => Kind::Plain,
        };
        let fixes = self.advices.into_iter().map(|advice| advice.text);
        let fix = fixes.map(|text| text.trim().to_owned()).find(|text| text.contains("fix: "));
        Some(Finding {
            tool: TOOL.name,
            file: said.inside(&path)?,
            line,
            column,
            code,
            message: self.message,
            fix,
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
        // As version 2.6.6 prints them, one warning left out and one made an error by the project.
        let output = r#"{"summary":{"changed":0,"unchanged":2,"errors":2,"warnings":3},"diagnostics":[
          {"severity":"warning","message":"This variable y is unused.","category":"lint/correctness/noUnusedVariables",
           "location":{"path":"src/a.js","start":{"line":4,"column":5},"end":{"line":4,"column":6}},"advices":[]},
          {"severity":"error","message":"This let declares a variable that is only assigned once.",
           "category":"lint/style/useConst","location":{"path":"src/a.js","start":{"line":5,"column":1},
           "end":{"line":5,"column":4}},"advices":[{"start":{"line":5,"column":5},"end":{"line":5,"column":6},
           "text":"Safe fix: Use const instead."}]},
          {"severity":"error","message":"This is an unexpected use of the debugger statement.",
           "category":"lint/suspicious/noDebugger","location":{"path":"src/a.js","start":{"line":3,"column":20},
           "end":{"line":3,"column":29}},"advices":[]},
          {"severity":"error","message":"Expected an expression, or an assignment but instead found ';'.",
           "category":"parse","location":{"path":"src/s.js","start":{"line":1,"column":18},"end":{"line":1,"column":19}},
           "advices":[{"start":{"line":1,"column":18},"end":{"line":1,"column":19},
           "text":"Expected an expression, or an assignment here."}]}],"command":"lint"}"#;
        assert_eq!(
            shown(read(&TOOL, 1, output, "")),
            [
                "src/a.js:5:1 useConst plain This let declares a variable that is only assigned once. | \
                 Safe fix: Use const instead.",
                "src/a.js:3:20 noDebugger plain This is an unexpected use of the debugger statement.",
                "src/s.js:1:18 parse syntax Expected an expression, or an assignment but instead found ';'.",
            ]
        );
        assert_eq!(read(&TOOL, 1, "", "configuration ━━━\n  × Biome exited"), None);
    }
}
