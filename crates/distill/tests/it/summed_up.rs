//! A session summed up at its end, and what whoever goes on has in hand.

use distill::session_summary;
use model::{Observation, Summary};

use crate::script::{Played, play};

const STORY: &str = "cwd /w
> yes
.
< Hello! What do you want me to do?
.
> why does the export of invoices hang on Mondays?
.
read src/export.rs 40+60
bash just test
! 1
test export_on_monday ... FAILED
thread 'export_on_monday' panicked at src/export.rs:41:9:
the lease ran out
test result: FAILED. 41 passed; 1 failed
.
edit src/export.rs
@ 41
-    let lease = self.lease();
+    let lease = self.renewed_lease();
.
bash cd web && just test 2>&1 | tail -3
test result: ok. 42 passed; 0 failed
.
bash just lint
0 issues.
.
< The export hung because the lease was taken on Friday and never renewed over the weekend. I renew it in src/export.rs now.
Next steps:
- Tell the operators of the old lease files.
.
> commit this
.
bash git commit -am 'export: renew the lease before each run'
[main 1a2b3c4] export: renew the lease before each run
 1 file changed, 1 insertion(+), 1 deletion(-)
.
< Committed.
.
";

fn summed_up(played: &Played) -> Summary {
    let turns: Vec<Summary> = played.turns.iter().filter_map(|turn| turn.summary.clone()).collect();
    let observations: Vec<Observation> = played.observations().into_iter().cloned().collect();
    session_summary(&played.state, &turns, &observations).expect("there is something to tell")
}

#[test]
fn a_session_is_told_by_its_subject_its_cause_its_commit_and_its_checks() {
    let summary = summed_up(&play(STORY));
    assert_eq!(summary.request, "why does the export of invoices hang on Mondays?");
    assert!(summary.learned[0].contains("the lease was taken on Friday and never renewed"), "{summary:#?}");
    assert!(
        summary.completed.iter().any(|line| line == "export: renew the lease before each run"),
        "{summary:#?}"
    );
    let checked = summary.completed.last().unwrap();
    assert!(checked.contains("`just test` from `web` (42 passed)"), "{checked}");
    assert!(checked.contains("`just lint` (0 issues)"), "{checked}");
    assert_eq!(summary.next_steps, [""; 0], "the last turn left nothing: {summary:#?}");
}

#[test]
fn files_and_commands_of_a_session_are_in_hand() {
    let played = play(STORY);
    let files: Vec<_> = played.state.files_in_hand().collect();
    assert_eq!(files[0].0, "src/export.rs");
    assert!(files[0].1.contains("41"), "{files:?}");
    let commands = played.state.commands_in_hand();
    assert!(commands.contains(&"`just lint` (0 issues)".to_owned()), "{commands:?}");
    assert!(commands.contains(&"`just test` from `web` (42 passed)".to_owned()), "{commands:?}");
}

#[test]
fn a_number_is_learned_and_the_last_turn_says_what_is_next() {
    let played = play(
        "cwd /w
> make the parser of the feed faster, it takes a minute
.
< I would read the feed in chunks.
Next steps:
- Read the feed in chunks of a megabyte.
.
> go on
.
edit src/feed.rs
@ 7
-    let all = read_all(path);
+    let all = read_chunks(path, MEGABYTE);
.
< Reading the feed in chunks of a megabyte takes 4 seconds instead of 60, because the whole feed was copied twice before.
Next steps:
- Read the feed in chunks of a megabyte.
- Write down the new limits for the partners.
.
",
    );
    let summary = summed_up(&played);
    assert_eq!(summary.request, "make the parser of the feed faster, it takes a minute");
    assert!(summary.learned.iter().any(|line| line.contains("4 seconds instead of 60")), "{summary:#?}");
    assert!(
        summary.next_steps.iter().any(|step| step.contains("new limits for the partners")),
        "{summary:#?}"
    );
}
