//! Plans that stay in the repository: of what an agent writes into one, the lines that say what is wanted, decided, left
//! out or in doubt. Steps and code of a plan are told by the work itself, when it is done.

use crate::languages::{Section, says};
use crate::lessons::Lesson;
use crate::prose;
use crate::sentences::Sentence;
use crate::text::{clip, extension, file_name, names, stem};

/// Lines that are kept of one edit of a plan.
const MAX_LINES: usize = 6;
const MAX_TITLE_BYTES: usize = 90;

pub(crate) fn is_plan_file(path: &str) -> bool {
    const FOLDERS: &[&str] = &["plans", "plan", "rfcs", "rfc", "proposals", "designs"];
    const NAMES: &[&str] = &["plan", "design", "rfc", "proposal"];
    let lower = path.to_lowercase();
    let name = file_name(&lower);
    let written = ["md", "mdx", "rst", "txt"].contains(&extension(name));
    let folder = || lower.rsplit(['/', '\\']).skip(1).any(|part| FOLDERS.contains(&part));
    let named = || {
        let stem = stem(name);
        NAMES.iter().any(|name| {
            let rest = stem.strip_suffix(name).or_else(|| stem.strip_prefix(name));
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.ends_with(['-', '_']) || rest.starts_with(['-', '_'])
            })
        })
    };
    written && (folder() || named())
}

/// Whether a line of a plan says what holds, and not what is to be typed next.
pub(crate) fn is_kept(sentence: &Sentence) -> bool {
    const SECTIONS: &[&str] = &[
        "goal",
        "goals",
        "problem",
        "overview",
        "decision",
        "decisions",
        "architecture",
        "approach",
        "why",
        "rationale",
        "constraint",
        "constraints",
        "non-goals",
        "out of scope",
        "risk",
        "risks",
        "trade-offs",
        "limitations",
        "requirements",
        "open questions",
        "summary",
        "context",
        "ziel",
        "entscheidung",
        "objectif",
        "objetivo",
        "цель",
        "目标",
        "目的",
    ];
    const STEPS: &[&str] = &[
        "step ",
        "run ",
        "run:",
        "expected",
        "create ",
        "create:",
        "modify",
        "test:",
        "commit",
        "for claude",
        "files:",
        "[ ]",
    ];
    let lower = sentence.text.to_lowercase();
    if STEPS.iter().any(|step| lower.starts_with(step)) || names(&sentence.text) > 6 {
        return false;
    }
    let label = lower.split(':').next().filter(|label| label.len() < lower.len()).unwrap_or("");
    let is_section = |text: &str| {
        SECTIONS.iter().any(|section| text == *section || text.ends_with(&format!(" {section}")))
    };
    is_section(label)
        || is_section(sentence.heading.trim_start_matches(|char: char| !char.is_alphabetic()))
        || prose::states_decision(&sentence.text)
        || prose::states_cause(&sentence.text)
        || says(&sentence.text, Section::Chosen)
}

/// The first lines of what was kept: a plan is not told in full.
pub(crate) fn bounded(mut lines: Vec<Lesson>) -> Vec<Lesson> {
    lines.truncate(MAX_LINES);
    lines
}

/// What a plan is called: its first heading.
pub(crate) fn heading(text: &str) -> Option<String> {
    let line = text.lines().take(20).find_map(|line| line.trim().strip_prefix("# "))?;
    let title = line.trim().trim_matches('*');
    (title.len() > 3).then(|| clip(title, MAX_TITLE_BYTES))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::lessons;
    use crate::patch::Edit;

    #[test]
    fn plans_are_told_from_other_pages() {
        for plan in [
            "docs/plans/2026-01-02-lease.md",
            "PLAN.md",
            "plans/lease.md",
            "docs/lease-design.md",
            "rfcs/0007.md",
        ] {
            assert!(is_plan_file(plan), "{plan}");
        }
        for other in ["README.md", "src/plan.rs", "docs/planning.md", "docs/plants.md", "plan/list.json"] {
            assert!(!is_plan_file(other), "{other}");
        }
    }

    #[test]
    fn of_a_plan_its_aims_and_decisions_are_kept_and_not_its_steps() {
        let text = "# Leases that renew themselves\n\n**Goal:** A lease is renewed before it runs out, so that no worker loses its file.\n\n\
            ## Decisions\n- The timer lives in the daemon, not in each worker.\n\n## Task 1: the timer\n\n\
            **Step 1:** Write the failing test.\nRun: `just test`\nExpected: FAIL\n\n```rust\nfn renew() {}\n```\n";
        let input = json!({ "file_path": "/w/docs/plans/lease.md", "content": text });
        let edit = Edit::read("docs/plans/lease.md".into(), &input, &json!({ "type": "create" }));
        let lines: Vec<&str> = edit.lessons.iter().map(|lesson| lesson.line.as_str()).collect();
        let expected = [
            "Goal: A lease is renewed before it runs out, so that no worker loses its file.",
            "The timer lives in the daemon, not in each worker.",
        ];
        assert_eq!(lines, expected);
        assert_eq!(edit.defines, ["Leases that renew themselves"]);
        assert!(!lessons::is_lesson_file("docs/plans/lease.md"));
    }

    #[test]
    fn a_changed_line_of_a_plan_keeps_what_it_was() {
        let patch = json!({"structuredPatch": [{"oldStart": 5, "lines": [
            " ## Decisions",
            "-- The timer lives in each worker, not in the daemon.",
            "+- The timer lives in the daemon because workers die first.",
        ]}]});
        let edit = Edit::read("PLAN.md".into(), &json!({}), &patch);
        let was: Vec<_> = edit.lessons.iter().map(|lesson| lesson.was.as_deref()).collect();
        assert_eq!(was, [Some("The timer lives in each worker, not in the daemon.")]);
    }
}
