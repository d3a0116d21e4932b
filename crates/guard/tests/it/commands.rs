//! Commands with the decision each must get, in both directions. A wrong one fails.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use guard::commands::{Lists, Place, Rules, Verdict, judge};
use proptest::prelude::*;

use crate::work::worked;

const SHIPPED: &str = include_str!("commands.tsv");
const OWN: &str = include_str!("commands_of_a_person.tsv");
const DANGEROUS: &str = include_str!("dangerous.txt");
const HARMLESS: &str = include_str!("harmless.txt");

fn place() -> Place {
    Place {
        cwd: PathBuf::from("/w/app"),
        workspace: PathBuf::from("/w/app"),
        home: Some(PathBuf::from("/home/me")),
        branch: Some("my-feature".to_owned()),
    }
}

struct Counts {
    caught: usize,
    passed: usize,
}

/// Judges every line of a table.
fn judged(table: &str) -> Counts {
    let (mut rules, mut place, mut wrong) = (Rules::default(), place(), Vec::new());
    let mut counts = Counts { caught: 0, passed: 0 };
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(setting) = line.strip_prefix("@ ") {
            let (name, value) = setting.split_once(' ').expect("a setting has a value");
            let lists = || Lists::parse(Path::new("commands.json"), value).expect("rules of the table");
            match name {
                "user" => rules.user = lists(),
                "project" => rules.project = lists(),
                "branch" => place.branch = Some(value.to_owned()),
                "cwd" => place.cwd = PathBuf::from(value),
                other => panic!("no setting is called {other}"),
            }
            continue;
        }
        let [verdict, rule, command] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
            panic!("not a verdict, a rule and a command: {line}");
        };
        let judgment = judge(&rules, &place, &command.replace('⏎', "\n"));
        let said = judgment.verdict.map_or("-", Verdict::name);
        let by = if judgment.verdict.is_none() { "-" } else { judgment.rule.as_str() };
        if (said, by) != (verdict, rule) {
            wrong.push(format!("{command}\n    is {verdict} by {rule}, not {said} by {by}"));
        }
        match verdict {
            "ask" | "deny" => counts.caught += 1,
            _ => counts.passed += 1,
        }
    }
    assert!(wrong.is_empty(), "{} wrong decisions:\n{}", wrong.len(), wrong.join("\n"));
    counts
}

#[test]
fn no_command_of_the_table_is_decided_wrongly() {
    let counts = judged(SHIPPED);
    assert!(
        counts.caught >= 200 && counts.passed >= 150,
        "{} caught, {} passed",
        counts.caught,
        counts.passed
    );
}

#[test]
fn what_a_person_allows_asks_and_denies_is_done_and_nothing_beyond_it() {
    let counts = judged(OWN);
    assert!(counts.caught >= 30 && counts.passed >= 50, "{} caught, {} passed", counts.caught, counts.passed);
}

/// The commands of a list, each with the part it stands in.
fn listed(text: &str) -> Vec<(&str, String)> {
    let mut part = "";
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("## ") {
            Some(name) => part = name,
            None if line.starts_with('#') => {}
            None => all.push((part, line.replace('⏎', "\n"))),
        }
    }
    all
}

#[test]
fn of_a_hundred_commands_that_cannot_be_taken_back_ninety_seven_are_asked_about() {
    let all = listed(DANGEROUS);
    for part in ["looked at while the rules were made", "held out", "looked for gaps, held out as well"] {
        let commands: Vec<&String> =
            all.iter().filter(|(of, _)| *of == part).map(|(_, command)| command).collect();
        let is_missed = |command: &&&String| judge(&Rules::default(), &place(), command).verdict.is_none();
        let missed: Vec<&&String> = commands.iter().filter(is_missed).collect();
        println!("{part}: {} of {} missed: {missed:#?}", missed.len(), commands.len());
        assert!(commands.len() >= 125 && missed.len() * 100 <= commands.len() * 3, "{part}: {missed:#?}");
    }
}

#[test]
fn nothing_of_every_day_is_a_question() {
    let all = listed(HARMLESS);
    let said = all.iter().filter_map(|(_, command)| {
        let judgment = judge(&Rules::default(), &place(), command);
        judgment.verdict.map(|_| format!("{command}: {}", judgment.rule))
    });
    let said: Vec<String> = said.collect();
    assert!(all.len() >= 300 && said.is_empty(), "{} of {}: {said:#?}", said.len(), all.len());
}

