//! Where the workspace is and how its tools are started. One place, so that every command says the same when a
//! tool fails.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// The tiny executable, and the profile of Cargo.toml that it is built with.
const HOOK: &str = "throughline-hook";
const HOOK_PROFILE: &str = "hook";
/// The folder of the executables that a run of `cargo xtask ci` tests.
const TESTED: &str = "tested";

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies inside the workspace").to_path_buf()
}

/// A command that runs in the workspace, with the cargo that runs us where it is cargo.
pub(crate) fn command(program: &str) -> Command {
    let program = if program == "cargo" {
        std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
    } else {
        program.into()
    };
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = command("cargo");
    command.args(arguments);
    // The cargo that runs us says what it runs; a build script that asks for that (ring's does) would be run again, and
    // half of the workspace built again, each time a person types the same command.
    let ours = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        name.to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
    });
    for name in ours {
        command.env_remove(name);
    }
    command
}

pub(crate) fn git(arguments: &[&str]) -> Command {
    let mut command = command("git");
    command.args(arguments);
    command
}

/// Runs to the end with our own terminal; a failure names the command.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", line(command)))?;
    ensure!(status.success(), "{} failed ({status})", line(command));
    Ok(())
}

/// What a command prints on stdout; its stderr goes to our terminal.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", line(command)))?;
    ensure!(output.status.success(), "{} failed ({})", line(command), output.status);
    String::from_utf8(output.stdout).with_context(|| format!("{} printed no UTF-8", line(command)))
}

/// Whether a tool answers at all (`cargo clippy --version`).
pub(crate) fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// The command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let program =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    command.get_args().fold(program, |line, argument| line + " " + &argument.to_string_lossy())
}

pub(crate) fn metadata() -> Result<Value> {
    let text = read(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_str(&text).context("cargo metadata printed no JSON")
}

/// The two executables.
#[derive(Debug)]
pub(crate) struct Executables {
    pub(crate) throughline: PathBuf,
    pub(crate) hook: PathBuf,
}

/// As `cargo xtask setup` installs them, built if they are not. Cargo shows its own progress: a first build takes minutes.
pub(crate) fn release() -> Result<Executables> {
    build_with_hook("release")
}

/// As packages carry them: optimized over all crates at once. Figures of speed and size are of these.
pub(crate) fn dist() -> Result<Executables> {
    build_with_hook("dist")
}

/// Two calls, because the two executables want different things: the hook is started for every event and is small enough
/// to be optimized as a whole in seconds; the same for the large one would cost half of a build's time again.
fn build_with_hook(profile: &str) -> Result<Executables> {
    succeed(&mut cargo(&["build", "--locked", "--profile", profile, "-p", "throughline"]))?;
    succeed(&mut cargo(&["build", "--locked", "--profile", HOOK_PROFILE, "-p", "throughline-hook"]))?;
    let target = target_folder()?;
    let (from, to) = (target.join(HOOK_PROFILE).join(HOOK), target.join(profile).join(HOOK));
    // The large executable looks for the hook beside itself. A rename, so that a hook that is running keeps its file.
    let part = to.with_extension("part");
    std::fs::copy(&from, &part)
        .and_then(|_| std::fs::rename(&part, &to))
        .with_context(|| format!("cannot put {} beside the other executable", from.display()))?;
    built(profile)
}

/// Copies of what the tests of the workspace have built. Cargo takes an executable away for a moment when it finds a
/// reason to link it again, and whatever runs beside cargo would miss it.
pub(crate) fn keep_tested() -> Result<()> {
    let built = built("debug")?;
    let folder = target_folder()?.join(TESTED);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for from in [built.throughline, built.hook] {
        let to = folder.join(from.file_name().unwrap_or_default());
        // A process of an earlier run may still be of the old file.
        let _ = std::fs::remove_file(&to);
        std::fs::copy(&from, &to)
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

/// What `keep_tested` has kept.
pub(crate) fn tested() -> Result<Executables> {
    built(TESTED)
}

fn target_folder() -> Result<PathBuf> {
    match metadata()?["target_directory"].as_str() {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => bail!("cargo metadata names no target directory"),
    }
}

fn built(folder: &str) -> Result<Executables> {
    let folder = target_folder()?.join(folder);
    let built = Executables { throughline: folder.join("throughline"), hook: folder.join(HOOK) };
    for file in [&built.throughline, &built.hook] {
        ensure!(file.is_file(), "the build left no {}", file.display());
    }
    Ok(built)
}
