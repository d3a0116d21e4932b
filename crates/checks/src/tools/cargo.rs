//! cargo check, or clippy where the project sets its lints. Runs in the project's own target folder, where its results
//! are warm and shared with whoever builds there; where there is none yet, in ours. The lock file is never changed and
//! nothing is fetched. It takes cargo's lock on that folder, so whoever wants to run a command has it called off.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::find;
use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, always};

pub(super) const TOOL: Tool = Tool {
    name: "cargo",
    endings: &["rs"],
    signs: &[("Cargo.toml", "[package]")],
    program: "cargo",
    home: Home::Path,
    family: Family::Cargo,
    scope: Scope::Project,
    runs_code: always,
    made: &["target"],
    get: "https://rustup.rs",
    locks: true,
    quick: false,
    bound: Duration::from_mins(5),
    lacks: |folder| {
        let is_locked = folder.ancestors().any(|folder| folder.join("Cargo.lock").is_file());
        (!is_locked).then_some("there is no Cargo.lock yet")
    },
    ask: |command, asked| {
        command.arg(if sets_lints(asked.folder) { "clippy" } else { "check" });
        command.args(["--frozen", "--all-targets", "--quiet", "--message-format=json"]);
        if !asked.folder.ancestors().any(|folder| folder.join("target").is_dir()) {
            command.env("CARGO_TARGET_DIR", asked.cache.join("target"));
        }
    },
    read: |said| {
        let text = said.text();
        let rows = text.lines().filter_map(|line| serde_json::from_str::<Row>(line).ok());
        let (mut found, mut is_finished) = (Vec::new(), false);
        for row in rows {
            is_finished |= row.reason == "build-finished";
            let finding = row.message.and_then(|message| message.finding(said));
            // Targets share files, and say the same of them.
            found.extend(finding.filter(|finding| !found.contains(finding)));
        }
        is_finished.then_some(found)
    },
};

/// Whether the manifest, or the workspace's, sets lints of clippy.
fn sets_lints(folder: &Path) -> bool {
    let near = folder.ancestors().take_while(|folder| !folder.join(".git").exists());
    let last = folder.ancestors().find(|folder| folder.join(".git").exists());
    near.chain(last).any(|folder| {
        folder.join("clippy.toml").is_file()
            || folder.join(".clippy.toml").is_file()
            || find::read(&folder.join("Cargo.toml")).is_some_and(|text| text.contains("lints.clippy]"))
    })
}

#[derive(Deserialize)]
struct Row {
    reason: String,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    message: String,
    code: Option<Code>,
    level: String,
    spans: Vec<Span>,
    children: Vec<Child>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Child {
    level: String,
    message: String,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u32,
    column_start: u32,
    is_primary: bool,
    label: Option<String>,
    suggested_replacement: Option<String>,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

/// Names, modules, fields, arguments and arms that are not there yet.
const PENDING: &[&str] = &[
    "E0412", "E0405", "E0423", "E0425", "E0432", "E0433", "E0583", "E0599", "E0609", "E0061", "E0063",
    "E0560", "E0004", "E0046", "E0027", "E0026", "E0407", "E0437", "E0438", "E0053", "E0050", "E0277",
];

impl Diagnostic {
    fn finding(self, said: &Said<'_>) -> Option<Finding> {
        if self.level != "error" {
            return None;
        }
        let span = self.spans.iter().find(|span| span.is_primary)?.of_the_person();
        let code = self.code.map(|code| code.code).unwrap_or_default();
        let kind = match code.as_str() {
            "" if self.message.starts_with("cannot find") => Kind::Pending,
            // The parser's errors have no number.
            "" => Kind::Syntax,
            code if PENDING.contains(&code) => Kind::Pending,
            _ => Kind::Plain,
        };
        let label = span.label.as_deref().filter(|label| !self.message.contains(label));
        let message = match label {
            Some(label) => format!("{}: {label}", self.message),
            None => self.message.clone(),
        };
        let help = self.children.iter().find(|child| child.level == "help");
        let fix = help.map(|help| {
            let replacement = help.spans.iter().find_map(|span| span.suggested_replacement.as_deref());
            match replacement.map(str::trim).filter(|text| !text.is_empty()) {
                Some(replacement) => format!("{}: `{replacement}`", help.message),
                None => help.message.clone(),
            }
        });
        Some(Finding {
            tool: TOOL.name,
            file: said.inside(&span.file_name)?,
            line: span.line_start,
            column: span.column_start,
            code,
            message,
            fix,
            kind,
        })
    }
}

impl Span {
    /// Where a macro was called, and not where it is defined.
    fn of_the_person(&self) -> &Self {
        let mut span = self;
        while let Some(expansion) = &span.expansion {
            span = &expansion.span;
        }
        span
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    /// As cargo 1.95 prints them, explanations and texts left out.
    const OUTPUT: &str = r#"{"reason":"compiler-artifact","target":{"name":"dep"}}
{"reason":"compiler-message","package_id":"x","message":{"message":"mismatched types","code":{"code":"E0308","explanation":"long"},"level":"error","spans":[{"byte_end":52,"byte_start":49,"column_end":21,"column_start":18,"expansion":null,"file_name":"src/main.rs","is_primary":true,"label":"expected `u32`, found `&str`","line_end":4,"line_start":4,"suggested_replacement":null,"suggestion_applicability":null,"text":[]}],"children":[]}}
{"reason":"compiler-message","package_id":"x","message":{"message":"borrow of moved value: `v`","code":{"code":"E0382","explanation":null},"level":"error","spans":[{"column_end":24,"column_start":22,"expansion":null,"file_name":"src/main.rs","is_primary":true,"label":"value borrowed here after move","line_end":10,"line_start":10,"suggested_replacement":null}],"children":[{"children":[],"code":null,"level":"help","message":"consider cloning the value","rendered":null,"spans":[{"column_end":14,"column_start":14,"expansion":null,"file_name":"src/main.rs","is_primary":true,"label":null,"line_end":9,"line_start":9,"suggested_replacement":".clone()"}]}]}}
{"reason":"compiler-message","package_id":"x","message":{"message":"unused variable: `a`","code":{"code":"unused_variables","explanation":null},"level":"warning","spans":[{"column_end":11,"column_start":10,"expansion":null,"file_name":"src/b.rs","is_primary":true,"label":null,"line_end":1,"line_start":1,"suggested_replacement":null}],"children":[]}}
{"reason":"compiler-message","package_id":"x","message":{"message":"Some errors have detailed explanations: E0308.","code":null,"level":"failure-note","spans":[],"children":[]}}
{"reason":"build-finished","success":false}
"#;

    #[test]
    fn its_errors_are_read_and_its_warnings_left() {
        assert_eq!(
            shown(read(&TOOL, 101, OUTPUT, "")),
            [
                "src/main.rs:4:18 E0308 plain mismatched types: expected `u32`, found `&str`",
                "src/main.rs:10:22 E0382 plain borrow of moved value: `v`: value borrowed here after move | \
                 consider cloning the value: `.clone()`",
            ]
        );
    }

    #[test]
    fn a_build_that_did_not_come_to_an_end_says_nothing() {
        let manifest = "error: failed to parse manifest at `/w/Cargo.toml`\n";
        assert_eq!(read(&TOOL, 101, "", manifest), None);
    }
}
