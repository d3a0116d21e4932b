//! What a shell command writes, held against the scope: names as the shell would find them, copies where they come to lie,
//! folders with what is in them. Looks at names alone and runs nothing; what is more than can be looked at is a question.

use std::fs;
use std::path::{Path, PathBuf};

use super::own::{self, Rooms};
use super::real::{self, Last, Real};
use super::tree::judge_tree;
use super::{From, Judgment, Pattern, Subject, Verdict, found, in_force, judge, judge_last, touched};
use crate::shell::{self, How, Link, Patch, Place, Write};

/// Files of one command that are judged, each in a moment: an agent waits for all of them.
const MAX_FILES: usize = 2000;
/// Names that are read where a shell would look for a pattern, or for what is copied.
const MAX_NAMES: usize = 20_000;

/// What the scope files in force say about the files a command would write, and the strictest of it. `None`: it writes
/// none that its text shows.
pub fn judge_command(from: &From<'_>, command: &str) -> Option<Judgment> {
    judge_nested(from, command, 0)
}

/// The same within a text of another language.
pub(super) fn judge_nested(from: &From<'_>, command: &str, depth: usize) -> Option<Judgment> {
    let rooms = Rooms::of(from);
    let from = &From { rooms: Some(&rooms), ..*from };
    let text = touched::with_surroundings(from, command);
    let script = shell::read(&text);
    let writes = shell::writes_in(&script);
    let mut all = Judging {
        from: *from,
        rooms: &rooms,
        links: from.links.to_vec(),
        depth,
        // What a shell takes for `*`, if it was told so.
        dots: command.contains("dotglob") || command.contains("GLOBIGNORE") || command.contains("globdots"),
        files: MAX_FILES,
        names: MAX_NAMES,
        is_cut: writes.is_cut,
        strictest: None,
    };
    for write in &writes.all {
        all.write(write);
        if all.is_denied() {
            break;
        }
    }
    for patch in &writes.patches {
        all.patch(patch);
    }
    for tail in &writes.tails {
        let parts: Vec<&str> = tail.split('/').filter(|part| !part.is_empty()).collect();
        if own::by_name(&parts, false).is_some() {
            all.keep(own::question(&Real { path: PathBuf::from(tail), folds: false }, own::SWITCH));
        }
    }
    if !all.is_denied() {
        for judgment in touched::judge(&mut all, &script) {
            all.keep(judgment);
        }
    }
    if all.is_cut
        && !all.is_denied()
        && let Some(scope) = in_force(from, None).first()
    {
        let why = "it changes more files than can be looked at one by one, and some may be protected";
        let place = from.start().unwrap_or(Path::new("."));
        let real = super::Real { path: place.to_owned(), folds: false };
        all.keep(scope.verdict(Verdict::Ask, &real, why.to_owned()));
    }
    all.strictest
}

pub(super) struct Judging<'a> {
    pub(super) from: From<'a>,
    pub(super) rooms: &'a Rooms,
    /// Links the command has made so far.
    pub(super) links: Vec<(PathBuf, PathBuf)>,
    /// Texts of other languages around it.
    pub(super) depth: usize,
    dots: bool,
    files: usize,
    names: usize,
    is_cut: bool,
    strictest: Option<Judgment>,
}

