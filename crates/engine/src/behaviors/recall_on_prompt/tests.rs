//! What a prompt is told, and what it is not.

use std::path::Path;
use std::sync::Arc;

use model::{
    Advice, Author, Detail, EventKind, Memory, MemoryId, MemoryKind, Said, SessionId, Speaker, Subagent,
    Tail, estimate_tokens,
};
use store::Tables;

use super::RecallOnPrompt;
use crate::behavior::Behavior;
use crate::behaviors::tests::{Around, context_in, event};
use crate::memory::keep;

/// A store with a little of everything, in project `w` unless changed.
struct World {
    folder: tempfile::TempDir,
    tables: Tables,
    around: Arc<Around>,
    next: u64,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("derived.db");
        let tables = Tables::open(&database).unwrap();
        let mut world = Self { tables, around: Arc::new(Around::new(&database)), folder, next: 1 };
        for (title, text) in [
            ("Bundle size of the start page", "The charts are loaded when they are shown; 410 kB less."),
            (
                "Invoices are numbered per year",
                "The counter lives in the database, one row per year and country.",
            ),
            ("Nightly backups moved to 03:00", "The export of the warehouse ran at the same time."),
            ("Search index is built in the background", "A full build takes eleven minutes on the server."),
            ("Mail templates are compiled at start", "A broken template stops the process, which is wanted."),
        ] {
            world.keep(title, text, |_| {});
        }
        world
    }

    fn keep(&mut self, title: &str, text: &str, change: impl FnOnce(&mut Memory)) -> MemoryId {
        let id = MemoryId::from_u64(self.next << 30);
        self.next += 1;
        let at = 1_770_106_320_000 + self.next;
        let mut memory = Memory::new(id, MemoryKind::Bugfix, at, title.into(), text.into());
        memory.project = Some("w".into());
        memory.project_key = Some("p1".into());
        memory.session = Some(SessionId::new("an-earlier-one"));
        change(&mut memory);
        self.tables.write(|batch| keep(batch, &memory).map(|_| ())).unwrap();
        id
    }

    /// What makes the webhook memorable.
    fn webhook(&mut self, change: impl FnOnce(&mut Memory)) -> MemoryId {
        self.keep(
            "Stripe webhook answered 400: the signature was checked against the parsed body",
            "The raw body has to be kept before the parser runs. `stripe listen` shows the difference.",
            change,
        )
    }

    fn advise(&self, prompt: &str, author: Author) -> Advice {
        let cx = context_in(Arc::clone(&self.around) as Arc<dyn crate::Surroundings>);
        let detail = Detail::Prompt { text: prompt.into(), author };
        RecallOnPrompt.advise(&cx, &event(EventKind::UserPromptSubmit, detail)).unwrap()
    }

    fn say(&self, prompt: &str) -> Option<String> {
        self.advise(prompt, Author::Person).notes.into_iter().next().map(|note| note.text)
    }
}

const PROMPT: &str = "the stripe webhook answers 400, the signature of the body is wrong";

#[test]
fn a_prompt_gets_the_memory_it_needs_with_id_day_kind_and_source() {
    let mut world = World::new();
    let id = world.webhook(|_| {});
    let said = world.say(PROMPT).expect("it is known");
    assert!(said.contains(&format!("[{id}] 2026-02-03 bugfix, session an-earli")), "{said}");
    assert!(said.contains("raw body has to be kept"), "{said}");
    assert!(said.lines().next().unwrap().contains("not instructions"), "{said}");
    assert!(estimate_tokens(&said) <= 400 && said.lines().count() <= 4, "{said}");
}

#[test]
fn unrelated_prompts_and_machines_hear_nothing() {
    let mut world = World::new();
    world.webhook(|_| {});
    for prompt in [
        "what is the capital of Kazakhstan",
        "continue",
        "yes do that",
        "/compact",
        "write a poem about climbing",
    ] {
        assert_eq!(world.say(prompt), None, "{prompt}");
    }
    assert!(world.advise(PROMPT, Author::Machine).is_silent());
}

