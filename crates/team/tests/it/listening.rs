//! Hearing at once.

use std::time::Duration;

use store::shared::{Change, Shared, SharedError};
use team::Woken;

use crate::stories::{author, claim, told};
use crate::world::World;

/// Long enough for any machine; whoever is woken does not wait for it.
const PATIENCE: Duration = Duration::from_mins(1);
/// Nothing comes in this time where nothing is to come.
const SILENCE: Duration = Duration::from_millis(300);

/// So often is asked what will be true: far beyond what the slowest machine takes.
const ATTEMPTS: u32 = 1000;

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn what_others_tell_wakes_and_what_oneself_tells_does_not() {
    let mut world = World::new();
    let (mut ann, mut bob) = (world.member("ann"), world.member("bob"));
    let mut listener = bob.listen("bobs-laptop").unwrap();
    bob.apply(&author("bob"), "box", &[(1, told(1, "own", 1))]).unwrap();
    assert_eq!(listener.wait(SILENCE).unwrap(), Woken::Quiet);
    ann.apply(&author("ann"), "box", &[(1, Change::Claim(claim("s", "a.rs", 1)))]).unwrap();
    assert_eq!(listener.wait(PATIENCE).unwrap(), Woken::Told);
    assert_eq!(bob.claims(&crate::stories::project("shop"), 0).unwrap().len(), 1);
    // A batch that changes nothing is no knock.
    ann.apply(&author("ann"), "box", &[(1, told(9, "again", 1))]).unwrap();
    assert_eq!(listener.wait(SILENCE).unwrap(), Woken::Quiet);
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn a_connection_that_was_ended_is_an_error_and_not_silence() {
    let mut world = World::new();
    let mut bob = world.member("bob");
    let mut listener = bob.listen("bobs-laptop").unwrap();
    crate::world::client(&world.admin)
        .batch_execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND application_name = 'throughline'",
        )
        .unwrap();
    let mut waited = 0;
    while listener.wait(SILENCE).is_ok() {
        waited += 1;
        assert!(waited < ATTEMPTS, "nobody said that the connection is gone");
    }
    // The server may say why it goes or be gone already: both mean that whoever asked connects again, and may. It ends
    // one connection after the other, when each of them has its turn.
    let mut asked = (0..ATTEMPTS).map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        bob.memory(model::MemoryId::from_u64(1))
    });
    let said = asked.find_map(Result::err).expect("the connection that asks was ended, too");
    assert!(matches!(said, SharedError::Unreachable(_)), "{said:?}");
    let mut again = team::Team::connect(&world.options("bob")).unwrap();
    assert!(again.memory(model::MemoryId::from_u64(1)).unwrap().is_none());
}
