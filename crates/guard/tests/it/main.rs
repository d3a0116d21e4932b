//! What an agent may touch and run, from the outside.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod commands;
mod scope;
mod scope_commands;
mod shell;
mod shell_and_bash;
mod shell_limits;
mod work;
mod writes;
