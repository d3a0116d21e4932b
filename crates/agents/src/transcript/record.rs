//! A JSON object read field by field, each decoded only when it is asked for and on its own: most of a
//! transcript's bytes are in records and fields nobody asks for.

use serde_json::Value;

use crate::json::{self, Member, Span};

/// Names and ids are UUIDs and words; this is room for ten UUIDs, as in `SessionId::MAX_CHARS`.
const MAX_WORD_CHARS: usize = 400;
/// The longest path Linux takes. A longer one is absent, since a cut path is another path.
const MAX_PATH_BYTES: usize = 4096;

/// Whether a path ends in `.extension`, as the agents write it.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == extension)
}

pub(crate) struct Object<'a> {
    json: &'a [u8],
    members: Vec<Member>,
}

impl<'a> Object<'a> {
    /// `None`: the text is not one object, to its end.
    pub(crate) fn whole(json: &'a [u8]) -> Option<Self> {
        let start = json::skip_space(json, 0);
        let span = json::value_at(json, start)?;
        (json::skip_space(json, span.end) == json.len()).then(|| Self::at(json, &span))?
    }

    fn at(json: &'a [u8], span: &Span) -> Option<Self> {
        Some(Self { json, members: json::members(json, span)? })
    }

    /// Of a field written twice the last counts, as in the client.
    fn span(&self, name: &str) -> Option<&Span> {
        self.members
            .iter()
            .rev()
            .find(|member| self.json[member.key.start + 1..member.key.end - 1] == *name.as_bytes())
            .map(|member| &member.value)
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        json::string(self.json, self.span(name)?)
    }

    /// A name or an id: not empty, and bounded.
    pub(crate) fn word(&self, name: &str) -> Option<String> {
        let mut word = self.text(name).filter(|word| !word.is_empty())?;
        if let Some((end, _)) = word.char_indices().nth(MAX_WORD_CHARS) {
            word.truncate(end);
        }
        Some(word)
    }

    pub(crate) fn path(&self, name: &str) -> Option<String> {
        self.text(name)
            .filter(|path| !path.is_empty() && path.len() <= MAX_PATH_BYTES && !path.contains('\0'))
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.span(name).is_some_and(|span| self.json[span.clone()] == *b"true")
    }

    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        json::value(self.json, self.span(name)?)
    }

    pub(crate) fn object(&self, name: &str) -> Option<Self> {
        Self::at(self.json, self.span(name)?)
    }

    /// The objects of a list, other items left out.
    pub(crate) fn objects(&self, name: &str) -> impl Iterator<Item = Self> {
        let items = self.span(name).and_then(|span| json::items(self.json, span)).unwrap_or_default();
        let json = self.json;
        items.into_iter().filter_map(move |item| Self::at(json, &item))
    }
}
