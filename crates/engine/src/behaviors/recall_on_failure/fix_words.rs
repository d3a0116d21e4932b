//! What got past the same error, or the same broken rule, the last time, in one line.

use std::collections::{HashMap, HashSet};

use distill::failures::{FailureSignature, FixingEdit, ResolvedFailure, WorkingCommand};
use model::{Detail, Event, Outcome, ToolCall};
use store::FixRow;

use super::{COMPARED, FailureAnswer, TOKENS, homes};
use crate::Result;
use crate::behavior::Context;
use crate::moment::day;
use crate::page::one_line;

/// What is quoted of an edit and of a command.
const MAX_LINE_CHARS: usize = 120;
const MAX_COMMAND_CHARS: usize = 160;
/// What is looked at of an output to know whether it says the answer itself.
const MAX_SEEN_BYTES: usize = 64 * 1024;

struct EarlierFix {
    row: FixRow,
    failure: ResolvedFailure,
}

pub(super) fn of_earlier(cx: &Context, event: &Event) -> Result<Option<FailureAnswer>> {
    let Some(signature) = FailureSignature::of(event) else { return Ok(None) };
    let Detail::Tool(call) = &event.detail else { return Ok(None) };
    let keys: Vec<u64> = signature.lines.iter().chain(&signature.rules).copied().collect();
    let rows = cx.read(|tables| {
        let homes = homes(tables, cx.workspace.as_ref(), &[])?;
        Ok(tables.fixes(&homes, &keys, COMPARED)?)
    })?;
    let earlier: Vec<EarlierFix> = rows
        .into_iter()
        .filter_map(|row| Some(EarlierFix { failure: serde_json::from_str(&row.fix).ok()?, row }))
        .filter(|fix| fix.failure.failed != event.id)
        .collect();
    let seen = seen(call);
    let mut same = earlier.iter().filter(|fix| signature.is_same(&fix.failure.signature.lines));
    let found = same.find_map(|fix| of_same_error(fix, &signature, &seen));
    Ok(found.or_else(|| of_same_rule(&earlier, &signature, &seen)))
}

/// The call and its output: what stands there needs not be said.
fn seen(call: &ToolCall) -> String {
    let mut seen = call.input.to_string();
    let output = match &call.outcome {
        Outcome::Failed { error, .. } => error.clone(),
        Outcome::Succeeded { response, .. } => response.to_string(),
        Outcome::Pending | Outcome::Denied { .. } => String::new(),
    };
    seen.push_str(&output[..output.floor_char_boundary(MAX_SEEN_BYTES)]);
    seen
}

fn of_same_error(fix: &EarlierFix, signature: &FailureSignature, seen: &str) -> Option<FailureAnswer> {
    let when = when(&fix.row);
    let line = if let Some(worked) = &fix.failure.worked {
        command_words(worked, &fix.failure, seen)?
    } else {
        // The edit that names the rule, else the one whose line says most.
        let tells = |edit: &&FixingEdit| {
            let line = edit.after.as_deref().unwrap_or("");
            let linters = signature.rule_names.iter().filter_map(|name| name.split(' ').next());
            (linters.into_iter().any(|linter| line.contains(linter)), words_of(line).count())
        };
        let edit = fix.failure.edits.iter().filter(|edit| is_news(edit, seen)).max_by_key(tells)?;
        format!("went away after {}", edit_words(edit))
    };
    Some(FailureAnswer {
        line: format!("Seen before ({when}): the same failure {line}."),
        title: one_line(&signature.shown, MAX_LINE_CHARS),
        why: format!("the same failure was resolved by fix {:012x}", fix.row.id),
        once: format!("fix {}", fix.row.id),
        tokens: TOKENS,
    })
}

