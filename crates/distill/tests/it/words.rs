//! The agent's own best words: what it concludes, what it found on the way, and what its work is called.

use model::{MemoryKind, Observation};

use crate::script::{Played, play};

const EDIT: &str =
    "edit src/loader.rs\n@ 12\n fn read_row(&self) -> Row {\n-    self.rows[at]\n+    self.rows.get(at)\n.\n";

fn only(played: &Played, kind: MemoryKind) -> &Observation {
    let all = played.observations();
    let found: Vec<&&Observation> = all.iter().filter(|one| one.kind == kind).collect();
    assert_eq!(found.len(), 1, "{all:#?}");
    found[0]
}

#[test]
fn a_cause_said_between_two_calls_belongs_to_the_work_it_speaks_of() {
    let played = play(&format!(
        "> rows go missing\n.\nread src/loader.rs\n~ Found it! `read_row` never checks the length of the file. Let me fix this:\n.\n{EDIT}< All done.\n.\n"
    ));
    let work = only(&played, MemoryKind::Change);
    assert!(
        work.facts.contains(&"Cause, as said: `read_row` never checks the length of the file.".to_owned()),
        "{work:#?}"
    );
}

#[test]
fn a_cause_that_belongs_to_no_work_is_a_discovery_and_the_last_wording_wins() {
    let found = "~ Found the issue! The queue drops `order_id` because `Envelope` has no such field.\n.\n";
    let played =
        play(&format!("> why is it empty?\n.\nread src/a.rs\n{found}read src/b.rs\n< Let me know.\n.\n"));
    let discovery = only(&played, MemoryKind::Discovery);
    assert_eq!(discovery.title, "The queue drops `order_id` because `Envelope` has no such field");
    let last = "< The queue drops `order_id` because `Envelope` of the new build has no field for it.\n.\n";
    let played = play(&format!("> why is it empty?\n.\nread src/a.rs\n{found}read src/b.rs\n{last}"));
    let discovery = only(&played, MemoryKind::Discovery);
    // What the title says in full is no fact besides.
    assert!(discovery.title.contains("of the new build") && discovery.facts.is_empty(), "{discovery:#?}");
}

#[test]
fn work_is_called_by_its_conclusion_in_any_language() {
    for (said, title) in [
        ("Done! `read_row` now stops at the end of the file.", "`read_row` now stops at the end of the file"),
        (
            "Готово! Функция `read_row` больше не читает за концом файла.",
            "Функция `read_row` больше не читает за концом файла",
        ),
        (
            "Fertig. `read_row` liest jetzt nur noch bis zum Ende der Datei.",
            "`read_row` liest jetzt nur noch bis zum Ende der Datei",
        ),
        ("完成了。`read_row` 现在会在文件末尾停止读取。", "`read_row` 现在会在文件末尾停止读取。"),
    ] {
        let played = play(&format!("> go on\n.\n{EDIT}< {said}\n.\n"));
        let titles: Vec<&str> = played.observations().iter().map(|one| one.title.as_str()).collect();
        assert_eq!(titles, [title], "{said}");
    }
}

#[test]
fn work_nobody_spoke_of_is_called_by_the_request_also_of_an_earlier_turn() {
    let played =
        play(&format!("> can you make the loader stop at the end of the file?\n.\n{EDIT}< Done.\n.\n"));
    assert_eq!(played.observations()[0].title, "Make the loader stop at the end of the file");
    let played = play(&format!(
        "> make the loader stop at the end of the file\n.\nread src/loader.rs\n< Shall I?\n.\n> yes\n.\n{EDIT}< Done.\n.\n"
    ));
    assert_eq!(played.observations()[0].title, "Make the loader stop at the end of the file");
    assert!(played.observations()[0].narrative.starts_with("Asked: make the loader stop"));
}

#[test]
fn no_title_is_code_a_question_a_beginning_or_cut_inside_of_a_quotation() {
    for said in [
        "Let me know what you think.",
        "Now I have a complete picture.",
        "Here's what I did:",
        "Should I also update the tests?",
        "This solves it.",
        "All tests pass.",
        "Perfect!",
    ] {
        let played = play(&format!("> hm\n.\n{EDIT}< {said}\n.\n"));
        assert_eq!(played.observations()[0].title, "Change read_row in loader.rs", "{said}");
    }
    let long = "Added a long explanation to the loader about what happens to the rows behind the end `rows.get(at).and_then(read_it)` of a file.";
    let played = play(&format!("> hm\n.\n{EDIT}< {long}\n.\n"));
    let title = &played.observations()[0].title;
    assert_eq!(title.matches('`').count() % 2, 0, "{title}");
}

#[test]
fn what_is_written_for_the_next_agent_is_kept_whole_with_the_trust_of_its_turn() {
    let edit = "edit CLAUDE.md\n@ 3\n # Notes\n-- Run the importer by hand after a release.\n+- The importer runs by itself after a release.\n+- The queue drops messages above 256 kB without an error.\n.\n";
    let played = play(&format!("> write that down\n.\n{edit}< Noted.\n.\n"));
    let lesson = only(&played, MemoryKind::Discovery);
    assert_eq!(played.observations().len(), 1, "the edit is not told twice");
    assert_eq!(lesson.subtitle.as_deref(), Some("Written into CLAUDE.md"));
    assert_eq!(
        lesson.facts,
        [
            "The importer runs by itself after a release. (was: Run the importer by hand after a release.)",
            "The queue drops messages above 256 kB without an error."
        ]
    );
    let page =
        "web https://docs.example/limits\nThe queue drops messages above 256 kB without an error.\n.\n";
    let played = play(&format!("> write that down\n.\n{page}{edit}< Noted.\n.\n"));
    let lesson = only(&played, MemoryKind::Discovery);
    assert!(lesson.tools.iter().any(|tool| tool.starts_with(distill::MARK)), "{lesson:#?}");
}

#[test]
fn a_plan_of_the_client_and_a_file_of_secrets_are_no_work() {
    for file in [".env", "../home/.claude/plans/a.md"] {
        let played =
            play(&format!("> go on\n.\nwrite {file}\nA line that is long enough to be one.\n.\n< ok\n.\n"));
        assert!(played.observations().is_empty(), "{file}");
    }
}
