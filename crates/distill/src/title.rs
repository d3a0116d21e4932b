//! What a piece of work is called and of which kind it is: the subject of its commit, the item it was on the list,
//! what was said of it, and else the shape of the patch. A count of files is no title.

use model::MemoryKind;

use crate::answer;
use crate::command::Purpose;
use crate::patch::{Area, Edit, is_import};
use crate::prose::{self, Intent};
use crate::scene::{MAX_TITLE_BYTES, Scene, short_test};
use crate::state::OpenFailure;
use crate::step::{Act, Commit};
use crate::text::{clip, file_name, has_word, listed};
use crate::work::Piece;
use crate::worth::is_review_finding;
use crate::write::looks_like_file;

pub(crate) fn fix_title(
    scene: &Scene<'_>,
    piece: &Piece,
    failure: &OpenFailure,
    commit: Option<&Commit>,
    said: Option<&str>,
) -> String {
    let fault = &failure.fault;
    let file = scene
        .edits(piece)
        .find(|edit| fault.file().is_some_and(|place| file_name(place) == file_name(&edit.file)))
        .or_else(|| scene.edits(piece).find(|edit| edit.area() == Area::Code))
        .or_else(|| scene.edits(piece).next())
        .map_or("", |edit| file_name(&edit.file));
    let code = fault.code.as_deref().filter(|code| code.len() < 32);
    let named = |text: &str| {
        code.is_some_and(|code| has_word(text, code)) || (!file.is_empty() && text.contains(file))
    };
    if let Some(commit) = commit {
        let subject = subject(&commit.subject).1;
        return match code {
            Some(code) if !has_word(subject, code) => {
                format!("{} ({code} in {file})", crate::text::capitalized(&clip(subject, 100)))
            }
            _ => crate::text::capitalized(subject),
        };
    }
    let head = match (code, failure.failing.first()) {
        (Some(code), _) if fault.compile => format!("Fix {code} in {file}"),
        (_, Some(test)) => format!("Fix {}", clip(short_test(test), 60)),
        (Some(code), None) => format!("Fix {code} in {file}"),
        (None, None) if fault.rank == 0 => format!("Fix `{}`", prose::cut(&failure.shown, 50)),
        (None, None) => format!("Fix \"{}\"", prose::cut(&fault.message, 60)),
    };
    if let Some(said) = said {
        let title = prose::as_title(said, 110);
        if title.to_ascii_lowercase().starts_with("fix") {
            let test = failure.failing.first().map_or("", |name| short_test(name));
            let adds = !test.is_empty() && !title.contains(test) && title.len() + test.len() < 116;
            return if adds && !named(&title) { format!("{title} ({test})") } else { title };
        }
        // What the head leaves of a title: it is cut once, where a clause ends.
        let room = MAX_TITLE_BYTES.saturating_sub(head.len() + 2).min(88);
        return format!("{head}: {}", lowered(&prose::as_title(said, room)));
    }
    // Where a definition is known, it says more than the file alone.
    let head = head.strip_suffix(&format!(" in {file}")).unwrap_or(&head);
    match place(scene, piece) {
        Some(place) => format!("{head} in {place}"),
        None => head.to_owned(),
    }
}

/// Where a repair was made: a definition and its file, else the file.
fn place(scene: &Scene<'_>, piece: &Piece) -> Option<String> {
    let edits = || scene.edits(piece);
    let code = edits().find(|edit| edit.area() == Area::Code && !edit.inside.is_empty());
    let edit = code.or_else(|| edits().find(|edit| edit.area() == Area::Code)).or_else(|| edits().next())?;
    let name = edit.inside.first().or_else(|| edit.defines.first());
    Some(name.map_or_else(
        || file_name(&edit.file).to_owned(),
        |name| format!("{name} ({})", file_name(&edit.file)),
    ))
}

pub(crate) fn conflict_title(scene: &Scene<'_>, piece: &Piece, failure: &OpenFailure) -> String {
    let mut files: Vec<&str> = scene.edits(piece).map(|edit| file_name(&edit.file)).collect();
    files.sort_unstable();
    files.dedup();
    format!("Resolve the conflict of `{}` in {}", clip(&failure.shown, 60), listed(&files, 2))
}

