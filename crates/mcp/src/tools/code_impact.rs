//! What a change reaches, and which tests to run for it.

use atlas::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, code, said, within};
use crate::answer::Answer;
use crate::keeper::{Keeper, Refusal};

const MAX_DEPTH: usize = 32;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Impact {
    /// Of this symbol: name, Owner.name, FILE:name or FILE:LINE; without it, of the git diff
    symbol: Option<String>,
    /// Of these files or symbols: only the tests that reach them
    #[serde(default)]
    tests_for: Vec<String>,
    /// Of the diff since this revision (default: what is not committed)
    base: Option<String>,
    /// Calls in between, at most: 1 to 32
    depth: Option<u32>,
    /// Rows, 1 to 500 (50)
    limit: Option<u32>,
}

impl Call for Impact {
    const NAME: &'static str = "code_impact";
    const TITLE: &'static str = "Impact of a change";
    const DESCRIPTION: &'static str =
        "What a change of a symbol, or the git diff, reaches over all calls, and which tests to run.";
    const WAITING: &'static str = code::WAITING;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let limit = code::limit(self.limit)?;
        let depth = self.depth.map(|depth| within("depth", Some(depth), 1, 1..=MAX_DEPTH)).transpose()?;
        let question = match self.symbol.as_deref().and_then(said) {
            Some(symbol) => Question::Impact { symbol: symbol.to_owned(), depth, limit },
            None if !self.tests_for.is_empty() => Question::TestsFor { targets: self.tests_for, limit },
            None => {
                Question::DiffImpact { base: self.base.as_deref().and_then(said).map(str::to_owned), limit }
            }
        };
        code::tell(keeper, question)
    }
}
