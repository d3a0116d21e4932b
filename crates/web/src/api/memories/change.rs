//! Changes to memories. Whatever is written is redacted first; whatever is answered is what a GET says from then on.

use std::path::PathBuf;

use mcp::Note;
use model::{Deed, MemoryId, MemoryKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::doing::{done, one_at_a_time};
use super::super::endpoint::{Asked, Given, Nothing};
use super::super::memory::{Kind, Memory};
use super::super::named::{self, MemoryPath};
use super::super::reading::read;
use super::MemoryWhole;
use crate::House;
use crate::problem::Problem;

/// Of one memory; more are no note. The engine keeps as many.
const MAX_FILES: usize = 64;
const MAX_FILE: usize = 1000;
/// Characters of a title: a line in a list.
const MAX_TITLE: usize = 200;
/// Forgotten at once: a line of the journal stays readable.
const MAX_IDS: usize = 500;
/// Memories that one after the other hold instead of one: longer chains are not walked for a ring.
const MAX_CHAIN: usize = 100;

/// Something to keep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Saying {
    /// What to remember. Secrets in it are masked before it is kept.
    #[schemars(length(min = 1, max = 65_536), regex(pattern = r"\S"))]
    text: String,
    /// A line that names it; without one its first sentence.
    #[schemars(length(max = 200))]
    title: Option<String>,
    /// `note` unless it is said.
    kind: Option<Kind>,
    /// The project it belongs to.
    #[schemars(length(max = 1000))]
    project: Option<String>,
    /// The folder it belongs to, whose project it then has.
    #[schemars(length(max = 4096))]
    cwd: Option<String>,
    /// Files it is about.
    #[serde(default)]
    #[schemars(length(max = 64), inner(length(max = 1000)))]
    files: Vec<String>,
    /// Something every session should know.
    #[serde(default)]
    critical: bool,
    /// Never dropped to make room.
    #[serde(default)]
    pinned: bool,
    /// It belongs to no project and holds everywhere; so does what names neither project nor folder.
    #[serde(default)]
    global: bool,
}

