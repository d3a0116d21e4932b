//! Cut at any moment: what was sent is applied whole or not at all, and the machine finds out which.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use store::shared::{Change, Shared, SharedError};
use team::Team;

use crate::stories::{author, hear, told};
use crate::world::{World, client};

const CUTS: u32 = 50;
const BATCH: u64 = 20;

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn over_fifty_cuts_nothing_is_lost_and_nothing_doubled() {
    let mut world = World::new();
    let options = world.options("ann");
    let mut admin = client(&world.admin);
    let done = AtomicBool::new(false);
    let (mut told_until, mut applied) = (0_u64, 0_usize);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut cut = 0;
            while cut < CUTS {
                // At whatever moment of whatever statement; a few milliseconds in between let some of them through.
                std::thread::sleep(Duration::from_millis(3 + u64::from(cut * 7 % 23)));
                let ended = admin.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = 'throughline'",
                    &[],
                );
                cut += u32::try_from(ended.unwrap().len()).unwrap();
            }
            done.store(true, Ordering::Release);
        });
        let mut team = None;
        // Until the cuts are over, and one batch more.
        let mut last = false;
        while !last {
            last = done.load(Ordering::Acquire);
            let connected = match team.take() {
                Some(team) => Ok(team),
                None => Team::connect(&options),
            };
            let step = connected.and_then(|mut connected| {
                let from = connected.applied(&author("ann"), "box")?;
                let batch: Vec<(u64, Change)> =
                    (from + 1..=from + BATCH).map(|n| (n, told(n, &format!("note {n}"), 1))).collect();
                let new = connected.apply(&author("ann"), "box", &batch)?;
                Ok((connected, from + BATCH, new))
            });
            match step {
                Ok((connected, until, new)) => {
                    assert!(until > told_until, "a position never goes back");
                    (told_until, applied) = (until, applied + new);
                    team = Some(connected);
                }
                // Ended by an administrator: that is a server that comes back.
                Err(SharedError::Unreachable(_)) => last = false,
                Err(other) => panic!("{other}"),
            }
        }
    });
    let mut reader = world.member("bob");
    let heard = hear(&mut reader, "bobs-laptop", &mut String::new());
    assert_eq!(heard.len() as u64, told_until, "every position once");
    assert!(applied as u64 <= told_until);
    assert_eq!(reader.applied(&author("bob"), "box").unwrap(), 0);
}
