//! Events become observations, summaries and learnings, with no model and no network.
//!
//! Pure: no file, no clock, no environment. It claims nothing that no event shows: what cannot be quoted or
//! counted is left out, and what a person or an agent said stays in their words.
//!
//! The path of an event: [`step`] keeps what counts of it (`tool` knows the shapes of tools, `command`, `fault`,
//! `verdict` and `patch` what is in them). At the end of a turn [`turn`] reads the steps in order (`work`), joins the
//! ones of one piece of work and follows failures until something resolves them (`resolve`). `write` and `title` put
//! work into words, `notice` what happened beside it, `hear` what was said (`prose`, `orders`), `summary` the whole turn
//! with what was answered (`answer`).
//! [`learnings`] looks back over a session, and [`outcome()`] says how it ended.

mod answer;
mod command;
mod commit;
mod complaint;
mod concepts;
pub mod failures;
mod fault;
mod findings;
mod given_up;
mod hear;
mod howto;
mod in_hand;
mod languages;
mod learn;
mod lessons;
mod notice;
mod orders;
mod outcome;
mod outside;
mod overtaken;
mod pasted;
mod patch;
mod plans;
mod prose;
mod purpose;
mod resolve;
mod scene;
mod sentences;
mod session;
mod state;
mod step;
mod summary;
mod telling;
mod text;
mod title;
mod tool;
mod verdict;
mod work;
mod worth;
mod write;

use model::{EventId, Learning, MemoryKind, Millis, Observation, Said, Summary};
use scene::Scene;
use state::Request;
use step::Act;

pub use given_up::GIVEN_UP;
pub use howto::{HOW_TO, merge_how_to};
pub use outcome::{BrokeOff, Ending, outcome};
pub use outside::{MARK, REPORTED};
pub use overtaken::Overtaken;
pub use pasted::own_words;
pub use session::{session_summary, subject};
pub use state::State;
pub use step::{Step, step};
pub use worth::{QUIET, is_worth_saying};

/// The name of this distiller in a memory's provenance.
pub const NAME: &str = "extractive/3";

/// What happened between a prompt and the end of the answer to it.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// What was asked, in full; `None`: what its step kept of it.
    pub prompt: Option<&'a str>,
    /// The steps of all events of the turn in order, also of its prompt and its end: they are the evidence.
    pub steps: &'a [Step],
    /// The agent's last words, in full; `None`: what their step kept of them.
    pub last_message: Option<&'a str>,
    /// What was said before them, between two calls or when a call was refused, oldest first: [`Self::ended_by`] shows it.
    pub said: &'a [Said],
    /// The event that ends the turn.
    pub ended_by: Option<EventId>,
    pub ended_at: Millis,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Distilled {
    pub observations: Vec<Observation>,
    /// `None`: nothing happened and nothing was answered; what was asked is no summary of itself.
    pub summary: Option<Summary>,
    /// Where words of the summary come from that are somebody else's, as marks among an observation's tools.
    pub outside: Vec<String>,
    /// First events of failures that were told in an earlier turn and do not stand any more: nobody is to be told of them.
    pub over: Vec<EventId>,
    /// What earlier turns said and this one replaced.
    pub overtaken: Vec<Overtaken>,
}

/// No turn is worth more memories; what is cut is the small change, never a failure or a decision.
const MAX_OBSERVATIONS: usize = 24;

/// What an observation quotes of a request, in bytes.
const MAX_ASKED: usize = 120;

