//! Everything that was counted, in one answer for `top` and `/metrics`. Costs a few reads of the tables and of one
//! folder, and is asked once a second at most.

use std::fs;

use engine::Surroundings;
use model::{Costs, HookCost, Millis};
use store::SessionPage;

use crate::intake::{Intake, now};

/// A session that was silent for longer is nobody's who is at work now, whether or not it said that it ended.
const AT_WORK_MS: u64 = 4 * 60 * 60 * 1000;
/// A spool that is fuller is a fault that `doctor` tells.
const MAX_SPOOLED: usize = 10_000;

pub(crate) fn gather(intake: &Intake, version: &str, started_at: Millis, learned: u64) -> Costs {
    let now = now();
    let config = intake.config();
    let mut costs = Costs {
        version: version.to_owned(),
        pid: std::process::id(),
        started_at,
        uptime_ms: now.saturating_sub(started_at),
        hooks: intake
            .hooks
            .each()
            .map(|(kind, series)| HookCost { event: kind.name().to_owned(), took: series.windows() })
            .filter(|hook| hook.took.all.count > 0)
            .collect(),
        behaviors: intake.advisor.each().map(|record| record.cost(&config)).collect(),
        envelopes: intake.counters.each().map(|(name, count)| (name.to_owned(), count)).collect(),
        journal_bytes: intake.journal.bytes(),
        journal_head: intake.journal.head(),
        learned,
        spooled: spooled(intake),
        lost: intake.losses.report().ever,
        ..Costs::default()
    };
    if let Some(lender) = intake.lender() {
        // What cannot be read now is not said.
        let _ = lender.read(&mut |tables| {
            costs.memories = Some(tables.count_memories()?);
            // Looks at those of the last hours alone, by an index.
            let live_since = Some(now.saturating_sub(AT_WORK_MS));
            costs.sessions_live =
                Some(tables.total_sessions(&SessionPage { live_since, ..SessionPage::default() })?);
            costs.redactions = tables.redactions()?.into_iter().map(|one| (one.name, one.count)).collect();
            Ok(())
        });
    }
    costs
}

fn spooled(intake: &Intake) -> u64 {
    let Ok(files) = fs::read_dir(intake.place.spool()) else { return 0 };
    let is_whole = |file: &fs::DirEntry| file.path().extension().is_some_and(|end| end == "env");
    files.take(MAX_SPOOLED).flatten().filter(is_whole).count() as u64
}
