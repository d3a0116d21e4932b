//! Where rules and skills lie: in the workspace, with the person, in plugins. Read once per state of the files.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use serde_json::Value;

use super::prompt::{vector, whole};
use super::rules::{self, MAX_BYTES, RULES_FILE};
use super::{Shelf, Skill, is_name, theirs};
use crate::page::one_line;

/// Below a folder that has skills.
const FOLDER: &str = ".claude/skills";
const AGENTS: &str = ".claude/agents";
const PAGE: &str = "SKILL.md";
/// Of one folder; more are nobody's shelf.
const MAX_SKILLS: usize = 200;
/// The front matter stands at the beginning.
const MAX_PAGE: usize = 8 << 10;
const DESCRIPTION_CHARS: usize = 600;
const MAX_PLUGINS: usize = 64;
/// Workspaces whose shelves are kept.
const MAX_KEPT: usize = 32;

/// Where to look.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    pub workspace: Option<&'a Path>,
    pub home: Option<&'a Path>,
}

type Stamps = Vec<(PathBuf, Option<SystemTime>, u64)>;
/// By workspace.
type Kept = HashMap<PathBuf, (Stamps, Arc<Shelf>)>;

/// What lies there. The same as before while no file has changed.
pub fn shelf(places: Places<'_>) -> Arc<Shelf> {
    static KEPT: OnceLock<Mutex<Kept>> = OnceLock::new();
    let files = files(places);
    let stamps: Stamps = files
        .rules
        .iter()
        .chain(&files.their_rules)
        .chain(&files.pages)
        .chain(&files.agents)
        .map(|path| stamp(path))
        .collect();
    let key = places.workspace.unwrap_or(Path::new("")).to_owned();
    let kept = KEPT.get_or_init(Mutex::default);
    if let Some((before, shelf)) = kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key)
        && *before == stamps
    {
        return Arc::clone(shelf);
    }
    let shelf = Arc::new(read(&files));
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= MAX_KEPT {
        kept.clear();
    }
    kept.insert(key, (stamps, Arc::clone(&shelf)));
    shelf
}

struct Files {
    /// The person's.
    rules: Option<PathBuf>,
    /// The repository's.
    their_rules: Option<PathBuf>,
    pages: Vec<PathBuf>,
    /// Folders of agents.
    agents: Vec<PathBuf>,
}

fn files(places: Places<'_>) -> Files {
    let folders: Vec<PathBuf> =
        [places.workspace, places.home].into_iter().flatten().map(|folder| folder.join(FOLDER)).collect();
    let rules = |folder: Option<&Path>| {
        folder.map(|folder| folder.join(FOLDER).join(RULES_FILE)).filter(|file| file.is_file())
    };
    let (own, theirs) = (rules(places.home), rules(places.workspace));
    // In the home folder itself there is one file, and it is the person's.
    let theirs = theirs.filter(|theirs| own.as_ref() != Some(theirs));
    let agents =
        [places.workspace, places.home].into_iter().flatten().map(|folder| folder.join(AGENTS)).collect();
    let plugins = places.home.map(plugins).unwrap_or_default();
    let mut pages: Vec<PathBuf> = Vec::new();
    for folder in folders.iter().chain(&plugins) {
        let mut names: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .take(MAX_SKILLS)
            .map(|entry| entry.path().join(PAGE))
            .filter(|page| page.is_file())
            .collect();
        names.sort();
        pages.append(&mut names);
    }
    Files { rules: own, their_rules: theirs, pages, agents }
}

