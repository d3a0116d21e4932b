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
