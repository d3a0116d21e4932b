//! Writes down what was said: decisions in a person's or the agent's words, and findings that what was looked at
//! bears out. A sentence that names nothing anyone looked at is not a finding.

use model::{MemoryKind, Observation, Speaker};

use crate::Turn;
use crate::answer;
use crate::orders::{Hearing, Order, accepts, asks_to_go_on, corrections, decision, goes_on_only, orders};
use crate::pasted::own_words;
use crate::prose;
use crate::scene::{Draft, Scene};
use crate::sentences::{Sentence, sentences};
use crate::state::State;
use crate::step::{Act, Step};
use crate::telling::{ANSWERS, EXPLAINS, points_back, telling};
use crate::text::{capitalized, clip, file_name, has_word, is_coined, letters, names, one_line, stem};
use crate::work::Piece;
use crate::write::looks_like_file;

const MAX_DECISIONS: usize = 8;
/// Of a prompt, and of what was typed when refusing a call.
const MAX_ORDERS: usize = 6;
const MAX_FINDINGS: usize = 6;
/// More is the whole answer, and that is kept as what was said.
const MAX_FOUND_LETTERS: usize = 900;
const MAX_DELEGATED: usize = 6;

/// `turn` holds what the person typed when refusing a call; its end shows it.
pub(crate) fn decisions(
    scene: &Scene<'_>,
    state: &mut State,
    turn: &Turn<'_>,
    message: &str,
) -> Vec<Observation> {
    let mut found = Vec::new();
    for &at in &scene.sorted.asked {
        let step = &scene.steps[at];
        match &step.act {
            Act::Ask { answers } => {
                for (question, answer) in answers {
                    match answered(step, question, answer) {
                        Some(draft) => push(&mut found, state, draft.finish()),
                        // What is typed instead of an option may order something all the same.
                        None => {
                            hear_orders(&mut found, state, answer, Hearing::default(), || decision_by(step));
                        }
                    }
                }
            }
            Act::Agreed { plan } => push(&mut found, state, agreed(step, plan).finish()),
            _ => {}
        }
    }
    if let Some(step) = scene.prompt_step() {
        let hearing = Hearing { refused: false, accepted: accepts(reply(turn, 0, message)) };
        hear_orders(&mut found, state, scene.prompt, hearing, || decision_by(step));
        if hearing.accepted {
            hear_corrections(&mut found, state, scene.prompt, || Draft::of(MemoryKind::Discovery, step));
        }
    }
    if let Some(end) = turn.ended_by {
        for (at, said) in turn.said.iter().enumerate().filter(|(_, said)| said.by == Speaker::Person) {
            let hearing = Hearing { refused: true, accepted: accepts(reply(turn, at + 1, message)) };
            let begin = |kind: MemoryKind| {
                let mut draft = Draft::new(kind);
                draft.event(end, turn.ended_at);
                draft
            };
            hear_orders(&mut found, state, &said.text, hearing, || begin(MemoryKind::Decision));
            if hearing.accepted {
                hear_corrections(&mut found, state, &said.text, || begin(MemoryKind::Discovery));
            }
        }
    }
    if let Some(step) = scene.message_step() {
        for (at, sentence) in scene
            .free(|sentence| prose::states_decision(&sentence.text) && !sentence.text.ends_with(':'))
            .into_iter()
            .take(3)
        {
            scene.take(at);
            let mut draft = decision_by(step);
            draft.title = prose::as_title(&sentence.text, 120);
            draft.say(&format!("The agent said: {}", sentence.text));
            if scene.is_theirs(at) {
                draft.hears(&scene.heard.marks());
            }
            push(&mut found, state, draft.finish());
        }
    }
    found.truncate(MAX_DECISIONS);
    found
}

/// What the agent said next after so many words of a turn: between two calls, or else at its end.
fn reply<'a>(turn: &Turn<'a>, from: usize, message: &'a str) -> &'a str {
    let later = turn.said.iter().skip(from);
    later.take(1).find(|said| said.by == Speaker::Agent).map_or(message, |said| said.text.as_str())
}

/// A decision that a step shows.
fn decision_by(step: &Step) -> Draft {
    Draft::of(MemoryKind::Decision, step)
}