/// A clause after a colon begins small, unless it begins with a name.
fn lowered(text: &str) -> String {
    let word = text.split(char::is_whitespace).next().unwrap_or("");
    let mut chars = text.chars();
    match chars.next() {
        Some(first)
            if first.is_uppercase() && word.chars().skip(1).all(char::is_lowercase) && word.len() > 1 =>
        {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// In this order: the commit, the item on the list of work, what was said of it, what was asked for, the patch.
pub(crate) fn built_title(
    scene: &Scene<'_>,
    piece: &Piece,
    commit: Option<&Commit>,
    lead: Option<&str>,
    said: Option<&(u32, usize, String)>,
) -> String {
    let shared = scene.sorted.pieces.iter().filter(|other| other.commit == piece.commit).count() > 1;
    if let Some(commit) = commit.filter(|_| !shared || piece.hints.is_empty()) {
        return crate::text::capitalized(subject(&commit.subject).1);
    }
    let well = |text: &str| {
        Some(prose::as_title(text, 120))
            .filter(|title| prose::reads_well(title) && !answer::is_receipt(title))
    };
    // One sentence that names what was touched says it better than the patch.
    let told = said.filter(|(score, ..)| *score >= 3 || (*score > 0 && scene.sorted.pieces.len() == 1));
    let told = told.map(|(_, _, sentence)| sentence.as_str());
    // Of one piece of work the conclusion speaks; of several, each item of the list does.
    let alone = scene.sorted.pieces.len() == 1;
    if let Some(title) = lead.filter(|_| alone).and_then(well) {
        return title;
    }
    if let Some((_, item)) = piece.hints.first() {
        let title = prose::as_title(item, 110);
        if scene.relation(&title, piece) > 0 {
            return title;
        }
        // "Add tests" is no title until it says of what.
        let mut files: Vec<&str> = scene.edits(piece).map(|edit| file_name(&edit.file)).collect();
        files.dedup();
        return format!("{} ({})", prose::cut(&title, 80), listed(&files, 2));
    }
    if let Some(title) = told.or(lead).and_then(well) {
        return title;
    }
    let shape = shape_title(scene, piece);
    match asked_title(scene, piece) {
        // Of several pieces of work each says what it was.
        Some(request) if scene.sorted.pieces.len() > 1 => {
            let place = place(scene, piece).unwrap_or_default();
            if shape.starts_with("Add ") || place.is_empty() { shape } else { format!("{request}: {place}") }
        }
        Some(request) => request,
        None => shape,
    }
}

/// What was asked for, where a person heard it and it asks for work.
pub(crate) fn asked_title(scene: &Scene<'_>, piece: &Piece) -> Option<String> {
    scene.request.event?;
    if is_review_finding(&scene.request.text) {
        return None;
    }
    let max = if scene.sorted.pieces.len() > 1 { 70 } else { 110 };
    (!piece.edits.is_empty()).then(|| prose::request_title(&scene.request.text, max)).flatten()
}

fn folder(file: &str) -> &str {
    file.rfind('/').map_or("", |end| &file[..end])
}

/// Constants last: what does something says more.
fn leading(names: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_by_key(|name| !name.chars().any(char::is_lowercase));
    names
}

/// The rename that a piece of work consists of, and the files in which it happened.
fn rename<'a>(edits: &[&'a Edit]) -> Option<(&'a str, &'a str, Vec<&'a str>)> {
    let (from, to) = edits.iter().find_map(|edit| edit.renamed.as_ref())?;
    let (mut renamed, mut others): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for edit in edits {
        let same = edit.renamed.as_ref().is_some_and(|(old, new)| (old, new) == (from, to));
        let list = if same { &mut renamed } else { &mut others };
        if !list.contains(&file_name(&edit.file)) {
            list.push(file_name(&edit.file));
        }
    }
    // Beside more of other work, a name that changed is a detail.
    (renamed.len() >= others.len()).then_some((from.as_str(), to.as_str(), renamed))
}

/// A longer path leaves no room for what is in the file.
const LONG_PATH: usize = 48;

/// From the patch alone.
pub(crate) fn shape_title(scene: &Scene<'_>, piece: &Piece) -> String {
    let edits: Vec<&Edit> = scene.edits(piece).collect();
    if let Some((from, to, renamed)) = rename(&edits) {
        return format!("Rename {from} to {to} in {}", listed(&renamed, 2));
    }
    let created: Vec<&str> = edits
        .iter()
        .filter(|edit| edit.created && edit.area() == Area::Code)
        .map(|edit| edit.file.as_str())
        .collect();
    if created.len() > 2 {
        return format!("Add {}", listed(&created, 2));
    }
    if let Some(edit) = edits
        .iter()
        .find(|edit| edit.created && edit.area() == Area::Code)
        .or_else(|| edits.iter().find(|edit| edit.created))
    {
        return if edit.defines.is_empty() {
            format!("Add {}", edit.file)
        } else {
            let file = if edit.file.len() > LONG_PATH { file_name(&edit.file) } else { &edit.file };
            format!("Add {file}: {}", listed(&leading(&edit.defines), 2))
        };
    }
    let defining: Vec<&&Edit> = edits.iter().filter(|edit| !edit.defines.is_empty()).collect();
    if let [first, .., last] = defining.as_slice()
        && defining.len() > 3
        && folder(&first.file) == folder(&last.file)
    {
        let names: Vec<String> = defining.iter().flat_map(|edit| edit.defines.iter().cloned()).collect();
        return format!("Add {} in {}", listed(&leading(&names), 3), folder(&first.file));
    }
    if let Some(edit) =
        edits.iter().max_by_key(|edit| edit.defines.len()).filter(|edit| !edit.defines.is_empty())
    {
        return format!("Add {} to {}", listed(&leading(&edit.defines), 3), file_name(&edit.file));
    }
    let imports =
        |edit: &Edit| edit.after.as_ref().or(edit.before.as_ref()).is_some_and(|line| is_import(line));
    let size = |edit: &&&Edit| (edit.area() == Area::Code, !imports(edit), edit.added + edit.removed);
    if let Some(edit) = edits.iter().max_by_key(size) {
        if imports(edit) && edit.inside.is_empty() {
            return format!("Change the imports of {}", file_name(&edit.file));
        }
        let names: Vec<&str> = edit.inside.iter().map(String::as_str).collect();
        if names.is_empty() {
            // A changed value is the change.
            let value =
                edit.after.as_deref().filter(|line| line.len() <= 60 && edit.added + edit.removed <= 4);
            let named =
                if edit.names.is_empty() { String::new() } else { format!(" ({})", listed(&edit.names, 2)) };
            let value = value.map_or(named, |line| format!(": `{line}`"));
            return format!("Change {}{value}", file_name(&edit.file));
        }
        return format!("Change {} in {}", listed(&names, 3), file_name(&edit.file));
    }
    let run = piece.runs.iter().find_map(|&at| match &scene.steps[at].act {
        Act::Run(run) if matches!(run.command.purpose, Purpose::Package | Purpose::Rewrite) => Some(run),
        _ => None,
    });
    let Some(run) = run else { return String::new() };
    let shown = clip(&run.command.shown, 80);
    if run.command.purpose == Purpose::Package {
        return format!("Install {}: `{shown}`", listed(&run.command.targets, 3));
    }
    // What lies there is gone tomorrow.
    let lasting =
        |file: &&String| looks_like_file(file) && !file.starts_with("/tmp/") && !file.starts_with(".git/");
    let files: Vec<&String> = run.command.targets.iter().filter(lasting).collect();
    if files.is_empty() {
        return String::new();
    }
    format!("Write {} by `{shown}`", listed(&files, 2))
}

/// A commit names one piece of work: of several, the largest that is no repair.
pub(crate) fn own_commit<'a>(scene: &'a Scene<'_>, piece: &'a Piece) -> Option<&'a Commit> {
    let (at, commit) = piece.commit.as_ref()?;
    // That something was merged does not say what was written.
    if !piece.edits.is_empty() && (is_merge(&commit.subject) || says_little(&commit.subject)) {
        return None;
    }
    let sharing = scene
        .sorted
        .pieces
        .iter()
        .filter(|other| other.commit.as_ref().is_some_and(|(other, _)| other == at));
    let rank = |piece: &Piece| {
        (scene.relation(&commit.subject, piece), piece.resolved.is_empty(), piece.edits.len())
    };
    let best = sharing.map(rank).max()?;
    (rank(piece) == best).then_some(commit)
}

