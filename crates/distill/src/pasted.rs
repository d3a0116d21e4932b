//! A person's own words in a prompt, without the blocks they pasted: code, logs, traces, diffs, what a terminal or an agent
//! printed, quoted paragraphs, findings of a reviewer, plans. A name or a value that is quoted in a sentence stays in it.
//!
//! Decides by shape, in any language; only the findings of a reviewer are known by English words. What is in doubt stays.

use crate::prose::is_english;
use crate::text::has_word;

/// What a person says in a prompt. Empty where all of it was pasted.
pub fn own_words(prompt: &str) -> String {
    let text = without_tags(prompt);
    let text = without_fences(&text);
    let text = before_document(&text);
    let paragraphs = paragraphs(text);
    let kinds = kinds(&paragraphs);
    let first = kinds.iter().position(|kind| *kind == Kind::Printed);
    let last = kinds.iter().rposition(|kind| *kind == Kind::Printed);
    let mut kept: Vec<String> = Vec::new();
    let mut handed_over = false;
    for (at, lines) in paragraphs.iter().enumerate() {
        // What stands between two printed paragraphs and speaks to nobody was printed with them.
        let inside = first.is_some_and(|first| first < at) && last.is_some_and(|last| at < last);
        let words = match kinds[at] {
            Kind::Own if inside && !speaks(lines) => String::new(),
            Kind::Own => lines.join("\n"),
            Kind::Printed => around_printed(lines, handed_over),
            Kind::Finding => lead(&lines.join("\n")).0.to_owned(),
            Kind::Foreign => String::new(),
        };
        handed_over = lines.last().is_some_and(|line| line.trim_end().ends_with([':', '：']));
        if !words.trim().is_empty() {
            kept.push(words.trim_end().to_owned());
        }
    }
    kept.join("\n\n").trim().to_owned()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Own,
    /// Some of its lines were printed by a program.
    Printed,
    /// What a reviewer found, perhaps behind a few words that hand it over.
    Finding,
    /// Somebody else's words.
    Foreign,
}

/// A paragraph longer than this in quotes is quoted for what it is, not for a name or a value in it.
const LONG_QUOTE: usize = 80;
/// Words that hand something over are few.
const LONG_LEAD: usize = 100;
/// Names of tags that are opened and not closed; more are markup that somebody pasted.
const MAX_UNCLOSED: usize = 16;
/// A finding of a reviewer is a paragraph; a shorter one may be anything.
const LONG_FINDING: usize = 120;

fn kinds(paragraphs: &[Vec<&str>]) -> Vec<Kind> {
    let flat = paragraphs.iter().any(|lines| lines.first().is_some_and(|line| indent(line) < 2));
    let reviewed = paragraphs.iter().any(|lines| is_severity(&lines.join(" ")));
    let mut kinds: Vec<Kind> = Vec::new();
    for lines in paragraphs {
        let text = lines.join("\n");
        // A terminal indents what it shows; who types does not, unless they always do.
        let follows = lines.len() > 1 || kinds.last().is_some_and(|before| *before != Kind::Own);
        let indented = flat && follows && lines.iter().all(|line| indent(line) >= 2) && !is_list(lines);
        kinds.push(match () {
            () if is_quoted(&text) || is_severity(&text) || indented => Kind::Foreign,
            () if is_finding(lead(&text).1, reviewed) => Kind::Finding,
            () if lines.iter().any(|line| is_printed(line)) => Kind::Printed,
            () => Kind::Own,
        });
    }
    kinds
}

/// A few words that hand over what follows ("can you check: "), and what follows.
fn lead(text: &str) -> (&str, &str) {
    let end = text.floor_char_boundary(LONG_LEAD);
    match text[..end].find(": ").or_else(|| text[..end].find(":\n")) {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    }
}

/// The lines before the first printed one and behind the last, and not what stands between them.
fn around_printed(lines: &[&str], handed_over: bool) -> String {
    let first = lines.iter().position(|line| is_printed(line)).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| is_printed(line)).map_or(lines.len(), |at| at + 1);
    // A line beside it that speaks to nobody is one more line of what was printed.
    let before = lines[..first].iter().filter(|_| !handed_over);
    let after = lines[last..].iter().filter(|line| speaks(&[line]));
    before.chain(after).copied().collect::<Vec<_>>().join("\n")
}

