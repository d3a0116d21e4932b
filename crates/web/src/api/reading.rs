//! Reading the tables for an answer: what the store cannot do becomes what the asker can do about it.

use std::time::{Duration, Instant};

use store::{StoreError, Tables};

use crate::House;
use crate::problem::{self, Problem};

/// A daemon that was started a moment ago is still making its tables.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Asks the tables with a reader that is open already.
pub(crate) fn read<T>(
    house: &dyn House,
    ask: impl FnOnce(&Tables) -> Result<T, StoreError>,
) -> Result<T, Problem> {
    let (mut ask, mut found) = (Some(ask), None);
    let until = Instant::now() + PATIENCE;
    loop {
        let read = house.read(&mut |tables| {
            // A database without tables says so here, and whoever asks is not asked yet.
            tables.cursor()?;
            if let Some(ask) = ask.take() {
                found = Some(ask(tables)?);
            }
            Ok(())
        });
        match read {
            // Nobody was asked: they are not made yet.
            Err(_) if ask.is_some() && Instant::now() < until => std::thread::sleep(PAUSE),
            Err(error) => return Err(trouble(&error)),
            Ok(()) => return found.ok_or(problem::OUT_OF_ORDER),
        }
    }
}

pub(crate) fn trouble(error: &StoreError) -> Problem {
    match error {
        StoreError::Ambiguous(_) => Problem::conflict("more than one begins like this", "say more of the id"),
        _ => problem::OUT_OF_ORDER,
    }
}
