//! Chat completions, as OpenAI defined them and many servers speak them. What those servers disagree about (the
//! name of the output limit, whether an answer can be held to a schema) is learned from their complaint, once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::anthropic::MAX_ANSWER_BYTES;
use crate::http::{Auth, says};
use crate::{Completion, Endpoint, Model, ProviderError, Request};

/// Where the API is unless the settings say otherwise. A base ends with `/v1`, as it is written everywhere.
pub const BASE: &str = "https://api.openai.com/v1";

/// One plain try and one for each thing to learn.
const MAX_TRIES: usize = 3;

#[derive(Debug)]
pub struct OpenAi {
    endpoint: Endpoint,
    model: String,
    name: String,
    takes_schema: AtomicBool,
    /// The newer name of the output limit, which newer models insist on and other servers do not know.
    wants_max_completion_tokens: AtomicBool,
}

impl OpenAi {
    pub fn new(endpoint: Endpoint, model: &str) -> OpenAi {
        OpenAi {
            endpoint,
            model: model.to_owned(),
            name: format!("openai:{model}"),
            takes_schema: AtomicBool::new(true),
            wants_max_completion_tokens: AtomicBool::new(false),
        }
    }

    fn body(&self, request: &Request) -> Value {
        let newer = self.wants_max_completion_tokens.load(Ordering::Relaxed);
        let limit = if newer { "max_completion_tokens" } else { "max_tokens" };
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            limit: request.max_output_tokens,
        });
        if let Some(schema) = request.schema.as_ref().filter(|_| self.takes_schema.load(Ordering::Relaxed)) {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": true, "schema": schema},
            });
        }
        body
    }

    /// Whether the complaint taught us something, so that another try is worth it.
    fn learn(&self, complaint: &str) -> bool {
        if says(complaint, &["max_completion_tokens"]) {
            return !self.wants_max_completion_tokens.swap(true, Ordering::Relaxed);
        }
        if says(complaint, &["response_format", "json_schema", "structured output", "grammar"]) {
            return self.takes_schema.swap(false, Ordering::Relaxed);
        }
        false
    }
}

impl Model for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(&self, request: &Request, until: Instant) -> Result<Completion, ProviderError> {
        let ask = || {
            let body = self.body(request);
            self.endpoint.post("/chat/completions", Auth::Bearer, &[], &body, MAX_ANSWER_BYTES, until)
        };
        let mut answer: Result<Answer, ProviderError> = ask();
        for _ in 1..MAX_TRIES {
            match &answer {
                Err(ProviderError::Rejected { detail }) if self.learn(detail) => answer = ask(),
                _ => break,
            }
        }
        let answer = answer?;
        let Some(choice) = answer.choices.into_iter().next() else {
            return Err(ProviderError::garbage("there is no choice in it"));
        };
        let is_refused = choice.message.refusal.is_some_and(|words| !words.is_empty())
            || choice.finish_reason.as_deref() == Some("content_filter");
        if is_refused {
            return Err(ProviderError::Refused);
        }
        let Some(text) = choice.message.content.filter(|text| !text.is_empty()) else {
            return Err(ProviderError::garbage("there is no text in it"));
        };
        let usage = answer.usage.unwrap_or_default();
        Ok(Completion::counted(request, text, usage.prompt_tokens, usage.completion_tokens))
    }
}

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}
