//! What failed, what was given up and how a project is worked on, in sessions of the shapes that come again and again.

use distill::{GIVEN_UP, HOW_TO};
use model::{LearningKind, MemoryKind};

use crate::script::{Played, play};

fn how_to(played: &Played) -> Vec<&str> {
    let found = played.learnings.iter().find(|learning| learning.title == HOW_TO);
    found.map_or_else(Vec::new, |learning| learning.text.lines().collect())
}

fn facts(played: &Played) -> Vec<String> {
    played.observations().iter().flat_map(|one| one.facts.clone()).collect()
}

const EDIT: &str = "edit lease/open.go\n@ 10\n-\treturn open(path)\n+\treturn openShared(path, mode)\n.\n";

#[test]
fn a_task_is_never_an_installation_and_two_tasks_are_not_two_forms_of_one() {
    let lint = "[lint] $ golangci-lint run\nlease/open.go:11:9: G304: Potential file inclusion via variable (gosec)\n[lint] ERROR task failed";
    for runner in ["mise run", "just", "make", "task", "npm run", "poe", "yarn", "deno task", "cargo xtask"] {
        let played = play(&format!(
            "> open it shared\n.\n{EDIT}bash {runner} lint\n! 1\n{lint}\n.\nbash {runner} fmt\n.\nbash {runner} test\nok  \tlease\t0.1s\n.\n< ok\n.\n"
        ));
        for one in played.observations() {
            assert!(!one.title.starts_with("Install"), "{runner}: {}", one.title);
            assert!(!one.title.contains("works where"), "{runner}: {}", one.title);
        }
        for learning in &played.learnings {
            assert!(!learning.title.starts_with("Run `"), "{runner}: {}", learning.title);
        }
    }
}

#[test]
fn one_learning_says_how_the_project_is_worked_on() {
    let played = play(&format!(
        "> open it shared\n.\n{EDIT}bash mise run fmt && mise run lint 2>&1 | tail -5\n0 issues.\n.\n\
         bash cd /project && timeout 60 mise run test 2>&1\nok  \tlease\t0.1s\n.\n\
         bash mise run test -- -run TestLease\nok  \tlease\t0.1s\n.\n\
         bash cd web && CI=1 npm run build\ndone\n.\nbash go test -run TestLease ./lease\nok  \tlease\t0.1s\n.\n\
         bash mise run test\n! 1\n--- FAIL: TestLease (0.01s)\n    lease_test.go:40: want 3 leases, got 2\nFAIL\n.\n\
         bash mise run test\nok  \tlease\t0.1s\n.\n< ok\n.\n"
    ));
    assert_eq!(
        how_to(&played),
        [
            "test: `mise run test` (passed 2 of 3, last 2025-10-09)",
            "lint: `mise run lint` (passed 1 of 1, last 2025-10-09)",
            "format: `mise run fmt` (passed 1 of 1, last 2025-10-09)",
            "build: `CI=1 npm run build` from `web` (passed 1 of 1, last 2025-10-09)",
        ]
    );
}

#[test]
fn a_lint_is_settled_by_the_edit_on_its_line() {
    let played = play(
        "> write the trace\n.\nwrite cmd/trace.go\npackage cmd\n.\nbash just lint\n! 1\n\
         cmd/trace.go:12:12: G304: Potential file inclusion via variable (gosec)\n\
         cmd/trace.go:30:3: Error return value of `file.Close` is not checked (errcheck)\n.\n\
         edit cmd/trace.go\n@ 30\n-\tfile.Close()\n+\t_ = file.Close()\n.\n\
         edit cmd/trace.go\n@ 12\n-\tfile, err := os.Create(path)\n+\tfile, err := os.Create(path) //nolint:gosec // the person's own file\n.\n\
         bash just lint\n0 issues.\n.\n< ok\n.\n",
    );
    let facts = facts(&played);
    let of = |code: &str| facts.iter().find(|fact| fact.starts_with(code)).cloned().unwrap_or_default();
    assert!(
        of("G304")
            .ends_with("settled by `file, err := os.Create(path) //nolint:gosec // the person's own file`")
    );
    assert!(of("Error return value").ends_with("settled by `_ = file.Close()`"), "{facts:#?}");
    assert!(!played.observations().iter().any(|one| one.kind == MemoryKind::Bugfix), "a lint is no bug");
    assert!(!played.learnings.iter().any(|learning| learning.title.contains("comes again")));
}

