//! Which session is meant where none is named: the one whose agent runs us, else the only one at work here. Of
//! several none is taken for the right one.

use engine::Workspace;
use model::SessionId;
use store::{SessionFilter, Tables};

use super::reader;
use crate::report::{Failure, hint, person};
use crate::when;
use crate::world::{World, variable};

/// Claude Code sets it for every command it runs.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";
/// A session that was silent for longer is nobody's who is at work now.
const AT_WORK_MS: u64 = 4 * 60 * 60 * 1000;

pub(crate) enum AtWork {
    One(SessionId),
    Nobody,
    Several(usize),
}

pub(crate) fn find(tables: &Tables, here: &Workspace) -> anyhow::Result<AtWork> {
    if let Some(id) = variable(SESSION_VARIABLE).filter(|id| !id.is_empty()) {
        let row = tables.session(&id.to_string_lossy()).map_err(person)?;
        return Ok(row.map_or(AtWork::Nobody, |row| AtWork::One(row.id)));
    }
    let filter = SessionFilter {
        workspace: Some(here.key.clone()),
        since: Some(when::now().saturating_sub(AT_WORK_MS)),
        live: true,
        ..SessionFilter::default()
    };
    let mut at_work = tables.sessions(&filter).map_err(person)?;
    Ok(match (at_work.pop(), at_work.len()) {
        (Some(one), 0) => AtWork::One(one.id),
        (None, _) => AtWork::Nobody,
        (Some(_), more) => AtWork::Several(more + 1),
    })
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
