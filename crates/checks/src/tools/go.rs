//! go build and go vet: two rows of one tool, because vet stops at the first error of a package and the compiler does not
//! know vet's rules. Nothing is fetched, no other toolchain is taken and go.mod is not changed.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, never, nothing_lacks};

pub(super) const BUILD: Tool = Tool {
    name: "go-build",
    ask: |command, _| {
        settle(command);
        // All errors of a package, and nothing is left behind.
        command.args(["build", "-gcflags=-e", "-o"]).arg(Path::new("/dev/null")).arg("./...");
    },
    read: |said| read(said, BUILD_NAME, |line| Some(line).filter(|line| !line.starts_with("vet: "))),
    ..VET
};

pub(super) const VET: Tool = Tool {
    name: "go-vet",
    endings: &["go"],
    signs: &[("go.mod", "")],
    program: "go",
    home: Home::Path,
    family: Family::None,
    scope: Scope::Project,
    runs_code: never,
    made: &[],
    get: "https://go.dev/dl, or the package golang-go",
    locks: false,
    quick: false,
    bound: Duration::from_mins(3),
    lacks: nothing_lacks,
    ask: |command, _| {
        settle(command);
        command.args(["vet", "./..."]);
    },
    read: |said| {
        read(said, VET_NAME, |line| match line.strip_prefix("vet: ") {
            // What does not compile is build's to tell, except in tests, which are not built.
            Some(line) => Some(line).filter(|line| line.contains("_test.go:")),
            None => Some(line).filter(|line| !is_compilers(line)),
        })
    },
};

const BUILD_NAME: &str = "go-build";
const VET_NAME: &str = "go-vet";

fn settle(command: &mut Command) {
    command.env("GOTOOLCHAIN", "local").env("GOPROXY", "off").env("GOFLAGS", "-mod=readonly");
}

/// Both say the same of what cannot be parsed.
fn is_compilers(line: &str) -> bool {
    !line.contains("_test.go:") && (line.contains(": syntax error: ") || line.contains("expected '"))
}

/// `./main.go:11:14: cannot use "s" (untyped string constant) as int value in variable declaration`
fn read(said: &Said<'_>, tool: &'static str, take: fn(&str) -> Option<&str>) -> Option<Vec<Finding>> {
    let text = String::from_utf8_lossy(said.complaint);
    let found = text.lines().filter_map(|line| finding(said, tool, take(line)?));
    let found: Vec<Finding> = found.collect();
    // A module it cannot load is a failure without a place; vet is also silent about what build says.
    let is_done =
        said.code == Some(0) || !found.is_empty() || text.contains("\nvet: ") || text.starts_with("# ");
    is_done.then_some(found)
}

fn finding(said: &Said<'_>, tool: &'static str, line: &str) -> Option<Finding> {
    let (file, rest) = line.split_once(".go:")?;
    let mut parts = rest.splitn(3, ':');
    let (row, column, message) = (parts.next()?, parts.next()?, parts.next()?.trim());
    let is = |words: &[&str]| words.iter().any(|words| message.contains(words));
    let kind = if is(&["syntax error:", "expected '", "expected declaration"]) {
        Kind::Syntax
    } else if is(PENDING) {
        Kind::Pending
    } else {
        Kind::Plain
    };
    Some(Finding {
        tool,
        file: said.inside(&format!("{file}.go"))?,
        line: row.parse().ok()?,
        column: column.parse().ok()?,
        code: String::new(),
        message: message.to_owned(),
        fix: None,
        kind,
    })
}

/// What is not there yet, and what nobody uses yet.
const PENDING: &[&str] = &[
    "undefined",
    "imported and not used",
    "declared and not used",
    "declared but not used",
    "not enough arguments",
    "too many arguments",
    "missing return",
    "does not implement",
    "no required module",
    "is not in GOROOT",
    "is not in std",
    "unknown field",
    "not enough return values",
    "too many return values",
    "assignment mismatch",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    // As go 1.19.8 prints them.
    const BUILT: &str = "# example.com/m\n\
        ./main.go:5:2: imported and not used: \"os\"\n\
        ./main.go:11:14: cannot use \"s\" (untyped string constant) as int value in variable declaration\n\
        ./main.go:13:6: undefined: pkg.Nope\n";
    const VETTED: &str = "# example.com/m/pkg\n\
        pkg/p.go:6:2: fmt.Printf format %d has arg \"s\" of wrong type string\n\
        # example.com/m\n\
        vet: ./main.go:11:14: cannot use \"s\" (untyped string constant) as int value in variable declaration\n";
    const BROKEN: &str = "# example.com/m/pkg\npkg/s.go:3:1: syntax error: unexpected EOF, expecting )\n";

    #[test]
    fn its_errors_are_read_once() {
        assert_eq!(
            shown(read(&BUILD, 2, "", BUILT)),
            [
                "main.go:5:2  pending imported and not used: \"os\"",
                "main.go:11:14  plain cannot use \"s\" (untyped string constant) as int value in variable declaration",
                "main.go:13:6  pending undefined: pkg.Nope",
            ]
        );
        assert_eq!(
            shown(read(&VET, 2, "", VETTED)),
            ["pkg/p.go:6:2  plain fmt.Printf format %d has arg \"s\" of wrong type string"]
        );
        assert_eq!(
            shown(read(&BUILD, 2, "", BROKEN)),
            ["pkg/s.go:3:1  syntax syntax error: unexpected EOF, expecting )"]
        );
        assert!(shown(read(&VET, 2, "", BROKEN)).is_empty());
        assert!(shown(read(&VET, 0, "", "")).is_empty());
    }

    #[test]
    fn a_test_that_does_not_compile_is_vets_to_tell() {
        let output = "# example.com/m/pkg\nvet: pkg/p_test.go:6:2: undefined: nope\n";
        assert_eq!(shown(read(&VET, 2, "", output)), ["pkg/p_test.go:6:2  pending undefined: nope"]);
    }

    #[test]
    fn a_module_it_cannot_load_is_no_finding() {
        let output = "go: errors parsing go.mod:\n/w/go.mod:3: unknown directive: x\n";
        assert_eq!(read(&BUILD, 1, "", output), None);
    }
}
