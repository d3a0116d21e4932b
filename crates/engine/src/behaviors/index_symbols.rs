//! Has the map of a workspace made and kept up, in the background: when a session starts there, and when it edits.

use std::path::Path;

use model::{Advice, Event, EventKind};

use crate::Result;
use crate::behavior::{Behavior, Context};

#[derive(Debug)]
pub(crate) struct IndexSymbols;

impl Behavior for IndexSymbols {
    fn name(&self) -> &'static str {
        "index-symbols"
    }

    fn manual(&self) -> &'static str {
        "Maps the workspace when a session starts in it, and looks after it with every prompt: definitions, references and imports of every source file that git \
         would keep, in the background, kept on disk and brought up to date file by file. Nothing waits for it; what is asked \
         before it is done is answered from what is there. Says nothing. Off, a map is made when another behavior \
         first wants it."
    }

    fn on(&self) -> &'static [EventKind] {
        // The hook of a session's start may be what starts us, and then nobody is asked before the first prompt.
        &[EventKind::SessionStart, EventKind::UserPromptSubmit]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn advise(&self, cx: &Context, _event: &Event) -> Result<Advice> {
        if let Some(here) = &cx.workspace {
            cx.around.warm_map(Path::new(&here.root));
        }
        Ok(Advice::silent())
    }
}
