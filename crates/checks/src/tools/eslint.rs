//! eslint: its configuration is a program of the project. Only what the project calls an error is one.

use std::time::Duration;

use serde::Deserialize;

use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, always, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "eslint",
    endings: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"],
    signs: &[
        ("eslint.config.js", ""),
        ("eslint.config.mjs", ""),
        ("eslint.config.cjs", ""),
        ("eslint.config.ts", ""),
        (".eslintrc.json", ""),
        (".eslintrc.js", ""),
        (".eslintrc.cjs", ""),
        (".eslintrc.yml", ""),
        (".eslintrc.yaml", ""),
        (".eslintrc", ""),
        ("package.json", "\"eslintConfig\""),
    ],
    program: "eslint",
    home: Home::Node,
    family: Family::Node,
    scope: Scope::Files,
    runs_code: always,
    made: &["node_modules"],
    get: "npm install (eslint among its devDependencies)",
    locks: false,
    quick: false,
    bound: Duration::from_mins(1),
    lacks: nothing_lacks,
    ask: |command, asked| {
        command.args(["--format", "json", "--no-error-on-unmatched-pattern", "--"]).args(asked.files);
    },
    read: |said| {
        // 0: nothing found, 1: something found, 2: it could not work.
        if said.code == Some(2) {
            return None;
        }
        let files: Vec<Looked> = said.json()?;
        let one = |file: Looked| {
            let Looked { path, messages } = file;
            messages.into_iter().filter_map(move |message| message.finding(said, &path))
        };
        Some(files.into_iter().flat_map(one).collect())
    },
};

#[derive(Deserialize)]
struct Looked {
    #[serde(rename = "filePath")]
    path: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    /// None: it could not be parsed.
    #[serde(rename = "ruleId")]
    rule: Option<String>,
    severity: u8,
    #[serde(rename = "message")]
    text: String,
    line: Option<u32>,
    column: Option<u32>,
    fix: Option<Fix>,
    #[serde(default)]
    suggestions: Vec<Suggestion>,
    #[serde(default)]
    fatal: bool,
}

#[derive(Deserialize)]
struct Fix {
    text: String,
}

#[derive(Deserialize)]
struct Suggestion {
    desc: String,
}

/// 1 is a warning.
const ERROR: u8 = 2;

/// Names that are not there yet, and what nobody uses yet.
const PENDING: &[&str] =
    &["no-undef", "no-unused-vars", "unused-imports", "unresolved", "named", "no-unused-expressions"];

impl Message {
    fn finding(self, said: &Said<'_>, path: &str) -> Option<Finding> {
        if self.severity != ERROR {
            return None;
        }
        let code = self.rule.unwrap_or_default();
        // Rules of plug-ins bear their name before the rule's.
        let rule = code.rsplit('/').next().unwrap_or_default();
        let kind = match rule {
            _ if self.fatal => Kind::Syntax,
            rule if PENDING.contains(&rule) => Kind::Pending,
            _ => Kind::Plain,
        };
        let replaced =
            self.fix.map(|fix| fix.text).filter(|text| !text.trim().is_empty() && !text.contains('\n'));
        let suggested = self.suggestions.into_iter().next().map(|suggestion| suggestion.desc);
        Some(Finding {
            tool: TOOL.name,
            file: said.inside(path)?,
            line: self.line.unwrap_or(1),
            column: self.column.unwrap_or_default(),
            code,
            message: self.text,
            fix: replaced.map(|text| format!("`{}`", text.trim())).or(suggested),
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
        // As version 10.14.0 prints them, some of nine.
        let output = r#"[{"filePath":"/w/src/a.js","messages":[
          {"ruleId":"no-unused-vars","severity":2,"message":"'unused' is assigned a value but never used.","line":2,
           "column":7,"messageId":"unusedVar","endLine":2,"endColumn":13,"suggestions":[{"messageId":"removeVar",
           "data":{"varName":"unused"},"fix":{"range":[28,45],"text":""},"desc":"Remove unused variable 'unused'."}]},
          {"ruleId":"no-debugger","severity":2,"message":"Unexpected 'debugger' statement.","line":3,"column":20,
           "messageId":"unexpected","endLine":3,"endColumn":29},
          {"ruleId":"no-var","severity":2,"message":"Unexpected var, use let or const instead.","line":4,"column":1,
           "messageId":"unexpectedVar","endLine":4,"endColumn":11,"fix":{"range":[77,87],"text":"let y = 2;"}},
          {"ruleId":"prefer-const","severity":1,"message":"'z' is never reassigned. Use 'const' instead.","line":5,
           "column":5,"messageId":"useConst","endLine":5,"endColumn":6}],"suppressedMessages":[],"errorCount":3},
         {"filePath":"/w/src/s.js","messages":[{"ruleId":null,"fatal":true,"severity":2,
           "message":"Parsing error: Unexpected token ;","line":1,"column":18,"nodeType":null}],"errorCount":1}]"#;
        assert_eq!(
            shown(read(&TOOL, 1, output, "")),
            [
                "src/a.js:2:7 no-unused-vars pending 'unused' is assigned a value but never used. | \
                 Remove unused variable 'unused'.",
                "src/a.js:3:20 no-debugger plain Unexpected 'debugger' statement.",
                "src/a.js:4:1 no-var plain Unexpected var, use let or const instead. | `let y = 2;`",
                "src/s.js:1:18  syntax Parsing error: Unexpected token ;",
            ]
        );
        assert_eq!(read(&TOOL, 2, "", "Oops! Something went wrong! :("), None);
    }
}