/// Reads one turn. What it leaves unresolved stays in `state` for a later one.
pub fn turn(state: &mut State, turn: &Turn<'_>) -> Distilled {
    let asked = turn.prompt.or_else(|| {
        let mut prompts =
            turn.steps.iter().map(|step| if let Act::Prompt { text } = &step.act { text } else { "" });
        prompts.rfind(|text| !text.is_empty())
    });
    let (heard, marked) = outside::Heard::listen(state, turn.steps, asked.unwrap_or(""));
    let turn = &Turn { steps: marked.as_deref().unwrap_or(turn.steps), ..*turn };
    let kept = |wanted: fn(&Act) -> Option<&String>| {
        turn.steps.iter().filter_map(|step| wanted(&step.act)).next_back()
    };
    let prompt = turn.prompt.or_else(|| {
        kept(|act| if let Act::Prompt { text } = act { Some(text) } else { None }).map(String::as_str)
    });
    let message = turn.last_message.or_else(|| {
        kept(|act| if let Act::Message { text } = act { Some(text) } else { None }).map(String::as_str)
    });
    let (prompt, message) = (prompt.unwrap_or("").trim(), message.unwrap_or(""));
    state.turns = state.turns.saturating_add(1);
    // "hi" and "yes" are not what a session is about; they stand only until something is.
    match session::subject(prompt, 240) {
        Some(subject) if !state.has_subject => {
            state.goal = subject;
            state.has_subject = true;
        }
        None if state.goal.is_empty() => state.goal = prose::request(prompt, 200),
        _ => {}
    }
    let intent = prose::intent(prompt);
    let back = given_up::look(state, turn.steps);
    let replaced = overtaken::replaced_work(state, turn.steps);
    let mut sorted = work::sort(state, turn.steps, intent, &back.void);
    // An item of the list of work is words, too.
    sorted.pieces.iter_mut().for_each(|piece| piece.hints.retain(|(_, item)| !heard.is_theirs(item)));
    if prose::says_what(prompt) || state.asked.text.is_empty() {
        let event = sorted.prompt.map(|at| turn.steps[at].event);
        state.asked = Request { text: prose::request(prompt, MAX_ASKED), event };
    }
    in_hand::take(state, turn.steps, &heard);
    let request = state.asked.clone();
    let scene = Scene::new(turn, &sorted, prompt, &request, message, intent, &heard);

    let mut observations = hear::decisions(&scene, state, turn, message);
    // Repairs first: of what was said, the cause belongs to them.
    let mut told = Vec::new();
    let (fixes, rest): (Vec<_>, Vec<_>) = sorted.pieces.iter().partition(|piece| !piece.resolved.is_empty());
    let write = |state: &mut State, piece: &work::Piece| {
        let told = write::piece(&scene, piece)?;
        given_up::remember(state, &scene, piece, &told);
        Some(told)
    };
    observations.extend(fixes.into_iter().filter_map(|piece| write(state, piece)));
    for recovery in &sorted.recoveries {
        if let Some(observation) = notice::recovery(&scene, recovery) {
            observations.push(observation);
            told.push(recovery.proof);
            told.extend(&recovery.between);
        }
    }
    // A command that wrote a file, and was told as what helped, is not told again.
    let again = |piece: &&work::Piece| {
        piece.edits.is_empty() && !piece.runs.is_empty() && piece.runs.iter().all(|run| told.contains(run))
    };
    observations
        .extend(rest.into_iter().filter(|piece| !again(piece)).filter_map(|piece| write(state, piece)));
    let words = given_up::Words {
        said: turn.said,
        message,
        ended_by: turn.ended_by,
        ended_at: turn.ended_at,
        heard: &heard,
    };
    let given_up = given_up::tell(&scene, &back, &words, &mut state.given_up, &observations);
    observations.extend(given_up);
    for observation in &observations {
        scene.take_quotes(&observation.facts);
    }
    observations.extend(notice::operations(&scene, &told));
    observations.extend(hear::discoveries(&scene));
    observations.extend(lessons::lessons(&scene));
    observations.extend(state.open.iter_mut().filter_map(|open| notice::failure(&scene, open)));
    while observations.len() > MAX_OBSERVATIONS {
        let least =
            observations.iter().enumerate().min_by_key(|(at, one)| (weight(one.kind), one.tokens, *at));
        let Some((at, _)) = least else { break };
        observations.remove(at);
    }
    for observation in &mut observations {
        heard.mark(observation);
        observation.at = if observation.at == 0 { turn.ended_at } else { observation.at };
    }
    observations.sort_by_key(|observation| observation.at);
    worth::quieten_small_work(&mut observations);
    let mut summary = summary::summarize(&scene, state, &observations);
    let outside = summary.as_mut().map(|summary| heard.strip(summary, &observations)).unwrap_or_default();
    let over = sorted.over.clone();
    let mut overtaken = overtaken::by_observation(replaced, &observations);
    overtaken.extend(overtaken::changed_statements(state, &scene, &mut observations));
    overtaken.extend(overtaken::taken_back_statements(state, &scene, turn.said, &observations));
    Distilled { observations, summary, outside, over, overtaken }
}

const ASKED: &str = "Asked: ";

/// How an observation begins that says what was asked for: whoever tells it on without that knows where it ends.
pub fn asked(prompt: &str) -> String {
    format!("{ASKED}{}", prose::request(prompt.trim(), MAX_ASKED)).trim_end().to_owned()
}

fn weight(kind: MemoryKind) -> u8 {
    match kind {
        MemoryKind::Change => 0,
        MemoryKind::Refactor | MemoryKind::Discovery => 1,
        MemoryKind::Feature => 2,
        _ => 3,
    }
}

/// What the next session should know of this one: at its end, from its observations as they were stored.
pub fn learnings(state: &State, observations: &[Observation]) -> Vec<Learning> {
    learn::learn(state, observations)
}
