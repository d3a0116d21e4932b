//! A folder with code in it, and an agent that works there: for the tests of the behaviors about code.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use model::{Advice, Detail, Event, EventKind, Outcome, SessionId, Subagent, ToolCall};
use serde_json::{Value, json};

use crate::behavior::{Behavior, Context};
use crate::behaviors::tests::{Around, context_in, event};
use crate::config::Config;

pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) around: Arc<Around>,
    pub(crate) config: Config,
    pub(crate) session: &'static str,
    pub(crate) subagent: Option<&'static str>,
    pub(crate) now: u64,
}

impl World {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let around = Arc::new(Around::new(&folder.path().join("derived.db")));
        let config = Config::default();
        let world = Self { folder, around, config, session: "s1", subagent: None, now: 1_000_000 };
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work").join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path).to_str().unwrap().to_owned();
        fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn context(&self) -> Context {
        let mut cx = context_in(Arc::clone(&self.around) as Arc<dyn crate::Surroundings>);
        cx.config = Arc::new(self.config.clone());
        cx.now = self.now;
        if let Some(here) = cx.workspace.as_mut() {
            here.root = self.path("").to_str().unwrap().trim_end_matches('/').to_owned();
        }
        cx
    }

    pub(crate) fn call(&self, kind: EventKind, tool: &str, input: Value) -> Event {
        let outcome = match kind {
            EventKind::PostToolUse => Outcome::Succeeded { response: json!({}), duration_ms: None },
            _ => Outcome::Pending,
        };
        let call = ToolCall { name: tool.into(), use_id: None, input, outcome };
        let subagent = self.subagent.map(|id| Subagent { id: id.into(), kind: "general".into() });
        let cwd = Some(self.path("").to_str().unwrap().to_owned());
        Event { session: SessionId::new(self.session), subagent, cwd, ..event(kind, Detail::Tool(call)) }
    }

    pub(crate) fn ask(&self, behavior: &dyn Behavior, kind: EventKind, tool: &str, input: Value) -> Advice {
        self.advise(behavior, &self.call(kind, tool, input))
    }

    /// What is said after a tool ran and answered this.
    pub(crate) fn after(&self, behavior: &dyn Behavior, tool: &str, input: Value, answer: Value) -> Advice {
        let mut event = self.call(EventKind::PostToolUse, tool, input);
        if let Detail::Tool(call) = &mut event.detail {
            call.outcome = Outcome::Succeeded { response: answer, duration_ms: None };
        }
        self.advise(behavior, &event)
    }

    /// As the daemon does it: the facts of an event are noted whatever is asked about it.
    fn advise(&self, behavior: &dyn Behavior, event: &Event) -> Advice {
        let cx = self.context();
        self.around.edits.lock().unwrap().note(&event.session, crate::facts::edited(event), self.now);
        crate::facts::note(&*self.around, cx.workspace.as_ref(), event, self.now);
        behavior.advise(&cx, event).unwrap()
    }

    /// What the model is told before a tool runs.
    pub(crate) fn before(&self, behavior: &dyn Behavior, tool: &str, input: Value) -> Option<String> {
        let advice = self.ask(behavior, EventKind::PreToolUse, tool, input);
        assert_eq!(advice.verdict, None);
        advice.notes.into_iter().next().map(|note| note.text)
    }

    pub(crate) fn read(&self, behavior: &dyn Behavior, path: &str) -> Option<String> {
        self.before(behavior, "Read", json!({ "file_path": self.path(path) }))
    }
}
