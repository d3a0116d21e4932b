//! How a test run ended, in numbers and names, read from what the runner printed.

use serde::{Deserialize, Serialize};

use crate::text::{clip, lines, push_new};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub passed: u32,
    pub failed: u32,
    pub failing: Vec<String>,
}

/// More names than this are a broken build, not broken tests.
pub(crate) const MAX_FAILING: usize = 6;

impl Verdict {
    /// `None`: nothing in the output is a runner's verdict.
    pub(crate) fn find(output: &str) -> Option<Self> {
        let mut verdict = Self::default();
        let mut seen = false;
        for line in lines(output) {
            let line = line.trim();
            if let Some(name) = failing_name(line) {
                push_new(&mut verdict.failing, &clip(name, 120), MAX_FAILING);
                seen = true;
            }
            if let Some((passed, failed)) = counts(line) {
                verdict.passed = verdict.passed.saturating_add(passed);
                verdict.failed = verdict.failed.saturating_add(failed);
                seen = true;
            }
        }
        if verdict.failed == 0 {
            verdict.failed = verdict.failing.len() as u32;
        }
        seen.then_some(verdict)
    }

    pub(crate) fn words(&self) -> String {
        match (self.passed, self.failed) {
            (0, 0) => "passed".to_owned(),
            (passed, 0) => format!("{passed} passed"),
            // Not every runner counts what passed.
            (0, failed) => format!("{failed} failed"),
            (passed, failed) => format!("{failed} failed, {passed} passed"),
        }
    }
}

fn counts(line: &str) -> Option<(u32, u32)> {
    // cargo: one line for each binary.
    if let Some(rest) = line.strip_prefix("test result:") {
        return Some((before(rest, "passed")?, before(rest, "failed").unwrap_or(0)));
    }
    // nextest, pytest, jest, vitest, dotnet: one line at the end.
    let total = line.starts_with("Tests:")
        || line.starts_with("Tests  ")
        || line.contains("tests run:")
        || (line.starts_with('=') && line.contains(" in "))
        || (line.starts_with(|first: char| first.is_ascii_digit())
            && line.contains(" in ")
            && line.len() < 120);
    if total {
        let (passed, failed) = (before(line, "passed"), before(line, "failed"));
        let errors = before(line, "errors").or(before(line, "error")).unwrap_or(0);
        if passed.is_some() || failed.is_some() || errors > 0 {
            return Some((passed.unwrap_or(0), failed.unwrap_or(0) + errors));
        }
        // phpunit
        if let (Some(all), Some(failed)) = (after(line, "Tests:"), after(line, "Failures:")) {
            return Some((all.saturating_sub(failed), failed));
        }
    }
    if let Some(failed) = line.strip_prefix("Failed!").or_else(|| line.strip_prefix("Passed!")) {
        return Some((after(failed, "Passed:")?, after(failed, "Failed:").unwrap_or(0)));
    }
    if let Some(rest) = line
        .strip_prefix("[ERROR] ")
        .or(line.strip_prefix("[INFO] "))
        .or(line.strip_prefix("[WARNING] "))
        .or(Some(line))
        && rest.starts_with("Tests run:")
        && !rest.contains("Time elapsed")
        && !rest.contains("-- in ")
    {
        let all = after(rest, "Tests run:")?;
        let failed = after(rest, "Failures:").unwrap_or(0) + after(rest, "Errors:").unwrap_or(0);
        return Some((all.saturating_sub(failed), failed));
    }
    if let Some(examples) = before(line, "examples,").or_else(|| before(line, "example,")) {
        let failed = before(line, "failures").or_else(|| before(line, "failure")).unwrap_or(0);
        return Some((examples.saturating_sub(failed), failed));
    }
    // mocha prints each on its own line; unittest only the total.
    let mut words = line.split_whitespace();
    let number = words.next().and_then(|word| word.parse::<u32>().ok());
    match (number, words.next(), words.clone().count()) {
        (Some(passed), Some("passing"), 0..=1) => return Some((passed, 0)),
        (Some(failed), Some("failing"), 0) => return Some((0, failed)),
        _ => {}
    }
    if let Some(rest) = line.strip_prefix("FAILED (") {
        return Some((0, after(rest, "failures=").unwrap_or(0) + after(rest, "errors=").unwrap_or(0)));
    }
    if line.starts_with("OK (") {
        return Some((before(line, "tests").or_else(|| before(line, "test"))?, 0));
    }
    if let Some(rest) = line.strip_prefix("Ran ") {
        return Some((
            before(line, "tests").or_else(|| before(line, "test")).filter(|_| rest.contains(" in "))?,
            0,
        ));
    }
    // go: one line for each package.
    if line.starts_with("ok  \t") || line.starts_with("ok \t") || line.starts_with("ok  ") {
        // Packages, not tests: that they passed is all it says.
        return Some((0, 0));
    }
    None
}

