//! tsc: the TypeScript compiler, for its types alone. What it knows for its next run lies in our folder.

use std::time::Duration;

use crate::find;
use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, never, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "tsc",
    endings: &["ts", "tsx", "mts", "cts"],
    signs: &[("tsconfig.json", "")],
    program: "tsc",
    home: Home::Node,
    family: Family::Node,
    scope: Scope::Project,
    runs_code: never,
    made: &["node_modules"],
    get: "npm install (typescript among its devDependencies)",
    locks: false,
    quick: false,
    bound: Duration::from_mins(2),
    lacks: nothing_lacks,
    ask: |command, asked| {
        command.args(["--noEmit", "--pretty", "false", "--incremental", "--tsBuildInfoFile"]);
        command.arg(asked.cache.join("tsc.tsbuildinfo"));
        command.arg("-p").arg(asked.folder.join(configuration(asked.folder)));
    },
    read: |said| {
        let text = said.text();
        let found: Vec<Finding> = text.lines().filter_map(|line| finding(said, line)).collect();
        // A configuration it cannot take is an error without a file.
        (!found.is_empty() || said.code == Some(0)).then_some(found)
    },
};

/// A solution names its projects and has no files; the usual ones of bundlers keep theirs in this one.
fn configuration(folder: &std::path::Path) -> &'static str {
    const APPLICATION: &str = "tsconfig.app.json";
    let text = find::read(&folder.join("tsconfig.json")).unwrap_or_default();
    let is_solution = text.contains("\"references\"") && text.contains("\"files\"");
    if is_solution && folder.join(APPLICATION).is_file() { APPLICATION } else { "tsconfig.json" }
}

/// `src/a.ts(1,19): error TS1109: Expression expected.`
fn finding(said: &Said<'_>, line: &str) -> Option<Finding> {
    let (place, rest) = line.split_once("): error TS")?;
    let (file, place) = place.rsplit_once('(')?;
    let (row, column) = place.split_once(',')?;
    let (number, message) = rest.split_once(": ")?;
    let number: u32 = number.parse().ok()?;
    let kind = match number {
        // The parser's own numbers.
        1000..2000 => Kind::Syntax,
        _ if PENDING.contains(&number) => Kind::Pending,
        _ => Kind::Plain,
    };
    Some(Finding {
        tool: TOOL.name,
        file: said.inside(file)?,
        line: row.parse().ok()?,
        column: column.parse().ok()?,
        code: format!("TS{number}"),
        message: message.trim().to_owned(),
        fix: None,
        kind,
    })
}

/// A name, module, export, member or argument that is not there yet, and what nobody uses yet.
const PENDING: &[u32] = &[
    2304, 2305, 2306, 2307, 2339, 2503, 2551, 2552, 2554, 2555, 2556, 2561, 2353, 2614, 2693, 2724, 2741,
    2739, 2740, 2749, 6133, 6138, 6192, 6196, 6198, 7016, 2420, 2515, 2345, 2769,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_findings_are_read() {
        // As version 6.0.3 prints them.
        let output = "src/s.ts(1,19): error TS1109: Expression expected.\n\
            src/a.ts(1,10): error TS2305: Module '\"./b\"' has no exported member 'nope'.\n\
            src/a.ts(7,34): error TS2322: Type 'string' is not assignable to type 'number'.\n  \
            The expected type comes from property 'b' which is declared here on type '{ b: number; }'\n";
        assert_eq!(
            shown(read(&TOOL, 2, output, "")),
            [
                "src/s.ts:1:19 TS1109 syntax Expression expected.",
                "src/a.ts:1:10 TS2305 pending Module '\"./b\"' has no exported member 'nope'.",
                "src/a.ts:7:34 TS2322 plain Type 'string' is not assignable to type 'number'.",
            ]
        );
        assert!(shown(read(&TOOL, 0, "", "")).is_empty());
        assert_eq!(read(&TOOL, 1, "error TS5058: The specified path does not exist: 'x'.\n", ""), None);
    }
}
