//! A home of its own for each test.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use client::Place;
use client::spool::{Spool, Spooled};
use model::{Envelope, EventId};
use tempfile::TempDir;

pub(crate) struct House {
    pub(crate) root: TempDir,
    pub(crate) place: Place,
}

impl House {
    pub(crate) fn new() -> Self {
        let root = TempDir::new().unwrap();
        let place = Place { data: root.path().join("home/default") };
        Self { root, place }
    }

    /// Everything whole in the spool, oldest first.
    pub(crate) fn spooled(&self) -> Vec<Envelope> {
        let whole = |spooled| match spooled {
            Spooled::Whole { envelope, .. } => envelope,
            Spooled::Damaged { path, damage } => panic!("{path:?}: {damage}"),
        };
        Spool::drain(&self.place).unwrap().map(whole).collect()
    }
}

pub(crate) fn envelope(at: u64, body: &str) -> Envelope {
    Envelope {
        id: EventId::mint(at, [at as u8; 10]),
        at,
        agent: "claude-code".to_owned(),
        hint: None,
        context: model::Context::new(),
        body: body.as_bytes().to_vec(),
    }
}

pub(crate) fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}
