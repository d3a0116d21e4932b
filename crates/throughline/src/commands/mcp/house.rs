//! The house as tools see it: what a tool does is what the command of the same meaning does. Here the commands are lent
//! to the protocol, with errors as texts for a model. Lives in the process of `throughline mcp` and in the daemon's own,
//! and asks the daemon through its socket in both.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use atlas::{Answer, Question};
use engine::Workspace;
use mcp::{Checkpointing, Claiming, End, Keeper, Keepers, Messaging, Note, Refusal, Remembered};
use model::{Millis, SessionId};
use serde_json::{Value, json};
use store::Tables;

use super::super::remember::Saying;
use super::super::{checkpoint, claims, code, forget, handoff, live, message, reader};
use super::hooked;
use crate::report;
use crate::when;
use crate::world::{VERSION, World};

/// What goes by the session whose process this is, or by a word that only it knows; unless it is only looked at.
const OF_THIS_PROCESS: &[&str] = &["handoff", "checkpoint", "claims", "message", "hook"];
const LOOKS: &[&str] = &["list", "show"];
/// A daemon that is alive answers in a millisecond.
const ALIVE: Duration = Duration::from_secs(3);
/// A call that waits for a long backlog to be learned.
const GUEST: Duration = Duration::from_secs(45);
/// Where nothing is.
const NOWHERE: &str = "/";
const DOCTOR: &str = "run `throughline doctor`";
const NAME_A_FOLDER: &str =
    "have the client send its roots, or the header \"X-Throughline-Folder: /path/of/the/folder\"";

/// Next steps are written for people at a terminal; an agent has tools for the same.
const IN_TOOLS: &[(&str, &str)] = &[
    ("`throughline sessions --live`", "the tool sessions"),
    ("`throughline sessions`", "the tool sessions"),
    ("`throughline search`", "mem_search"),
    ("`throughline checkpoint list --all`", "checkpoint with action \"list\""),
    ("`throughline checkpoint list`", "checkpoint with action \"list\""),
    ("`throughline checkpoint show`", "checkpoint with action \"show\""),
    ("`throughline handoff list`", "handoff with action \"list\""),
    ("`throughline claims list`", "claims with action \"list\""),
    ("; `throughline code index` shows how far it is", ""),
    ("`throughline code search`", "code_search"),
    (
        "`throughline code status` says what is on the map, and what was left out",
        "code_search finds what is on the map",
    ),
    ("`--session`", "the argument session"),
];

/// The house as a guest in one folder sees it.
pub(crate) struct House {
    world: World,
    /// False: nobody has said where the guest works. The world's folder is then the top of all, where nothing is.
    somewhere: bool,
    /// Whether calls are handed to the daemon: it is another process, and has what they need in memory.
    forwards: bool,
    /// What a hook of the agent has to say to be heard. `None`: hooks are not taken.
    word: Option<String>,
}

/// The house as many guests see it.
pub(crate) struct Houses(pub(crate) World);

impl House {
    pub(crate) fn new(world: World) -> Self {
        Self { world, somewhere: true, forwards: true, word: None }
    }

    pub(crate) fn with_hooks(self, word: Option<String>) -> Self {
        Self { word, ..self }
    }
}

impl Keepers for Houses {
    fn version(&self) -> &str {
        VERSION
    }

    fn keeper(&self, folder: Option<&Path>) -> Arc<dyn Keeper> {
        let cwd = folder.unwrap_or(Path::new(NOWHERE)).to_owned();
        Arc::new(House {
            world: World { cwd, ..self.0.clone() },
            somewhere: folder.is_some(),
            forwards: false,
            word: None,
        })
    }
}

impl Keeper for House {
    fn version(&self) -> &str {
        VERSION
    }

    fn takes_hooks(&self) -> bool {
        self.word.is_some()
    }

    fn hook(&self, word: &str, event: &str, body: Vec<u8>) -> Option<Vec<u8>> {
        (self.word.as_deref() == Some(word)).then(|| hooked::deliver(&self.world, event, body))
    }