/// "wip", "Initial commit", "fix": said of any work.
pub(crate) fn says_little(subject: &str) -> bool {
    const ANY: &[&str] = &[
        "initial", "init", "commit", "wip", "fix", "fixes", "update", "updates", "changes", "test", "tests",
    ];
    /// A word or two of so few letters name no work.
    const SHORT: usize = 21;
    let mut words = subject.split_whitespace();
    let few =
        subject.is_ascii() && subject.len() < SHORT && words.clone().count() < 3 && !subject.contains(": ");
    few || words.all(|word| {
        ANY.iter()
            .any(|any| word.trim_matches(|char: char| !char.is_alphanumeric()).eq_ignore_ascii_case(any))
    })
}

/// `Merge branch 'a'`, `Merge feature/x`, `Merge a into b`; not `Merge the two caches`.
pub(crate) fn is_merge(subject: &str) -> bool {
    const OF: &[&str] = &["branch", "branches", "remote-tracking", "pull", "tag", "commit"];
    let mut words = subject.split_whitespace();
    if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("merge")) {
        return false;
    }
    let (Some(first), second) = (words.next(), words.next()) else { return true };
    OF.contains(&first) || second.is_none() || first.contains('/') || matches!(second, Some("into"))
}

/// Whether a commit's subject says that something new came.
pub(crate) fn adds(commit: &str) -> bool {
    const NEW: &[&str] =
        &["add", "adds", "added", "implement", "implements", "introduce", "create", "support"];
    let (kind, text) = subject(commit);
    let first = text.split_whitespace().next().unwrap_or("").to_lowercase();
    kind == Some(MemoryKind::Feature) || kind.is_none() && NEW.contains(&first.as_str())
}

