//! What is not shown is not claimed: each test is a sentence that was once said and was not true.

use model::{LearningKind, MemoryKind};

use crate::script::{Played, play};

fn titles(played: &Played) -> Vec<(MemoryKind, &str)> {
    played.observations().into_iter().map(|one| (one.kind, one.title.as_str())).collect()
}

fn decisions(prompt: &str) -> Vec<String> {
    let played = play(&format!("> {prompt}\n.\n< ok\n.\n"));
    played.observations().into_iter().map(|one| one.title.clone()).collect()
}

const PANIC: &str = "bash go test ./...
! 1
--- FAIL: TestPut (0.00s)
panic: assignment to entry in nil map [recovered]
\tpanic: assignment to entry in nil map

goroutine 7 [running]:
testing.tRunner.func1.2({0x5382e0, 0x57d8d0})
\t/usr/local/go/src/testing/testing.go:1632 +0x230
testing.tRunner.func1()
\t/usr/local/go/src/testing/testing.go:1635 +0x35e
panic({0x5382e0?, 0x57d8d0?})
\t/usr/local/go/src/runtime/panic.go:785 +0x132
example.com/cache.(*Cache).Put(...)
\t/project/cache.go:14
example.com/cache.TestPut(0xc0000d6680?)
\t/project/cache_test.go:9 +0x1d
created by testing.(*T).Run in goroutine 1
\t/usr/local/go/src/testing/testing.go:1690 +0x390
FAIL\texample.com/cache\t0.004s
FAIL
.
";
const GUESS: &str = "edit cache.go\n@ 8\n func (c *Cache) Put(key string) {\n-\tc.entries[key] = 1\n+\tc.entries[key] += 1\n.\n";

#[test]
fn a_frame_of_a_goroutine_is_no_error_and_the_panic_is() {
    let played = play(&format!("> go on\n.\n{PANIC}< hm\n.\n"));
    assert_eq!(
        titles(&played),
        [(
            MemoryKind::Failure,
            "`go test ./...` fails: panic: assignment to entry in nil map (/project/cache.go:14)"
        )]
    );
}

#[test]
fn the_same_panic_after_an_edit_is_no_progress() {
    let cut = "bash go test ./... 2>&1 | head -4\n--- FAIL: TestPut (0.00s)\npanic: assignment to entry in nil map [recovered]\n\tpanic: assignment to entry in nil map\n.\n";
    let played = play(&format!("> fix the cache\n.\n{PANIC}{GUESS}{cut}< hm\n.\n"));
    let found = played.observations();
    assert!(
        !found.iter().any(|one| one.facts.iter().any(|fact| fact.contains("comes further"))),
        "{found:#?}"
    );
    let failure = found.iter().find(|one| one.kind == MemoryKind::Failure).unwrap();
    assert!(failure.facts.contains(&"Seen 2 times".to_owned()), "{failure:#?}");
    assert!(
        failure.facts.contains(&"Tried, the same error remained: cache.go: `c.entries[key] += 1`".to_owned()),
        "{failure:#?}"
    );
}

#[test]
fn a_test_that_did_not_run_again_is_not_mended() {
    let other = "bash go test ./...\n! 1\n--- FAIL: TestGet (0.00s)\npanic: assignment to entry in nil map\nFAIL\n.\n";
    let played = play(&format!("> go on\n.\n{PANIC}{GUESS}{other}< hm\n.\n"));
    let kinds: Vec<_> = played.observations().iter().map(|one| one.kind).collect();
    assert!(!kinds.contains(&MemoryKind::Bugfix), "{:#?}", titles(&played));
}

#[test]
fn tests_that_passed_are_counted_only_where_the_runner_counts_them() {
    let undefined = "bash go test ./...\n! 1\n./cache.go:12:3: undefined: entry\nFAIL\texample.com/cache [build failed]\n.\n";
    let red =
        "bash go test ./...\n! 1\n--- FAIL: TestPut (0.00s)\n    cache_test.go:9: want 1, got 2\nFAIL\n.\n";
    let played = play(&format!("> go on\n.\n{undefined}{GUESS}{red}< hm\n.\n"));
    let fix = played.observations().into_iter().find(|one| one.kind == MemoryKind::Bugfix).unwrap().clone();
    assert!(fix.facts.contains(&"`go test ./...` comes further: 1 failed".to_owned()), "{fix:#?}");
}

