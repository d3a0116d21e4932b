//! Text that somebody sends as a filter or a value: no longer than the type says, which the document says, too.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// At most so many characters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Words<const MOST: usize>(String);

/// An id of a stranger's: as long as a session's may be.
pub(crate) type Id = Words<400>;
/// A name, a word, something to look for.
pub(crate) type Name = Words<200>;

impl<const MOST: usize> Words<MOST> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

impl<const MOST: usize> TryFrom<String> for Words<MOST> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.chars().count() <= MOST {
            Ok(Self(text))
        } else {
            Err(format!("a text here has at most {MOST} characters"))
        }
    }
}

impl<const MOST: usize> JsonSchema for Words<MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Words{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": MOST })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_counted_in_characters_and_bounded() {
        assert!(Words::<3>::try_from("äöü".to_owned()).is_ok());
        assert!(Words::<3>::try_from("äöüx".to_owned()).is_err());
    }
}
