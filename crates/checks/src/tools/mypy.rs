//! mypy: types of Python. What it knows for its next run lies in our folder. Its plug-ins are programs of the project.

use std::path::Path;
use std::time::Duration;

use crate::find;
use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "mypy",
    endings: &["py", "pyi"],
    signs: CONFIGURATIONS,
    program: "mypy",
    home: Home::Python,
    family: Family::Python,
    scope: Scope::Files,
    runs_code: has_plugins,
    made: &[".venv", "venv"],
    get: "pip install mypy",
    locks: false,
    quick: false,
    bound: Duration::from_mins(2),
    lacks: nothing_lacks,
    ask: |command, asked| {
        command.args(["--show-column-numbers", "--show-error-codes", "--no-error-summary", "--no-pretty"]);
        command.args(["--no-color-output", "--hide-error-context", "--cache-dir"]);
        command.arg(asked.cache.join("mypy")).arg("--").args(asked.files);
    },
    read: |said| {
        let text = said.text();
        let found: Vec<Finding> = text.lines().filter_map(|line| finding(said, line)).collect();
        // 0: nothing found, 1: something found, 2: it could not work, or a file could not be parsed.
        (said.code != Some(2) || found.iter().any(|finding| finding.kind == Kind::Syntax)).then_some(found)
    },
};

const CONFIGURATIONS: &[(&str, &str)] = &[
    ("mypy.ini", ""),
    (".mypy.ini", ""),
    ("pyproject.toml", "[tool.mypy"),
    ("setup.cfg", "[mypy"),
    (".pre-commit-config.yaml", "mypy"),
];

/// Whether a configuration names programs: plug-ins, or an interpreter. Newer ones take the configuration of a folder above.
fn has_plugins(folder: &Path) -> bool {
    let files = ["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"];
    let names = |text: String| text.contains("plugins") || text.contains("python_executable");
    let near = folder.ancestors().take_while(|folder| !folder.join(".git").exists());
    let last = folder.ancestors().find(|folder| folder.join(".git").exists());
    let mut files = near.chain(last).flat_map(|folder| files.iter().map(move |name| folder.join(name)));
    files.any(|file| find::read(&file).is_some_and(names))
}

/// `a.py:4:12: error: Incompatible return value type (got "int", expected "str")  [return-value]`
fn finding(said: &Said<'_>, line: &str) -> Option<Finding> {
    let (place, rest) = line.split_once(": error: ")?;
    let mut parts = place.rsplitn(3, ':');
    let (column, row, file) = (parts.next()?, parts.next()?, parts.next()?);
    let (message, code) = match rest.rsplit_once("  [") {
        Some((message, code)) => (message, code.trim_end().trim_end_matches(']')),
        None => (rest, ""),
    };
    let kind = match code {
        "syntax" => Kind::Syntax,
        code if PENDING.contains(&code) => Kind::Pending,
        _ => Kind::Plain,
    };
    Some(Finding {
        tool: TOOL.name,
        file: said.inside(file)?,
        line: row.parse().ok()?,
        column: column.parse().ok()?,
        code: code.to_owned(),
        message: message.trim().to_owned(),
        fix: None,
        kind,
    })
}

/// A name, module, member or argument that is not there yet.
const PENDING: &[&str] = &[
    "attr-defined",
    "name-defined",
    "import-not-found",
    "import-untyped",
    "import",
    "call-arg",
    "abstract",
    "union-attr",
    "no-redef",
    "override",
    "used-before-def",
    "arg-type",
    "call-overload",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_errors_are_read() {
        // As version 2.4.1 prints them.
        let output = "a.py:2:1: error: Module \"b\" has no attribute \"nope\"  [attr-defined]\n\
            a.py:4:12: error: Incompatible return value type (got \"int\", expected \"str\")  [return-value]\n\
            a.py:4:12: note: See https://mypy.readthedocs.io\n";
        assert_eq!(
            shown(read(&TOOL, 1, output, "")),
            [
                "a.py:2:1 attr-defined pending Module \"b\" has no attribute \"nope\"",
                "a.py:4:12 return-value plain Incompatible return value type (got \"int\", expected \"str\")",
            ]
        );
        let broken = "s.py:1:8: error: Expected a parameter or the end of the parameter list  [syntax]\n";
        assert_eq!(
            shown(read(&TOOL, 2, broken, "")),
            ["s.py:1:8 syntax syntax Expected a parameter or the end of the parameter list"]
        );
        assert_eq!(read(&TOOL, 2, "mypy: can't read file 'x.py': No such file or directory\n", ""), None);
    }
}
