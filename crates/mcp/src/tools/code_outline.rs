//! A file as its definitions, so that only the lines that matter are read.

use atlas::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, code, within};
use crate::answer::{Answer, MAX_TOKENS};
use crate::keeper::{Keeper, Refusal};

const TOKENS: usize = 2_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Outline {
    /// Path, absolute or from the project's folder
    file: String,
    /// At most so many, 50 to 6000 (2000); what is deepest is named, then counted
    tokens: Option<u32>,
}

impl Call for Outline {
    const NAME: &'static str = "code_outline";
    const TITLE: &'static str = "Outline of a file";
    const DESCRIPTION: &'static str =
        "Every definition of a file with lines and signature: read those ranges, not the file.";
    const WAITING: &'static str = code::WAITING;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let tokens = within("tokens", self.tokens, TOKENS, 50..=MAX_TOKENS as usize)?;
        code::tell_within(keeper, Question::Outline { file: self.file }, tokens)
    }
}
