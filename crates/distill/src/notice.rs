//! Writes down what happened beside the work on files: failures that stand, failures that went away, and changes
//! to things that are not files.

use model::{MemoryKind, Observation};

use crate::command::Purpose;
use crate::fault::Fault;
use crate::prose::Intent;
use crate::scene::{Draft, Scene};
use crate::state::OpenFailure;
use crate::step::{Act, Run};
use crate::text::{capitalized, clip, enumerate, one_line};
use crate::work::Recovery;

/// A turn that runs more of these is a script; the first ones say what it does.
const MAX_OPERATIONS: usize = 4;

/// A failure nothing has resolved, told once.
pub(crate) fn failure(scene: &Scene<'_>, open: &mut OpenFailure) -> Option<Observation> {
    if open.told || !open.stands() || !is_worth(scene, open) {
        return None;
    }
    open.told = true;
    let audit = crate::command::Command::read(&open.shown).purpose == Purpose::Audit;
    let mut draft = Draft::new(if audit { MemoryKind::Security } else { MemoryKind::Failure });
    for event in &open.events {
        draft.event(*event, open.at);
    }
    for step in scene.steps.iter().filter(|step| open.events.contains(&step.event)) {
        draft.evidence(step);
    }
    draft.hears(&open.outside);
    draft.spend(open.tokens);
    let place = open.fault.place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
    draft.title = format!("`{}` fails: {}{place}", clip(&open.shown, 50), open.fault.short(80));
    draft.fact(&format!("Error: {}{place}", open.fault.short(200)));
    draft.say(&format!("`{}` failed: {}{place}", open.shown, open.fault.short(200)));
    if let Some(detail) = &open.fault.detail {
        draft.fact(detail);
        draft.say(detail);
    }
    for other in &open.others {
        draft.fact(&format!("In the meantime: {other}"));
    }
    if !open.failing.is_empty() {
        let names: Vec<String> = open.failing.iter().map(|name| format!("`{name}`")).collect();
        draft.fact(&format!("Failing: {}", enumerate(&names, 4)));
    }
    if open.attempts > 1 {
        draft.fact(&format!("Seen {} times", open.attempts));
    }
    for (tried, event) in &open.tried {
        draft.fact(&format!("Tried, the same error remained: {tried}"));
        draft.event(*event, open.at);
    }
    if let Some(file) = open.fault.file() {
        draft.reads(file);
    }
    draft.subtitle = Some("Not resolved when the turn ended".to_owned());
    draft.finish()
}

fn is_worth(scene: &Scene<'_>, open: &OpenFailure) -> bool {
    if open.fault.is_missing_program() {
        return false;
    }
    // A tool of a server that does not answer as hoped is the moment's; one that never does is not.
    if open.key.split(' ').count() == 2 && open.shown.contains(" of ") && open.attempts < 2 {
        return false;
    }
    match crate::command::Command::read(&open.shown).purpose {
        // That something failed is no news without what.
        Purpose::Test | Purpose::Build => open.fault.rank > Fault::SAYS_FAILED || !open.failing.is_empty(),
        Purpose::Lint => open.fault.rank >= 7 && open.fault.place.is_some(),
        Purpose::Probe | Purpose::Look | Purpose::Noise => {
            open.fault.rank >= 7 && (open.attempts > 1 || scene.intent == Intent::Bug)
        }
        _ => open.fault.rank >= 5,
    }
}

/// A failure that went away without an edit.
pub(crate) fn recovery(scene: &Scene<'_>, recovery: &Recovery) -> Option<Observation> {
    let failure = &recovery.failure;
    let step = &scene.steps[recovery.proof];
    let Act::Run(run) = &step.act else { return None };
    // A conflict that is over was decided by someone; no command made it work.
    if failure.fault.rank < 5 || failure.expected || failure.fault.is_conflict() || failure.fault.is_lost() {
        return None;
    }
    let error = failure.fault.short(64);
    let between: Vec<&Run> = recovery
        .between
        .iter()
        .filter_map(|&at| match &scene.steps[at].act {
            Act::Run(run) => Some(run),
            _ => None,
        })
        .collect();
    let audit = run.command.purpose == Purpose::Audit;
    let mut draft = Draft::new(if audit { MemoryKind::Security } else { MemoryKind::Bugfix });
    if let Some(last) = between.last() {
        draft.title = format!(
            "`{}` works after `{}`: {error}",
            clip(&failure.family, 40),
            clip(&last.command.shown, 60)
        );
        for run in between.iter().rev().take(3) {
            draft.fact(&format!("Run in between: `{}`", run.command.shown));
        }
        for &at in &recovery.between {
            draft.evidence(&scene.steps[at]);
        }
        let wrote = between.iter().filter(|run| run.command.purpose == Purpose::Rewrite);
        for file in
            wrote.flat_map(|run| &run.command.targets).filter(|file| crate::write::looks_like_file(file))
        {
            draft.modifies(file);
        }
    } else if run.command.shown != failure.shown {
        // Two commits differ by their message; only what was skipped is a form.
        if run.command.purpose == Purpose::Commit && !run.command.shown.contains("--no-verify") {
            return None;
        }
        // Another target passing says nothing of the one that failed, unless it was called in a way that cannot work.
        let same = run.command.targets == failure.targets || failure.fault.is_slip();
        if run.command.purpose.checks() && !same || run.command.family != failure.family {
            return None;
        }
        draft.kind = MemoryKind::Discovery;
        draft.title = format!(
            "`{}` works where `{}` fails: {error}",
            clip(&run.command.shown, 56),
            clip(&failure.shown, 46)
        );
    } else if run.command.purpose == Purpose::Test
        && recovery.alone
        && !failure.failing.is_empty()
        && !failure.fault.compile
    {
        draft.kind = MemoryKind::Discovery;
        let what =
            failure.failing.first().map_or(failure.shown.as_str(), |name| crate::scene::short_test(name));
        draft.title =
            format!("{} is flaky: failed once, passed with nothing changed between", clip(what, 70));
    } else {
        return None;
    }
    // Why it helped, where it was said of what was run.
    let told = scene.any(|sentence| {
        let words = between.iter().flat_map(|run| &run.command.targets).chain(&failure.targets);
        let reason =
            crate::prose::states_cause(&sentence.text) || crate::text::has_word(&sentence.text, "since");
        reason
            && words
                .filter(|word| word.len() > 3)
                .any(|word| crate::text::has_word(&sentence.text, crate::text::file_name(word)))
    });
    if let Some(sentence) = told {
        draft.fact(&format!("Cause, as said: {}", sentence.text));
        draft.say(&sentence.text);
        draft.evidence(scene.message_step()?);
    }
    for event in &failure.events {
        draft.event(*event, failure.at);
    }
    draft.evidence(step);
    draft.hears(&failure.outside);
    draft.spend(failure.tokens);
    draft.fact(&format!("`{}` failed: {}", failure.shown, failure.fault.short(200)));
    draft.fact(&crate::write::passes(run));
    draft.say(&format!("`{}` failed: {}", failure.shown, failure.fault.short(200)));
    draft.say(&crate::write::passes(run));
    draft.finish()
}

