//! Where a name is defined.

use atlas::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, code, said};
use crate::answer::Answer;
use crate::keeper::{Keeper, Refusal};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Symbol {
    /// name, Owner.name, FILE:name or FILE:LINE; where nothing is called so, what begins so
    name: String,
    /// Only this kind: function, method, class, struct, enum, interface, trait, type, constant
    kind: Option<String>,
    /// Rows, 1 to 500 (50)
    limit: Option<u32>,
}

impl Call for Symbol {
    const NAME: &'static str = "code_symbol";
    const TITLE: &'static str = "Find a definition";
    const DESCRIPTION: &'static str = "Where a name is defined: file, lines, signature.";
    const WAITING: &'static str = code::WAITING;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let kind = self.kind.as_deref().and_then(said).map(str::to_owned);
        code::tell(keeper, Question::Symbol { name: self.name, kind, limit: code::limit(self.limit)? })
    }
}
