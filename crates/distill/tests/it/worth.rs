//! What is said unasked and what is only kept: work nobody spoke of, routine, what was overtaken later.

use distill::{QUIET, is_worth_saying};
use model::{MemoryKind, Observation};

use crate::script::{Played, play};

fn said(played: &Played) -> Vec<&Observation> {
    played.observations().into_iter().filter(|one| !one.tools.iter().any(|tool| tool == QUIET)).collect()
}

fn titles<'a>(observations: &[&'a Observation]) -> Vec<&'a str> {
    observations.iter().map(|one| one.title.as_str()).collect()
}

const EDIT: &str = "edit src/lease.rs\n@ 10\n fn renew() {\n-    wait(1);\n+    wait(backoff(2));\n.\n";

#[test]
fn a_patch_nobody_spoke_of_is_kept_and_not_said() {
    for (asked, answer) in [
        ("why is it so slow in here?", "Done."),
        ("yes", "ok"),
        ("and what about the second one?", "The code looks correct."),
    ] {
        let played = play(&format!("> {asked}\n.\n{EDIT}< {answer}\n.\n"));
        assert_eq!(played.observations().len(), 1, "{asked}");
        assert!(said(&played).is_empty(), "{:#?}", said(&played));
    }
    for (asked, answer) in [
        ("why is it so slow in here?", "`renew` in lease.rs now waits twice as long after each failure."),
        ("please let `renew` wait twice as long after each failure", "ok"),
        ("yes", "The lease was lost because `renew` waited one second only, whatever the server said."),
    ] {
        let played = play(&format!("> {asked}\n.\n{EDIT}< {answer}\n.\n"));
        assert!(!said(&played).is_empty(), "{asked} {:#?}", played.observations());
    }
}

#[test]
fn routine_is_not_said() {
    for work in [
        "bash git rebase origin/main\nSuccessfully rebased and updated refs/heads/lease.\n.\n",
        "bash git merge origin/main\nMerge made by the 'ort' strategy.\n.\n",
        "write /tmp/try.sh\necho one\n.\n",
        "edit Cargo.lock\n@ 3\n-version = \"1.0.1\"\n+version = \"1.0.2\"\n.\n",
        "edit src/lease.rs\n@ 3\n-// Waits a second.\n+// Waits for a second.\n.\n",
    ] {
        let played = play(&format!("> go on with the lease\n.\n{work}< I updated it as you wanted.\n.\n"));
        assert!(said(&played).is_empty(), "{work} {:#?}", said(&played));
    }
    for subject in ["Merge branch 'main' into lease", "style: fix formatting", "fix: address review comments"]
    {
        let played = play(&format!(
            "> commit it\n.\n{EDIT}bash git commit -qam \"{subject}\"\n[lease 1a2b3c4] {subject}\n.\n< Committed.\n.\n"
        ));
        assert!(said(&played).is_empty(), "{subject} {:#?}", said(&played));
    }
}

#[test]
fn a_program_the_machine_lacks_is_no_failure_of_the_project() {
    let played = play(
        "> run the tests\n.\nbash corepack pnpm test\n! 127\nzsh: command not found: corepack\n.\n< I could not run them.\n.\n",
    );
    assert!(!played.observations().iter().any(|one| one.kind == MemoryKind::Failure));
    assert!(!played.learnings.iter().any(|one| one.title.contains("corepack")), "{:#?}", played.learnings);
}

#[test]
fn a_finding_of_a_reviewer_is_no_title() {
    let played = play(&format!(
        "> Lease renewal can overwrite other holders Medium Severity\n.\n{EDIT}< This is a false positive: `renew` holds the lock. I made the wait in lease.rs longer.\n.\n"
    ));
    for one in played.observations() {
        assert!(!one.title.contains("overwrite"), "{}", one.title);
    }
}

