//! A session in the answers of a summary, from all of it: what it was about, what was learned and decided, what was tried
//! and given up, what was done with the checks that prove it, and what is left. Made of what still holds at its end.

use model::{MemoryKind, Observation, Summary};

use crate::given_up::GIVEN_UP;
use crate::languages;
use crate::pasted::own_words;
use crate::prose;
use crate::state::State;
use crate::text::{clip, content_words, has_word, names, one_line, push_new, says_again};
use crate::worth::is_worth_saying;

const MAX_LEARNED: usize = 5;
const MAX_DECIDED: usize = 4;
const MAX_FAILED: usize = 2;
const MAX_COMPLETED: usize = 5;
const MAX_NEXT: usize = 5;
const MAX_PROOFS: usize = 3;
const MAX_LINE_BYTES: usize = 220;
/// Words that say something in an answer of which no memory was made.
const LEAST_ANSWER: usize = 6;
/// A check that is longer was made for one occasion.
const MAX_PROOF_BYTES: usize = 90;
/// Open items of a list that nobody touched for so many turns were left lying.
const FRESH_TURNS: u32 = 3;

/// `turns`: the summaries of its turns in order; `observations`: what still holds of it. Both without what strangers said.
/// `None`: one turn is its own summary, and of nothing there is none.
pub fn session_summary(state: &State, turns: &[Summary], observations: &[Observation]) -> Option<Summary> {
    let [first, .., last] = turns else { return None };
    let mut learned = learned(turns, observations);
    learned.extend(decided(observations));
    learned.extend(failed(observations));
    let mut completed = completed(turns, observations);
    completed.retain(|line| !learned.iter().any(|known| says_again(line, known) && says_again(known, line)));
    let next_steps = next_steps(state, last, observations);
    let proofs: Vec<String> =
        state.proofs().into_iter().filter(|proof| proof.len() <= MAX_PROOF_BYTES).take(MAX_PROOFS).collect();
    if !proofs.is_empty() {
        completed.push(format!("Checked after the last change: {}", proofs.join(", ")));
    }
    if learned.is_empty() && completed.is_empty() && next_steps.is_empty() {
        return None;
    }
    let longest = turns.iter().map(|turn| &turn.request).max_by_key(|request| content_words(request).len());
    let request = if state.has_subject { &state.goal } else { longest.unwrap_or(&first.request) };
    Some(Summary { request: request.clone(), investigated: Vec::new(), learned, completed, next_steps })
}

/// What a request is about, where it says so: the title of a plan, or what the person said in their own words. `None` for a
/// word that steers, the number of an option, and a remark.
pub fn subject(prompt: &str, max: usize) -> Option<String> {
    /// Fewer words that say something are a remark.
    const LEAST_WORDS: usize = 4;
    if let Some(title) = plan_title(prompt) {
        return Some(clip(&format!("Implement the plan: {title}"), max));
    }
    let own = own_words(prompt);
    let own = own.trim();
    let mut words =
        own.split_whitespace().map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()));
    let first = words.next()?;
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let points = is_number(first)
        || ["for", "option", "on", "re", "number"].iter().any(|word| first.eq_ignore_ascii_case(word))
            && words.next().is_some_and(is_number);
    let command =
        own.strip_prefix('/').is_some_and(|rest| !rest.split_whitespace().next().unwrap_or("").contains('/'));
    let terse = !own.is_ascii() && own.chars().count() >= 12 && own.split_whitespace().count() < 4;
    let says = terse || content_words(own).len() + names(own) >= LEAST_WORDS;
    let subject =
        !points && !command && says && !is_errand(own) && !prose::steers(own) && prose::says_what(own);
    subject.then(|| {
        // What was pasted is what "fix this:" is about.
        if own.ends_with(':') {
            return one_line(prompt, max);
        }
        let asked = prose::request(own, max);
        // Between pieces of code hardly a word may be left.
        if content_words(&asked).len() >= 2 { asked } else { one_line(own, max) }
    })
}

