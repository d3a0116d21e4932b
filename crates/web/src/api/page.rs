//! Lists come in pages. A page says where the next one begins; whoever scrolls may also say how many rows to skip,
//! which costs as much as there are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rows of one page: a screen is fifty, and a page of five hundred is sent in a few milliseconds.
pub(crate) const MAX_LIMIT: u16 = 500;
const USUAL_LIMIT: u16 = 50;

/// How many rows a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "u16")]
pub(crate) struct Limit(#[schemars(range(min = 1, max = 500))] u16);

impl Default for Limit {
    fn default() -> Self {
        Self(USUAL_LIMIT)
    }
}

impl TryFrom<u16> for Limit {
    type Error = String;

    fn try_from(rows: u16) -> Result<Self, Self::Error> {
        if (1..=MAX_LIMIT).contains(&rows) {
            Ok(Self(rows))
        } else {
            Err(format!("limit is 1 to {MAX_LIMIT}"))
        }
    }
}

impl Limit {
    pub(crate) fn rows(self) -> usize {
        usize::from(self.0)
    }
}

/// Some rows of a list, and how to go on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// What to send as `cursor` for the next page; none after the last one.
    pub(crate) next: Option<String>,
    /// How many rows the whole list has, where `count=true` asks for it.
    pub(crate) total: Option<u64>,
}
