//! Puts the layers of configuration together: defaults, the person's file, the environment.

use std::fs;
use std::io;

use client::Place;
use engine::config::{Config, ConfigError, Layer, keys, variable};
use model::{Envelope, Reply};

use crate::world;

/// What holds for this person; a project's own file is applied where the project is known.
pub(crate) fn load(place: &Place) -> (Config, Vec<ConfigError>) {
    let mut config = Config::default();
    let file = place.config_file();
    let name = file.display().to_string();
    let mut errors = match fs::read_to_string(&file) {
        Ok(text) => config.read_toml(Layer::User, &name, &text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => vec![ConfigError::Unreadable { place: name, what: error.to_string() }],
    };
    for key in keys() {
        let name = variable(&key.name);
        if let Some(value) = world::variable(&name) {
            let set = config.set(Layer::Environment, &name, &key.name, &value.to_string_lossy());
            errors.extend(set.err());
        }
    }
    (config, errors)
}

/// The redactor's settings for a hook that has to spool. A broken rule is left out, the others hold.
pub(crate) fn redaction(place: &Place) -> redact::Settings {
    let key = client::key::load(place).unwrap_or_else(|_| client::key::passing());
    load(place).0.redaction(key).0
}

/// What guards say about a call where there is no daemon to ask. Settings that cannot be read leave the defaults, and by
/// default guards are on.
/// What a session that begins says about events that could not be kept, where no daemon says it.
pub(crate) fn confess(place: &Place, envelope: &Envelope) -> Reply {
    if load(place).0.is_on("welcome") { daemon::confess_alone(place, envelope) } else { Reply::silent() }
}

pub(crate) fn judge(place: Option<&Place>, envelope: &Envelope) -> Reply {
    let config = place.map_or_else(Config::default, |place| load(place).0);
    daemon::decide_alone(&config, place.map(|place| place.data.as_path()), envelope)
}
