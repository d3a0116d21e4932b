//! The engine on a real store. One binary; every file here is one of its stories.
#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod search;

#[test]
fn every_file_is_listed() {
    let listed = include_str!("main.rs");
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name} is not listed");
    }
}
