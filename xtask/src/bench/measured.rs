//! What a crate's own bench has measured, read from its lines: a name, a tab, and the times in nanoseconds. Benches
//! measure both sides of a goal in turn; what may be said about the numbers is said here, once.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::page::Page;
use super::samples::Samples;
use crate::run;

#[derive(Debug)]
pub(crate) struct Measured {
    rows: Vec<(String, Samples)>,
}

impl Measured {
    /// Runs a bench to its end.
    pub(crate) fn run(package: &str, bench: &str, arguments: &[&str]) -> Result<Self> {
        let fixed = ["bench", "--quiet", "-p", package, "--bench", bench, "--"];
        Self::read(&run::read(&mut run::cargo(&[&fixed[..], arguments].concat()))?)
    }

    pub(super) fn read(text: &str) -> Result<Self> {
        let mut rows = Vec::new();
        for line in text.lines() {
            let Some((name, times)) = line.split_once('\t') else { continue };
            let times = times.split(' ').map(|time| time.parse().map(Duration::from_nanos));
            let times = times.collect::<Result<Vec<_>, _>>().with_context(|| format!("not times: {line}"))?;
            rows.push((name.to_owned(), Samples::new(&times)));
        }
        ensure!(!rows.is_empty(), "the bench has measured nothing");
        Ok(Self { rows })
    }

    pub(crate) fn get(&self, name: &str) -> Result<&Samples> {
        let row = self.rows.iter().find(|(known, _)| known == name);
        row.map(|(_, samples)| samples).with_context(|| format!("the bench has not measured \"{name}\""))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|(name, _)| name.as_str())
    }

    /// A table of all of it.
    pub(crate) fn show(&self, page: &mut Page) {
        self.show_without(page, "\t");
    }

    /// A table of what is a time: rows with these words in their name are none.
    pub(crate) fn show_without(&self, page: &mut Page, words: &str) {
        page.times_head();
        for (name, samples) in self.rows.iter().filter(|(name, _)| !name.contains(words)) {
            page.times(name, samples, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_bench_are_names_and_times_and_others_are_passed_over() {
        let measured = Measured::read("warming up\nscan\t3000000 1000000 2000000\n").unwrap();
        assert!((measured.get("scan").unwrap().median() - 2.0).abs() < 1e-9);
        assert!(measured.get("read").is_err());
        assert!(Measured::read("scan\t1 two").is_err());
        assert!(Measured::read("nothing").is_err());
    }
}
