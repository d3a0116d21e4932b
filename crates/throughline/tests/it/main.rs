//! The binary as people and agents meet it: real processes, a real socket, a home of its own for every test.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cli;
mod damage;
mod envelopes;
mod fail_open;
mod faults;
mod forgetting;
mod house;
mod install;
mod memory_life;
mod memory_reading;
mod memory_traffic;
mod models;
mod spine;

#[test]
fn every_file_is_listed() {
    let list = include_str!("main.rs");
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || list.contains(&format!("mod {module};")), "{name} is not listed");
    }
}
