//! Files two sessions want, and who is told what.

use std::path::PathBuf;

use model::{SessionId, StartSource};
use serde_json::{Value, json};

use super::*;
use crate::behaviors::tests::{context, event, learn_in};
use crate::behaviors::{RecordPrompt, RegisterSession};
use crate::config::{Config, Layer};

const FILE: &str = "/w/src/parser.rs";

fn call(session: &str, at: Millis, name: &str, input: Value) -> Event {
    let call = ToolCall { name: name.into(), use_id: None, input, outcome: Outcome::Pending };
    let mut event = Event {
        session: SessionId::new(session),
        at,
        cwd: Some("/w/src".into()),
        ..event(EventKind::PreToolUse, Detail::Tool(call))
    };
    for (key, value) in [("root", "/w"), ("project-key", "p1")] {
        event.context.insert(key.into(), value.into());
    }
    event
}

fn edit(session: &str, at: Millis, file: &str) -> Event {
    call(session, at, "Edit", json!({ "file_path": file }))
}

/// The edit is made, at this line.
fn done(mut edit: Event, line: u32) -> Event {
    edit.kind = EventKind::PostToolUse;
    let Detail::Tool(call) = &mut edit.detail else { panic!("a call") };
    let patch = json!([{ "oldStart": line, "newStart": line, "lines": ["-a", "+b", "+c"] }]);
    call.outcome = Outcome::Succeeded { response: json!({ "structuredPatch": patch }), duration_ms: None };
    edit
}

fn start(session: &str, at: Millis) -> Event {
    let detail = Detail::Start { source: StartSource::Startup, model: None };
    let mut start = Event { session: SessionId::new(session), at, ..event(EventKind::SessionStart, detail) };
    start.context.insert("branch".into(), "main".into());
    start.context.insert("CLAUDE_PID".into(), "7".into());
    start
}

fn house() -> (tempfile::TempDir, PathBuf, Tables) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("derived.db");
    let mut tables = Tables::open(&path).unwrap();
    learn_in(&mut tables, &RegisterSession, &start("first-session", 1_000_000));
    let text = "Port the parser\nto the new grammar".into();
    let prompt = event(EventKind::UserPromptSubmit, Detail::Prompt { text, author: model::Author::Person });
    let prompt = Event { session: SessionId::new("first-session"), at: 1_000_001, ..prompt };
    learn_in(&mut tables, &RecordPrompt, &prompt);
    learn_in(&mut tables, &ClaimFiles, &edit("first-session", 1_000_002, "./../src/parser.rs"));
    (folder, path, tables)
}

fn learn_at(tables: &mut Tables, seq: u64, event: &Event) {
    tables
        .write(|batch| {
            batch.set_position(seq);
            ClaimFiles.learn(batch, event).map_err(|error| error.into_store().unwrap())
        })
        .unwrap();
}

fn advice(path: &Path, now: Millis, event: &Event) -> Advice {
    let cx = Context { now, ..context(path, |_| true) };
    ClaimFiles.advise(&cx, event).unwrap()
}

fn said(advice: &Advice) -> &str {
    advice.notes.first().map_or("", |note| note.text.as_str())
}

#[test]
fn the_second_editor_hears_who_holds_the_file_on_which_lines_and_for_what() {
    let (_folder, path, mut tables) = house();
    let second = edit("second", 1_120_000, FILE);
    let text = advice(&path, 1_120_000, &second);
    assert!(said(&text).contains("on main, since 1 min ago, not edited yet; it works"), "{text:?}");
    learn_at(&mut tables, 1, &done(edit("first-session", 1_000_003, FILE), 12));
    let advice_ = advice(&path, 1_120_000, &second);
    let text = said(&advice_);
    assert!(text.contains("working on /w/src/parser.rs"), "{text}");
    assert!(
        text.contains(
            "session first-se (claude-code) on main, since 1 min ago, last edit 1 min ago on lines 12-13"
        ),
        "{text}"
    );
    assert!(text.contains("it works on: \"Port the parser to the new grammar\""), "{text}");
    assert_eq!(advice_.verdict, None, "a courtesy forbids nothing");
    assert!(advice(&path, 1_120_000, &edit("first-session", 1_120_000, FILE)).is_silent());
    assert!(advice(&path, 1_120_000, &edit("second", 1_120_000, "/w/src/lexer.rs")).is_silent());
    let by_command = call("second", 1_120_000, "Bash", json!({ "command": "sed -i s/a/b/ parser.rs" }));
    assert!(said(&advice(&path, 1_120_000, &by_command)).contains("session first-se"));
}

