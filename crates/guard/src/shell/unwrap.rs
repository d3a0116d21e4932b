//! A command's effect on the rest of its script, and the commands it starts itself.

use std::sync::Arc;

use super::fed::{Waiting, What};
use super::reader::{Around, READ, Reader};
use super::state::{Function, MAX_VALUE};
use super::words::as_text;
use super::wrappers::{
    CONTAINER_WORDS, SHELL_WORDS, SSH_WORDS, XARGS_WORDS, lists, named, past_options, takes_word,
};
use super::{Command, Part, Word, Wrap};

pub(crate) const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "pwsh"];
pub(super) const DECLARE: &[&str] = &["export", "local", "declare", "readonly", "typeset"];

impl Reader {
    /// Adds a command, with what it changes and what it starts.
    pub(super) fn emit(&mut self, command: Command) -> Option<usize> {
        let words = command.words.clone();
        let at = self.push(command)?;
        let Some(program) = words.first().and_then(Word::text) else { return Some(at) };
        if self.state.function(&program).is_some() {
            let around = Around { within: Some(at), input: Some(at), pipe: None, ..self.around.clone() };
            self.call(&program, &words[1..], around);
            return Some(at);
        }
        let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
        self.change(at, &program, &words[1..]);
        self.open(at, &program, &words);
        Some(at)
    }

    fn change(&mut self, at: usize, program: &str, words: &[Word]) {
        let operands = || words.iter().filter_map(Word::text).filter(|text| !text.starts_with(['-', '+']));
        match program {
            "cd" | "pushd" | "chdir" => {
                let target = &words[past_options(words, 0, "").min(words.len())..];
                match target {
                    [] => self.state.change_folder(&Word { parts: vec![Part::Home("~".to_owned())] }),
                    [to] if to.text().as_deref() != Some("-") => self.state.change_folder(to),
                    _ => self.state.change_folder(&Word { parts: vec![Part::Given] }),
                }
            }
            "popd" => self.state.change_folder(&Word { parts: vec![Part::Given] }),
            _ if DECLARE.contains(&program) => {
                for word in words {
                    if let Some((name, value)) = assigned(word) {
                        self.state.set(&name, vec![value]);
                    }
                }
            }
            _ if READ.contains(&program) => {
                let (name, with_word) = match program {
                    "read" => ("REPLY", "-a -d -i -n -N -p -t -u"),
                    _ => ("MAPFILE", "-d -n -O -s -u -C -c"),
                };
                let from = past_options(words, 0, with_word).min(words.len());
                let array = words[..from].windows(2).find(|pair| pair[0].prefix().ends_with('a'));
                let array = array.filter(|_| program == "read").map(|pair| &pair[1]);
                let names: Vec<String> = words[from..].iter().chain(array).filter_map(Word::text).collect();
                let names = if names.is_empty() { vec![name.to_owned()] } else { names };
                self.reads(at, names);
            }
            "getopts" => operands().for_each(|name| self.state.set_unknown(&name)),
            "unset" => operands().for_each(|name| self.state.unset(&name)),
            "set" if words.first().and_then(Word::text).as_deref() == Some("--") => {
                self.state.set_positional(Some(words[1..].into()));
            }
            "shift" => {
                let rest = self.state.positional().map(|words| words.iter().skip(1).cloned().collect());
                self.state.set_positional(rest);
            }
            _ => {}
        }
    }

