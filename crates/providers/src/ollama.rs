//! Ollama's own chat API: the one that lets the context be sized, because its default cuts a prompt silently.

use std::time::Instant;

use serde::Deserialize;
use serde_json::json;

use crate::anthropic::MAX_ANSWER_BYTES;
use crate::http::Auth;
use crate::{Completion, Endpoint, Model, ProviderError, Request};

/// Where it listens unless the settings say otherwise.
pub const BASE: &str = "http://127.0.0.1:11434";

/// A context costs memory on the person's own machine; past this a laptop swaps, and small models read badly.
const MAX_CONTEXT: u64 = 32_768;
/// Sizes are rounded up, because every new size makes the server load the model again.
const CONTEXT_STEP: u64 = 8_192;

#[derive(Debug)]
pub struct Ollama {
    endpoint: Endpoint,
    model: String,
    name: String,
}

impl Ollama {
    pub fn new(endpoint: Endpoint, model: &str) -> Ollama {
        Ollama { endpoint, model: model.to_owned(), name: format!("ollama:{model}") }
    }
}

impl Model for Ollama {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(&self, request: &Request, until: Instant) -> Result<Completion, ProviderError> {
        let context = context_for(request).ok_or(ProviderError::TooLarge)?;
        let mut body = json!({
            "model": self.model,
            "stream": false,
            // A model that thinks aloud would spend the whole answer on it.
            "think": false,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            "options": {"num_ctx": context, "num_predict": request.max_output_tokens},
        });
        if let Some(schema) = &request.schema {
            body["format"] = schema.clone();
        }
        let answer: Answer =
            self.endpoint.post("/api/chat", Auth::Bearer, &[], &body, MAX_ANSWER_BYTES, until)?;
        if answer.message.content.is_empty() {
            return Err(ProviderError::garbage("there is no text in it"));
        }
        Ok(Completion::counted(request, answer.message.content, answer.prompt_eval_count, answer.eval_count))
    }
}

/// Room for the prompt, the estimate's error (a quarter) and the answer.
fn context_for(request: &Request) -> Option<u64> {
    let needed = request.input_tokens() * 5 / 4 + u64::from(request.max_output_tokens);
    let context = needed.next_multiple_of(CONTEXT_STEP);
    (context <= MAX_CONTEXT).then_some(context)
}

#[derive(Deserialize)]
struct Answer {
    message: Message,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
}

#[derive(Deserialize)]
struct Message {
    content: String,
}
