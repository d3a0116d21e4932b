//! What holds for every text, tried on many.

use proptest::prelude::*;

use crate::redactor;

/// Pieces that wake every scanner, so that random texts are dense with near misses.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<private>"),
        Just("</private>"),
        Just("< PRIVATE x>"),
        Just("<system-reminder>"),
        Just("</throughline-note>"),
        Just("password="),
        Just("\"password\": \""),
        Just("DB_PASSWORD="),
        Just("secret: "),
        Just("token := '"),
        Just("--password "),
        Just("-----BEGIN RSA PRIVATE KEY-----\n"),
        Just("-----END RSA PRIVATE KEY-----"),
        Just("MIIEowIBAAKCAQEAx9Zk1Tq0c8aH5v\n"),
        Just("postgres://u:"),
        Just("@host/db "),
        Just("://"),
        Just("eyJhbGciOiJIUzI1NiJ9."),
        Just("eyJzdWIiOiI0MiJ9."),
        Just("Bearer "),
        Just("Authorization: "),
        Just("Cookie: a="),
        Just("mysql -p"),
        Just("curl -u me:"),
        Just("ghp_"),
        Just("sk-ant-"),
        Just("AKIA"),
        Just("Zk1Tq0c8aH5vR2mW8sLd0PqYf3uXk29vQmZ7"),
        Just("s3cr3tPw!"),
        Just("hunter2"),
        Just("[REDACTED:password]"),
        Just("[REDACTED:"),
        Just("]"),
        Just("\n"),
        Just(" "),
        Just("\""),
        Just("'"),
        Just("\\"),
        Just("\\n"),
        Just("="),
        Just(":"),
        Just(","),
        Just("{"),
        Just("}"),
        Just("<"),
        Just(">"),
        Just("12→"),
        Just("+"),
        Just("\u{1b}[32m"),
        Just("cGFzc3dvcmQ9aHVudGVyMi1yYWJiaXQ="),
        Just("kind: Secret\ndata:\n  a: "),
        Just("algolia_key = "),
        Just("user,password\n"),
        Just("a,"),
        Just(":5432:"),
        Just("$2a$10$"),
        Just("é"),
    ]
    .prop_map(str::to_owned)
}

fn dense() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof![4 => piece(), 1 => "[ -~]{0,12}"], 0..24)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_second_pass_changes_nothing(input in dense()) {
        let once = redactor().bytes(input.as_bytes()).bytes;
        let twice = redactor().bytes(&once).bytes;
        prop_assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
    }

    #[test]
    fn any_bytes_are_taken(input in prop::collection::vec(any::<u8>(), 0..400)) {
        let once = redactor().bytes(&input).bytes;
        let twice = redactor().bytes(&once).bytes;
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn an_envelope_stays_valid_json(key in dense(), value in dense(), other in dense()) {
        let inner = serde_json::json!({ &key: &value }).to_string();
        let input = serde_json::json!({"prompt": value, key.as_str(): [other, inner]}).to_string();
        let output = redactor().envelope(input.as_bytes());
        prop_assert!(output.parsed);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&output.json).is_ok());
        let again = redactor().envelope(&output.json);
        prop_assert_eq!(String::from_utf8_lossy(&again.json), String::from_utf8_lossy(&output.json));
    }

    #[test]
    fn a_cut_envelope_is_still_one_json_value(value in dense(), cut in 0usize..400) {
        let input = serde_json::json!({"tool_input": {"command": value}}).to_string();
        let cut = cut.min(input.len());
        let output = redactor().envelope(&input.as_bytes()[..cut]);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&output.json).is_ok());
    }

    #[test]
    fn lines_are_kept_but_for_private_ones(input in dense()) {
        let input = input.replace('<', "");
        let output = redactor().bytes(input.as_bytes()).bytes;
        let lines = |text: &[u8]| String::from_utf8_lossy(text).matches('\n').count();
        prop_assert_eq!(lines(&output), lines(input.as_bytes()));
    }

    #[test]
    fn findings_are_apart_and_in_order(input in dense()) {
        let findings = redactor().bytes(input.as_bytes()).findings;
        for pair in findings.windows(2) {
            prop_assert!(pair[0].end <= pair[1].start);
        }
        for finding in &findings {
            prop_assert!(finding.start < finding.end && finding.end <= input.len());
        }
    }
}
