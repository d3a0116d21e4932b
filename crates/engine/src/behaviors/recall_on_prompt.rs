//! Puts the memories that a prompt needs in front of the agent. Says nothing rather than noise: the floor is judged
//! on the prompt's own words (`judge`), so that nothing around it makes an unrelated prompt speak.

mod judge;
mod question;
mod select;
mod tell;

use model::{Advice, Author, Detail, Event, EventKind};

use crate::Result;
use crate::behavior::{Behavior, Context};

pub(crate) use question::question;
pub(crate) use select::{Judged, ask, chosen, judge};
pub(crate) use tell::page;

#[derive(Debug)]
pub(crate) struct RecallOnPrompt;

impl Behavior for RecallOnPrompt {
    fn name(&self) -> &'static str {
        "recall-on-prompt"
    }

    fn manual(&self) -> &'static str {
        "Puts the memories that a prompt needs in front of the agent: up to four, each with its id, its day, where it \
         comes from and what of it answers. Says nothing on prompts that have nothing to do with what is kept, never \
         says the same twice in a session, stays within `recall.prompt-tokens`, and never says words from outside \
         (web pages, other programs' tools, dependencies, other agents) unasked."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit]
    }

    fn speaks_on(&self, _kind: EventKind) -> bool {
        true
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Prompt { text, author: Author::Person } = &event.detail else {
            return Ok(Advice::silent());
        };
        let budget = u32::try_from(cx.config.number("recall.prompt-tokens")).unwrap_or(u32::MAX);
        let Some(text) = question(text).filter(|_| budget > 0) else { return Ok(Advice::silent()) };
        let here = cx.workspace.as_ref();
        let hits = cx.around.find(&ask(text, here, cx.now), cx.until)?;
        if hits.is_empty() {
            return Ok(Advice::silent());
        }
        let judged = cx.read(|tables| judge(tables, text, &hits, here, Some(&event.session)))?;
        let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
        let fresh: Vec<Judged> = chosen(judged)
            .into_iter()
            .filter(|one| cx.around.claim(&event.session, subagent, one.row.memory.id))
            .collect();
        let note = page(&fresh, here, text, budget).finish(self.name());
        Ok(Advice { notes: note.into_iter().collect(), ..Advice::silent() })
    }
}
