//! The files a command would write, move, delete or change, as far as its text tells. What a program writes of its own
//! accord (a build, a script, an editor) is not known here.

mod edited;
mod fetched;

use std::sync::Arc;

use super::scripts::{self, Input};
use super::search::{self, Search};
use super::unwrap::{find_folders, found_by};
use super::wrappers::lists;
use super::{Command, Part, RedirectKind, Script, Word, read};

/// Words of the longest command a system takes are more; whoever judges is told that there are.
const MAX_WRITES: usize = 4096;

/// The files a command would write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Writes {
    pub all: Vec<Write>,
    /// There are more, or not all of the text was read.
    pub is_cut: bool,
    /// Paths whose beginning only a shell knows, `*` for it: `*/.claude/settings.json`.
    pub tails: Vec<String>,
    /// Files that say which files are written.
    pub patches: Vec<Patch>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// As [`Write::path`] and [`Write::folder`].
    pub path: String,
    pub folder: Option<String>,
    /// Folders that are taken off its names.
    pub strip: usize,
    /// Where its names begin.
    pub below: Option<String>,
}

/// How a copy stays bound to what it was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Its words are taken from where it stands.
    Symbolic,
    /// From where the command runs: a hard link, or a folder that is mounted there.
    Hard,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// As it is written, `~` for the home folder; a file whose name begins with that letter is `./~…`. What only a shell
    /// could know stands as `*`.
    pub path: String,
    /// The same as a pattern, where a shell looks for names: what is no pattern in it is escaped.
    pub pattern: Option<String>,
    /// The folder a relative path begins in, itself relative to where the shell is. `None`: there.
    pub folder: Option<String>,
    pub how: How,
    /// It is made from this.
    pub copy: Option<Copy>,
    /// It is what `find` finds there.
    pub found: Option<Found>,
    /// It may be something else than a path: then it is one only if there is such a file.
    pub if_there: bool,
}

impl Write {
    /// What the copy would be called if the path is a folder.
    pub(crate) fn name_inside(&self) -> Option<&str> {
        let copy = self.copy.as_ref().filter(|copy| copy.place != Place::Itself)?;
        copy.source.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty())
    }
}

/// Where a copy comes from, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// As [`Write::path`], [`Write::pattern`] and [`Write::folder`].
    pub source: String,
    pub pattern: Option<String>,
    pub folder: Option<String>,
    pub place: Place,
    /// With everything in it.
    pub is_tree: bool,
    /// Not the folder, but what is in it: `cp -r a/. b`, `rsync a/ b`.
    pub is_content: bool,
    /// What is written there later is written elsewhere.
    pub link: Option<Link>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The path is the copy.
    Itself,
    /// The path is a folder, and the copy is in it.
    Into,
    /// In it, if it is a folder; else the copy.
    IfFolder,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub search: Arc<Search>,
    /// Nothing between the search and the program takes names out.
    pub is_sure: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Made, or its content replaced.
    Write,
    Append,
    /// Changed in place.
    Edit,
    /// Taken away from there.
    Move,
    Delete,
    /// With everything in it.
    DeleteTree,
    /// A folder.
    Make,
    /// A folder, and those above it that are not there.
    MakeAll,
    /// Its rights or its owner.
    Mode,
    /// A folder with everything in it: its rights, or what a repository has of it.
    Tree,
    /// Something in this folder, and nobody can say what.
    Within,
}

/// The files a command would write.
pub fn writes(command: &str) -> Writes {
    writes_in(&read(command))
}

/// The files a command would write that has been read.
pub(crate) fn writes_in(script: &Script) -> Writes {
    let mut writes = Writes { is_cut: script.is_truncated, ..Writes::default() };
    for (at, command) in script.commands.iter().enumerate().filter(|(_, command)| !command.is_elsewhere) {
        let mut list = List::of(command);
        list.given = given(script, at);
        list.input = Some(scripts::input(script, at));
        list.fill();
        writes.all.append(&mut list.all);
        writes.tails.append(&mut list.tails);
        writes.patches.append(&mut list.patches);
        writes.is_cut |= list.is_cut || writes.all.len() > MAX_WRITES;
        writes.all.truncate(MAX_WRITES);
    }
    writes
}

