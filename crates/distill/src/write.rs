//! Writes down pieces of work: what was built or changed, and what was broken and how it was set right.
//! What they are called is decided in `title`.

use model::{MemoryKind, Observation};

use crate::answer;
use crate::command::Purpose;
use crate::hear;
use crate::languages::{Section, says};
use crate::patch::{Area, Edit};
use crate::prose::{self, Intent};
use crate::scene::{Draft, Scene};
use crate::state::OpenFailure;
use crate::step::{Act, Run};
use crate::text::{clip, enumerate, file_name, has_word};
use crate::title::{self, built_title, conflict_title, fix_title, kind, own_commit, shape_title};
use crate::work::Piece;
use crate::worth;

/// Files told one by one; the others are listed.
const MAX_FILES_TOLD: usize = 3;
/// Changed lines of a file of which one may stand for all.
const MAX_QUOTED: u32 = 8;
/// How a title begins that is made of the patch, because nobody called the work anything.
pub(crate) const NAMELESS: &str = "Change ";
/// What was said of why one piece of work was needed.
const MAX_CAUSES: usize = 2;

pub(crate) fn piece(scene: &Scene<'_>, piece: &Piece) -> Option<Observation> {
    if !piece.resolved.is_empty() {
        return fixed(scene, piece);
    }
    // Lines for the next agent are told whole, as such.
    let told = piece.commit.is_none()
        && !piece.edits.is_empty()
        && scene.edits(piece).all(|edit| !edit.lessons.is_empty());
    if told { None } else { built(scene, piece) }
}

fn fixed(scene: &Scene<'_>, piece: &Piece) -> Option<Observation> {
    let failure = piece.resolved.iter().max_by_key(|failure| failure.fault.rank)?;
    let conflict = failure.fault.is_conflict();
    let mut draft = Draft::new(if conflict { MemoryKind::Change } else { MemoryKind::Bugfix });
    for failure in &piece.resolved {
        tell_failure(&mut draft, failure);
    }
    gather(scene, &mut draft, piece);
    let (cause, fix) = explanation(scene, piece);
    if let Some((at, cause)) = &cause {
        draft.say(cause);
        draft.fact(&format!("Cause, as said: {cause}"));
        scene.shows(&mut draft, *at);
    }
    if let Some((at, fix)) = &fix {
        draft.say(fix);
        scene.shows(&mut draft, *at);
    }
    if cause.is_none() && fix.is_none() {
        draft.say(&format!("`{}` failed: {}", failure.shown, failure.fault.short(120)));
    }
    tell_edits(scene, &mut draft, piece);
    tell_rest(scene, &mut draft, piece);
    let place = failure.fault.place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
    draft.subtitle = Some(format!("`{}` failed: {}{place}", failure.shown, failure.fault.short(140)));
    let commit = own_commit(scene, piece);
    // What a commit calls new is new, whatever went wrong on the way.
    if commit.is_some_and(|commit| title::adds(&commit.subject)) && failure.own {
        draft.kind = MemoryKind::Feature;
    }
    let spoken = cause.is_some() || fix.is_some();
    draft.quiet = !spoken && (conflict || commit.is_none() && worth::is_own_slip(failure));
    draft.title = if conflict {
        conflict_title(scene, piece, failure)
    } else {
        let said = fix.as_ref().or(cause.as_ref()).map(|(_, text)| text.as_str());
        fix_title(scene, piece, failure, commit, said)
    };
    draft.finish()
}

fn tell_failure(draft: &mut Draft, failure: &OpenFailure) {
    for event in &failure.events {
        draft.event(*event, failure.at);
    }
    draft.hears(&failure.outside);
    draft.spend(failure.tokens);
    let place = failure.fault.place.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
    draft.fact(&format!("Error: {}{place}", failure.fault.short(200)));
    if let Some(detail) = &failure.fault.detail {
        draft.fact(detail);
    }
    for other in &failure.others {
        draft.fact(&format!("In the meantime: {other}"));
    }
    if !failure.failing.is_empty() {
        let names: Vec<String> = failure.failing.iter().map(|name| format!("`{name}`")).collect();
        draft.fact(&format!("Failing: {}", enumerate(&names, 3)));
    }
    for (tried, event) in failure.tried.iter().take(3) {
        draft.fact(&format!("Tried, the same error remained: {tried}"));
        draft.event(*event, failure.at);
    }
}

/// The place of a sentence among what was said, and its words.
type Told = (usize, String);

