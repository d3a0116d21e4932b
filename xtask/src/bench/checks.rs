//! What an agent waits until it learns that an edit broke something, beside the tool's own warm time: the same edit, the
//! same command, run by hand. Edits alternate, so that both sides see the same machine.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Options;
use super::envelopes::after_a_command;
use super::house::House;
use super::page::{Goal, Page};
use super::samples::Samples;
use super::spawn::Program;
use crate::run::Executables;

const ROUNDS: usize = 40;
const QUICK_ROUNDS: usize = 10;
/// The first run of a tool fills its caches.
const WARM_UP: usize = 2;
/// What a result may take, in warm times of the tool.
const MOST: f64 = 1.2;
/// A tool that needs more is broken.
const PATIENCE: Duration = Duration::from_mins(1);
/// Between two looks whether the result is there: hooks without a pause would take the processor from the tool.
const LOOK: Duration = Duration::from_millis(10);

/// A project that one tool checks, and an edit that breaks it in other words each time.
struct Subject {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// The file of a round, and what is put there.
    edit: fn(&str) -> (String, String),
    command: fn(&mut Command, &Path, &Path),
}

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "ruff",
        files: &[("ruff.toml", "")],
        edit: |word| (format!("{word}.py"), format!("def {word}(x):\n    return x is \"{word}\"\n")),
        command: |command, _, file| {
            command
                .args(["check", "--output-format", "json", "--no-cache", "--no-fix", "--quiet", "--"])
                .arg(file);
        },
    },
    Subject {
        name: "tsc",
        files: &[(
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"types\": []}, \"include\": [\"src\"]}",
        )],
        edit: |word| {
            let text = format!("interface {word} {{ x: number }}\n\nexport const one: {word} = 'one';\n");
            ("src/a.ts".to_owned(), text)
        },
        command: |command, project, _| {
            command.args(["--noEmit", "--pretty", "false", "--incremental", "--tsBuildInfoFile"]);
            command.arg(project.join("../by-hand.tsbuildinfo")).arg("-p").arg(project.join("tsconfig.json"));
        },
    },
    Subject {
        name: "cargo",
        files: &[
            ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n"),
            (".gitignore", "target\n"),
        ],
        edit: |word| {
            // The same message as before would be the same error.
            let name = word.to_lowercase();
            let text =
                format!("pub fn one() {{\n    let {name} = Vec::<u8>::new();\n    {name}.push(1);\n}}\n");
            ("src/lib.rs".to_owned(), text)
        },
        command: |command, _, _| {
            command.args(["check", "--frozen", "--all-targets", "--quiet", "--message-format=json"]);
        },
    },
];

pub(crate) fn measure(page: &mut Page, options: Options, release: &Executables) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        "Checks",
        "From the hook after an edit to the moment the agent is told of the error it made (in that hook's answer, or in the \
         first one that has it), and the same command by hand after the same kind of edit.",
    );
    let environment = environment();
    let first = after_a_command("bench-checks", 1_000);
    let (house, _) = House::start_with(&release.throughline, &first, &environment)?;
    let rounds = if options.quick { QUICK_ROUNDS } else { ROUNDS };
    page.times_head();
    for subject in SUBJECTS {
        if program(subject.name).is_none() {
            page.line(&format!("{} is not here.", subject.name));
            continue;
        }
        let (by_hand, ours) = race(subject, &house, release, &environment, rounds)
            .with_context(|| format!("measuring {}", subject.name))?;
        page.times(&format!("{} by hand", subject.name), &by_hand, None);
        page.times(&format!("{} through an edit", subject.name), &ours, None);
        page.goal(Goal {
            says: format!("first result after an edit / {} by hand, p50", subject.name),
            ours: ours.median(),
            reference: by_hand.median(),
            most: MOST,
            unit: "ms",
            noise: by_hand.noise(),
        });
    }
    page.end(from);
    Ok(())
}

fn race(
    subject: &Subject,
    house: &House,
    release: &Executables,
    environment: &[(&'static str, OsString)],
    rounds: usize,
) -> Result<(Samples, Samples)> {
    let project = house.home().join(subject.name).join("project");
    for (file, text) in subject.files {
        put(&project.join(file), text)?;
    }
    // What git does not track was made here: without that no code of a project is run.
    ensure!(
        Command::new("git").args(["init", "--quiet"]).current_dir(&project).status()?.success(),
        "git init fails"
    );
    let program = program(subject.name).context("it was here")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let hook = |event: &str, body: &Value| {
        let hook = Program::new(&release.hook, &[event], body.to_string().as_bytes());
        hook.at_home(house.home()).with_path(&path).read()
    };
    // As a person does it: nothing is run in a workspace that nobody trusts.
    let folder = project.to_str().context("a path of ours is text")?;
    Program::new(&release.throughline, &["checks", "trust", folder], b"").at_home(house.home()).read()?;
    let (mut by_hand, mut ours) = (Vec::new(), Vec::new());
    for round in 0..rounds + WARM_UP {
        let (file, text) = (subject.edit)(&word(2 * round));
        let path = project.join(&file);
        put(&path, &text)?;
        let mut command = Command::new(&program);
        command.env_clear().envs(environment.iter().cloned()).current_dir(&project);
        (subject.command)(&mut command, &project, &path);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        ensure!(!command.status()?.success(), "nothing is wrong with {}", path.display());
        by_hand.push(began.elapsed());

        let (file, text) = (subject.edit)(&word(2 * round + 1));
        let path = project.join(&file);
        hook("PreToolUse", &call(&project, "PreToolUse", &path))?;
        put(&path, &text)?;
        let began = Instant::now();
        let mut answer = hook("PostToolUse", &call(&project, "PostToolUse", &path))?;
        while !answer.contains("check-code") {
            ensure!(began.elapsed() < PATIENCE, "the error is never told");
            thread::sleep(LOOK);
            answer = hook("PostToolUse", &call(&project, "PostToolUse", Path::new("")))?;
        }
        ours.push(began.elapsed());
    }
    Ok((Samples::new(&by_hand[WARM_UP..]), Samples::new(&ours[WARM_UP..])))
}

/// A call that edits a file, or one that does nothing.
fn call(project: &Path, event: &str, file: &Path) -> Value {
    let is_edit = !file.as_os_str().is_empty();
    let (tool, input) =
        if is_edit { ("Write", json!({ "file_path": file })) } else { ("Glob", json!({ "pattern": "*" })) };
    json!({
        "session_id": "bench-checks", "transcript_path": project.join("none.jsonl"), "cwd": project,
        "hook_event_name": event, "tool_name": tool, "tool_use_id": "toolu_1", "tool_input": input,
        "tool_response": { "type": "update" },
    })
}

/// Another word for every number, without digits: those do not tell findings apart.
fn word(number: usize) -> String {
    let letter = |at: usize| char::from(b'a' + (at % 26) as u8);
    format!("W{}{}{}", letter(number / 676), letter(number / 26), letter(number))
}

fn put(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("it lies in a folder")?)?;
    fs::write(path, text)?;
    Ok(())
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// Where programs are, and the toolchains of the person whose home this is not.
fn environment() -> Vec<(&'static str, OsString)> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let variable = |name: &'static str, folder: &str| {
        (name, std::env::var_os(name).unwrap_or_else(|| home.join(folder).into_os_string()))
    };
    vec![
        ("PATH", std::env::var_os("PATH").unwrap_or_default()),
        variable("RUSTUP_HOME", ".rustup"),
        variable("CARGO_HOME", ".cargo"),
    ]
}
