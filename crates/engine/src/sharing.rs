//! What leaves this machine for a team, as it leaves, and what is taken in of what others tell. One rule for all of it:
//! a memory leaves when it is of a project the person shares, of a kind that is about the work, trusted here already, and
//! not said to be private. Prompts and what quotes them, pieces of conversations, incidents and what was brought in never leave, nor does
//! anything that has no project. A message leaves when it is for a session elsewhere; of a pattern of agents, who has which
//! part and the line each answer ends with. Nothing here connects.

mod forms;
mod places;
mod prompts;

use model::{Memory, MemoryKind, estimate_tokens};
use redact::Redactor;
use store::shared::{
    Author, Change, SharedClaim, SharedMemory, SharedMessage, SharedPattern, SharedSession, SharedVectors,
};
use store::{Batch, Filing, OwnMemory, StoreError, Tidings, Waiting};

pub use self::places::Places;
use crate::behaviors::MAX_MESSAGES_WAITING;
use crate::memory::bounded;
use crate::origin::origin;

/// A memory with this concept stays here: `throughline remember --private` gives it.
pub const PRIVATE: &str = "private";
/// A name is said in front of every memory of its owner.
const MAX_NAME: usize = 40;
/// Ids, branches and paths of others: longer ones are no names.
const MAX_WORD: usize = 400;
const MAX_GOAL: usize = 300;
/// Words for a session are a few sentences.
const MAX_MESSAGE: usize = 4000;

/// What takes out of a text what is nobody else's business.
#[derive(Debug)]
pub struct Leaving<'a> {
    pub redactor: &'a Redactor,
    pub places: &'a Places,
}

/// Whether a memory is of those that may leave at all.
pub fn may_leave(memory: &Memory) -> bool {
    let is_about_work = memory.kind.is_observation()
        || matches!(memory.kind, MemoryKind::Summary | MemoryKind::Learning)
        // A note that was brought in is a file of the person's, such as who they are.
        || memory.kind == MemoryKind::Note && memory.external_id.is_none();
    is_about_work
        && origin(memory).is_trusted()
        && !memory.concepts.iter().any(|concept| concept.eq_ignore_ascii_case(PRIVATE))
}

impl Leaving<'_> {
    /// What is told of a thing that waits; `None`: nothing.
    pub fn change(&self, waiting: Waiting) -> Option<Change> {
        let Waiting { project, at, what, .. } = waiting;
        Some(match what {
            Tidings::Memory(own) => {
                let OwnMemory { row, root, prompts, vectors } = *own;
                if row.author.is_some() || !may_leave(&row.memory) {
                    return None;
                }
                let left = prompts::without(row.memory.clone(), &prompts)?;
                // A vector is made of the words it stands for, and says them to whoever asks it well.
                let is_whole = left.title == row.memory.title && left.text == row.memory.text;
                Change::Memory(Box::new(SharedMemory {
                    project,
                    memory: self.memory(left, root.as_deref()),
                    changed_at: at,
                    hits: row.hits,
                    prevented: row.prevented,
                    last_applied_at: row.last_applied_at,
                    superseded_by: row.superseded_by,
                    vectors: vectors.filter(|_| is_whole).and_then(as_numbers),
                }))
            }
            Tidings::Forgotten(id) => Change::Forgotten { project, id },
            Tidings::Session(session) => Change::Session(SharedSession {
                // What a session is about is what its person asked for.
                goal: None,
                branch: session.branch.map(|branch| self.secretless(&branch)),
                ..session
            }),
            Tidings::Claim(claim) => Change::Claim(SharedClaim {
                goal: claim.goal.map(|goal| self.text(&goal, None)),
                branch: claim.branch.map(|branch| self.secretless(&branch)),
                path: self.secretless(&claim.path),
                ..claim
            }),
            Tidings::Released { session, path } => {
                Change::Released { project, session, path: Some(self.secretless(&path)) }
            }
            Tidings::Message(message) => Change::Message(SharedMessage {
                from: self.secretless(&message.from),
                text: self.text(&message.text, None),
                ..message
            }),
            Tidings::Pattern(pattern) => Change::Pattern(SharedPattern {
                state: forms::leaving(&pattern.state, |text| self.text(text, None))?,
                ..pattern
            }),
            Tidings::Nothing => return None,
        })
    }

    fn memory(&self, memory: Memory, root: Option<&str>) -> Memory {
        let text = |text: &str| self.text(text, root);
        let texts = |texts: &[String]| texts.iter().map(|text| self.text(text, root)).collect();
        let files = |files: &[String]| {
            let within = |file: &String| Places::within(file, root).map(|file| self.secretless(&file));
            files.iter().filter_map(within).collect()
        };
        let mut left = Memory {
            title: text(&memory.title),
            subtitle: memory.subtitle.as_deref().map(text),
            text: text(&memory.text),
            facts: texts(&memory.facts),
            concepts: texts(&memory.concepts),
            files_read: files(&memory.files_read),
            files_modified: files(&memory.files_modified),
            tools: memory.tools.iter().map(|tool| self.secretless(tool)).collect(),
            branch: memory.branch.as_deref().map(|branch| self.secretless(branch)),
            // Where it lies here, and what shows it here, is nothing others could look at.
            workspace: None,
            project_key: None,
            external_id: None,
            ..memory
        };
        left.provenance.place = None;
        left.provenance.events = Vec::new();
        left
    }

    fn text(&self, text: &str, root: Option<&str>) -> String {
        self.secretless(&self.places.taken_out(text, root))
    }

    /// Once more: what was kept before a rule was there has not met it.
    fn secretless(&self, text: &str) -> String {
        secretless(self.redactor, text)
    }
}

