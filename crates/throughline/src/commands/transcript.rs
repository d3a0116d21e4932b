//! A session's transcript as it is archived: redacted, line by line.

use store::SessionRow;
use store::archive::{Key, read, span};

use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

pub(super) fn print(world: &World, session: SessionRow) -> anyhow::Result<()> {
    let folder = world.place.archive();
    let key = Key { agent: session.agent, session: session.id, subagent: None };
    let mut rest = span(&folder, &key).map_err(person)?;
    if rest.is_empty() {
        return Err(hint(
            Failure::Person,
            "there is no transcript of this session in the archive",
            "it is archived after a turn, while `archive-transcript` is on; `throughline backfill` takes in older ones",
        ));
    }
    while !rest.is_empty() {
        // A page at a time: what is there of it, in order.
        let lines = read(&folder, &key, rest.clone()).map_err(person)?;
        let Some(last) = lines.last().map(|line| line.number) else { break };
        for line in &lines {
            print::line(&engine::sanitize(&line.text))?;
        }
        rest.start = last + 1;
    }
    Ok(())
}
