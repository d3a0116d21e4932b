//! A JSON text edited in place: what an edit does not concern stays byte for byte, and taking back what was
//! put in gives the old text. Knows no settings and no agent; values come as ready one-line JSON.
//!
//! The second promise rests on three rules. Into a container with content we append, and take away from
//! the end of the neighbor before. Into an empty one we write a line break, the entry and the way back to
//! the bracket *behind* the white space that was there; taking the last entry away removes everything from
//! that line break on. A file kept on one line gets no line breaks, unless the container had one.

use serde::Serialize;
use serde_json::Value;

use crate::SettingsError;
use crate::json::{self, Member, Span};

const BYTE_ORDER_MARK: char = '\u{feff}';
/// Where the file shows no indentation of its own.
const INDENT: &str = "  ";

#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// Some editors put one in front; JSON knows none.
    has_mark: bool,
    text: String,
    style: Style,
}

#[derive(Debug, Clone)]
struct Style {
    newline: &'static str,
    /// One level. `None`: the file is kept on one line.
    indent: Option<String>,
    /// No space behind colons and commas.
    tight: bool,
}

impl Document {
    pub(crate) fn parse(text: &str) -> Result<Self, SettingsError> {
        let bare = text.strip_prefix(BYTE_ORDER_MARK);
        let text = bare.unwrap_or(text);
        let root = json::check(text).map_err(|fault| {
            let (line, column) = position(text, fault.at);
            SettingsError::Malformed { line, column, what: fault.what }
        })?;
        Ok(Self { has_mark: bare.is_some(), style: Style::of(text, &root), text: text.to_owned() })
    }

    pub(crate) fn into_text(self) -> String {
        if self.has_mark { format!("{BYTE_ORDER_MARK}{}", self.text) } else { self.text }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// One line of JSON, spaced as the file is.
    pub(crate) fn render(&self, value: &impl Serialize) -> String {
        let mut bytes = Vec::new();
        let done = if self.style.tight {
            value.serialize(&mut serde_json::Serializer::new(&mut bytes))
        } else {
            value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Spaced))
        };
        done.expect("strings, numbers and string keys always serialize");
        String::from_utf8(bytes).expect("serde_json writes UTF-8")
    }

    /// Takes a member out that is an object with nothing in it.
    pub(crate) fn remove_empty(&mut self, object: &Span, key: &str) {
        let Some(members) = self.members(object) else { return };
        let named = |member: &Member| self.string(&member.key).as_deref() == Some(key);
        if let Some(index) = members.iter().rposition(named)
            && self.members(&members[index].value).is_some_and(|inside| inside.is_empty())
        {
            self.remove_member(object, index);
        }
    }

    pub(crate) fn root(&self) -> Span {
        json::skip_space(self.bytes(), 0)..self.text.trim_end_matches([' ', '\t', '\n', '\r']).len()
    }

    pub(crate) fn members(&self, object: &Span) -> Option<Vec<Member>> {
        json::members(self.bytes(), object)
    }

    pub(crate) fn items(&self, array: &Span) -> Option<Vec<Span>> {
        json::items(self.bytes(), array)
    }

    /// Of several members with this key the last, as `JSON.parse` has it. `None`: no such member, or no object.
    pub(crate) fn member(&self, object: &Span, key: &str) -> Option<Span> {
        let members = self.members(object)?;
        members
            .into_iter()
            .rev()
            .find(|member| self.string(&member.key).as_deref() == Some(key))
            .map(|member| member.value)
    }

    pub(crate) fn string(&self, span: &Span) -> Option<String> {
        json::string(self.bytes(), span)
    }

    /// The members of an object from their keys to their values.
    fn entries(&self, object: &Span) -> Vec<Span> {
        let members = self.members(object).unwrap_or_default();
        members.into_iter().map(|member| member.key.start..member.value.end).collect()
    }

    pub(crate) fn append_member(&mut self, object: &Span, key: &str, value: &str) {
        let colon = if self.style.tight { ":" } else { ": " };
        let key = serde_json::Value::from(key);
        let entries = self.entries(object);
        self.append(object, &entries, &format!("{key}{colon}{value}"));
    }

    pub(crate) fn append_item(&mut self, array: &Span, value: &str) {
        let entries = self.items(array).unwrap_or_default();
        self.append(array, &entries, value);
    }

    pub(crate) fn remove_member(&mut self, object: &Span, index: usize) {
        let entries = self.entries(object);
        self.remove(object, &entries, index);
    }

    pub(crate) fn remove_item(&mut self, array: &Span, index: usize) {
        let entries = self.items(array).unwrap_or_default();
        self.remove(array, &entries, index);
    }

    pub(crate) fn replace(&mut self, span: &Span, value: &str) {
        self.text.replace_range(span.clone(), value);
    }

    /// The refusal to edit at `span`, because it is not what is expected there.
    pub(crate) fn wrong_shape(&self, span: &Span, place: &str, expected: &'static str) -> SettingsError {
        let (line, column) = position(&self.text, span.start);
        let found = match self.bytes().get(span.start) {
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        };
        SettingsError::WrongShape { line, column, place: place.to_owned(), found, expected }
    }

    fn append(&mut self, container: &Span, entries: &[Span], entry: &str) {
        if let Some(last) = entries.last() {
            let lead = self.lead_of(last.start);
            self.text.insert_str(last.end, &format!(",{lead}{entry}"));
            return;
        }
        let close = container.end - 1;
        let inside = &self.text[container.start + 1..close];
        let indent = match &self.style.indent {
            Some(indent) => indent,
            None if inside.contains('\n') => INDENT,
            None => {
                self.text.insert_str(close, entry);
                return;
            }
        };
        // A carriage return left alone there must not become half of our line break.
        let newline = if inside.ends_with('\r') { "\r\n" } else { self.style.newline };
        let outer = self.indentation_at(container.start);
        let insertion = format!("{newline}{outer}{indent}{entry}{newline}{outer}");
        self.text.insert_str(close, &insertion);
    }

    fn remove(&mut self, container: &Span, entries: &[Span], index: usize) {
        let range = match entries {
            [_] => {
                let before = container.start + 1..entries[0].start;
                before.start + last_line_break(&self.text[before.clone()]).unwrap_or(before.len())
                    ..container.end - 1
            }
            _ if index > 0 => entries[index - 1].end..entries[index].end,
            _ => entries[0].start..entries[1].start,
        };
        self.text.replace_range(range, "");
    }

    /// The white space before the entry at `at`, from its last line break on.
    fn lead_of(&self, at: usize) -> &str {
        let content = self.text[..at].trim_end_matches([' ', '\t', '\n', '\r']).len();
        let space = &self.text[content..at];
        &space[last_line_break(space).unwrap_or(0)..]
    }

    /// The white space at the beginning of the line that `at` is in.
    fn indentation_at(&self, at: usize) -> &str {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let rest = &self.text[line..at];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }
}

