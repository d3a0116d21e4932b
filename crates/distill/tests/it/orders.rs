//! What a person orders is kept, whole and in their words; what belongs to the moment is not.

use model::{MemoryKind, Observation};

use crate::script::play;

const TABLE: &str = include_str!("orders.txt");

/// The orders and wishes kept of a prompt.
fn heard(prompt: &str) -> Vec<Observation> {
    let played = play(&format!("> {prompt}\n.\n< ok\n.\n"));
    played.observations().into_iter().filter(|one| one.kind == MemoryKind::Decision).cloned().collect()
}

/// `order`, `wish` or `-`.
fn force(kept: &[Observation]) -> &'static str {
    let concept = |name: &str| kept.iter().any(|one| one.concepts.iter().any(|concept| concept == name));
    match (concept("order"), concept("wish")) {
        (true, _) => "order",
        (_, true) => "wish",
        _ => "-",
    }
}

#[test]
fn every_sentence_of_the_table_is_judged_as_it_says() {
    let mut wrong = Vec::new();
    let mut count = 0;

    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (_, rest) = line.split_once(' ').unwrap();
        let (wanted, sentence) = rest.split_once(' ').unwrap();
        let found = force(&heard(sentence));
        count += 1;
        if found != wanted {
            wrong.push(format!("{found} for {line}"));
        }
    }
    assert!(count > 150 && wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_sentence_of_an_order_is_kept() {
    let kept = heard(
        "Never run force-unlock by yourself. We deploy on Tuesdays only, ask before you apply. Now fix the plan.",
    );
    assert_eq!(kept.len(), 1, "{kept:#?}");
    assert_eq!(
        kept[0].narrative,
        "The person said: Never run force-unlock by yourself. We deploy on Tuesdays only, ask before you apply."
    );
    assert_eq!(
        kept[0].title,
        "Never run force-unlock by yourself. We deploy on Tuesdays only, ask before you apply"
    );
    let two = heard("use tabs, not spaces. never commit to main");
    let titles: Vec<&str> = two.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["Use tabs, not spaces", "Never commit to main"], "two orders are two memories");
    let reason = heard("Don't squash the commits. Otherwise the bisect is worth nothing. Rebase onto main.");
    assert_eq!(
        reason[0].narrative,
        "The person said: Don't squash the commits. Otherwise the bisect is worth nothing."
    );
}

#[test]
fn what_is_typed_when_refusing_a_call_is_heard_and_the_end_of_the_turn_shows_it() {
    let played = play(
        "> clean up the exporter\n.\nread src/export.rs\n~ I will delete the old writer.\n.\nno no, keep the old writer, prefer a flag over a second binary\n.\n< ok\n.\n",
    );
    let kept: Vec<_> =
        played.observations().into_iter().filter(|one| one.kind == MemoryKind::Decision).collect();
    assert_eq!(kept.len(), 1, "{kept:#?}");
    assert_eq!(kept[0].concepts[0], "wish");
    assert!(
        kept[0].narrative.starts_with("The person said: no, keep the old writer"),
        "{}",
        kept[0].narrative
    );
    assert_eq!(kept[0].events.len(), 1);
}

#[test]
fn what_a_prompt_quotes_is_not_the_persons() {
    for prompt in [
        "Implement the following plan:\n\n# Plan\n\nNever use sleep. Always retry.",
        "<teammate-message from=\"lead\">\nAlways rebase before you push.\n</teammate-message>",
        "Look at this:\n```\n# never edit this file by hand\n```",
        "what does this mean?\n\n    warning: you must always pass --locked\n    error: never use unwrap",
        "The exporter should use the shared writer rather than opening its own file. Consider extracting a helper, which must always be closed, to reduce the duplication between both exporters.",
    ] {
        assert_eq!(force(&heard(prompt)), "-", "{prompt}");
    }
    let own =
        heard("Fix the test below. Use \"ledger_\" as prefix for all of the tables.\n```\nassert never\n```");
    assert_eq!(own.len(), 1, "{own:#?}");
    assert_eq!(own[0].title, "Use \"ledger_\" as prefix for all of the tables");
}

#[test]
fn an_order_is_titled_by_itself() {
    for (prompt, title) in [
        ("ok, please remember that the queue is shared", "The queue is shared"),
        ("Yes. And also, never log the body.", "Never log the body"),
        ("could you use a map instead of two lists?", "Use a map instead of two lists"),
        ("Merke dir: Preise sind netto.", "Preise sind netto"),
    ] {
        let kept: Vec<String> = heard(prompt).into_iter().map(|one| one.title).collect();
        assert_eq!(kept, [title], "{prompt}");
    }
    let long = "Every handler that writes must take the lease first, check the version it has read, and give the lease back when it is done or when it was cancelled by the client";
    let kept = heard(long);
    assert_eq!(
        kept[0].title,
        "Every handler that writes must take the lease first, check the version it has read…"
    );
    assert!(kept[0].narrative.contains("cancelled by the client"), "{}", kept[0].narrative);
}

