//! Group commit without a thread of its own. Whoever finds nobody leading leads: it writes all that
//! is queued with one call and one sync, while the others sleep and more queue up. Then it makes the
//! first in the queue the next leader and wakes its own batch, each by its own bell.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use model::{Entry, EventId};

use super::recent::Recent;
use super::record::Draft;
use super::{Journal, Receipt, lock};
use crate::StoreError;

/// One batch holds everyone up for one write; past this the next leader takes over.
const MAX_BATCH: usize = 1024;
const MAX_BATCH_BYTES: usize = 8 << 20;

#[derive(Debug)]
pub(super) struct Queue {
    pending: VecDeque<Pending>,
    /// Queued or being written, by id: the same id again waits for the same outcome.
    in_flight: HashMap<EventId, Arc<Ticket>>,
    recent: Recent,
    leading: bool,
}

#[derive(Debug)]
struct Pending {
    draft: Draft,
    ticket: Arc<Ticket>,
}

#[derive(Debug, Default)]
struct Ticket {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Queued,
    /// Its owner leads now.
    Lead,
    Done(Result<u64, StoreError>),
}

impl Queue {
    pub(super) fn new(recent: Recent) -> Self {
        Self { pending: VecDeque::new(), in_flight: HashMap::new(), recent, leading: false }
    }

    fn take_batch(&mut self) -> Vec<Pending> {
        let mut bytes = 0;
        let mut count = 0;
        for pending in self.pending.iter().take(MAX_BATCH) {
            bytes += pending.draft.bytes().len();
            if count > 0 && bytes > MAX_BATCH_BYTES {
                break;
            }
            count += 1;
        }
        self.pending.drain(..count).collect()
    }
}

impl Journal {
    /// Returns when the entry is durable. An error means that it was not kept, and only that.
    pub fn append(&self, entry: &Entry) -> Result<Receipt, StoreError> {
        let draft = Draft::new(entry)?;
        let ticket = Arc::new(Ticket::default());
        let mut queue = lock(&self.queue);
        if let Some(seq) = queue.recent.find(&entry.id) {
            return Ok(Receipt { seq, duplicate: true });
        }
        if let Some(earlier) = queue.in_flight.get(&entry.id).map(Arc::clone) {
            drop(queue);
            return earlier.wait_done().map(|seq| Receipt { seq, duplicate: true });
        }
        queue.in_flight.insert(entry.id, Arc::clone(&ticket));
        queue.pending.push_back(Pending { draft, ticket: Arc::clone(&ticket) });
        let lead = !queue.leading;
        queue.leading = true;
        drop(queue);
        if lead || ticket.wait_lead() {
            self.lead();
        }
        ticket.wait_done().map(|seq| Receipt { seq, duplicate: false })
    }

    fn lead(&self) {
        let (mut drafts, tickets): (Vec<Draft>, Vec<Arc<Ticket>>) =
            lock(&self.queue).take_batch().into_iter().map(|pending| (pending.draft, pending.ticket)).unzip();
        let written = catch_unwind(AssertUnwindSafe(|| lock(&self.writer).commit(&mut drafts)));
        let outcome = written.unwrap_or_else(|_| {
            // A bug of ours must not leave everyone waiting for a leader that is gone.
            lock(&self.writer).seal();
            Err(StoreError::io(self.catalog.dir(), io::Error::other("the journal's writer failed")))
        });
        let next = {
            let mut queue = lock(&self.queue);
            for (place, draft) in drafts.iter().enumerate() {
                queue.in_flight.remove(&draft.id);
                if let Ok(first) = outcome {
                    queue.recent.insert(draft.id, first + place as u64);
                }
            }
            let next = queue.pending.front().map(|pending| Arc::clone(&pending.ticket));
            queue.leading = next.is_some();
            next
        };
        // The next leader first: its sync is what takes time.
        if let Some(next) = next {
            next.set(State::Lead);
        }
        if outcome.is_ok() {
            self.wake();
        }
        for (place, ticket) in tickets.into_iter().enumerate() {
            ticket.set(State::Done(match &outcome {
                Ok(first) => Ok(first + place as u64),
                Err(error) => Err(error.duplicate()),
            }));
        }
    }
}

impl Ticket {
    fn set(&self, state: State) {
        *lock(&self.state) = state;
        self.changed.notify_all();
    }

    /// Whether its owner is to lead; false when it is done.
    fn wait_lead(&self) -> bool {
        let mut state = lock(&self.state);
        while matches!(*state, State::Queued) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        matches!(*state, State::Lead)
    }

    fn wait_done(&self) -> Result<u64, StoreError> {
        let mut state = lock(&self.state);
        loop {
            match &*state {
                State::Done(Ok(seq)) => return Ok(*seq),
                State::Done(Err(error)) => return Err(error.duplicate()),
                State::Queued | State::Lead => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}
