//! What a program is for, by its name and first words. A table: an unknown program is `Other`, never an error.

use serde::{Deserialize, Serialize};

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

impl Purpose {
    /// Says whether the project is in order: it tests, builds or lints.
    pub(crate) fn checks(self) -> bool {
        matches!(self, Self::Test | Self::Build | Self::Lint)
    }

    /// Its ending says something of the work that was done.
    pub(crate) fn proves(self) -> bool {
        self.checks() || self == Self::Audit
    }
}

/// The purpose, and how many plain words belong to the command's name.
pub(crate) fn purpose_of(program: &str, sub: &str, plain: &[&str], words: &[&str]) -> (Purpose, usize) {
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
            "xtask" | "make" => (script_named(plain.get(1).copied().unwrap_or("")), 2),
            "tree" | "metadata" | "search" | "info" => (Look, 1),
            _ => (Other, 2),
        },
        "tox" | "nox" => {
            // The environment or session is the task.
            let named = |word: &&&str| matches!(**word, "-e" | "-s" | "--session" | "--env");
            let task = words.iter().position(|word| named(&word)).and_then(|at| words.get(at + 1));
            let purpose = task.map_or(Test, |task| script_named(task));
            (if purpose == Other { Test } else { purpose }, 0)
        }
        "pytest" | "py.test" | "unittest" | "jest" | "vitest" | "mocha" | "ava" | "rspec" | "phpunit"
        | "ctest" | "bats" | "karma" | "pest" | "behave" => (Test, 0),
        "playwright" | "cypress" | "rails" | "rake" | "rails6" | "mix" | "dotnet" | "swift" | "bazel"
        | "sbt" | "deno" | "zig" | "flutter" | "dart" | "bundle" | "lein" | "stack" | "cabal" | "elixir"
        | "artisan" | "composer" | "make" | "just" | "task" | "gmake" | "invoke" | "inv" | "nx" | "turbo"
        | "lerna" | "moon" | "poe" | "rush" | "go-task" | "doit" => script(program, sub, plain),
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
            "audit" if plain.contains(&"fix") => (Package, 2),
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
            "build" | "generate" | "install" => (Build, 1),
            "run" => (Other, 1),
            "vet" | "fmt" => (Lint, 1),
            "get" | "mod" | "work" => (Package, 1),
            _ => (Look, 1),
        },
        "mvn" | "mvnw" | "gradle" | "gradlew" => {
            let tests = plain.iter().any(|word| {
                word.to_ascii_lowercase().contains("test") || matches!(*word, "verify" | "check")
            });
            // Of `:app:lintDebug` the task is the last part.
            let task = sub.rsplit(':').next().unwrap_or(sub);
            let named = if program.starts_with("gradle") { script_named(task) } else { Other };
            let purpose = if tests { Test } else { Build };
            (if named == Other { purpose } else { named }, 1)
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
        "mise" if matches!(sub, "run" | "r") => (script_named(plain.get(1).copied().unwrap_or("")), 2),
        "mise" if sub == "tasks" && plain.get(1) == Some(&"run") => {
            (script_named(plain.get(2).copied().unwrap_or("")), 3)
        }
        "pip" | "pip3" | "uv" | "poetry" | "pipenv" | "pdm" | "apt" | "apt-get" | "brew" | "gem"
        | "conda" | "mamba" | "dnf" | "yum" | "apk" | "pacman" | "rustup" | "nvm" | "pyenv" | "asdf"
        | "mise" | "choco" | "winget" | "nix" | "opam" => packages(sub, plain),
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
            // Scripts of the project, and tasks that were run by `hatch run` and its kin; a program that was just built
            // may be called anything.
            const SCRIPTS: &[&str] =
                &["sh", "bash", "zsh", "py", "js", "mjs", "ts", "rb", "pl", "ps1", "bat", "cmd"];
            let path = words.first().copied().unwrap_or(program);
            let folder = path.rfind('/').map_or("", |end| &path[..end]);
            let folder = crate::text::file_name(folder);
            let script = SCRIPTS.contains(&crate::text::extension(program))
                || matches!(folder, "scripts" | "script" | "bin" | "hack" | "tools" | "ci");
            let named =
                if script || !path.contains('/') { script_named(crate::text::stem(program)) } else { Other };
            (named, usize::from(named == Other && sub.len() < 24 && !sub.contains(['/', '.', '='])))
        }
    }
}

