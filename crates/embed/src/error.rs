//! What can go wrong, one variant per reaction. A text never goes wrong: any text has a vector.

use thiserror::Error;

/// Why there is no vector.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// Use the built-in model instead; the file will not get better.
    #[error("the weights are damaged or of another kind: {0}")]
    Weights(&'static str),
    /// The stored name of a model cannot be read: treat its vectors as strangers and embed again.
    #[error("\"{0}\" does not name a model (name@version#weights/dims)")]
    Identity(String),
    /// The index holds vectors of another model: embed again.
    #[error("a vector of {found} numbers does not belong to a model of {expected}")]
    Dims { expected: usize, found: usize },
    /// A remote model did not answer: keep what waits, search by words meanwhile, try later.
    #[error("the model cannot be reached: {0}")]
    Unreachable(String),
    /// A remote model answered with a refusal that will not change by itself: tell the person.
    #[error("the model refused: {0}")]
    Refused(String),
}
