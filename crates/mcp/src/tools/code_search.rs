//! Code by name, by text and by meaning.

use atlas::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, code, missing, said};
use crate::answer::Answer;
use crate::keeper::{Keeper, Refusal};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// A name, a piece of text, or what the code does
    query: String,
    /// Only below this folder
    under: Option<String>,
    /// Rows, 1 to 500 (50)
    limit: Option<u32>,
}

impl Call for Search {
    const NAME: &'static str = "code_search";
    const TITLE: &'static str = "Search the code";
    const DESCRIPTION: &'static str = "Find code by name, text and meaning at once.";
    const WAITING: &'static str = code::WAITING;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let query = said(&self.query).ok_or_else(|| missing("query", "say what you look for"))?.to_owned();
        let under = self.under.as_deref().and_then(said).map(str::to_owned);
        code::tell(keeper, Question::Search { query, under, limit: code::limit(self.limit)? })
    }
}
