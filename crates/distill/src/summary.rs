//! A turn in five answers, each from what happened: an answer nothing gives stays empty, and what was asked alone is
//! no summary.

use model::{MemoryKind, Observation, Summary};

use crate::answer::answer;
use crate::prose;
use crate::scene::Scene;
use crate::session::is_open;
use crate::state::State;
use crate::step::Act;
use crate::text::{clip, enumerate, letters, push_new, says_again};
use crate::worth::is_quiet;

const MAX_LINES: usize = 8;
/// Turns of a conversation whose answers are told at length: most conversations have no more.
const EARLY_TURNS: u32 = 4;
const DECIDED: &str = "Decided: ";
/// The prompt itself is kept whole elsewhere.
const MAX_REQUEST_BYTES: usize = 120;

pub(crate) fn summarize(scene: &Scene<'_>, state: &State, observations: &[Observation]) -> Option<Summary> {
    let mut summary = Summary { request: request(scene), ..Summary::default() };
    summary.investigated = investigated(scene);
    let mut changed: Vec<String> = Vec::new();
    for observation in observations {
        match observation.kind {
            MemoryKind::Decision => {}
            // A patch nobody spoke of is told by its files, where nothing else is.
            _ if is_quiet(observation) => {
                observation.files_modified.iter().for_each(|file| push_new(&mut changed, file, MAX_LINES));
            }
            MemoryKind::Failure if is_open(&observation.title) => {
                push_new(&mut summary.next_steps, &observation.title, MAX_LINES);
            }
            // What was tried and did not work is known now, too.
            MemoryKind::Discovery | MemoryKind::Failure => {
                push_new(&mut summary.learned, &observation.title, MAX_LINES);
            }
            _ => push_new(&mut summary.completed, &done(scene, observation), MAX_LINES + 4),
        }
        for cause in observation.facts.iter().filter_map(|fact| fact.strip_prefix("Cause, as said: ")) {
            push_new(&mut summary.learned, cause, MAX_LINES);
        }
    }
    // What was learned stands before what was decided: it is true whoever decides.
    let wish = |one: &Observation| one.concepts.iter().any(|concept| concept == "wish");
    // A wish decides nothing.
    for observation in observations.iter().filter(|one| one.kind == MemoryKind::Decision && !wish(one)) {
        push_new(&mut summary.learned, &format!("{DECIDED}{}", observation.title), MAX_LINES);
    }
    for (_, item) in &scene.sorted.done_items {
        let tells =
            |one: &Observation| !is_quiet(one) && one.title.to_lowercase().starts_with(&item.to_lowercase());
        let told = observations.iter().any(tells);
        if !told {
            push_new(&mut summary.completed, item, MAX_LINES + 4);
        }
    }
    if summary.completed.is_empty() && !changed.is_empty() {
        summary.completed.push(format!("Changed {}", enumerate(&changed, 3)));
    }
    for &at in &scene.sorted.pushes {
        if let Act::Run(run) = &scene.steps[at].act {
            // In a chain, the commit is what is shown.
            let alone = run.command.purpose == crate::command::Purpose::Push;
            let shown = if alone { run.command.shown.as_str() } else { "git push" };
            push_new(&mut summary.completed, &format!("Pushed: `{shown}`"), MAX_LINES + 4);
        }
    }
    let is_early = state.turns <= EARLY_TURNS;
    if is_early || summary.learned.iter().all(|line| line.starts_with(DECIDED)) {
        for sentence in answer(scene, !summary.completed.is_empty(), is_early) {
            push_new(&mut summary.learned, &sentence, MAX_LINES);
        }
    }
    for sentence in scene.said.iter().filter(|sentence| !sentence.early && prose::states_next(sentence)) {
        push_new(&mut summary.next_steps, &clip(&sentence.text, 220), MAX_LINES);
    }
    if let Some(choice) = open_choice(scene) {
        push_new(&mut summary.next_steps, &format!("Left to the person: {choice}"), MAX_LINES);
    }
    for item in &scene.sorted.open_items {
        push_new(&mut summary.next_steps, item, MAX_LINES);
    }
    for &at in scene.sorted.denied.iter().take(3) {
        if let Act::Denied { what, reason } = &scene.steps[at].act {
            push_new(&mut summary.investigated, &format!("Denied: {what} ({reason})"), MAX_LINES + 2);
        }
    }
    let answers = [&summary.investigated, &summary.learned, &summary.completed, &summary.next_steps];
    if answers.iter().all(|answer| answer.is_empty()) {
        return None;
    }
    // Of earlier turns: what is next, where the list of work was touched; else it may have been left lying.
    if state.items_turn == state.turns {
        for (_, item) in state.items.iter().take(MAX_LINES) {
            push_new(&mut summary.next_steps, item, MAX_LINES);
        }
    }
    // What this turn did is not next.
    let (completed, next) = (&summary.completed, &mut summary.next_steps);
    next.retain(|step| !completed.iter().any(|done| says_again(step, done)));
    // What was read says something only where nothing came of it.
    if !summary.learned.is_empty() || !summary.completed.is_empty() {
        summary
            .investigated
            .retain(|line| !["Read ", "Searched ", "Ran "].iter().any(|look| line.starts_with(look)));
    }
    Some(summary)
}

