//! What a shell command is: which of its parts counts, what it is for, and how to know it again when it is run
//! once more. Reads only the command's own words; what it printed is the business of `fault` and `verdict`.

use serde::{Deserialize, Serialize};

use crate::given_up;
pub(crate) use crate::purpose::Purpose;
use crate::purpose::purpose_of;
use crate::text::{clip, push_new};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Command {
    pub purpose: Purpose,
    /// Program and subcommand: `cargo test`, `pytest`, `npm run build`.
    pub family: String,
    /// What it was told to work on, without flags. Empty: everything.
    pub targets: Vec<String>,
    /// Flags that make it another thing to pass: a target, features, a namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// The part that counts, as it was written.
    pub shown: String,
    /// A program written on the spot (`python -c`, a here document): its mistakes are not the project's.
    pub ad_hoc: bool,
    /// Its exit code is another program's: `cargo test | tail`.
    pub piped: bool,
    /// A `git push` stands in the same chain.
    pub pushes: bool,
    /// The folder it was run in, where the line changed into one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// The other checks of the same chain, as they were written: what is known of a chain that went well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<(Purpose, String)>,
    /// What git puts back as it was: files, `*` for all of them, `^` before a commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restores: Vec<String>,
}

/// What is kept of a command's own words.
const MAX_SHOWN_BYTES: usize = 160;
const MAX_TARGETS: usize = 6;
/// A longer command is a script; what it is for stands at its beginning.
pub(crate) const MAX_COMMAND_BYTES: usize = 8 * 1024;
const MAX_PARTS: usize = 32;
const MAX_BESIDE: usize = 3;
const MAX_BESIDE_BYTES: usize = 80;

impl Command {
    pub(crate) fn read(command: &str) -> Self {
        Self::read_in(command, None).0
    }

    /// The command that counts, and every check of the line in its order. `root`: the folder the line was run in.
    pub(crate) fn read_in(command: &str, root: Option<&str>) -> (Self, Vec<Self>) {
        let command = &command[..command.floor_char_boundary(MAX_COMMAND_BYTES)];
        let here = command.contains("<<");
        let parts = split(command);
        let mut folder = String::new();
        let mut best: Option<(Self, usize)> = None;
        let mut checks: Vec<Self> = Vec::new();
        let mut pushes = false;
        let mut restores = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let words: Vec<&str> = part.words.iter().map(String::as_str).collect();
            let words = bare(&words);
            let Some(program) = words.first() else { continue };
            if program_name(program) == "cd" {
                folder = words.get(1).map_or_else(String::new, |folder| below(folder, root));
                continue;
            }
            let mut found = classify(words, part);
            pushes |= found.purpose == Purpose::Push;
            found.piped = part.piped;
            if program_name(program) == "git" {
                restored(&found, words, &mut restores);
            }
            found.folder = clip(&folder, 80);
            if found.purpose.checks() && checks.len() < MAX_PARTS {
                checks.push(Self { shown: clip(&part.text, MAX_SHOWN_BYTES), ..found.clone() });
            }
            // Of a formatter and a linter the linter counts, which comes after it.
            let later = |known: &Self| found.purpose == Purpose::Lint && known.purpose == Purpose::Lint;
            if best.as_ref().is_none_or(|(known, _)| found.purpose < known.purpose || later(known)) {
                best = Some((found, at));
            }
        }
        let (mut found, at) = best.unwrap_or_else(|| (Self::unknown(), 0));
        // What sets the stage belongs to the command: `export PGPASSFILE=… && alembic upgrade head`.
        let stage = parts[..at.min(parts.len())]
            .iter()
            .filter(|part| matches!(part.words.first().map(String::as_str), Some("export" | "source" | ".")));
        let shown: Vec<&str> = stage.chain(parts.get(at)).map(|part| part.text.as_str()).collect();
        found.shown = clip(&shown.join(" && "), MAX_SHOWN_BYTES);
        found.ad_hoc |= here && found.purpose == Purpose::Other;
        found.pushes = pushes;
        // What comes after `||` is done where it failed.
        let stashed = command.contains("stash pop") || command.contains("stash apply");
        found.restores = if command.contains("||") || stashed { Vec::new() } else { restores };
        let others = checks.iter().filter(|check| check.key() != found.key() && check.folder == found.folder);
        found.beside = others
            .filter(|check| check.targets.is_empty() && check.shown.len() <= MAX_BESIDE_BYTES)
            .map(|check| (check.purpose, check.shown.clone()))
            .take(MAX_BESIDE)
            .collect();
        (found, checks)
    }

    fn unknown() -> Self {
        Self::of(Purpose::Noise, String::new())
    }

    fn of(purpose: Purpose, family: String) -> Self {
        Self {
            purpose,
            family,
            targets: Vec::new(),
            variant: String::new(),
            shown: String::new(),
            ad_hoc: false,
            piped: false,
            pushes: false,
            folder: String::new(),
            beside: Vec::new(),
            restores: Vec::new(),
        }
    }

    /// Equal for two runs of the same thing, whatever flags, folders of redirection or filters they had.
    pub(crate) fn key(&self) -> String {
        let mut targets = self.targets.clone();
        targets.sort_unstable();
        targets.insert(0, self.family.clone());
        if !self.folder.is_empty() {
            targets.push(self.folder.clone());
        }
        if !self.variant.is_empty() {
            targets.push(self.variant.clone());
        }
        targets.join(" ")
    }
}