impl Style {
    fn of(text: &str, root: &Span) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let Some(first) = json::members(text.as_bytes(), root).and_then(|members| members.into_iter().next())
        else {
            return Self { newline, indent: Some(INDENT.to_owned()), tight: false };
        };
        let lead = &text[root.start + 1..first.key.start];
        let indent = lead.rfind('\n').map(|at| lead[at + 1..].to_owned());
        let tight = indent.is_none() && text[..first.value.start].ends_with(':');
        Self { newline, indent, tight }
    }
}

/// Where the last line break in `space` begins.
fn last_line_break(space: &str) -> Option<usize> {
    let at = space.rfind('\n')?;
    Some(if space[..at].ends_with('\r') { at - 1 } else { at })
}

/// Line and column of a byte, from 1; columns in characters.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before[before.rfind('\n').map_or(0, |end| end + 1)..].chars().count() + 1;
    (line, column)
}

/// One line, with a space behind colons and commas.
struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}

/// Whether two texts hold the same settings, empty lists and objects left aside.
pub fn say_the_same(one: &str, other: &str) -> bool {
    let meaning = |text: &str| {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        serde_json::from_str(text).ok().map(without_empty)
    };
    meaning(one).is_some_and(|one| meaning(other) == Some(one))
}

fn without_empty(value: Value) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    match value {
        Value::Array(items) => items.into_iter().map(without_empty).filter(|item| !is_empty(item)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, without_empty(value)))
            .filter(|(_, value)| !is_empty(value))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn appended(before: &str, after: &str) {
        let mut document = Document::parse(before).expect(before);
        let root = document.root();
        document.append_member(&root, "k", "1");
        let root = document.root();
        let last = document.members(&root).expect("an object").len() - 1;
        let mut back = document.clone();
        assert_eq!(document.into_text(), after);
        back.remove_member(&root, last);
        assert_eq!(back.into_text(), before, "taken back from {after:?}");
    }

    #[test]
    fn an_entry_takes_the_form_of_its_surroundings_and_leaves_no_trace() {
        appended("{}", "{\n  \"k\": 1\n}");
        appended("{}\n", "{\n  \"k\": 1\n}\n");
        appended("{\n}\n", "{\n\n  \"k\": 1\n}\n");
        appended("{ }", "{ \n  \"k\": 1\n}");
        appended("{\"a\":1}", "{\"a\":1,\"k\":1}");
        appended("{\"a\": 1}", "{\"a\": 1,\"k\": 1}");
        appended("{ \"a\": 1 }", "{ \"a\": 1, \"k\": 1 }");
        appended("{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"k\": 1\n}");
        appended("{\r\n    \"a\": 1\r\n}\r\n", "{\r\n    \"a\": 1,\r\n    \"k\": 1\r\n}\r\n");
        appended("{\n  \"a\": 1,\n\n  \"b\": 2 }", "{\n  \"a\": 1,\n\n  \"b\": 2,\n  \"k\": 1 }");
        appended("\u{feff}{\n  \"a\": 1\n}", "\u{feff}{\n  \"a\": 1,\n  \"k\": 1\n}");
        appended("{\r}", "{\r\r\n  \"k\": 1\r\n}");
    }

    #[test]
    fn a_place_is_counted_in_lines_and_characters() {
        assert_eq!(position("a\né🙂x", 8), (2, 3));
        let fault = Document::parse("{\n  \"é\": tru\n}").expect_err("not JSON");
        assert_eq!(fault, SettingsError::Malformed { line: 2, column: 8, what: "expected a value" });
    }
}
