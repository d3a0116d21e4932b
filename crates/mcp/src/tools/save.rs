//! Keeps what an agent wants a later session to know.

use model::MemoryKind;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::json;

use super::{Call, Effect, said, search};
use crate::answer::{Answer, TITLE_CHARS, line};
use crate::keeper::{Keeper, Note, Refusal};

/// Files one memory is about; more say nothing.
const MAX_FILES: usize = 50;

/// What stands for a conversation or a file as it was; nobody can say afterward that there was one.
const MADE: &[MemoryKind] =
    &[MemoryKind::Summary, MemoryKind::Prompt, MemoryKind::Chunk, MemoryKind::Document];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    /// What to remember: complete sentences that will be understood without this conversation
    text: String,
    /// A line that names it (default: its first sentence)
    title: Option<String>,
    /// note (default), decision, discovery, failure, learning, bugfix, feature, refactor, change, security, incident
    kind: Option<String>,
    /// Files it is about
    #[serde(default)]
    files: Vec<String>,
    /// Another project than the current one, by name
    project: Option<String>,
    /// It holds in every project
    #[serde(default)]
    global: bool,
    /// Every session should be told at its start; for very few things
    #[serde(default)]
    critical: bool,
    /// Never dropped to make room
    #[serde(default)]
    pinned: bool,
}

impl Call for Save {
    const NAME: &'static str = "mem_save";
    const TITLE: &'static str = "Remember";
    const DESCRIPTION: &'static str = "Remember something for later sessions: a decision and its reason, a trap, a \
        fact not in the repository. Secrets are masked.";
    const EFFECT: Effect = Effect::Adds;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        // What nobody can see says nothing either.
        let text =
            said(&self.text).filter(|text| said(&engine::sanitize(text)).is_some()).ok_or_else(|| {
                Refusal::new("the text is empty", "say in a sentence or two what a later session must know")
            })?;
        if self.global && self.project.is_some() {
            return Err(Refusal::new("both global and project are given", "leave one of them out"));
        }
        if self.files.len() > MAX_FILES {
            let what = format!("{} files are too many", self.files.len());
            return Err(Refusal::new(what, format!("name at most {MAX_FILES}")));
        }
        let kind = self.kind.as_deref().and_then(said).map_or(Ok(MemoryKind::Note), search::kind)?;
        if MADE.contains(&kind) {
            let what = format!("a memory of the kind {} is made of what happens, not told", kind.name());
            return Err(Refusal::new(what, "leave kind out, or use one that the schema names"));
        }
        let kept = keeper.remember(Note {
            text: text.to_owned(),
            title: self.title,
            kind,
            files: self.files,
            project: self.project,
            global: self.global,
            critical: self.critical,
            pinned: self.pinned,
        })?;
        let memory = &kept.row.memory;
        let title = line(&memory.title, TITLE_CHARS);
        let how = if kept.known { "known already, in the same words" } else { "kept" };
        Ok(Answer {
            text: format!("{how}: {}  {title}", memory.id),
            data: json!({ "id": memory.id, "title": title, "known": kept.known }),
        })
    }
}