    fn forward(&self, tool: Option<&str>, call: &Value) -> Option<Result<Value, Refusal>> {
        let folder = self.world.cwd.to_str()?;
        let looks =
            call["tool"]["arguments"]["action"].as_str().is_some_and(|action| LOOKS.contains(&action));
        if !self.forwards || (tool.is_some_and(|tool| OF_THIS_PROCESS.contains(&tool)) && !looks) {
            return None;
        }
        // One that hangs is noticed before the patience begins that a long call may need.
        if let Err(refusal) = self.ask(&json!({ "ask": "status" }), ALIVE) {
            return Some(Err(refusal));
        }
        let question = json!({ "ask": "guest", "folder": folder, "call": call });
        let began = Instant::now();
        match reader::answer(&self.world, &question, GUEST) {
            // An older one does not know the question, a busy one has no place: then it is done here.
            Ok(mut answer) => answer.get_mut("said").map(|said| Ok(said.take())),
            // One that fell silent in the middle would be waited for a second time.
            Err(error) if began.elapsed() >= GUEST => Some(Err(refusal(error))),
            Err(_) => None,
        }
    }

    fn folder(&self) -> &Path {
        &self.world.cwd
    }

    fn workspace(&self) -> Workspace {
        let here = daemon::resolve_workspace(&self.world.cwd);
        if self.somewhere { here } else { Workspace { project: "not known".to_owned(), ..here } }
    }

    fn ask(&self, question: &Value, patience: Duration) -> Result<Value, Refusal> {
        reader::answer(&self.world, question, patience).map_err(refusal)
    }

    fn tables(&self) -> Result<Tables, Refusal> {
        // Who has tools is attached: that nothing is recorded yet is an empty list and no error.
        if !self.world.place.data.exists() {
            reader::start(&self.world).map_err(refusal)?;
        }
        reader::tables(&self.world).map_err(refusal)
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
        // What is said nowhere belongs to no project, unless one is named.
        let global = global || (!self.somewhere && project.is_none());
        let saying = Saying {
            by: "agent",
            text,
            title,
            kind,
            files,
            project,
            global,
            critical,
            pin: pinned,
            private: false,
        };
        let (row, known) = saying.keep(&self.world).map_err(refusal)?;
        Ok(Remembered { row, known })
    }

    fn forget(&self, ids: &[String]) -> Result<bool, Refusal> {
        forget::memories(&self.world, ids).map_err(refusal)
    }

    fn hand_over(&self, session: Option<&str>, text: &str) -> Result<SessionId, Refusal> {
        handoff::hand_over(&self.world, session, text).map_err(refusal)
    }

    fn checkpoint(&self, wish: Checkpointing) -> Result<Value, Refusal> {
        let wish = match wish {
            Checkpointing::Create { .. } | Checkpointing::Restore { .. } if !self.somewhere => {
                return Err(Refusal::new("it is not known which folder you work in", NAME_A_FOLDER));
            }
            Checkpointing::List { all } => Checkpointing::List { all: all || !self.somewhere },
            wish => wish,
        };
        checkpoint::to_json(&self.world, wish).map_err(refusal)
    }

    fn code(&self, question: Question) -> Result<Answer, Refusal> {
        if !self.somewhere {
            return Err(Refusal::new("it is not known which folder you work in", NAME_A_FOLDER));
        }
        let desk = code::Desk::at(&self.world, None).map_err(refusal)?.in_a_hurry();
        desk.reply(question).map_err(|refused| refusal(code::refused(refused)))
    }

    fn claims(&self, wish: Claiming) -> Result<Value, Refusal> {
        claims::to_json(&self.world, wish).map_err(refusal)
    }

    fn message(&self, wish: Messaging) -> Result<Value, Refusal> {
        message::to_json(&self.world, wish).map_err(refusal)
    }

    fn live_sessions(&self, here: bool) -> Result<Vec<Value>, Refusal> {
        let tables = self.tables()?;
        let here = here.then(|| self.workspace().key);
        let mut rows = live::sessions(&tables).map_err(refusal)?;
        rows.retain(|row| here.is_none() || row.session.workspace == here);
        rows.iter().map(|row| live::to_json(&tables, row).map_err(refusal)).collect()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it ends here, and is given to `map_err`")]
fn refusal(error: anyhow::Error) -> Refusal {
    let (what, next) = report::parts(&error);
    // Whoever is told what is wrong is told what to do about it, too.
    let next = if next.is_empty() { DOCTOR.to_owned() } else { next };
    Refusal { what, next: IN_TOOLS.iter().fold(next, |next, (command, tool)| next.replace(command, tool)) }
}
