//! What a session teaches the next one: what worked, what failed, what was decided, and what came again and again.
//! A learning says what to do next time. What would only repeat an observation is left out: it can be found there.

use model::{EventId, Learning, LearningKind, MemoryKind, Observation, Provenance};

use crate::howto;
use crate::prose;
use crate::state::State;
use crate::text::{clip, enumerate, push_new};

/// More lessons than this from one session are none.
const MAX_LEARNINGS: usize = 16;
const MAX_OF_A_KIND: usize = 6;
const MAX_TEXT_BYTES: usize = 1200;
/// A line that shows it cuts no earlier.
const MAX_TITLE_BYTES: usize = 138;
/// The facts of an observation that a learning needs.
const TOLD: &[&str] = &["Error: ", "Cause, as said: ", "Run in between: "];
const TOLD_INSIDE: &[&str] = &["` → `", "` passes", "` failed: "];

pub(crate) fn learn(state: &State, observations: &[Observation]) -> Vec<Learning> {
    let mut found: Vec<Learning> = Vec::new();
    for observation in observations {
        let lesson = lesson(observation).map(|(kind, title)| learning(kind, title, observation));
        if let Some(lesson) = lesson
            && found.iter().filter(|known| known.kind == lesson.kind).count() < MAX_OF_A_KIND
        {
            found.push(lesson);
        }
    }
    found.extend(standing(state, observations));
    found.extend(repeated(observations));
    found.retain(|learning| !learning.events.is_empty());
    found.truncate(MAX_LEARNINGS - 1);
    found.extend(howto::learning(state));
    for learning in &mut found {
        learning.title = clip(&learning.title, MAX_TITLE_BYTES);
    }
    found
}

/// What one observation says for the next time, by what it holds.
fn lesson(observation: &Observation) -> Option<(LearningKind, String)> {
    let title = observation.title.as_str();
    match observation.kind {
        MemoryKind::Discovery if title.contains(" is flaky: ") => {
            let (test, _) = title.split_once(" is flaky: ")?;
            let advice = format!("When {test} fails, run it again before looking for a cause: it is flaky");
            Some((LearningKind::Pattern, advice))
        }
        MemoryKind::Discovery => {
            let (works, fails) = title.split_once("` works where `")?;
            let (fails, error) = fails.split_once("` fails: ")?;
            Some((LearningKind::Worked, format!("Run {works}`, not `{fails}`, which failed: {error}")))
        }
        MemoryKind::Bugfix | MemoryKind::Security => {
            let between = fact(observation, "Run in between: ")?;
            let (command, error) = observation.facts.iter().find_map(|fact| fact.split_once("` failed: "))?;
            let advice = remedy(command, error, between);
            Some((LearningKind::Worked, advice))
        }
        _ => None,
    }
}

/// What to try is said in full where it can be; the command and the error share what room is left.
fn remedy(command: &str, error: &str, between: &str) -> String {
    const WORDS_BYTES: usize = "When `` fails with \"\", try ``".len();
    /// So much of a command, or of an error, can be known again.
    const LEAST_BYTES: usize = 24;
    const MOST_BYTES: usize = 60;
    let between = clip(between.trim_matches('`'), MOST_BYTES + 2);
    let room = MAX_TITLE_BYTES.saturating_sub(WORDS_BYTES + between.len());
    let command = clip(
        command.trim_start_matches('`'),
        room.saturating_sub(error.len()).clamp(LEAST_BYTES, MOST_BYTES),
    );
    let error = prose::cut(error, room.saturating_sub(command.len()).max(LEAST_BYTES));
    format!("When `{command}` fails with \"{error}\", try `{between}`")
}

fn fact<'a>(observation: &'a Observation, start: &str) -> Option<&'a str> {
    observation.facts.iter().find_map(|fact| fact.strip_prefix(start))
}