    fn open(&mut self, at: usize, program: &str, words: &[Word]) {
        if let Some(wrapper) = named(program) {
            // They say where a program is, and start none.
            let only_asks = program == "command"
                && words.get(1).and_then(Word::text).is_some_and(|text| matches!(&*text, "-v" | "-V"));
            if only_asks {
                return;
            }
            if program == "flock" && self.run_option(at, words, &["-c", "--command"]) {
                return;
            }
            let mut from = past_options(words, 1, wrapper.with_word);
            if program == "env" {
                // `env -` is `env -i`.
                while words.get(from).and_then(Word::text).as_deref() == Some("-") {
                    from = past_options(words, from + 1, wrapper.with_word);
                }
                if let Some(text) = split_string(words, from) {
                    return self.start_text(at, Wrap::Script, &text);
                }
            }
            let mut sets = Vec::new();
            if wrapper.sets {
                while let Some((name, value)) = words.get(from).and_then(assigned) {
                    sets.push((name, value));
                    // `sudo A=1 -u root rm`: options may follow.
                    from = past_options(words, from + 1, wrapper.with_word);
                }
            }
            if wrapper.wrap == Wrap::Rights && from >= words.len() && is_login(words) {
                return self.start(at, Wrap::Rights, &[Word::literal("sh")], sets, false);
            }
            let stays = matches!(program, "command" | "builtin");
            let inner = words.get(from + wrapper.operands..).unwrap_or_default();
            let mark = self.state.mark();
            if let Some(folder) = elsewhere(program, &words[..from.min(words.len())]) {
                self.state.change_folder(&folder);
                self.start(at, wrapper.wrap, inner, sets, stays);
                return self.state.back(mark);
            }
            return self.start(at, wrapper.wrap, inner, sets, stays);
        }
        match program {
            _ if SHELLS.contains(&program) => self.shell(at, words),
            "eval" => {
                self.script.commands[at].wraps = Some(Wrap::Script);
                let (text, holes) = as_text(&words[1..]);
                let around = self.inside(at);
                self.script(Arc::from(text), holes, around);
            }
            "source" | "." => match words.get(1) {
                Some(word) if matches!(word.parts(), [Part::Process(_)]) => self.run_process(at, word),
                Some(word) if is_standard_input(word) => self.fed.push(Waiting { at, what: What::Script }),
                _ => {}
            },
            "trap" => {
                let from = past_options(words, 1, "");
                if let Some(word) = words.get(from).filter(|word| words.len() > from + 1 && !word.is_empty())
                {
                    self.start_text(at, Wrap::Script, std::slice::from_ref(word));
                }
            }
            "alias" => {
                let named: Vec<(String, Word)> = words[1..].iter().filter_map(assigned).collect();
                for (name, value) in named {
                    let text = value.text();
                    self.start_text(at, Wrap::Script, &[value]);
                    // `alias ls='ls -l'` means the program behind the name.
                    let text = text.filter(|text| text.split_whitespace().next() != Some(&name));
                    if let Some(text) = text.filter(|text| text.len() <= MAX_VALUE) {
                        let function =
                            Function { text: format!("{text} \"$@\"").into(), holes: Arc::from([]) };
                        self.state.define(&name, function);
                    }
                }
            }
            "su" | "runuser" if self.run_option(at, words, &["-c", "--command"]) => {
                self.script.commands[at].wraps = Some(Wrap::Rights);
            }
            // `runuser -u name -- program`; without `-u` the word after the options is a name.
            "runuser" => {
                let from = past_options(words, 1, "-u -g -G --user --group --supp-group");
                let names =
                    |word: &Word| word.prefix().starts_with("-u") || word.prefix().starts_with("--user");
                if words[..from.min(words.len())].iter().any(names) {
                    self.start(at, Wrap::Rights, words.get(from..).unwrap_or_default(), Vec::new(), false);
                }
            }
            "su" => self.start(at, Wrap::Rights, &[Word::literal("sh")], Vec::new(), false),
            "script" => drop(self.run_option(at, words, &["-c", "--command"])),
            "watch" => {
                let from = past_options(words, 1, "-n --interval");
                self.start_text(at, Wrap::Script, words.get(from..).unwrap_or_default());
            }
            "ssh" | "autossh" => {
                let from = past_options(words, 1, SSH_WORDS);
                // Options may stand behind the machine, too.
                let from = past_options(words, from + 1, SSH_WORDS);
                match words.get(from..).unwrap_or_default() {
                    // A shell there, which reads what it is fed.
                    [] => self.fed.push(Waiting { at, what: What::Elsewhere }),
                    text => {
                        self.start_text(at, Wrap::Elsewhere, text);
                        // `ssh $host 'text'` in a loop over machines: the first words are machines, too.
                        let scripts: Vec<&Word> =
                            text.iter().skip(1).filter(|word| word.prefix().contains(' ')).collect();
                        for script in scripts {
                            self.start_text(at, Wrap::Elsewhere, std::slice::from_ref(script));
                        }
                    }
                }
            }
            "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => {
                self.container(at, words);
            }
            "kubectl" | "oc" => {
                let is = |word: &Word, text: &str| word.text().as_deref() == Some(text);
                let Some(start) =
                    words.iter().position(|word| ["exec", "run", "debug"].iter().any(|verb| is(word, verb)))
                else {
                    return;
                };
                let from = match words.iter().position(|word| is(word, "--")) {
                    Some(end) => end + 1,
                    // The old way: the pod, then the program.
                    None if is(&words[start], "exec") => {
                        past_options(words, start + 1, "-n --namespace -c --container --context --kubeconfig")
                            + 1
                    }
                    None => return,
                };
                self.start(at, Wrap::Elsewhere, words.get(from..).unwrap_or_default(), Vec::new(), false);
            }
            "xargs" | "gxargs" | "parallel" if self.waits(at) => {
                self.script.commands[at].wraps = Some(Wrap::Fed);
                self.fed.push(Waiting { at, what: What::Words });
            }
            "xargs" | "gxargs" | "parallel" => self.xargs(at, words),
            "find" | "gfind" => self.find(at, words),
            "fd" | "fdfind" => {
                let is_exec = |word: &Word| {
                    word.text().is_some_and(|text| matches!(&*text, "-x" | "-X" | "--exec" | "--exec-batch"))
                };
                if let Some(exec) = words.iter().position(is_exec) {
                    let given = [Word { parts: vec![Part::Given] }];
                    let inner = replaced(&words[exec + 1..], "{}", &given);
                    self.start(at, Wrap::Fed, &inner, Vec::new(), false);
                }
            }
            "git" => self.git(at, words),
            program => self.runner(at, program, words),
        }
    }

    /// A command that another one starts.
    pub(super) fn start(
        &mut self,
        at: usize,
        wrap: Wrap,
        words: &[Word],
        sets: Vec<(String, Word)>,
        stays: bool,
    ) {
        self.script.commands[at].wraps = Some(wrap);
        let cost: usize = words.iter().map(Word::len).sum();
        if words.is_empty() || !self.pay(cost) {
            return;
        }
        let mut around = self.inside(at);
        around.is_elsewhere |= wrap == Wrap::Elsewhere;
        let outer = std::mem::replace(&mut self.around, around);
        let mark = self.state.mark();
        let command = Command { words: words.to_vec(), assignments: sets, ..Command::default() };
        self.deeper(|reader| reader.emit(command));
        // `sudo cd` changes nobody's folder.
        if !stays {
            self.state.back(mark);
        }
        self.around = outer;
    }

    pub(super) fn start_text(&mut self, at: usize, wrap: Wrap, words: &[Word]) {
        self.script.commands[at].wraps = Some(wrap);
        let was = self.script.commands[at].is_elsewhere;
        self.script.commands[at].is_elsewhere |= wrap == Wrap::Elsewhere;
        self.run_text(at, words);
        // The command itself runs here.
        self.script.commands[at].is_elsewhere = was;
    }

    /// `-c 'text'` of a program that is no shell.
    fn run_option(&mut self, at: usize, words: &[Word], options: &[&str]) -> bool {
        for (place, word) in words.iter().enumerate().skip(1) {
            let Some(text) = word.text() else { continue };
            if options.contains(&text.as_str()) {
                let script = words.get(place + 1).cloned().unwrap_or_default();
                self.start_text(at, Wrap::Script, &[script]);
                return true;
            }
            // `-S'text'` and `--split-string='text'`.
            let joined = options.iter().find_map(|option| {
                let rest = text.strip_prefix(option)?;
                if option.starts_with("--") { rest.strip_prefix('=') } else { Some(rest) }
            });
            if let Some(script) = joined {
                self.start_text(at, Wrap::Script, &[Word::literal(script)]);
                return true;
            }
        }
        false
    }

    fn shell(&mut self, at: usize, words: &[Word]) {
        let (mut place, mut takes_text, mut reads_input) = (1, false, false);
        while let Some(option) = words.get(place).and_then(Word::text) {
            if option == "--" || option == "-" {
                place += 1;
                break;
            }
            if option.len() < 2 || !option.starts_with(['-', '+']) {
                break;
            }
            let is_bundle = option.starts_with('-') && !option.starts_with("--");
            if is_bundle && only_reads(&option[1..]) {
                return;
            }
            takes_text |= is_bundle && option.contains('c') || option == "--command" || option == "-Command";
            reads_input |= is_bundle && option.contains('s');
            let takes_word = lists(SHELL_WORDS, &option) || (is_bundle && takes_word(&option, "-o -O"));
            place += 1 + usize::from(takes_word);
        }
        let rest = words.get(place..).unwrap_or_default();
        match rest {
            [script, arguments @ ..] if takes_text => {
                self.script.commands[at].wraps = Some(Wrap::Script);
                let mark = self.state.mark();
                self.state.set_positional(Some(arguments.get(1..).unwrap_or_default().into()));
                if let Some(name) = arguments.first() {
                    self.state.set("0", vec![name.clone()]);
                }
                self.run_text(at, std::slice::from_ref(script));
                self.state.back(mark);
            }
            [script, ..] if !reads_input && matches!(script.parts(), [Part::Process(_)]) => {
                self.run_process(at, script);
            }
            [script, ..] if !reads_input && !is_standard_input(script) => {}
            _ if takes_text => {}
            _ => self.fed.push(Waiting { at, what: What::Script }),
        }
    }

    /// A script that is the output of commands: `bash <(…)`.
    fn run_process(&mut self, at: usize, word: &Word) {
        if let [Part::Process(range)] = word.parts()
            && let Some(text) = self.said(range.clone())
        {
            self.start_text(at, Wrap::Script, &[text]);
        }
    }

    fn container(&mut self, at: usize, words: &[Word]) {
        /// `docker compose -p x -f a -f b exec`: the verb stands among the first words.
        const FIRST: usize = 12;
        let is_start = |word: &Word| word.text().is_some_and(|text| text == "run" || text == "exec");
        let Some(start) = words.iter().take(FIRST).position(is_start) else { return };
        let from = past_options(words, start + 1, CONTAINER_WORDS);
        self.start(at, Wrap::Elsewhere, words.get(from + 1..).unwrap_or_default(), Vec::new(), false);
    }

    pub(super) fn xargs(&mut self, at: usize, words: &[Word]) {
        let from = past_options(words, 1, XARGS_WORDS).min(words.len());
        let mut inner = words[from..].to_vec();
        let separator = inner.iter().position(|word| word.text().is_some_and(|text| text.starts_with(":::")));
        let options: Vec<String> = words[1..from].iter().filter_map(Word::text).collect();
        let place = options.iter().enumerate().find_map(|(at, option)| match option.as_str() {
            "-I" | "-J" => options.get(at + 1).cloned(),
            "-i" | "--replace" => Some("{}".to_owned()),
            option => {
                option.strip_prefix("-I").or_else(|| option.strip_prefix("--replace=")).map(str::to_owned)
            }
        });
        let is_parallel = words[0].text().is_some_and(|text| text.ends_with("parallel"));
        let place = place.or_else(|| is_parallel.then(|| "{}".to_owned()));
        let given = match separator {
            Some(separator) => inner.split_off(separator).split_off(1),
            // Where a word has its place, a whole line is put there.
            None => self.fed_words(at, place.is_some()),
        };
        let has_place = place.as_ref().is_some_and(|place| {
            inner.iter().any(|word| {
                word.parts.iter().any(|part| matches!(part, Part::Text(text) if text.contains(place)))
            })
        });
        if !is_parallel && !has_place {
            if !inner.is_empty() {
                inner.extend(given);
            }
            return self.start(at, Wrap::Fed, &inner, Vec::new(), false);
        }
        // Once for each line.
        let place = place.unwrap_or_default();
        for given in &given {
            if self.is_halted {
                return;
            }
            let mut each = replaced(&inner, &place, std::slice::from_ref(given));
            if !has_place {
                each.push(given.clone());
            }
            if is_parallel {
                // Its words are a shell's text, or there are none and each line is.
                self.start_text(at, Wrap::Fed, &each);
            } else {
                self.start(at, Wrap::Fed, &each, Vec::new(), false);
            }
        }
    }

    fn find(&mut self, at: usize, words: &[Word]) {
        let given = found_by(&self.script.commands[at]);
        let mut place = 1;
        while let Some(word) = words.get(place) {
            place += 1;
            if !word.text().is_some_and(|text| matches!(&*text, "-exec" | "-execdir" | "-ok" | "-okdir")) {
                continue;
            }
            let ends = |word: &Word| word.text().is_some_and(|text| text == ";" || text == "+");
            let end = words[place..].iter().position(ends).map_or(words.len(), |end| place + end);
            let inner = replaced(&words[place..end], "{}", &given);
            self.start(at, Wrap::Fed, &inner, Vec::new(), false);
            place = end;
        }
    }

    /// Commands among git's own words.
    fn git(&mut self, at: usize, words: &[Word]) {
        let texts: Vec<Option<String>> = words.iter().map(Word::text).collect();
        let is = |at: usize, text: &str| texts.get(at).is_some_and(|word| word.as_deref() == Some(text));
        let verb = verb_of_git(words);
        for (place, text) in texts.iter().enumerate().skip(1) {
            let script = text.as_deref().and_then(|text| text.split_once("=!"));
            let script = script.map(|(_, script)| script.to_owned());
            if is(place - 1, "-c")
                && let Some(script) = script
            {
                self.start_text(at, Wrap::Script, &[Word::literal(&script)]);
            }
            let takes_script = (is(verb, "rebase") && (is(place, "-x") || is(place, "--exec")))
                || (is(verb, "submodule") && is(place, "foreach"))
                || (is(verb, "bisect") && is(place, "run"));
            if takes_script {
                let from = past_options(words, place + 1, "");
                let until = if is(verb, "rebase") { (from + 1).min(words.len()) } else { words.len() };
                // One word is a shell's text, several are a program and its words.
                return match words.get(from..until).unwrap_or_default() {
                    [text] => self.start_text(at, Wrap::Script, std::slice::from_ref(text)),
                    words => self.start(at, Wrap::Script, words, Vec::new(), false),
                };
            }
        }
    }
}