/// Something to be done with work that is there already, which the errand does not name: "commit this, then go on".
fn is_errand(own: &str) -> bool {
    const ERRANDS: &[&str] = &[
        "commit",
        "commits",
        "push",
        "rebase",
        "merge",
        "comments",
        "conflicts",
        "lint",
        "pr",
        "pull request",
    ];
    const MAX_WORDS: usize = 12;
    own.split_whitespace().count() <= MAX_WORDS
        && names(own) == 0
        && ERRANDS.iter().any(|word| has_word(own, word))
}

/// The heading of a plan that a prompt asks to carry out.
fn plan_title(prompt: &str) -> Option<&str> {
    let prompt = prompt.trim_start();
    let head = &prompt[..prompt.floor_char_boundary(120)];
    let first = head.lines().next()?.to_lowercase();
    if !(first.starts_with("implement") && first.contains("plan")) {
        return None;
    }
    let heading = prompt.lines().take(12).find_map(|line| line.trim().strip_prefix('#'))?;
    let title = heading.trim_start_matches('#').trim();
    let title =
        ["Plan:", "Implementation Plan:"].iter().find_map(|label| title.strip_prefix(label)).unwrap_or(title);
    let title = title.trim();
    (!title.is_empty()).then_some(title)
}

/// Causes first, then what was found out; of many the ones that name most, in the order they came.
fn learned(turns: &[Summary], observations: &[Observation]) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut add = |score: usize, line: &str| {
        let line = clip(line, MAX_LINE_BYTES);
        let again = |(_, known): &(usize, String)| says_again(&line, known) || says_again(known, &line);
        if says_something(&line) && !found.iter().any(again) {
            found.push((score, line));
        }
    };
    for observation in observations.iter().rev() {
        for cause in observation.facts.iter().filter_map(|fact| fact.strip_prefix("Cause, as said: ")) {
            add(6 + names(cause).min(3), cause);
        }
        if observation.kind == MemoryKind::Discovery {
            let line = whole(observation);
            let cause = if prose::states_cause(&line) { 4 } else { 2 };
            add(cause + names(&line).min(3), &line);
        }
    }
    // An answer that no memory holds is still an answer, where it is a whole sentence; points of lists are not.
    let whole = |line: &&String| line.ends_with(['.', '。']) && content_words(line).len() >= LEAST_ANSWER;
    let rest = turns.iter().rev().flat_map(|turn| &turn.learned);
    for line in rest.filter(|line| !line.starts_with("Decided: ")).filter(whole) {
        add(usize::from(prose::states_cause(line)) + usize::from(names(line) > 0), line);
    }
    pick(found, MAX_LEARNED)
}

/// A sentence that can stand alone: not a label, a path, a piece of code, a status or what was done.
fn says_something(line: &str) -> bool {
    let bare = line.trim_end_matches(['.', '…']);
    is_worth_saying(line)
        && prose::reads_well(bare)
        && content_words(line).len() >= 4
        && !is_label(line)
        && !prose::states_done(line)
        && !is_status(line)
}

/// That something was handed on or is in order says nothing of what it was.
pub(crate) fn is_status(line: &str) -> bool {
    const HANDED_ON: &[&str] = &["pushed", "replied", "posted", "committed", "submitted", "pr created"];
    const IN_ORDER: &[&str] =
        &["looks correct", "looks good", "is clean", "are clean", "all tests", "good news"];
    // What stands before it is what the sentence says: "The lexer handles tabs now; all tests pass."
    let clause = line.split(['；', ';']).next().unwrap_or(line);
    let status = HANDED_ON.iter().chain(IN_ORDER).any(|word| has_word(clause, word));
    status && !prose::states_cause(line)
}