#[test]
fn of_many_steps_the_largest_are_said() {
    let edit = |file: &str, lines: usize| {
        let body =
            (0..lines).map(|at| format!("+    step_{file}_{at}(value);\n")).collect::<Vec<_>>().concat();
        format!("edit src/{file}.rs\n@ 10\n fn {file}() {{\n{body}.\ntodo Change {file}\n")
    };
    let steps: String = [("parse", 3), ("check", 30), ("write", 4), ("close", 20)]
        .map(|(file, lines)| edit(file, lines))
        .concat();
    let words = "I changed `parse` in parse.rs to read rows. I changed `check` in check.rs to refuse empty rows. I changed `write` in write.rs to keep their order. I changed `close` in close.rs to flush.";
    let played = play(&format!("> make the importer strict\n.\n{steps}< {words}\n.\n"));
    assert!(said(&played).len() <= 2, "{:?}", titles(&said(&played)));
}

#[test]
fn a_status_is_not_worth_saying() {
    for status in
        ["The fix is complete", "The exporter looks correct now", "All tests pass with the new lease"]
    {
        assert!(!is_worth_saying(status), "{status}");
    }
    assert!(is_worth_saying("The exporter is complete only when the last page is flushed"));
}

#[test]
fn work_whose_lines_a_later_turn_replaced_is_overtaken_by_it() {
    let first = "> keep leases longer\n.\nedit src/lease.rs\n@ 10\n fn renew() {\n-    let life = minutes(5);\n+    let life = minutes(60).with_jitter();\n.\n< `renew` in lease.rs keeps a lease for an hour.\n.\n";
    let second = |edit: &str| {
        format!("{first}> no, for a day\n.\n{edit}< `renew` in lease.rs keeps a lease for a day.\n.\n")
    };
    let replaced = play(&second(
        "edit src/lease.rs\n@ 10\n fn renew() {\n-    let life = minutes(60).with_jitter();\n+    let life = hours_of(24).rounded();\n.\n",
    ));
    let turn = &replaced.turns[1];
    let [over] = turn.overtaken.as_slice() else { panic!("{:#?}", turn.overtaken) };
    assert!(
        over.title.contains("for an hour") && turn.observations[over.by].title.contains("for a day"),
        "{over:#?}"
    );
    // Another line, and the same line in another place, replace nothing.
    for other in [
        "edit src/lease.rs\n@ 20\n fn close() {\n-    let life = seconds_left(one);\n+    let life = hours_of(24).rounded();\n.\n",
        "edit src/lease.rs\n@ 10\n fn renew() {\n-    let life = minutes(60).with_jitter();\n+    if open {\n+        let life = minutes(60).with_jitter();\n+    }\n.\n",
    ] {
        let played = play(&second(other));
        assert!(played.turns[1].overtaken.is_empty(), "{other}");
    }
}

#[test]
fn a_finding_about_code_that_was_changed_afterwards_is_told_as_what_was_so_before() {
    let found = "> how is a lease renewed?\n.\nread src/lease.rs\n< `renew_lease` in lease.rs never checks `is_open` before it writes.\n.\n";
    let changed = "> then fix it\n.\nedit src/lease.rs\n@ 10\n fn renew_lease() {\n-    write(one);\n+    if one.is_open { write(one); }\n.\n< A lease that was closed is not written any more: `renew_lease` asks `is_open` before it writes.\n.\n";
    let played = play(&format!("{found}{changed}"));
    let turn = &played.turns[1];
    let [over] = turn.overtaken.as_slice() else { panic!("{:#?}", played.turns) };
    assert!(over.title.contains("never checks"), "{over:#?}");
    let before = |fact: &String| fact.starts_with("Before: ") && fact.contains("never checks");
    assert!(turn.observations[over.by].facts.iter().any(before), "{:#?}", turn.observations);
    // What is changed elsewhere says nothing of it.
    let other = changed.replace("renew_lease", "close_lease").replace("is_open", "is_shut");
    assert!(play(&format!("{found}{other}")).turns[1].overtaken.is_empty());
}

