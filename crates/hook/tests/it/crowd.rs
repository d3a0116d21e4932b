//! Many at once.

use std::collections::HashSet;
use std::time::Duration;

use crate::daemon::{Manner, serve};
use crate::house::{Form, House, envelope};

const CROWD: usize = 64;

#[test]
fn sixty_four_at_once_are_each_heard_or_spooled() {
    for form in Form::all() {
        let house = House::new(form);
        let heard = serve(&house.place, Manner::prints(b"{}"));
        std::thread::scope(|scope| {
            for _ in 0..CROWD {
                scope.spawn(|| {
                    assert_eq!(house.call("SessionStart", &envelope("SessionStart")).exit, Some(0));
                });
            }
        });
        let mut ids = HashSet::new();
        while ids.len() < CROWD
            && let Ok(heard) = heard.recv_timeout(Duration::from_millis(500))
        {
            assert!(ids.insert(heard.header.id), "{form:?}: one id twice");
        }
        // A loaded machine may make one late: then it was heard and is spooled under the same id, or spooled alone.
        ids.extend(house.spooled().iter().map(|envelope| *envelope.id.as_bytes()));
        assert_eq!(ids.len(), CROWD, "{form:?}");
    }
}

#[test]
fn sixty_four_at_once_without_a_daemon_are_each_spooled_once_and_start_few() {
    for form in Form::all() {
        let house = House::new(form);
        std::thread::scope(|scope| {
            for _ in 0..CROWD {
                scope.spawn(|| {
                    assert_eq!(house.call("SessionStart", &envelope("SessionStart")).exit, Some(0));
                });
            }
        });
        let ids: HashSet<_> = house.spooled().iter().map(|envelope| envelope.id).collect();
        assert_eq!(ids.len(), CROWD, "{form:?}");
        // One a second; the crowd takes a few seconds on a loaded machine.
        assert!(house.daemon_starts() <= 10, "{form:?}: {}", house.daemon_starts());
    }
}