/// The files one command would write.
pub(crate) fn writes_of(command: &Command) -> Vec<Write> {
    let mut list = List::of(command);
    list.fill();
    list.all
}

/// The words that stand for what a search finds, where it begins, and the search.
fn given(script: &Script, at: usize) -> Vec<(Word, Word, Found)> {
    /// Programs that start programs; a text nests no deeper.
    const HOPS: usize = 16;
    /// They pass on every name they get.
    const PASSING: &str = "find gfind sort cat tee uniq";
    let mut all = Vec::new();
    let mut add = |command: &Command, is_sure: bool| {
        let found = Found { search: Arc::new(Search::of(command.arguments())), is_sure };
        let words = found_by(command).into_iter().zip(find_folders(command));
        all.extend(words.map(|(word, folder)| (word, folder, found.clone())));
    };
    let is_find = |command: &Command| command.program().is_some_and(|name| lists("find gfind", &name));
    let mut outer = script.commands[at].within;
    for _ in 0..HOPS {
        let Some((at, command)) = outer.and_then(|at| Some((at, script.commands.get(at)?))) else { break };
        if is_find(command) {
            add(command, true);
        }
        if command.program().is_some_and(|name| lists("xargs gxargs parallel", &name)) {
            let upstream: Vec<&Command> =
                script.upstream(at).into_iter().map(|at| &script.commands[at]).collect();
            let passes = |command: &&Command| command.program().is_some_and(|name| lists(PASSING, &name));
            let is_sure = upstream.iter().all(passes);
            upstream.into_iter().filter(|command| is_find(command)).for_each(|command| add(command, is_sure));
        }
        outer = command.within;
    }
    all
}

/// A path is in a folder that nobody can name.
struct Somewhere;

struct List<'a> {
    command: &'a Command,
    all: Vec<Write>,
    is_cut: bool,
    given: Vec<(Word, Word, Found)>,
    input: Option<Input>,
    tails: Vec<String>,
    patches: Vec<Patch>,
}

/// A command's options, each with its word, and its other words.
struct Parsed {
    options: Vec<(String, Option<Word>)>,
    operands: Vec<Word>,
}

impl Parsed {
    fn of(words: &[Word], with_word: &str) -> Self {
        let (mut options, mut operands, mut at) = (Vec::new(), Vec::new(), 0);
        while let Some(word) = words.get(at) {
            at += 1;
            let text = word.prefix();
            if text == "--" {
                operands.extend_from_slice(&words[at..]);
                break;
            }
            if text.len() < 2 || !text.starts_with('-') || word.is_home() {
                operands.push(word.clone());
            } else if let Some((name, _)) = text.split_once('=').filter(|_| text.starts_with("--")) {
                options.push((name.to_owned(), Some(behind(word, name.len() + 1))));
            } else if text.starts_with("--") && lists(with_word, &text) {
                options.push((text, words.get(at).cloned()));
                at += 1;
            } else if let Some((letter, place)) = letter_with_word(&text, with_word) {
                // `-qO-`, `-ofile`, `-fo file`: the rest is its word, or the next one.
                if place > 1 {
                    options.push((text[..place].to_owned(), None));
                }
                let is_last = place + 1 == text.len() && word.parts().len() == 1;
                let value = if is_last { words.get(at).cloned() } else { Some(behind(word, place + 1)) };
                at += usize::from(is_last);
                options.push((letter, value));
            } else {
                options.push((text, None));
            }
        }
        Self { options, operands }
    }

    fn value(&self, names: &str) -> Option<&Word> {
        self.options.iter().rev().find(|(name, _)| lists(names, name))?.1.as_ref()
    }

    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(option, _)| option == name)
    }

    /// Among the letters of short options.
    fn has_letter(&self, letter: char) -> bool {
        self.options.iter().any(|(option, _)| !option.starts_with("--") && option.contains(letter))
    }
}

/// The first of several short options that takes a word, and where it stands.
fn letter_with_word(option: &str, with_word: &str) -> Option<(String, usize)> {
    let letters = option.char_indices().skip(1).map(|(at, letter)| (format!("-{letter}"), at));
    letters.take_while(|_| !option.starts_with("--")).find(|(name, _)| lists(with_word, name))
}

