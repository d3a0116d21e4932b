//! The distiller from outside: whole sessions, real captures, hostile input.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod captures;
mod claims;
mod failures;
mod hostile;
mod orders;
mod outcomes;
mod poisoned;
mod resolved;
mod rules;
mod script;
mod sessions;
mod speed;
mod summed_up;
mod words;
mod worth;
