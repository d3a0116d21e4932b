//! The hook from outside: real executables, real sockets, real files.

mod artifact;
mod crowd;
mod daemon;
mod deliver;
mod fail_open;
mod house;
