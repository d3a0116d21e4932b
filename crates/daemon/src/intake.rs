//! What happens to one envelope: redact, read, decide whether to keep it, commit, answer. In this order, and
//! nothing is written before the first step.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use agents::{Adapter, Incoming, Powers};
use client::{Place, private};
use engine::config::{Config, Layer};
use engine::{Behavior, Keep, Workspace, hearers};
use model::{
    Advice, Author, Deed, Detail, Entry, Envelope, Event, EventKind, Injection, Millis, Reply, Said,
    StartSource, Told, estimate_tokens,
};
use redact::Redactor;
use store::{Journal, StoreError};
use wire::Status;

use crate::advisor::{Advisor, Job, Pending};
use crate::checking::Around;
use crate::deciding;
use crate::deeds;
use crate::delivery::{self, Delivered};
use crate::door::{Answer, Longer};
use crate::faults::{Faults, Trouble};
use crate::last_words;
use crate::learner::Hurry;
use crate::lender::{Lender, Preview};
use crate::log::Log;
use crate::losses::LossBook;
use crate::metrics::{Counters, Hooks, Hours, Series, count};
use crate::process;
use crate::spool_watch::SpoolWatch;
use crate::transcripts;
use crate::twins::Twins;
use crate::verdicts;
use crate::workspace::Workspaces;

/// The agent's own clock starts before ours: what is left for advice ends this long before the client gives up.
pub(crate) const REPLY_MARGIN: Duration = Duration::from_millis(10);
/// The reason to leave what belongs to a private turn.
pub(crate) const PRIVATE: &str = "private turn";
/// The file in a repository that may narrow what we do there.
const PROJECT_FILE: &str = ".throughline/config.toml";
/// A page of switches; a larger one is not ours.
const MAX_PROJECT_FILE: u64 = 64 << 10;

/// Everything the way of an envelope needs, shared by all threads of the door.
pub(crate) struct Intake {
    pub(crate) place: Place,
    pub(crate) journal: Arc<Journal>,
    pub(crate) log: Arc<Log>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) acknowledged: Series,
    pub(crate) hooks: Hooks,
    pub(crate) hours: Hours,
    pub(crate) advisor: Advisor,
    pub(crate) spool: SpoolWatch,
    pub(crate) faults: Arc<Faults>,
    pub(crate) losses: Arc<LossBook>,
    /// Asks the learner not to wait for more.
    pub(crate) hurry: Hurry,
    twins: Twins,
    workspaces: Workspaces,
    rules: RwLock<Rules>,
    /// Given when there is somebody to lend; until then nobody speaks.
    lender: OnceLock<Arc<Lender>>,
}

impl std::fmt::Debug for Intake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Intake").field("place", &self.place).finish_non_exhaustive()
    }
}

/// What can be changed while we run.
#[derive(Debug, Clone)]
struct Rules {
    config: Arc<Config>,
    redactor: Arc<Redactor>,
}

/// What became of an event that nobody waits to be advised on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is in the journal.
    Kept,
    /// It is not to be kept: a private turn, a tool that is skipped, capture switched off or paused.
    Left,
    /// It could not be kept. Whoever sent it may try again.
    NotKept,
}

/// What became of an envelope.
enum Outcome {
    Kept {
        duplicate: bool,
    },
    /// Not to be kept, for this reason.
    Left,
    Failed(StoreError),
}

impl Intake {
    pub(crate) fn new(
        place: Place,
        journal: Arc<Journal>,
        log: Arc<Log>,
        config: Config,
        redactor: Redactor,
    ) -> Self {
        Self {
            spool: SpoolWatch::new(place.spool()),
            losses: LossBook::new(&place, &journal),
            place,
            journal,
            log,
            counters: Arc::default(),
            faults: Arc::default(),
            acknowledged: Series::default(),
            hooks: Hooks::default(),
            hours: Hours::default(),
            advisor: Advisor::new(engine::ALL),
            hurry: Hurry::default(),
            twins: Twins::default(),
            workspaces: Workspaces::default(),
            lender: OnceLock::new(),
            rules: RwLock::new(Rules { config: Arc::new(config), redactor: Arc::new(redactor) }),
        }
    }

    pub(crate) fn change_rules(&self, config: Config, redactor: Redactor) {
        let rules = Rules { config: Arc::new(config), redactor: Arc::new(redactor) };
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = rules;
    }

