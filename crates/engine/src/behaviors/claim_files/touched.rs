//! Which files an event is about. When it happens the disk is asked, and what it says goes into the journal with the
//! event; when it is learned again, years later perhaps, it is not asked.

use std::path::{Path, PathBuf};

use guard::shell::{Copy, How, Place, Write, writes};
use model::{Detail, Event, EventKind};

use crate::paths::without_detours;

/// The tools that change one file.
const EDITORS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];
const COMMAND: &str = "Bash";
const READER: &str = "Read";
/// Where the files stand in what is kept with an event, a line each.
const KEY: &str = "files";
/// Files of one command; one that writes more is no work on a file.
const MAX_FILES: usize = 16;

/// The files an event's tool changes: absolute, links resolved as the disk said then.
pub(crate) fn changed(event: &Event) -> Vec<String> {
    let Detail::Tool(call) = &event.detail else { return Vec::new() };
    if call.name == READER { Vec::new() } else { files(event) }
}

/// The file an event's tool has read.
pub(super) fn read(event: &Event) -> Option<String> {
    let Detail::Tool(call) = &event.detail else { return None };
    if call.name == READER { files(event).into_iter().next() } else { None }
}

/// Whether a command changes them, which tells nobody where.
pub(crate) fn is_command(event: &Event) -> bool {
    matches!(&event.detail, Detail::Tool(call) if call.name == COMMAND)
}

/// Whether others should hear of this event at once.
pub fn is_claiming(event: &Event) -> bool {
    matches!(event.kind, EventKind::PreToolUse | EventKind::PostToolUse) && !changed(event).is_empty()
}

/// What is kept with an event so that its files are known for good; `None` where its own words say it all.
pub fn files_on_disk(event: &Event, root: Option<&str>) -> Option<(&'static str, String)> {
    if !matches!(event.kind, EventKind::PreToolUse | EventKind::PostToolUse | EventKind::PostToolUseFailure) {
        return None;
    }
    let Detail::Tool(call) = &event.detail else { return None };
    let cwd = event.cwd.as_deref().map(Path::new);
    let found = if call.name == COMMAND {
        let writes = commanded(event);
        let written = writes.iter().flat_map(|write| places(cwd, write, &|path| path.is_dir()));
        let real = written.filter_map(|path| real_path(None, &path));
        within(real.collect(), root)
    } else {
        named(event).and_then(|path| real_path(cwd, &path)).into_iter().collect()
    };
    let found: Vec<String> = found.into_iter().filter(|path| !path.contains('\n')).collect();
    (!found.is_empty() && found != by_name(event, root)).then(|| (KEY, found.join("\n")))
}

/// A path as claims know it: absolute, `.` and `..` resolved by name. Links are not followed.
pub fn claimed_path(cwd: Option<&Path>, path: &str) -> Option<String> {
    let whole = cwd.map_or_else(|| PathBuf::from(path), |cwd| cwd.join(path));
    if path.is_empty() || !whole.is_absolute() {
        return None;
    }
    without_detours(&whole).into_os_string().into_string().ok()
}

/// The same as the disk has it now: where links lead. What does not exist is where it would be made.
pub fn real_path(cwd: Option<&Path>, path: &str) -> Option<String> {
    let by_name = claimed_path(cwd, path)?;
    match guard::scope::real_path(None, Path::new(&by_name)) {
        Ok(real) => real.path.into_os_string().into_string().ok(),
        Err(_) => Some(by_name),
    }
}

fn files(event: &Event) -> Vec<String> {
    match event.context.get(KEY) {
        Some(files) => files.lines().map(str::to_owned).collect(),
        None => by_name(event, event.context.get("root").map(String::as_str)),
    }
}

fn by_name(event: &Event, root: Option<&str>) -> Vec<String> {
    let cwd = event.cwd.as_deref().map(Path::new);
    if let Some(path) = named(event) {
        return claimed_path(cwd, &path).into_iter().collect();
    }
    let written = commanded(event).iter().flat_map(|write| places(cwd, write, &|_| false)).collect();
    within(written, root)
}

fn named(event: &Event) -> Option<String> {
    let Detail::Tool(call) = &event.detail else { return None };
    if !EDITORS.contains(&call.name.as_str()) && call.name != READER {
        return None;
    }
    let path = ["file_path", "notebook_path"].iter().find_map(|key| call.input.get(*key)?.as_str())?;
    Some(path.to_owned())
}

/// What a command writes, as far as its text tells.
fn commanded(event: &Event) -> Vec<Write> {
    let Detail::Tool(call) = &event.detail else { return Vec::new() };
    let command = call.input.get("command").and_then(serde_json::Value::as_str);
    let Some(command) = command.filter(|_| call.name == COMMAND) else { return Vec::new() };
    let mut all = writes(command).all;
    all.retain(|write| {
        let is_one =
            matches!(write.how, How::Write | How::Append | How::Edit | How::Move | How::Delete | How::Tree);
        // What a search finds, or git takes for a branch, is not named.
        is_one && write.found.is_none() && !write.if_there
    });
    all
}