#[test]
fn a_rename_names_only_the_files_it_happened_in() {
    let rename = "edit src/motion.ts\n@ 1\n-  animate(slow);\n+  animate(fast);\n.\n";
    let style = "edit src/styles.css\n@ 1\n-  color: red;\n+  color: #123456;\n.\n";
    let prose = "edit README.md\n@ 1\n-The slow mode is the default.\n+The fast mode is the default.\n.\n";
    let played = play(&format!("> do it\n.\n{rename}{style}< ok\n.\n"));
    assert_eq!(titles(&played), [(MemoryKind::Refactor, "Rename slow to fast in motion.ts")]);
    let played = play(&format!("> do it\n.\n{style}{prose}< ok\n.\n"));
    assert_eq!(titles(&played), [(MemoryKind::Change, "Change styles.css: `color: #123456;`")]);
    let comment = "edit src/motion.ts\n@ 1\n-// the slow way\n+// the fast way\n.\n";
    let played = play(&format!("> do it\n.\n{comment}< ok\n.\n"));
    assert_eq!(titles(&played), [(MemoryKind::Change, "Change motion.ts: `// the fast way`")]);
    let value = "edit app.yaml\n@ 1\n-mode: slow\n+mode: fast\n.\n";
    let played = play(&format!("> do it\n.\n{value}< ok\n.\n"));
    assert_eq!(titles(&played), [(MemoryKind::Change, "Change app.yaml: `mode: fast`")]);
}

const CONFLICT: &str = "bash git merge feature/limits
! 1
Auto-merging src/limit.rs
CONFLICT (content): Merge conflict in src/limit.rs
Automatic merge failed; fix conflicts and then commit the result.
.
";
const RESOLVE: &str = "edit src/limit.rs
@ 3
-<<<<<<< HEAD
-    let most = 10;
-=======
-    let most = per_minute(10);
->>>>>>> feature/limits
+    let most = per_minute(10);
+fn per_minute(count: u32) -> u32 {
.
";
const MERGED: &str = "bash git commit -am 'Merge feature/limits'\n[main 1a2b3c4] Merge feature/limits\n.\n";

#[test]
fn a_conflict_that_was_edited_and_committed_is_resolved() {
    let played = play(&format!("> merge the limits\n.\n{CONFLICT}{RESOLVE}{MERGED}< ok\n.\n"));
    assert_eq!(
        titles(&played),
        [(MemoryKind::Change, "Resolve the conflict of `git merge feature/limits` in limit.rs")]
    );
    assert!(!played.learnings.iter().any(|one| one.kind == LearningKind::Failed), "{:#?}", played.learnings);
    let later = play(&format!(
        "> merge the limits\n.\n{CONFLICT}< hm\n.\n> and now\n.\nbash git checkout --theirs src/limit.rs\n.\n{MERGED}< ok\n.\n"
    ));
    assert!(!later.learnings.iter().any(|one| one.kind == LearningKind::Failed), "{:#?}", later.learnings);
    assert!(!titles(&later).iter().any(|(_, title)| title.contains(" works ")), "{:#?}", titles(&later));
}

#[test]
fn a_pipe_does_not_hide_a_conflict_and_going_on_with_a_rebase_is_no_merge() {
    let piped = CONFLICT.replace("feature/limits\n! 1", "feature/limits 2>&1 | tail -3");
    let played = play(&format!("> merge\n.\n{piped}{RESOLVE}{MERGED}< ok\n.\n"));
    assert_eq!(
        titles(&played),
        [(MemoryKind::Change, "Resolve the conflict of `git merge feature/limits` in limit.rs")]
    );
    let rebase = CONFLICT.replace("git merge feature/limits", "git rebase main");
    let on = "bash git rebase --continue\nSuccessfully rebased and updated refs/heads/limits.\n.\n";
    let played = play(&format!("> rebase\n.\n{rebase}{RESOLVE}{on}< ok\n.\n"));
    assert_eq!(
        titles(&played),
        [(MemoryKind::Change, "Resolve the conflict of `git rebase main` in limit.rs")]
    );
}

#[test]
fn a_merge_that_was_given_up_does_not_work() {
    let played = play(&format!("> merge\n.\n{CONFLICT}bash git merge --abort\n.\n< ok\n.\n"));
    assert!(!titles(&played).iter().any(|(_, title)| title.contains(" works ")), "{:#?}", titles(&played));
}

#[test]
fn the_subject_of_a_merge_titles_no_feature() {
    let played = play(&format!(
        "> do it\n.\nwrite src/retry.rs\npub struct RetryPolicy {{\n    pub times: u32,\n}}\n.\n{MERGED}< ok\n.\n"
    ));
    assert_eq!(titles(&played), [(MemoryKind::Feature, "Add src/retry.rs: RetryPolicy")]);
}

#[test]
fn never_and_always_are_rules_only_as_orders() {
    for prompt in [
        "Never mind, go on with the next one.",
        "I never understood why we use yaml here.",
        "It never worked on my machine, and I don't know why we use it.",
        "never works on the first try, this thing",
        "Always been like this, the config is a mess.",
        "This has always been the way we use it.",
        "Don't worry about the tests.",
        "the tests use sqlite instead of postgres and that breaks",
        "Don't commit yet, I want to look at it.",
        "We never saw this error before the upgrade.",
        "We always get a timeout on the second call, in this repo at least.",
    ] {
        assert_eq!(decisions(prompt), [""; 0], "{prompt}");
    }
}

#[test]
fn rules_are_heard_however_they_are_typed() {
    for (prompt, title) in [
        ("ok do it. always run the linter before commit", "Always run the linter before commit"),
        ("Ok, go on. never push to main", "Never push to main"),
        ("Don't touch p1.ts", "Don't touch p1.ts"),
        ("thanks! we use conventional commits. now fix the bug", "We use conventional commits"),
        ("please don’t touch the lock file", "Don’t touch the lock file"),
        ("use tabs, not spaces", "Use tabs, not spaces"),
        ("Fix the login. And we never touch the legacy/ folder.", "We never touch the legacy/ folder"),
        ("go on. In this repo we use tabs", "In this repo we use tabs"),
        ("from now on use pnpm", "From now on use pnpm"),
        ("Never mind, use tabs instead of spaces here.", "Use tabs instead of spaces here"),
    ] {
        assert_eq!(decisions(prompt), [title], "{prompt}");
    }
}

#[test]
fn a_choice_of_the_agent_is_kept_whatever_its_reason_fears() {
    let said = "I decided to allow a leeway of 30 seconds for clock skew, because the gateway's clock runs ahead; a longer leeway would let stolen tokens live on.";
    let played = play(&format!("> the login fails now and then\n.\n< {said}\n.\n"));
    let found = played.observations();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].kind, MemoryKind::Decision);
    assert!(found[0].title.starts_with("Allow a leeway of 30 seconds for clock skew"), "{}", found[0].title);
    assert_eq!(found[0].narrative, format!("The agent said: {said}"));
}

