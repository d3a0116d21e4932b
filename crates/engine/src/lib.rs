//! Decisions: which behaviors hear an event, what they may say, and the configuration they obey.
//! Knows nothing of agents' dialects, sockets or SQL; if you need their names you are in the wrong room.

mod behavior;
mod behaviors;
mod citing;
pub mod config;
pub mod coordination;
pub mod deeds;
mod desk;
pub mod facts;
mod fence;
mod hints;
mod life;
pub mod memory;
mod merge;
mod moment;
mod once;
mod origin;
mod page;
mod paths;
pub mod presence;
pub mod renew;
pub mod rules;
pub mod search;
pub mod sharing;
pub mod skills;
mod surroundings;

pub use behavior::{
    ALL, Behavior, Context, Deciding, Keep, Late, Learned, Workspace, advise, by_name, decide, hearers,
    late_heading, learners,
};
pub use behaviors::{Act, Checked, Step, Wrong};
pub use behaviors::{Edited, Every, JUDGE, Pace, Question};
pub use behaviors::{LEASE as CLAIM_LEASE, claimed_path, files_on_disk, is_claiming, line_words, real_path};
pub use behaviors::{MAX_MESSAGE_CHARS, MAX_MESSAGES_WAITING};
pub use behaviors::{
    MAX_WRITTEN as MAX_HAND_OFF, end_stale_turn, page as hand_off_page, render as hand_off_text,
};
pub use behaviors::{Wrote, credit};
pub use behaviors::{losses_told, tell_loss};
pub use desk::{Desk, Lines};
pub use fence::{fence, sanitize};
pub use memory::is_kept_as_one;
pub use merge::{Part, merge};
pub use once::{Once, Tentative};
pub use origin::{Origin, heard, origin, sources};
pub use page::Page;
pub use patterns;
pub use surroundings::{Fault, Loss, Reading, Surroundings};

/// One variant per reaction of the caller: all of these end as silence, a log line and a count.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// Words alone must do.
    #[error(transparent)]
    Embed(#[from] embed::EmbedError),
}

impl EngineError {
    /// What the store said; anything else is passed over by whoever only writes.
    pub fn into_store(self) -> Option<store::StoreError> {
        match self {
            Self::Store(error) => Some(error),
            Self::Embed(_) => None,
        }
    }
}

pub type Result<T> = std::result::Result<T, EngineError>;
