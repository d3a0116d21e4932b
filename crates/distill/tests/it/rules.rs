//! One rule each, on the smallest session that shows it.

use distill::{State, Turn};
use model::{LearningKind, MemoryKind};

use crate::script::{events, play};

/// The kinds and titles a script gives.
fn titles(script: &str) -> Vec<(MemoryKind, String)> {
    play(script).observations().into_iter().map(|one| (one.kind, one.title.clone())).collect()
}

const BORROW: &str = "bash cargo test -p store 2>&1 | tail
error[E0382]: borrow of moved value: `segment`
  --> src/journal.rs:42:9
error: could not compile `store` (lib) due to 1 previous error
.
";
const CLONE: &str = "edit src/journal.rs
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

#[test]
fn a_failure_edits_and_a_success_are_one_bugfix() {
    let played = play(&format!(
        "> go on\n.\n{BORROW}{CLONE}{PASS}< Fixed E0382 in journal.rs by cloning the segment before the move.\n.\n"
    ));
    let found = played.observations();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].kind, MemoryKind::Bugfix);
    assert_eq!(found[0].title, "Fixed E0382 in journal.rs by cloning the segment before the move");
    assert_eq!(found[0].files_modified, ["src/journal.rs"]);
    assert!(found[0].facts.contains(&"`cargo test -p store` passes: 12 passed".to_owned()));
    assert!(found[0].concepts.contains(&"borrow checker".to_owned()));
    // The compiler names the place by itself when it comes again.
    assert!(played.learnings.is_empty(), "{:#?}", played.learnings);
}

#[test]
fn without_words_a_fix_is_named_by_its_place_and_the_changed_line_is_a_fact() {
    let played = play(&format!("> weiter\n.\n{BORROW}{CLONE}{PASS}< Erledigt.\n.\n"));
    let found = played.observations();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].title, "Fix E0382 in append (journal.rs)");
    assert!(found[0].facts.iter().any(|fact| fact.contains("`self.seal(segment.clone());`")), "{found:#?}");
}

#[test]
fn what_one_turn_leaves_open_a_later_one_resolves() {
    let played = play(&format!(
        "> go on\n.\n{BORROW}< It does not compile.\n.\n> and now?\n.\n{CLONE}{PASS}< done\n.\n"
    ));
    let kinds: Vec<_> = played.observations().iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [MemoryKind::Failure, MemoryKind::Bugfix]);
    let fix = played.observations()[1].clone();
    assert_eq!(fix.events.len(), 3, "the failure of the first turn is evidence, too");
    assert!(!played.learnings.iter().any(|learning| learning.kind == LearningKind::Failed));
}

#[test]
fn a_failure_that_stays_is_told_once_and_learned_at_the_end() {
    let played = play(&format!("> go on\n.\n{BORROW}< hm\n.\n> again\n.\n{BORROW}< hm\n.\n"));
    assert_eq!(played.observations().len(), 1);
    assert_eq!(
        played.observations()[0].title,
        "`cargo test -p store` fails: E0382: borrow of moved value: `segment` (src/journal.rs:42)"
    );
    assert_eq!(played.learnings.len(), 1);
    assert_eq!(played.learnings[0].kind, LearningKind::Failed);
}

#[test]
fn an_edit_that_did_not_help_is_remembered() {
    let wrong = "edit src/journal.rs\n@ 40\n-        self.seal(segment);\n+        self.seal(&segment);\n.\n";
    let played = play(&format!("> go on\n.\n{BORROW}{wrong}{BORROW}{CLONE}{PASS}< done\n.\n"));
    assert_eq!(played.observations().len(), 1);
    assert!(
        played.observations()[0]
            .facts
            .contains(&"Tried, the same error remained: journal.rs: `self.seal(&segment);`".to_owned())
    );
    // A line of code is no lesson by itself: it is told with the error it did not help against, and nowhere else.
    assert!(!played.learnings.iter().any(|learning| learning.title.contains("self.seal(&segment)")));
}

#[test]
fn a_pipe_does_not_hide_a_failure_and_a_run_before_the_edit_proves_nothing() {
    let played = play(&format!("> go on\n.\n{PASS}{CLONE}< done\n.\n"));
    assert_eq!(played.observations().len(), 1);
    assert!(
        !played.observations()[0].facts.iter().any(|fact| fact.contains("passes")),
        "{:?}",
        played.observations()[0].facts
    );
    let hidden = "bash cargo build 2>&1 | tail -3\nerror: linking with `cc` failed: exit status: 1\n.\n";
    assert_eq!(titles(&format!("> go on\n.\n{hidden}< done\n.\n"))[0].0, MemoryKind::Failure);
}

#[test]
fn looking_around_is_a_line_and_not_a_memory() {
    let played = play(
        "> what is here\n.\nread src/a.rs\ngrep foo = src/b.rs\nbash ls -la\na\n.\nbash grep -rn nothing src\n! 1\n.\nbash cat src/c.rs\nx\n.\n< Nothing much.\n.\n",
    );
    assert!(played.observations().is_empty(), "{:#?}", played.observations());
    let summary = played.turns[0].summary.as_ref().unwrap();
    assert_eq!(summary.request, "what is here");
    assert_eq!(summary.investigated[0], "Read src/a.rs");
    assert!(summary.completed.is_empty() && summary.learned.is_empty());
}