#[test]
fn a_line_that_did_not_change_or_only_imports_is_no_title() {
    let import = "edit main.go\n@ 3\n+\t\"log/slog\"\n.\n";
    let body = "edit main.go\n@ 20\n func main() {\n-\tlog.Println(err)\n+\tslog.Error(\"start\", \"err\", err)\n.\n";
    let played = play(&format!("> do it\n.\n{body}{import}< ok\n.\n"));
    assert_eq!(titles(&played), [(MemoryKind::Change, "Change main in main.go")]);
    let played = play(&format!("> do it\n.\n{import}< ok\n.\n"));
    assert_eq!(titles(&played), [(MemoryKind::Change, "Change the imports of main.go")]);
    let red = "bash mvn test\n! 1\n[ERROR] org.opentest4j.AssertionFailedError: expected: <1> but was: <2>\n\tat com.acme.OrderMapperTest.maps(OrderMapperTest.java:9)\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n.\n";
    let green = "bash mvn test\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n.\n";
    let map = "edit OrderMapper.java\n@ 9\n-        return 2;\n+        return order.count();\n.\n";
    let head =
        "edit OrderMapper.java\n@ 1\n-package com.acme;\n+package com.acme;\n+\n+import java.util.List;\n.\n";
    let played = play(&format!("> weiter\n.\n{red}{map}{head}{green}< ok\n.\n"));
    assert_eq!(titles(&played), [(MemoryKind::Bugfix, "Fix AssertionFailedError in OrderMapper.java")]);
}

