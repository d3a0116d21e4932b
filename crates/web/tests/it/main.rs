//! The door over real sockets: who is let in, who is not, and what either costs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod bounds;
mod doors;
mod listening;
mod requests;
mod sessions;
mod world;

/// A file that nobody names is a test that never runs.
#[test]
fn every_file_is_listed() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = include_str!("main.rs");
    for file in std::fs::read_dir(here).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name}");
    }
}
