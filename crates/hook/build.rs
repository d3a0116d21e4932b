//! Decides which of the two hooks is built, and links the raw one without anybody's start-up code.
//!
//! The raw one needs the daemon's profile to share its `panic = "unwind"`, under which a crate without the
//! standard library cannot be an executable. So it links the library in form, references nothing of it, and
//! the linker drops all of it. A reference that slips in (a panic, an allocation) is an undefined symbol here,
//! not a crash at an agent's.

use std::path::Path;
use std::{env, fs, io};

/// Set to anything to get the plain hook where the raw one does not link.
const PLAIN: &str = "THROUGHLINE_PLAIN_HOOK";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={PLAIN}");
    println!("cargo:rustc-check-cfg=cfg(raw_hook)");
    if env::var_os(PLAIN).is_none() && is_raw_target() && is_optimized() {
        println!("cargo:rustc-cfg=raw_hook");
        link_raw()?;
    }
    Ok(())
}

/// musl brings start-up code of its own that cannot be left out.
fn is_raw_target() -> bool {
    let is = |key: &str, wanted: &[&str]| env::var(key).is_ok_and(|value| wanted.contains(&value.as_str()));
    is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
}

/// Unoptimized code is full of references to panics that can never happen.
fn is_optimized() -> bool {
    env::var("OPT_LEVEL").is_ok_and(|level| level != "0" && level != "1")
        && env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_none()
}

fn link_raw() -> io::Result<()> {
    // Found before the real ones. With them a forgotten reference would be left to a dynamic linker that is
    // never run; with these it is an error.
    let empty = Path::new(&env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?).join("empty");
    fs::create_dir_all(&empty)?;
    for library in ["c", "gcc_s", "gcc_eh", "gcc", "util", "rt", "pthread", "m", "dl"] {
        fs::write(empty.join(format!("lib{library}.a")), "!<arch>\n")?;
    }
    println!("cargo:rustc-link-arg-bins=-L{}", empty.display());
    for argument in [
        "-nostartfiles",
        // Not relocated and not interpreted: each would cost page faults, and those are the cost of a start.
        "-no-pie",
        "-Wl,--no-dynamic-linker",
        "-Wl,--gc-sections",
        // Linkers keep what unwinding tables name, and the tables of the whole library name this. Nothing here
        // unwinds.
        "-Wl,--wrap=rust_eh_personality",
        "-Wl,--no-eh-frame-hdr",
        "-Wl,--build-id=none",
        "-Wl,-z,norelro",
        // GNU ld would give each kind of section pages of its own.
        "-Wl,-z,noseparate-code",
    ] {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
    Ok(())
}
