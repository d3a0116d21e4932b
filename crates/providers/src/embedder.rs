//! Vectors from elsewhere: OpenAI-compatible `/embeddings` and Ollama's `/api/embed`. Background work only: a search
//! never waits for it. One text that cannot be embedded costs itself, never its neighbors.

use std::time::Instant;

use serde::Deserialize;
use serde_json::json;

use crate::http::{Auth, says};
use crate::{Endpoint, ProviderError};

/// Texts in one exchange. Servers take between 32 and 2,048; more only makes a failure dearer.
const MAX_TEXTS: usize = 32;
/// Of one text: about 8,000 tokens, the most that embedding models in use read.
const MAX_TEXT_BYTES: usize = 32 * 1024;
/// Of all texts in one exchange, before a server's own limit on bodies.
const MAX_BATCH_BYTES: usize = 256 * 1024;
/// A text the model finds too long is halved this often (32 KiB to 1 KiB) before it is left without a vector.
const MAX_HALVINGS: u32 = 5;
/// Past this it is no embedding model.
const MAX_DIMENSION: usize = 8_192;
/// A number in JSON with its comma, in the longest form servers write.
const BYTES_PER_NUMBER: usize = 26;
/// Around the numbers of one vector.
const BYTES_PER_VECTOR: usize = 256;
/// Around the vectors of one answer.
const BYTES_PER_ANSWER: usize = 16 * 1024;

/// Who speaks how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `POST {base}/embeddings`; the base ends with `/v1`.
    OpenAi,
    /// `POST {base}/api/embed`.
    Ollama,
}

#[derive(Debug)]
pub struct RemoteEmbedder {
    dialect: Dialect,
    endpoint: Endpoint,
    model: String,
    dimension: usize,
    name: String,
}

impl RemoteEmbedder {
    /// `dimension` is part of a model's identity: a server that gives another one is a server with another model.
    pub fn new(dialect: Dialect, endpoint: Endpoint, model: &str, dimension: usize) -> RemoteEmbedder {
        let prefix = match dialect {
            Dialect::OpenAi => "openai",
            Dialect::Ollama => "ollama",
        };
        let name = format!("{prefix}:{model}:{dimension}");
        RemoteEmbedder { dialect, endpoint, model: model.to_owned(), dimension, name }
    }

    /// Asks a server for one vector to learn how long its vectors are.
    pub fn probe(
        dialect: Dialect,
        endpoint: Endpoint,
        model: &str,
        until: Instant,
    ) -> Result<RemoteEmbedder, ProviderError> {
        let embedder = RemoteEmbedder::new(dialect, endpoint.clone(), model, MAX_DIMENSION);
        let vectors = embedder.exchange(&["dimension"], until)?;
        match vectors.first().map(Vec::len) {
            Some(dimension @ 1..=MAX_DIMENSION) => {
                Ok(RemoteEmbedder::new(dialect, endpoint, model, dimension))
            }
            _ => Err(ProviderError::garbage("there is no vector in it")),
        }
    }

