//! What a person's own rules let through. Everything a script does must be named: what is not read, not known or
//! written elsewhere stays with the agent's own question.

use std::path::{Component, Path, PathBuf};

use super::Verdict;
use super::look::{Look, Parsed};
use super::pattern::Pattern;
use super::shipped::Finding;
use crate::scope::{Last, Real, real_path, real_paths};
use crate::shell::{Command, Part, Place, RedirectKind, SHELLS, Word, Wrap, Write, writes_of};

/// They change when and how, never what.
const TRANSPARENT: &str = "nohup time nice ionice timeout gtimeout stdbuf command setsid caffeinate";
/// Folders whose files decide what is run or allowed later, at any depth; nothing is let write there unasked.
const SENSITIVE: &[&str] =
    &[".git", ".claude", ".codex", ".cursor", ".gemini", ".throughline", ".vscode", ".husky"];
/// Files one command may write unasked; fewer than are looked for, so that none is left out unseen.
const MAX_WRITES: usize = 256;

/// Whether the person's own words take a shipped rule back: any of theirs an `ask`, and exactly the same words a `deny`.
pub(super) fn is_excepted(look: &Look<'_>, finding: &Finding) -> bool {
    let allow = &look.rules.user.allow;
    finding.commands.iter().all(|at| {
        let words = &look.raw[*at];
        let is_known = look.script.commands[*at].words.iter().all(|word| word.text().is_some());
        let takes_back = |pattern: &Pattern| match finding.verdict {
            Verdict::Deny => pattern.is_exactly(words),
            Verdict::Ask | Verdict::Allow => pattern.matches(words),
        };
        is_known && allow.iter().any(takes_back)
    })
}

/// A rule that allows the script's last command, if every command is allowed.
pub(super) fn all<'a>(look: &Look<'a>) -> Option<(Option<usize>, &'a Pattern)> {
    if look.rules.user.allow.is_empty() || look.script.is_unreadable || look.script.is_truncated {
        return None;
    }
    let mut last = None;
    for (at, command) in look.commands() {
        let is_known = |word: &Word| word.text().is_some();
        // Where it runs decides what it means: after `cd -` nobody knows.
        if !command.words.iter().chain(command.folder.as_deref()).all(is_known)
            || !writes_within(look, at, command)
        {
            return None;
        }
        match named(look, at, command) {
            Some(pattern) => last = Some((Some(at), pattern)),
            None if is_harmless(look, command) || is_covered(look, at) => {}
            None => return None,
        }
    }
    last
}

fn named<'a>(look: &Look<'a>, at: usize, command: &Command) -> Option<&'a Pattern> {
    let mut words = Vec::new();
    for (name, value) in &command.assignments {
        words.push(format!("{name}={}", value.text()?));
    }
    words.extend_from_slice(&look.raw[at]);
    // A rule for `cargo test` says nothing of one with another `PATH`.
    (!command.words.is_empty())
        .then(|| look.rules.user.allow.iter().find(|pattern| pattern.matches(&words)))?
}

/// It does nothing itself, and what it starts is looked at.
fn is_harmless(look: &Look<'_>, command: &Command) -> bool {
    if !command.assignments.is_empty() {
        return false;
    }
    let Some(program) = command.words.first().and_then(Word::text) else {
        return !command.redirects.is_empty();
    };
    match (program.as_str(), command.wraps) {
        ("cd", None) => {
            let [to] = command.arguments() else { return false };
            let Some(text) = to.text().filter(|text| text != "-") else { return false };
            // A folder that is called `~` is not the home folder.
            let text = if to.is_home() { text } else { format!("./{text}").replace(".//", "/") };
            let path = look.place.written(command.folder.as_deref(), &text);
            path.is_some_and(|path| below_workspace(look, &path).is_some())
        }
        (program, Some(Wrap::Plain)) => TRANSPARENT.split(' ').any(|known| known == program),
        (program, Some(Wrap::Script)) if SHELLS.contains(&program) => {
            let option = command.arguments().first().and_then(Word::text).unwrap_or_default();
            option.starts_with('-') && option[1..].bytes().all(|letter| b"celux".contains(&letter))
        }
        _ => false,
    }
}

/// It stands word by word in a command that is allowed: `sudo apt update`.
fn is_covered(look: &Look<'_>, at: usize) -> bool {
    let mut at = at;
    // As deep as a text nests; each step leads to an earlier command.
    while let Some(outer) = look.script.commands[at].within {
        let command = &look.script.commands[outer];
        if matches!(command.wraps, Some(Wrap::Rights | Wrap::Elsewhere | Wrap::Runs))
            && named(look, outer, command).is_some()
        {
            return true;
        }
        at = outer;
    }
    false
}

