//! The reference pages that the binary prints about itself. A page is never edited by hand: it is written by
//! `cargo xtask docs` and compared by `cargo xtask tidy`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::run;

/// The words after `throughline`, and the page they print.
const PAGES: &[(&[&str], &str)] = &[
    (&["behaviors", "explain", "--markdown"], "docs/reference/behaviors.md"),
    (&["config", "list", "--markdown"], "docs/reference/settings.md"),
    (&["daemon", "openapi"], "docs/reference/openapi.json"),
];

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => write(),
        [flag] if flag == "--check" => {
            let stale = stale_pages(None)?;
            if stale.is_empty() {
                return Ok(());
            }
            bail!("not what the binary prints: {}; run `cargo xtask docs`", stale.join(", "))
        }
        other => bail!("unknown arguments {other:?}"),
    }
}

/// The pages that differ from what the binary prints: this one, or one built for it.
pub(crate) fn stale_pages(binary: Option<&Path>) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for (words, page) in PAGES {
        if fs::read_to_string(run::root().join(page)).unwrap_or_default() != print(words, binary)? {
            stale.push((*page).to_owned());
        }
    }
    Ok(stale)
}

fn write() -> Result<()> {
    for (words, page) in PAGES {
        let path = run::root().join(page);
        fs::write(&path, print(words, None)?).with_context(|| format!("cannot write {page}"))?;
        println!("wrote {page}");
    }
    Ok(())
}

fn print(words: &[&str], binary: Option<&Path>) -> Result<String> {
    let mut command = match binary {
        Some(binary) => Command::new(binary),
        None => run::cargo(&["run", "--quiet", "-p", "throughline", "--"]),
    };
    run::read(command.args(words))
}
