//! What a vector costs: the kernels against plain Rust, the static model, and the scan against a read of its bytes.

use anyhow::{Context, Result};

use super::Options;
use super::measured::Measured;
use super::page::{Goal, Page};

/// A question is in the way of an answer: what it may cost on one core.
const QUESTION_MS: f64 = 6.0;
/// What the scan may cost beside reading what it scans.
const SCAN: f64 = 1.2;
const SCALAR: &str = "scalar";
/// As the bench names its rows.
const LENGTHS: [&str; 3] = ["20 pieces", "60 pieces", "256 pieces"];
const TOGETHER: &str = "16 x 60 pieces together";
const AT_ONCE: f64 = 16.0;
const ROWS: [&str; 2] = ["100000 rows", "1000000 rows"];

pub(crate) fn measure(page: &mut Page, options: Options) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        "Embedding",
        "One core. A question has about 20 pieces, a memory about 60; 256 are the most that is read at once. The scan \
         goes over vectors of 384 bytes; \"read\" sums the same bytes as words. From \
         `cargo bench -p throughline-embed --bench embedding`.",
    );
    let arguments: &[&str] = if options.quick { &["quick"] } else { &[] };
    let measured = Measured::run("throughline-embed", "embedding", arguments)?;
    measured.show(page);
    kernels(page, &measured)?;
    for rows in ROWS {
        let (scan, read) =
            (measured.get(&format!("scan of {rows}"))?, measured.get(&format!("read of {rows}"))?);
        page.goal(Goal {
            says: format!("scan p50 / read p50, {rows}"),
            ours: scan.median(),
            reference: read.median(),
            most: SCAN,
            unit: "ms",
            noise: read.noise(),
        });
    }
    page.end(from);
    Ok(())
}

/// Every kernel beside the scalar one; the fastest has to keep the promise.
fn kernels(page: &mut Page, measured: &Measured) -> Result<()> {
    let kernels: Vec<&str> =
        measured.names().filter_map(|name| name.strip_prefix(LENGTHS[0])?.strip_prefix(", ")).collect();
    page.line("");
    page.head(&[
        "kernel",
        "20 pieces / scalar",
        "60 pieces / scalar",
        "256 pieces / scalar",
        "memories per second",
    ]);
    for kernel in &kernels {
        let mut cells = vec![(*kernel).to_owned()];
        for length in LENGTHS {
            let [ours, scalar] = [kernel, &SCALAR].map(|kernel| measured.get(&format!("{length}, {kernel}")));
            cells.push(format!("{:.3}", ours?.median() / scalar?.median()));
        }
        // The scalar kernel is not given many at once.
        let together = measured.get(&format!("{TOGETHER}, {kernel}")).ok();
        cells.push(together.map_or_else(String::new, |row| format!("{:.0}", AT_ONCE * 1e3 / row.median())));
        page.row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let fastest = kernels.first().context("the bench has run no kernel")?;
    let question = measured.get(&format!("{}, {fastest}", LENGTHS[0]))?;
    page.goal(Goal {
        says: format!("a question's vector p50, {fastest} / {QUESTION_MS} ms"),
        ours: question.median(),
        reference: QUESTION_MS,
        most: 1.0,
        unit: "ms",
        // The reference is a constant; whether the machine was quiet shows in what was measured.
        noise: question.noise(),
    });
    Ok(())
}
