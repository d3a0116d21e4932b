//! Writes down by the hour what hooks cost, so that a chart of last week can be drawn. Away from every hook: the
//! keeping thread calls it every few minutes and when the daemon leaves. What was counted before an hour's end and is
//! written after it is in the next; a daemon that is killed takes a few minutes along.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use model::{Millis, Spread};
use store::{StoreError, Tables};

use crate::intake::Intake;

const HOUR_MS: Millis = 60 * 60 * 1000;

/// What is in the tables already, by name.
#[derive(Debug, Default)]
pub(crate) struct Hours(Mutex<HashMap<String, Spread>>);

impl Hours {
    /// Adds what is new since the last time. Writes nothing where nothing is.
    pub(crate) fn flush(
        &self,
        intake: &Intake,
        now: Millis,
        open: impl FnOnce() -> Result<Tables, StoreError>,
    ) -> Result<(), StoreError> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<(String, Spread)> = counted(intake).filter(|(_, all)| all.count > 0).collect();
        let news = |name: &String, all: &Spread| {
            written.get(name).map_or_else(|| all.clone(), |known| less(all, known))
        };
        let news: Vec<(&String, Spread)> =
            all.iter().map(|(name, all)| (name, news(name, all))).filter(|(_, new)| new.count > 0).collect();
        if news.is_empty() {
            return Ok(());
        }
        let hour = now / HOUR_MS;
        open()?.write(|batch| {
            for (name, new) in &news {
                batch.add_latency(hour, name, new.count, new.micros, &new.places)?;
            }
            batch.prune_latencies(hour)
        })?;
        written.extend(all);
        Ok(())
    }
}

fn counted(intake: &Intake) -> impl Iterator<Item = (String, Spread)> {
    let hooks = intake.hooks.each().map(|(kind, series)| (format!("hook.{}", kind.name()), series.all()));
    let behaviors = intake.advisor.each().flat_map(|record| {
        let name = record.behavior.name();
        [(format!("advise.{name}"), record.advice.all()), (format!("learn.{name}"), record.learning.all())]
    });
    hooks.chain(behaviors)
}

/// Both only grow.
fn less(all: &Spread, known: &Spread) -> Spread {
    Spread {
        count: all.count.saturating_sub(known.count),
        micros: all.micros.saturating_sub(known.micros),
        max_us: all.max_us,
        places: all.places.iter().zip(&known.places).map(|(all, known)| all.saturating_sub(*known)).collect(),
    }
}