    pub(crate) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner).config)
    }

    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner).redactor)
    }

    pub(crate) fn workspace(&self, cwd: &Path) -> Option<Workspace> {
        self.workspaces.find(cwd)
    }

    /// Answers an agent that waits.
    pub(crate) fn answer(&self, envelope: Envelope, wait: Duration, tell: Option<Longer<'_>>) -> Answer {
        let began = Instant::now();
        // Guards stand while recording is paused, and whichever of two handlers comes second.
        let decided = deciding::decide(&self.config(), Some(&self.place.data), &envelope);
        if client::pause::is_paused(&self.place) {
            return Answer::kept(deciding::reply(&envelope, decided));
        }
        // What was spooled before this hook ran comes before it in the journal, too.
        self.drain_spool();
        if self.twins.is_second(&envelope) {
            count(&self.counters.twins);
            return Answer::kept(deciding::reply(&envelope, decided));
        }
        let mut seen = self.see(envelope, false);
        // Of a call that came in part only the guards know what it was to be.
        if let Some((event, _)) = decided.as_ref().filter(|(event, _)| event.kind != seen.event.kind) {
            Arc::make_mut(&mut seen.event).kind = event.kind;
        }
        self.note_facts(&seen);
        // Who does not wait for an answer does not wait longer for one.
        let tell = tell.filter(|_| !wait.is_zero());
        let longer = tell.and_then(|_| longer(&seen.config, seen.event.kind)).filter(|longer| *longer > wait);
        let until = began + longer.unwrap_or(wait).saturating_sub(REPLY_MARGIN);
        let mut pending = self.ask(&seen, until);
        let status = match self.keep(&seen.entry, seen.leave) {
            Outcome::Kept { duplicate } => {
                count(if duplicate { &self.counters.duplicates } else { &self.counters.kept });
                self.faults.clear(Trouble::Journal);
                // What is not durable is not acknowledged, and is not counted as such.
                self.acknowledged.since(began);
                Status::Kept
            }
            Outcome::Left => Status::Kept,
            Outcome::Failed(error) => {
                count(&self.counters.not_kept);
                self.log.warn(format_args!("not kept: {error}"));
                self.faults.raise_store(Trouble::Journal, &error);
                Status::NotKept
            }
        };
        // Others are to see a claim before they edit the same file.
        if status == Status::Kept && engine::is_claiming(&seen.event) {
            self.hurry.ask();
        }
        match longer.filter(|_| pending.is_some()) {
            Some(longer) if status == Status::Kept => tell.into_iter().for_each(|tell| tell(longer)),
            // Who spools it does not wait for more.
            Some(_) => pending = None,
            None => {}
        }
        // Whoever is told that the event was not kept reads no further: nothing is said to them.
        let pending = pending.filter(|_| status == Status::Kept);
        let decided = decided.map(|(_, advice)| engine::Part::from(advice));
        let mut parts: Vec<engine::Part> =
            decided.into_iter().chain(pending.map(Pending::collect).unwrap_or_default()).collect();
        if seen.leave != Some(PRIVATE) && seen.adapter.powers(seen.event.kind).say && status == Status::Kept {
            parts.extend(self.advisor.take_late(&seen.event));
        }
        let heard = Some(seen.event.kind);
        parts.retain(|part| !part.advice.is_silent());
        if parts.is_empty() {
            return Answer { status, reply: Reply::silent(), heard };
        }
        // What nobody hears was not said.
        let nonce = nonce(seen.entry.id.as_bytes());
        let Delivered { reply, advice, holds } =
            delivery::deliver(seen.adapter, &seen.event, parts, &self.redactor(), nonce);
        self.note_told(&seen, &advice);
        let powers = seen.adapter.powers(seen.event.kind);
        // Who does not hear that it is kept does not read the rest either.
        if status == Status::Kept
            && powers.tell
            && let Some(events) = engine::losses_told(&advice)
        {
            self.losses.told(events);
        }
        self.keep_later(verdicts::delivered(powers, &seen.event, &advice, holds));
        Answer { status, reply, heard }
    }

    /// Takes in an event of somebody who reads no answer. Nobody is asked for advice: what nobody hears must not count
    /// as said.
    pub(crate) fn take(&self, envelope: Envelope) -> Taken {
        if client::pause::is_paused(&self.place) {
            return Taken::Left;
        }
        self.drain_spool();
        if self.twins.is_second(&envelope) {
            count(&self.counters.twins);
            return Taken::Left;
        }
        let seen = self.see(envelope, false);
        self.note_facts(&seen);
        match self.keep(&seen.entry, seen.leave) {
            Outcome::Kept { duplicate } => {
                count(if duplicate { &self.counters.duplicates } else { &self.counters.kept });
                self.faults.clear(Trouble::Journal);
                Taken::Kept
            }
            Outcome::Left => Taken::Left,
            Outcome::Failed(error) => {
                count(&self.counters.not_kept);
                self.log.warn(format_args!("not kept: {error}"));
                self.faults.raise_store(Trouble::Journal, &error);
                self.losses.add(seen.entry.id, seen.entry.at);
                Taken::NotKept
            }
        }
    }

    pub(crate) fn lend(&self, lender: Arc<Lender>) {
        let _ = self.lender.set(lender);
    }

    pub(crate) fn lender(&self) -> Option<&Arc<Lender>> {
        self.lender.get()
    }

    /// Journals what is being said, behind the agent's back: a crash before it costs a repetition and nothing else.
    fn note_told(&self, seen: &Seen, advice: &Advice) {
        if advice.notes.is_empty() && advice.marks.is_empty() && advice.instructions.is_none() {
            return;
        }
        let told = |note: &model::Note| Told {
            from: note.from.to_owned(),
            text: note.text.clone(),
            tokens: estimate_tokens(&note.text),
            items: note.items.clone(),
        };
        // Only one behavior instructs.
        let instructed = advice.instructions.iter().map(|text| Told {
            from: "recall-on-compact".to_owned(),
            text: text.clone(),
            tokens: estimate_tokens(text),
            items: Vec::new(),
        });
        let injection = Injection {
            session: seen.event.session.clone(),
            subagent: seen.event.subagent.as_ref().map(|agent| agent.id.clone()),
            event: seen.event.name.clone(),
            notes: advice.notes.iter().map(told).chain(instructed).collect(),
            marks: advice.marks.clone(),
        };
        for told in &injection.notes {
            self.advisor.note_told(&told.from, told.tokens.into());
        }
        self.keep_later(vec![Deed::Injected { injection: Box::new(injection) }]);
    }

    /// Journals deeds while the agent goes on.
    fn keep_later(&self, deeds: Vec<Deed>) {
        if deeds.is_empty() {
            return;
        }
        let (journal, redactor) = (Arc::clone(&self.journal), self.redactor());
        let log = Arc::clone(&self.log);
        self.advisor.later(Box::new(move || {
            for deed in deeds {
                if let Err(error) = journal.append(&deeds::entry(&redactor, deed)) {
                    log.warn(format_args!("what was said is not kept: {error}"));
                }
            }
        }));
    }

    /// Takes in what the spool kept while nobody answered. True if anything was there.
    pub(crate) fn drain_spool(&self) -> bool {
        if !self.spool.is_dirty() {
            return false;
        }
        let taken = self.spool.drain(&self.place, |envelopes| {
            // What is not to be kept is done with; the rest goes into the journal with one sync.
            let entry_of = |envelope: Envelope| {
                if self.twins.is_second(&envelope) {
                    count(&self.counters.twins);
                    return None;
                }
                let seen = self.see(envelope, true);
                self.note_facts(&seen);
                seen.leave.is_none().then_some(seen.entry)
            };
            let entries: Vec<Option<Entry>> = envelopes.into_iter().map(entry_of).collect();
            let left: Vec<bool> = entries.iter().map(Option::is_none).collect();
            let entries: Vec<Entry> = entries.into_iter().flatten().collect();
            let mut outcomes = self.journal.append_all(&entries).into_iter();
            let done: Vec<bool> = left
                .into_iter()
                .map(|left| left || outcomes.next().is_some_and(|outcome| outcome.is_ok()))
                .collect();
            self.counters
                .drained
                .fetch_add(done.iter().filter(|done| **done).count() as u64, Ordering::Relaxed);
            done
        });
        match self.spool.trouble() {
            Some(what) => self.faults.raise(Trouble::Spool, &what),
            None => self.faults.clear(Trouble::Spool),
        }
        taken
    }

    /// Takes in events of the past, oldest first: the last position and how many were new. Their turn was over
    /// long ago, so nobody is answered.
    ///
    /// `private` goes from one call to the next of the same conversation: a private turn of the past leaves no
    /// trace either.
    pub(crate) fn take_past(
        &self,
        envelopes: Vec<Envelope>,
        private: &mut bool,
    ) -> Result<(u64, usize), StoreError> {
        let mut entries = Vec::with_capacity(envelopes.len());
        for mut envelope in envelopes {
            envelope.context.insert("past".to_owned(), "1".to_owned());
            let mut seen = self.see(envelope, true);
            // The event that ends a private turn is of the next one; what it heard of the turn is not.
            if *private {
                seen.entry.context.remove(Said::IN_TURN);
            }
            match seen.event.kind {
                // A machine's prompt, such as the end of a background task, ends no turn.
                EventKind::UserPromptSubmit if is_persons(&seen.event) => *private = seen.private_prompt,
                EventKind::SessionStart | EventKind::SessionEnd => *private = false,
                _ => {}
            }
            if seen.leave.is_none() && !*private {
                entries.push(seen.entry);
            }
        }
        let (mut last, mut kept) = (0, 0);
        for outcome in self.journal.append_all(&entries) {
            let receipt = outcome?;
            last = last.max(receipt.seq);
            kept += usize::from(!receipt.duplicate);
        }
        Ok((last, kept))
    }

    /// What an envelope would be, without any consequence.
    pub(crate) fn see_only(&self, envelope: Envelope) -> Seen {
        self.see(envelope, true)
    }

    /// From raw bytes to an event and the entry that may be kept of it.
    fn see(&self, envelope: Envelope, from_spool: bool) -> Seen {
        let Rules { config, redactor } = self.rules.read().unwrap_or_else(PoisonError::into_inner).clone();
        let redacted = redactor.envelope(&envelope.body);
        drop(envelope.body);
        if !redacted.parsed {
            count(&self.counters.unreadable);
        }
        self.counters.redactions.fetch_add(redacted.findings.len() as u64, Ordering::Relaxed);

        let adapter = agents::by_name(&envelope.agent).unwrap_or(agents::ALL[0]);
        let mut context = envelope.context;
        // Where its programs are is used and not kept.
        let around = Around { path: context.remove(wire::PATH), config: context.remove(wire::CONFIG_FOLDER) };
        let incoming = Incoming {
            id: envelope.id,
            at: envelope.at,
            hint: envelope.hint.as_deref(),
            context: &context,
            json: &redacted.json,
        };
        // Filing needs a few names; only who speaks wants to know what a tool was given and gave.
        let mut event = adapter.glance(&incoming);
        let speaks =
            |behavior: &&dyn Behavior| behavior.on().contains(&event.kind) && behavior.speaks_on(event.kind);
        if engine::ALL.iter().any(speaks) {
            event = adapter.read(&incoming);
        }
        let untold = last_words::untold(adapter, &incoming, &event).filter(|_| !context.contains_key("past"));
        let workspace = event.cwd.as_deref().and_then(|cwd| self.workspaces.find(Path::new(cwd)));
        if let Some(said) = untold {
            context.insert(agents::LAST_WORDS.to_owned(), said);
        }
        if !context.contains_key("past") {
            Said::note_in_turn(&mut context, &self.said_in_turn(&redactor, adapter, &event));
        }
        if let Some(workspace) = &workspace {
            note_workspace(&mut context, workspace);
            // Known a moment after the first event of a project; every later one repeats it.
            if let Some(commit) = self.workspaces.first_commit(&workspace.project_key) {
                context.insert("first-commit".to_owned(), commit);
            }
        }
        // What only this moment knows: which process speaks, and which files its paths lead to.
        if !from_spool {
            let pid = context.get("CLAUDE_PID").and_then(|pid| pid.parse().ok());
            if let Some(began) = pid.and_then(process::began) {
                context.insert("pid-began".to_owned(), began);
            }
        }
        if !context.contains_key("past")
            && let Some((key, files)) =
                engine::files_on_disk(&event, workspace.as_ref().map(|at| at.root.as_str()))
        {
            context.insert(key.to_owned(), files);
        }
        let context = Self::redact_context(&redactor, context);
        event.context.clone_from(&context);
        if let (Detail::Stop { last_message, .. }, Some(said)) =
            (&mut event.detail, context.get(agents::LAST_WORDS))
        {
            *last_message = Some(said.clone());
        }

        let config =
            workspace.as_ref().map_or_else(|| Arc::clone(&config), |at| Self::narrowed(&config, &at.root));
        let leave = self.reason_to_leave(&config, &event, redacted.private_prompt, from_spool);
        let tool = match &event.detail {
            Detail::Tool(call) => Some(call.name.clone()),
            _ => None,
        };
        let entry = Entry {
            id: envelope.id,
            at: envelope.at,
            agent: adapter.name().to_owned(),
            session: event.session.clone(),
            event: event.name.clone(),
            tool,
            context,
            envelope: redacted.json,
        };
        let private_prompt = redacted.private_prompt;
        Seen { adapter, event: Arc::new(event), entry, workspace, config, leave, private_prompt, around }
    }

    /// A project's own file may switch behaviors off and skip more tools.
    fn narrowed(config: &Arc<Config>, root: &str) -> Arc<Config> {
        let path = Path::new(root).join(PROJECT_FILE);
        let small =
            std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= MAX_PROJECT_FILE);
        if !small {
            return Arc::clone(config);
        }
        let Ok(text) = std::fs::read_to_string(&path) else { return Arc::clone(config) };
        let mut narrowed = Config::clone(config);
        narrowed.read_toml(Layer::Project, PROJECT_FILE, &text);
        Arc::new(narrowed)
    }

    /// Paths and branch names are text, too.
    fn redact_context(redactor: &Redactor, context: model::Context) -> model::Context {
        let clean =
            |value: String| String::from_utf8_lossy(&redactor.bytes(value.as_bytes()).bytes).into_owned();
        // A list of texts: each is cleaned for itself, so that it stays a list.
        let mut said = Said::in_turn(&context);
        for said in &mut said {
            said.text = clean(std::mem::take(&mut said.text));
        }
        said.retain(|said| !said.text.trim().is_empty());
        let mut context: model::Context = context
            .into_iter()
            .filter(|(key, _)| key != Said::IN_TURN)
            .map(|(key, value)| (key, clean(value)))
            .collect();
        Said::note_in_turn(&mut context, &said);
        context
    }

    /// What was said in the turn that this event ends, unless the turn is to leave no trace.
    fn said_in_turn(&self, redactor: &Redactor, adapter: &dyn Adapter, event: &Event) -> Vec<Said> {
        let Some(turn) = last_words::in_turn(adapter, event) else { return Vec::new() };
        let private = private::is_private(&self.place, event.session.as_str())
            || turn.prompt.is_some_and(|prompt| transcripts::is_private(redactor, &prompt));
        if private { Vec::new() } else { turn.said }
    }

    fn reason_to_leave(
        &self,
        config: &Config,
        event: &Event,
        private_prompt: bool,
        from_spool: bool,
    ) -> Option<&'static str> {
        // The client has asked the markers before it spooled; by now they may speak of a later turn.
        if !from_spool && self.is_private(event, private_prompt) {
            return Some(PRIVATE);
        }
        hearers(config, event.kind)
            .find_map(|behavior| match behavior.keep(config, event) {
                Keep::Yes => None,
                Keep::No(why) => Some(why),
            })
            .or_else(|| switched_off(config, event.kind))
    }

    fn is_private(&self, event: &Event, private_prompt: bool) -> bool {
        let session = event.session.as_str();
        if let Detail::Prompt { author: Author::Person, .. } = event.detail
            && event.kind == EventKind::UserPromptSubmit
        {
            let turned = if private_prompt {
                private::begin(&self.place, session)
            } else {
                private::end(&self.place, session)
            };
            if let Err(error) = turned {
                self.log.warn(format_args!("private turn: {error}"));
            }
            return private_prompt;
        }
        if event.kind == EventKind::SessionEnd {
            let _ = private::end(&self.place, session);
            return false;
        }
        private::covers(&event.name) && private::is_private(&self.place, session)
    }

    fn keep(&self, entry: &Entry, leave: Option<&'static str>) -> Outcome {
        if let Some(reason) = leave {
            let private = reason == PRIVATE;
            count(if private { &self.counters.private } else { &self.counters.skipped });
            return Outcome::Left;
        }
        match self.journal.append(entry) {
            Ok(receipt) => Outcome::Kept { duplicate: receipt.duplicate },
            Err(error) => Outcome::Failed(error),
        }
    }

    /// What everybody may ask for afterwards, whichever behaviors are on. Of a private turn nothing is known.
    fn note_facts(&self, seen: &Seen) {
        self.advisor.hear(&seen.event);
        if seen.leave == Some(PRIVATE) {
            return;
        }
        if let Some(lender) = self.lender.get() {
            // The hook of a session's start may be what starts us; then it comes from the spool, and nobody is asked.
            if let (EventKind::SessionStart, Some(here)) = (seen.event.kind, &seen.workspace)
                && !seen.entry.context.contains_key("past")
                && seen.config.is_on(engine::facts::WARMS)
            {
                engine::Surroundings::warm_map(&**lender, Path::new(&here.root));
            }
            lender.note_edits(&seen.event.session, engine::facts::edited(&seen.event), seen.entry.at);
        }
    }

    /// Nobody speaks in a private turn: what is said is kept, and would tell what the turn was about.
    fn ask(&self, seen: &Seen, until: Instant) -> Option<Pending> {
        let lender = self.lender.get().filter(|_| seen.leave != Some(PRIVATE))?;
        if matches!(seen.event.detail, Detail::Start { source: StartSource::Compact, .. }) {
            lender.forget_shown(&seen.event.session);
        }
        lender.heard(&seen.event.session, &seen.around);
        let powers = seen.adapter.powers(seen.event.kind);
        let facts = engine::facts::concerns(&seen.event).then(|| {
            let (lender, event, at) = (Arc::clone(lender), Arc::clone(&seen.event), seen.entry.at);
            let workspace = seen.workspace.clone();
            Box::new(move || engine::facts::note(&*lender, workspace.as_ref(), &event, at)) as Job
        });
        if powers == Powers::default() {
            if let Some(note) = facts {
                self.advisor.later(note);
            }
            return None;
        }
        // Where notes are not heard, nothing counts as shown either.
        let around: Arc<dyn engine::Surroundings> = if powers.say {
            Arc::clone(lender) as _
        } else {
            Arc::new(Preview::unheard(lender, powers.hold))
        };
        let cx = engine::Context {
            config: Arc::clone(&seen.config),
            now: seen.entry.at,
            until,
            workspace: seen.workspace.clone(),
            around,
        };
        self.advisor.ask(&cx, &seen.event, facts)
    }
}

