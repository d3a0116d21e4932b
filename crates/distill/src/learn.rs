//! What a session teaches the next one: what worked, what failed, what was decided, and what came again and again.
//! Each learning is an observation seen from its end, or a count of several.

use model::{EventId, Learning, LearningKind, MemoryKind, Observation, Provenance};

use crate::state::State;
use crate::text::{clip, enumerate, push_new};

/// More lessons than this from one session are none.
const MAX_LEARNINGS: usize = 16;
const MAX_OF_A_KIND: usize = 6;
/// A check is the project's when it was run so often.
const OFTEN: u32 = 3;

pub(crate) fn learn(state: &State, observations: &[Observation]) -> Vec<Learning> {
    let mut found: Vec<Learning> = Vec::new();
    for observation in observations {
        let (kind, title) = match observation.kind {
            MemoryKind::Decision => (LearningKind::Decided, observation.title.clone()),
            MemoryKind::Bugfix | MemoryKind::Security
                if has_fact(observation, "Error: ") || has_fact(observation, "Cause, as said: ") =>
            {
                (LearningKind::Worked, observation.title.clone())
            }
            MemoryKind::Bugfix | MemoryKind::Discovery if observation.title.contains("` works ") => {
                (LearningKind::Worked, observation.title.clone())
            }
            MemoryKind::Discovery if observation.title.contains(" is flaky: ") => {
                (LearningKind::Pattern, observation.title.clone())
            }
            _ => continue,
        };
        if found.iter().filter(|known| known.kind == kind).count() < MAX_OF_A_KIND {
            found.push(learning(kind, title, observation));
        }
        let tried: Vec<&str> = observation
            .facts
            .iter()
            .filter_map(|fact| fact.strip_prefix("Tried, the same error remained: "))
            .collect();
        if !tried.is_empty() && found.len() < MAX_LEARNINGS {
            let title = format!("Did not help: {}", clip(tried[0], 100));
            let mut lesson = learning(LearningKind::Failed, title, observation);
            lesson.text =
                format!("Against \"{}\" this did not help: {}", subject_of(observation), tried.join("; "));
            found.push(lesson);
        }
    }
    found.extend(standing(state, observations));
    found.extend(repeated(observations));
    found.extend(checks(state));
    found.retain(|learning| !learning.events.is_empty());
    found.truncate(MAX_LEARNINGS);
    found
}

fn learning(kind: LearningKind, title: String, observation: &Observation) -> Learning {
    let mut text = observation.subtitle.clone().unwrap_or_default();
    for fact in &observation.facts {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(fact);
    }
    let files = if observation.files_modified.is_empty() {
        &observation.files_read
    } else {
        &observation.files_modified
    };
    Learning {
        kind,
        at: observation.at,
        title,
        text: clip(&text, 1200),
        files: files.clone(),
        events: observation.events.clone(),
    }
}

fn has_fact(observation: &Observation, start: &str) -> bool {
    observation.facts.iter().any(|fact| fact.starts_with(start))
}

fn subject_of(observation: &Observation) -> &str {
    observation.facts.iter().find_map(|fact| fact.strip_prefix("Error: ")).unwrap_or(&observation.title)
}

/// Failures the session ended with.
fn standing(state: &State, observations: &[Observation]) -> Vec<Learning> {
    state
        .open
        .iter()
        .filter(|open| open.told)
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
                text: clip(&text, 1200),
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
                text: clip(&titles.join("\n"), 1200),
                files,
                events: bounded(seen.iter().flat_map(|observation| observation.events.iter().copied())),
            }
        })
        .collect()
}

/// The commands that check this project.
fn checks(state: &State) -> Vec<Learning> {
    let mut checks: Vec<_> = state
        .checks
        .iter()
        .filter(|check| check.passed + check.failed >= OFTEN && check.passed > 1)
        .collect();
    checks.sort_by_key(|check| std::cmp::Reverse(check.passed + check.failed));
    checks
        .into_iter()
        .take(2)
        .map(|check| Learning {
            kind: LearningKind::Pattern,
            at: check.at,
            title: format!("`{}` checks this project", check.shown),
            text: format!(
                "Run {} times: passed {}, failed {}.",
                check.passed + check.failed,
                check.passed,
                check.failed
            ),
            files: Vec::new(),
            events: check.events.clone(),
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