#[test]
fn an_answer_that_names_what_was_read_is_a_discovery_and_another_is_not() {
    let backed = "> why is it slow?\n.\nread src/pool.rs\n< The pool in pool.rs holds the lock while it connects.\n.\n";
    assert_eq!(
        titles(backed),
        [(MemoryKind::Discovery, "The pool in pool.rs holds the lock while it connects".to_owned())]
    );
    // What an answer begins with is kept where it names what it speaks of; a remark beside it is not.
    let unbacked = "> why is it slow?\n.\nread src/main.rs\n< It is slow at the start. The pool in pool.rs is fine.\n.\n";
    assert!(titles(unbacked).is_empty());
    let guessed = "> why is it slow?\n.\nread src/pool.rs\n< Maybe the pool in pool.rs holds the lock while it connects?\n.\n";
    assert!(titles(guessed).is_empty());
}

#[test]
fn decisions_are_quoted_once() {
    let script = "> Use zstd instead of gzip for the archive.\n.\n< ok\n.\n> Use zstd instead of gzip for the archive.\n.\n< ok\n.\n";
    assert_eq!(
        titles(script),
        [(MemoryKind::Decision, "Use zstd instead of gzip for the archive".to_owned())]
    );
    // Orders are heard in the languages of `src/orders/`.
    assert_eq!(
        titles("> Verwende zstd statt gzip für das Archiv, immer.\n.\n< ok\n.\n"),
        [(MemoryKind::Decision, "Verwende zstd statt gzip für das Archiv, immer".to_owned())]
    );
    assert_eq!(
        titles("> go\n.\nask Which database? = SQLite\n< ok\n.\n"),
        [(MemoryKind::Decision, "SQLite (asked: which database?)".to_owned())]
    );
}

#[test]
fn a_command_that_works_after_another_is_remembered_and_a_flaky_test_is_named() {
    let missing = "bash npm test\n! 1\nError: Cannot find module 'zod'\n.\n";
    let pass = "bash npm test\nTests:       3 passed, 3 total\n.\n";
    let found = titles(&format!("> go on\n.\n{missing}bash npm ci\nadded 3 packages\n.\n{pass}< ok\n.\n"));
    assert_eq!(
        found,
        [(MemoryKind::Bugfix, "`npm test` works after `npm ci`: Cannot find module 'zod'".to_owned())]
    );
    let flaky = "bash npm test\n! 1\n  ● queue › drains\nTests:       1 failed, 2 passed, 3 total\n.\n";
    let found = titles(&format!("> go on\n.\n{flaky}{pass}< ok\n.\n"));
    assert_eq!(
        found,
        [(
            MemoryKind::Discovery,
            "drains is flaky: failed once, passed with nothing changed between".to_owned()
        )]
    );
    let found = titles(&format!("> go on\n.\n{flaky}bash rm -rf tmp\n.\n{pass}< ok\n.\n"));
    assert!(found.is_empty(), "something may have changed: {found:?}");
}

#[test]
fn an_advisory_that_is_gone_is_security() {
    let report = "bash npm audit\n! 1\nlodash  <4.17.21\nCommand Injection in lodash - https://github.com/advisories/GHSA-35jh-r3h4-6jhm\n.\n";
    let found = titles(&format!(
        "> go on\n.\n{report}bash npm audit fix\nchanged 1 package\n.\nbash npm audit\nfound 0 vulnerabilities\n.\n< ok\n.\n"
    ));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, MemoryKind::Security);
    assert!(
        found[0].1.starts_with("`npm audit` works after `npm audit fix`: GHSA-35jh-r3h4-6jhm"),
        "{}",
        found[0].1
    );
}

#[test]
fn a_file_rewritten_by_a_command_is_part_of_what_it_mended() {
    let fail = "bash make\n! 2\nring.c:44:12: error: conflicting types for 'ring_push'\nmake: *** [Makefile:12: ring.o] Error 1\n.\n";
    let played = play(&format!(
        "> go on\n.\n{fail}bash sed -i 's/^void ring_push/int ring_push/' ring.h\n.\nbash make\ngcc ring.c\n.\n< ok\n.\n"
    ));
    let found = played.observations();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        (found[0].kind, found[0].files_modified.as_slice()),
        (MemoryKind::Bugfix, &["ring.h".to_owned()][..])
    );
}