#[test]
fn the_same_is_said_once_in_a_conversation() {
    let mut world = World::new();
    world.webhook(|_| {});
    assert!(world.say(PROMPT).is_some());
    assert_eq!(world.say(PROMPT), None);
    let cx = context_in(Arc::clone(&world.around) as Arc<dyn crate::Surroundings>);
    let mut other =
        event(EventKind::UserPromptSubmit, Detail::Prompt { text: PROMPT.into(), author: Author::Person });
    other.subagent = Some(Subagent { id: "a1".into(), kind: "explore".into() });
    assert!(!RecallOnPrompt.advise(&cx, &other).unwrap().is_silent(), "a subagent has not heard it");
}

#[test]
fn words_from_outside_are_never_said_and_neither_is_the_conversation_itself() {
    for change in [
        (|memory: &mut Memory| memory.tools = vec!["WebFetch".into(), "outside:web".into()])
            as fn(&mut Memory),
        |memory| memory.tools = vec!["Edit".into(), "outside:mcp".into()],
        |memory| memory.kind = MemoryKind::Chunk,
        |memory| memory.session = Some(SessionId::new("session-1")),
        |memory| {
            memory.kind = MemoryKind::Prompt;
            PROMPT.clone_into(&mut memory.text);
        },
    ] {
        let mut world = World::new();
        world.webhook(change);
        assert_eq!(world.say(PROMPT), None);
    }
}

#[test]
fn what_was_overtaken_is_not_said() {
    let mut world = World::new();
    let older = world.webhook(|_| {});
    let newer = world.keep("Payments moved to another provider", "Nothing of the old one is left.", |_| {});
    world.tables.write(|batch| batch.supersede(older, newer).map(|_| ())).unwrap();
    assert!(world.say(PROMPT).is_none_or(|said| !said.contains(&older.to_string())));
}

#[test]
fn a_memory_of_another_project_names_it_and_needs_more_to_be_said() {
    let mut world = World::new();
    world.webhook(|memory| {
        memory.project = Some("shop".into());
        memory.project_key = Some("p2".into());
    });
    assert_eq!(world.say("the webhook is slow today"), None);
    if let Some(said) = world.say(PROMPT) {
        assert!(said.contains("project shop"), "{said}");
    }
}

#[test]
fn no_budget_is_exceeded_and_none_is_silence() {
    let mut world = World::new();
    for at in 0..6 {
        world.webhook(|memory| memory.text = format!("{} Reason {at}: {}", memory.text, "why ".repeat(400)));
    }
    let mut cx = context_in(Arc::clone(&world.around) as Arc<dyn crate::Surroundings>);
    let ask =
        || event(EventKind::UserPromptSubmit, Detail::Prompt { text: PROMPT.into(), author: Author::Person });
    let mut config = crate::config::Config::default();
    config.set(crate::config::Layer::Flag, "test", "recall.prompt-tokens", "0").unwrap();
    cx.config = Arc::new(config.clone());
    assert!(RecallOnPrompt.advise(&cx, &ask()).unwrap().is_silent());
    config.set(crate::config::Layer::Flag, "test", "recall.prompt-tokens", "120").unwrap();
    cx.config = Arc::new(config);
    let note = RecallOnPrompt.advise(&cx, &ask()).unwrap().notes.remove(0);
    assert!(estimate_tokens(&note.text) <= 120, "{}", note.text);
}

#[test]
fn what_the_last_turn_was_about_comes_first_and_makes_no_other_prompt_speak() {
    let mut world = World::new();
    world.webhook(|_| {});
    let tail = Tail {
        said: vec![Said {
            by: Speaker::Agent,
            text: "The stripe webhook signature body is checked twice.".into(),
        }],
        usage: None,
    };
    let database = world.around.database.clone();
    world.around = Arc::new(Around { tail: Some(tail), ..Around::new(&database) });
    assert_eq!(world.say("what is the capital of Kazakhstan"), None);
    assert_eq!(world.say("ok, and now the other one"), None);
    assert!(world.say(PROMPT).is_some());
    assert!(Path::new(world.folder.path()).exists());
}
