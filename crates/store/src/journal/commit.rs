//! Group commit without a thread of its own. Whoever finds a free turn leads: it writes all that is
//! queued with one call and syncs, while the others sleep and more queue up. Then it gives its turn
//! to the first in the queue and wakes those whose records are durable, each by its own bell.
//!
//! A few turns overlap, so that a leader that waits for a processor does not hold everyone up: a
//! sync that succeeds vouches for everything written to its segment before it began, whoever wrote it.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use model::{Entry, EventId};

use super::recent::Recent;
use super::record::Draft;
use super::writer::{Active, TURNS, Writer, Written, bytes};
use super::{Journal, Receipt, lock};
use crate::StoreError;

/// One batch holds everyone in it up for one write; past this the next leader takes over.
const MAX_BATCH: usize = 1024;
const MAX_BATCH_BYTES: usize = 8 << 20;

#[derive(Debug)]
pub(super) struct Queue {
    pending: VecDeque<Pending>,
    /// How many at the front of `pending` have been called to lead.
    called: usize,
    /// Queued or being written, by id: the same id again waits for the same outcome.
    in_flight: HashMap<EventId, Arc<Ticket>>,
    recent: Recent,
    leading: usize,
}

#[derive(Debug)]
struct Pending {
    draft: Draft,
    ticket: Arc<Ticket>,
}

/// How an entry stands after it was handed in.
#[derive(Debug)]
enum Queued {
    /// Durable since before.
    Known(u64),
    /// Handed in by somebody else and not yet durable.
    Earlier(Arc<Ticket>),
    New {
        ticket: Arc<Ticket>,
        lead: bool,
    },
}

/// Records that were written with one call and are not durable yet.
#[derive(Debug)]
pub(super) struct Flight {
    written: Written,
    waiters: Waiters,
}

/// Those who wait for one batch, in the order of their sequence numbers. Whatever happens to the
/// batch, they are told.
#[derive(Debug, Default)]
struct Waiters(Vec<Arc<Ticket>>);

#[derive(Debug)]
struct Ticket {
    id: EventId,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Its owner is to lead.
    called: bool,
    done: Option<Result<u64, StoreError>>,
}

impl Queue {
    pub(super) fn new(recent: Recent) -> Self {
        Self { pending: VecDeque::new(), called: 0, in_flight: HashMap::new(), recent, leading: 0 }
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
        self.called = self.called.saturating_sub(count);
        self.pending.drain(..count).collect()
    }
}

impl Journal {
    /// Returns when the entry is durable. An error means that it was not kept, and only that.
    pub fn append(&self, entry: &Entry) -> Result<Receipt, StoreError> {
        self.conclude(self.enqueue(entry)?)
    }

    /// The same for many, in their order and with as few syncs as they need. One outcome for each.
    pub fn append_all(&self, entries: &[Entry]) -> Vec<Result<Receipt, StoreError>> {
        // All are queued before the first leads, so that it takes the others along.
        let queued: Vec<_> = entries.iter().map(|entry| self.enqueue(entry)).collect();
        queued.into_iter().map(|queued| self.conclude(queued?)).collect()
    }

    /// Whether an event of this id was acknowledged lately: one of the last tens of thousands.
    pub fn knows(&self, id: &EventId) -> bool {
        lock(&self.queue).recent.find(id).is_some()
    }

    fn enqueue(&self, entry: &Entry) -> Result<Queued, StoreError> {
        let draft = Draft::new(entry)?;
        let ticket = Arc::new(Ticket::new(entry.id));
        let mut queue = lock(&self.queue);
        if let Some(seq) = queue.recent.find(&entry.id) {
            return Ok(Queued::Known(seq));
        }
        if let Some(earlier) = queue.in_flight.get(&entry.id).filter(|earlier| !earlier.is_done()) {
            return Ok(Queued::Earlier(Arc::clone(earlier)));
        }
        queue.in_flight.insert(entry.id, Arc::clone(&ticket));
        queue.pending.push_back(Pending { draft, ticket: Arc::clone(&ticket) });
        let lead = queue.leading < TURNS;
        queue.leading += usize::from(lead);
        Ok(Queued::New { ticket, lead })
    }

    fn conclude(&self, queued: Queued) -> Result<Receipt, StoreError> {
        match queued {
            Queued::Known(seq) => Ok(Receipt { seq, duplicate: true }),
            Queued::Earlier(ticket) => ticket.wait_done().map(|seq| Receipt { seq, duplicate: true }),
            Queued::New { ticket, lead } => {
                if lead || ticket.wait_called() {
                    self.lead();
                }
                ticket.wait_done().map(|seq| Receipt { seq, duplicate: false })
            }
        }
    }

