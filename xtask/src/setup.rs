//! From a checkout to a running product: build, put both executables where the shell finds them, and let
//! `throughline install` show its edit. Undone by `throughline uninstall` and by deleting two files.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::run;

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    let mut install = true;
    let mut passed_on = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--no-install" => install = false,
            "--yes" | "--project" => passed_on.push(argument),
            other => bail!(
                "unknown argument \"{other}\"; setup knows --no-install, and passes --yes and --project on"
            ),
        }
    }
    println!("building the release: about fifteen minutes of processor the first time, seconds after that");
    let release = run::release()?;
    let folder = folder()?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for file in [&release.hook, &release.throughline] {
        put(file, &folder)?;
    }
    if !on_the_path(&folder) {
        println!(
            "note: {} is not on your PATH; hooks work all the same, they name the full path",
            folder.display()
        );
    }
    if install {
        let throughline = folder.join("throughline");
        run::succeed(Command::new(&throughline).arg("install").args(passed_on))?;
        // A daemon of an earlier build may be running, and a build is no new version it could notice.
        run::succeed(Command::new(&throughline).args(["daemon", "restart"]))?;
    }
    Ok(())
}

/// Where cargo itself installs, if there is such a place; else the user's own folder for programs.
fn folder() -> Result<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from).context("HOME is not set")?;
    if let Some(root) = env::var_os("CARGO_INSTALL_ROOT") {
        return Ok(PathBuf::from(root).join("bin"));
    }
    let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from).join("bin");
    Ok(if cargo.is_dir() { cargo } else { home.join(".local/bin") })
}

/// A copy beside the old file, then a rename: a hook that runs at this moment sees one or the other.
fn put(file: &Path, folder: &Path) -> Result<()> {
    let name = file.file_name().context("an executable without a name")?;
    let target = folder.join(name);
    let fresh = folder.join(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    fs::copy(file, &fresh)
        .and_then(|_| fs::rename(&fresh, &target))
        .with_context(|| format!("cannot write {}", target.display()))?;
    println!("installed {}", target.display());
    Ok(())
}

fn on_the_path(folder: &Path) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|entry| entry == folder))
}
