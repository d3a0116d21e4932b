//! What a session is told, and what it is not. No tool is run.

use super::*;

const ALWAYS: fn(&str) -> bool = |_| true;
const NOBODYS: fn(&str) -> bool = |_| false;

fn finding(file: &str, line: u32, kind: Kind, message: &str) -> Finding {
    Finding {
        tool: "tsc",
        file: file.to_owned(),
        line,
        column: 1,
        code: "X".to_owned(),
        message: message.to_owned(),
        fix: None,
        kind,
    }
}

fn plain(file: &str, line: u32, message: &str) -> Finding {
    finding(file, line, Kind::Plain, message)
}

/// A session that has edited `a.ts`: line 2 of three is its own.
fn session() -> Ledger {
    let mut ledger = Ledger::default();
    ledger.touch("a.ts", None, Some(Lines::of("one\ntwo\nthree\n")));
    ledger
}

fn note(ledger: &mut Ledger, found: &[Finding]) {
    ledger.note_now("tsc", Scope::Project, &[], found, &|_| Some(Lines::of("one\nnew\nthree\n")));
}

/// What is said and heard.
fn say(ledger: &mut Ledger, settled: bool) -> Vec<String> {
    let said = ledger.say(None, settled, &ALWAYS);
    assert_eq!(ledger.note_said(&said).is_some(), !said.is_empty());
    said.into_iter().map(|finding| finding.message).collect()
}

/// The end of a turn, and whether it is held; the reason is heard.
fn stop(ledger: &mut Ledger, again: bool) -> bool {
    let stopping = ledger.stop(None, again, &ALWAYS, &NOBODYS);
    stopping.hold && ledger.note_held(&stopping.findings).is_some()
}

#[test]
fn what_was_there_before_is_not_the_sessions_wherever_it_moves() {
    let mut ledger = session();
    ledger.note_before("tsc", Scope::Project, &[], &[plain("a.ts", 1, "old at 7"), plain("a.ts", 9, "x")]);
    note(&mut ledger, &[plain("a.ts", 2, "old at 9"), plain("a.ts", 3, "x"), plain("a.ts", 2, "x")]);
    assert_eq!(say(&mut ledger, true), ["x"], "there is one more of it than there was");
}

#[test]
fn without_a_run_before_only_lines_that_were_written_count() {
    let mut ledger = session();
    note(&mut ledger, &[plain("a.ts", 1, "old"), plain("a.ts", 2, "new"), plain("b.ts", 1, "elsewhere")]);
    assert_eq!(say(&mut ledger, true), ["new"]);
    let more = [plain("a.ts", 1, "old"), plain("a.ts", 2, "new"), plain("a.ts", 3, "broken by it")];
    note(&mut ledger, &more);
    assert_eq!(
        say(&mut ledger, true),
        ["broken by it"],
        "the first run is what later ones are compared with"
    );
}

#[test]
fn a_run_with_a_syntax_error_is_nothing_to_compare_with() {
    let mut ledger = session();
    let broken = finding("a.ts", 2, Kind::Syntax, "expected )");
    ledger.note_before("tsc", Scope::Project, &[], &[finding("z.ts", 1, Kind::Syntax, "expected (")]);
    note(&mut ledger, std::slice::from_ref(&broken));
    assert_eq!(say(&mut ledger, false), ["expected )"]);
    note(&mut ledger, &[plain("a.ts", 1, "was hidden"), plain("a.ts", 2, "wrong")]);
    assert_eq!(say(&mut ledger, true), ["wrong"]);
}

