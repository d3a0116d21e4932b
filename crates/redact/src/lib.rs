//! Removes private text and secrets in memory, before anything is written.
