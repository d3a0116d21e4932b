//! Reading the tables for an answer: what the store cannot do becomes what the asker can do about it.

use store::{StoreError, Tables};

use crate::House;
use crate::problem::{self, Problem};

/// Asks the tables with a reader that is open already.
pub(crate) fn read<T>(
    house: &dyn House,
    ask: impl FnOnce(&Tables) -> Result<T, StoreError>,
) -> Result<T, Problem> {
    let (mut ask, mut found) = (Some(ask), None);
    house
        .read(&mut |tables| {
            if let Some(ask) = ask.take() {
                found = Some(ask(tables)?);
            }
            Ok(())
        })
        .map_err(|error| trouble(&error))?;
    found.ok_or(problem::OUT_OF_ORDER)
}

pub(crate) fn trouble(error: &StoreError) -> Problem {
    match error {
        StoreError::Ambiguous(_) => Problem::conflict("more than one begins like this", "say more of the id"),
        _ => problem::OUT_OF_ORDER,
    }
}
