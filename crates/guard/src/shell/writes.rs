//! The files a command would write, move, delete or change, as far as its text tells. What a program writes of its own
//! accord (a build, a script, an editor) is not known here.

use super::unwrap::{find_folders, found_by};
use super::wrappers::lists;
use super::{Command, Part, RedirectKind, Word, read};

/// A command that names more is not judged file by file.
const MAX_WRITES: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// As it is written, `~` for the home folder; a file whose name begins with that letter is `./~…`. What only a shell
    /// could know stands as `*`.
    pub path: String,
    /// The folder a relative path begins in, itself relative to where the shell is. `None`: there.
    pub folder: Option<String>,
    pub how: How,
    /// If `path` is a folder that exists, these names in it are written instead.
    pub into: Vec<String>,
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
    /// Its rights or its owner.
    Mode,
}

/// The files a command would write.
pub fn writes(command: &str) -> Vec<Write> {
    let mut all = Vec::new();
    for command in &read(command).commands {
        if !command.is_elsewhere {
            all.append(&mut writes_of(command));
        }
    }
    all.truncate(MAX_WRITES);
    all
}

/// The files one command would write.
pub(crate) fn writes_of(command: &Command) -> Vec<Write> {
    let mut found = Found { command, all: Vec::new() };
    found.redirected();
    found.named();
    found.all
}

struct Found<'a> {
    command: &'a Command,
    all: Vec<Write>,
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

