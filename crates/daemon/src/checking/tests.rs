//! A workspace whose tools are run by whoever tests: what is due, what is called off, what is said. No process is started.

use std::time::SystemTime;

use checks::{Kind, Scope};
use model::SessionId;

use super::*;

fn tool(name: &str) -> &'static checks::Tool {
    checks::ALL.iter().find(|tool| tool.name == name).unwrap()
}

/// A workspace in a folder, whose tools are run by whoever tests.
struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
    project: Project,
    calls: usize,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let project = Project::new(&root, root.join("cache"));
        let world = Self { _folder: folder, root, project, calls: 0 };
        for (file, text) in files {
            world.write(file, text);
        }
        world
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.root.join(file), text).unwrap();
    }

    fn checks(&self, name: &str) -> Vec<Check> {
        vec![Check { tool: tool(name), program: "/none".into(), folder: self.root.clone(), path: "".into() }]
    }

    fn edit(&mut self, who: &str, file: &str, text: &str, tool: &str) {
        let (session, found) = (SessionId::new(who), self.checks(tool));
        let before = lines(&self.root.join(file));
        // Each call has a name of its own.
        self.calls += 1;
        let call = format!("call-{}", self.calls);
        let call = Some(call.as_str());
        self.project.begin(&session, None, file, before, found.clone(), call);
        assert!(self.project.due().is_none(), "nothing begins while an edit is on its way");
        self.write(file, text);
        self.project.edit(&session, None, file, None, found, call);
    }

    /// Runs what is due, and lets it find this.
    fn run(&mut self, found: &[Finding]) -> Vec<PathBuf> {
        let (_, at) = self.project.due().expect("something is due");
        let job = self.project.begin_run(at);
        self.project.end_run(&job.name, Ok(found.to_vec()), Duration::from_millis(20));
        job.files
    }

    fn said(&mut self, who: &str) -> Vec<String> {
        let session = SessionId::new(who);
        let said = self.project.say(&session, None);
        assert_eq!(self.project.note_heard(&session, &said, false).is_some(), !said.is_empty());
        said.into_iter().map(|finding| finding.message).collect()
    }

    fn settle() {
        thread::sleep(Duration::from_millis(320));
    }
}

fn finding(tool: &'static str, file: &str, line: u32, kind: Kind, message: &str) -> Finding {
    Finding {
        tool,
        file: file.into(),
        line,
        column: 1,
        code: "X".into(),
        message: message.into(),
        fix: None,
        kind,
    }
}

fn plain(file: &str, line: u32, message: &str) -> Finding {
    finding("tsc", file, line, Kind::Plain, message)
}

#[test]
fn what_was_wrong_when_it_was_read_is_not_blamed_on_the_edit() {
    let mut world = World::new(&[("a.ts", "one\ntwo\n")]);
    let found = world.checks("tsc");
    world.project.look(&SessionId::new("s"), "a.ts", found);
    world.run(&[plain("a.ts", 2, "old")]);
    world.edit("s", "a.ts", "new\ntwo\n", "tsc");
    world.run(&[plain("a.ts", 2, "old"), plain("a.ts", 1, "new")]);
    assert_eq!(world.said("s"), ["new"]);
    assert!(world.said("s").is_empty(), "it is said once");
}

#[test]
fn a_run_that_saw_an_edit_half_made_is_nothing_to_compare_with() {
    let mut world = World::new(&[("a.ts", "one\ntwo\n")]);
    let (session, found) = (SessionId::new("s"), world.checks("tsc"));
    world.project.look(&session, "a.ts", found.clone());
    let job = world.project.begin_run(world.project.due().unwrap().1);
    world.project.begin(&session, None, "a.ts", lines(&world.root.join("a.ts")), found.clone(), Some("c"));
    world.write("a.ts", "new\ntwo\n");
    world.project.end_run(&job.name, Ok(vec![plain("a.ts", 1, "new")]), Duration::ZERO);
    world.project.edit(&session, None, "a.ts", None, found, Some("c"));
    world.run(&[plain("a.ts", 1, "new")]);
    assert_eq!(world.said("s"), ["new"]);
}

#[test]
fn a_newer_edit_calls_the_run_off_and_is_what_is_looked_at() {
    let mut world = World::new(&[("a.py", "1\n"), ("b.py", "1\n")]);
    world.edit("s", "a.py", "2\n", "ruff");
    let job = world.project.begin_run(world.project.due().unwrap().1);
    assert!(!job.is_called_off());
    world.edit("s", "b.py", "2\n", "ruff");
    assert!(job.is_called_off());
    world.project.end_run(&job.name, Err(Failure::CalledOff), Duration::ZERO);
    let files = world.run(&[]);
    assert_eq!(files, [world.root.join("a.py"), world.root.join("b.py")]);
    assert!(world.project.due().is_none());
}

#[test]
fn what_another_edit_may_solve_is_said_when_the_edits_have_settled() {
    let mut world = World::new(&[("a.py", "1\n")]);
    let missing = finding("ruff", "a.py", 1, Kind::Pending, "undefined name");
    world.edit("s", "a.py", "x\n", "ruff");
    world.run(std::slice::from_ref(&missing));
    assert!(world.said("s").is_empty());
    World::settle();
    assert_eq!(world.said("s"), ["undefined name"]);
}