#[test]
fn a_claim_ends_with_its_lease_its_session_and_its_release() {
    let (_folder, path, mut tables) = house();
    let silent_at = |now: Millis| advice(&path, now, &edit("second", now, FILE)).is_silent();
    assert!(!silent_at(1_000_002 + LEASE));
    assert!(silent_at(1_000_003 + LEASE), "the lease ran out");
    let dead = Context { now: 1_010_000, ..context(&path, |_| false) };
    assert!(ClaimFiles.advise(&dead, &edit("second", 1_010_000, FILE)).unwrap().is_silent(), "it is gone");
    let end = event(EventKind::SessionEnd, Detail::End { reason: "other".into() });
    let end = Event { session: SessionId::new("first-session"), at: 1_060_000, ..end };
    learn_in(&mut tables, &ClaimFiles, &end);
    assert!(silent_at(1_070_000), "its session is over");
}

#[test]
fn deny_denies_and_ask_asks_with_who_until_when_and_what_instead_until_the_lease_is_over() {
    let (_folder, path, mut tables) = house();
    learn_at(&mut tables, 1, &done(edit("first-session", 1_000_003, FILE), 12));
    let with = |mode: &str, now: Millis| {
        let mut config = Config::default();
        config.set(Layer::User, "test", "behaviors.claim-files", mode).unwrap();
        let cx = Context { now, config: config.into(), ..context(&path, |_| true) };
        ClaimFiles.advise(&cx, &edit("second", now, FILE)).unwrap()
    };
    let Some(Verdict::Deny { reason }) = with("deny", 1_600_000).verdict else { panic!("it is held") };
    assert!(reason.contains("/w/src/parser.rs is held by another session: session first-se"), "{reason}");
    assert!(reason.contains("on lines 12-13; its lease ends in 20 min"), "{reason}");
    assert!(
        reason.contains("throughline message") && reason.contains("throughline claims release"),
        "{reason}"
    );
    assert!(!reason.contains("Port the parser"), "what others say is said in a note, behind its fence");
    assert!(said(&with("deny", 1_600_000)).contains("Port the parser to the new grammar"));
    let Some(Verdict::Ask { reason }) = with("ask", 1_600_000).verdict else { panic!("it is held") };
    assert!(reason.contains("is held by another session: session first-se"), "{reason}");
    assert!(reason.contains("Allow this edit only if") && !reason.contains("come back"), "{reason}");
    assert_eq!(with("on", 1_600_000).verdict, None, "on is warn");
    assert!(with("deny", 1_000_004 + LEASE).is_silent(), "the lease is over");
    // What was refused is not held by whoever wanted it.
    learn_at(&mut tables, 2, &edit("second", 1_600_000, FILE));
    assert_eq!(tables.claims(&ClaimFilter::default()).unwrap().len(), 1);
}

#[test]
fn an_edit_that_never_was_gives_the_file_back() {
    let (_folder, _, mut tables) = house();
    let mut failed = edit("first-session", 1_000_004, FILE);
    failed.kind = EventKind::PostToolUseFailure;
    if let Detail::Tool(call) = &mut failed.detail {
        call.outcome = Outcome::Failed { error: "no".into(), interrupted: false, duration_ms: None };
    }
    learn_at(&mut tables, 1, &failed);
    assert!(tables.claims(&ClaimFilter::default()).unwrap().is_empty());
    learn_at(&mut tables, 2, &done(edit("first-session", 1_000_005, FILE), 3));
    learn_at(&mut tables, 3, &failed);
    assert_eq!(tables.claims(&ClaimFilter::default()).unwrap().len(), 1, "it was edited before");
}