/// How things are, as the person said and the agent agreed.
fn hear_corrections(found: &mut Vec<Observation>, state: &mut State, said: &str, begin: impl Fn() -> Draft) {
    for (title, text) in corrections(&own_words(said)) {
        if found.iter().any(|one| one.narrative.contains(&text)) {
            continue;
        }
        let mut draft = begin();
        draft.title = title;
        draft.say(&format!("The person said: {text}"));
        push(found, state, draft.finish());
    }
}

/// What the person decided of a piece of work in the request for it. False: nothing, or not of this piece.
pub(crate) fn tell_decision(scene: &Scene<'_>, piece: &Piece, draft: &mut Draft) -> bool {
    /// A request that says little more than the decision is not told beside it.
    const MOSTLY: usize = 70;
    let own = own_words(scene.prompt);
    let Some(text) = decision(&own).filter(|_| !piece.edits.is_empty()) else { return false };
    // Of several pieces it is told with the one it speaks of most.
    let edited = scene.sorted.pieces.iter().filter(|piece| !piece.edits.is_empty());
    let most = edited.rev().max_by_key(|piece| scene.relation(&text, piece));
    let is_here = most.is_some_and(|most| std::ptr::eq(most, piece));
    let Some(step) = scene.prompt_step().filter(|_| is_here) else { return false };
    draft.evidence(step);
    draft.fact(&format!("The person decided: {text}"));
    text.len() * 100 >= own.len() * MOSTLY
}

/// Orders and wishes of the person, told apart by a concept.
fn hear_orders(
    found: &mut Vec<Observation>,
    state: &mut State,
    said: &str,
    hearing: Hearing,
    begin: impl Fn() -> Draft,
) {
    for Order { force, title, text } in orders(&own_words(said), hearing).into_iter().take(MAX_ORDERS) {
        let mut draft = begin();
        draft.title = title;
        draft.say(&format!("The person said: {text}"));
        let mut kept = draft.finish();
        if let Some(kept) = &mut kept {
            kept.concepts.insert(0, force.concept().to_owned());
        }
        push(found, state, kept);
    }
}

/// A decision is the answer; how to go on with the work is none.
fn answered(step: &Step, question: &str, answer: &str) -> Option<Draft> {
    const MAX_QUESTION: usize = 70;
    let chosen = answer.replace("(Recommended)", "").replace("(recommended)", "");
    let chosen = chosen.trim();
    if chosen.is_empty() || goes_on_only(chosen) || asks_to_go_on(question) {
        return None;
    }
    let mut draft = decision_by(step);
    let asked = one_line(question.trim_end_matches(['?', '？', ':', ' ']), MAX_QUESTION);
    let answer = prose::cut(chosen.trim_end_matches('.'), 120 - asked.len().min(MAX_QUESTION));
    draft.title = format!("{} (asked: {}?)", capitalized(&answer), uncapitalized(&asked));
    draft.say(&format!("Asked \"{question}\", the person answered \"{chosen}\""));
    Some(draft)
}

/// A plan the person agreed to, by what it is about.
fn agreed(step: &Step, plan: &str) -> Draft {
    let about = about(plan);
    let mut draft = decision_by(step);
    draft.title = format!("Plan agreed: {}", prose::cut(&about, 110));
    for sentence in sentences(plan).iter().filter(|sentence| sentence.text != about).take(MAX_FINDINGS) {
        draft.fact(&sentence.text);
    }
    draft.say(&one_line(plan, 700));
    draft
}

/// The first heading of a plan that says more than that it is one, or else its first sentence.
fn about(plan: &str) -> String {
    const GENERIC: &[&str] = &[
        "plan",
        "the plan",
        "implementation plan",
        "implementation",
        "overview",
        "context",
        "goal",
        "goals",
        "summary",
        "background",
        "problem",
        "approach",
        "steps",
        "changes",
        "design",
        "proposal",
        "task",
    ];
    const MAX_HEADINGS: usize = 3;
    let heading = |line: &str| {
        let mut text = line.trim_start_matches('#').replace("**", "");
        while let Some((first, rest)) = text.split_once([':', '—', '–'])
            && GENERIC.contains(&first.trim().to_lowercase().as_str())
        {
            text = rest.to_owned();
        }
        let text = text.trim().to_owned();
        (text.len() > 3 && !GENERIC.contains(&text.to_lowercase().as_str())).then_some(text)
    };
    let first = plan.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let headings = plan.lines().filter(|line| line.starts_with('#')).take(MAX_HEADINGS);
    let sentence =
        || sentences(plan).into_iter().map(|sentence| sentence.text).find_map(|text| heading(&text));
    let titled = first.starts_with('#').then(|| heading(first)).flatten();
    titled
        .or_else(sentence)
        .or_else(|| headings.last().and_then(heading))
        .unwrap_or_else(|| "what was proposed".to_owned())
}

