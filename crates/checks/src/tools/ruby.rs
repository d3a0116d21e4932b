//! ruby -c: whether a file can be read as Ruby. It reads, and runs nothing, also what stands in a BEGIN block.

use std::time::Duration;

use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, never, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "ruby",
    endings: &["rb", "rake", "gemspec"],
    signs: &[],
    program: "ruby",
    home: Home::Path,
    family: Family::None,
    scope: Scope::File,
    runs_code: never,
    made: &[],
    get: "the package ruby",
    locks: false,
    quick: true,
    bound: Duration::from_secs(10),
    lacks: nothing_lacks,
    ask: |command, asked| {
        command.args(["--disable=gems", "-W0", "-c", "--"]).args(asked.files);
    },
    read: |said| {
        let text = said.all_text();
        let found: Vec<Finding> = text.lines().filter_map(|line| finding(said, line)).collect();
        (said.code == Some(0) || !found.is_empty()).then_some(found)
    },
};

/// ``a.rb:3: syntax error, unexpected `end'``; newer ones say `a.rb:3: syntax error found` or name the program first.
fn finding(said: &Said<'_>, line: &str) -> Option<Finding> {
    let line = line.strip_prefix("ruby: ").unwrap_or(line);
    let (file, rest) =
        line.split_once(".rb:").map(|(file, rest)| (format!("{file}.rb"), rest)).or_else(|| {
            let (file, rest) = line.split_once(':')?;
            Some((file.to_owned(), rest))
        })?;
    let (row, message) = rest.split_once(": ")?;
    Some(Finding {
        tool: TOOL.name,
        file: said.inside(&file)?,
        line: row.parse().ok()?,
        column: 0,
        code: String::new(),
        message: message.trim_end_matches(" (SyntaxError)").trim().to_owned(),
        fix: None,
        kind: Kind::Syntax,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_errors_are_read() {
        // As version 3.1.2 prints them.
        let output = "a.rb:3: syntax error, unexpected `end'\n\
            a.rb:4: unterminated string meets end of file\nputs \"x\n       ^\n";
        assert_eq!(
            shown(read(&TOOL, 1, "", output)),
            [
                "a.rb:3:0  syntax syntax error, unexpected `end'",
                "a.rb:4:0  syntax unterminated string meets end of file"
            ]
        );
        assert!(shown(read(&TOOL, 0, "Syntax OK\n", "")).is_empty());
        assert_eq!(read(&TOOL, 1, "", "ruby: No such file or directory -- x.rb (LoadError)\n"), None);
    }
}