/// A word without its first bytes, which are text.
fn behind(word: &Word, bytes: usize) -> Word {
    let mut rest = Word::default();
    for (at, part) in word.parts().iter().enumerate() {
        match part {
            Part::Text(text) if at == 0 => {
                rest.push(Part::Text(text.get(bytes..).unwrap_or_default().to_owned()));
            }
            part => rest.push(part.clone()),
        }
    }
    rest
}

/// A path as [`Write::path`] has it. `None`: nothing is known of it.
pub(crate) fn written(word: &Word) -> Option<String> {
    if word.parts().iter().any(|part| matches!(part, Part::Process(_) | Part::Sink(_))) {
        return None;
    }
    // Without a folder before it, what is unknown may be anything anywhere.
    if word.is_unknown() && !word.prefix().contains('/') {
        return None;
    }
    let shape = word.shape();
    if shape.is_empty() || (shape == "-") {
        return None;
    }
    Some(if shape.starts_with('~') && !word.is_home() { format!("./{shape}") } else { shape })
}

/// The word as a pattern that a shell would look for; `None`: it looks for none.
fn pattern(word: &Word) -> Option<String> {
    let is_one = |part: &Part| !matches!(part, Part::Text(_) | Part::Home(_));
    if !word.parts().iter().any(is_one) {
        return None;
    }
    let mut pattern = String::new();
    // Characters of a class that is open.
    let mut class: Option<usize> = None;
    for part in word.parts() {
        let text = match part {
            Part::Glob(glob) if class.is_none() => {
                class = (glob == "[").then_some(0);
                pattern.push_str(glob);
                continue;
            }
            Part::Text(text) | Part::Home(text) | Part::Glob(text) => text,
            _ => {
                pattern.push('*');
                continue;
            }
        };
        for letter in text.chars() {
            match class {
                Some(at) => {
                    let is_sign = at == 0 && matches!(letter, '!' | '^');
                    // `[[:alpha:]]`: the first bracket ends the name alone.
                    let ends_name = pattern.ends_with(':') && pattern.rfind("[:") > pattern.rfind(":]");
                    let ends = letter == ']' && at > 0 && !ends_name;
                    class = if ends { None } else { Some(at + usize::from(!is_sign)) };
                    if letter == '\\' {
                        pattern.push('\\');
                    }
                }
                None if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!' | ',') => {
                    pattern.push('\\');
                }
                None => {}
            }
            pattern.push(letter);
        }
    }
    Some(if pattern.starts_with('~') && !word.is_home() { format!("./{pattern}") } else { pattern })
}

/// Files that keep nothing.
pub(crate) fn is_no_file(path: &str) -> bool {
    const NONE: &[&str] = &["null", "stdout", "stderr", "stdin", "tty", "full", "zero", "random", "urandom"];
    path.strip_prefix("/dev/").is_some_and(|name| {
        NONE.contains(&name)
            || name.starts_with("fd/")
            || name.starts_with("tcp/")
            || name.starts_with("udp/")
    }) || path.starts_with("/proc/self/fd/")
}

fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

