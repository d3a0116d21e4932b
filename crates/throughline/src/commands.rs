//! One file per command.

pub(crate) mod behaviors;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod daemon;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod hook;
pub(crate) mod install;
pub(crate) mod man;
pub(crate) mod pause;
pub(crate) mod rebuild;
pub(crate) mod redact;
pub(crate) mod sessions;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod uninstall;

mod reader;
mod settings_file;
