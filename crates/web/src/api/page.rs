//! Lists come in pages. A page says where the next one begins; whoever scrolls may also say how many rows to skip,
//! which costs as much as there are.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// Rows of one page: a screen is fifty, and a page of five hundred is sent in a few milliseconds.
pub(crate) const MAX_LIMIT: u16 = 500;
const USUAL_LIMIT: u16 = 50;

/// How many rows a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u16")]
pub(crate) struct Limit<const MOST: u16 = MAX_LIMIT>(u16);

impl<const MOST: u16> Default for Limit<MOST> {
    fn default() -> Self {
        Self(USUAL_LIMIT.min(MOST))
    }
}

impl<const MOST: u16> TryFrom<u16> for Limit<MOST> {
    type Error = String;

    fn try_from(rows: u16) -> Result<Self, Self::Error> {
        if (1..=MOST).contains(&rows) { Ok(Self(rows)) } else { Err(format!("limit is 1 to {MOST}")) }
    }
}

impl<const MOST: u16> Limit<MOST> {
    pub(crate) fn rows(self) -> usize {
        usize::from(self.0)
    }
}

impl<const MOST: u16> JsonSchema for Limit<MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Limit{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL_LIMIT.min(MOST) })
    }
}

/// Some rows of a list, and how to go on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// What to send as `cursor` for the next page; none after the last one.
    pub(crate) next: Option<String>,
    /// How many rows the whole list has, where `count=true` asks for it.
    pub(crate) total: Option<u64>,
}

/// Where a page begins: behind the row with this number and this name, in the order of the list. Read by us alone;
/// whoever makes one up gets the rows that come after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) number: u64,
    pub(crate) name: String,
}

/// Characters of a cursor: a number and the longest name, a session's.
const MAX_CURSOR: usize = 480;

impl Cursor {
    pub(crate) fn new(number: u64, name: impl ToString) -> Self {
        Self { number, name: name.to_string() }
    }

    pub(crate) fn read(text: &str) -> Result<Self, Problem> {
        let parts = text.split_once('-').filter(|_| text.chars().count() <= MAX_CURSOR);
        let read = parts.and_then(|(number, name)| Some(Self::new(digits(number)?, name)));
        read.ok_or(Problem::refused("this is no cursor of ours", "send what `next` said, or none to begin"))
    }

    /// The name, where it is a number, too.
    pub(crate) fn second(&self) -> Result<u64, Problem> {
        digits(&self.name).ok_or(Problem::refused(
            "this is no cursor of this list",
            "send what `next` said, or none to begin",
        ))
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.number, self.name)
    }
}

/// As we write them: no sign, nothing before the first digit.
fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back() {
        for cursor in [Cursor::new(0, 0), Cursor::new(u64::MAX, "a-b é"), Cursor::new(7, "")] {
            assert_eq!(Cursor::read(&cursor.to_string()), Ok(cursor));
        }
        assert_eq!(Cursor::new(7, 42).second(), Ok(42));
        assert!(Cursor::new(7, "x").second().is_err());
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in ["", "7", "-7", "+7-1", " 7-1", "x-1", "99999999999999999999-1", &"7-".repeat(500)] {
            assert!(Cursor::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_limit_is_one_to_the_most() {
        assert_eq!(Limit::<MAX_LIMIT>::try_from(500).map(Limit::rows), Ok(500));
        assert!(Limit::<MAX_LIMIT>::try_from(501).is_err());
        assert!(Limit::<100>::try_from(101).is_err());
        assert!(Limit::<100>::try_from(0).is_err());
        assert_eq!(Limit::<20>::default().rows(), 20);
    }
}
