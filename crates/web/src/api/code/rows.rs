//! Definitions and uses, as the API gives them.

use atlas::answer::{Found, Item, Site};
use schemars::JsonSchema;
use serde::Serialize;

/// A definition: a function, a type, a constant.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Definition {
    /// From the root of the workspace on.
    file: String,
    line: u32,
    end_line: u32,
    /// With what it belongs to: `Owner.name`.
    name: String,
    kind: String,
    signature: String,
    /// The first line of what is said about it.
    doc: Option<String>,
    /// The definition around it.
    parent: Option<String>,
    test: bool,
}

impl From<Item> for Definition {
    fn from(item: Item) -> Self {
        let Item { file, line, end_line, name, kind, signature, doc, parent, test, .. } = item;
        Self { file, line, end_line, name, kind, signature, doc, parent, test }
    }
}

/// Where something is used.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CodeUse {
    file: String,
    line: u32,
    /// The definition it stands in; `<module>` at the top of a file.
    name: String,
    /// call, new, type, base, value, import
    role: String,
    /// False: the receiver's type could not be seen, and only one definition fits.
    sure: bool,
    /// The line itself.
    text: String,
}

impl From<Site> for CodeUse {
    fn from(site: Site) -> Self {
        let Site { file, line, name, role, sure, text, .. } = site;
        Self { file, line, name, role, sure, text }
    }
}

/// A definition that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CodeHit {
    #[serde(flatten)]
    definition: Definition,
    /// Compares the answers to one question alone.
    score: f32,
    /// name, text or meaning.
    why: String,
    /// The line that was found, where it is not the definition's own.
    text: Option<String>,
}

impl From<Found> for CodeHit {
    fn from(found: Found) -> Self {
        let Found { item, score, why, text } = found;
        Self { definition: item.into(), score, why, text }
    }
}