impl<'a> List<'a> {
    fn of(command: &'a Command) -> Self {
        let (all, given, tails, patches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { command, all, is_cut: false, given, input: None, tails, patches }
    }

    fn fill(&mut self) {
        self.redirected();
        self.named();
    }

    fn add(&mut self, word: &Word, how: How) {
        if let Some((_, folder, found)) = self.given.iter().find(|(given, ..)| given == word) {
            let (folder, found) = (folder.clone(), Some(found.clone()));
            if let Some(write) = self.write(&folder, how) {
                self.push(Write { found, ..write });
            }
            return;
        }
        // Of what only the shell knows nobody can say that all of it goes.
        let how = if how == How::DeleteTree && word.is_unknown() { How::Delete } else { how };
        self.note_tail(word);
        if let Some(write) = self.write(word, how) {
            self.push(write);
        }
    }

    /// Its last names are known, and not where they begin.
    fn note_tail(&mut self, word: &Word) {
        let shape = word.shape();
        let in_somewhere = || self.command.folder.as_ref().filter(|folder| folder.is_unknown());
        let is_whole = shape.starts_with(['/', '~']);
        let tail = match in_somewhere() {
            Some(folder) if !is_whole => format!("{}/{shape}", folder.shape()),
            _ if word.is_unknown() => shape,
            _ => return,
        };
        if self.tails.len() < MAX_WRITES {
            self.tails.push(tail);
        }
    }

    /// A path that is made up of several words, or is known to be one name.
    fn add_path(&mut self, path: String, how: How) {
        if let Ok(folder) = self.folder_of(&path) {
            self.push(Write { path, pattern: None, folder, how, copy: None, found: None, if_there: false });
        }
    }

    fn write(&self, word: &Word, how: How) -> Option<Write> {
        let path = written(word)?;
        let folder = self.folder_of(&path).ok()?;
        Some(Write { path, pattern: pattern(word), folder, how, copy: None, found: None, if_there: false })
    }

    /// Where a path begins.
    fn folder_of(&self, path: &str) -> Result<Option<String>, Somewhere> {
        if path.starts_with('/') || path.starts_with('~') {
            return Ok(None);
        }
        self.command.folder.as_ref().map(|folder| written(folder).ok_or(Somewhere)).transpose()
    }

    fn push(&mut self, write: Write) {
        if is_no_file(&write.path) {
            return;
        }
        if self.all.len() < MAX_WRITES {
            self.all.push(write);
        } else {
            self.is_cut = true;
        }
    }

    fn redirected(&mut self) {
        let command = self.command;
        for redirect in command.redirects.iter().filter(|redirect| redirect.kind.is_output()) {
            let how = if redirect.kind == RedirectKind::Append { How::Append } else { How::Write };
            self.add(&redirect.target, how);
        }
    }

    fn each(&mut self, words: &[Word], how: How) {
        for word in words {
            self.add(word, how);
        }
    }

    fn named(&mut self) {
        let command = self.command;
        let Some(program) = command.program() else { return };
        let program = program.strip_prefix('g').filter(|rest| lists(GNU, rest)).unwrap_or(&program);
        let words = command.arguments();
        let parse = |with_word: &str| Parsed::of(words, with_word);
        match program {
            "tee" | "sponge" => {
                let parsed = parse("");
                let adds = parsed.has_letter('a') || parsed.has("--append");
                self.each(&parsed.operands, if adds { How::Append } else { How::Write });
            }
            "sed" => self.sed(&parse("-e -f -l --expression --file --line-length")),
            "perl" | "ruby" => self.perl(words),
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(&parse("-i -f -v -F --include --file --assign")),
            "ed" | "red" | "ex" | "vi" | "vim" | "nvim" | "view" | "rvim" | "gvim" => {
                self.editor(program, words);
            }
            "nano" | "pico" | "micro" | "joe" => self.each(&parse("-s -T -r -Y").operands, How::Edit),
            "mount" | "bindfs" => {
                let parsed = parse("-t -o --types --options");
                let binds = |word: &Word| word.shape().split(',').any(|one| matches!(one, "bind" | "rbind"));
                if program == "bindfs"
                    || parsed.has("--bind")
                    || parsed.has("--rbind")
                    || parsed.has("-B")
                    || parsed.value("-o --options").is_some_and(binds)
                {
                    self.copied(&parsed, Copying::MOUNT);
                }
            }
            "mv" => self.copied(&parse("-t -S --target-directory --suffix"), Copying::MOVE),
            "cp" => self.copied(&parse("-t -S --target-directory --suffix"), Copying::COPY),
            "ln" => self.copied(&parse("-t -S --target-directory --suffix"), Copying::LINK),
            "install" => {
                let parsed = parse("-t -S -m -o -g --target-directory --mode --owner --group");
                if parsed.has_letter('d') || parsed.has("--directory") {
                    self.each(&parsed.operands, How::Make);
                } else {
                    self.copied(&parsed, Copying::INSTALL);
                }
            }
            "rsync" => self.copied(&parse(RSYNC_WORDS), Copying::SYNC),
            "scp" => self.copied(&parse("-c -F -i -J -l -o -P -S"), Copying::REMOTE),
            "rm" => {
                let parsed = parse("");
                let tree = parsed.has_letter('r') || parsed.has_letter('R') || parsed.has("--recursive");
                self.each(&parsed.operands, if tree { How::DeleteTree } else { How::Delete });
            }
            "rmdir" | "unlink" | "shred" | "trash" => {
                self.each(&parse("-n -s --iterations --size").operands, How::Delete);
            }
            "truncate" => self.each(&parse("-s -r --size --reference").operands, How::Write),
            "touch" => self.each(&parse("-d -t -r --date --reference").operands, How::Write),
            "mkdir" => {
                let parsed = parse("-m --mode");
                let all = parsed.has_letter('p') || parsed.has("--parents");
                self.each(&parsed.operands, if all { How::MakeAll } else { How::Make });
            }
            "mkfifo" => self.each(&parse("-m --mode").operands, How::Make),
            "mktemp" => {
                let parsed = parse("-p --suffix");
                let folder = parsed.value("-p --tmpdir").and_then(written);
                let template = parsed.operands.first().and_then(written);
                match (folder, template) {
                    (Some(folder), Some(name)) if !name.starts_with('/') => {
                        self.add_path(format!("{}/{name}", folder.trim_end_matches('/')), How::Write);
                    }
                    (Some(folder), None) => self.add_path(folder, How::Within),
                    // With `-t` it is made where temporary files are.
                    (_, Some(name)) if !parsed.has_letter('t') && !parsed.has("--tmpdir") => {
                        self.add_path(name, How::Write);
                    }
                    _ => {}
                }
            }
            "split" | "csplit" => {
                let parsed = parse(
                    "-a -b -C -l -n -t -f -k --suffix-length --bytes --line-bytes --lines --number --prefix",
                );
                let prefix = match program {
                    "split" => parsed.operands.get(1),
                    _ => parsed.value("-f --prefix"),
                };
                let prefix = prefix.map_or_else(|| Some("x".to_owned()), written);
                if let Some(prefix) = prefix {
                    self.add_path(format!("{prefix}aa"), How::Write);
                }
            }
            "dd" => {
                for word in words.iter().filter(|word| word.prefix().starts_with("of=")) {
                    self.add(&behind(word, 3), How::Write);
                }
            }
            "chmod" | "chown" | "chgrp" => {
                let parsed = parse("--reference");
                // `chmod -x file`: the mode looks like an option.
                let is_given = program == "chmod" && parsed.options.iter().any(|(option, _)| is_mode(option));
                let mode = !is_given && !parsed.has("--reference");
                let tree = parsed.has_letter('R') || parsed.has("--recursive");
                let how = if tree { How::Tree } else { How::Mode };
                self.each(parsed.operands.get(usize::from(mode)..).unwrap_or_default(), how);
            }
            "chattr" | "setfacl" => self.each(&parse("-m -x -M -X -p -v").operands, How::Mode),
            "yq" => {
                let parsed = parse("");
                if parsed.has_letter('i') || parsed.has("--inplace") || parsed.has("--in-place") {
                    self.each(parsed.operands.get(1..).unwrap_or_default(), How::Edit);
                }
            }
            "git" => self.git(words),
            "patch" => {
                let parsed =
                    parse("-i -o -p -d -D -F -r -B -V -z --input --output --strip --directory --fuzz");
                let file = parsed.value("-o --output").or(parsed.operands.first());
                if let Some(file) = file {
                    self.add(file, How::Edit);
                } else {
                    let given: Vec<Word> = parsed.value("-i --input").cloned().into_iter().collect();
                    // Without `-p` it looks for the names as they are, and without their folders.
                    self.patched(&parsed, &given, 1);
                }
            }
            "curl" => self.curl(words),
            "wget" => self.wget(&parse(
                "\
                -O -o -P -a -i -U -T -t -w --output-document --directory-prefix --header --output-file",
            )),
            "tar" | "bsdtar" => self.tar(words),
            "unzip" => {
                let folder = parse("-d -x -P");
                folder.value("-d").into_iter().for_each(|folder| self.add(folder, How::Within));
            }
            "zip" => parse("-x -i -b -t -n")
                .operands
                .first()
                .into_iter()
                .for_each(|file| self.add(file, How::Write)),
            "sort" => parse("-o -k -t -S -T --output")
                .value("-o --output")
                .into_iter()
                .for_each(|file| self.add(file, How::Write)),
            "gzip" | "gunzip" | "xz" | "unxz" | "bzip2" | "bunzip2" => {
                let parsed = parse("-S --suffix");
                if !"cklt".chars().any(|letter| parsed.has_letter(letter))
                    && !parsed.has("--stdout")
                    && !parsed.has("--keep")
                {
                    self.each(&parsed.operands, How::Move);
                }
            }
            "find" => self.find(words),
            _ => {}
        }
    }

    fn find(&mut self, words: &[Word]) {
        let is = |word: &Word, text: &str| word.text().as_deref() == Some(text);
        for (at, word) in words.iter().enumerate() {
            if search::WRITES.iter().any(|name| is(word, name))
                && let Some(file) = words.get(at + 1)
            {
                self.add(file, How::Write);
            }
        }
        if !words.iter().any(|word| is(word, "-delete")) {
            return;
        }
        let folders = find_folders(self.command);
        if words.len() == folders.len() + 1 {
            return self.each(&folders, How::DeleteTree);
        }
        let search = Arc::new(Search::of(words));
        for folder in &folders {
            if let Some(write) = self.write(folder, How::Delete) {
                let found = Some(Found { search: Arc::clone(&search), is_sure: true });
                self.push(Write { found, ..write });
            }
        }
    }

    fn copied(&mut self, parsed: &Parsed, copying: Copying) {
        let is_remote = |word: &Word| {
            let text = word.prefix();
            copying.goes_far && text.find(':').is_some_and(|at| at > 0 && !text[..at].contains('/'))
        };
        let named = parsed.value("-t --target-directory").filter(|_| copying.takes_target);
        let (sources, target) = match (named, parsed.operands.split_last()) {
            (Some(target), _) => (parsed.operands.as_slice(), target.clone()),
            // `ln -s ../x` makes `x` here.
            (None, Some((only, []))) => (std::slice::from_ref(only), Word::literal("./")),
            (None, Some((last, sources))) => (sources, last.clone()),
            (None, None) => return,
        };
        if copying.moves {
            self.each(sources, How::Move);
        }
        if is_remote(&target) {
            return;
        }
        self.note_tail(&target);
        let Some(to) = self.write(&target, How::Write) else { return };
        let has_any = |letters: &str| letters.chars().any(|letter| parsed.has_letter(letter));
        let is_tree = copying.moves
            || has_any(copying.tree)
            || (!copying.tree.is_empty() && (parsed.has("--recursive") || parsed.has("--archive")));
        let is_folder = to.path.ends_with('/')
            || matches!(to.path.as_str(), "." | "..")
            || sources.len() > 1
            || named.is_some();
        let is_itself = copying.always_itself
            || copying.takes_target && (parsed.has_letter('T') || parsed.has("--no-target-directory"));
        let place = match () {
            () if is_itself => Place::Itself,
            () if is_folder => Place::Into,
            () => Place::IfFolder,
        };
        if parsed.options.iter().any(|(option, _)| copying.goes_far && option.starts_with("--delete")) {
            self.push(Write { how: How::Tree, ..to.clone() });
        }
        for word in sources {
            let source = written(word).filter(|_| !is_remote(word));
            let Some((source, folder)) =
                source.and_then(|path| Some((path.clone(), self.folder_of(&path).ok()?)))
            else {
                // Some name that nobody knows.
                self.push(Write { how: if is_folder { How::Within } else { How::Write }, ..to.clone() });
                continue;
            };
            let slash = copying.goes_far && !copying.takes_target && source.ends_with('/');
            let is_content = is_tree && (slash || matches!(base(&source), "." | ".."));
            let link = copying.link(parsed);
            let copy = Copy { source, pattern: pattern(word), folder, place, is_tree, is_content, link };
            self.push(Write { copy: Some(copy), ..to.clone() });
        }
    }

    fn git(&mut self, words: &[Word]) {
        let mut from = 0;
        let mut folder = None;
        while let Some(text) = words.get(from).and_then(Word::text).filter(|text| text.starts_with('-')) {
            if text == "-C" {
                folder = words.get(from + 1);
            }
            from +=
                1 + usize::from(matches!(&*text, "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace"));
        }
        let Some(verb) = words.get(from).and_then(Word::text) else { return };
        let words = &words[from + 1..];
        let parsed = Parsed::of(words, "-s --source -b -B -m --conflict --orphan");
        let behind_dashes = words.iter().position(|word| word.text().as_deref() == Some("--"));
        let mut if_there = false;
        let (paths, how) = match (verb.as_str(), behind_dashes) {
            ("checkout", Some(at)) => (words[at + 1..].to_vec(), How::Tree),
            // A commit, or a path: git looks.
            ("checkout", None) if ["-b", "-B", "--orphan"].iter().all(|name| !parsed.has(name)) => {
                if_there = true;
                (parsed.operands, How::Tree)
            }
            ("restore", _) if !parsed.has("--staged") && !parsed.has("-S") || parsed.has("--worktree") => {
                (parsed.operands, How::Tree)
            }
            ("stash", _) if parsed.operands.first().and_then(Word::text).as_deref() == Some("push") => {
                (parsed.operands[1..].to_vec(), How::Tree)
            }
            ("rm", _) if !parsed.has("--cached") => (parsed.operands, How::DeleteTree),
            ("mv", _) => return self.copied(&parsed, Copying::MOVE),
            ("apply" | "am", _) => {
                let parsed = Parsed::of(words, "-p -C --directory --exclude --include --whitespace");
                let only_looks = ["--stat", "--numstat", "--summary", "--check", "--cached"];
                if !only_looks.iter().any(|name| parsed.has(name)) || parsed.has("--apply") {
                    self.patched(&parsed, &parsed.operands, 1);
                }
                return;
            }
            _ => return,
        };
        for (at, path) in paths.iter().enumerate() {
            let Some(mut write) = self.write(path, how) else { continue };
            // Behind the first word of several stand paths alone.
            write.if_there = if_there && at == 0;
            match folder.map(written) {
                Some(Some(folder)) if !write.path.starts_with('/') => {
                    write.path = format!("{folder}/{}", write.path);
                    write.pattern = None;
                    self.push(write);
                }
                Some(None) => {}
                _ => self.push(write),
            }
        }
    }
}

/// How a program that copies reads its words.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "four facts about a program that copies, read by name")]
struct Copying {
    /// What is copied is not there any more.
    moves: bool,
    /// Its words may name other machines.
    goes_far: bool,
    /// It has `-t` and `-T`.
    takes_target: bool,
    /// The letters that copy folders with everything in them.
    tree: &'static str,
    /// It makes links and nothing else.
    links: bool,
    /// The last word is never a folder to put something into.
    always_itself: bool,
}

impl Copying {
    const COPY: Self = Self {
        moves: false,
        goes_far: false,
        takes_target: true,
        tree: "rRa",
        links: false,
        always_itself: false,
    };
    const MOVE: Self = Self { moves: true, ..Self::COPY };
    const INSTALL: Self = Self { tree: "", ..Self::COPY };
    const LINK: Self = Self { links: true, ..Self::INSTALL };
    const MOUNT: Self = Self { links: true, takes_target: false, always_itself: true, ..Self::INSTALL };
    const SYNC: Self = Self { goes_far: true, takes_target: false, ..Self::COPY };
    const REMOTE: Self = Self { tree: "r", ..Self::SYNC };

    /// How what it makes stays bound to its source.
    fn link(self, parsed: &Parsed) -> Option<Link> {
        let is_symbolic = parsed.has_letter('s') || parsed.has("--symbolic") || parsed.has("--symbolic-link");
        let is_hard = parsed.has_letter('l') || parsed.has("--link");
        match () {
            () if self.always_itself => Some(Link::Hard),
            () if self.links => Some(if is_symbolic { Link::Symbolic } else { Link::Hard }),
            () if self.goes_far || self.moves || self.tree.is_empty() => None,
            () if is_symbolic => Some(Link::Symbolic),
            () if is_hard => Some(Link::Hard),
            () => None,
        }
    }
}

const GNU: &str = "sed mv cp ln rm tee install truncate touch mkdir chmod chown tar find dd";

const RSYNC_WORDS: &str = "\
    -e -f -P -i -F -o -l -c --exclude --include --exclude-from --include-from --files-from --rsh \
    --log-file --bwlimit --chmod --chown --filter --port --timeout";

/// `-x` and `-rw` of `chmod`: letters that are rights.
fn is_mode(option: &str) -> bool {
    option.len() > 1 && option[1..].bytes().all(|byte| b"rwxXstugoa+=,".contains(&byte))
}
