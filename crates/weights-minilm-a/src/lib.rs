//! The first half of the weights of MiniLM-L6: vocabulary, word table, positions, first layer. Bytes only: what they
//! mean is written in `embed`, and `cargo xtask weights` makes them. Two halves, because a registry takes no package
//! of 18 MB.

/// A cache line: rows that start on one are read without crossing another.
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

static ALIGNED: &Aligned<[u8]> = &Aligned(*include_bytes!("../minilm-a.bin"));

/// The whole file, aligned to a cache line.
pub static WEIGHTS: &[u8] = &ALIGNED.0;
