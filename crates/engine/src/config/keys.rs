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

/// A day of heavy use, about eighty turns of twenty calls, is a third of this.
const TOKENS_PER_DAY: u64 = 200_000;

pub(crate) const KEYS: &[Row] = &[
    Row {
        name: "archive.keep-bytes",
        kind: Kind::Number { least: 1 << 20 },
        default: Default::Number(1 << 30),
        manual: "The size cap of archived transcripts; beyond it the sessions that grew least recently go.",
    },
    Row {
        name: "capture.skip-tools",
        kind: Kind::List,
        default: Default::List(&["TodoWrite", "TodoRead", "ListMcpResourcesTool", "SlashCommand"]),
        manual: "Tools whose calls are not recorded: bookkeeping that says nothing about the work.",
    },
    Row {
        name: "distill.base-url",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "Where the model of `distill.provider` answers, for example `http://127.0.0.1:8080/v1`; empty is the provider's own address.",
    },
    Row {
        name: "distill.batch-calls",
        kind: Kind::Number { least: 1 },
        default: Default::Number(20),
        manual: "About how many tool calls a model is asked about at once, at most 40.",
    },
    Row {
        name: "distill.key-variable",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The environment variable of the daemon that holds the model's key; empty is ANTHROPIC_API_KEY or OPENAI_API_KEY where one is needed. The key itself is never stored.",
    },
    Row {
        name: "distill.model",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The model's name as its provider knows it; needed for `openai` and `ollama`, otherwise a small one is taken.",
    },
    Row {
        name: "distill.provider",
        kind: Kind::Word(&["none", "claude-cli", "anthropic", "openai", "ollama"]),
        default: Default::Word("none"),
        manual: "Which model improves on what was distilled without one, in the background: the `claude` client, the Anthropic API, an OpenAI-compatible server, or Ollama. It is sent your tool calls, redacted.",
    },
    Row {
        name: "distill.tokens-per-day",
        kind: Kind::Number { least: 0 },
        default: Default::Number(TOKENS_PER_DAY),
        manual: "What the model may read and write on one day (UTC), in tokens; beyond it the turns wait for the next.",
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
        default: Default::Word("auto"),
        manual: "The model that reads memories and questions: `minilm-l6` or `static-128` (both built in), `auto` (the first where the processor has vector instructions, the second where it has not), one that `throughline model install` brought, or a remote provider's name for it.",
    },
    Row {
        name: "embed.provider",
        kind: Kind::Word(&["builtin", "openai", "ollama"]),
        default: Default::Word("builtin"),
        manual: "Who makes vectors: this process, an OpenAI-compatible server, or Ollama. Remote ones are sent your memories, redacted.",
    },
    Row {
        name: "http.enabled",
        kind: Kind::Flag,
        default: Default::Flag(true),
        manual: "Whether programs of this machine may come in over HTTP, with the token in `run/token`; hooks and `throughline mcp` never need it. Holds from the daemon's next start.",
    },
    Row {
        name: "http.port",
        kind: Kind::Port,
        default: Default::Number(37_777),
        manual: "The port on 127.0.0.1 and ::1; if it is taken, the next free one. `throughline daemon status --json` and `run/port` say which it is. Holds from the daemon's next start.",
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
        name: "memory.keep-count",
        kind: Kind::Number { least: 1000 },
        default: Default::Number(1_000_000),
        manual: "How many memories are kept. Beyond it the least worth go first: pieces of conversations, prompts, what was never of use; what is pinned or critical, notes and imports at last.",
    },
    Row {
        name: "memory.keep-days",
        kind: Kind::Number { least: 0 },
        default: Default::Number(0),
        manual: "How many days a memory is kept that is neither pinned, critical, a note nor imported; 0 is for ever.",
    },
    Row {
        name: "memory.folder",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The folder of memory files, Markdown that people edit and keep in git; empty is `memories` in the data folder, `off` is none.",
    },
    Row {
        name: "recall.other-projects",
        kind: Kind::Flag,
        default: Default::Flag(false),
        manual: "Whether a prompt may be told of memories of other projects. What belongs to no project is told either way.",
    },
    Row {
        name: "recall.prompt-tokens",
        kind: Kind::Number { least: 0 },
        default: Default::Number(400),
        manual: "What may be said beside a prompt, in tokens; 0 says nothing.",
    },
    Row {
        name: "recall.read-tokens",
        kind: Kind::Number { least: 0 },
        default: Default::Number(150),
        manual: "What may be said of a file before it is read, in tokens; 0 says nothing.",
    },
    Row {
        name: "recall.start-tokens",
        kind: Kind::Number { least: 0 },
        default: Default::Number(2000),
        manual: "What may be said when a session starts, in tokens; 0 says nothing. The client takes no more than 10,000 characters.",
    },
    Row {
        name: "recall.warn-percent",
        kind: Kind::Number { least: 0 },
        default: Default::Number(85),
        manual: "How full the model's window is, in percent, when the agent is asked to write its hand-off; 0 never.",
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
    Row {
        name: "watch.agents",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "Agents whose conversations are read as they are written, each as AGENT=FOLDER; `throughline watch add` writes it. For agents without hooks.",
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
