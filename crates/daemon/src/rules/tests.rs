//! Rules on a real disk, with real programs: what they say, what they cost, and what they cannot reach.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicU32, Ordering};

use model::{Context, Detail, EventId, StartSource};

use super::*;
use crate::intake::REPLY_MARGIN;

/// A folder of rules and the one that runs them.
struct House {
    folder: tempfile::TempDir,
    rules: Arc<Rules>,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { data: folder.path().to_owned() };
        let log = Arc::new(Log::open(folder.path(), 1 << 20));
        Self { rules: Rules::new(&place, log), folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        folder_of(self.folder.path()).join(name)
    }

    /// A rule with this program, on the event that leaves most time: machines that run tests are busy.
    fn rule(&self, name: &str, program: &str) {
        let folder = self.path(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("rule.toml"), "kind = 'command'\non = ['SessionStart']\n").unwrap();
        // Written aside and renamed: another test's child may hold a file open for a moment that is written in place.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let aside = folder.join(format!("part-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        fs::write(&aside, format!("#!/bin/sh\n{program}\n")).unwrap();
        fs::set_permissions(&aside, fs::Permissions::from_mode(0o700)).unwrap();
        fs::rename(aside, folder.join("run")).unwrap();
    }

    fn run(&self, mode: Mode) -> Vec<Ruled> {
        let until = Instant::now() + Duration::from_mins(1);
        self.rules.run(&Config::default(), &start(), until, mode)
    }

    /// What the rules say when the machine leaves each its time.
    fn rehearsed(&self) -> Vec<(String, String)> {
        loop {
            let words = Self::words(self.run(Mode::Rehearsal));
            if !words.iter().any(|(_, what)| what.contains("it was ended after")) {
                return words;
            }
        }
    }

    fn words(ruled: Vec<Ruled>) -> Vec<(String, String)> {
        let words = |ruled: Ruled| {
            let what = match ruled.outcome {
                Outcome::Silent => "silent".to_owned(),
                Outcome::Said(said) => format!("{:?}", said.parts()),
                Outcome::Trouble(what) => format!("trouble: {what}"),
                Outcome::NotRun(why) => format!("not run: {why}"),
            };
            (ruled.rule, what)
        };
        ruled.into_iter().map(words).collect()
    }
}

fn start() -> Event {
    Event {
        id: EventId::mint(1, [0; 10]),
        at: 1,
        agent: "claude-code",
        session: model::SessionId::new("s"),
        kind: EventKind::SessionStart,
        name: "SessionStart".into(),
        cwd: None,
        transcript: None,
        prompt_id: None,
        permission_mode: None,
        subagent: None,
        context: Context::new(),
        detail: Detail::Start { source: StartSource::Resume, model: None },
    }
}

#[test]
fn who_is_one_too_many_is_named_and_not_forgotten() {
    let house = House::new();
    for at in 0..=MAX_AT_ONCE {
        house.rule(&format!("rule-{at:02}"), "exit 0");
    }
    let words = house.rehearsed();
    let not_run: Vec<_> = words.iter().filter(|(_, what)| what.starts_with("not run")).collect();
    let last = (format!("rule-{MAX_AT_ONCE}"), "not run: 16 others concern the same event".to_owned());
    assert_eq!(words.len(), MAX_AT_ONCE + 1, "{words:?}");
    assert_eq!(not_run, [&last]);
}

#[test]
fn every_rule_has_time_that_its_event_has() {
    for (kind, most) in engine::rules::EVENTS {
        let patience = wire::deadline_ms(kind.name().as_bytes());
        let left = Duration::from_millis((patience - wire::reserve_ms(patience)).into());
        assert!(*most + MARGIN <= left.checked_sub(REPLY_MARGIN).unwrap(), "{kind:?}");
    }
    let quick = EventKind::ALL.iter().filter(|kind| wire::deadline_ms(kind.name().as_bytes()) > 50);
    assert_eq!(quick.count(), engine::rules::EVENTS.len(), "what has time for a rule can be heard by one");
}

