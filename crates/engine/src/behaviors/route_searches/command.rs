//! What a shell command searches for: read as a shell would split it, never run. What cannot be told from the text alone
//! (substitutions, variables) is not guessed.

/// Commands within a command (`sh -c`), not more.
const MAX_DEPTH: usize = 2;
/// A longer command is a program.
const MAX_BYTES: usize = 16 * 1024;
const MAX_PATTERNS: usize = 4;

/// Programs that search files, and their options that take a word of their own.
const SEARCHERS: &[(&[&str], &[&str])] = &[
    (
        &["grep", "egrep", "fgrep", "zgrep"],
        &[
            "-A",
            "-B",
            "-C",
            "-m",
            "-f",
            "-d",
            "-D",
            "--include",
            "--exclude",
            "--exclude-dir",
            "--max-count",
            "--context",
            "--file",
            "--label",
        ],
    ),
    (
        &["rg", "ripgrep"],
        &[
            "-A",
            "-B",
            "-C",
            "-m",
            "-f",
            "-g",
            "-t",
            "-T",
            "-j",
            "-r",
            "-E",
            "-M",
            "-d",
            "--glob",
            "--iglob",
            "--type",
            "--type-not",
            "--max-count",
            "--context",
            "--max-depth",
            "--replace",
            "--sort",
            "--sortr",
            "--threads",
            "--encoding",
            "--max-columns",
            "--colors",
            "--color",
            "--max-filesize",
            "--type-add",
            "--engine",
            "--pre",
            "--file",
        ],
    ),
    (
        &["ag", "ack"],
        &[
            "-A",
            "-B",
            "-C",
            "-m",
            "-G",
            "-g",
            "-p",
            "--ignore",
            "--ignore-dir",
            "--depth",
            "--max-count",
            "--type",
            "--file-search-regex",
        ],
    ),
];

/// Words before a command that change who or how, not what.
const PREFIXES: &[&str] =
    &["command", "exec", "nohup", "builtin", "then", "do", "else", "if", "while", "!", "{", "("];

/// Programs that run another: their options that take a word of their own, and how many words come before the command.
const RUNNERS: &[(&str, &[&str], usize)] = &[
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "--user", "--group"], 0),
    ("time", &["-f", "-o", "--format", "--output"], 0),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n", "--class", "--classdata"], 0),
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
];

/// What a command looks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Looked {
    /// In files.
    pub(super) patterns: Vec<String>,
    /// Files by their whole name.
    pub(super) files: Vec<String>,
}

pub(super) fn looked_for(command: &str) -> Looked {
    let mut found = Looked::default();
    if command.len() <= MAX_BYTES {
        read(command, 0, &mut found);
    }
    found.patterns.truncate(MAX_PATTERNS);
    found.files.truncate(MAX_PATTERNS);
    found
}

fn read(command: &str, depth: usize, found: &mut Looked) {
    for pipeline in split(command) {
        for (at, words) in pipeline.iter().enumerate() {
            let words: Vec<Option<&str>> = words.iter().map(Option::as_deref).collect();
            // Behind a pipe a grep looks through what another program says, and that is no search of files.
            one(&words, at == 0, depth, found);
        }
    }
}