/// What a command of git puts back as it was.
fn restored(command: &Command, words: &[&str], into: &mut Vec<String>) {
    let has = |word: &str| words.contains(&word);
    let all = given_up::ALL.to_owned();
    match command.family.as_str() {
        // Another branch, or only what is staged.
        "git checkout" if has("-b") || has("-B") => {}
        "git restore" if has("--staged") && !has("--worktree") => {}
        "git checkout" | "git restore" => {
            // A plain word is a branch, unless two dashes say otherwise.
            let file = |target: &&String| {
                has("--") || command.family == "git restore" || target.contains(['.', '/'])
            };
            into.extend(command.targets.iter().filter(file).cloned());
        }
        "git reset" if has("--hard") => {
            into.push(all);
            let back = command
                .targets
                .iter()
                .any(|target| target.starts_with("HEAD~") || target.starts_with("HEAD^"));
            into.extend(back.then(|| format!("{}HEAD", given_up::COMMIT)));
        }
        "git revert" if !has("--abort") && !has("--quit") => {
            into.extend(command.targets.iter().map(|target| format!("{}{target}", given_up::COMMIT)));
        }
        _ => {}
    }
    into.truncate(MAX_TARGETS);
}

/// A folder as seen from the one the line was run in. Empty: the same one, or one that is not known.
fn below(folder: &str, root: Option<&str>) -> String {
    let folder = folder.trim_end_matches('/');
    if matches!(folder, "-" | "~" | "." | "") {
        return String::new();
    }
    match root.map(|root| root.trim_end_matches('/')) {
        Some(root) if folder == root => String::new(),
        Some(root) => {
            let inside = folder.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
            inside.unwrap_or(folder).to_owned()
        }
        None => folder.to_owned(),
    }
}

struct Part {
    words: Vec<String>,
    text: String,
    /// Its output goes through another program.
    piped: bool,
    /// The file its output goes to.
    into: Option<String>,
}

/// The words of each simple command of a line, without what stands before its program. Also of a here document:
/// what is hidden there is run, too.
pub(crate) fn simple_commands(command: &str) -> Vec<Vec<String>> {
    let command = &command[..command.floor_char_boundary(MAX_COMMAND_BYTES)];
    let words = |part: &Part| {
        let words: Vec<&str> = part.words.iter().map(String::as_str).collect();
        bare(&words).iter().map(|word| (*word).to_owned()).collect()
    };
    split(command).iter().map(words).collect()
}