/// Where git's verb stands, behind its own options.
fn verb_of_git(words: &[Word]) -> usize {
    past_options(words, 1, "-C -c --git-dir --work-tree --namespace --config-env --exec-path")
}

/// The letters of a shell's options with which it reads its script and runs nothing: `bash -n`.
pub(crate) fn only_reads(letters: &str) -> bool {
    letters.contains('n') && letters.bytes().all(|letter| b"nvxeulcs".contains(&letter))
}

/// The text of `env -S text`, `-iStext`, `--split-string=text`, with the words behind it.
fn split_string(words: &[Word], until: usize) -> Option<Vec<Word>> {
    let mut options = words.iter().enumerate().take(until).skip(1);
    options.find_map(|(at, word)| {
        let text = word.text()?;
        let joined = match text.strip_prefix("--split-string") {
            Some(rest) => rest.trim_start_matches('=').to_owned(),
            None if text.starts_with("--") => return None,
            None => {
                let letters = text.strip_prefix('-')?;
                let (before, rest) = letters.split_once('S')?;
                before.bytes().all(|letter| b"iv0".contains(&letter)).then(|| rest.to_owned())?
            }
        };
        let mut all = if joined.is_empty() { Vec::new() } else { vec![Word::literal(&joined)] };
        all.extend_from_slice(&words[at + 1..]);
        Some(all)
    })
}

