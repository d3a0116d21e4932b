//! The table of keys. A new one is a row here; docs, `config list` and the environment follow.

use super::value::{Kind, Value};
use crate::behavior;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub name: String,
    pub kind: Kind,
    pub default: Value,
    pub manual: &'static str,
}

pub(crate) struct Row {
    name: &'static str,
    kind: Kind,
    default: Default,
    manual: &'static str,
}

enum Default {
    Flag(bool),
    Number(u64),
    Word(&'static str),
    List(&'static [&'static str]),
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A laptop keeps a year of heavy use in this: about 5 MB a day.
const KEEP_BYTES: u64 = 2 << 30;

pub(crate) const KEYS: &[Row] = &[
    Row {
        name: "capture.skip-tools",
        kind: Kind::List,
        default: Default::List(&["TodoWrite", "TodoRead", "ListMcpResourcesTool", "SlashCommand"]),
        manual: "Tools whose calls are not recorded: bookkeeping that says nothing about the work.",
    },
    Row {
        name: "embed.base-url",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "Where a remote embedder answers, for example `http://127.0.0.1:11434` (Ollama) or `https://api.openai.com/v1`; empty is the provider's own address.",
    },
    Row {
        name: "embed.key-variable",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The environment variable that holds a remote embedder's key. The key itself is never stored.",
    },
    Row {
        name: "embed.model",
        kind: Kind::Text,
        default: Default::Word("minilm-l6"),
        manual: "The model that reads memories and questions: `minilm-l6` or `static-128` (both built in), one that `throughline model install` brought, or a remote provider's name for it.",
    },
    Row {
        name: "embed.provider",
        kind: Kind::Word(&["builtin", "openai", "ollama"]),
        default: Default::Word("builtin"),
        manual: "Who makes vectors: this process, an OpenAI-compatible server, or Ollama. Remote ones are sent your memories, redacted.",
    },
    Row {
        name: "journal.durability",
        kind: Kind::Word(&["power", "process"]),
        default: Default::Word("power"),
        manual: "What an acknowledged event survives: \"power\" syncs to the disk before the reply, \"process\" only writes.",
    },
    Row {
        name: "journal.keep-bytes",
        kind: Kind::Number { least: 16 << 20 },
        default: Default::Number(KEEP_BYTES),
        manual: "The journal's size cap; beyond it the oldest segments are dropped.",
    },
    Row {
        name: "journal.keep-days",
        kind: Kind::Number { least: 1 },
        default: Default::Number(365),
        manual: "How many days of events the journal keeps.",
    },
    Row {
        name: "journal.segment-bytes",
        kind: Kind::Number { least: 64 << 10 },
        default: Default::Number(16 << 20),
        manual: "The size of one journal segment; retention drops whole segments.",
    },
    Row {
        name: "logs.keep-bytes",
        kind: Kind::Number { least: 64 << 10 },
        default: Default::Number(4 << 20),
        manual: "The daemon's log is rotated so that it never takes more than this.",
    },
    Row {
        name: "redact.allow",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "Values never to redact, named by the SHA-256 of the value in hex or by the six digits of its mark; never the value itself.",
    },
    Row {
        name: "redact.email",
        kind: Kind::Flag,
        default: Default::Flag(false),
        manual: "Redact e-mail addresses, too.",
    },
    Row {
        name: "redact.literals",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "Texts always to redact, such as a code name.",
    },
    Row {
        name: "redact.patterns",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "Regular expressions always to redact (linear-time syntax: no look-around, no back-references). \"kind=PATTERN\" names the mark's kind.",
    },
    Row {
        name: "redact.phone",
        kind: Kind::Flag,
        default: Default::Flag(false),
        manual: "Redact phone numbers in international or clearly written national form, too.",
    },
];

/// All keys: the table's and one switch per behavior.
pub fn keys() -> impl Iterator<Item = Key> {
    let switches = behavior::ALL.iter().map(|behavior| switch(behavior.name()));
    let rows = KEYS.iter().map(|row| Key {
        name: row.name.to_owned(),
        kind: row.kind.clone(),
        default: match row.default {
            Default::Flag(flag) => Value::Flag(flag),
            Default::Number(number) => Value::Number(number),
            Default::Word(word) => Value::Text(word.to_owned()),
            Default::List(list) => Value::List(list.iter().map(|&one| one.to_owned()).collect()),
        },
        manual: row.manual,
    });
    switches.chain(rows)
}

pub fn key(name: &str) -> Option<Key> {
    keys().find(|key| key.name == name)
}

fn switch(behavior: &str) -> Key {
    Key {
        name: format!("behaviors.{behavior}"),
        kind: Kind::Word(&["on", "off"]),
        default: Value::Text("on".to_owned()),
        manual: "Switches the behavior of this name on or off.",
    }
}
