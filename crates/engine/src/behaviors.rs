//! One file per behavior. A new one is a file here and a line in `behavior::ALL`.

mod added;
mod archive_transcript;
mod auto_checkpoint;
mod brief_subagent;
mod capture;
mod check_code;
mod check_imports;
mod claim_files;
mod collect_subagent;
mod complete_session;
mod credit_memories;
mod deliver_messages;
mod distill;
mod elsewhere;
mod extract_learnings;
mod flag_debug_prints;
mod guard_commands;
mod guard_scope;
mod hand_off;
mod index_symbols;
mod judge_stop;
mod map_reads;
mod on_code;
mod pin_incident;
mod recall_on_compact;
mod recall_on_failure;
pub(crate) mod recall_on_prompt;
mod recall_on_read;
mod recall_on_start;
mod record_prompt;
mod register_session;
mod remind_backlog;
mod route_searches;
mod run_rules;
mod show_signatures;
mod suggest_lesson;
mod suggest_premortem;
mod suggest_skills;
mod summarize;
mod warn_context_limit;
mod welcome;

pub(crate) use archive_transcript::ArchiveTranscript;
pub(crate) use auto_checkpoint::AutoCheckpoint;
pub use auto_checkpoint::{Edited, Every, Pace};
pub(crate) use brief_subagent::BriefSubagent;
pub(crate) use capture::Capture;
pub(crate) use check_code::CheckCode;
pub use check_code::{Act, Checked, Step, Wrong};
pub(crate) use check_imports::CheckImports;
pub(crate) use claim_files::{ClaimFiles, changed as changed_files, is_command, take as take_files};
pub use claim_files::{LEASE, claimed_path, files_on_disk, is_claiming, line_words, real_path};
pub(crate) use collect_subagent::CollectSubagent;
pub(crate) use complete_session::CompleteSession;
pub(crate) use credit_memories::CreditMemories;
pub use credit_memories::{Wrote, credit};
pub(crate) use deliver_messages::{DeliverMessages, keep as keep_message, note_said};
pub use deliver_messages::{MAX_CHARS as MAX_MESSAGE_CHARS, MAX_WAITING as MAX_MESSAGES_WAITING};
pub(crate) use distill::Distill;
pub use distill::end_stale_turn;
pub(crate) use extract_learnings::ExtractLearnings;
pub(crate) use flag_debug_prints::FlagDebugPrints;
pub(crate) use guard_commands::GuardCommands;
pub(crate) use guard_scope::GuardScope;
pub(crate) use hand_off::{HandOff, forget_in_hand_off, write_hand_off};
pub use hand_off::{MAX_WRITTEN, page, render};
pub(crate) use index_symbols::IndexSymbols;
pub(crate) use judge_stop::JudgeStop;
pub use judge_stop::{Question, SYSTEM as JUDGE};
pub(crate) use map_reads::{MapReads, read_lines};
pub(crate) use pin_incident::PinIncident;
pub(crate) use recall_on_compact::RecallOnCompact;
pub(crate) use recall_on_failure::RecallOnFailure;
pub(crate) use recall_on_prompt::RecallOnPrompt;
pub(crate) use recall_on_read::RecallOnRead;
pub(crate) use recall_on_start::RecallOnStart;
pub(crate) use record_prompt::RecordPrompt;
pub(crate) use register_session::RegisterSession;
pub(crate) use remind_backlog::RemindBacklog;
pub(crate) use route_searches::{RouteSearches, looked_for_names};
pub(crate) use run_rules::RunRules;
pub(crate) use show_signatures::ShowSignatures;
pub(crate) use suggest_lesson::SuggestLesson;
pub(crate) use suggest_premortem::SuggestPremortem;
pub(crate) use suggest_skills::SuggestSkills;
pub(crate) use summarize::{Summarize, summary_text};
pub(crate) use warn_context_limit::WarnContextLimit;
pub(crate) use welcome::Welcome;
pub use welcome::{losses_told, tell_loss};

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::{HashMap, HashSet};
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use model::{
        Context, Detail, Event, EventId, EventKind, MemoryId, Outcome, SessionId, Tail, ToolCall,
        WorkspaceKey,
    };
    use store::Tables;

    use crate::behavior::{Behavior, Workspace};
    use crate::config::Config;
    use crate::facts::Edits;
    use crate::rules::Judgment;
    use crate::search::{Ask, Hit, Search};
    use crate::{Desk, Fault, Loss, Result, Surroundings};

    /// A house in one folder, with real tables and real search.
    pub(crate) struct Around {
        pub(crate) database: PathBuf,
        pub(crate) is_alive: fn(u32) -> bool,
        pub(crate) tail: Option<Tail>,
        pub(crate) faults: Vec<Fault>,
        pub(crate) loss: Option<Loss>,
        pub(crate) past: u64,
        pub(crate) reading: Option<crate::Reading>,
        pub(crate) claimed: Mutex<HashSet<(SessionId, Option<String>, MemoryId)>>,
        pub(crate) desks: Mutex<HashMap<(SessionId, Option<String>), Desk>>,
        pub(crate) edited: Mutex<Vec<super::Edited>>,
        pub(crate) edits: Mutex<Edits>,
        pub(crate) judgment: Option<Judgment>,
        pub(crate) questions: Mutex<Vec<super::Question>>,
        pub(crate) late: Mutex<Option<String>>,
        pub(crate) steps: Mutex<Vec<super::Step>>,
        pub(crate) checked: Mutex<super::Checked>,
        /// Kept and not learned yet.
        pub(crate) behind: Mutex<Vec<Event>>,
        pub(crate) home: Option<PathBuf>,
    }

    impl Around {
        pub(crate) fn new(database: &Path) -> Self {
            Self {
                database: database.to_owned(),
                is_alive: |_| false,
                tail: None,
                faults: Vec::new(),
                loss: None,
                past: 0,
                reading: None,
                claimed: Mutex::default(),
                desks: Mutex::default(),
                edited: Mutex::default(),
                edits: Mutex::default(),
                judgment: None,
                questions: Mutex::default(),
                late: Mutex::default(),
                steps: Mutex::default(),
                checked: Mutex::default(),
                behind: Mutex::default(),
                home: None,
            }
        }
    }

    impl Surroundings for Around {
        fn read(&self, with: &mut dyn FnMut(&Tables) -> Result<()>) -> Result<()> {
            with(&Tables::open_read_only(&self.database)?)
        }

        fn find(&self, ask: &Ask, _until: Instant) -> Result<Vec<Hit>> {
            let search = Search::open(&self.database)?;
            let mut tables = Tables::open(&self.database)?;
            while search.index_due(&mut tables, 256)? > 0 {}
            search.run(ask)
        }

        fn tail(&self, _event: &Event, _bytes: u64) -> Option<Tail> {
            self.tail.clone()
        }

        fn claim(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) -> bool {
            let key = (session.clone(), subagent.map(str::to_owned), memory);
            self.claimed.lock().unwrap().insert(key)
        }

        fn unclaim(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) {
            let key = (session.clone(), subagent.map(str::to_owned), memory);
            self.claimed.lock().unwrap().remove(&key);
        }

        fn edits(&self, session: &SessionId, since: model::Millis) -> Vec<String> {
            self.edits.lock().unwrap().since(session, since)
        }

        fn is_alive(&self, pid: u32) -> bool {
            (self.is_alive)(pid)
        }

        fn caught_up(&self, _event: Option<EventId>, _until: Instant) -> bool {
            let mut tables = Tables::open(&self.database).unwrap();
            for event in self.behind.lock().unwrap().drain(..) {
                let learners: [&dyn Behavior; 2] = [&super::BriefSubagent, &super::CollectSubagent];
                for behavior in learners.into_iter().filter(|one| one.on().contains(&event.kind)) {
                    learn_in(&mut tables, behavior, &event);
                }
            }
            true
        }

        fn data(&self) -> &Path {
            self.database.parent().unwrap()
        }

        fn home(&self) -> Option<PathBuf> {
            self.home.clone()
        }

        fn faults(&self) -> Vec<Fault> {
            self.faults.clone()
        }

        fn reading(&self) -> Option<crate::Reading> {
            self.reading
        }

        fn loss(&self) -> Option<Loss> {
            self.loss
        }

        fn past_conversations(&self, _cwd: &str) -> u64 {
            self.past
        }

        fn map(&self, root: &Path, _until: Instant, with: &mut dyn FnMut(&mut atlas::Atlas)) -> bool {
            let Ok(mut map) = atlas::Atlas::open(root, None) else { return false };
            map.freshen(&mut |_| {}).unwrap();
            with(&mut map);
            true
        }

        fn judge(&self, _: &Config, _: &Event, question: &super::Question, _: Instant) -> Option<Judgment> {
            self.questions.lock().unwrap().push(question.clone());
            self.judgment.clone()
        }

        fn judged_late(&self, _: &Event) -> Option<String> {
            self.late.lock().unwrap().take()
        }

        fn check(&self, _: &Config, step: &super::Step, _: Instant) -> super::Checked {
            self.steps.lock().unwrap().push(step.clone());
            self.checked.lock().unwrap().clone()
        }

        fn edited(&self, edit: &super::Edited) {
            self.edited.lock().unwrap().push(edit.clone());
        }

        fn desk(&self, session: &SessionId, subagent: Option<&str>, with: &mut dyn FnMut(&mut Desk)) {
            let key = (session.clone(), subagent.map(str::to_owned));
            with(self.desks.lock().unwrap().entry(key).or_default());
        }
    }

    /// In workspace `k1` at `/w` of project `w`.
    pub(crate) fn context(database: &Path, is_alive: fn(u32) -> bool) -> crate::Context {
        context_in(Arc::new(Around { is_alive, ..Around::new(database) }))
    }

    pub(crate) fn context_in(around: Arc<dyn Surroundings>) -> crate::Context {
        crate::Context {
            config: Arc::new(Config::default()),
            now: 1_000_000,
            until: Instant::now() + Duration::from_secs(5),
            workspace: Some(Workspace {
                key: WorkspaceKey::from_hex("k1".into()),
                root: "/w".into(),
                project: "w".into(),
                project_key: "p1".into(),
                branch: None,
            }),
            around,
        }
    }

    pub(crate) fn event(kind: EventKind, detail: Detail) -> Event {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let at = NEXT.fetch_add(1, Ordering::Relaxed);
        Event {
            id: EventId::mint(at, [7; 10]),
            at,
            agent: "claude-code",
            session: SessionId::new("session-1"),
            kind,
            name: kind.name().to_owned(),
            cwd: None,
            transcript: None,
            prompt_id: None,
            permission_mode: None,
            subagent: None,
            context: Context::new(),
            detail,
        }
    }

    pub(crate) fn tool(name: &str) -> Event {
        let call = ToolCall {
            name: name.to_owned(),
            use_id: None,
            input: serde_json::Value::Null,
            outcome: Outcome::Succeeded { response: serde_json::Value::Null, duration_ms: None },
        };
        event(EventKind::PostToolUse, Detail::Tool(call))
    }

    pub(crate) fn learn_in(tables: &mut Tables, behavior: &dyn Behavior, event: &Event) {
        tables
            .write(|batch| {
                behavior
                    .learn(batch, event)
                    .map_err(|error| error.into_store().expect("only the store fails"))
            })
            .expect("the tables take it");
    }
}
