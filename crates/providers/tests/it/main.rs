//! The clients against scripted servers on loopback and a scripted executable.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod claude_cli;
mod dialects;
mod distill;
mod embedder;
mod real_client;
mod server;
mod troubles;

/// A file that is not listed above is not run.
#[test]
fn every_file_is_listed() {
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap();
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name}");
    }
}
