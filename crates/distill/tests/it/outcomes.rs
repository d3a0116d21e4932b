//! How sessions ended, told from their events.

use distill::{BrokeOff, Ending, State, outcome};
use model::SessionOutcome::{self, Failed, PartialMinus, PartialPlus, Succeeded};
use proptest::prelude::*;

use crate::script::play;

const EDIT: &str = "edit src/journal.rs
@ 40
     fn append(&mut self) {
-        self.seal(segment);
+        self.seal(segment.clone());
.
";
const PASS: &str = "bash cargo test -p store
test result: ok. 12 passed; 0 failed; 0 ignored
.
";
const FAIL: &str = "bash cargo test -p store
! 101
test journal::seals ... FAILED
thread 'journal::seals' panicked at src/journal.rs:41:9:
assertion failed: sealed
test result: FAILED. 11 passed; 1 failed; 0 ignored
.
";
const COMMIT: &str = "bash git commit -am 'journal: seal once'
[main 1a2b3c4] journal: seal once
 1 file changed, 1 insertion(+), 1 deletion(-)
.
";
const LINT: &str = "bash cargo clippy -p ledger
    Finished `dev` profile in 0.4s
.
";
const ASK: &str = "> why does the journal not seal?\n.\n";
const STOP: &str = "< I looked at the journal.\n.\n";

fn judge(script: &str, ending: &Ending<'_>) -> Option<(SessionOutcome, String)> {
    outcome(&[play(script).state], ending)
}

#[track_caller]
fn check(parts: &[&str], ending: Ending<'_>, expected: Option<SessionOutcome>, says: &str) {
    let script = format!("{ASK}{}{STOP}", parts.concat());
    let judged = judge(&script, &ending);
    let why = judged.as_ref().map_or("", |(_, why)| why.as_str());
    assert_eq!(judged.as_ref().map(|(outcome, _)| *outcome), expected, "{why}");
    assert!(why.contains(says), "{says:?} is not in {why:?}");
    assert!(!why.contains('\n') && (expected.is_none() || !why.is_empty()));
}

#[test]
fn checks_and_commits_after_the_last_edit_are_success() {
    let plain = Ending::default();
    check(&[EDIT, PASS], plain, Some(Succeeded), "`cargo test -p store` passes");
    check(
        &[FAIL, EDIT, PASS, COMMIT],
        plain,
        Some(Succeeded),
        "1 commit was made; `cargo test -p store` passes",
    );
    check(&[EDIT, COMMIT], plain, Some(Succeeded), "1 commit was made");
    check(&[PASS, EDIT], plain, Some(PartialPlus), "1 edit was made and the last was not checked");
    let left = ["Update the manual".to_owned()];
    check(&[EDIT, PASS], Ending { next_steps: &left, ..plain }, Some(PartialPlus), "1 step is left open");
}

#[test]
fn what_still_fails_at_the_end_is_no_success() {
    let plain = Ending::default();
    check(&[EDIT, FAIL], plain, Some(Failed), "`cargo test -p store` still fails");
    check(&[COMMIT, EDIT, FAIL], plain, Some(PartialMinus), "still fails");
    check(&[FAIL], plain, None, "");
    check(&[FAIL, FAIL], plain, Some(Failed), "still fails");
}

#[test]
fn a_failure_that_later_turns_left_behind_weighs_less() {
    let later = format!("> then do the other thing\n.\n{EDIT}{LINT}{STOP}");
    let script = format!("{ASK}{EDIT}{FAIL}{STOP}{later}");
    let (outcome, why) = judge(&script, &Ending::default()).unwrap();
    assert_eq!(outcome, PartialPlus, "{why}");
    assert!(why.contains("`cargo test -p store` still fails") && why.contains("passes"), "{why}");
    check(&[EDIT, FAIL, LINT], Ending::default(), Some(PartialMinus), "still fails");
}

#[test]
fn whole_sessions_are_judged_as_a_reader_would() {
    for (name, expected) in [
        // A test for another platform, and a check of types, that nobody went back to.
        ("rust-bug-hunt", PartialPlus),
        ("python-operations", PartialPlus),
        ("typescript-feature", Succeeded),
    ] {
        let path = format!("{}/tests/sessions/{name}.session", env!("CARGO_MANIFEST_DIR"));
        let (outcome, why) = judge(&std::fs::read_to_string(path).unwrap(), &Ending::default()).unwrap();
        assert_eq!(outcome, expected, "{name}: {why}");
    }
}

#[test]
fn a_turn_that_broke_off_counts_for_what_was_there() {
    let error = Ending { broke_off: BrokeOff::Error, ..Ending::default() };
    let stopped = Ending { broke_off: BrokeOff::Interrupted, ..Ending::default() };
    check(&[EDIT, COMMIT], error, Some(PartialPlus), "ended with an error");
    check(&[EDIT], stopped, Some(PartialMinus), "was interrupted");
    check(&[], error, Some(Failed), "ended with an error");
    check(&[], stopped, None, "");
}

#[test]
fn the_persons_last_word_weighs_more_than_what_was_not_checked() {
    let says = |last_prompt| Ending { last_prompt, ..Ending::default() };
    check(&[EDIT], says("thanks, works now"), Some(Succeeded), "the person was content");
    check(&[], says("thank you"), Some(Succeeded), "the person was content");
    check(&[EDIT, FAIL], says("thanks"), Some(Failed), "still fails");
    check(&[EDIT], says("it still doesn't work"), Some(Failed), "does not work");
    check(&[EDIT, PASS, COMMIT], says("still broken"), Some(Succeeded), "1 commit was made");
    check(&[COMMIT, EDIT], says("still broken"), Some(PartialMinus), "neither checked nor committed");
    check(&[EDIT, PASS, COMMIT], says("revert that please"), Some(Failed), "taken back");
    let script = format!("{ASK}{EDIT}{COMMIT}{STOP}> still broken\n.\n< I see nothing wrong.\n.\n");
    assert_eq!(judge(&script, &says("still broken")).map(|(outcome, _)| outcome), Some(PartialMinus));
}

#[test]
fn where_nothing_was_done_nothing_is_said() {
    check(&[], Ending::default(), None, "");
    check(&["read src/journal.rs\n"], Ending::default(), None, "");
    check(&[PASS], Ending::default(), None, "");
    assert_eq!(outcome(&[], &Ending::default()), None);
}

#[test]
fn what_a_subagent_did_counts_and_what_another_resolved_is_no_failure() {
    let of = |parts: &[&str]| play(&format!("{ASK}{}{STOP}", parts.concat())).state;
    let later = of(&[EDIT, "read src/a.rs\n", "read src/b.rs\n", "read src/c.rs\n", PASS]);
    let states = [of(&[FAIL]), later];
    assert_eq!(outcome(&states, &Ending::default()).map(|(outcome, _)| outcome), Some(Succeeded));
}

proptest! {
    #[test]
    fn any_words_are_judged_in_one_bounded_line(
        last_prompt in "(?s).{0,200}",
        steps in proptest::collection::vec("(?s).{0,40}", 0..4),
        parts in proptest::collection::vec(0usize..4, 0..6),
    ) {
        let script: String = parts.iter().map(|at| [EDIT, PASS, FAIL, COMMIT][*at]).collect();
        let state: State = play(&format!("{ASK}{script}{STOP}")).state;
        let ending = Ending { last_prompt: &last_prompt, next_steps: &steps, broke_off: BrokeOff::No };
        if let Some((_, why)) = outcome(&[state], &ending) {
            prop_assert!(!why.is_empty() && why.len() <= 410 && !why.contains('\n'), "{}", why);
        }
    }
}