impl Judging<'_> {
    fn keep(&mut self, judgment: Judgment) {
        if self.strictest.as_ref().is_none_or(|held| held.verdict < judgment.verdict) {
            self.strictest = Some(judgment);
        }
    }

    fn is_denied(&self) -> bool {
        self.strictest.as_ref().is_some_and(|held| held.verdict == Verdict::Deny)
    }

    /// One more file, if there is room for it.
    pub(super) fn takes(&mut self) -> bool {
        self.is_cut |= self.files == 0;
        let takes = self.files > 0;
        self.files = self.files.saturating_sub(1);
        takes && !self.is_denied()
    }

    fn write(&mut self, write: &Write) {
        let home = self.from.home;
        let start = start(self.from.cwd, write.folder.as_deref(), home);
        let paths = self.expanded(start.as_deref(), &write.path, write.pattern.as_deref());
        for path in paths {
            if !self.takes() {
                return;
            }
            let place = start.as_ref().map_or_else(|| path.clone(), |start| start.join(&path));
            if write.if_there && fs::symlink_metadata(&place).is_err() {
                continue;
            }
            let outer = self.from;
            let links = self.links.clone();
            let from = From { at: start.as_deref().or(outer.at), links: &links, ..outer };
            if let Some(copy) = &write.copy {
                self.copy(&from, &path, copy);
                continue;
            }
            let judgment = match (&write.found, write.how) {
                (Some(search), how) => found::judge_found(&from, &path, search, how),
                (None, How::DeleteTree | How::Move) => judge_tree(&from, &path, Last::Kept),
                (None, How::Tree) => judge_tree(&from, &path, Last::Followed),
                (None, How::Delete) => judge_last(&from, &path, Last::Kept),
                (None, How::Within) => {
                    self.within(&from, &path);
                    continue;
                }
                (None, How::MakeAll) => {
                    self.parents(&from, &path);
                    self.made(&from, &path)
                }
                (None, How::Make) => self.made(&from, &path),
                (None, How::Write | How::Append | How::Edit | How::Mode) => judge(&from, &path),
            };
            self.keep(judgment);
        }
    }

    /// A folder is no switch by itself, except where folders are looked for.
    fn made(&self, from: &From<'_>, path: &Path) -> Judgment {
        let judgment = judge(from, path);
        let real = Real { path: judgment.real_path.clone(), folds: false };
        if judgment.why == own::SWITCH && !own::is_made(&real, self.rooms) {
            return Judgment { verdict: Verdict::Allow, ..judgment };
        }
        judgment
    }

    /// What a patch names, if it can be read now.
    fn patch(&mut self, patch: &Patch) {
        /// Of a patch that people or agents write; more is not read.
        const MAX_PATCH: u64 = 4 << 20;
        let at = start(self.from.cwd, patch.folder.as_deref(), self.from.home);
        let file = at_home(&patch.path, self.from.home);
        let file = at.as_ref().map_or_else(|| file.clone(), |at| at.join(&file));
        let is_small = fs::metadata(&file).is_ok_and(|found| found.is_file() && found.len() <= MAX_PATCH);
        let Some(text) = is_small.then(|| fs::read(&file).ok()).flatten() else { return };
        let links = self.links.clone();
        let from = From { at: at.as_deref().or(self.from.at), links: &links, ..self.from };
        for path in shell::patched_files(&String::from_utf8_lossy(&text), patch.strip) {
            if !self.takes() {
                return;
            }
            let path = patch.below.as_ref().map_or_else(|| path.clone(), |below| format!("{below}/{path}"));
            self.keep(judge(&from, Path::new(&path)));
        }
    }

    /// What is written there later goes where the link leads.
    fn link(&mut self, from: &From<'_>, at: &Path, source: &Path, start: Option<&Path>, link: Link) {
        let Ok(places) = real::all_with(from.links, from.start(), at, Last::Kept) else { return };
        for place in places {
            let leads = match (link, start) {
                (Link::Hard, Some(start)) => start.join(source),
                (Link::Hard, None) | (Link::Symbolic, _) => source.to_owned(),
            };
            self.links.push((place.path, leads));
        }
    }

    /// A link that is moved leads where it led.
    fn moved(&mut self, from: &From<'_>, source: &Path, target: &Path) {
        let real = |path: &Path| real::all_with(from.links, from.start(), path, Last::Kept).ok();
        let (Some(sources), Some(targets)) = (real(source), real(target)) else { return };
        for source in &sources {
            let led =
                self.links.iter().rev().find(|(at, _)| *at == source.path).map(|(_, leads)| leads.clone());
            let led = led.or_else(|| fs::read_link(&source.path).ok());
            let Some(led) = led else { continue };
            let beside = source.path.parent().unwrap_or(Path::new("/"));
            for target in &targets {
                self.links.push((target.path.clone(), beside.join(&led)));
            }
        }
    }

    /// Folders above one that are made with it. What `allow` does not name is no reason: the folder itself was named.
    fn parents(&mut self, from: &From<'_>, path: &Path) {
        for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            let place = from.start().map_or_else(|| above.to_owned(), |start| start.join(above));
            if fs::symlink_metadata(place).is_ok() || !self.takes() {
                return;
            }
            let judgment = judge(from, above);
            if judgment.rule.is_some() {
                self.keep(judgment);
            }
        }
    }

    /// Something in a folder: a new name, or one that is there.
    fn within(&mut self, from: &From<'_>, folder: &Path) {
        let places = real::all_with(from.links, from.start(), folder, Last::Followed).unwrap_or_default();
        if let Some(room) = places.iter().find(|real| own::is_room(real, self.rooms)) {
            self.keep(own::question(room, own::SWITCH));
        }
        self.keep(judge(from, &folder.join("*")));
        let place = from.start().map_or_else(|| folder.to_owned(), |start| start.join(folder));
        for name in self.listed(&place) {
            if !self.takes() {
                return;
            }
            let judgment = judge(from, &folder.join(name));
            // That it is just this one is not known.
            let verdict =
                if judgment.rule.is_some() { judgment.verdict.min(Verdict::Ask) } else { judgment.verdict };
            // A name of its own in a folder that is allowed.
            let is_own = judgment.why == own::SWITCH;
            if !is_own
                && (judgment.verdict != Verdict::Deny
                    || judgment.rule.is_some()
                    || judgment.allowed.is_empty())
            {
                self.keep(Judgment { verdict, ..judgment });
            }
        }
    }

    fn copy(&mut self, from: &From<'_>, path: &Path, copy: &shell::Copy) {
        let start = start(self.from.cwd, copy.folder.as_deref(), self.from.home);
        let at = |path: &Path, start: Option<&Path>| {
            start.map_or_else(|| path.to_owned(), |start| start.join(path))
        };
        let is_folder = at(path, from.start()).is_dir();
        let sources = self.expanded(start.as_deref(), &copy.source, copy.pattern.as_deref());
        for source in sources {
            if !self.takes() {
                return;
            }
            let name = source.file_name().map_or_else(|| "*".into(), ToOwned::to_owned);
            let goes_into = match copy.place {
                Place::Itself => false,
                Place::Into => true,
                Place::IfFolder => is_folder,
            };
            let target = if copy.is_content || !goes_into { path.to_owned() } else { path.join(&name) };
            if let Some(link) = copy.link {
                self.link(from, &target, &source, start.as_deref(), link);
                // `ln -n` puts it in the place of a link to a folder.
                if target != path
                    && fs::symlink_metadata(at(path, from.start())).is_ok_and(|found| found.is_symlink())
                {
                    self.link(from, path, &source, start.as_deref(), link);
                }
            } else if copy.is_tree {
                self.moved(from, &at(&source, start.as_deref()), &target);
            }
            let source = at(&source, start.as_deref());
            let stands = at(&target, from.start()).is_dir();
            if !(copy.is_tree && stands) {
                self.keep(judge(from, &target));
            }
            if !copy.is_tree {
                continue;
            }
            match fs::metadata(&source) {
                Ok(found) if found.is_dir() => self.merge(from, &source, &target),
                Ok(_) if stands => self.keep(judge(from, &target)),
                // It may be there when the command comes to it.
                Err(_) if stands => self.within(from, &target),
                Err(_) if copy.is_content => self.keep(judge(from, &target.join("*"))),
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// Every file of a folder, where it comes to lie below another.
    fn merge(&mut self, from: &From<'_>, source: &Path, target: &Path) {
        let mut ahead = vec![(source.to_owned(), target.to_owned())];
        while let Some((source, target)) = ahead.pop() {
            for name in self.listed(&source) {
                let (source, target) = (source.join(&name), target.join(&name));
                if fs::symlink_metadata(&source).is_ok_and(|found| found.is_dir()) {
                    ahead.push((source, target));
                } else if self.takes() {
                    self.keep(judge(from, &target));
                } else {
                    return;
                }
            }
        }
    }

    /// The names in a folder, as long as there is room for them.
    fn listed(&mut self, folder: &Path) -> Vec<String> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if self.names == 0 {
                self.is_cut = true;
                break;
            }
            self.names -= 1;
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        names
    }

    /// A name that only the shell knows (`*.ts`, `src/*/a`) is what it would find there.
    pub(super) fn expanded(
        &mut self,
        start: Option<&Path>,
        path: &str,
        pattern: Option<&str>,
    ) -> Vec<PathBuf> {
        let home = self.from.home;
        let Some(pattern) = pattern else { return vec![at_home(path, home)] };
        let literal = vec![at_home(path, home)];
        let (mut found, names) = match pattern.split_once('/') {
            Some(("", rest)) => (vec![PathBuf::from("/")], rest),
            Some((begin, rest)) if begin.starts_with('~') => (vec![at_home(begin, home)], rest),
            _ => (vec![PathBuf::new()], pattern),
        };
        let ends_in_slash = names.ends_with('/');
        let mut names = names.split('/').filter(|name| !name.is_empty()).peekable();
        while let Some(name) = names.next() {
            let is_last = names.peek().is_none();
            let Some(plain) = unescaped(name) else {
                // What a shell cannot read as a pattern is a name to it.
                let Ok(pattern) = Pattern::read(name) else { return literal };
                let hidden = self.dots || name.starts_with('.');
                let mut listed = Vec::new();
                for folder in &found {
                    let place = start.map_or_else(|| folder.clone(), |start| start.join(folder));
                    for name in self.listed(&place) {
                        let is_it = (hidden || !name.starts_with('.'))
                            && pattern.names(&Subject::new(Some(&name), &name, false))
                            && (is_last || place.join(&name).is_dir());
                        if is_it {
                            listed.push(folder.join(name));
                        }
                    }
                }
                // What is not there yet has some name in that folder; a shell gives the pattern itself.
                if listed.is_empty() {
                    return if is_last {
                        found.iter().map(|folder| folder.join(last_of(path))).collect()
                    } else {
                        literal
                    };
                }
                found = listed;
                continue;
            };
            for path in &mut found {
                path.push(&plain);
            }
        }
        if ends_in_slash {
            found = found.into_iter().map(|path| path.join("")).collect();
        }
        found
    }
}

fn last_of(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// A name without its escapes; `None`: it is a pattern.
fn unescaped(name: &str) -> Option<String> {
    let mut plain = String::new();
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.extend(letters.next()),
            '*' | '?' | '[' => return None,
            letter => plain.push(letter),
        }
    }
    Some(plain)
}

/// Where a command's relative path begins.
pub(super) fn start(cwd: Option<&Path>, folder: Option<&str>, home: Option<&Path>) -> Option<PathBuf> {
    match folder.map(|folder| at_home(folder, home)) {
        Some(folder) if folder.is_absolute() => Some(folder),
        Some(folder) => cwd.map(|cwd| cwd.join(folder)),
        None => cwd.map(Path::to_owned),
    }
}

/// `~` as a shell means it. Somebody else's home is where homes are.
pub(super) fn at_home(path: &str, home: Option<&Path>) -> PathBuf {
    let Some(rest) = path.strip_prefix('~') else { return PathBuf::from(path) };
    let (name, rest) = rest.split_once('/').map_or((rest, None), |(name, rest)| (name, Some(rest)));
    let place = match (name, home) {
        ("", Some(home)) => home.to_owned(),
        ("", None) => return PathBuf::from(path),
        ("root", _) => PathBuf::from("/root"),
        (name, home) => home.and_then(Path::parent).unwrap_or(Path::new("/home")).join(name),
    };
    rest.map_or_else(|| place.clone(), |rest| place.join(rest.trim_start_matches('/')))
}
