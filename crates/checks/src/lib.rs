//! A project's own compilers and linters: which of the known ones it uses, one bounded run of one, what it says as
//! findings, and which of them a session has caused. Only tools that are listed here are ever run, with arguments that
//! are written here: nothing a repository's file names as a command. Starts no thread, keeps no clock, knows no hook.

mod find;
mod finding;
mod ledger;
mod lines;
mod run;
mod tool;
mod tools;
mod trust;

pub use find::{Check, Seen, State, concerns, find, survey};
pub use finding::{Finding, Kind};
pub use ledger::{Ledger, Stopping};
pub use lines::Lines;
pub use run::{Failure, run};
pub use tool::{Scope, Tool};
pub use tools::ALL;
pub use trust::Trust;
