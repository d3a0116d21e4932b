//! Which crate may know which. The table is the map of ARCHITECTURE; a new edge is an argument, not an accident.

use std::collections::{HashMap, HashSet};
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
    ("code", &[]),
    ("guard", &[]),
    ("checks", &["providers"]),
    ("team", &["model", "recall", "store"]),
    ("atlas", &["code", "store", "embed", "model", "recall", "redact"]),
    ("distill", &["model"]),
    ("recall", &[]),
    ("providers", &["model"]),
    ("import", &["model", "store", "notes"]),
    ("checkpoint", &["model"]),
    ("notes", &["model"]),
    ("patterns", &["model"]),
    (
        "engine",
        &["model", "redact", "store", "distill", "embed", "recall", "code", "atlas", "guard", "patterns"],
    ),
    ("mcp", &["model", "engine", "store", "atlas"]),
    ("web", &["engine", "mcp", "model", "store", "atlas"]),
    (
        "daemon",
        &[
            "model",
            "wire",
            "redact",
            "agents",
            "engine",
            "store",
            "client",
            "checkpoint",
            "embed",
            "providers",
            "notes",
            "code",
            "atlas",
            "checks",
            "team",
        ],
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
            "mcp",
            "web",
            "checkpoint",
            "embed",
            "recall",
            "code",
            "atlas",
            "guard",
            "checks",
            "distill",
            "providers",
            "team",
            "weights-static",
            "weights-minilm-a",
            "weights-minilm-b",
        ],
    ),
];

/// Everything is synchronous but two doors (decisions 9 and 10) and one way out (decision 12).
const RUNTIMES: &[&str] = &["tokio", "async-std", "smol", "async-executor"];
/// The rooms that have a runtime. They let nothing async out but to each other, so whoever stands behind them is as
/// synchronous as ever.
const DOORS: &[&str] = &["throughline-mcp", "throughline-web", "throughline-team"];

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

/// No package of ours reaches a runtime, directly or through others' packages, but through a door. The lock file
/// says what is linked, whatever a manifest calls it; its edges for tests count, too.
pub(crate) fn check_lock(sources: &[Source]) -> Vec<Finding> {
    let Some(lock) = sources.iter().find(|source| source.path == "Cargo.lock") else { return Vec::new() };
    let packages = locked(&lock.text);
    let mut edges: HashMap<&str, Vec<&str>> = HashMap::new();
    for package in &packages {
        // Two versions of one name are taken together: a finding too many is looked at, one too few is not.
        edges.entry(package.name).or_default().extend(&package.needs);
    }
    let mut findings = Vec::new();
    for package in packages.iter().filter(|package| package.is_ours && !DOORS.contains(&package.name)) {
        let mut seen = HashSet::from([package.name]);
        let mut next = vec![package.name];
        while let Some(name) = next.pop() {
            let needs = edges.get(name).into_iter().flatten();
            next.extend(needs.copied().filter(|need| !DOORS.contains(need) && seen.insert(need)));
        }
        for runtime in RUNTIMES.iter().filter(|runtime| seen.contains(**runtime)) {
            let doors = DOORS.join(" and ");
            let says = format!("{} reaches the runtime {runtime}, which only {doors} may", package.name);
            findings.push(Finding { file: lock.path.clone(), line: package.line, says });
        }
    }
    findings
}

struct Locked<'a> {
    name: &'a str,
    line: usize,
    /// Others' packages have a source.
    is_ours: bool,
    needs: Vec<&'a str>,
}

fn locked(text: &str) -> Vec<Locked<'_>> {
    let mut packages: Vec<Locked<'_>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let value = |key: &str| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"');
        if let Some(name) = value("name") {
            packages.push(Locked { name, line: at + 1, is_ours: true, needs: Vec::new() });
        }
        let Some(package) = packages.last_mut() else { continue };
        if value("source").is_some() {
            package.is_ours = false;
        }
        // ` "name",` or ` "name version",`
        let need = line.strip_prefix(" \"").and_then(|need| need.strip_suffix("\","));
        package.needs.extend(need.and_then(|need| need.split(' ').next()));
    }
    packages
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

    /// Packages with what they need; a name with a capital is somebody else's.
    fn lock(packages: &[(&str, &[&str])]) -> Vec<String> {
        let mut text = String::new();
        for (name, needs) in packages {
            text.push_str(&format!("[[package]]\nname = \"{}\"\nversion = \"1.0.0\"\n", name.to_lowercase()));
            if name.starts_with(char::is_uppercase) {
                text.push_str("source = \"registry\"\n");
            }
            text.push_str("dependencies = [\n");
            for need in *needs {
                text.push_str(&format!(" \"{need}\",\n"));
            }
            text.push_str("]\n\n");
        }
        let findings = check_lock(&[Source { path: "Cargo.lock".to_owned(), text }]);
        findings.into_iter().map(|finding| finding.says).collect()
    }

    #[test]
    fn a_runtime_behind_a_door_is_nobodys_business() {
        let (pipe, http): (&[&str], &[&str]) = (&["rmcp", "tokio"], &[DOORS[0], "hyper", "tokio"]);
        let rmcp: (&str, &[&str]) = ("Rmcp", &["tokio 1.54.1"]);
        let hyper: (&str, &[&str]) = ("Hyper", &["tokio"]);
        let doors = [(DOORS[0], pipe), (DOORS[1], http), rmcp, hyper, ("Tokio", &[])];
        assert!(lock(&[&doors[..], &[("throughline", DOORS)]].concat()).is_empty());
    }

    #[test]
    fn a_runtime_is_found_however_far_away_and_who_reaches_it_is_named() {
        let found = lock(&[
            ("throughline-daemon", &["hyper", DOORS[0]]),
            ("Hyper", &["h2 0.4.1"]),
            ("H2", &["tokio"]),
            ("Tokio", &[]),
            (DOORS[0], &["tokio"]),
        ]);
        let says =
            format!("throughline-daemon reaches the runtime tokio, which only {} may", DOORS.join(" and "));
        assert_eq!(found, [says]);
        assert_eq!(lock(&[("throughline", &["smol"]), ("Smol", &[])]).len(), 1);
    }
}
