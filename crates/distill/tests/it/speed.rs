//! A thousand events take well under a second.

use std::time::{Duration, Instant};

use distill::{State, Step, Turn};

use crate::script::events;

#[test]
fn one_turn_of_ten_thousand_steps_is_no_trouble() {
    let mut script = "> go on\n.\n".to_owned();
    for number in 0..5000 {
        script.push_str(&format!("read src/f{number}.rs\nedit src/f{number}.rs\n@ 1\n-    call_{number}(old);\n+    call_{number}(new);\n.\n"));
        if number % 50 == 0 {
            script.push_str("bash cargo test\n! 101\nerror[E0308]: mismatched types\n.\n");
        }
    }
    let message = "The type in f1.rs was wrong because of call_1. ".repeat(400);
    let steps: Vec<Step> = events(&script).iter().filter_map(distill::step).collect();
    assert!(steps.len() > 10_000);
    let began = Instant::now();
    let turn = Turn {
        prompt: None,
        steps: &steps,
        last_message: Some(&message),
        said: &[],
        ended_by: None,
        ended_at: 1,
    };
    let distilled = distill::turn(&mut State::default(), &turn);
    let took = began.elapsed();
    println!("10,000 steps in {took:?}, {} observations", distilled.observations.len());
    assert!(took < Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 3 }), "{took:?}");
}

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
                said: &[],
                ended_by: None,
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