fn of_same_rule(earlier: &[EarlierFix], signature: &FailureSignature, seen: &str) -> Option<FailureAnswer> {
    for (rule, name) in signature.rules.iter().zip(&signature.rule_names) {
        let fixes: Vec<&EarlierFix> =
            earlier.iter().filter(|fix| fix.failure.signature.rules.contains(rule)).collect();
        if fixes.is_empty() {
            continue;
        }
        if let Some(fix) = fixes.iter().find(|fix| fix.failure.worked.is_some()) {
            if let Some(words) =
                fix.failure.worked.as_ref().and_then(|worked| command_words(worked, &fix.failure, seen))
            {
                return Some(rule_answer(name, &fixes, fix, &format!("the last time it {words}")));
            }
            continue;
        }
        // Words that several fixes of the rule have in common are how it is settled here.
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for fix in &fixes {
            let words: HashSet<&str> =
                fix.failure.edits.iter().flat_map(edit_text).flat_map(words_of).collect();
            for word in words.into_iter().filter(|word| !seen.contains(*word)) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let shared = |edit: &&FixingEdit| {
            let words: HashSet<&str> = edit_text(edit).flat_map(words_of).collect();
            words.iter().filter(|word| counts.get(*word).is_some_and(|count| *count >= 2)).count()
        };
        // An output of several rules was settled by several edits; which of them settled which is told by the rule's name alone.
        let linter = name.split(' ').next().unwrap_or(name);
        let names_rule = |edit: &FixingEdit| edit_text(edit).any(|line| line.contains(linter));
        let best = fixes
            .iter()
            .flat_map(|fix| fix.failure.edits.iter().map(move |edit| (*fix, edit)))
            .filter(|(_, edit)| edit.after.is_some() && is_news(edit, seen))
            .filter(|(fix, edit)| names_rule(edit) || fix.failure.signature.rules.len() == 1)
            .map(|(fix, edit)| (usize::from(names_rule(edit)) * 4 + shared(&edit), fix, edit))
            .filter(|(score, ..)| *score > 0)
            .max_by_key(|(score, fix, _)| (*score, fix.row.at));
        if let Some((_, fix, edit)) = best {
            let words = format!("it was settled when {}", edit_words(edit));
            return Some(rule_answer(name, &fixes, fix, &words));
        }
    }
    None
}

fn rule_answer(name: &str, fixes: &[&EarlierFix], fix: &EarlierFix, words: &str) -> FailureAnswer {
    let times = if fixes.len() == 1 { "once".to_owned() } else { format!("{} times", fixes.len()) };
    FailureAnswer {
        line: format!("`{}` came up here {times} before; {words} ({}).", one_line(name, 60), when(&fix.row)),
        title: one_line(name, MAX_LINE_CHARS),
        why: format!("the same rule was settled by fix {:012x}", fix.row.id),
        once: format!("rule {name}"),
        tokens: TOKENS,
    }
}

/// The day and the session in which it was resolved.
fn when(row: &FixRow) -> String {
    let session = row.session.as_str();
    format!("{}, session {}", day(row.at), &session[..session.floor_char_boundary(8)])
}

fn command_words(worked: &WorkingCommand, failure: &ResolvedFailure, seen: &str) -> Option<String> {
    let command = one_line(&worked.command, MAX_COMMAND_CHARS);
    let is_new = words_of(&command).any(|word| !seen.contains(word))
        || !worked.folder.is_empty() && worked.folder != failure.folder;
    if !is_new {
        return None;
    }
    let folder = if worked.folder.is_empty() {
        String::new()
    } else {
        format!(" in `{}`", one_line(&worked.folder, 60))
    };
    Some(if worked.is_step_before {
        format!("went away after `{command}`{folder}")
    } else {
        format!("was avoided with `{command}`{folder}")
    })
}

fn edit_words(edit: &FixingEdit) -> String {
    let file = one_line(file_name(&edit.file), 80);
    let quoted = |line: &str| one_line(line, MAX_LINE_CHARS).replace('`', "'");
    if let Some(after) = &edit.after {
        return format!("`{file}` was changed to `{}`", quoted(after));
    }
    if let Some(before) = &edit.before {
        return format!("`{}` was taken out of `{file}`", quoted(before));
    }
    let names: Vec<&str> = edit.names.iter().take(3).map(String::as_str).collect();
    if names.is_empty() {
        return format!("`{file}` was changed");
    }
    format!("`{file}` was changed ({})", names.join(", "))
}

/// Whether an edit tells something that neither the call nor its output shows.
fn is_news(edit: &FixingEdit, seen: &str) -> bool {
    !seen.contains(file_name(&edit.file))
        || edit_text(edit).flat_map(words_of).any(|word| !seen.contains(word))
}

fn edit_text(edit: &FixingEdit) -> impl Iterator<Item = &str> {
    edit.after.as_deref().into_iter().chain(edit.names.iter().map(String::as_str))
}

/// Words of four letters or more, as names in code are.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && !matches!(char, '_' | '-' | '.'))
        .filter(|word| word.len() >= 4)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
