//! What counts as naming a memory, and what never does.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const FIRST: u64 = 0x0123_4567_89ab_cdef;

fn id(number: u64) -> MemoryId {
    MemoryId::of(&["test", &number.to_string()])
}

/// Two memories, in a note as it would have been delivered.
fn shown() -> Shown {
    let mut shown = Shown::new();
    shown.memory(id(1), &["The staging database is read-only on Fridays", "staging-database"]);
    shown.memory(id(2), &["pnpm is used in this monorepo"]);
    shown.note(&format!(
        "- {} 2026-11-02 note: The staging database is read-only on Fridays. Ask Ana before a migration. (person)\n\
         - {} 2026-11-01 decision: pnpm is used in this monorepo",
        id(1),
        id(2)
    ));
    shown
}

#[track_caller]
fn check(text: &str, expected: &[(u64, bool)]) {
    let found: BTreeSet<_> =
        cited(&shown(), text).into_iter().map(|one| (one.memory, one.prevented)).collect();
    let expected = expected.iter().map(|(number, prevented)| (id(*number), *prevented)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_memory_is_cited_by_its_id_a_beginning_of_it_or_its_title_in_quotes() {
    let one = id(1).to_string();
    check(&format!("I waited with the migration because of {one}."), &[(1, false)]);
    check(&format!("According to memory `{}` the database is read-only today.", &one[..6]), &[(1, false)]);
    check(&format!("The note ({}) says so, hence no migration.", one.to_uppercase()), &[(1, false)]);
    check("I went by “The staging database is read-only on Fridays” and waited until Monday.", &[(1, false)]);
    check("The file \"staging-database.md\" was of help with the schedule.", &[(1, false)]);
    check(&format!("{one} and {} decided the plan of today.", id(2)), &[(1, false), (2, false)]);
    check(&format!("First I read {one} closely.\nThen I avoided what {one} tells of."), &[(1, true)]);
}

#[test]
fn what_is_no_name_of_anything_shown_is_no_citation() {
    let one = id(1).to_string();
    check("The staging database is read-only on Fridays, so I waited.", &[]);
    check(&format!("A stranger is {} and was never shown here.", id(3)), &[]);
    check(&format!("Too short to be meant by it: {}", &one[..5]), &[]);
    check(&format!("It is part of a longer word: x{one} and {one}-tail and {one}_1 too."), &[]);
    check("", &[]);
    assert_eq!(cited(&Shown::new(), &format!("it was {one} that helped")), []);
}

#[test]
fn a_beginning_that_fits_two_of_the_shown_names_neither() {
    let mut shown = Shown::new();
    let near = [MemoryId::from_u64(FIRST), MemoryId::from_u64(FIRST ^ 1)];
    for memory in near {
        shown.memory(memory, &[]);
    }
    let all = near[0].to_string();
    assert_eq!(cited(&shown, &format!("see {} for the reason", &all[..8])), []);
    assert_eq!(cited(&shown, &format!("see {all} for the reason")).len(), 1);
}

#[test]
fn a_note_repeated_quoted_or_listed_is_no_citation() {
    let (one, two) = (id(1), id(2));
    let note = format!(
        "{one} 2026-11-02 note: The staging database is read-only on Fridays. Ask Ana before a migration. (person)"
    );
    check(&crate::fence("recall-on-start", 7, &note), &[]);
    check(&format!("Here it is:\n{}\nThat is all.", crate::fence("recall-on-start", 7, &note)), &[]);
    check(
        &format!("<throughline-note from=\"x\" id=\"0\">\nit never ends {one} is what helped me here"),
        &[],
    );
    check(&format!("- {note}"), &[]);
    check(&format!("* **{note}**"), &[]);
    check(&format!("> I was told that {one} holds here."), &[]);
    check(&format!("```\nthroughline show {one} # to learn of the database\n```"), &[]);
    check(&format!("These are known:\n- {one}: The staging database is read-only on Fridays"), &[]);
    check(&format!("| {two} | 2026-11-01 | decision | pnpm is used in this monorepo |"), &[]);
    check("- \"pnpm is used in this monorepo\"", &[]);
    check(&format!("> quoted\n\nI followed {two} when I added the package."), &[(2, false)]);
}

#[test]
fn fetching_a_memory_that_was_shown_is_a_use_of_it() {
    let (one, two) = (id(1).to_string(), id(2).to_string());
    let run = |command: &str| fetched(&shown(), "Bash", &json!({ "command": command }));
    assert_eq!(run(&format!("throughline show {one}")), [id(1)]);
    assert_eq!(
        run(&format!("cd /w && HOME=/h ./bin/throughline timeline --json \"{}\" | head", &two[..8])),
        [id(2)]
    );
    assert_eq!(run(&format!("throughline show {one} {two}")).len(), 2);
    assert_eq!(run(&format!("throughline search {one}")), []);
    assert_eq!(run(&format!("throughline show x; echo {one}")), []);
    assert_eq!(run(&format!("echo throughline show {one}")), []);
    assert_eq!(run(&format!("throughline show {}", id(3))), []);
    assert_eq!(fetched(&shown(), "mcp__throughline__mem_get", &json!({ "ids": [one, "x", 7] })), [id(1)]);
    assert_eq!(fetched(&shown(), "mcp__throughline__mem_get", &json!({ "id": two })), [id(2)]);
    assert_eq!(fetched(&shown(), "mcp__other__get", &json!({ "id": two })), []);
    assert_eq!(fetched(&shown(), "Bash", &json!(null)), []);
}

proptest! {
    #[test]
    fn any_text_is_read_and_cites_nothing_that_was_not_shown(text in "(?s).{0,400}", at in 0usize..400) {
        let at = text.floor_char_boundary(at.min(text.len()));
        let marked = format!("{}{} {}", &text[..at], id(1), &text[at..]);
        for citation in cited(&shown(), &marked) {
            prop_assert!([id(1), id(2)].contains(&citation.memory));
        }
        prop_assert_eq!(cited(&shown(), &text), vec![]);
        let _ = fetched(&shown(), "Bash", &json!({ "command": marked }));
    }

    #[test]
    fn a_fenced_note_is_never_counted_whatever_stands_around_it(
        before in "[a-z .]{0,60}", after in "[a-z .]{0,60}", inside in "(?s).{0,120}", nonce: u64
    ) {
        let note = crate::fence("recall-on-prompt", nonce, &format!("{inside} {} {inside}", id(1)));
        let text = format!("{before}{note}{after}");
        prop_assert_eq!(cited(&shown(), &text), vec![]);
    }
}
