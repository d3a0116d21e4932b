//! Names the way texts are read: kept facts of another way are not taken for ours. Whoever changes a query, a grammar
//! or the reader changes the name without having to think of it.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// All that facts depend on, from here.
const SOURCES: &[&str] = &["../code/src", "../code/languages", "src/pack.rs"];
const LOCK: &str = "../../Cargo.lock";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
        collect(Path::new(source), &mut files)?;
    }
    files.sort();
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    for file in &files {
        sum.add(file.to_string_lossy().as_bytes());
        sum.add(&fs::read(file)?);
    }
    println!("cargo:rerun-if-changed={LOCK}");
    for version in grammars(&fs::read_to_string(LOCK)?) {
        sum.add(version.as_bytes());
    }
    println!("cargo:rustc-env=ATLAS_FACTS_VERSION={:016x}", sum.0);
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}

/// `name = "tree-sitter…"` and the line with its version.
fn grammars(lock: &str) -> Vec<String> {
    let lines: Vec<&str> = lock.lines().collect();
    lines.windows(2).filter(|two| two[0].starts_with("name = \"tree-sitter")).map(<[&str]>::concat).collect()
}

struct Sum(u64);

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