/// What this session holds, by name.
fn holds(tables: &Tables, session: &str) -> Vec<String> {
    let session = SessionId::new(session);
    let filter = ClaimFilter { session: Some(&session), ..ClaimFilter::default() };
    let rows = tables.claims(&filter).unwrap();
    let mut names: Vec<String> =
        rows.iter().map(|row| row.path.rsplit('/').next().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn later(session: &str, at: Millis, kind: EventKind, by: Option<&str>) -> Event {
    let mut event = Event { session: SessionId::new(session), at, ..event(kind, Detail::Plain) };
    event.subagent = by.map(|id| model::Subagent { id: id.into(), kind: "Explore".into() });
    event
}

fn named(mut event: Event, id: &str, by: Option<&str>) -> Event {
    let Detail::Tool(call) = &mut event.detail else { panic!("a call") };
    call.use_id = Some(id.into());
    event.subagent = by.map(|id| model::Subagent { id: id.into(), kind: "Explore".into() });
    event
}

#[test]
fn a_call_that_is_refused_for_one_file_holds_none() {
    let (_folder, path, mut tables) = house();
    learn_in(&mut tables, &RegisterSession, &start("second", 1_000_003));
    learn_at(&mut tables, 1, &done(edit("first-session", 1_000_003, FILE), 12));
    for command in ["mv parser.rs aaa.rs", "echo > other.rs; sed -i s/a/b/ parser.rs"] {
        let wants = call("second", 1_000_010, "Bash", json!({ "command": command }));
        let mut config = Config::default();
        config.set(Layer::User, "test", "behaviors.claim-files", "deny").unwrap();
        let cx = Context { now: 1_000_010, config: config.into(), ..context(&path, |_| true) };
        assert!(ClaimFiles.advise(&cx, &wants).unwrap().verdict.is_some(), "{command}");
        learn_at(&mut tables, 2, &wants);
        assert!(holds(&tables, "second").is_empty(), "{command}");
    }
}

#[test]
fn what_a_declined_call_wanted_is_given_back_when_its_conversation_goes_on() {
    for kind in [EventKind::PostToolBatch, EventKind::UserPromptSubmit, EventKind::Stop] {
        let (_folder, _, mut tables) = house();
        let before = holds(&tables, "first-session");
        assert_eq!(before, ["parser.rs"], "wanted");
        learn_at(&mut tables, 1, &later("first-session", 1_000_010, kind, None));
        assert!(holds(&tables, "first-session").is_empty(), "{kind:?}");
        // What was edited stays.
        learn_at(&mut tables, 2, &edit("first-session", 1_000_011, FILE));
        learn_at(&mut tables, 3, &done(edit("first-session", 1_000_012, FILE), 3));
        learn_at(&mut tables, 4, &edit("first-session", 1_000_013, FILE));
        learn_at(&mut tables, 5, &later("first-session", 1_000_014, kind, None));
        assert_eq!(holds(&tables, "first-session"), ["parser.rs"], "{kind:?}");
    }
}

#[test]
fn calls_beside_it_and_subagents_keep_what_they_want() {
    let (_folder, _, mut tables) = house();
    let s = "first-session";
    learn_at(&mut tables, 1, &later(s, 1_000_003, EventKind::PostToolBatch, None));
    // Two calls at once, and one of a subagent in the background.
    learn_at(&mut tables, 2, &named(edit(s, 1_000_010, "/w/a.rs"), "t1", None));
    learn_at(&mut tables, 3, &named(edit(s, 1_000_011, "/w/b.rs"), "t2", None));
    learn_at(&mut tables, 4, &named(edit(s, 1_000_012, "/w/c.rs"), "t3", Some("agent-1")));
    learn_at(&mut tables, 5, &named(edit(s, 1_000_013, "/w/a.rs"), "t4", Some("agent-1")));
    let mut denied = named(edit(s, 1_000_014, "/w/a.rs"), "t1", None);
    denied.kind = EventKind::PermissionDenied;
    learn_at(&mut tables, 6, &denied);
    assert_eq!(holds(&tables, s), ["a.rs", "b.rs", "c.rs"], "another call wants a.rs, too");
    learn_at(&mut tables, 7, &named(done(edit(s, 1_000_015, "/w/b.rs"), 3), "t2", None));
    for kind in [EventKind::PostToolBatch, EventKind::Stop, EventKind::UserPromptSubmit] {
        learn_at(&mut tables, 8, &later(s, 1_000_016, kind, None));
        assert_eq!(holds(&tables, s), ["a.rs", "b.rs", "c.rs"], "the subagent is at work");
    }
    learn_at(&mut tables, 9, &named(done(edit(s, 1_000_017, "/w/c.rs"), 3), "t3", Some("agent-1")));
    learn_at(&mut tables, 10, &later(s, 1_000_018, EventKind::SubagentStop, Some("agent-1")));
    assert_eq!(holds(&tables, s), ["b.rs", "c.rs"]);
}

#[test]
fn what_a_session_took_with_a_word_or_without_is_not_given_back_for_it() {
    let (_folder, _, mut tables) = house();
    let s = SessionId::new("first-session");
    let taken = ["/w/x.rs".to_owned()];
    tables
        .write(|batch| take(batch, &s, &taken, None, 1_000_003).map_err(|error| error.into_store().unwrap()))
        .unwrap();
    learn_at(&mut tables, 1, &edit("first-session", 1_000_010, "/w/x.rs"));
    learn_at(&mut tables, 2, &later("first-session", 1_000_011, EventKind::PostToolBatch, None));
    assert_eq!(holds(&tables, "first-session"), ["x.rs"]);
}

/// Everybody else has just wanted whatever is asked for.
struct Wanted(crate::behaviors::tests::Around);

impl crate::Surroundings for Wanted {
    fn read(&self, with: &mut dyn FnMut(&Tables) -> Result<()>) -> Result<()> {
        self.0.read(with)
    }
    fn find(&self, ask: &crate::search::Ask, until: Instant) -> Result<Vec<crate::search::Hit>> {
        self.0.find(ask, until)
    }
    fn tail(&self, _: &Event, _: u64) -> Option<model::Tail> {
        None
    }
    fn claim(&self, _: &SessionId, _: Option<&str>, _: model::MemoryId) -> bool {
        true
    }
    fn is_alive(&self, pid: u32) -> bool {
        self.0.is_alive(pid)
    }
    fn take(&self, _: &str, _: &str, _: Duration) -> Option<String> {
        Some("first-session".to_owned())
    }
    fn data(&self) -> &Path {
        self.0.data()
    }
    fn faults(&self) -> Vec<crate::Fault> {
        Vec::new()
    }
    fn past_conversations(&self, _: &str) -> u64 {
        0
    }
}

#[test]
fn who_wanted_a_file_a_moment_ago_and_is_gone_or_has_ended_holds_nothing() {
    let (_folder, path, mut tables) = house();
    let mut config = Config::default();
    config.set(Layer::User, "test", "behaviors.claim-files", "deny").unwrap();
    let config = std::sync::Arc::new(config);
    let verdict = |is_alive: fn(u32) -> bool, file: &str| {
        let around = Wanted(crate::behaviors::tests::Around {
            is_alive,
            ..crate::behaviors::tests::Around::new(&path)
        });
        let cx = crate::behaviors::tests::context_in(std::sync::Arc::new(around));
        let cx = Context { now: 1_000_010, config: config.clone(), ..cx };
        ClaimFiles.advise(&cx, &edit("second", 1_000_010, file)).unwrap().verdict
    };
    assert!(verdict(|_| true, "/w/new.rs").is_some(), "it is at work");
    assert!(verdict(|_| false, "/w/new.rs").is_none(), "its process is gone");
    assert!(verdict(|_| false, FILE).is_none(), "also where it held the file");
    learn_at(&mut tables, 1, &done(edit("first-session", 1_000_005, FILE), 3));
    let Some(Verdict::Deny { reason }) = verdict(|_| true, FILE) else { panic!("held") };
    assert!(!reason.contains("not edited yet"), "{reason}");
    let end = event(EventKind::SessionEnd, Detail::End { reason: "other".into() });
    let end = Event { session: SessionId::new("first-session"), at: 1_000_006, ..end };
    for behavior in [&RegisterSession as &dyn Behavior, &ClaimFiles, &crate::behaviors::CompleteSession] {
        learn_in(&mut tables, behavior, &end);
    }
    assert!(verdict(|_| true, "/w/new.rs").is_none(), "it has ended");
}

#[test]
fn edits_are_counted_and_a_program_that_clears_its_conversation_leaves_its_files() {
    let (_folder, _, mut tables) = house();
    let edits = |tables: &Tables| tables.claims(&ClaimFilter::default()).unwrap()[0].edits;
    assert_eq!(edits(&tables), 0);
    for (seq, at) in [(1, 1_000_003), (2, 1_000_004), (2, 1_000_004), (3, 1_000_005)] {
        learn_at(&mut tables, seq, &done(edit("first-session", at, FILE), 12));
    }
    assert_eq!(edits(&tables), 3, "learned twice, counted once");
    let mut other = start("of-another-program", 1_000_006);
    other.context.insert("CLAUDE_PID".into(), "8".into());
    learn_in(&mut tables, &RegisterSession, &other);
    learn_at(&mut tables, 4, &done(edit("of-another-program", 1_000_007, "/w/x.rs"), 1));
    let again = start("cleared", 1_000_008);
    learn_in(&mut tables, &ClaimFiles, &again);
    assert_eq!(holds(&tables, "first-session"), ["parser.rs"], "it only began");
    let detail = Detail::Start { source: StartSource::Clear, model: None };
    learn_in(&mut tables, &ClaimFiles, &Event { detail, ..again });
    assert!(holds(&tables, "first-session").is_empty());
    assert_eq!(holds(&tables, "of-another-program"), ["x.rs"]);
}

#[test]
fn the_same_file_of_another_worktree_is_a_merge_to_come() {
    let (_folder, path, mut tables) = house();
    let mut theirs = edit("first-session", 1_000_004, "/w-feature/src/lexer.rs");
    theirs.context.insert("root".into(), "/w-feature".into());
    learn_at(&mut tables, 1, &done(theirs, 3));
    let mine = edit("second", 1_000_009, "/w/src/lexer.rs");
    let advice_ = advice(&path, 1_000_009, &mine);
    let text = said(&advice_);
    assert!(text.contains("another worktree of this repository, too; that is a merge to come"), "{text}");
    assert!(text.contains("- in /w-feature: session first-se"), "{text}");
    assert!(!text.contains("Somebody else is working on"), "{text}");
    let mut config = Config::default();
    config.set(Layer::User, "test", "behaviors.claim-files", "deny").unwrap();
    let cx = Context { now: 1_000_009, config: config.into(), ..context(&path, |_| true) };
    assert_eq!(ClaimFiles.advise(&cx, &mine).unwrap().verdict, None, "it is another file");
}

#[test]
fn what_changed_under_a_session_is_told_with_who_and_how_much() {
    let (_folder, path, mut tables) = house();
    let mut read = call("second", 1_000_010, "Read", json!({ "file_path": FILE }));
    read.kind = EventKind::PostToolUse;
    if let Detail::Tool(call) = &mut read.detail {
        call.outcome = Outcome::Succeeded { response: json!({}), duration_ms: None };
    }
    learn_at(&mut tables, 5, &read);
    learn_at(&mut tables, 6, &done(edit("first-session", 1_000_011, FILE), 12));
    learn_at(&mut tables, 7, &done(edit("first-session", 1_000_012, FILE), 20));
    learn_at(&mut tables, 7, &done(edit("first-session", 1_000_012, FILE), 20));
    let text = advice(&path, 1_000_020, &edit("second", 1_000_020, FILE));
    let text = said(&text);
    assert!(
        text.contains("changed under you since you last read it:\n- by session first-se, +4/-2, just now"),
        "{text}"
    );
    assert!(text.contains("on lines 12-13, 20-21"), "learned twice, moved once: {text}");
    read.at = 1_000_030;
    learn_at(&mut tables, 8, &read);
    let again = advice(&path, 1_000_040, &edit("second", 1_000_040, FILE));
    assert!(!said(&again).contains("changed under you"), "it has read it");
}

#[test]
fn an_edit_on_the_same_lines_is_told_apart_from_one_elsewhere() {
    let (folder, path, mut tables) = house();
    let file = folder.path().canonicalize().unwrap().join("a.txt");
    std::fs::write(&file, "one\ntwo\nthree\nfour\nfive\nsix\nseven\n").unwrap();
    let name = file.to_str().unwrap();
    learn_at(&mut tables, 1, &done(edit("first-session", 1_000_003, name), 1));
    let wants = |old: &str| {
        let input = json!({ "file_path": name, "old_string": old, "new_string": "x" });
        said(&advice(&path, 1_000_010, &call("second", 1_000_010, "Edit", input))).to_owned()
    };
    assert!(wants("one").contains("Your edit is on the same lines."));
    assert!(wants("seven").contains("Your edit is on other lines."));
    assert!(!wants("nowhere").contains("Your edit"));
}