fn secretless(redactor: &Redactor, text: &str) -> String {
    String::from_utf8_lossy(&redactor.bytes(text.as_bytes()).bytes).into_owned()
}

fn as_numbers((model, parts): (String, Vec<Vec<u8>>)) -> Option<SharedVectors> {
    let parts = parts.iter().map(|part| embed::flat::decode(part)).collect::<Option<Vec<_>>>()?;
    Some(SharedVectors { model, parts })
}

/// Takes in what somebody else has told, within our bounds. What may not leave here does not come in either, and what
/// is always said on a machine is decided there.
pub fn take_in(
    batch: &mut Batch<'_>,
    redactor: &Redactor,
    by: &Author,
    change: &Change,
) -> Result<(), StoreError> {
    let by = Author { user: word(&by.user, MAX_NAME), machine: word(&by.machine, MAX_WORD) };
    let clean = |text: &str, most: usize| word(&secretless(redactor, text), most);
    let nothing = Filing { seq: 0, tokens: 0, fingerprint: 0 };
    match change {
        Change::Memory(told) => {
            if !may_leave(&told.memory) {
                return Ok(());
            }
            // An earlier build tells what was asked for.
            let Some(memory) = prompts::without(told.memory.clone(), &[]) else { return Ok(()) };
            let mut memory = bounded(&memory);
            for text in [&mut memory.title, &mut memory.text].into_iter().chain(&mut memory.subtitle) {
                *text = secretless(redactor, text);
            }
            for item in memory.facts.iter_mut().chain(&mut memory.concepts) {
                *item = secretless(redactor, item);
            }
            (memory.pinned, memory.critical, memory.external_id) = (false, false, None);
            let tokens = estimate_tokens(&memory.title) + estimate_tokens(&memory.text);
            let told = SharedMemory { memory, vectors: None, ..(**told).clone() };
            batch.take_in(&by, &Change::Memory(Box::new(told)), Filing { tokens, ..nothing })
        }
        Change::Session(session) => {
            let session = SharedSession {
                agent: clean(&session.agent, MAX_NAME),
                branch: session.branch.as_deref().map(|branch| clean(branch, MAX_WORD)),
                goal: session.goal.as_deref().map(|goal| clean(goal, MAX_GOAL)),
                ..session.clone()
            };
            batch.take_in(&by, &Change::Session(session), nothing)
        }
        Change::Claim(claim) => {
            let claim = SharedClaim {
                path: word(&claim.path, MAX_WORD),
                branch: claim.branch.as_deref().map(|branch| clean(branch, MAX_WORD)),
                goal: claim.goal.as_deref().map(|goal| clean(goal, MAX_GOAL)),
                ..claim.clone()
            };
            batch.take_in(&by, &Change::Claim(claim), nothing)
        }
        Change::Message(message) => {
            // What others say to each other is theirs, and a flood is nobody's.
            if !batch.is_for_us(message, MAX_MESSAGES_WAITING)? {
                return Ok(());
            }
            let mut message = message.clone();
            message.text = crate::memory::cut(&secretless(redactor, &message.text), MAX_MESSAGE);
            message.from = word(&message.from, MAX_WORD);
            message.id = word(&message.id, MAX_WORD);
            batch.take_in(&by, &Change::Message(message), nothing)
        }
        Change::Pattern(pattern) => {
            let Some(state) = forms::coming(&pattern.state, |text| secretless(redactor, text)) else {
                return Ok(());
            };
            let pattern = SharedPattern {
                id: word(&pattern.id, MAX_WORD),
                kind: word(&pattern.kind, MAX_NAME),
                state,
                ..pattern.clone()
            };
            batch.take_in(&by, &Change::Pattern(pattern), nothing)
        }
        Change::Forgotten { .. } | Change::Released { .. } => batch.take_in(&by, change, nothing),
    }
}

