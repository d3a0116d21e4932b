//! Clients of language models and remote embedders: text out, text or vectors back, within a deadline.
//! Everything here is optional to the product. Nothing here reads the environment, writes a file, prints, keeps a
//! key longer than its owner, or decides when to ask again; if you need one of those you are in the wrong room.

pub mod anthropic;
pub mod backoff;
pub mod budget;
pub mod claude_cli;
pub mod distill;
pub mod embedder;
mod endpoint;
mod error;
mod http;
pub mod ollama;
pub mod openai;
mod pool;
pub mod process;
pub mod tokens;

use std::time::Instant;

pub use anthropic::Anthropic;
pub use backoff::Backoff;
pub use budget::{Budget, Spend};
pub use claude_cli::ClaudeCli;
pub use embedder::RemoteEmbedder;
pub use endpoint::{Endpoint, Key};
pub use error::ProviderError;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use pool::Pool;

/// A language model that completes one text, wherever it runs. Stateless: nothing of one request is in the next.
pub trait Model: Send + Sync {
    /// Provider and model, as it is kept with what the model said: `anthropic:claude-haiku-4-5`.
    fn name(&self) -> &str;

    /// Blocks until there is an answer, and never past `until`.
    fn complete(&self, request: &Request, until: Instant) -> Result<Completion, ProviderError>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Ours alone: no material of a session belongs here, because a command line shows it to the machine.
    pub system: String,
    pub prompt: String,
    pub max_output_tokens: u32,
    /// The shape of the answer, for providers that hold a model to it (OpenAI-compatible, Ollama). The others are
    /// told the shape in `system`, and ignore this.
    pub schema: Option<serde_json::Value>,
}

impl Request {
    /// What the whole request will cost at most, to be asked of a [`Budget`] before it is sent.
    pub fn worst_case_tokens(&self) -> u64 {
        self.input_tokens() + u64::from(self.max_output_tokens)
    }

    /// An estimate; providers count for themselves, and their count is what is charged when there is one.
    pub fn input_tokens(&self) -> u64 {
        let schema = self.schema.as_ref().map_or(0, |schema| tokens::estimate(&schema.to_string()));
        tokens::estimate(&self.system) + tokens::estimate(&self.prompt) + schema
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    pub text: String,
    /// As the provider counted, what it read from its cache included; estimated where it does not say.
    pub input_tokens: u64,
    pub output_tokens: u64,
}

impl Completion {
    /// A server that counts nothing must not look free: what is missing is estimated.
    pub(crate) fn counted(
        request: &Request,
        text: String,
        input: Option<u64>,
        output: Option<u64>,
    ) -> Completion {
        let input_tokens = input.filter(|&count| count > 0).unwrap_or_else(|| request.input_tokens());
        let output_tokens = output.filter(|&count| count > 0).unwrap_or_else(|| tokens::estimate(&text));
        Completion { text, input_tokens, output_tokens }
    }
}