#[test]
fn a_decision_is_its_answer_and_how_to_go_on_is_none() {
    let titles = |line: &str| -> Vec<String> {
        let played = play(&format!("> go\n.\nask {line}\n< ok\n.\n"));
        played.observations().into_iter().map(|one| one.title.clone()).collect()
    };
    assert_eq!(
        titles("How should attempts be limited? = Per session and per IP, 10 a minute (Recommended)"),
        ["Per session and per IP, 10 a minute (asked: how should attempts be limited?)"]
    );
    for trivia in [
        "How would you like to proceed? = Skip design — just implement",
        "Which way? = 2",
        "Does the plan look right? = yes",
        "What next? = Create the PR",
        "Ready to implement? = Looks good, go ahead",
    ] {
        assert_eq!(titles(trivia), [""; 0], "{trivia}");
    }
    assert_eq!(
        titles("How would you like to proceed? = never touch the old importer, it is frozen"),
        ["Never touch the old importer, it is frozen"]
    );
}

#[test]
fn what_is_typed_as_a_question_to_refuse_a_call_orders_what_it_compares() {
    let refused = |said: &str| -> Vec<String> {
        let played = play(&format!(
            "> tidy the exporter\n.\nread src/export.rs\n~ Next the writer.\n.\nno {said}\n.\n< ok\n.\n"
        ));
        let kept = played.observations().into_iter().filter(|one| one.kind == MemoryKind::Decision);
        kept.map(|one| one.title.clone()).collect()
    };
    assert_eq!(
        refused("why don't you use the pool instead of opening sockets?"),
        ["Use the pool instead of opening sockets"]
    );
    assert_eq!(refused("we use pnpm in this repo, not npm"), ["We use pnpm in this repo, not npm"]);
    assert_eq!(refused("what does this file do?"), [""; 0]);
    assert_eq!(
        force(&heard("why don't we use the pool instead of opening sockets?")),
        "-",
        "in a prompt it asks"
    );
}

#[test]
fn a_preference_is_kept_with_its_list_and_options_of_a_question_are_not() {
    let kept = heard("For tests I prefer:\n- table driven cases\n- no sleeps\n\nNow fix the parser.");
    assert_eq!(kept.len(), 1, "{kept:#?}");
    assert!(
        kept[0].narrative.ends_with("For tests I prefer: table driven cases; no sleeps."),
        "{}",
        kept[0].narrative
    );
    assert_eq!(
        force(&heard(
            "Which one is better?\n1. use the cache instead of the table\n2. never cache, always ask"
        )),
        "-"
    );
    assert_eq!(
        force(&heard("Review it.\n\n## Rules\n- never skip a file\n\n## Output\nUse a table, not prose.")),
        "-",
        "a document"
    );
}

#[test]
fn what_the_agent_agreed_to_is_kept_as_the_person_said_it() {
    let said = |prompt: &str, reply: &str| -> Vec<(MemoryKind, String)> {
        let played = play(&format!("> {prompt}\n.\n~ {reply}\n.\nread src/token.rs\n< done\n.\n"));
        let quoted =
            played.observations().into_iter().filter(|one| one.narrative.starts_with("The person said: "));
        quoted.map(|one| (one.kind, one.title.clone())).collect()
    };
    let fact = "no, the token lives in `vault.toml` and not in the environment";
    let title = "The token lives in `vault.toml` and not in the environment".to_owned();
    assert_eq!(said(fact, "You're right, I looked at the wrong file."), [(MemoryKind::Discovery, title)]);
    assert_eq!(said(fact, "Let me look at the file."), []);
    let german = "nein, das Token steht in vault.toml und nicht in der Umgebung";
    assert_eq!(said(german, "Du hast recht, ich korrigiere das.").len(), 1);
    assert_eq!(said("isn't the token in `vault.toml` and not in the environment?", "You're right."), []);
}

#[test]
fn what_was_decided_in_a_request_that_was_carried_out_is_a_fact_of_the_work() {
    let facts = |prompt: &str| -> Vec<String> {
        let played = play(&format!(
            "> {prompt}\n.\nedit src/cli.rs\n-fn trailer() {{}}\n+fn note() {{}}\n.\n< Changed it.\n.\n"
        ));
        let all = played.observations().into_iter().flat_map(|one| one.facts.clone());
        all.filter(|fact| fact.starts_with("The person decided: ")).collect()
    };
    assert_eq!(
        facts("let's rename the `trailer` command to `note`"),
        ["The person decided: let's rename the `trailer` command to `note`"]
    );
    assert_eq!(
        facts("can we rename the `trailer` command to `note`?"),
        ["The person decided: rename the `trailer` command to `note`"]
    );
    assert_eq!(facts("can you check that `trailer` should be renamed to `note`?"), [""; 0]);
    assert_eq!(facts("what does the `trailer` command do?"), [""; 0]);
    assert_eq!(facts("fix the failing test of `trailer`"), [""; 0]);
}