/// What `ls` lists that is a path as it stands: what a pattern matches, and everything with `-d`.
pub(super) fn listed_by(command: &Command) -> Vec<Word> {
    let is_option = |word: &&Word| word.prefix().starts_with('-');
    let names_folders =
        command.arguments().iter().filter(is_option).any(|option| option.prefix().contains('d'));
    let has_glob = |word: &Word| word.parts().iter().any(|part| matches!(part, Part::Glob(_)));
    let operands = command.arguments().iter().filter(|word| !is_option(word));
    operands.filter(|word| names_folders || has_glob(word)).cloned().collect()
}

/// The name and the value of `name=value`.
fn assigned(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Text(first)) = word.parts.first() else { return None };
    let (name, value) = first.split_once('=')?;
    let is_name = !name.is_empty()
        && name.bytes().enumerate().all(|(at, b)| super::words::is_name_byte(b, at == 0) || b == b'-');
    if !is_name || name.starts_with('-') {
        return None;
    }
    let mut rest = Word::literal(value);
    word.parts[1..].iter().for_each(|part| rest.push(part.clone()));
    Some((name.to_owned(), rest))
}

/// `env -C folder`, `sudo --chdir=folder`: where the program runs.
fn elsewhere(program: &str, options: &[Word]) -> Option<Word> {
    let short = match program {
        "env" => "-C",
        "sudo" => "-D",
        _ => return None,
    };
    options.iter().enumerate().find_map(|(at, word)| {
        let text = word.text()?;
        if text == short || text == "--chdir" {
            return options.get(at + 1).cloned();
        }
        text.strip_prefix("--chdir=").map(Word::literal)
    })
}

