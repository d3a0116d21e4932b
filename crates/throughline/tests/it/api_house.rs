//! The house over HTTP: settings, behaviors, claims, charts, the map, health and logs.

use std::fs;

use serde_json::{Value, json};

use crate::api_sessions::Api;
use crate::house::House;

fn setting(api: &Api, key: &str) -> Value {
    api.get(&format!("/api/v1/settings/{key}"))
}

#[test]
fn a_setting_is_changed_in_the_persons_file_and_reset() {
    let house = House::new();
    let api = Api::of(&house);
    let before = setting(&api, "recall.prompt-tokens");
    assert_eq!((&before["origin"], &before["changeable"]), (&json!("default"), &json!(true)));
    let path = "/api/v1/settings/recall.prompt-tokens";
    let (status, after) = api.send("PUT", path, Some(&json!({ "value": 77 })));
    assert_eq!((status, &after["value"], &after["origin"]), (200, &json!(77), &json!("user")), "{after}");
    assert_eq!(house.ok(&["config", "get", "recall.prompt-tokens"]), "77\n");
    let (_, reset) = api.send("DELETE", path, None);
    assert_eq!((&reset["value"], &reset["origin"]), (&before["value"], &json!("default")));
    let tools = "/api/v1/settings/capture.skip-tools";
    let (_, list) = api.send("PUT", tools, Some(&json!({ "value": ["Read", "Glob"] })));
    assert_eq!(list["value"], json!(["Read", "Glob"]));
    for nonsense in [json!("many"), json!(-1), json!({}), json!("x".repeat(3000))] {
        api.refused("PUT", path, Some(&json!({ "value": nonsense })));
    }
    assert_eq!(api.refused("PUT", "/api/v1/settings/no.such", Some(&json!({ "value": 1 }))).0, 404);
}

#[test]
fn what_the_daemon_would_call_read_or_reveal_is_not_changed_over_http() {
    let house = House::new();
    house.ok(&["config", "set", "redact.literals", "codename-osprey"]);
    house.ok(&["config", "set", "distill.base-url", "http://me:s3cr3t-pass@127.0.0.1:9/v1"]);
    let api = Api::of(&house);
    let all = api.get("/api/v1/settings");
    assert!(!all.to_string().contains("osprey") && !all.to_string().contains("s3cr3t"), "{all}");
    let mut kept = 0;
    for one in all["items"].as_array().unwrap() {
        if one["changeable"] == true {
            continue;
        }
        kept += 1;
        let key = one["key"].as_str().unwrap();
        assert!(one["why_not"].as_str().unwrap().contains("throughline config set"), "{one}");
        let path = format!("/api/v1/settings/{key}");
        assert_eq!(api.refused("PUT", &path, Some(&json!({ "value": "http://evil.example" }))).0, 403);
        assert_eq!(api.refused("DELETE", &path, None).0, 403, "{key}");
    }
    assert!(kept >= 15, "{kept}");
    let config = fs::read_to_string(house.place().config_file()).unwrap();
    assert!(config.contains("osprey") && !config.contains("evil"), "{config}");
}

#[test]
fn a_behavior_that_is_switched_off_is_silent_at_the_next_hook() {
    let house = House::new();
    let api = Api::of(&house);
    house.send(&house.prompt("s1", "one"));
    let (status, off) = api.send("PUT", "/api/v1/behaviors/record-prompt", Some(&json!({ "on": false })));
    assert_eq!((status, &off["on"], &off["origin"]), (200, &json!(false), &json!("user")), "{off}");
    house.send(&house.prompt("s1", "two"));
    let (_, on) = api.send("PUT", "/api/v1/behaviors/record-prompt", Some(&json!({ "on": true })));
    assert_eq!(on["on"], true);
    house.send(&house.prompt("s1", "three"));
    house.events();
    let texts: Vec<Value> = api.walk("/api/v1/prompts").iter().map(|prompt| prompt["text"].clone()).collect();
    assert_eq!(texts, ["three", "one"]);
    let all = api.get("/api/v1/behaviors");
    assert_eq!(all["items"].as_array().unwrap().len(), engine::ALL.len());
    assert_eq!(api.refused("PUT", "/api/v1/behaviors/nobody", Some(&json!({ "on": true }))).0, 404);
}

#[test]
fn no_token_and_no_cookie_switches_a_guard() {
    let house = House::new();
    let api = Api::of(&house);
    for name in ["guard-scope", "guard-commands", "run-rules"] {
        let (status, said) =
            api.refused("PUT", &format!("/api/v1/behaviors/{name}"), Some(&json!({ "on": false })));
        assert_eq!(status, 403, "{said}");
        let said = said.to_string();
        assert!(said.contains(&format!("throughline config set behaviors.{name}")), "{said}");
    }
    for (key, value) in [
        ("behaviors.guard-scope", json!("off")),
        ("behaviors.guard-commands", json!("off")),
        ("behaviors.run-rules", json!("off")),
        ("checks.project-code", json!("always")),
        ("redact.allow", json!(["abc"])),
    ] {
        let path = format!("/api/v1/settings/{key}");
        assert_eq!(api.refused("PUT", &path, Some(&json!({ "value": value }))).0, 403, "{key}");
        assert_eq!(api.refused("DELETE", &path, None).0, 403, "{key}");
    }
    assert!(
        !house.place().config_file().exists()
            || !fs::read_to_string(house.place().config_file()).unwrap().contains("guard")
    );
}