pub(crate) struct Seen {
    pub(crate) adapter: &'static dyn Adapter,
    pub(crate) event: Arc<Event>,
    pub(crate) entry: Entry,
    pub(crate) workspace: Option<Workspace>,
    pub(crate) config: Arc<Config>,
    pub(crate) leave: Option<&'static str>,
    private_prompt: bool,
    around: Around,
}

/// How long the agent is asked to wait, where a behavior that is switched on needs more than the event's own time.
fn longer(config: &Config, kind: EventKind) -> Option<Duration> {
    // An answer that is late then is silence, and what a guard has decided must not be lost.
    if deciding::is_decided(kind) {
        return None;
    }
    let most = Duration::from_millis(wire::MOST_LONGER_MS.into());
    hearers(config, kind).filter_map(|behavior| behavior.longer(kind)).max().map(|longer| longer.min(most))
}

fn is_persons(event: &Event) -> bool {
    matches!(event.detail, Detail::Prompt { author: Author::Person, .. })
}

/// A behavior that decides over a kind of event and is off takes its events with it.
fn switched_off(config: &Config, kind: EventKind) -> Option<&'static str> {
    let owner = match kind {
        EventKind::UserPromptSubmit | EventKind::UserPromptExpansion => "record-prompt",
        EventKind::PostToolUse | EventKind::PostToolUseFailure | EventKind::PostToolBatch => "capture",
        _ => return None,
    };
    (!config.is_on(owner)).then_some("switched off")
}

fn note_workspace(context: &mut model::Context, workspace: &Workspace) {
    context.insert("workspace".to_owned(), workspace.key.as_str().to_owned());
    context.insert("root".to_owned(), workspace.root.clone());
    context.insert("project".to_owned(), workspace.project.clone());
    context.insert("project-key".to_owned(), workspace.project_key.clone());
    // An event of the past knows the branch of its day.
    if let Some(branch) = &workspace.branch {
        context.entry("branch".to_owned()).or_insert_with(|| branch.clone());
    }
}

/// The random half of the client's event id.
pub(crate) fn nonce(id: &[u8; 16]) -> u64 {
    id[8..].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

pub(crate) fn now() -> Millis {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}
