//! The rules of the house that no compiler knows. Each rule names the file and the line; nothing here changes a
//! file, and nothing here needs a network.

mod edges;
mod rust_source;
mod texts;

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::{docs, run};

/// Something a rule found. `line` 0 speaks of the whole file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) says: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.says),
            line => write!(f, "{}:{line}: {}", self.file, self.says),
        }
    }
}

/// A file git knows or would add, with its text. Files that are not text are left out.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }
}

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("tidy takes no arguments");
    }
    check(None)
}

/// The pages are compared with what this binary prints; without one, with a build of their own.
pub(crate) fn check(binary: Option<&Path>) -> Result<()> {
    let sources = sources()?;
    let mut findings = edges::check(&run::metadata()?);
    findings.extend(edges::check_lock(&sources));
    for source in sources.iter().filter(|source| source.is_rust()) {
        findings.extend(rust_source::check(source));
    }
    findings.extend(rust_source::check_test_binaries(&sources));
    findings.extend(texts::check(&sources, &run::root()));
    findings.extend(texts::check_proofs(&sources));
    findings.extend(docs::stale_pages(binary)?.into_iter().map(|file| Finding {
        file,
        line: 0,
        says: "is not what the binary prints; run `cargo xtask docs`".to_owned(),
    }));
    for source in &sources {
        if let Some(note) = rust_source::long(source) {
            println!("note: {note}");
        }
    }
    for finding in &findings {
        eprintln!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} findings", findings.len());
    }
    println!("tidy: {} files, nothing to say", sources.len());
    Ok(())
}

fn sources() -> Result<Vec<Source>> {
    let root = run::root();
    let mut list = run::command("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let mut sources = Vec::new();
    for path in run::read(&mut list)?.split_terminator('\0') {
        // Samples of languages are data: they show what others write.
        if path.starts_with("crates/code/languages/") {
            continue;
        }
        // A tracked file that is gone from the folder, or is not text, has no line to show.
        if let Ok(text) = fs::read_to_string(root.join(path)) {
            sources.push(Source { path: path.to_owned(), text });
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources.dedup_by(|a, b| a.path == b.path);
    Ok(sources)
}
