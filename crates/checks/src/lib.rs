//! A project's own compilers and linters: which of the known ones it uses, one bounded run of one, what it says as
//! findings, and which of them a session has caused. Only tools that are listed here are ever run, with arguments that
//! are written here: nothing a repository's file names as a command. Starts no thread, keeps no clock, knows no hook.

mod find;
mod finding;
mod ground;
mod ledger;
mod lines;
mod members;
mod path;
mod run;
mod tool;
mod tools;
mod trust;
mod trusted;

pub use find::{Check, Ground, Seen, State, concerns, find, is_used, survey};
pub use finding::{Finding, Kind};
pub use ground::{is_ours, main_work_tree, real};
pub use ledger::{Ledger, Noted, Stopping};
pub use lines::Lines;
pub use members::Family;
pub use path::Folders;
pub use run::{Failure, run};
pub use tool::{Scope, Tool};
pub use tools::ALL;
pub use trust::Trust;
pub use trusted::{By, Entry, Trusted, claude_files};