#[test]
fn in_a_chain_the_check_that_complained_has_failed() {
    let played = play(&format!(
        "> open it shared\n.\n{EDIT}bash mise run lint && mise run test\n! 1\n\
         [lint] ERROR task failed\nlease/open.go:11:9: G304: Potential file inclusion via variable (gosec)\n.\n< It is left for now.\n.\n"
    ));
    let failure = played.observations().into_iter().find(|one| one.kind == MemoryKind::Failure).unwrap();
    assert!(failure.title.starts_with("`mise run lint` fails: G304"), "{}", failure.title);
}

#[test]
fn a_fix_that_is_taken_back_is_given_up_with_what_came_instead() {
    let wrong =
        "edit view/lanes.ts\n@ 40\n-  const start = first;\n+  const start = last; // newest first\n.\n";
    let back =
        "edit view/lanes.ts\n@ 40\n-  const start = last; // newest first\n+  const start = first;\n.\n";
    let right = "edit view/order.ts\n@ 7\n-  return lanes.sort(byName);\n+  return lanes.sort(byIndex);\n.\n";
    let played = play(&format!(
        "> the lanes are drawn upside down, fix it\n.\n{wrong}< Swapped start and end in lanes.ts.\n.\n\
         > it is still wrong\n.\n~ The swap in `lanes.ts` didn't help because the order itself is wrong. Let me take it back.\n.\n\
         {back}{right}< The order is right now.\n.\n"
    ));
    let given_up = played.observations().into_iter().find(|one| one.title.starts_with(GIVEN_UP)).unwrap();
    assert_eq!(given_up.kind, MemoryKind::Failure);
    assert!(given_up.facts.iter().any(|fact| fact.starts_with("Instead: ")), "{given_up:#?}");
    assert!(given_up.facts.iter().any(|fact| fact.contains("didn't help because the order itself is wrong")));
    let told = played.observations();
    let again = told.iter().filter(|one| {
        one.kind != MemoryKind::Failure && one.files_modified.contains(&"view/lanes.ts".to_owned())
    });
    assert_eq!(again.count(), 1, "putting back is no work of its own: {told:#?}");
}

#[test]
fn what_is_undone_within_a_turn_is_not_told_as_work() {
    let add = "edit src/a.py\n@ 3\n     total = add(rows)\n+    print(\"DEBUG\", total)\n.\n";
    let remove = "edit src/a.py\n@ 3\n     total = add(rows)\n-    print(\"DEBUG\", total)\n.\n";
    let played = play(&format!("> why is the sum off?\n.\n{add}{remove}< It rounds.\n.\n"));
    assert!(
        played.observations().iter().all(|one| one.files_modified.is_empty()),
        "{:#?}",
        played.observations()
    );
    let restored =
        play(&format!("> try it\n.\n{add}bash git checkout -- src/a.py\n.\n< I left it as it was.\n.\n"));
    assert!(restored.observations().iter().all(|one| one.files_modified.is_empty()));
    let branch = play(&format!("> try it\n.\n{add}bash git checkout -b src\n.\n< ok\n.\n"));
    assert_eq!(branch.observations().len(), 1, "another branch puts nothing back");
}

#[test]
fn what_git_puts_back_in_a_later_turn_is_given_up() {
    let edit = "edit src/cache.rs\n@ 9\n-    evict(oldest);\n+    evict(random);\n.\n";
    for (commit, back) in [
        ("", "git restore src/cache.rs"),
        ("", "git reset --hard"),
        (
            "bash git commit -qam 'cache: evict at random'\n[main 1a2b3c4] cache: evict at random\n.\n",
            "git revert 1a2b3c4 --no-edit",
        ),
        (
            "bash git commit -qam 'cache: evict at random'\n[main 1a2b3c4] cache: evict at random\n.\n",
            "git reset --hard HEAD~1",
        ),
    ] {
        let played = play(&format!(
            "> evict at random\n.\n{edit}{commit}< done\n.\n> no, take it back\n.\nbash {back}\n.\n< done\n.\n"
        ));
        let titles: Vec<_> = played.observations().iter().map(|one| one.title.clone()).collect();
        assert!(titles.iter().any(|title| title.starts_with(GIVEN_UP)), "{back}: {titles:?}");
    }
}