/// One that only a shell could name, or in a folder only it knows, is nobody's.
fn places(cwd: Option<&Path>, write: &Write, is_folder: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let unknown = |text: &str| text.contains('*') || text.starts_with('~');
    let folder = write.folder.as_deref().unwrap_or_default();
    let Some(cwd) = cwd.filter(|_| !unknown(&write.path) && !unknown(folder)) else { return Vec::new() };
    let whole = cwd.join(folder).join(&write.path);
    let goes_into = |copy: &Copy| match copy.place {
        Place::Into => true,
        Place::IfFolder => write.path.ends_with('/') || is_folder(&whole),
        Place::Itself => false,
    };
    let place: PathBuf = match &write.copy {
        Some(copy) if goes_into(copy) => {
            let name = Path::new(&copy.source).file_name().filter(|_| !unknown(&copy.source));
            let Some(name) = name.filter(|_| !copy.is_content) else { return Vec::new() };
            whole.join(name)
        }
        None if write.how == How::Tree && is_folder(&whole) => return Vec::new(),
        _ => whole,
    };
    place.to_str().and_then(|path| claimed_path(None, path)).into_iter().collect()
}

/// Of what commands write only the work tree's own files are somebody's work.
fn within(mut paths: Vec<String>, root: Option<&str>) -> Vec<String> {
    let Some(root) = root.map(Path::new) else { return Vec::new() };
    paths.retain(|path| {
        let inside = Path::new(path).strip_prefix(root);
        inside.is_ok_and(|inside| !inside.as_os_str().is_empty() && !inside.starts_with(".git"))
    });
    paths.sort_unstable();
    paths.dedup();
    paths.truncate(MAX_FILES);
    paths
}

#[cfg(test)]
mod tests {
    use model::{Outcome, ToolCall};
    use serde_json::{Value, json};

    use super::*;
    use crate::behaviors::tests::event;

    fn call(name: &str, cwd: &Path, input: Value) -> Event {
        let call = ToolCall { name: name.into(), use_id: None, input, outcome: Outcome::Pending };
        let mut event = event(EventKind::PreToolUse, Detail::Tool(call));
        event.cwd = cwd.to_str().map(str::to_owned);
        event
    }

    #[test]
    fn paths_are_the_same_however_they_are_written() {
        let cwd = Some(Path::new("/w/a"));
        for (written, path) in [
            ("x.rs", "/w/a/x.rs"),
            ("./x.rs", "/w/a/x.rs"),
            ("../b//x.rs", "/w/b/x.rs"),
            ("/w/./b/../x.rs", "/w/x.rs"),
            ("/../x.rs", "/x.rs"),
        ] {
            assert_eq!(claimed_path(cwd, written).as_deref(), Some(path), "{written}");
        }
        assert_eq!(claimed_path(None, "x.rs"), None);
        assert_eq!(claimed_path(cwd, ""), None);
    }

    #[test]
    fn a_command_changes_what_its_text_says_inside_the_work_tree() {
        let check = |command: &str, expected: &[&str]| {
            let mut event = call("Bash", Path::new("/w/src"), json!({ "command": command }));
            event.context.insert("root".into(), "/w".into());
            assert_eq!(changed(&event), expected, "{command}");
        };
        check("sed -i s/a/b/ a.rs ../b.rs", &["/w/b.rs", "/w/src/a.rs"]);
        check("echo x > out.txt && cd .. && cat y >> notes.md", &["/w/notes.md", "/w/src/out.txt"]);
        check("mv a.rs b.rs", &["/w/src/a.rs", "/w/src/b.rs"]);
        check("cargo build > /tmp/log 2>/dev/null", &[]);
        check("git commit -qm x; rm -rf target; ls", &[]);
        check("rm *.rs ~/x; echo > ../.git/config", &[]);
    }

    #[test]
    fn the_disk_says_which_file_it_is_and_the_journal_keeps_that() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/a.rs"), "x").unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        let real = root.join("real/a.rs").to_str().unwrap().to_owned();
        let mut event = call("Edit", &root, json!({ "file_path": "link/a.rs" }));
        let (key, files) = files_on_disk(&event, root.to_str()).unwrap();
        assert_eq!(files, real);
        event.context.insert(key.into(), files);
        std::fs::remove_file(root.join("link")).unwrap();
        assert_eq!(changed(&event), std::slice::from_ref(&real), "whatever the disk says later");
        let plain = call("Edit", &root, json!({ "file_path": "real/a.rs" }));
        assert_eq!(files_on_disk(&plain, root.to_str()), None, "its own words say it");
        let copy = call("Bash", &root, json!({ "command": "cp other/a.rs real" }));
        assert_eq!(files_on_disk(&copy, root.to_str()).unwrap().1, real);
    }
}