/// A point of a list that says what a thing is for or what became of it: "`a.rs` - the parser", "Line 40: the check".
pub(crate) fn is_label(line: &str) -> bool {
    let end = [" - ", ": ", " – ", " — "].iter().filter_map(|mark| line.find(mark)).min();
    let Some((head, rest)) = end.map(|end| line.split_at(end)) else { return false };
    let rest = rest.trim_start_matches([' ', '-', ':', '–', '—']);
    let head = head.split(" (").next().unwrap_or(head);
    let code = head.starts_with('`') && head.ends_with('`') && head.matches('`').count() == 2;
    let line_number = head.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("line "));
    code || line_number || head.split_whitespace().count() <= 4 && prose::states_done(rest)
}

/// The best of them in the order they came; they were gathered from the end.
fn pick(found: Vec<(usize, String)>, most: usize) -> Vec<String> {
    let mut places: Vec<usize> = (0..found.len()).collect();
    places.sort_by_key(|&place| (std::cmp::Reverse(found[place].0), place));
    places.truncate(most);
    places.sort_unstable_by(|one, other| other.cmp(one));
    let mut found: Vec<Option<String>> = found.into_iter().map(|(_, line)| Some(line)).collect();
    places.into_iter().filter_map(|place| found[place].take()).collect()
}

/// What an observation is called, or the sentence of which that is the beginning.
fn whole(observation: &Observation) -> String {
    let title = &observation.title;
    let Some(head) = title.strip_suffix('…') else { return title.clone() };
    let head = head.to_lowercase();
    let lines = observation.narrative.lines().chain(observation.facts.iter().map(String::as_str));
    let full = lines.map(str::trim).find(|line| {
        line.is_char_boundary(head.len().min(line.len())) && line.to_lowercase().starts_with(&head)
    });
    full.map_or_else(|| title.clone(), |line| clip(line, MAX_LINE_BYTES))
}

/// Orders and answers of the person, then choices of the agent. A wish decides nothing.
fn decided(observations: &[Observation]) -> Vec<String> {
    let of = |one: &Observation, concept: &str| one.concepts.iter().any(|known| known == concept);
    let decisions = observations.iter().filter(|one| one.kind == MemoryKind::Decision && !of(one, "wish"));
    let found = decisions.rev().map(|one| (usize::from(of(one, "order")), whole(one)));
    let lines = pick(found.collect(), MAX_DECIDED);
    lines.into_iter().map(|line| format!("Decided: {line}")).collect()
}

/// Approaches that were given up or said not to work.
fn failed(observations: &[Observation]) -> Vec<String> {
    let given_up =
        observations.iter().rev().filter(|one| one.kind == MemoryKind::Failure && !is_open(&one.title));
    let mut lines: Vec<String> = given_up
        .filter(|one| one.title.starts_with(GIVEN_UP) || says_something(&one.title))
        .map(whole)
        .take(MAX_FAILED)
        .collect();
    lines.reverse();
    lines
}

/// A failure that is told as one that stands.
pub(crate) fn is_open(title: &str) -> bool {
    title.starts_with('`') && title.contains("` fails: ")
}

/// Pull requests and commits first, then work that is named by what it does, then the rest.
fn completed(turns: &[Summary], observations: &[Observation]) -> Vec<String> {
    use MemoryKind::{Bugfix, Change, Feature, Refactor, Security};
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut add = |score: usize, line: String| {
        let again = |(_, known): &(usize, String)| {
            *known == line || says_again(&line, known) && says_again(known, &line)
        };
        let short = line.is_ascii() && line.split_whitespace().nth(1).is_none();
        if !short && !is_status(&line) && !found.iter().any(again) {
            found.push((score, line));
        }
    };
    for one in observations.iter().rev() {
        if !matches!(one.kind, Bugfix | Change | Feature | Refactor | Security) || is_passing(&one.title) {
            continue;
        }
        let commit = one.facts.iter().find_map(|fact| fact.strip_prefix("Committed as ")?.split_once(": "));
        match commit {
            Some((_, subject)) => add(4, clip(subject, MAX_LINE_BYTES)),
            None if one.title.starts_with("PR #") => add(5, one.title.clone()),
            None if is_named(&one.title) => add(if one.kind == Change { 2 } else { 3 }, whole(one)),
            None => add(1, one.title.clone()),
        }
    }
    // Items of the list of work and pushes are told by their turns alone.
    for line in turns.iter().rev().flat_map(|turn| &turn.completed) {
        if !is_passing(line) && !line.starts_with("Changed ") {
            add(usize::from(is_named(line)), line.clone());
        }
    }
    pick(found, MAX_COMPLETED)
}

