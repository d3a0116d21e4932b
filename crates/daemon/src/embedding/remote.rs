//! An embedder of somebody else's: found, asked with patience, and not asked again at once when it is silent.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use embed::{EmbedError, Embedder, Identity};
use engine::config::Config;
use engine::search::Model;
use providers::embedder::Dialect;
use providers::{Endpoint, Key, ProviderError, RemoteEmbedder, ollama, openai};

/// A remote model may take this long for a batch.
const BATCH_PATIENCE: Duration = Duration::from_secs(20);
/// And this long for a question: words answer without it.
const QUESTION_PATIENCE: Duration = Duration::from_secs(2);
/// After silence, questions do not wait for it.
const SILENCE: Duration = Duration::from_mins(1);

/// Asks the server the configuration names for its kind of vectors. Takes its time.
pub(super) fn find(config: &Config) -> Result<Model, EmbedError> {
    let provider = config.text("embed.provider");
    let (dialect, base) = match provider {
        "ollama" => (Dialect::Ollama, ollama::BASE),
        _ => (Dialect::OpenAi, openai::BASE),
    };
    let base = Some(config.text("embed.base-url")).filter(|base| !base.is_empty()).unwrap_or(base);
    let variable = config.text("embed.key-variable");
    let key = (!variable.is_empty()).then(|| std::env::var(variable).ok()).flatten();
    let endpoint =
        Endpoint::new(base, key.as_deref().and_then(Key::new), None).map_err(|error| refused(&error))?;
    let until = Instant::now() + BATCH_PATIENCE;
    let remote = RemoteEmbedder::probe(dialect, endpoint, config.text("embed.model"), until)
        .map_err(|error| unreachable_or_refused(&error))?;
    let identity = Identity {
        name: remote.name().to_owned(),
        version: "1".to_owned(),
        weights: "remote".to_owned(),
        dims: remote.dimension(),
    };
    Ok(Arc::new(Elsewhere { identity, server: remote, silent_since: Mutex::default() }))
}

struct Elsewhere {
    identity: Identity,
    server: RemoteEmbedder,
    /// When it last left a question unanswered: the next ones do not wait for it.
    silent_since: Mutex<Option<Instant>>,
}

impl Embedder for Elsewhere {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut silent_since = self.silent_since.lock().unwrap_or_else(PoisonError::into_inner);
        let is_question = texts.len() == 1;
        if is_question && silent_since.is_some_and(|at| at.elapsed() < SILENCE) {
            return Err(EmbedError::Unreachable("it did not answer a moment ago".to_owned()));
        }
        drop(silent_since);
        let patience = if is_question { QUESTION_PATIENCE } else { BATCH_PATIENCE };
        let vectors = self.server.embed(texts, Instant::now() + patience);
        silent_since = self.silent_since.lock().unwrap_or_else(PoisonError::into_inner);
        *silent_since = vectors.is_err().then(Instant::now);
        drop(silent_since);
        let vectors = vectors.map_err(|error| unreachable_or_refused(&error))?;
        // A text that has no vector is near to nothing.
        Ok(vectors
            .into_iter()
            .map(|vector| vector.unwrap_or_else(|| vec![0.0; self.identity.dims]))
            .collect())
    }
}

fn unreachable_or_refused(error: &ProviderError) -> EmbedError {
    if error.is_worth_repeating() { EmbedError::Unreachable(error.to_string()) } else { refused(error) }
}

fn refused(error: &ProviderError) -> EmbedError {
    EmbedError::Refused(error.to_string())
}