#[test]
fn a_finding_is_said_once_until_it_goes_away_and_comes_back() {
    let mut ledger = session();
    let wrong = plain("a.ts", 2, "wrong");
    note(&mut ledger, std::slice::from_ref(&wrong));
    assert_eq!(say(&mut ledger, false), ["wrong"]);
    note(&mut ledger, std::slice::from_ref(&wrong));
    assert!(say(&mut ledger, true).is_empty());
    // Hidden is not gone.
    note(&mut ledger, &[finding("a.ts", 2, Kind::Syntax, "expected )")]);
    assert_eq!(say(&mut ledger, false), ["expected )"]);
    note(&mut ledger, std::slice::from_ref(&wrong));
    assert!(say(&mut ledger, true).is_empty());
    note(&mut ledger, &[]);
    assert!(ledger.is_clean());
    note(&mut ledger, std::slice::from_ref(&wrong));
    assert_eq!(say(&mut ledger, true), ["wrong"]);
}

#[test]
fn what_another_edit_may_solve_waits_until_the_edits_have_settled() {
    let mut ledger = session();
    ledger.note_before("tsc", Scope::Project, &[], &[]);
    let found = [
        finding("a.ts", 2, Kind::Pending, "no such name"),
        plain("a.ts", 3, "on a line it did not write"),
        plain("a.ts", 2, "wrong in itself"),
    ];
    note(&mut ledger, &found);
    assert_eq!(say(&mut ledger, false), ["wrong in itself"]);
    assert_eq!(say(&mut ledger, true), ["no such name", "on a line it did not write"]);
}

#[test]
fn a_turn_is_held_once_for_the_same_findings() {
    let mut ledger = session();
    ledger.note_before("tsc", Scope::Project, &[], &[]);
    let (one, other) = (plain("a.ts", 2, "one"), plain("b.ts", 1, "broken elsewhere"));
    note(&mut ledger, &[one.clone(), other.clone()]);
    let first = ledger.stop(None, false, &ALWAYS, &NOBODYS);
    assert!(first.hold && first.findings.len() == 2, "also what the session broke elsewhere");
    assert!(stop(&mut ledger, false));
    assert!(say(&mut ledger, true).is_empty(), "what it was held for it has been told");
    assert!(!stop(&mut ledger, true));
    assert!(!stop(&mut ledger, false), "nor in a later turn");
    note(&mut ledger, std::slice::from_ref(&one));
    assert!(!stop(&mut ledger, true), "fewer of them are no reason");
    note(&mut ledger, &[one, plain("a.ts", 2, "another")]);
    assert!(stop(&mut ledger, true));
}

#[test]
fn no_turn_is_held_without_end() {
    let mut ledger = session();
    let mut holds = 0;
    for round in 0..10_u8 {
        note(&mut ledger, &[plain("a.ts", 2, &format!("wrong {}", char::from(b'a' + round)))]);
        holds += usize::from(stop(&mut ledger, round > 0));
    }
    assert_eq!(holds, MAX_HOLDS);
}

#[test]
fn a_subagent_hears_of_its_own_files_and_the_session_answers_for_all() {
    let mut ledger = session();
    ledger.touch("b.ts", Some("sub"), Some(Lines::default()));
    note(&mut ledger, &[plain("a.ts", 2, "the session's"), plain("b.ts", 1, "the subagent's")]);
    let said = ledger.say(Some("sub"), true, &ALWAYS);
    ledger.note_said(&said).unwrap();
    assert_eq!(said.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>(), ["the subagent's"]);
    assert_eq!(say(&mut ledger, true), ["the session's"]);
    assert_eq!(ledger.stop(Some("sub"), false, &ALWAYS, &NOBODYS).findings.len(), 1);
    assert_eq!(ledger.stop(None, false, &ALWAYS, &NOBODYS).findings.len(), 2);
}

#[test]
fn a_run_over_some_files_leaves_what_is_known_of_the_others() {
    let mut ledger = session();
    ledger.touch("b.ts", None, Some(Lines::default()));
    let read = |_: &str| Some(Lines::of("one\nnew\nthree\n"));
    let files = |name: &str| vec![name.to_owned()];
    ledger.note_now("tsc", Scope::Files, &files("a.ts"), &[plain("a.ts", 2, "one")], &read);
    ledger.note_now("tsc", Scope::Files, &files("b.ts"), &[plain("b.ts", 1, "two")], &read);
    assert_eq!(say(&mut ledger, true), ["one", "two"]);
    ledger.note_now("tsc", Scope::Files, &files("b.ts"), &[], &read);
    assert_eq!(ledger.stop(None, false, &ALWAYS, &NOBODYS).findings.len(), 1);
}

