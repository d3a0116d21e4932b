//! Whole sessions and what becomes of them, read by eye and kept. `UPDATE_FIXTURES=1` writes them anew, for review.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::script::{Played, play};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions")
}

fn all() -> Vec<(String, String)> {
    let mut found: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "session"))
        .map(|path| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    found.sort();
    found
}

#[test]
fn every_session_gives_what_was_judged_right() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut drifted = Vec::new();
    for (name, script) in all() {
        let rendered = render(&play(&script));
        let kept = folder().join(&name).with_extension("distilled");
        if update {
            std::fs::write(&kept, &rendered).unwrap();
        } else if std::fs::read_to_string(&kept).unwrap_or_default() != rendered {
            drifted.push(format!("{name}:\n{rendered}"));
        }
    }
    assert!(drifted.is_empty(), "{}", drifted.join("\n"));
}

#[test]
fn a_long_session_gives_between_five_and_forty_observations() {
    for (name, script) in all() {
        let played = play(&script);
        let count = played.observations().len();
        if played.events >= 60 {
            assert!((5..=40).contains(&count), "{name}: {count} of {} events", played.events);
        }
    }
}

#[test]
fn the_page_shows_what_the_distiller_gives() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/concepts/distilling.md");
    let mut text = std::fs::read_to_string(&page).unwrap();
    for name in ["rust-bug-hunt", "typescript-feature", "python-operations"] {
        let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->"));
        let script = std::fs::read_to_string(folder().join(name).with_extension("session")).unwrap();
        let from = text.find(&begin).expect("the page has a place for it") + begin.len();
        let to = text.find(&end).expect("the page has a place for it");
        text.replace_range(from..to, &excerpt(&play(&script)));
    }
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&page, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&page).unwrap(), text, "UPDATE_FIXTURES=1 writes it anew");
}

/// For the page: every title, and what stands behind the first repair.
fn excerpt(played: &Played) -> String {
    let observations = played.observations();
    let mut out = String::new();
    writeln!(
        out,
        "{} events, {} turns, {} observations:\n",
        played.events,
        played.turns.len(),
        observations.len()
    )
    .unwrap();
    writeln!(out, "```text").unwrap();
    for observation in &observations {
        writeln!(out, "{:<9} {}", observation.kind.name(), observation.title).unwrap();
    }
    writeln!(out, "```\n").unwrap();
    if let Some(one) =
        observations.iter().find(|one| one.facts.iter().any(|fact| fact.starts_with("Cause, as said")))
    {
        writeln!(out, "One of them in full:\n\n```text").unwrap();
        writeln!(out, "{}", one.title).unwrap();
        if let Some(subtitle) = &one.subtitle {
            writeln!(out, "{subtitle}").unwrap();
        }
        for fact in &one.facts {
            writeln!(out, "- {fact}").unwrap();
        }
        writeln!(out, "concepts: {}", one.concepts.join(", ")).unwrap();
        if !one.files_modified.is_empty() {
            writeln!(out, "modified: {}", one.files_modified.join(", ")).unwrap();
        }
        writeln!(out, "shown by {} events, {} tokens of raw material\n```\n", one.events.len(), one.tokens)
            .unwrap();
    }
    if !played.learnings.is_empty() {
        writeln!(out, "At the end of the session:\n\n```text").unwrap();
        for learning in &played.learnings {
            writeln!(out, "{:<8} {}", format!("{:?}", learning.kind).to_lowercase(), learning.title).unwrap();
        }
        writeln!(out, "```\n").unwrap();
    }
    out
}

fn render(played: &Played) -> String {
    let mut out = String::new();
    writeln!(out, "{} events, {} observations", played.events, played.observations().len()).unwrap();
    for (number, turn) in played.turns.iter().enumerate() {
        writeln!(out, "\n== turn {}", number + 1).unwrap();
        for one in &turn.observations {
            writeln!(out, "\n[{}] {}", one.kind.name(), one.title).unwrap();
            if let Some(subtitle) = &one.subtitle {
                writeln!(out, "    ({subtitle})").unwrap();
            }
            for fact in &one.facts {
                writeln!(out, "  - {fact}").unwrap();
            }
            writeln!(out, "  narrative: {}", one.narrative).unwrap();
            for (name, list) in [
                ("concepts", &one.concepts),
                ("read", &one.files_read),
                ("modified", &one.files_modified),
                ("tools", &one.tools),
            ] {
                if !list.is_empty() {
                    writeln!(out, "  {name}: {}", list.join(", ")).unwrap();
                }
            }
            writeln!(out, "  events: {}, tokens: {}", one.events.len(), one.tokens).unwrap();
        }
        if let Some(summary) = &turn.summary {
            writeln!(out, "\nrequest: {}", summary.request).unwrap();
            for (name, list) in [
                ("investigated", &summary.investigated),
                ("learned", &summary.learned),
                ("completed", &summary.completed),
                ("next", &summary.next_steps),
            ] {
                for line in list {
                    writeln!(out, "{name}: {line}").unwrap();
                }
            }
        }
    }
    writeln!(out, "\n== learnings").unwrap();
    for learning in &played.learnings {
        writeln!(
            out,
            "[{:?}] {}\n    {}",
            learning.kind,
            learning.title,
            learning.text.replace('\n', "\n    ")
        )
        .unwrap();
    }
    out
}
