//! The tiny executable agents run: stdin to the daemon, the reply to stdout. It never parses JSON and never
//! writes to the disk; on any trouble it becomes `throughline hook`, which redacts and spools.
//!
//! Two forms of one protocol: raw system calls without libc where that is tested (optimized builds on Linux),
//! the standard library elsewhere.
#![cfg_attr(raw_hook, no_main)]

#[cfg(raw_hook)]
mod raw;

#[cfg(not(raw_hook))]
mod plain;

/// The release this client belongs to, as it says on the wire.
const VERSION: u32 = wire::version_code(
    number(env!("CARGO_PKG_VERSION_MAJOR")) as u8,
    number(env!("CARGO_PKG_VERSION_MINOR")),
    number(env!("CARGO_PKG_VERSION_PATCH")) as u8,
);

#[cfg(not(raw_hook))]
fn main() -> std::process::ExitCode {
    plain::main()
}

const fn number(digits: &str) -> u16 {
    match u16::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("Cargo checks versions"),
    }
}
