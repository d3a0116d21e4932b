//! What distilling costs grows with what there is to distill, not faster. How many milliseconds that are is measured by
//! `cargo bench -p throughline-distill`: a busy machine says nothing of them.

use std::time::{Duration, Instant};

use distill::{State, Step, Turn};
use model::Event;

use crate::script::events;

/// The shortest of a few: whatever else runs on the machine only makes it longer.
fn shortest(mut work: impl FnMut()) -> Duration {
    let timed = |_| {
        let began = Instant::now();
        work();
        began.elapsed()
    };
    (0..3).map(timed).min().unwrap_or_default()
}

/// Times as long as it takes for a tenth of it, at most: linear is ten, and a short run measures badly.
const MOST_FOR_TEN_TIMES: u32 = 40;

fn grows_no_faster(small: Duration, large: Duration) {
    assert!(large < (small + Duration::from_millis(2)) * MOST_FOR_TEN_TIMES, "{small:?}, {large:?}");
}

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
    let distill = |steps: &[Step]| {
        let turn = Turn {
            prompt: None,
            steps,
            last_message: Some(&message),
            said: &[],
            ended_by: None,
            ended_at: 1,
        };
        assert!(!distill::turn(&mut State::default(), &turn).observations.is_empty());
    };
    let small = shortest(|| distill(&steps[..steps.len() / 10]));
    grows_no_faster(small, shortest(|| distill(&steps)));
}

#[test]
fn ten_times_the_events_are_distilled_in_about_ten_times_the_time() {
    let script = include_str!("../sessions/rust-bug-hunt.session");
    let mut all = Vec::new();
    while all.len() < 1000 {
        all.extend(events(script));
    }
    all.truncate(1000);
    let distill = |events: &[Event]| {
        let (mut state, mut steps): (State, Vec<Step>) = Default::default();
        let mut found = 0;
        for event in events {
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
        assert!(found > 2);
    };
    let small = shortest(|| distill(&all[..100]));
    grows_no_faster(small, shortest(|| distill(&all)));
}