/// The kind a conventional commit says, and the subject without it.
pub(crate) fn subject(subject: &str) -> (Option<MemoryKind>, &str) {
    let Some((prefix, rest)) = subject.split_once(": ") else { return (None, subject) };
    let word = prefix.split(['(', '!']).next().unwrap_or(prefix);
    let kind = match word {
        "fix" | "hotfix" | "bugfix" => MemoryKind::Bugfix,
        "feat" | "feature" => MemoryKind::Feature,
        "refactor" | "style" => MemoryKind::Refactor,
        "docs" | "chore" | "ci" | "build" | "test" | "tests" | "perf" | "revert" => MemoryKind::Change,
        "security" | "sec" => MemoryKind::Security,
        _ => return (None, subject),
    };
    (Some(kind), rest)
}

pub(crate) fn kind(scene: &Scene<'_>, piece: &Piece, commit: Option<&Commit>) -> MemoryKind {
    if let Some(kind) = commit.and_then(|commit| subject(&commit.subject).0) {
        // What was asked for as a repair and called a change is a repair of code all the same.
        let repairs = kind == MemoryKind::Change
            && scene.intent == Intent::Bug
            && scene.edits(piece).any(|edit| edit.area() == Area::Code);
        return if repairs { MemoryKind::Bugfix } else { kind };
    }
    let edits: Vec<&Edit> = scene.edits(piece).collect();
    let code: Vec<&&Edit> = edits.iter().filter(|edit| edit.area() == Area::Code).collect();
    if code.is_empty() {
        return MemoryKind::Change;
    }
    let intent = match piece.hints.first() {
        Some((_, item)) => match prose::intent(item) {
            Intent::Unknown => scene.intent,
            intent => intent,
        },
        None => scene.intent,
    };
    let defines = code.iter().map(|edit| edit.defines.len()).sum::<usize>();
    let drops: Vec<&String> = code.iter().flat_map(|edit| &edit.drops).collect();
    let moved = code.iter().flat_map(|edit| &edit.defines).filter(|name| drops.contains(name)).count();
    let renames = rename(&edits).is_some();
    let new_tests =
        edits.iter().any(|edit| edit.area() == Area::Test && (edit.created || !edit.defines.is_empty()));
    // The shape of the patch decides between what was asked for and what was done.
    if (moved > 0 && moved * 2 >= defines || renames && defines <= drops.len()) && !new_tests {
        return MemoryKind::Refactor;
    }
    match intent {
        Intent::Bug => MemoryKind::Bugfix,
        Intent::Refactor if !new_tests => MemoryKind::Refactor,
        _ if code.iter().any(|edit| edit.created) || defines > 0 => MemoryKind::Feature,
        _ => MemoryKind::Change,
    }
}
