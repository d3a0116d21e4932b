//! The few shapes a setting can have, read from TOML or from plain text.

use std::fmt;

use toml_edit::Item;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Flag(bool),
    Number(u64),
    Text(String),
    List(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Flag,
    /// A whole number no smaller than this.
    Number {
        least: u64,
    },
    /// A number a program can listen at.
    Port,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text of one line.
    Text,
    List,
}

impl Kind {
    pub(super) fn read(&self, item: &Item) -> Option<Value> {
        match self {
            Self::Flag => item.as_bool().map(Value::Flag),
            Self::Number { .. } | Self::Port => {
                self.checked(Value::Number(u64::try_from(item.as_integer()?).ok()?))
            }
            Self::Word(_) => match (item.as_str(), item.as_bool()) {
                (Some(word), _) => self.checked(Value::Text(word.to_owned())),
                // `capture = false` is what people write; it means what it says.
                (None, Some(flag)) => self.checked(Value::Text(if flag { "on" } else { "off" }.to_owned())),
                _ => None,
            },
            Self::Text => self.checked(Value::Text(item.as_str()?.to_owned())),
            Self::List => {
                let list = item.as_array()?;
                list.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<_>>().map(Value::List)
            }
        }
    }

    pub(super) fn parse(&self, text: &str) -> Option<Value> {
        match self {
            Self::Flag => match text {
                "true" | "on" | "1" => Some(Value::Flag(true)),
                "false" | "off" | "0" => Some(Value::Flag(false)),
                _ => None,
            },
            Self::Number { .. } | Self::Port => self.checked(Value::Number(text.parse().ok()?)),
            Self::Word(_) | Self::Text => self.checked(Value::Text(text.to_owned())),
            Self::List => Some(Value::List(
                text.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect(),
            )),
        }
    }

    fn checked(&self, value: Value) -> Option<Value> {
        // `on` is whatever a behavior is that is not off, where it has other words for it.
        if let (Self::Word(words), Value::Text(word)) = (self, &value)
            && word == "on"
            && words.contains(&"off")
            && !words.contains(&"on")
        {
            return words.iter().find(|word| **word != "off").map(|word| Value::Text((*word).to_owned()));
        }
        let fits = match (self, &value) {
            (Self::Number { least }, Value::Number(number)) => number >= least,
            (Self::Port, Value::Number(number)) => (1..=65_535).contains(number),
            (Self::Word(words), Value::Text(word)) => words.contains(&word.as_str()),
            (Self::Text, Value::Text(text)) => !text.contains(['\n', '\r']),
            _ => false,
        };
        fits.then_some(value)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("true or false"),
            Self::Number { least } => write!(f, "a whole number of at least {least}"),
            Self::Port => f.write_str("a port, 1 to 65535"),
            Self::Word(words) => write!(f, "one of {}", words.join(", ")),
            Self::Text => f.write_str("a text of one line"),
            Self::List => f.write_str("a list of strings"),
        }
    }
}

impl Value {
    /// As it stands in a TOML file.
    pub fn to_toml(&self) -> toml_edit::Value {
        match self {
            Self::Flag(flag) => (*flag).into(),
            Self::Number(number) => i64::try_from(*number).unwrap_or(i64::MAX).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(list) => list.iter().map(String::as_str).collect::<toml_edit::Array>().into(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::List(list) => f.write_str(&list.join(",")),
        }
    }
}

/// Tables become dotted names; everything else is a leaf.
pub(super) fn flatten(prefix: &str, item: &Item, into: &mut Vec<(String, Item)>) {
    match item.as_table_like() {
        Some(table) => {
            for (name, inner) in table.iter() {
                let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
                flatten(&path, inner, into);
            }
        }
        None => into.push((prefix.to_owned(), item.clone())),
    }
}
