//! The hook as it is installed: what makes it start fast.

use crate::house::raw_hook;

/// More than this, and something of the standard library came along.
const LARGEST: usize = 20_000;

#[test]
fn the_raw_hook_is_small_and_needs_no_loader() {
    let Some(path) = raw_hook() else { return };
    let elf = std::fs::read(path).unwrap();
    assert!(elf.len() < LARGEST, "{} bytes", elf.len());
    let number = |at: usize, len: usize| {
        elf[at..at + len].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    };
    // ELF-64: the program headers' offset, size and count; each begins with its type.
    let (offset, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    let types: Vec<usize> = (0..count).map(|at| number(offset + at * size, 4)).collect();
    const LOAD: usize = 1;
    const DYNAMIC: usize = 2;
    const INTERPRETER: usize = 3;
    assert!(types.contains(&LOAD), "{types:?}");
    assert!(!types.contains(&DYNAMIC) && !types.contains(&INTERPRETER), "{types:?}");
}
