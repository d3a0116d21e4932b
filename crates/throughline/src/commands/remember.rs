//! Keeps what a person says, until they want it forgotten.

use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use model::{Deed, Memory, MemoryId, MemoryKind, Provenance, Urgency, estimate_tokens};
use redact::Redactor;
use serde_json::json;
use store::{MemoryFilter, MemoryRow};

use super::{reader, team};
use crate::report::{Failure, hint, person};
use crate::world::World;
use crate::{config, print, when};

/// Far more than a memory holds; whatever is longer is no note.
const MAX_INPUT: u64 = 16 << 20;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: throughline remember \"the staging database is read-only on Fridays\" --critical"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag a person types")]
pub(crate) struct Remember {
    /// What to remember; `-` reads it from stdin
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// A line that names it [default: its first sentence]
    #[arg(long)]
    title: Option<String>,
    /// What it is: note, decision, discovery, failure, ...
    #[arg(long, default_value = "note", value_parser = kind)]
    kind: MemoryKind,
    /// A file it is about; may be given several times
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// The project it belongs to [default: the one you are in]
    #[arg(long)]
    project: Option<String>,
    /// It belongs to no project and holds everywhere
    #[arg(long, conflicts_with = "project")]
    global: bool,
    /// Something every session should know
    #[arg(long)]
    critical: bool,
    /// Never dropped to make room
    #[arg(long)]
    pin: bool,
    /// It stays on this machine, whatever is shared with a team
    #[arg(long)]
    private: bool,
    /// One JSON object with the id
    #[arg(long)]
    json: bool,
}

impl Remember {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        let as_json = self.json;
        let text = if self.text == ["-"] { from_stdin()? } else { self.text.join(" ") };
        let saying = Saying {
            by: "person",
            text,
            title: self.title,
            kind: self.kind,
            files: self.files,
            project: self.project,
            global: self.global,
            critical: self.critical,
            pin: self.pin,
            private: self.private,
        };
        let Said { kept, known, waits } = saying.say(world)?;
        if as_json {
            let mut said = json!({ "id": kept.id, "known": known });
            if waits {
                // Safe in the journal, and not found yet.
                said["waits"] = json!(true);
            }
            return print::json(&said);
        }
        if known {
            print::remark("it was known already, in the same words");
        }
        print::line(&kept.id.to_string())
    }
}

/// What became of what somebody wants kept.
pub(crate) struct Said {
    pub(crate) kept: Memory,
    /// It was there already, in the same words.
    known: bool,
    /// It is journaled, and the tables cannot be written now.
    waits: bool,
}

/// What somebody wants kept.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command, and they exclude nothing")]
pub(crate) struct Saying {
    /// Who says it: a person, or an agent.
    pub(crate) by: &'static str,
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    pub(crate) kind: MemoryKind,
    pub(crate) files: Vec<String>,
    pub(crate) project: Option<String>,
    pub(crate) global: bool,
    pub(crate) critical: bool,
    pub(crate) pin: bool,
    pub(crate) private: bool,
}

impl Saying {
    /// The memory it is, as it stands in the tables, and whether that was there already.
    pub(crate) fn keep(self, world: &World) -> anyhow::Result<(MemoryRow, bool)> {
        let Said { kept: memory, known, waits } = self.say(world)?;
        if waits {
            // Kept, so it is no error; what the tables will say of it they will say.
            return Ok((MemoryRow { tokens: estimate_tokens(&memory.text), ..MemoryRow::of(memory) }, known));
        }
        Ok((kept(world, &memory)?, known))
    }

    /// After `Ok` it is kept; after an error it is not, unless the daemon died in the middle, and saying it again makes
    /// one memory of it.
    fn say(self, world: &World) -> anyhow::Result<Said> {
        let memory = self.memory(world)?;
        let mut deeds = vec![Deed::Remember { memory: Box::new(memory.clone()) }];
        // Which project of the team's it is of follows from where that lies, and no session may ever say it.
        if memory.workspace.is_some() && team::configured(world).is_some() {
            deeds.push(place(&world.cwd));
        }
        let said = reader::send(world, &deeds)?;
        if said["waits_for"].is_object() {
            return Ok(Said { kept: memory, known: false, waits: true });
        }
        let row = kept(world, &memory)?;
        let known = row.memory.id != memory.id;
        Ok(Said { kept: row.memory, known, waits: false })
    }

