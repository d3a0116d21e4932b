//! Brings the HTTP door to the daemon: the daemon knows only that there may be one more, and `web` knows no settings.

use std::error::Error;
use std::sync::Arc;

use ::daemon::{Inside, SideDoor};
use engine::config::Config;
use web::{Bound, Door, Token};

use super::super::mcp::token_file;
use super::home::Home;
use crate::world::World;

pub(crate) struct HttpDoor {
    world: World,
    state: State,
}

enum State {
    Closed,
    Bound(Bound, Token),
    Open(Door),
}

impl HttpDoor {
    pub(crate) fn new(world: World) -> Self {
        Self { world, state: State::Closed }
    }
}

impl SideDoor for HttpDoor {
    fn bind(&mut self, config: &Config) -> Result<Option<u16>, Box<dyn Error>> {
        if !config.flag("http.enabled") {
            return Ok(None);
        }
        let wished = config.number("http.port");
        let port = u16::try_from(wished)
            .map_err(|_| format!("{wished} is no port; set http.port to at most 65535"))?;
        let token = Token::load_or_make(&token_file(&self.world))?;
        let bound = Bound::bind(port)?;
        let port = bound.port();
        self.state = State::Bound(bound, token);
        Ok(Some(port))
    }

    fn open(&mut self, inside: Inside) -> Result<(), Box<dyn Error>> {
        if let State::Bound(bound, token) = std::mem::replace(&mut self.state, State::Closed) {
            self.state = State::Open(bound.open(token, Arc::new(Home::new(self.world.clone(), inside)))?);
        }
        Ok(())
    }

    fn close(&mut self) {
        if let State::Open(door) = std::mem::replace(&mut self.state, State::Closed) {
            door.close();
        }
    }
}