fn failing_name(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("test ") {
        return rest.strip_suffix(" ... FAILED");
    }
    if let Some(rest) = line.strip_prefix("--- FAIL: ") {
        return rest.split_whitespace().next();
    }
    if let Some(rest) = line.strip_prefix("FAILED ") {
        let name = rest.split(" - ").next()?;
        return (name.contains("::") || name.contains('/')).then_some(name);
    }
    if let Some(rest) = line.strip_prefix("● ") {
        return (rest.contains('›') && rest.len() < 200).then_some(rest);
    }
    if let Some(rest) = line.strip_prefix("FAIL ") {
        return rest.contains(" > ").then(|| rest.trim());
    }
    if let Some(rest) = line.strip_prefix("rspec ./") {
        return Some(rest);
    }
    if line.starts_with("FAIL [") {
        // nextest
        return line.rsplit(' ').next().filter(|name| name.contains("::"));
    }
    None
}

/// The number that stands before a word.
fn before(line: &str, word: &str) -> Option<u32> {
    let at = crate::text::find_word(line, word)?;
    let digits = line[..at].trim_end();
    let start = digits
        .rfind(|char: char| !char.is_ascii_digit())
        .map_or(0, |at| at + digits[at..].chars().next().map_or(1, char::len_utf8));
    digits[start..].parse().ok()
}

fn after(line: &str, word: &str) -> Option<u32> {
    let at = line.find(word)? + word.len();
    let digits: String = line[at..].trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, passed: u32, failed: u32, failing: &[&str]) {
        let verdict = Verdict::find(output).unwrap();
        assert_eq!((verdict.passed, verdict.failed), (passed, failed), "{output}");
        assert_eq!(verdict.failing, failing);
    }

    #[test]
    fn the_runners_people_use() {
        check(
            "test a::b ... FAILED\ntest result: FAILED. 10 passed; 1 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed",
            12,
            1,
            &["a::b"],
        );
        check(
            "FAILED tests/test_a.py::test_b - AssertionError: x\n===== 1 failed, 3 passed in 0.12s =====",
            3,
            1,
            &["tests/test_a.py::test_b"],
        );
        check("3 passed in 0.12s", 3, 0, &[]);
        check(
            "  ● cart › adds an item\nTests:       1 failed, 10 passed, 11 total",
            10,
            1,
            &["cart › adds an item"],
        );
        check(
            " FAIL  src/a.test.ts > cart > adds\n      Tests  1 failed | 10 passed (11)",
            10,
            1,
            &["src/a.test.ts > cart > adds"],
        );
        check("  10 passing (30ms)\n  2 failing", 10, 2, &[]);
        check("--- FAIL: TestX (0.00s)\nFAIL\nok  \tpkg/b\t0.1s", 0, 1, &["TestX"]);
        check("[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0", 3, 2, &[]);
        check("12 examples, 1 failure", 11, 1, &[]);
        check("OK (10 tests, 20 assertions)", 10, 0, &[]);
        check("Tests: 10, Assertions: 20, Failures: 1.", 9, 1, &[]);
        check("Summary [ 0.1s] 9 tests run: 8 passed, 1 failed, 0 skipped", 8, 1, &[]);
        assert_eq!(Verdict::find("Compiling…\n"), None);
    }
}
