//! The distiller from outside: whole sessions, real captures, hostile input.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod captures;
mod hostile;
mod rules;
mod script;
mod sessions;
mod speed;

#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let listed = include_str!("main.rs");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(name == "main" || listed.contains(&format!("mod {name};")), "{name} is not run");
    }
}