#[test]
fn no_folder_is_no_rules_and_one_that_comes_is_noticed() {
    let house = House::new();
    assert!(house.run(Mode::Real).is_empty());
    house.rule("speaks", r#"echo '{"deny":"no"}'"#);
    assert_eq!(house.rehearsed(), [("speaks".into(), r#"[("deny", "no")]"#.into())]);
    house.rule("speaks", "cat > /dev/null");
    assert_eq!(house.rehearsed(), [("speaks".into(), "silent".into())]);
    fs::remove_dir_all(house.path("speaks")).unwrap();
    assert!(house.run(Mode::Real).is_empty());
}

#[test]
fn what_a_rule_does_wrong_costs_that_rule_alone() {
    let house = House::new();
    house.rule("a-flood", "yes 2>/dev/null");
    house.rule("b-code", "echo why >&2; exit 3");
    house.rule("c-words", "echo fine");
    house.rule("d-missing", "");
    fs::write(house.path("d-missing/run"), "#!/no/such/program\n").unwrap();
    house.rule("e-sound", r#"echo '{"say":"heard"}'"#);
    let outcomes = house.rehearsed();
    let starts: Vec<(&str, &str)> = vec![
        ("a-flood", "trouble: it printed more than"),
        ("b-code", "trouble: it left with code 3: why"),
        ("c-words", "trouble: it printed no JSON object"),
        ("d-missing", "trouble: run cannot be started"),
        ("e-sound", r#"[("say", "heard")]"#),
    ];
    assert_eq!(outcomes.len(), starts.len());
    for ((rule, what), (name, start)) in outcomes.iter().zip(starts) {
        assert!(rule == name && what.starts_with(start), "{rule}: {what}");
    }
}

#[test]
fn a_rule_that_hangs_is_ended_with_its_children_when_its_time_is_over() {
    let house = House::new();
    let pid = house.folder.path().join("pid");
    house.rule("hangs", &format!("sleep 600 & echo $! > '{}'; wait", pid.display()));
    let began = Instant::now();
    let ruled = house.run(Mode::Real);
    assert!(began.elapsed() < Duration::from_secs(30), "its own budget ends it, not the event's");
    assert!(matches!(&ruled[0].outcome, Outcome::Trouble(what) if what.contains("ended after")), "{ruled:?}");
    // On a machine that is busy enough it may not even have come to its child.
    let Ok(child) = fs::read_to_string(pid).unwrap_or_default().trim().parse::<i32>() else { return };
    // Killed is not yet gone.
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let state = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            return;
        }
        assert!(Instant::now() < until, "{state}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn three_failures_in_a_row_switch_a_rule_off_until_it_changes() {
    let house = House::new();
    house.rule("fails", "exit 1");
    for _ in 0..3 {
        assert!(House::words(house.run(Mode::Real))[0].1.starts_with("trouble"));
    }
    assert!(House::words(house.run(Mode::Real))[0].1.starts_with("not run: switched off"));
    let told = house.rules.to_json();
    assert_eq!((&told["rules"][0]["resting"], &told["rules"][0]["runs"]), (&json!(true), &json!(3)));
    let log = fs::read_to_string(house.folder.path().join("daemon.log")).unwrap();
    assert!(log.contains("rule fails: it ") && log.contains("; it rests until it is changed"), "{log}");
    house.rule("fails", "exit 0");
    let again = House::words(house.run(Mode::Real));
    assert!(!again[0].1.starts_with("not run"), "{again:?}");
    assert_eq!(house.rules.to_json()["rules"][0]["resting"], false);
}

#[test]
fn a_rehearsal_runs_programs_and_counts_nothing() {
    let house = House::new();
    house.rule("fails", "exit 1");
    for _ in 0..5 {
        assert!(matches!(house.run(Mode::Rehearsal)[0].outcome, Outcome::Trouble(_)));
    }
    assert_eq!(house.rules.to_json()["rules"][0]["runs"], 0);
}

#[test]
fn nothing_outside_the_folder_is_run() {
    let house = House::new();
    house.rule("sound", "exit 0");
    let elsewhere = tempfile::tempdir().unwrap();
    fs::rename(house.path("sound"), elsewhere.path().join("sound")).unwrap();
    symlink(elsewhere.path().join("sound"), house.path("linked")).unwrap();
    house.rule("linked-program", "");
    fs::remove_file(house.path("linked-program/run")).unwrap();
    symlink("/bin/true", house.path("linked-program/run")).unwrap();
    house.rule("Not-A-Name", "exit 0");
    house.rule("no-right", "exit 0");
    fs::set_permissions(house.path("no-right/run"), fs::Permissions::from_mode(0o600)).unwrap();
    assert!(house.run(Mode::Real).is_empty());
    let wrong: Vec<String> = load(&folder_of(house.folder.path()))
        .unwrap()
        .into_iter()
        .map(|loaded| loaded.rule.unwrap_err().to_string())
        .collect();
    assert!(wrong[0].contains("is no name"), "{wrong:?}");
    assert!(wrong[1].contains("a link to one"), "{wrong:?}");
    assert!(wrong[2].contains("a link to one"), "{wrong:?}");
    assert!(wrong[3].contains("chmod u+x"), "{wrong:?}");
    fs::rename(folder_of(house.folder.path()), elsewhere.path().join("rules")).unwrap();
    symlink(elsewhere.path().join("rules"), folder_of(house.folder.path())).unwrap();
    assert!(load(&folder_of(house.folder.path())).is_err());
}

#[test]
fn a_program_gets_the_event_and_no_secret_of_the_environment() {
    let house = House::new();
    let out = house.folder.path().join("seen");
    house.rule("looks", &format!("cat > '{0}'; echo >> '{0}'; env >> '{0}'; pwd >> '{0}'", out.display()));
    assert_eq!(house.rehearsed()[0].1, "silent");
    let seen = fs::read_to_string(&out).unwrap();
    let (envelope, environment) = seen.split_at(seen.find('}').unwrap() + 1);
    let envelope: Value = serde_json::from_str(envelope).unwrap();
    assert_eq!(envelope["source"], "resume");
    assert!(
        environment.contains("THROUGHLINE_RULE=looks")
            && environment.contains("THROUGHLINE_EVENT=SessionStart")
    );
    let allowed = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE"];
    for line in environment.lines().filter_map(|line| Some(line.split_once('=')?.0)) {
        let own = line.starts_with("THROUGHLINE_RULE") || line == "THROUGHLINE_EVENT";
        // A shell sets some of its own.
        assert!(own || allowed.contains(&line) || ["PWD", "OLDPWD", "SHLVL", "_"].contains(&line), "{line}");
    }
    assert!(environment.trim_end().ends_with("/rules/looks"), "{environment}");
}

#[test]
fn rules_run_at_once_each_in_its_own_time() {
    let house = House::new();
    // Each waits until all have begun: one after the other none of them could end.
    let begun = house.folder.path().join("begun");
    fs::create_dir(&begun).unwrap();
    let waits = format!(
        "touch '{0}/'$$; while [ $(ls '{0}' | wc -l) -lt 4 ]; do sleep 0.01; done; echo '{{\"say\":\"met\"}}'",
        begun.display()
    );
    for name in ["a", "b", "c", "d"] {
        house.rule(name, &waits);
    }
    let met = house.rehearsed();
    assert_eq!(met.len(), 4);
    assert!(met.iter().all(|(_, what)| what == r#"[("say", "met")]"#), "{met:?}");
}
