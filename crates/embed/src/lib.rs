//! Text to vectors in this process, and the exact scan over them. No network, no file, no other process: what a
//! model needs comes as bytes, and what is remote lives in another crate behind the same trait.
//!
//! Every kernel gives the same bits: products are summed as integers, and what is computed in floating point is
//! computed in one order on every machine. A vector made on one laptop can be compared with one made on another.

mod bytes;
mod error;
pub mod flat;
mod half;
mod identity;
mod kernels;
mod minilm;
pub mod pack;
mod static_model;
mod tokenizer;
mod vocabulary;

pub use bytes::Bytes;
pub use error::EmbedError;
pub use identity::Identity;
pub use kernels::Kernel;
pub use minilm::MiniLm;
pub use static_model::StaticModel;
pub use tokenizer::MAX_TEXT;
pub use vocabulary::{Place, Vocabulary};

/// What turns texts into vectors of unit length. A text without a single known word may become zeros instead, which
/// is near to nothing.
pub trait Embedder: Send + Sync {
    /// Stored with every vector this makes.
    fn identity(&self) -> &Identity;

    /// One vector per text, in order. Together is faster than one by one, and gives the same vectors.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}