#[test]
fn how_much_there_is_of_something_is_no_discovery() {
    let played = play(
        "> how big is it\n.\nbash find . -type f | wc -l; du -sh .git\n412\n38M\t.git\n.\n< It has 412 files, the .git folder is 38 MB. I did not change anything.\n.\n",
    );
    assert!(played.observations().is_empty(), "{:#?}", titles(&played));
    let summary = played.turns[0].summary.as_ref().unwrap();
    assert!(summary.next_steps.is_empty(), "{summary:#?}");
    let played = play("> go on\n.\nread src/a.rs\n< I did not run the tests of a.rs.\n.\n");
    assert_eq!(
        played.turns[0].summary.as_ref().unwrap().next_steps,
        ["I did not run the tests of a.rs."],
        "what was left undone is a next step"
    );
}

#[test]
fn a_learning_says_what_to_do_and_repeats_no_observation() {
    let missing = "bash npm test\n! 1\nError: Cannot find module 'zod'\n.\n";
    let pass = "bash npm test\nTests:       3 passed, 3 total\n.\n";
    let played = play(&format!(
        "> Use zstd instead of gzip for the archive.\n.\n{missing}bash npm ci\nadded 3 packages\n.\n{pass}< ok\n.\n"
    ));
    let learned: Vec<&str> = played.learnings.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(
        learned,
        ["When `npm test` fails with \"Cannot find module 'zod'\", try `npm ci`", distill::HOW_TO]
    );
    for learning in &played.learnings {
        for observation in played.observations() {
            assert_ne!(learning.title, observation.title);
        }
    }
}

#[test]
fn a_repair_by_an_edit_is_told_once_with_its_cause_and_is_no_learning_of_its_own() {
    let red = "bash cargo test\n! 101\nthread 'refresh::a_token_expires' panicked at src/token.rs:41:5:\nassertion failed: token.is_expired()\ntest refresh::a_token_expires ... FAILED\ntest result: FAILED. 4 passed; 1 failed; 0 ignored\n.\n";
    let edit = "edit src/token.rs\n@ 41\n fn is_expired(&self) -> bool {\n-    self.expiry < now_seconds()\n+    self.expiry < now_milliseconds()\n.\n";
    let green = "bash cargo test\ntest result: ok. 5 passed; 0 failed; 0 ignored\n.\n";
    let cause = "The root cause was that is_expired in token.rs compared the expiry in milliseconds with the clock of the gateway in seconds, which made every token live on.";
    let played = play(&format!("> fix the refresh\n.\n{red}{edit}{green}< {cause}\n.\n"));
    let fix = played.observations().into_iter().find(|one| one.kind == MemoryKind::Bugfix).unwrap();
    assert!(fix.narrative.contains(cause), "{fix:#?}");
    assert!(!played.learnings.iter().any(|one| one.kind == LearningKind::Worked), "{:#?}", played.learnings);
    let last = fix.title.trim_end_matches('…').rsplit(' ').next().unwrap();
    assert!(cause.split([' ', ',']).any(|word| word == last) && last != "with", "{}", fix.title);
}

#[test]
fn a_decision_is_kept_once() {
    let edit = "edit src/archive.rs\n@ 1\n-    gzip(bytes);\n+    zstd(bytes, level);\n.\nbash git commit -qam 'archive: zstd with a level'\n.\n";
    let played = play(&format!("> Use zstd instead of gzip for the archive.\n.\n{edit}< ok\n.\n"));
    assert!(played.observations().iter().any(|one| one.kind == MemoryKind::Decision));
    assert!(
        played.learnings.is_empty(),
        "what was done after it stands in the work: {:#?}",
        played.learnings
    );
}

#[test]
fn a_quiet_commit_is_named_by_the_log_after_it() {
    let edit = "edit src/a.rs\n@ 1\n-    take(1);\n+    take(2);\n.\n";
    for (command, printed) in [
        ("git commit -qam 'store: take two' && git log -1 --oneline", "1a2b3c4 store: take two"),
        (
            "git commit -qF message.txt && git log --oneline -3",
            "1a2b3c4 (HEAD -> main) store: take two\n77aa001 old",
        ),
    ] {
        let played = play(&format!("> do it\n.\n{edit}bash {command}\n{printed}\n.\n< ok\n.\n"));
        let found = played.observations();
        assert_eq!(found[0].title, "store: take two", "{command}");
        assert!(found[0].facts.contains(&"Committed as 1a2b3c4: store: take two".to_owned()), "{found:#?}");
    }
    let quiet = play(&format!("> do it\n.\n{edit}bash git commit -qam 'store: take two'\n.\n< ok\n.\n"));
    assert!(quiet.observations()[0].facts.contains(&"Committed: store: take two".to_owned()));
}
