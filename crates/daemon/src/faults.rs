//! What is wrong with the house just now, for whoever tells people. Raised where it is met and cleared where it is
//! over; told elsewhere, once. Holds sentences of ours, never a text of an agent's.

use std::sync::{Mutex, PoisonError};

use engine::Fault;
use model::{MemoryId, Millis};
use store::StoreError;

use crate::intake::now;

/// More at once have one cause.
const MAX_FAULTS: usize = 16;

/// One thing that can be wrong. The same kind stands once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Settings that are not taken.
    Configuration,
    /// Acknowledging failed: hooks spool.
    Journal,
    /// The tables do not follow the journal.
    Learning,
    /// The tables were damaged and are derived anew.
    Rebuilt,
    /// Search answers by words alone, or not at all.
    Search,
    /// Envelopes that were kept aside cannot be read.
    Spool,
    /// The folder of memory files is gone, or most of what was in it.
    MemoryFiles,
    /// The team's database refuses us.
    Sharing,
}

impl Trouble {
    const fn name(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Journal => "journal",
            Self::Learning => "learning",
            Self::Rebuilt => "rebuilt",
            Self::Search => "search",
            Self::Spool => "spool",
            Self::MemoryFiles => "memory-files",
            Self::Sharing => "sharing",
        }
    }

    const fn repair(self) -> &'static str {
        match self {
            Self::Configuration => "throughline config list",
            Self::Search => "throughline model list",
            Self::Sharing => "throughline team status",
            _ => "throughline doctor",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<Vec<(Trouble, Fault)>>);

impl Faults {
    /// What stands in the configuration is the same fault after every start; what happens is another each time.
    pub(crate) fn raise(&self, trouble: Trouble, what: &str) {
        self.raise_with(trouble, what, trouble.repair());
    }

    /// With the repair that fits this one.
    pub(crate) fn raise_with(&self, trouble: Trouble, what: &str, repair: &str) {
        let since = match trouble {
            Trouble::Configuration | Trouble::Search => MemoryId::of(&[what]).to_string(),
            // It stands until somebody mends it, whoever starts meanwhile; the next day it may be another.
            Trouble::MemoryFiles | Trouble::Sharing => format!("{}-{}", MemoryId::of(&[what]), day(now())),
            _ => now().to_string(),
        };
        self.put(trouble, &since, what, repair);
    }

    /// A full disk is told as what it is, whoever met it.
    pub(crate) fn raise_store(&self, trouble: Trouble, error: &StoreError) {
        let (what, repair) = match error {
            StoreError::Full(path) => {
                (format!("The disk that holds {} is full.", path.display()), "throughline doctor")
            }
            error => (format!("{}: {error}", consequence(trouble)), trouble.repair()),
        };
        self.put(trouble, &day(now()), &what, repair);
    }

    pub(crate) fn clear(&self, trouble: Trouble) {
        let mut faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        faults.retain(|(kind, _)| *kind != trouble);
    }

    /// The one of this kind that stands.
    pub(crate) fn of(&self, trouble: Trouble) -> Option<Fault> {
        let faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        faults.iter().find(|(kind, _)| *kind == trouble).map(|(_, fault)| fault.clone())
    }

    pub(crate) fn list(&self) -> Vec<Fault> {
        let faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        faults.iter().map(|(_, fault)| fault.clone()).collect()
    }

    fn put(&self, trouble: Trouble, since: &str, what: &str, repair: &str) {
        let mut faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The first sentence of a fault stands until it is over: its name must not change while it is told.
        let stands = faults.iter().any(|(kind, fault)| {
            *kind == trouble && (trouble != Trouble::Configuration || fault.what == what)
        });
        if stands || faults.len() >= MAX_FAULTS {
            return;
        }
        let fault = Fault {
            name: format!("{}:{since}", trouble.name()),
            what: what.to_owned(),
            repair: repair.to_owned(),
        };
        faults.push((trouble, fault));
    }
}

/// What a failure of the store means to a person.
const fn consequence(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::Journal => "What agents do is kept aside and not yet recorded",
        Trouble::Learning => "What is recorded is not yet turned into memories",
        _ => "Something is wrong with the data",
    }
}

/// A trouble that comes and goes is told once a day.
fn day(at: Millis) -> String {
    (at / (24 * 60 * 60 * 1000)).to_string()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_fault_keeps_its_name_until_it_is_over() {
        let faults = Faults::default();
        faults.raise(Trouble::Rebuilt, "the tables were damaged");
        let first = faults.list();
        faults.raise(Trouble::Rebuilt, "again");
        assert_eq!(faults.list(), first);
        faults.clear(Trouble::Rebuilt);
        assert!(faults.list().is_empty());
    }

    #[test]
    fn every_wrong_setting_is_a_fault_of_the_same_name_after_each_start() {
        let (one, other) = (Faults::default(), Faults::default());
        for faults in [&one, &other] {
            for what in ["a is wrong", "b is wrong", "a is wrong"] {
                faults.raise(Trouble::Configuration, what);
            }
        }
        assert_eq!(one.list(), other.list());
        assert_eq!(one.list().len(), 2);
    }

    #[test]
    fn a_full_disk_is_told_as_what_it_is() {
        let faults = Faults::default();
        faults.raise_store(Trouble::Journal, &StoreError::Full(PathBuf::from("/data/journal")));
        assert_eq!(faults.list()[0].what, "The disk that holds /data/journal is full.");
        // What makes room depends on what takes it, and the doctor looks.
        assert_eq!(faults.list()[0].repair, "throughline doctor");
    }
}
