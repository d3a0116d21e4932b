//! Counts tests from the closing lines of both runners, and keeps those lines and the slowest tests for the end of the run.

use std::fmt;

/// How many of the slowest tests are named: enough to see what a run spends its time on, few enough to be read.
const SLOWEST: usize = 10;

#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    closing: Vec<String>,
    /// Seconds and names, the slowest first; at most `SLOWEST`.
    slowest: Vec<(f64, String)>,
}

impl Totals {
    /// `Summary [ 1.2s] 9 tests run: 8 passed, 1 failed, 0 skipped` (nextest), or
    /// `test result: ok. 9 passed; 0 failed; 0 ignored; …` (the built-in runner, once per binary).
    pub(crate) fn read(&mut self, line: &str) {
        if let Some((seconds, name)) = timed(line) {
            self.note(seconds, name);
        }
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

    fn note(&mut self, seconds: f64, name: &str) {
        let at = self.slowest.partition_point(|(slower, _)| *slower >= seconds);
        if at < SLOWEST {
            self.slowest.insert(at, (seconds, name.to_owned()));
            self.slowest.truncate(SLOWEST);
        }
    }

    pub(crate) fn closing_lines(&self) -> &[String] {
        &self.closing
    }

    /// A line each: the seconds and the test.
    pub(crate) fn slowest_lines(&self) -> impl Iterator<Item = String> {
        self.slowest.iter().map(|(seconds, name)| format!("{seconds:>7.1} s  {name}"))
    }
}

/// The seconds and the name in nextest's line about one finished test: `PASS [   0.012s] (  9/99) crate::it the_test`.
/// A test that is still running (`SLOW [> 60.000s]`) has another line to come.
fn timed(line: &str) -> Option<(f64, &str)> {
    let line = line.trim();
    let rest = line.strip_prefix("PASS [").or_else(|| line.strip_prefix("FAIL ["))?;
    let (seconds, name) = rest.split_once("s] ")?;
    let name = name.trim_start();
    let name = if name.starts_with('(') { name.split_once(") ")?.1 } else { name };
    Some((seconds.trim().parse().ok()?, name.trim()))
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

    #[test]
    fn the_slowest_tests_are_named_slowest_first() {
        let mut totals = Totals::default();
        for number in 0..30 {
            totals.read(&format!(
                "        PASS [   {number}.500s] ({number:>3}/30) throughline-store::it test_{number}"
            ));
        }
        totals.read("        SLOW [> 60.000s] (─────) throughline-store::it test_60");
        totals.read("        FAIL [  70.250s] throughline::it test_70");
        let lines: Vec<String> = totals.slowest_lines().collect();
        assert_eq!(lines.len(), SLOWEST);
        assert_eq!(lines[0], "   70.2 s  throughline::it test_70");
        assert_eq!(lines[1], "   29.5 s  throughline-store::it test_29");
    }
}
