//! Where agents may write: asked about paths, explained, begun.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use guard::scope::{self, From, Judgment, Scope as InForce, Verdict};
use serde_json::{Value, json};

use crate::report::{Failure, hint, person};
use crate::world::{World, variable};
use crate::{config, print};

#[derive(Debug, Args)]
pub(crate) struct Scope {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Whether agents may write these paths, and which rule says so
    #[command(after_help = "Example: throughline scope check src/main.rs ../other/file --json")]
    Check {
        /// They need not exist yet
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// One JSON object a line: path, real_path, verdict, rule, file
        #[arg(long)]
        json: bool,
    },
    /// Which scope files hold here and what they say
    Explain {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Begin a scope file for this project, or with --user for yourself
    #[command(
        after_help = "Example: throughline scope init --allow 'src/**' --allow 'tests/**' --deny '*.pem'"
    )]
    Init {
        /// Agents may write here; without any they may write everywhere
        #[arg(long, value_name = "PATTERN")]
        allow: Vec<String>,
        /// And not here, whatever is allowed [default: .env*, *.pem, *.key, .git/**]
        #[arg(long, value_name = "PATTERN")]
        deny: Vec<String>,
        /// Yours, for all projects
        #[arg(long)]
        user: bool,
    },
}

/// What nobody wants an agent to write: keys, and what a repository is made of.
const USUAL: &[&str] = &[".env", ".env.*", "*.pem", "*.key", ".git/**"];

impl Scope {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        match &self.command {
            Command::Check { paths, json } => check(world, paths, *json),
            Command::Explain { json } => explain(world, *json),
            Command::Init { allow, deny, user } => init(world, allow, deny, *user),
        }
    }
}

/// Calls `with` with the place a call from here would come from.
fn from<T>(world: &World, with: impl FnOnce(&From<'_>) -> T) -> T {
    let project = variable("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    with(&From {
        cwd: Some(&world.cwd),
        project: project.as_deref(),
        data: Some(&world.place.data),
        home: world.home.as_deref(),
        strict: config::load(&world.place).0.mode("guard-scope") == "strict",
        ..From::default()
    })
}

/// The scope files that hold where the person stands.
pub(crate) fn in_force(world: &World) -> Vec<InForce> {
    from(world, |from| scope::in_force(from, None))
}

fn check(world: &World, paths: &[PathBuf], as_json: bool) -> anyhow::Result<()> {
    from(world, |from| {
        for path in paths {
            let judgment = scope::judge(from, path);
            if as_json {
                print::json(&value(path, &judgment))?;
            } else {
                print::line(&sentence(world, path, &judgment))?;
            }
        }
        for scope in scope::in_force(from, None) {
            for (line, what) in scope.warnings() {
                print::remark(&format!("{}:{line}: {}", scope.file.display(), print::one_line(&what, 600)));
            }
        }
        Ok(())
    })
}

fn value(path: &Path, judgment: &Judgment) -> Value {
    json!({
        "path": path.to_string_lossy(),
        "real_path": judgment.real_path.to_string_lossy(),
        "verdict": judgment.verdict.name(),
        "rule": judgment.rule,
        "file": judgment.file.as_ref().map(|file| file.to_string_lossy().into_owned()),
        "line": judgment.line,
        "why": judgment.why,
    })
}

fn sentence(world: &World, path: &Path, judgment: &Judgment) -> String {
    let shown = |path: &Path| print::one_line(&path.to_string_lossy(), 300);
    let mut text = format!("{}  {}", print::bold(judgment.verdict.name(), world.color), shown(path));
    if judgment.real_path != *path {
        text.push_str(&print::dim(&format!(" → {}", shown(&judgment.real_path)), world.color));
    }
    text.push_str(&format!("\n    {}", print::one_line(&judgment.why, 600)));
    if let Some(file) = &judgment.file {
        let line = judgment.line.map(|line| format!(":{line}")).unwrap_or_default();
        text.push_str(&format!(" ({}{line})", shown(file)));
    }
    if judgment.verdict == Verdict::Deny && !judgment.allowed.is_empty() {
        text.push_str(&format!("\n    allowed: {}", print::one_line(&judgment.allowed.join("  "), 600)));
    }
    text
}

