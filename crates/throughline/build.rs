//! Links the release at a fixed address, where the platform allows it.
//!
//! `throughline hook` is a process per hook, and a position-independent executable of this size begins with
//! twenty thousand relocations that touch about a hundred pages before its first line runs. Stack, heap and
//! libraries stay where the kernel puts them at random; `THROUGHLINE_PIE=1` at build time gives up the
//! difference. See docs/decisions/0005-a-fixed-address.md.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=THROUGHLINE_PIE");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let wanted = is("PROFILE", "release") && std::env::var_os("THROUGHLINE_PIE").is_none();
    if wanted && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
