//! What holds for every kind, whatever agents answer and in whichever order.

use model::Millis;
use proptest::prelude::*;

use crate::{ALL, MAX_PARTS, Pattern, Slot, Spec, State, Tag};

/// More steps than the longest pattern has; one that takes more does not end.
const MAX_STEPS: usize = 600;
const HOUR: Millis = 3_600_000;

/// What an agent does with its part.
#[derive(Debug, Clone, Copy)]
enum Act {
    Yes,
    No,
    Garbage,
    Dies,
    /// It never comes back.
    Silent,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => Just(Act::Yes),
        3 => Just(Act::No),
        1 => Just(Act::Garbage),
        1 => Just(Act::Dies),
        1 => Just(Act::Silent),
    ];
    prop::collection::vec(act, 1..24)
}

fn spec(kind: usize, agents: u32, rounds: u32, lead: bool) -> Spec {
    let mut spec = Spec::new(ALL[kind % ALL.len()].name(), "x").unwrap();
    spec.declare("of", &agents.to_string());
    spec.declare("rounds", &rounds.to_string());
    if lead {
        spec.declare("lead", "yes");
    }
    spec
}

/// The line of a part, in favor or against.
fn line(pattern: &Pattern, slot: &Slot, yes: bool) -> String {
    let key = pattern.role(slot).unwrap().key;
    let value = match key {
        "tasks" => r#"["one","two"]"#.to_owned(),
        "writes" => format!(r#"{{"k{}":"{}"}}"#, slot.n % 2, slot.key()),
        "publish" if slot.round == 1 && yes => format!(r#"[{{"type":"t{}","data":"d"}}]"#, slot.n),
        "publish" => "[]".to_owned(),
        "winner" => format!("\"{}\"", if yes { "advocate" } else { "adversary" }),
        "vote" | "status" | "approved" | "ok" | "handled" => {
            format!("\"{}\"", if yes { "yes" } else { "no" })
        }
        _ => format!("\"{}\"", slot.key()),
    };
    format!("Words.\n{{\"{key}\":{value},\"why\":\"SECRET-{}\"}}", slot.key())
}

/// Runs a pattern as a coordinator would that does what it is told: starts what is due, all at once, and hears them in
/// this order. What an agent does follows from its place and its try alone.
fn run(spec: Spec, acts: &[Act], reversed: bool, doubled: bool) -> Pattern {
    let mut pattern = Pattern::new(spec, 0);
    let mut now = 1;
    for step in 0..MAX_STEPS {
        pattern.settle(now);
        let due = pattern.standing(now).due;
        if due.is_empty() {
            if pattern.outcome.is_some() {
                return pattern;
            }
            // Whoever is out is not coming back.
            now += HOUR;
            continue;
        }
        let mut calls = Vec::new();
        for slot in due {
            let tag =
                Tag::find(&format!("{} do it", pattern.tag(&slot))).expect("we write tags that we read");
            let call = format!("call-{step}-{}", slot.key());
            let got = pattern.call(&tag, &call, now).expect("there is room");
            assert_eq!(got, slot, "a tag names its place");
            calls.push((call, slot));
        }
        if reversed {
            calls.reverse();
        }
        for (call, _) in &calls {
            pattern.attach(call, &format!("agent of {call}"), now, true);
        }
        for (call, slot) in &calls {
            let tries = pattern.part_of(call).unwrap().tries;
            let at =
                (slot.n + 3 * slot.round + 7 * tries + 11 * slot.role.len() as u32) as usize % acts.len();
            for _ in 0..=usize::from(doubled) {
                match acts[at] {
                    Act::Yes => pattern.answer(call, &line(&pattern, slot, true), now, true),
                    Act::No => pattern.answer(call, &line(&pattern, slot, false), now, true),
                    Act::Garbage => pattern.answer(call, "I approve now. {", now, true),
                    Act::Dies => pattern.fail(call, "killed", now),
                    Act::Silent => {}
                }
                pattern.settle(now);
            }
        }
        assert!(pattern.parts.len() <= MAX_PARTS);
        now += 1;
    }
    panic!("{} does not end: {:?}", pattern.title(), pattern.standing(now));
}

proptest! {
    #[test]
    fn every_pattern_ends_and_it_does_not_matter_in_which_order_or_how_often_answers_come(
        kind in 0..ALL.len(), agents in 1_u32..6, rounds in 1_u32..4, lead: bool, acts in acts()
    ) {
        let forth = run(spec(kind, agents, rounds, lead), &acts, false, false);
        let back = run(spec(kind, agents, rounds, lead), &acts, true, true);
        prop_assert_eq!(&forth.outcome, &back.outcome);
        prop_assert!(forth.outcome.is_some());
        let said = forth.step(forth.ended_at.unwrap()).expect("what came of it is said");
        prop_assert!(said.is_over && !said.headline.is_empty());
    }

    #[test]
    fn a_jurys_votes_are_seen_by_nobody_before_the_last_one_is_in(agents in 2_u32..7, order in any::<u64>()) {
        let mut pattern = Pattern::new(spec(3, agents, 1, false), 0);
        prop_assert_eq!(&pattern.spec.kind, "jury");
        let mut slots = pattern.standing(1).due;
        for slot in &slots {
            let tag = Tag::find(&pattern.tag(slot)).unwrap();
            pattern.call(&tag, &slot.key(), 1);
            pattern.attach(&slot.key(), &slot.key(), 1, true);
        }
        let turns = order as usize % slots.len();
        slots.rotate_left(turns);
        let (last, before) = slots.split_last().unwrap();
        for slot in before {
            pattern.answer(&slot.key(), &line(&pattern, slot, order.is_multiple_of(2)), 2, true);
            pattern.settle(2);
            prop_assert!(pattern.outcome.is_none());
            let brief = pattern.brief(last, 2).unwrap();
            prop_assert!(brief.inputs.is_empty());
            let said = format!("{:?}", pattern.step(2));
            prop_assert!(!said.contains("SECRET"));
        }
        pattern.answer(&last.key(), &line(&pattern, last, true), 3, true);
        pattern.settle(3);
        let said = format!("{:?}", pattern.step(3));
        for slot in &slots {
            let secret = format!("SECRET-{}", slot.key());
            prop_assert!(said.contains(&secret), "{}", said);
        }
    }

    #[test]
    fn nothing_that_strangers_say_in_any_order_panics_or_grows(
        kind in 0..ALL.len(),
        tags in prop::collection::vec(("[a-z]{0,9}", 0_u32..200, "\\PC{0,30}"), 0..40),
        texts in prop::collection::vec("\\PC{0,80}", 0..40),
        now in any::<u64>()
    ) {
        let mut pattern = Pattern::new(Spec::new(ALL[kind].name(), "\u{0}[x]").unwrap(), 5);
        for (at, (role, n, more)) in tags.iter().enumerate() {
            let text = format!("[pattern:{} id=y role={role} n={n} {more} of={n}]", ALL[kind].name());
            if let Some(tag) = Tag::find(&text) {
                pattern.call(&tag, &format!("c{}", at / 2), now);
            }
        }
        for (at, text) in texts.iter().enumerate() {
            let call = format!("c{}", at % 20);
            match at % 5 {
                0 => pattern.attach(&call, text, now, at % 3 == 0),
                1 => pattern.fail(&call, text, now),
                2 => pattern.detach(&call),
                _ => pattern.answer(&call, &format!("{{\"{text}\":{text}}}"), now, at % 2 == 0),
            }
            pattern.settle(now);
        }
        prop_assert!(pattern.parts.len() <= MAX_PARTS);
        let view = pattern.view(now);
        for slot in pattern.parts.iter().map(|part| part.slot.clone()).chain(pattern.standing(now).due) {
            drop((view.label(&slot), pattern.brief(&slot, now), pattern.tag(&slot)));
        }
        drop(pattern.step(now));
        let kept = serde_json::to_string(&pattern).unwrap();
        prop_assert_eq!(serde_json::from_str::<Pattern>(&kept).unwrap(), pattern);
    }
}

fn called(pattern: &mut Pattern, slot: &Slot, now: Millis) -> String {
    let call = format!("{}@{now}", slot.key());
    let tag = Tag::find(&pattern.tag(slot)).unwrap();
    pattern.call(&tag, &call, now).unwrap();
    pattern.attach(&call, &call, now, true);
    call
}

#[test]
fn a_stage_is_given_all_that_the_one_before_it_said() {
    let mut spec = Spec::new("pipeline", "ship").unwrap();
    spec.declare("stages", "plan,build");
    let mut pattern = Pattern::new(spec, 0);
    let [first] = pattern.standing(1).due.try_into().unwrap();
    let call = called(&mut pattern, &first, 1);
    assert!(pattern.standing(1).due.is_empty(), "the second stage waits");
    pattern.answer(&call, "Use a ring buffer.\n{\"status\":\"ok\",\"summary\":\"ring\"}", 2, true);
    let step = pattern.step(2).unwrap();
    assert_eq!(step.tags, ["[pattern:pipeline id=ship role=stage n=2]"]);
    let [second] = pattern.standing(2).due.try_into().unwrap();
    let brief = pattern.brief(&second, 2).unwrap();
    assert_eq!(brief.who, "You are stage 2 of 2 (build) of the pipeline \"ship\".");
    assert!(brief.inputs[0].text.contains("Use a ring buffer."), "{brief:?}");
}

#[test]
fn two_thirds_a_tie_and_a_missing_quorum_are_told_apart() {
    for (pass, quorum, votes, verdict) in [
        (None, None, "yyn", "approved"),
        (None, None, "ynn", "rejected"),
        (None, None, "yn", "tie"),
        (Some("2/3"), None, "yyn", "approved"),
        (Some("all"), None, "yyn", "rejected"),
        (Some("60%"), None, "yn", "rejected"),
        (None, Some("3"), "yya", "no quorum"),
        (None, None, "ygg", "no quorum"),
    ] {
        let mut spec = Spec::new("jury", "j").unwrap();
        spec.declare("of", &votes.len().to_string());
        for (key, value) in [("pass", pass), ("quorum", quorum)] {
            spec.declare(key, value.unwrap_or_default());
        }
        let mut pattern = Pattern::new(spec, 0);
        for now in [1, 2] {
            for slot in pattern.standing(now).due {
                let call = called(&mut pattern, &slot, now);
                let word = match votes.as_bytes()[slot.n as usize - 1] {
                    b'y' => "{\"vote\":\"approve\"}",
                    b'n' => "{\"vote\":\"Reject\"}",
                    b'a' => "{\"vote\":\"abstain\"}",
                    _ => "Now I know: no.",
                };
                pattern.answer(&call, word, now, true);
            }
        }
        pattern.settle(3);
        assert_eq!(pattern.outcome.unwrap().verdict, verdict, "{pass:?} {quorum:?} {votes}");
    }
}

#[test]
fn a_circuit_opens_after_failures_rests_is_tried_once_and_closes() {
    let mut spec = Spec::new("circuit-breaker", "deploy").unwrap();
    spec.declare("failures", "2");
    spec.declare("cooldown", "5m");
    let mut pattern = Pattern::new(spec, 0);
    for round in 1..=2 {
        let [slot] = pattern.standing(round).due.try_into().unwrap();
        assert_eq!(slot, Slot::at("primary", 1, round as u32));
        let call = called(&mut pattern, &slot, round);
        pattern.answer(&call, "{\"ok\":false,\"why\":\"502\"}", round, true);
    }
    assert_eq!(pattern.standing(3).due, [Slot::new("fallback", 1)]);
    assert_eq!(pattern.standing(3 + 300_000).due, [Slot::at("primary", 1, 3)], "half-open");
    let call = called(&mut pattern, &Slot::new("fallback", 1), 4);
    pattern.answer(&call, "{\"ok\":true,\"why\":\"by hand\"}", 5, true);
    pattern.settle(5);
    assert_eq!(pattern.outcome.as_ref().unwrap().verdict, "fallback");
    assert!(pattern.takes_calls(), "the next task goes on from here");
    let call = called(&mut pattern, &Slot::at("primary", 1, 3), 400_000);
    pattern.settle(400_000);
    assert_eq!(pattern.outcome, None);
    pattern.answer(&call, "{\"ok\":true}", 400_001, true);
    pattern.settle(400_001);
    assert_eq!(pattern.outcome.as_ref().unwrap().verdict, "closed");
}

#[test]
fn an_agent_that_dies_without_a_word_is_not_waited_for_and_one_that_comes_late_counts() {
    let mut pattern = Pattern::new(spec(3, 1, 1, false), 0);
    let slot = Slot::new("juror", 1);
    let call = called(&mut pattern, &slot, 1);
    assert!(pattern.standing(HOUR / 2).due.is_empty(), "it is out");
    assert_eq!(pattern.standing(HOUR).due, [slot], "it may be begun again");
    pattern.answer(&call, "{\"vote\":\"yes\"}", HOUR + 1, true);
    assert_eq!(pattern.parts[0].state, State::Done);
    pattern.settle(HOUR + 1);
    assert_eq!(pattern.outcome.unwrap().verdict, "approved");
}

#[test]
fn an_event_is_taken_once() {
    let mut pattern = Pattern::new(Spec::new("event-driven", "bus").unwrap(), 0);
    let [publisher] = pattern.standing(1).due.try_into().unwrap();
    let call = called(&mut pattern, &publisher, 1);
    pattern.answer(&call, r#"{"publish":[{"type":"Build","data":"x"},{"type":"test","data":"y"}]}"#, 1, true);
    let due = pattern.standing(2).due;
    assert_eq!(due, [Slot::new("subscriber", 1), Slot::new("subscriber", 2)]);
    assert_eq!(pattern.brief(&due[0], 2).unwrap().inputs[0].text, "x");
    let tags = pattern.step(2).unwrap().tags;
    assert_eq!(tags[0], "[pattern:event-driven id=bus role=subscriber n=1 type=build]");
    assert!(tags[1].ends_with(" n=2 type=test]"), "{tags:?}");
    let by_type = Tag::find("[pattern:event-driven id=bus role=subscriber type=Test]").unwrap();
    assert_eq!(pattern.clone().call(&by_type, "by type", 2), Some(Slot::new("subscriber", 2)));
    assert!(pattern.brief(&due[1], 2).unwrap().who.starts_with("You are subscriber 2 of 2 (test) of"));
    for slot in due {
        let call = called(&mut pattern, &slot, 2);
        pattern.answer(&call, r#"{"publish":[],"done":"built"}"#, 3, true);
    }
    pattern.settle(3);
    let outcome = pattern.outcome.unwrap();
    assert!(outcome.ok && outcome.headline.contains("2 events, 0 untaken, 2 runs"), "{outcome:?}");
}

#[test]
fn what_a_critic_misses_reaches_the_next_generator() {
    let mut pattern = Pattern::new(Spec::new("generator-critic", "poem").unwrap(), 0);
    for (text, now) in
        [("First.\n{\"output\":\"a\"}", 1), ("{\"approved\":false,\"feedback\":\"too short\"}", 2)]
    {
        let [slot] = pattern.standing(now).due.try_into().unwrap();
        let call = called(&mut pattern, &slot, now);
        pattern.answer(&call, text, now, true);
    }
    let [slot] = pattern.standing(3).due.try_into().unwrap();
    assert_eq!(slot, Slot::at("generator", 1, 2));
    let given = format!("{:?}", pattern.brief(&slot, 3).unwrap().inputs);
    assert!(given.contains("First.") && given.contains("too short"), "{given}");
}

/// One more task of a breaker, by the tag its first one had.
fn attempt(pattern: &mut Pattern, tag: &str, now: Millis, ok: bool) -> (Slot, Option<String>) {
    let call = format!("call-{now}");
    let slot = pattern.call(&Tag::find(tag).unwrap(), &call, now).unwrap();
    pattern.attach(&call, &call, now, true);
    pattern.settle(now);
    assert_eq!(pattern.outcome, None, "it is out");
    pattern.answer(&call, &format!("{{\"ok\":{ok},\"why\":\"at {now}\"}}"), now + 1, true);
    pattern.settle(now + 1);
    (slot, pattern.outcome.as_ref().map(|outcome| outcome.verdict.clone()))
}

#[test]
fn a_circuit_counts_failures_after_a_success_and_closes_after_a_fallback() {
    let tag = "[pattern:circuit-breaker id=cc n=1 failures=2 cooldown=2s]";
    let mut pattern = Pattern::of_tag(&Tag::find(tag).unwrap(), 0).unwrap();
    let fallback = "[pattern:circuit-breaker id=cc role=fallback]";
    let closed = Some("closed".to_owned());
    for (round, (tag, now, ok, verdict)) in [
        (tag, 10, true, closed.clone()),
        (tag, 20, false, None),
        (tag, 30, true, closed.clone()),
        (tag, 40, false, None),
        (tag, 50, false, None),
    ]
    .into_iter()
    .enumerate()
    {
        let (slot, came) = attempt(&mut pattern, tag, now, ok);
        assert_eq!((slot, came), (Slot::at("primary", 1, round as u32 + 1), verdict));
    }
    assert_eq!(pattern.standing(52).due, [Slot::new("fallback", 1)], "two in a row");
    assert_eq!(attempt(&mut pattern, fallback, 60, true).1.as_deref(), Some("fallback"));
    assert_eq!(
        attempt(&mut pattern, fallback, 70, false).1.as_deref(),
        Some("failed"),
        "the next task's own"
    );
    assert_eq!(pattern.outcome.as_ref().unwrap().lines[0].text, "at 70");
    // Half-open: it fails and is open again; another time it works.
    assert_eq!(attempt(&mut pattern, tag, 3000, false).1, None);
    assert_eq!(pattern.standing(3002).due, [Slot::at("fallback", 1, 3)]);
    assert_eq!(attempt(&mut pattern, fallback, 3010, true).1.as_deref(), Some("fallback"));
    assert_eq!(attempt(&mut pattern, tag, 9000, true).1, closed);
    for now in 1..=20 {
        assert_eq!(attempt(&mut pattern, tag, 9000 + 10 * now, true).1, closed, "also after many tasks");
    }
    attempt(&mut pattern, tag, 9900, false);
    pattern.stop("enough", 9950);
    pattern.settle(9951);
    assert_eq!(pattern.outcome.as_ref().unwrap().verdict, "stopped");
    assert!(!pattern.takes_calls(), "what was stopped stays stopped");
}

#[test]
fn a_part_that_began_before_its_inputs_were_in_does_not_count_and_is_due_again() {
    for (tags, early, verdict) in [
        (
            &[
                "[pattern:map-reduce shards=docs,src shard=docs]",
                "[pattern:map-reduce role=reducer]",
                "[pattern:map-reduce shard=src]",
            ][..],
            Slot::new("reducer", 1),
            "done",
        ),
        (
            &["[pattern:generator-critic role=critic]", "[pattern:generator-critic role=generator]"],
            Slot::new("critic", 1),
            "approved",
        ),
        (
            &[
                "[pattern:adversarial rounds=1 role=judge]",
                "[pattern:adversarial role=advocate]",
                "[pattern:adversarial role=adversary]",
            ],
            Slot::new("judge", 1),
            "advocate",
        ),
        (
            &["[pattern:pipeline stages=plan,build stage=build]", "[pattern:pipeline stage=plan]"],
            Slot::new("stage", 2),
            "done",
        ),
    ] {
        let mut pattern = Pattern::of_tag(&Tag::find(tags[0]).unwrap(), 0).unwrap();
        let mut now = 0;
        let mut run = |pattern: &mut Pattern, tag: &str| {
            now += 10;
            let call = format!("call-{now}");
            let slot = pattern.call(&Tag::find(tag).unwrap(), &call, now).unwrap();
            pattern.attach(&call, &call, now, true);
            let text = line(pattern, &slot, true);
            pattern.answer(&call, &text, now + 1, true);
            pattern.settle(now + 1);
            (slot, now + 1)
        };
        let mut at = 0;
        for tag in tags {
            at = run(&mut pattern, tag).1;
        }
        assert_eq!(pattern.outcome, None, "{}", pattern.title());
        assert_eq!(pattern.standing(at).due, std::slice::from_ref(&early), "{}", pattern.title());
        let step = pattern.step(at).unwrap();
        assert!(step.headline.contains("began before what it is given was in"), "{step:?}");
        let tag = step.tags[0].clone();
        assert_eq!(run(&mut pattern, &tag).0, early);
        assert_eq!(pattern.outcome.as_ref().unwrap().verdict, verdict, "{pattern:?}");
        assert_eq!((pattern.part(&early).unwrap().tries, pattern.part(&early).unwrap().early), (2, 1));
    }
}

#[test]
fn what_is_not_as_agreed_is_unreadable_and_known_forms_are_read() {
    for (tag, line, is_read) in [
        ("pipeline", r#"{"status":"OK."}"#, true),
        ("pipeline", r#"{"status":"failed: the tests are red"}"#, false),
        ("pipeline", r#"{"status":"partial"}"#, false),
        ("jury", r#"{"vote":"Approve."}"#, true),
        ("jury", r#"{"vote":["approve"]}"#, true),
        ("jury", r#"{"vote":"Abstained"}"#, true),
        ("jury", r#"{"vote":0.8}"#, false),
        ("jury", r#"{"vote":"approve or reject"}"#, false),
        ("generator-critic role=critic", r#"{"approved":"Yes"}"#, true),
        ("generator-critic role=critic", r#"{"approved":"Yes, ship it"}"#, false),
        ("adversarial role=judge", r#"{"winner":"The advocate"}"#, true),
        ("adversarial role=judge", r#"{"winner":"Opponent"}"#, true),
        ("adversarial role=judge", r#"{"winner":"whoever spoke last"}"#, false),
        ("adversarial role=judge", r#"{"winner":"judge"}"#, false),
        ("blackboard", r#"{"writes":{}}"#, true),
        ("blackboard", r#"{"writes":"not an object"}"#, false),
        ("hierarchical role=planner", r#"{"tasks":[]}"#, false),
        ("event-driven role=publisher", r#"{"publish":"later"}"#, false),
        ("swarm", r#"{"found":" "}"#, false),
    ] {
        let tag = Tag::find(&format!("[pattern:{tag}]")).unwrap();
        let mut pattern = Pattern::of_tag(&tag, 0).unwrap();
        pattern.call(&tag, "c", 1).unwrap();
        pattern.answer("c", line, 2, false);
        let part = &pattern.parts[0];
        let state = if is_read { State::Done } else { State::Unreadable };
        assert_eq!((part.state, part.asked_again), (state, !is_read), "{line}");
    }
}

#[test]
fn a_specialist_hears_which_keys_it_writes_and_what_it_wrote_beside_is_said() {
    let tag = Tag::find("[pattern:blackboard id=b n=1 of=1 writes=api,limits]").unwrap();
    let mut pattern = Pattern::of_tag(&tag, 0).unwrap();
    let slot = pattern.call(&tag, "c", 1).unwrap();
    let given = pattern.brief(&slot, 1).unwrap().inputs;
    assert_eq!(
        (given[0].title.as_str(), given[0].text.as_str()),
        ("You write these keys and no others", "api, limits")
    );
    pattern.attach("c", "a", 1, true);
    pattern.answer("c", r#"{"writes":{"api":"v2","schema":"mine"}}"#, 2, true);
    let step = pattern.step(2).unwrap();
    assert_eq!(step.tags, ["[pattern:blackboard id=b role=controller n=1]"]);
    assert_eq!(step.lines[0].text, "schema", "{step:?}");
    assert!(step.lines[0].title.contains("the specialist may not write it"), "{step:?}");
    let board = format!("{:?}", pattern.brief(&Slot::new("controller", 1), 2).unwrap().inputs);
    assert!(board.contains("v2") && !board.contains("mine"), "{board}");
}

#[test]
fn there_are_as_many_specialists_as_the_planner_says() {
    let mut spec = Spec::new("hierarchical", "h").unwrap();
    spec.declare("lead", "yes");
    let mut pattern = Pattern::new(spec, 0);
    assert_eq!(pattern.view(1).progress(), "0 of 5 are in");
    let call = called(&mut pattern, &Slot::new("planner", 1), 1);
    pattern.answer(&call, r#"{"tasks":["api","tests"]}"#, 2, true);
    let [first, _] = pattern.standing(3).due.try_into().unwrap();
    assert_eq!(pattern.view(3).label(&first), "specialist 1 of 2");
    assert_eq!(pattern.view(3).progress(), "1 of 4 are in");
}
