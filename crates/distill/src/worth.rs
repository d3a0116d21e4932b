//! Whether an observation says enough to be put in front of an agent that did not ask. What does not is kept under a mark: search
//! and the timeline find it, nobody is told.

use model::{MemoryKind, Observation};

use crate::patch::{Area, Edit};
use crate::prose::says_what;
use crate::scene::Scene;
use crate::state::OpenFailure;
use crate::step::Commit;
use crate::text::{extension, file_name};
use crate::title::{asked_title, is_merge, says_little, subject};
use crate::work::Piece;

/// A mark among the tools of an observation: kept for whoever asks, never said unasked.
pub const QUIET: &str = "quiet:unsaid";

/// How an announcement, a receipt or a question begins, where something that was learned should stand.
const EMPTY_OPENINGS: &[&str] = &[
    "now i ",
    "now let",
    "let me",
    "let's ",
    "perfect",
    "great",
    "excellent",
    "good,",
    "good!",
    "okay",
    "ok,",
    "i see",
    "i have",
    "i'll",
    "i will",
    "i need to",
    "i now",
    "here is",
    "here's",
    "looking at",
    "asked:",
    "do you want",
    "would you like",
    "should i",
    "can you",
    "could you",
    "install lint",
    "install fmt",
    "install test",
    "plan agreed: #",
    "you were ",
    "you're ",
    "try it",
    "plan complete",
    "option ",
    "pushed ",
    "> ",
    "this makes",
    "that issue",
    "that was ",
    "draft pr ",
    "pr created",
    "the branch ",
    "the subagent ",
    "currently ",
    "effort:",
    "the output ",
];

/// How work stands, which is over with the turn that says so.
const STATUS: &[&str] = &[
    "looks correct",
    "looks good",
    "is correct",
    "is working",
    "it's working",
    "works now",
    "ready for testing",
    "ready to test",
    "ready for review",
    "ready to use",
    "is ready",
    "is complete",
    "are complete",
    "have been updated",
    "has been updated",
    "no outstanding",
    "tests pass",
    "all tests",
    "test pass",
    "now passes",
    "checks pass",
    "comment replies",
    "been rebuilt",
];

pub(crate) fn is_quiet(observation: &Observation) -> bool {
    observation.tools.iter().any(|tool| tool == QUIET)
}

/// Fewer letters name a thing and say nothing of it.
const MIN_LETTERS: usize = 8;

/// A place and a name are no statement: "File: `lease/open.go:40`".
const MIN_WORDS: usize = 3;

/// Whether a title has as many words beside its names as a sentence has.
pub(crate) fn is_sentence(title: &str) -> bool {
    const LEAST_WORDS: usize = 6;
    plain_words(title) >= LEAST_WORDS
}

/// A sentence that was cut before what it is about.
const CUT_ENDS: &[&str] = &[" that", " which", " with", " to", " the", " and", " or"];

/// "`session/` - Domain logic", "File: `lease/open.go:40` (and line 73)": where something is, and hardly what.
fn is_bare_place(title: &str) -> bool {
    const LEAST_WORDS: usize = 8;
    let first = title.trim_start_matches("File: ");
    let place = first.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    place.is_some_and(|(place, rest)| {
        let ends =
            rest.starts_with(" - ") || rest.starts_with(" (") || rest.is_empty() || first.len() < title.len();
        place.contains('/') && ends && plain_words(title) < LEAST_WORDS
    })
}

/// Words that are no path, no name and no number.
fn plain_words(title: &str) -> usize {
    let is_plain = |word: &&str| {
        let word =
            word.trim_matches(|char: char| !char.is_alphanumeric() && !matches!(char, '`' | '/' | '_'));
        word.len() > 1 && word.chars().all(|char| char.is_alphabetic() || matches!(char, '-' | '\'' | '’'))
    };
    // A name in a code span is no word; a command is several.
    let spans = title.split('`').enumerate().filter(|(at, span)| at % 2 == 0 || span.trim().contains(' '));
    spans.flat_map(|(_, span)| span.split_whitespace()).filter(is_plain).count()
}

