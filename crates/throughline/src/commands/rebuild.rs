//! Drops the derived database and makes it anew from the journal.

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use daemon::DaemonLock;
use store::Tables;

use super::{daemon as daemon_command, reader};
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// A million events; progress is shown meanwhile.
const PATIENCE: Duration = Duration::from_mins(10);

#[derive(Debug, Args)]
pub(crate) struct Rebuild {}

impl Rebuild {
    #[expect(clippy::unused_self, reason = "every command has the same shape")]
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        daemon_command::stop(world)?;
        let patience = Duration::from_secs(2);
        let Some(lock) = DaemonLock::take(&world.place.lock(), patience)? else {
            let next = "run `throughline daemon stop`, then again";
            return Err(hint(
                Failure::Person,
                "a daemon came back while the tables were to be rebuilt",
                next,
            ));
        };
        let database = world.place.database();
        let mut carried = 0;
        if database.exists() {
            let aside = store::move_aside(&database).map_err(person)?;
            carried = carry_over(world, &database, &aside)?;
        }
        drop(lock);
        reader::start(world)?;
        let until = Instant::now() + PATIENCE;
        while reader::settle(world).is_err() && Instant::now() < until {
            if let Some(status) = reader::status(world) {
                print::line(&format!("{} of {} events", status["learned"], status["journal_head"]))?;
            }
        }
        let stats = reader::tables(world)?.stats().map_err(person)?;
        let mut memories = print::count(stats.memories, "memory", "memories");
        if carried > 0 {
            memories.push_str(&format!(", {carried} of them carried over"));
        }
        print::line(&memories)?;
        print::line(&format!(
            "rebuilt: {} events, {} sessions, {} prompts",
            stats.events, stats.sessions, stats.prompts
        ))
    }
}

/// What only the old tables knew: memories whose events are no longer in the journal, and what was forgotten. How
/// many memories.
fn carry_over(world: &World, database: &Path, aside: &Path) -> anyhow::Result<u64> {
    let retained = reader::journal(world)?.tail();
    let mut tables = Tables::open(database).map_err(person)?;
    match tables.carry_over(aside, retained) {
        Ok(carried) => Ok(carried.memories),
        // A damaged one gives nothing, and is the reason to rebuild.
        Err(error) => {
            print::line(&format!("the old tables cannot be read, nothing is carried over: {error}"))?;
            Ok(0)
        }
    }
}
