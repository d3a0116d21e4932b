//! What a command does to our own files beside writing them by name: reading what lets it speak as the person, ending the
//! daemon by its number, and whatever a text of another language says about them.

use std::path::{Path, PathBuf};

use super::command::{Judging, at_home, start};
use super::own;
use super::real::{self, Last, Real};
use super::{FOLDER, From, Judgment, reads};
use crate::foreign;
use crate::shell::{Command, Part, Script, Word};

/// They look at names, not at what is in a file, or change it and are judged by that.
const NAMES: &str = "ls dir stat test [ [[ file du echo printf cd pushd mkdir touch rm rmdir find gfind fd fdfind tree basename \
    dirname realpath readlink which type throughline throughline-hook export chmod chown unlink true : local declare readonly";
/// They take a folder with everything in it.
const WHOLE: &str = "tar bsdtar gtar zip 7z cp gcp rsync scp rclone grep egrep fgrep rg ag ack cat xargs python python3 node \
    perl ruby php restic borg git mv ditto cpio pax";
const ENDS: &str = "the daemon runs under this number, and guards, memory and rules go with it";
/// Words of a command that are looked at; the longest a person writes have fewer.
const MAX_WORDS: usize = 2000;
/// No system opens a longer path.
const MAX_PATH: usize = 4096;
/// Texts within texts, and how many of one text are read as commands.
const MAX_DEPTH: usize = 3;
const MAX_INNER: usize = 64;

/// The command behind what the hook knows of the shell it runs in: a shell would take these names from there.
pub(super) fn with_surroundings(from: &From<'_>, command: &str) -> String {
    let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"));
    let home = from.data.and_then(Path::parent);
    let named =
        [("THROUGHLINE_HOME", home), ("CLAUDE_PROJECT_DIR", from.project), ("CLAUDE_CONFIG_DIR", from.agent)];
    let sets = named.iter().filter(|(name, _)| command.contains(name));
    let sets: Vec<String> =
        sets.filter_map(|(name, path)| path.map(|path| format!("{name}={}", quoted(path)))).collect();
    if sets.is_empty() { command.to_owned() } else { format!("{}\n{command}", sets.join(" ")) }
}

pub(super) fn judge(all: &mut Judging<'_>, script: &Script) -> Vec<Judgment> {
    let mut found = Vec::new();
    for (at, command) in script.commands.iter().enumerate() {
        let program = command.program().unwrap_or_default().to_ascii_lowercase();
        let reads = !is_listed(NAMES, &program);
        if reads {
            found.extend(read(all, script, at, &program));
        }
        if !command.is_elsewhere {
            found.extend(ended(all, script, command, &program));
            found.extend(foreign(all, script, at));
        }
    }
    found
}

fn is_listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}

fn read(all: &mut Judging<'_>, script: &Script, at: usize, program: &str) -> Option<Judgment> {
    let command = &script.commands[at];
    let inputs = command
        .redirects
        .iter()
        .filter(|redirect| redirect.kind.is_input() && !redirect.target.shape().contains('\n'));
    let own = command.arguments().iter().chain(inputs.map(|redirect| &redirect.target));
    let own = own.map(|word| (command, word));
    // What another program says, it says of what it was given.
    let is_given = command.words.iter().any(|word| word.parts().contains(&Part::Given));
    let feeds = script.upstream(at).into_iter().chain(command.within).filter(|_| is_given);
    let feeds = feeds.map(|at| &script.commands[at]);
    let fed = feeds.flat_map(|command| command.arguments().iter().map(move |word| (command, word)));
    let takes_whole = is_listed(WHOLE, program) || is_given;
    let words: Vec<(&Command, &Word)> = own.chain(fed).take(MAX_WORDS).collect();
    // `tar -C folder name`: the words behind it are in there.
    let changes_folder = matches!(program, "tar" | "bsdtar" | "gtar");
    let (mut within, mut enters) = (None, false);
    for (command, word) in words {
        let text = word.shape();
        if changes_folder && (enters || text.starts_with("--directory=")) {
            within = Some(text.trim_start_matches("--directory=").to_owned());
            enters = false;
            continue;
        }
        enters = matches!(text.as_str(), "-C" | "--directory");
        if let Some(judgment) = read_word(all, command, word, within.as_deref(), takes_whole) {
            return Some(judgment);
        }
    }
    None
}

