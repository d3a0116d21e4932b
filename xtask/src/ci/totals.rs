//! Counts tests from the closing lines of both runners, and keeps those lines for the end of the run.

use std::fmt;

#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    closing: Vec<String>,
}

impl Totals {
    /// `Summary [ 1.2s] 9 tests run: 8 passed, 1 failed, 0 skipped` (nextest), or
    /// `test result: ok. 9 passed; 0 failed; 0 ignored; …` (the built-in runner, once per binary).
    pub(crate) fn read(&mut self, line: &str) {
        // nextest repeats, indented, what a failed test's own binary said.
        if !(line.trim_start().starts_with("Summary [") || line.starts_with("test result:")) {
            return;
        }
        let line = line.trim();
        self.passed += count(line, "passed");
        self.failed += count(line, "failed");
        self.skipped += count(line, "skipped") + count(line, "ignored");
        self.closing.push(line.to_owned());
    }

    pub(crate) fn closing_lines(&self) -> &[String] {
        &self.closing
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tests passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The number right before `word`.
fn count(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line.split([' ', ',', ';']).filter(|part| !part.is_empty()).collect();
    words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_runners_are_counted() {
        let mut totals = Totals::default();
        totals.read("     Summary [   0.012s] 9 tests run: 8 passed (1 slow), 1 failed, 2 skipped");
        totals.read("test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out");
        totals.read("    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out");
        totals.read("running 3 tests: 7 passed of what");
        assert_eq!((totals.passed, totals.failed, totals.skipped), (11, 2, 3));
        assert_eq!(totals.closing_lines().len(), 2);
    }
}
