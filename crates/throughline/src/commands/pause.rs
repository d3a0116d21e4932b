//! Stops and resumes recording with a marker file; no settings are touched.

use std::fs;
use std::io;
use std::time::{Duration, SystemTime};

use clap::Args;

use crate::print;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Pause {
    /// Resume by itself after this many minutes
    #[arg(long, value_name = "MINUTES")]
    minutes: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {}

impl Pause {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let until =
            self.minutes.map(|minutes| SystemTime::now() + Duration::from_secs(minutes.saturating_mul(60)));
        client::pause::begin(&world.place, until)?;
        match self.minutes {
            Some(minutes) => {
                print::line(&format!("paused for {minutes} minutes; `throughline resume` ends it earlier"))
            }
            None => print::line("paused: nothing is recorded until `throughline resume`"),
        }
    }
}

impl Resume {
    #[expect(clippy::unused_self, reason = "every command has the same shape")]
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        match fs::remove_file(world.place.paused()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => print::line("recording was not paused"),
            Err(error) => Err(error.into()),
            Ok(()) => print::line("recording again"),
        }
    }
}