#[test]
fn series_add_up_to_the_totals() {
    let house = House::new();
    let api = Api::of(&house);
    for number in 0..5 {
        house.send(&house.envelope("s1", "SessionStart"));
        house.send(&house.prompt("s1", &format!("question {number}, with password=hunter2hunter2hunter2")));
    }
    house.ok(&["remember", "The lexer is generated from the grammar."]);
    house.events();
    let stats = api.get("/api/v1/stats");
    for step in ["hour", "day"] {
        let names = "events,prompts,sessions,memories,tokens-injected,tokens-saved,distill.tokens";
        let said = api.get(&format!("/api/v1/stats/series?step={step}&names={names}"));
        let sum = |name: &str| -> i64 {
            let one = said["series"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
            let points = one["points"].as_array().unwrap();
            assert_eq!(points.len(), if step == "hour" { 48 } else { 30 }, "{name}");
            points.iter().map(|point| point[1].as_i64().unwrap()).sum()
        };
        for (name, total) in [
            ("events", "events"),
            ("prompts", "prompts"),
            ("sessions", "sessions"),
            ("memories", "memories"),
            ("tokens-injected", "tokens_injected"),
            ("tokens-saved", "tokens_saved"),
            ("distill.tokens", "tokens_distilled"),
        ] {
            assert_eq!(sum(name), stats[total].as_i64().unwrap(), "{step} {name}");
        }
    }
    assert_eq!((&stats["prompts"], &stats["sessions"]), (&json!(5), &json!(1)));
    let twice = api.get("/api/v1/stats/series?names=events,prompts,events");
    assert_eq!(twice["series"].as_array().unwrap().len(), 2, "who says a name twice means one");
    let kinds = api.get("/api/v1/stats/series?names=memories.*");
    assert!(kinds["series"].as_array().unwrap().iter().any(|one| one["name"] == "memories.note"), "{kinds}");
    let redacted = api.get("/api/v1/stats/series?names=redactions");
    let masked: i64 = redacted["series"][0]["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point[1].as_i64().unwrap())
        .sum();
    let counted: i64 =
        stats["redactions"].as_array().unwrap().iter().map(|one| one["count"].as_i64().unwrap()).sum();
    assert!(masked > 0 && masked == counted, "{masked} {counted}");
}

#[test]
fn claims_are_taken_and_given_back_and_stand_on_the_map() {
    let house = House::new();
    let api = Api::of(&house);
    house.send(&house.envelope("s1", "SessionStart"));
    house.events();
    let file = house.work().join("src/<img src=x onerror=alert(1)>.rs").display().to_string();
    let take = json!({ "session": "s1", "files": [file], "note": "porting" });
    let (status, held) = api.send("POST", "/api/v1/claims", Some(&take));
    assert_eq!((status, &held["items"][0]["goal"]), (200, &json!("porting")), "{held}");
    assert_eq!(held["items"][0]["live"], true);
    let workspace = &api.walk("/api/v1/workspaces")[0];
    assert_eq!(workspace["live"], 1);
    let map = api.get(&format!("/api/v1/workspaces/{}/map", workspace["key"].as_str().unwrap()));
    let nodes = map["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 2, "{map}");
    assert_eq!((&nodes[0]["path"], &nodes[0]["live_claims"]), (&json!("src"), &json!(1)));
    assert_eq!(nodes[1]["path"], "src/<img src=x onerror=alert(1)>.rs");
    let (_, gone) = api.send("DELETE", "/api/v1/claims", Some(&json!({ "session": "s1" })));
    assert_eq!(gone["released"], 1);
    assert!(api.walk("/api/v1/claims").is_empty());
    for nonsense in [
        json!({ "session": "s1", "files": [] }),
        json!({ "session": "s1", "files": ["relative.rs"] }),
        json!({ "session": "nobody", "files": ["/a"] }),
        json!({ "session": "s1", "files": vec!["/a"; 201] }),
    ] {
        api.refused("POST", "/api/v1/claims", Some(&nonsense));
    }
    api.refused("DELETE", "/api/v1/claims", Some(&json!({})));
    house.send(&house.envelope("s1", "SessionEnd"));
    house.events();
    let (status, _) = api.send("POST", "/api/v1/claims", Some(&take));
    assert_eq!(status, 409, "who has gone holds nothing");
}

#[test]
fn agents_projects_health_and_logs_say_what_the_commands_say() {
    let house = House::new();
    let api = Api::of(&house);
    house.send(&house.prompt("s1", "hello"));
    house.events();
    let agents = api.get("/api/v1/agents");
    let agents = agents["items"].as_array().unwrap();
    assert_eq!(agents.len(), 6);
    let claude = agents.iter().find(|agent| agent["name"] == "claude-code").unwrap();
    assert_eq!((&claude["sessions"], &claude["installed"]), (&json!(1), &json!(false)), "{claude}");
    house.ok(&["install", "--yes"]);
    let agents = api.get("/api/v1/agents");
    let claude =
        agents["items"].as_array().unwrap().iter().find(|agent| agent["name"] == "claude-code").unwrap();
    assert_eq!(claude["installed"], true);
    assert_eq!(api.get("/api/v1/projects")["items"].as_array().unwrap().len(), 1);
    let health = api.get("/api/v1/health");
    assert!(health["findings"].as_array().unwrap().len() > 5, "{health}");
    assert!(health["checked_at"].is_u64());
    assert_eq!(health["faults"], json!([]));
    let logs = api.get("/api/v1/logs?lines=5");
    let lines = logs["lines"].as_array().unwrap();
    assert!(!lines.is_empty() && lines.iter().all(|line| line["at"].is_u64()), "{logs}");
}
