//! A thousand events take well under a second.

use std::time::{Duration, Instant};

use distill::{State, Step, Turn};

use crate::script::events;

#[test]
fn a_thousand_events_are_distilled_within_a_second() {
    let script = include_str!("../sessions/rust-bug-hunt.session");
    let mut all = Vec::new();
    while all.len() < 1000 {
        all.extend(events(script));
    }
    all.truncate(1000);
    let mut state = State::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut found = 0;
    let began = Instant::now();
    for event in &all {
        steps.extend(distill::step(event));
        if let model::Detail::Stop { last_message, .. } = &event.detail {
            let turn = Turn {
                prompt: None,
                steps: &steps,
                last_message: last_message.as_deref(),
                ended_at: event.at,
            };
            found += distill::turn(&mut state, &turn).observations.len();
            steps.clear();
        }
    }
    let took = began.elapsed();
    println!("1,000 events in {took:?}, {found} observations");
    assert!(found > 20);
    // The promise is for an optimized build; unoptimized, beside other tests, it gets more room.
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 6 } else { 1 });
    assert!(took < limit, "{took:?}");
}