/// As it stands inside of a sentence; a name keeps its letters.
fn uncapitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if first.is_uppercase() && chars.clone().next().is_some_and(char::is_lowercase) => {
            let word = text.split_whitespace().next().unwrap_or("");
            if is_coined(word) { text.to_owned() } else { first.to_lowercase().chain(chars).collect() }
        }
        _ => text.to_owned(),
    }
}

/// What was decided before is not decided again.
fn push(found: &mut Vec<Observation>, state: &mut State, observation: Option<Observation>) {
    let Some(observation) = observation else { return };
    let words = clip(&observation.title.to_lowercase(), 100);
    if state.decided.contains(&words) {
        return;
    }
    if state.decided.len() >= State::MAX_DECIDED {
        state.decided.remove(0);
    }
    state.decided.push(words);
    found.push(observation);
}

/// What the last message found, what it said in a stranger's words, and what each subagent found.
pub(crate) fn discoveries(scene: &Scene<'_>) -> Vec<Observation> {
    let mut found = Vec::new();
    for &at in scene.sorted.delegated.iter().take(MAX_DELEGATED) {
        found.extend(delegated(scene, at));
    }
    found.extend(stated(scene));
    found.extend(repeated(scene));
    found
}

/// A sentence of the last message, with the looks that bear it out.
struct Finding {
    weight: u32,
    at: usize,
    text: String,
    shown_by: Vec<usize>,
}

/// What the last words, which were thought over, have before earlier ones, and what the sentence has that leads them.
const LAST_WEIGHT: u32 = 2;
const LEAD_WEIGHT: u32 = 4;

fn stated(scene: &Scene<'_>) -> Option<Observation> {
    let built = !scene.sorted.pieces.is_empty();
    let looked = !scene.sorted.looked.is_empty();
    let enough = if built { EXPLAINS } else { ANSWERS };
    let lead = answer::first_told(scene).filter(|_| !built);
    let mut best: Vec<Finding> = Vec::new();
    let mut explained = false;
    let candidates = scene.own_unused(|sentence| {
        sentence.text.len() >= 30
            && !sentence.text.ends_with(['?', ':'])
            && !prose::states_next(sentence)
            && !prose::states_done(&sentence.text)
    });
    for (at, sentence) in candidates {
        let reason = prose::states_cause(&sentence.text);
        let worth = telling(sentence).max(if sentence.early { EXPLAINS } else { 0 });
        let leads = lead.as_ref().is_some_and(|(lead, _)| *lead == at);
        // A page does not bear out what is the agent's own.
        let shown_by = shown_by(scene, &sentence.text, |step| step.outside.is_empty());
        // What was looked at bears it out, or it names what it speaks of and says why or how far.
        let borne = !shown_by.is_empty() && worth > 0 && !built;
        let concludes = leads && (looked && (worth > 0 || reason) || names(&sentence.text) > 0);
        if worth < enough && !borne && !concludes || prose::states_decision(&sentence.text) {
            continue;
        }
        explained |= worth >= enough;
        let weight = worth
            + shown_by.len().min(2) as u32
            + u32::from(reason)
            + if leads { LEAD_WEIGHT } else { 0 }
            + if sentence.early { 0 } else { LAST_WEIGHT };
        best.push(Finding { weight, at, text: sentence.text.clone(), shown_by });
    }
    // A conclusion that explains nothing and was not looked for is a status.
    if !looked && !explained {
        return None;
    }
    finding(scene, best)?.finish()
}

/// What the last message says in a stranger's words: kept for whoever asks, and marked. Work is told without them.
fn repeated(scene: &Scene<'_>) -> Option<Observation> {
    let candidates = scene.free(|sentence| sentence.text.len() >= 30 && !sentence.text.ends_with(['?', ':']));
    let mut best: Vec<Finding> = Vec::new();
    for (at, sentence) in candidates.into_iter().filter(|(at, _)| scene.is_theirs(*at)) {
        let shown_by = shown_by(scene, &sentence.text, |_| true);
        let explicit = prose::states_finding(&sentence.text) || prose::states_cause(&sentence.text);
        if shown_by.is_empty() && !explicit && !scene.speaks_of_work(at) {
            continue;
        }
        let weight = shown_by.len().min(4) as u32 + if explicit { 4 } else { 0 };
        best.push(Finding { weight, at, text: sentence.text.clone(), shown_by });
    }
    let mut draft = finding(scene, best)?;
    draft.hears(&scene.heard.marks());
    draft.finish()
}

