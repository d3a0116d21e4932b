//! The Messages API. No streaming, no tools, no state: one text in, one text out.

use std::time::Instant;

use serde::Deserialize;
use serde_json::json;

use crate::http::Auth;
use crate::{Completion, Endpoint, Model, ProviderError, Request};

/// Where the API is unless the settings say otherwise.
pub const BASE: &str = "https://api.anthropic.com";

/// An answer is a few thousand tokens; a hundred times that is no answer.
pub(crate) const MAX_ANSWER_BYTES: u64 = 2 * 1024 * 1024;

#[derive(Debug)]
pub struct Anthropic {
    endpoint: Endpoint,
    model: String,
    name: String,
}

impl Anthropic {
    pub fn new(endpoint: Endpoint, model: &str) -> Anthropic {
        Anthropic { endpoint, model: model.to_owned(), name: format!("anthropic:{model}") }
    }
}

impl Model for Anthropic {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(&self, request: &Request, until: Instant) -> Result<Completion, ProviderError> {
        let body = json!({
            "model": self.model,
            "max_tokens": request.max_output_tokens,
            "system": request.system,
            "messages": [{"role": "user", "content": request.prompt}],
        });
        let headers = [("anthropic-version", "2023-06-01")];
        let answer: Answer =
            self.endpoint.post("/v1/messages", Auth::XApiKey, &headers, &body, MAX_ANSWER_BYTES, until)?;
        if answer.stop_reason.as_deref() == Some("refusal") {
            return Err(ProviderError::Refused);
        }
        let text: String = answer.content.into_iter().filter_map(|block| block.text).collect();
        if text.is_empty() {
            return Err(ProviderError::garbage("there is no text in it"));
        }
        let usage = answer.usage.unwrap_or_default();
        Ok(Completion::counted(request, text, usage.input(), usage.output))
    }
}

#[derive(Deserialize)]
struct Answer {
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
}

/// Blocks without text (thinking, and what is not invented yet) are passed over.
#[derive(Deserialize)]
struct Block {
    text: Option<String>,
}

/// The client in print mode reports the same.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    #[serde(rename = "input_tokens")]
    fresh: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens")]
    put_into_cache: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    read_from_cache: Option<u64>,
    #[serde(rename = "output_tokens")]
    pub(crate) output: Option<u64>,
}

impl Usage {
    /// All that was read: what came from the cache is cheaper, not absent.
    pub(crate) fn input(&self) -> Option<u64> {
        let cached = [self.put_into_cache, self.read_from_cache].into_iter().flatten();
        self.fresh.map(|fresh| cached.fold(fresh, u64::saturating_add))
    }
}
