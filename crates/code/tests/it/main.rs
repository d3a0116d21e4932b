//! Everything about texts: samples of every language, properties that hold for any text.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod flow;
mod flow_calls;
mod flow_real;
mod flow_slices;
mod outlines;
mod samples;