/// False for a title that is a preamble, a question, a status, a bare line of code or too short to mean anything.
pub fn is_worth_saying(title: &str) -> bool {
    let title = title.trim();
    let lower = title.to_lowercase();
    let letters = title.chars().filter(|letter| letter.is_alphabetic()).count();
    // Chinese, Japanese and Korean say a sentence in as many letters as English needs for a word.
    let is_terse = title.chars().any(|letter| {
        ('\u{2E80}'..='\u{9FFF}').contains(&letter) || ('\u{AC00}'..='\u{D7AF}').contains(&letter)
    });
    let is_long_enough = letters >= if is_terse { MIN_LETTERS / 2 } else { MIN_LETTERS };
    let is_code = title.starts_with('`') && title.ends_with('`') || title.ends_with([';', '{', '(']);
    is_long_enough
        && !is_code
        && !title.ends_with(['?', '？', ':'])
        && !EMPTY_OPENINGS.iter().any(|opening| lower.starts_with(opening))
        && !is_status(&lower)
        && !is_bare_place(title)
        && !CUT_ENDS.iter().any(|word| lower.trim_end_matches('…').ends_with(word))
        && !lower.chars().take(24).collect::<String>().contains(" currently ")
        && (is_terse || plain_words(title) >= MIN_WORDS)
}

/// Whether a title only says how things stand: "The fix is complete", "`ledger` looks correct". What says why says more.
fn is_status(lower: &str) -> bool {
    const SHORT: usize = 30;
    const WHY: &[&str] = &["because", "since", " so ", "instead of", "when "];
    lower.split_whitespace().count() <= SHORT
        && STATUS.iter().any(|status| lower.contains(status))
        && !WHY.iter().any(|why| lower.contains(why))
}

/// Whether a piece of work is worth being told of: its commit says what it is, or somebody spoke of it, or it is what was asked for in
/// so many words and the only thing that was done. A patch alone can be read where it stands.
pub(crate) fn is_work_worth_saying(
    scene: &Scene<'_>,
    piece: &Piece,
    commit: Option<&Commit>,
    spoken: bool,
) -> bool {
    let beside =
        |edit: &Edit| is_beside_the_project(&edit.file) || edit.was == edit.is && edit.area() == Area::Code;
    if !piece.edits.is_empty() && scene.edits(piece).all(beside) {
        return false;
    }
    if let Some(commit) = commit {
        return !is_routine(commit);
    }
    // A test says by its name what it tests, unless it is all that was wanted.
    let alone = scene.sorted.pieces.len() == 1 && spoken;
    if !alone && !piece.edits.is_empty() && scene.edits(piece).all(|edit| edit.area() == Area::Test) {
        return false;
    }
    let asked = || scene.sorted.pieces.len() == 1 && says_what(scene.prompt);
    spoken
        || asked()
            && asked_title(scene, piece)
                .is_some_and(|title| scene.relation(&title, piece) > 0 || is_long(&title))
}

/// An error of what was just being written, told by nobody: whoever wrote it set it right a moment later.
pub(crate) fn is_own_slip(failure: &OpenFailure) -> bool {
    failure.own || failure.fault.compile || failure.fault.is_lint()
}

/// Most that is told of the work of one turn, where neither a commit nor a cause sets a piece apart: of a list of steps that were taken
/// the largest say what came of them.
const MAX_WORK: usize = 2;

/// Marks all but the largest pieces of work of a turn that nothing sets apart.
pub(crate) fn quieten_small_work(observations: &mut [Observation]) {
    use MemoryKind::{Change, Feature, Refactor};
    let is_plain = |one: &Observation| {
        let apart = |fact: &String| CAUSE_OR_COMMIT.iter().any(|start| fact.starts_with(start));
        matches!(one.kind, Change | Feature | Refactor)
            && !one.files_modified.is_empty()
            && !one.facts.iter().any(apart)
            && !is_quiet(one)
    };
    let mut sizes: Vec<u32> = observations.iter().filter(|one| is_plain(one)).map(|one| one.tokens).collect();
    sizes.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
    let Some(least) = sizes.get(MAX_WORK - 1).copied().filter(|_| sizes.len() > MAX_WORK) else { return };
    for one in observations.iter_mut().filter(|one| is_plain(one) && one.tokens < least) {
        one.tools.push(QUIET.to_owned());
    }
}