#[test]
fn the_shape_of_a_patch_decides_its_kind() {
    let rename = "> do it\n.\nedit src/a.rs\n@ 1\n-    let lease = take(lease_file);\n+    let claim = take(lease_file);\n.\n< ok\n.\n";
    assert_eq!(titles(rename), [(MemoryKind::Refactor, "Rename lease to claim in a.rs".to_owned())]);
    let feature =
        "> do it\n.\nwrite src/retry.rs\npub struct RetryPolicy {\n    pub times: u32,\n}\n.\n< ok\n.\n";
    assert_eq!(titles(feature), [(MemoryKind::Feature, "Add src/retry.rs: RetryPolicy".to_owned())]);
    let change = "> do it\n.\nedit Cargo.toml\n@ 3\n-version = \"1.0.0\"\n+version = \"1.1.0\"\n.\n< ok\n.\n";
    assert_eq!(titles(change), [(MemoryKind::Change, "Change Cargo.toml: `version = \"1.1.0\"`".to_owned())]);
    let security = "> do it\n.\nedit src/unpack.rs\n@ 3\n-    let path = root.join(name);\n+    let path = safe_join(root, name)?;\n.\nbash git commit -am \"fix: path traversal in unpack\"\n[main 1a2b3c4] fix: path traversal in unpack\n.\n< ok\n.\n";
    assert_eq!(titles(security), [(MemoryKind::Security, "Path traversal in unpack".to_owned())]);
}

#[test]
fn a_commit_of_earlier_work_holds_its_files() {
    let played = play(&format!(
        "> go on\n.\n{CLONE}< ok\n.\n> commit\n.\nbash git commit -am 'store: clone the segment'\n[main 1a2b3c4] store: clone the segment\n.\n< ok\n.\n"
    ));
    let commit = played.observations()[1].clone();
    assert_eq!(commit.title, "store: clone the segment");
    assert_eq!(commit.files_modified, ["src/journal.rs"]);
}

#[test]
fn an_item_done_in_an_earlier_turn_names_nothing_in_a_later_one() {
    let first = "> go on\n.\nwrite src/a.rs\npub fn alpha() {}\n.\ntodo Add alpha to a.rs | open: Add beta\n< ok\n.\n";
    let second = "> and now\n.\nwrite src/b.rs\npub fn gamma() {}\n.\ntodo Add alpha to a.rs | open: Add beta\n< ok\n.\n";
    let found = titles(&format!("{first}{second}"));
    assert_eq!(found[0].1, "Add alpha to a.rs");
    assert_eq!(found[1].1, "Add src/b.rs: gamma");
}

#[test]
#[should_panic(expected = "E9999 of \"Error: E9999\" is in none of its events")]
fn a_claim_no_event_shows_is_caught_by_these_tests() {
    let script = format!("> go on\n.\n{BORROW}{CLONE}{PASS}< done\n.\n");
    let mut played = play(&script);
    played.turns[0].observations[0].facts.push("Error: E9999".to_owned());
    crate::script::check_evidence(&played.turns[0], &events(&script));
}

#[test]
fn much_work_without_an_end_is_told_by_folder() {
    let mut script = "> go on\n.\n".to_owned();
    for folder in ["api", "cart", "search", "mail", "users"] {
        for number in 0..14 {
            script.push_str(&format!(
                "edit src/{folder}/part{number}.ts\n@ 1\n+export function {folder}Part{number}() {{\n.\n"
            ));
        }
    }
    let found = titles(&format!("{script}< ok\n.\n"));
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(found[1].1.contains("cartPart"), "{found:#?}");
}

#[test]
fn a_turn_of_nothing_gives_nothing() {
    let turn = Turn { prompt: None, steps: &[], last_message: None, said: &[], ended_by: None, ended_at: 1 };
    let distilled = distill::turn(&mut State::default(), &turn);
    assert!(distilled.observations.is_empty() && distilled.summary.is_none());
    assert!(events("# nothing\n").is_empty());
}

#[test]
fn beside_a_page_an_agents_own_words_stay_its_own_and_the_pages_are_marked() {
    let marks = |tools: &[String]| tools.iter().any(|tool| tool.starts_with(distill::MARK));
    let said = "< Fixed E0382 in journal.rs by cloning the segment before the move. \
                It turned out that the zorblatt registry has to be asked first.\n.\n";
    let page = "Whoever moves a segment has to ask the zorblatt registry first.";
    for source in [
        format!("web https://docs.example/x\n{page}\n.\n"),
        format!("bash curl -s https://docs.example/x\n{page}\n.\n"),
        format!("bash cat node_modules/a/README.md\n{page}\n.\n"),
        format!("mcp tracker get_issue {{\"id\": 7}}\n{page}\n.\n"),
    ] {
        let played = play(&format!("> go on\n.\n{source}{BORROW}{CLONE}{PASS}{said}"));
        let found = played.observations();
        let fix = found.iter().find(|one| one.kind == MemoryKind::Bugfix).expect("the work is told");
        assert!(!marks(&fix.tools) && !fix.narrative.contains("zorblatt"), "{source}: {fix:#?}");
        assert!(format!("{fix:?}").contains("cloning the segment"), "{source}: {fix:#?}");
        let words =
            found.iter().find(|one| format!("{one:?}").contains("zorblatt")).expect("and what the page says");
        assert!(marks(&words.tools), "{source}: {words:#?}");
        let summary = played.turns[0].summary.as_ref().unwrap();
        assert!(played.turns[0].outside.is_empty() && !format!("{summary:?}").contains("zorblatt"));
    }
}
