//! Which model is asked, and what opens its door. The key is read from the variable the settings name when a client
//! is made, and is kept nowhere else.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engine::config::Config;
use providers::claude_cli::Setup;
use providers::{Anthropic, Budget, ClaudeCli, Endpoint, Key, Model, Ollama, OpenAi, Pool, ProviderError};
use providers::{anthropic, ollama, openai};

/// The cheapest that reads well; the account of a turn is no riddle.
const CLAUDE_CLI_MODEL: &str = "haiku";
const ANTHROPIC_MODEL: &str = "claude-haiku-4-5";
/// One client at a time: each is a process of hundreds of megabytes.
pub(crate) const CLIENTS: NonZeroUsize = NonZeroUsize::MIN;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    provider: Provider,
    model: String,
    base: String,
    key_variable: String,
    pub(crate) budget: Budget,
    pub(super) batch_calls: usize,
    /// Whether the person has agreed that the conversation itself is sent.
    pub(super) sends_words: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Provider {
    ClaudeCli,
    Anthropic,
    OpenAi,
    Ollama,
}

impl Settings {
    /// `None`: no model is to be asked.
    pub(crate) fn read(config: &Config) -> Option<Self> {
        let provider = match config.text("distill.provider") {
            "claude-cli" => Provider::ClaudeCli,
            "anthropic" => Provider::Anthropic,
            "openai" => Provider::OpenAi,
            "ollama" => Provider::Ollama,
            _ => return None,
        };
        let text = |key: &str| config.text(key).trim().to_owned();
        let calls = usize::try_from(config.number("distill.batch-calls")).unwrap_or(usize::MAX);
        Some(Self {
            provider,
            model: text("distill.model"),
            base: text("distill.base-url"),
            key_variable: text("distill.key-variable"),
            budget: Budget { tokens_per_day: config.number("distill.tokens-per-day") },
            batch_calls: calls.clamp(1, providers::distill::MAX_STEPS),
            sends_words: config.text("distill.send") == "words",
        })
    }

    /// Steps of one request: with the words of a session at its end there are more of them, and what belongs together is asked together.
    pub(super) fn steps_at_once(&self) -> usize {
        if self.sends_words { providers::distill::MAX_STEPS } else { self.batch_calls }
    }

    pub(crate) fn provider(&self) -> &'static str {
        match self.provider {
            Provider::ClaudeCli => "claude-cli",
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::Ollama => "ollama",
        }
    }

    /// How long one answer may take. A client that has to start first, and a model on the person's own machine, take
    /// longer than a server.
    pub(super) fn patience(&self) -> Duration {
        match self.provider {
            Provider::Anthropic | Provider::OpenAi => Duration::from_mins(2),
            Provider::ClaudeCli | Provider::Ollama => Duration::from_mins(4),
        }
    }

    /// `folder` is nobody's project, for a client that is a process.
    pub(crate) fn client(&self, folder: &Path, pool: &Arc<Pool>) -> Result<Arc<dyn Model>, ProviderError> {
        Ok(match self.provider {
            Provider::ClaudeCli => {
                let program = find_program("claude").ok_or_else(|| ProviderError::Unreachable {
                    detail: "there is no `claude` on the PATH of the daemon".to_owned(),
                })?;
                client::place::make_folder(folder)
                    .map_err(|error| ProviderError::Unreachable { detail: error.to_string() })?;
                let model = Some(self.model_or(CLAUDE_CLI_MODEL));
                let environment = std::env::vars_os().collect();
                let setup = Setup { program, folder: folder.to_owned(), model, environment };
                Arc::new(ClaudeCli::new(setup, Arc::clone(pool)))
            }
            Provider::Anthropic => {
                let endpoint = self.endpoint(anthropic::BASE, Some("ANTHROPIC_API_KEY"))?;
                Arc::new(Anthropic::new(endpoint, &self.model_or(ANTHROPIC_MODEL)))
            }
            Provider::OpenAi => {
                // A server of the person's own may want no key.
                let usual = self.base.is_empty().then_some("OPENAI_API_KEY");
                Arc::new(OpenAi::new(self.endpoint(openai::BASE, usual)?, &self.named_model()?))
            }
            Provider::Ollama => {
                Arc::new(Ollama::new(self.endpoint(ollama::BASE, None)?, &self.named_model()?))
            }
        })
    }

    fn model_or(&self, usual: &str) -> String {
        if self.model.is_empty() { usual.to_owned() } else { self.model.clone() }
    }

    fn named_model(&self) -> Result<String, ProviderError> {
        if self.model.is_empty() {
            return Err(ProviderError::Rejected { detail: "distill.model is not set".to_owned() });
        }
        Ok(self.model.clone())
    }

    /// `usual`: the variable that must hold a key when the settings name none.
    fn endpoint(&self, usual_base: &str, usual: Option<&str>) -> Result<Endpoint, ProviderError> {
        let base = if self.base.is_empty() { usual_base } else { &self.base };
        let variable = Some(self.key_variable.as_str()).filter(|name| !name.is_empty()).or(usual);
        let key = variable
            .map(|name| {
                let secret = std::env::var(name).ok();
                secret.as_deref().and_then(Key::new).ok_or_else(|| ProviderError::Unauthorized {
                    detail: format!("the variable {name} holds no key in the daemon's environment"),
                })
            })
            .transpose()?;
        let proxy = ["HTTPS_PROXY", "https_proxy"].iter().find_map(|name| std::env::var(name).ok());
        let proxy = proxy.filter(|_| base.starts_with("https://"));
        Endpoint::new(base, key, proxy.as_deref())
    }
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)).find(
        |program| {
            use std::os::unix::fs::PermissionsExt;
            std::fs::metadata(program)
                .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
        },
    )
}

#[cfg(test)]
mod tests {
    use engine::config::Layer;

    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Option<Settings> {
        let mut config = Config::default();
        for (key, value) in pairs {
            config.set(Layer::User, "test", key, value).unwrap();
        }
        Settings::read(&config)
    }

    #[test]
    fn nobody_is_asked_unless_a_provider_is_named() {
        assert_eq!(settings(&[]), None);
        assert_eq!(settings(&[("distill.model", "x")]), None);
        let named = settings(&[("distill.provider", "openai"), ("distill.batch-calls", "9999")]).unwrap();
        assert_eq!((named.provider(), named.batch_calls), ("openai", providers::distill::MAX_STEPS));
    }

    #[test]
    fn what_is_missing_is_said_before_anything_is_sent() {
        let pool = Pool::new(CLIENTS);
        let trouble = |pairs: &[(&str, &str)]| {
            settings(pairs).unwrap().client(Path::new("/nowhere"), &pool).err().unwrap().to_string()
        };
        assert!(trouble(&[("distill.provider", "ollama")]).contains("distill.model"));
        let no_key =
            [("distill.provider", "anthropic"), ("distill.key-variable", "THROUGHLINE_TEST_NO_SUCH_KEY")];
        assert!(trouble(&no_key).contains("THROUGHLINE_TEST_NO_SUCH_KEY"));
        let far = [("distill.provider", "openai"), ("distill.model", "m"), ("distill.base-url", "ftp://x")];
        assert!(trouble(&far).contains("http"));
    }
}