fn learning(kind: LearningKind, title: String, observation: &Observation) -> Learning {
    // What went wrong, why, what was changed and how it was checked; the rest stands in the observation.
    let told = |fact: &&String| {
        TOLD.iter().any(|start| fact.starts_with(start))
            || TOLD_INSIDE.iter().any(|words| fact.contains(words))
    };
    let mut facts: Vec<&str> = observation.facts.iter().filter(told).map(String::as_str).collect();
    if fact(observation, "Run in between: ").is_some() {
        // The title says it, and what it had to cut is said here.
        let cut = title.contains('…');
        facts.retain(|fact| fact.contains("` passes") || cut && fact.contains("` failed: "));
    }
    let text = facts.join("\n");
    let files = if observation.files_modified.is_empty() {
        &observation.files_read
    } else {
        &observation.files_modified
    };
    Learning {
        kind,
        at: observation.at,
        title,
        text: clip(&text, MAX_TEXT_BYTES),
        files: files.clone(),
        events: observation.events.clone(),
    }
}

/// Failures the session ended with.
fn standing(state: &State, observations: &[Observation]) -> Vec<Learning> {
    state
        .open
        .iter()
        .filter(|open| open.told && open.stands())
        .take(MAX_OF_A_KIND)
        .map(|open| {
            let place = open.fault.place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
            let tried: Vec<&str> = open.tried.iter().map(|(tried, _)| tried.as_str()).collect();
            let mut text = format!(
                "`{}` failed: {}{place}. Nothing resolved it before the session ended.",
                open.shown,
                open.fault.short(200)
            );
            if !tried.is_empty() {
                text.push_str(&format!(" Tried: {}", tried.join("; ")));
            }
            let files = observations
                .iter()
                .find(|observation| {
                    observation.kind == MemoryKind::Failure
                        && observation.events.first() == open.events.first()
                })
                .map(|observation| observation.files_read.clone())
                .unwrap_or_default();
            Learning {
                kind: LearningKind::Failed,
                at: open.at,
                title: format!("Still failing: `{}`: {}", clip(&open.shown, 50), open.fault.short(70)),
                text: clip(&text, MAX_TEXT_BYTES),
                files,
                events: open.events.clone(),
            }
        })
        .collect()
}

/// The same error more than once.
fn repeated(observations: &[Observation]) -> Vec<Learning> {
    let mut codes: Vec<(&str, Vec<&Observation>)> = Vec::new();
    for observation in observations.iter().filter(|observation| {
        matches!(observation.kind, MemoryKind::Bugfix | MemoryKind::Failure | MemoryKind::Security)
    }) {
        let Some(error) = observation.facts.iter().find_map(|fact| fact.strip_prefix("Error: ")) else {
            continue;
        };
        let Some((code, _)) = error.split_once(": ").filter(|(code, _)| is_code(code)) else {
            continue;
        };
        match codes.iter_mut().find(|(known, _)| *known == code) {
            Some((_, seen)) => seen.push(observation),
            None => codes.push((code, vec![observation])),
        }
    }
    codes
        .into_iter()
        .filter(|(_, seen)| seen.len() > 1)
        .take(3)
        .map(|(code, seen)| {
            let mut files = Vec::new();
            for file in seen.iter().flat_map(|observation| &observation.files_modified) {
                push_new(&mut files, file, 12);
            }
            let titles: Vec<&str> = seen.iter().map(|observation| observation.title.as_str()).collect();
            Learning {
                kind: LearningKind::Pattern,
                at: seen.iter().map(|observation| observation.at).max().unwrap_or(0),
                title: format!("{code} came up {} times: {}", seen.len(), enumerate(&files, 3)),
                text: clip(&titles.join("\n"), MAX_TEXT_BYTES),
                files,
                events: bounded(seen.iter().flat_map(|observation| observation.events.iter().copied())),
            }
        })
        .collect()
}

/// `E0502`, `TS2345`, `G304`; a word before a colon is how any error begins.
fn is_code(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    word.len() < 16 && digits >= 2 && word.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
}

fn bounded(events: impl Iterator<Item = EventId>) -> Vec<EventId> {
    let mut found = Vec::new();
    for event in events {
        if found.len() < Provenance::MAX_EVENTS && !found.contains(&event) {
            found.push(event);
        }
    }
    found
}