impl Found<'_> {
    fn add(&mut self, word: &Word, how: How) {
        self.add_into(word, how, Vec::new());
    }

    fn add_into(&mut self, word: &Word, how: How, into: Vec<String>) {
        // Of what only the shell knows nobody can say that all of it goes.
        let how = if how == How::DeleteTree && word.is_unknown() { How::Delete } else { how };
        if let Some(path) = written(word) {
            self.add_path(path, how, into);
        }
    }

    fn add_path(&mut self, path: String, how: How, into: Vec<String>) {
        let folder = self.command.folder.as_ref().map(|folder| written(folder));
        let is_whole = path.starts_with('/') || path.starts_with('~');
        let folder = match folder {
            _ if is_whole => None,
            // It is somewhere, and nobody can say where.
            Some(None) => return,
            Some(folder) => folder,
            None => None,
        };
        if !is_no_file(&path) && self.all.len() < MAX_WRITES {
            self.all.push(Write { path, folder, how, into });
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
            "awk" | "gawk" => self.awk(&parse("-i -f -v -F --include --file")),
            "mv" => self.copied(&parse("-t -S --target-directory --suffix"), true),
            "cp" | "ln" => self.copied(&parse("-t -S --target-directory --suffix"), false),
            "install" => {
                let parsed = parse("-t -S -m -o -g --target-directory --mode --owner --group");
                if parsed.has_letter('d') || parsed.has("--directory") {
                    self.each(&parsed.operands, How::Make);
                } else {
                    self.copied(&parsed, false);
                }
            }
            "rsync" | "scp" => self.copied(&parse(RSYNC_WORDS), false),
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
            "mkdir" | "mkfifo" => self.each(&parse("-m --mode").operands, How::Make),
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
                self.each(parsed.operands.get(usize::from(mode)..).unwrap_or_default(), How::Mode);
            }
            "git" => self.git(words),
            "patch" => {
                let parsed = parse("-i -o -p -d -D -F -r -B -V -z --input --output");
                let file = parsed.value("-o --output").or(parsed.operands.first());
                if let Some(file) = file {
                    self.add(file, How::Edit);
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
                folder.value("-d").into_iter().for_each(|folder| self.within(folder, How::Write));
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
            "find" if words.iter().any(|word| word.text().as_deref() == Some("-delete")) => {
                let is_whole = words.len() == find_folders(command).len() + 1;
                if is_whole {
                    self.each(&find_folders(command), How::DeleteTree);
                } else {
                    self.each(&found_by(command), How::Delete);
                }
            }
            _ => {}
        }
    }

    fn within(&mut self, folder: &Word, how: How) {
        if let Some(folder) = written(folder) {
            self.add_path(format!("{}/*", folder.trim_end_matches('/')), how, Vec::new());
        }
    }

    fn sed(&mut self, parsed: &Parsed) {
        // `-i.bak` keeps a copy, `-ni` has company.
        let in_place = parsed.options.iter().any(|(option, _)| {
            option.starts_with("--in-place")
                || option.starts_with("-i")
                || (!option.starts_with("--") && option.ends_with('i'))
        });
        if !in_place {
            return;
        }
        let has_script = parsed.value("-e -f --expression --file").is_some();
        let files: Vec<Word> = parsed.operands.iter().filter(|word| !word.is_empty()).cloned().collect();
        self.each(files.get(usize::from(!has_script)..).unwrap_or_default(), How::Edit);
    }

    fn perl(&mut self, words: &[Word]) {
        let parsed = Parsed::of(words, "-e -E -I -M");
        let in_place = parsed.options.iter().any(|(option, _)| {
            option.starts_with("-i")
                || (!option.starts_with("--") && option.contains('i') && !option.starts_with("-M"))
        });
        if in_place {
            let has_script = parsed.value("-e -E").is_some();
            self.each(parsed.operands.get(usize::from(!has_script)..).unwrap_or_default(), How::Edit);
        }
    }

    fn awk(&mut self, parsed: &Parsed) {
        let is_inplace = |word: &Word| word.text().as_deref() == Some("inplace");
        if parsed.value("-i --include").is_some_and(is_inplace) {
            let has_script = parsed.value("-f --file").is_some();
            self.each(parsed.operands.get(usize::from(!has_script)..).unwrap_or_default(), How::Edit);
        }
    }

    fn copied(&mut self, parsed: &Parsed, moves: bool) {
        let is_remote = |word: &Word| {
            let text = word.prefix();
            text.find(':').is_some_and(|at| at > 0 && !text[..at].contains('/'))
        };
        let target = parsed.value("-t --target-directory");
        let (sources, target) = match (target, parsed.operands.split_last()) {
            (Some(target), _) => (parsed.operands.as_slice(), target.clone()),
            // `ln -s ../x` makes `x` here.
            (None, Some((only, []))) => (std::slice::from_ref(only), Word::literal("./")),
            (None, Some((last, sources))) => (sources, last.clone()),
            (None, None) => return,
        };
        if moves {
            self.each(sources, How::Move);
        }
        if is_remote(&target) {
            return;
        }
        let names: Vec<String> = sources
            .iter()
            .map(|word| written(word).map_or("*".to_owned(), |path| base(&path).to_owned()))
            .collect();
        let Some(path) = written(&target) else { return };
        let is_folder = path.ends_with('/')
            || matches!(path.as_str(), "." | "..")
            || sources.len() > 1
            || parsed.value("-t").is_some();
        if is_folder {
            let folder = path.trim_end_matches('/');
            for name in &names {
                let path = if path == "./" { name.clone() } else { format!("{folder}/{name}") };
                self.add_path(path, How::Write, Vec::new());
            }
        } else {
            self.add_path(path, How::Write, names);
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
        let parsed = Parsed::of(words, "-s --source -b -B -m --conflict");
        let behind_dashes = words.iter().position(|word| word.text().as_deref() == Some("--"));
        let (paths, how) = match (verb.as_str(), behind_dashes) {
            ("checkout", Some(at)) => (words[at + 1..].to_vec(), How::Write),
            ("restore", _) if !parsed.has("--staged") || parsed.has("--worktree") => {
                (parsed.operands, How::Write)
            }
            ("rm", _) if !parsed.has("--cached") => (parsed.operands, How::DeleteTree),
            ("mv", _) => return self.copied(&parsed, true),
            _ => return,
        };
        for path in &paths {
            match (folder, written(path)) {
                (Some(folder), Some(path)) if !path.starts_with('/') => {
                    if let Some(folder) = written(folder) {
                        self.add_path(format!("{folder}/{path}"), how, Vec::new());
                    }
                }
                _ => self.add(path, how),
            }
        }
    }

    fn curl(&mut self, words: &[Word]) {
        let parsed = Parsed::of(words, CURL_WORDS);
        let folder = parsed.value("--output-dir").and_then(written);
        let within =
            |name: String| folder.as_ref().map_or_else(|| name.clone(), |folder| format!("{folder}/{name}"));
        for (option, value) in &parsed.options {
            if matches!(option.as_str(), "-o" | "--output" | "-D" | "-c" | "--dump-header" | "--cookie-jar")
                && let Some(path) = value.as_ref().and_then(written)
            {
                self.add_path(within(path), How::Write, Vec::new());
            }
        }
        if parsed.has_letter('O') || parsed.has("--remote-name") || parsed.has("--remote-name-all") {
            for name in parsed.operands.iter().filter_map(remote_name) {
                self.add_path(within(name), How::Write, Vec::new());
            }
        }
    }

    fn wget(&mut self, parsed: &Parsed) {
        if let Some(file) = parsed.value("-O --output-document") {
            return self.add(file, How::Write);
        }
        let folder = parsed.value("-P --directory-prefix").and_then(written);
        for name in parsed.operands.iter().filter_map(remote_name) {
            let path = folder.as_ref().map_or_else(|| name.clone(), |folder| format!("{folder}/{name}"));
            self.add_path(path, How::Write, Vec::new());
        }
    }

    fn tar(&mut self, words: &[Word]) {
        // `tar xf a.tar`: the first word is letters, with or without a dash.
        let first = words.first().map(Word::prefix).unwrap_or_default();
        let letters =
            if first.starts_with("--") { String::new() } else { first.trim_start_matches('-').to_owned() };
        let has = |long: &str| words.iter().any(|word| word.text().as_deref() == Some(long));
        let after = |names: &[&str]| {
            let at = words
                .iter()
                .position(|word| word.text().is_some_and(|text| names.contains(&text.as_str())))?;
            words.get(at + 1)
        };
        if letters.contains('x') || has("-x") || has("--extract") {
            let joined =
                words.iter().find_map(|word| word.text()?.strip_prefix("--directory=").map(Word::literal));
            let folder = after(&["-C", "--directory"]).cloned().or(joined);
            if let Some(folder) = folder {
                self.within(&folder, How::Write);
            }
        } else if letters.contains('c') || has("-c") || has("--create") {
            let file = if letters.ends_with('f') { words.get(1) } else { after(&["-f", "--file"]) };
            if let Some(file) = file {
                self.add(file, How::Write);
            }
        }
    }
}

const GNU: &str = "sed mv cp ln rm tee install truncate touch mkdir chmod chown tar find dd";

const RSYNC_WORDS: &str = "\
    -e -f -P -i -F -o -l -c --exclude --include --exclude-from --include-from --files-from --rsh \
    --log-file --bwlimit --chmod --chown --filter --port --timeout";

const CURL_WORDS: &str = "\
    -o -H -d -X -u -A -e -b -c -D -F -K -m -r -T -w -x -y -Y -z -E -C -Q -U --output --header --data \
    --data-raw --data-binary --data-urlencode --json --request --user --user-agent --referer --cookie \
    --cookie-jar --dump-header --form --config --max-time --connect-timeout --range --upload-file \
    --write-out --proxy --cacert --cert --key --retry --retry-delay --output-dir --url --resolve \
    --interface --limit-rate";

/// The last part of an address.
fn remote_name(word: &Word) -> Option<String> {
    if word.is_unknown() {
        return None;
    }
    let text = word.shape();
    let address = text.split(['?', '#']).next().unwrap_or(&text);
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let name = path.split_once('/').map_or("", |(_, path)| base(path));
    Some(if name.is_empty() { "index.html".to_owned() } else { name.to_owned() })
}

/// `-x` and `-rw` of `chmod`: letters that are rights.
fn is_mode(option: &str) -> bool {
    option.len() > 1 && option[1..].bytes().all(|byte| b"rwxXstugoa+=,".contains(&byte))
}
