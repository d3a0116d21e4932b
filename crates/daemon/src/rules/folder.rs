//! The folder of rules as it lies on the disk. No link is followed: what runs is what lies in the data folder.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine::rules::{Kind, PROGRAM, PROMPT_FILE, RULE_FILE, Rule, RuleError, Template};
use rustix::fs::{Mode, OFlags};

/// More is a program of its own.
const MAX_RULES: usize = 64;
/// Entries that are looked at before that is clear.
const MAX_ENTRIES: usize = 1000;
/// Of one of their texts; a longer one is no page.
const MAX_FILE: u64 = 64 << 10;

/// What tells one state of a file from another without reading it.
pub(super) type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

/// A rule's folder, and what is in it or what is wrong with it.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub name: String,
    pub folder: PathBuf,
    pub rule: Result<Rule, RuleError>,
    /// A prompt rule's question.
    pub question: Option<Template>,
    pub(super) stamps: Vec<Option<Stamp>>,
}

/// All rules in the order of their names. An error: the folder itself is not to be used. No folder is no rules.
pub fn load(folder: &Path) -> Result<Vec<Loaded>, RuleError> {
    let about = match fs::symlink_metadata(folder) {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RuleError(format!("{}: {error}", folder.display()))),
    };
    if let Some(trouble) = trouble_with_folder(&about) {
        return Err(RuleError(format!("{} {trouble}", folder.display())));
    }
    let entries =
        fs::read_dir(folder).map_err(|error| RuleError(format!("{}: {error}", folder.display())))?;
    let mut names: Vec<String> = entries
        .take(MAX_ENTRIES)
        .filter_map(|entry| {
            let entry = entry.ok().filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_file()))?;
            entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))
        })
        .collect();
    names.sort_unstable();
    names.truncate(MAX_RULES);
    Ok(names.into_iter().map(|name| Loaded::read(folder, name)).collect())
}

impl Loaded {
    fn read(folder: &Path, name: String) -> Self {
        let folder = folder.join(&name);
        // Taken before the files are read: what changes meanwhile is read again.
        let stamps = stamps(&folder);
        let mut question = None;
        let rule = sound(&folder, &name, &mut question);
        Self { name, folder, rule, question, stamps }
    }

    pub(super) fn is_current(&self) -> bool {
        stamps(&self.folder) == self.stamps
    }
}

fn sound(folder: &Path, name: &str, question: &mut Option<Template>) -> Result<Rule, RuleError> {
    let about = fs::symlink_metadata(folder).map_err(|error| RuleError(error.to_string()))?;
    if let Some(trouble) = trouble_with_folder(&about) {
        return Err(RuleError(format!("its folder {trouble}")));
    }
    let rule = Rule::read(name, &page(folder, RULE_FILE)?)?;
    match rule.kind {
        Kind::Prompt(_) => *question = Some(Template::read(&page(folder, PROMPT_FILE)?)?),
        Kind::Command => {
            let about = fs::symlink_metadata(folder.join(PROGRAM));
            let about = about.map_err(|error| RuleError(format!("{PROGRAM}: {error}")))?;
            if !about.is_file() {
                return Err(RuleError(format!("{PROGRAM} is no file, or a link to one")));
            }
            if about.mode() & 0o100 == 0 {
                let path = folder.join(PROGRAM);
                return Err(RuleError(format!(
                    "{PROGRAM} may not be executed: `chmod u+x '{}'`",
                    path.display()
                )));
            }
        }
    }
    Ok(rule)
}

fn trouble_with_folder(about: &Metadata) -> Option<&'static str> {
    if !about.is_dir() {
        return Some("is no folder, or a link to one");
    }
    let is_own = about.uid() == rustix::process::geteuid().as_raw();
    (!is_own).then_some("belongs to somebody else")
}

fn page(folder: &Path, name: &str) -> Result<String, RuleError> {
    let wrong = |what: &dyn std::fmt::Display| RuleError(format!("{name}: {what}"));
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = rustix::fs::open(folder.join(name), flags, Mode::empty()).map_err(|error| wrong(&error))?;
    let file = File::from(file);
    if !file.metadata().is_ok_and(|about| about.is_file() && about.len() <= MAX_FILE) {
        return Err(wrong(&format_args!("no file of at most {MAX_FILE} bytes")));
    }
    let mut text = String::new();
    file.take(MAX_FILE).read_to_string(&mut text).map_err(|error| wrong(&error))?;
    Ok(text)
}

/// Of everything in a rule's folder that matters. An editor's own files beside it come and go.
fn stamps(folder: &Path) -> Vec<Option<Stamp>> {
    [RULE_FILE, PROGRAM, PROMPT_FILE].iter().map(|name| stamp(&folder.join(name))).collect()
}

pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let about = fs::symlink_metadata(path).ok()?;
    let (modified, changed) = ((about.mtime(), about.mtime_nsec()), (about.ctime(), about.ctime_nsec()));
    Some((about.dev(), about.ino(), about.size(), modified, changed))
}
