//! Hook envelopes: JSON in, JSON out, whatever was sent.

use serde_json::{Value, json};

use crate::{redactor, without_hashes};

fn check(input: &Value, expected: &Value) {
    let output = redactor().envelope(input.to_string().as_bytes());
    assert!(output.parsed);
    let text = without_hashes(&String::from_utf8(output.json.clone()).expect("JSON is text"));
    let value: Value = serde_json::from_str(&text).expect("the output is JSON");
    assert_eq!(&value, expected);
    let again = redactor().envelope(&output.json);
    assert_eq!(String::from_utf8(again.json), String::from_utf8(output.json));
}

#[test]
fn the_name_of_a_value_is_its_context() {
    check(
        &json!({"tool_input": {"env": {"DB_PASSWORD": "hunter2-rabbit", "PORT": "5432"}}}),
        &json!({"tool_input": {"env": {"DB_PASSWORD": "[password]", "PORT": "5432"}}}),
    );
    check(&json!({"password": 12_345_678}), &json!({"password": "[password]"}));
    check(
        &json!({"env": [{"name": "API_TOKEN", "value": "Xk29vQmZ7LpR4tYw"}]}),
        &json!({"env": [{"name": "API_TOKEN", "value": "[token]"}]}),
    );
    check(
        &json!({"args": ["login", "--password", "s3cr3tPw"]}),
        &json!({"args": ["login", "--password", "[password]"]}),
    );
}

#[test]
fn json_in_a_string_is_walked_too() {
    let inner = json!({"config": json!({"client_secret": "q8Zr4vLx91Tn"}).to_string()}).to_string();
    let expected = json!({"config": json!({"client_secret": "[secret]"}).to_string()}).to_string();
    check(&json!({"tool_response": inner}), &json!({"tool_response": expected}));
}

#[test]
fn an_open_private_block_hides_what_follows_it() {
    check(
        &json!({"session_id": "s", "tool_input": {"a": "x <private> y", "b": "sibling", "c": {"d": "deep", "n": 1234}}, "z": "kept"}),
        &json!({"session_id": "s", "tool_input": {"a": "x ", "b": "", "c": {"d": "", "n": null}}, "z": "kept"}),
    );
}

#[test]
fn an_entirely_private_prompt_is_told() {
    for (prompt, private) in [
        ("<private>all of it</private>\n ", true),
        ("<PRIVATE>open", true),
        ("  <private>a</private> <private>b</private>", true),
        ("<private>a</private> but this", false),
        ("nothing private", false),
        ("", false),
    ] {
        let output = redactor().envelope(json!({"prompt": prompt}).to_string().as_bytes());
        assert_eq!(output.private_prompt, private, "{prompt}");
    }
}

#[test]
fn escapes_cannot_hide_a_value() {
    let input = br#"{"a":"gh\u0070_Zk1Tq0c8aH5vR2mW8sLd0PqYf3uXk29vQmZ7"}"#;
    let output = redactor().envelope(input);
    assert_eq!(without_hashes(&String::from_utf8(output.json).unwrap()), r#"{"a":"[github-pat]"}"#);
}

#[test]
fn what_is_no_json_comes_back_as_one_string() {
    let deep = "[".repeat(100_000);
    let long = format!("{{\"a\":\"{}", "x".repeat(1 << 20));
    for input in [
        &b"not json"[..],
        b"",
        b"{",
        b"{\"a\":1}{\"b\":2}",
        b"\xff\xfe{\"a\":\"b\"}",
        deep.as_bytes(),
        long.as_bytes(),
        b"{\"a\":\"\x01\"}",
    ] {
        let output = redactor().envelope(input);
        assert!(!output.parsed);
        let value: Value = serde_json::from_slice(&output.json).unwrap();
        assert!(value["unreadable"].is_string());
    }
    let output =
        redactor().envelope(br#"{"tool_input":{"command":"export DB_PASSWORD=hunter2-rabbit\nls","x":"cut"#);
    let text = String::from_utf8(output.json).unwrap();
    assert!(!text.contains("rabbit"), "{text}");
}

#[test]
fn what_is_no_json_stays_in_its_session() {
    let head = r#"{"session_id" : "s-1","hook_event_name":"PostToolUse","tool_response":"#;
    let (deep, cut) = (format!("{head}{}", "[".repeat(100_000)), format!("{head}\"cut"));
    let mut broken = format!("{head}\"caf#\"}}").into_bytes();
    let at = broken.len() - 3;
    broken[at] = 0xe9;
    for input in [deep.as_bytes(), cut.as_bytes(), &broken] {
        let output = redactor().envelope(input);
        assert!(!output.parsed);
        let value: Value = serde_json::from_slice(&output.json).unwrap();
        assert_eq!((&value["session_id"], &value["hook_event_name"]), (&json!("s-1"), &json!("PostToolUse")));
        let again = redactor().envelope(&output.json);
        assert!(again.parsed && again.json == output.json, "inert to a second pass");
    }
    // What a prompt quotes is not whose it is, and an id is redacted like everything else.
    let quoting = redactor().envelope(br#"{"prompt":"see \"session_id\":\"x\" there"#);
    assert_eq!(serde_json::from_slice::<Value>(&quoting.json).unwrap()["session_id"], Value::Null);
}

#[test]
fn lone_surrogates_do_not_break_readers() {
    let output = redactor().envelope(br#"{"a":"x\ud800y"}"#);
    assert!(output.parsed);
    let value: Value = serde_json::from_slice(&output.json).unwrap();
    assert_eq!(value["a"], "x\u{fffd}y");
}

#[test]
fn findings_tell_where_and_never_what() {
    let input = json!({"tool_input": {"env": {"DB_PASSWORD": "hunter2-rabbit-hole"}}}).to_string();
    let output = redactor().envelope(input.as_bytes());
    let finding = &output.findings[0];
    assert_eq!(finding.path.as_deref(), Some("tool_input.env.DB_PASSWORD"));
    assert_eq!(&input[finding.start..finding.end], "hunter2-rabbit-hole");
    assert!(!format!("{:?}", output.findings).contains("rabbit"));
}