/// The simple commands of a line, without what follows `<<`.
fn split(command: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut start = 0;
    let mut ends_here = None;
    let mut chars = command.char_indices().peekable();
    let close = |words: &mut Vec<String>, word: &mut String| {
        if !word.is_empty() {
            words.push(std::mem::take(word));
        }
    };
    while let Some((at, char)) = chars.next() {
        if parts.len() >= MAX_PARTS {
            break;
        }
        if let Some(open) = quote {
            if char == open {
                quote = None;
            } else if char == '\\' && open == '"' {
                word.extend(chars.next().map(|(_, next)| next));
            } else {
                word.push(char);
            }
            continue;
        }
        match char {
            '\'' | '"' => {
                quote = Some(char);
                // An empty string is a word, too.
                if matches!(chars.peek(), Some((_, next)) if *next == char) {
                    word.push(' ');
                }
            }
            '\\' => word.extend(chars.next().map(|(_, next)| next).filter(|next| *next != '\n')),
            '#' if word.is_empty() => while chars.next_if(|(_, char)| *char != '\n').is_some() {},
            ';' | '\n' | '|' | '&' => {
                // `2>&1` and `&>` are redirections.
                if char == '&' && (word.ends_with('>') || matches!(chars.peek(), Some((_, '>')))) {
                    word.push(char);
                    continue;
                }
                close(&mut words, &mut word);
                let double =
                    chars.next_if(|(_, next)| *next == char && char != '\n' && char != ';').is_some();
                finish(&mut parts, &mut words, &command[start..at], char == '|' && !double);
                start = at + if double { 2 } else { 1 };
                if ends_here.is_some() && char == '\n' {
                    break;
                }
            }
            '<' if matches!(chars.peek(), Some((_, '<'))) => {
                close(&mut words, &mut word);
                chars.next();
                // The word that ends the document is no word of the command.
                while chars
                    .next_if(|(_, char)| !char.is_whitespace() && *char != '|' && *char != ';')
                    .is_some()
                {}
                ends_here = Some(at);
            }
            '(' | ')' if word.is_empty() || char == ')' => close(&mut words, &mut word),
            char if char.is_whitespace() => close(&mut words, &mut word),
            char => word.push(char),
        }
    }
    close(&mut words, &mut word);
    if start <= command.len() {
        finish(&mut parts, &mut words, &command[start..], false);
    }
    parts
}

fn finish(parts: &mut Vec<Part>, words: &mut Vec<String>, text: &str, piped: bool) {
    let mut into = None;
    let mut kept = Vec::with_capacity(words.len());
    let mut taken = std::mem::take(words).into_iter();
    while let Some(word) = taken.next() {
        let bare = word.trim_start_matches(|char: char| char.is_ascii_digit() || char == '&');
        if let Some(file) = bare.strip_prefix('>') {
            let file = file.trim_start_matches('>');
            let file = if file.is_empty() { taken.next() } else { Some(file.to_owned()) };
            into = file.filter(|file| !file.starts_with('&') && !file.starts_with("/dev/")).or(into);
        } else if bare.starts_with('<') {
            if bare.len() == 1 {
                taken.next();
            }
        } else {
            kept.push(word);
        }
    }
    if !kept.is_empty() {
        let text = text.lines().next().unwrap_or(text);
        parts.push(Part { words: kept, text: shown(text), piped, into });
    }
}

/// As a person would type it: without redirections at its end.
fn shown(text: &str) -> String {
    let mut text = text.trim().trim_start_matches(['(', '{']).trim();
    for ending in ["2>&1", ">/dev/null", "> /dev/null", "2>/dev/null", "2> /dev/null", "&>/dev/null"] {
        text = text.strip_suffix(ending).unwrap_or(text).trim_end();
    }
    text.split_once("<<").map_or(text, |(before, _)| before).trim().to_owned()
}

/// Programs and words of the shell that only run what follows them.
const RUNNERS: &[&str] = &[
    "sudo", "time", "nohup", "exec", "env", "npx", "bunx", "then", "do", "else", "!", "xvfb-run", "command",
    "builtin", "stdbuf", "nice", "corepack",
];

