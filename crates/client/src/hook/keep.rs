//! What happens to an envelope that was not delivered: redacted, then spooled, then somebody is called who can
//! take it in. Nothing gets past the redactor; without one, nothing is written.

use std::io;
use std::time::{Duration, Instant};

use model::Envelope;

use super::Fallback;
use crate::private::Course;
use crate::{Place, losses, private, spool};

/// A daemon that is there accepts at once: the kernel does it for it.
const KNOCK: Duration = Duration::from_millis(5);
/// A count overwrites two blocks. A disk that takes longer hangs, and so would the agent.
const COUNT_PATIENCE: Duration = Duration::from_millis(250);
/// A daemon that is there notes a number at once.
const NOTE_PATIENCE: Duration = Duration::from_millis(50);

/// After `Ok` the envelope is in the spool, or was not to be kept. After an error it is nowhere.
pub(super) fn keep(
    place: &Place,
    envelope: Envelope,
    settings: fn(&Place) -> redact::Settings,
    is_wanted: impl FnOnce() -> bool,
) -> io::Result<()> {
    if crate::pause::is_paused(place) {
        return Ok(());
    }
    let redactor = redact::Redactor::new(settings(place))
        // A broken rule of the person's own must not cost them all the others.
        .or_else(|_| redact::Redactor::new(plain_settings(place)))
        .map_err(|_| io::ErrorKind::InvalidInput)?;
    let redacted = redactor.envelope(&envelope.body);
    let private_prompt = redacted.private_prompt;
    let envelope = Envelope { body: redacted.json, ..envelope };
    let session = private::session(&envelope.body).unwrap_or_default().to_owned();
    match private::course(envelope.hint.as_deref(), &envelope.body, private_prompt) {
        Course::Ask if private::is_private(place, &session) => return Ok(()),
        // First the marker: a private turn without it would be recorded.
        Course::Begin => private::begin(place, &session)?,
        Course::End => private::end(place, &session)?,
        Course::Keep | Course::Ask => {}
    }
    // While there is room for an envelope there is room to count those that will find none. What cannot be had now is
    // tried again when it is needed.
    let _ = losses::reserve(place);
    spool::keep_if(place, &envelope, private_prompt, is_wanted)
}

/// Counts an event that could not be kept: on the disk, where its room was taken before, or else with the daemon. A
/// thread that hangs with the disk is left behind.
pub(super) fn count_lost(place: &Place, envelope: &Lost) {
    let (place, Lost { id, at }) = (place.clone(), *envelope);
    let (done, wait) = std::sync::mpsc::channel();
    let work = std::thread::Builder::new().name("lost".to_owned()).spawn(move || {
        let counted = losses::add(&place, id, at).is_ok() || {
            let said = format!(r#"{{"ask":"lost","id":"{id}"}}"#);
            crate::ask(&place, said.as_bytes(), Instant::now() + NOTE_PATIENCE).is_ok()
        };
        let _ = done.send(counted);
    });
    if work.is_ok() {
        // Neither a disk nor a daemon: nobody is left to tell.
        let _ = wait.recv_timeout(COUNT_PATIENCE + NOTE_PATIENCE);
    }
}

/// What is counted of an event that is lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lost {
    id: model::EventId,
    at: model::Millis,
}

impl From<&Envelope> for Lost {
    fn from(envelope: &Envelope) -> Self {
        Self { id: envelope.id, at: envelope.at }
    }
}

/// Only where nobody listens: a daemon that is late or ill is not helped by a second one.
pub(super) fn start(place: &Place, fallback: &Fallback, outdated: bool) -> io::Result<bool> {
    match &fallback.executable {
        Some(executable) if outdated || !crate::call::is_listening(place, Instant::now() + KNOCK) => {
            crate::start_daemon(place, executable)
        }
        _ => Ok(false),
    }
}

fn plain_settings(place: &Place) -> redact::Settings {
    let key = crate::key::load(place).unwrap_or_else(|_| crate::key::passing());
    redact::Settings { key, ..redact::Settings::default() }
}