/// Every Bash call of real transcripts (`*.jsonl`, as clients write them) in a folder: how many are questions, and by which
/// rule. Counts alone are printed; with `THROUGHLINE_SHOW=1` the commands, too.
#[test]
#[ignore = "a measurement: THROUGHLINE_TRANSCRIPTS names a folder"]
fn measure_the_bash_calls_of_real_transcripts() {
    let folder = std::env::var("THROUGHLINE_TRANSCRIPTS").expect("THROUGHLINE_TRANSCRIPTS names a folder");
    let shows = std::env::var_os("THROUGHLINE_SHOW").is_some();
    let (mut calls, mut by_rule, mut seen) =
        (0, std::collections::BTreeMap::new(), std::collections::HashSet::new());
    let mut time = Duration::ZERO;
    let mut slowest = Duration::ZERO;
    for entry in fs::read_dir(folder)
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"))
    {
        for line in fs::read_to_string(entry.path()).unwrap().lines() {
            let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            let cwd = PathBuf::from(line["cwd"].as_str().unwrap_or("/w/app"));
            for block in line["message"]["content"].as_array().into_iter().flatten() {
                let Some(command) = block["input"]["command"].as_str().filter(|_| block["name"] == "Bash")
                else {
                    continue;
                };
                // A resumed session repeats what was before.
                if !seen.insert(block["id"].to_string()) {
                    continue;
                }
                let home = cwd.ancestors().find(|path| path.components().count() == 3).map(Path::to_owned);
                let place = Place {
                    cwd: cwd.clone(),
                    workspace: cwd.clone(),
                    home,
                    branch: Some("my-feature".to_owned()),
                };
                calls += 1;
                let mut judgment = None;
                let worked = worked(|| judgment = Some(judge(&Rules::default(), &place, command)));
                time += worked;
                slowest = slowest.max(worked);
                let judgment = judgment.unwrap();
                if let Some(verdict) = judgment.verdict {
                    *by_rule.entry(format!("{} {}", verdict.name(), judgment.rule)).or_insert(0) += 1;
                    if shows {
                        println!("--- {} {} in {}: {command}", verdict.name(), judgment.rule, cwd.display());
                    }
                }
            }
        }
    }
    let questions: i32 = by_rule.values().sum();
    println!(
        "{questions} of {calls} calls are asked about or denied: {by_rule:?}; {time:?} in all, {slowest:?} the slowest"
    );
}

/// Links are files of a disk, so these commands have one: `out` leads out of the workspace, `in` to a folder of it.
#[test]
fn what_is_allowed_writes_where_its_links_lead() {
    let house = tempfile::tempdir().unwrap();
    let top = house.path().canonicalize().unwrap();
    let workspace = top.join("app");
    for folder in ["app/src/deep", "app/sub/.git/hooks", "else"] {
        fs::create_dir_all(top.join(folder)).unwrap();
    }
    symlink("../else", workspace.join("out")).unwrap();
    symlink("src", workspace.join("in")).unwrap();
    symlink("../../else/new", workspace.join("src/dangling")).unwrap();
    symlink("sub/.git/hooks", workspace.join("hooks")).unwrap();
    symlink("circle", workspace.join("circle")).unwrap();
    symlink(&workspace, top.join("alias")).unwrap();
    let user = r#"{"allow": ["echo *", "cp *", "tee *", "cargo test *"]}"#;
    let rules = Rules { user: Lists::parse(Path::new("x"), user).unwrap(), ..Rules::default() };
    for (command, is_allowed) in [
        ("echo x > src/a", true),
        ("echo x > in/a", true),
        ("echo x > new/folder/a", true),
        ("cd in && echo x > a", true),
        ("cd in/deep && echo x > ../a", true),
        ("cd src/deep && echo x > ../a", true),
        ("cp a in", true),
        ("tee in/a", true),
        ("cd in && cargo test", true),
        ("echo x > out/a", false),
        ("echo x > in/../out/a", false),
        ("echo x > out/../a", false),
        ("echo x > src/dangling", false),
        ("echo x > hooks/pre-commit", false),
        ("echo x > circle", false),
        ("cd out && echo x > a", false),
        ("cd out && cargo test", false),
        ("cp a out", false),
        ("cp dangling src", false),
        ("tee out/a", false),
        ("echo x >> out/a", false),
        ("bash -c 'echo x > out/a'", false),
    ] {
        for at in [&workspace, &top.join("alias")] {
            let place = Place { cwd: at.clone(), workspace: at.clone(), home: None, branch: None };
            let allowed = judge(&rules, &place, command).verdict == Some(Verdict::Allow);
            assert_eq!(allowed, is_allowed, "{command} in {}", at.display());
        }
    }
}