fn shown_by(scene: &Scene<'_>, sentence: &str, counts: impl Fn(&Step) -> bool) -> Vec<usize> {
    let looked = scene.sorted.looked.iter().copied();
    looked.filter(|&at| counts(&scene.steps[at]) && bears_out(&scene.steps[at], sentence)).collect()
}

fn finding(scene: &Scene<'_>, mut best: Vec<Finding>) -> Option<Draft> {
    let message = scene.message_step()?;
    best.sort_by_key(|finding| (std::cmp::Reverse(finding.weight), finding.at));
    let mut told = 0;
    best.truncate(MAX_FINDINGS);
    best.retain(|finding| {
        told += letters(&finding.text);
        told <= MAX_FOUND_LETTERS
    });
    // "This means …" says something behind the sentence it points to.
    let places: Vec<usize> = best.iter().map(|finding| finding.at).collect();
    best.retain(|finding| {
        !points_back(&finding.text) || finding.at > 0 && places.contains(&(finding.at - 1))
    });
    let mut draft = Draft::new(MemoryKind::Discovery);
    let title = |text: &str| prose::as_title(text, 125);
    let first = best.iter().map(|finding| title(&finding.text)).find(|title| prose::reads_well(title));
    draft.title = first.unwrap_or_else(|| best.first().map_or_else(String::new, |one| title(&one.text)));
    scene.tell_request(&mut draft);
    best.sort_by_key(|finding| finding.at);
    let mut whole = true;
    for Finding { at, text, shown_by, .. } in &best {
        scene.take(*at);
        // What the title says in full is not said again.
        if title(text) != draft.title || draft.title.ends_with('…') {
            whole = false;
            draft.fact(text);
        }
        scene.shows(&mut draft, *at);
        for &at in shown_by {
            let step = &scene.steps[at];
            draft.evidence(step);
            if let Act::Web { about, .. } = &step.act {
                draft.fact(&format!("Source: {about}"));
            }
        }
    }
    if whole && scene.request.event.is_none() {
        draft.say(&best.first()?.text);
    }
    best.first()?;
    draft.evidence(message);
    Some(draft)
}

/// Whether something looked at is what a sentence talks about.
fn bears_out(step: &Step, sentence: &str) -> bool {
    let names_file = |file: &str| {
        let name = file_name(file);
        has_word(sentence, name) || (is_coined(stem(file)) && has_word(sentence, stem(file)))
    };
    match &step.act {
        Act::Read { file, .. } => names_file(file),
        Act::Search { pattern, files, .. } => {
            files.iter().any(|file| names_file(file))
                || (pattern.len() > 3 && is_coined(pattern) && has_word(sentence, pattern))
        }
        Act::Web { about, said } => names_site(about, sentence) || shares(said, sentence) >= 2,
        Act::Call { about, said, .. } | Act::Other { about, said, .. } => {
            shares(about, sentence) + shares(said, sentence) >= 2
        }
        Act::Run(run) => {
            // `.` and `.git` are where something was counted, not what was found.
            let read = |target: &&String| looks_like_file(target) && !file_name(target).starts_with('.');
            run.command.targets.iter().filter(read).any(|target| names_file(target))
                || shares(&run.said, sentence) >= 2
                || run.fault.as_ref().is_some_and(|fault| shares(&fault.message, sentence) >= 2)
        }
        _ => false,
    }
}

/// `docs.rs` of `https://docs.rs/zstd`.
fn names_site(address: &str, sentence: &str) -> bool {
    let host = address.split("://").nth(1).unwrap_or("").split('/').next().unwrap_or("");
    !host.is_empty() && sentence.contains(host.trim_start_matches("www."))
}

