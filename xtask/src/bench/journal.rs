//! The journal's own bench, judged. It measures both sides itself, interleaved; here its rows become goals.

use anyhow::{Context, Result, ensure};

use super::page::{Goal, Page};
use crate::run;

/// An acknowledged event may cost this many times a bare append with its own sync, by as many writers.
const MOST: f64 = 2.0;

pub(crate) fn measure(page: &mut Page) -> Result<()> {
    let mut command = run::cargo(&["bench", "--quiet", "-p", "throughline-store", "--bench", "journal"]);
    let from = page.goals().len();
    page.begin(
        "Journal",
        &format!(
            "From `{}`. \"journal\" is acknowledged, \"own\" and \"shared\" are bare appends of the same bytes with a sync \
             each, to a file per writer and to one file; \"zeroed\" is \"shared\" into a file written ahead.",
            run::line(&command)
        ),
    );
    let text = run::read(&mut command)?;
    page.line(&format!("```text\n{}\n```", text.trim_end()));
    for goal in goals(&text)? {
        page.goal(goal);
    }
    page.end(from);
    Ok(())
}

/// One line of the bench: size in KB, writers, side, events per second, p50 and p99 in microseconds.
struct Row<'a> {
    size: &'a str,
    writers: &'a str,
    side: &'a str,
    rate: f64,
    p99: f64,
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [size, writers, side, rate, _, p99, ..] = cells[..] else { return None };
        size.parse::<u32>().ok()?;
        Some(Self { size, writers, side, rate: rate.parse().ok()?, p99: p99.parse().ok()? })
    }
}

fn goals(text: &str) -> Result<Vec<Goal>> {
    let rows: Vec<Row> = text.lines().filter_map(Row::read).collect();
    let mut goals = Vec::new();
    for ours in rows.iter().filter(|row| row.side == "journal") {
        let same = |row: &&Row| row.side == "own" && (row.size, row.writers) == (ours.size, ours.writers);
        let bare = rows.iter().find(same).context("the bench shows a journal row without its bare side")?;
        let mut goal = |what: &str, ours_us: f64, bare_us: f64| {
            goals.push(Goal {
                says: format!("{what}, {} KB, {} writers, journal / bare", ours.size, ours.writers),
                ours: ours_us,
                reference: bare_us,
                most: MOST,
                unit: "us",
                // Both sides wait for one disk in turn; the bench shows no p95 to judge it by.
                noise: 1.0,
            });
        };
        goal("time per event", 1e6 / ours.rate, 1e6 / bare.rate);
        goal("p99", ours.p99, bare.p99);
    }
    ensure!(!goals.is_empty(), "the journal's bench shows no row of the journal");
    Ok(goals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_row_is_judged_against_the_bare_row_of_its_size_and_writers() {
        let text = "size KB  producers  side  events/s  p50 us  p99 us\n\
                    1  1  journal  1000  900  2000  0.9\n1  1  shared  2000  400  800\n1  1  own  4000  200  500\n\
                    1  16  own  9  9  9\nopened 100000 entries of 2 KB in 20.5 ms\n";
        let ratios: Vec<f64> = goals(text).unwrap().iter().map(Goal::ratio).collect();
        assert!(
            ratios.iter().zip([4.0, 4.0]).all(|(ratio, wanted)| (ratio - wanted).abs() < 1e-9),
            "{ratios:?}"
        );
        assert!(goals("nothing\n").is_err());
    }
}
