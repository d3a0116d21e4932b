//! Labelled paths: every layout is made on a real disk, every decision is compared. A wrong one, in either direction, fails.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use guard::scope::{From, Pattern, judge};
use proptest::prelude::*;
use tempfile::TempDir;

const CASES: &str = include_str!("scope/cases.txt");

/// One layout of the file.
struct House {
    _root: TempDir,
    project: PathBuf,
    home: PathBuf,
    data: PathBuf,
    cwd: PathBuf,
    strict: bool,
}

impl House {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let top = root.path().canonicalize().unwrap();
        let (project, home) = (top.join("project"), top.join("home"));
        let data = home.join(".throughline/default");
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::create_dir_all(top.join("elsewhere")).unwrap();
        fs::create_dir_all(&data).unwrap();
        Self { _root: root, cwd: project.clone(), project, home, data, strict: false }
    }

    fn place(&self, path: &str) -> PathBuf {
        let path = path.replace("{project}", &self.project.to_string_lossy());
        let path = path.replace("{home}", &self.home.to_string_lossy());
        let path = path.replace("\\0", "\0");
        PathBuf::from(path)
    }

    #[expect(clippy::unused_self, reason = "it reads as what the house does")]
    fn write(&self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A line that makes something. False: it is none.
    fn make(&mut self, word: &str, rest: &str) -> bool {
        match word {
            "scope" => self.write(&self.project.join(".throughline/scope.json"), rest),
            "nested" => {
                let (folder, text) = rest.split_once(' ').unwrap();
                self.write(&self.project.join(folder).join(".throughline/scope.json"), text);
            }
            "user" => self.write(&self.data.join("scope.json"), rest),
            "file" => self.write(&self.project.join(self.place(rest)), ""),
            "dir" => fs::create_dir_all(self.project.join(self.place(rest))).unwrap(),
            "link" => {
                let (link, target) = rest.split_once(" -> ").unwrap();
                let link = self.project.join(link);
                fs::create_dir_all(link.parent().unwrap()).unwrap();
                symlink(self.place(target), link).unwrap();
            }
            "cwd" => {
                self.cwd = self.project.join(self.place(rest));
                fs::create_dir_all(&self.cwd).unwrap();
            }
            "strict" => self.strict = true,
            _ => return false,
        }
        true
    }

    fn verdict(&self, path: &str) -> &'static str {
        let from = From {
            cwd: Some(&self.cwd),
            project: Some(&self.project),
            data: Some(&self.data),
            home: Some(&self.home),
            strict: self.strict,
            ..From::default()
        };
        judge(&from, &self.place(path)).verdict.name()
    }
}

#[test]
fn every_labelled_path_gets_its_verdict() {
    let mut house = House::new();
    let (mut layout, mut count, mut wrong) = ("", 0, Vec::new());
    for line in CASES.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(name) = line.strip_prefix("## ") {
            (house, layout) = (House::new(), name);
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if house.make(word, rest) {
            continue;
        }
        assert!(matches!(word, "allow" | "ask" | "deny"), "{line}");
        count += 1;
        let found = house.verdict(rest);
        if found != word {
            wrong.push(format!("{layout}: {rest}: {found}, not {word}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 300, "{count} cases");
}

#[test]
fn a_case_insensitive_folder_is_noticed_where_there_is_one() {
    // Only some file systems have such folders; where this disk has none, that is what is proved.
    let house = House::new();
    house.write(&house.project.join("src/Secret.txt"), "");
    house.write(&house.project.join(".throughline/scope.json"), r#"{"deny": ["src/Secret.txt"]}"#);
    let folds = house.project.join("SRC/SECRET.TXT").exists();
    assert_eq!(house.verdict("src/SECRET.TXT"), if folds { "deny" } else { "allow" });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_pattern_and_no_path_is_too_strange(pattern in "\\PC{0,24}|[*?/\\[\\]{},!\\\\a-c.]{0,40}", path in "[a-c./]{0,30}|\\PC{0,20}") {
        if let Ok(pattern) = Pattern::read(&pattern) {
            let name = path.rsplit('/').next().unwrap_or_default();
            for folds in [false, true] {
                let _ = pattern.names(&guard::scope::Subject::new(Some(&path), name, folds));
            }
        }
    }

    #[test]
    fn no_scope_file_is_too_strange(text in "\\PC{0,60}|[{}\\[\\]\",:a-z \n]{0,80}") {
        let _ = guard::scope::Lists::read(&text);
    }
}

proptest! {
    // Each makes a house on the disk.
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What is denied is denied under every spelling of it.
    #[test]
    fn no_spelling_of_a_denied_path_passes(detours in proptest::collection::vec(0..5usize, 0..6)) {
        let house = House::new();
        house.write(&house.project.join(".throughline/scope.json"), r#"{"deny": ["secret/**"]}"#);
        fs::create_dir_all(house.project.join("secret/deep")).unwrap();
        symlink("secret", house.project.join("link")).unwrap();
        let mut path = String::new();
        for detour in detours {
            path.push_str(["./", "secret/../", "link/../", "secret/deep/../../", "no/../"][detour]);
        }
        path.push_str("link/key");
        prop_assert_eq!(house.verdict(&path), "deny");
    }
}
