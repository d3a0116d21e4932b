//! What a further door may use of the daemon it stands in: the same questions, tables and journal that hooks and our
//! own command line reach through the socket, without the way there and back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{EngineError, Fault, Surroundings};
use model::{Context, Envelope};
use serde_json::Value;
use store::{Location, StoreError, Stored, Tables};
use wire::{Kind, Status};

use crate::control::Daemon;
use crate::door::{Answerer, Request};
use crate::intake::{Taken, now};

/// Whoever delivers events over a further door waits for the commit and for nobody's advice.
const DELIVERY: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Inside(Arc<Daemon>);

impl std::fmt::Debug for Inside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inside")
    }
}

impl Inside {
    pub(crate) fn new(daemon: Arc<Daemon>) -> Self {
        Self(daemon)
    }

    /// A control question.
    pub fn ask(&self, question: &Value, patience: Duration) -> Value {
        let request = Request {
            kind: Kind::Control,
            id: client::mint(),
            agent: String::new(),
            event: String::new(),
            context: Context::new(),
            body: question.to_string().into_bytes(),
            wait: patience,
            client_version: client::VERSION,
        };
        serde_json::from_slice(&self.0.answer(request, &|_| ()).reply.stdout).unwrap_or_default()
    }

    /// A reader that is open already.
    pub fn read(&self, with: &mut dyn FnMut(&Tables) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let intake = &self.0.intake;
        let Some(lender) = intake.lender() else { return Err(StoreError::Busy(intake.place.database())) };
        let read = lender.read(&mut |tables| with(tables).map_err(EngineError::from));
        match read {
            Ok(()) => Ok(()),
            Err(error) => {
                Err(error.into_store().unwrap_or_else(|| StoreError::Busy(intake.place.database())))
            }
        }
    }

    /// An event, as the hook of its agent would deliver it; what the agent is answered.
    pub fn hear(&self, agent: &str, event: &str, body: Vec<u8>) -> Vec<u8> {
        let envelope = envelope(agent, event, body);
        let (id, at) = (envelope.id, envelope.at);
        let answer = self.0.intake.answer(envelope, DELIVERY, None);
        // Behind this door nobody spools.
        if answer.status == Status::NotKept {
            self.0.intake.losses.add(id, at);
        }
        answer.reply.stdout
    }

    /// An event of somebody who reads no answer.
    pub fn take(&self, agent: &str, event: &str, body: Vec<u8>) -> Taken {
        self.0.intake.take(envelope(agent, event, body))
    }

    pub fn entry(&self, at: Location) -> Result<Stored, StoreError> {
        self.0.intake.journal.read_at(at)
    }

    /// Damaged ones are passed over.
    pub fn entries(&self, from: u64, most: usize) -> Vec<Stored> {
        self.0.intake.journal.read_from(from).take(most).filter_map(Result::ok).collect()
    }

    /// What is wrong just now.
    pub fn faults(&self) -> Vec<Fault> {
        self.0.intake.faults.list()
    }

    /// The last acknowledged position.
    pub fn head(&self) -> u64 {
        self.0.intake.journal.head()
    }

    /// Waits for something beyond it; the head by then.
    pub fn wait_beyond(&self, position: u64, patience: Duration) -> u64 {
        self.0.intake.journal.wait_beyond(position, patience)
    }

    /// Waits until the tables are beyond it; how far they are by then.
    pub fn wait_learned(&self, position: u64, patience: Duration) -> u64 {
        self.0.learner.wait_beyond(position, Instant::now() + patience)
    }
}

fn envelope(agent: &str, event: &str, body: Vec<u8>) -> Envelope {
    Envelope {
        id: client::mint(),
        at: now(),
        agent: agent.to_owned(),
        hint: Some(event.to_owned()).filter(|event| !event.is_empty()),
        context: Context::new(),
        body,
    }
}