/// However many names stand before it, the last one is read, or it is said that not all was read.
#[test]
fn no_list_is_so_long_that_its_end_is_passed_over() {
    let names = |many: usize| (0..many).map(|at| format!("a{at}")).collect::<Vec<_>>();
    let forms: &[(&str, &str)] = &[
        ("for d in LIST; do rm -rf $d; done", " "),
        ("for d in LIST; do rm -rf \"$d\"; done", " "),
        ("for d in LIST; do echo \"$d\"; (cd src && rm -rf ${d}); done", " "),
        ("a=(LIST); rm -rf \"${a[@]}\"", " "),
        ("a=(LIST); for d in ${a[@]}; do rm -rf $d; done", " "),
        ("a='LIST'; rm -rf $a", " "),
        ("rm -rf {LIST}", ","),
        ("f() { rm -rf \"$@\"; }; f LIST", " "),
        ("set -- LIST; rm -rf \"$@\"", " "),
        ("rm -rf LIST", " "),
        ("echo LIST | xargs rm -rf", " "),
        ("bash -c 'rm -rf \"$@\"' _ LIST", " "),
    ];
    for many in [1, 31, 32, 50, 63, 64, 65, 200, 1000, 5000, 20_000] {
        for (form, between) in forms {
            let list = [names(many), vec!["/".to_owned()]].concat().join(between);
            let judgment = judge(&Rules::default(), &place(), &form.replace("LIST", &list));
            let is_caught = judgment.verdict == Some(Verdict::Deny)
                || (many >= 1000 && judgment.verdict == Some(Verdict::Ask) && judgment.rule == "unread");
            assert!(is_caught, "{form} with {many}: {:?} by {}", judgment.verdict, judgment.rule);
            let list = names(many).join(between);
            let judgment = judge(&Rules::default(), &place(), &form.replace("LIST", &list));
            assert!(many >= 1000 || judgment.verdict.is_none(), "{form} with {many}: {}", judgment.rule);
        }
    }
}

#[test]
fn no_command_is_in_the_table_twice() {
    let mut commands: Vec<&str> = SHIPPED.lines().filter_map(|line| line.splitn(3, '\t').nth(2)).collect();
    let all = commands.len();
    commands.sort_unstable();
    commands.dedup();
    assert_eq!(commands.len(), all);
}

#[test]
fn without_a_rule_of_the_persons_nothing_is_ever_allowed() {
    for line in SHIPPED.lines().chain(OWN.lines()) {
        let Some(command) = line.splitn(3, '\t').nth(2) else { continue };
        let judgment = judge(&Rules::default(), &place(), &command.replace('⏎', "\n"));
        assert_ne!(judgment.verdict, Some(Verdict::Allow), "{command}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// However commands are put together, one that is denied alone is never passed over.
    #[test]
    fn what_is_denied_alone_is_denied_in_company(before in company(), after in company()) {
        let command = format!("{before}\nrm -rf /\n{after}");
        let judgment = judge(&Rules::default(), &place(), &command);
        prop_assert_eq!(judgment.verdict, Some(Verdict::Deny), "{}", command);
    }

    #[test]
    fn no_command_is_too_strange_to_judge(text in "[ -~\n]{0,160}") {
        judge(&Rules::default(), &place(), &text);
    }
}

/// Whole commands of the table that are passed, and end where their line ends.
fn company() -> impl Strategy<Value = String> {
    let whole: Vec<&str> = SHIPPED
        .lines()
        .filter_map(|line| line.strip_prefix("-\t-\t"))
        .filter(|command| {
            !command.contains("unterminated") && !command.contains("exec ") && !command.contains("() {")
        })
        .collect();
    prop::collection::vec(prop::sample::select(whole), 0..4).prop_map(|all| all.join("\n").replace('⏎', "\n"))
}

/// The hook waits for it: the whole table, each command alone, without optimization.
#[test]
fn a_judgment_takes_a_moment() {
    let commands: Vec<String> =
        SHIPPED.lines().filter_map(|line| Some(line.splitn(3, '\t').nth(2)?.replace('⏎', "\n"))).collect();
    let (rules, place) = (Rules::default(), place());
    let mut times: Vec<Duration> = commands
        .iter()
        .map(|command| {
            worked(|| {
                judge(&rules, &place, command);
            })
        })
        .collect();
    times.sort_unstable();
    let p95 = times[times.len() * 95 / 100];
    assert!(p95 < Duration::from_millis(2), "{p95:?}");
}