/// What a program that installs others was told to do. Only its own verbs install: the rest of what such programs can
/// do (`mise trust`, `uv venv`) leaves the project's packages as they are.
fn packages(sub: &str, plain: &[&str]) -> (Purpose, usize) {
    const INSTALLS: &[&str] = &[
        "install",
        "i",
        "add",
        "remove",
        "uninstall",
        "update",
        "upgrade",
        "sync",
        "use",
        "lock",
        "get",
        "reinstall",
        "rm",
    ];
    let verb = if sub == "pip" { plain.get(1).copied().unwrap_or("") } else { sub };
    let purpose = match verb {
        "list" | "show" | "freeze" | "search" | "info" | "tree" | "which" | "current" | "ls" | "tasks"
        | "outdated" | "doctor" | "version" => Purpose::Look,
        "check" => Purpose::Lint,
        "build" => Purpose::Build,
        "publish" => Purpose::Release,
        verb if INSTALLS.contains(&verb) || verb.starts_with("-S") => Purpose::Package,
        _ => Purpose::Other,
    };
    (purpose, if sub == "pip" { 2 } else { 1 })
}

/// Programs that run scripts and targets people name as they like.
fn script(program: &str, sub: &str, plain: &[&str]) -> (Purpose, usize) {
    let second = plain.get(1).copied().unwrap_or("");
    let purpose = match (program, sub) {
        ("rails", "s" | "server") | ("dotnet", "run") => Purpose::Serve,
        ("rails", "c" | "console" | "routes") => Purpose::Look,
        ("composer" | "mix" | "bundle", "install" | "update" | "require" | "deps.get")
        | ("dotnet", "add" | "restore" | "tool") => Purpose::Package,
        // The word that only says that a task follows; the task is part of the command's name.
        ("deno", "task")
        | ("composer", "run" | "run-script")
        | ("nx" | "turbo" | "lerna" | "moon", "run") => {
            return (script_named(second.rsplit(':').next().unwrap_or(second)), 2);
        }
        ("nx", "run-many" | "affected") => {
            let task = plain.get(1).copied().unwrap_or("");
            return (script_named(task), 2);
        }
        ("make" | "gmake" | "just" | "task", "") => Purpose::Build,
        _ => script_named(sub),
    };
    (purpose, 1)
}

/// What a task is for, by the words of its name: `test:ci`, `lint-fix`, `compileJava`.
pub(crate) fn script_named(name: &str) -> Purpose {
    let words = words_of(name);
    let any = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let begins =
        |starts: &[&str]| words.iter().any(|word| starts.iter().any(|start| word.starts_with(start)));
    let whole = words.concat();
    if begins(&["migrat", "makemigration"]) || matches!(whole.as_str(), "dbpush" | "dbseed") {
        Purpose::Migrate
    } else if begins(&["test"])
        || any(&[
            "spec", "specs", "e2e", "coverage", "cov", "ci", "unittest", "vitest", "pytest", "jest", "bench",
        ])
    {
        Purpose::Test
    } else if begins(&["typecheck", "tsc"]) || matches!(whole.as_str(), "checktypes" | "types") {
        Purpose::Build
    } else if begins(&[
        "lint", "format", "fmt", "clippy", "prettier", "analy", "eslint", "ruff", "vet", "tidy",
    ]) {
        Purpose::Lint
    } else if begins(&["build", "compil", "bundle", "assembl", "check", "verify", "codegen"]) {
        Purpose::Build
    } else if begins(&["deploy", "releas", "publish", "ship"]) {
        Purpose::Release
    } else if any(&["dev", "start", "serve", "server", "runserver", "watch", "preview", "run", "up"]) {
        Purpose::Serve
    } else if any(&["clean", "help", "list"]) {
        Purpose::Noise
    } else {
        Purpose::Other
    }
}

/// The words of a name, in lower case: parted by signs and where a capital follows a small letter.
fn words_of(name: &str) -> Vec<String> {
    const MAX_NAME_BYTES: usize = 80;
    let name = &name[..name.floor_char_boundary(MAX_NAME_BYTES)];
    let mut words: Vec<String> = Vec::new();
    let mut begins = true;
    let mut small = false;
    for char in name.chars() {
        if !char.is_alphanumeric() {
            begins = true;
            continue;
        }
        if begins || (small && char.is_uppercase()) {
            words.push(String::new());
        }
        begins = false;
        small = char.is_lowercase();
        if let Some(word) = words.last_mut() {
            word.extend(char.to_lowercase());
        }
    }
    words
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
