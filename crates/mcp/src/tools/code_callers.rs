//! Who uses a symbol, or what it uses.

use atlas::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, code};
use crate::answer::Answer;
use crate::keeper::{Keeper, Refusal};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Callers {
    /// name, Owner.name, FILE:name or FILE:LINE
    symbol: String,
    /// callers (default), all uses with types and imports (refs), or what it calls itself (callees)
    #[serde(default)]
    ask: Ask,
    /// Rows, 1 to 500 (50)
    limit: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Ask {
    #[default]
    Callers,
    Refs,
    Callees,
}

impl Call for Callers {
    const NAME: &'static str = "code_callers";
    const TITLE: &'static str = "Callers";
    const DESCRIPTION: &'static str =
        "Who calls or uses a symbol, or what it calls: resolved, with lines. Better than grep.";
    const WAITING: &'static str = code::WAITING;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let (symbol, limit) = (self.symbol, code::limit(self.limit)?);
        let question = match self.ask {
            Ask::Callers => Question::Callers { symbol, limit },
            Ask::Refs => Question::Refs { symbol, limit },
            Ask::Callees => Question::Callees { symbol, limit },
        };
        code::tell(keeper, question)
    }
}
