//! A store of its own for one replay: a temporary folder and a daemon for it, both gone afterwards. Here envelopes are
//! really journaled and learned from. The person's settings and rules are copied; no model is asked, and no memory
//! files are written.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use client::Place;
use serde_json::json;
use store::MemoryFilter;
use wire::Kind;

use super::recording::Recorded;
use crate::commands::reader;
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// As in `reader`: a busy disk makes it seconds.
const START: Duration = Duration::from_secs(10);
const DELIVERY: Duration = Duration::from_secs(30);
/// Of what was learned, as much as anybody reads at once.
const SHOWN: usize = 200;

pub(super) struct Scratch {
    world: World,
    daemon: Child,
    _folder: tempfile::TempDir,
}

impl Scratch {
    pub(super) fn open(real: &World) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("throughline-scratch-").tempdir()?;
        let place = Place { data: folder.path().join(wire::DEFAULT_NAMESPACE) };
        place.ensure()?;
        if real.place.config_file().is_file() {
            fs::copy(real.place.config_file(), place.config_file())?;
        }
        copy_rules(&daemon::rules::folder_of(&real.place.data), &daemon::rules::folder_of(&place.data))?;
        let daemon = Command::new(&real.executable)
            .args(["daemon", "run"])
            .env("THROUGHLINE_HOME", folder.path())
            .env("THROUGHLINE_NAMESPACE", wire::DEFAULT_NAMESPACE)
            .env("THROUGHLINE_DISTILL_PROVIDER", "none")
            .env("THROUGHLINE_MEMORY_FOLDER", "off")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .spawn()?;
        let world = World { place, namespace: wire::DEFAULT_NAMESPACE.to_owned(), ..real.clone() };
        let scratch = Self { world, daemon, _folder: folder };
        let until = Instant::now() + START;
        while reader::status(&scratch.world).is_none() {
            if Instant::now() >= until {
                let next = "try again, or without --scratch";
                return Err(hint(Failure::Person, "the scratch store's daemon does not answer", next));
            }
            std::thread::sleep(reader::PAUSE);
        }
        Ok(scratch)
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// As a hook would, and then until it is learned: the next envelope finds what came of this one.
    pub(super) fn deliver(&self, recorded: &Recorded, agent: &str) -> anyhow::Result<()> {
        let known = recorded.context.as_object().into_iter().flatten();
        let known = known.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
        let context = client::context::encode(&known.collect());
        let request = client::Request {
            kind: Kind::Envelope,
            id: client::mint(),
            agent,
            event: recorded.hint.as_deref().filter(|hint| hint.len() <= wire::MAX_NAME).unwrap_or_default(),
            context: &context,
            body: &recorded.body,
        };
        let sent = client::call(&self.world.place, &request, Instant::now() + DELIVERY);
        sent.map_err(|trouble| reader::explain(&trouble))?;
        reader::settle(&self.world)
    }

    /// The memories that came of it.
    pub(super) fn show(&self, as_json: bool) -> anyhow::Result<()> {
        let tables = reader::tables(&self.world)?;
        let filter = MemoryFilter { limit: SHOWN, ..MemoryFilter::default() };
        let rows = tables.memories(&filter).map_err(person)?;
        if as_json {
            return rows.iter().try_for_each(|row| print::json(&json!({ "memory": row.memory })));
        }
        let count = print::count(rows.len() as u64, "memory", "memories");
        print::line(&format!("\n{}", print::bold(&format!("{count} came of it"), self.world.color)))?;
        rows.iter().try_for_each(|row| {
            let kind = row.memory.kind.name();
            print::line(&format!("  {kind:<12} {}", print::one_line(&row.memory.title, 100)))
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing in there must survive, so nothing has to be put away.
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// The files of sound rules; what else people keep beside them stays where it is.
fn copy_rules(from: &Path, to: &Path) -> anyhow::Result<()> {
    for loaded in daemon::rules::load(from).unwrap_or_default().iter().filter(|loaded| loaded.rule.is_ok()) {
        let folder = to.join(&loaded.name);
        fs::create_dir_all(&folder)?;
        for name in [engine::rules::RULE_FILE, engine::rules::PROGRAM, engine::rules::PROMPT_FILE] {
            let file = loaded.folder.join(name);
            if file.is_file() {
                fs::copy(file, folder.join(name))?;
            }
        }
    }
    Ok(())
}