#[test]
fn definitions_that_were_moved_are_not_given_up() {
    let add = "edit a/usage_test.go\n@ 9\n+func TestUsage(t *testing.T) {\n+\tcheck(t)\n+}\n.\n";
    let played = play(&format!(
        "> test the usage\n.\n{add}< done\n.\n> move it to the agent\n.\n\
         edit b/usage_test.go\n@ 1\n+func TestUsage(t *testing.T) {{\n+\tcheck(t)\n+}}\n.\n\
         edit a/usage_test.go\n@ 9\n-func TestUsage(t *testing.T) {{\n-\tcheck(t)\n-}}\n.\n< moved\n.\n"
    ));
    assert!(!played.observations().iter().any(|one| one.title.starts_with(GIVEN_UP)));
}

#[test]
fn an_approach_that_does_not_work_is_told_in_the_agents_words() {
    let played = play(
        "> filter the branches\n.\nread src/data.go\n\
         ~ You're right - the merge-base filter didn't work for branches that merged `main` into them. It only stops at one commit.\n.\n\
         ~ If this doesn't work, I'll look at `walk` again.\n.\n\
         < I would filter by reachability.\n.\n",
    );
    let told = played.observations();
    let failure = told.iter().find(|one| one.kind == MemoryKind::Failure).unwrap();
    assert_eq!(failure.title, "The merge-base filter didn't work for branches that merged `main` into them");
    assert!(failure.narrative.contains("It only stops at one commit"), "{failure:#?}");
    assert_eq!(told.iter().filter(|one| one.kind == MemoryKind::Failure).count(), 1, "{told:#?}");
}

#[test]
fn a_failure_that_went_away_quietly_is_over() {
    let red = "bash npm test\n! 1\n  ● cart › adds an item\n\n    AssertionError: expected 2 to be 3\n\nTests:       1 failed, 10 passed, 11 total\n.\n";
    let green = "bash npm test\nTests:       11 passed, 11 total\n.\n";
    let played =
        play(&format!("> look at the cart\n.\n{red}< It fails.\n.\n> and now?\n.\n{green}< It passes.\n.\n"));
    let failure = played.turns[0].observations.iter().find(|one| one.kind == MemoryKind::Failure).unwrap();
    assert_eq!(played.turns[1].over, failure.events[..1]);
    assert!(!played.learnings.iter().any(|learning| learning.kind == LearningKind::Failed));
}

#[test]
fn a_command_called_in_a_wrong_way_is_no_failure_of_the_project() {
    for (command, said) in [
        ("go test ./lease --fast", "flag provided but not defined: -fast"),
        ("cd leases && go test ./...", "bash: cd: leases: No such file or directory"),
        ("npm run tset", "npm error Missing script: \"tset\""),
        ("go build -o ./out ./cmd/...", "go: cannot write multiple packages to non-directory ./out"),
    ] {
        let played = play(&format!("> check it\n.\nbash {command}\n! 1\n{said}\n.\n< hm\n.\n"));
        assert!(played.observations().is_empty(), "{command}: {:#?}", played.observations());
        assert!(!played.learnings.iter().any(|learning| learning.kind == LearningKind::Failed), "{command}");
    }
}

#[test]
fn what_was_run_in_between_helped_only_if_it_can_have() {
    let missing = "bash npm test\n! 1\nError: Cannot find module 'zod'\n.\n";
    let wrong = "bash npm test\n! 1\nAssertionError: expected 2 to be 3\n.\n";
    let pass = "bash npm test\nTests:       3 passed, 3 total\n.\n";
    let titles = |script: String| -> Vec<String> {
        play(&script).observations().iter().map(|one| one.title.clone()).collect()
    };
    let helped = titles(format!("> go on\n.\n{missing}bash npm ci\nadded 3 packages\n.\n{pass}< ok\n.\n"));
    assert!(helped.iter().any(|title| title.contains("works after `npm ci`")), "{helped:?}");
    let chance = titles(format!("> go on\n.\n{wrong}bash npm ci\nadded 3 packages\n.\n{pass}< ok\n.\n"));
    assert!(!chance.iter().any(|title| title.contains("works after")), "{chance:?}");
}