/// What was said about why it failed and what set it right.
fn explanation(scene: &Scene<'_>, piece: &Piece) -> (Option<Told>, Option<Told>) {
    // That tests pass is no fix.
    const VERDICTS: &[&str] = &["pass", "passes", "passed", "passing", "green"];
    let mut best_cause: Option<(u32, usize, String)> = None;
    let mut best_fix: Option<(u32, usize, String)> = None;
    for (at, sentence) in scene.causes() {
        let explicit = says(&sentence.text, Section::Root);
        // A root cause that names nothing is that of the only thing that was repaired.
        let only =
            explicit && scene.sorted.pieces.iter().filter(|piece| !piece.resolved.is_empty()).count() == 1;
        let Some(score) = scene.belongs(at, piece).or(only.then_some(0)) else { continue };
        let weight = score + if explicit { 3 } else { 0 };
        if sentence.early || prose::states_cause(&sentence.text) {
            if best_cause.as_ref().is_none_or(|(known, ..)| weight > *known) {
                best_cause = Some((weight, at, sentence.text.clone()));
            }
        } else if (prose::states_done(&sentence.text) || has_word(&sentence.text, "fix"))
            && sentence.text.len() > 20
            && (score > 0 || !VERDICTS.iter().any(|word| has_word(&sentence.text, word)))
        {
            let weight =
                score + u32::from(has_word(&sentence.text, "fix") || has_word(&sentence.text, "fixed"));
            if best_fix.as_ref().is_none_or(|(known, ..)| weight > *known) {
                best_fix = Some((weight, at, sentence.text.clone()));
            }
        }
    }
    let take = |found: Option<(u32, usize, String)>| {
        found.map(|(_, at, text)| {
            scene.take(at);
            (at, text)
        })
    };
    (take(best_cause).map(|(at, text)| (at, unlabelled(&text))), take(best_fix))
}

/// Without "Summary:" in front.
fn unlabelled(text: &str) -> String {
    text.strip_prefix("Summary: ").unwrap_or(text).to_owned()
}

fn built(scene: &Scene<'_>, piece: &Piece) -> Option<Observation> {
    let mut draft = Draft::new(MemoryKind::Change);
    gather(scene, &mut draft, piece);
    let commit = own_commit(scene, piece);
    let mut said: Vec<(u32, usize, String)> = scene
        .own(|sentence| prose::states_done(&sentence.text) && !prose::states_next(sentence))
        .into_iter()
        .filter_map(|(at, sentence)| Some((scene.belongs(at, piece)?, at, sentence.text.clone())))
        .collect();
    said.sort_by_key(|(score, at, _)| (std::cmp::Reverse(*score), *at));
    draft.kind = kind(scene, piece, commit);
    // A conclusion that says why is the cause; what was done about it is the title.
    let lead = answer::lead(scene, piece).filter(|(_, text)| said.is_empty() || !prose::states_cause(text));
    if !hear::tell_decision(scene, piece, &mut draft) {
        scene.tell_request(&mut draft);
    }
    draft.title =
        built_title(scene, piece, commit, lead.as_ref().map(|(_, text)| text.as_str()), said.first());
    let lead = lead.filter(|(_, text)| !prose::states_cause(text));
    let mut spoken = lead.is_some() || !said.is_empty();
    let told: Vec<String> = said.iter().map(|(_, _, text)| text.clone()).take(3).collect();
    for (at, sentence) in lead.into_iter().chain(said.into_iter().map(|(_, at, text)| (at, text))).take(3) {
        // What the title says in full is not said again.
        if prose::as_title(&sentence, 120) != draft.title || draft.title.ends_with('…') {
            draft.say(&sentence);
        }
        scene.take(at);
        scene.shows(&mut draft, at);
    }
    let mut causes: Vec<String> = Vec::new();
    for (at, sentence) in scene.causes() {
        if causes.len() >= MAX_CAUSES || !(sentence.early || prose::states_cause(&sentence.text)) {
            continue;
        }
        let asked = scene.intent == Intent::Bug || !piece.stumbles.is_empty() || sentence.early;
        // What is said at the end of a turn with one piece of work is said of that work, by whatever names.
        let alone = scene.sorted.pieces.len() == 1 && !sentence.early && !sentence.bullet;
        let least = if alone {
            0
        } else if asked {
            1
        } else {
            3
        };
        if scene.belongs(at, piece).is_some_and(|score| score >= least) {
            causes.push(unlabelled(&sentence.text));
            scene.take(at);
            draft.fact(&format!("Cause, as said: {}", unlabelled(&sentence.text)));
            scene.shows(&mut draft, at);
        }
    }
    if draft.title.starts_with(NAMELESS) && piece.commit.is_none() {
        // Why it was needed says more than which lines it touched.
        let mut reasons = causes.iter().map(|cause| prose::as_title(cause, 120));
        draft.title = reasons.find(|title| prose::reads_well(title)).unwrap_or(draft.title);
    }
    spoken |= !causes.is_empty();
    draft.quiet = !worth::is_work_worth_saying(scene, piece, commit, spoken);
    if commit.is_none() && piece.hints.is_empty() && draft.title == shape_title(scene, piece) {
        // Words that make no good title say more than a name and a file.
        let mut told = told.iter().map(|text| prose::as_title(text, 120));
        match told.find(|title| worth::is_worth_saying(title)) {
            Some(title) => draft.title = title,
            None => draft.quiet |= causes.is_empty(),
        }
    }
    // How a linter of this project is satisfied comes again; what else was changed there does not.
    if let Some(settled) = piece.settled.first().filter(|_| draft.quiet) {
        draft.quiet = false;
        draft.title = clip(settled, 120);
        piece.settled.iter().for_each(|settled| draft.fact(settled));
        for stumble in &piece.stumbles {
            draft.hears(&stumble.outside);
            stumble.events.iter().for_each(|event| draft.event(*event, 0));
        }
        return draft.finish();
    }
    tell_edits(scene, &mut draft, piece);
    tell_rest(scene, &mut draft, piece);
    draft.finish()
}