#[test]
fn half_of_an_edit_is_not_nagged_about() {
    let mut world = World::new(&[("a.ts", "1\n"), ("b.ts", "1\n")]);
    world.edit("s", "a.ts", "import { x } from './b'\n", "tsc");
    world.run(&[finding("tsc", "a.ts", 1, Kind::Pending, "b has no x")]);
    world.edit("s", "b.ts", "export const x = 1\n", "tsc");
    World::settle();
    assert!(world.said("s").is_empty(), "what is known is older than the second edit");
    world.run(&[]);
    assert!(world.said("s").is_empty());
}

#[test]
fn a_file_that_a_command_changed_is_looked_at_again_before_anything_is_said_of_it() {
    let mut world = World::new(&[("a.py", "1\n")]);
    world.edit("s", "a.py", "wrong\n", "ruff");
    world.run(&[finding("ruff", "a.py", 1, Kind::Plain, "wrong")]);
    world.write("a.py", "mended by a formatter\n");
    world.project.pass(&SessionId::new("s"), Some("other"));
    assert!(world.said("s").is_empty());
    world.run(&[]);
    assert!(world.said("s").is_empty());
    world.project.pass(&SessionId::new("s"), None);
    assert!(world.project.due().is_none(), "nothing has changed since");
}

#[test]
fn a_command_gets_the_locks_that_a_check_holds() {
    let mut world = World::new(&[("a.rs", "1\n")]);
    world.edit("s", "a.rs", "2\n", "cargo");
    let job = world.project.begin_run(world.project.due().unwrap().1);
    world.project.begin_command();
    assert!(job.is_called_off());
    world.project.end_run(&job.name, Err(Failure::CalledOff), Duration::ZERO);
    assert!(world.project.due().is_none());
    world.project.pass(&SessionId::new("s"), None);
    assert!(world.project.due().is_some());
}

#[test]
fn a_session_answers_for_what_it_broke_and_not_for_anothers_files() {
    let mut world = World::new(&[("a.ts", "1\n"), ("b.ts", "1\n"), ("c.ts", "1\n")]);
    let at = SystemTime::now() - Duration::from_mins(1);
    std::fs::File::open(world.root.join("c.ts")).unwrap().set_modified(at).unwrap();
    let found = world.checks("tsc");
    for who in ["s", "t"] {
        world.project.look(&SessionId::new(who), "a.ts", found.clone());
    }
    world.run(&[]);
    world.edit("s", "a.ts", "2\n", "tsc");
    world.edit("t", "b.ts", "2\n", "tsc");
    world.run(&[
        plain("a.ts", 1, "its own"),
        plain("b.ts", 1, "the other's"),
        plain("c.ts", 1, "broken by one of them"),
    ]);
    let stopping = world.project.stopping(&SessionId::new("s"), None, false).unwrap();
    let messages: Vec<&str> = stopping.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["its own", "broken by one of them"]);
    assert!(stopping.hold);
}

#[test]
fn a_tool_that_fails_again_and_again_rests() {
    let mut world = World::new(&[("a.py", "1\n")]);
    for round in 0..4 {
        world.edit("s", "a.py", &format!("{round}{round}\n"), "ruff");
        let Some((_, at)) = world.project.due() else {
            assert_eq!(round, 3);
            assert!(!world.project.is_busy(&SessionId::new("s")), "nobody waits for it");
            return;
        };
        let job = world.project.begin_run(at);
        world.project.end_run(&job.name, Err(Failure::Unread(Some(2))), Duration::ZERO);
    }
    panic!("it never rests");
}

#[test]
fn nobody_waits_for_a_tool_that_was_slow() {
    let mut world = World::new(&[("a.ts", "1\n")]);
    assert_eq!(tool("tsc").scope, Scope::Project);
    world.edit("s", "a.ts", "2\n", "tsc");
    let names = vec![project::key(&world.checks("tsc")[0])];
    assert!(!world.project.is_expected(&names, Duration::from_millis(100)), "it is not known to be quick");
    world.run(&[]);
    world.edit("s", "a.ts", "3\n", "tsc");
    assert!(world.project.is_expected(&names, Duration::from_millis(100)), "it took 20 ms");
    assert!(!world.project.is_expected(&names, Duration::from_millis(10)));
}

#[test]
fn an_edit_that_is_announced_after_it_was_made_holds_up_nothing_and_is_still_blamed() {
    let mut world = World::new(&[("a.ts", "1\n")]);
    let (session, found) = (SessionId::new("s"), world.checks("tsc"));
    let before = lines(&world.root.join("a.ts"));
    world.write("a.ts", "2\n");
    world.project.edit(&session, None, "a.ts", None, found.clone(), Some("late"));
    world.project.begin(&session, None, "a.ts", before, found, Some("late"));
    world.run(&[plain("a.ts", 1, "its own")]);
    World::settle();
    assert_eq!(world.said("s"), ["its own"]);
}
