//! Stores what a person asked for. What a machine wrote into the conversation is not that.

use model::{Author, Detail, Event, EventKind, MemoryId, MemoryKind};
use store::Batch;

use crate::behavior::Behavior;
use crate::{Result, memory};

/// "yes", "go on" and "/clear" are answers, not something to be found again.
const LEAST_WORDS: usize = 4;
/// Beside what was pasted, "I get this error:" only hands that over.
const LEAST_BESIDE: usize = 8;

#[derive(Debug)]
pub(crate) struct RecordPrompt;

impl Behavior for RecordPrompt {
    fn name(&self) -> &'static str {
        "record-prompt"
    }

    fn manual(&self) -> &'static str {
        "Numbers and stores each prompt a person writes, redacted, without `<private>` parts and without text \
         we injected; what is remembered of it as the person's are their own words, without pasted code, logs, quotes and \
         plans. A prompt that is entirely private is not stored, and nothing of its turn is recorded. \
         Prompts made by machines, such as the report of a finished background task, are events but not prompts."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        if let Detail::Prompt { text, author: Author::Person } = &event.detail {
            batch.insert_prompt(event.id, &event.session, event.at, text)?;
            // What was pasted is somebody else's: the pieces of the conversation have it.
            let own = distill::own_words(text);
            let handed_over = own.len() < text.trim().len();
            let least = if handed_over { LEAST_BESIDE } else { LEAST_WORDS };
            if own.split_whitespace().nth(least - 1).is_some() {
                let id = MemoryId::of(&["prompt", &event.id.to_string()]);
                let mut kept = memory::of_event(event, MemoryKind::Prompt, id, memory::title_of(&own), own);
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
    fn what_was_pasted_is_not_remembered_as_the_persons() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        for text in [
            "we get this all the time:\n```\nnever use the old one\n```",
            "```\nnever use the old one\n```\nwhy does it say that when only the new one is there?",
            "Implement the following plan:\n\n# Plan\n\nAlways hash tokens.",
        ] {
            let detail = Detail::Prompt { text: text.into(), author: Author::Person };
            learn_in(&mut tables, &RecordPrompt, &event(EventKind::UserPromptSubmit, detail));
        }
        let kept = tables.memories(&store::MemoryFilter::default()).unwrap();
        let kept: Vec<_> = kept.iter().map(|row| row.memory.text.as_str()).collect();
        assert_eq!(kept, ["why does it say that when only the new one is there?"]);
    }

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
