//! What it costs to make memories of events, beside reading the same events.

use anyhow::Result;

use super::Options;
use super::measured::Measured;
use super::page::{Goal, Page};

const EVENTS: f64 = 1000.0;
/// A thousand events on one core.
const MOST_MS: f64 = 1000.0;

pub(crate) fn measure(page: &mut Page, options: Options) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        "Distilling",
        "A thousand events of a made-up session, in turns of 25, on one core. \"read\" is what the adapter does with \
         their bytes before. From `cargo bench -p throughline-distill --bench distilling`.",
    );
    let arguments: &[&str] = if options.quick { &["quick"] } else { &[] };
    let measured = Measured::run("throughline-distill", "distilling", arguments)?;
    measured.show(page);
    let (read, distilled) = (measured.get("1000 events read")?, measured.get("1000 events distilled")?);
    page.line("");
    page.head(&["what", "value"]);
    page.row(&["events read per second", &format!("{:.0}", EVENTS * 1e3 / read.median())]);
    page.row(&["events distilled per second", &format!("{:.0}", EVENTS * 1e3 / distilled.median())]);
    page.row(&["distilling p50 / reading p50", &format!("{:.2}", distilled.median() / read.median())]);
    page.goal(Goal {
        says: "1000 events distilled p50 / 1 s".to_owned(),
        ours: distilled.median(),
        reference: MOST_MS,
        most: 1.0,
        unit: "ms",
        noise: read.noise(),
    });
    page.end(from);
    Ok(())
}