#[test]
fn a_first_guess_is_dropped_where_the_right_cause_is_said_later_in_the_turn() {
    let edit = "edit src/lease.rs\n@ 10\n fn renew() {\n-    wait(1);\n+    wait(backoff(2));\n.\n";
    let guess = "The lease is lost because `renew_lease` reads the clock of the client.";
    for right in [
        "Actually, `renew_lease` reads the right clock. The lease is lost because `lock_file` is removed by the janitor.",
        "I was wrong. `renew_lease` is fine, the lease is lost because `lock_file` is removed by the janitor.",
        "Die eigentliche Ursache ist nicht `renew_lease`: Die Datei `lock_file` wird vom Janitor gelöscht.",
        "На самом деле `renew_lease` в порядке: `lock_file` удаляется уборщиком, потому что он старый.",
    ] {
        let played = play(&format!(
            "> why is the lease lost?\n.\n~ {guess}\n.\n{edit}~ {right}\n.\n{edit}< Fixed in lease.rs.\n.\n"
        ));
        for one in played.observations() {
            let words = format!("{} {} {}", one.title, one.narrative, one.facts.join(" "));
            assert!(!words.contains("clock of the client"), "{right}: {words}");
        }
    }
    let played = play(&format!("> why is the lease lost?\n.\n~ {guess}\n.\n{edit}< Fixed in lease.rs.\n.\n"));
    let told =
        |one: &&Observation| format!("{} {}", one.title, one.facts.join(" ")).contains("clock of the client");
    assert!(played.observations().iter().any(told), "{:#?}", played.observations());
}

#[test]
fn a_statement_is_overtaken_by_the_turn_that_takes_it_back() {
    let first = "> why is the lease lost?\n.\nread src/lease.rs\n< The lease is lost because `renew_lease` in lease.rs reads `client_clock`.\n.\n";
    for second in [
        "> are you sure?\n.\nread src/janitor.rs\n< I was wrong: `renew_lease` never reads `client_clock`. The lease is lost because `sweep_files` in janitor.rs removes the lock.\n.\n",
        "> no, renew_lease does not read that at all\n.\nread src/janitor.rs\n< The lease is lost because `sweep_files` in janitor.rs removes the lock.\n.\n",
    ] {
        let played = play(&format!("{first}{second}"));
        let turn = &played.turns[1];
        let [over] = turn.overtaken.as_slice() else { panic!("{second} {:#?}", played.turns) };
        assert!(over.title.contains("client_clock"), "{over:#?}");
        let newer = &turn.observations[over.by];
        assert!(format!("{} {}", newer.title, newer.facts.join(" ")).contains("sweep_files"), "{newer:#?}");
    }
    let played = play(&format!(
        "{first}> and where is it removed?\n.\nread src/janitor.rs\n< The lock is removed because `sweep_files` in janitor.rs takes all files; `renew_lease` and `client_clock` see that too late.\n.\n"
    ));
    assert!(played.turns[1].overtaken.is_empty());
}

#[test]
fn tests_that_are_written_before_what_they_test_are_no_bug() {
    let played = play(
        "> add a tool that closes leases, test first\n.\nwrite tests/test_close.py\nfrom leases.close import close_lease\n\ndef test_close():\n    assert close_lease(1)\n.\nbash pytest -q\n! 2\nERROR tests/test_close.py - ImportError: cannot import name 'close_lease' from 'leases.close'\n.\nwrite leases/close.py\ndef close_lease(number):\n    return number > 0\n.\nbash pytest -q\n1 passed in 0.1s\n.\nbash git add -A && git commit -qm 'Add a tool that closes leases'\n[main 1a2b3c4] Add a tool that closes leases\n.\n< Done.\n.\n",
    );
    let kinds: Vec<MemoryKind> = played.observations().iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [MemoryKind::Feature], "{:#?}", played.observations());
}