/// What is to be otherwise; the rest stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Changes {
    #[schemars(length(min = 1, max = 200), regex(pattern = r"\S"))]
    title: Option<String>,
    #[schemars(length(min = 1, max = 65_536), regex(pattern = r"\S"))]
    text: Option<String>,
    pinned: Option<bool>,
    critical: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pin {
    pinned: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Successor {
    /// The id of the memory that holds from now on.
    by: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Doomed {
    /// Their ids, or unique beginnings of them.
    #[schemars(length(min = 1, max = 500))]
    ids: Vec<String>,
}

/// What is gone.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Forgotten {
    /// With the ids under which the same was said.
    forgotten: Vec<String>,
    /// Nothing in our files says it any more; else that is finished in the background.
    erased: bool,
}

pub(super) fn create(
    house: &dyn House,
    asked: Asked<Nothing, Nothing, Saying>,
) -> Result<Given<Memory>, Problem> {
    let saying = asked.body.checked()?;
    let folder = saying.cwd.map(PathBuf::from);
    let note = Note {
        text: saying.text,
        title: saying.title,
        kind: saying.kind.map_or(MemoryKind::Note, |kind| kind.0),
        files: saying.files,
        project: saying.project,
        global: saying.global,
        critical: saying.critical,
        pinned: saying.pinned,
    };
    let kept = house
        .remember(folder.as_deref(), note)
        .map_err(|refusal| Problem::refusal("it is not kept", &refusal))?;
    let location = (!kept.known).then(|| format!("/api/v1/memories/{}", kept.row.memory.id));
    Ok(Given::from(Memory::from(kept.row)).at(location))
}

impl Saying {
    fn checked(self) -> Result<Self, Problem> {
        if self.files.len() > MAX_FILES || self.files.iter().any(|file| file.chars().count() > MAX_FILE) {
            return Err(Problem::refused(
                "these are too many files",
                "name at most 64, of 1,000 characters each",
            ));
        }
        if self.global && (self.project.is_some() || self.cwd.is_some()) {
            let next = "say either `global`, or a project or folder";
            return Err(Problem::refused("what holds everywhere belongs to no project", next));
        }
        if self
            .cwd
            .as_ref()
            .is_some_and(|cwd| !cwd.starts_with('/') || cwd.contains('\0') || cwd.len() > 4096)
        {
            return Err(Problem::refused("cwd is no folder", "name it from the top, beginning with a slash"));
        }
        let title = self.title.as_deref().map(short).transpose()?;
        Ok(Self { title, ..self })
    }
}

pub(super) fn edit(
    house: &dyn House,
    asked: Asked<MemoryPath, Nothing, Changes>,
) -> Result<Given<MemoryWhole>, Problem> {
    let _alone = one_at_a_time();
    let row = named::memory(house, &asked.path.id)?;
    let before = row.memory.clone();
    asked.must_match_core(&Memory::from(row).words())?;
    let Changes { title, text, pinned, critical } = asked.body;
    let clean = |text: String| {
        house.clean(&text).map_err(|refusal| Problem::refusal("the change is not kept", &refusal))
    };
    let title = title.map(|text| short(&text).and_then(clean)).transpose()?;
    let text = text.map(clean).transpose()?;
    let title = title.filter(|title| *title != before.title);
    let text = text.filter(|text| *text != before.text);
    let critical = critical.filter(|critical| *critical != before.critical);
    let pinned = pinned.filter(|pinned| *pinned != before.pinned);
    if title.is_some() || text.is_some() || critical.is_some() || pinned.is_some() {
        done(house, &[Deed::Edit { id: before.id, title, text, critical, pinned }])?;
    }
    MemoryWhole::again(house, before.id)
}

pub(super) fn pin(
    house: &dyn House,
    asked: Asked<MemoryPath, Nothing, Pin>,
) -> Result<Given<MemoryWhole>, Problem> {
    let _alone = one_at_a_time();
    let memory = named::memory(house, &asked.path.id)?.memory;
    if memory.pinned != asked.body.pinned {
        let pinned = Some(asked.body.pinned);
        done(house, &[Deed::Edit { id: memory.id, title: None, text: None, critical: None, pinned }])?;
    }
    MemoryWhole::again(house, memory.id)
}

pub(super) fn supersede(
    house: &dyn House,
    asked: Asked<MemoryPath, Nothing, Successor>,
) -> Result<Given<MemoryWhole>, Problem> {
    let _alone = one_at_a_time();
    let older = named::memory(house, &asked.path.id)?.memory.id;
    let newer = named::memory(house, &asked.body.by)?.memory.id;
    if leads_to(house, newer, older)? {
        let next = "name one that does not itself give way to this one";
        return Err(Problem::conflict("a memory cannot hold instead of itself", next));
    }
    done(house, &[Deed::Supersede { older, newer }])?;
    MemoryWhole::again(house, older)
}

/// Whether one gives way to the other, be it through further ones: a ring would hide them all.
fn leads_to(house: &dyn House, from: MemoryId, to: MemoryId) -> Result<bool, Problem> {
    read(house, |tables| {
        let mut at = Some(from);
        for _ in 0..MAX_CHAIN {
            match at {
                Some(id) if id == to => return Ok(true),
                Some(id) => at = tables.memory_of(id)?.and_then(|row| row.superseded_by),
                None => return Ok(false),
            }
        }
        Ok(true)
    })
}

pub(super) fn forget(house: &dyn House, asked: Asked<MemoryPath>) -> Result<Given<Forgotten>, Problem> {
    let row = named::memory(house, &asked.path.id)?;
    let id = row.memory.id;
    asked.must_match_core(&Memory::from(row).words())?;
    forget_these(house, vec![id])
}

pub(super) fn forget_all(
    house: &dyn House,
    asked: Asked<Nothing, Nothing, Doomed>,
) -> Result<Given<Forgotten>, Problem> {
    let named = &asked.body.ids;
    if named.is_empty() || named.len() > MAX_IDS {
        return Err(Problem::refused("so many cannot be forgotten at once", "name 1 to 500 ids"));
    }
    let mut ids = Vec::with_capacity(named.len());
    for id in named {
        ids.push(named::memory(house, id)?.memory.id);
    }
    ids.sort_unstable();
    ids.dedup();
    forget_these(house, ids)
}

fn forget_these(house: &dyn House, ids: Vec<MemoryId>) -> Result<Given<Forgotten>, Problem> {
    let mut forgotten: Vec<String> = ids.iter().map(ToString::to_string).collect();
    for id in &ids {
        forgotten.extend(read(house, |tables| tables.merged_with(*id))?.iter().map(ToString::to_string));
    }
    let said = done(house, &[Deed::Forget { ids }])?;
    Ok(Forgotten { forgotten, erased: said["gone"] == true }.into())
}

/// One line, not longer than a list shows.
fn short(text: &str) -> Result<String, Problem> {
    let title = text.trim();
    if title.chars().count() > MAX_TITLE {
        return Err(Problem::refused("the title is too long", "say it in 200 characters"));
    }
    Ok(title.to_owned())
}
