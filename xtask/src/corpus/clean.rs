//! Real source code without secrets, to count what a redactor marks in it for nothing.
//!
//! Files about cryptography, certificates, secret scanning and logging in are left out by name: they hold keys and
//! passwords on purpose.

use std::path::{Path, PathBuf};

/// Files beyond this size are generated tables; one of them would outweigh a thousand files that people wrote.
const MAX_FILE: u64 = 1 << 20;
/// Enough to resolve 0.02 marks per MB, short enough to run often.
const MAX_TOTAL: usize = 64 << 20;

#[rustfmt::skip]
const TEXT: &[&str] = &[
    "rs", "toml", "md", "py", "pyi", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "c", "h", "cc", "cpp", "hpp", "java", "kt", "rb",
    "php", "cs", "swift", "sh", "json", "yml", "yaml", "css", "html", "txt", "cfg", "ini", "lock", "sql", "rst", "scm", "proto",
];

#[rustfmt::skip]
const LEFT_OUT: &[&str] = &[
    "crypt", "tls", "ssl", "secret", "leaks", "redact", "cert", "x509", "pki", "pem", "rsa", "ecdsa", "ed25519", "dalek", "ring-", "aws-lc",
    "hmac", "jwt", "oauth", "passlib", "keyring", "ssh", "pgp", "webpki", "acme", "sodium", "nonce", "vault", "test_ssl", "crates.io-index",
    "netrc", "cookie", "urllib", "urlparse", "passw", "auth", "login", "credential",
    "node_modules", ".git", "target", "site-packages", "__pycache__", "idlelib", "lib2to3", "capath", "certdata", "throughline",
];

pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: Vec<u8>,
}

/// Where this machine keeps source code: cargo's registry and Python's standard library.
pub(crate) fn defaults() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let cargo =
        std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| home.map(|home| home.join(".cargo")));
    let mut found: Vec<PathBuf> = cargo.map(|cargo| cargo.join("registry/src")).into_iter().collect();
    let program = ["-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"];
    if let Ok(output) = std::process::Command::new("python3").args(program).output() {
        found.push(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    }
    found.retain(|directory| directory.is_dir());
    found
}

/// All clean files beneath a directory, in a stable order, up to the bound.
pub(crate) fn files(directory: &Path) -> Vec<File> {
    let mut found = Vec::new();
    let mut total = 0;
    let mut waiting = vec![directory.to_owned()];
    while let Some(path) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&path) else { continue };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let Ok(kind) = entry.file_type() else { continue };
            if LEFT_OUT.iter().any(|word| name.contains(word)) || kind.is_symlink() {
                continue;
            }
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if name.rsplit_once('.').is_some_and(|(_, end)| TEXT.contains(&end))
                && entry.metadata().is_ok_and(|data| data.len() <= MAX_FILE)
                && let Ok(text) = std::fs::read(entry.path())
            {
                total += text.len();
                found.push(File { path: entry.path(), text });
                if total > MAX_TOTAL {
                    return found;
                }
            }
        }
    }
    found
}
