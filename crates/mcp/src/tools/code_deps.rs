//! Which module uses which, and what nobody uses.

use atlas::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::{Call, code, said, within};
use crate::answer::Answer;
use crate::keeper::{Keeper, Refusal};

const MAX_DEPTH: usize = 32;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Deps {
    /// Only below this folder
    under: Option<String>,
    /// Files instead of folders
    #[serde(default)]
    files: bool,
    /// Folders in folders that are told apart: 1 to 32 (2)
    depth: Option<u32>,
    /// Instead: definitions that nobody uses
    #[serde(default)]
    dead: bool,
}

impl Call for Deps {
    const NAME: &'static str = "code_deps";
    const TITLE: &'static str = "Modules and what they use";
    const DESCRIPTION: &'static str =
        "Which folders or files use which, circles marked; or what nobody uses.";
    const WAITING: &'static str = code::WAITING;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let under = self.under.as_deref().and_then(said).map(str::to_owned);
        if self.dead {
            return code::tell(keeper, Question::Dead { under, public: false, limit: None });
        }
        let depth = self.depth.map(|depth| within("depth", Some(depth), 1, 1..=MAX_DEPTH)).transpose()?;
        code::tell(keeper, Question::Deps { under, files: self.files, depth })
    }
}
