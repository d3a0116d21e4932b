//! Records what tools did. What a tool call means is for others to find out.

use model::{Detail, Event, EventKind};

use crate::behavior::{Behavior, Keep};
use crate::config::Config;

#[derive(Debug)]
pub(crate) struct Capture;

impl Behavior for Capture {
    fn name(&self) -> &'static str {
        "capture"
    }

    fn manual(&self) -> &'static str {
        "Records every tool call and its result, redacted, in the journal, except the tools named in \
         `capture.skip-tools`. Switched off, tool results are not recorded at all."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse, EventKind::PostToolUse, EventKind::PostToolUseFailure]
    }

    fn keep(&self, config: &Config, event: &Event) -> Keep {
        match &event.detail {
            Detail::Tool(call) if config.list("capture.skip-tools").contains(&call.name) => {
                Keep::No("skipped tool")
            }
            _ => Keep::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::tests::tool;

    #[test]
    fn a_tool_on_the_skip_list_is_not_kept() {
        let config = Config::default();
        assert_eq!(Capture.keep(&config, &tool("TodoWrite")), Keep::No("skipped tool"));
        assert_eq!(Capture.keep(&config, &tool("Edit")), Keep::Yes);
    }
}