const CAUSE_OR_COMMIT: &[&str] = &["Cause, as said: ", "Committed"];

/// A finding of a reviewer, of a person or a program: what it claims has not been looked into.
pub(crate) fn is_review_finding(text: &str) -> bool {
    const MARKS: &[&str] = &[
        "low severity",
        "medium severity",
        "high severity",
        "critical severity",
        "severity:",
        "[p0]",
        "[p1]",
        "[p2]",
        "[p3]",
        "p1 badge",
        "p2 badge",
        "nitpick",
        "actionable comments",
        "reviewed by",
    ];
    let lower = text.to_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
}

/// A commit whose subject says nothing to whoever was not there: merges, "wip", formatting, "address review feedback" with no body.
fn is_routine(commit: &Commit) -> bool {
    const ANSWERS: &[&str] = &["feedback", "comments", "comment", "review"];
    let (_, text) = subject(&commit.subject);
    let lower = text.to_lowercase();
    let mut words = lower.split(|char: char| !char.is_alphanumeric());
    let answers = words.next() == Some("address") && words.any(|word| ANSWERS.contains(&word));
    is_merge(&commit.subject)
        || says_little(&commit.subject)
        || is_upkeep(text)
        || answers && commit.body.is_empty()
}

/// Scratch files, plans, and files that a program writes.
fn is_beside_the_project(file: &str) -> bool {
    const SCRATCH: &[&str] = &["/tmp/", "/private/tmp/", "/var/folders/", "/var/tmp/", "/dev/"];
    const WRITTEN: &[&str] = &["lock", "sum", "lockb"];
    const LOCKS: &[&str] =
        &["package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json", "packages.lock.json"];
    let name = file_name(file);
    let is_plan = extension(name) == "md" && file.split('/').rev().skip(1).any(|folder| folder == "plans");
    is_plan
        || SCRATCH.iter().any(|folder| file.starts_with(folder))
        || WRITTEN.contains(&extension(name))
        || LOCKS.contains(&name)
}

/// "style: fix gofmt formatting", "chore: fix lint": nobody has to know.
fn is_upkeep(subject: &str) -> bool {
    const CHECKS: &[&str] = &[
        "lint",
        "linter",
        "linting",
        "format",
        "formatting",
        "fmt",
        "gofmt",
        "prettier",
        "rustfmt",
        "whitespace",
        "typo",
        "typos",
    ];
    let words: Vec<String> = subject
        .split_whitespace()
        .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase())
        .collect();
    words.len() <= 5 && words.iter().any(|word| CHECKS.contains(&word.as_str()))
}

/// A request of so many words says what was wanted.
fn is_long(title: &str) -> bool {
    const LEAST_WORDS: usize = 7;
    title.split_whitespace().count() >= LEAST_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_says_nothing_is_told_from_one_that_does() {
        for poor in [
            "Now I have a comprehensive understanding of the parser",
            "Let me check the tests",
            "Perfect! All tests pass",
            "Do you want me to update the plan",
            "Why does the exporter skip a row?",
            "`return sum`",
            "if (ready) {",
            "main.rs",
            "Install lint: `mise run lint`",
        ] {
            assert!(!is_worth_saying(poor), "{poor}");
        }
        for good in [
            "The exporter skipped the last row of every page",
            "Use 32 MiB segments instead of 8 MiB",
            "Ошибка была в чтении заголовка",
            "缓存没有过期时间",
            "Nowhere is the limit checked",
        ] {
            assert!(is_worth_saying(good), "{good}");
        }
    }
}
