//! What an agent may touch and run. Texts and paths in, decisions out: a path is followed as the file system will follow
//! it, a command is read as a shell would read it and never run. Looks at files, changes none; knows no agent, no hook
//! and no settings of ours.

pub mod commands;
mod foreign;
pub mod scope;
pub mod shell;
