//! What failed and what then worked, so that it is known again when it comes back: the lines of an output that say what is wrong,
//! made equal where only numbers, folders and times differ ([`FailureSignature`]), and the edits or the command after which the same thing
//! passed ([`FailureTracker`]). Quotes what was done; never explains.

mod signature;
mod tracker;

pub use signature::FailureSignature;
pub use tracker::{FailureTracker, FixingEdit, ResolvedFailure, WorkingCommand};