fn read_word(
    all: &mut Judging<'_>,
    command: &Command,
    word: &Word,
    within: Option<&str>,
    takes_whole: bool,
) -> Option<Judgment> {
    let shape = word.shape();
    // `file=@path;type=x`, `--data=@path`, `if=path`, `host:path`: the path is between two of these signs.
    let mut pieces: Vec<&str> = vec![&shape];
    if shape.contains(['@', '=', ':', ';', ',']) {
        pieces.extend(shape.split(['@', '=', ':', ';', ',']).filter(|piece| piece.contains(['/', '~', '.'])));
    }
    let folder = within.map(str::to_owned).or_else(|| command.folder.as_deref().map(Word::shape));
    for piece in pieces.into_iter().filter(|piece| !piece.is_empty() && !piece.contains('\n')) {
        let parts: Vec<&str> = piece.split('/').filter(|part| !part.is_empty()).collect();
        if own::names_secret(&parts) {
            return Some(reads::question(&Real { path: PathBuf::from(piece), folds: false }));
        }
        // Most words of most commands name nothing of ours: not even the disk is asked.
        if !may_be_ours(all, piece, folder.as_deref()) {
            continue;
        }
        let at = start(all.from.cwd, folder.as_deref(), all.from.home);
        let pattern = piece.contains(['*', '?', '[']).then_some(piece);
        for path in all.expanded(at.as_deref(), piece, pattern) {
            let from = From { at: at.as_deref().or(all.from.at), links: &all.links, ..all.from };
            let judged = if takes_whole {
                reads::judge_whole(&from, &path, all.rooms)
            } else {
                reads::judge(&from, &path)
            };
            if judged.is_some() {
                return judged;
            }
        }
    }
    None
}

/// Whether a word can lead to our data at all: it is a path, a pattern, or stands where our files do.
fn may_be_ours(all: &Judging<'_>, piece: &str, folder: Option<&str>) -> bool {
    if all.from.data.is_none() {
        return false;
    }
    let in_ours = || {
        let at = start(all.from.cwd, folder, all.from.home);
        let real = at.and_then(|at| real::all_with(&all.links, None, &at, Last::Followed).ok());
        real.is_some_and(|places| places.iter().any(|real| own::is_room(real, all.rooms)))
    };
    piece.contains(['/', '~', '*', '?', '[']) || !all.links.is_empty() || piece.starts_with('.') || in_ours()
}

/// `kill 4711`, where that is the daemon; `kill $(cat …/daemon.pid)` is a rule of the commands.
fn ended(all: &Judging<'_>, script: &Script, command: &Command, program: &str) -> Option<Judgment> {
    if !matches!(program, "kill" | "xargs")
        || !script.commands.iter().any(|command| command.program().as_deref() == Some("kill"))
    {
        return None;
    }
    let number = own::daemon(&all.from)?;
    let is_it = |word: &Word| word.text().is_some_and(|text| text.trim_start_matches('-') == number);
    let file = all.from.data?.join("run/daemon.pid");
    let judgment = || own::question(&Real { path: file, folds: false }, ENDS);
    command.arguments().iter().any(is_it).then(judgment)
}

/// A text of another language that names one of our files and changes something.
fn foreign(all: &mut Judging<'_>, script: &Script, at: usize) -> Option<Judgment> {
    let texts = foreign::texts(script, at)?;
    let folder = script.commands[at].folder.as_deref().map(Word::shape);
    let begin = start(all.from.cwd, folder.as_deref(), all.from.home);
    let changes = texts.iter().any(|text| foreign::changes(text));
    for text in &texts {
        let mut paths = foreign::paths(text);
        // The word itself may be the file: `sqlite3 derived.db 'delete …'`.
        paths.push(text.clone());
        let is_path = |path: &String| !path.contains('\n') && path.len() < MAX_PATH;
        for path in paths.into_iter().filter(is_path).take(MAX_WORDS) {
            let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
            let real = Real { path: PathBuf::from(&path), folds: false };
            if own::names_secret(&parts) {
                return Some(reads::question(&real));
            }
            let ends = parts.last() == Some(&"daemon.pid") && texts.iter().any(|text| text.contains("kill"));
            if ends {
                return Some(own::question(&real, ENDS));
            }
            let is_home = matches!(parts.as_slice(), [FOLDER]);
            if changes && !is_home && parts.len() > 1 && own::by_name(&parts, false).is_some() {
                return Some(own::question(&real, own::SWITCH));
            }
            let from = From { at: begin.as_deref().or(all.from.at), links: &all.links, ..all.from };
            let place = at_home(&path, all.from.home);
            if let Some(judgment) = reads::judge(&from, &place) {
                return Some(judgment);
            }
            let places = real::all_with(from.links, from.start(), &place, Last::Followed).unwrap_or_default();
            if let Some(real) = places.iter().find(|real| changes && own::is_ours(real, all.rooms)) {
                return Some(own::question(real, own::SWITCH));
            }
        }
        // `system("… > file")`: a command within the text.
        let inner = foreign::commands(text).into_iter().filter(|_| changes && all.depth < MAX_DEPTH);
        for command in inner.filter(|inner| inner.contains(' ') && inner.len() < MAX_PATH).take(MAX_INNER) {
            let from = From { cwd: begin.as_deref().or(all.from.cwd), links: &all.links, ..all.from };
            let judged = super::command::judge_nested(&from, &command, all.depth + 1);
            if let Some(judgment) = judged.filter(|held| held.is_read || held.why == own::SWITCH) {
                return Some(judgment);
            }
        }
    }
    None
}