fn is_prefix(word: &str) -> bool {
    PREFIXES.contains(&word) || word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Without what stands before a command.
fn without_prefixes<'a>(words: &'a [Option<&'a str>]) -> &'a [Option<&'a str>] {
    let mut rest = words;
    while let Some((Some(word), after)) = rest.split_first() {
        let base = word.rsplit('/').next().unwrap_or(word);
        if let Some((_, with_word, more)) = RUNNERS.iter().find(|(name, ..)| *name == base) {
            rest = after;
            while let Some((Some(option), after)) = rest.split_first()
                && option.len() > 1
                && option.starts_with('-')
            {
                let taken = usize::from(with_word.contains(option)).min(after.len());
                rest = &after[taken..];
            }
            rest = &rest[(*more).min(rest.len())..];
        } else if is_prefix(word) {
            rest = after;
        } else {
            break;
        }
    }
    rest
}

/// One simple command. A word that only a shell could know is `None`.
fn one(words: &[Option<&str>], is_first: bool, depth: usize, found: &mut Looked) {
    let rest = without_prefixes(words);
    let Some((Some(program), arguments)) = rest.split_first() else { return };
    let program = program.rsplit('/').next().unwrap_or(program);
    match program {
        "git" => {
            let at = arguments.iter().position(|word| *word == Some("grep"));
            if let Some(at) = at
                .filter(|at| arguments[..*at].iter().flatten().all(|w| w.starts_with('-') || w.contains('/')))
            {
                searched("grep", &arguments[at + 1..], &mut found.patterns);
            }
        }
        "xargs" | "parallel" => {
            let at = arguments.iter().position(|word| word.is_some_and(|word| searcher(word).is_some()));
            if let Some(at) = at {
                searched(arguments[at].unwrap_or_default(), &arguments[at + 1..], &mut found.patterns);
            }
        }
        "find" | "fd" => {
            let exec = arguments.iter().position(|word| matches!(word, Some("-exec" | "-execdir" | "-x")));
            if let Some(at) = exec {
                one(&arguments[at + 1..], true, depth, found);
            }
            if program == "find" {
                let named = arguments.windows(2).filter(|pair| matches!(pair[0], Some("-name" | "-iname")));
                // A pattern of names says nothing of what is wanted in them.
                let whole =
                    named.filter_map(|pair| pair[1]).filter(|name| !name.contains(['*', '?', '[', '/']));
                found.files.extend(whole.map(str::to_owned));
            }
        }
        "sh" | "bash" | "zsh" | "dash" if depth < MAX_DEPTH => {
            let at = arguments.iter().position(|word| matches!(word, Some("-c" | "-lc" | "-ec")));
            if let Some(Some(script)) = at.and_then(|at| arguments.get(at + 1)) {
                read(script, depth + 1, found);
            }
        }
        _ if is_first || arguments.iter().flatten().any(|word| *word == "-r" || *word == "-R") => {
            searched(program, arguments, &mut found.patterns);
        }
        _ => {}
    }
}

fn searcher(program: &str) -> Option<&'static [&'static str]> {
    let program = program.rsplit('/').next().unwrap_or(program);
    SEARCHERS.iter().find(|(names, _)| names.contains(&program)).map(|(_, options)| *options)
}

/// The pattern among a searcher's arguments.
fn searched(program: &str, arguments: &[Option<&str>], found: &mut Vec<String>) {
    let Some(with_word) = searcher(program) else { return };
    let (mut at, mut given, mut first) = (0, Vec::new(), None);
    let mut options = true;
    while let Some(word) = arguments.get(at) {
        at += 1;
        let Some(word) = *word else {
            // What the shell puts there may be the pattern: then it is not known.
            if first.is_none() && given.is_empty() {
                return;
            }
            continue;
        };
        if options && word == "--" {
            options = false;
        } else if options && (word == "-e" || word == "--regexp") {
            given.extend(arguments.get(at).copied().flatten());
            at += 1;
        } else if options && let Some(pattern) = word.strip_prefix("--regexp=") {
            given.push(pattern);
        } else if options && word.len() > 1 && word.starts_with('-') {
            let takes = with_word.contains(&word);
            // `-ne pattern`: the last of several letters takes the word.
            let bundled = !word.starts_with("--")
                && word.len() > 2
                && word.ends_with('e')
                && word[1..].bytes().all(|b| b.is_ascii_alphabetic());
            if bundled {
                given.extend(arguments.get(at).copied().flatten());
            }
            at += usize::from(takes || bundled);
        } else if first.is_none() {
            first = Some(word);
        }
    }
    if given.is_empty() {
        given.extend(first);
    }
    found.extend(given.into_iter().filter(|pattern| !pattern.is_empty()).map(str::to_owned));
}

type Words = Vec<Option<String>>;

/// The word that is being read.
enum Word {
    /// Between two words.
    None,
    Known(String),
    /// Only a shell could say.
    Unknown,
}

impl Word {
    fn begin(&mut self) {
        if matches!(self, Self::None) {
            *self = Self::Known(String::new());
        }
    }

    fn push(&mut self, c: char) {
        self.begin();
        if let Self::Known(text) = self {
            text.push(c);
        }
    }

    fn end(&mut self, lines: &mut [Vec<Words>]) {
        let word = match std::mem::replace(self, Self::None) {
            Self::None => return,
            Self::Known(text) => Some(text),
            Self::Unknown => None,
        };
        if let Some(words) = lines.last_mut().and_then(|line| line.last_mut()) {
            words.push(word);
        }
    }
}

/// Pipelines of simple commands of words.
fn split(command: &str) -> Vec<Vec<Words>> {
    let mut lines: Vec<Vec<Words>> = vec![vec![Vec::new()]];
    let mut word = Word::None;
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                word.begin();
                for c in rest.by_ref().take_while(|c| *c != '\'') {
                    word.push(c);
                }
            }
            '"' => {
                word.begin();
                while let Some(c) = rest.next() {
                    match c {
                        '"' => break,
                        '\\' => match rest.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some('\n') | None => {}
                            Some(c) => {
                                word.push('\\');
                                word.push(c);
                            }
                        },
                        // `foo$` ends a pattern; `$x` is the shell's.
                        '$' if rest
                            .peek()
                            .is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '{' | '('))) =>
                        {
                            word.push('$');
                        }
                        '$' | '`' => word = Word::Unknown,
                        c => word.push(c),
                    }
                }
            }
            '\\' => match rest.next() {
                Some('\n') | None => {}
                Some(c) => word.push(c),
            },
            '$' if rest.peek().is_none_or(|c| c.is_whitespace()) => word.push('$'),
            '$' | '`' => {
                word = Word::Unknown;
                skip(c, &mut rest);
            }
            ' ' | '\t' => word.end(&mut lines),
            '#' if matches!(word, Word::None) => for _ in rest.by_ref().take_while(|c| *c != '\n') {},
            '|' | '&' | ';' | '\n' | '(' | ')' => {
                // `2>&1` and `&>` redirect.
                if c == '&'
                    && (matches!(&word, Word::Known(w) if w.ends_with('>')) || rest.peek() == Some(&'>'))
                {
                    word.push(c);
                    continue;
                }
                word.end(&mut lines);
                let twice = rest.peek() == Some(&c);
                if twice {
                    rest.next();
                }
                if c == '|' && !twice {
                    if let Some(line) = lines.last_mut() {
                        line.push(Vec::new());
                    }
                } else {
                    lines.push(vec![Vec::new()]);
                }
            }
            c => word.push(c),
        }
    }
    word.end(&mut lines);
    for line in &mut lines {
        for words in line.iter_mut() {
            drop_redirections(words);
        }
    }
    lines
}