/// How many telling words two texts share: names, codes and numbers, not prose.
fn shares(said: &str, sentence: &str) -> usize {
    let telling = |word: &&str| {
        is_coined(word)
            || (word.len() >= 2 && word.chars().all(|char| char.is_ascii_digit()))
            || (word.len() > 2 && word.chars().all(|char| char.is_ascii_uppercase()))
    };
    let mut seen: Vec<&str> = Vec::new();
    for word in sentence.split(|char: char| !crate::text::is_word(char)).filter(telling) {
        if !seen.contains(&word) && has_word(said, word) {
            seen.push(word);
        }
    }
    // How much there is of something is no finding: a number counts beside a name.
    let named = seen.iter().any(|word| !word.starts_with(|first: char| first.is_ascii_digit()));
    if named { seen.len() } else { 0 }
}

/// What a subagent found. What it changed is told by its edits.
fn delegated(scene: &Scene<'_>, at: usize) -> Option<Observation> {
    const TOO_SHORT: usize = 40;
    let step = &scene.steps[at];
    let Act::Delegate { agent, task, said } = &step.act else { return None };
    let edited = scene.steps.iter().any(|step| {
        matches!(step.act, Act::Edit(_)) && !agent.is_empty() && step.subagent.as_deref() == Some(agent)
    });
    if edited || said.len() < TOO_SHORT || is_spawn_receipt(said) {
        return None;
    }
    let mut parts = sentences(said);
    parts.retain(|sentence| !is_preamble(&sentence.text));
    let is_whole = step.marks().any(|mark| mark.starts_with(crate::MARK));
    // Of a report on the workspace, what was heard elsewhere and handed on to the subagent is left out.
    parts.retain(|sentence| is_whole || !scene.heard.is_theirs(&sentence.text));
    // Reports begin with how much was understood; what was found stands behind it.
    let telling = |sentence: &&Sentence| {
        sentence.text.len() >= TOO_SHORT && prose::reads_well(&prose::as_title(&sentence.text, 125))
    };
    let title = parts
        .iter()
        .filter(telling)
        .find(|sentence| prose::states_finding(&sentence.text))
        .or_else(|| parts.iter().find(telling))?;
    let mut draft = Draft::new(MemoryKind::Discovery);
    draft.evidence(step);
    draft.title = prose::as_title(&title.text, 125);
    if !task.is_empty() {
        draft.subtitle = Some(format!("A subagent on: {task}"));
    }
    for sentence in
        parts.iter().filter(|sentence| sentence.text.len() > 12 && telling(sentence)).take(MAX_FINDINGS)
    {
        draft.fact(&sentence.text);
    }
    if is_whole {
        draft.say(&one_line(said, 300));
    } else {
        parts.iter().filter(telling).take(1).for_each(|sentence| draft.say(&sentence.text));
    }
    // What it read is evidence, too, as far as it is named.
    for other in
        scene.steps.iter().filter(|other| !agent.is_empty() && other.subagent.as_deref() == Some(agent))
    {
        if let Act::Read { file, .. } = &other.act
            && said.contains(file_name(file))
        {
            draft.evidence(other);
        }
    }
    draft.finish()
}

/// What a client answers when it starts an agent that reports later: fields, and no report.
fn is_spawn_receipt(said: &str) -> bool {
    const FIELDS: &[&str] =
        &["agent_id:", "agentId:", "agent_type:", "teammate_id:", "task_id:", "team_name:"];
    let head = &said[..said.floor_char_boundary(400)];
    FIELDS.iter().filter(|field| head.contains(**field)).count() >= 2
        || ["Spawned successfully", "Async agent launched"].iter().any(|start| head.starts_with(start))
}

/// How a report begins that says nothing yet: "Now I have a comprehensive understanding", "Here is what I found".
fn is_preamble(text: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "now i have",
        "now i understand",
        "now i can",
        "now i'll",
        "now let me",
        "i now have",
        "i now understand",
        "i have enough",
        "i have all",
        "i have gathered",
        "i've gathered",
        "let me",
        "i'll",
        "i will",
        "perfect",
        "excellent",
        "great",
        "here is",
        "here's",
        "here are",
        "below is",
        "below are",
        "the following is",
    ];
    const ANNOUNCED: &[&str] = &["here is", "here's", "here are", "i found the following", "my findings"];
    let lower = text.to_lowercase().replace('’', "'");
    let begins = |opening: &str| {
        lower.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let announces = lower.starts_with("based on") && prose::any(&lower, ANNOUNCED);
    OPENINGS.iter().any(|opening| begins(opening)) || announces
}
