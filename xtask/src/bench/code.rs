//! The map of a million lines: how fast it is made beside a bare parse, what it takes in memory, how soon it is there
//! again, what a change costs, and how long every kind of question takes.

use anyhow::Result;

use super::Options;
use super::measured::Measured;
use super::page::{Goal, Page};

const LINES: usize = 1_000_000;
const QUICK_LINES: usize = 150_000;
/// A bare parse is at least two fifths of the work.
const BARE: f64 = 2.5;
/// Seconds of one core for a megabyte.
const SECONDS_A_MEGABYTE: f64 = 1.0;
const RESIDENT_MB: f64 = 1024.0;
const START_MS: f64 = 100.0;
const CHANGE_MS: f64 = 20.0;
const QUESTION_MS: f64 = 20.0;
/// As the bench names its rows.
const PROCESSOR: &str = " (processor)";
const QUESTIONS: [&str; 12] = [
    "outline",
    "symbol",
    "refs",
    "callers",
    "callees",
    "impact",
    "tests-for",
    "context",
    "flow",
    "search",
    "dead",
    "deps",
];

pub(crate) fn measure(page: &mut Page, options: Options) -> Result<()> {
    let from = page.goals().len();
    let (lines, rounds) = if options.quick { (QUICK_LINES, "1") } else { (LINES, "3") };
    page.begin(
        &format!("The code map, {lines} lines"),
        "Copies of sources of packages, of Python's library, headers and scripts, in one workspace. \"cold index\" reads, \
         parses, resolves nothing and keeps everything; \"bare parse\" is tree-sitter over the same bytes on the same \
         threads. \"(processor)\" is the time of all threads on a core: on a busy machine it tells more than the clock. \
         Every question looks at the stamps of all files first. From `cargo bench -p throughline-atlas --bench map`.",
    );
    let measured = Measured::run("throughline-atlas", "map", &[&lines.to_string(), rounds])?;
    measured.show_without(page, " bytes");
    let busy = |name: &str| -> Result<f64> {
        let [clock, processor] =
            [name.to_owned(), format!("{name}{PROCESSOR}")].map(|row| measured.get(&row));
        Ok((clock?.median() / processor?.median()).max(1.0))
    };
    let mut goal = |says: &str, ours: f64, reference: f64, most: f64, unit: &'static str, noise: f64| {
        page.goal(Goal { says: says.to_owned(), ours, reference, most, unit, noise });
    };
    let processor = |name: &str| measured.get(&format!("{name}{PROCESSOR}"));
    let (cold, bare) = (measured.get("cold index")?, measured.get("bare parse")?);
    goal("cold index / bare parse, p50", cold.median(), bare.median(), BARE, "ms", bare.noise());
    let (cold, bare) = (processor("cold index")?, processor("bare parse")?);
    goal(
        "cold index / bare parse, p50 on the processor",
        cold.median(),
        bare.median(),
        BARE,
        "ms",
        bare.noise(),
    );
    // A million bytes are a millisecond to whoever reads nanoseconds.
    let megabytes = measured.get("corpus bytes")?.median();
    let says = format!("cold index, seconds of a core for a megabyte / {SECONDS_A_MEGABYTE} s");
    goal(&says, cold.median() / 1e3 / megabytes, SECONDS_A_MEGABYTE, 1.0, "s", 1.0);
    for name in ["cold peak bytes", "resident bytes after all questions"] {
        let resident = measured.get(name)?.median();
        goal(&format!("{name} / {RESIDENT_MB} MB"), resident, RESIDENT_MB, 1.0, "MB", 1.0);
    }
    for (name, most) in [("warm start to an outline", START_MS), ("one changed file", CHANGE_MS)] {
        let ours = measured.get(name)?.percentile(95.0);
        goal(&format!("{name} p95 / {most} ms"), ours, most, 1.0, "ms", busy(name)?);
    }
    let (look, walk) = (measured.get("look at what has not changed")?, measured.get("bare walk and stat")?);
    goal("a look / a bare walk and stat, p50", look.median(), walk.median(), 1.0, "ms", walk.noise());
    for name in QUESTIONS {
        let ours = measured.get(name)?.percentile(95.0);
        goal(&format!("{name} p95 / {QUESTION_MS} ms"), ours, QUESTION_MS, 1.0, "ms", busy(name)?);
    }
    page.end(from);
    Ok(())
}