    /// Provider, model and dimension, as it is kept with each vector.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// One vector of length one for each text, in order. `None`: this text has none (nothing in it, or the model
    /// cannot take it in any length), and asking again will not change that. An error is about all of them.
    pub fn embed(&self, texts: &[&str], until: Instant) -> Result<Vec<Option<Vec<f32>>>, ProviderError> {
        let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts.len()];
        let mut waiting: Vec<(usize, &str)> =
            texts.iter().map(|text| head(text, MAX_TEXT_BYTES)).enumerate().collect();
        waiting.retain(|(_, text)| !text.trim().is_empty());
        let mut last_refusal = None;
        let mut rest = waiting.as_slice();
        while !rest.is_empty() {
            let (batch, more) = rest.split_at(batch_size(rest));
            self.embed_batch(batch, MAX_HALVINGS, until, &mut vectors, &mut last_refusal)?;
            rest = more;
        }
        match last_refusal {
            // When nothing at all was taken, it is not the texts.
            Some(refusal) if vectors.iter().all(Option::is_none) => Err(refusal),
            _ => Ok(vectors),
        }
    }

    /// What a batch cannot have together, its halves may have apart; what one text cannot have whole, its first
    /// half may. At most twice as many exchanges as texts, and [`MAX_HALVINGS`] more for each that is too long.
    fn embed_batch(
        &self,
        batch: &[(usize, &str)],
        halvings: u32,
        until: Instant,
        vectors: &mut [Option<Vec<f32>>],
        last_refusal: &mut Option<ProviderError>,
    ) -> Result<(), ProviderError> {
        let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
        let refusal = match self.exchange(&texts, until) {
            Ok(found) => {
                for (&(at, _), vector) in batch.iter().zip(found) {
                    vectors[at] = self.checked(vector)?;
                }
                return Ok(());
            }
            Err(refusal) if is_about_the_texts(&refusal) => refusal,
            Err(error) => return Err(error),
        };
        match batch {
            [] => Ok(()),
            [(at, text)] => {
                if refusal == ProviderError::TooLarge && halvings > 0 {
                    let shorter = [(*at, head(text, text.len() / 2))];
                    return self.embed_batch(&shorter, halvings - 1, until, vectors, last_refusal);
                }
                *last_refusal = Some(refusal);
                Ok(())
            }
            _ => {
                let (first, second) = batch.split_at(batch.len() / 2);
                self.embed_batch(first, halvings, until, vectors, last_refusal)?;
                self.embed_batch(second, halvings, until, vectors, last_refusal)
            }
        }
    }

    fn exchange(&self, texts: &[&str], until: Instant) -> Result<Vec<Vec<f32>>, ProviderError> {
        let per_vector = self.dimension.clamp(1, MAX_DIMENSION) * BYTES_PER_NUMBER + BYTES_PER_VECTOR;
        let most = (BYTES_PER_ANSWER + texts.len() * per_vector) as u64;
        let body = json!({"model": self.model, "input": texts});
        let vectors = match self.dialect {
            Dialect::OpenAi => {
                let answer: OpenAiAnswer =
                    self.endpoint.post("/embeddings", Auth::Bearer, &[], &body, most, until)?;
                answer.in_order()
            }
            Dialect::Ollama => {
                let answer: OllamaAnswer =
                    self.endpoint.post("/api/embed", Auth::Bearer, &[], &body, most, until)?;
                answer.embeddings
            }
        };
        if vectors.len() != texts.len() {
            return Err(ProviderError::garbage(format!(
                "{} vectors for {} texts",
                vectors.len(),
                texts.len()
            )));
        }
        Ok(vectors)
    }

    /// The vector at length one. `None` when it points nowhere; an error when it is another model's.
    fn checked(&self, mut vector: Vec<f32>) -> Result<Option<Vec<f32>>, ProviderError> {
        if vector.len() != self.dimension {
            let said = format!("the model gives {} dimensions, not {}", vector.len(), self.dimension);
            return Err(ProviderError::rejected(said));
        }
        let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        if !length.is_finite() || length <= f64::from(f32::MIN_POSITIVE) {
            return Ok(None);
        }
        for x in &mut vector {
            *x = (f64::from(*x) / length) as f32;
        }
        Ok(Some(vector))
    }
}

/// How many of the first texts go into one exchange: at least one.
fn batch_size(texts: &[(usize, &str)]) -> usize {
    let mut bytes = 0;
    let fits = texts.iter().take(MAX_TEXTS).take_while(|(_, text)| {
        bytes += text.len();
        bytes <= MAX_BATCH_BYTES
    });
    fits.count().max(1)
}

/// Whether other texts might fare better. A wrong address fails for every text, and need not be tried with each.
fn is_about_the_texts(error: &ProviderError) -> bool {
    match error {
        ProviderError::TooLarge => true,
        ProviderError::Rejected { detail } => !says(detail, &["404", "redirect"]),
        ProviderError::Garbage { detail } => says(detail, &["null", "expected f32"]),
        _ => false,
    }
}

fn head(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

impl OpenAiAnswer {
    /// The order of the texts, which a server need not keep. The sort is stable: a server that numbers nothing
    /// keeps the order it has.
    fn in_order(mut self) -> Vec<Vec<f32>> {
        self.data.sort_by_key(|vector| vector.index);
        self.data.into_iter().map(|vector| vector.embedding).collect()
    }
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}
