//! The page that the binary carries: built from `viewer/` into `crates/web/assets/` and committed, so that whoever builds
//! the binary needs no Node. `--check` proves that the sources are sound, that the committed files are what they build,
//! and that those are small.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use miniz_oxide::deflate::compress_to_vec;

use crate::run::{self, answers, command, succeed};

const SOURCES: &str = "viewer";
const ASSETS: &str = "crates/web/assets";
const FILES: &[&str] = &["index.html", "app.js", "app.css", "icon.svg"];
/// What a browser may have to fetch before the first paint, compressed. The promise of the page.
const MAX_COMPRESSED: usize = 250_000;
/// What gzip adds around a deflated stream.
const GZIP_FRAME: usize = 18;
const GZIP_LEVEL: u8 = 9;

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => {
            prepare()?;
            succeed(&mut build(&run::root().join(ASSETS)))?;
            weigh(&run::root().join(ASSETS))
        }
        [flag] if flag == "--check" => check(),
        other => bail!("unknown arguments {other:?}"),
    }
}

/// Whether Node and npm are here to build with.
pub(crate) fn can_build() -> bool {
    answers(Command::new("node").arg("--version")) && answers(Command::new("npm").arg("--version"))
}

pub(crate) fn check() -> Result<()> {
    prepare()?;
    for words in [["node_modules/typescript/bin/tsc", "--noEmit"].as_slice(), &["test.mjs"]] {
        succeed(node(words).current_dir(run::root().join(SOURCES)))?;
    }
    let built = tempfile::tempdir().context("cannot make a folder to build into")?;
    succeed(&mut build(built.path()))?;
    let committed = run::root().join(ASSETS);
    for file in FILES {
        let ours = fs::read(committed.join(file)).with_context(|| format!("cannot read {ASSETS}/{file}"))?;
        let theirs =
            fs::read(built.path().join(file)).with_context(|| format!("the build left no {file}"))?;
        ensure!(ours == theirs, "{ASSETS}/{file} is not what the sources build; run `cargo xtask viewer`");
    }
    weigh(&committed)
}

/// The packages the lock file names, and no script of theirs is run.
fn prepare() -> Result<()> {
    ensure!(can_build(), "node and npm are needed to build the viewer");
    let mut install = command("npm");
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    succeed(install.current_dir(run::root().join(SOURCES)))
}

fn build(into: &Path) -> Command {
    let mut build = node(&["build.mjs"]);
    build.arg(into).current_dir(run::root().join(SOURCES));
    build
}

fn node(arguments: &[&str]) -> Command {
    let mut node = command("node");
    node.args(arguments);
    node
}

fn weigh(folder: &Path) -> Result<()> {
    let mut whole = 0;
    for file in FILES {
        let bytes = fs::read(folder.join(file)).with_context(|| format!("cannot read {file}"))?;
        let compressed = compress_to_vec(&bytes, GZIP_LEVEL).len() + GZIP_FRAME;
        println!("{file}: {} bytes, {compressed} compressed", bytes.len());
        whole += compressed;
    }
    ensure!(whole <= MAX_COMPRESSED, "the page has {whole} bytes compressed, more than {MAX_COMPRESSED}");
    println!("viewer: {whole} bytes compressed, of {MAX_COMPRESSED}");
    Ok(())
}
