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
