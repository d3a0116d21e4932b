//! Carries envelopes to the daemon and never opens letters; keeps in the spool what could not be delivered.
//! No runtime, no database, no configuration: a hook has fifty milliseconds.

pub mod address;
pub mod began;
pub mod call;
pub mod context;
pub mod hook;
pub mod key;
pub mod losses;
pub mod pause;
pub mod place;
pub mod private;
pub mod spool;
mod start;

pub use address::socket_address;
pub use call::{Request, Trouble, ask, call};
pub use place::Place;
pub use start::start_daemon;

use std::time::{SystemTime, UNIX_EPOCH};

/// The release this client belongs to, as it says on the wire.
pub const VERSION: u32 = wire::version_code(
    number(env!("CARGO_PKG_VERSION_MAJOR")) as u8,
    number(env!("CARGO_PKG_VERSION_MINOR")),
    number(env!("CARGO_PKG_VERSION_PATCH")) as u8,
);

/// A fresh event id. Without randomness (no such machine is known) ids of one millisecond collide.
pub fn mint() -> model::EventId {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    model::EventId::mint(now, key::random().unwrap_or_default())
}

const fn number(digits: &str) -> u16 {
    match u16::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("Cargo checks versions"),
    }
}
