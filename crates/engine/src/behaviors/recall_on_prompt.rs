//! Puts the memories that a prompt needs in front of the agent. Says nothing rather than noise: the floor is judged
//! on the prompt's own words (`judge`), so that nothing around it makes an unrelated prompt speak.

mod around;
mod judge;
mod question;
mod select;
mod tell;
#[cfg(test)]
mod tests;

use model::{Advice, Author, Detail, Event, EventKind, Memory};

use crate::Result;
use crate::behavior::{Behavior, Context, Late, Learned};

use around::at_hand_first;
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
        "Puts the memories that a prompt needs in front of the agent: up to three, each with its id, its day, where it \
         comes from and what of it answers. Says nothing on prompts that have nothing to do with what is kept, never \
         says the same twice in a session, stays within `recall.prompt-tokens`, and never says words from outside \
         (web pages, other programs' tools, dependencies, other agents) unasked."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn waits_for(&self, _event: &Event) -> Learned {
        // What the turn before has left.
        Learned::Before
    }

    fn late(&self, _cx: &Context, _event: &Event) -> Late {
        Late::Turn
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Prompt { text, author: Author::Person } = &event.detail else {
            return Ok(Advice::silent());
        };
        let budget = u32::try_from(cx.config.number("recall.prompt-tokens")).unwrap_or(u32::MAX);
        let Some(text) = question(text).filter(|_| budget > 0) else { return Ok(Advice::silent()) };
        let here = cx.workspace.as_ref();
        let hits = cx.around.find(&ask(&text, here, cx.now), cx.until)?;
        if hits.is_empty() {
            return Ok(Advice::silent());
        }
        let elsewhere = cx.config.flag("recall.other-projects");
        let judged = cx.read(|tables| judge(tables, &text, &hits, here, Some(&event.session), elsewhere))?;
        let chosen = at_hand_first(cx, event, chosen(judged))?;
        let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
        let mut claim = |memory: &Memory| cx.around.claim(&event.session, subagent, memory.id);
        let note = page(&chosen, &text, budget, &mut claim).finish(self.name());
        Ok(Advice { notes: note.into_iter().collect(), ..Advice::silent() })
    }
}
