//! After a turn that taught something, one line that a lesson can be kept: nobody can put it in a sentence as well as the agent that has
//! just lived through it. The words it saves are its own; ours stand beside them.

use model::{Advice, Author, Detail, Event, EventKind, Item, MemoryKind};
use store::MemoryFilter;

use crate::Result;
use crate::behavior::{Behavior, Context, Late};
use crate::page::Page;

/// The line with the fence around it.
const BUDGET: u32 = 60;
/// A session that is asked more often saves what it always saves.
const MOST_A_SESSION: usize = 2;

#[derive(Debug)]
pub(crate) struct SuggestLesson;

/// Kinds of observation after which there is something to tell, and how that is called.
const OCCASIONS: &[(MemoryKind, &str)] =
    &[(MemoryKind::Bugfix, "fixed a failure"), (MemoryKind::Decision, "settled how something is done")];

impl Behavior for SuggestLesson {
    fn name(&self) -> &'static str {
        "suggest-lesson"
    }

    fn manual(&self) -> &'static str {
        "After a turn that fixed a failure or in which the person decided or corrected something, tells the agent in one line, \
         beside the next prompt, that a lesson of one sentence can be kept with `mem_save`. At most twice in a session. What \
         the agent saves is shown as its own words and stands before what it corrects."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn late(&self, _cx: &Context, _event: &Event) -> Late {
        Late::Turn
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        if !matches!(&event.detail, Detail::Prompt { author: Author::Person, .. }) || event.subagent.is_some()
        {
            return Ok(Advice::silent());
        }
        let marks: Vec<String> =
            (1..=MOST_A_SESSION).map(|number| format!("lesson:{}:{number}", event.session)).collect();
        let found = cx.read(|tables| {
            let mut free = None;
            for mark in marks.into_iter().rev() {
                if !tables.is_marked(&mark)? {
                    free = Some(mark);
                }
            }
            let Some(mark) = free else { return Ok(None) };
            // The turn that this prompt follows began with the prompt before it.
            let prompts = tables.prompts(&event.session)?;
            let Some(began) = prompts.iter().rev().map(|prompt| prompt.at).find(|at| *at < event.at) else {
                return Ok(None);
            };
            let filter = MemoryFilter {
                session: Some(event.session.clone()),
                kinds: OCCASIONS.iter().map(|(kind, _)| *kind).collect(),
                since: Some(began),
                limit: 1,
                ..MemoryFilter::default()
            };
            let taught = tables.memories(&filter)?.pop();
            Ok(taught.map(|row| (mark, row.memory)))
        })?;
        let Some((mark, taught)) = found else { return Ok(Advice::silent()) };
        let told = format!("lesson-of:{}", taught.id);
        let mut is_new = !cx.read(|tables| Ok(tables.is_marked(&told)?))?;
        cx.around.desk(&event.session, None, &mut |desk| is_new &= desk.tell(mark.clone(), 1));
        let occasion = OCCASIONS.iter().find(|(kind, _)| *kind == taught.kind);
        let (true, Some((_, occasion))) = (is_new, occasion) else { return Ok(Advice::silent()) };
        let item = Item {
            memory: Some(taught.id),
            part: "lesson".to_owned(),
            title: taught.title,
            tokens: 0,
            why: "the last turn taught something".to_owned(),
        };
        let mut page = Page::new(BUDGET);
        page.item(
            &format!(
                "The last turn {occasion}. If it taught what the code does not show, mem_save keeps it in one sentence."
            ),
            item,
        );
        Ok(Advice {
            notes: page.finish(self.name()).into_iter().collect(),
            marks: vec![mark, told],
            ..Advice::silent()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{Memory, MemoryId, Millis};
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{Around, context_in, event, learn_in};
    use crate::behaviors::{RecordPrompt, RegisterSession};
    use crate::memory;

    fn prompt(at: Millis) -> Event {
        let detail = Detail::Prompt { text: "go on with the next part".into(), author: Author::Person };
        Event { at, ..event(EventKind::UserPromptSubmit, detail) }
    }

    #[test]
    fn a_turn_that_taught_something_is_followed_by_one_line_and_no_other_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        let cx = context_in(Arc::new(Around::new(&path)));
        let say = |event: &Event| SuggestLesson.advise(&cx, event).unwrap();
        let first = prompt(1000);
        for behavior in [&RegisterSession as &dyn Behavior, &RecordPrompt] {
            learn_in(&mut tables, behavior, &first);
        }
        assert!(say(&prompt(2000)).is_silent(), "nothing was taught");
        let keep = |tables: &mut Tables, number: u64, kind: MemoryKind| {
            let memory = Memory {
                session: Some(first.session.clone()),
                ..Memory::new(
                    MemoryId::from_u64(number),
                    kind,
                    1500,
                    format!("thing {number}"),
                    "text".into(),
                )
            };
            tables.write(|batch| memory::keep(batch, &memory).map(drop)).unwrap();
        };
        keep(&mut tables, 1, MemoryKind::Change);
        assert!(say(&prompt(2000)).is_silent(), "a change shows itself");
        keep(&mut tables, 2, MemoryKind::Bugfix);
        let said = say(&prompt(2000));
        assert!(said.notes[0].text.contains("fixed a failure"), "{said:?}");
        assert!(model::estimate_tokens(&said.notes[0].text) <= BUDGET, "{said:?}");
        assert_eq!(said.marks.len(), 2);
        assert!(say(&prompt(900)).is_silent(), "it was taught later");
    }
}