/// The skills of installed plugins, as the client's own list names them.
fn plugins(home: &Path) -> Vec<PathBuf> {
    let list = home.join(".claude/plugins/installed_plugins.json");
    let Some(text) = text(&list, MAX_BYTES) else { return Vec::new() };
    let Ok(document) = serde_json::from_str::<Value>(&text) else { return Vec::new() };
    let (mut found, mut ahead) = (Vec::new(), vec![&document]);
    while let Some(value) = ahead.pop() {
        match value {
            Value::Array(items) => ahead.extend(items),
            Value::Object(fields) => {
                if let Some(path) = fields.get("installPath").and_then(Value::as_str) {
                    found.push(Path::new(path).join("skills"));
                }
                ahead.extend(fields.values());
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found.truncate(MAX_PLUGINS);
    found
}

fn stamp(path: &Path) -> (PathBuf, Option<SystemTime>, u64) {
    let about = fs::metadata(path).ok();
    let modified = about.as_ref().and_then(|about| about.modified().ok());
    (path.to_owned(), modified, about.map_or(0, |about| about.len()))
}

fn text(path: &Path, most: u64) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    (about.is_file() && about.len() <= most).then(|| fs::read_to_string(path).ok())?
}

fn read(files: &Files) -> Shelf {
    let mut shelf =
        Shelf { file: files.rules.clone(), their_file: files.their_rules.clone(), ..Shelf::default() };
    let read_rules = |file: &Option<PathBuf>| {
        let Some(file) = file else { return (Vec::new(), Vec::new()) };
        if let Some(text) = text(file, MAX_BYTES) {
            return rules::read(&text);
        }
        let what = format!("{RULES_FILE} cannot be read, or is larger than {} MB", MAX_BYTES >> 20);
        (Vec::new(), vec![what])
    };
    (shelf.rules, shelf.faults) = read_rules(&files.rules);
    for page in &files.pages {
        let Some((name, description)) = text(page, MAX_BYTES).and_then(|text| front(page, &text)) else {
            continue;
        };
        // The workspace's own comes first.
        if shelf.skills.iter().any(|skill| skill.name == name) {
            continue;
        }
        let said = format!("{}: {description}", name.replace(['-', '_', ':'], " "));
        shelf.skills.push(Skill {
            vector: vector(&said),
            words: whole(&said),
            file: page.clone(),
            name,
            description,
        });
    }
    let (their_rules, their_faults) = read_rules(&files.their_rules);
    shelf.faults.extend(their_faults);
    let agents: Vec<&Path> = files.agents.iter().map(PathBuf::as_path).collect();
    let kept = theirs::kept(their_rules, &shelf.rules, &shelf.skills, &agents, &mut shelf.faults);
    shelf.rules.extend(kept);
    shelf.faults.truncate(rules::MAX_FAULTS);
    shelf
}

/// The name and the description that stand at the top of a page.
fn front(page: &Path, text: &str) -> Option<(String, String)> {
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_PAGE).unwrap_or(text.len());
    let body = text[..end].strip_prefix("---")?;
    let head = &body[..body.find("\n---")?];
    let folder = page.parent()?.file_name()?.to_str()?;
    let (mut name, mut description, mut goes_on) = (folder.to_owned(), String::new(), false);
    for line in head.lines() {
        let value = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
        if let Some(text) = line.strip_prefix("name:") {
            name = value(text);
            goes_on = false;
        } else if let Some(text) = line.strip_prefix("description:") {
            description = value(text.trim().trim_start_matches(['|', '>', '-']));
            goes_on = true;
        } else if goes_on && line.starts_with([' ', '\t']) {
            description.push(' ');
            description.push_str(line.trim());
        } else {
            goes_on = false;
        }
    }
    let description = one_line(&description, DESCRIPTION_CHARS);
    (is_name(&name) && !description.is_empty()).then_some((name, description))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_skills_are_found_in_the_workspace_first_then_with_the_person_and_in_plugins() {
        let folder = tempfile::tempdir().unwrap();
        let (work, home) = (folder.path().join("w"), folder.path().join("h"));
        let page = |at: &Path, name: &str, text: &str| {
            fs::create_dir_all(at.join(name)).unwrap();
            fs::write(at.join(name).join(PAGE), text).unwrap();
        };
        page(
            &work.join(FOLDER),
            "deploy",
            "---\nname: deploy\ndescription: >\n  Ships a release\n  to the servers\n---\n# x",
        );
        page(&home.join(FOLDER), "deploy", "---\nname: deploy\ndescription: another\n---\n");
        page(&home.join(FOLDER), "none", "# no front matter");
        page(&folder.path().join("p/skills"), "chart", "---\ndescription: \"Draws charts\"\n---\n");
        fs::create_dir_all(home.join(".claude/plugins")).unwrap();
        let list = serde_json::json!({ "plugins": { "x": [{ "installPath": folder.path().join("p") }] } });
        fs::write(home.join(".claude/plugins/installed_plugins.json"), list.to_string()).unwrap();
        fs::write(home.join(FOLDER).join(RULES_FILE), r#"{"skills": {"own": {}}}"#).unwrap();
        let places = Places { workspace: Some(&work), home: Some(&home) };
        let shelf = super::shelf(places);
        let names: Vec<&str> = shelf.skills.iter().map(|skill| skill.name.as_str()).collect();
        assert_eq!(names, ["deploy", "chart"]);
        assert_eq!(shelf.skills[0].description, "Ships a release to the servers");
        assert_eq!(shelf.rules[0].name, "own");
        assert!(Arc::ptr_eq(&shelf, &super::shelf(places)), "read once");
        let theirs =
            r#"{"skills": {"deploy": {"enforcement": "block"}, "gone": {}, "own": {"enforcement": "warn"}}}"#;
        fs::write(work.join(FOLDER).join(RULES_FILE), theirs).unwrap();
        let shelf = super::shelf(places);
        let names: Vec<(&str, bool)> =
            shelf.rules.iter().map(|rule| (rule.name.as_str(), rule.is_theirs)).collect();
        assert_eq!(names, [("own", false), ("deploy", true)], "and again when something changed");
    }
}
