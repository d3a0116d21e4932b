//! Drops the derived database and makes it anew from the journal.

use std::time::{Duration, Instant};

use clap::Args;
use daemon::DaemonLock;

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
        if database.exists() {
            store::move_aside(&database).map_err(person)?;
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
        print::line(&format!(
            "rebuilt: {} events, {} sessions, {} prompts",
            stats.events, stats.sessions, stats.prompts
        ))
    }
}
