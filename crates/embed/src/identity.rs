//! Which model made a vector. Stored with every vector: two vectors are compared only if their identities are
//! equal. Says nothing of where the model runs.

use std::fmt;
use std::str::FromStr;

use crate::EmbedError;

/// The name of a model, of its making, and of its very weights.
///
/// Its text form is one line, `name@version#weights/dims`, for example `minilm-l6-v2@1#3f9ac1d20b77e41c/384`. A name
/// may hold any of these marks; version and weights may not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    pub name: String,
    /// Changes when the same weights would give other vectors: tokenizer, pooling, kernels.
    pub version: String,
    /// A short digest in hexadecimal digits, or whatever a remote model is known by.
    pub weights: String,
    pub dims: usize,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}#{}/{}", self.name, self.version, self.weights, self.dims)
    }
}

impl FromStr for Identity {
    type Err = EmbedError;

    fn from_str(text: &str) -> Result<Identity, EmbedError> {
        parse(text).ok_or_else(|| EmbedError::Identity(text.chars().take(200).collect()))
    }
}

fn parse(text: &str) -> Option<Identity> {
    let (rest, dims) = text.rsplit_once('/')?;
    let (rest, weights) = rest.rsplit_once('#')?;
    let (name, version) = rest.rsplit_once('@')?;
    let dims: usize = dims.parse().ok()?;
    let plain = |part: &str| !part.contains(['@', '#', '/']);
    if name.is_empty() || dims == 0 || !plain(weights) || !plain(version) || text.contains(['\n', '\r']) {
        return None;
    }
    Some(Identity { name: name.to_owned(), version: version.to_owned(), weights: weights.to_owned(), dims })
}