/// What passes with the moment: a push, a merge, a file for trying something out.
fn is_passing(title: &str) -> bool {
    ["Pushed: ", "Merge: ", "Merge ", "Ran `", "Write ", ">"].iter().any(|start| title.starts_with(start))
        || title.contains("/tmp/")
        || prose::asks_to_look(title)
}

/// Called by what was done, not by the place where it was done.
fn is_named(title: &str) -> bool {
    let change =
        title.strip_prefix("Change ").is_some_and(|rest| rest.contains(" in ") || !rest.contains(' '));
    !change
        && !title.starts_with("Changed ")
        && !title.starts_with("Write ")
        && prose::reads_well(title.trim_end_matches('…'))
}

/// What the last turn left, what fails and what the list of work holds, without what was done all the same.
fn next_steps(state: &State, last: &Summary, observations: &[Observation]) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for failure in state.failing_now() {
        push_new(&mut steps, &clip(&failure, MAX_LINE_BYTES), MAX_NEXT);
    }
    let said = last.next_steps.iter().filter(|step| !is_open(step)).map(String::as_str);
    for step in said.chain(state.open_items()) {
        let done = |one: &Observation| one.kind != MemoryKind::Decision && is_done_by(step, one);
        if !is_heading(step) && !observations.iter().any(done) {
            push_new(&mut steps, step, MAX_NEXT);
        }
    }
    steps
}

/// "Open questions for later": what the questions are stands below it.
fn is_heading(step: &str) -> bool {
    const FEW: usize = 6;
    let lower = languages::lowered(step);
    names(step) == 0
        && step.split_whitespace().count() < FEW
        && languages::after(&lower, languages::Section::Next).is_some()
}

/// Whether work says of itself that it did a step.
fn is_done_by(step: &str, one: &Observation) -> bool {
    let told = |line: &str| says_again(step, line) && content_words(step).len() >= 3;
    told(&one.title)
        || one.facts.iter().filter(|fact| fact.starts_with("Committed as ")).any(|fact| told(fact))
}

impl State {
    /// What the agent's list of work still holds. A list that was left lying says nothing.
    pub fn open_items(&self) -> impl Iterator<Item = &str> {
        let fresh = self.turns.saturating_sub(self.items_turn) < FRESH_TURNS;
        self.items.iter().filter(move |_| fresh).map(|(_, item)| item.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_a_request_and_no_word_that_steers() {
        for nothing in [
            "yes",
            "6",
            "4, but is 2 a part of that solution as well?",
            "commit this and push it",
            "/clear",
            "let's do the small ones first",
            "you can use your LSP right?",
            "commit this, then let's do the other bit",
        ] {
            assert_eq!(subject(nothing, 200), None, "{nothing}");
        }
        for something in [
            "can you review the changes in the local branch?",
            "why does the export hang on Mondays",
            "エクスポートが月曜日に止まる理由を調べてください",
        ] {
            assert_eq!(subject(something, 200).as_deref(), Some(something), "{something}");
        }
        let plan = "Implement the following plan:\n\n# Plan: Leases that renew themselves\n\n## Steps\n1. Add a timer.";
        assert_eq!(subject(plan, 200).as_deref(), Some("Implement the plan: Leases that renew themselves"));
    }
}
