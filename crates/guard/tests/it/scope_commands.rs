//! Labelled commands: every layout is made on a real disk, every decision about what a command writes is compared.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use guard::scope::{From, judge_command};
use tempfile::TempDir;

const CASES: &str = include_str!("scope/commands.txt");
const SWITCHES: &str = include_str!("scope/switches.txt");

struct House {
    root: TempDir,
    project: PathBuf,
    cwd: PathBuf,
}

impl House {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::create_dir_all(root.path().join("home/me")).unwrap();
        fs::create_dir_all(root.path().join("outside")).unwrap();
        Self { root, cwd: project.clone(), project }
    }

    fn make(&mut self, word: &str, rest: &str) -> bool {
        let write = |path: &Path, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let outside = self.root.path().canonicalize().unwrap().join("outside");
        match word {
            "scope" => write(&self.project.join(".throughline/scope.json"), rest),
            "file" => write(&self.project.join(rest), ""),
            "dir" => fs::create_dir_all(self.project.join(rest)).unwrap(),
            "many" => (0..1200).for_each(|at| write(&self.project.join(rest).join(at.to_string()), "")),
            "huge" => (0..11_000).for_each(|at| write(&self.project.join(rest).join(at.to_string()), "")),
            "link" => {
                let (link, target) = rest.split_once(" -> ").unwrap();
                let link = self.project.join(link);
                fs::create_dir_all(link.parent().unwrap()).unwrap();
                symlink(target, link).unwrap();
            }
            "outside" => {
                let (link, target) = rest.split_once(" -> ").unwrap();
                symlink(self.project.join(target), outside.join(link)).unwrap();
            }
            "cwd" => self.cwd = PathBuf::from(rest.replace("{outside}", &outside.to_string_lossy())),
            _ => return false,
        }
        true
    }

    fn verdict(&self, command: &str) -> (&'static str, String) {
        let many: Vec<String> = (0..256).map(|at| format!("a{at}")).collect();
        let command = command.replace("{many}", &many.join(" "));
        let home = self.root.path().join("home/me");
        let from = From { cwd: Some(&self.cwd), home: Some(&home), ..From::default() };
        let judgment = judge_command(&from, &command);
        let said = judgment.as_ref().map_or("allow", |judgment| judgment.verdict.name());
        (if said == "allow" { "-" } else { said }, judgment.map(|held| held.why).unwrap_or_default())
    }
}

#[test]
fn every_labelled_command_gets_its_verdict() {
    let mut house = House::new();
    let (mut layout, mut count, mut wrong) = ("", 0, Vec::new());
    for line in CASES.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(name) = line.strip_prefix("## ") {
            (house, layout) = (House::new(), name);
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap();
        if house.make(word, rest) {
            continue;
        }
        assert!(matches!(word, "-" | "ask" | "deny"), "{line}");
        count += 1;
        let (said, why) = house.verdict(rest);
        if said != word {
            wrong.push(format!("{layout}: {rest}: {said}, not {word}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 200, "{count} cases");
}

#[test]
fn switches_are_a_question_however_a_command_touches_them() {
    const PID: &str = "424242";
    let (mut part, mut count, mut wrong) = ("", 0, Vec::new());
    let root = tempfile::tempdir().unwrap();
    let top = root.path().canonicalize().unwrap();
    let (home, project) = (top.join("home/me"), top.join("work/app"));
    let data = home.join(".throughline/default");
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    fs::create_dir_all(project.join(".git")).unwrap();
    for name in [
        "run/token",
        "key",
        "config.toml",
        "commands.json",
        "logs/daemon.log",
        "memories/a.md",
        "rules/x/run",
    ] {
        write(data.join(name), "x");
    }
    write(data.join("run/daemon.pid"), PID);
    for name in [".claude/settings.json", ".claude/hooks/guard.sh", ".claude/worktrees/x/a", "a.txt", "src/a"]
    {
        write(project.join(name), "x");
    }
    write(home.join(".claude/settings.json"), "{}");
    write(project.join("evil.patch"), "--- a/.claude/settings.json\n+++ b/.claude/settings.json\n");
    write(project.join("good.patch"), "--- a/src/a\n+++ b/src/a\n");
    for line in SWITCHES.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(name) = line.strip_prefix("## ") {
            part = name;
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap();
        assert!(matches!(word, "-" | "ask"), "{line}");
        count += 1;
        let command = rest.replace('⏎', "\n").replace("{pid}", PID);
        let from = From {
            cwd: Some(&project),
            project: Some(&project),
            home: Some(&home),
            data: Some(&data),
            ..From::default()
        };
        let judgment = judge_command(&from, &command);
        let said = judgment.as_ref().map_or("-", |held| held.verdict.name());
        let said = if said == "allow" { "-" } else { said };
        if said != word {
            let why = judgment.map(|held| format!("{} {}", held.real_path.display(), held.why));
            wrong.push(format!("{part}: {rest}: {said}, not {word}: {}", why.unwrap_or_default()));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 150, "{count} cases");
}