    /// Writes what is queued, syncs, and passes the turn on. The caller's own record may have gone with
    /// an earlier batch.
    fn lead(&self) {
        let _turn = Turn(self);
        let mut writer = lock(&self.writer);
        // Taken while holding the writer, so that batches are written in the order they are taken.
        let batch = lock(&self.queue).take_batch();
        if batch.is_empty() {
            return;
        }
        let (mut drafts, tickets): (Vec<Draft>, Vec<_>) =
            batch.into_iter().map(|pending| (pending.draft, pending.ticket)).unzip();
        let waiters = Waiters(tickets);
        if let Some(segment) = writer.outgrown(&drafts) {
            self.finish(&mut writer, &segment);
        }
        match writer.write(&mut drafts, self.head()) {
            Ok((segment, written)) => {
                lock(&self.aloft).push_back(Flight { written, waiters });
                let low = writer.is_low(bytes(&drafts));
                drop(writer);
                match segment.sync() {
                    Ok(()) => self.land(&segment, written.last),
                    Err(error) => return self.abandon(&mut lock(&self.writer), &segment, &error),
                }
                if low {
                    lock(&self.writer).prepare();
                }
            }
            Err(error) => {
                if let Some(segment) = writer.active() {
                    self.abandon(&mut writer, &segment, &error);
                }
                drop(writer);
                self.settle(waiters, &Err(error));
            }
        }
    }

    /// Before the next segment begins everything in this one is durable, so only the last can be torn.
    pub(super) fn finish(&self, writer: &mut Writer, segment: &Arc<Active>) {
        let synced = segment.sync().and_then(|()| {
            self.land(segment, u64::MAX);
            // Somebody else's sync may have failed meanwhile: then nothing has landed, and what is still
            // aloft must not land in the next segment.
            if lock(&self.aloft).is_empty() { Ok(()) } else { Err(segment.failure()) }
        });
        match synced {
            Ok(()) => writer.retire(),
            Err(error) => self.abandon(writer, segment, &error),
        }
    }

    /// Everything up to `last` is durable.
    fn land(&self, segment: &Active, last: u64) {
        let mut landed = Vec::new();
        {
            let mut aloft = lock(&self.aloft);
            // Once a sync has failed, another that succeeds proves nothing.
            while !segment.has_failed()
                && let Some(flight) = aloft.pop_front_if(|flight| flight.written.last <= last)
            {
                let Written { first, last, at, end } = flight.written;
                self.catalog.grow(first, last, at, end);
                landed.push(flight);
            }
        }
        if !landed.is_empty() {
            self.wake();
        }
        for flight in landed {
            self.settle(flight.waiters, &Ok(flight.written.first));
        }
    }

    /// Gives the segment up at its last durable byte and tells everyone who waits for more of it.
    fn abandon(&self, writer: &mut Writer, segment: &Arc<Active>, error: &StoreError) {
        if !writer.is_active(segment) {
            return; // Somebody did, or another sync vouched for all of it.
        }
        let lost = std::mem::take(&mut *lock(&self.aloft));
        writer.abandon();
        for flight in lost {
            self.settle(flight.waiters, &Err(error.duplicate()));
        }
    }

    fn settle(&self, mut waiters: Waiters, outcome: &Result<u64, StoreError>) {
        let tickets = std::mem::take(&mut waiters.0);
        {
            let mut queue = lock(&self.queue);
            for (place, ticket) in tickets.iter().enumerate() {
                queue.in_flight.remove(&ticket.id);
                if let Ok(first) = outcome {
                    queue.recent.insert(ticket.id, first + place as u64);
                }
            }
        }
        for (place, ticket) in tickets.iter().enumerate() {
            ticket.settle(match outcome {
                Ok(first) => Ok(first + place as u64),
                Err(error) => Err(error.duplicate()),
            });
        }
    }
}

impl Drop for Waiters {
    /// Only after a panic in between: a bug of ours must not leave anyone waiting for ever.
    fn drop(&mut self) {
        for ticket in &self.0 {
            ticket.settle(Err(StoreError::io(Path::new("journal"), io::Error::other("the writer failed"))));
        }
    }
}

/// The right to write and sync one batch. However that ends, it goes to the next who waits.
struct Turn<'a>(&'a Journal);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = lock(&self.0.queue);
        match queue.pending.get(queue.called) {
            Some(next) => {
                next.ticket.call();
                queue.called += 1;
            }
            None => queue.leading -= 1,
        }
    }
}

impl Ticket {
    fn new(id: EventId) -> Self {
        Self { id, state: Mutex::default(), changed: Condvar::new() }
    }

    fn is_done(&self) -> bool {
        lock(&self.state).done.is_some()
    }

    fn call(&self) {
        lock(&self.state).called = true;
        self.changed.notify_all();
    }

    fn settle(&self, outcome: Result<u64, StoreError>) {
        lock(&self.state).done = Some(outcome);
        self.changed.notify_all();
    }

    /// Whether its owner is to lead. A turn is never left lying, also when the record is done.
    fn wait_called(&self) -> bool {
        let mut state = lock(&self.state);
        while !state.called && state.done.is_none() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.called
    }

    fn wait_done(&self) -> Result<u64, StoreError> {
        let mut state = lock(&self.state);
        loop {
            match &state.done {
                Some(Ok(seq)) => return Ok(*seq),
                Some(Err(error)) => return Err(error.duplicate()),
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
