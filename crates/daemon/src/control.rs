//! What the door's frames mean: an agent's envelope, or a question of our own command line.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use model::{Deed, Envelope, EventId, EventKind, Millis, Reply};
use serde::Deserialize;
use serde_json::{Value, json};
use wire::{Kind, Status};

use crate::backfill::{Backfill, Past};
use crate::deeds;
use crate::door::{Answer, Answerer, Longer, Request};
use crate::embedding::Embedding;
use crate::intake::{Intake, now};
use crate::keeping::Keeping;
use crate::learner::Learner;
use crate::mapping::Mapping;
use crate::metrics;
use crate::models::Models;
use crate::preview;
use crate::renewing::Renewing;
use crate::replay::{self, Replays};
use crate::searching;
use crate::sharing::Sharing;
use crate::watching::Watching;
use crate::{Guests, LoadConfig, Wish};

/// The longest a question may keep a thread of the door.
const MAX_SETTLE: Duration = Duration::from_secs(30);
/// Guests at once: each holds a thread of the door and asks for another one, and hooks need theirs.
const MAX_GUESTS: usize = 32;

pub(crate) struct Daemon {
    pub(crate) intake: Arc<Intake>,
    pub(crate) learner: Arc<Learner>,
    pub(crate) backfill: Arc<Backfill>,
    pub(crate) watching: Arc<Watching>,
    pub(crate) embedding: Arc<Embedding>,
    pub(crate) mapping: Arc<Mapping>,
    pub(crate) keeping: Arc<Keeping>,
    pub(crate) models: Arc<Models>,
    pub(crate) sharing: Arc<Sharing>,
    pub(crate) renewing: Arc<Renewing>,
    pub(crate) replays: Replays,
    pub(crate) wish: Sender<Wish>,
    pub(crate) load_config: LoadConfig,
    pub(crate) namespace: String,
    pub(crate) version: &'static str,
    pub(crate) started_at: Millis,
    pub(crate) guests: Option<Guests>,
    /// How many of them are being served.
    pub(crate) at_table: AtomicUsize,
    /// Of the side door; 0 where there is none.
    pub(crate) port: Arc<AtomicU16>,
}

impl Answerer for Daemon {
    fn answer(&self, request: Request, longer: Longer<'_>) -> Answer {
        match request.kind {
            Kind::Envelope => self.envelope(request, longer),
            Kind::Control => self.control(&request),
        }
    }

    fn replied(&self, heard: EventKind, read: Instant) {
        self.intake.hooks.since(heard, read);
    }

    fn meet_newer(&self) {
        if is_replaced() {
            // A channel that is gone means that we are leaving already.
            let _ = self.wish.send(Wish::HandOver);
        }
    }
}

impl Daemon {
    fn envelope(&self, request: Request, longer: Longer<'_>) -> Answer {
        let newer = request.client_version > client::VERSION;
        let envelope = Envelope {
            id: request.id,
            at: now(),
            agent: request.agent,
            hint: Some(request.event).filter(|event| !event.is_empty()),
            context: request.context,
            body: request.body,
        };
        let answer = self.intake.answer(envelope, request.wait, Some(longer));
        if newer {
            self.meet_newer();
        }
        answer
    }

    fn control(&self, request: &Request) -> Answer {
        if request.event == replay::QUESTION {
            // Nobody's agent waits here: a daemon that has just begun opens its tables first.
            let _ = self.learner.wait_open(Instant::now() + crate::TABLES_PATIENCE);
            return self.replays.answer(&self.intake, request);
        }
        let question: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let said = match question["ask"].as_str() {
            Some("status") => self.status(),
            Some("metrics") => self.metrics(),
            Some("guest") => self.guest(&question),
            Some("settle") => self.settle(request.wait.min(MAX_SETTLE)),
            Some("reload") => self.reload(),
            Some("lost") => self.lost(&question),
            Some("deeds") => self.deeds(&question, request.wait),
            Some("backfill") => self.start_backfill(&question),
            Some("search") => searching::search(&self.intake, &self.embedding, &question),
            Some("rules") => self.intake.lender().map(|lender| lender.rules.to_json()).unwrap_or_default(),
            Some("context") => preview::context(&self.intake, &question),
            Some("code") => self.mapping.control(&question, request.wait.min(MAX_SETTLE)),
            Some("search-batch") => searching::batch(&self.embedding, &question),
            Some("model") => self.embedding.to_json(),
            Some("models") => self.models.to_json(),
            Some("sharing") => self.sharing.to_json(),
            Some("gc") => {
                let until = Instant::now() + request.wait.min(MAX_SETTLE);
                self.keeping.gc(question["dry_run"] == true, question["free"].as_u64().unwrap_or(0), until)
            }
            Some("forget-session") => {
                let until = Instant::now() + request.wait.min(MAX_SETTLE);
                self.keeping.forget_session(question["session"].as_str().unwrap_or_default(), until)
            }
            Some("missing-files") => {
                self.keeping.files.missing(Instant::now() + request.wait.min(MAX_SETTLE))
            }
            Some(ask @ ("model-pause" | "model-resume")) => {
                self.embedding.pause(ask == "model-pause");
                self.embedding.to_json()
            }
            Some("watching") => self.watching.to_json(),
            Some("backfill-status") => self.backfill.to_json(),
            Some("backfill-stop") => {
                self.backfill.stop();
                self.backfill.to_json()
            }
            Some("stop") => {
                let _ = self.wish.send(Wish::Stop);
                json!({ "stopping": true, "pid": std::process::id() })
            }
            _ => {
                let known = [
                    "status",
                    "metrics",
                    "guest",
                    "settle",
                    "reload",
                    "lost",
                    "stop",
                    "deeds",
                    "backfill",
                    "backfill-status",
                    "watching",
                    "search",
                    "search-batch",
                    "context",
                    "rules",
                    "model",
                    "model-pause",
                    "model-resume",
                    "backfill-stop",
                    "models",
                    "sharing",
                    "gc",
                    "forget-session",
                    "missing-files",
                ];
                let stdout = json!({ "error": "unknown question", "known": known }).to_string().into_bytes();
                let reply = Reply { stdout, ..Reply::silent() };
                return Answer { status: Status::Malformed, reply, heard: None };
            }
        };
        Answer::kept(Reply { stdout: said.to_string().into_bytes(), ..Reply::silent() })
    }

