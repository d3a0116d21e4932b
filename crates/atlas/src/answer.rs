//! Answers, as they are printed with `--json` and handed to models. Every item can be gone to: file, line, end.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Item {
    /// Relative to the workspace.
    pub file: String,
    pub line: u32,
    pub end_line: u32,
    /// Qualified: `Owner.name`.
    pub name: String,
    pub kind: String,
    pub signature: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// The definition around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub public: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub test: bool,
}

/// A use: where it stands, and the definition it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Site {
    pub file: String,
    /// Of the use itself.
    pub line: u32,
    pub end_line: u32,
    pub column: u32,
    /// The definition around it, qualified; `<module>` at the top of a file.
    pub name: String,
    pub kind: String,
    pub signature: String,
    /// call, new, type, base, value, import
    pub role: String,
    /// The definition's own lines.
    pub from_line: u32,
    pub to_line: u32,
    /// False: the receiver's type could not be seen, and only one definition fits.
    pub sure: bool,
    /// What is used, where several definitions of one name were asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The line itself, trimmed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// A definition of a base, and how often it is used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Through {
    /// As it can be asked for: `path:Owner.name`.
    pub name: String,
    pub uses: usize,
}

/// A definition that is reached over others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reached {
    #[serde(flatten)]
    pub item: Item,
    /// Calls in between, one for a direct one.
    pub depth: usize,
    /// The names from here to what was asked about.
    pub path: Vec<String>,
    /// The line of the call.
    pub call_line: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    #[serde(flatten)]
    pub item: Item,
    pub score: f32,
    /// name, text, meaning
    pub why: String,
    /// The line that was found, where it is not the definition's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A definition that is gone, where it was, and who still says its name and now means nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Removed {
    #[serde(flatten)]
    pub item: Item,
    pub users: Vec<Site>,
}

/// A folder or a file in the graph of modules.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Module {
    pub name: String,
    pub files: usize,
    pub lines: u64,
    pub symbols: usize,
    /// In a circle with others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub circular: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Edge {
    /// Indices into the modules.
    pub from: usize,
    pub to: usize,
    /// Imports and uses.
    pub count: usize,
}

/// A piece of source that belongs to a context.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Piece {
    /// definition, caller, callee, type, test, import
    pub role: String,
    pub file: String,
    pub line: u32,
    pub end_line: u32,
    pub name: String,
    pub text: String,
    pub tokens: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    Index(Indexed),
    Outline {
        file: String,
        language: String,
        lines: u32,
        /// Of the whole file, as a model would read it.
        tokens: usize,
        items: Vec<Item>,
        /// A part of it could not be parsed.
        broken: bool,
    },
    Items {
        items: Vec<Item>,
        /// Of which only the first are given.
        total: usize,
    },
    Sites {
        symbol: Item,
        /// Other definitions that go by the name that was asked about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<Item>,
        sites: Vec<Site>,
        total: usize,
        /// What these override: who uses that may use these.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        through: Vec<Through>,
    },
    /// What one symbol uses: each with the line it is used on.
    Callees {
        symbol: Item,
        callees: Vec<Reached>,
        /// Names that are not of this workspace.
        outside: Vec<String>,
        /// Names of which it cannot be seen what they mean; it may be something of this workspace.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unknown: Vec<String>,
    },
    Impact {
        /// What was asked about, or what has changed.
        symbols: Vec<Item>,
        reached: Vec<Reached>,
        tests: Vec<Reached>,
        files: Vec<String>,
        /// Not everything is listed.
        cut: bool,
        /// Of a change: what was there before it and is not now.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        removed: Vec<Removed>,
    },
    Dead {
        items: Vec<Item>,
        total: usize,
        /// Definitions that were looked at.
        of: usize,
    },
    Flow {
        symbol: Item,
        /// `code::flow::Flow`, as it is serialized.
        flow: serde_json::Value,
        text: String,
    },
    Slice {
        symbol: Item,
        lines: Vec<u32>,
        /// The lines with their numbers.
        text: String,
    },
    Search {
        hits: Vec<Found>,
    },
    Deps {
        modules: Vec<Module>,
        edges: Vec<Edge>,
    },
    Context {
        symbol: Item,
        pieces: Vec<Piece>,
        tokens: usize,
        /// What did not fit, by name.
        left_out: Vec<String>,
    },
}

/// What the map knows, and what it just did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Indexed {
    pub root: String,
    pub files: usize,
    pub lines: u64,
    pub bytes: u64,
    pub symbols: usize,
    pub references: usize,
    /// Files by language.
    pub languages: BTreeMap<String, usize>,
    /// Files that were left out, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Files that were read anew, and that are gone.
    pub changed: usize,
    pub removed: usize,
    pub took_ms: u64,
    /// Files that are still to be read.
    #[serde(default)]
    pub left: usize,
    /// Not everything is on the map yet.
    #[serde(default)]
    pub partial: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
fn is_false(value: &bool) -> bool {
    !*value
}
