//! What can go wrong with a provider, named for what the caller does about it.

use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// 429, 5xx, overloaded, or no free place in our own pool. Ask again later, not before `retry_after`.
    #[error("the provider is busy")]
    Busy { retry_after: Option<Duration> },

    /// The deadline passed. Ask again later; the request may have been paid for.
    #[error("the provider did not answer in time")]
    Timeout,

    /// The model declined. Never ask the same again: leave it to the extractive distiller.
    #[error("the model refused")]
    Refused,

    /// There was an answer, and it is no answer to this. Ask again a few times, then give up on this batch.
    #[error("the provider's answer cannot be used: {detail}")]
    Garbage { detail: String },

    /// No key, a wrong key, or no money behind it. Stop asking and tell the person.
    #[error("the provider does not accept our credentials: {detail}")]
    Unauthorized { detail: String },

    /// Nobody there, or the connection broke. Ask again later.
    #[error("the provider cannot be reached: {detail}")]
    Unreachable { detail: String },

    /// More than the model reads at once, or may write about it. Ask with less.
    #[error("the request is larger than the model takes")]
    TooLarge,

    /// The same bytes will be rejected again: an unknown model, a wrong address, a redirect, an unknown option.
    /// Give this batch up and tell the person.
    #[error("the provider rejects the request: {detail}")]
    Rejected { detail: String },
}

impl ProviderError {
    /// Whether the same request may succeed later.
    pub fn is_worth_repeating(&self) -> bool {
        match self {
            Self::Busy { .. } | Self::Timeout | Self::Garbage { .. } | Self::Unreachable { .. } => true,
            Self::Refused | Self::Unauthorized { .. } | Self::TooLarge | Self::Rejected { .. } => false,
        }
    }

    /// Whether the provider probably read the prompt, and charges for it although there is nothing to show.
    pub fn may_have_cost(&self) -> bool {
        match self {
            Self::Timeout | Self::Refused | Self::Garbage { .. } => true,
            Self::Busy { .. }
            | Self::Unauthorized { .. }
            | Self::Unreachable { .. }
            | Self::TooLarge
            | Self::Rejected { .. } => false,
        }
    }

    pub(crate) fn garbage(detail: impl Into<String>) -> ProviderError {
        Self::Garbage { detail: detail.into() }
    }

    pub(crate) fn rejected(detail: impl Into<String>) -> ProviderError {
        Self::Rejected { detail: detail.into() }
    }

    pub(crate) fn unreachable(detail: impl Into<String>) -> ProviderError {
        Self::Unreachable { detail: detail.into() }
    }
}
