//! What a shell command is: which of its parts counts, what it is for, and how to know it again when it is run
//! once more. Reads only the command's own words; what it printed is the business of `fault` and `verdict`.

use serde::{Deserialize, Serialize};

use crate::text::{clip, push_new};

/// What a command is for, the most telling first: of a chain of commands the first kind of this list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Purpose {
    Test,
    Commit,
    /// Merge, rebase, cherry-pick, revert.
    Merge,
    /// Something leaves the machine: publish, release, pull request, deployment.
    Release,
    Migrate,
    Push,
    Build,
    Lint,
    Audit,
    Package,
    /// Changes the state of a container, cluster, service or database.
    Operate,
    Serve,
    /// Writes a file by a command: `sed -i`, `cat >`, `git mv`.
    Rewrite,
    Other,
    /// Asks a running thing: curl, psql with SELECT, `docker logs`.
    Probe,
    Search,
    Look,
    Noise,
}

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
}

/// What is kept of a command's own words.
const MAX_SHOWN_BYTES: usize = 160;
const MAX_TARGETS: usize = 6;
/// A longer command is a script; what it is for stands at its beginning.
const MAX_COMMAND_BYTES: usize = 8 * 1024;
const MAX_PARTS: usize = 32;

impl Command {
    pub(crate) fn read(command: &str) -> Self {
        let command = &command[..command.floor_char_boundary(MAX_COMMAND_BYTES)];
        let here = command.contains("<<");
        let parts = split(command);
        let mut folder = None;
        let mut best: Option<(Self, usize)> = None;
        let mut pushes = false;
        for (at, part) in parts.iter().enumerate() {
            let words: Vec<&str> = part.words.iter().map(String::as_str).collect();
            let words = bare(&words);
            let Some(program) = words.first() else { continue };
            if program_name(program) == "cd" {
                folder = words.get(1).map(|folder| (*folder).to_owned());
                continue;
            }
            let mut found = classify(words, part);
            pushes |= found.purpose == Purpose::Push;
            found.piped = part.piped;
            if let Some(folder) = folder.as_deref().filter(|folder| !matches!(*folder, "-" | "~")) {
                push_new(&mut found.targets, &clip(folder, 80), MAX_TARGETS);
            }
            if best.as_ref().is_none_or(|(known, _)| found.purpose < known.purpose) {
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
        found
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
        }
    }

    /// Equal for two runs of the same thing, whatever flags, folders of redirection or filters they had.
    pub(crate) fn key(&self) -> String {
        let mut targets = self.targets.clone();
        targets.sort_unstable();
        targets.insert(0, self.family.clone());
        if !self.variant.is_empty() {
            targets.push(self.variant.clone());
        }
        targets.join(" ")
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
            ("uv" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch", "run")
            | ("bundle" | "pnpm" | "yarn" | "npm" | "mise" | "direnv", "exec")
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

/// The purpose, and how many plain words belong to the command's name.
fn purpose_of(program: &str, sub: &str, plain: &[&str], words: &[&str]) -> (Purpose, usize) {
    #[allow(clippy::enum_glob_use, reason = "a table of every purpose")]
    use Purpose::*;
    match program {
        "cargo" => match sub {
            "test" | "t" | "nextest" | "llvm-cov" | "bench" | "miri" | "tarpaulin" | "insta" => (Test, 1),
            "build" | "b" | "check" | "c" | "run" | "r" | "rustc" | "doc" => (Build, 1),
            "clippy" | "fmt" => (Lint, 1),
            "add" | "remove" | "update" | "install" | "upgrade" => (Package, 1),
            "publish" => (Release, 1),
            "audit" | "deny" => (Audit, 1),
            "sqlx" => (Migrate, 2),
            "tree" | "metadata" | "search" | "info" => (Look, 1),
            _ => (Other, 2),
        },
        "pytest" | "py.test" | "tox" | "nox" | "unittest" | "jest" | "vitest" | "mocha" | "ava" | "rspec"
        | "phpunit" | "ctest" | "bats" | "karma" | "pest" | "behave" => (Test, 0),
        "playwright" | "cypress" | "rails" | "rake" | "rails6" | "mix" | "dotnet" | "swift" | "bazel"
        | "sbt" | "deno" | "zig" | "flutter" | "dart" | "bundle" | "lein" | "stack" | "cabal" | "elixir"
        | "artisan" | "composer" | "make" | "just" | "task" | "gmake" | "invoke" | "nx" | "turbo"
        | "lerna" | "moon" => script(program, sub, plain),
        "python" | "python3" | "php"
            if plain.first().is_some_and(|file| file.ends_with("manage.py") || file.ends_with("artisan")) =>
        {
            let (purpose, _) = script(program, plain.get(1).copied().unwrap_or(""), &plain[1..]);
            (purpose, 2)
        }
        "npm" | "pnpm" | "yarn" | "bun" => match sub {
            "test" | "t" => (Test, 1),
            "run" | "run-script" => (script_named(plain.get(1).copied().unwrap_or("")), 2),
            "install" | "i" | "ci" | "add" | "remove" | "uninstall" | "rm" | "up" | "update" | "upgrade"
            | "dedupe" => (Package, 1),
            "publish" | "version" => (Release, 1),
            "audit" => (Audit, 1),
            "ls" | "list" | "view" | "info" | "outdated" | "why" | "config" => (Look, 1),
            "start" => (Serve, 1),
            "" if program == "yarn" || program == "npm" => (Package, 0),
            name => (script_named(name), 1),
        },
        "tsc" | "webpack" | "esbuild" | "rollup" | "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++"
        | "javac" | "rustc" | "ninja" | "meson" | "cmake" | "tsup" | "swc" | "babel" | "parcel"
        | "kotlinc" | "scalac" | "ghc" | "vue-tsc" | "wasm-pack" | "trunk" | "hugo" | "mkdocs" | "mdbook" => {
            (Build, 0)
        }
        "vite" | "next" | "nuxt" | "astro" | "remix" | "ng" | "expo" | "gatsby" => match sub {
            "dev" | "start" | "serve" | "preview" | "" => (Serve, 1),
            _ => (script_named(sub), 1),
        },
        "eslint" | "prettier" | "biome" | "ruff" | "flake8" | "black" | "isort" | "mypy" | "pyright"
        | "pylint" | "golangci-lint" | "rubocop" | "shellcheck" | "hadolint" | "stylelint" | "ktlint"
        | "rustfmt" | "gofmt" | "clang-tidy" | "clang-format" | "phpstan" | "psalm" | "tflint"
        | "yamllint" | "markdownlint" | "actionlint" | "pre-commit" | "checkstyle" | "detekt" | "oxlint"
        | "standard" | "ty" | "pyre" => (Lint, 0),
        "go" => match sub {
            "test" => (Test, 1),
            "build" | "run" | "generate" | "install" => (Build, 1),
            "vet" | "fmt" => (Lint, 1),
            "get" | "mod" | "work" => (Package, 1),
            _ => (Look, 1),
        },
        "mvn" | "mvnw" | "gradle" | "gradlew" => {
            let tests = plain.iter().any(|word| {
                word.to_ascii_lowercase().contains("test") || matches!(*word, "verify" | "check")
            });
            (if tests { Test } else { Build }, 1)
        }
        "git" => git(sub, plain, words),
        "gh" | "glab" => match (sub, plain.get(1).copied().unwrap_or("")) {
            (
                "pr" | "mr" | "release" | "issue" | "repo",
                "create" | "merge" | "close" | "edit" | "comment" | "review",
            ) => (Release, 2),
            _ => (Look, 2),
        },
        "docker" | "podman" | "docker-compose" => match sub {
            "build" | "buildx" => (Build, 1),
            "push" => (Release, 1),
            "ps" | "images" | "inspect" | "version" | "info" | "stats" | "top" | "port" => (Look, 1),
            "logs" | "events" => (Probe, 1),
            "compose" => match plain.get(1).copied().unwrap_or("") {
                "build" => (Build, 2),
                "ps" | "config" | "images" | "top" | "ls" => (Look, 2),
                "logs" => (Probe, 2),
                _ => (Operate, 2),
            },
            _ => (Operate, 1),
        },
        "kubectl" | "oc" | "helm" => match sub {
            "get" | "describe" | "list" | "ls" | "status" | "explain" | "config" | "version" | "top"
            | "template" | "history" | "diff" => (Look, 1),
            "logs" | "events" => (Probe, 1),
            "port-forward" | "proxy" => (Serve, 1),
            "rollout" if !matches!(plain.get(1).copied(), Some("restart" | "undo" | "pause" | "resume")) => {
                (Look, 2)
            }
            "rollout" => (Operate, 2),
            _ => (Operate, 1),
        },
        "terraform" | "tofu" | "pulumi" => match sub {
            "apply" | "up" | "destroy" | "import" => (Operate, 1),
            "validate" | "fmt" => (Lint, 1),
            _ => (Look, 1),
        },
        "systemctl" | "service" | "launchctl" | "supervisorctl" | "pm2" => match sub {
            "status" | "list" | "is-active" | "show" | "list-units" => (Look, 1),
            _ => (Operate, 1),
        },
        "ansible-playbook" | "fly" | "flyctl" | "vercel" | "netlify" | "heroku" | "serverless" | "sls"
        | "cdk" | "eb" | "wrangler" | "railway" | "firebase" => match sub {
            "logs" | "status" | "list" | "ps" | "info" => (Probe, 1),
            "" if program == "fly" => (Look, 0),
            _ => (Operate, 1),
        },
        "aws" | "gcloud" | "az" => {
            let reads = plain.iter().any(|word| {
                ["describe", "list", "get", "ls", "show", "tail"].iter().any(|verb| word.starts_with(verb))
            });
            (if reads { Probe } else { Operate }, 2)
        }
        "alembic" | "flyway" | "dbmate" | "goose" | "liquibase" | "sqitch" | "atlas" | "sqlx" | "diesel"
        | "refinery" => (Migrate, 1),
        "prisma" | "knex" | "typeorm" | "sequelize" | "drizzle-kit" => match sub {
            "generate" | "format" | "validate" => (Build, 1),
            _ => (Migrate, 2),
        },
        "psql" | "mysql" | "mariadb" | "sqlite3" | "redis-cli" | "mongosh" | "mongo" | "duckdb"
        | "clickhouse-client" | "bq" => (if changes_data(words) { Operate } else { Probe }, 0),
        "uvicorn" | "gunicorn" | "hypercorn" | "nodemon" | "http.server" | "streamlit" | "jupyter"
        | "puma" | "caddy" | "nginx" => (Serve, 0),
        "flask" | "fastapi" => (if sub == "db" { Migrate } else { Serve }, 1),
        "pip" | "pip3" | "uv" | "poetry" | "pipenv" | "pdm" | "apt" | "apt-get" | "brew" | "gem"
        | "conda" | "mamba" | "dnf" | "yum" | "apk" | "pacman" | "rustup" | "nvm" | "pyenv" | "asdf"
        | "mise" | "choco" | "winget" | "nix" | "opam" => match sub {
            "list" | "show" | "freeze" | "search" | "info" | "tree" | "which" | "current" => (Look, 1),
            "check" => (Lint, 1),
            "publish" => (Release, 1),
            _ => (Package, 1),
        },
        "curl" | "wget" | "http" | "https" | "httpie" | "xh" | "grpcurl" | "nc" | "telnet" | "ping"
        | "dig" | "nslookup" | "openssl" | "journalctl" | "dmesg" | "strace" | "perf" | "lsof"
        | "netstat" | "ss" | "hyperfine" | "ab" | "wrk" | "k6" => (Probe, 0),
        "rg" | "grep" | "egrep" | "fgrep" | "ag" | "ack" | "find" | "fd" | "fdfind" | "locate"
        | "ast-grep" | "sg" => (Search, 0),
        "sed" | "perl" => {
            let writes = words
                .iter()
                .any(|word| word.starts_with("-i") || word.starts_with("-pi") || *word == "--in-place");
            (if writes { Rewrite } else { Look }, 0)
        }
        "cat" | "head" | "tail" | "less" | "more" | "bat" | "nl" | "wc" | "awk" | "jq" | "yq" | "cut"
        | "sort" | "uniq" | "diff" | "cmp" | "xxd" | "hexdump" | "file" | "stat" | "tree" | "du" | "df"
        | "strings" | "nm" | "objdump" | "column" | "tr" => (Look, 0),
        "tee" | "mv" | "patch" => (Rewrite, 0),
        "ls" | "pwd" | "echo" | "printf" | "true" | "false" | "sleep" | "which" | "type" | "date"
        | "whoami" | "id" | "uname" | "test" | "[" | "[[" | "clear" | "history" | "export" | "set"
        | "source" | "." | "wait" | "kill" | "pkill" | "ps" | "jobs" | "for" | "while" | "if" | "fi"
        | "done" | "esac" | "case" | "mkdir" | "touch" | "cp" | "rm" | "ln" | "basename" | "dirname"
        | "realpath" | "readlink" | "seq" | "read" | "exit" | "return" | "trap" | "umask" | "alias"
        | "unset" | "pushd" | "popd" | "xargs" | "chmod" | "chown" | "hostname" | "top" | "htop"
        | "nproc" | "free" | "uptime" | "tput" | "man" | "help" | "code" | "open" => (Noise, 0),
        "bash" | "sh" | "zsh" | "node" | "python" | "python3" | "ruby" | "php" | "java" | "tsx"
        | "ts-node" => {
            let file = plain.first().copied().unwrap_or("");
            let name = crate::text::stem(file).to_ascii_lowercase();
            let purpose = if name.contains("test") && !file.is_empty() {
                Test
            } else if matches!(name.as_str(), "server" | "app" | "main") && program == "node" {
                Serve
            } else {
                Other
            };
            (purpose, usize::from(!file.is_empty() && purpose == Other))
        }
        _ => {
            let named = script_named(crate::text::stem(program));
            (named, usize::from(named == Other && sub.len() < 24 && !sub.contains(['/', '.', '='])))
        }
    }
}

/// Programs that run scripts and targets people name as they like.
fn script(program: &str, sub: &str, plain: &[&str]) -> (Purpose, usize) {
    let purpose = match (program, sub) {
        ("rails", "s" | "server") => Purpose::Serve,
        ("rails", "c" | "console" | "routes") => Purpose::Look,
        ("composer" | "mix" | "bundle", "install" | "update" | "require" | "deps.get") => Purpose::Package,
        ("nx" | "turbo" | "lerna", "run") => script_named(plain.get(1).copied().unwrap_or("")),
        ("make" | "gmake" | "just" | "task", "") => Purpose::Build,
        _ => script_named(sub),
    };
    (purpose, 1)
}

fn script_named(name: &str) -> Purpose {
    let name = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["migrat", "db:push", "db:seed", "makemigrations"]) {
        Purpose::Migrate
    } else if has(&["test", "spec", "e2e", "coverage"]) || name == "ci" {
        Purpose::Test
    } else if has(&["lint", "format", "fmt", "clippy", "prettier", "analyze"]) {
        Purpose::Lint
    } else if has(&["build", "compile", "typecheck", "type-check", "tsc", "bundle", "assemble"])
        || name == "check"
    {
        Purpose::Build
    } else if has(&["deploy", "release", "publish"]) {
        Purpose::Release
    } else if matches!(
        name.as_str(),
        "dev" | "start" | "serve" | "server" | "runserver" | "watch" | "preview"
    ) {
        Purpose::Serve
    } else {
        Purpose::Other
    }
}

fn git(sub: &str, plain: &[&str], words: &[&str]) -> (Purpose, usize) {
    let purpose = match sub {
        "commit" => Purpose::Commit,
        "push" => Purpose::Push,
        "merge" | "rebase" | "cherry-pick" | "revert" => Purpose::Merge,
        "tag" if plain.len() > 1 && !words.contains(&"-d") && !words.contains(&"-l") => Purpose::Release,
        "mv" => Purpose::Rewrite,
        "am" | "apply" | "pull" | "clone" | "submodule" => Purpose::Other,
        "grep" => Purpose::Search,
        "log" | "show" | "diff" | "blame" | "bisect" | "reflog" => Purpose::Look,
        _ => Purpose::Noise,
    };
    (purpose, 1)
}

fn changes_data(words: &[&str]) -> bool {
    const VERBS: &[&str] =
        &["insert", "update", "delete", "alter", "create", "drop", "truncate", "grant", "flushall", "vacuum"];
    words.iter().any(|word| {
        let first = word.trim_start().split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
        VERBS.iter().any(|verb| first.eq_ignore_ascii_case(verb))
    })
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