/// Over `$(…)` or `` `…` ``, which is not read.
fn skip(sign: char, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if sign == '`' {
        for _ in rest.by_ref().take_while(|c| *c != '`') {}
        return;
    }
    if rest.peek() != Some(&'(') {
        return;
    }
    let mut depth = 0;
    for c in rest.by_ref() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

fn drop_redirections(words: &mut Words) {
    let mut at = 0;
    while at < words.len() {
        let sign = words[at]
            .as_deref()
            .map(|word| word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&'));
        let redirects = sign.is_some_and(|word| word.starts_with('>') || word.starts_with('<'));
        if redirects {
            let alone = sign.is_some_and(|word| word.trim_start_matches(['>', '<', '&', '|']).is_empty());
            words.remove(at);
            if alone && at < words.len() {
                words.remove(at);
            }
        } else {
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_searches_for_is_read_from_it() {
        for (command, sought) in [
            ("grep -rn \"parse_config\" src/", &["parse_config"][..]),
            ("rg 'fn (open|close)' -t rust", &["fn (open|close)"]),
            ("rg -t py -g '!tests' --max-count 3 parse_config src", &["parse_config"]),
            ("grep -A3 -B 2 -e foo_bar -e baz_qux file.py", &["foo_bar", "baz_qux"]),
            ("grep -rne 'foo_bar' .", &["foo_bar"]),
            ("cd sub && git grep -n parse_config -- '*.py'", &["parse_config"]),
            ("git -C /x grep parse_config", &["parse_config"]),
            ("find . -name '*.py' | xargs grep -l parse_config", &["parse_config"]),
            ("find . -type f -exec grep -n parse_config {} \\;", &["parse_config"]),
            ("ag --ignore dist parse_config", &["parse_config"]),
            ("sudo FOO=1 /usr/bin/rg parse_config 2>/dev/null | head -5", &["parse_config"]),
            ("bash -c \"rg 'parse_config' src\"", &["parse_config"]),
            ("timeout 5 rg parse_config", &["parse_config"]),
            ("timeout -k 1 -s KILL 5s grep -rn parse_config .", &["parse_config"]),
            ("nice -n 10 rg parse_config", &["parse_config"]),
            ("nice -10 rg parse_config", &["parse_config"]),
            ("time -p rg parse_config", &["parse_config"]),
            ("env -u HOME X=1 rg parse_config", &["parse_config"]),
            ("sudo -u ana nice timeout 5 /usr/bin/rg parse_config", &["parse_config"]),
            ("rg \"parse_config\\(\" && echo done", &["parse_config\\("]),
            ("grep -r 'it'\\''s' .", &["it's"]),
            ("rg foo_bar # and why", &["foo_bar"]),
            ("grep -rn \"foo_bar$\" src 2>&1", &["foo_bar$"]),
        ] {
            assert_eq!(looked_for(command).patterns, sought, "{command}");
        }
    }

    #[test]
    fn a_file_is_looked_for_by_its_whole_name() {
        let files = |command: &str| looked_for(command).files;
        assert_eq!(files("find . -name 'parser.py' -type f"), ["parser.py"]);
        assert_eq!(files("timeout 9 find src -iname lexer.rs"), ["lexer.rs"]);
        for pattern in
            ["find . -name '*.rs'", "find . -name 'user_service*' -type f", "find . -name '[ab].py'"]
        {
            assert_eq!(looked_for(pattern), Looked::default(), "{pattern}");
        }
    }

    #[test]
    fn what_is_no_search_of_files_or_cannot_be_known_is_passed_over() {
        for command in [
            "ps aux | grep throughline",
            "git log --oneline | grep fix",
            "cargo test 2>&1 | grep -E 'FAILED|panicked'",
            "echo grep foo_bar",
            "rg \"$NAME\" src",
            "grep -r $(cat names) .",
            "rg `whoami`",
            "ls -la; cat grep.txt",
            "",
            "'",
            "rg \"unterminated",
            "git commit -m 'grep for parse_config'",
        ] {
            let found = looked_for(command).patterns;
            assert!(found.is_empty() || command.contains("unterminated"), "{command}: {found:?}");
        }
        assert_eq!(looked_for(&"rg x;".repeat(100_000)), Looked::default(), "bounded");
    }
}