    fn status(&self) -> Value {
        let intake = &self.intake;
        json!({
            "running": true,
            "pid": std::process::id(),
            "version": self.version,
            "protocol": wire::PROTOCOL,
            "socket": intake.place.socket(),
            "port": Some(self.port.load(Ordering::SeqCst)).filter(|port| *port != 0),
            "namespace": self.namespace,
            "started_at": self.started_at,
            "uptime_ms": now().saturating_sub(self.started_at),
            "journal_head": intake.journal.head(),
            "learned": self.learner.learned.load(Ordering::SeqCst),
            "envelopes": intake.counters.to_json(),
            "acknowledged": intake.acknowledged.to_json(),
            "lost": intake.losses.to_json(),
            "behaviors": intake.advisor.to_json(),
            "distill": self.models.to_json(),
            "sharing": self.sharing.to_json(),
            "renewing": self.renewing.to_json(),
            "memory_files": self.keeping.files.to_json(),
            "warming": self.mapping.warming(),
        })
    }

    /// A client could keep an event nowhere, and could not write that down either.
    fn lost(&self, question: &Value) -> Value {
        match question["id"].as_str().map(str::parse::<EventId>) {
            Some(Ok(id)) => {
                self.intake.losses.add(id, id.minted_at());
                json!({ "counted": true })
            }
            _ => json!({ "error": "this is no event's id" }),
        }
    }

    /// What hooks cost.
    fn metrics(&self) -> Value {
        let learned = self.learner.learned.load(Ordering::SeqCst);
        json!(metrics::gather(&self.intake, self.version, self.started_at, learned))
    }

    /// A call of a process that has none of our code and tables in memory. A panic costs that call alone.
    fn guest(&self, question: &Value) -> Value {
        let Some(guests) = &self.guests else { return json!({ "error": "guests are not served here" }) };
        let served = self.at_table.fetch_add(1, Ordering::SeqCst);
        let said =
            if served < MAX_GUESTS { catch_unwind(AssertUnwindSafe(|| guests(question))).ok() } else { None };
        self.at_table.fetch_sub(1, Ordering::SeqCst);
        said.map_or_else(|| json!({ "busy": true }), |said| json!({ "said": said }))
    }

    /// Takes in the spool and waits until everything acknowledged by now is in the tables.
    fn settle(&self, patience: Duration) -> Value {
        self.intake.drain_spool();
        let head = self.intake.journal.head();
        let settled = self.learner.wait_until(head, Instant::now() + patience);
        json!({ "settled": settled, "head": head })
    }

    /// Remember, import, forget, edit: answered when it is safe, and usually learned.
    fn deeds(&self, question: &Value, wait: Duration) -> Value {
        let Ok(mut deeds) = Vec::<Deed>::deserialize(&question["deeds"]) else {
            return json!({ "error": "these are no deeds" });
        };
        if deeds.len() > deeds::MAX_DEEDS {
            return json!({ "error": format!("at most {} deeds at once", deeds::MAX_DEEDS) });
        }
        let until = Instant::now() + wait.min(MAX_SETTLE);
        let forgets = deeds.iter().any(|deed| matches!(deed, Deed::Forget { .. }));
        if let Err(error) = self.keeping.widen(&mut deeds) {
            return json!({ "error": error.to_string() });
        }
        let mut said = deeds::take(&self.intake, &self.learner, deeds, until);
        if forgets && said["learned"] == true {
            // What cannot be finished now is finished in the background.
            let swept = self.keeping.sweep_now(until).unwrap_or_default();
            said["erased"] = json!(swept.erased);
            said["gone"] = json!(swept.gone);
        }
        said
    }

    fn start_backfill(&self, question: &Value) -> Value {
        let paths: Vec<PathBuf> = Vec::deserialize(&question["paths"]).unwrap_or_default();
        let adapter = match question["agent"].as_str() {
            Some(name) => agents::by_name(name),
            None => agents::ALL.first().copied(),
        };
        let Some((adapter, conversations)) = adapter.and_then(|one| Some((one, one.conversations()?))) else {
            return json!({ "error": "this agent's conversations are not read" });
        };
        let (intake, learner) = (Arc::clone(&self.intake), Arc::clone(&self.learner));
        let past = Past { agent: adapter.name(), conversations, paths };
        json!({ "started": self.backfill.start(intake, learner, past) })
    }

    fn reload(&self) -> Value {
        let (config, errors) = (self.load_config)();
        let redactor = crate::redactor(&self.intake.place, &config, &self.intake.log);
        self.intake.change_rules(config, redactor);
        self.models.reload();
        self.sharing.reload();
        self.embedding.reconsider();
        self.watching.bell.ring();
        self.renewing.bell.ring();
        self.keeping.files.bell().ring();
        json!({ "errors": errors.iter().map(ToString::to_string).collect::<Vec<_>>() })
    }
}

/// Whether the file we were started from is another one now. Linux marks the old one as deleted.
fn is_replaced() -> bool {
    std::fs::read_link("/proc/self/exe").is_ok_and(|path| path.to_string_lossy().ends_with(" (deleted)"))
}