/// Without variables and the programs that only run another one.
fn bare<'a>(mut words: &'a [&'a str]) -> &'a [&'a str] {
    loop {
        let Some(first) = words.first() else { return words };
        let assignment = first
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(crate::text::is_word));
        let second = words.get(1).copied().unwrap_or("");
        let program = program_name(first);
        let skip = match (program, second) {
            _ if assignment || RUNNERS.contains(&program) => 1,
            (
                "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch" | "doppler" | "op" | "dotenvx"
                | "infisical",
                "run",
            )
            | ("bundle" | "pnpm" | "yarn" | "npm" | "mise" | "direnv", "exec")
            | ("mise" | "bun", "x")
            | ("pnpm" | "yarn", "dlx")
            | ("python" | "python3", "-m")
            | ("timeout", _) => 2,
            ("docker" | "podman" | "docker-compose", "exec") | ("docker-compose", "run") => {
                return inside_container(words, 2);
            }
            ("docker" | "podman", "compose") if matches!(words.get(2), Some(&("exec" | "run"))) => {
                return inside_container(words, 3);
            }
            _ => return words,
        };
        words = &words[skip.min(words.len())..];
        // Flags of the program that runs another one.
        while words.len() > 1 && words[0].starts_with('-') {
            words = &words[1..];
        }
    }
}

