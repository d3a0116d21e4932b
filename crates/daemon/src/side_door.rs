//! A further door that the binary brings along: programs and pages come in there, hooks never. Whatever is wrong with it
//! is a line in the log; no hook waits for it or fails with it. What is spoken there is not known here.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use client::Place;
use engine::config::Config;

use crate::inside::Inside;
use crate::lifecycle;
use crate::log::Log;

/// Bound before hooks are served, so that whoever can ask is told its port; opened after, so that none of them waits.
pub trait SideDoor: Send {
    /// Takes a port. `None`: the settings want no such door.
    fn bind(&mut self, config: &Config) -> Result<Option<u16>, Box<dyn Error>>;

    /// Lets people in, and shows them the house.
    fn open(&mut self, inside: Inside) -> Result<(), Box<dyn Error>>;

    /// Lets nobody in any more; returns soon.
    fn close(&mut self);
}

/// Says its port, in `run/port` and to whoever asks for the status.
pub(crate) struct Announced {
    door: Box<dyn SideDoor>,
    port: Arc<AtomicU16>,
    path: PathBuf,
}

impl Announced {
    /// `None` where there is no such door, for whatever reason.
    pub(crate) fn bind(
        mut door: Box<dyn SideDoor>,
        place: &Place,
        config: &Config,
        log: &Log,
    ) -> Option<Self> {
        let path = place.run().join("port");
        // A daemon that was killed leaves its own behind.
        let _ = fs::remove_file(&path);
        match door.bind(config) {
            Ok(Some(port)) => {
                if let Err(error) = lifecycle::write_number(&path, u32::from(port)) {
                    log.warn(format_args!("the port is not written down: {error}"));
                }
                Some(Self { door, port: Arc::new(AtomicU16::new(port)), path })
            }
            Ok(None) => None,
            Err(error) => {
                log.warn(format_args!("no HTTP: {error}"));
                None
            }
        }
    }

    /// Shared with whoever answers for the status.
    pub(crate) fn port(&self) -> Arc<AtomicU16> {
        Arc::clone(&self.port)
    }

    pub(crate) fn open(&mut self, inside: Inside, log: &Log) {
        match self.door.open(inside) {
            Ok(()) => log.info(format_args!("HTTP on port {}", self.port.load(Ordering::SeqCst))),
            Err(error) => {
                log.warn(format_args!("no HTTP: {error}"));
                self.recant();
            }
        }
    }

    pub(crate) fn close(&mut self) {
        self.recant();
        self.door.close();
    }

    fn recant(&self) {
        self.port.store(0, Ordering::SeqCst);
        let _ = fs::remove_file(&self.path);
    }
}
