//! The table of keys. A new one is a row here; docs, `config list` and the environment follow.

use super::value::{Kind, Value};
use crate::behavior::{self, Behavior};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub name: String,
    pub kind: Kind,
    pub default: Value,
    pub manual: &'static str,
    /// Why a person changes it at their terminal and nobody over HTTP. A page that was tricked, or a program that found
    /// the token, must not make the daemon call, read or reveal anything.
    pub by_hand: Option<&'static str>,
}

pub(crate) struct Row {
    name: &'static str,
    kind: Kind,
    default: Default,
    manual: &'static str,
    by_hand: Option<&'static str>,
}

const ADDRESS: &str = "it names an address that the daemon sends your work to";
const KEY_VARIABLE: &str = "it names a variable that holds a key";
const PROVIDER: &str = "it decides who is sent your work";
const WORDS: &str = "it decides what a model is sent of your conversations";
const FILES: &str = "it names files or folders that the daemon reads";
const DOOR: &str = "it decides who can reach this door";
const PROJECT_CODE: &str = "it decides whether code of a project is run";
const GUARD: &str = "it decides whether calls of agents are judged";
const REDACTION: &str = "it decides what is taken out of everything that is kept";

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
        by_hand: None,
    },
    Row {
        name: "capture.skip-tools",
        kind: Kind::List,
        default: Default::List(&["TodoWrite", "TodoRead", "ListMcpResourcesTool", "SlashCommand"]),
        manual: "Tools whose calls are not recorded: bookkeeping that says nothing about the work.",
        by_hand: None,
    },
    Row {
        name: "checkpoint.edits",
        kind: Kind::Number { least: 0 },
        default: Default::Number(25),
        manual: "After how many edits of a session `auto-checkpoint` keeps the work tree; 0 never.",
        by_hand: None,
    },
    Row {
        name: "checkpoint.minutes",
        kind: Kind::Number { least: 0 },
        default: Default::Number(30),
        manual: "After how many minutes the next edit makes `auto-checkpoint` keep the work tree; 0 never.",
        by_hand: None,
    },
    Row {
        name: "checks.project-code",
        kind: Kind::Word(&["installed", "always", "never"]),
        default: Default::Word("installed"),
        manual: "Whether `check-code` may run code of a project: build scripts, plug-ins, a configuration that is a program, the project's own copy of a tool. `installed`: where a folder that git does not track (node_modules, .venv, target, build) shows that it has been installed or built here.",
        by_hand: Some(PROJECT_CODE),
    },
    Row {
        name: "distill.base-url",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "Where the model of `distill.provider` answers, for example `http://127.0.0.1:8080/v1`; empty is the provider's own address.",
        by_hand: Some(ADDRESS),
    },
    Row {
        name: "distill.batch-calls",
        kind: Kind::Number { least: 1 },
        default: Default::Number(20),
        manual: "About how many tool calls a model is asked about at once, at most 40.",
        by_hand: None,
    },
    Row {
        name: "distill.key-variable",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The environment variable of the daemon that holds the model's key; empty is ANTHROPIC_API_KEY or OPENAI_API_KEY where one is needed. The key itself is never stored.",
        by_hand: Some(KEY_VARIABLE),
    },
    Row {
        name: "distill.model",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The model's name as its provider knows it; needed for `openai` and `ollama`, otherwise a small one is taken.",
        by_hand: Some(PROVIDER),
    },
    Row {
        name: "distill.provider",
        kind: Kind::Word(&["none", "claude-cli", "anthropic", "openai", "ollama"]),
        default: Default::Word("none"),
        manual: "Which model improves on what was distilled without one, in the background: the `claude` client, the Anthropic API, an OpenAI-compatible server, or Ollama. It is sent your tool calls, redacted.",
        by_hand: Some(PROVIDER),
    },
    Row {
        name: "distill.send",
        kind: Kind::Word(&["calls", "words"]),
        default: Default::Word("calls"),
        manual: "What the model of `distill.provider` is sent. `calls`: what was asked for and the tool calls, about every `distill.batch-calls` of them. `words`: once a session is over, also what you and the agent said, where causes, decisions and orders are; nothing of it before you set this.",
        by_hand: Some(WORDS),
    },
    Row {
        name: "distill.tokens-per-day",
        kind: Kind::Number { least: 0 },
        default: Default::Number(TOKENS_PER_DAY),
        manual: "What the model may read and write on one day (UTC), in tokens; beyond it the turns wait for the next.",
        by_hand: None,
    },
    Row {
        name: "embed.base-url",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "Where a remote embedder answers, for example `http://127.0.0.1:11434` (Ollama) or `https://api.openai.com/v1`; empty is the provider's own address.",
        by_hand: Some(ADDRESS),
    },
    Row {
        name: "embed.key-variable",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The environment variable that holds a remote embedder's key. The key itself is never stored.",
        by_hand: Some(KEY_VARIABLE),
    },
    Row {
        name: "embed.model",
        kind: Kind::Text,
        default: Default::Word("auto"),
        manual: "The model that reads memories and questions: `minilm-l6` or `static-128` (both built in), `auto` (the first where the processor has vector instructions, the second where it has not), one that `throughline model install` brought, or a remote provider's name for it.",
        by_hand: Some(FILES),
    },
    Row {
        name: "embed.provider",
        kind: Kind::Word(&["builtin", "openai", "ollama"]),
        default: Default::Word("builtin"),
        manual: "Who makes vectors: this process, an OpenAI-compatible server, or Ollama. Remote ones are sent your memories, redacted.",
        by_hand: Some(PROVIDER),
    },
    Row {
        name: "http.enabled",
        kind: Kind::Flag,
        default: Default::Flag(true),
        manual: "Whether programs of this machine may come in over HTTP, with the token in `run/token`; hooks and `throughline mcp` never need it. Holds from the daemon's next start.",
        by_hand: Some(DOOR),
    },
    Row {
        name: "http.port",
        kind: Kind::Port,
        default: Default::Number(37_777),
        manual: "The port on 127.0.0.1 and ::1; if it is taken, the next free one. `throughline daemon status --json` and `run/port` say which it is. Holds from the daemon's next start.",
        by_hand: Some(DOOR),
    },
    Row {
        name: "http.worker-api",
        kind: Kind::Word(&["token", "open"]),
        default: Default::Word("token"),
        manual: "Who may speak the worker API of claude-mem on our port: \"token\" is whoever has the token, \"open\" is every program of this machine, which is what hooks and tools that know no token need; whatever they are told goes through the same redaction. Pages in a browser and other names than localhost are refused either way. Holds from the daemon's next start.",
        by_hand: Some(DOOR),
    },
    Row {
        name: "journal.durability",
        kind: Kind::Word(&["power", "process"]),
        default: Default::Word("power"),
        manual: "What an acknowledged event survives: \"power\" syncs to the disk before the reply, \"process\" only writes.",
        by_hand: None,
    },
    Row {
        name: "journal.keep-bytes",
        kind: Kind::Number { least: 16 << 20 },
        default: Default::Number(KEEP_BYTES),
        manual: "The journal's size cap; beyond it the oldest segments are dropped.",
        by_hand: None,
    },
    Row {
        name: "journal.keep-days",
        kind: Kind::Number { least: 1 },
        default: Default::Number(365),
        manual: "How many days of events the journal keeps.",
        by_hand: None,
    },
    Row {
        name: "journal.segment-bytes",
        kind: Kind::Number { least: 64 << 10 },
        default: Default::Number(16 << 20),
        manual: "The size of one journal segment; retention drops whole segments.",
        by_hand: None,
    },
    Row {
        name: "logs.keep-bytes",
        kind: Kind::Number { least: 64 << 10 },
        default: Default::Number(4 << 20),
        manual: "The daemon's log is rotated so that it never takes more than this.",
        by_hand: None,
    },
    Row {
        name: "memory.keep-count",
        kind: Kind::Number { least: 1000 },
        default: Default::Number(1_000_000),
        manual: "How many memories are kept. Beyond it the least worth go first: pieces of conversations, prompts, what was never of use; what is pinned or critical, notes and imports at last.",
        by_hand: None,
    },
    Row {
        name: "memory.keep-days",
        kind: Kind::Number { least: 0 },
        default: Default::Number(0),
        manual: "How many days a memory is kept that is neither pinned, critical, a note nor imported; 0 is for ever.",
        by_hand: None,
    },
    Row {
        name: "memory.folder",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The folder of memory files, Markdown that people edit and keep in git; empty is `memories` in the data folder, `off` is none.",
        by_hand: Some(FILES),
    },
    Row {
        name: "recall.other-projects",
        kind: Kind::Flag,
        default: Default::Flag(false),
        manual: "Whether a prompt may be told of memories of other projects. What belongs to no project is told either way.",
        by_hand: None,
    },
    Row {
        name: "recall.prompt-tokens",
        kind: Kind::Number { least: 0 },
        default: Default::Number(400),
        manual: "What may be said beside a prompt, in tokens; 0 says nothing.",
        by_hand: None,
    },
    Row {
        name: "recall.read-tokens",
        kind: Kind::Number { least: 0 },
        default: Default::Number(150),
        manual: "What may be said of a file before it is read, in tokens; 0 says nothing.",
        by_hand: None,
    },
    Row {
        name: "recall.start-tokens",
        kind: Kind::Number { least: 0 },
        default: Default::Number(2000),
        manual: "What may be said when a session starts, in tokens; 0 says nothing. The client takes no more than 10,000 characters.",
        by_hand: None,
    },
    Row {
        name: "recall.warn-percent",
        kind: Kind::Number { least: 0 },
        default: Default::Number(85),
        manual: "How full the model's window is, in percent, when the agent is asked to write its hand-off; 0 never.",
        by_hand: None,
    },
    Row {
        name: "redact.allow",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "Values never to redact, named by the SHA-256 of the value in hex or by the six digits of its mark; never the value itself.",
        by_hand: Some(REDACTION),
    },
    Row {
        name: "redact.email",
        kind: Kind::Flag,
        default: Default::Flag(false),
        manual: "Redact e-mail addresses, too.",
        by_hand: Some(REDACTION),
    },
    Row {
        name: "redact.literals",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "Texts always to redact, such as a code name.",
        by_hand: Some(REDACTION),
    },
    Row {
        name: "redact.patterns",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "Regular expressions always to redact (linear-time syntax: no look-around, no back-references). \"kind=PATTERN\" names the mark's kind.",
        by_hand: Some(REDACTION),
    },
    Row {
        name: "redact.phone",
        kind: Kind::Flag,
        default: Default::Flag(false),
        manual: "Redact phone numbers in international or clearly written national form, too.",
        by_hand: Some(REDACTION),
    },
    Row {
        name: "storage.allow-plain",
        kind: Kind::Flag,
        default: Default::Flag(false),
        manual: "Whether passwords and memories may go to the team's database without TLS, for example through a tunnel of your own. Within this machine nothing else is needed.",
        by_hand: Some(ADDRESS),
    },
    Row {
        name: "storage.password-file",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The file that holds the password of the team's database, for nobody else to read; `throughline team join` makes it. Without one the daemon's PGPASSWORD counts, and then `~/.pgpass`.",
        by_hand: Some(FILES),
    },
    Row {
        name: "storage.projects",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "The projects that are shared with the team, by their repository's first commit; `throughline team share` and `unshare` change it. Nothing of any other project leaves this machine.",
        by_hand: Some(PROVIDER),
    },
    Row {
        name: "storage.url",
        kind: Kind::Text,
        default: Default::Word(""),
        manual: "The PostgreSQL database a team shares, `postgres://user@host/database`; empty keeps everything on this machine. Everything is kept here first either way; what may be shared is sent there, redacted, and what others share is fetched.",
        by_hand: Some(ADDRESS),
    },
    Row {
        name: "watch.agents",
        kind: Kind::List,
        default: Default::List(&[]),
        manual: "Agents whose conversations are read as they are written, each as AGENT=FOLDER; `throughline watch add` writes it. For agents without hooks.",
        by_hand: Some(FILES),
    },
];

/// All keys: the table's and one switch per behavior.
pub fn keys() -> impl Iterator<Item = Key> {
    let switches = behavior::ALL.iter().map(|behavior| switch(*behavior));
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
        by_hand: row.by_hand,
    });
    switches.chain(rows)
}

pub fn key(name: &str) -> Option<Key> {
    keys().find(|key| key.name == name)
}

/// Whether less is refused when it is off: a guard, and what runs the rules a person has written.
fn judges(behavior: &dyn Behavior) -> bool {
    behavior.is_guard() || behavior.name() == "run-rules"
}

fn switch(behavior: &dyn Behavior) -> Key {
    let words = behavior.modes();
    Key {
        name: format!("behaviors.{}", behavior.name()),
        kind: Kind::Word(words),
        default: Value::Text(words[0].to_owned()),
        manual: "Switches the behavior of this name on or off, or to one of its other modes.",
        by_hand: judges(behavior).then_some(GUARD),
    }
}
