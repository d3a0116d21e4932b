//! What an organisation says about hooks, above all that a person can set: Claude Code's managed settings.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Finding;

/// Where they are: one file, and a folder of pieces beside it.
const FOLDER: &str =
    if cfg!(target_os = "macos") { "/Library/Application Support/ClaudeCode" } else { "/etc/claude-code" };
const FILE: &str = "managed-settings.json";
const PIECES: &str = "managed-settings.d";
/// Settings are smaller; a larger file is something else.
const MAX_FILE: u64 = 1 << 20;
const MAX_PIECES: usize = 100;

pub(super) fn managed() -> Vec<Finding> {
    said(Path::new(FOLDER))
}

fn said(folder: &Path) -> Vec<Finding> {
    let pieces = fs::read_dir(folder.join(PIECES)).into_iter().flatten().filter_map(Result::ok);
    let pieces =
        pieces.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    let mut files: Vec<PathBuf> = pieces.take(MAX_PIECES).collect();
    files.sort();
    files.insert(0, folder.join(FILE));
    files.iter().filter_map(|file| finding(file)).collect()
}

fn finding(file: &Path) -> Option<Finding> {
    let about = fs::metadata(file).ok().filter(|about| about.is_file() && about.len() <= MAX_FILE)?;
    let settings = fs::read(file).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let shown = file.display();
    let Some(settings) = settings else {
        let what = format!("{shown} cannot be read ({} bytes); it may switch our hooks off", about.len());
        return Some(Finding::warn("settings", what, "ask whoever manages this machine"));
    };
    let says = |key: &str| settings[key] == Value::Bool(true);
    let key = ["allowManagedHooksOnly", "disableAllHooks"].into_iter().find(|key| says(key))?;
    let what = format!("{shown} sets {key}: Claude Code runs none of our hooks, whatever your settings say");
    Some(Finding::fail("settings", what, "ask whoever manages this machine to allow them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organisation_that_allows_only_its_own_hooks_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let told =
            || -> Vec<String> { said(folder.path()).into_iter().map(|finding| finding.what).collect() };
        assert!(told().is_empty());
        let file = folder.path().join(FILE);
        fs::write(&file, r#"{"allowManagedHooksOnly":false,"permissions":{}}"#).unwrap();
        assert!(told().is_empty());
        fs::write(&file, r#"{"allowManagedHooksOnly":true}"#).unwrap();
        assert!(told()[0].contains("allowManagedHooksOnly"), "{:?}", told());
        fs::write(&file, "{").unwrap();
        assert!(told()[0].contains("cannot be read"), "{:?}", told());
        fs::remove_file(&file).unwrap();
        fs::create_dir(folder.path().join(PIECES)).unwrap();
        fs::write(folder.path().join(PIECES).join("10-hooks.json"), r#"{"allowManagedHooksOnly":true}"#)
            .unwrap();
        assert!(told()[0].contains("10-hooks.json"), "{:?}", told());
    }
}