/// Blocks in tags that no person types: `<task-notification>`, `<ide_selection>`. One that is not closed stays.
fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    // Names that are not closed any more: each is looked for once.
    let mut unclosed: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tagged) = rest.split_at(at);
        kept.push_str(before);
        let is_part = |char: char| char.is_ascii_lowercase() || matches!(char, '-' | '_');
        let name = tagged[1..].split(|char| !is_part(char)).next().unwrap_or("");
        let is_sought =
            name.contains(['-', '_']) && unclosed.len() < MAX_UNCLOSED && !unclosed.contains(&name);
        let closing = is_sought.then(|| format!("</{name}>"));
        let end = closing.and_then(|closing| Some(tagged.find(&closing)? + closing.len()));
        if is_sought && end.is_none() {
            unclosed.push(name);
        }
        let skipped = end.unwrap_or(1 + name.len());
        if end.is_none() {
            kept.push_str(&tagged[..skipped]);
        }
        rest = &tagged[skipped..];
    }
    kept + rest
}

/// Without what stands between fences; one that is never closed goes to the end.
fn without_fences(text: &str) -> String {
    const FENCES: &[&str] = &["```", "~~~", "\"\"\"", "'''"];
    let mut kept = String::with_capacity(text.len());
    let mut inside: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        match (inside, FENCES.iter().copied().find(|fence| start.starts_with(fence))) {
            (None, Some(fence)) => {
                // Opened and closed in one line: code in a sentence's place.
                let closed = start.len() > 6 && start.trim_end().ends_with(fence);
                inside = (!closed).then_some(fence);
            }
            (Some(open), Some(fence)) if open == fence => inside = None,
            (Some(open), _) if start.trim_end().ends_with(open) => inside = None,
            (None, None) => kept.push_str(line),
            _ => continue,
        }
        kept.push('\n');
    }
    kept
}

/// A line that hands over, and behind it a document with a title ("Implement the following plan:", "# Plan"): the line.
fn before_document(text: &str) -> &str {
    let mut at = 0;
    let mut hands_over = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        if hands_over && words.starts_with("# ") {
            return &text[..at];
        }
        if !words.is_empty() {
            hands_over = words.ends_with([':', '：']);
        }
        at += line.len();
    }
    text
}

fn paragraphs(text: &str) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        if line.trim().is_empty() {
            found.push(Vec::new());
        } else if let Some(last) = found.last_mut() {
            last.push(line);
        }
    }
    found.retain(|lines| !lines.is_empty());
    found
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_list(lines: &[&str]) -> bool {
    lines.first().is_some_and(|line| {
        let start = line.trim_start();
        start.starts_with(['-', '*', '•']) || start.starts_with(|char: char| char.is_ascii_digit())
    })
}

/// All of it in quotes, and longer than a name or a value.
fn is_quoted(text: &str) -> bool {
    const QUOTES: &[(char, char)] =
        &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('「', '」'), ('『', '』')];
    let text = text.trim().trim_end_matches(['.', ',']);
    text.chars().count() > LONG_QUOTE
        && QUOTES.iter().any(|(open, close)| {
            text.strip_prefix(*open)
                .and_then(|inner| inner.strip_suffix(*close))
                .is_some_and(|inner| !inner.contains(*close))
        })
}

/// What a reviewer found, pasted to be judged or mended: long, impersonal, about lines and what to consider.
fn is_finding(text: &str, reviewed: bool) -> bool {
    const ADVICE: &[&str] = &[
        "consider ",
        "this causes ",
        "this produces ",
        "at line ",
        "(line",
        "lines ",
        "severity",
        "the code should ",
    ];
    let lower = text.to_lowercase();
    text.len() >= LONG_FINDING
        && is_english(text)
        && !speaks_to_somebody(&lower)
        && !text.trim_end().ends_with('?')
        && (reviewed || ADVICE.iter().any(|advice| lower.contains(advice)))
}

/// How review tools head what they found.
fn is_severity(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    matches!(lower.as_str(), "low severity" | "medium severity" | "high severity" | "critical severity")
}

/// A question, or words in which a person speaks. Beside what a program printed "you" is the program's word: "you can
/// continue here".
fn speaks(lines: &[&str]) -> bool {
    lines.iter().any(|line| {
        line.trim_end().ends_with(['?', '？'])
            || !line.is_ascii()
            || has_person(&line.to_lowercase(), SPEAKERS)
    })
}

const SPEAKERS: &[&str] = &[
    "i", "i'm", "i'd", "i've", "i'll", "we", "we're", "we'd", "we'll", "my", "our", "me", "us", "let's",
    "lets", "please",
];

fn speaks_to_somebody(lower: &str) -> bool {
    has_person(lower, SPEAKERS) || has_person(lower, &["you", "your"])
}

fn has_person(lower: &str, people: &[&str]) -> bool {
    let lower = lower.replace('’', "'");
    people.iter().any(|word| has_word(&lower, word))
}