/// The choice the last words end with, where it names what it is between; "Shall I commit it?" is none.
fn open_choice(scene: &Scene<'_>) -> Option<String> {
    const OR: &[&str] = &[" or ", " oder ", " ou ", " o ", " oppure ", " или ", "还是", "それとも", "아니면"];
    // Asked of any work: nothing is left open by it.
    const ANY: &[&str] = &[
        "feel right",
        "make sense",
        "makes sense",
        "anything",
        "something",
        "tweak",
        "adjust",
        "adjustments",
        "differently",
        "are you",
        "do you",
        "did you",
        "were you",
        "were there",
        "is this",
        "for now",
        "run it now",
        "ready to",
    ];
    let last = scene.free(|_| true).pop().map(|(_, sentence)| sentence)?;
    let asks = last.text.ends_with(['?', '？']) && OR.iter().any(|or| last.text.contains(or));
    (asks && letters(&last.text) > 40 && !prose::any(&last.text, ANY)).then(|| clip(&last.text, 220))
}

/// What was asked, with the request before it where a prompt only steers ("yes", "6").
fn request(scene: &Scene<'_>) -> String {
    let asked = prose::request(scene.prompt, MAX_REQUEST_BYTES);
    if asked.is_empty() || prose::says_what(scene.prompt) || scene.request.text.contains(&asked) {
        return asked;
    }
    format!("{} (then: {})", scene.request.text, clip(&asked, 60))
}

/// What a piece of work is called, or its files where it is called by the request, which stands above already.
fn done(scene: &Scene<'_>, observation: &Observation) -> String {
    let (title, request) = (observation.title.to_lowercase(), scene.request.text.to_lowercase());
    let head = title.split(['…', ':']).next().unwrap_or_default();
    if observation.files_modified.is_empty() || !request.contains(head) {
        return observation.title.clone();
    }
    format!("Changed {}", enumerate(&observation.files_modified, 3))
}

/// What was looked at: files together, searches, pages and answers one by one.
fn investigated(scene: &Scene<'_>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut searched: Vec<String> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for &at in &scene.sorted.looked {
        match &scene.steps[at].act {
            Act::Read { file, .. } => push_new(&mut files, file, 60),
            Act::Search { pattern, hits, .. } => {
                push_new(&mut searched, &format!("`{}` ({hits} hits)", clip(pattern, 50)), 60);
            }
            Act::Web { about, .. } => push_new(&mut others, &format!("Looked up {about}"), MAX_LINES),
            Act::Call { server, name, about, .. } => {
                push_new(&mut others, &clip(&format!("Asked {server} ({name}): {about}"), 160), MAX_LINES);
            }
            Act::Run(run) if run.command.purpose == crate::command::Purpose::Search => {
                push_new(&mut searched, &format!("`{}`", clip(&run.command.shown, 70)), 60);
            }
            Act::Run(run) if run.command.purpose < crate::command::Purpose::Search => {
                push_new(&mut others, &format!("Ran `{}`", clip(&run.command.shown, 100)), MAX_LINES);
            }
            _ => {}
        }
    }
    let mut lines = Vec::new();
    if !files.is_empty() {
        lines.push(format!("Read {}", enumerate(&files, 6)));
    }
    if !searched.is_empty() {
        lines.push(format!("Searched {}", enumerate(&searched, 4)));
    }
    for &at in &scene.sorted.delegated {
        if let Act::Delegate { task, .. } = &scene.steps[at].act
            && !task.is_empty()
        {
            push_new(&mut lines, &format!("A subagent looked into: {task}"), MAX_LINES);
        }
    }
    lines.extend(others);
    lines.truncate(MAX_LINES);
    lines
}
