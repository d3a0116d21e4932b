//! Which session is meant where none is named: the one whose agent runs us, else the only one at work here. Of
//! several none is taken for the right one.

use engine::Workspace;
use model::SessionId;
use store::Tables;

use super::{live, reader};
use crate::report::{Failure, hint, person};
use crate::world::{World, variable};

/// Claude Code sets it for every command it runs.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

pub(crate) enum AtWork {
    One(SessionId),
    Nobody,
    Several(usize),
}

pub(crate) fn find(tables: &Tables, here: &Workspace) -> anyhow::Result<AtWork> {
    if variable(SESSION_VARIABLE).is_some_and(|id| !id.is_empty()) {
        return Ok(own(tables)?.map_or(AtWork::Nobody, AtWork::One));
    }
    let mut at_work = live::sessions(tables)?;
    at_work.retain(|row| row.session.workspace.as_ref() == Some(&here.key));
    Ok(match (at_work.pop(), at_work.len()) {
        (Some(one), 0) => AtWork::One(one.session.id),
        (None, _) => AtWork::Nobody,
        (Some(_), more) => AtWork::Several(more + 1),
    })
}

/// The session whose agent runs us; `None` for a person at a terminal.
pub(crate) fn own(tables: &Tables) -> anyhow::Result<Option<SessionId>> {
    let Some(id) = variable(SESSION_VARIABLE).filter(|id| !id.is_empty()) else { return Ok(None) };
    Ok(tables.session(&id.to_string_lossy()).map_err(person)?.map(|row| row.id))
}

/// The one that was named, else the one that is meant; an error that says how to name one where that is unclear.
pub(crate) fn named_or_found(
    world: &World,
    tables: &Tables,
    named: Option<&str>,
) -> anyhow::Result<SessionId> {
    if let Some(id) = named {
        return Ok(reader::session(tables, id)?.id);
    }
    match find(tables, &daemon::resolve_workspace(&world.cwd))? {
        AtWork::One(session) => Ok(session),
        AtWork::Nobody => Err(hint(
            Failure::Person,
            "no session is at work in this workspace",
            "name one with `--session`; `throughline sessions` lists them",
        )),
        AtWork::Several(count) => Err(hint(
            Failure::Person,
            format!("{count} sessions are at work in this workspace"),
            "name one with `--session`; `throughline sessions --live` lists them",
        )),
    }
}