/// A line that a program printed or that is code.
fn is_printed(line: &str) -> bool {
    let (start, end) = (line.trim_start(), line.trim_end());
    let text = start.trim_end();
    // Terminals fill lines with spaces.
    line.len() - end.len() >= 8
        || is_marked(text)
        || is_timed(text)
        || is_changed(text)
        || is_placed(text)
        || is_code(text)
        || text.starts_with("at ") && indent(line) > 0 && text.contains([':', '('])
        || is_quote(text)
}

fn is_quote(text: &str) -> bool {
    text.strip_prefix('>').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '>']))
        || is_quoted(text)
}

/// Begins as messages of programs do.
fn is_marked(text: &str) -> bool {
    const SIGNS: &[char] = &[
        '│', '├', '└', '┌', '┐', '┘', '╭', '╰', '╮', '╯', '─', '═', '║', '⏺', '⎿', '✓', '✔', '✗', '✘', '⨯',
        '❯', '➜', '^',
    ];
    const OPENINGS: &[&str] = &[
        "$ ",
        "% ",
        "=== ",
        "Traceback (most recent",
        "File \"",
        "goroutine ",
        "panic:",
        "panicked at",
        "thread '",
        "Caused by:",
        "Exception in thread",
        "error[",
        "error:",
        "error=",
        "warning:",
        "Error:",
        "Warning:",
        "fatal:",
        "npm ERR!",
        "FAIL",
        "--- FAIL",
        "PASS",
        "Usage:",
        "usage:",
        "note:",
        "help:",
        "hint:",
    ];
    const LEVELS: &[&str] = &["ERROR", "WARN", "WARNING", "INFO", "DEBUG", "FATAL", "TRACE", "PANIC"];
    let word = text.trim_start_matches('[').split([' ', ']', ':', '\t']).next().unwrap_or("");
    let option = text.strip_prefix('-').is_some_and(|rest| {
        rest.trim_start_matches('-').starts_with(|char: char| char.is_ascii_alphabetic())
            && !rest.starts_with(' ')
    });
    text.starts_with(SIGNS)
        || text.contains(['❯', '⏺', '⎿'])
        || OPENINGS.iter().any(|opening| text.starts_with(opening))
        || LEVELS.contains(&word)
        || option
        || has_prompt(text)
}

/// `name@host:~/folder$ command`
fn has_prompt(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("");
    first.contains('@')
        && !first.starts_with('@')
        && text.contains([':', '~'])
        && text.contains(['$', '%', '>', '#'])
}

/// Begins with a date or a time of the day.
fn is_timed(text: &str) -> bool {
    let text = text.trim_start_matches('[');
    let shape: String =
        text.chars().take(11).map(|char| if char.is_ascii_digit() { '0' } else { char }).collect();
    ["0000-00-00T", "0000-00-00 ", "0000/00/00 "].iter().any(|form| shape.starts_with(form))
        && text.contains(':')
        || shape.starts_with("00:00:00")
}

/// A line of a diff, or of a file with its numbers.
fn is_changed(text: &str) -> bool {
    let sign =
        text.strip_prefix(['+', '-']).is_some_and(|rest| rest.starts_with("  ") || rest.starts_with('\t'));
    let number = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let numbered = number.len() < text.len()
        && number.starts_with([' ', '\t'])
        && number.trim_start().starts_with(['+', '-', '|', '│', '→']);
    let heads = ["diff --git ", "@@ ", "+++ ", "--- a/", "index "];
    sign || numbered
        || heads.iter().any(|head| text.starts_with(head) && (*head != "index " || text.contains("..")))
}

/// `src/a.rs:12:5: something`
fn is_placed(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("");
    let mut parts = first.split(':');
    let (file, line) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    file.contains('.')
        && !line.is_empty()
        && line.bytes().all(|byte| byte.is_ascii_digit())
        && first.len() < text.len()
}

