//! php -l: whether a file can be read as PHP. Runs nothing of it, and reads no php.ini.

use std::time::Duration;

use crate::finding::{Finding, Kind};
use crate::tool::{Family, Home, Said, Scope, Tool, never, nothing_lacks};

pub(super) const TOOL: Tool = Tool {
    name: "php",
    endings: &["php", "phtml"],
    signs: &[],
    program: "php",
    home: Home::Path,
    family: Family::None,
    scope: Scope::File,
    runs_code: never,
    made: &[],
    get: "the package php-cli",
    locks: false,
    quick: true,
    bound: Duration::from_secs(10),
    lacks: nothing_lacks,
    ask: |command, asked| {
        command.args(["-n", "-d", "display_errors=1", "-d", "html_errors=0", "-d", "log_errors=0", "-l"]);
        command.args(asked.files);
    },
    read: |said| {
        let text = said.all_text();
        let mut found: Vec<Finding> = Vec::new();
        for finding in text.lines().filter_map(|line| finding(said, line)) {
            // Where both streams are one screen, it is said twice.
            if !found.contains(&finding) {
                found.push(finding);
            }
        }
        (said.code == Some(0) || !found.is_empty()).then_some(found)
    },
};

/// `Parse error: syntax error, unexpected token "{", expecting variable in a.php on line 2`
fn finding(said: &Said<'_>, line: &str) -> Option<Finding> {
    let line = line.strip_prefix("PHP ").unwrap_or(line);
    let (kind, rest) = line.split_once("error: ")?;
    let (rest, row) = rest.rsplit_once(" on line ")?;
    let (message, file) = rest.rsplit_once(" in ")?;
    Some(Finding {
        tool: TOOL.name,
        file: said.inside(file)?,
        line: row.trim().parse().ok()?,
        column: 0,
        code: String::new(),
        message: message.trim().to_owned(),
        fix: None,
        kind: if kind.trim() == "Parse" { Kind::Syntax } else { Kind::Plain },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{read, shown};

    #[test]
    fn its_errors_are_read() {
        // As version 8.2.35 prints them.
        let output = "\nParse error: syntax error, unexpected token \"{\", expecting variable in a.php on line 2\n\
            Errors parsing a.php\n";
        assert_eq!(
            shown(read(&TOOL, 255, output, "")),
            ["a.php:2:0  syntax syntax error, unexpected token \"{\", expecting variable"]
        );
        let output =
            "PHP Fatal error:  Cannot redeclare a() (previously declared in c.php:2) in c.php on line 3\n";
        assert_eq!(
            shown(read(&TOOL, 255, "", output)),
            ["c.php:3:0  plain Cannot redeclare a() (previously declared in c.php:2)"]
        );
        assert!(shown(read(&TOOL, 0, "No syntax errors detected in b.php\n", "")).is_empty());
        assert_eq!(read(&TOOL, 1, "Could not open input file: x.php\n", ""), None);
    }
}