/// Everything it writes is in the workspace, where the links on the way lead, and decides nothing for later.
fn writes_within(look: &Look<'_>, at: usize, command: &Command) -> bool {
    let redirects = command.redirects.iter().all(|redirect| match redirect.kind {
        RedirectKind::Duplicate => true,
        kind if kind.is_output() => redirect.target.text().is_some_and(|path| !is_detour(&path)),
        _ => !redirect
            .target
            .parts()
            .iter()
            .any(|part| matches!(part, Part::Variable { .. } | Part::Output(_) | Part::Given)),
    });
    let writes = writes_of(command);
    let is_odd = |word: &Word| word.text().is_none_or(|text| is_detour(&text));
    if !redirects || writes.len() > MAX_WRITES || command.arguments().iter().any(is_odd) {
        return false;
    }
    if matches!(command.program().as_deref(), Some("ln" | "gln")) && !links_within(look, command, &writes) {
        return false;
    }
    // What a program writes on another machine is no file of this one; a redirection is judged all the same.
    let redirected = command.redirects.iter().filter(|redirect| redirect.kind.is_output()).count();
    let here = if command.is_elsewhere { redirected } else { writes.len() };
    writes.iter().take(here).all(|write| {
        let Some(path) = look.place.written(command.folder.as_deref(), &write.path) else { return false };
        let into = write.name_inside().map(|name| path.join(name));
        std::iter::once(path.clone()).chain(into).all(|path| may_be_written(look, &path))
            || is_named(look, at, &write.path)
    })
}

/// A link to what is outside would be a way out for whatever is written next.
fn links_within(look: &Look<'_>, command: &Command, writes: &[Write]) -> bool {
    let folder = command.folder.as_deref();
    let parsed = Parsed::with(command.arguments(), "-t -S --target-directory --suffix");
    // A symbolic link's words are taken from where it stands.
    let is_symbolic = parsed.letter("s") || parsed.long("--symbolic");
    let mut stands = Vec::new();
    for write in writes.iter().filter(|_| is_symbolic) {
        let path = look.place.written(folder, &write.path);
        let place = write.copy.as_ref().map_or(Place::Itself, |copy| copy.place);
        let beside = path.iter().filter(|_| place != Place::Into).filter_map(|path| path.parent());
        stands.extend(beside.map(Path::to_owned));
        stands.extend(path.filter(|_| place != Place::Itself));
    }
    if !is_symbolic {
        stands.extend(look.place.written(folder, "."));
    }
    let sources = match parsed.operands.split_last() {
        Some((_, sources)) if !sources.is_empty() && !parsed.letter("t") && !parsed.starts("--target") => {
            sources
        }
        _ => &parsed.operands,
    };
    sources.iter().all(|source| {
        let text = source.text().filter(|_| !source.is_home());
        text.is_some_and(|text| stands.iter().all(|at| below_workspace(look, &at.join(&text)).is_some()))
    })
}

/// `/dev/fd/../…`: what begins like a file that keeps nothing, and is another one.
fn is_detour(path: &str) -> bool {
    (path.contains("/dev/") || path.contains("/proc/")) && path.contains("..")
}

/// Below the workspace, by every way its links and `..` can be taken.
fn may_be_written(look: &Look<'_>, path: &Path) -> bool {
    let below = below_workspace(look, path);
    below.is_some_and(|all| {
        let is_sensitive = |part: Component<'_>| {
            SENSITIVE.iter().any(|folder| part.as_os_str().eq_ignore_ascii_case(folder))
        };
        all.iter().all(|below| !below.as_os_str().is_empty() && !below.components().any(is_sensitive))
    })
}

/// What is behind the workspace in the places a path leads to. `None`: one of them is outside, or nobody knows.
fn below_workspace(look: &Look<'_>, path: &Path) -> Option<Vec<PathBuf>> {
    let workspace = real_path(None, &look.place.workspace).ok()?.path;
    let below = |real: Real| real.path.strip_prefix(&workspace).ok().map(Path::to_owned);
    real_paths(None, path, Last::Followed).ok()?.into_iter().map(below).collect()
}

/// A rule that allows it, or what starts it, names the place itself: `rm -rf ~/scratch/*`.
fn is_named(look: &Look<'_>, at: usize, written: &str) -> bool {
    let is_straight = !Path::new(written).components().any(|part| part == Component::ParentDir);
    let mut next = Some(at);
    while let Some(at) = next.filter(|_| is_straight) {
        let mut rules = look.rules.user.allow.iter().filter(|pattern| pattern.matches(&look.raw[at]));
        if rules.any(|pattern| pattern.names(written)) {
            return true;
        }
        next = look.script.commands[at].within;
    }
    false
}