fn is_code(text: &str) -> bool {
    const BEGINS: &[&str] =
        &["//", "/*", "} ", "{ ", "#include", "import {", "</", "def ", "func ", "class ", "fn "];
    const ENDS: &[&str] = &["{", "}", "},", "};", ");", "})", "=>", "*/", "],"];
    let begins =
        BEGINS.iter().any(|begin| text.starts_with(begin)) && text.contains(['(', '{', ':', '/', '>']);
    let field = text.starts_with('"') && text.contains("\": ");
    let assigns =
        text.contains(" := ") || text.contains(" = ") && text.contains('(') && text.ends_with([')', ';']);
    begins || field || assigns || matches!(text, "[" | "]") || ENDS.iter().any(|end| text.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prompt: &str, own: &str) {
        assert_eq!(own_words(prompt), own, "{prompt}");
    }

    /// What a person typed stays as it is.
    #[track_caller]
    fn whole(prompt: &str) {
        check(prompt, prompt);
    }

    #[test]
    fn names_and_values_in_a_sentence_stay() {
        whole("Never use `force_unlock` by yourself. We deploy on Tuesdays only, ask before you apply.");
        whole("rename \"Strategy initialized\" to \"Ready\", it is what people read first");
        whole("use the prefix <team>-<name> for branches, and a < b stays");
        whole("1. lint fails\n2. update from main\n3. look at the new comments");
        whole("How about this:\n- one folder a day\n- the newest first\n  and with its number");
        whole("Bitte immer zuerst die Tests laufen lassen: vorher wird nichts gepusht.");
        whole("никогда не коммить прямо в main\n\nи всегда запускай тесты");
        whole("- don't push\n- always ask (see docs/rules.md)");
    }

    #[test]
    fn fences_and_tags_go() {
        check(
            "we get this:\n```\nalways use the old one\n```\nfix it, never hide it",
            "we get this:\n\nfix it, never hide it",
        );
        check("like brew does:\n\"\"\"\nuser@host ~> brew aaa\nNever do this\n\"\"\"", "like brew does:");
        check("```\nnever closed\nalways", "");
        check("<ide_selection>always x</ide_selection>\nadd a type for it", "add a type for it");
        check("<teammate-message teammate_id=\"a\">never stop</teammate-message> merge it", "merge it");
        whole("why is <some-tag> not closed? use <b>bold</b>");
        check("what is <the-id>? <ide_opened_file>a.rs</ide_opened_file>", "what is <the-id>?");
    }

    #[test]
    fn what_a_program_printed_goes_and_the_question_stays() {
        check(
            "I just got this during a rebase:\n\n❯ git rebase main\nLink this commit? [Y/n] n\nRebasing (23/25)\n\nwe should prevent this.",
            "I just got this during a rebase:\n\nwe should prevent this.",
        );
        check(
            "fix lint errors:\n  src/common.go:12:10: string has 5 occurrences (goconst)\n          return \"main\"\n                 ^\n  4 issues:",
            "fix lint errors:",
        );
        check(
            "2026-01-02T03:04:05Z ERROR never seen before\n2026-01-02T03:04:06Z INFO always retry\n\nwhy?",
            "why?",
        );
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nValueError: must be set\n\nwhat is it?",
            "what is it?",
        );
        check(
            "> - the helper was removed, always use the new one\n\nhow did this not fail?",
            "how did this not fail?",
        );
        check(
            "+       // Get the id\n+       id, err = lookup(name)\n+       }\n\nisn't this asked twice?",
            "isn't this asked twice?",
        );
        check(
            "=== Step 1 ===\n{\n  \"id\": 1,\n  \"files\": [\n    \"a.py\"\n  ]\n}\n\n=== Step 2 ===\nNone\n\nshould it have lines?",
            "should it have lines?",
        );
        check(
            "you said:\n\n  The warning is right.            \n  Always keep it.            \n\nis it?",
            "you said:\n\nis it?",
        );
    }

    #[test]
    fn whole_quotes_findings_and_plans_are_somebody_elses() {
        let long = "Both sessions are recorded, and they always use the same branch, whatever the person who began them wanted";
        check(
            &format!("change this text:\n\n\"{long}\"\n\nto something short"),
            "change this text:\n\nto something short",
        );
        check(&format!("«{long}»"), "");
        let finding = "The parser trims the trailing newline of every record, and the writer adds it again. \
            Consider adding a test that the two always agree, especially for empty records and for the last one.";
        check(&format!("eval this feedback:\n\n{finding}"), "eval this feedback:");
        check(&format!("eval this feedback:\n{finding}"), "eval this feedback:");
        check(&format!("can you also check: {finding}"), "can you also check:");
        check(&format!("Low Severity\n\n{finding}\n\ncan we do this?"), "can we do this?");
        check(
            "Implement the following plan:\n\n# Plan: Tokens\n\n## Rules\nAlways hash them.\n",
            "Implement the following plan:",
        );
    }

    #[test]
    fn it_takes_time_that_grows_with_the_text() {
        let began = std::time::Instant::now();
        for text in [
            "<a-b> ".repeat(50_000),
            "```\n".repeat(50_000),
            "\"a\n".repeat(50_000),
            "a-b <x ".repeat(50_000),
        ] {
            own_words(&text);
        }
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }
}
