//! Whose words a memory holds. Only what a person said, what the workspace's own files say and what an agent did
//! itself is put in front of an agent unasked; what came from the web, from another program's tool, from a
//! dependency or from another agent is found by asking, as quoted data. Judged by what a memory rests on, never by
//! what it says: words lie.

use model::{Event, Memory, MemoryKind};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A person said it, wrote it or brought it in.
    Person,
    /// An agent's own work in the workspace.
    Work,
    /// Somebody else's words.
    Outside,
    /// An agent's own work that the rules of today would not say: told by older rules, or a patch of which nobody said anything.
    Retired,
}

/// A mark among a memory's tools, with the name of the distiller behind it: the rules of today would not say this.
pub(crate) const RETIRED: &str = "retired:";

impl Origin {
    /// Whether it may be said unasked.
    pub const fn is_trusted(self) -> bool {
        !matches!(self, Self::Outside | Self::Retired)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Work => "work",
            Self::Outside => "outside",
            Self::Retired => "retired",
        }
    }
}

pub fn origin(memory: &Memory) -> Origin {
    Basis {
        kind: memory.kind,
        by: &memory.provenance.by,
        tools: &memory.tools,
        is_brought: memory.external_id.is_some(),
    }
    .origin()
}

/// Where outside a memory's words may come from: `web`, `mcp`, `fetch`, `dependency`, `agent`, …
pub fn sources(memory: &Memory) -> Vec<&str> {
    memory.tools.iter().filter_map(|tool| tool.strip_prefix(distill::MARK)).collect()
}

/// Marks of what an event brought from outside, for whoever makes memories of it by other means than ours.
pub fn heard(event: &Event) -> Vec<String> {
    distill::step(event).iter().flat_map(distill::Step::marks).collect()
}

/// The marks of sources among these memories' tools, each once: what is made from them has them, too.
pub(crate) fn marks<'a>(memories: impl Iterator<Item = &'a Memory>) -> Vec<String> {
    let mut marks: Vec<String> = Vec::new();
    let mut heard = false;
    for memory in memories.filter(|memory| origin(memory) == Origin::Outside) {
        heard = true;
        for mark in memory.tools.iter().filter(|tool| tool.starts_with(distill::MARK)) {
            if !marks.contains(mark) {
                marks.push(mark.clone());
            }
        }
    }
    if heard && marks.is_empty() {
        marks.push(format!("{}unknown", distill::MARK));
    }
    marks
}

/// What a memory rests on.
pub(crate) struct Basis<'a> {
    pub(crate) kind: MemoryKind,
    pub(crate) by: &'a str,
    pub(crate) tools: &'a [String],
    pub(crate) is_brought: bool,
}

impl Basis<'_> {
    pub(crate) fn origin(&self) -> Origin {
        use MemoryKind::{Chunk, Document, Note, Prompt};
        // A piece of a conversation is verbatim, whatever the agent quoted in it.
        let is_reported = is_reported(self.tools);
        let is_outside = |tool: &String| is_outside(tool) && !(is_reported && is_subagent(tool));
        if self.kind == Chunk || self.tools.iter().any(is_outside) {
            return Origin::Outside;
        }
        if self.tools.iter().any(|tool| tool.starts_with(RETIRED) || tool == distill::QUIET) {
            return Origin::Retired;
        }
        // A note an agent saved is the agent's.
        let is_persons = self.by != "agent"
            && (matches!(self.kind, Note | Prompt | Document)
                || matches!(self.by, "person" | "import")
                || self.is_brought);
        if is_persons { Origin::Person } else { Origin::Work }
    }
}

/// Whether it is a subagent's report that rests on nothing but the workspace. It may be said, and counts for less.
pub(crate) fn is_reported(tools: &[String]) -> bool {
    tools.iter().any(|tool| tool == distill::REPORTED)
}

/// A mark, or a tool that brings nothing else: a model that rewrites an observation names tools and no marks.
fn is_outside(tool: &str) -> bool {
    tool.starts_with(distill::MARK)
        || tool.starts_with("mcp__") && !tool.starts_with("mcp__ide__")
        || is_subagent(tool)
        || matches!(tool, "WebFetch" | "WebSearch" | "web_fetch" | "google_web_search")
}

fn is_subagent(tool: &str) -> bool {
    matches!(tool, "Task" | "Agent")
}

#[cfg(test)]
mod tests {
    use model::MemoryId;

    use super::*;

    fn memory(kind: MemoryKind, tools: &[&str]) -> Memory {
        let mut memory = Memory::new(MemoryId::from_u64(1), kind, 0, String::new(), String::new());
        memory.tools = tools.iter().map(|&tool| tool.to_owned()).collect();
        memory
    }

    #[test]
    fn one_source_outside_makes_the_whole_memory_outside() {
        assert_eq!(origin(&memory(MemoryKind::Bugfix, &["Edit", "Bash"])), Origin::Work);
        assert_eq!(origin(&memory(MemoryKind::Bugfix, &["Edit", "outside:web"])), Origin::Outside);
        assert_eq!(origin(&memory(MemoryKind::Discovery, &["mcp__github__get_issue"])), Origin::Outside);
        assert_eq!(origin(&memory(MemoryKind::Chunk, &[])), Origin::Outside);
        assert_eq!(origin(&memory(MemoryKind::Discovery, &["mcp__ide__getDiagnostics"])), Origin::Work);
    }

    #[test]
    fn a_report_on_the_workspace_is_work_and_one_on_anything_else_is_outside() {
        let report = |tools: &[&str]| origin(&memory(MemoryKind::Discovery, tools));
        assert_eq!(report(&["Task"]), Origin::Outside);
        assert_eq!(report(&["Task", distill::REPORTED]), Origin::Work);
        assert_eq!(report(&["Task", distill::REPORTED, "outside:web"]), Origin::Outside);
        assert_eq!(report(&["WebFetch", distill::REPORTED]), Origin::Outside);
    }

    #[test]
    fn what_a_person_said_or_brought_in_is_theirs() {
        for kind in [MemoryKind::Note, MemoryKind::Prompt, MemoryKind::Document] {
            assert_eq!(origin(&memory(kind, &[])), Origin::Person);
        }
        let mut imported = memory(MemoryKind::Decision, &[]);
        imported.provenance.by = "import".into();
        assert_eq!(origin(&imported), Origin::Person);
        assert_eq!(origin(&memory(MemoryKind::Summary, &[])), Origin::Work);
    }

    #[test]
    fn work_nobody_spoke_of_is_kept_and_not_said() {
        let quiet = memory(MemoryKind::Change, &["Edit", distill::QUIET]);
        assert_eq!(origin(&quiet), Origin::Retired);
        assert!(!origin(&quiet).is_trusted());
    }

    #[test]
    fn what_is_made_from_outside_words_is_marked_as_they_are() {
        let found = [
            memory(MemoryKind::Discovery, &["outside:web", "outside:mcp"]),
            memory(MemoryKind::Bugfix, &["Edit"]),
            memory(MemoryKind::Change, &["outside:web"]),
        ];
        assert_eq!(marks(found.iter()), ["outside:web", "outside:mcp"]);
        assert_eq!(marks([memory(MemoryKind::Change, &["WebFetch"])].iter()), ["outside:unknown"]);
        assert_eq!(sources(&found[0]), ["web", "mcp"]);
    }
}