fn explain(world: &World, as_json: bool) -> anyhow::Result<()> {
    let scopes = in_force(world);
    if as_json {
        return scopes.iter().try_for_each(|scope| print::json(&described(scope)));
    }
    if scopes.is_empty() {
        print::line("No scope file holds here: agents may write everywhere.")?;
        print::remark("`throughline scope init` begins one");
        return Ok(());
    }
    for scope in &scopes {
        print::line(&print::bold(&scope.file.to_string_lossy(), world.color))?;
        match &*scope.lists {
            Err(broken) => {
                print::line(&format!("  broken: {broken}"))?;
                print::line(
                    "  until it is repaired, every write is a question to you (with guard-scope = \"strict\": denied)",
                )?;
            }
            Ok(lists) => {
                for base in &scope.bases {
                    print::line(&format!("  patterns start from {}", base.display()))?;
                }
                for rule in &lists.deny {
                    print::line(&format!(
                        "  deny   {}  (line {})",
                        print::one_line(rule.pattern.text(), 300),
                        rule.line
                    ))?;
                }
                for rule in lists.allow.iter().flatten() {
                    print::line(&format!(
                        "  allow  {}  (line {})",
                        print::one_line(rule.pattern.text(), 300),
                        rule.line
                    ))?;
                }
                for (line, what) in scope.warnings() {
                    print::line(&format!("  warning: line {line}: {}", print::one_line(&what, 600)))?;
                }
                print::line(match &lists.allow {
                    Some(_) => "  everything else is denied",
                    None => "  everything else is allowed",
                })?;
            }
        }
    }
    if scopes.len() > 1 {
        print::line("What one of them denies is denied.")?;
    }
    Ok(())
}

fn described(scope: &InForce) -> Value {
    let texts = |rules: &[scope::Rule]| -> Vec<String> {
        rules.iter().map(|rule| rule.pattern.text().to_owned()).collect()
    };
    let bases: Vec<String> = scope.bases.iter().map(|base| base.to_string_lossy().into_owned()).collect();
    let file = scope.file.to_string_lossy();
    match &*scope.lists {
        Ok(lists) => {
            let warnings = scope.warnings().into_iter();
            let warnings: Vec<Value> =
                warnings.map(|(line, what)| json!({ "line": line, "what": what })).collect();
            json!({
                "file": file, "bases": bases,
                "allow": lists.allow.as_deref().map(texts), "deny": texts(&lists.deny),
                "warnings": warnings,
            })
        }
        Err(broken) => json!({
            "file": file, "bases": bases,
            "broken": { "line": broken.line, "column": broken.column, "what": broken.what },
        }),
    }
}

fn init(world: &World, allow: &[String], deny: &[String], user: bool) -> anyhow::Result<()> {
    for pattern in allow.iter().chain(deny) {
        scope::Pattern::read(pattern).map_err(|error| {
            hint(
                Failure::Person,
                format!("the pattern {pattern} cannot be read: {error}"),
                "quote it for your shell",
            )
        })?;
    }
    let folder = if user { world.place.data.clone() } else { world.project_root().join(scope::FOLDER) };
    let file = folder.join(scope::FILE);
    let usual: Vec<String> = USUAL.iter().map(|&pattern| pattern.to_owned()).collect();
    let mut lists = json!({ "deny": if deny.is_empty() { &usual } else { deny } });
    if !allow.is_empty() {
        lists = json!({ "allow": allow, "deny": lists["deny"] });
    }
    fs::create_dir_all(&folder).map_err(person)?;
    let mut options = fs::OpenOptions::new();
    let mut out = options.write(true).create_new(true).open(&file).map_err(|error| {
        let next = "edit that file, or look at it with `throughline scope explain`";
        let what = match error.kind() {
            std::io::ErrorKind::AlreadyExists => format!("{} is there already", file.display()),
            _ => format!("{}: {error}", file.display()),
        };
        hint(Failure::Person, what, next)
    })?;
    let text = serde_json::to_string_pretty(&lists)? + "\n";
    out.write_all(text.as_bytes()).map_err(person)?;
    print::line(&format!("{} says:", file.display()))?;
    print::text(&text)?;
    print::remark("it holds from now on; `throughline scope check PATH` asks it");
    Ok(())
}
