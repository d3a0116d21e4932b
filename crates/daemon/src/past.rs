//! Takes in events that were read from a conversation's file: those that are not known yet, in batches, in the way
//! of every envelope. What a person wanted gone, kept private or had recorded by hooks is not taken a second time.

use agents::transcript::PastEvent;
use model::{EventKind, Millis, SessionId};
use store::{StoreError, Tables};

use crate::intake::Intake;
use crate::keeping;

/// Events in one commit.
const BATCH: usize = 256;
/// An agent writes that a session starts before it tells its hooks; this much may lie between the two.
const STARTING: Millis = 10_000;

/// One conversation on its way in.
#[derive(Debug, Default)]
pub(crate) struct Taking {
    batch: Vec<PastEvent>,
    /// Within a turn that is to leave no trace.
    private: bool,
}

/// What became of what was taken in.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    /// The last position in the journal.
    pub(crate) last: u64,
    pub(crate) new: usize,
    pub(crate) known: usize,
}

impl Taken {
    pub(crate) fn add(&mut self, more: Self) {
        self.last = self.last.max(more.last);
        self.new += more.new;
        self.known += more.known;
    }
}

impl Taking {
    /// Takes one event; events come in the order of the conversation.
    pub(crate) fn push(
        &mut self,
        intake: &Intake,
        known: &mut Known,
        agent: &str,
        event: PastEvent,
    ) -> Result<Taken, StoreError> {
        if known.has(&event)? {
            let mut taken = Taken { known: 1, ..Taken::default() };
            // What is recorded was not private, and neither is what follows it.
            if self.private || event.kind == EventKind::UserPromptSubmit {
                taken.add(self.commit(intake, agent)?);
                self.private = false;
            }
            return Ok(taken);
        }
        self.batch.push(event);
        if self.batch.len() >= BATCH { self.commit(intake, agent) } else { Ok(Taken::default()) }
    }

    pub(crate) fn commit(&mut self, intake: &Intake, agent: &str) -> Result<Taken, StoreError> {
        if self.batch.is_empty() {
            return Ok(Taken::default());
        }
        let events = std::mem::take(&mut self.batch);
        let envelopes = events.into_iter().map(|event| event.into_envelope(agent)).collect();
        let (last, new) = intake.take_past(envelopes, &mut self.private)?;
        Ok(Taken { last, new, known: 0 })
    }
}

/// What is recorded already: from the same file, under the same id, or by the hooks of the session itself, from some
/// moment on.
pub(crate) struct Known {
    tables: Tables,
    live_since: Option<(SessionId, Option<Millis>)>,
}

impl Known {
    pub(crate) fn open(intake: &Intake) -> Result<Self, StoreError> {
        Ok(Self { tables: Tables::open_read_only(&intake.place.database())?, live_since: None })
    }

    /// Whether what is known can be asked for: the tables of a new house are made in its first moments.
    pub(crate) fn is_there(intake: &Intake) -> bool {
        Self::open(intake).is_ok_and(|known| known.tables.heard_at(&SessionId::new("")).is_ok())
    }

    fn has(&mut self, event: &PastEvent) -> Result<bool, StoreError> {
        if self.tables.event(event.id)?.is_some() {
            return Ok(true);
        }
        if self.live_since.as_ref().is_none_or(|(session, _)| *session != event.session) {
            // What a person wanted gone is as good as known.
            let forgotten = keeping::is_forgotten(&self.tables, &event.session)?;
            let live = if forgotten { Some(0) } else { self.tables.heard_at(&event.session)? };
            self.live_since = Some((event.session.clone(), live));
        }
        let live = self.live_since.as_ref().and_then(|(_, live)| *live);
        let ahead = if event.kind == EventKind::SessionStart { STARTING } else { 0 };
        Ok(live.is_some_and(|live| event.at.saturating_add(ahead) >= live))
    }
}
