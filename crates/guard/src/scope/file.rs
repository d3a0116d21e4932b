//! The text of a scope file: strict JSON, two lists, nothing that is passed over in silence. A typo in a file that forbids
//! must not read as permission, so what is not understood is an error with its place.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::pattern::Pattern;

/// 10,000 patterns of 60 characters; more is no list that somebody keeps by hand.
pub const MAX_BYTES: u64 = 4 << 20;

/// What is wrong with a scope file, and where. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub line: usize,
    pub column: usize,
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What could not even be read has no line.
        if self.line > 0 {
            write!(f, "line {}, column {}: ", self.line, self.column)?;
        }
        f.write_str(&self.what)
    }
}

/// A pattern and the line it stands in.
#[derive(Debug, Clone)]
pub struct Rule {
    pub pattern: Pattern,
    pub line: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Lists {
    /// Given, even if empty: what none of it names is denied.
    pub allow: Option<Vec<Rule>>,
    pub deny: Vec<Rule>,
}

impl Lists {
    pub fn read(text: &str) -> Result<Self, Broken> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let fields: Fields<'_> = serde_json::from_str(text).map_err(|error| Broken {
            line: error.line().max(1),
            column: column(text, &error),
            what: without_place(&error),
        })?;
        let place = Place { text };
        let mut lists = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for (name, value) in fields.0 {
            if seen.contains(&name.as_str()) {
                return Err(place.broken(value, format!("\"{name}\" stands here a second time")));
            }
            match name.as_str() {
                "allow" => lists.allow = Some(place.rules("allow", value)?),
                "deny" => lists.deny = place.rules("deny", value)?,
                // For editors, and for whoever wants to say why.
                "$schema" | "comment" | "description" => {}
                _ => {
                    let what = format!("\"{name}\" is no list of a scope; there are \"allow\" and \"deny\"");
                    return Err(place.broken(value, what));
                }
            }
            seen.push(match name.as_str() {
                "allow" => "allow",
                "deny" => "deny",
                _ => continue,
            });
        }
        Ok(lists)
    }
}

/// The fields of an object in their order, with every repetition: a map would keep the last and say nothing.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the lists \"allow\" and \"deny\"")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

struct Place<'a> {
    text: &'a str,
}

impl<'a> Place<'a> {
    fn rules(&self, name: &str, value: &'a RawValue) -> Result<Vec<Rule>, Broken> {
        let items: Vec<&RawValue> = serde_json::from_str(value.get())
            .map_err(|_| self.broken(value, format!("\"{name}\" takes a list of patterns")))?;
        let mut counted = Counted { text: self.text, offset: 0, line: 1 };
        items.iter().map(|item| self.rule(item, &mut counted)).collect()
    }

    fn rule(&self, item: &'a RawValue, counted: &mut Counted<'_>) -> Result<Rule, Broken> {
        let text: String = serde_json::from_str(item.get())
            .map_err(|_| self.broken(item, "a pattern is a text in quotes".to_owned()))?;
        let pattern = Pattern::read(&text)
            .map_err(|error| self.broken(item, format!("the pattern \"{text}\" cannot be read: {error}")))?;
        Ok(Rule { pattern, line: counted.line_of(self.offset(item)) })
    }

    /// Where a value stands: it was borrowed from the text.
    fn offset(&self, value: &RawValue) -> usize {
        (value.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }

    fn broken(&self, value: &RawValue, what: String) -> Broken {
        let before = &self.text[..self.offset(value)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Broken {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            what,
        }
    }
}

/// Lines, counted on from the last place: ten thousand patterns are read once, not ten thousand times.
struct Counted<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
}

impl Counted<'_> {
    fn line_of(&mut self, offset: usize) -> usize {
        self.line += self.text[self.offset..offset].matches('\n').count();
        self.offset = offset;
        self.line
    }
}

/// serde_json counts bytes; a person counts characters.
fn column(text: &str, error: &serde_json::Error) -> usize {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = line.char_indices().take_while(|(at, _)| *at < error.column()).count();
    // Behind the end of a line there is nothing to count.
    (before + error.column().saturating_sub(line.len())).max(1)
}

/// serde_json says the place behind its words; ours stands before them.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let bare = text.rsplit_once(" at line ").map_or(text.as_str(), |(bare, _)| bare);
    format!("this is not JSON we can read: {bare}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_are_read_with_their_lines() {
        let lists =
            Lists::read("{\n  \"allow\": [\"src/**\",\n    \"docs/**\"],\n  \"deny\": [\"*.pem\"]\n}\n")
                .unwrap();
        let lines: Vec<usize> = lists.allow.unwrap().iter().map(|rule| rule.line).collect();
        assert_eq!(lines, [2, 3]);
        assert_eq!((lists.deny[0].line, lists.deny[0].pattern.text()), (4, "*.pem"));
        assert!(Lists::read("{}").unwrap().allow.is_none());
        assert!(Lists::read("\u{feff}{\"allow\": []}").unwrap().allow.unwrap().is_empty());
    }

    #[test]
    fn what_is_broken_says_where() {
        for (text, line, column, word) in [
            ("", 1, 1, "EOF"),
            ("[]", 1, 1, "object"),
            ("{\n  \"allow\": [\"a\",]\n}", 2, 17, "expected value"),
            ("{\"allow\": \"src/**\"}", 1, 11, "list"),
            ("{\"allow\": [1]}", 1, 12, "quotes"),
            ("{\n\"deny\": [\n  \"src/[a\"]}", 3, 3, "not closed"),
            ("{\"alow\": []}", 1, 10, "alow"),
            ("{\"deny\": [],\n \"deny\": [\"x\"]}", 2, 10, "second time"),
            ("{\"allow\": []} x", 1, 15, "trailing"),
            ("{\"allow\": [\"äöü日\",]}", 1, 19, "expected value"),
            ("{\"deny\": [\n\"ok\", \"./src/**\"]}", 2, 7, "leave it out"),
        ] {
            let broken = Lists::read(text).unwrap_err();
            assert_eq!((broken.line, broken.column), (line, column), "{text}: {broken}");
            assert!(broken.what.contains(word), "{text}: {broken}");
        }
    }
}
