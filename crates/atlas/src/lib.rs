//! The code of one workspace as a map that is never stale: what is where, who calls what, what a change touches.
//! Reads files and asks `store` for what it knew before; decides nothing about agents, and prints nothing.
//!
//! ```text
//! files ─walk─▶ text ─code::facts─▶ Library (facts of every file, by name) ─▶ resolve: what a reference means
//!    ▲                                  │ kept in store::CodeRows                 │
//!    └──── stamps are compared before every answer                                └─▶ graph: callers, impact, dead, deps
//! ```
//!
//! Nothing resolved is kept: a reference is resolved when somebody asks, from the facts of the files as they are then.
//! So a change of one file costs that file alone, and no edge can be out of date.

pub mod answer;
mod atlas;
mod error;
pub mod exchange;
mod graph;
mod imports;
mod key;
mod leaf;
pub mod library;
pub mod modules;
mod names;
mod pack;
pub mod picture;
pub mod question;
mod reading;
pub mod resolve;
pub mod say;
mod search;
mod shelf;
mod stamp;
mod suppose;
mod taking;
mod tree;
mod walk;

pub use answer::Answer;
pub use atlas::{Atlas, Progress, prepare};
pub use error::AtlasError;
pub use imports::{Trouble, What};
pub use leaf::{Leaf, LeafIndex};
pub use library::{Def, FileId, Library};
pub use question::Question;
pub use shelf::Shelf;
