//! Hostile texts cost time in proportion to their length, not to its square.

use std::time::{Duration, Instant};

use crate::redactor;

/// A megabyte of anything. The slowest of these takes some 30 ms optimized; a quadratic scanner takes minutes, so
/// the bound is far from both and does not depend on how busy the machine is.
const BOUND: Duration = Duration::from_secs(5);
const SIZE: usize = 1 << 20;

#[test]
fn hostile_texts_take_linear_time() {
    for unit in [
        "<private>",
        "</private>",
        "<private <",
        "<",
        "=",
        "\"",
        "\\",
        "'",
        "password=",
        "\"password\":",
        "password: x\n",
        "api_key = '",
        "key=",
        "token",
        "-----BEGIN",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx9Zk1Tq0c8aH5v\n",
        "eyJ",
        "eyJhbGciOiJIUzI1NiJ9.",
        "://",
        "a://b:",
        "postgres://a@",
        "ghp_",
        "curl -u ",
        "mysql ",
        "Bearer ",
        "Cookie: a=b; ",
        "cGFzc3dvcmQ",
        "kind: Secret\n",
        "\"kty\"",
        "user,password\n",
        "[REDACTED:",
        "[REDACTED:password]",
        "\\u0070assword=",
        "AKIA",
        "stripe_",
        ":5432:",
        "{",
        "[",
        "echo | sudo -S ",
        "mnemonic: a ",
        "password: |\n  ",
        "password = <<E\n",
        "password=a(b[c{d.",
        "password: ${${${",
        "пароль ",
        " -p ",
        "Server=a;Password=b;",
        "SK0123456789abcdef",
    ] {
        let text = unit.repeat(SIZE / unit.len());
        let start = Instant::now();
        redactor().bytes(text.as_bytes());
        let envelope = serde_json::json!({"prompt": text}).to_string();
        redactor().envelope(envelope.as_bytes());
        redactor().envelope(&envelope.as_bytes()[..envelope.len() - 1]);
        assert!(start.elapsed() < BOUND, "{unit:?} took {:?}", start.elapsed());
    }
}

#[test]
fn a_long_text_is_still_after_one_pass() {
    let filler = "The daemon commits before it answers.\n".repeat(400);
    let mut text = String::new();
    for n in 0..40 {
        text.push_str(&filler);
        text.push_str(&format!(
            "export DB_{n}_PASSWORD=hunter{n}-rabbit\nurl=postgres://app:s3cr3t{n}Pw@db/x\n"
        ));
    }
    let once = redactor().bytes(text.as_bytes());
    assert_eq!(once.findings.len(), 80);
    for finding in &once.findings {
        let value = &text[finding.start..finding.end];
        assert!(value.ends_with("-rabbit") || value.ends_with("Pw"), "{value}");
    }
    assert_eq!(redactor().bytes(&once.bytes).bytes, once.bytes);
}
