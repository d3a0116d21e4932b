//! One file per command.

pub(crate) mod backfill;
pub(crate) mod behaviors;
pub(crate) mod checkpoint;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod daemon;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod eval;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod gc;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod install;
pub(crate) mod man;
pub(crate) mod model;
pub(crate) mod pause;
pub(crate) mod rebuild;
pub(crate) mod redact;
pub(crate) mod remember;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod sessions;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod timeline;
pub(crate) mod uninstall;

mod batch;
mod exported;
mod lines;
mod reader;
mod settings_file;
mod transcript;
