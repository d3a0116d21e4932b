//! What can be asked of a map, as the command line, the MCP tools and the HTTP API send it.

use serde::{Deserialize, Serialize};

/// How many rows are given where nobody said.
pub const LIMIT: usize = 50;
/// Nobody reads more.
pub const MAX_LIMIT: usize = 1000;

/// A symbol is named as people and models do: `name`, `Owner.name` (or `Owner::name`, `Owner#name`), `path:name`,
/// `path:Owner.name`, `path:LINE`. Paths are relative to the workspace, or absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// Brings the map up to date; `anew` forgets what was known.
    Index {
        #[serde(default)]
        anew: bool,
    },
    Outline {
        file: String,
    },
    /// Definitions by name, or by the beginning of it where nothing is called exactly so.
    Symbol {
        name: String,
        kind: Option<String>,
        limit: Option<usize>,
    },
    Refs {
        symbol: String,
        limit: Option<usize>,
    },
    Callers {
        symbol: String,
        limit: Option<usize>,
    },
    Callees {
        symbol: String,
        limit: Option<usize>,
    },
    /// Who calls it, who calls those, and so on; each with a path.
    Impact {
        symbol: String,
        depth: Option<usize>,
        limit: Option<usize>,
    },
    /// Which tests reach these symbols or files.
    TestsFor {
        targets: Vec<String>,
        limit: Option<usize>,
    },
    /// What nobody uses. Entry points, tests, public API and what a framework calls are respected.
    Dead {
        /// Only below this folder or in this file.
        under: Option<String>,
        /// Public symbols of a library count, too.
        #[serde(default)]
        public: bool,
        limit: Option<usize>,
    },
    /// Control and data flow of one function.
    Flow {
        symbol: String,
    },
    Slice {
        file: String,
        line: u32,
        variable: Option<String>,
        #[serde(default)]
        forward: bool,
    },
    /// Structural, literal and semantic at once; each hit says why it is there.
    Search {
        query: String,
        /// Only below this folder.
        under: Option<String>,
        limit: Option<usize>,
    },
    /// Which folder (or file) uses which.
    Deps {
        under: Option<String>,
        /// Files instead of folders.
        #[serde(default)]
        files: bool,
        /// Folders below `under` that are told apart.
        depth: Option<usize>,
    },
    /// Everything needed to change one symbol, within a budget.
    Context {
        symbol: String,
        tokens: Option<usize>,
    },
    /// What the changes since a revision (default: what is not committed) touch.
    DiffImpact {
        base: Option<String>,
        limit: Option<usize>,
    },
    /// What is known of the map itself.
    Status,
}