/// A stranger's word as one of ours: one line, bounded.
fn word(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use model::{MemoryId, SessionId};
    use redact::Settings;
    use store::MemoryRow;
    use store::shared::SharedProject;

    use super::*;

    fn memory(kind: MemoryKind) -> Memory {
        Memory::new(MemoryId::from_u64(1), kind, 5, "title".into(), "text".into())
    }

    #[test]
    fn only_what_is_about_the_work_and_trusted_leaves() {
        use MemoryKind::{Bugfix, Chunk, Decision, Document, Incident, Learning, Note, Prompt, Summary};
        for kind in MemoryKind::ALL {
            let leaves = !matches!(kind, Prompt | Chunk | Incident | Document);
            assert_eq!(may_leave(&memory(*kind)), leaves, "{kind:?}");
        }
        for kind in [Bugfix, Decision, Learning, Summary, Note] {
            let outside = Memory { tools: vec!["outside:web".into()], ..memory(kind) };
            assert!(!may_leave(&outside), "{kind:?} from outside");
            let private = Memory { concepts: vec!["Private".into()], ..memory(kind) };
            assert!(!may_leave(&private), "{kind:?} said to be private");
        }
        let brought = Memory { external_id: Some("user-role".into()), ..memory(Note) };
        assert!(!may_leave(&brought), "a file of the person's");
    }

    fn leave(memory: Memory) -> Option<SharedMemory> {
        let redactor = Redactor::new(Settings::default()).unwrap();
        let places = Places::new("/srv/ana", "ana");
        let row = MemoryRow {
            n: 1,
            memory,
            tokens: 1,
            seq: 1,
            repeats: 0,
            hits: 3,
            prevented: 1,
            last_applied_at: None,
            superseded_by: None,
            author: None,
        };
        let own = OwnMemory {
            row,
            root: Some("/srv/ana/shop".into()),
            prompts: vec!["Globex wants its money back. Fix the cart".into()],
            vectors: Some(("m".into(), vec![embed::flat::encode(&[1.0, -0.5])])),
        };
        let waiting = Waiting {
            position: 1,
            project: SharedProject("c0ffee".into()),
            at: 9,
            what: Tidings::Memory(Box::new(own)),
        };
        match (Leaving { redactor: &redactor, places: &places }).change(waiting) {
            Some(Change::Memory(told)) => Some(*told),
            _ => None,
        }
    }

    #[test]
    fn what_leaves_names_no_place_of_this_machine_no_person_and_no_secret() {
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let left = leave(Memory {
            title: "Fixed /srv/ana/shop/src/cart.rs".into(),
            subtitle: Some("as ana in /srv/ana/notes".into()),
            text: format!(
                "token {token} in /tmp/x/y and ~ana; see https://example.com/start/page and GET /api/users"
            ),
            facts: vec!["cd /srv/ana/shop && make".into()],
            files_read: vec!["/etc/passwd".into(), "/srv/ana/other/x.rs".into()],
            files_modified: vec!["/srv/ana/shop/src/cart.rs".into(), "src/tax.rs".into()],
            project_key: Some("k".into()),
            session: Some(SessionId::new("s")),
            branch: Some("main".into()),
            ..memory(MemoryKind::Bugfix)
        })
        .unwrap();
        let told = left.memory;
        assert_eq!(told.title, "Fixed src/cart.rs");
        assert_eq!(told.subtitle.as_deref(), Some("as [user] in [path]"));
        assert_eq!(told.facts, ["cd . && make"]);
        assert!(
            told.text
                .contains("in [path] and ~[user]; see https://example.com/start/page and GET /api/users")
        );
        assert!(!told.text.contains(&token) && told.text.contains("[REDACTED:"), "{}", told.text);
        assert_eq!(
            (told.files_read.len(), told.files_modified),
            (0, vec!["src/cart.rs".into(), "src/tax.rs".into()])
        );
        assert_eq!((told.workspace, told.project_key, told.external_id), (None, None, None));
        assert_eq!((left.changed_at, left.hits, left.prevented), (9, 3, 1));
        let vector = &left.vectors.unwrap().parts[0];
        assert!((vector[0] - 1.0).abs() < 0.01 && (vector[1] + 0.5).abs() < 0.01, "{vector:?}");
    }

    #[test]
    fn no_prompt_leaves_in_what_was_made_of_it() {
        let asked = "Asked: Globex wants its money back. Fix the cart.";
        let change = Memory { text: format!("{asked} Changed src/cart.rs."), ..memory(MemoryKind::Change) };
        let left = leave(change).unwrap();
        assert_eq!((left.memory.text.as_str(), left.vectors), ("Changed src/cart.rs.", None));
        let summary = Memory {
            title: "Globex wants its money back.".into(),
            text: "Request: Globex wants its money back. Fix the cart\nCompleted: Rounds half up".into(),
            ..memory(MemoryKind::Summary)
        };
        let left = leave(summary).unwrap().memory;
        assert_eq!(
            (left.title.as_str(), left.text.as_str()),
            ("Rounds half up", "Completed: Rounds half up")
        );
        let session = Tidings::Session(SharedSession {
            project: SharedProject("c0ffee".into()),
            id: SessionId::new("s"),
            agent: "claude-code".into(),
            branch: None,
            goal: Some("Globex wants its money back".into()),
            started_at: 1,
            seen_at: 2,
            ended_at: None,
        });
        let redactor = Redactor::new(Settings::default()).unwrap();
        let places = Places::new("/srv/ana", "ana");
        let waiting = Waiting { position: 1, project: SharedProject("c0ffee".into()), at: 9, what: session };
        let told = Leaving { redactor: &redactor, places: &places }.change(waiting);
        assert!(matches!(&told, Some(Change::Session(session)) if session.goal.is_none()), "{told:?}");
    }

    #[test]
    fn what_comes_in_is_bounded_redacted_and_pins_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = store::Tables::open(&folder.path().join("t.db")).unwrap();
        let redactor = Redactor::new(Settings::default()).unwrap();
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let by = Author { user: "be\nn".into(), machine: "m".into() };
        let told = |memory| {
            Change::Memory(Box::new(SharedMemory {
                project: SharedProject("c0ffee".into()),
                memory,
                changed_at: 1,
                hits: 0,
                prevented: 0,
                last_applied_at: None,
                superseded_by: None,
                vectors: None,
            }))
        };
        let loud = Memory {
            title: "x".repeat(10_000),
            text: format!("use {token}"),
            pinned: true,
            critical: true,
            ..memory(MemoryKind::Note)
        };
        let prompt = Memory { id: MemoryId::from_u64(2), ..memory(MemoryKind::Prompt) };
        tables
            .write(|batch| {
                take_in(batch, &redactor, &by, &told(loud))?;
                take_in(batch, &redactor, &by, &told(prompt))
            })
            .unwrap();
        let rows = tables.memories(&store::MemoryFilter::default()).unwrap();
        assert_eq!(rows.len(), 1, "a prompt does not come in either");
        let kept = &rows[0].memory;
        assert!(kept.title.starts_with("ben: x") && kept.title.len() < 300);
        assert!(!kept.text.contains(&token));
        assert!(!kept.pinned && !kept.critical);
    }
}