/// Everything a piece consists of is its evidence.
fn gather(scene: &Scene<'_>, draft: &mut Draft, piece: &Piece) {
    for &at in piece.edits.iter().chain(&piece.runs).chain(&piece.proof) {
        draft.evidence(&scene.steps[at]);
    }
    if let Some((at, _)) = &piece.commit {
        draft.evidence(&scene.steps[*at]);
    }
    for (file, event) in &piece.earlier {
        draft.modifies(file);
        draft.event(*event, 0);
    }
    // What was read before it was changed.
    for &at in &scene.sorted.looked {
        if let Act::Read { file, .. } = &scene.steps[at].act
            && scene.edits(piece).any(|edit| edit.file == *file)
        {
            draft.reads(file);
        }
    }
}

fn tell_edits(scene: &Scene<'_>, draft: &mut Draft, piece: &Piece) {
    let mut files: Vec<&str> = Vec::new();
    for edit in scene.edits(piece) {
        if !files.contains(&edit.file.as_str()) {
            files.push(&edit.file);
        }
    }
    for file in files.iter().take(MAX_FILES_TOLD) {
        let edits: Vec<&Edit> = scene.edits(piece).filter(|edit| edit.file == **file).collect();
        let fact = file_fact(file, &edits);
        draft.fact(&fact);
    }
    if files.len() > MAX_FILES_TOLD {
        draft.fact(&format!("Also changed: {}", enumerate(&files[MAX_FILES_TOLD..], 4)));
    }
}

/// `src/cart.ts: adds useCart and CartItem, changes total (+80 -2): …`.
fn file_fact(file: &str, edits: &[&Edit]) -> String {
    let mut adds: Vec<&str> = Vec::new();
    let mut changes: Vec<&str> = Vec::new();
    let mut drops: Vec<&str> = Vec::new();
    let (mut added, mut removed) = (0_u32, 0_u32);
    for edit in edits {
        added = added.saturating_add(edit.added);
        removed = removed.saturating_add(edit.removed);
        for name in &edit.defines {
            if !adds.contains(&name.as_str()) {
                adds.push(name);
            }
        }
        for name in &edit.inside {
            if !changes.contains(&name.as_str()) {
                changes.push(name);
            }
        }
        for name in &edit.drops {
            if !drops.contains(&name.as_str()) {
                drops.push(name);
            }
        }
    }
    changes.retain(|name| !adds.contains(name));
    let mut parts = Vec::new();
    if edits.iter().any(|edit| edit.created) {
        parts.push("new file".to_owned());
    }
    if let Some((from, to)) = edits.iter().find_map(|edit| edit.renamed.as_ref()) {
        parts.push(format!("renames {from} to {to}"));
    }
    for (verb, names) in [("adds", &adds), ("changes", &changes), ("removes", &drops)] {
        if !names.is_empty() {
            parts.push(format!("{verb} {}", enumerate(names, 4)));
        }
    }
    let what = if parts.is_empty() { String::new() } else { format!("{} ", parts.join(", ")) };
    let mut fact = format!("{file}: {what}(+{added} -{removed})");
    // A line of a new file is one of many, and so is one of a large change; a changed value is the change.
    let telling =
        |edit: &&&Edit| edit.after.as_deref().or(edit.before.as_deref()).map_or(0, crate::patch::telling);
    if let Some(edit) = edits
        .iter()
        .filter(|edit| !edit.created && edit.added + edit.removed <= MAX_QUOTED)
        .max_by_key(telling)
        && added.saturating_add(removed) <= MAX_QUOTED
    {
        match (&edit.before, &edit.after) {
            (Some(before), Some(after)) => fact.push_str(&format!(": `{before}` → `{after}`")),
            (None, Some(after)) => fact.push_str(&format!(": `{after}`")),
            (Some(before), None) => fact.push_str(&format!(": removes `{before}`")),
            (None, None) => {}
        }
    }
    fact
}

