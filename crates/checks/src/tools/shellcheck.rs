//! shellcheck: what is an error in a shell script, and its warnings where the project has set it up.

use std::time::Duration;

use serde::Deserialize;

use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, never, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "shellcheck",
    endings: &["sh", "bash", "ksh", "bats"],
    signs: &[],
    program: "shellcheck",
    home: Home::Path,
    family: Family::None,
    scope: Scope::Files,
    runs_code: never,
    made: &[],
    get: "the package shellcheck",
    locks: false,
    quick: true,
    bound: Duration::from_secs(20),
    lacks: nothing_lacks,
    ask: |command, asked| {
        let is_set_up =
            [".shellcheckrc", "shellcheckrc"].iter().any(|name| asked.folder.join(name).is_file());
        let severity = if is_set_up { "--severity=warning" } else { "--severity=error" };
        command.args(["--format=json1", severity, "--"]).args(asked.files);
    },
    read: |said| {
        // 0: nothing found, 1: something found; others: it could not work.
        if !matches!(said.code, Some(0 | 1)) {
            return None;
        }
        let report: Report = said.json()?;
        Some(report.comments.into_iter().filter_map(|row| row.finding(said)).collect())
    },
};

#[derive(Deserialize)]
struct Report {
    comments: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    file: String,
    line: u32,
    column: u32,
    level: String,
    code: u32,
    message: String,
    fix: Option<Fix>,
}

#[derive(Deserialize)]
struct Fix {
    replacements: Vec<Replacement>,
}

#[derive(Deserialize)]
struct Replacement {
    #[serde(rename = "replacement")]
    text: String,
}

impl Row {
    fn finding(self, said: &Said<'_>) -> Option<Finding> {
        if !matches!(self.level.as_str(), "error" | "warning") {
            return None;
        }
        let kind = match self.code {
            // The parser's own numbers.
            1000..2000 => Kind::Syntax,
            // Unused, and referenced but not assigned.
            2034 | 2154 => Kind::Pending,
            _ => Kind::Plain,
        };
        // Several are pieces of one, and say nothing apart.
        let fix = self.fix.and_then(|fix| match fix.replacements.as_slice() {
            [one] if !one.text.trim().is_empty() => Some(format!("insert `{}`", one.text.trim())),
            _ => None,
        });
        Some(Finding {
            tool: TOOL.name,
            file: said.inside(&self.file)?,
            line: self.line,
            column: self.column,
            code: format!("SC{}", self.code),
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
    fn its_errors_and_warnings_are_read() {
        // As version 0.9.0 prints them, three of eleven.
        let output = r#"{"comments":[
          {"file":"s.sh","line":2,"endLine":2,"column":10,"endColumn":10,"level":"error","code":1073,
           "message":"Couldn't parse this then clause. Fix to allow more checks.","fix":null},
          {"file":"a.sh","line":3,"endLine":3,"column":6,"endColumn":10,"level":"info","code":2086,
           "message":"Double quote to prevent globbing and word splitting.","fix":{"replacements":[
            {"column":6,"endColumn":6,"endLine":3,"insertionPoint":"afterEnd","line":3,"precedence":11,"replacement":"\""},
            {"column":10,"endColumn":10,"endLine":3,"insertionPoint":"beforeStart","line":3,"precedence":11,
             "replacement":"\""}]}},
          {"file":"a.sh","line":4,"endLine":4,"column":3,"endColumn":10,"level":"warning","code":2164,
           "message":"Use 'cd ... || exit' or 'cd ... || return' in case cd fails.","fix":{"replacements":[
            {"column":10,"endColumn":10,"endLine":4,"insertionPoint":"beforeStart","line":4,"precedence":8,
             "replacement":" || exit"}]}}]}"#;
        assert_eq!(
            shown(read(&TOOL, 1, output, "")),
            [
                "s.sh:2:10 SC1073 syntax Couldn't parse this then clause. Fix to allow more checks.",
                "a.sh:4:3 SC2164 plain Use 'cd ... || exit' or 'cd ... || return' in case cd fails. | insert `|| exit`",
            ]
        );
        assert_eq!(read(&TOOL, 2, "", "x.sh: openBinaryFile: does not exist"), None);
    }
}
