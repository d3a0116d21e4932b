//! Patterns of agents as a coordinator and a person at the command line meet them.

use serde_json::{Value, json};

use crate::house::{House, eventually};

/// A call of the tool that starts agents.
fn agent(house: &House, session: &str, event: &str, call: &str, prompt: &str) -> Value {
    let mut envelope = house.envelope(session, event);
    envelope["tool_name"] = json!("Agent");
    envelope["tool_use_id"] = json!(call);
    envelope["tool_input"] =
        json!({ "description": "d", "prompt": prompt, "subagent_type": "general-purpose" });
    envelope
}

fn subagent(house: &House, session: &str, event: &str, id: &str) -> Value {
    let mut envelope = house.envelope(session, event);
    envelope["agent_id"] = json!(id);
    envelope["agent_type"] = json!("general-purpose");
    envelope
}

/// An agent from its call to its answer, in front of its caller; what the caller is told.
fn answered(house: &House, session: &str, call: &str, prompt: &str, said: &str) -> String {
    house.send(&agent(house, session, "PreToolUse", call, prompt));
    house.send(&subagent(house, session, "SubagentStart", call));
    let mut stop = subagent(house, session, "SubagentStop", call);
    (stop["last_assistant_message"], stop["stop_hook_active"]) = (json!(said), json!(false));
    house.send(&stop);
    let mut post = agent(house, session, "PostToolUse", call, prompt);
    post["tool_response"] =
        json!({ "status": "completed", "agentId": call, "content": [{ "type": "text", "text": said }] });
    house.send(&post)
}

fn refused(house: &House, args: &[&str]) -> String {
    let output = house.run(args);
    assert_ne!(output.status.code(), Some(0), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn what_a_pattern_cannot_be_is_refused_with_what_it_may_be() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    for (args, why, how) in [
        (&["jury", "--option", "pass=2"][..], "pass=2 cannot be read", "2/3, 60%"),
        (&["jury", "--option", "pass=150%"], "pass=150% cannot be read", "2/3, 60%"),
        (&["jury", "--option", "pass="], "pass= cannot be read", "2/3, 60%"),
        (&["jury", "--option", "nonsense=1"], "does not read \"nonsense\"", "of, names, pass, quorum"),
        (&["jury", "--agents", "3", "--option", "quorum=9"], "quorum=9", "from 1 to 3"),
        (&["jury", "--agents", "0"], "of=0", "from 1 to 32"),
        (&["jury", "--agents", "100"], "of=100", "from 1 to 32"),
        (&["pipeline", "--names", ",,"], "names=,, cannot be read", "one to 32 names"),
    ] {
        let said = refused(&house, &[&["pattern", "start"], args].concat());
        assert!(said.contains(why) && said.contains(how), "{args:?}: {said}");
    }
    assert!(house.ok(&["pattern", "list", "--all"]).is_empty());
    let said = house.ok(&["pattern", "start", "jury", "--agents", "2", "--option", "pass=2/3"]);
    assert!(said.contains("role=juror n=2]"), "{said}");
}

#[test]
fn a_name_that_two_sessions_use_is_told_apart() {
    let house = House::new();
    for session in ["first-session", "second-session"] {
        house.send(&house.envelope(session, "SessionStart"));
        house.ok(&["pattern", "start", "jury", "--id", "amb", "--session", session]);
    }
    for command in ["show", "stop"] {
        let said = refused(&house, &["pattern", command, "amb"]);
        assert!(said.contains("first-session") && said.contains("second-session"), "{said}");
        assert!(said.contains("--session"), "{said}");
    }
    let said = house.ok(&["pattern", "stop", "amb", "--session", "second-session"]);
    assert!(said.contains("second-session is stopped"), "{said}");
    let shown = house.ok(&["pattern", "show", "amb"]);
    assert!(shown.contains("of session first-se"), "one goes on: {shown}");
}

#[test]
fn of_a_vote_nothing_is_found_before_the_last_one_is_in() {
    let house = House::new();
    house.send(&house.envelope("s", "SessionStart"));
    house.send(&house.prompt("s", "Let two agents judge the parser"));
    let said = |n: u32| {
        format!(
            "The parser in src/parser.rs loses FROBNICATE{n} because the table is read twice.\n\
             {{\"vote\":\"reject\",\"why\":\"FROBNICATE{n} is lost when the table is read twice\"}}"
        )
    };
    let tag = |n: u32| format!("[pattern:jury id=review n={n} of=2] Is the parser right?");
    let told = answered(&house, "s", "a1", &tag(1), &said(1));
    assert!(told.contains("role=juror n=2]") && !told.contains("FROBNICATE"), "{told}");
    eventually("the first vote is in", || house.ok(&["pattern", "show", "review"]).contains("1 of 2 are in"));
    let found = house.run(&["search", "FROBNICATE1"]);
    assert!(!String::from_utf8_lossy(&found.stdout).contains("table"), "{found:?}");
    let told = answered(&house, "s", "a2", &tag(2), &said(2));
    assert!(told.contains("rejected, 0 for and 2 against"), "{told}");
    eventually("what they found may be learned now", || {
        let found = house.run(&["search", "FROBNICATE1"]);
        String::from_utf8_lossy(&found.stdout).contains("parser")
    });
}