fn tell_rest(scene: &Scene<'_>, draft: &mut Draft, piece: &Piece) {
    for &at in &piece.runs {
        if let Act::Run(run) = &scene.steps[at].act
            && matches!(run.command.purpose, Purpose::Package | Purpose::Rewrite)
        {
            draft.fact(&format!("Ran `{}`", run.command.shown));
            if run.command.purpose == Purpose::Rewrite {
                for file in run.command.targets.iter().filter(|file| looks_like_file(file)) {
                    draft.modifies(file);
                }
            }
        }
    }
    for settled in &piece.settled {
        draft.fact(settled);
    }
    for OpenFailure { fault, shown, events, outside, tried, .. } in &piece.stumbles {
        // A lint that is told with what settled it is not told once more.
        let told = fault.is_lint() && !piece.settled.is_empty();
        // What a compiler said of a line that was being written is gone with the line.
        if !told && fault.rank > 2 && (!fault.compile || !tried.is_empty()) {
            draft.fact(&format!("On the way `{shown}` failed: {}", fault.short(140)));
            let near = |tried: &str| fault.file().is_some_and(|file| tried.starts_with(file_name(file)));
            if let Some((tried, event)) = tried.iter().find(|(tried, _)| near(tried)) {
                draft.fact(&format!("Tried, the same error remained: {tried}"));
                draft.event(*event, 0);
            }
        }
        draft.hears(outside);
        for event in events {
            draft.event(*event, 0);
        }
    }
    let passed = |purpose: Purpose| {
        // Only what ran after the last change to the code says something about it.
        let last = piece.edits.iter().copied().filter(|&at| is_code(scene, at)).max().unwrap_or(0);
        let mut runs = piece.runs.iter().chain(&piece.proof).rev().copied().filter(|at| *at > last);
        runs.find_map(|at| match &scene.steps[at].act {
            Act::Run(run) if run.ok && run.command.purpose == purpose => Some(run),
            _ => None,
        })
    };
    let proof = piece.proof.and_then(|at| match &scene.steps[at].act {
        Act::Run(run) => Some(run),
        _ => None,
    });
    // A test says more than a build, and a build more than a linter.
    let best =
        passed(Purpose::Test).or(proof).or_else(|| passed(Purpose::Build)).or_else(|| passed(Purpose::Lint));
    if let Some(run) = best {
        draft.fact(&passes(run));
    }
    for (at, item) in &piece.hints {
        if !draft.title.to_lowercase().starts_with(&item.to_lowercase()) {
            draft.fact(&format!("Done: {item}"));
        }
        draft.evidence(&scene.steps[*at]);
    }
    if let Some(commit) = own_commit(scene, piece) {
        for sentence in commit.body.iter().filter(|sentence| !scene.heard.is_theirs(sentence)) {
            draft.fact(sentence);
        }
    }
    if let Some((_, commit)) = &piece.commit {
        let hash = commit.hash.as_ref().map_or_else(String::new, |hash| format!(" as {hash}"));
        draft.fact(&format!("Committed{hash}: {}", commit.subject));
    }
}

fn is_code(scene: &Scene<'_>, at: usize) -> bool {
    matches!(&scene.steps[at].act, Act::Edit(edit) if matches!(edit.area(), Area::Code | Area::Test))
}

pub(crate) fn passes(run: &Run) -> String {
    match &run.verdict {
        Some(verdict) if verdict.failed == 0 && verdict.passed > 0 => {
            format!("`{}` passes: {}", run.command.shown, verdict.words())
        }
        // Some of it fails still; what failed before does not.
        Some(verdict) if verdict.failed > 0 => {
            format!("`{}` comes further: {}", run.command.shown, verdict.words())
        }
        _ if run.ok => format!("`{}` passes", run.command.shown),
        _ => format!("`{}` comes further", run.command.shown),
    }
}

pub(crate) fn looks_like_file(word: &str) -> bool {
    let extension = crate::text::extension(word);
    (1..=5).contains(&extension.len())
        && !word.contains([' ', '*', '$', '(', '|', ';', '^'])
        && extension.chars().all(char::is_alphanumeric)
}