    fn memory(self, world: &World) -> anyhow::Result<Memory> {
        let text = clean(world, self.text.trim())?;
        let title = self.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        // As the text: what is kept is found again by the words that are kept.
        let title = title.map(|title| clean(world, title)).transpose()?;
        let place = (!self.global).then(|| daemon::resolve_workspace(&world.cwd));
        // A project that was named may be another than the one we stand in.
        let here = place.filter(|place| self.project.as_ref().is_none_or(|name| *name == place.project));
        Ok(Memory {
            id: MemoryId::of(&["remember", &client::mint().to_string()]),
            kind: self.kind,
            at: when::now(),
            title: title.unwrap_or_else(|| engine::memory::title_of(&text)),
            subtitle: None,
            facts: Vec::new(),
            concepts: self.private.then(|| engine::sharing::PRIVATE.to_owned()).into_iter().collect(),
            files_read: self.files,
            files_modified: Vec::new(),
            tools: Vec::new(),
            session: None,
            workspace: here.as_ref().map(|place| place.key.clone()),
            project: self.project.or_else(|| here.as_ref().map(|place| place.project.clone())),
            project_key: here.as_ref().map(|place| place.project_key.clone()),
            branch: here.and_then(|place| place.branch),
            external_id: None,
            urgency: Urgency::Normal,
            critical: self.critical,
            pinned: self.pin,
            provenance: Provenance {
                by: self.by.to_owned(),
                events: Vec::new(),
                place: None,
                tokens: estimate_tokens(&text),
            },
            text,
        })
    }
}

/// Where a folder lies and which project it is of.
pub(crate) fn place(folder: &Path) -> Deed {
    let found = daemon::resolve_workspace(folder);
    Deed::Place {
        workspace: found.key,
        root: found.root,
        project: found.project,
        project_key: found.project_key,
    }
}

pub(crate) fn kind(name: &str) -> Result<MemoryKind, String> {
    MemoryKind::from_name(&name.to_lowercase()).ok_or_else(|| {
        let known: Vec<&str> = MemoryKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("known kinds: {}", known.join(", "))
    })
}

pub(crate) fn from_stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_INPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text as it will be kept. The daemon redacts in any case; here a person hears what that leaves.
pub(crate) fn clean(world: &World, text: &str) -> anyhow::Result<String> {
    let redactor = Redactor::new(config::redaction(&world.place)).map_err(|error| {
        hint(Failure::Person, error.to_string(), "correct redact.patterns with `throughline config set`")
    })?;
    let redacted = redactor.bytes(text.as_bytes());
    // A file with a NUL in it is no text to anybody, and every memory may become a file.
    let kept = String::from_utf8_lossy(&redacted.bytes).replace('\0', "").trim().to_owned();
    if kept.is_empty() {
        let what = if text.is_empty() { "there is nothing to remember" } else { "all of it is private" };
        return Err(hint(Failure::Person, what, "say it in words that may be kept"));
    }
    if kept.len() > engine::memory::MAX_TEXT {
        let what = format!(
            "{} are more than one memory holds ({})",
            print::bytes(kept.len() as u64),
            print::bytes(engine::memory::MAX_TEXT as u64)
        );
        let next = "shorten it, or bring it in as pieces with `throughline import --jsonl`";
        return Err(hint(Failure::Person, what, next));
    }
    if !redacted.findings.is_empty() {
        let masked = print::count(redacted.findings.len() as u64, "secret was", "secrets were");
        print::remark(&format!("{masked} masked"));
    }
    Ok(kept)
}

/// The row under its id, or the one that says the same in the same words and was made as young as this.
fn kept(world: &World, memory: &Memory) -> anyhow::Result<MemoryRow> {
    let tables = reader::tables(world)?;
    if let Some(row) = tables.memory(&memory.id.to_string()).map_err(person)? {
        return Ok(row);
    }
    let filter = MemoryFilter {
        kinds: vec![memory.kind],
        since: Some(memory.at),
        until: Some(memory.at + 1),
        ..MemoryFilter::default()
    };
    let same = tables.memories(&filter).map_err(person)?;
    // Another session may have said something else in the same millisecond.
    let same = same
        .into_iter()
        .find(|row| row.memory.project == memory.project && engine::is_kept_as_one(&row.memory, memory));
    same.ok_or_else(|| {
        hint(Failure::Person, "it is journaled and not yet in the tables", "see `throughline daemon logs`")
    })
}
