//! What happens to an envelope that was not delivered: redacted, then spooled, then somebody is called who can
//! take it in. Nothing gets past the redactor; without one, nothing is written.

use std::io;
use std::time::{Duration, Instant};

use model::Envelope;

use super::Fallback;
use crate::private::Course;
use crate::{Place, private, spool};

/// A daemon that is there accepts at once: the kernel does it for it.
const KNOCK: Duration = Duration::from_millis(5);

pub(super) fn keep(
    place: &Place,
    envelope: Envelope,
    settings: fn(&Place) -> redact::Settings,
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
    spool::keep(place, &envelope, private_prompt)
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