/// Migrations, merges, releases and calls that changed something elsewhere; commands on running systems together.
/// `told`: steps that were told as what works now.
pub(crate) fn operations(scene: &Scene<'_>, told: &[usize]) -> Vec<Observation> {
    let mut found = Vec::new();
    let mut operated: Option<(Draft, Vec<String>)> = None;
    for &at in &scene.sorted.operations {
        let step = &scene.steps[at];
        if told.contains(&at) {
            continue;
        }
        match &step.act {
            Act::Call { server, name, about, said, .. } if found.len() < MAX_OPERATIONS => {
                let mut draft = Draft::new(MemoryKind::Change);
                draft.evidence(step);
                draft.title = format!(
                    "{} ({server}): {}",
                    capitalized(&name.replace(['_', '-'], " ")),
                    clip(about, 90)
                );
                draft.fact(&format!("Called {name} of {server}: {about}"));
                draft.say(&format!("Called {name} of {server} with {about}"));
                if !said.is_empty() {
                    let answer = one_line(said, 200);
                    draft.fact(&format!("Answer: {answer}"));
                    draft.say(&format!("It answered: {answer}"));
                }
                found.extend(draft.finish());
            }
            // That branches came together says nothing of what is in them; what takes a commit back is needed to know that it is gone.
            Act::Run(run) if run.command.purpose == Purpose::Merge && run.command.family != "git revert" => {}
            Act::Run(run) if run.command.purpose == Purpose::Operate => {
                if is_routine(run) {
                    continue;
                }
                let (draft, shown) =
                    operated.get_or_insert_with(|| (Draft::new(MemoryKind::Change), Vec::new()));
                draft.evidence(step);
                draft.fact(&format!("Ran `{}`", run.command.shown));
                draft.say(&format!("Ran `{}`", run.command.shown));
                if let Some(last) = run.said.lines().last() {
                    draft.say(&format!("It printed: {last}"));
                }
                shown.push(run.command.shown.clone());
            }
            Act::Run(run) if found.len() < MAX_OPERATIONS => {
                let mut draft = Draft::new(MemoryKind::Change);
                draft.evidence(step);
                let family = run.command.family.as_str();
                let what = match run.command.purpose {
                    Purpose::Migrate => "Run migrations",
                    Purpose::Merge => "Revert",
                    _ if family.starts_with("gh pr") || family.starts_with("glab mr") => "Pull request",
                    _ if family.starts_with("gh issue") => "Issue",
                    _ if family == "git tag" => "Tag",
                    _ => "Release",
                };
                draft.title = format!("{what}: `{}`", clip(&run.command.shown, 100));
                // That branches came together, or a request was edited, stands in the history of the project.
                draft.quiet = matches!(what, "Revert" | "Pull request");
                if let Some(request) = &run.commit {
                    let number =
                        request.hash.as_ref().map_or_else(String::new, |number| format!(" {number}"));
                    let called = if family.contains("issue") { "Issue" } else { "PR" };
                    draft.title = format!("{called}{number}: {}", request.subject);
                    draft.quiet = false;
                    draft.say(&draft.title.clone());
                    request.body.iter().for_each(|sentence| draft.fact(sentence));
                    found.extend(draft.finish());
                    continue;
                }
                draft.fact(&format!("Ran `{}`", run.command.shown));
                draft.say(&format!("Ran `{}`", run.command.shown));
                for line in run.said.lines().rev().take(2) {
                    draft.fact(&format!("It printed: {line}"));
                    draft.say(&format!("It printed: {line}"));
                }
                found.extend(draft.finish());
            }
            _ => {}
        }
    }
    if let Some((mut draft, shown)) = operated {
        let shown: Vec<String> = shown.iter().map(|shown| format!("`{}`", clip(shown, 90))).collect();
        draft.title = format!("Ran {}", enumerate(&shown, 1));
        found.extend(draft.finish());
    }
    found
}

/// Starting and stopping what is started every day.
fn is_routine(run: &Run) -> bool {
    let shown = &run.command.shown;
    (shown.starts_with("docker") || shown.starts_with("podman"))
        && ["up", "down", "start", "stop", "restart", "run", "rm", "pull", "kill", "login", "cp"]
            .iter()
            .any(|word| crate::text::has_word(shown, word))
}
