//! Stores what a person asked for. What a machine wrote into the conversation is not that.

use model::{Author, Detail, Event, EventKind, MemoryId, MemoryKind};
use store::Batch;

use crate::behavior::Behavior;
use crate::{Result, memory};

/// "yes", "go on" and "/clear" are answers, not something to be found again.
const LEAST_WORDS: usize = 4;

#[derive(Debug)]
pub(crate) struct RecordPrompt;

impl Behavior for RecordPrompt {
    fn name(&self) -> &'static str {
        "record-prompt"
    }

    fn manual(&self) -> &'static str {
        "Numbers and stores each prompt a person writes, redacted, without `<private>` parts and without text \
         we injected. A prompt that is entirely private is not stored, and nothing of its turn is recorded. \
         Prompts made by machines, such as the report of a finished background task, are events but not prompts."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        if let Detail::Prompt { text, author: Author::Person } = &event.detail {
            batch.insert_prompt(event.id, &event.session, event.at, text)?;
            if text.split_whitespace().nth(LEAST_WORDS - 1).is_some() {
                let id = MemoryId::of(&["prompt", &event.id.to_string()]);
                let mut kept =
                    memory::of_event(event, MemoryKind::Prompt, id, memory::title_of(text), text.clone());
                "person".clone_into(&mut kept.provenance.by);
                memory::keep(batch, &kept)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{event, learn_in};

    #[test]
    fn prompts_are_numbered_once_and_machines_write_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let prompt = |text: &str, author| {
            event(EventKind::UserPromptSubmit, Detail::Prompt { text: text.into(), author })
        };
        let first = prompt("fix the login", Author::Person);
        learn_in(&mut tables, &RecordPrompt, &first);
        learn_in(&mut tables, &RecordPrompt, &first);
        learn_in(&mut tables, &RecordPrompt, &prompt("<task-notification>…", Author::Machine));
        learn_in(&mut tables, &RecordPrompt, &prompt("and the logout", Author::Person));
        let kept = tables.prompts(&first.session).unwrap();
        let kept: Vec<_> = kept.iter().map(|prompt| (prompt.number, prompt.text.as_str())).collect();
        assert_eq!(kept, [(1, "fix the login"), (2, "and the logout")]);
    }
}
