//! The part of a function that one line depends on, or how all of it runs.

use atlas::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, code, missing, said};
use crate::answer::Answer;
use crate::keeper::{Keeper, Refusal};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Slice {
    /// Path, absolute or from the project's folder
    file: Option<String>,
    /// The line that is asked about
    line: Option<u32>,
    /// Only for what this variable holds there
    variable: Option<String>,
    /// What depends on the line, instead of what it depends on
    #[serde(default)]
    forward: bool,
    /// Instead of file and line: how this function runs, branch by branch
    symbol: Option<String>,
}

impl Call for Slice {
    const NAME: &'static str = "code_slice";
    const TITLE: &'static str = "Slice of a function";
    const DESCRIPTION: &'static str =
        "Only the lines of a function that one line depends on; or a function's flow.";
    const WAITING: &'static str = code::WAITING;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        if let Some(symbol) = self.symbol.as_deref().and_then(said) {
            return code::tell(keeper, Question::Flow { symbol: symbol.to_owned() });
        }
        let file =
            self.file.ok_or_else(|| missing("file", "name a file and a line, or a symbol for its flow"))?;
        let line = self.line.filter(|line| *line > 0);
        let line = line.ok_or_else(|| missing("line", "say which line, counted from 1"))?;
        let variable = self.variable.as_deref().and_then(said).map(str::to_owned);
        code::tell(keeper, Question::Slice { file, line, variable, forward: self.forward })
    }
}
