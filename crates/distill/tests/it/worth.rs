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
        "edit src/lease_test.go\n@ 3\n-\twant := 2\n+\twant := 3\n.\n",
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
        let body: String = (0..lines).map(|at| format!("+    step_{file}_{at}(value);\n")).collect();
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