/// `sudo -s`, `sudo -i`: a shell, which reads what it is fed.
fn is_login(words: &[Word]) -> bool {
    words.iter().filter_map(Word::text).any(|text| {
        matches!(&*text, "--shell" | "--login")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains(['s', 'i']))
    })
}

fn is_standard_input(word: &Word) -> bool {
    word.text().is_some_and(|text| matches!(&*text, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// What `find` finds: something in each of its folders.
pub(super) fn found_by(command: &Command) -> Vec<Word> {
    let folders = find_folders(command);
    let within = |mut folder: Word| {
        folder.push(Part::Text("/".to_owned()));
        folder.push(Part::Given);
        folder
    };
    folders.into_iter().map(within).collect()
}

/// Where `find` begins.
pub(crate) fn find_folders(command: &Command) -> Vec<Word> {
    let words = command.arguments();
    let from = past_options_of_find(words);
    let is_folder = |word: &&Word| !word.prefix().starts_with(['-', '(', '!']);
    let folders: Vec<Word> = words[from..].iter().take_while(is_folder).cloned().collect();
    if folders.is_empty() { vec![Word::literal(".")] } else { folders }
}

fn past_options_of_find(words: &[Word]) -> usize {
    let mut at = 0;
    while let Some(text) = words.get(at).and_then(Word::text) {
        match text.as_str() {
            "-H" | "-L" | "-P" | "-E" | "-X" | "-d" | "-s" | "-x" | "--" => at += 1,
            "-D" | "-f" => at += 2,
            text if text.starts_with("-O") => at += 1,
            _ => break,
        }
    }
    at.min(words.len())
}

/// Words with others in place of `{}`: a word that is nothing else becomes all of them.
fn replaced(words: &[Word], place: &str, given: &[Word]) -> Vec<Word> {
    /// Many times many words are no command's.
    const MAX_PLACES: usize = 16;
    /// Of what is put into the middle of a word.
    const MAX_PIECE: usize = 256;
    let (mut all, mut places) = (Vec::new(), 0);
    let unknown = [Word { parts: vec![Part::Given] }];
    for word in words {
        if word.text().as_deref() == Some(place) {
            places += 1;
            all.extend_from_slice(if places <= MAX_PLACES { given } else { &unknown });
            continue;
        }
        let mut other = Word::default();
        for part in word.parts() {
            match part {
                Part::Text(text) if !place.is_empty() && text.contains(place) => {
                    for (at, piece) in text.split(place).enumerate() {
                        if at > 0 {
                            match given {
                                [only] if only.len() <= MAX_PIECE => {
                                    only.parts.iter().for_each(|part| other.push(part.clone()));
                                }
                                _ => other.push(Part::Given),
                            }
                        }
                        other.push(Part::Text(piece.to_owned()));
                    }
                }
                part => other.push(part.clone()),
            }
        }
        all.push(other);
    }
    all
}
