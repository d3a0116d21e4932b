//! Brings a model in from elsewhere: a file or an address, known by its hash. What does not have that hash, or is no
//! model, is not kept.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use embed::{Bytes, Embedder, StaticModel};
use sha2::{Digest, Sha256};

use super::BuiltIn;
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{print, progress};

/// What models are kept as: the file `embed` reads.
pub(super) const ENDING: &str = "stv";
/// A table of words for every script there is is smaller.
const MAX_BYTES: u64 = 512 << 20;
/// A download that stands still for so long will not end.
const PATIENCE: Duration = Duration::from_mins(10);
const MAX_NAME: usize = 60;

#[derive(Debug, Args)]
pub(super) struct Install {
    /// A static model: a file, or an https address
    source: String,
    /// Its SHA-256, from whoever gave you the model
    #[arg(long, value_name = "HEX")]
    sha256: String,
    /// What it is called from now on [default: the file's name]
    #[arg(long)]
    name: Option<String>,
}

impl Install {
    pub(super) fn run(&self, world: &World) -> anyhow::Result<()> {
        let name = self.name()?;
        let bytes = Bytes::from(fetch(&self.source)?);
        let found = hex(&Sha256::digest(&*bytes));
        if !found.eq_ignore_ascii_case(self.sha256.trim()) {
            let what =
                format!("{} has the SHA-256 {found}, which is another", print::one_line(&self.source, 200));
            return Err(hint(Failure::Person, what, "nothing was kept; check where the model comes from"));
        }
        let size = bytes.len() as u64;
        let model = StaticModel::from_bytes(bytes.clone()).map_err(|error| {
            let what = format!("{}: {error}", print::one_line(&self.source, 200));
            hint(Failure::Person, what, "nothing was kept; a static model is a file with the ending .stv")
        })?;
        keep(&folder(world).join(format!("{name}.{ENDING}")), &bytes)?;
        print::line(&format!(
            "{name} is here: {}, {} dimensions; `throughline model use {name}` uses it",
            print::bytes(size),
            model.identity().dims
        ))
    }

    fn name(&self) -> anyhow::Result<String> {
        let from_source = || {
            let last = self.source.rsplit('/').next().unwrap_or_default();
            last.strip_suffix(&format!(".{ENDING}")).unwrap_or(last).to_owned()
        };
        let name = self.name.clone().unwrap_or_else(from_source);
        let refused = |what: String| Err(hint(Failure::Person, what, "give it another with --name"));
        if !is_name(&name) {
            return refused(format!("\"{}\" cannot be a model's name", print::one_line(&name, 60)));
        }
        if BuiltIn::all().iter().any(|known| known.name == name) {
            return refused(format!("{name} is a model this binary carries"));
        }
        Ok(name)
    }
}

/// Letters, digits and a few signs: it becomes the name of a file.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= MAX_NAME && !name.starts_with('.') && name.chars().all(plain)
}

pub(super) fn folder(world: &World) -> PathBuf {
    world.place.models()
}

/// Names and sizes of what was brought in, by name.
pub(super) fn installed(world: &World) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder(world)).into_iter().flatten().flatten();
    let mut found: Vec<(String, u64)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let is_model = path.extension().is_some_and(|ending| ending == ENDING);
            let name = path.file_stem()?.to_str().filter(|name| is_model && is_name(name))?;
            Some((name.to_owned(), entry.metadata().ok()?.len()))
        })
        .collect();
    found.sort();
    found
}

fn fetch(source: &str) -> anyhow::Result<Vec<u8>> {
    let refused =
        |what: String| hint(Failure::Person, what, "name a file, or an address that begins with https://");
    let (length, reader): (u64, Box<dyn Read>) = if source.contains("://") {
        let is_here =
            ["http://127.0.0.1:", "http://localhost:"].iter().any(|start| source.starts_with(start));
        if !source.starts_with("https://") && !is_here {
            return Err(refused(format!(
                "{} is no address to take a model from",
                print::one_line(source, 200)
            )));
        }
        let request = ureq::get(source).config().timeout_global(Some(PATIENCE)).build();
        let answer =
            request.call().map_err(|error| refused(format!("{}: {error}", print::one_line(source, 200))))?;
        let body = answer.into_body();
        (body.content_length().unwrap_or_default(), Box::new(body.into_reader()))
    } else {
        let failed = |error: io::Error| refused(format!("{}: {error}", print::one_line(source, 200)));
        let file = fs::File::open(source).map_err(failed)?;
        (file.metadata().map_err(failed)?.len(), Box::new(file))
    };
    if length > MAX_BYTES {
        return Err(refused(format!("{} are more than any model", print::bytes(length))));
    }
    let bar = progress::bytes("fetching", length);
    let mut bytes = Vec::with_capacity(length as usize);
    let read = bar.wrap_read(reader).take(MAX_BYTES + 1).read_to_end(&mut bytes);
    bar.finish_and_clear();
    read.map_err(|error| refused(format!("{}: {error}", print::one_line(source, 200))))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(refused(format!("more than {} are no model", print::bytes(MAX_BYTES))));
    }
    Ok(bytes)
}

/// The whole file at once: a daemon reads the old one or the new one.
fn keep(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        client::place::make_folder(folder)?;
    }
    let part = path.with_extension("part");
    let written = (|| {
        let mut file =
            fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    })();
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        hint(
            Failure::Person,
            format!("{}: {error}", path.display()),
            "make room, or make it writable for you",
        )
    })
}

fn hex(digest: &[u8]) -> String {
    let mut text = String::with_capacity(2 * digest.len());
    for byte in digest {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_name_is_never_a_path() {
        for name in ["potion-8M", "a.b_c"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "a/b", "a\0b", "ä", &"x".repeat(61)] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
