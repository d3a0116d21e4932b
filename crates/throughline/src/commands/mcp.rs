//! Serves memory as tools to one agent. What a tool does is what the command of the same meaning does; here they are
//! lent to the protocol, with errors as texts for a model.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use engine::Workspace;
use mcp::{Checkpointing, End, Keeper, Note, Refusal, Remembered};
use model::{Millis, SessionId};
use serde_json::Value;
use store::Tables;

use super::remember::Saying;
use super::{checkpoint, forget, handoff, reader};
use crate::report;
use crate::when;
use crate::world::{VERSION, World, variable};

/// Where the agent works, whatever folder it starts us in.
const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// Next steps are written for people at a terminal; an agent has tools for the same.
const IN_TOOLS: &[(&str, &str)] = &[
    ("`throughline sessions --live`", "the tool sessions"),
    ("`throughline sessions`", "the tool sessions"),
    ("`throughline search`", "mem_search"),
    ("`throughline checkpoint list --all`", "checkpoint with action \"list\""),
    ("`throughline checkpoint list`", "checkpoint with action \"list\""),
    ("`throughline checkpoint show`", "checkpoint with action \"show\""),
    ("`throughline handoff list`", "handoff with action \"list\""),
    ("`--session`", "the argument session"),
];

#[derive(Debug, Args)]
#[command(after_help = "Example, in the settings of an agent:
  {\"mcpServers\": {\"throughline\": {\"command\": \"throughline\", \"args\": [\"mcp\"]}}}")]
pub(crate) struct Mcp {
    /// The folder the agent works in [default: what the agent says, else this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

impl Mcp {
    pub(crate) fn run(self, mut world: World) -> anyhow::Result<()> {
        let named = self.cwd.or_else(|| variable(PROJECT_VARIABLE).map(PathBuf::from));
        if let Some(folder) = named.filter(|folder| !folder.as_os_str().is_empty()) {
            world.cwd = std::path::absolute(folder)?;
        }
        mcp::serve(Arc::new(House(world)), io::stdin(), io::stdout()).map_err(report::person)
    }
}

/// The house as its tools see it.
struct House(World);

impl Keeper for House {
    fn version(&self) -> &str {
        VERSION
    }

    fn folder(&self) -> &Path {
        &self.0.cwd
    }

    fn workspace(&self) -> Workspace {
        daemon::resolve_workspace(&self.0.cwd)
    }

    fn ask(&self, question: &Value, patience: Duration) -> Result<Value, Refusal> {
        reader::answer(&self.0, question, patience).map_err(refusal)
    }

    fn tables(&self) -> Result<Tables, Refusal> {
        // Who has tools is attached: that nothing is recorded yet is an empty list and no error.
        if !self.0.place.data.exists() {
            reader::start(&self.0).map_err(refusal)?;
        }
        reader::tables(&self.0).map_err(refusal)
    }

    fn moment(&self, text: &str, end: End) -> Result<Millis, Refusal> {
        let end = match end {
            End::Since => when::End::Since,
            End::Until => when::End::Until,
        };
        when::read(text, end).map_err(refusal)
    }

    fn remember(&self, note: Note) -> Result<Remembered, Refusal> {
        let Note { text, title, kind, files, project, global, critical, pinned } = note;
        let saying = Saying { by: "agent", text, title, kind, files, project, global, critical, pin: pinned };
        let (row, known) = saying.keep(&self.0).map_err(refusal)?;
        Ok(Remembered { row, known })
    }

    fn forget(&self, ids: &[String]) -> Result<bool, Refusal> {
        forget::memories(&self.0, ids).map_err(refusal)
    }

    fn hand_over(&self, session: Option<&str>, text: &str) -> Result<SessionId, Refusal> {
        handoff::hand_over(&self.0, session, text).map_err(refusal)
    }

    fn checkpoint(&self, wish: Checkpointing) -> Result<Value, Refusal> {
        checkpoint::to_json(&self.0, wish).map_err(refusal)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it ends here, and is given to `map_err`")]
fn refusal(error: anyhow::Error) -> Refusal {
    let (what, next) = report::parts(&error);
    Refusal { what, next: IN_TOOLS.iter().fold(next, |next, (command, tool)| next.replace(command, tool)) }
}
