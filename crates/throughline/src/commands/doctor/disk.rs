//! Whether what agents do can be kept, and whether some of it could not.

use client::losses;

use super::Finding;
use crate::commands::{reader, room};
use crate::print;
use crate::world::World;

/// Below this a busy day may fill the disk.
const LITTLE_SPACE: u64 = 200 << 20;
/// Of our own data less than this is not worth dropping anything for: the room is taken by others.
const WORTH_DROPPING: u64 = 64 << 20;

pub(super) fn disk(world: &World) -> Vec<Finding> {
    let mut findings = vec![space(world)];
    findings.extend(lost(world));
    findings
}

fn space(world: &World) -> Finding {
    let existing = world.place.data.ancestors().find(|path| path.exists());
    let room = existing.and_then(|path| rustix::fs::statvfs(path).ok());
    let free = room.as_ref().map_or(0, |room| room.f_bavail.saturating_mul(room.f_frsize));
    let ours = room::ours(&world.place);
    let takes = match room::listed(&ours) {
        none if none.is_empty() => none,
        some => format!("; of ours: {some}"),
    };
    if let Some(trouble) = room::trouble(&world.place) {
        let what = format!("{trouble}, and what agents do is not kept ({} free{takes})", print::bytes(free));
        return Finding::fail("disk", what, repair(world, &ours));
    }
    if free < LITTLE_SPACE {
        return Finding::warn(
            "disk",
            format!("only {} free{takes}", print::bytes(free)),
            repair(world, &ours),
        );
    }
    Finding::ok("disk", format!("{} free", print::bytes(free)))
}

/// Our own data where it is what takes the room; else whatever lies beside it on that disk.
fn repair(world: &World, ours: &[(String, u64)]) -> String {
    let droppable: u64 =
        ours.iter().filter(|(name, _)| name == "archive" || name == "journal").map(|(_, bytes)| bytes).sum();
    if droppable >= WORTH_DROPPING {
        return format!("throughline gc --free {}", droppable / 2);
    }
    let at = world.place.data.display();
    format!("df -h '{at}'; du -xsh '{at}'/* (then remove what is not needed on that disk)")
}

fn lost(world: &World) -> Option<Finding> {
    // The daemon knows also what could not be written down.
    let lost = match reader::status(world) {
        Some(status) => status["lost"].clone(),
        None => daemon::losses_json(&losses::read(&world.place)),
    };
    let number = |name: &str| lost[name].as_u64().unwrap_or_default();
    if number("events") == 0 {
        return None;
    }
    let what = format!(
        "{} could not be kept, {} to {}; the next session that begins says so",
        print::count(number("events"), "event", "events"),
        print::time(number("since")),
        print::time(number("until")),
    );
    Some(Finding::warn("not kept", what, "throughline daemon status"))
}
