//! The tiny executable agents run.
fn main() {}
