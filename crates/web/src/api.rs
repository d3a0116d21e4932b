//! `/api/v1`: one line per thing that can be asked. The router and the OpenAPI document are both made from the list,
//! so neither can say what the other does not. A room is a file: what it takes, what it gives, and the work between.
#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "whatever can be asked is a function of one shape, so that it can stand in one list"
)]

mod agents;
mod behaviors;
mod checkpoints;
mod claims;
mod code;
mod context;
mod document;
mod doing;
mod elsewhere;
mod endpoint;
mod events;
mod hand_offs;
mod health;
mod injections;
mod logs;
mod memories;
mod memory;
mod named;
mod page;
mod patterns;
mod prompts;
mod reading;
mod rooms;
mod search;
mod session;
mod sessions;
mod settings;
mod stats;
mod status;
mod summaries;
mod timeline;
mod words;
mod workspaces;

pub(crate) use document::document;
pub(crate) use endpoint::routes;
pub(crate) use memory::MemoryCard;
pub(crate) use rooms::all;
pub(crate) use session::{Session, now};