#[test]
fn what_is_wrong_in_somebody_elses_file_holds_nobody() {
    let mut ledger = session();
    ledger.note_before("tsc", Scope::Project, &[], &[]);
    note(&mut ledger, &[plain("b.ts", 1, "broken elsewhere")]);
    assert_eq!(ledger.stop(None, false, &ALWAYS, &|file| file == "b.ts"), Stopping::default());
    assert!(ledger.stop(None, false, &ALWAYS, &NOBODYS).hold);
}

#[test]
fn of_two_tools_that_blame_one_line_one_is_heard_until_that_is_mended() {
    let mut ledger = session();
    let read = |_: &str| Some(Lines::of("one\nnew\nthree\n"));
    let other = Finding { tool: "eslint", ..plain("a.ts", 2, "in other words") };
    note(&mut ledger, &[plain("a.ts", 2, "wrong")]);
    assert_eq!(say(&mut ledger, true), ["wrong"]);
    ledger.note_now("eslint", Scope::Files, &["a.ts".to_owned()], std::slice::from_ref(&other), &read);
    assert!(say(&mut ledger, true).is_empty());
    note(&mut ledger, &[]);
    assert_eq!(say(&mut ledger, true), ["in other words"]);
}

#[test]
fn what_nobody_heard_was_not_said() {
    let mut ledger = session();
    ledger.note_before("tsc", Scope::Project, &[], &[]);
    let found = [plain("a.ts", 2, "one"), plain("a.ts", 2, "two")];
    note(&mut ledger, &found);
    let noted = ledger.note_said(&ledger.say(None, true, &ALWAYS)).unwrap();
    assert!(ledger.say(None, true, &ALWAYS).is_empty());
    assert_eq!(ledger.note_said(&found), None, "another event would say it a second time");
    ledger.take_back(noted);
    assert_eq!(say(&mut ledger, true), ["one", "two"]);
    let stopping = ledger.stop(None, false, &ALWAYS, &NOBODYS);
    let noted = ledger.note_held(&stopping.findings).unwrap();
    ledger.take_back(noted);
    assert!(ledger.say(None, true, &ALWAYS).is_empty(), "what was told before stays told");
    assert!(stop(&mut ledger, false), "a turn that was not held is held the next time");
    assert!(!stop(&mut ledger, false));
}

#[test]
fn what_was_not_named_is_named_when_the_first_are_mended() {
    let mut ledger = session();
    ledger.note_before("tsc", Scope::Project, &[], &[]);
    let all: Vec<Finding> =
        (0..25_u8).map(|n| plain("a.ts", 2, &format!("wrong {}", char::from(b'a' + n)))).collect();
    note(&mut ledger, &all);
    let said = ledger.say(None, true, &ALWAYS);
    ledger.note_said(&said[..10]).unwrap();
    assert!(ledger.say(None, true, &ALWAYS).is_empty(), "ten are open");
    note(&mut ledger, &all[8..]);
    assert_eq!(ledger.say(None, true, &ALWAYS), all[10..]);
    // A hold names ten of them; the others are a reason to hold again.
    let stopping = ledger.stop(None, false, &ALWAYS, &NOBODYS);
    assert_eq!(stopping.findings[0], all[10], "what nobody has heard of first");
    ledger.note_held(&stopping.findings[..10]).unwrap();
    let stopping = ledger.stop(None, true, &ALWAYS, &NOBODYS);
    assert!(stopping.hold && stopping.findings[..5] == all[20..], "{stopping:?}");
}
