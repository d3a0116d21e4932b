//! What a session teaches the next one: what worked, what failed, what was decided, and what came again and again.
//! A learning says what to do next time. What would only repeat an observation is left out: it can be found there.

use model::{EventId, Learning, LearningKind, MemoryKind, Observation, Provenance};

use crate::howto;
use crate::patch::Area;
use crate::prose;
use crate::state::State;
use crate::text::{clip, enumerate, file_name, push_new};

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
            let between = fact(observation, "Run in between: ");
            let advice = if let Some(between) = between {
                let (command, error) =
                    observation.facts.iter().find_map(|fact| fact.split_once("` failed: "))?;
                remedy(command, error, between)
            } else {
                // Only where the complaint names a file of the code and that file was changed: an edit elsewhere may have
                // answered something else.
                let (error, at) = fact(observation, "Error: ")?.rsplit_once(" at ")?;
                // A compiler and a linter name the place themselves.
                let raised = ["panic", "Error", "Exception"].iter().any(|word| error.contains(word));
                if !raised && fact(observation, "Failing: ").is_none() {
                    return None;
                }
                let named = file_name(at.split(':').next().unwrap_or(at));
                let files: Vec<&str> = changed(observation)
                    .into_iter()
                    .filter(|file| crate::patch::area(file) == Area::Code)
                    .map(file_name)
                    .filter(|file| *file == named)
                    .collect();
                // What was set right, and why, stands in the repair; where to look is what it leaves to be learned.
                let place = Some(enumerate(&files, 2)).filter(|place| !place.is_empty())?;
                match fact(observation, "Failing: ") {
                    // Every assertion fails in these words; the test is what can be known again.
                    Some(tests) if error.to_ascii_lowercase().starts_with("assert") => {
                        format!("When {} fails again, look at {place}", clip(tests, 70))
                    }
                    _ => format!("When \"{}\" comes again, look at {place}", prose::cut(error, 70)),
                }
            };
            Some((LearningKind::Worked, advice))
        }
        _ => None,
    }
}

/// The files of which a line is shown; those where it took the place of another, if there are some.
fn changed(observation: &Observation) -> Vec<&str> {
    let shows = |words: &str| -> Vec<&str> {
        let of = |fact: &String, file: &String| {
            fact.strip_prefix(file.as_str())
                .is_some_and(|rest| rest.starts_with(": ") && rest.contains(words))
        };
        let files = observation.files_modified.iter();
        files.filter(|file| observation.facts.iter().any(|fact| of(fact, file))).map(String::as_str).collect()
    };
    let replaced = shows("` → `");
    if replaced.is_empty() { shows("): ") } else { replaced }
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
    } else if matches!(observation.kind, MemoryKind::Bugfix | MemoryKind::Security) {
        facts = own(&facts, observation);
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

/// What the text of a repair does not say already; where it says all, how it was checked.
fn own<'a>(facts: &[&'a str], observation: &Observation) -> Vec<&'a str> {
    let said = |fact: &str| {
        let words = TOLD.iter().find_map(|start| fact.strip_prefix(start)).unwrap_or(fact);
        observation.narrative.contains(words)
    };
    let own: Vec<&str> = facts.iter().copied().filter(|fact| !said(fact)).collect();
    if own.is_empty() {
        return facts.iter().copied().filter(|fact| fact.contains("` passes")).take(1).collect();
    }
    own
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
        let Some((code, _)) =
            error.split_once(": ").filter(|(code, _)| !code.contains(' ') && code.len() < 40)
        else {
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

fn bounded(events: impl Iterator<Item = EventId>) -> Vec<EventId> {
    let mut found = Vec::new();
    for event in events {
        if found.len() < Provenance::MAX_EVENTS && !found.contains(&event) {
            found.push(event);
        }
    }
    found
}