/// The command run in a container, if one is named after it.
fn inside_container<'a>(words: &'a [&'a str], from: usize) -> &'a [&'a str] {
    let rest = &words[from..];
    let name = rest.iter().position(|word| !word.starts_with('-')).unwrap_or(rest.len());
    match rest.get(name + 1..) {
        Some(inner) if !inner.is_empty() => bare(inner),
        _ => words,
    }
}

fn program_name(word: &str) -> &str {
    let name = crate::text::file_name(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn classify(words: &[&str], part: &Part) -> Command {
    let program = program_name(words[0]);
    let mut plain: Vec<&str> = Vec::new();
    let mut rest = words[1..].iter().copied();
    while let Some(word) = rest.next() {
        if takes_value(program, word) {
            rest.next();
        } else if !word.starts_with(['-', '+']) {
            plain.push(word);
        }
    }
    let sub = plain.first().copied().unwrap_or("");
    let (purpose, depth) = purpose_of(program, sub, &plain, words);
    let purpose = if purpose > Purpose::Rewrite && part.into.is_some() { Purpose::Rewrite } else { purpose };
    let mut family = program.to_owned();
    for word in plain.iter().take(depth) {
        family.push(' ');
        family.push_str(&clip(word, 40));
    }
    let mut found = Command::of(purpose, family);
    found.ad_hoc = words[1..].iter().any(|word| matches!(*word, "-c" | "-e" | "-"))
        && matches!(
            program,
            "python" | "python3" | "node" | "perl" | "ruby" | "bash" | "sh" | "zsh" | "php" | "deno"
        );
    // A package or project named by a flag is what the command is about; its own flags are not.
    let mut rest = words[1..].iter().copied();
    let mut skipped = 0;
    while let Some(word) = rest.next() {
        if matches!(
            word,
            "-p" | "--package"
                | "--filter"
                | "--workspace"
                | "-w"
                | "--test"
                | "-k"
                | "--project"
                | "-t"
                | "--bin"
        ) {
            // Of an installation, the package it is for is not what is installed.
            if let Some(name) = rest.next().filter(|_| purpose != Purpose::Package) {
                push_new(&mut found.targets, &clip(name, 80), MAX_TARGETS);
            }
        } else if is_variant(program, word) {
            let takes_value = !word.contains('=')
                && !matches!(word, "--release" | "--all-features" | "--no-default-features");
            let value = if takes_value { rest.next().unwrap_or("") } else { "" };
            found.variant = clip(format!("{} {word} {value}", found.variant).trim(), 120);
        } else if matches!(
            word,
            "-m" | "--message" | "-F" | "-f" | "-o" | "-j" | "-n" | "-u" | "-H" | "-d" | "-X"
        ) {
            rest.next();
        } else if !word.starts_with(['-', '+']) {
            if skipped < depth {
                skipped += 1;
            } else {
                push_new(&mut found.targets, &clip(word, 80), MAX_TARGETS);
            }
        }
    }
    if let Some(file) = &part.into {
        push_new(&mut found.targets, &clip(file, 160), MAX_TARGETS);
    }
    found
}

fn is_variant(program: &str, flag: &str) -> bool {
    let name = flag.split('=').next().unwrap_or(flag);
    match program {
        "cargo" => matches!(
            name,
            "--target"
                | "--features"
                | "--profile"
                | "--release"
                | "--all-features"
                | "--no-default-features"
        ),
        "kubectl" | "oc" | "helm" => matches!(name, "-n" | "--namespace" | "--context"),
        _ => false,
    }
}

/// Flags that are followed by what they are about, before the word that says what is done.
fn takes_value(program: &str, flag: &str) -> bool {
    match program {
        "kubectl" | "oc" | "helm" => {
            matches!(flag, "-n" | "--namespace" | "--context" | "-f" | "--kubeconfig" | "-l" | "-o" | "-c")
        }
        "docker" | "podman" | "docker-compose" | "make" => {
            matches!(flag, "-f" | "--file" | "-C" | "-p" | "--context")
        }
        "pnpm" | "npm" | "yarn" | "bun" => {
            matches!(flag, "--filter" | "-F" | "-w" | "--workspace" | "--prefix" | "-C" | "--dir" | "--cwd")
        }
        "cargo" => matches!(flag, "-p" | "--package" | "--manifest-path"),
        "git" => matches!(flag, "-C" | "-c"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, purpose: Purpose, key: &str) {
        let read = Command::read(command);
        assert_eq!((read.purpose, read.key().as_str()), (purpose, key), "{command}: {read:?}");
    }

    #[test]
    fn the_part_that_counts_is_found_and_known_again() {
        check("cargo test -p store journal 2>&1 | tail -30", Purpose::Test, "cargo test journal store");
        check(
            "RUST_BACKTRACE=1 cargo test -p store journal -- --nocapture",
            Purpose::Test,
            "cargo test journal store",
        );
        check("cd crates/store && cargo check", Purpose::Build, "cargo check crates/store");
        check(
            "python -m pytest tests/test_a.py::test_b -x -q",
            Purpose::Test,
            "pytest tests/test_a.py::test_b",
        );
        check("uv run pytest", Purpose::Test, "pytest");
        check("npx vitest run src/a.test.ts", Purpose::Test, "vitest run src/a.test.ts");
        check("npm run build --silent", Purpose::Build, "npm run build");
        check("pnpm typecheck", Purpose::Build, "pnpm typecheck");
        check("git add -A && git commit -m 'fix: a && b' && git push", Purpose::Commit, "git commit");
        check("docker compose exec -T api pytest -q", Purpose::Test, "pytest");
        check("sqlx migrate run", Purpose::Migrate, "sqlx migrate run");
        check("ls -la | head", Purpose::Look, "head");
        check("grep -rn 'foo|bar' src", Purpose::Search, "grep foo|bar src");
        check("sed -i 's/a/b/' Cargo.toml", Purpose::Rewrite, "sed Cargo.toml s/a/b/");
        check("psql -c 'select 1'", Purpose::Probe, "psql select 1");
        check("./gradlew test", Purpose::Test, "gradlew test");
        check("", Purpose::Noise, "");
        check("# only a comment", Purpose::Noise, "");
    }

    #[test]
    fn a_program_written_on_the_spot_is_told_apart() {
        assert!(Command::read("python3 - <<'EOF'\nimport os; os.nothing\nEOF").ad_hoc);
        assert!(Command::read("node -e 'x'").ad_hoc);
        assert!(!Command::read("node scripts/seed.js").ad_hoc);
        let write = Command::read("cat > notes.md <<'EOF'\ncargo test\nEOF");
        assert_eq!((write.purpose, write.targets), (Purpose::Rewrite, vec!["notes.md".to_owned()]));
    }

    #[test]
    fn another_target_is_another_command() {
        check(
            "cargo test -p store --target x86_64-apple-darwin",
            Purpose::Test,
            "cargo test store --target x86_64-apple-darwin",
        );
        check(
            "kubectl -n staging set image deployment/worker a=b",
            Purpose::Operate,
            "kubectl set a=b deployment/worker image -n staging",
        );
        assert_eq!(Command::read("cargo add serde@1 -p store").targets, ["serde@1"]);
    }

    #[test]
    fn a_command_is_shown_as_a_person_would_type_it() {
        assert_eq!(Command::read("cd a && cargo test -q 2>&1 | tail").shown, "cargo test -q");
        assert_eq!(Command::read("export A=b && cd x && make test").shown, "export A=b && make test");
        assert!(Command::read("cargo test 2>&1 | tail").piped);
        assert!(Command::read("git commit -m x && git push origin main").pushes);
    }
}
