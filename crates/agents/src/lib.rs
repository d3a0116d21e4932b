//! One dialect per agent: bytes to events, advice to bytes, and the edits that install us.
//! Texts in, texts out: if you need the disk, the network or a clock, you are in the wrong room.

mod answer;
mod claude_code;
mod clip;
mod codex;
mod copilot;
mod cursor;
mod diff;
mod document;
mod gemini_cli;
mod hooks;
mod json;
mod opencode;
mod outcome;
mod prompt;
mod read;
mod servers;
mod settings;
mod shell;
mod title;
pub mod transcript;
mod whole;

use model::{Advice, Context, Entry, Event, EventId, EventKind, Millis, Reply, Tail, Verdict};
use transcript::Conversations;

pub use claude_code::ClaudeCode;
pub use codex::Codex;
pub use copilot::Copilot;
pub use cursor::Cursor;
pub use diff::diff;
pub use document::say_the_same;
pub use gemini_cli::GeminiCli;
pub use opencode::OpenCode;
pub use settings::{
    AgentHome, Edit, FastHooks, Holds, Installed, Location, Ours, Program, Scope, SettingsError, SettingsFile,
};
pub use title::title;
pub use whole::{event_name, is_whole};

/// An event as it was when it came in, from what the journal keeps of it. An agent that is not known any more is read
/// like the first one.
pub fn event_of(entry: &Entry) -> Event {
    let adapter = by_name(&entry.agent).unwrap_or(ALL[0]);
    adapter.read(&Incoming {
        id: entry.id,
        at: entry.at,
        hint: Some(&entry.event),
        context: &entry.context,
        json: &entry.envelope,
    })
}

/// In an event's context: what a subagent said last, where its client does not tell and its transcript does.
pub const LAST_WORDS: &str = "last-words";

/// An agent is a file beside `claude_code.rs` and a line here.
pub const ALL: &[&dyn Adapter] = &[&ClaudeCode, &Codex, &GeminiCli, &OpenCode, &Copilot, &Cursor];

pub fn by_name(name: &str) -> Option<&'static dyn Adapter> {
    ALL.iter().copied().find(|adapter| adapter.name() == name)
}

/// One agent's dialect. Strict in what it writes, lenient in what it reads.
pub trait Adapter: Send + Sync {
    /// The name on the wire and in the journal, for example `claude-code`.
    fn name(&self) -> &'static str;

    /// Cannot fail: an unknown event is [`EventKind::Other`] under the name it was sent with, and a field
    /// that is missing, of another type or too deep to read is absent.
    fn read(&self, incoming: &Incoming<'_>) -> Event;

    /// The same without what a tool was given and what it gave (`Value::Null`): enough to file an event, at a
    /// fraction of the cost. An agent waits while an event is filed.
    fn glance(&self, incoming: &Incoming<'_>) -> Event;

    /// What the agent can be answered on such an event.
    fn powers(&self, kind: EventKind) -> Powers;

    /// The bytes this agent understands. Advice it cannot take is weakened or dropped; nothing left is silence.
    fn write(&self, event: &Event, advice: &Advice) -> Reply;

    /// Where the agent keeps its conversations and how they are read. `None`: nowhere that we know of.
    fn conversations(&self) -> Option<&'static dyn Conversations> {
        None
    }

    /// What the last whole lines of a conversation's file say. What cannot be read is absent.
    fn tail(&self, lines: &[u8]) -> Tail {
        let reader = self.conversations().map(|kept| kept.reader(""));
        reader.map_or_else(Tail::default, |mut reader| transcript::tail(&mut *reader, lines))
    }

    /// The file of a subagent's own conversation, where an event names one.
    fn subagent_file(&self, _: &Incoming<'_>) -> Option<String> {
        None
    }

    /// What a subagent said last, by the last whole lines of that file.
    fn last_words(&self, agent: &str, lines: &[u8]) -> Option<String> {
        let mut reader = self.conversations()?.reader("");
        transcript::last_words(&mut *reader, agent, lines)
    }

    /// The events a settings file should name for us. Not all we can read: see the adapter for what is left out and why.
    fn events_to_register(&self) -> &'static [EventKind];

    /// The agent's own folder.
    fn home(&self) -> &'static AgentHome;

    /// The files that name us where we are installed, in the order they are written.
    fn files(&self) -> &'static [&'static dyn SettingsFile];

    /// Whether its hooks can go through our MCP server instead of a process each.
    fn fast_hooks(&self) -> Option<&'static FastHooks> {
        None
    }

    /// What a person has to do in the agent itself once the files are written.
    fn last_step(&self) -> Option<&'static str> {
        None
    }
}

/// A hook call as the journal keeps it.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    pub id: EventId,
    pub at: Millis,
    /// The event named on the command line, if any; the envelope's own name wins.
    pub hint: Option<&'a str>,
    pub context: &'a Context,
    /// The redacted envelope: one JSON value, of any kind and depth.
    pub json: &'a [u8],
}

/// The parts of an [`Advice`] that can be delivered.
#[expect(clippy::struct_excessive_bools, reason = "each part is taken or not, independently of the others")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Powers {
    /// Notes reach the model.
    pub say: bool,
    /// Lines reach the person.
    pub tell: bool,
    pub verdict: Verdicts,
    /// The turn can be made to go on.
    pub hold: bool,
    /// Instructions for a compaction's summary are taken.
    pub instruct: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdicts {
    pub allow: bool,
    pub ask: bool,
    pub deny: bool,
}

impl Verdicts {
    pub const NONE: Self = Self { allow: false, ask: false, deny: false };
    pub const ALL: Self = Self { allow: true, ask: true, deny: true };

    /// The strongest verdict the agent can take that is not stronger than `wanted`. A refusal may become a
    /// question; neither ever becomes a permission.
    pub fn weaken(self, wanted: &Verdict) -> Option<Verdict> {
        match wanted {
            Verdict::Deny { .. } if self.deny => Some(wanted.clone()),
            Verdict::Deny { reason } if self.ask => Some(Verdict::Ask { reason: reason.clone() }),
            Verdict::Ask { .. } if self.ask => Some(wanted.clone()),
            Verdict::Allow { .. } if self.allow => Some(wanted.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_adapter_is_found_by_its_name_and_no_other_is() {
        for adapter in ALL {
            assert_eq!(by_name(adapter.name()).map(Adapter::name), Some(adapter.name()));
        }
        assert!(by_name("somebody-else").is_none());
    }

    #[test]
    fn a_refusal_may_become_a_question_but_never_a_permission() {
        let deny = Verdict::Deny { reason: "held".into() };
        let ask = Verdict::Ask { reason: "held".into() };
        let only = |allow, ask, deny| Verdicts { allow, ask, deny };
        assert_eq!(Verdicts::ALL.weaken(&deny), Some(deny.clone()));
        assert_eq!(only(true, true, false).weaken(&deny), Some(ask.clone()));
        assert_eq!(only(true, false, false).weaken(&deny), None);
        assert_eq!(only(true, false, true).weaken(&ask), None, "a question is not made a refusal either");
        assert_eq!(Verdicts::NONE.weaken(&Verdict::Allow { reason: String::new() }), None);
    }
}
