//! The labelled prompts of `eval/skills`: what fits is named, what is harmless is met with silence.

use std::path::Path;

use super::{Prompt, Shelf, hits, rules};

fn shelf() -> Shelf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/skills");
    let (rules, faults) = rules::read(&std::fs::read_to_string(folder.join("skill-rules.json")).unwrap());
    assert!(faults.is_empty(), "{faults:?}");
    Shelf { rules, ..Shelf::default() }
}

struct Counted {
    harmless: usize,
    banners: Vec<String>,
    examples: usize,
    missed: Vec<String>,
}

fn counted(half: &str) -> Counted {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/skills/prompts.tsv");
    let text = std::fs::read_to_string(file).unwrap();
    let shelf = shelf();
    let mut counted = Counted { harmless: 0, banners: Vec::new(), examples: 0, missed: Vec::new() };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [of, skill, prompt] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        if of != half {
            continue;
        }
        let read = Prompt::read(prompt, &[]).expect("a prompt");
        let found = hits(&shelf, &read);
        let said: Vec<String> =
            found.iter().take(2).map(|hit| format!("{} {:.2} {}", hit.name, hit.score, hit.why)).collect();
        if skill == "-" {
            counted.harmless += 1;
            if !said.is_empty() {
                counted.banners.push(format!("{prompt}: {said:?}"));
            }
        } else {
            counted.examples += 1;
            if !found.iter().take(2).any(|hit| hit.name == skill) {
                counted.missed.push(format!("{skill}: {prompt}: {said:?}"));
            }
        }
    }
    counted
}

#[track_caller]
fn check(half: &str) {
    let counted = counted(half);
    let said = format!(
        "{half}: {} banners on {} harmless prompts, {} of {} examples missed\n{}\n{}",
        counted.banners.len(),
        counted.harmless,
        counted.missed.len(),
        counted.examples,
        counted.banners.join("\n"),
        counted.missed.join("\n")
    );
    println!("{said}");
    assert!(counted.harmless >= 30 && counted.examples >= 25, "{said}");
    assert!(counted.banners.len() * 30 <= counted.harmless, "{said}");
    assert!(counted.missed.len() * 10 <= counted.examples, "{said}");
}

#[test]
fn of_thirty_harmless_prompts_at_most_one_is_commented_on_and_nine_of_ten_examples_are_recognized() {
    check("dev");
}

#[test]
fn the_same_holds_for_prompts_that_nothing_was_weighed_by() {
    check("held");
}
