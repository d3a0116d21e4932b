//! Everything needed to change one symbol.

use atlas::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, code, within};
use crate::answer::{Answer, MAX_TOKENS};
use crate::keeper::{Keeper, Refusal};

const TOKENS: usize = 3_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Context {
    /// name, Owner.name, FILE:name or FILE:LINE
    symbol: String,
    /// At most so many, 100 to 6000 (3000)
    tokens: Option<u32>,
}

impl Call for Context {
    const NAME: &'static str = "code_context";
    const TITLE: &'static str = "What a change needs";
    const DESCRIPTION: &'static str =
        "The source needed to change one symbol: itself, callers, callees, types, tests.";
    const WAITING: &'static str = code::WAITING;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let tokens = within("tokens", self.tokens, TOKENS, 100..=MAX_TOKENS as usize)?;
        code::tell(keeper, Question::Context { symbol: self.symbol, tokens: Some(tokens) })
    }
}
