//! One thing a tool found wrong, and when two of them are the same.

use serde::Serialize;

/// When it is worth saying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The file cannot be read as its language. No other edit will change that; and other findings may hide behind it.
    Syntax,
    /// Wrong where it stands.
    Plain,
    /// An edit that is still to come may solve it: a name that is not there yet, an import nobody uses yet.
    Pending,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub tool: &'static str,
    /// From the root of the workspace.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 where the tool does not say.
    pub column: u32,
    /// The tool's name for it; empty where it has none.
    pub code: String,
    pub message: String,
    /// What the tool would do about it.
    pub fix: Option<String>,
    pub kind: Kind,
}

/// Findings of one identity are told apart by how many there are, not by where they stand: lines move.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Identity {
    tool: &'static str,
    file: String,
    code: String,
    message: String,
}

impl Finding {
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            tool: self.tool,
            file: self.file.clone(),
            code: self.code.clone(),
            message: without_numbers(&self.message),
        }
    }

    pub(crate) fn place(&self) -> (&str, u32, u32) {
        (&self.file, self.line, self.column)
    }
}

impl Identity {
    pub(crate) fn is_of(&self, tool: &str) -> bool {
        self.tool == tool
    }

    pub(crate) fn is_in(&self, file: &str) -> bool {
        self.file == file
    }
}

/// A message may name a line or a count; both move with edits elsewhere.
fn without_numbers(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for letter in message.chars() {
        if !letter.is_ascii_digit() {
            text.push(letter);
        } else if !text.ends_with('#') {
            text.push('#');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_the_same_wherever_it_stands() {
        assert_eq!(without_numbers("defined on line 12, used 3 times"), "defined on line #, used # times");
    }
}
