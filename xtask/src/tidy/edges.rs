//! Which crate may know which. The table is the map of ARCHITECTURE; a new edge is an argument, not an accident.

use std::path::Path;

use serde_json::Value;

use super::{Finding, Source};

/// The folder of a crate under `crates/`, and the crates of ours it may depend on. Dev-dependencies are free: a
/// test may stand on both sides of a seam.
const ALLOWED: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("model", &[]),
    ("redact", &[]),
    ("hook", &["wire"]),
    ("client", &["wire", "model", "redact"]),
    ("agents", &["model"]),
    ("store", &["model"]),
    ("weights-static", &[]),
    ("weights-minilm-a", &[]),
    ("weights-minilm-b", &[]),
    ("embed", &["weights-static", "weights-minilm-a", "weights-minilm-b"]),
    ("distill", &["model"]),
    ("recall", &[]),
    ("providers", &["model"]),
    ("import", &["model", "store"]),
    ("checkpoint", &["model"]),
    ("notes", &["model"]),
    ("engine", &["model", "redact", "store", "distill", "embed", "recall"]),
    (
        "daemon",
        &["model", "wire", "redact", "agents", "engine", "store", "client", "embed", "providers", "notes"],
    ),
    (
        "throughline",
        // The binary may know every room but the tiny hook.
        &[
            "wire",
            "model",
            "redact",
            "client",
            "agents",
            "store",
            "engine",
            "daemon",
            "import",
            "checkpoint",
            "embed",
            "recall",
            "distill",
            "providers",
            "weights-static",
            "weights-minilm-a",
            "weights-minilm-b",
        ],
    ),
];

/// Everything is synchronous; a runtime would come with an argument and a line here.
const RUNTIMES: &[&str] = &["tokio", "async-std", "smol", "async-executor"];

/// `metadata` is what `cargo metadata --no-deps` prints.
pub(crate) fn check(metadata: &Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in items(&metadata["packages"]) {
        let Some(name) = room(package["manifest_path"].as_str().and_then(|path| Path::new(path).parent()))
        else {
            continue;
        };
        let file = format!("crates/{name}/Cargo.toml");
        let Some((_, allowed)) = ALLOWED.iter().find(|(room, _)| *room == name) else {
            let says = "is a room without a line in xtask/src/tidy/edges.rs".to_owned();
            findings.push(Finding { file, line: 0, says });
            continue;
        };
        for dependency in items(&package["dependencies"]) {
            if dependency["kind"] == "dev" {
                continue;
            }
            let Some(other) = room(dependency["path"].as_str().map(Path::new)) else { continue };
            if !allowed.contains(&other.as_str()) {
                let says = format!("{name} may not depend on {other}");
                findings.push(Finding { file: file.clone(), line: 0, says });
            }
        }
    }
    findings
}

pub(crate) fn check_lock(sources: &[Source]) -> Vec<Finding> {
    let Some(lock) = sources.iter().find(|source| source.path == "Cargo.lock") else { return Vec::new() };
    let mut findings = Vec::new();
    for (at, line) in lock.text.lines().enumerate() {
        for runtime in RUNTIMES {
            if line == format!("name = \"{runtime}\"") {
                let says = format!("{runtime} is a runtime, and everything here is synchronous");
                findings.push(Finding { file: lock.path.clone(), line: at + 1, says });
            }
        }
    }
    findings
}

/// The folder's name, if it lies directly under `crates/`.
fn room(folder: Option<&Path>) -> Option<String> {
    let folder = folder?;
    let parent = folder.parent()?.file_name()?;
    (parent == "crates").then(|| folder.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn depends(from: &str, to: &str, kind: &Value) -> Vec<String> {
        let metadata = json!({"packages": [{
            "manifest_path": format!("/x/crates/{from}/Cargo.toml"),
            "dependencies": [{"path": format!("/x/crates/{to}"), "kind": kind}, {"name": "serde", "kind": null}],
        }]});
        check(&metadata).into_iter().map(|finding| finding.says).collect()
    }

    #[test]
    fn an_edge_that_is_not_on_the_map_is_named() {
        assert_eq!(depends("store", "engine", &Value::Null), ["store may not depend on engine"]);
        assert_eq!(depends("model", "wire", &json!("build")), ["model may not depend on wire"]);
        assert!(depends("engine", "store", &Value::Null).is_empty());
    }

    #[test]
    fn a_test_may_look_at_both_sides_of_a_seam() {
        assert!(depends("hook", "client", &json!("dev")).is_empty());
    }

    #[test]
    fn a_room_nobody_drew_is_named() {
        assert_eq!(depends("attic", "model", &Value::Null).len(), 1);
    }

    #[test]
    fn a_runtime_in_the_lock_file_is_named() {
        let lock =
            Source { path: "Cargo.lock".to_owned(), text: "[[package]]\nname = \"tokio\"\n".to_owned() };
        assert_eq!(check_lock(&[lock])[0].line, 2);
    }
}
